//! Extended math: the functions of `math`.
//!
//! Hardware approximates; compilers wrap corrections around it where a language requires more. This
//! model returns results at the accurate end of that freedom: reciprocal, division and square root
//! are correctly rounded, the others are computed in double precision and rounded once (see
//! `accuracy`).

use isa_encoder::MathFunction;

use super::softfloat::{self, Format, Rounding};

/// The value of a float in double precision. Every format of `math` fits.
fn to_double(format: Format, bits: u64) -> f64 {
    f64::from_bits(softfloat::convert(
        format,
        Format::F64,
        Rounding::Nearest,
        bits,
    ))
}

fn from_double(format: Format, mode: Rounding, value: f64) -> u64 {
    if value.is_nan() {
        return format.quiet_nan();
    }
    softfloat::convert(Format::F64, format, mode, value.to_bits())
}

/// A floating-point function of one or two sources. `None` if `function` is an integer one or
/// not modelled.
pub fn float_math(
    function: MathFunction,
    format: Format,
    mode: Rounding,
    a: u64,
    b: u64,
) -> Option<u64> {
    let of = |f: fn(f64) -> f64| from_double(format, mode, f(to_double(format, a)));
    Some(match function {
        MathFunction::Inv => softfloat::div(format, mode, format.one(), a),
        // `invm` starts the division macro; this is its result when it ends early.
        MathFunction::Fdiv | MathFunction::Invm => softfloat::div(format, mode, a, b),
        MathFunction::Sqt => softfloat::sqrt(format, mode, a),
        MathFunction::Rsqt | MathFunction::Rsqtm => of(|x| {
            if x == 0.0 {
                // The sign of zero decides, as for a reciprocal.
                1.0 / x
            } else {
                1.0 / x.sqrt()
            }
        }),
        MathFunction::Log => of(f64::log2),
        MathFunction::Exp => of(f64::exp2),
        MathFunction::Sin => of(f64::sin),
        MathFunction::Cos => of(f64::cos),
        MathFunction::Pow => {
            // Hardware takes the magnitude of the base: pow(a, b) = exp2(b * log2(|a|)).
            let (x, y) = (to_double(format, a).abs(), to_double(format, b));
            from_double(format, mode, x.powf(y))
        }
        MathFunction::Idiv | MathFunction::Iqot | MathFunction::Irem => return None,
    })
}

/// Integer division: quotient and remainder of the 32-bit numbers in the low halves of `a` and `b`.
///
/// The destination's type says whether they are signed: compilers divide sign-extended words that
/// they call `ud`, into a `d`. The quotient truncates. Division by zero gives the largest magnitude of the dividend's sign
/// and the dividend as remainder (TGL PRM vol 2a "math", INT DIV by zero).
pub const fn divide(a: i128, b: i128, signed: bool) -> (i128, i128) {
    let (a, b) = if signed {
        (a as i32 as i128, b as i32 as i128)
    } else {
        (a as u32 as i128, b as u32 as i128)
    };
    if b == 0 {
        let quotient = if !signed {
            u32::MAX as i128
        } else if a < 0 {
            i32::MIN as i128
        } else {
            i32::MAX as i128
        };
        return (quotient, a);
    }
    (a / b, a % b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eu::ops::accuracy;

    fn ulps(ours: u64, exact: f64) -> f64 {
        let ours = f64::from(f32::from_bits(ours as u32));
        if ours == exact || ours.is_nan() && exact.is_nan() {
            return 0.0;
        }
        let near = exact as f32;
        let spacing = f64::from(near.abs().next_up()) - f64::from(near.abs());
        (ours - exact).abs() / spacing
    }

    /// A Taylor series in double precision: independent of the host's `exp2`, `sin` and `cos`.
    fn series(x: f64, first: f64, step: impl Fn(f64) -> f64) -> f64 {
        let (mut sum, mut term) = (0.0, first);
        for n in 1..200 {
            sum += term;
            term *= step(f64::from(n));
            if term.abs() < 1e-30 {
                break;
            }
        }
        let _ = x;
        sum
    }

    #[test]
    fn results_are_within_the_table() {
        let near = Rounding::Nearest;
        for i in 1..4000u32 {
            let x = f32::from_bits(0x3e80_0000 + i * 0x2477);
            let wide = f64::from(x);
            let bits = u64::from(x.to_bits());
            let get = |function| {
                float_math(function, Format::F32, near, bits, 0).expect("a float function")
            };
            let check = |function, exact: f64| {
                let limit = accuracy::limit(function).expect("listed").ours;
                let error = ulps(get(function), exact);
                assert!(error <= limit, "{function:?} {x}: {error} ulp");
            };
            assert_eq!(get(MathFunction::Inv) as u32, (1.0 / x).to_bits());
            assert_eq!(get(MathFunction::Sqt) as u32, x.sqrt().to_bits());
            check(MathFunction::Rsqt, (1.0 / wide).sqrt());
            let ln2 = core::f64::consts::LN_2;
            let exp = series(wide, 1.0, |n| wide * ln2 / n);
            check(MathFunction::Exp, exp);
            if x < 8.0 {
                let square = -wide * wide;
                let sin = series(wide, wide, |n| square / (2.0 * n * (2.0 * n + 1.0)));
                let cos = series(wide, 1.0, |n| square / (2.0 * n * (2.0 * n - 1.0)));
                // A series cancels near the zeroes: only compare where the result is not tiny.
                if sin.abs() > 1e-3 {
                    check(MathFunction::Sin, sin);
                }
                if cos.abs() > 1e-3 {
                    check(MathFunction::Cos, cos);
                }
            }
            // log2(exp2-series) is the identity.
            let back = float_math(MathFunction::Log, Format::F64, near, exp.to_bits(), 0);
            let back = f64::from_bits(back.expect("a float function"));
            assert!((back - wide).abs() <= 1e-13 * wide.max(1.0), "{x} {back}");
        }
    }

    #[test]
    fn special_values() {
        let near = Rounding::Nearest;
        let get = |function, x: f32| {
            let bits = float_math(function, Format::F32, near, x.to_bits().into(), 0);
            f32::from_bits(bits.expect("a float function") as u32)
        };
        assert_eq!(get(MathFunction::Inv, 0.0), f32::INFINITY);
        assert_eq!(get(MathFunction::Inv, -0.0), f32::NEG_INFINITY);
        assert_eq!(get(MathFunction::Rsqt, 0.0), f32::INFINITY);
        assert!(get(MathFunction::Rsqt, -1.0).is_nan());
        assert!(get(MathFunction::Sqt, -1.0).is_nan());
        assert!(get(MathFunction::Log, -1.0).is_nan());
        assert_eq!(get(MathFunction::Log, 0.0), f32::NEG_INFINITY);
        assert_eq!(get(MathFunction::Exp, f32::NEG_INFINITY), 0.0);
    }

    #[test]
    fn integer_division() {
        assert_eq!(divide(7, -2, true), (-3, 1));
        assert_eq!(divide(-7, 2, true), (-3, -1));
        assert_eq!(divide(0xffff_fff9, 2, true), (-3, -1));
        assert_eq!(divide(-7, 2, false), (0x7fff_fffc, 1));
        assert_eq!(divide(7, 0, false), (0xffff_ffff, 7));
        assert_eq!(divide(-7, 0, true), (-0x8000_0000, -7));
    }
}
