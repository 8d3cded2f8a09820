//! Double precision, on the platforms that have it.

use crate::buffer;
use crate::common::{PLATFORMS, Run, Value, numbers, run};

const DOUBLE: &[u8] = include_bytes!("../kernels/double.spv");
const COUNT: usize = 160;

/// Numbers of all sizes, with edges.
fn doubles(seed: u32) -> Vec<f64> {
    let edges = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        2.0,
        -2.5,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        f64::MAX,
        f64::MIN_POSITIVE,
        5e-324,
        -5e-324,
        1e-310,
        1.0 - f64::EPSILON / 2.0,
        1.0 + f64::EPSILON,
        709.7,
        -745.2,
        1e22,
    ];
    let words = numbers(2 * COUNT, seed);
    let rest = words.chunks_exact(2).enumerate().map(|(index, word)| {
        let bits = (word[0] as u32 as u64) << 32 | word[1] as u32 as u64;
        match index % 4 {
            0 => f64::from_bits(bits),
            1 => bits as i64 as f64 / 2f64.powi(63),
            2 => bits as i64 as f64 / 2f64.powi(56),
            _ => bits as i64 as f64 / 2f64.powi(60),
        }
    });
    edges.into_iter().chain(rest).take(COUNT).collect()
}

fn platforms() -> impl Iterator<Item = &'static &'static str> {
    let has = |name: &&&str| devinfo::by_name(name).is_some_and(|platform| platform.fp64);
    PLATFORMS.iter().filter(has)
}

fn go(platform: &str, kernel: &str, args: Vec<Value>) -> Result<Vec<Vec<u8>>, String> {
    let what = Run {
        spirv: DOUBLE,
        kernel,
        simd: None,
        global: &[COUNT as u64],
        local: None,
        args,
    };
    run(platform, &what)
}

fn words(bytes: &[u8]) -> Vec<u64> {
    bytes
        .chunks_exact(8)
        .map(|b| u64::from_le_bytes(b.try_into().unwrap()))
        .collect()
}

/// The distance in representable numbers. References have an error of their own: the functions of
/// the host are right within one.
fn distance(have: f64, want: f64) -> u64 {
    if have.is_nan() || want.is_nan() {
        return if have.is_nan() && want.is_nan() {
            0
        } else {
            u64::MAX
        };
    }
    let order = |x: f64| match x.to_bits() as i64 {
        bits if bits < 0 => i64::MIN - bits,
        bits => bits,
    };
    order(have).abs_diff(order(want))
}

