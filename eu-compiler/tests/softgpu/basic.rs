//! Arithmetic, memory, flow and local memory, on every platform.

use crate::common::{Run, Value, check, numbers};
use crate::{buffer, bytes};

const BASIC: &[u8] = include_bytes!("../kernels/basic.spv");

fn basic<'a>(kernel: &'a str, global: &'a [u64], args: Vec<Value>) -> Run<'a> {
    Run {
        spirv: BASIC,
        kernel,
        simd: None,
        global,
        local: None,
        args,
    }
}

#[test]
fn vectors_are_added() {
    let (a, b) = (numbers(100, 1), numbers(100, 2));
    let sum: Vec<i32> = a.iter().zip(&b).map(|(a, b)| a.wrapping_add(*b)).collect();
    let args = vec![buffer!(a), buffer!(b), buffer!([0i32; 100])];
    check(
        &basic("vector_add", &[100], args),
        &[bytes!(a), bytes!(b), bytes!(sum)],
    );
}

#[test]
fn every_width_adds_vectors() {
    let (a, b) = (numbers(100, 1), numbers(100, 2));
    let sum: Vec<i32> = a.iter().zip(&b).map(|(a, b)| a.wrapping_add(*b)).collect();
    let args = vec![buffer!(a), buffer!(b), buffer!([0i32; 100])];
    for simd in [8, 16, 32] {
        let platforms: Vec<&str> = crate::common::PLATFORMS
            .iter()
            .copied()
            .filter(|name| devinfo::by_name(name).unwrap().has_simd_width(simd))
            .collect();
        let mut run = basic("vector_add", &[100], args.clone());
        run.simd = Some(simd);
        crate::common::check_on(&platforms, &run, &[bytes!(a), bytes!(b), bytes!(sum)]);
    }
}

#[test]
fn work_items_know_their_ids() {
    let mut want = Vec::new();
    for y in 0..6u32 {
        for x in 0..24u32 {
            want.extend([x, y, x % 8, y % 2, x / 8, y / 2, 8 | 6 << 8 | 3 << 16, 2]);
        }
    }
    let args = vec![buffer!(vec![0u32; want.len()])];
    let mut run = basic("ids", &[24, 6], args);
    run.local = Some(&[8, 2]);
    check(&run, &[bytes!(want)]);
}

#[test]
fn floats_are_multiplied_and_added() {
    let x: Vec<f32> = (0..64).map(|i| i as f32 * 0.5 - 7.0).collect();
    let y: Vec<f32> = (0..64).map(|i| 100.0 - i as f32).collect();
    let want: Vec<f32> = x.iter().zip(&y).map(|(x, y)| 2.0 * x + y).collect();
    let args = vec![
        buffer!(y),
        buffer!(x),
        Value::Bytes(2f32.to_le_bytes().to_vec()),
    ];
    check(&basic("saxpy", &[64], args), &[bytes!(want), bytes!(x)]);
}

#[test]
fn lanes_leave_loops_when_they_are_done() {
    let from: Vec<u32> = (0..200).map(|i| i * 7 + 1).collect();
    let want: Vec<u32> = from
        .iter()
        .map(|&n| {
            let (mut n, mut count) = (n, 0);
            while n > 1 {
                n = if n & 1 != 0 { 3 * n + 1 } else { n >> 1 };
                count += 1;
            }
            count
        })
        .collect();
    let args = vec![buffer!(vec![0u32; 200]), buffer!(from)];
    check(&basic("collatz", &[200], args), &[bytes!(want)]);
}

#[test]
fn loops_nest_break_continue_and_jump_out() {
    let input: Vec<i32> = (0..64).map(|i| (i * 5) % 13).collect();
    let limit = 9;
    let want: Vec<i32> = input
        .iter()
        .map(|&n| {
            let mut sum = 0i32;
            'done: for j in 0..n {
                if j == limit {
                    continue;
                }
                for k in j..limit {
                    if (k ^ n) % 3 == 0 {
                        break;
                    }
                    sum += k * j;
                    match input[k as usize] {
                        0 => sum ^= 5,
                        1 => sum -= 6,
                        2 => sum += 1,
                        _ if sum > 1000 => break 'done,
                        _ => {}
                    }
                }
            }
            sum
        })
        .collect();
    let args = vec![
        buffer!(vec![0i32; 64]),
        buffer!(input),
        Value::Bytes(limit.to_le_bytes().to_vec()),
    ];
    check(&basic("nested", &[64], args), &[bytes!(want)]);
}

