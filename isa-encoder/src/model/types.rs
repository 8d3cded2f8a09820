//! Operand data types.

use core::fmt;

use super::names::Names;

/// What kind of number a [`Type`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeKind {
    /// Unsigned integer.
    Unsigned,
    /// Signed integer, two's complement.
    Signed,
    /// Floating point.
    Float,
    /// A packed vector immediate ([`Type::V`], [`Type::Uv`], [`Type::Vf`]).
    Packed,
}

macro_rules! types {
    ($($name:ident $suffix:literal $bits:literal $kind:ident $doc:literal;)*) => {
        /// The data type of an operand.
        ///
        /// [`validate`](crate::validate) checks which operands of which instruction may have which
        /// type; a table of the family says which have an encoding.
        ///
        /// Source: BDW to TGL PRM, volume 7, "Data Types"; IGA `IR/Types.hpp` for later families.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Type {
            $(#[doc = $doc] $name,)*
        }

        impl Type {
            /// Every type.
            pub const ALL: &'static [Type] = &[$(Type::$name,)*];

            /// The suffix in IGA syntax, without the colon.
            #[inline]
            pub const fn suffix(self) -> &'static str {
                match self { $(Type::$name => $suffix,)* }
            }

            /// The size of one element in bits.
            #[inline]
            pub const fn bits(self) -> u32 {
                match self { $(Type::$name => $bits,)* }
            }

            /// The kind of number.
            #[inline]
            pub const fn kind(self) -> TypeKind {
                match self { $(Type::$name => TypeKind::$kind,)* }
            }

            /// The suffixes, in the order of [`Type::ALL`].
            pub(crate) const NAMES: &'static Names<64> = {
                static NAMES: Names<64> = Names::of(&[$($suffix,)*]);
                &NAMES
            };
        }
    };
}

types! {
    Ub "ub" 8 Unsigned "Unsigned byte.";
    B "b" 8 Signed "Signed byte.";
    Uw "uw" 16 Unsigned "Unsigned word.";
    W "w" 16 Signed "Signed word.";
    Ud "ud" 32 Unsigned "Unsigned dword.";
    D "d" 32 Signed "Signed dword.";
    Uq "uq" 64 Unsigned "Unsigned qword.";
    Q "q" 64 Signed "Signed qword.";
    Hf "hf" 16 Float "Half precision.";
    Bf "bf" 16 Float "bfloat16 (XeHPG on).";
    F "f" 32 Float "Single precision.";
    Df "df" 64 Float "Double precision.";
    Nf "nf" 32 Float "Native float of the Gen11 accumulator: 66 bits a channel, addressed as a dword (IGA `IR/Types.hpp`).";
    Tf32 "tf32" 32 Float "TensorFloat-32 (`dpas`, XeHPC on).";
    Bf8 "bf8" 8 Float "8-bit float 1.5.2 (XeHPC on).";
    Hf8 "hf8" 8 Float "8-bit float 1.4.3 (later families).";
    V "v" 32 Packed "Immediate of eight signed nibbles, used as words.";
    Uv "uv" 32 Packed "Immediate of eight unsigned nibbles, used as words.";
    Vf "vf" 32 Packed "Immediate of four 8-bit restricted floats, used as floats.";
    U1 "u1" 1 Unsigned "One unsigned bit (`dpas`).";
    U2 "u2" 2 Unsigned "Two unsigned bits (`dpas`).";
    U4 "u4" 4 Unsigned "Four unsigned bits (`dpas`).";
    S2 "s2" 2 Signed "Two signed bits (`dpas`).";
    S4 "s4" 4 Signed "Four signed bits (`dpas`).";
}

impl Type {
    /// The size of one element in bytes; 1 for types smaller than a byte.
    #[inline]
    pub const fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// Whether this is a floating-point type.
    #[inline]
    pub const fn is_float(self) -> bool {
        matches!(self.kind(), TypeKind::Float)
    }

    /// Whether this is a signed integer type.
    #[inline]
    pub const fn is_signed(self) -> bool {
        matches!(self.kind(), TypeKind::Signed)
    }

    /// Whether this is an integer type (packed vectors are not).
    #[inline]
    pub const fn is_integer(self) -> bool {
        matches!(self.kind(), TypeKind::Signed | TypeKind::Unsigned)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.suffix())
    }
}
