//! Shared local memory and barriers.

use stack_tests::{Launch, Random};

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
        Launch::new("slm", "reduce", &[1024])
            .local(&[group as u32])
            .buffer(&input)
            .gives(&expected)
            .local_memory(group as u32 * 4)
            .local_memory(group as u32 * 4)
            .everywhere();
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
    Launch::new("slm", "mirror_sizes", &[8, 8])
        .gives(&expected)
        .buffer(&input)
        .everywhere();
}

#[test]
fn transpose() {
    let (width, height) = (64usize, 48usize);
    let input: Vec<f32> = (0..width * height).map(|i| i as f32).collect();
    let expected: Vec<f32> = (0..width * height)
        .map(|at| input[(at % height) * width + at / height])
        .collect();
    Launch::new("slm", "transpose", &[width as u64, height as u64])
        .buffer(&input)
        .gives(&expected)
        .value(width as i32)
        .value(height as i32)
        .everywhere();
}

#[test]
fn vectors() {
    let input: Vec<f32> = (0..4 * 96).map(|i| i as f32 + 0.5).collect();
    let expected: Vec<f32> = input
        .chunks(4 * 48)
        .flat_map(|group| group.iter().rev().copied())
        .collect();
    Launch::new("slm", "vectors", &[96])
        .local(&[48])
        .buffer(&input)
        .local_memory(48 * 16)
        .becomes(0, &expected)
        .everywhere();
}