#[test]
fn integers_of_64_bits() {
    let pairs = |seed| -> Vec<i64> {
        let (low, high) = (numbers(80, seed), numbers(80, seed + 5));
        let pairs = low.iter().zip(&high);
        pairs
            .map(|(l, h)| i64::from(*h) << 32 | i64::from(*l as u32))
            .collect()
    };
    let (a, b) = (pairs(1), pairs(3));
    let mut want: Vec<i64> = Vec::new();
    for (&x, &y) in a.iter().zip(&b) {
        let by = (y & 63) as u32;
        want.extend([
            x.wrapping_add(y),
            x.wrapping_sub(y),
            x.wrapping_mul(y),
            x << by,
            x >> by,
            (x as u64 >> by) as i64,
            i64::from(x < y)
                | i64::from((x as u64) < y as u64) << 1
                | i64::from(x == y) << 2
                | i64::from(x <= y) << 3,
            x.max(y) ^ (x as u64).min(y as u64) as i64,
        ]);
    }
    let args = vec![buffer!(vec![0i64; want.len()]), buffer!(a), buffer!(b)];
    check(&basic("longs", &[80], args), &[bytes!(want)]);
}

#[test]
fn integers_of_32_bits() {
    let (a, b) = (numbers(96, 4), numbers(96, 9));
    let mut want: Vec<i32> = Vec::new();
    for (&x, &y) in a.iter().zip(&b) {
        let d = match y {
            0 => 1,
            -1 if x == i32::MIN => 1,
            y => y,
        };
        let (ux, uy) = (x as u32, y as u32);
        want.extend([
            x / d,
            x % d,
            (ux / d as u32) as i32,
            (ux % d as u32) as i32,
            ((i64::from(x) * i64::from(y)) >> 32) as i32,
            ((u64::from(ux) * u64::from(uy)) >> 32) as i32,
            x.wrapping_mul(y),
            (ux.leading_zeros() | uy.count_ones() << 8) as i32,
            x.saturating_add(y),
            ux.saturating_sub(uy) as i32,
            ux.rotate_left(uy & 31) as i32,
            (x.unsigned_abs() ^ x.abs_diff(y)) as i32,
            ((i64::from(x) + i64::from(y)) >> 1) as i32,
            x.min(y).wrapping_add(i32::from(x >= 0)),
            x.wrapping_mul(77777).wrapping_add(y & 0xff00ff),
            x >> (y & 31),
        ]);
    }
    let args = vec![buffer!(vec![0i32; want.len()]), buffer!(a), buffer!(b)];
    check(&basic("ints", &[96], args), &[bytes!(want)]);
}

#[test]
fn bytes_and_words() {
    let a: Vec<i8> = (0..64).map(|i| (i * 37 - 128) as i8).collect();
    let b: Vec<u8> = (0..64).map(|i| (i * 11 + 3) as u8).collect();
    let s: Vec<i16> = (0..64).map(|i| (i * 1021 - 30000) as i16).collect();
    let mut want: Vec<i8> = Vec::new();
    let mut words: Vec<i16> = Vec::new();
    for ((&x, &y), &s) in a.iter().zip(&b).zip(&s) {
        let (wide, unsigned) = (i32::from(x), i32::from(y));
        let divisor = i32::from((y | 1) as i8);
        want.extend([
            (wide / divisor) as i8,
            x >> (y & 7),
            x.saturating_add(y as i8),
            match x < y as i8 {
                true => (wide * unsigned) as i8,
                false => (unsigned - wide) as i8,
            },
        ]);
        words.push(((wide * unsigned) as i16 as i32 + unsigned / 3 + (i32::from(s) >> 2)) as i16);
    }
    let args = vec![buffer!(vec![0i8; 256]), buffer!(a), buffer!(b), buffer!(s)];
    let rest = [bytes!(a), bytes!(b), bytes!(words)];
    let [a_out, b_out, s_out] = rest;
    check(
        &basic("bytes", &[64], args),
        &[bytes!(want), a_out, b_out, s_out],
    );
}

