//! Sub-groups: ids, reductions, scans, shuffles and blocks, on every platform.

use crate::common::{Run, check, numbers};
use crate::{buffer, bytes};

const GROUPS: &[u8] = include_bytes!("../kernels/groups.spv");

#[test]
fn lanes_exchange_reduce_and_scan() {
    let count = 144;
    let input: Vec<i32> = numbers(count, 5).iter().map(|x| x >> 8).collect();
    // Groups of 72 work-items: four whole sub-groups and one of eight.
    let mut want = Vec::new();
    for group in input.chunks(72) {
        for (number, lanes) in group.chunks(16).enumerate() {
            let n = lanes.len();
            let sum = |list: &[i32]| list.iter().fold(0i32, |a, b| a.wrapping_add(*b));
            let odd: Vec<i32> = lanes.iter().copied().filter(|x| x & 1 != 0).collect();
            for (lane, &x) in lanes.iter().enumerate() {
                let at = |index: usize| lanes.get(index).copied();
                let unsigned = lanes.iter().map(|x| *x as u32).max().unwrap() as i32;
                want.extend([
                    Some(n as i32 | 16 << 8),
                    Some(lane as i32 | (number as i32) << 8 | 5 << 16),
                    Some(sum(lanes)),
                    Some(lanes.iter().min().unwrap() ^ unsigned),
                    Some(sum(&lanes[..=lane])),
                    Some(sum(&lanes[..lane])),
                    lanes[..=lane].iter().copied().max(),
                    at(3),
                    Some(
                        i32::from(lanes.iter().any(|x| *x > 100))
                            | i32::from(lanes.iter().all(|x| *x > -100)) << 1,
                    ),
                    at((lane * 7 + 3) & 15),
                    at(lane ^ 5),
                    if lane + 3 < 16 {
                        at(lane + 3)
                    } else {
                        at(lane + 3 - 16).map(|x| x * 2)
                    },
                    if lane >= 3 {
                        at(lane - 3).map(|x| x * 2)
                    } else {
                        at(lane + 13)
                    },
                    Some(if x & 1 != 0 { sum(&odd) } else { 0 }),
                    lanes.iter().copied().max(),
                    Some(lanes[..=lane].iter().map(|x| i64::from(*x)).sum::<i64>() as i32),
                ]);
            }
        }
    }
    for platform in crate::common::PLATFORMS {
        let run = Run {
            spirv: GROUPS,
            kernel: "sub_groups",
            simd: None,
            global: &[count as u64],
            local: Some(&[72]),
            args: vec![buffer!(vec![0i32; 16 * count]), buffer!(input)],
        };
        let out = crate::common::run(platform, &run).unwrap();
        for (index, (have, want)) in out[0].chunks_exact(4).zip(&want).enumerate() {
            // What a lane that does not run has is not defined.
            let Some(want) = want else { continue };
            let have = i32::from_le_bytes(have.try_into().unwrap());
            assert_eq!(
                have,
                *want,
                "{platform}: work-item {}, {}",
                index / 16,
                index % 16
            );
        }
    }
}

#[test]
fn lanes_keep_what_all_had_in_their_last_round() {
    let input: Vec<u32> = numbers(48, 9).iter().map(|x| *x as u32 % 12).collect();
    let mut want = Vec::new();
    for lanes in input.chunks(16) {
        for count in lanes {
            let still = lanes
                .iter()
                .enumerate()
                .filter(|(_, other)| *other >= count);
            let mask = still.fold(0u32, |mask, (lane, _)| mask | 1 << lane);
            want.extend([
                mask,
                !mask & (count | 0xff0),
                (-((mask & 0xff) as f32) * *count as f32).to_bits(),
                input[((mask * 7) & 15) as usize],
            ]);
        }
    }
    let what = Run {
        spirv: GROUPS,
        kernel: "last_rounds",
        simd: None,
        global: &[48],
        local: Some(&[16]),
        args: vec![buffer!(vec![0u32; 4 * 48]), buffer!(input)],
    };
    check(&what, &[bytes!(want)]);
}

#[test]
fn blocks_are_read_and_written() {
    let input: Vec<u32> = numbers(256, 2).iter().map(|x| *x as u32).collect();
    let words: Vec<u16> = numbers(256, 3).iter().map(|x| *x as u16).collect();
    let mut want = vec![0u32; 256];
    let mut want_words = vec![0u16; 256];
    for group in [0, 128] {
        for i in group..group + 64 {
            want[i] = input[i].wrapping_mul(3);
        }
        for i in group..group + 32 {
            want_words[i] = words[i].wrapping_add(1);
        }
    }
    let run = Run {
        spirv: GROUPS,
        kernel: "blocks",
        simd: None,
        global: &[32],
        local: Some(&[16]),
        args: vec![
            buffer!(vec![0u32; 256]),
            buffer!(input),
            buffer!(words),
            buffer!(vec![0u16; 256]),
        ],
    };
    check(
        &run,
        &[
            bytes!(want),
            bytes!(input),
            bytes!(words),
            bytes!(want_words),
        ],
    );
}
