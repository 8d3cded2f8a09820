//! What operations compute, on the bits of one component. Integers are computed exactly in 128
//! bits and cut or saturated at the end, floating-point results are rounded once.

use half::f16;

use super::ast::{Comparison, FloatOp, IntegerOp, Rounding};
use super::types::Scalar;

/// The number that an integer's bits represent.
pub fn number(scalar: Scalar, bits: u64) -> i128 {
    let unused = 64 - scalar.bits();
    if scalar.is_signed() {
        i128::from((bits << unused).cast_signed() >> unused)
    } else {
        i128::from(bits)
    }
}

fn cut(scalar: Scalar, value: i128) -> u64 {
    value as u64 & scalar.mask()
}

fn saturated(scalar: Scalar, value: i128) -> u64 {
    let (low, high) = scalar.limits();
    cut(scalar, value.clamp(low, high))
}

/// An operation on integers of a type. The result of `Abs` and `AbsDiff` is unsigned.
pub fn integer(op: IntegerOp, scalar: Scalar, operands: &[u64]) -> u64 {
    let bits = scalar.bits();
    let operand = |index: usize| operands.get(index).copied().unwrap_or(0);
    let [x, y, z] = [0, 1, 2].map(operand);
    let [a, b, c] = [x, y, z].map(|bits| number(scalar, bits));
    // Two ulongs have a product that takes all of u128.
    let (product, high) = if scalar.is_signed() {
        (a * b, (a * b) >> bits)
    } else {
        let product = a.unsigned_abs() * b.unsigned_abs();
        (product.cast_signed(), (product >> bits).cast_signed())
    };
    let shift = (y & u64::from(bits - 1)) as u32;
    match op {
        IntegerOp::Add => cut(scalar, a + b),
        IntegerOp::Sub => cut(scalar, a - b),
        IntegerOp::Mul => cut(scalar, product),
        IntegerOp::And => x & y,
        IntegerOp::Or => x | y,
        IntegerOp::Xor => x ^ y,
        IntegerOp::Not => cut(scalar, !a),
        IntegerOp::Neg => cut(scalar, -(a | 1)),
        IntegerOp::Shl => cut(scalar, a << shift),
        IntegerOp::Shr => cut(scalar, a >> shift),
        IntegerOp::Div => cut(scalar, a / divisor(scalar, b)),
        IntegerOp::Rem => cut(scalar, a % divisor(scalar, b)),
        IntegerOp::AddSat => saturated(scalar, a + b),
        IntegerOp::SubSat => saturated(scalar, a - b),
        IntegerOp::MadSat if !scalar.is_signed() && high != 0 => scalar.mask(),
        IntegerOp::MadSat => saturated(scalar, product + c),
        IntegerOp::MulHi => cut(scalar, high),
        IntegerOp::MadHi => cut(scalar, high + c),
        IntegerOp::Hadd => cut(scalar, (a + b) >> 1),
        IntegerOp::Rhadd => cut(scalar, (a + b + 1) >> 1),
        IntegerOp::Rotate => {
            let back = (bits - shift) % bits;
            cut(scalar, i128::from(x << shift | x >> back))
        }
        IntegerOp::Min => cut(scalar, a.min(b)),
        IntegerOp::Max => cut(scalar, a.max(b)),
        IntegerOp::Clamp => cut(scalar, a.clamp(b.min(c), b.max(c))),
        IntegerOp::Abs => cut(scalar, a.abs()),
        IntegerOp::AbsDiff => cut(scalar, (a - b).abs()),
        IntegerOp::Clz => u64::from(x.leading_zeros() - (64 - bits)),
        IntegerOp::Popcount => u64::from(x.count_ones()),
        IntegerOp::Bitselect => (x & !z | y & z) & scalar.mask(),
        IntegerOp::Mul24 => cut(scalar, low24(scalar, x) * low24(scalar, y)),
        IntegerOp::Mad24 => cut(scalar, low24(scalar, x) * low24(scalar, y) + c),
    }
}

