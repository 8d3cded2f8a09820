//! Atomic operations.

use stack_tests::{Launch, compare};

use crate::everywhere;

const COUNT: i32 = 1000;

#[test]
fn shared_words() {
    let sum: i32 = (0..COUNT).sum();
    let spread = || (0..COUNT).map(|i| i * 7 % 1000 - 300);
    let xor = (0..COUNT).fold(0x1234, |x, i| x ^ i);
    let expected = [
        5 + sum,
        5 - sum,
        COUNT,
        -COUNT,
        spread().min().unwrap(),
        spread().max().unwrap(),
        !0xffff,
        -1,
        xor,
    ];
    Launch::new("atomics", "shared_words", &[COUNT as u64])
        .buffer(&[5i32, 5, 0, 0, 1000, -1000, -1, 0, 0x1234])
        .buffer(&[u32::MAX, 0])
        .becomes(0, &expected)
        .becomes::<u32>(1, &[5, 0x8000_0000 | (COUNT as u32 - 1)])
        .everywhere();
}

#[test]
fn tickets() {
    Launch::new("atomics", "tickets", &[2000])
        .buffer(&[0u32])
        .buffer(&[0u32; 2000])
        .becomes::<u32>(0, &[2000])
        .becomes::<u32>(1, &[1; 2000])
        .everywhere();
}

#[test]
fn own_words() {
    let start: Vec<i32> = (0..COUNT).map(|i| i - 500).collect();
    let mut words = start.clone();
    let mut before = Vec::new();
    for (i, word) in (0..COUNT).zip(&mut words) {
        before.push(std::mem::replace(word, i * 3));
        before.push(std::mem::replace(word, i + 1));
        before.push(*word);
        before.push(std::mem::replace(word, i + 11));
        before.push(*word);
        *word = (*word).min(50);
        before.push(*word);
        *word ^= 0xff;
    }
    Launch::new("atomics", "own_words", &[COUNT as u64])
        .buffer(&start)
        .gives(&before)
        .becomes(0, &words)
        .everywhere();
}

#[test]
fn local_words() {
    let group = 100;
    let expected: Vec<i32> = [(0..group).sum(), -1, 1000 - (group - 1), (group - 1) * 3].repeat(3);
    Launch::new("atomics", "local_words", &[300])
        .local(&[group as u32])
        .gives(&expected)
        .local_memory(16)
        .everywhere();
}

#[test]
fn longs() {
    let count = 200i64;
    let big = |i: i64| i << 33;
    let mut words = vec![0i64; 8 + count as usize];
    words[3] = i64::MAX;
    words[4] = i64::MIN;
    let start = words.clone();
    let mut before = Vec::new();
    for i in 0..count {
        words[0] += big(i);
        words[1] -= big(i);
        words[2] += 1;
        words[3] = words[3].min(-big(i));
        words[4] = words[4].max(big(i));
        words[5] |= 1i64 << (i & 63);
        words[6] ^= big(i) + i;
        let own = 8 + i as usize;
        before.extend([words[own], big(i), -i]);
        words[own] = -i;
    }
    Launch::new("atomics", "longs", &[count as u64])
        .buffer(&start)
        .buffer(&[0u64])
        .gives(&before)
        .becomes(0, &words)
        .becomes::<u64>(1, &[big(count - 1) as u64 | 1 << 63])
        .everywhere();
}

#[test]
fn float_sum() {
    let input: Vec<f32> = (0..500).map(|i| (i % 17) as f32).collect();
    Launch::new("atomics", "float_sum", &[500])
        .buffer(&[0.5f32])
        .buffer(&input)
        .becomes(0, &[0.5 + input.iter().sum::<f32>()])
        .everywhere();
}

#[test]
fn c11() {
    let count = 256;
    everywhere(|platform| {
        let results = Launch::new("atomics", "c11", &[count as u64])
            .buffer(&[0i32, -1, 7, 0, 0])
            .buffer(&[0u32; 8])
            .run(platform);
        let words = results.read::<i32>(0);
        let sum: i32 = (0..count).sum();
        compare::equal(platform, &words[..3], &[sum, count - 1, 7 - sum]);
        assert!((1..=count).contains(&words[3]), "{platform}: {}", words[3]);
        assert_eq!(words[4], 1, "{platform}: exactly one exchange succeeds");
        compare::equal(platform, &results.read::<u32>(1), &[u32::MAX; 8]);
    });
}
