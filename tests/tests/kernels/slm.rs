//! Shared local memory and barriers.

use stack_tests::{Launch, Random, compare};

use crate::everywhere;

#[test]
fn reduce() {
    let input = Random::new(3).many(1024, |bits| (bits % 1000) as i32 - 500);
    for group in [64usize, 128, 256] {
        let expected: Vec<i32> = input
            .chunks(group)
            .map(|chunk| {
                let sum: i32 = chunk.iter().sum();
                // weights[1] is 1.0.
                sum + 3 * sum + 1
            })
            .collect();
        everywhere(|platform| {
            let results = Launch::new("slm", "reduce", &[1024])
                .local(&[group as u32])
                .buffer(&input)
                .out::<i32>(1024 / group)
                .local_memory(group as u32 * 4)
                .local_memory(group as u32 * 4)
                .run(platform);
            compare::equal(platform, &results.read::<i32>(1), &expected);
        });
    }
}

#[test]
fn mirror_sizes() {
    let input = Random::new(4).many(192, |bits| bits as u8);
    let expected: Vec<u8> = (0..64)
        .map(|l| {
            let m = 63 - l;
            input[m]
                .wrapping_add(input[m + 64])
                .wrapping_add(input[m + 128])
        })
        .collect();
    everywhere(|platform| {
        let results = Launch::new("slm", "mirror_sizes", &[8, 8])
            .out::<u8>(64)
            .buffer(&input)
            .run(platform);
        compare::equal(platform, &results.read::<u8>(0), &expected);
    });
}

#[test]
fn transpose() {
    let (width, height) = (64usize, 48usize);
    let input: Vec<f32> = (0..width * height).map(|i| i as f32).collect();
    let expected: Vec<f32> = (0..width * height)
        .map(|at| input[(at % height) * width + at / height])
        .collect();
    everywhere(|platform| {
        let results = Launch::new("slm", "transpose", &[width as u64, height as u64])
            .buffer(&input)
            .out::<f32>(width * height)
            .value(width as i32)
            .value(height as i32)
            .run(platform);
        compare::equal(platform, &results.read::<f32>(1), &expected);
    });
}

#[test]
fn vectors() {
    let input: Vec<f32> = (0..4 * 96).map(|i| i as f32 + 0.5).collect();
    let expected: Vec<f32> = input
        .chunks(4 * 48)
        .flat_map(|group| group.iter().rev().copied())
        .collect();
    everywhere(|platform| {
        let results = Launch::new("slm", "vectors", &[96])
            .local(&[48])
            .buffer(&input)
            .local_memory(48 * 16)
            .run(platform);
        compare::equal(platform, &results.read::<f32>(0), &expected);
    });
}
