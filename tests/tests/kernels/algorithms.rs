//! Whole algorithms.

use stack_tests::{Launch, Random, compare};

const FILE: &str = "algorithms";

fn random_dwords(seed: u64, count: usize) -> Vec<u32> {
    Random::new(seed).many(count, |bits| bits as u32)
}

#[test]
fn bitonic_sort() {
    let values = random_dwords(1, 384);
    let mut expected = values.clone();
    expected.chunks_mut(128).for_each(<[u32]>::sort_unstable);
    Launch::new(FILE, "bitonic_sort", &[384])
        .local(&[128])
        .buffer(&values)
        .local_memory(128 * 4)
        .becomes(0, &expected)
        .everywhere();
}

#[test]
fn prefix_sums() {
    const PART: usize = 256;
    let values: Vec<i32> = random_dwords(2, 3 * PART)
        .into_iter()
        .map(|v| v as i32)
        .collect();
    let mut expected = Vec::new();
    let mut totals = Vec::new();
    for part in values.chunks(PART) {
        let mut sum = 0i32;
        for value in part {
            expected.push(sum);
            sum = sum.wrapping_add(*value);
        }
        totals.push(sum);
    }
    Launch::new(FILE, "prefix_sums", &[3 * PART as u64 / 2])
        .local(&[PART as u32 / 2])
        .buffer(&values)
        .gives(&totals)
        .becomes(0, &expected)
        .everywhere();
}

#[test]
fn histogram() {
    let mut random = Random::new(3);
    let data: Vec<u8> = (0..3001).map(|_| (random.below(20) * 13) as u8).collect();
    let mut expected = [0u32; 256];
    for value in &data {
        expected[usize::from(*value)] += 1;
    }
    Launch::new(FILE, "histogram", &[192])
        .local(&[64])
        .buffer(&data)
        .buffer(&[0u32; 256])
        .value(data.len() as u32)
        .becomes(1, &expected)
        .everywhere();
}

#[test]
fn matrix_product() {
    const N: usize = 24;
    // Small whole numbers: every sum is exact, in any order.
    let mut random = Random::new(4);
    let mut matrix = || -> Vec<f32> { (0..N * N).map(|_| random.below(64) as f32).collect() };
    let (a, b) = (matrix(), matrix());
    let expected: Vec<f32> = (0..N * N)
        .map(|at| (0..N).map(|k| a[at / N * N + k] * b[k * N + at % N]).sum())
        .collect();
    Launch::new(FILE, "matrix_product", &[N as u64, N as u64])
        .local(&[8, 8])
        .buffer(&a)
        .buffer(&b)
        .gives(&expected)
        .value(N as i32)
        .everywhere();
}

#[test]
fn fourier() {
    const N: usize = 64;
    let mut random = Random::new(5);
    let points: Vec<f32> = (0..N * 4)
        .map(|_| random.below(2000) as f32 / 1000.0 - 1.0)
        .collect();
    let mut expected = Vec::new();
    for part in points.chunks(N * 2) {
        for k in 0..N {
            let (mut re, mut im) = (0.0, 0.0);
            for (n, point) in part.chunks(2).enumerate() {
                let angle = -std::f64::consts::TAU * (k * n % N) as f64 / N as f64;
                let (x, y) = (f64::from(point[0]), f64::from(point[1]));
                re += x * angle.cos() - y * angle.sin();
                im += x * angle.sin() + y * angle.cos();
            }
            expected.extend([re, im]);
        }
    }
    // Six stages, each off by a few units of numbers of at most N.
    let is_near = |_, got: &f32, expected: &f64| (f64::from(*got) - expected).abs() < 1e-4;
    Launch::new(FILE, "fourier", &[2 * N as u64])
        .local(&[N as u32])
        .buffer(&points)
        .value(N.ilog2() as i32)
        .satisfies(|what, results| {
            compare::fit(what, &results.read::<f32>(0), &expected, is_near, |_| "");
        })
        .everywhere();
}

/// SHA-256 of "abc" and of the empty message: FIPS 180-4's examples.
#[test]
fn sha256() {
    let mut abc = [0u8; 64];
    abc[..4].copy_from_slice(b"abc\x80");
    abc[63] = 24;
    let mut nothing = [0u8; 64];
    nothing[0] = 0x80;
    let digest = |text: &str| -> Vec<u32> {
        let words = text.split(' ');
        words.map(|w| u32::from_str_radix(w, 16).unwrap()).collect()
    };
    let abc_digest =
        digest("ba7816bf 8f01cfea 414140de 5dae2223 b00361a3 96177a9c b410ff61 f20015ad");
    let empty_digest =
        digest("e3b0c442 98fc1c14 9afbf4c8 996fb924 27ae41e4 649b934c a495991b 7852b855");
    // Enough items for full sub-groups, and one that is not full.
    let blocks: Vec<u8> = (0..41)
        .flat_map(|item| if item % 3 == 0 { abc } else { nothing })
        .collect();
    let expected: Vec<u32> = (0..41)
        .flat_map(|item| {
            if item % 3 == 0 {
                &abc_digest
            } else {
                &empty_digest
            }
        })
        .copied()
        .collect();
    Launch::new(FILE, "sha256", &[41])
        .buffer(&blocks)
        .gives(&expected)
        .everywhere();
}

#[test]
fn collatz() {
    let starts: Vec<u32> = random_dwords(6, 150)
        .into_iter()
        .map(|v| v % 100_000 + 1)
        .collect();
    let steps = |start: u32| {
        let mut n = u64::from(start);
        let mut count = 0u32;
        while n != 1 && count < 500 {
            n = if n % 2 == 1 { 3 * n + 1 } else { n / 2 };
            count += 1;
        }
        count
    };
    let expected: Vec<u32> = starts.iter().map(|start| steps(*start)).collect();
    Launch::new(FILE, "collatz", &[150])
        .buffer(&starts)
        .gives(&expected)
        .everywhere();
}

#[test]
fn transpose() {
    const WIDTH: usize = 21;
    const HEIGHT: usize = 13;
    let from: Vec<f32> = (0..WIDTH * HEIGHT).map(|v| v as f32).collect();
    let expected: Vec<f32> = (0..WIDTH * HEIGHT)
        .map(|at| from[at % HEIGHT * WIDTH + at / HEIGHT])
        .collect();
    Launch::new(FILE, "transpose", &[24, 16])
        .local(&[8, 8])
        .buffer(&from)
        .gives(&expected)
        .value(WIDTH as i32)
        .value(HEIGHT as i32)
        .everywhere();
}

#[test]
fn find_roots() {
    let mut random = Random::new(7);
    let parents: Vec<u32> = (0..200u64)
        .map(|i| {
            if i < 5 {
                i as u32
            } else {
                random.below(i) as u32
            }
        })
        .collect();
    let expected: Vec<u32> = (0..200u32)
        .map(|item| {
            let (mut at, mut depth) = (item, 0);
            while parents[at as usize] != at {
                at = parents[at as usize];
                depth += 1;
            }
            at * 1000 + depth
        })
        .collect();
    Launch::new(FILE, "find_roots", &[200])
        .buffer(&parents)
        .gives(&expected)
        .everywhere();
}
