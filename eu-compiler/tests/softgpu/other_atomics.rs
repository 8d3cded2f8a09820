//! Atomic operations that some or all platforms only have by others: of 64 bits on local memory, and
//! of halves.

use half::f16;

use crate::common::{PLATFORMS, Run, Value, run};
use crate::{buffer, bytes};

const ITEMS: usize = 96;
const GROUP: usize = 48;

fn longs(bytes: &[u8]) -> Vec<u64> {
    let words = bytes.as_chunks::<8>().0;
    words.iter().map(|word| u64::from_le_bytes(*word)).collect()
}

#[test]
fn longs_in_local_memory() {
    let spirv = include_bytes!("../kernels/local_atomics_64.spv");
    let input: Vec<u64> = (0..ITEMS as u64)
        .map(|i| (i + 3).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ i << 40)
        .collect();
    let mut want = Vec::new();
    for group in input.chunks(GROUP) {
        let some = || group.iter().skip(1).step_by(3).copied();
        let sum = |of: &mut dyn Iterator<Item = u64>| of.fold(0, u64::wrapping_add);
        let mut all = vec![sum(&mut group.iter().copied())];
        all.extend(group.iter().max());
        all.extend(group.iter().min());
        let signed = group.iter().map(|x| *x as i64);
        all.extend(signed.min().map(|x| x as u64));
        all.push(group.iter().fold(u64::MAX, |a, x| a & x));
        all.push(some().fold(0, |a, x| a | x));
        all.push(some().fold(0, |a, x| a ^ x));
        all.push(sum(&mut group.iter().map(|x| x >> 7)));
        all.push(GROUP as u64);
        all.push(0);
        all.push(7u64.wrapping_sub(sum(&mut some())));
        want.push(all);
    }
    let mut ran = 0;
    for platform in PLATFORMS {
        for simd in [None, Some(16)] {
            let what = Run {
                spirv,
                kernel: "all_of_them",
                simd,
                global: &[ITEMS as u64],
                local: Some(&[GROUP as u32]),
                args: vec![
                    buffer!(input),
                    Value::Buffer(vec![0; 22 * 8]),
                    Value::Buffer(vec![0; 16 * ITEMS]),
                    Value::Local(8),
                ],
            };
            let out = run(platform, &what).unwrap();
            let (cells, old) = (longs(&out[1]), longs(&out[2]));
            for (index, group) in want.iter().enumerate() {
                let mut have = cells[index * 11..][..11].to_vec();
                let of = &input[index * GROUP..][..GROUP];
                // Each took a value that another left, and the last one's stays.
                let mut left: Vec<u64> = old[2 * index * GROUP..][..2 * GROUP]
                    .iter()
                    .skip(1)
                    .step_by(2)
                    .copied()
                    .collect();
                left.push(std::mem::take(&mut have[9]));
                let mut given = vec![0];
                given.extend(of);
                left.sort_unstable();
                given.sort_unstable();
                assert_eq!(left, given, "{platform}");
                assert_eq!(&have, group, "{platform}");
                let mut numbers: Vec<u64> = old[2 * index * GROUP..][..2 * GROUP]
                    .iter()
                    .step_by(2)
                    .copied()
                    .collect();
                numbers.sort_unstable();
                assert!(numbers.into_iter().eq(0..GROUP as u64), "{platform}");
            }
            ran += 1;
        }
    }
    assert_eq!(ran, 2 * PLATFORMS.len());
}

#[test]
fn longs_behind_any_pointer() {
    let spirv = include_bytes!("../kernels/generic_atomics_64.spv");
    for platform in PLATFORMS {
        let what = Run {
            spirv,
            kernel: "on_generic",
            simd: None,
            global: &[64],
            local: Some(&[64]),
            args: vec![Value::Buffer(vec![0; 16]), Value::Local(8)],
        };
        let out = longs(&run(platform, &what).unwrap()[0]);
        let sum = |odd: u64| 32 << 32 | (0..64).filter(|i| i & 1 == odd).sum::<u64>();
        assert_eq!(out, [sum(1), sum(0)], "{platform}");
    }
}

#[test]
fn halves() {
    let spirv = include_bytes!("../kernels/half_atomics.spv");
    let input: Vec<f16> = (0..ITEMS)
        .map(|i| f16::from_f32(((i * 37) % 41) as f32 - 20.0))
        .collect();
    let before: Vec<f16> = (0..8 + ITEMS)
        .map(|i| f16::from_f32(i as f32 * 0.5))
        .collect();
    let mut cells = before.clone();
    let mut old = Vec::new();
    for (g, x) in input.iter().enumerate() {
        // Small integers and halves of them: the order of the sums does not matter.
        cells[g & 3] += *x;
        cells[4] = cells[4].min(*x);
        cells[8 + g] = *x;
        let group = &input[g / GROUP * GROUP..][..GROUP];
        let beside = group.iter().skip(g & 1).step_by(2).copied();
        old.push(beside.fold(input[0], f16::max));
        old.push(before[8 + g]);
    }
    for platform in PLATFORMS {
        let what = Run {
            spirv,
            kernel: "halves",
            simd: None,
            global: &[ITEMS as u64],
            local: Some(&[GROUP as u32]),
            args: vec![
                buffer!(input),
                buffer!(before),
                Value::Buffer(vec![0; 4 * ITEMS]),
            ],
        };
        let out = run(platform, &what).unwrap();
        assert_eq!(out[1], bytes!(cells), "{platform}");
        assert_eq!(out[2], bytes!(old), "{platform}");
    }
}
