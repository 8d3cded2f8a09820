//! Scalars where vectors have other rules, halves whose sums are rounded once, and payloads without
//! private memory.

use half::f16;

use crate::common::{PLATFORMS, Run, Value, check, run};
use crate::{buffer, bytes};

const SCALARS: &[u8] = include_bytes!("../kernels/scalars.spv");
const IDS: &[u8] = include_bytes!("../kernels/basic_ids.spv");

#[test]
fn scalars_are_selected_by_value_and_vectors_by_sign() {
    let input: [i32; 8] = [0, 1, -1, 2, i32::MIN, i32::MAX, 0x100, 5];
    let choice = |yes: bool| -> i32 { if yes { 20 } else { 10 } };
    let want = input.map(|c| [choice(c != 0), choice(c < 0)]);
    let what = Run {
        spirv: SCALARS,
        kernel: "chosen",
        simd: None,
        global: &[input.len() as u64],
        local: None,
        args: vec![buffer!([0i32; 16]), buffer!(input)],
    };
    check(&what, &[bytes!(want.as_flattened())]);
}

#[test]
fn sums_of_halves_are_rounded_once() {
    let bits = |i: u32| f16::from_bits((i.wrapping_mul(0x9e37_79b9) >> 11) as u16 & 0xbbff);
    let input: Vec<f16> = (0..3 * 512).map(bits).collect();
    let want: Vec<f16> = input
        .chunks(3)
        // The sum of a product of 22 bits and a half is exact in a double where it matters.
        .map(|x| f16::from_f64(x[0].to_f64().mul_add(x[1].to_f64(), x[2].to_f64())))
        .collect();
    let what = Run {
        spirv: SCALARS,
        kernel: "sums",
        simd: None,
        global: &[512],
        local: None,
        args: vec![Value::Buffer(vec![0; 1024]), buffer!(input)],
    };
    check(&what, &[bytes!(want)]);
}

#[test]
fn floats_at_the_ends_of_qwords() {
    let ends = [
        2f32.powi(31),
        2f32.powi(32),
        2f32.powi(63),
        2f32.powi(64),
        f32::INFINITY,
    ];
    let near = |x: f32| [x.next_down(), x, x.next_up(), -x];
    let input: Vec<f32> = ends.into_iter().flat_map(near).collect();
    let up = |whole: u64| {
        let nearest = whole as f32;
        let exact = f64::from(nearest) as u128;
        if exact < u128::from(whole) {
            nearest.next_up()
        } else {
            nearest
        }
    };
    let want = input.iter().map(|&x| {
        let whole = x as u64;
        [whole, x as i64 as u64, up(whole).to_bits().into()]
    });
    let want: Vec<_> = want.collect();
    let what = Run {
        spirv: SCALARS,
        kernel: "ends",
        simd: None,
        global: &[input.len() as u64],
        local: None,
        args: vec![Value::Buffer(vec![0; 24 * input.len()]), buffer!(input)],
    };
    check(&what, &[bytes!(want.as_flattened())]);
}

/// The nearest float that is not larger.
fn down(whole: u64) -> f32 {
    let nearest = whole as f32;
    match f64::from(nearest) as u128 > u128::from(whole) {
        true => nearest.next_down(),
        false => nearest,
    }
}

#[test]
fn conversions_in_a_loop_saturate_and_round() {
    let input: Vec<u64> = (1..=64u64)
        .map(|i| i.wrapping_mul(0xd134_2543_de82_ef95) >> (i % 50))
        .collect();
    let want: Vec<u64> = input
        .iter()
        .map(|&start| {
            let (mut of, mut low, mut least, mut all) = (start, 0i32, 0f32, 0u64);
            for n in 0..(start & 3) + 2 {
                all = all
                    .wrapping_mul(31)
                    .wrapping_add(u64::from(low as u32))
                    .wrapping_add(u64::from(least.to_bits()));
                low = (of as i64).clamp(i32::MIN.into(), i32::MAX.into()) as i32;
                least = down(of);
                of = of.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (n * 9);
            }
            all
        })
        .collect();
    let what = Run {
        spirv: SCALARS,
        kernel: "carried",
        simd: None,
        global: &[64],
        local: None,
        args: vec![Value::Buffer(vec![0; 8 * 64]), buffer!(input)],
    };
    check(&what, &[bytes!(want)]);
}

#[test]
fn qwords_become_floats_wherever_they_come_from() {
    let ends = [1, 0xff_ffff, 1 << 24, 1 << 31, 1 << 32, 1 << 40, 1 << 63];
    let near = |x: u64| {
        [
            x - 1,
            x,
            x + 1,
            x | 0x155_5555,
            x << 1 | 3,
            !x,
            x ^ 0x1234_5678,
            7,
        ]
    };
    let mut input: Vec<u64> = ends.into_iter().flat_map(near).collect();
    input.resize(64, u64::MAX);
    let want: Vec<_> = input
        .iter()
        .map(|&x| [x as u32 as f32, down(x), down(x)])
        .collect();
    for simd in [8, 16, 32] {
        let what = Run {
            spirv: SCALARS,
            kernel: "nearby",
            simd: Some(simd),
            global: &[input.len() as u64],
            local: Some(&[32]),
            args: vec![Value::Buffer(vec![0; 12 * input.len()]), buffer!(input)],
        };
        let platforms = PLATFORMS.iter().filter(|name| {
            let platform = devinfo::by_name(name).unwrap();
            platform.has_simd_width(simd)
        });
        for platform in platforms {
            let out = run(platform, &what).unwrap();
            assert_eq!(
                out[0],
                bytes!(want.as_flattened()),
                "{platform}, SIMD{simd}"
            );
        }
    }
}

