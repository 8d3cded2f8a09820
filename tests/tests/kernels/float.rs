//! Single precision: operations that must be exact.

use stack_tests::{Launch, Random};

/// Numbers of every magnitude, infinities, zeros and denormals, but no NaN.
fn numbers(seed: u64, count: usize) -> Vec<f32> {
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        2.5,
        0.5,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        f32::MIN_POSITIVE,
        f32::from_bits(1),
        -f32::from_bits(0x7f_ffff),
        8_388_607.5,
        16_777_216.0,
    ];
    let mut random = Random::new(seed);
    (0..count)
        .map(|_| match random.below(4) {
            0 => special[random.below(special.len() as u64) as usize],
            1 => random.between(-8.0, 8.0) as f32,
            _ => {
                let bits = random.bits() as u32;
                let number = f32::from_bits(bits);
                if number.is_nan() {
                    f32::from_bits(bits & 0xbfff_ffff)
                } else {
                    number
                }
            }
        })
        .collect()
}

/// Equal, NaN being equal to NaN and the zeros to each other.
fn same(_: usize, got: &f32, expected: &f32) -> bool {
    got == expected || (got.is_nan() && expected.is_nan())
}

fn next_after(x: f32, y: f32) -> f32 {
    if x == y {
        y
    } else if x < y {
        x.next_up()
    } else {
        x.next_down()
    }
}

fn exact(i: usize, x: f32, y: f32, z: f32) -> [f32; 21] {
    let power = (i % 40) as i32 - 20;
    let sign = if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        x
    };
    [
        x + y,
        x - y,
        x * y,
        x.mul_add(y, z),
        x.min(y),
        x.max(y),
        x.abs(),
        -x,
        x.copysign(y),
        x.floor(),
        x.ceil(),
        x.trunc(),
        x.round_ties_even(),
        x.round(),
        x % y,
        sign,
        next_after(x, y),
        (f64::from(x) * f64::from(power).exp2()) as f32,
        x.clamp(y.min(z), y.max(z)),
        if y < x { 0.0 } else { 1.0 },
        if x > y { x - y } else { 0.0 },
    ]
}

const NAMES: [&str; 21] = [
    "x + y",
    "x - y",
    "x * y",
    "fma",
    "fmin",
    "fmax",
    "fabs",
    "-x",
    "copysign",
    "floor",
    "ceil",
    "trunc",
    "rint",
    "round",
    "fmod",
    "sign",
    "nextafter",
    "ldexp",
    "clamp",
    "step",
    "fdim",
];

#[test]
fn exact_operations() {
    const COUNT: usize = 1024;
    let [a, b, c] = [30, 31, 32].map(|seed| numbers(seed, COUNT));
    let expected: Vec<f32> = (0..COUNT)
        .flat_map(|i| exact(i, a[i], b[i], c[i]))
        .collect();
    let of = |at: usize| {
        let (name, i) = (NAMES[at % 21], at / 21);
        format!("{name} of {:e} {:e} {:e}", a[i], b[i], c[i])
    };
    Launch::new("float", "exact", &[COUNT as u64])
        .buffer(&a)
        .buffer(&b)
        .buffer(&c)
        .fits(&expected, same, of)
        .everywhere();
}

#[test]
fn comparisons() {
    const COUNT: usize = 600;
    let mut a = numbers(33, COUNT);
    let mut b = numbers(34, COUNT);
    for i in (0..COUNT).step_by(7) {
        a[i] = f32::NAN;
    }
    for i in (0..COUNT).step_by(5) {
        b[i] = if i % 2 == 0 { f32::NAN } else { a[i] };
    }
    let expected: Vec<i32> = a
        .iter()
        .zip(&b)
        .map(|(x, y)| {
            let unordered = x.is_nan() || y.is_nan();
            [
                x == y,
                x != y,
                x < y,
                x <= y,
                x > y,
                x >= y,
                x.is_nan(),
                x.is_infinite(),
                x.is_finite(),
                x.is_normal(),
                x.is_sign_negative(),
                !unordered,
                unordered,
                x < y || y < x,
            ]
            .iter()
            .enumerate()
            .map(|(bit, set)| i32::from(*set) << bit)
            .sum()
        })
        .collect();
    Launch::new("float", "compare", &[COUNT as u64])
        .buffer(&a)
        .buffer(&b)
        .gives(&expected)
        .everywhere();
}

/// The exponent `e` with `x = m * 2^e`, `0.5 <= |m| < 1`.
fn exponent(x: f32) -> i32 {
    // Every denormal of f32 is a normal number of f64.
    ((f64::from(x).to_bits() >> 52) & 0x7ff) as i32 - 1022
}

#[test]
fn parts() {
    let a: Vec<f32> = numbers(35, 800)
        .into_iter()
        .filter(|x| x.is_finite() && *x != 0.0)
        .collect();
    let expected: Vec<f32> = a
        .iter()
        .flat_map(|&x| {
            let mantissa = (f64::from(x) * f64::from(-exponent(x)).exp2()) as f32;
            [mantissa, x - x.trunc(), x.trunc()]
        })
        .collect();
    let exponents: Vec<i32> = a
        .iter()
        .flat_map(|&x| [exponent(x), exponent(x) - 1])
        .collect();
    Launch::new("float", "parts", &[a.len() as u64])
        .buffer(&a)
        .gives(&expected)
        .gives(&exponents)
        .everywhere();
}

#[test]
fn moves_keep_every_bit() {
    // Including quiet NaNs with payloads, and denormals.
    let input: Vec<u32> = Random::new(36)
        .many(512, |bits| bits as u32)
        .into_iter()
        .enumerate()
        .map(|(i, bits)| match i % 3 {
            0 => bits | 0x7fc0_0000,
            1 => bits & 0x807f_ffff,
            _ => {
                if f32::from_bits(bits).is_nan() {
                    bits | 0x0040_0000
                } else {
                    bits
                }
            }
        })
        .collect();
    let expected: Vec<u32> = (0..512)
        .map(|i| if i & 3 == 2 { input[i ^ 1] } else { input[i] })
        .collect();
    Launch::new("float", "move_bits", &[512])
        .buffer(&input)
        .gives(&expected)
        .value(2i32)
        .everywhere();
}
