//! Private memory.

use stack_tests::{Launch, Random};

#[test]
fn small_array() {
    let n = 9;
    let expected: Vec<i32> = (0..100)
        .map(|i| {
            let mut a: Vec<i32> = (0..16).map(|k| i * k + n).collect();
            for k in 0..n {
                a[((k * 7 + i) & 15) as usize] += a[((k * 11) & 15) as usize];
            }
            a.iter()
                .fold(0i32, |sum, v| sum.wrapping_mul(3).wrapping_add(*v))
        })
        .collect();
    Launch::new("private", "small_array", &[100])
        .gives(&expected)
        .value(n)
        .everywhere();
}

#[test]
fn large_array() {
    let n = 70;
    let expected: Vec<i32> = (0..200)
        .map(|i| {
            let mut a: Vec<i32> = (0..300).map(|k| k * n + i).collect();
            for k in 0..n {
                let add = a[((k * 11 + i) % 300) as usize];
                let to = &mut a[((k * 7) % 300) as usize];
                *to = to.wrapping_add(add);
            }
            a[((n + i) % 300) as usize]
        })
        .collect();
    Launch::new("private", "large_array", &[200])
        .gives(&expected)
        .value(n)
        .everywhere();
}

#[test]
fn huge_array() {
    let n = 300;
    let expected: Vec<i32> = (0..64)
        .map(|i| (0..n).map(|k| ((k * 77 + i) % 5000) ^ (n + i)).sum())
        .collect();
    Launch::new("private", "huge_array", &[64])
        .gives(&expected)
        .value(n)
        .everywhere();
}

#[test]
fn bytes_and_longs() {
    let input = Random::new(70).many(256, |bits| bits as u8);
    let expected: Vec<i64> = (0..100usize)
        .map(|i| {
            let bytes: Vec<u8> = (0..64).map(|k| input[(i + k) & 255]).collect();
            let shorts: Vec<i16> = (0..48)
                .map(|k| (i32::from(bytes[(k + i) & 63]) * 100 - 3000) as i16)
                .collect();
            let longs: Vec<i64> = (0..32)
                .map(|k| i64::from(shorts[(k * 5 + i) % 48]) << 20)
                .collect();
            (0..32).fold(0, |sum, k| {
                sum ^ (longs[(k * i) & 31] + i64::from(bytes[(k + i * 3) & 63]))
            })
        })
        .collect();
    Launch::new("private", "bytes_and_longs", &[100])
        .gives(&expected)
        .buffer(&input)
        .everywhere();
}

#[test]
fn spills() {
    const ITEMS: usize = 32;
    const STEPS: usize = 5;
    type Wide = [f32; 16];
    fn lanes(f: impl Fn(usize) -> f32) -> Wide {
        std::array::from_fn(f)
    }
    // Small whole numbers stay exact through the few steps.
    let mut random = Random::new(71);
    let input: Vec<f32> = (0..ITEMS * 8 * 16)
        .map(|_| random.below(5) as f32 - 2.0)
        .collect();
    let vector = |at: usize| lanes(|k| input[at * 16 + k]);
    let mut expected = vec![0.0f32; input.len()];
    for i in 0..ITEMS {
        let mut v: [Wide; 8] = std::array::from_fn(|j| vector(i + j * ITEMS));
        for step in 0..STEPS {
            let t = vector(i + step);
            v[0] = lanes(|k| v[0][k] + t[k] * v[1][k ^ 1]);
            v[1] = lanes(|k| v[1][k] - t[k] + v[2][k]);
            v[2] = lanes(|k| v[2][k] + t[k] - v[3][(k + 8) % 16]);
            v[3] = lanes(|k| v[3][k] - t[k] + v[4][k]);
            v[4] = lanes(|k| v[4][k] + t[k] - v[5][k]);
            v[5] = lanes(|k| v[5][k] - t[k] + v[6][15 - k]);
            v[6] = lanes(|k| v[6][k] + t[k] - v[7][k]);
            v[7] = lanes(|k| v[7][k] - t[k] + v[0][k]);
        }
        for (j, vector) in v.iter().enumerate() {
            let at = (i + j * ITEMS) * 16;
            expected[at..at + 16].copy_from_slice(vector);
        }
    }
    Launch::new("private", "spill", &[ITEMS as u64])
        .buffer(&input)
        .gives(&expected)
        .value(STEPS as i32)
        .everywhere();
}
