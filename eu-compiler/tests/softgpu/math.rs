//! The math library, by the bounds that the OpenCL C specification sets.

use crate::buffer;
use crate::common::{PLATFORMS, Run, numbers, run};

pub(crate) const MATH: &[u8] = include_bytes!("../kernels/math.spv");

/// How far a float is from the result in units in the last place of that.
pub(crate) fn ulps(have: f32, want: f64) -> f64 {
    let nearest = want as f32;
    if nearest.is_nan() || have.is_nan() {
        return if nearest.is_nan() && have.is_nan() {
            0.0
        } else {
            f64::INFINITY
        };
    }
    if have == nearest {
        return 0.0;
    }
    if want.is_infinite() || (have.is_infinite() && want.abs() < f64::from(f32::MAX)) {
        return f64::INFINITY;
    }
    let exponent = (want.abs().max(f64::from(f32::MIN_POSITIVE)).to_bits() >> 52) as i32 - 1023;
    let unit = 2f64.powi((exponent - 23).min(104));
    let have = if have.is_infinite() {
        2f64.powi(128).copysign(have.into())
    } else {
        have.into()
    };
    (have - want).abs() / unit
}

/// Numbers of all sizes, with edges.
pub(crate) fn floats(count: usize, seed: u32) -> Vec<f32> {
    let edges = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        2.0,
        -2.0,
        1.5,
        -1.5,
        3.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        f32::MAX,
        -f32::MAX,
        f32::MIN_POSITIVE,
        1e-45,
        -1e-45,
        1.1e-38,
        88.7,
        89.0,
        -104.0,
        1e10,
        -3e22,
        7.853_982,
        0.999_999_94,
        1.000_000_1,
    ];
    let spread = |index: usize, number: i32| match index % 4 {
        0 => f32::from_bits(number as u32),
        1 => number as f32 / 2f32.powi(31),
        2 => number as f32 / 2f32.powi(24),
        _ => number as f32 / 2f32.powi(28),
    };
    let rest = numbers(count - edges.len(), seed);
    let rest = rest
        .into_iter()
        .enumerate()
        .map(|(index, number)| spread(index, number));
    edges.into_iter().chain(rest).collect()
}

pub(crate) const COUNT: usize = 192;

pub(crate) fn floats_of(bytes: &[u8]) -> Vec<f32> {
    bytes
        .chunks_exact(4)
        .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect()
}

