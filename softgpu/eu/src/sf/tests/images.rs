//! Typed messages, media blocks and the sampler on small images.

use batchbuffer::states::{
    SurfaceFormat, render_surface_state as rss, sampler_border_color_state as border,
    sampler_state as ss,
};
use devinfo::Family;
use isa_encoder::message::{
    AtomicOp, Direction, Hdc, HdcSurface, Message as Meaning, Sampler, SamplerOp, SlotGroup,
};
use oracles::Random;

use super::bench::{Bench, MEMORY, STATES};

pub(super) const FAMILY: Family = Family::Gen12Lp;
pub(super) const INDEX: u8 = 4;
const SAMPLERS: u64 = 0xc000;
const BORDER: u64 = 0xd000;

/// An image in test memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Image {
    /// SURFTYPE: 0 to 3.
    kind: u64,
    array: bool,
    format: SurfaceFormat,
    bytes: u32,
    pub width: u32,
    pub height: u32,
    depth: u32,
    pitch: u32,
    qpitch: u32,
    /// Tile mode: 0 linear, 2 X, 3 Y.
    tiling: u64,
}

impl Image {
    pub fn flat(format: SurfaceFormat, bytes: u32, width: u32, height: u32) -> Self {
        Self {
            kind: 1,
            array: false,
            format,
            bytes,
            width,
            height,
            depth: 1,
            pitch: (width * bytes).next_multiple_of(64),
            qpitch: height.next_multiple_of(4),
            tiling: 0,
        }
    }

    pub fn tiled(self, tiling: u64) -> Self {
        let tile = if tiling == 2 { 512 } else { 128 };
        Self {
            tiling,
            pitch: (self.width * self.bytes).next_multiple_of(tile),
            qpitch: self.height.next_multiple_of(32),
            ..self
        }
    }

    pub fn bind(&self, bench: &Bench) {
        let state = rss::state(bench.family)
            .set(rss::SURFACE_TYPE, self.kind)
            .set(rss::SURFACE_ARRAY, self.array)
            .set(rss::SURFACE_FORMAT, self.format)
            .set(rss::WIDTH, u64::from(self.width - 1))
            .set(rss::HEIGHT, u64::from(self.height - 1))
            .set(rss::DEPTH, u64::from(self.depth - 1))
            .set(rss::SURFACE_PITCH, u64::from(self.pitch - 1))
            .set(rss::SURFACE_QPITCH, u64::from(self.qpitch / 4))
            .set(rss::TILE_MODE, self.tiling)
            .set(rss::SHADER_CHANNEL_SELECT_RED, 4u64)
            .set(rss::SHADER_CHANNEL_SELECT_GREEN, 5u64)
            .set(rss::SHADER_CHANNEL_SELECT_BLUE, 6u64)
            .set(rss::SHADER_CHANNEL_SELECT_ALPHA, 7u64)
            .set(rss::SURFACE_BASE_ADDRESS, MEMORY)
            .finish()
            .expect("in range");
        bench.bind(INDEX, &state);
    }

    /// The place of a texel: the arithmetic of the PRM, written out.
    fn offset(&self, x: u32, y: u32, z: u32) -> u64 {
        let x = u64::from(x * self.bytes);
        let row = u64::from(y + z * self.qpitch);
        let pitch = u64::from(self.pitch);
        match self.tiling {
            0 => row * pitch + x,
            2 => {
                let tile = row / 8 * (pitch / 512) + x / 512;
                tile * 4096 + row % 8 * 512 + x % 512
            }
            _ => {
                let tile = row / 32 * (pitch / 128) + x / 128;
                tile * 4096 + x % 128 / 16 * 512 + row % 32 * 16 + x % 16
            }
        }
    }

    fn texel(&self, bench: &Bench, x: u32, y: u32, z: u32) -> Vec<u8> {
        bench.read(MEMORY + self.offset(x, y, z), self.bytes as usize)
    }

    fn set_texel(&self, bench: &Bench, at: [u32; 3], bytes: &[u8]) {
        bench.write(MEMORY + self.offset(at[0], at[1], at[2]), bytes);
    }
}

