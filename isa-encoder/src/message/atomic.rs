//! Atomic operations, as the data ports and the load/store units number them.

/// What an atomic message does to memory. Operands are called a and b in payload order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    /// old
    Load,
    /// a
    Store,
    /// old & a
    And,
    /// old | a
    Or,
    /// old ^ a
    Xor,
    /// old + 1
    Inc,
    /// old - 1, returning the old value
    Dec,
    /// old - 1, returning the new value
    PreDec,
    /// old + a
    Add,
    /// old - a
    Sub,
    /// a - old
    ReverseSub,
    /// signed max(old, a)
    SignedMax,
    /// signed min(old, a)
    SignedMin,
    /// unsigned max(old, a)
    UnsignedMax,
    /// unsigned min(old, a)
    UnsignedMin,
    /// old == a ? b : old
    CompareSwap,
    /// old + a, floating point
    FloatAdd,
    /// old - a, floating point
    FloatSub,
    /// floating-point max(old, a)
    FloatMax,
    /// floating-point min(old, a)
    FloatMin,
    /// old == a ? b : old, compared as floating-point numbers
    FloatCompareSwap,
}

/// `(operation, HDC integer opcode, HDC float opcode, LSC opcode)`; an opcode that does not exist
/// is `NONE`. Sources: Skylake PRM vol 7 "MDC_AOP2/3/FOP", IGA's HDC and LSC message decoders.
const OPCODES: &[(AtomicOp, u8, u8, u8)] = {
    use AtomicOp as A;
    &[
        (A::Load, NONE, NONE, 0x0a),
        (A::Store, 0x4, NONE, 0x0b),
        (A::And, 0x1, NONE, 0x18),
        (A::Or, 0x2, NONE, 0x19),
        (A::Xor, 0x3, NONE, 0x1a),
        (A::Inc, 0x5, NONE, 0x08),
        (A::Dec, 0x6, NONE, 0x09),
        (A::PreDec, 0xf, NONE, NONE),
        (A::Add, 0x7, NONE, 0x0c),
        (A::Sub, 0x8, NONE, 0x0d),
        (A::ReverseSub, 0x9, NONE, NONE),
        (A::SignedMax, 0xa, NONE, 0x0f),
        (A::SignedMin, 0xb, NONE, 0x0e),
        (A::UnsignedMax, 0xc, NONE, 0x11),
        (A::UnsignedMin, 0xd, NONE, 0x10),
        (A::CompareSwap, 0xe, NONE, 0x12),
        (A::FloatAdd, NONE, 0x4, 0x13),
        (A::FloatSub, NONE, 0x5, 0x14),
        (A::FloatMax, NONE, 0x1, 0x16),
        (A::FloatMin, NONE, 0x2, 0x15),
        (A::FloatCompareSwap, NONE, 0x3, 0x17),
    ]
};
const NONE: u8 = 0xff;

impl AtomicOp {
    /// The number of operands in the payload: 0, 1 or 2.
    pub const fn operands(self) -> usize {
        match self {
            Self::Load | Self::Inc | Self::Dec | Self::PreDec => 0,
            Self::CompareSwap | Self::FloatCompareSwap => 2,
            _ => 1,
        }
    }

    /// Whether values are floating-point numbers.
    pub const fn is_float(self) -> bool {
        matches!(
            self,
            Self::FloatAdd
                | Self::FloatSub
                | Self::FloatMax
                | Self::FloatMin
                | Self::FloatCompareSwap
        )
    }

    pub(super) fn from_hdc_integer(opcode: u32) -> Option<Self> {
        find(|row| u32::from(row.1) == opcode)
    }

    pub(super) fn from_hdc_float(opcode: u32) -> Option<Self> {
        find(|row| u32::from(row.2) == opcode)
    }

    pub(super) fn from_lsc(opcode: u32) -> Option<Self> {
        find(|row| u32::from(row.3) == opcode)
    }

    pub(super) fn hdc_integer(self) -> Option<u32> {
        self.opcode(|row| row.1)
    }

    pub(super) fn hdc_float(self) -> Option<u32> {
        self.opcode(|row| row.2)
    }

    pub(super) fn lsc(self) -> Option<u32> {
        self.opcode(|row| row.3)
    }

    fn opcode(self, column: fn(&(Self, u8, u8, u8)) -> u8) -> Option<u32> {
        OPCODES
            .iter()
            .find(|row| row.0 == self)
            .map(column)
            .filter(|opcode| *opcode != NONE)
            .map(u32::from)
    }

    /// The name, after IGA's `atomic_NAME`.
    pub const fn mnemonic(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Store => "store",
            Self::And => "and",
            Self::Or => "or",
            Self::Xor => "xor",
            Self::Inc => "iinc",
            Self::Dec => "idec",
            Self::PreDec => "ipdec",
            Self::Add => "iadd",
            Self::Sub => "isub",
            Self::ReverseSub => "irsub",
            Self::SignedMax => "smax",
            Self::SignedMin => "smin",
            Self::UnsignedMax => "umax",
            Self::UnsignedMin => "umin",
            Self::CompareSwap => "icas",
            Self::FloatAdd => "fadd",
            Self::FloatSub => "fsub",
            Self::FloatMax => "fmax",
            Self::FloatMin => "fmin",
            Self::FloatCompareSwap => "fcas",
        }
    }
}

fn find(matches: impl Fn(&(AtomicOp, u8, u8, u8)) -> bool) -> Option<AtomicOp> {
    OPCODES.iter().find(|row| matches(row)).map(|row| row.0)
}
