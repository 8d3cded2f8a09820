//! The math built-in functions, within the limits of the OpenCL C specification (section 7.4,
//! full profile).

use std::f64::consts::PI;

use stack_tests::{Launch, Random};

const COUNT: usize = 512;

/// `erf` by its power series, `erfc` by its continued fraction where the series would cancel
/// (Abramowitz and Stegun 7.1.5 and 7.1.14).
fn erf(x: f64) -> f64 {
    if x.abs() > 3.0 {
        return x.signum() * (1.0 - erfc(x.abs()));
    }
    let (mut term, mut sum) = (x, x);
    for n in 1..200 {
        let n = f64::from(n);
        term *= -x * x / n;
        sum += term / (2.0 * n + 1.0);
    }
    sum * 2.0 / PI.sqrt()
}

fn erfc(x: f64) -> f64 {
    if x < 2.0 {
        return 1.0 - erf(x);
    }
    let mut fraction = 0.0;
    for k in (1..200).rev() {
        fraction = f64::from(k) / 2.0 / (x + fraction);
    }
    (-x * x).exp() / (PI.sqrt() * (x + fraction))
}

/// Lanczos' approximation with g = 7, n = 9: 15 digits (Numerical Recipes, 6.1).
fn gamma(x: f64) -> f64 {
    const P: [f64; 9] = [
        0.999_999_999_999_809_9,
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    if x < 0.5 {
        return PI / ((PI * x).sin() * gamma(1.0 - x));
    }
    let x = x - 1.0;
    let sum = P
        .iter()
        .enumerate()
        .skip(1)
        .fold(P[0], |sum, (i, p)| sum + p / (x + i as f64));
    let t = x + 7.5;
    (2.0 * PI).sqrt() * t.powf(x + 0.5) * (-t).exp() * sum
}

/// The argument of sinpi and its relatives, reduced without an error.
fn turns(x: f64) -> f64 {
    (x % 2.0) * PI
}

/// One row: the function, its limit in ULP, the tested interval, the exact result.
type Unary = (&'static str, f64, f64, f64, fn(f64) -> f64);

const UNARY: [Unary; 33] = [
    ("acos", 4.0, -1.0, 1.0, f64::acos),
    ("acosh", 4.0, 1.0, 1e6, f64::acosh),
    ("acospi", 5.0, -1.0, 1.0, |x| x.acos() / PI),
    ("asin", 4.0, -1.0, 1.0, f64::asin),
    ("asinh", 4.0, -1e4, 1e4, f64::asinh),
    ("asinpi", 5.0, -1.0, 1.0, |x| x.asin() / PI),
    ("atan", 5.0, -50.0, 50.0, f64::atan),
    ("atanh", 5.0, -0.9999, 0.9999, f64::atanh),
    ("atanpi", 5.0, -50.0, 50.0, |x| x.atan() / PI),
    ("cbrt", 2.0, -1e6, 1e6, f64::cbrt),
    ("cos", 4.0, -100.0, 100.0, f64::cos),
    ("cosh", 4.0, -80.0, 80.0, f64::cosh),
    ("cospi", 4.0, -100.0, 100.0, |x| turns(x).cos()),
    ("erf", 16.0, -4.0, 4.0, erf),
    ("erfc", 16.0, -4.0, 8.0, erfc),
    ("exp", 3.0, -80.0, 80.0, f64::exp),
    ("exp2", 3.0, -120.0, 120.0, f64::exp2),
    ("exp10", 3.0, -36.0, 36.0, |x| {
        (x * std::f64::consts::LN_10).exp()
    }),
    ("expm1", 3.0, -20.0, 20.0, f64::exp_m1),
    ("log", 3.0, 1e-6, 1e6, f64::ln),
    ("log2", 3.0, 1e-6, 1e6, f64::log2),
    ("log10", 3.0, 1e-6, 1e6, f64::log10),
    ("log1p", 2.0, -0.99, 1e3, f64::ln_1p),
    ("logb", 0.0, 1e-6, 1e6, |x| x.log2().floor()),
    ("rsqrt", 2.0, 1e-6, 1e6, |x| 1.0 / x.sqrt()),
    ("sin", 4.0, -100.0, 100.0, f64::sin),
    ("sinh", 4.0, -80.0, 80.0, f64::sinh),
    ("sinpi", 4.0, -100.0, 100.0, |x| turns(x).sin()),
    // Correctly rounded, because of the option that the source is compiled with.
    ("sqrt", 0.5, 0.0, 1e30, f64::sqrt),
    ("tan", 5.0, -100.0, 100.0, f64::tan),
    ("tanh", 5.0, -10.0, 10.0, f64::tanh),
    ("tanpi", 6.0, -10.0, 10.0, |x| turns(x).tan()),
    ("tgamma", 16.0, 0.1, 30.0, gamma),
];

/// Half of the inputs over the whole interval, half near zero if that is inside.
fn inputs(seed: u64, low: f64, high: f64) -> Vec<f32> {
    let mut random = Random::new(seed);
    (0..COUNT)
        .map(|i| {
            let near = if i % 2 == 0 { 1.0 } else { 0.01 };
            let (low, high) = if low < 0.0 {
                (low * near, high * near)
            } else {
                (low, high)
            };
            random.between(low, high) as f32
        })
        .collect()
}

fn check_unary((name, limit, low, high, reference): Unary) {
    let a = inputs(40, low, high);
    let expected: Vec<f64> = a.iter().map(|x| reference(f64::from(*x))).collect();
    Launch::new("math", &format!("{name}_"), &[COUNT as u64])
        .buffer(&a)
        .within_ulps(&a, &expected, limit)
        .everywhere();
}

/// All rows between two names, so that the work is spread over threads.
fn check_from_to(first: &str, last: &str) {
    let at = |name: &str| UNARY.iter().position(|row| row.0 == name).unwrap();
    for row in &UNARY[at(first)..=at(last)] {
        check_unary(*row);
    }
}

#[test]
fn inverse_trigonometry() {
    check_from_to("acos", "atanpi");
}

#[test]
fn roots_and_cosines() {
    check_from_to("cbrt", "cospi");
}

#[test]
fn error_functions_and_exponentials() {
    check_from_to("erf", "expm1");
}

#[test]
fn logarithms() {
    check_from_to("log", "rsqrt");
}

#[test]
fn sines_and_gamma() {
    check_from_to("sin", "tgamma");
}

fn check_binary(name: &str, limit: f64, a: &[f32], b: &[f32], reference: fn(f64, f64) -> f64) {
    let expected: Vec<f64> = a
        .iter()
        .zip(b)
        .map(|(x, y)| reference(f64::from(*x), f64::from(*y)))
        .collect();
    let pairs: Vec<_> = a.iter().zip(b).collect();
    Launch::new("math", name, &[COUNT as u64])
        .buffer(a)
        .buffer(b)
        .within_ulps(&pairs, &expected, limit)
        .everywhere();
}

#[test]
fn binary_functions() {
    let a = inputs(41, -20.0, 20.0);
    let b = inputs(42, -20.0, 20.0);
    let positive = inputs(43, 0.01, 50.0);
    check_binary("atan2_", 6.0, &a, &b, f64::atan2);
    check_binary("atan2pi_", 6.0, &a, &b, |y, x| y.atan2(x) / PI);
    check_binary("hypot_", 4.0, &a, &b, f64::hypot);
    check_binary("pow_", 16.0, &positive, &b, f64::powf);
    check_binary("powr_", 16.0, &positive, &b, f64::powf);
    check_binary("remainder_", 0.0, &a, &b, |x, y| {
        // Exact: both are floats of a small range.
        x - y * (x / y).round_ties_even()
    });
    check_binary("divide", 0.5, &a, &b, |x, y| x / y);
}

#[test]
fn whole_powers_and_roots() {
    let a = inputs(44, 0.1, 9.0);
    let mut random = Random::new(45);
    let powers = random.many(COUNT, |bits| (bits % 21) as i32 - 10);
    let roots = random.many(COUNT, |bits| (bits % 9) as i32 + 1);
    type Reference = fn(f64, i32) -> f64;
    let cases: [(&str, &[i32], Reference); 2] = [
        ("pown_", &powers, f64::powi),
        ("rootn_", &roots, |x, n| x.powf(1.0 / f64::from(n))),
    ];
    for (name, b, reference) in cases {
        let expected: Vec<f64> = a
            .iter()
            .zip(b)
            .map(|(x, n)| reference(f64::from(*x), *n))
            .collect();
        let pairs: Vec<_> = a.iter().zip(b).collect();
        Launch::new("math", name, &[COUNT as u64])
            .buffer(&a)
            .buffer(b)
            .within_ulps(&pairs, &expected, 16.0)
            .everywhere();
    }
}

#[test]
fn sincos() {
    let a = inputs(46, -1e5, 1e5);
    let of = |f: fn(f64) -> f64| -> Vec<f64> { a.iter().map(|x| f(f64::from(*x))).collect() };
    Launch::new("math", "sincos_", &[COUNT as u64])
        .buffer(&a)
        .within_ulps(&a, &of(f64::sin), 4.0)
        .within_ulps(&a, &of(f64::cos), 4.0)
        .everywhere();
}

#[test]
fn natives_are_close() {
    let a = inputs(47, 0.1, 3.0);
    let expected: Vec<f64> = a
        .iter()
        .flat_map(|x| {
            let x = f64::from(*x);
            [
                x.sin(),
                x.cos(),
                x.tan(),
                x.exp(),
                x.exp2(),
                (x * std::f64::consts::LN_10).exp(),
                x.ln(),
                x.log2(),
                x.log10(),
                x.sqrt(),
                1.0 / x.sqrt(),
                1.0 / x,
            ]
        })
        .collect();
    let is_near = |at: usize, got: &f32, expected: &f64| {
        // tan has a pole in the interval, and the device divides two native results.
        let scale = expected.abs().max(1.0);
        let scale = if at % 12 == 2 { scale * scale } else { scale };
        (f64::from(*got) - expected).abs() <= 1e-3 * scale
    };
    Launch::new("math", "natives", &[COUNT as u64])
        .buffer(&a)
        .fits(&expected, is_near, |at| {
            format!("{} of {}", at % 12, a[at / 12])
        })
        .everywhere();
}

#[test]
fn geometry() {
    let mut random = Random::new(48);
    let [a, b] = [(); 2].map(|()| -> Vec<f32> {
        let components = 0..COUNT * 4;
        components
            .map(|_| random.between(-3.0, 3.0) as f32)
            .collect()
    });
    let expected: Vec<f64> = (0..COUNT)
        .flat_map(|i| {
            let lane = |v: &[f32], k: usize| f64::from(v[4 * i + k]);
            let x: [f64; 4] = std::array::from_fn(|k| lane(&a, k));
            let y: [f64; 4] = std::array::from_fn(|k| lane(&b, k));
            let dot = |p: &[f64; 4], q: &[f64; 4]| p.iter().zip(q).map(|(p, q)| p * q).sum::<f64>();
            let apart: [f64; 4] = std::array::from_fn(|k| x[k] - y[k]);
            let length = dot(&x, &x).sqrt();
            let t = ((x[1] + 2.0) / 4.0).clamp(0.0, 1.0);
            [
                dot(&x, &y),
                length,
                dot(&apart, &apart).sqrt(),
                x[1] * y[2] - x[2] * y[1],
                x[2] * y[0] - x[0] * y[2],
                x[0] * y[1] - x[1] * y[0],
                x[0] / length,
                x[3] / length,
                x[0] + (y[0] - x[0]) * 0.25,
                t * t * (3.0 - 2.0 * t),
                x[2].to_degrees(),
                x[2].to_radians(),
            ]
        })
        .collect();
    // Sums of products of numbers up to 3 cancel: the bound is absolute.
    let is_near = |_, got: &f32, expected: &f64| {
        (f64::from(*got) - expected).abs() <= 1e-5 * expected.abs().max(1.0)
    };
    Launch::new("math", "geometry", &[COUNT as u64])
        .buffer(&a)
        .buffer(&b)
        .fits(&expected, is_near, |at| {
            format!("operation {} item {}", at % 12, at / 12)
        })
        .everywhere();
}
