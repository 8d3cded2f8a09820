//! Loops with several entries.

use crate::common::{Run, check, numbers};
use crate::{buffer, bytes};

const IRREDUCIBLE: &[u8] = include_bytes!("../kernels/irreducible.spv");

fn run(kernel: &str, want: impl Fn(u32) -> [u32; 2]) {
    let input: Vec<u32> = numbers(150, 3).into_iter().map(|n| n as u32).collect();
    let wants: Vec<u32> = input.iter().flat_map(|n| want(*n)).collect();
    let what = Run {
        spirv: IRREDUCIBLE,
        kernel,
        simd: None,
        global: &[150],
        local: Some(&[50]),
        args: vec![buffer!(vec![0u32; 300]), buffer!(input)],
    };
    check(&what, &[bytes!(wants)]);
}

#[test]
fn two_entries() {
    run("two_entries", |first| {
        let (mut n, mut sum, mut count, mut seen) = (first, 1u32, 0, 0u32);
        let mut at_top = n & 1 == 0;
        loop {
            if at_top {
                sum = sum.wrapping_mul(3).wrapping_add(n);
                if sum & 64 != 0 {
                    seen = sum;
                }
            }
            at_top = true;
            sum ^= n << 2;
            n = n.wrapping_mul(5).wrapping_add(1);
            if sum & 32 != 0 {
                seen = seen.wrapping_add(n);
            }
            count += 1;
            if count >= first >> 1 & 15 {
                return [sum, seen];
            }
        }
    });
}

#[test]
fn a_machine_of_three_states() {
    run("machine", |first| {
        let (mut n, mut sum, mut steps, mut seen) = (first, 0u32, 0, 0u32);
        let mut state = n % 3;
        loop {
            sum = match state {
                0 => sum.wrapping_add(n),
                1 => sum ^ n << 1,
                _ => sum.wrapping_add(n.wrapping_mul(3)),
            };
            steps += 1;
            if steps > 20 {
                return [sum, seen];
            }
            let (factor, offset, count, bit, taken, other) = match state {
                0 => (7u32, 3, 1, 4, 2, 1),
                1 => (3, 1, 16, 8, 0, 2),
                _ => (5, 7, 256, 16, 1, 0),
            };
            n = n.wrapping_mul(factor).wrapping_add(offset);
            seen += count;
            state = if n & bit != 0 { taken } else { other };
        }
    });
}
