//! Opcodes: the shape of their operands, and what is generated from their
//! [rows](super::instructions).

use core::fmt;

use devinfo::{Family, Span};

use super::attributes::Attributes;
use super::instructions::Opcode;
use super::signature::Signature;

/// The class of an instruction: the operand shape of its opcode, the same in every family that has
/// it.
///
/// | Class | Opcodes | Destination | Sources | Other parts |
/// |---|---|---|---|---|
/// | [`Nullary`](Format::Nullary) | `illegal`, `nop` | none | none | |
/// | [`Unary`](Format::Unary) | `mov`, `not`, `frc`, `rndd`, `rnde`, `rndu`, `rndz`, `bfrev`, `cbit`, `fbh`, `fbl`, `lzd` | register | region or immediate of up to 64 bits | |
/// | [`Binary`](Format::Binary) | `add`, `mul`, `cmp`, `sel`, shifts, bitwise operations… | register | region; region or immediate of up to 32 bits | |
/// | [`Ternary`](Format::Ternary) | `mad`, `madm`, `lrp`, `csel`, `add3`, `bfn`, `dp4a`, `bfe`, `bfi2` | general register, accumulator from Gen11 on | regions `<V;H>`, `<V;H>`, `<H>`; immediates of 16 bits in 0 or 2 from Gen11 on | [`Specific::Bfn`](super::Specific::Bfn) |
/// | [`Math`](Format::Math) | `math` | register | one or two regions | [`Specific::Math`](super::Specific::Math) |
/// | [`Sync`](Format::Sync) | `sync` | none | null, flag or immediate mask | [`Specific::Sync`](super::Specific::Sync) |
/// | [`Wait`](Format::Wait) | `wait` | the source | notification register | |
/// | [`JumpUnary`](Format::JumpUnary) | `jmpi`, `brd` | none | register, or none | [`Specific::Branch`](super::Specific::Branch), JIP |
/// | [`JumpJip`](Format::JumpJip) | `endif`, `while`, `join` | none | none | JIP |
/// | [`JumpJipUip`](Format::JumpJipUip) | `if`, `else`, `break`, `cont`, `goto`, `halt` | none | none | JIP and UIP |
/// | [`JumpBrc`](Format::JumpBrc) | `brc` | none | register, or none | JIP and UIP |
/// | [`Call`](Format::Call) | `call`, `calla` | return address | register, or none | JIP |
/// | [`Ret`](Format::Ret) | `ret` | none | return address | |
/// | [`Send`](Format::Send) | `send`, `sendc`, `sends`, `sendsc` | response | payload; second payload | [`Specific::Send`](super::Specific::Send) |
/// | [`Dpas`](Format::Dpas) | `dpas`, `dpasw` | registers | accumulator, weights, activations | [`Specific::Dpas`](super::Specific::Dpas) |
///
/// Predicate, condition modifier, saturation and others are [`Attributes`].
///
/// Source: BDW to TGL PRM, volume 7 ("Instruction Formats"), volume 2a; IGA `OpSpec::Format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// No operands (`illegal`, `nop`).
    Nullary,
    /// A destination and one source.
    Unary,
    /// A destination and two sources.
    Binary,
    /// A destination and three sources.
    Ternary,
    /// `math`: one or two sources, depending on its function.
    Math,
    /// `sync`: one source (null or an immediate mask).
    Sync,
    /// `wait`: one notification register, both source and destination.
    Wait,
    /// A jump with JIP only, an immediate or a register (`jmpi`, `brd`).
    JumpUnary,
    /// A jump with an immediate JIP only (`endif`, `while`, `join`).
    JumpJip,
    /// A jump with JIP and UIP (`if`, `else`, `break`, `cont`, `goto`, `halt`).
    JumpJipUip,
    /// `brc`: JIP and UIP, or one register that holds both.
    JumpBrc,
    /// `call`, `calla`: a destination and a target.
    Call,
    /// `ret`: a source register.
    Ret,
    /// `send`, `sendc`, `sends`, `sendsc`.
    Send,
    /// `dpas`, `dpasw`.
    Dpas,
}

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
                numbers: &[$(($number, $crate::model::opcode::span_of!($($span)+))),*],
                attributes: &[$((
                    Attributes::$attribute,
                    $crate::model::opcode::span_of!($($($has)+)?),
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

impl Opcode {
    /// The opcode of a mnemonic.
    pub fn from_mnemonic(text: &str) -> Option<Opcode> {
        Opcode::ALL.get(Opcode::NAMES.find(text)?).copied()
    }

    /// The number in `family`, bits 6:0 of the instruction; `None` if it does not have the opcode.
    pub(crate) const fn number(self, family: Family) -> Option<u8> {
        let numbers = Opcode::ROWS[self as usize].numbers;
        let mut i = 0;
        while i < numbers.len() {
            if numbers[i].1.contains(family) {
                return Some(numbers[i].0);
            }
            i += 1;
        }
        None
    }

    /// The types of its sources and destination; for `math` its functions have them.
    pub(crate) const fn types(self) -> Signature {
        Opcode::ROWS[self as usize].types
    }

    /// The opcode's attributes in `family`; with `None`, those in any family.
    const fn attributes_in(self, family: Option<Family>) -> Attributes {
        let rows = Opcode::ROWS[self as usize].attributes;
        let mut all = Attributes::empty();
        let mut i = 0;
        while i < rows.len() {
            let here = match family {
                Some(family) => rows[i].1.contains(family),
                None => true,
            };
            if here {
                all = all.union(rows[i].0);
            }
            i += 1;
        }
        all
    }

    /// The attributes of each opcode in `family`; with `None`, those in any family.
    pub(crate) const fn attribute_table(family: Option<Family>) -> [Attributes; Opcode::ALL.len()] {
        let mut table = [Attributes::empty(); Opcode::ALL.len()];
        let mut i = 0;
        while i < table.len() {
            table[i] = Opcode::ALL[i].attributes_in(family);
            i += 1;
        }
        table
    }

    /// Whether the opcode has all `attributes` in any family.
    #[inline]
    pub const fn has(self, attributes: Attributes) -> bool {
        const TABLE: [Attributes; Opcode::ALL.len()] = Opcode::attribute_table(None);
        TABLE[self as usize].contains(attributes)
    }

    /// Whether this is one of the send instructions.
    #[inline]
    pub const fn is_send(self) -> bool {
        matches!(self.format(), Format::Send)
    }

    /// Whether this changes the instruction pointer or the channels that run.
    #[inline]
    pub const fn is_branch(self) -> bool {
        matches!(
            self.format(),
            Format::JumpUnary
                | Format::JumpJip
                | Format::JumpJipUip
                | Format::JumpBrc
                | Format::Call
                | Format::Ret
        )
    }
}

impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.mnemonic())
    }
}
