//! Operations on numbers, each rounded once, to the nearest and the even one.

use core::ops::{Add, Div, Mul, Rem, Sub};

use spirv::Op;

use crate::types::Type;

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    Bool,
    /// Its width.
    Int(u32),
    /// Its width.
    Float(u32),
}

impl Number {
    /// The number that a type is of, if operations on it are known.
    pub(super) fn of(ty: Type) -> Option<Self> {
        Some(match ty {
            Type::Bool => Self::Bool,
            Type::Int { width, .. } if [8, 16, 32, 64].contains(&width) => Self::Int(width),
            Type::Float { width } if [16, 32, 64].contains(&width) => Self::Float(width),
            _ => return None,
        })
    }

    pub(super) fn width(self) -> u32 {
        match self {
            Self::Bool => 1,
            Self::Int(width) | Self::Float(width) => width,
        }
    }

    /// The bits that a number has of a word.
    pub(super) fn cut(self, bits: u64) -> u64 {
        bits & u64::MAX >> (64 - self.width())
    }

    /// The value of an integer with a sign.
    fn signed(self, bits: u64) -> i64 {
        let beyond = 64 - self.width();
        (bits << beyond) as i64 >> beyond
    }
}

/// What an operation gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    Bits(u64),
    /// Any value: a quotient by zero, or a shift by more than there are bits.
    Undefined,
}

/// What an operation gives of numbers of one type; `None` if it is none on these types. The width of the
/// second number of a shift is its own.
///
/// A conversion of what the type does not have gives the nearest number that it has, and 0 for what is
/// none: with the decoration `SaturatedConversion` it must, and without it may.
pub(super) fn operate(op: Op, to: Number, from: Number, numbers: &[u64]) -> Option<Given> {
    let (&a, b) = (numbers.first()?, numbers.get(1).copied());
    let bits = match (from, to) {
        (Number::Bool, Number::Bool) => logical(op, a != 0, b)?.into(),
        (Number::Int(_), Number::Bool) => compared(op, from, a, b?)?.into(),
        (Number::Int(width), Number::Float(to)) => match op {
            Op::ConvertSToF => match to {
                32 => (from.signed(a) as f32).to_bits().into(),
                _ => float_bits(to, from.signed(a) as f64),
            },
            Op::ConvertUToF => match to {
                32 => (a as f32).to_bits().into(),
                // Numbers that `f64` does not have are infinite as halves.
                _ => float_bits(to, a as f64),
            },
            Op::Bitcast if width == to => a,
            _ => return None,
        },
        (Number::Float(from), Number::Int(width)) => {
            let value = float(from, a);
            match op {
                Op::ConvertFToU => (value as u64).min(to.cut(u64::MAX)),
                Op::ConvertFToS => {
                    let most = (to.cut(u64::MAX) >> 1) as i64;
                    (value as i64).clamp(-most - 1, most) as u64
                }
                Op::Bitcast if width == from => a,
                _ => return None,
            }
        }
        (Number::Int(_), Number::Int(_)) => return integers(op, to, from, a, b),
        (Number::Float(from), Number::Float(to)) => match op {
            Op::FConvert => float_bits(to, float(from, a)),
            Op::Bitcast if from == to => a,
            _ if from != to => return None,
            Op::FNegate => a ^ 1 << (to - 1),
            Op::QuantizeToF16 if to == 32 => match half_bits(float(from, a)) {
                // "If the value is too small to represent as a normalized half, the result is 0."
                small if small & 0x7c00 == 0 => u64::from(small & 0x8000) << 16,
                bits => float_bits(to, half(bits)),
            },
            _ => floats(op, to, a, b?)?,
        },
        _ => return None,
    };
    Some(Given::Bits(to.cut(bits)))
}

fn logical(op: Op, a: bool, b: Option<u64>) -> Option<bool> {
    let b = b.map(|b| b != 0);
    Some(match op {
        Op::LogicalNot => !a,
        Op::LogicalAnd => a & b?,
        Op::LogicalOr => a | b?,
        Op::LogicalEqual => a == b?,
        Op::LogicalNotEqual => a != b?,
        _ => return None,
    })
}

