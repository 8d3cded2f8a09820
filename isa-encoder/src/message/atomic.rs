//! Atomic operations.

use super::layout::values;

values! {
    /// What an atomic message does to memory. Operands are called a and b in payload order.
    AtomicOp {
        /// old
        Load "load",
        /// a
        Store "store",
        /// old & a
        And "and",
        /// old | a
        Or "or",
        /// old ^ a
        Xor "xor",
        /// old + 1
        Inc "iinc",
        /// old - 1, returning the old value
        Dec "idec",
        /// old - 1, returning the new value
        PreDec "ipdec",
        /// old + a
        Add "iadd",
        /// old - a
        Sub "isub",
        /// a - old
        ReverseSub "irsub",
        /// signed max(old, a)
        SignedMax "smax",
        /// signed min(old, a)
        SignedMin "smin",
        /// unsigned max(old, a)
        UnsignedMax "umax",
        /// unsigned min(old, a)
        UnsignedMin "umin",
        /// old == a ? b : old
        CompareSwap "icas",
        /// old + a, floating point
        FloatAdd "fadd",
        /// old - a, floating point
        FloatSub "fsub",
        /// floating-point max(old, a)
        FloatMax "fmax",
        /// floating-point min(old, a)
        FloatMin "fmin",
        /// old == a ? b : old, compared as floating-point numbers
        FloatCompareSwap "fcas",
    }
}

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
}
