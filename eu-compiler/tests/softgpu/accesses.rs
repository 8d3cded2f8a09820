//! Accesses of every size and alignment, blocks of local memory, generic pointers, atomics.

use crate::common::{PLATFORMS, Run, Value, check, check_on, numbers};
use crate::{buffer, bytes};

const ACCESSES: &[u8] = include_bytes!("../kernels/accesses.spv");
const ATOMICS: &[u8] = include_bytes!("../kernels/atomics.spv");
const GENERIC: &[u8] = include_bytes!("../kernels/generic.spv");
const BLOCKS: &[u8] = include_bytes!("../kernels/local_blocks.spv");

fn accesses<'a>(kernel: &'a str, global: &'a [u64], args: Vec<Value>) -> Run<'a> {
    Run {
        spirv: ACCESSES,
        kernel,
        simd: None,
        global,
        local: None,
        args,
    }
}

/// Bytes that look random, but no floats that are not numbers.
fn noise(count: usize, seed: u32) -> Vec<u8> {
    numbers(count, seed)
        .iter()
        .map(|x| (*x >> 7) as u8 & 0x7e)
        .collect()
}

#[test]
fn fields_of_packed_structures() {
    let size = 1 + 2 + 4 + 8 + 4 + 2;
    let input = noise(40 * size + 1, 3);
    let mut want = vec![0u8; 40 * size + 3];
    for i in 0..40 {
        let from = &input[1 + i * size..][..size];
        let to = &mut want[3 + i * size..][..size];
        to[0] = from[0].wrapping_add(1);
        let b = i16::from_le_bytes(from[1..3].try_into().unwrap()).wrapping_add(2);
        let c = i32::from_le_bytes(from[3..7].try_into().unwrap()).wrapping_add(3);
        let d = i64::from_le_bytes(from[7..15].try_into().unwrap()).wrapping_add(4);
        let e = f32::from_le_bytes(from[15..19].try_into().unwrap()) * 2.0;
        to[1..3].copy_from_slice(&b.to_le_bytes());
        to[3..7].copy_from_slice(&c.to_le_bytes());
        to[7..15].copy_from_slice(&d.to_le_bytes());
        to[15..19].copy_from_slice(&e.to_le_bytes());
        to[19..21].copy_from_slice(&from[19..21]);
    }
    let args = vec![
        Value::Buffer(vec![0; want.len()]),
        Value::Buffer(input.clone()),
    ];
    check(&accesses("packed_fields", &[40], args), &[want, input]);
}

#[test]
fn vectors_of_bytes_and_words() {
    let count = 24;
    let a = noise(4 * count, 1);
    let b: Vec<i16> = numbers(4 * count, 2).iter().map(|x| *x as i16).collect();
    let c = noise(16 * count, 3);
    let d: Vec<u16> = numbers(2 * count, 4).iter().map(|x| *x as u16).collect();
    let e = noise(4 * count + 1, 5);
    let f: Vec<i16> = numbers(3 * count + 1, 6)
        .iter()
        .map(|x| *x as i16)
        .collect();
    let reversed: Vec<u8> = a
        .chunks_exact(4)
        .flat_map(|x| [3, 2, 1, 0].map(|n| x[n].wrapping_add(1)))
        .collect();
    let tripled: Vec<i16> = b.iter().map(|x| x.wrapping_mul(3)).collect();
    let more = |(n, x): (usize, &u8)| x.wrapping_add((n / 16) as u8);
    let added: Vec<u8> = c.iter().enumerate().map(more).collect();
    let swapped: Vec<u16> = d.chunks_exact(2).flat_map(|x| [x[1], x[0]]).collect();
    let shifted = |(n, x): (usize, &u8)| if n == 0 { *x } else { x.wrapping_add(5) };
    let fives: Vec<u8> = e.iter().enumerate().map(shifted).collect();
    let sevens = |(n, x): (usize, &i16)| if n == 0 { *x } else { x.wrapping_add(7) };
    let sevens: Vec<i16> = f.iter().enumerate().map(sevens).collect();
    let args = vec![
        Value::Buffer(a),
        buffer!(b),
        Value::Buffer(c),
        buffer!(d),
        Value::Buffer(e),
        buffer!(f),
    ];
    let want = [
        reversed,
        bytes!(tripled),
        added,
        bytes!(swapped),
        fives,
        bytes!(sevens),
    ];
    check(&accesses("narrow_vectors", &[count as u64], args), &want);
}

