//! The functions of `math` and `sync`.

use devinfo::{Family, Span};

use super::declare::span_of;
use super::signature::Signature;

/// A row is: name, code, suffix, and the span of families that have it.
macro_rules! functions {
    (
        $(#[$about:meta])*
        $enum:ident;
        $(
            $(#[$doc:meta])*
            $name:ident $code:literal $mnemonic:literal ($($span:tt)+);
        )*
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum $enum {
            $($(#[$doc])* $name = $code,)*
        }

        impl $enum {
            /// Every function.
            pub const ALL: [$enum; [$($code),*].len()] = [$($enum::$name),*];

            /// The suffix in IGA syntax.
            pub const fn mnemonic(self) -> &'static str {
                match self { $($enum::$name => $mnemonic,)* }
            }

            const fn span(self) -> Span {
                match self { $($enum::$name => span_of!($($span)+),)* }
            }

            /// The functions of a family by their codes.
            pub(crate) const fn table(family: Family) -> [Option<$enum>; 16] {
                let mut table = [None; 16];
                let mut i = 0;
                while i < $enum::ALL.len() {
                    let function = $enum::ALL[i];
                    if function.span().contains(family) {
                        table[function as usize] = Some(function);
                    }
                    i += 1;
                }
                table
            }
        }
    };
}

functions! {
    /// A function of `math`, with its encoding.
    ///
    /// Half and single precision, unless stated otherwise. The type makes integer division signed
    /// or unsigned. A function that a family lacks has no encoding there.
    ///
    /// Source: BDW to TGL PRM, volume 2a, "math" (Function Control); GED's `GED_MATH_FC`, by
    /// generation. IGC emulates functions that later families dropped.
    MathFunction;
    /// Reciprocal: `1 / src0`.
    Inv 1 "inv" (..);
    /// Logarithm: `log2(src0)`.
    Log 2 "log" (..);
    /// Exponential: `2 ** src0`.
    Exp 3 "exp" (..);
    /// Square root.
    Sqt 4 "sqt" (..);
    /// Reciprocal square root: `1 / sqrt(src0)`.
    Rsqt 5 "rsqt" (..);
    /// Sine of radians.
    Sin 6 "sin" (..);
    /// Cosine of radians.
    Cos 7 "cos" (..);
    /// Division: `src0 / src1`.
    Fdiv 9 "fdiv" (..=Gen11);
    /// Power: `abs(src0) ** src1`.
    Pow 10 "pow" (..=Gen11);
    /// Division of dwords: quotient into the destination, remainder after it.
    Idiv 11 "idiv" (..=Gen12Lp);
    /// Division of dwords: quotient.
    Iqot 12 "iqot" (..=Gen12Lp);
    /// Division of dwords: remainder.
    Irem 13 "irem" (..=Gen12Lp);
    /// First step of IEEE division `src0 / src1`: an estimate of the reciprocal, with exponents in
    /// math macro registers, for [`Opcode::Madm`](super::Opcode::Madm) to refine. Flags the
    /// channels that are done.
    Invm 14 "invm" (..);
    /// First step of an IEEE square root, like [`MathFunction::Invm`].
    Rsqtm 15 "rsqtm" (..);
}

impl MathFunction {
    /// The number of sources.
    pub const fn sources(self) -> usize {
        match self {
            MathFunction::Fdiv | MathFunction::Pow | MathFunction::Invm => 2,
            _ if self.is_integer() => 2,
            _ => 1,
        }
    }

    /// Whether the operands have math macro registers.
    pub const fn is_macro(self) -> bool {
        matches!(self, MathFunction::Invm | MathFunction::Rsqtm)
    }

    /// Whether it divides integers.
    pub const fn is_integer(self) -> bool {
        matches!(
            self,
            MathFunction::Idiv | MathFunction::Iqot | MathFunction::Irem
        )
    }

    /// The types that it takes and gives.
    pub(crate) const fn types(self) -> Signature {
        if self.is_integer() {
            Signature::DWORDS
        } else if self.is_macro() {
            Signature::FLOATS
        } else {
            Signature::SHORT_FLOATS
        }
    }
}

functions! {
    /// A function of `sync`, with its encoding.
    ///
    /// Source: TGL PRM, volume 2a, "sync"; GED's `GED_SYNC_FC`, by generation.
    SyncFunction;
    /// Only the annotation.
    Nop 0 "nop" (Gen12Lp..);
    /// Waits until all tokens (of a mask) have read their sources.
    AllRd 2 "allrd" (Gen12Lp..);
    /// Waits until all tokens (of a mask) have written their destinations.
    AllWr 3 "allwr" (Gen12Lp..);
    /// Waits for the flush.
    Flush 12 "flush" (Xe2..);
    /// Waits for the fence.
    Fence 13 "fence" (XeHpc..);
    /// Waits for the group's barrier.
    Bar 14 "bar" (Gen12Lp..);
    /// Waits for the host.
    Host 15 "host" (Gen12Lp..);
}

impl SyncFunction {
    /// Whether an immediate is a set of scoreboard tokens; a barrier has a number.
    pub(crate) const fn takes_tokens(self) -> bool {
        matches!(self, SyncFunction::AllRd | SyncFunction::AllWr)
    }
}
