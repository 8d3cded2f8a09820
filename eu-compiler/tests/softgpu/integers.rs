//! Fields of bits and dot products of bytes: as instructions, and as functions that the translator
//! leaves without a body.

use crate::common::{Run, Value, check, numbers};
use crate::{buffer, bytes};

const INTEGERS: &[u8] = include_bytes!("../kernels/integers.spv");
const CARRIES: &[u8] = include_bytes!("../kernels/carries.spv");
const ITEMS: usize = 256;

fn words(seed: u32, count: usize) -> Vec<u64> {
    let halves = numbers(2 * count, seed);
    halves
        .chunks_exact(2)
        .map(|pair| u64::from(pair[0] as u32) | u64::from(pair[1] as u32) << 32)
        .collect()
}

/// The field's bits, one after the other.
fn field(value: u64, offset: u32, count: u32) -> u64 {
    (0..count).fold(0, |sum, bit| sum | (value >> (offset + bit) & 1) << bit)
}

/// Insert, extract with and without sign, reverse.
fn fields(a: u64, b: u64, bits: u32) -> [u64; 4] {
    let mask = u64::MAX >> (64 - bits);
    let (a, b) = (a & mask, b & mask);
    let offset = (a as u32) % (bits + 1);
    let count = (b as u32) % (bits + 1 - offset);
    let mut inserted = a;
    for bit in 0..count {
        inserted &= !(1 << (offset + bit));
        inserted |= (b >> bit & 1) << (offset + bit);
    }
    let part = field(a, offset, count);
    let negative = count > 0 && part >> (count - 1) & 1 == 1;
    let above = if count < 64 { u64::MAX << count } else { 0 };
    let signed = if negative { part | above } else { part };
    let unsigned = field(b, offset, count);
    [
        inserted,
        signed & mask,
        unsigned,
        a.reverse_bits() >> (64 - bits),
    ]
}

#[test]
fn fields_of_every_width() {
    for (ty, bits) in [("uchar", 8), ("ushort", 16), ("uint", 32), ("ulong", 64)] {
        let input = words(bits, 2 * ITEMS);
        let narrow = |list: &[u64]| -> Vec<u8> {
            let bytes = bits as usize / 8;
            let parts = list.iter().map(|word| word.to_le_bytes());
            parts.flat_map(|all| all[..bytes].to_vec()).collect()
        };
        let want: Vec<u64> = input
            .chunks_exact(2)
            .flat_map(|pair| fields(pair[0], pair[1], bits))
            .collect();
        let want = narrow(&want);
        let kernel = format!("fields_{ty}");
        let what = Run {
            spirv: INTEGERS,
            kernel: &kernel,
            simd: None,
            global: &[ITEMS as u64],
            local: None,
            args: vec![
                Value::Buffer(narrow(&input)),
                Value::Buffer(vec![0; want.len()]),
            ],
        };
        check(&what, &[narrow(&input), want]);
    }
}

#[test]
fn fields_at_the_ends() {
    let input: Vec<u32> = numbers(2 * ITEMS, 9).iter().map(|x| *x as u32).collect();
    let want: Vec<u32> = input
        .chunks_exact(2)
        .flat_map(|pair| {
            let [x, y] = [pair[0], pair[1]];
            let insert = |base: u32, part: u32| base & !(0x7ff << 5) | (part & 0x7ff) << 5;
            let sign = if x >> 31 == 1 { u32::MAX } else { 0 };
            [insert(x, y), insert(y, x), sign.wrapping_add(y), x]
        })
        .collect();
    let what = Run {
        spirv: INTEGERS,
        kernel: "fixed_fields",
        simd: None,
        global: &[ITEMS as u64],
        local: None,
        args: vec![buffer!(input), Value::Buffer(vec![0; 4 * want.len()])],
    };
    check(&what, &[bytes!(input), bytes!(want)]);
}

