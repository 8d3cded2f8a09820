//! Half precision.

use half::f16;
use stack_tests::{Launch, Random};

/// How a number between two halves is rounded.
#[derive(Clone, Copy, Debug)]
enum Rounding {
    Nearest,
    Zero,
    Up,
    Down,
}

/// The half that `x` rounds to. Computed with integers: a conversion through `f32` would round
/// twice.
fn to_half(x: f64, rounding: Rounding) -> f16 {
    if x.is_nan() {
        return f16::NAN;
    }
    if x.is_infinite() {
        return f16::from_f64(x);
    }
    let negative = x.is_sign_negative();
    let magnitude = x.abs();
    // In units of the last place: the exponent of a half is at least -14, and it has 10 bits.
    let exponent = if magnitude == 0.0 {
        -14
    } else {
        (magnitude.log2().floor() as i32).max(-14)
    };
    let units = magnitude * f64::from(10 - exponent).exp2();
    let rounded = match (rounding, negative) {
        (Rounding::Nearest, _) => units.round_ties_even(),
        (Rounding::Zero, _) | (Rounding::Up, true) | (Rounding::Down, false) => units.floor(),
        (Rounding::Up, false) | (Rounding::Down, true) => units.ceil(),
    };
    let value = rounded * f64::from(exponent - 10).exp2();
    let value = if value > 65504.0 {
        let overflows = match rounding {
            Rounding::Nearest => true,
            Rounding::Zero => false,
            Rounding::Up => !negative,
            Rounding::Down => negative,
        };
        if overflows { f64::INFINITY } else { 65504.0 }
    } else {
        value
    };
    // Exact now.
    f16::from_f64(if negative { -value } else { value })
}

fn halves(seed: u64, count: usize) -> Vec<f16> {
    let mut random = Random::new(seed);
    (0..count)
        .map(|i| match i % 4 {
            0 => f16::from_f64(random.between(-4.0, 4.0)),
            1 => f16::from_f64(random.between(-300.0, 300.0)),
            _ => {
                let half = f16::from_bits(random.bits() as u16);
                if half.is_nan() {
                    f16::from_f32(0.5)
                } else {
                    half
                }
            }
        })
        .collect()
}

fn bits(values: &[f16]) -> Vec<u16> {
    values.iter().map(|v| v.to_bits()).collect()
}

/// Equal, NaN being equal to NaN and the zeros to each other.
fn same(_: usize, got: &u16, expected: &f16) -> bool {
    let got = f16::from_bits(*got);
    got == *expected || (got.is_nan() && expected.is_nan())
}

/// `x * y + z`, rounded once. Products of halves are multiples of 2^-48 below 2^33, so that the
/// sum is exact as an integer of 128 bits.
fn fma(x: f16, y: f16, z: f16) -> f16 {
    let [a, b, c] = [x, y, z].map(|h| h.to_f64());
    if !(a.is_finite() && b.is_finite() && c.is_finite()) {
        return to_half(a * b + c, Rounding::Nearest);
    }
    let sum = ((a * b) * 48f64.exp2()) as i128 + (c * 48f64.exp2()) as i128;
    // To 53 bits, the last of which records whether anything was cut: enough to round once more to
    // 11.
    let magnitude = sum.unsigned_abs();
    let cut = (128 - magnitude.leading_zeros()).saturating_sub(53);
    let kept = magnitude >> cut;
    let sticky = u128::from(kept << cut != magnitude);
    let value = (kept | sticky) as f64 * f64::from(cut as i32 - 48).exp2();
    to_half(if sum < 0 { -value } else { value }, Rounding::Nearest)
}

#[test]
fn arithmetic() {
    const COUNT: usize = 1024;
    const NAMES: [&str; 12] = [
        "x + y", "x - y", "x * y", "fma", "fmin", "fmax", "fabs", "floor", "ceil", "trunc", "rint",
        "-x",
    ];
    let [a, b, c] = [50, 51, 52].map(|seed| halves(seed, COUNT));
    let expected: Vec<f16> = (0..COUNT)
        .flat_map(|i| {
            let (x, y) = (a[i].to_f64(), b[i].to_f64());
            let near = |v| to_half(v, Rounding::Nearest);
            [
                near(x + y),
                near(x - y),
                near(x * y),
                fma(a[i], b[i], c[i]),
                near(x.min(y)),
                near(x.max(y)),
                near(x.abs()),
                near(x.floor()),
                near(x.ceil()),
                near(x.trunc()),
                near(x.round_ties_even()),
                near(-x),
            ]
        })
        .collect();
    let of = |at: usize| {
        let (name, i) = (NAMES[at % 12], at / 12);
        format!("{name} of {} {} {}", a[i], b[i], c[i])
    };
    Launch::new("half", "arithmetic", &[COUNT as u64])
        .buffer(&bits(&a))
        .buffer(&bits(&b))
        .buffer(&bits(&c))
        .fits(&expected, same, of)
        .everywhere();
}