/// A divisor from any number: neither zero nor, because of the lowest number, minus one.
fn divisor(scalar: Scalar, b: i128) -> i128 {
    if scalar.is_signed() {
        (b & !1) | 2
    } else {
        b | 1
    }
}

/// The 24 bits that `mul24` is defined for.
fn low24(scalar: Scalar, x: u64) -> i128 {
    number(scalar, (x << 8) & scalar.mask()) >> 8
}

/// The number that the bits of a half or a float represent.
pub fn real(scalar: Scalar, bits: u64) -> f64 {
    if scalar == Scalar::F16 {
        f16::from_bits(bits as u16).to_f64()
    } else {
        f64::from(f32::from_bits(bits as u32))
    }
}

/// Compares two values of a type.
pub fn compare(op: Comparison, scalar: Scalar, x: u64, y: u64) -> bool {
    let order = if scalar.is_float() {
        real(scalar, x).partial_cmp(&real(scalar, y))
    } else {
        Some(number(scalar, x).cmp(&number(scalar, y)))
    };
    match op {
        Comparison::Eq => order.is_some_and(|o| o.is_eq()),
        Comparison::Ne => order.is_none_or(|o| o.is_ne()),
        Comparison::Lt => order.is_some_and(|o| o.is_lt()),
        Comparison::Ge => order.is_some_and(|o| o.is_ge()),
    }
}

/// An operation on halves or floats.
pub fn float(op: FloatOp, scalar: Scalar, operands: &[u64]) -> u64 {
    let operand = |index: usize| operands.get(index).copied().unwrap_or(0);
    let [x, y, z] = [0, 1, 2].map(operand);
    let sign = 1u64 << (scalar.bits() - 1);
    let [a, b] = [x, y].map(|bits| real(scalar, bits));
    let exact = |value| from_real(scalar, Rounding::NearestEven, value);
    match op {
        FloatOp::Add => rounded(scalar, [x, y], |a, b| a + b),
        FloatOp::Sub => rounded(scalar, [x, y], |a, b| a - b),
        FloatOp::Mul => rounded(scalar, [x, y], |a, b| a * b),
        FloatOp::Fma if scalar == Scalar::F32 => {
            let [a, b, c] = [x, y, z].map(|bits| f32::from_bits(bits as u32));
            u64::from(a.mul_add(b, c).to_bits())
        }
        FloatOp::Fma => fma16(x, y, z),
        // Which zero is smaller is left open; adding zero makes both positive.
        FloatOp::Min => exact(pick(a, b, a < b) + 0.0),
        FloatOp::Max => exact(pick(a, b, a > b) + 0.0),
        FloatOp::Abs => x & !sign,
        FloatOp::Neg => x ^ sign,
        FloatOp::Trunc => exact(a.trunc()),
        FloatOp::Floor => exact(a.floor()),
        FloatOp::Ceil => exact(a.ceil()),
        FloatOp::Rint => exact(a.round_ties_even()),
        // Libraries turn a small negative number into either zero.
        FloatOp::Round => exact(a.round() + 0.0),
        // The sign of a NaN means nothing.
        FloatOp::Copysign if b.is_nan() => x & !sign,
        FloatOp::Copysign => x & !sign | y & sign,
    }
}

/// The one that is a number, or the first if `first` is set.
fn pick(a: f64, b: f64, first: bool) -> f64 {
    if b.is_nan() || first { a } else { b }
}

/// A sum or product. Through f32, halves are rounded twice, which is the same as once: 24 bits
/// are two more than twice eleven (Figueroa, "When is double rounding innocuous?", 1995).
fn rounded(scalar: Scalar, operands: [u64; 2], op: impl Fn(f32, f32) -> f32) -> u64 {
    let [a, b] = operands.map(|bits| real(scalar, bits) as f32);
    let result = op(a, b);
    if scalar == Scalar::F32 {
        u64::from(result.to_bits())
    } else {
        from_real(scalar, Rounding::NearestEven, f64::from(result))
    }
}