fn compare(kernel: &str, args: &[Value], want: &[f64], bound: u64, show: &dyn Fn(usize) -> String) {
    let mut wrong = Vec::new();
    let mut ran = 0;
    for platform in platforms() {
        match go(platform, kernel, args.to_vec()) {
            Err(why) => wrong.push(why),
            Ok(out) => {
                ran += 1;
                for (index, (have, want)) in words(&out[0]).into_iter().zip(want).enumerate() {
                    let have = f64::from_bits(have);
                    let far = distance(have, *want);
                    if far > bound
                        || (bound == 0
                            && have == 0.0
                            && have.is_sign_negative() != want.is_sign_negative())
                    {
                        wrong.push(format!(
                            "{platform} {kernel}({}) = {have:e}, not {want:e}",
                            show(index)
                        ));
                        break;
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{ran} ran; {wrong:#?}");
    assert!(ran > 0);
}

macro_rules! one {
    ($($name:ident $kernel:literal $bound:literal $want:expr;)*) => {$(
        #[test]
        fn $name() {
            let x = doubles(7);
            let want: fn(f64) -> f64 = $want;
            let wants: Vec<f64> = x.iter().map(|x| want(*x)).collect();
            let args = [buffer!(vec![0f64; COUNT]), buffer!(x)];
            compare($kernel, &args, &wants, $bound, &|index| format!("{:e}", x[index]));
        }
    )*};
}

one! {
    sqrt "sqrt_1" 0 f64::sqrt;
    rsqrt "rsqrt_1" 2 |x| 1.0 / x.sqrt();
    floor "floor_1" 0 f64::floor;
    ceil "ceil_1" 0 f64::ceil;
    trunc "trunc_1" 0 f64::trunc;
    rint "rint_1" 0 f64::round_ties_even;
    round "round_1" 0 f64::round;
    fabs "fabs_1" 0 f64::abs;
    exp "exp_1" 4 f64::exp;
    exp2 "exp2_1" 4 f64::exp2;
    exp10 "exp10_1" 4 |x| 10f64.powf(x);
    expm1 "expm1_1" 4 f64::exp_m1;
    sinh "sinh_1" 5 f64::sinh;
    cosh "cosh_1" 5 f64::cosh;
    tanh "tanh_1" 6 f64::tanh;
    log "log_1" 4 f64::ln;
    log2 "log2_1" 4 f64::log2;
    log10 "log10_1" 4 f64::log10;
    log1p "log1p_1" 3 f64::ln_1p;
    cbrt "cbrt_1" 3 f64::cbrt;
    sin "sin_1" 5 f64::sin;
    cos "cos_1" 5 f64::cos;
    tan "tan_1" 6 f64::tan;
    asin "asin_1" 5 f64::asin;
    acos "acos_1" 5 f64::acos;
    atan "atan_1" 6 f64::atan;
}

macro_rules! two {
    ($($name:ident $kernel:literal $bound:literal $want:expr;)*) => {$(
        #[test]
        fn $name() {
            let (x, y) = (doubles(7), doubles(12));
            let y: Vec<f64> = (0..COUNT).map(|index| y[(index * 7 + 3) % COUNT]).collect();
            let want: fn(f64, f64) -> f64 = $want;
            let wants: Vec<f64> = x.iter().zip(&y).map(|(x, y)| want(*x, *y)).collect();
            let args = [buffer!(vec![0f64; COUNT]), buffer!(x), buffer!(y)];
            compare($kernel, &args, &wants, $bound, &|index| format!("{:e}, {:e}", x[index], y[index]));
        }
    )*};
}

two! {
    divide "divide_2" 0 |x, y| x / y;
    product_error "fma_3" 0 |x, y| x.mul_add(y, -(x * y));
    atan2 "atan2_2" 7 f64::atan2;
    pow "pow_2" 17 f64::powf;
    hypot "hypot_2" 5 f64::hypot;
    fmod "fmod_2" 0 |x, y| x % y;
    copysign "copysign_2" 0 f64::copysign;
    nextafter "nextafter_2" 0 |x, y| match (x, y) {
        (x, y) if x.is_nan() || y.is_nan() => f64::NAN,
        (x, y) if x == y => y,
        (x, y) if x < y => x.next_up(),
        (x, _) => x.next_down(),
    };
}

#[test]
fn powers_of_two() {
    let x = doubles(3);
    let n: Vec<i32> = numbers(COUNT, 5).iter().map(|n| n >> 21).collect();
    let exact = |x: f64, n: i32| {
        // Two steps that lose nothing before the last.
        let (x, first) = match n {
            ..-900 if x.abs() > 1.0 => (x * 2f64.powi(-900), -900),
            900.. if x.abs() < 1.0 => (x * 2f64.powi(900), 900),
            _ => (x, 0),
        };
        match n - first {
            rest @ -1000..=1000 => x * 2f64.powi(rest),
            rest => x * 2f64.powi(rest / 2) * 2f64.powi(rest - rest / 2),
        }
    };
    let wants: Vec<f64> = x.iter().zip(&n).map(|(x, n)| exact(*x, *n)).collect();
    let args = [buffer!(vec![0f64; COUNT]), buffer!(x), buffer!(n)];
    compare("ldexp_i", &args, &wants, 0, &|index| {
        format!("{:e}, {}", x[index], n[index])
    });
}

#[test]
fn narrower_numbers() {
    let x = doubles(17);
    let directed = |x: f64, up: Option<bool>| {
        // The neighbour of the nearest where that is on the wrong side.
        let near = x as f32;
        let back = f64::from(near);
        match up.unwrap_or(x < 0.0) {
            _ if x.is_nan() => near,
            true if back < x => near.next_up(),
            false if back > x => near.next_down(),
            _ => near,
        }
    };
    for platform in platforms() {
        let out = go(
            platform,
            "narrow",
            vec![buffer!(vec![0u32; 8 * COUNT]), buffer!(x)],
        )
        .unwrap();
        for (x, have) in x.iter().zip(out[0].chunks_exact(32)) {
            let have: Vec<u32> = have
                .chunks_exact(4)
                .map(|b| u32::from_le_bytes(b.try_into().unwrap()))
                .collect();
            let floats = [
                x.to_owned() as f32,
                directed(*x, None),
                directed(*x, Some(true)),
                directed(*x, Some(false)),
            ];
            for (have, want) in have.iter().zip(floats) {
                let same =
                    *have == want.to_bits() || (want.is_nan() && f32::from_bits(*have).is_nan());
                assert!(
                    same,
                    "{platform}: {x:e} as {:e}, not {want:e}",
                    f32::from_bits(*have)
                );
            }
            if !x.is_nan() {
                let whole = *x as i64;
                let want = [
                    *x as i32 as u32,
                    x.round_ties_even() as u32,
                    whole as u32,
                    (whole >> 32) as u32,
                ];
                assert_eq!(have[4..], want, "{platform}: {x:e}");
            }
        }
    }
}

#[test]
fn from_integers() {
    let words = numbers(2 * COUNT, 31);
    let x: Vec<i64> = words
        .chunks_exact(2)
        .enumerate()
        .map(|(index, word)| {
            (i64::from(word[0]) << 32 | i64::from(word[1] as u32)) >> (index % 7 * 8)
        })
        .collect();
    for platform in platforms() {
        let out = go(
            platform,
            "from_integers",
            vec![buffer!(vec![0f64; 4 * COUNT]), buffer!(x)],
        )
        .unwrap();
        for (x, have) in x.iter().zip(out[0].chunks_exact(32)) {
            let have: Vec<f64> = have
                .chunks_exact(8)
                .map(|b| f64::from_le_bytes(b.try_into().unwrap()))
                .collect();
            let near = *x as f64;
            let toward_zero = if (near as i128).abs() > i128::from(*x).abs() {
                f64::from_bits(near.to_bits() - 1)
            } else {
                near
            };
            let unsigned = *x as u64 as f64;
            let up = if (unsigned as u128) < u128::from(*x as u64) {
                unsigned.next_up()
            } else {
                unsigned
            };
            assert_eq!(
                have,
                [near, toward_zero, up, f64::from(*x as i32)],
                "{platform}: {x}"
            );
        }
    }
}