pub(super) fn planes(lanes: usize, values: &[&dyn Fn(usize) -> u32]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for value in values {
        for lane in 0..lanes {
            bytes.extend(value(lane).to_le_bytes());
        }
    }
    bytes
}

fn dword(bytes: &[u8], index: usize) -> u32 {
    u32::from_le_bytes(bytes[index * 4..index * 4 + 4].try_into().expect("dword"))
}

fn typed(direction: Direction, slots: SlotGroup) -> Meaning {
    Meaning::Hdc(Hdc::Typed {
        direction,
        surface: HdcSurface::Bti(INDEX),
        components: 0xf,
        slots,
    })
}

#[test]
fn typed_writes_and_loads_reach_the_texels_of_every_tiling() {
    let mut random = Random::new(31);
    let flat = Image::flat(SurfaceFormat::R8G8B8A8_UINT, 4, 70, 40);
    let volume = Image {
        kind: 2,
        depth: 5,
        ..Image::flat(SurfaceFormat::R8G8B8A8_UINT, 4, 40, 20)
    };
    let array = Image {
        array: true,
        kind: 1,
        ..volume
    };
    let images = [
        flat,
        flat.tiled(2),
        flat.tiled(3),
        volume,
        array,
        array.tiled(3),
    ];
    for image in images {
        let bench = Bench::new(FAMILY);
        image.bind(&bench);
        for _ in 0..40 {
            // Some coordinates are outside.
            let x: Vec<u32> = (0..8)
                .map(|_| random.below(image.width as u64 + 4) as u32)
                .collect();
            let y: Vec<u32> = (0..8)
                .map(|_| random.below(image.height as u64 + 2) as u32)
                .collect();
            let z: Vec<u32> = (0..8)
                .map(|_| random.below(image.depth as u64 + 1) as u32)
                .collect();
            let three = image.depth > 1;
            let z = if three { z } else { vec![0; 8] };
            let inside = |lane: usize| {
                x[lane] < image.width && y[lane] < image.height && z[lane] < image.depth
            };
            let colour: Vec<u32> = (0..32).map(|_| random.below(256) as u32).collect();
            let mut coordinates: Vec<&dyn Fn(usize) -> u32> = Vec::new();
            let (fx, fy, fz) = (
                |lane: usize| x[lane],
                |lane: usize| y[lane],
                |lane: usize| z[lane],
            );
            coordinates.push(&fx);
            coordinates.push(&fy);
            if three {
                coordinates.push(&fz);
            }
            let mut payload = planes(8, &coordinates);
            let split = payload.len() / 32;
            for component in 0..4 {
                payload.extend(planes(8, &[&|lane| colour[component * 8 + lane]]));
            }
            bench.send(
                typed(Direction::Write, SlotGroup::Low),
                (8, 0xff),
                &payload,
                1,
                0,
            );
            let typed_read = bench.send(
                typed(Direction::Read, SlotGroup::Low),
                (8, 0xff),
                &payload[..split * 32],
                split,
                4,
            );
            let loaded = bench.send(
                Meaning::Sampler(Sampler {
                    op: SamplerOp::LoadLevelZero,
                    surface: INDEX,
                    sampler: 0,
                    simd: 8,
                    half_parameters: false,
                    half_results: false,
                    integer_results: false,
                }),
                (8, 0xff),
                &payload[..split * 32],
                split,
                4,
            );
            for lane in 0..8 {
                // A later lane may have written the same texel.
                let last = (0..8)
                    .rev()
                    .find(|&other| (x[other], y[other], z[other]) == (x[lane], y[lane], z[lane]))
                    .expect("itself");
                if inside(lane) {
                    let want: Vec<u8> = (0..4).map(|c| colour[c * 8 + last] as u8).collect();
                    let got = image.texel(&bench, x[lane], y[lane], z[lane]);
                    assert_eq!(got, want, "{image:?}");
                }
                for component in 0..4 {
                    let want = if inside(lane) {
                        colour[component * 8 + last]
                    } else {
                        0
                    };
                    assert_eq!(dword(&typed_read, component * 8 + lane), want);
                    assert_eq!(dword(&loaded, component * 8 + lane), want);
                }
            }
        }
    }
}

