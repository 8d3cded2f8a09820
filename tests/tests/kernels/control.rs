//! Divergent control flow.

use stack_tests::{Launch, Random};

#[test]
fn collatz() {
    let input: Vec<u32> = (1..=500).collect();
    let expected: Vec<u32> = input
        .iter()
        .map(|&start| {
            let (mut x, mut steps) = (start, 0);
            while x > 1 && steps < 100 {
                x = if x & 1 == 1 { 3 * x + 1 } else { x / 2 };
                steps += 1;
            }
            steps
        })
        .collect();
    Launch::new("control", "collatz", &[500])
        .gives(&expected)
        .buffer(&input)
        .value(100u32)
        .everywhere();
}

fn nested_reference(input: &[i32], i: usize, n: i32) -> i32 {
    let mut x = input[i];
    while x > 0 {
        if x & 1 != 0 {
            if x % 7 == 3 {
                break;
            }
            x -= input[(x & 15) as usize] & 0xff;
            if x == 5 {
                continue;
            }
        } else {
            match x & 6 {
                0 => x >>= 1,
                2 => x -= 3,
                4 => x /= n,
                _ => x -= 1,
            }
        }
        for j in 0..n {
            if input[j as usize] & 0xff == x {
                break;
            }
            x ^= j;
        }
        x -= 2;
    }
    x
}

#[test]
fn nested() {
    let mut random = Random::new(5);
    let n = 3;
    let input = random.many(640, |bits| (bits % 5000) as i32 - 500);
    let expected: Vec<i32> = (0..input.len())
        .map(|i| nested_reference(&input, i, n))
        .collect();
    Launch::new("control", "nested", &[640])
        .gives(&expected)
        .buffer(&input)
        .value(n)
        .everywhere();
}

#[test]
fn early_return() {
    let threshold = 150;
    let untouched = i32::from_le_bytes([0xcd; 4]);
    let expected: Vec<i32> = (0..300)
        .map(|i| {
            if i % 3 == 0 {
                return untouched;
            }
            if i > threshold {
                return 1;
            }
            2 + (0..i).take_while(|k| k * k <= i).sum::<i32>()
        })
        .collect();
    Launch::new("control", "early_return", &[300])
        .gives(&expected)
        .value(threshold)
        .everywhere();
}

fn classify(x: i32) -> i32 {
    match x % 11 {
        0 => 100,
        1 => x.wrapping_mul(3),
        2 => x - 7,
        3 | 4 => x / 2,
        5 => (x + 9) ^ 0x55,
        6 => x ^ 0x55,
        9 => -x,
        _ => x % 5,
    }
}

#[test]
fn switches() {
    let input = Random::new(6).many(512, |bits| (bits % 2_000_000) as i32 - 1_000_000);
    let expected: Vec<i32> = input
        .iter()
        .map(|&start| {
            let (mut x, mut sum) = (start, 0i32);
            loop {
                sum = sum.wrapping_add(classify(x));
                x /= 3;
                if x == 0 {
                    return sum;
                }
            }
        })
        .collect();
    Launch::new("control", "switches", &[512])
        .gives(&expected)
        .buffer(&input)
        .everywhere();
}

#[test]
fn barrier_loop() {
    let (size, rounds, groups) = (96usize, 7usize, 3usize);
    let mut scratch: Vec<i32> = (0..size as i32).collect();
    for r in 0..rounds {
        let before = scratch.clone();
        for (l, value) in scratch.iter_mut().enumerate() {
            let neighbour = before[(l + r + 1) % size];
            let add: i32 = (0..(l as i32 & 7)).map(|k| neighbour + k).sum();
            *value += add & 0xff;
        }
    }
    let expected = scratch.repeat(groups);
    Launch::new("control", "barrier_loop", &[(size * groups) as u64])
        .local(&[size as u32])
        .gives(&expected)
        .local_memory(size as u32 * 4)
        .value(rounds as i32)
        .everywhere();
}
