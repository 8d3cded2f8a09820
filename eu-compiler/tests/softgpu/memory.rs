//! Private memory, and 64 bits where hardware has 32.

use crate::common::{Run, Value, check, numbers};
use crate::{buffer, bytes};

const MEMORY: &[u8] = include_bytes!("../kernels/memory.spv");

fn memory<'a>(kernel: &'a str, global: &'a [u64], args: Vec<Value>) -> Run<'a> {
    Run {
        spirv: MEMORY,
        kernel,
        simd: None,
        global,
        local: None,
        args,
    }
}

#[test]
fn private_arrays_are_indexed() {
    let input = numbers(8 * 80, 7);
    let want: Vec<i32> = (0..80)
        .map(|i| {
            let mut histogram: Vec<i32> = (0..16).collect();
            for k in 0..8 {
                histogram[(input[8 * i + k] & 15) as usize] += k as i32 + 1;
            }
            let sum = histogram
                .iter()
                .fold(0i32, |s, h| s.wrapping_mul(3).wrapping_add(*h));
            let x = input[i];
            sum.wrapping_add(histogram[(x & 3) as usize] ^ x)
                .wrapping_add((x >> 2) & 3)
        })
        .collect();
    let args = vec![buffer!([0i32; 80]), buffer!(input)];
    check(&memory("private_array", &[80], args), &[bytes!(want)]);
}

#[test]
fn quotients_and_conversions_of_64_bits() {
    let pairs = |seed, shift: i64| -> Vec<i64> {
        let (low, high) = (numbers(64, seed), numbers(64, seed + 7));
        let pairs = low.iter().zip(&high).enumerate();
        pairs
            .map(|(n, (l, h))| {
                let wide = i64::from(*h) << 32 | i64::from(*l as u32);
                wide >> (n as i64 * shift % 50)
            })
            .collect()
    };
    let (a, b) = (pairs(1, 0), pairs(3, 7));
    let floats: Vec<f32> = (0..64)
        .flat_map(|i| [(i as f32 - 30.0) * 1.37 * 10f32.powi(i % 21), 0.0, 0.0])
        .collect();
    let mut want: Vec<i64> = Vec::new();
    let mut want_floats = floats.clone();
    for (i, (&x, &y)) in a.iter().zip(&b).enumerate() {
        let y = y | 1;
        let d = if y == -1 { 3 } else { y };
        want.extend([
            x / d,
            x % d,
            (x as u64 / y as u64) as i64,
            floats[3 * i] as i64,
        ]);
        want_floats[3 * i + 1] = x as f32;
        want_floats[3 * i + 2] = x as u64 as f32;
    }
    let args = vec![
        buffer!([0i64; 256]),
        buffer!(a),
        buffer!(b),
        buffer!(floats),
    ];
    let expected = [bytes!(want), bytes!(a), bytes!(b), bytes!(want_floats)];
    check(&memory("wide", &[64], args), &expected);
}

#[test]
fn constants_of_the_program_are_read() {
    let input = numbers(64, 3);
    let table = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8];
    let want: Vec<f32> = input
        .iter()
        .map(|x| {
            let [y, w] = if x & 1 == 0 { [2.0, 4.0] } else { [0.25, 16.0] };
            table[(*x as u32 % 12) as usize] as f32 * y + w
        })
        .collect();
    let args = vec![buffer!([0f32; 64]), buffer!(input)];
    check(&memory("lookup", &[64], args), &[bytes!(want)]);
}

#[test]
fn components_are_shuffled_and_sums_saturated() {
    let input = numbers(4 * 40, 9);
    let mut want: Vec<i32> = Vec::new();
    for x in input.chunks_exact(4) {
        let both: Vec<i32> = x
            .iter()
            .copied()
            .chain(x.iter().map(|x| x.wrapping_mul(2)))
            .collect();
        let sum = i64::from(x[0]) * i64::from(x[1]) + i64::from(x[2]);
        want.extend([
            both[(x[0] & 7) as usize],
            both[(x[1] & 7) as usize],
            both[6],
            both[1],
            sum.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32,
            x[3].wrapping_add(9),
        ]);
    }
    let args = vec![
        buffer!(vec![0i32; want.len()]),
        buffer!(input),
        Value::Bytes(3f32.to_le_bytes().to_vec()),
    ];
    check(&memory("components", &[40], args), &[bytes!(want)]);
}

#[test]
fn conversions_of_integers_saturate() {
    let input = numbers(64, 5);
    let mut want: Vec<i32> = Vec::new();
    for &x in &input {
        let y = x as u32;
        let square = i64::from(x) * i64::from(x);
        want.extend([
            x.clamp(-128, 127),
            x.clamp(0, 255),
            y.min(127) as i32,
            y.min(65535) as i32,
            x.clamp(-32768, 32767),
            y.min(i32::MAX as u32) as i32,
            x.max(0),
            square.min(i64::from(i32::MAX)) as i32,
        ]);
    }
    let args = vec![buffer!(vec![0i32; want.len()]), buffer!(input)];
    check(&memory("saturated", &[64], args), &[bytes!(want)]);
}