#[test]
fn loads_outside_have_zeros_and_the_alpha_that_the_format_lacks() {
    let one = 1.0f32.to_bits();
    let formats = [
        (SurfaceFormat::R8_UINT, 1, 1),
        (SurfaceFormat::R32_UINT, 4, 1),
        (SurfaceFormat::R32_FLOAT, 4, one),
        (SurfaceFormat::R32G32_FLOAT, 8, one),
        (SurfaceFormat::R8G8B8A8_UNORM, 4, 0),
        (SurfaceFormat::R32G32B32A32_UINT, 16, 0),
    ];
    for (format, bytes, alpha) in formats {
        let bench = Bench::new(FAMILY);
        let image = Image::flat(format, bytes, 5, 3);
        image.bind(&bench);
        for y in [0, 3] {
            // Up to three of the channels of the first row are inside.
            let payload = planes(8, &[&|lane| lane as u32 + 2, &|_| y]);
            let load = Meaning::Sampler(Sampler {
                op: SamplerOp::LoadLevelZero,
                surface: INDEX,
                sampler: 0,
                simd: 8,
                half_parameters: false,
                half_results: false,
                integer_results: false,
            });
            let loaded = bench.send(load, (8, 0xff), &payload, 2, 4);
            for lane in if y == 0 { 3..8 } else { 0..8 } {
                let texel = [0, 1, 2, 3].map(|component| dword(&loaded, component * 8 + lane));
                assert_eq!(
                    texel,
                    [0, 0, 0, alpha],
                    "{format:?}, row {y}, channel {lane}"
                );
            }
        }
    }
}

#[test]
fn high_slots_of_a_wide_message_are_its_upper_channels() {
    let bench = Bench::new(FAMILY);
    let image = Image::flat(SurfaceFormat::R32_UINT, 4, 16, 1);
    image.bind(&bench);
    let payload = planes(
        8,
        &[&|lane| lane as u32, &|_| 0, &|_| 9, &|_| 9, &|_| 9, &|_| 9],
    );
    bench.send(
        typed(Direction::Write, SlotGroup::High),
        (16, 0x05ff),
        &payload,
        2,
        0,
    );
    for x in 0..8 {
        let want = if x == 0 || x == 2 { 9 } else { 0 };
        assert_eq!(dword(&image.texel(&bench, x, 0, 0), 0), want, "texel {x}");
    }
}

#[test]
fn typed_atomics_count_and_ignore_the_outside() {
    let bench = Bench::new(FAMILY);
    let image = Image::flat(SurfaceFormat::R32_SINT, 4, 4, 4).tiled(3);
    image.bind(&bench);
    image.set_texel(&bench, [2, 1, 0], &100u32.to_le_bytes());
    let payload = planes(
        8,
        &[&|lane| if lane < 6 { 2 } else { 77 }, &|_| 1, &|lane| {
            lane as u32
        }],
    );
    let response = bench.send(
        Meaning::Hdc(Hdc::TypedAtomic {
            surface: HdcSurface::Bti(INDEX),
            op: AtomicOp::Add,
            bytes: 4,
            returns: true,
            slots: SlotGroup::Low,
        }),
        (8, 0xff),
        &payload,
        2,
        1,
    );
    assert_eq!(dword(&image.texel(&bench, 2, 1, 0), 0), 100 + 15);
    let got: Vec<u32> = (0..8).map(|lane| dword(&response, lane)).collect();
    assert_eq!(got, [100, 100, 101, 103, 106, 110, 0, 0]);
}