#[test]
fn vectors_of_bytes_in_local_memory() {
    let input = noise(4 * 64, 7);
    let mut want = Vec::new();
    for g in 0..64 {
        let (i, group) = (g % 32, g / 32 * 32);
        let other = &input[4 * (group + 31 - i)..][..4];
        let pair = [31 - i as i32, i as i32 - 31, 0, 1];
        want.extend(other.iter().zip(pair).map(|(x, y)| x.wrapping_add(y as u8)));
    }
    let args = vec![
        Value::Buffer(vec![0; 256]),
        Value::Buffer(input),
        Value::Local(128),
        Value::Local(132),
    ];
    let run = Run {
        local: Some(&[32]),
        ..accesses("local_vectors", &[64], args)
    };
    check(&run, &[want]);
}

/// Blocks of local memory of one element type.
fn blocks(name: &str, bytes: usize, counts: &[usize]) {
    for &simd in &[8u32, 16, 32] {
        for &count in counts {
            let lanes = [2 * simd];
            let elements = 2 * lanes[0] as usize * count;
            let input = noise(elements * bytes, count as u32);
            let want: Vec<u8> = input
                .chunks_exact(bytes)
                .flat_map(|x| {
                    let mut number = [0; 8];
                    number[..bytes].copy_from_slice(x);
                    let sum = u64::from_le_bytes(number).wrapping_add(3);
                    sum.to_le_bytes()[..bytes].to_vec()
                })
                .collect();
            let kernel = format!("local_{name}{count}");
            let global = [u64::from(2 * lanes[0])];
            let run = Run {
                spirv: BLOCKS,
                kernel: &kernel,
                simd: Some(simd),
                global: &global,
                local: Some(&lanes),
                args: vec![
                    Value::Buffer(vec![0; input.len()]),
                    Value::Buffer(input.clone()),
                    Value::Local((input.len() / 2) as u32),
                ],
            };
            let has = |name: &&&str| devinfo::by_name(name).unwrap().has_simd_width(simd);
            let platforms: Vec<&str> = PLATFORMS.iter().filter(has).copied().collect();
            check_on(&platforms, &run, &[want, input]);
        }
    }
}

#[test]
fn blocks_of_local_memory() {
    blocks("uchar", 1, &[1, 2, 4, 8, 16]);
    blocks("ushort", 2, &[1, 2, 4, 8, 16]);
    blocks("uint", 4, &[1, 2, 4, 8]);
    blocks("ulong", 8, &[1, 2, 4, 8]);
}

/// Nothing is reported of what atomic loads and stores order, nor of equal writes to parts of a word.
#[test]
fn atomic_loads_and_stores_order_plain_accesses() {
    let run = |kernel, global, args| Run {
        spirv: ATOMICS,
        local: Some(&[1]),
        ..accesses(kernel, global, args)
    };
    let messages = run(
        "messages",
        &[2],
        vec![buffer!([0i32]), buffer!([0i32]), buffer!([0i32])],
    );
    check(
        &messages,
        &[bytes!([42i32]), bytes!([42i32]), bytes!([1i32])],
    );
    let turns = run("turns", &[9], vec![buffer!([0i32]), buffer!([0i32])]);
    check(&turns, &[bytes!([45i32]), bytes!([0i32])]);
    let parts = Run {
        local: Some(&[64]),
        ..run("parts", &[128], vec![buffer!([0i32])])
    };
    check(&parts, &[vec![7, 8, 0, 0]]);
}

