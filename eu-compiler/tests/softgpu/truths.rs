//! Truth values of several others: in the flag, in registers, the same in all lanes or not.

use crate::common::{Run, Value, check, numbers};
use crate::{buffer, bytes};

const TRUTHS: &[u8] = include_bytes!("../kernels/truths.spv");
const ITEMS: usize = 128;

fn together(which: u32, [a, b, c, d]: [bool; 4]) -> bool {
    match which {
        0 => a & b,
        1 => a | b,
        2 => a & b & c & d,
        3 => a | b | c | d,
        4 => a & b | c & d,
        5 => (a | b) & (c | d),
        6 => a & (b | c & d),
        7 => a | b & (c | d),
        8 => (a & b | c) & d,
        9 => ((a | b) & c) | d,
        10 => a & ((b | c) & d),
        11 => a | (b & c | d),
        12 => !(a & b) | !c & d,
        13 => !(a | !b & (c | !d)),
        14 => a ^ b & c ^ d,
        _ => !a & !(b & !(c | d)),
    }
}

/// What a work-item stores.
fn stored(which: u32, x: u32, number: u32) -> [u32; 2] {
    let low = x & 0xff;
    let float = f32::from_bits(x) < 1.0;
    let lanes = together(which, [x & 0x10 != 0, low < 100, x >> 8 & 1 != 0, float]);
    let one_of = (x | number) == 5;
    let mixed = together(which, [low != 7, number & 2 != 0, one_of, number > 4]);
    let same = together(
        which,
        [number & 1 != 0, number < 6, number & 4 != 0, number != 3],
    );
    let mut sum = match lanes {
        true => 100u32.wrapping_sub(x),
        false => x.wrapping_sub(3),
    };
    if same {
        sum = sum.wrapping_mul(5).wrapping_add(u32::from(x == 9));
    }
    let factor = if mixed { 1 } else { 7 };
    let first = sum.wrapping_mul(factor).wrapping_add(u32::from(lanes));
    [
        first.wrapping_add(u32::from(same && !lanes)),
        if mixed { lanes.into() } else { 0 },
    ]
}

#[test]
fn truth_values_of_others_are_those_of_the_source() {
    let mut input: Vec<u32> = numbers(ITEMS, 5).iter().map(|n| *n as u32).collect();
    // Small ones, too.
    input.iter_mut().step_by(3).for_each(|x| *x &= 0x1ff);
    input.iter_mut().step_by(7).for_each(|x| *x &= 7);
    for which in 0..16u32 {
        for number in [1, 2, 5, 7u32] {
            let want: Vec<u32> = input
                .iter()
                .flat_map(|x| stored(which, *x, number))
                .collect();
            let kernel = format!("truths_{which}");
            let what = Run {
                spirv: TRUTHS,
                kernel: &kernel,
                simd: None,
                global: &[ITEMS as u64],
                local: None,
                args: vec![
                    buffer!(input),
                    Value::Buffer(vec![0; 8 * ITEMS]),
                    Value::Bytes(number.to_le_bytes().to_vec()),
                ],
            };
            check(&what, &[bytes!(input), bytes!(want)]);
        }
    }
}