fn fma16(x: u64, y: u64, z: u64) -> u64 {
    let [a, b, c] = [x, y, z].map(|bits| real(Scalar::F16, bits));
    let rough = a.mul_add(b, c);
    if !(a * b).is_finite() || !c.is_finite() || rough == 0.0 {
        return from_real(Scalar::F16, Rounding::NearestEven, rough);
    }
    // Finite halves are multiples of 2^-24 below 2^40 of them.
    let [a, b, c] = [a, b, c].map(|value| (value * f64::from(1 << 24)) as i128);
    let sum = a * b + (c << 24);
    round(
        Scalar::F16,
        Rounding::NearestEven,
        sum < 0,
        sum.unsigned_abs(),
        -48,
    )
}

/// An integer as half or float.
pub fn from_integer(scalar: Scalar, rounding: Rounding, value: i128) -> u64 {
    round(scalar, rounding, value < 0, value.unsigned_abs(), 0)
}

/// A number as half or float.
pub fn from_real(scalar: Scalar, rounding: Rounding, value: f64) -> u64 {
    let bits = value.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    let exponent = (bits >> 52 & 0x7ff) as i32;
    let negative = value.is_sign_negative();
    let infinity = layout(scalar).infinity(negative);
    match exponent {
        0x7ff if fraction == 0 => infinity,
        // Quiet.
        0x7ff => infinity | 1 << (layout(scalar).precision - 2),
        0 => round(scalar, rounding, negative, u128::from(fraction), -1074),
        _ => {
            let significand = u128::from(fraction | 1 << 52);
            round(scalar, rounding, negative, significand, exponent - 1075)
        }
    }
}

/// A half or float as integer: saturated, and zero for a NaN.
pub fn to_integer(scalar: Scalar, rounding: Rounding, value: f64) -> u64 {
    let whole = match rounding {
        Rounding::NearestEven => value.round_ties_even(),
        Rounding::Zero => value.trunc(),
        Rounding::Up => value.ceil(),
        Rounding::Down => value.floor(),
    };
    saturated(scalar, whole as i128)
}

/// An integer as another integer.
pub fn to_other_integer(scalar: Scalar, saturate: bool, value: i128) -> u64 {
    if saturate {
        saturated(scalar, value)
    } else {
        cut(scalar, value)
    }
}

/// A binary format of IEEE 754.
struct Layout {
    /// Bits of the significand, including the hidden one.
    precision: u32,
    exponent_bits: u32,
}

fn layout(scalar: Scalar) -> Layout {
    let (precision, exponent_bits) = if scalar == Scalar::F16 {
        (11, 5)
    } else {
        (24, 8)
    };
    Layout {
        precision,
        exponent_bits,
    }
}

impl Layout {
    fn sign(&self, negative: bool) -> u64 {
        u64::from(negative) << (self.precision + self.exponent_bits - 1)
    }

    fn infinity(&self, negative: bool) -> u64 {
        let exponent = (1u64 << self.exponent_bits) - 1;
        self.sign(negative) | exponent << (self.precision - 1)
    }
}