#[test]
fn math() {
    // The limits of cl_khr_fp16 in ULP (OpenCL 2.0 extensions, 9.5.14).
    type Row = (&'static str, f64, fn(f64) -> f64);
    const ROWS: [Row; 8] = [
        ("sqrt", 0.5, f64::sqrt),
        // 1.0 is the limit; for Broadwell, Intel's compiler rounds the root before it divides.
        ("rsqrt", 1.5, |x| 1.0 / x.sqrt()),
        ("exp2", 2.0, f64::exp2),
        ("log2", 2.0, f64::log2),
        ("sin", 2.0, f64::sin),
        ("cos", 2.0, f64::cos),
        ("1 / x", 0.5, |x| 1.0 / x),
        ("exp", 2.0, f64::exp),
    ];
    let mut random = Random::new(53);
    let a: Vec<f16> = (0..512)
        .map(|_| f16::from_f64(random.between(0.01, 9.0)))
        .collect();
    let expected: Vec<f64> = a
        .iter()
        .flat_map(|x| ROWS.map(|(_, _, reference)| reference(x.to_f64())))
        .collect();
    let is_near = |at: usize, got: &u16, expected: &f64| {
        let unit = (expected.abs().log2().floor().max(-14.0) - 10.0).exp2();
        (f16::from_bits(*got).to_f64() - expected).abs() / unit <= ROWS[at % 8].1
    };
    Launch::new("half", "math", &[512])
        .buffer(&bits(&a))
        .fits(&expected, is_near, |at| {
            format!("{} of {}", ROWS[at % 8].0, a[at / 8])
        })
        .everywhere();
}

#[test]
fn widening_is_exact() {
    // Every half except signalling NaNs.
    let all: Vec<u16> = (0..=u16::MAX)
        .map(|bits| {
            if f16::from_bits(bits).is_nan() {
                bits | 0x200
            } else {
                bits
            }
        })
        .collect();
    let expected: Vec<f32> = all.iter().map(|v| f16::from_bits(*v).to_f32()).collect();
    let same = |_, got: &f32, expected: &f32| got == expected || got.is_nan() && expected.is_nan();
    Launch::new("half", "widen", &[65536])
        .buffer(&all)
        .fits(&expected, same, |at| format!("{:#06x}", all[at]))
        .fits(&expected, same, |at| format!("{:#06x}", all[at]))
        .everywhere();
}

#[test]
fn narrowing_rounds_as_asked() {
    let mut random = Random::new(54);
    let mut input: Vec<f32> = (0..1000)
        .map(|i| match i % 3 {
            0 => random.between(-1.0, 1.0) as f32,
            1 => random.between(-70000.0, 70000.0) as f32,
            _ => random.between(-1e-4, 1e-4) as f32,
        })
        .collect();
    input.extend([
        0.0,
        -0.0,
        65504.0,
        65519.9,
        65520.0,
        -65520.0,
        1e30,
        f32::INFINITY,
        6e-8,
        2e-8,
    ]);
    // Halfway between two halves.
    input.extend([
        1.0 + 0.5 / 1024.0,
        1.0 + 1.5 / 1024.0,
        -(1.0 + 0.5 / 1024.0),
    ]);
    let modes = [
        Rounding::Nearest,
        Rounding::Zero,
        Rounding::Up,
        Rounding::Down,
        Rounding::Nearest,
    ];
    let expected: Vec<f16> = input
        .iter()
        .flat_map(|x| modes.map(|mode| to_half(f64::from(*x), mode)))
        .collect();
    Launch::new("half", "narrow", &[input.len() as u64])
        .buffer(&input)
        .fits(&expected, same, |at| {
            format!("{:e} with {:?}", input[at / 5], modes[at % 5])
        })
        .everywhere();
}

#[test]
fn vectors() {
    // Small whole numbers: every sum and product is exact.
    let mut random = Random::new(55);
    let input: Vec<f16> = (0..64 * 8)
        .map(|_| f16::from_f64(random.below(200) as f64 - 100.0))
        .collect();
    let lane = |i: usize, k: usize| input[i * 8 + k].to_f64();
    let expected: Vec<f16> = (0..64)
        .flat_map(|i| (0..8).map(move |k| (i, k)))
        .map(|(i, k)| f16::from_f64(lane(i, 7 - k) * 2.0 + lane(i, k)))
        .collect();
    let wide: Vec<f32> = (0..64)
        .flat_map(|i| (0..4).map(move |k| (i, k)))
        .map(|(i, k)| (lane(i, 2 * k + 1) + lane(i, k)) as f32)
        .collect();
    Launch::new("half", "vectors", &[64])
        .buffer(&bits(&input))
        .gives::<u16>(&bits(&expected))
        .gives(&wide)
        .everywhere();
}