#[test]
fn single_precision() {
    let edges = [
        0.0f32,
        -0.0,
        1.0,
        -1.0,
        1e30,
        -1e-30,
        f32::INFINITY,
        f32::NAN,
        0.5,
        2.5,
        -3.5,
    ];
    let a: Vec<f32> = (0..88)
        .map(|i| {
            if i < 33 {
                edges[i % 11]
            } else {
                (i as f32 - 60.0) * 1.7
            }
        })
        .collect();
    let b: Vec<f32> = (0..88)
        .map(|i| {
            if i < 33 {
                edges[(i / 3) % 11]
            } else {
                3.3 + i as f32 * 0.9
            }
        })
        .collect();
    let mut want: Vec<f32> = Vec::new();
    for (&x, &y) in a.iter().zip(&b) {
        want.extend([
            x / y,
            x.mul_add(y, 1.5),
            x.max(y) - x.min(3.0),
            x.trunc().mul_add(0.0, x.floor()),
            if x.abs() < y.abs() { x } else { -y },
            (x as i32 as f32) + (y.max(0.0) as u32 as f32),
            (x as i8 as f32) + (y.round_ties_even() as i16 as f32),
            if x.is_nan() {
                1.0
            } else if y.is_infinite() {
                2.0
            } else if x != y {
                3.0
            } else {
                4.0
            },
        ]);
    }
    for platform in crate::common::PLATFORMS {
        let args = vec![buffer!(vec![0f32; want.len()]), buffer!(a), buffer!(b)];
        let out = crate::common::run(platform, &basic("floats", &[88], args)).unwrap();
        for (index, (have, want)) in out[0].chunks_exact(4).zip(&want).enumerate() {
            let have = f32::from_le_bytes(have.try_into().unwrap());
            let item = index / 8;
            let (x, y) = (a[item], b[item]);
            // Conversions of what does not fit are not defined; the fourth has its own formula.
            let skip = match index % 8 {
                3 => true,
                5 | 6 => {
                    x.is_nan() || x.abs() > 1e9 || y.is_nan() || y.abs() > 3e4 && index % 8 == 6
                }
                _ => false,
            };
            if skip {
                continue;
            }
            let same =
                have.to_bits() == want.to_bits() || have.is_nan() && want.is_nan() || have == *want;
            assert!(
                same,
                "{platform}: {index}: of {x} and {y}: {have}, not {want}"
            );
        }
    }
}

#[test]
fn vectors_of_four() {
    let a: Vec<f32> = (0..128).map(|i| i as f32 * 0.25).collect();
    let b: Vec<i32> = (0..128).map(|i| i * 3 - 50).collect();
    let mut want: Vec<f32> = Vec::new();
    for (x, y) in a.chunks_exact(4).zip(b.chunks_exact(4)) {
        let extra = x[(y[0] & 3) as usize];
        for n in 0..4 {
            want.push((x[3 - n] + y[n] as f32) * (n + 1) as f32 + extra);
        }
    }
    let args = vec![buffer!([0f32; 128]), buffer!(a), buffer!(b)];
    check(&basic("vectors", &[32], args), &[bytes!(want)]);
}

#[test]
fn work_groups_share_local_memory() {
    let input = numbers(256, 6);
    let mut want = Vec::new();
    for group in input.chunks_exact(64) {
        for l in 0..64 {
            want.push(group[63 - l].wrapping_add(group[l ^ 1].wrapping_mul(2)));
        }
    }
    let args = vec![buffer!([0i32; 256]), buffer!(input), Value::Local(256)];
    let mut run = basic("reverse", &[256], args);
    run.local = Some(&[64]);
    check(&run, &[bytes!(want)]);
}

#[test]
fn atomics_meet() {
    let input: Vec<i32> = (0..100).map(|i| i * 3 - 20).collect();
    let mut want = vec![0i32; 104];
    want[0] = input.iter().sum();
    want[1] = *input.iter().max().unwrap();
    want[2] = input.iter().fold(0, |a, b| a | b);
    want[3] = input.iter().filter(|x| *x & 1 != 0).count() as i32;
    want[4] = -1;
    let args = vec![buffer!([0i32; 104]), buffer!(input)];
    check(&basic("atomics", &[100], args), &[bytes!(want)]);
}

#[test]
fn structures_by_value() {
    let input: Vec<i32> = (0..32).map(|i| i * 1001).collect();
    let mut want = Vec::new();
    for x in &input {
        let a = 5 + x;
        want.extend(a.to_le_bytes());
        want.extend([(-3i8).wrapping_sub(*x as i8) as u8, 0]);
        want.extend((14i16).to_le_bytes());
        want.extend((a as f32).to_le_bytes());
    }
    let mut value = 5i32.to_le_bytes().to_vec();
    value.extend([-3i8 as u8, 0]);
    value.extend(7i16.to_le_bytes());
    value.extend(1f32.to_le_bytes());
    let args = vec![
        Value::Buffer(vec![0; want.len()]),
        Value::Bytes(value),
        buffer!(input),
    ];
    check(&basic("structs", &[32], args), &[want]);
}
