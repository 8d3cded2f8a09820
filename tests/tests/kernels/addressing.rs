//! Buffers and arguments by value.

use half::f16;
use stack_tests::{Launch, Random};

#[test]
fn scale_add() {
    let mut random = Random::new(1);
    let a = random.many(1000, |bits| (bits % 2000) as f32 / 8.0 - 100.0);
    let b = random.many(1000, |bits| (bits % 500) as f32);
    let sums = a.iter().zip(&b).map(|(a, b)| a * 2.5 + b + 9.0 - 3.0);
    let untouched = f32::from_le_bytes([0xcd; 4]);
    let expected: Vec<f32> = sums.chain([untouched; 24]).collect();
    Launch::new("vadd", "scale_add", &[1024])
        .buffer(&a)
        .buffer(&b)
        .gives(&expected)
        .value(2.5f32)
        .value(1000i32)
        .value([7u32, 8, 9, 10])
        .value(-3i8)
        .everywhere();
}

#[test]
fn increment() {
    let input: Vec<f32> = (0..777).map(|i| i as f32 * 0.25).collect();
    let expected: Vec<f32> = input.iter().map(|v| v + 1.0).collect();
    Launch::new("vadd", "increment", &[777])
        .buffer(&input)
        .gives(&expected)
        .everywhere();
}

#[test]
fn copy_bytes() {
    let input = Random::new(2).many(1234, |bits| bits as u8);
    Launch::new("vadd", "copy_bytes", &[1234])
        .buffer(&input)
        .gives(&input)
        .everywhere();
}

/// The structure of the kernel, as OpenCL C lays it out.
#[derive(Clone, Copy, zerocopy::IntoBytes, zerocopy::Immutable)]
#[repr(C)]
struct Plane {
    normal: [f32; 3],
    id: i32,
    weight: i64,
    tag: i16,
    padding: [u8; 6],
}

#[test]
fn by_value() {
    let plane = Plane {
        normal: [1.0, 2.0, 3.0],
        id: 40,
        weight: 1 << 40,
        tag: -5,
        padding: [0; 6],
    };
    let mut half_lanes = [f16::ZERO; 8];
    half_lanes[0] = f16::from_f32(1024.0);
    half_lanes[7] = f16::from_f32(-24.0);
    let half_bits = half_lanes.map(f16::to_bits);
    let sum = 40 + (1i64 << 40) - 5 + 200 + 60_001 - (1i64 << 50) + 6 + 60 + 1000 + (1i64 << 33);
    let expected: Vec<i64> = (0..32).map(|i| sum + i).collect();
    Launch::new("vadd", "by_value", &[32])
        .gives(&expected)
        .value(plane)
        .value(200u8)
        .value([60_000u16, 1])
        .value([0u64, 0, 0, 0, 0, 0, 0, 1 << 33])
        .value(-(1i64 << 50))
        .value([10.0f32, 20.0, 30.0, 0.0])
        .value(half_bits)
        .everywhere();
}