#[test]
fn media_blocks_replicate_edges_and_drop_what_is_outside() {
    let mut random = Random::new(32);
    for tiling in [0, 2, 3] {
        // 10 dwords wide: the width of such a surface counts dwords.
        let image = Image::flat(SurfaceFormat::R32_UINT, 4, 10, 12);
        let image = if tiling == 0 {
            image
        } else {
            image.tiled(tiling)
        };
        let bench = Bench::new(FAMILY);
        image.bind(&bench);
        let mut pixels = vec![vec![0u32; 10]; 12];
        for (y, row) in pixels.iter_mut().enumerate() {
            for (x, pixel) in row.iter_mut().enumerate() {
                *pixel = random.bits() as u32;
                image.set_texel(&bench, [x as u32, y as u32, 0], &pixel.to_le_bytes());
            }
        }
        for _ in 0..100 {
            let width = [4usize, 8, 16, 32, 12][random.below(5) as usize];
            let height = 1 + random.below(8) as usize;
            let x = 4 * (random.below(16) as i32 - 3);
            let y = random.below(18) as i32 - 3;
            let pitch = width.next_power_of_two();
            let mut payload = vec![0; 32];
            payload[..4].copy_from_slice(&x.to_le_bytes());
            payload[4..8].copy_from_slice(&y.to_le_bytes());
            let size = (height as u32 - 1) << 16 | (width as u32 - 1);
            payload[8..12].copy_from_slice(&size.to_le_bytes());
            let registers = (pitch * height).div_ceil(32);
            let message = |direction| {
                Meaning::Hdc(Hdc::MediaBlock {
                    direction,
                    surface: HdcSurface::Bti(INDEX),
                    line_stride: 0,
                })
            };
            let read = bench.send_block(message(Direction::Read), (8, 0), &payload, registers);
            for row in 0..height {
                for column in 0..width / 4 {
                    let at = |value: i32, limit: i32| value.clamp(0, limit - 1) as usize;
                    let want = pixels[at(y + row as i32, 12)][at(x / 4 + column as i32, 10)];
                    assert_eq!(
                        dword(&read, row * pitch / 4 + column),
                        want,
                        "tiling {tiling}, block {width}x{height} at {x},{y}"
                    );
                }
            }
            let data = random.bytes(registers * 32);
            payload.extend(&data);
            bench.send_block(message(Direction::Write), (8, 0), &payload, 0);
            for row in 0..height {
                for column in 0..width / 4 {
                    let (px, py) = (x / 4 + column as i32, y + row as i32);
                    if (0..10).contains(&px) && (0..12).contains(&py) {
                        pixels[py as usize][px as usize] = dword(&data, row * pitch / 4 + column);
                    }
                }
            }
        }
        for (y, row) in pixels.iter().enumerate() {
            for (x, pixel) in row.iter().enumerate() {
                assert_eq!(
                    dword(&image.texel(&bench, x as u32, y as u32, 0), 0),
                    *pixel
                );
            }
        }
    }
}

/// Texture Coordinate Modes.
pub(super) const MODES: [u64; 4] = [0, 1, 2, 4];

pub(super) fn bind_sampler(bench: &Bench, mode: u64, linear: bool, unnormalised: bool) {
    let filter = u64::from(linear);
    let dwords = ss::state(bench.family)
        .set(ss::MIN_MODE_FILTER, filter)
        .set(ss::MAG_MODE_FILTER, filter)
        .set(ss::TCX_ADDRESS_CONTROL_MODE, mode)
        .set(ss::TCY_ADDRESS_CONTROL_MODE, mode)
        .set(ss::TCZ_ADDRESS_CONTROL_MODE, mode)
        .set(ss::NON_NORMALIZED_COORDINATE_ENABLE, unnormalised)
        .set(ss::BORDER_COLOR_POINTER, BORDER)
        .finish()
        .expect("in range");
    let bytes: Vec<u8> = dwords
        .iter()
        .flat_map(|dword| dword.to_le_bytes())
        .collect();
    // Sampler 2 of the table.
    bench.write(STATES + SAMPLERS + 32, &bytes);
    let colour = border::state(bench.family)
        .set(border::BORDER_COLOR_32BIT_RED, u64::from(0.25f32.to_bits()))
        .set(
            border::BORDER_COLOR_32BIT_GREEN,
            u64::from(0.5f32.to_bits()),
        )
        .set(
            border::BORDER_COLOR_32BIT_ALPHA,
            u64::from(1.0f32.to_bits()),
        )
        .finish()
        .expect("in range");
    let bytes: Vec<u8> = colour
        .iter()
        .flat_map(|dword| dword.to_le_bytes())
        .collect();
    bench.write(STATES + BORDER, &bytes);
}

const BORDER_COLOUR: [f32; 4] = [0.25, 0.5, 0.0, 1.0];

