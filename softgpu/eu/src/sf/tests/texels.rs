//! Texels the short way: the bench performs each message on the general path, too.

use batchbuffer::states::SurfaceFormat;
use devinfo::Family;
use isa_encoder::message::{
    AddressSize, CacheControl, DataSize, Direction, Hdc, HdcSurface, Lsc, LscAddress, LscPort,
    Message as Meaning, Sampler, SamplerOp, SlotGroup,
};
use oracles::Random;

use super::bench::Bench;
use super::images::{FAMILY, INDEX, Image, MODES, bind_sampler, planes};

const FORMATS: [(SurfaceFormat, u32); 6] = [
    (SurfaceFormat::R8G8B8A8_UINT, 4),
    (SurfaceFormat::R8G8B8A8_UNORM, 4),
    (SurfaceFormat::B8G8R8A8_UNORM, 4),
    (SurfaceFormat::R32_FLOAT, 4),
    (SurfaceFormat::R32G32_UINT, 8),
    (SurfaceFormat::R32G32B32A32_FLOAT, 16),
];

/// Coordinates of 32 channels: rows of neighbours, some of which leave the image, and any texels.
fn coordinates(random: &mut Random, image: &Image) -> [Vec<u32>; 2] {
    let width = u64::from(image.width) + 4;
    let height = u64::from(image.height) + 1;
    let row = 8 << random.below(3);
    let scattered = random.below(4) == 0;
    let (left, top) = (random.below(width) as u32, random.below(height) as u32);
    let mut x: Vec<u32> = (0..32).map(|lane| left + lane % row).collect();
    let mut y: Vec<u32> = (0..32).map(|lane| top + lane / row).collect();
    if scattered {
        x.fill_with(|| random.below(width) as u32);
        y.fill_with(|| random.below(height) as u32);
    }
    if random.below(4) == 0 {
        x[random.below(32) as usize] = u32::MAX;
    }
    [x, y]
}

/// A component: any bits, or a number round what is normalised.
fn component(random: &mut Random) -> u32 {
    match random.below(3) {
        0 => random.below(1 << 32) as u32,
        1 => random.below(300) as u32,
        _ => (random.below(1200) as f32 / 1000.0 - 0.1).to_bits(),
    }
}

/// A payload: the coordinates and, for a store, four components.
fn payload(random: &mut Random, [x, y]: &[Vec<u32>; 2], lanes: usize, stores: bool) -> Vec<u8> {
    let mut payload = planes(lanes, &[&|lane| x[lane], &|lane| y[lane]]);
    for _ in 0..if stores { 4 } else { 0 } {
        let values: Vec<u32> = (0..lanes).map(|_| component(random)).collect();
        payload.extend(planes(lanes, &[&|lane| values[lane]]));
    }
    payload
}

/// Performs messages that read and write texels, of so many channels each.
fn perform(family: Family, messages: &dyn Fn(Direction) -> Vec<(Meaning, usize)>) {
    let mut random = Random::new(77);
    for (format, bytes) in FORMATS {
        for tiling in [0, 3] {
            let flat = Image::flat(format, bytes, 45, 33);
            let image = match tiling {
                0 => flat,
                _ => flat.tiled(tiling),
            };
            let bench = Bench::new(family);
            bench.scramble(&mut random);
            image.bind(&bench);
            for _ in 0..6 {
                let at = coordinates(&mut random, &image);
                let enabled = match random.below(2) {
                    0 => u32::MAX,
                    _ => random.below(1 << 32) as u32,
                };
                for direction in [Direction::Write, Direction::Read] {
                    let stores = direction == Direction::Write;
                    for (meaning, lanes) in messages(direction) {
                        let payload = payload(&mut random, &at, lanes, stores);
                        let plane = lanes * 4 / family.grf_bytes();
                        let response = if stores { 0 } else { 4 * plane };
                        let mask = enabled & u32::MAX >> (32 - lanes);
                        let lanes = (lanes as u8, mask);
                        bench.send(meaning, lanes, &payload, plane, response);
                    }
                }
            }
            let short = bench.short.get();
            assert!(
                short > 15,
                "{family}, {format:?}, tile mode {tiling}: {short}"
            );
        }
    }
}

