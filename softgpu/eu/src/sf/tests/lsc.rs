//! Load/store messages of XeHPG and later.

use batchbuffer::states::{SurfaceFormat, render_surface_state as rss};
use devinfo::{Family, span};
use isa_encoder::message::{
    AddressSize, AtomicOp, Block2d, CacheControl, DataSize, Direction, FenceScope, FlushOp, Lsc,
    LscAddress, LscPort, Message as Meaning,
};
use oracles::Random;

use crate::Rule;

use super::bench::{Bench, GENERAL, MEMORY, MEMORY_BYTES};

pub(super) const FAMILIES: [Family; 3] = [Family::XeHpg, Family::XeHpc, Family::Xe2];

const SIZES: [(DataSize, usize, usize, u32); 5] = [
    (DataSize::D32, 4, 4, 0),
    (DataSize::D64, 8, 8, 0),
    (DataSize::D8U32, 1, 4, 0),
    (DataSize::D16U32, 2, 4, 0),
    (DataSize::D16U32H, 2, 4, 16),
];

fn registers(bytes: usize, grf: usize) -> usize {
    bytes.div_ceil(grf)
}

pub(super) fn pad(mut bytes: Vec<u8>, grf: usize) -> Vec<u8> {
    bytes.resize(bytes.len().next_multiple_of(grf), 0xa5);
    bytes
}

