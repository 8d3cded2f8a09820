//! Double precision, where the platform has it.

use stack_tests::corpus::{Set, set_named};
use stack_tests::{Launch, Random, compare};

use crate::everywhere_with;

fn has_doubles(set: &Set) -> bool {
    set.has("double")
}

/// Numbers of every magnitude, infinities, zeros and denormals, but no NaN.
fn numbers(seed: u64, count: usize) -> Vec<f64> {
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        2.5,
        0.5,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MAX,
        f64::MIN_POSITIVE,
        f64::from_bits(1),
        -f64::from_bits(0xf_ffff_ffff_ffff),
        4_503_599_627_370_495.5,
    ];
    let mut random = Random::new(seed);
    (0..count)
        .map(|_| match random.below(4) {
            0 => special[random.below(special.len() as u64) as usize],
            1 => random.between(-8.0, 8.0),
            _ => {
                let number = f64::from_bits(random.bits());
                if number.is_nan() { 3.25 } else { number }
            }
        })
        .collect()
}

/// Equal, NaN being equal to NaN and the zeros to each other.
fn same(_: usize, got: &f64, expected: &f64) -> bool {
    got == expected || (got.is_nan() && expected.is_nan())
}

fn exact(x: f64, y: f64, z: f64) -> [f64; 16] {
    let narrow = x as f32;
    [
        x + y,
        x - y,
        x * y,
        x / y,
        x.mul_add(y, z),
        x.abs().sqrt(),
        x.min(y),
        x.max(y),
        x.floor(),
        x.ceil(),
        x.trunc(),
        x.round_ties_even(),
        x.copysign(y),
        f64::from(narrow),
        if x < y {
            -x
        } else if x == y {
            0.0
        } else {
            z
        },
        1.0 / x,
    ]
}

const NAMES: [&str; 16] = [
    "x + y", "x - y", "x * y", "x / y", "fma", "sqrt", "fmin", "fmax", "floor", "ceil", "trunc",
    "rint", "copysign", "float", "select", "1 / x",
];

#[test]
fn exact_operations() {
    const COUNT: usize = 512;
    let [a, b, c] = [130, 131, 132].map(|seed| numbers(seed, COUNT));
    let expected: Vec<f64> = (0..COUNT).flat_map(|i| exact(a[i], b[i], c[i])).collect();
    let of = |at: usize| {
        let (name, i) = (NAMES[at % 16], at / 16);
        format!("{name} of {:e} {:e} {:e}", a[i], b[i], c[i])
    };
    Launch::new("double", "exact", &[COUNT as u64])
        .buffer(&a)
        .buffer(&b)
        .buffer(&c)
        .fits(&expected, same, of)
        .everywhere_with(has_doubles);
}

#[test]
fn from_integers() {
    const COUNT: usize = 256;
    let a = Random::new(133).many(COUNT, |bits| bits as i32 >> (bits >> 59));
    let b = Random::new(134).many(COUNT, |bits| bits as i64 >> (bits & 31));
    let expected: Vec<f64> = a
        .iter()
        .zip(&b)
        .flat_map(|(&a, &b)| {
            [
                f64::from(a),
                f64::from(a as u32),
                b as f64,
                b as u64 as f64,
                f64::from(a as i16),
                f64::from(a as u8),
            ]
        })
        .collect();
    Launch::new("double", "from_integers", &[COUNT as u64])
        .buffer(&a)
        .buffer(&b)
        .gives(&expected)
        .everywhere_with(has_doubles);
}

#[test]
fn to_integers() {
    let mut random = Random::new(135);
    let input: Vec<f64> = (0..256)
        .map(|i| match i % 4 {
            0 => random.between(-1e9, 1e9),
            1 => random.between(-100_000.0, 100_000.0),
            2 => random.below(2000) as f64 / 2.0 - 500.0,
            _ => random.between(-2.0, 2.0),
        })
        .collect();
    let expected: Vec<i64> = input
        .iter()
        .flat_map(|&x| {
            let wide = x * 4_294_967_296.0;
            [
                i64::from(x as i32),
                wide as i64,
                i64::from(x.abs() as u32),
                wide.abs() as u64 as i64,
                i64::from(x.round_ties_even() as i32),
                i64::from(x as i16),
            ]
        })
        .collect();
    Launch::new("double", "to_integers", &[input.len() as u64])
        .buffer(&input)
        .gives(&expected)
        .everywhere_with(has_doubles);
}

#[test]
fn functions() {
    // The limits in ULP of OpenCL C 7.4, and one for the host's function.
    type Row = (&'static str, f64, fn(f64) -> f64);
    const ROWS: [Row; 8] = [
        ("exp", 4.0, f64::exp),
        ("log", 4.0, f64::ln),
        ("sin", 5.0, f64::sin),
        ("cos", 5.0, f64::cos),
        ("pow", 17.0, |x| x.powf(1.5)),
        ("cbrt", 3.0, f64::cbrt),
        ("atan", 6.0, f64::atan),
        ("rsqrt", 3.0, |x| 1.0 / x.sqrt()),
    ];
    let mut random = Random::new(136);
    let input: Vec<f64> = (0..256)
        .map(|i| random.between(1e-3, if i % 8 == 0 { 600.0 } else { 10.0 }))
        .collect();
    let expected: Vec<f64> = input
        .iter()
        .flat_map(|x| ROWS.map(|(_, _, reference)| reference(*x)))
        .collect();
    let is_near = |at: usize, got: &f64, expected: &f64| {
        let unit = expected.abs().next_up() - expected.abs();
        (got - expected).abs() / unit <= ROWS[at % 8].1
    };
    Launch::new("double", "functions", &[input.len() as u64])
        .buffer(&input)
        .fits(&expected, is_near, |at| {
            format!("{} of {}", ROWS[at % 8].0, input[at / 8])
        })
        .everywhere_with(has_doubles);
}

#[test]
fn exchange() {
    let (group, groups) = (64usize, 3);
    let input: Vec<[f64; 4]> = numbers(137, group * groups * 4)
        .chunks(4)
        .map(|v| [v[0], v[1], v[2], 1.0 + v[3].abs().min(1e9)])
        .collect();
    everywhere_with(has_doubles, |platform| {
        let binary = umd::Binary::parse(&set_named(platform).zebin("double")).unwrap();
        let simd = binary.kernel("exchange").unwrap().simd as usize;
        let expected: Vec<[u64; 4]> = (0..input.len())
            .map(|i| {
                let v = input[i];
                let opposite = input[i / group * group + group - 1 - i % group];
                let first = input[i / simd * simd][0];
                [opposite[0] + opposite[3], v[2], v[1], first].map(f64::to_bits)
            })
            .collect();
        let results = Launch::new("double", "exchange", &[input.len() as u64])
            .local(&[group as u32])
            .buffer(&input)
            .local_memory(group as u32 * 8)
            .out::<[u64; 4]>(input.len())
            .run(platform);
        compare::equal(platform, &results.read::<[u64; 4]>(2), &expected);
    });
}