#[test]
fn typed_and_sampler_messages_of_rows_agree_with_the_general_path() {
    perform(Family::Gen12Lp, &|direction| {
        let typed = Meaning::Hdc(Hdc::Typed {
            direction,
            surface: HdcSurface::Bti(INDEX),
            components: 0xf,
            slots: SlotGroup::Low,
        });
        let load = |simd| {
            Meaning::Sampler(Sampler {
                op: SamplerOp::LoadLevelZero,
                surface: INDEX,
                sampler: 0,
                simd,
                half_parameters: false,
                half_results: false,
                integer_results: false,
            })
        };
        let mut messages = vec![(typed, 8)];
        if direction == Direction::Read {
            messages.extend([(load(8), 8), (load(16), 16)]);
        }
        messages
    });
}

#[test]
fn typed_messages_to_the_load_store_units_agree_with_the_general_path() {
    let state = 64 * u32::from(INDEX);
    for family in [Family::XeHpg, Family::Xe2] {
        perform(family, &|direction| {
            let addresses = [
                LscAddress::Bti {
                    index: INDEX,
                    offset: 0,
                },
                LscAddress::Bss { state, offset: 0 },
            ];
            let quad = |address| {
                let meaning = Meaning::Lsc(Lsc::Quad {
                    port: LscPort::Tgm,
                    direction,
                    address,
                    address_size: AddressSize::A32,
                    data: DataSize::D32,
                    components: 0xf,
                    cache: CacheControl::DEFAULT,
                });
                (meaning, 16)
            };
            addresses.map(quad).into()
        });
    }
}

/// Samples of a whole message at once are those of its channels: on the general path, messages with a level of
/// detail take these one by one.
#[test]
fn samples_of_all_channels_are_those_of_each() {
    let mut random = Random::new(34);
    let formats = [
        SurfaceFormat::R8G8B8A8_UNORM,
        SurfaceFormat::R8G8B8A8_UINT,
        SurfaceFormat::R32_FLOAT,
    ];
    for format in formats {
        let bench = Bench::new(FAMILY);
        bench.scramble(&mut random);
        let (width, height) = (13u32, 9u32);
        Image::flat(format, 4, width, height).bind(&bench);
        for round in 0..400 {
            let mode = MODES[random.below(4) as usize];
            let linear = format != SurfaceFormat::R8G8B8A8_UINT && random.below(2) == 0;
            let unnormalised = mode >= 2 && random.below(2) == 0;
            bind_sampler(&bench, mode, linear, unnormalised);
            let simd = if round % 2 == 0 { 8 } else { 16 };
            // Mostly inside; some in the middle of texels, where weights are zero.
            let far = random.below(3) == 0;
            let mut pick = |size: u32| -> Vec<u32> {
                let coordinate = |_| {
                    let size = f64::from(size);
                    let at = match random.below(3) {
                        0 => random.below(size as u64) as f64 + 0.5,
                        _ => random.below(1 << 20) as f64 / f64::from(1 << 20) * size,
                    };
                    let at = if far { 3.0 * at - size } else { at };
                    ((if unnormalised { at } else { at / size }) as f32).to_bits()
                };
                (0..simd).map(coordinate).collect()
            };
            let (u, v) = (pick(width), pick(height));
            let (fu, fv, zero) = (|lane: usize| u[lane], |lane: usize| v[lane], |_: usize| 0);
            let mask = random.bits() as u32 & 0xffff | 1;
            let sample = |op, parameters: &[&dyn Fn(usize) -> u32]| {
                let payload = planes(simd, parameters);
                let message = Sampler {
                    op,
                    surface: INDEX,
                    sampler: 2,
                    simd: simd as u8,
                    half_parameters: false,
                    half_results: false,
                    integer_results: false,
                };
                let registers = payload.len() / 32;
                let lanes = (simd as u8, mask);
                bench.send(
                    Meaning::Sampler(message),
                    lanes,
                    &payload,
                    registers,
                    4 * simd / 8,
                )
            };
            let each = sample(SamplerOp::SampleLod, &[&zero, &fu, &fv]);
            let all = sample(SamplerOp::SampleLevelZero, &[&fu, &fv]);
            assert!(
                all == each,
                "{format:?}, mode {mode}, linear {linear}: {all:x?}, not {each:x?}"
            );
        }
        // Those that need the border do not.
        let short = bench.short.get();
        assert!(short > 400, "{format:?}: {short}");
    }
}
