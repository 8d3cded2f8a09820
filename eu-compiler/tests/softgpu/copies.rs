//! Copies by work-groups, and halves in memory.

use half::f16;

use crate::common::{PLATFORMS, Run, Value, check, numbers, run};
use crate::{buffer, bytes};

const COPIES: &[u8] = include_bytes!("../kernels/copies.spv");
const ALIGNED_APART: &[u8] = include_bytes!("../kernels/aligned_apart.spv");
const LARGE: &[u8] = include_bytes!("../kernels/large_copies.spv");
const SIZED: &[u8] = include_bytes!("../kernels/sized_copies.spv");

#[test]
fn copies_to_and_from_local_memory() {
    let input: Vec<u32> = numbers(300, 3).into_iter().map(|n| n as u32).collect();
    let want: Vec<u32> = input
        .iter()
        .map(|n| n.wrapping_mul(3).wrapping_add(1))
        .collect();
    let what = Run {
        spirv: COPIES,
        kernel: "copies",
        simd: None,
        global: &[3 * 37],
        local: Some(&[37]),
        args: vec![buffer!(vec![0u32; 300]), buffer!(input), Value::Local(400)],
    };
    check(&what, &[bytes!(want)]);
}

#[test]
fn copies_of_elements_that_are_apart() {
    let input: Vec<f32> = (0..480).map(|n| n as f32).collect();
    let mut want = vec![-1f32; 320];
    for group in 0..2 {
        for element in 0..20 {
            let (to, from) = (group * 40 + 2 * element, group * 60 + 3 * element);
            want[4 * to..4 * to + 4].copy_from_slice(&input[4 * from..4 * from + 4]);
        }
    }
    let what = Run {
        spirv: COPIES,
        kernel: "strided",
        simd: None,
        global: &[16, 2],
        local: Some(&[8, 2]),
        args: vec![buffer!(vec![-1f32; 320]), buffer!(input), Value::Local(320)],
    };
    check(&what, &[bytes!(want)]);
}

#[test]
fn vectors_of_three_are_copied_as_four() {
    let input: Vec<u32> = (1..81).collect();
    let what = Run {
        spirv: COPIES,
        kernel: "threes",
        simd: None,
        global: &[8],
        local: Some(&[8]),
        args: vec![
            buffer!(vec![0u32; 80]),
            buffer!(input.clone()),
            Value::Local(320),
        ],
    };
    check(&what, &[bytes!(input)]);
}

#[test]
fn halves_are_read_as_floats() {
    let count = 40usize;
    let input: Vec<f16> = (0..4 * count as u32)
        .map(|n| f16::from_bits((n * 409 % 0x7c00) as u16))
        .collect();
    let mut want: Vec<f32> = input[..3 * count].iter().map(|h| h.to_f32()).collect();
    for i in 0..count {
        want.extend(input[4 * i..4 * i + 3].iter().map(|h| h.to_f32()));
        want.push(input[i].to_f32());
    }
    let what = Run {
        spirv: COPIES,
        kernel: "read_halves",
        simd: None,
        global: &[count as u64],
        local: None,
        args: vec![buffer!(vec![0f32; 7 * count]), buffer!(input)],
    };
    check(&what, &[bytes!(want)]);
}

#[test]
fn floats_are_rounded_to_halves_in_every_direction() {
    let count = 96usize;
    let edges = [
        0.0,
        -0.0,
        65519.9,
        65520.0,
        -65504.5,
        1e-8,
        -1e-8,
        6e-8,
        f32::INFINITY,
        1.0,
    ];
    let rest = numbers(count - edges.len(), 5).into_iter();
    let rest = rest.map(|n| f32::from_bits(n as u32 & 0x87ff_ffff | 0x3800_0000));
    let input: Vec<f32> = edges.into_iter().chain(rest).collect();
    let nearest = |x: f32| f16::from_f32(x);
    // The neighbour of the nearest, if that is on the wrong side.
    let directed = |x: f32, up: bool| {
        let near = nearest(x);
        let step = |by: i32| f16::from_bits((i32::from(near.to_bits()) + by) as u16);
        let outward = if near.is_sign_negative() { -1 } else { 1 };
        match up {
            true if near.to_f32() < x => step(outward),
            false if near.to_f32() > x => step(-outward),
            _ => near,
        }
    };
    let mut want: Vec<f16> = Vec::new();
    want.extend(input.iter().map(|x| nearest(*x)));
    want.extend(input.iter().map(|x| directed(*x, *x < 0.0)));
    want.extend(input.iter().map(|x| directed(*x, true)));
    want.extend(input.iter().map(|x| directed(*x, false)));
    for x in &input {
        want.extend([nearest(*x), nearest(-*x), f16::from_f32(0.5), f16::INFINITY]);
    }
    for platform in PLATFORMS {
        let what = Run {
            spirv: COPIES,
            kernel: "write_halves",
            simd: None,
            global: &[count as u64],
            local: None,
            args: vec![buffer!(vec![0u16; 8 * count]), buffer!(input)],
        };
        let out = run(platform, &what).unwrap();
        for (index, (have, want)) in out[0].chunks_exact(2).zip(&want).enumerate() {
            assert_eq!(
                have,
                want.to_le_bytes(),
                "{platform}: {index}, {:e}",
                input[index % count]
            );
        }
    }
}

