//! What instructions do: an interpreter matches on this.

/// `mov (1|M0) null:ud TOGETHER:ud` does nothing, and says that all channels of the sub-group should be
/// there: the code after it is that of an operation for all of them, of which nothing else shows it.
pub const TOGETHER: u32 = 0x6f67_6574;

/// What an instruction does.
///
/// Opcodes that differ only in encoding share one value. The formula is at each [`Opcode`].
///
/// [`Opcode`]: super::Opcode
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Semantics {
    /// Nothing.
    Nop,
    /// Raises an exception.
    Illegal,
    /// Waits, by its [`SyncFunction`](super::SyncFunction).
    Sync,
    /// Waits for a notification.
    Wait,
    /// Sends a message.
    Send,
    /// Changes the instruction pointer or the channels that run.
    Flow(Flow),
    /// Computes a [`MathFunction`](super::MathFunction).
    Math,
    /// Multiplies matrices.
    Systolic {
        /// Together with the other EU of a pair.
        paired: bool,
    },
    /// Computes on integers or floats.
    Number(Number),
    /// Computes on integers.
    Integer(Integer),
    /// Computes on floats.
    Float(Float),
}

/// Branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each opcode has its documentation")]
pub enum Flow {
    If,
    Else,
    Endif,
    While,
    Break,
    Cont,
    Halt,
    Goto,
    Join,
    Brc,
    Brd,
    Jump,
    Call {
        /// The target counts from the instruction base, not from the call.
        absolute: bool,
    },
    Ret,
}

/// Operations on integers and floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    /// `mov`, `movi`.
    Move,
    /// `smov`: moves the channels in source 1.
    ScatteredMove,
    /// `sel`: by predicate or condition.
    Select,
    /// `csel`: by source 2.
    SelectByComparison,
    /// `cmp`.
    Compare,
    /// `cmpn`: true for a NaN in source 1.
    CompareOrNan,
    /// `src0 + src1`.
    Add,
    /// `src0 * src1`.
    Multiply,
    /// `src0 + src1 * src2`.
    MultiplyAdd,
    /// `src0 * src1 + acc0`.
    Accumulate,
}

/// Operations on integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Integer {
    /// `src0 + src1 + src2`.
    Add3,
    /// `src0 + src1`, with the carry in `acc0`.
    AddCarry,
    /// `src0 - src1`, with the borrow in `acc0`.
    SubtractBorrow,
    /// `(src0 + src1 + 1) >> 1`.
    Average,
    /// `src0 & src1`.
    And,
    /// `src0 | src1`.
    Or,
    /// `src0 ^ src1`.
    Xor,
    /// `~src0`.
    Not,
    /// A [truth table](super::Specific::Bfn) of three.
    TruthTable,
    /// `src0 << src1`.
    ShiftLeft,
    /// `src0 >> src1`, with zeroes.
    ShiftRight,
    /// `src0 >> src1`, with the sign.
    ShiftRightSigned,
    /// `src0` rotated left.
    RotateLeft,
    /// `src0` rotated right.
    RotateRight,
    /// The bits in reverse.
    ReverseBits,
    /// How many bits are 1.
    CountOnes,
    /// The number of leading zeroes.
    LeadingZeros,
    /// The position of the highest bit that differs from the sign.
    HighestBit,
    /// The position of the lowest 1.
    LowestBit,
    /// `src0` bits of `src2` from bit `src1` on.
    ExtractBits,
    /// `src0` ones from bit `src1` on.
    BitMask,
    /// `src1` where the mask `src0` is 1, otherwise `src2`.
    InsertBits,
    /// `src0` and the dot product of four bytes.
    DotBytes,
    /// Sum of the absolute differences of two bytes.
    AbsoluteDifferences {
        /// Plus `acc0`.
        accumulate: bool,
    },
    /// The high dword of a product, with `acc0`.
    ProductHigh,
    /// The low dword of a product, with `acc0`.
    ProductLow,
}

/// Operations on floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Float {
    /// `src0 + src1 * src2`, with math macro registers.
    MultiplyAdd,
    /// `src0 - floor(src0)`.
    Fraction,
    /// To an integer, down.
    RoundDown,
    /// To the nearest integer, ties to even.
    RoundEven,
    /// To an integer, up.
    RoundUp,
    /// To an integer, towards zero.
    RoundToZero,
    /// To fewer bits, by random bits.
    RoundStochastic,
    /// `src1 * src0 + src2 * (1 - src0)`.
    Interpolate,
    /// The dot product of every four elements.
    Dot {
        /// Products in the sum.
        terms: u8,
        /// Plus `src1`'s last element.
        homogeneous: bool,
    },
    /// `line`.
    Line,
    /// `pln`.
    Plane,
}