/// Runs a kernel on all platforms, and compares each result with its bound.
pub(crate) fn compare(
    kernel: &str,
    args: &[crate::common::Value],
    wants: &[Vec<f64>],
    bound: f64,
    show: &dyn Fn(usize) -> String,
) {
    let mut wrong = Vec::new();
    for platform in PLATFORMS {
        let what = Run {
            spirv: MATH,
            kernel,
            simd: None,
            global: &[COUNT as u64],
            local: Some(&[COUNT as u32 / 4]),
            args: args.to_vec(),
        };
        match run(platform, &what) {
            Err(why) => wrong.push(why),
            Ok(out) => {
                // The first buffer, and the last if there is a second result.
                let outs = [&out[0], out.last().unwrap()];
                for (out, want) in outs.into_iter().zip(wants) {
                    for (index, (have, want)) in floats_of(out).iter().zip(want).enumerate() {
                        let error = ulps(*have, *want);
                        if error > bound {
                            wrong.push(format!(
                                "{platform} {kernel}({}) = {have:e}, not {want:e}: {error} ulp",
                                show(index)
                            ));
                            break;
                        }
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

macro_rules! one {
    ($($name:ident $kernel:literal $bound:literal $want:expr;)*) => {$(
        #[test]
        fn $name() {
            let x = floats(COUNT, 7);
            let want: fn(f64) -> f64 = $want;
            let wants = x.iter().map(|x| want(f64::from(*x))).collect();
            let args = [buffer!(vec![0f32; COUNT]), buffer!(x)];
            compare($kernel, &args, &[wants], $bound, &|index| format!("{:e}", x[index]));
        }
    )*};
}

macro_rules! two {
    ($($name:ident $kernel:literal $bound:literal $want:expr;)*) => {$(
        #[test]
        fn $name() {
            let (x, y) = (floats(COUNT, 7), floats(COUNT, 12));
            let y: Vec<f32> = (0..COUNT).map(|index| y[(index * 5 + 3) % COUNT]).collect();
            let want: fn(f64, f64) -> f64 = $want;
            let pairs = x.iter().zip(&y);
            let wants = pairs.map(|(x, y)| want(f64::from(*x), f64::from(*y))).collect();
            let args = [buffer!(vec![0f32; COUNT]), buffer!(x), buffer!(y)];
            compare($kernel, &args, &[wants], $bound, &|index| format!("{:e}, {:e}", x[index], y[index]));
        }
    )*};
}

/// sin(pi * x): of the rest after whole turns, which is exact.
fn sinpi(x: f64) -> f64 {
    let rest = x % 2.0;
    let magnitude = rest.abs();
    let value = match magnitude {
        m if m <= 0.5 => (m * std::f64::consts::PI).sin(),
        m if m <= 1.5 => ((1.0 - m) * std::f64::consts::PI).sin(),
        m => -((2.0 - m) * std::f64::consts::PI).sin(),
    };
    if magnitude == 1.0 {
        0f64.copysign(x)
    } else {
        value * rest.signum()
    }
}

fn cospi(x: f64) -> f64 {
    let rest = (x % 2.0).abs();
    if rest == 0.5 || rest == 1.5 {
        0.0
    } else {
        sinpi(rest + 0.5)
    }
}

/// The error function: its series, and the continued fraction of its complement.
fn erfc(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x < 0.0 {
        return 2.0 - erfc(-x);
    }
    if x < 2.0 {
        return 1.0 - erf(x);
    }
    let fraction = (1..200)
        .rev()
        .fold(0.0, |rest, k| f64::from(k) / 2.0 / (x + rest));
    (-x * x).exp() / (x + fraction) / std::f64::consts::PI.sqrt()
}

fn erf(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x.abs() >= 2.0 {
        return (1.0 - erfc(x.abs())).copysign(x);
    }
    let (mut term, mut sum) = (x, x);
    for n in 1..100 {
        let n = f64::from(n);
        term *= -x * x / n;
        sum += term / (2.0 * n + 1.0);
    }
    sum * 2.0 / std::f64::consts::PI.sqrt()
}

/// The gamma function, by Stirling's series far from the poles and the recurrence.
fn gamma(x: f64) -> f64 {
    if x == 0.0 {
        return 1.0 / x;
    }
    if x.is_nan() || x == f64::NEG_INFINITY || (x < 0.0 && x.floor() == x) {
        return f64::NAN;
    }
    if x > 180.0 {
        return f64::INFINITY;
    }
    if x < -180.0 {
        return if x.floor() % 2.0 == 0.0 { 0.0 } else { -0.0 };
    }
    let (mut x, mut factor) = (x, 1.0);
    while x < 20.0 {
        factor *= x;
        x += 1.0;
    }
    let z = 1.0 / (x * x);
    let series = (1.0 / 12.0 - z * (1.0 / 360.0 - z * (1.0 / 1260.0 - z / 1680.0))) / x;
    // Half of the power at a time does not overflow.
    let half = x.powf((x - 0.5) / 2.0);
    half * (-x).exp() * half * series.exp() * (2.0 * std::f64::consts::PI).sqrt() / factor
}

one! {
    exp "exp_1" 3.0 |x| x.exp();
    exp2 "exp2_1" 3.0 |x| x.exp2();
    exp10 "exp10_1" 3.0 |x| 10f64.powf(x);
    expm1 "expm1_1" 3.0 |x| x.exp_m1();
    sinh "sinh_1" 4.0 |x| x.sinh();
    cosh "cosh_1" 4.0 |x| x.cosh();
    tanh "tanh_1" 5.0 |x| x.tanh();
    log "log_1" 3.0 |x| x.ln();
    log2 "log2_1" 3.0 |x| x.log2();
    log10 "log10_1" 3.0 |x| x.log10();
    log1p "log1p_1" 2.0 |x| x.ln_1p();
    asinh "asinh_1" 4.0 |x| if x.abs() < 1e-4 { x } else { x.asinh() };
    acosh "acosh_1" 4.0 |x| if x > 1e100 { x } else { x.acosh() };
    atanh "atanh_1" 5.0 |x| x.atanh();
    cbrt "cbrt_1" 2.0 |x| x.cbrt();
    sin "sin_1" 4.0 |x| x.sin();
    cos "cos_1" 4.0 |x| x.cos();
    tan "tan_1" 5.0 |x| x.tan();
    sine_of_turns "sinpi_1" 4.0 sinpi;
    cosine_of_turns "cospi_1" 4.0 cospi;
    tangent_of_turns "tanpi_1" 6.0 |x| {
        let (sine, cosine) = (sinpi(x), cospi(x));
        let odd = (x % 2.0).abs() == 1.0;
        if sine == 0.0 && odd { -sine } else if cosine == 0.0 { sine / 0.0 } else { sine / cosine }
    };
    asin "asin_1" 4.0 |x| x.asin();
    acos "acos_1" 4.0 |x| x.acos();
    atan "atan_1" 5.0 |x| x.atan();
    asinpi "asinpi_1" 5.0 |x| x.asin() / std::f64::consts::PI;
    acospi "acospi_1" 5.0 |x| x.acos() / std::f64::consts::PI;
    atanpi "atanpi_1" 5.0 |x| x.atan() / std::f64::consts::PI;
    error_function "erf_1" 16.0 erf;
    its_complement "erfc_1" 16.0 erfc;
    tgamma "tgamma_1" 16.0 gamma;
    logb "logb_1" 0.0 |x| match x {
        0.0 => f64::NEG_INFINITY,
        x if x.is_finite() => f64::from((x.to_bits() >> 52 & 0x7ff) as i32 - 1023),
        x => x * x,
    };
    sqrt "sqrt_1" 3.0 |x| x.sqrt();
    rsqrt "rsqrt_1" 2.0 |x| 1.0 / x.sqrt();
}

fn remainder(x: f64, y: f64) -> f64 {
    let rest = (x % y).abs();
    let (half, y) = (y.abs() / 2.0, y.abs());
    let odd = (x.abs() % (2.0 * y)) >= y;
    let rest = if rest > half || (rest == half && odd) {
        rest - y
    } else {
        rest
    };
    if x.is_sign_negative() { -rest } else { rest }
}

two! {
    divide "divide_2" 0.5 |x, y| x / y;
    atan2 "atan2_2" 6.0 |y, x| y.atan2(x);
    atan2pi "atan2pi_2" 6.0 |y, x| y.atan2(x) / std::f64::consts::PI;
    pow "pow_2" 16.0 |x, y| x.powf(y);
    powr "powr_2" 16.0 |x, y| match (x, y) {
        (x, y) if x < 0.0 || x.is_nan() || y.is_nan() => f64::NAN,
        (1.0, y) if y.is_infinite() => f64::NAN,
        (x, 0.0) if x == 0.0 || x.is_infinite() => f64::NAN,
        (x, y) => x.abs().powf(y),
    };
    hypot "hypot_2" 4.0 |x, y| x.hypot(y);
    fmod "fmod_2" 0.0 |x, y| x % y;
    ieee_remainder "remainder_2" 0.0 |x, y| if x.is_finite() && y.is_infinite() { x } else { remainder(x, y) };
    fdim "fdim_2" 0.5 |x, y| if x.is_nan() || y.is_nan() { f64::NAN } else if x > y { x - y } else { 0.0 };
    fmax "fmax_2" 0.0 f64::max;
    fmin "fmin_2" 0.0 f64::min;
    maxmag "maxmag_2" 0.0 |x, y| if x.abs() > y.abs() { x } else if y.abs() > x.abs() { y } else { x.max(y) };
    minmag "minmag_2" 0.0 |x, y| if x.abs() < y.abs() { x } else if y.abs() < x.abs() { y } else { x.min(y) };
    copysign "copysign_2" 0.0 f64::copysign;
}

macro_rules! with_integer {
    ($($name:ident $kernel:literal $bound:literal $want:expr;)*) => {$(
        #[test]
        fn $name() {
            let x = floats(COUNT, 3);
            let n: Vec<i32> = numbers(COUNT, 5).into_iter().enumerate().map(|(index, n)| match index % 3 {
                0 => n >> 27,
                1 => n >> 24,
                _ => n,
            }).collect();
            let want: fn(f64, i32) -> f64 = $want;
            let pairs = x.iter().zip(&n);
            let wants = pairs.map(|(x, n)| want(f64::from(*x), *n)).collect();
            let args = [buffer!(vec![0f32; COUNT]), buffer!(x), buffer!(n)];
            compare($kernel, &args, &[wants], $bound, &|index| format!("{:e}, {}", x[index], n[index]));
        }
    )*};
}

with_integer! {
    pown "pown_i" 16.0 |x, n| x.powf(n.into());
    rootn "rootn_i" 16.0 |x, n| match x {
        _ if n == 0 => f64::NAN,
        x if x.is_nan() => f64::NAN,
        0.0 if n & 1 == 0 => if n > 0 { 0.0 } else { f64::INFINITY },
        x if x < 0.0 && n & 1 == 0 => f64::NAN,
        x => x.abs().powf(1.0 / f64::from(n)).copysign(x),
    };
    ldexp "ldexp_i" 0.5 |x, n| x * 2f64.powi(n.clamp(-400, 400));
}

#[test]
fn two_results() {
    let x = floats(COUNT, 9);
    let args = [
        buffer!(vec![0f32; COUNT]),
        buffer!(x),
        buffer!(vec![0f32; COUNT]),
    ];
    let wide = || x.iter().map(|x| f64::from(*x));
    let show = |index: usize| format!("{:e}", x[index]);
    let sincos = [
        wide().map(f64::sin).collect(),
        wide().map(f64::cos).collect(),
    ];
    compare("sincos_p", &args, &sincos, 4.0, &show);
    let whole = |x: f64| if x.is_infinite() { 0.0 } else { x - x.trunc() };
    let modf = [
        wide().map(whole).collect(),
        wide().map(f64::trunc).collect(),
    ];
    compare("modf_p", &args, &modf, 0.0, &show);
    let part = |x: f64| match x {
        x if x.is_nan() => x,
        x if x.is_infinite() => 0.0,
        x => (x - x.floor()).min(0.999_999_940_395_355_2),
    };
    let fract = [wide().map(part).collect(), wide().map(f64::floor).collect()];
    compare("fract_p", &args, &fract, 0.5, &show);
}

#[test]
fn integers_beside_floats() {
    let x = floats(COUNT, 4);
    let y: Vec<f32> = (0..COUNT).map(|index| x[(index * 7 + 2) % COUNT]).collect();
    let exponent = |x: f32| (f64::from(x).to_bits() >> 52 & 0x7ff) as i32 - 1023;
    let usual = |x: f32| x != 0.0 && x.is_finite();
    for platform in PLATFORMS {
        let go = |kernel, args| {
            run(
                platform,
                &Run {
                    spirv: MATH,
                    kernel,
                    simd: None,
                    global: &[COUNT as u64],
                    local: None,
                    args,
                },
            )
            .unwrap()
        };
        let empty = || buffer!(vec![0u32; COUNT]);
        let integers = |bytes: &[u8]| -> Vec<i32> {
            bytes
                .chunks_exact(4)
                .map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]]))
                .collect()
        };
        let out = go("ilogb_1", vec![empty(), buffer!(x)]);
        for (x, have) in x.iter().zip(integers(&out[0])) {
            let want = match *x {
                0.0 => i32::MIN,
                x if usual(x) => exponent(x),
                _ => i32::MAX,
            };
            assert_eq!(have, want, "{platform}: ilogb({x:e})");
        }
        let out = go("frexp_p", vec![empty(), buffer!(x), empty()]);
        let pairs = floats_of(&out[0]).into_iter().zip(integers(&out[2]));
        for (x, (mantissa, power)) in x.iter().zip(pairs) {
            if usual(*x) {
                assert!(
                    (0.5..1.0).contains(&mantissa.abs()),
                    "{platform}: frexp({x:e}) = {mantissa}"
                );
                assert_eq!(
                    f64::from(mantissa) * 2f64.powi(power),
                    f64::from(*x),
                    "{platform}: {x:e}"
                );
            } else {
                assert_eq!(mantissa.to_bits(), x.to_bits(), "{platform}: frexp({x:e})");
            }
        }
        let out = go("remquo_2", vec![empty(), buffer!(x), buffer!(y), empty()]);
        let results = floats_of(&out[0]).into_iter().zip(integers(&out[3]));
        for ((x, y), (rest, quotient)) in x.iter().zip(&y).zip(results) {
            if !usual(*x) || !usual(*y) {
                continue;
            }
            let want = remainder((*x).into(), (*y).into());
            assert_eq!(f64::from(rest), want, "{platform}: remquo({x:e}, {y:e})");
            // Seven bits of the quotient; only quotients that a double holds are known here.
            let whole = (f64::from(*x) - want) / f64::from(*y);
            if whole.abs() < 2f64.powi(52) {
                let low = (whole.abs() as u64 & 0x7f) as i32;
                let low = if whole < 0.0 { -low } else { low };
                assert_eq!(quotient, low, "{platform}: remquo({x:e}, {y:e}) of {whole}");
            }
        }
        let out = go("nextafter_2", vec![empty(), buffer!(x), buffer!(y)]);
        for ((x, y), have) in x.iter().zip(&y).zip(floats_of(&out[0])) {
            let want = match (x, y) {
                (x, y) if x.is_nan() || y.is_nan() => f32::NAN,
                (x, y) if x == y => *y,
                (x, y) if x < y => x.next_up(),
                (x, _) => x.next_down(),
            };
            assert!(
                have.to_bits() == want.to_bits() || (have.is_nan() && want.is_nan()),
                "{platform}: nextafter({x:e}, {y:e}) = {have:e}"
            );
        }
    }
}

#[test]
fn vectors_and_geometry() {
    let x: Vec<f32> = numbers(4 * COUNT, 21)
        .iter()
        .map(|n| *n as f32 / 2f32.powi(23))
        .collect();
    let y: Vec<f32> = numbers(4 * COUNT, 22)
        .iter()
        .map(|n| *n as f32 / 2f32.powi(23))
        .collect();
    for platform in PLATFORMS {
        let go = |kernel, args| {
            run(
                platform,
                &Run {
                    spirv: MATH,
                    kernel,
                    simd: None,
                    global: &[COUNT as u64],
                    local: None,
                    args,
                },
            )
            .unwrap()
        };
        let out = go("vectors", vec![buffer!(vec![0f32; 4 * COUNT]), buffer!(x)]);
        for (index, one) in floats_of(&out[0]).iter().enumerate() {
            assert!((one - 1.0).abs() < 1e-6, "{platform}: {index}: {one}");
        }
        let out = go(
            "geometry",
            vec![buffer!(vec![0f32; 12 * COUNT]), buffer!(x), buffer!(y)],
        );
        let close = |have: f32, want: f64, size: f64| (f64::from(have) - want).abs() <= 1e-6 * size;
        for (index, out) in floats_of(&out[0]).chunks_exact(12).enumerate() {
            let part = |list: &[f32]| -> Vec<f64> {
                list[4 * index..4 * index + 4]
                    .iter()
                    .map(|x| f64::from(*x))
                    .collect()
            };
            let (x, y) = (part(&x), part(&y));
            let length = |list: &[f64]| list.iter().map(|x| x * x).sum::<f64>().sqrt();
            let between: Vec<f64> = x.iter().zip(&y).map(|(x, y)| x - y).collect();
            let size = length(&x) * length(&y);
            assert!(
                close(out[0], length(&x), length(&x)),
                "{platform}: length {out:?}"
            );
            assert!(
                close(out[1], length(&between), length(&between)),
                "{platform}: distance {out:?}"
            );
            assert!(
                close(out[2], if length(&x) > 0.0 { 1.0 } else { 0.0 }, 1.0),
                "{platform}: normalize {out:?} of {x:?}"
            );
            assert!(
                close(out[3], length(&x[..2]), length(&x[..2])),
                "{platform}: length {out:?}"
            );
            let crossed = [
                x[1] * y[2] - x[2] * y[1],
                x[2] * y[0] - x[0] * y[2],
                x[0] * y[1] - x[1] * y[0],
                0.0,
            ];
            for (have, want) in out[4..8].iter().zip(crossed) {
                assert!(
                    close(*have, want, size),
                    "{platform}: cross {out:?}, not {want}"
                );
            }
            for (have, x) in out[8..].iter().zip(x) {
                let t = ((x + 100.0) / 200.0).clamp(0.0, 1.0);
                assert!(
                    close(*have, t * t * (3.0 - 2.0 * t), 1.0),
                    "{platform}: smoothstep({x}) = {have}"
                );
            }
        }
    }
}

#[test]
fn halves() {
    use half::f16;
    let x: Vec<f16> = (0..COUNT as u32)
        .map(|n| f16::from_bits((n * 341 + 5) as u16))
        .collect();
    type Function = (&'static str, fn(f64) -> f64);
    let functions: [Function; 7] = [
        ("exp_h", f64::exp),
        ("log_h", f64::ln),
        ("sin_h", f64::sin),
        ("cos_h", f64::cos),
        ("tanh_h", f64::tanh),
        ("sqrt_h", f64::sqrt),
        ("cbrt_h", f64::cbrt),
    ];
    let of = |bytes: &[u8]| -> Vec<f16> {
        bytes
            .chunks_exact(2)
            .map(|b| f16::from_le_bytes([b[0], b[1]]))
            .collect()
    };
    for platform in PLATFORMS {
        let go = |kernel, args| {
            run(
                platform,
                &Run {
                    spirv: MATH,
                    kernel,
                    simd: None,
                    global: &[COUNT as u64],
                    local: None,
                    args,
                },
            )
            .unwrap()
        };
        for (kernel, want) in functions {
            let out = go(kernel, vec![buffer!(vec![0u16; COUNT]), buffer!(x)]);
            for (x, have) in x.iter().zip(of(&out[0])) {
                let want = f16::from_f64(want(x.to_f64()));
                let far = (i32::from(have.to_bits()) - i32::from(want.to_bits())).abs();
                assert!(
                    far <= 1 || (have.is_nan() && want.is_nan()),
                    "{platform}: {kernel}({x}) = {have}, not {want}"
                );
            }
        }
        let y: Vec<f16> = x.iter().rev().copied().collect();
        let out = go(
            "nextafter_h",
            vec![buffer!(vec![0u16; COUNT]), buffer!(x), buffer!(y)],
        );
        for ((x, y), have) in x.iter().zip(&y).zip(of(&out[0])) {
            let step = |x: f16, up: bool| match x.to_bits() {
                0 | 0x8000 => f16::from_bits(if up { 1 } else { 0x8001 }),
                bits if (bits >> 15 == 0) == up => f16::from_bits(bits + 1),
                bits => f16::from_bits(bits - 1),
            };
            let want = match (*x, *y) {
                (x, y) if x.is_nan() || y.is_nan() => f16::NAN,
                (x, y) if x == y => y,
                (x, y) => step(x, x < y),
            };
            assert!(
                have.to_bits() == want.to_bits() || (have.is_nan() && want.is_nan()),
                "{platform}: nextafter({x}, {y}) = {have}, not {want}"
            );
        }
    }
}
