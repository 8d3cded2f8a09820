//! How the [opcodes](super::instructions) are declared: a row each.

use devinfo::Span;

use super::attributes::Attributes;
use super::signature::Signature;

/// An opcode's properties: those of each family, and those that all share.
#[derive(Debug)]
pub(crate) struct Row {
    /// The number, bits 6:0 of the instruction, in each span of families.
    pub numbers: &'static [(u8, Span)],
    /// Its attributes, in each span of families.
    pub attributes: &'static [(Attributes, Span)],
    /// The types of its sources and destination.
    pub types: Signature,
}

/// The span of a row's part: every family by default.
macro_rules! span_of {
    () => {
        devinfo::Span::ALL
    };
    ($($span:tt)+) => {
        devinfo::span!($($span)+)
    };
}
pub(super) use span_of;

/// A row is: name, mnemonic and format; semantics; types; numbers; attributes. A number and an
/// attribute hold in the span of families in parentheses.
macro_rules! opcodes {
    ($(
        $(#[$doc:meta])*
        $name:ident $mnemonic:literal $format:ident,
        $does:ident $(($key:ident $({$($field:tt)*})?))? $({$($own:tt)*})?, $types:ident,
        [$($number:literal ($($span:tt)+)),*],
        [$($attribute:ident $(($($has:tt)+))?),*];
    )*) => {
        /// An EU opcode, over all families.
        ///
        /// Source: BDW to TGL PRM, volume 2a, EU ISA, each instruction's page and the opcode
        /// encodings; IGA `Models/bxml` for later ones.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Opcode {
            $(
                $(#[$doc])*
                ///
                #[doc = concat!("Operands: [`Format::", stringify!($format), "`].")]
                #[doc = concat!(
                    "Number:" $(, " ", stringify!($number), " (`", stringify!($($span)+), "`)")*, "."
                )]
                $name,
            )*
        }

        impl Opcode {
            /// Every opcode, in alphabetical order of the mnemonics.
            pub const ALL: &'static [Opcode] = &[$(Opcode::$name,)*];

            /// The rows, in the same order.
            pub(crate) const ROWS: &'static [Row] = &[$(Row {
                numbers: &[$(($number, $crate::model::declare::span_of!($($span)+))),*],
                attributes: &[$((
                    Attributes::$attribute,
                    $crate::model::declare::span_of!($($($has)+)?),
                )),*],
                types: Signature::$types,
            },)*];

            /// The mnemonic in IGA syntax.
            #[inline]
            pub const fn mnemonic(self) -> &'static str {
                match self { $(Opcode::$name => $mnemonic,)* }
            }

            /// The shape of the operands.
            #[inline]
            pub const fn format(self) -> Format {
                match self { $(Opcode::$name => Format::$format,)* }
            }

            /// What it does.
            #[inline]
            pub const fn semantics(self) -> Semantics {
                match self {
                    $(Opcode::$name => {
                        Semantics::$does $(($does::$key $({$($field)*})?))? $({$($own)*})?
                    })*
                }
            }

            /// The mnemonics, in the order of [`Opcode::ALL`].
            pub(crate) const NAMES: &'static Names<256> = {
                static NAMES: Names<256> = Names::of(&[$($mnemonic,)*]);
                &NAMES
            };
        }
    };
}
pub(super) use opcodes;
