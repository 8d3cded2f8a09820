//! Types of values: what one lane holds.

use core::fmt;

/// The type of a value. Vectors, structures and arrays are several values; a pointer is an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// A truth value.
    I1,
    /// 8 bits, without a sign.
    I8,
    /// 16 bits.
    I16,
    /// 32 bits.
    I32,
    /// 64 bits.
    I64,
    /// Half precision.
    F16,
    /// Single precision.
    F32,
    /// Double precision.
    F64,
}

impl Type {
    /// The size in bits.
    pub const fn bits(self) -> u32 {
        match self {
            Type::I1 => 1,
            Type::I8 => 8,
            Type::I16 | Type::F16 => 16,
            Type::I32 | Type::F32 => 32,
            Type::I64 | Type::F64 => 64,
        }
    }

    /// The size in memory, in bytes.
    pub const fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// Whether it is a floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(self, Type::F16 | Type::F32 | Type::F64)
    }

    /// The integer type of the same size.
    pub const fn integer(self) -> Type {
        match self {
            Type::F16 => Type::I16,
            Type::F32 => Type::I32,
            Type::F64 => Type::I64,
            other => other,
        }
    }

    /// The integer type of this many bits.
    pub const fn of_bits(bits: u32) -> Option<Type> {
        Some(match bits {
            1 => Type::I1,
            8 => Type::I8,
            16 => Type::I16,
            32 => Type::I32,
            64 => Type::I64,
            _ => return None,
        })
    }

    /// The bits that a value of the type has.
    pub const fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    /// A number as this type of floats, rounded to the nearest.
    pub fn float(self, number: f64) -> u64 {
        match self {
            Type::F16 => u64::from(half::f16::from_f64(number).to_bits()),
            Type::F32 => u64::from((number as f32).to_bits()),
            _ => number.to_bits(),
        }
    }

    /// A number as this type of floats, if it has exactly that; not the largest integers.
    pub fn exactly(self, number: f64) -> Option<u64> {
        const MOST: f64 = (1u64 << 53) as f64;
        let bits = self.float(number);
        let back = match self {
            Type::F16 => half::f16::from_bits(bits as u16).to_f64(),
            Type::F32 => f64::from(f32::from_bits(bits as u32)),
            _ => number,
        };
        (number.abs() < MOST && back == number).then_some(bits)
    }

    /// The reciprocal of a power of two, if both are normal: to divide by the one is to multiply with the
    /// other.
    pub fn reciprocal_of_power(self, bits: u64) -> Option<u64> {
        let fraction = match self {
            Type::F16 => 10,
            Type::F32 => 23,
            Type::F64 => 52,
            _ => return None,
        };
        let sign = 1 << (self.bits() - 1);
        let exponent = (bits & !sign) >> fraction;
        // That of one.
        let middle = (sign >> fraction) / 2 - 1;
        let is_power = bits & ((1 << fraction) - 1) == 0;
        let is_normal = (1..2 * middle).contains(&exponent);
        (is_power && is_normal).then(|| bits & sign | (2 * middle - exponent) << fraction)
    }

    /// The bits as a signed number.
    pub const fn signed(self, bits: u64) -> i64 {
        let unused = 64 - self.bits();
        ((bits << unused) as i64) >> unused
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Type::I1 => "i1",
            Type::I8 => "i8",
            Type::I16 => "i16",
            Type::I32 => "i32",
            Type::I64 => "i64",
            Type::F16 => "f16",
            Type::F32 => "f32",
            Type::F64 => "f64",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_have_numbers_exactly_or_not() {
        assert_eq!(Type::F32.exactly(-3.0), Some(0xc040_0000));
        assert_eq!(Type::F32.exactly(16_777_217.0), None);
        assert_eq!(Type::F64.exactly(16_777_217.0), Some(0x4170_0000_1000_0000));
        assert_eq!(Type::F16.exactly(2048.0), Some(0x6800));
        assert_eq!(Type::F16.exactly(2049.0), None);
        assert_eq!(Type::F16.exactly(1e6), None);
        assert_eq!(Type::F64.exactly(2f64.powi(53)), None);
    }

    #[test]
    fn powers_of_two_have_reciprocals() {
        let of = |number: f32| {
            let bits = Type::F32.reciprocal_of_power(u64::from(number.to_bits()));
            bits.map(|bits| f32::from_bits(bits as u32))
        };
        for number in [1.0, -2.0, 16.0, 0.25, 2f32.powi(126), 2f32.powi(-126)] {
            assert_eq!(of(number), Some(1.0 / number));
        }
        // The last one's reciprocal is denormal.
        let none = [
            3.0,
            0.0,
            -0.0,
            f32::INFINITY,
            f32::NAN,
            f32::MIN_POSITIVE / 2.0,
        ];
        for number in none.into_iter().chain([2f32.powi(127)]) {
            assert_eq!(of(number), None, "{number}");
        }
        assert_eq!(Type::F16.reciprocal_of_power(0x4000), Some(0x3800));
        let four = Type::F64.reciprocal_of_power(4f64.to_bits());
        assert_eq!(four.map(f64::from_bits), Some(0.25));
        assert_eq!(Type::I32.reciprocal_of_power(4), None);
    }
}