fn compared(op: Op, from: Number, a: u64, b: u64) -> Option<bool> {
    let (s, t) = (from.signed(a), from.signed(b));
    Some(match op {
        Op::IEqual => a == b,
        Op::INotEqual => a != b,
        Op::ULessThan => a < b,
        Op::ULessThanEqual => a <= b,
        Op::UGreaterThan => a > b,
        Op::UGreaterThanEqual => a >= b,
        Op::SLessThan => s < t,
        Op::SLessThanEqual => s <= t,
        Op::SGreaterThan => s > t,
        Op::SGreaterThanEqual => s >= t,
        _ => return None,
    })
}

fn integers(op: Op, to: Number, from: Number, a: u64, b: Option<u64>) -> Option<Given> {
    let s = from.signed(a);
    let converted = match op {
        Op::UConvert => Some(a),
        Op::SConvert => Some(s as u64),
        _ if from != to => return None,
        Op::Not => Some(!a),
        Op::SNegate => Some(a.wrapping_neg()),
        Op::Bitcast => Some(a),
        _ => None,
    };
    if let Some(bits) = converted {
        return Some(Given::Bits(to.cut(bits)));
    }
    let b = b?;
    let t = from.signed(b);
    let shift = u32::try_from(b).ok().filter(|b| *b < from.width());
    // The smallest integer by -1 is itself, with nothing left, where the specification has no value.
    let found = match op {
        Op::IAdd => Some(a.wrapping_add(b)),
        Op::ISub => Some(a.wrapping_sub(b)),
        Op::IMul => Some(a.wrapping_mul(b)),
        Op::UDiv => a.checked_div(b),
        Op::UMod => a.checked_rem(b),
        Op::SDiv => (t != 0).then(|| s.wrapping_div(t) as u64),
        Op::SRem => (t != 0).then(|| s.wrapping_rem(t) as u64),
        Op::SMod => (t != 0).then(|| {
            let rest = s.wrapping_rem(t);
            match rest != 0 && (rest < 0) != (t < 0) {
                true => (rest + t) as u64,
                false => rest as u64,
            }
        }),
        Op::ShiftLeftLogical => shift.map(|shift| a << shift),
        Op::ShiftRightLogical => shift.map(|shift| a >> shift),
        Op::ShiftRightArithmetic => shift.map(|shift| (s >> shift) as u64),
        Op::BitwiseOr => Some(a | b),
        Op::BitwiseXor => Some(a ^ b),
        Op::BitwiseAnd => Some(a & b),
        _ => return None,
    };
    Some(found.map_or(Given::Undefined, |bits| Given::Bits(to.cut(bits))))
}

/// An operation on floats of one width.
fn floats(op: Op, width: u32, a: u64, b: u64) -> Option<u64> {
    match width {
        32 => {
            let (a, b) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
            let value = arithmetic(op, a, b)?;
            Some(float_bits(width, value.into()))
        }
        // Sums, products and rests of halves are doubles without rounding. A quotient is rounded to more
        // than twice the digits of a half first, which changes nothing.
        _ => {
            let value = arithmetic(op, float(width, a), float(width, b))?;
            Some(float_bits(width, value))
        }
    }
}

fn arithmetic<T>(op: Op, a: T, b: T) -> Option<T>
where
    T: Copy + Default + PartialOrd,
    T: Add<Output = T> + Sub<Output = T> + Mul<Output = T> + Div<Output = T> + Rem<Output = T>,
{
    let zero = T::default();
    Some(match op {
        Op::FAdd => a + b,
        Op::FSub => a - b,
        Op::FMul => a * b,
        Op::FDiv => a / b,
        Op::FRem => a % b,
        Op::FMod => {
            let rest = a % b;
            match rest != zero && (rest < zero) != (b < zero) {
                true => rest + b,
                false => rest,
            }
        }
        _ => return None,
    })
}

/// The value of a float.
fn float(width: u32, bits: u64) -> f64 {
    match width {
        16 => half(bits as u16),
        32 => f32::from_bits(bits as u32).into(),
        _ => f64::from_bits(bits),
    }
}