#[test]
fn a_copy_is_as_aligned_as_both_its_ends() {
    let platform = devinfo::by_name("tgl").unwrap();
    let options = eu_compiler::Options::new(platform);
    let front = Some("front");
    let made = eu_compiler::compile_showing(ALIGNED_APART, &options, front).unwrap();
    let ir = made.kernels[0].ir.as_deref().unwrap();
    assert!(ir.contains("load.global align 1"), "{ir}");
    assert!(!ir.contains("align 4"), "{ir}");
}

#[test]
fn large_structures_are_copied() {
    let input = numbers(32, 3);
    let mut want = Vec::new();
    for (id, x) in (1..).zip(&input) {
        let x = *x as u32;
        let numbers = (0..1500).step_by(35).map(|i| x.wrapping_add(i));
        let sum = numbers.fold(0u32, |sum, n| sum.wrapping_mul(3).wrapping_add(n));
        let zeroes = |at: u32| if at == x % 1025 { id } else { 0 };
        want.push(sum.wrapping_add(x & 0xffff));
        want.push(id);
        want.push(zeroes(x.wrapping_add(1) % 1025) + zeroes(1024 - x % 1024));
    }
    let what = Run {
        spirv: LARGE,
        kernel: "large_copies",
        simd: None,
        global: &[32],
        local: None,
        args: vec![buffer!([0u32; 96]), buffer!(input)],
    };
    check(&what, &[bytes!(want)]);
}

/// What the kernels of large tables give where each item changes one number, or not.
fn table_sums(changed: impl Fn(u32, u32) -> Option<u32>) -> Vec<u32> {
    let number = |n: u32| {
        if n == 1280 {
            7
        } else {
            n.wrapping_mul(2_654_435_761)
        }
    };
    let items = (0..32u32).map(|id| {
        (0..5).fold(0u32, |sum, i| {
            let at = (id * 41 + i * 320) % 1281;
            let value = changed(id, at).unwrap_or_else(|| number(at));
            sum.wrapping_mul(3).wrapping_add(value)
        })
    });
    items.collect()
}

#[test]
fn large_tables_are_read_where_they_are() {
    let run = |kernel| Run {
        spirv: LARGE,
        kernel,
        simd: None,
        global: &[32],
        local: None,
        args: vec![buffer!([0u32; 32])],
    };
    check(&run("large_table"), &[bytes!(table_sums(|_, _| None))]);
    let written = table_sums(|id, at| (at == id * 41 % 1281).then_some(id));
    check(&run("written_table"), &[bytes!(written)]);
    let platform = devinfo::by_name("tgl").unwrap();
    let options = eu_compiler::Options::new(platform);
    let made = eu_compiler::compile_showing(LARGE, &options, Some("copies")).unwrap();
    let private = |name: &str| {
        let kernel = made.kernels.iter().find(|kernel| kernel.name == name);
        kernel.unwrap().ir.as_deref().unwrap().contains(".private")
    };
    assert!(!private("large_table") && private("written_table"));
}

#[test]
fn the_size_of_a_copy_is_a_value() {
    let input: Vec<u8> = (0..32 * 256).map(|n| (n * 7 % 251 + 1) as u8).collect();
    let mut want = vec![0u8; input.len()];
    for id in 0..32 {
        let copied = 256 * id..256 * id + 5 * id;
        want[copied.clone()].copy_from_slice(&input[copied]);
    }
    let what = Run {
        spirv: SIZED,
        kernel: "k",
        simd: None,
        global: &[32],
        local: None,
        args: vec![Value::Buffer(vec![0; input.len()]), Value::Buffer(input)],
    };
    check(&what, &[want]);
}

#[test]
fn variables_are_aligned_as_they_are_decorated() {
    let want: Vec<u32> = (0..32).map(|id| id % 3 + 1).collect();
    let what = Run {
        spirv: LARGE,
        kernel: "alignments",
        simd: None,
        global: &[32],
        local: None,
        args: vec![buffer!([0u32; 32])],
    };
    check(&what, &[bytes!(want)]);
}

#[test]
fn local_memory_of_arguments_is_aligned() {
    let what = Run {
        spirv: LARGE,
        kernel: "behind_bytes",
        simd: None,
        global: &[32],
        local: None,
        args: vec![buffer!([7u32; 32]), Value::Local(64)],
    };
    check(&what, &[bytes!([0u32; 32])]);
}