#[test]
fn atomics_of_64_bits_meet() {
    let (low, high) = (numbers(64, 5), numbers(64, 8));
    let pairs = low.iter().zip(&high);
    let input: Vec<i64> = pairs
        .map(|(l, h)| i64::from(*h) << 32 | i64::from(*l as u32))
        .collect();
    let start: [i64; 11] = [5, 6, 100, -100, -1, 0, -1, 0, 0x55, i64::MAX, 0];
    let fold = |n: usize, f: fn(i64, i64) -> i64| input.iter().copied().fold(start[n], f);
    let cells = [
        fold(0, i64::wrapping_add),
        fold(1, i64::wrapping_sub),
        fold(2, i64::min),
        fold(3, i64::max),
        fold(4, |a, b| (a as u64).min(b as u64) as i64),
        fold(5, |a, b| (a as u64).max(b as u64) as i64),
        fold(6, |a, b| a & (b | 1)),
        fold(7, |a, b| a | b & 0xff_00ff_00ff_00ff),
        fold(8, |a, b| a ^ b),
        start[9].wrapping_add(64),
        -64,
    ];
    let old: Vec<i64> = (0..128).map(|n| n * 3 - 50).collect();
    let mut want = Vec::new();
    for (i, &x) in input.iter().enumerate() {
        let mut cell = old[2 * i].wrapping_add(7);
        if i % 5 == 2 && cell == x {
            cell = 99;
        }
        want.extend([cell, x]);
    }
    let run = Run {
        spirv: ATOMICS,
        ..accesses(
            "wide_atomics",
            &[64],
            vec![buffer!(old), buffer!(start), buffer!(input)],
        )
    };
    check(&run, &[bytes!(want), bytes!(cells)]);
}

#[test]
fn atomics_of_every_scope_and_order() {
    let mut cells = vec![0i32; 66];
    let want: Vec<i32> = (0..64).map(|i| 5 + 32 + i).collect();
    let args = vec![buffer!([0i32; 64]), buffer!(cells)];
    cells[0] = 64;
    cells[1] = -1;
    for i in 0..64 {
        cells[2 + i] = 1000 + i as i32;
    }
    let run = Run {
        spirv: ATOMICS,
        local: Some(&[32]),
        ..accesses("scopes", &[64], args)
    };
    check(&run, &[bytes!(want), bytes!(cells)]);
}

#[test]
fn generic_pointers_find_their_memory() {
    let input = numbers(64, 13);
    let mut want = vec![0i32; 256];
    for group in 0..2usize {
        let first = 32 * group;
        let mut between: Vec<i32> = (0..32).map(|i| input[first + i].wrapping_mul(2)).collect();
        let sum = |list: &[i32]| {
            let add = |s: i32, x: &i32| s.wrapping_mul(3).wrapping_add(*x);
            list[..4].iter().fold(0, add)
        };
        let before = between.clone();
        for i in 0..32 {
            let g = first + i;
            let mut own = [0i32; 4];
            for k in 0..4 {
                own[(k + i) & 3] = input[g].wrapping_add(k as i32);
            }
            let result = match i % 3 {
                0 => sum(&input[g & !7..]),
                1 => sum(&before[i & !7..]),
                _ => sum(&own),
            };
            match i % 3 {
                0 => {}
                1 => between[(i & !7) + (i & 3)] = result,
                _ => own[i & 3] = result,
            }
            want[4 * g] = result;
            want[4 * g + 1] = (i % 3) as i32 + 1;
            want[4 * g + 2] = own[i & 3];
        }
        for (i, cell) in between.into_iter().enumerate() {
            let g = 4 * (first + i);
            want[g + 3] = if i % 2 == 1 { want[g + 1] } else { cell };
            want[g + 1] += if i % 2 == 1 { 5 } else { 0 };
        }
    }
    let run = Run {
        spirv: GENERIC,
        local: Some(&[32]),
        ..accesses(
            "generic_pointers",
            &[64],
            vec![buffer!([0i32; 256]), buffer!(input), Value::Local(128)],
        )
    };
    check(&run, &[bytes!(want), bytes!(input)]);
}