/// `magnitude` times two to the power of `exponent`, rounded once.
fn round(
    scalar: Scalar,
    rounding: Rounding,
    negative: bool,
    magnitude: u128,
    exponent: i32,
) -> u64 {
    let layout = layout(scalar);
    let fraction_bits = layout.precision as i32 - 1;
    let bias = (1 << (layout.exponent_bits - 1)) - 1;
    if magnitude == 0 {
        return layout.sign(negative);
    }
    let top = 127 - magnitude.leading_zeros() as i32 + exponent;
    // The weight of the last bit kept: at least that of the smallest denormal.
    let last = (top - fraction_bits).max(1 - bias - fraction_bits);
    let dropped = last - exponent;
    let (kept, rest, half) = match u32::try_from(dropped) {
        Err(_) | Ok(0) => (magnitude << -dropped, 0, 1),
        Ok(dropped @ 1..=127) => {
            let kept = magnitude >> dropped;
            (kept, magnitude - (kept << dropped), 1 << (dropped - 1))
        }
        Ok(_) => (0, 1, 2),
    };
    let away = match rounding {
        Rounding::NearestEven => rest > half || rest == half && kept & 1 == 1,
        Rounding::Zero => false,
        Rounding::Up => rest > 0 && !negative,
        Rounding::Down => rest > 0 && negative,
    };
    // A carry out of the significand increments the exponent by itself, and the smallest normal
    // number follows the largest denormal.
    let significand = kept as u64 + u64::from(away);
    let biased = (last + fraction_bits + bias - 1) as u64;
    let bits = significand + (biased << fraction_bits);
    let infinity = layout.infinity(false);
    let beyond = match rounding {
        Rounding::NearestEven => infinity,
        Rounding::Zero => infinity - 1,
        Rounding::Up => infinity - u64::from(negative),
        Rounding::Down => infinity - u64::from(!negative),
    };
    layout.sign(negative) | if bits >= infinity { beyond } else { bits }
}

#[cfg(test)]
mod tests {
    use half::f16;

    use super::{Rounding, from_integer, from_real, integer};
    use crate::ast::IntegerOp;
    use crate::types::Scalar;

    #[test]
    fn rounding_to_nearest_is_that_of_the_machine() {
        let mut random = stack_tests::Random::new(1);
        for _ in 0..200_000 {
            let value = f64::from_bits(random.bits());
            let narrow = f64::from(f32::from_bits(random.bits() as u32 % 0x5000_0000));
            if !value.is_nan() {
                let float = from_real(Scalar::F32, Rounding::NearestEven, value);
                assert_eq!(float, u64::from((value as f32).to_bits()), "{value:e}");
            }
            // Numbers of doubles in the range of halves would be rounded twice.
            if !narrow.is_nan() {
                let half = from_real(Scalar::F16, Rounding::NearestEven, narrow);
                let expected = f16::from_f32(narrow as f32).to_bits();
                assert_eq!(half, u64::from(expected), "{narrow:e}");
            }
            let long = random.bits().cast_signed() >> random.below(64);
            let float = from_integer(Scalar::F32, Rounding::NearestEven, i128::from(long));
            assert_eq!(float, u64::from((long as f32).to_bits()), "{long}");
        }
    }

    #[test]
    fn directed_rounding_goes_its_way() {
        let half = |rounding, value| from_real(Scalar::F16, rounding, value);
        for (rounding, above, below) in [
            (Rounding::Zero, 0x7bff, 0xfbff),
            (Rounding::Up, 0x7c00, 0xfbff),
            (Rounding::Down, 0x7bff, 0xfc00),
        ] {
            assert_eq!(half(rounding, 1e6), above);
            assert_eq!(half(rounding, -1e6), below);
        }
        assert_eq!(half(Rounding::Up, 1e-20), 1);
        assert_eq!(half(Rounding::Down, 1e-20), 0);
        assert_eq!(half(Rounding::Up, 1.0001), 0x3c01);
    }

    #[test]
    fn wide_integers_do_not_overflow_the_reference() {
        let most = u64::MAX;
        let of = |op| integer(op, Scalar::U64, &[most, most, most]);
        assert_eq!(of(IntegerOp::MulHi), most - 1);
        assert_eq!(of(IntegerOp::MadSat), most);
        assert_eq!(of(IntegerOp::Rhadd), most);
        let low = 1 << 63;
        let of = |op| integer(op, Scalar::I64, &[low, low, low]);
        assert_eq!(of(IntegerOp::MulHi), 1 << 62);
        assert_eq!(of(IntegerOp::MadSat), (1 << 63) - 1);
        assert_eq!(of(IntegerOp::Abs), low);
    }
}