#[test]
fn dot_products() {
    let input: Vec<u32> = numbers(3 * ITEMS, 5).iter().map(|x| *x as u32).collect();
    let bytes = |of: u32, signed: bool| -> [i64; 4] {
        let all = of.to_le_bytes();
        all.map(|byte| {
            if signed {
                i64::from(byte as i8)
            } else {
                i64::from(byte)
            }
        })
    };
    let want: Vec<u32> = input
        .chunks_exact(3)
        .flat_map(|x| {
            let [a, b, c] = [x[0], x[1], x[2]];
            let dot = |s: bool, t: bool| -> i64 {
                let pairs = bytes(a, s).into_iter().zip(bytes(b, t));
                pairs.map(|(a, b)| a * b).sum()
            };
            let (uu, ss, su, us) = (
                dot(false, false),
                dot(true, true),
                dot(true, false),
                dot(false, true),
            );
            let unsigned = |sum: i64| (sum + i64::from(c)).min(u32::MAX.into());
            let signed =
                |sum: i64| (sum + i64::from(c as i32)).clamp(i32::MIN.into(), i32::MAX.into());
            let [p, q, r] = [a, b, c].map(|x| i64::from(x as i32));
            let wide = p.wrapping_mul(q).wrapping_add(q * r).wrapping_add(r * p) - 5;
            [
                [uu, ss, su, uu, ss, su].as_slice(),
                &[unsigned(uu), signed(ss), signed(su)],
                &[unsigned(uu), signed(ss), signed(us), signed(su)],
                &[uu, ss, us, su],
                &[unsigned(uu), signed(ss), signed(us), signed(su)],
                &[wide, wide >> 32, 0],
            ]
            .concat()
        })
        .map(|value| value as u32)
        .collect();
    let what = Run {
        spirv: INTEGERS,
        kernel: "dots",
        simd: None,
        global: &[ITEMS as u64],
        local: None,
        args: vec![buffer!(input), Value::Buffer(vec![0; 4 * want.len()])],
    };
    check(&what, &[bytes!(input), bytes!(want)]);
}

/// Sums, differences and products of numbers of some bits, and what does not fit.
fn carries(x: u64, y: u64, bits: u32) -> [u64; 8] {
    let mask = u64::MAX >> (64 - bits);
    let (x, y) = (x & mask, y & mask);
    let sum = u128::from(x) + u128::from(y);
    let product = u128::from(x) * u128::from(y);
    let signed = |x: u64| i128::from((x as i64) << (64 - bits) >> (64 - bits));
    let with_signs = signed(x) * signed(y);
    [
        sum as u64 & mask,
        (sum >> bits) as u64,
        x.wrapping_sub(y) & mask,
        u64::from(x < y),
        product as u64 & mask,
        (product >> bits) as u64,
        with_signs as u64 & mask,
        (with_signs >> bits) as u64 & mask,
    ]
}

#[test]
fn arithmetic_gives_what_does_not_fit() {
    let dwords: Vec<u64> = numbers(4 * ITEMS, 9)
        .iter()
        .map(|x| *x as u32 as u64)
        .collect();
    let mut input: Vec<u64> = dwords.chunks_exact(2).map(|x| x[0] << 32 | x[1]).collect();
    let edges = [0, 1, u64::MAX, 1 << 63, 1 << 31, 0x7fff_ffff, 0x80, 0x8000];
    for (number, pair) in input.chunks_exact_mut(2).take(64).enumerate() {
        pair.copy_from_slice(&[edges[number % 8], edges[number / 8 % 8]]);
    }
    let want: Vec<u64> = input
        .chunks_exact(2)
        .flat_map(|pair| {
            let [x, y] = [pair[0], pair[1]];
            let all = [32, 64, 16, 8].map(|bits| carries(x, y, bits));
            let [one, other] = [carries(x, y, 32), carries(y, x, 32)];
            let vector = [one[2], other[2], one[3], other[3]];
            [all.concat(), vector.to_vec()].concat()
        })
        .collect();
    let what = Run {
        spirv: CARRIES,
        kernel: "k",
        simd: None,
        global: &[ITEMS as u64],
        local: None,
        args: vec![buffer!(input), Value::Buffer(vec![0; 8 * want.len()])],
    };
    check(&what, &[bytes!(input), bytes!(want)]);
}
