//! Work-group collective functions.

use stack_tests::{Launch, Random};

#[test]
fn collectives() {
    let mut random = Random::new(90);
    for group in [32usize, 64, 256] {
        let count = group * 3;
        let input: Vec<i32> = (0..count)
            .map(|_| random.below(2000) as i32 - 1000)
            .collect();
        let expected: Vec<i32> = (0..count)
            .flat_map(|i| {
                let begin = i / group * group;
                let all = &input[begin..begin + group];
                let before = &input[begin..i];
                let until = &input[begin..=i];
                [
                    all.iter().sum(),
                    *all.iter().min().unwrap(),
                    *all.iter().max().unwrap(),
                    until.iter().sum(),
                    before.iter().sum(),
                    *until.iter().max().unwrap(),
                    before.iter().copied().min().unwrap_or(i32::MAX),
                    all[5],
                    i32::from(all.contains(&input[0])),
                    i32::from(all.iter().all(|v| *v > -1000)),
                ]
            })
            .collect();
        // Votes are only defined as zero or nonzero.
        let same = |at: usize, got: &i32, expected: &i32| match at % 10 {
            8.. => (*got != 0) == (*expected != 0),
            _ => got == expected,
        };
        Launch::new("work_group", "collectives", &[count as u64])
            .local(&[group as u32])
            .buffer(&input)
            .fits(&expected, same, |_| "")
            .everywhere();
    }
}

#[test]
fn floats() {
    let input: Vec<f32> = (0..128).map(|i| (i * 13 % 31) as f32).collect();
    let expected: Vec<f32> = (0..128)
        .flat_map(|i| {
            let group = &input[i / 64 * 64..i / 64 * 64 + 64];
            let until = &group[..=i % 64];
            [
                group.iter().sum(),
                until.iter().sum(),
                group.iter().copied().fold(f32::NEG_INFINITY, f32::max),
            ]
        })
        .collect();
    Launch::new("work_group", "floats", &[128])
        .local(&[64])
        .buffer(&input)
        .gives(&expected)
        .everywhere();
}

#[test]
fn async_copies() {
    let input: Vec<f32> = (0..192).map(|i| i as f32).collect();
    let expected: Vec<f32> = (0..192)
        .map(|i| {
            if i % 64 < 32 {
                i as f32 * 2.0
            } else {
                i as f32
            }
        })
        .collect();
    Launch::new("work_group", "async_copy", &[96])
        .local(&[32])
        .buffer(&input)
        .gives(&expected)
        .local_memory(64 * 4)
        .everywhere();
}