/// The bits of the nearest float of a width. What is no number has the same bits always.
fn float_bits(width: u32, value: f64) -> u64 {
    match width {
        16 => half_bits(value).into(),
        32 if value.is_nan() => 0x7fc0_0000,
        32 => (value as f32).to_bits().into(),
        _ if value.is_nan() => 0x7ff8_0000_0000_0000,
        _ => value.to_bits(),
    }
}

/// 2 to the power of a small number.
fn power(of: i32) -> f64 {
    f64::from_bits(((of + 1023) as u64) << 52)
}

/// The value of a half.
fn half(bits: u16) -> f64 {
    let (exponent, digits) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let value = match exponent {
        0 => digits * power(-24),
        31 if digits == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + digits) * power(exponent - 25),
    };
    value.copysign(match bits >> 15 {
        0 => 1.0,
        _ => -1.0,
    })
}

/// The bits of the nearest half.
fn half_bits(value: f64) -> u16 {
    let size = value.abs();
    let bits = if value.is_nan() {
        return 0x7e00;
    } else if size >= 65520.0 {
        0x7c00
    } else if size < power(-14) {
        (size * power(24)).round_ties_even() as u16
    } else {
        let exponent = (size.to_bits() >> 52) as i32 - 1023;
        let digits = (size * power(10 - exponent)).round_ties_even() as u16;
        // If that rounds up to the next power, the carry makes the exponent of it.
        (((exponent + 14) as u16) << 10) + digits
    };
    bits | u16::from(value.is_sign_negative()) << 15
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All halves are themselves, and between two of them the nearer one is taken, or the even one.
    #[test]
    fn halves_are_the_nearest() {
        for bits in 0..0x7c00u16 {
            assert_eq!(half_bits(half(bits)), bits);
            assert_eq!(half_bits(-half(bits)), bits | 0x8000);
            let next = match bits {
                0x7bff => 65536.0,
                bits => half(bits + 1),
            };
            let middle = f64::midpoint(half(bits), next);
            assert_eq!(half_bits(middle), bits + (bits & 1), "{middle}");
            assert_eq!(half_bits(middle.next_up()), bits + 1, "{middle}");
            assert_eq!(half_bits(middle.next_down()), bits, "{middle}");
        }
        assert_eq!(half_bits(f64::INFINITY), 0x7c00);
        assert!(half(0x7e00).is_nan() && half_bits(f64::NAN) == 0x7e00);
    }

    #[test]
    fn numbers_are_rounded_once() {
        let to_float = |to, value: u64| {
            operate(
                Op::ConvertUToF,
                Number::Float(to),
                Number::Int(64),
                &[value],
            )
        };
        // Half of a digit and a bit: as a double it is half of a digit, which would be rounded down.
        let value = (1 << 62) + (1 << 38) + 1;
        let up = (2f32.powi(62)).to_bits() + 1;
        assert_eq!(to_float(32, value), Some(Given::Bits(up.into())));
        assert_eq!(to_float(16, 65519), Some(Given::Bits(0x7bff)));
        assert_eq!(to_float(16, u64::MAX), Some(Given::Bits(0x7c00)));
    }

    #[test]
    fn what_has_no_value_is_undefined_or_the_nearest() {
        let of = |op, a, b| operate(op, Number::Int(8), Number::Int(8), &[a, b]);
        for op in [Op::UDiv, Op::UMod, Op::SDiv, Op::SRem, Op::SMod] {
            assert_eq!(of(op, 200, 0), Some(Given::Undefined), "{op:?}");
        }
        assert_eq!(of(Op::ShiftLeftLogical, 1, 8), Some(Given::Undefined));
        assert_eq!(of(Op::SDiv, 0x80, 0xff), Some(Given::Bits(0x80)));
        let to = |op, value: f32| {
            operate(
                op,
                Number::Int(8),
                Number::Float(32),
                &[value.to_bits().into()],
            )
        };
        assert_eq!(to(Op::ConvertFToS, 300.0), Some(Given::Bits(127)));
        assert_eq!(to(Op::ConvertFToS, -300.0), Some(Given::Bits(0x80)));
        assert_eq!(to(Op::ConvertFToU, -1.0), Some(Given::Bits(0)));
        assert_eq!(to(Op::ConvertFToU, f32::NAN), Some(Given::Bits(0)));
    }
}
