//! Sub-groups of every width and element type, whole and partial, and blocks of every shape.

use crate::common::{PLATFORMS, Run, numbers, run};
use crate::{buffer, bytes};

const TYPES: &[u8] = include_bytes!("../kernels/types.spv");

/// The widths of a platform.
fn widths(platform: &str) -> Vec<u32> {
    let platform = devinfo::by_name(platform).unwrap();
    platform.simd_widths.iter().map(|w| u32::from(*w)).collect()
}

/// The results for each lane, none where they are not defined.
fn expected<T: Copy>(
    lanes: &[T],
    add: impl Fn(T, T) -> T,
    less: impl Fn(T, T) -> bool,
    [zero, least]: [T; 2],
) -> Vec<Option<T>> {
    let sum = |list: &[T]| list.iter().fold(zero, |a, b| add(a, *b));
    let min = |list: &[T]| {
        list.iter()
            .copied()
            .reduce(|a, b| if less(b, a) { b } else { a })
    };
    let max = |list: &[T]| {
        list.iter()
            .copied()
            .reduce(|a, b| if less(a, b) { b } else { a })
    };
    let mut out = Vec::new();
    for lane in 0..lanes.len() {
        out.extend([
            Some(sum(lanes)),
            min(lanes),
            max(lanes),
            Some(sum(&lanes[..=lane])),
            Some(sum(&lanes[..lane])),
            min(&lanes[..=lane]),
            Some(max(&lanes[..lane]).unwrap_or(least)),
            lanes.get(2).copied(),
            lanes.get(lane ^ 3).copied(),
            lanes.get(lane ^ 1).copied(),
        ]);
    }
    out
}

macro_rules! groups {
    ($($name:ident $ty:ty, $kernel:literal, $add:expr, $zero:expr, $least:expr, $from:expr;)*) => {$(
        #[test]
        fn $name() {
            let count = 120;
            // Groups of 60 work-items, so that the last sub-group is partial. It has whole fours of
            // lanes: no shuffle asks one that is not there.
            let convert: fn(i32) -> $ty = $from;
            let input: Vec<$ty> = numbers(count, 11).into_iter().map(convert).collect();
            let mut wrong = Vec::new();
            for platform in PLATFORMS {
                for simd in widths(platform) {
                    let out = run(platform, &Run {
                        spirv: TYPES,
                        kernel: $kernel,
                        simd: Some(simd),
                        global: &[count as u64],
                        local: Some(&[60]),
                        args: vec![buffer!(vec![convert(0); 10 * count]), buffer!(input)],
                    });
                    let out = match out {
                        Ok(out) => out,
                        Err(why) => {
                            wrong.push(format!("SIMD{simd}: {why}"));
                            continue;
                        }
                    };
                    let mut want = Vec::new();
                    for group in input.chunks(60) {
                        for lanes in group.chunks(simd as usize) {
                            let add: fn($ty, $ty) -> $ty = $add;
                            want.extend(expected(lanes, add, |a, b| a < b, [$zero, $least]));
                        }
                    }
                    let size = size_of::<$ty>();
                    for (index, (have, want)) in out[0].chunks_exact(size).zip(&want).enumerate() {
                        let Some(want) = want else { continue };
                        if have != want.to_le_bytes() {
                            wrong.push(format!("{platform} SIMD{simd}: item {}, {}: {have:x?}, not {want:?}", index / 10, index % 10));
                            break;
                        }
                    }
                }
            }
            assert!(wrong.is_empty(), "{wrong:#?}");
        }
    )*};
}

groups! {
    int_lanes i32, "group_i32", |a, b| a.wrapping_add(b), 0, i32::MIN, |x| x;
    uint_lanes u32, "group_u32", |a, b| a.wrapping_add(b), 0, 0, |x| x as u32;
    long_lanes i64, "group_i64", |a, b| a.wrapping_add(b), 0, i64::MIN, |x| i64::from(x) << 29 ^ 77;
    ulong_lanes u64, "group_u64", |a, b| a.wrapping_add(b), 0, 0, |x| (i64::from(x) << 27) as u64;
    float_lanes f32, "group_f32", |a, b| a + b, 0.0, f32::NEG_INFINITY, |x| (x >> 20) as f32 + 0.5;
    half_lanes half::f16, "group_f16", |a, b| half::f16::from_f32(a.to_f32() + b.to_f32()),
        half::f16::ZERO, half::f16::NEG_INFINITY, |x| half::f16::from_f32((x >> 27) as f32 + 0.5);
    short_lanes i16, "group_i16", |a, b| a.wrapping_add(b), 0, i16::MIN, |x| (x >> 7) as i16;
    ushort_lanes u16, "group_u16", |a, b| a.wrapping_add(b), 0, 0, |x| (x >> 7) as u16;
    char_lanes i8, "group_i8", |a, b| a.wrapping_add(b), 0, i8::MIN, |x| (x >> 11) as i8;
    uchar_lanes u8, "group_u8", |a, b| a.wrapping_add(b), 0, 0, |x| (x >> 11) as u8;
}

/// The shapes of blocks: names, bytes of an element, elements of a lane.
const BLOCKS: &[(&str, usize, usize)] = &[
    ("block_u8_1", 1, 1),
    ("block_u8_2", 1, 2),
    ("block_u8_4", 1, 4),
    ("block_u8_8", 1, 8),
    ("block_u8_16", 1, 16),
    ("block_u16_1", 2, 1),
    ("block_u16_2", 2, 2),
    ("block_u16_4", 2, 4),
    ("block_u16_8", 2, 8),
    ("block_u32_1", 4, 1),
    ("block_u32_2", 4, 2),
    ("block_u32_4", 4, 4),
    ("block_u32_8", 4, 8),
    ("block_u64_1", 8, 1),
    ("block_u64_2", 8, 2),
    ("block_u64_4", 8, 4),
    ("block_u64_8", 8, 8),
];

#[test]
fn blocks_of_every_shape() {
    let mut wrong = Vec::new();
    let mut cells = 0;
    for platform in PLATFORMS {
        for simd in widths(platform) {
            for (kernel, bytes, elements) in BLOCKS {
                let size = bytes * elements * simd as usize * 3;
                let input = bytes!(numbers(size.div_ceil(4), 13));
                let input = input[..size].to_vec();
                let out = run(
                    platform,
                    &Run {
                        spirv: TYPES,
                        kernel,
                        simd: Some(simd),
                        global: &[3 * u64::from(simd)],
                        local: Some(&[simd]),
                        args: vec![buffer!(vec![0u8; size]), buffer!(input)],
                    },
                );
                match out {
                    Err(why) => wrong.push(format!("{kernel} SIMD{simd}: {why}")),
                    Ok(out) if out[0] != input => {
                        wrong.push(format!("{platform} {kernel} SIMD{simd} is wrong"));
                    }
                    Ok(_) => cells += 1,
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{cells} are right; {wrong:#?}");
    // Seventeen shapes at three widths to mtl, at two later.
    assert_eq!(cells, 17 * (7 * 3 + 4 * 2));
}
