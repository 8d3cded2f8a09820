//! What the interpreter asks for.

use crate::operand::{Element, Modifiers, Place};

/// An operation on the channels of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Copies or converts.
    Mov,
    /// Complement.
    Not,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// A boolean function of three sources by its table.
    Bfn(u8),
    /// Sum.
    Add,
    /// Sum of three.
    Add3,
    /// Rounded-up mean.
    Avg,
    /// Product.
    Mul,
    /// `src0 + src1 * src2`.
    Mad,
    /// Shift left.
    Shl,
    /// Shift right, zeroes from the left.
    Shr,
    /// Shift right, copies of the sign from the left.
    Asr,
    /// Rotate left.
    Rol,
    /// Rotate right.
    Ror,
    /// Set bits.
    Cbit,
    /// Leading zeroes.
    Lzd,
    /// The lowest set bit.
    Fbl,
    /// The highest bit that differs from the sign, from the top.
    Fbh,
    /// Bits in reverse.
    Bfrev,
    /// Extracts a bit field.
    Bfe,
    /// Makes a bit field mask.
    Bfi1,
    /// Inserts under a mask.
    Bfi2,
    /// The smaller.
    Min,
    /// The larger, or the first of equal ones.
    Max,
    /// Source 0 where [`Enabled::chosen`](crate::Enabled), otherwise source 1.
    Select,
    /// All ones where the condition holds between sources 0 and 1, otherwise zero.
    Compare,
    /// Source 0 where the condition holds between source 2 and zero, otherwise source 1.
    SelectCompare,
    /// Rounds down.
    Floor,
    /// Rounds up.
    Ceil,
    /// Rounds towards zero.
    Trunc,
    /// Rounds to the nearest integer, ties to even.
    Even,
    /// `x - floor(x)`, below one.
    Fraction,
    /// Reciprocal.
    Inv,
    /// Square root.
    Sqrt,
    /// Reciprocal square root.
    Rsqrt,
    /// Logarithm to base 2.
    Log,
    /// Power of 2.
    Exp,
    /// Sine.
    Sin,
    /// Cosine.
    Cos,
    /// Quotient of `f`.
    Divide,
    /// Integer quotient, truncated.
    Quotient,
    /// Integer remainder.
    Remainder,
    /// Adds the product with the high half of source 1 to the accumulator; the result is its high
    /// half.
    Mach,
    /// As `Mach`; the result is the low half.
    Macl,
    /// Sum; the accumulator takes the carry.
    Addc,
    /// Difference; the accumulator takes the borrow.
    Subb,
    /// The sum of source 0 and of the products of the bytes of sources 1 and 2. No routine does it.
    DotBytes,
}

/// A condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Equal.
    Eq,
    /// Not equal, or unordered.
    Ne,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Unordered.
    Un,
}

/// A source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input {
    /// The type of its elements.
    pub element: Element,
    /// Where it comes from.
    pub place: Place,
    /// Its modifiers.
    pub modifiers: Modifiers,
}

impl Input {
    /// The value of an integer constant, modifiers applied, in 64 bits.
    pub fn value(&self) -> Option<i64> {
        let Place::Constant(raw) = self.place else {
            return None;
        };
        if self.element.is_float() {
            return None;
        }
        let mut value = self.element.extend(raw) as i64;
        if self.modifiers.absolute && self.element.is_signed() {
            value = value.wrapping_abs();
        }
        if self.modifiers.negate {
            value = value.wrapping_neg();
        }
        Some(value)
    }

    /// Whether the value of an integer source, modifiers applied, always fits a signed number of
    /// this many bits.
    pub fn fits_signed(&self, bits: usize) -> bool {
        let element = self.element;
        if 8 * element.bytes() < bits {
            return true;
        }
        match self.place {
            // Its sign bit is clear, as a signed or unsigned number.
            Place::Constant(value) if 8 * element.bytes() == bits => value >> (bits - 1) & 1 == 0,
            _ => 8 * element.bytes() == bits && element.is_signed() && self.modifiers.is_empty(),
        }
    }

    /// Whether the value of an integer source is never below zero.
    pub fn fits_unsigned(&self) -> bool {
        !self.element.is_signed() && !self.modifiers.negate
    }
}

/// A destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Output {
    /// The type of its elements.
    pub element: Element,
    /// The byte offset of the first; `None` drops the result.
    pub at: Option<u32>,
    /// Bytes from element to element.
    pub stride: u16,
}

/// The accumulator's channels that an operation uses implicitly, or that are its destination.
///
/// A channel's integer is 64 bits wide. Registers show the low half. The whole is kept beside them,
/// and is valid only while its low half equals the register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accumulator {
    /// The byte offset of the first channel's low dword.
    pub low: u32,
    /// The byte offset of its whole.
    pub wide: u32,
    /// The operation writes it.
    pub writes: bool,
}

/// An operation with its operands. Every register operand lies inside the register bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// What to compute.
    pub operation: Operation,
    /// Channels: 1, 2, 4, 8, 16 or 32.
    pub lanes: u8,
    /// The sources, from 0 on.
    pub sources: [Option<Input>; 3],
    /// The destination.
    pub output: Output,
    /// What sets flags, or what `Compare` and `SelectCompare` compare by.
    pub condition: Option<Condition>,
    /// Results are clamped to the range of their type.
    pub saturate: bool,
    /// For the operations that use it.
    pub accumulator: Option<Accumulator>,
}