/// OpenCL C 3.0, 8.2 "Image Addressing and Filtering", in double precision: the texel along one
/// axis for nearest filtering, or the two texels and the weight of the second.
fn axis(s: f64, size: i64, mode: u64, linear: bool, unnormalised: bool) -> ([i64; 2], f64) {
    let w = size as f64;
    let s = if unnormalised { s / w } else { s };
    let (u, wrap): (f64, fn(i64, i64) -> i64) = match mode {
        0 => ((s - s.floor()) * w, |i, w| i.rem_euclid(w)),
        1 => {
            let mirrored = (s - 2.0 * (0.5 * s).round_ties_even()).abs();
            (mirrored * w, |i, w| i.clamp(0, w - 1))
        }
        2 => (s * w, |i, w| i.clamp(0, w - 1)),
        _ => (s * w, |i, w| i.clamp(-1, w)),
    };
    if linear {
        let i = (u - 0.5).floor();
        let weight = u - 0.5 - i;
        ([wrap(i as i64, size), wrap(i as i64 + 1, size)], weight)
    } else {
        let i = wrap(u.floor() as i64, size);
        ([i, i], 0.0)
    }
}

#[test]
fn samples_are_those_of_the_opencl_specification() {
    let mut random = Random::new(33);
    let (width, height, depth) = (7u32, 5u32, 3u32);
    for volume in [false, true] {
        let image = Image {
            kind: if volume { 2 } else { 1 },
            depth: if volume { depth } else { 1 },
            ..Image::flat(SurfaceFormat::R32G32B32A32_FLOAT, 16, width, height)
        };
        let bench = Bench::new(FAMILY);
        image.bind(&bench);
        let mut texels = vec![[0f32; 4]; (width * height * depth) as usize];
        for z in 0..image.depth {
            for y in 0..height {
                for x in 0..width {
                    let texel: [f32; 4] =
                        std::array::from_fn(|_| random.below(1000) as f32 / 250.0 - 2.0);
                    texels[((z * height + y) * width + x) as usize] = texel;
                    let bytes: Vec<u8> =
                        texel.iter().flat_map(|value| value.to_le_bytes()).collect();
                    image.set_texel(&bench, [x, y, z], &bytes);
                }
            }
        }
        let fetch = |x: i64, y: i64, z: i64| {
            let inside = (0..i64::from(width)).contains(&x)
                && (0..i64::from(height)).contains(&y)
                && (0..i64::from(image.depth)).contains(&z);
            if inside {
                texels[((z as u32 * height + y as u32) * width + x as u32) as usize]
            } else {
                BORDER_COLOUR
            }
        };
        for mode in MODES {
            for (linear, unnormalised) in
                [(false, false), (true, false), (false, true), (true, true)]
            {
                if unnormalised && mode < 2 {
                    continue;
                }
                bind_sampler(&bench, mode, linear, unnormalised);
                for round in 0..6 {
                    let simd = if round % 2 == 0 { 8 } else { 16 };
                    let scale = |size: u32| {
                        if unnormalised { f64::from(size) } else { 1.0 }
                    };
                    let mut pick = |size: u32| -> Vec<f32> {
                        (0..simd)
                            .map(|_| {
                                // Away from the seams, where single precision may differ.
                                let step = random.below(u64::from(size) * 3 * 8) as f64;
                                let texel = step / 8.0 - f64::from(size) + 1.0 / 16.0;
                                (texel / f64::from(size) * scale(size)) as f32
                            })
                            .collect()
                    };
                    let (u, v, r) = (pick(width), pick(height), pick(depth));
                    let fu = |lane: usize| u[lane].to_bits();
                    let fv = |lane: usize| v[lane].to_bits();
                    let fr = |lane: usize| r[lane].to_bits();
                    let lod = |_: usize| 0;
                    let with_lod = round >= 3;
                    let mut parameters: Vec<&dyn Fn(usize) -> u32> = Vec::new();
                    if with_lod {
                        parameters.push(&lod);
                    }
                    parameters.push(&fu);
                    parameters.push(&fv);
                    if volume {
                        parameters.push(&fr);
                    }
                    let payload = planes(simd, &parameters);
                    let response = bench.send(
                        Meaning::Sampler(Sampler {
                            op: if with_lod {
                                SamplerOp::SampleLod
                            } else {
                                SamplerOp::SampleLevelZero
                            },
                            surface: INDEX,
                            sampler: 2,
                            simd: simd as u8,
                            half_parameters: false,
                            half_results: false,
                            integer_results: false,
                        }),
                        (simd as u8, 0xffff),
                        &payload,
                        payload.len() / 32,
                        4 * simd / 8,
                    );
                    for lane in 0..simd {
                        let place = |value: f32, size: u32| {
                            axis(value.into(), size.into(), mode, linear, unnormalised)
                        };
                        let (xs, wx) = place(u[lane], width);
                        let (ys, wy) = place(v[lane], height);
                        let (zs, wz) = if volume {
                            place(r[lane], depth)
                        } else {
                            ([0, 0], 0.0)
                        };
                        let mut want = [0f64; 4];
                        for corner in 0..8 {
                            let choose = |bit: usize, indices: [i64; 2], weight: f64| {
                                if corner >> bit & 1 == 0 {
                                    (indices[0], 1.0 - weight)
                                } else {
                                    (indices[1], weight)
                                }
                            };
                            let (x, ax) = choose(0, xs, wx);
                            let (y, ay) = choose(1, ys, wy);
                            let (z, az) = choose(2, zs, wz);
                            let texel = fetch(x, y, z);
                            for (want, texel) in want.iter_mut().zip(texel) {
                                *want += ax * ay * az * f64::from(texel);
                            }
                        }
                        for (component, want) in want.iter().enumerate() {
                            let got = f32::from_bits(dword(&response, component * simd + lane));
                            assert!(
                                (f64::from(got) - want).abs() < 2e-5,
                                "mode {mode} linear {linear} lane {lane} at \
                                 {},{},{}: {got}, not {want}",
                                u[lane],
                                v[lane],
                                r[lane]
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn resource_info_gives_dimensions() {
    let bench = Bench::new(FAMILY);
    let image = Image {
        array: true,
        depth: 6,
        ..Image::flat(SurfaceFormat::R8_UNORM, 1, 33, 17)
    };
    image.bind(&bench);
    let info = |lod: u32| {
        let payload = planes(8, &[&|_| lod]);
        let response = bench.send(
            Meaning::Sampler(Sampler {
                op: SamplerOp::ResourceInfo,
                surface: INDEX,
                sampler: 0,
                simd: 8,
                half_parameters: false,
                half_results: false,
                integer_results: false,
            }),
            (8, 1),
            &payload,
            1,
            4,
        );
        [0, 8, 16, 24].map(|index| dword(&response, index))
    };
    assert_eq!(info(0), [33, 17, 6, 1]);
    assert_eq!(info(1), [0; 4]);
}

#[test]
fn half_results_and_masked_channels_are_packed() {
    let bench = Bench::new(FAMILY);
    let image = Image::flat(SurfaceFormat::R8G8B8A8_UNORM, 4, 4, 1);
    image.bind(&bench);
    image.set_texel(&bench, [1, 0, 0], &[255, 0, 51, 102]);
    let mut payload = vec![0; 32];
    // Green is not returned.
    payload[8..12].copy_from_slice(&(0b0010u32 << 12).to_le_bytes());
    payload.extend(planes(8, &[&|_| 1, &|_| 0]));
    let send = |half_results, response| {
        bench
            .try_send(
                (
                    Meaning::Sampler(Sampler {
                        op: SamplerOp::LoadLevelZero,
                        surface: INDEX,
                        sampler: 0,
                        simd: 8,
                        half_parameters: false,
                        half_results,
                        integer_results: false,
                    }),
                    true,
                ),
                (8, 0x80),
                &payload,
                3,
                response,
            )
            .expect("performed")
    };
    let words = send(false, 3);
    let got = [7, 15, 23].map(|index| f32::from_bits(dword(&words, index)));
    assert_eq!(got, [1.0, 0.2, 0.4]);
    let halves = send(true, 3);
    let half = |index: usize| {
        let bytes = [halves[index * 2], halves[index * 2 + 1]];
        half::f16::from_le_bytes(bytes).to_f32()
    };
    assert_eq!(half(7), 1.0);
    assert!((half(16 + 7) - 0.2).abs() < 1e-3);
    assert!((half(32 + 7) - 0.4).abs() < 1e-3);
}
