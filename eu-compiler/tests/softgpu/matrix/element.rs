//! The types of elements, and what is computed with them.

use half::f16;

/// A type of OpenCL C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Element {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
}

use Element::{F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

pub const ALL: [Element; 11] = [I8, U8, I16, U16, I32, U32, I64, U64, F16, F32, F64];

/// How a reduction or scan combines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Combine {
    Add,
    Mul,
    Min,
    Max,
    And,
    Or,
    Xor,
}

impl Combine {
    pub const fn is_bitwise(self) -> bool {
        matches!(self, Combine::And | Combine::Or | Combine::Xor)
    }

    pub const fn name(self) -> &'static str {
        match self {
            Combine::Add => "add",
            Combine::Mul => "mul",
            Combine::Min => "min",
            Combine::Max => "max",
            Combine::And => "and",
            Combine::Or => "or",
            Combine::Xor => "xor",
        }
    }
}

impl Element {
    pub const fn name(self) -> &'static str {
        match self {
            I8 => "char",
            U8 => "uchar",
            I16 => "short",
            U16 => "ushort",
            I32 => "int",
            U32 => "uint",
            I64 => "long",
            U64 => "ulong",
            F16 => "half",
            F32 => "float",
            F64 => "double",
        }
    }

    pub const fn bits(self) -> u32 {
        match self {
            I8 | U8 => 8,
            I16 | U16 | F16 => 16,
            I32 | U32 | F32 => 32,
            I64 | U64 | F64 => 64,
        }
    }

    pub const fn bytes(self) -> usize {
        self.bits() as usize / 8
    }

    pub const fn is_float(self) -> bool {
        matches!(self, F16 | F32 | F64)
    }

    pub const fn is_signed(self) -> bool {
        matches!(self, I8 | I16 | I32 | I64)
    }

    pub const fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    fn signed(self, bits: u64) -> i64 {
        let unused = 64 - self.bits();
        ((bits << unused) as i64) >> unused
    }

    /// A float's value, which a double has exactly.
    pub fn float(self, bits: u64) -> f64 {
        match self {
            F16 => f16::from_bits(bits as u16).to_f64(),
            F32 => f64::from(f32::from_bits(bits as u32)),
            _ => f64::from_bits(bits),
        }
    }

    /// The bits of a float's nearest value.
    pub fn of_float(self, value: f64) -> u64 {
        match self {
            F16 => u64::from(f16::from_f64(value).to_bits()),
            F32 => u64::from((value as f32).to_bits()),
            _ => value.to_bits(),
        }
    }

    pub fn combine(self, how: Combine, a: u64, b: u64) -> u64 {
        if self.is_float() {
            let (x, y) = (self.float(a), self.float(b));
            return self.of_float(match how {
                Combine::Add => x + y,
                Combine::Mul => x * y,
                Combine::Min => x.min(y),
                _ => x.max(y),
            });
        }
        let less = match self.is_signed() {
            true => self.signed(a) < self.signed(b),
            false => a < b,
        };
        let value = match how {
            Combine::Add => a.wrapping_add(b),
            Combine::Mul => a.wrapping_mul(b),
            Combine::Min if less => a,
            Combine::Min => b,
            Combine::Max if less => b,
            Combine::Max => a,
            Combine::And => a & b,
            Combine::Or => a | b,
            Combine::Xor => a ^ b,
        };
        value & self.mask()
    }

    /// What an exclusive scan begins with.
    pub fn identity(self, how: Combine) -> u64 {
        let float = self.is_float();
        match how {
            Combine::Add | Combine::Or | Combine::Xor => 0,
            Combine::Mul if float => self.of_float(1.0),
            Combine::Mul => 1,
            Combine::Min if float => self.of_float(f64::INFINITY),
            Combine::Max if float => self.of_float(f64::NEG_INFINITY),
            Combine::Min if self.is_signed() => self.mask() >> 1,
            Combine::Min | Combine::And => self.mask(),
            Combine::Max if self.is_signed() => (self.mask() >> 1) + 1,
            Combine::Max => 0,
        }
    }

    /// Whether two results are the same: zeroes are equal, and so are numbers that are none.
    pub fn same(self, a: u64, b: u64) -> bool {
        if a == b || !self.is_float() {
            return a == b;
        }
        let (x, y) = (self.float(a), self.float(b));
        x == y || x.is_nan() && y.is_nan()
    }
}
