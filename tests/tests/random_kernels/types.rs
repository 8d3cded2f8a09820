//! The types of OpenCL C that the kernels use.

use std::fmt;

/// A scalar type (OpenCL C 2.0, section 6.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
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
}

use Scalar::{F16, F32, I8, I16, I32, I64, U8, U16, U32, U64};

/// All integers.
pub const INTEGERS: [Scalar; 8] = [I8, U8, I16, U16, I32, U32, I64, U64];

impl Scalar {
    pub fn name(self) -> &'static str {
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
        }
    }

    pub fn bits(self) -> u32 {
        match self {
            I8 | U8 => 8,
            I16 | U16 | F16 => 16,
            I32 | U32 | F32 => 32,
            I64 | U64 => 64,
        }
    }

    pub fn bytes(self) -> usize {
        self.bits() as usize / 8
    }

    /// The bits of a value of this type in 64.
    pub fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    pub fn is_float(self) -> bool {
        matches!(self, F16 | F32)
    }

    pub fn is_signed(self) -> bool {
        matches!(self, I8 | I16 | I32 | I64)
    }

    /// The unsigned integer of this size.
    pub fn unsigned(self) -> Self {
        match self.bits() {
            8 => U8,
            16 => U16,
            32 => U32,
            _ => U64,
        }
    }

    /// The signed integer of this size.
    pub fn signed(self) -> Self {
        match self.bits() {
            8 => I8,
            16 => I16,
            32 => I32,
            _ => I64,
        }
    }

    /// The lowest and the highest number of an integer type.
    pub fn limits(self) -> (i128, i128) {
        if self.is_signed() {
            let half = 1i128 << (self.bits() - 1);
            (-half, half - 1)
        } else {
            (0, i128::from(self.mask()))
        }
    }
}

/// A scalar, or a vector of 2, 3, 4, 8 or 16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    pub scalar: Scalar,
    pub components: usize,
}

impl Type {
    /// Its size in memory: a vector of three takes the space of four (section 6.1.5).
    pub fn bytes(self) -> usize {
        self.components.next_power_of_two() * self.scalar.bytes()
    }

    pub fn with(self, scalar: Scalar) -> Self {
        Self { scalar, ..self }
    }

    pub fn is_vector(self) -> bool {
        self.components > 1
    }
}

impl From<Scalar> for Type {
    fn from(scalar: Scalar) -> Self {
        Self {
            scalar,
            components: 1,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.scalar.name())?;
        if self.is_vector() {
            write!(f, "{}", self.components)?;
        }
        Ok(())
    }
}