fn value(bytes: &[u8]) -> u64 {
    let mut value = [0; 8];
    value[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(value)
}

#[test]
fn vectors_are_planes_of_registers() {
    let mut random = Random::new(51);
    for family in FAMILIES {
        let grf = family.grf_bytes();
        let bench = Bench::new(family);
        let mut memory = bench.scramble(&mut random);
        bench.bind_buffer(6, MEMORY + 0x2000, 0x400);
        for round in 0..800usize {
            let (data, in_memory, slot, shift) = SIZES[round % SIZES.len()];
            let elements = [1u8, 2, 3, 4, 8][random.below(5) as usize];
            let exec = [1usize, 8, 16, 32][random.below(4) as usize];
            let a64 = random.below(2) == 0;
            // Byte 0 of the model in test memory, and its end.
            let (address, base, limit) = match round % 4 {
                0 if a64 => (LscAddress::Flat { offset: 0 }, 0u64, MEMORY_BYTES),
                0 => (
                    LscAddress::Bti {
                        index: 0xff,
                        offset: 0,
                    },
                    GENERAL - MEMORY,
                    MEMORY_BYTES,
                ),
                3 => (
                    LscAddress::Bss {
                        state: 6 * 64,
                        offset: 0,
                    },
                    0x2000,
                    0x2000 + 0x400,
                ),
                _ => (
                    LscAddress::Bti {
                        index: 6,
                        offset: if span!(Xe2..).contains(family) { 16 } else { 0 },
                    },
                    0x2000,
                    0x2000 + 0x400,
                ),
            };
            let immediate = match address {
                LscAddress::Bti { offset, .. } => offset as u64,
                _ => 0,
            };
            let a64 = a64 && round % 4 == 0;
            // One address for all channels, some elements further on for each of sixteen, or anywhere.
            let first = random.below(0x420) / 8 * 8;
            let pattern = random.below(8);
            let step = (1 + random.below(elements.into())) * in_memory as u64;
            let second = match random.below(2) {
                0 => first + 16 * step,
                _ => random.below(0x300) / 4 * 4,
            };
            let offsets: Vec<u64> = (0..exec as u64)
                .map(|lane| match pattern {
                    0 => first,
                    1..=3 => [first, second][lane as usize / 16] + lane % 16 * step,
                    // The first four, which are not served, lie before all.
                    4 if exec > 4 => lane.wrapping_sub(4).wrapping_mul(step),
                    _ => random.below(0x420) / 8 * 8,
                })
                .collect();
            // Payloads have room for the channels of the narrowest SIMD, for any instruction.
            let room = exec.max(grf / 4);
            let plane = (room * slot).next_multiple_of(grf);
            if plane * usize::from(elements) > 16 * grf {
                continue;
            }
            let all = u32::MAX >> (32 - exec);
            let mask = match random.below(4) {
                0 | 1 => all,
                2 => random.bits() as u32 & all,
                // One half alone.
                _ => all & 0xffff << (16 * random.below(2)),
            };
            let mask = match pattern {
                4 if exec > 4 => mask & !0xf,
                _ => mask,
            };
            let mut addresses = Vec::new();
            for offset in &offsets {
                if a64 {
                    addresses.extend(MEMORY.wrapping_add(*offset).to_le_bytes());
                } else {
                    addresses.extend((*offset as u32).to_le_bytes());
                }
            }
            addresses.resize(room * if a64 { 8 } else { 4 }, 0xa5);
            let addresses = pad(addresses, grf);
            let split = addresses.len() / grf;
            let message = |direction| {
                Meaning::Lsc(Lsc::Vector {
                    port: LscPort::Ugm,
                    direction,
                    address,
                    address_size: if a64 {
                        AddressSize::A64
                    } else {
                        AddressSize::A32
                    },
                    data,
                    elements,
                    transpose: false,
                    strided: false,
                    cache: CacheControl::DEFAULT,
                })
            };
            let place = |lane: usize, element: usize| {
                let at = base + offsets[lane] + immediate + (element * in_memory) as u64;
                let end = at + in_memory as u64;
                (end <= limit).then_some(at as usize..end as usize)
            };
            let response = bench.send(
                message(Direction::Read),
                (exec as u8, mask),
                &addresses,
                split,
                plane * usize::from(elements) / grf,
            );
            for element in 0..usize::from(elements) {
                for lane in 0..exec {
                    let at = element * plane + lane * slot;
                    let got = value(&response[at..at + slot]);
                    let want = if mask >> lane & 1 == 0 {
                        value(&[0xcc; 8][..slot])
                    } else {
                        place(lane, element).map_or(0, |range| value(&memory[range])) << shift
                    };
                    assert_eq!(got, want, "{family} {data:?} x{elements} lane {lane}");
                }
            }
            let store = random.bytes(plane * usize::from(elements));
            let payload = [addresses, store.clone()].concat();
            bench.send(
                message(Direction::Write),
                (exec as u8, mask),
                &payload,
                split,
                0,
            );
            for element in 0..usize::from(elements) {
                for lane in 0..exec {
                    if mask >> lane & 1 != 0
                        && let Some(range) = place(lane, element)
                    {
                        let at = element * plane + lane * slot;
                        let new = value(&store[at..at + slot]) >> shift;
                        memory[range].copy_from_slice(&new.to_le_bytes()[..in_memory]);
                    }
                }
            }
        }
        assert!(
            bench.short.get() > 10,
            "{family}: messages of dwords go the short way"
        );
        bench.assert_hosted(&family.to_string());
        assert!(
            bench.read(MEMORY, MEMORY_BYTES as usize) == memory,
            "{family}"
        );
    }
}

#[test]
fn transposed_vectors_are_packed() {
    let mut random = Random::new(52);
    for family in FAMILIES {
        let grf = family.grf_bytes();
        let bench = Bench::new(family);
        let memory = bench.scramble(&mut random);
        for (data, bytes) in [(DataSize::D32, 4), (DataSize::D64, 8)] {
            for elements in [1u8, 2, 3, 4, 8, 16, 32, 64] {
                let total = usize::from(elements) * bytes;
                if total > 16 * grf {
                    continue;
                }
                let offset = random.below(0x100) * 8;
                let message = |direction| {
                    Meaning::Lsc(Lsc::Vector {
                        port: LscPort::Ugm,
                        direction,
                        address: LscAddress::Flat { offset: 0 },
                        address_size: AddressSize::A64,
                        data,
                        elements,
                        transpose: true,
                        strided: false,
                        cache: CacheControl::DEFAULT,
                    })
                };
                let address = pad((MEMORY + offset).to_le_bytes().to_vec(), grf);
                let response = bench.send(
                    message(Direction::Read),
                    (1, 1),
                    &address,
                    1,
                    registers(total, grf),
                );
                let from = offset as usize;
                assert_eq!(response[..total], memory[from..from + total]);
                let target = pad((MEMORY + 0x9000).to_le_bytes().to_vec(), grf);
                let payload = [target, pad(response, grf)].concat();
                bench.send(message(Direction::Write), (1, 1), &payload, 1, 0);
                assert_eq!(
                    bench.read(MEMORY + 0x9000, total),
                    memory[from..from + total]
                );
            }
        }
        bench.assert_hosted(&family.to_string());
    }
}

#[test]
fn shared_memory_quads_and_atomics() {
    for family in FAMILIES {
        let grf = family.grf_bytes();
        let bench = Bench::new(family);
        let lanes = grf / 4;
        let addresses: Vec<u8> = (0..lanes as u32)
            .flat_map(|lane| (lane * 16).to_le_bytes())
            .collect();
        let quad = |direction, payload: &[u8], response| {
            bench.send(
                Meaning::Lsc(Lsc::Quad {
                    port: LscPort::Slm,
                    direction,
                    address: LscAddress::Flat { offset: 0 },
                    address_size: AddressSize::A32,
                    data: DataSize::D32,
                    components: 0b1010,
                    cache: CacheControl::DEFAULT,
                }),
                (lanes as u8, u32::MAX),
                payload,
                1,
                response,
            )
        };
        let data: Vec<u8> = (0..2 * lanes as u32)
            .flat_map(|index| (index + 100).to_le_bytes())
            .collect();
        quad(
            Direction::Write,
            &[addresses.clone(), data.clone()].concat(),
            0,
        );
        let words: Vec<u32> = bench.slm.words()[..8]
            .iter()
            .map(|word| word.load(std::sync::atomic::Ordering::Relaxed))
            .collect();
        let y = 100 + lanes as u32;
        assert_eq!(words, [0, 100, 0, y, 0, 101, 0, y + 1]);
        assert_eq!(quad(Direction::Read, &addresses, 2), data);
        // All lanes add to one dword: each sees the sum of those before it.
        let same = vec![0u8; grf];
        let ones: Vec<u8> = (0..lanes).flat_map(|_| 1u32.to_le_bytes()).collect();
        let response = bench.send(
            Meaning::Lsc(Lsc::Atomic {
                port: LscPort::Slm,
                op: AtomicOp::Add,
                address: LscAddress::Flat { offset: 0 },
                address_size: AddressSize::A32,
                data: DataSize::D32,
                returns: true,
                cache: CacheControl::DEFAULT,
            }),
            (lanes as u8, u32::MAX),
            &[same, ones].concat(),
            1,
            1,
        );
        for lane in 0..lanes {
            let got = value(&response[lane * 4..lane * 4 + 4]);
            assert_eq!(got, lane as u64);
        }
        let fence = bench.send(
            Meaning::Lsc(Lsc::Fence {
                port: LscPort::Slm,
                scope: FenceScope::Group,
                flush: FlushOp::None,
                to_lsc: false,
            }),
            (1, 1),
            &vec![0; grf],
            1,
            1,
        );
        assert_eq!(fence, vec![0; grf]);
    }
}

/// The vISA documentation's LOAD_BLOCK2D, statement by statement.
fn documented_block2d(
    memory: &dyn Fn(i64, i64) -> u64,
    grf: usize,
    bytes: usize,
    layout: Block2d,
    (x0, y0): (i64, i64),
    (width, height, blocks): (usize, usize, usize),
) -> Vec<u8> {
    let (transpose, transform) = (layout.transpose, layout.vnni);
    let elements_dword = 4 / bytes;
    let elements_register = grf / bytes;
    let row_size = if transpose { height } else { width };
    let row_pitch = row_size.next_power_of_two();
    let block_size = row_pitch * if transpose { width } else { height };
    let block_pitch = block_size.next_multiple_of(elements_register);
    let mut registers = vec![0u64; blocks * block_pitch];
    let element = |b: usize, y: usize, x: usize| memory(x0 + (b * width + x) as i64, y0 + y as i64);
    for b in 0..blocks {
        let base = b * block_pitch;
        if !transpose && !transform {
            for y in 0..height {
                for x in 0..width {
                    registers[base + y * row_pitch + x] = element(b, y, x);
                }
            }
        } else if !transpose {
            for y in (0..height).step_by(elements_dword) {
                for x in 0..width {
                    for i in 0..elements_dword {
                        registers[base + y * row_pitch + x * elements_dword + i] =
                            element(b, y + i, x);
                    }
                }
            }
        } else if !transform {
            for x in 0..width {
                for y in 0..height {
                    registers[base + x * row_pitch + y] = element(b, y, x);
                }
            }
        } else {
            for x in (0..width).step_by(elements_dword) {
                for y in 0..height {
                    for i in 0..elements_dword {
                        registers[base + x * row_pitch + y * elements_dword + i] =
                            element(b, y, x + i);
                    }
                }
            }
        }
    }
    registers
        .iter()
        .flat_map(|value| value.to_le_bytes()[..bytes].to_vec())
        .collect()
}

#[test]
fn two_dimensional_blocks_follow_the_documentation() {
    let mut random = Random::new(53);
    let cases = [
        (DataSize::D8, 1, false, false),
        (DataSize::D16, 2, false, false),
        (DataSize::D32, 4, false, false),
        (DataSize::D64, 8, false, false),
        (DataSize::D32, 4, true, false),
        (DataSize::D64, 8, true, false),
        (DataSize::D8, 1, false, true),
        (DataSize::D16, 2, false, true),
    ];
    for family in [Family::XeHpc, Family::Xe2] {
        let grf = family.grf_bytes();
        let bench = Bench::new(family);
        let memory = bench.scramble(&mut random);
        // A surface of 100 rows of 120 bytes, 128 apart.
        let (row_bytes, rows, pitch) = (120u32, 100u32, 128u32);
        for round in 0..200 {
            let (data, bytes, transpose, vnni) = cases[round % cases.len()];
            let layout = Block2d { transpose, vnni };
            let width = [4usize, 8, 16][random.below(3) as usize] / bytes.min(2);
            let height = [4usize, 8, 16][random.below(3) as usize];
            let blocks = 1 + random.below(2) as usize;
            let x = random.below(140 / bytes as u64) as i32 - 4;
            let y = random.below(110) as i32 - 4;
            let immediate: [i16; 2] = if span!(Xe2..).contains(family) {
                [2, -3]
            } else {
                [0; 2]
            };
            let mut payload = vec![0u8; grf];
            let mut put = |index: usize, value: u32| {
                payload[index * 4..index * 4 + 4].copy_from_slice(&value.to_le_bytes());
            };
            put(0, MEMORY as u32);
            put(1, (MEMORY >> 32) as u32);
            put(2, row_bytes - 1);
            put(3, rows - 1);
            put(4, pitch - 1);
            put(5, x as u32);
            put(6, y as u32);
            put(
                7,
                (width as u32 - 1) | (height as u32 - 1) << 8 | (blocks as u32 - 1) << 16,
            );
            let fetch = |x: i64, y: i64| {
                let at = x * bytes as i64;
                if x < 0 || y < 0 || at + bytes as i64 > i64::from(row_bytes) || y >= rows.into() {
                    return 0;
                }
                let from = (y * i64::from(pitch) + at) as usize;
                value(&memory[from..from + bytes])
            };
            let want = documented_block2d(
                &fetch,
                grf,
                bytes,
                layout,
                (
                    i64::from(x) + i64::from(immediate[0]),
                    i64::from(y) + i64::from(immediate[1]),
                ),
                (width, height, blocks),
            );
            if want.len() > 31 * grf {
                continue;
            }
            let got = bench.send(
                Meaning::Lsc(Lsc::Block2d {
                    port: LscPort::Ugm,
                    direction: Direction::Read,
                    address: LscAddress::Flat { offset: 0 },
                    data,
                    layout,
                    offset: immediate,
                    cache: CacheControl::DEFAULT,
                }),
                (1, 1),
                &payload,
                1,
                want.len() / grf,
            );
            assert_eq!(
                got, want,
                "{family} {data:?} {layout:?} {width}x{height}x{blocks}"
            );
        }
    }
}

#[test]
fn two_dimensional_stores_keep_to_the_surface() {
    let bench = Bench::new(Family::XeHpc);
    let mut payload = vec![0u8; 64];
    for (index, value) in [
        (0, (MEMORY + 0x1000) as u32),
        (2, 31),
        (3, 3),
        (4, 63),
        (5, 6),
        (6, 2),
        (7, 3 | 3 << 8),
    ] {
        payload[index * 4..index * 4 + 4].copy_from_slice(&value.to_le_bytes());
    }
    payload.extend((1..=16u32).flat_map(u32::to_le_bytes));
    bench.send(
        Meaning::Lsc(Lsc::Block2d {
            port: LscPort::Ugm,
            direction: Direction::Write,
            address: LscAddress::Flat { offset: 0 },
            data: DataSize::D32,
            layout: Block2d::default(),
            offset: [0; 2],
            cache: CacheControl::DEFAULT,
        }),
        (1, 1),
        &payload,
        1,
        0,
    );
    let memory = bench.read(MEMORY + 0x1000, 64 * 6);
    for (index, dword) in memory.chunks(4).enumerate() {
        let (x, y) = (index % 16, index / 16);
        let want = match (x, y) {
            (6..=7, 2..=3) => (y - 2) * 4 + (x - 6) + 1,
            _ => 0,
        };
        assert_eq!(value(dword), want as u64, "{x},{y}");
    }
}

/// The limits of `cl_intel_subgroup_2d_block_io`, a dword of the payload at a time.
#[test]
fn payloads_of_two_dimensional_blocks_keep_to_what_hardware_takes() {
    let bench = Bench::new(Family::Xe2);
    let right = [
        (MEMORY + 0x1000) as u32,
        (MEMORY >> 32) as u32,
        63,
        3,
        63,
        4,
        0,
        3 | 3 << 8,
    ];
    let found = |(index, value): (usize, u32), direction| -> Vec<Rule> {
        let mut dwords = right;
        dwords[index] = value;
        let mut payload = pad(dwords.into_iter().flat_map(u32::to_le_bytes).collect(), 64);
        let stores = direction == Direction::Write;
        payload.resize(if stores { 128 } else { 64 }, 0);
        let meaning = Lsc::Block2d {
            port: LscPort::Ugm,
            direction,
            address: LscAddress::Flat { offset: 0 },
            data: DataSize::D16,
            layout: Block2d::default(),
            offset: [0; 2],
            cache: CacheControl::DEFAULT,
        };
        let registers = usize::from(!stores);
        bench.send(Meaning::Lsc(meaning), (1, 1), &payload, 1, registers);
        let found = bench.checks.take();
        found.iter().map(|violation| violation.rule).collect()
    };
    let state = [Rule::SurfaceState];
    for (direction, misaligned) in [
        (Direction::Read, Rule::BlockReadAlignment),
        (Direction::Write, Rule::BlockWriteAlignment),
    ] {
        assert_eq!(found((0, right[0]), direction), []);
        assert_eq!(found((0, right[0] + 32), direction), state);
        // Rows of 62 bytes; rows that begin every 72 and every 32.
        assert_eq!(found((2, 61), direction), state);
        assert_eq!(found((4, 71), direction), state);
        assert_eq!(found((4, 31), direction), state);
        assert_eq!(found((5, 5), direction), [misaligned]);
        assert_eq!(found((5, 6), direction), []);
    }
}

#[test]
fn scratch_surfaces_belong_to_threads() {
    for family in FAMILIES {
        let bench = Bench::new(family);
        let state = rss::state(family)
            .set(rss::SURFACE_TYPE, 6u64)
            .set(rss::SURFACE_FORMAT, SurfaceFormat::RAW)
            .set(rss::WIDTH, 0x7fu64)
            .set(rss::HEIGHT, 3u64)
            .set(rss::SURFACE_PITCH, 1023u64)
            .set(rss::SURFACE_BASE_ADDRESS, MEMORY)
            .finish()
            .expect("in range");
        bench.bind(5, &state);
        let grf = family.grf_bytes();
        // Thread 0's part ends at 1024 bytes.
        for (offset, stored) in [(64u32, true), (1020, true), (1024, false)] {
            let payload = [
                pad(offset.to_le_bytes().to_vec(), grf),
                pad(0x1234_5678u32.to_le_bytes().to_vec(), grf),
            ]
            .concat();
            bench.send(
                Meaning::Lsc(Lsc::Vector {
                    port: LscPort::Ugm,
                    direction: Direction::Write,
                    address: LscAddress::Ss {
                        state: 5 * 64,
                        offset: 0,
                    },
                    address_size: AddressSize::A32,
                    data: DataSize::D32,
                    elements: 1,
                    transpose: true,
                    strided: false,
                    cache: CacheControl::DEFAULT,
                }),
                (1, 1),
                &payload,
                1,
                0,
            );
            let got = value(&bench.read(MEMORY + u64::from(offset), 4));
            assert_eq!(got == 0x1234_5678, stored, "{family} at {offset}");
        }
    }
}

#[test]
fn typed_quads_reach_texels() {
    for family in FAMILIES {
        let grf = family.grf_bytes();
        let lanes = grf / 4;
        let bench = Bench::new(family);
        let state = rss::state(family)
            .set(rss::SURFACE_TYPE, 1u64)
            .set(rss::SURFACE_FORMAT, SurfaceFormat::R8G8B8A8_UNORM)
            .set(rss::WIDTH, 15u64)
            .set(rss::HEIGHT, 7u64)
            .set(rss::SURFACE_PITCH, 127u64)
            // Tile4.
            .set(rss::TILE_MODE, 3u64)
            .set(rss::SURFACE_BASE_ADDRESS, MEMORY)
            .finish()
            .expect("in range");
        bench.bind(5, &state);
        let plane = |value: &dyn Fn(u32) -> u32| -> Vec<u8> {
            (0..lanes as u32)
                .flat_map(|lane| value(lane).to_le_bytes())
                .collect()
        };
        let mut payload = plane(&|lane| lane % 4);
        payload.extend(plane(&|lane| 4 + lane / 4 % 4));
        for component in 0..4u32 {
            payload.extend(plane(&|lane| {
                (((lane + component) % 256) as f32 / 255.0).to_bits()
            }));
        }
        let quad = |direction, payload: &[u8], response| {
            bench.send(
                Meaning::Lsc(Lsc::Quad {
                    port: LscPort::Tgm,
                    direction,
                    address: LscAddress::Bti {
                        index: 5,
                        offset: 0,
                    },
                    address_size: AddressSize::A32,
                    data: DataSize::D32,
                    components: 0xf,
                    cache: CacheControl::DEFAULT,
                }),
                (lanes as u8, u32::MAX),
                payload,
                2,
                response,
            )
        };
        quad(Direction::Write, &payload, 0);
        // Rows 4 to 7 of a Tile4's first 16 bytes begin at 256.
        let memory = bench.read(MEMORY + 256, lanes * 4);
        for lane in 0..lanes {
            let want: Vec<u8> = (0..4).map(|c| (lane + c) as u8).collect();
            assert_eq!(memory[lane * 4..lane * 4 + 4], want, "{family} lane {lane}");
        }
        assert_eq!(
            quad(Direction::Read, &payload[..2 * grf], 4),
            payload[2 * grf..]
        );
    }
}