#[test]
fn one_channel_reads_and_writes_three_qwords() {
    let input = [u64::MAX - 5, 1 << 40, 3];
    let want: Vec<[u64; 3]> = (0..64).map(|i| input.map(|x| x.wrapping_add(i))).collect();
    let what = Run {
        spirv: SCALARS,
        kernel: "triples",
        simd: None,
        global: &[64],
        local: None,
        args: vec![
            Value::Buffer(vec![0; 8 * 3 * 64]),
            buffer!(input),
            Value::Buffer(vec![0; 24]),
        ],
    };
    check(
        &what,
        &[bytes!(want.as_flattened()), bytes!(input), bytes!(input)],
    );
}

#[test]
fn ids_lie_where_the_payload_says_without_private_memory() {
    for local in [60u32, 20, 7] {
        let global = u64::from(local) * 2;
        let want: Vec<u32> = (0..global as u32).map(|i| i % local + 3).collect();
        let what = Run {
            spirv: IDS,
            kernel: "places",
            simd: None,
            global: &[global],
            local: Some(&[local]),
            args: vec![
                Value::Buffer(vec![0; 4 * global as usize]),
                buffer!([0u32; 4]),
                buffer!([0u32; 4]),
                buffer!([0u32; 4]),
                Value::Bytes(3i32.to_le_bytes().to_vec()),
            ],
        };
        check(&what, &[bytes!(want)]);
    }
}

#[test]
fn lengths_of_halves_of_any_size() {
    const ITEMS: usize = 256;
    let bits = |i: u32| f16::from_bits((i.wrapping_mul(0x9e37_79b9) >> 9) as u16);
    // Two vectors of four for each, of the same size: tiny ones, usual ones, large ones.
    let input: Vec<f16> = (0..8 * ITEMS as u32)
        .map(|i| match i / 8 % 3 {
            0 => f16::from_bits(bits(i).to_bits() & 0x801f),
            1 => f16::from_bits(bits(i).to_bits() & 0x83ff | 0x3800),
            _ => f16::from_bits(bits(i).to_bits() & 0x83ff | 0x6c00),
        })
        .collect();
    let length = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let what = Run {
        spirv: SCALARS,
        kernel: "lengths",
        simd: None,
        global: &[ITEMS as u64],
        local: None,
        args: vec![Value::Buffer(vec![0; 16 * ITEMS]), buffer!(input)],
    };
    for platform in PLATFORMS {
        let out = run(platform, &what).unwrap();
        let words = out[0].as_chunks::<2>().0;
        let have: Vec<f64> = words
            .iter()
            .map(|w| f16::from_le_bytes(*w).to_f64())
            .collect();
        for (item, (have, of)) in have.chunks(8).zip(input.chunks(8)).enumerate() {
            let all: Vec<f64> = of.iter().map(|x| x.to_f64()).collect();
            let (a, b) = all.split_at(4);
            let apart: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
            let whole = length(a);
            let mut want = vec![whole, length(&apart), a[0].abs(), length(&b[..2])];
            want.extend(a.iter().map(|x| if whole == 0.0 { *x } else { x / whole }));
            for (have, want) in have.iter().zip(want) {
                // A unit in the last place, or half the smallest number.
                let allowed = (want.abs() / 1024.0).max(2f64.powi(-25));
                assert!(
                    (have - want).abs() <= allowed,
                    "{platform}: item {item}: {have}, not {want}"
                );
            }
        }
    }
}

#[test]
fn sums_of_three_take_halves_of_qwords() {
    const ITEMS: u64 = 32;
    let qword = |i: u64| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let input: Vec<u64> = (0..4 * ITEMS).map(qword).collect();
    let numbers: Vec<u32> = (0..=ITEMS).map(|i| (qword(i) >> 17) as u32).collect();
    let sum = |parts: [u32; 3]| parts.into_iter().fold(0, u32::wrapping_add);
    let high = |whole: u64| (whole >> 32) as u32;
    let want: Vec<u32> = input
        .chunks(4)
        .zip(numbers.windows(2))
        .flat_map(|(p, w)| {
            [
                sum([w[0], w[1], p[0] as u32]),
                sum([w[0], p[1] as u32, high(p[0])]),
                sum([p[3] as u32, high(p[1]), high(p[2])]),
            ]
        })
        .collect();
    let what = Run {
        spirv: SCALARS,
        kernel: "halves_of_qwords",
        simd: None,
        global: &[ITEMS],
        local: None,
        args: vec![
            Value::Buffer(vec![0; 12 * ITEMS as usize]),
            buffer!(input),
            buffer!(numbers),
        ],
    };
    check(&what, &[bytes!(want)]);
}

#[test]
fn an_array_has_one_element_where_they_are_farther_apart_than_it_is_large() {
    let mut input: Vec<u32> = (0..8).map(|i| 7 * i + 3).collect();
    input.extend([0; 16]);
    let want = [3u32, 38].repeat(16);
    let what = Run {
        spirv: SCALARS,
        kernel: "far_apart",
        simd: None,
        global: &[16],
        local: None,
        args: vec![Value::Buffer(vec![0; 128]), buffer!(input)],
    };
    check(&what, &[bytes!(want)]);
}
