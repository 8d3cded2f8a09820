//! The 8-byte forms: each field is copied, or is an index into a table of bit patterns.

mod gen12_tables;

use super::bits::{Field, Split, Word, b, f};
use crate::{Format, Type};

/// Where the bits of a field of the compacted form go.
#[derive(Debug)]
pub enum Target {
    /// Copied.
    Copy(Split),
    /// Looked up: each pattern, already spread over the 16-byte form, and the bits it covers.
    Table {
        patterns: &'static [u128],
        mask: u128,
    },
}

/// One field of a compacted form.
#[derive(Debug)]
pub struct Part {
    /// The field, in the 8 bytes.
    pub compact: Split,
    /// Its meaning.
    pub target: Target,
    /// The bits are replaced by the immediate, if there is one.
    pub unless_imm: bool,
}

/// How an immediate is shortened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImmCoding {
    /// 13 bits, sign-extended whatever the type (to Gen11).
    Signed13,
    /// 12 bits, by the type (Gen12LP on).
    ByType12,
}

/// The compacted forms of a family.
#[derive(Debug)]
pub struct Compaction {
    /// One and two sources, and what has no operands.
    pub basic: &'static [Part],
    /// Three sources.
    pub ternary: &'static [Part],
    /// `dpas`.
    pub dpas: &'static [Part],
    /// The immediate, in the 8 bytes.
    pub imm: Split,
    /// Its coding.
    pub imm_coding: ImmCoding,
}

impl Compaction {
    /// The compacted form of an instruction format; `None` if it has none.
    pub fn form(&self, format: Format) -> Option<&'static [Part]> {
        let parts = match format {
            Format::Ternary => self.ternary,
            Format::Dpas => self.dpas,
            _ => self.basic,
        };
        (!parts.is_empty()).then_some(parts)
    }
}

/// `value` spread over the fields of `split`.
const fn spread(split: Split, value: u64) -> u128 {
    let mut word = 0;
    let mut rest = value;
    let mut i = split.len();
    while i > 0 {
        i -= 1;
        let mut one = Word(0);
        let width = split[i].width();
        assert!(one.set(split[i], rest & ((1 << width) - 1)).is_ok());
        word |= one.0;
        rest >>= width;
    }
    assert!(rest == 0);
    word
}

const fn spread_all<const N: usize>(split: Split, table: &[u64; N]) -> [u128; N] {
    let mut all = [0; N];
    let mut i = 0;
    while i < N {
        all[i] = spread(split, table[i]);
        i += 1;
    }
    all
}

const fn ones(split: Split) -> u64 {
    let mut width = 0;
    let mut i = 0;
    while i < split.len() {
        width += split[i].width();
        i += 1;
    }
    (1 << width) - 1
}

macro_rules! copy {
    ($compact:expr => $native:expr) => {
        copy!(false, $compact => $native)
    };
    ($unless_imm:expr, $compact:expr => $native:expr) => {
        Part {
            compact: &[$compact],
            target: Target::Copy(&[$native]),
            unless_imm: $unless_imm,
        }
    };
}

macro_rules! table {
    ($compact:expr, $table:expr => $split:expr) => {
        table!(false, $compact, $table => $split)
    };
    ($unless_imm:expr, $compact:expr, $table:expr => $split:expr) => {
        Part {
            compact: &$compact,
            target: Target::Table {
                patterns: &const { spread_all(&$split, &$table) },
                mask: const { spread(&$split, ones(&$split)) },
            },
            unless_imm: $unless_imm,
        }
    };
}

/// The part is replaced by an immediate.
const UNLESS_IMM: bool = true;

use gen12_tables as g12;

const GEN12_CONTROL: [Field; 10] = [
    f(95, 92),
    b(34),
    b(33),
    b(32),
    b(31),
    b(28),
    f(27, 24),
    f(23, 22),
    f(21, 19),
    f(18, 16),
];
const GEN12_DATATYPE: [Field; 10] = [
    b(98),
    f(91, 88),
    b(66),
    b(50),
    f(49, 48),
    b(47),
    b(46),
    f(43, 40),
    f(39, 36),
    b(35),
];
const GEN12_SUBREG: [Field; 3] = [f(103, 99), f(71, 67), f(55, 51)];
const GEN12_SRC0: [Field; 5] = [f(87, 84), f(83, 81), b(80), f(65, 64), f(45, 44)];
const GEN12_SRC1: [Field; 5] = [f(121, 120), f(119, 116), f(115, 113), b(112), f(97, 96)];
const GEN12_TERNARY_CONTROL: [Field; 18] = [
    f(95, 92),
    f(90, 88),
    f(82, 80),
    b(50),
    b(48),
    f(42, 40),
    b(39),
    f(38, 36),
    b(34),
    b(33),
    b(32),
    b(31),
    b(28),
    f(27, 24),
    b(23),
    b(22),
    f(21, 19),
    f(18, 16),
];
const GEN12_TERNARY_SOURCE: [Field; 15] = [
    b(114),
    f(113, 112),
    b(98),
    f(97, 96),
    b(91),
    f(87, 86),
    f(85, 84),
    b(83),
    b(66),
    f(65, 64),
    b(47),
    b(46),
    f(45, 44),
    b(43),
    b(35),
];
const GEN12_TERNARY_SUBREG: [Field; 4] = [f(119, 115), f(103, 99), f(71, 67), f(55, 51)];

const GEN12_TERNARY: &[Part] = &[
    copy!(f(6, 0) => f(6, 0)),
    copy!(b(7) => b(30)),
    copy!(f(15, 8) => f(15, 8)),
    copy!(f(23, 16) => f(63, 56)),
    table!([f(28, 24)], g12::TERNARY_CONTROL => GEN12_TERNARY_CONTROL),
    table!([f(34, 30)], g12::TERNARY_SOURCE => GEN12_TERNARY_SOURCE),
    table!([f(39, 35)], g12::TERNARY_SUBREG => GEN12_TERNARY_SUBREG),
    copy!(f(47, 40) => f(79, 72)),
    copy!(f(55, 48) => f(127, 120)),
    copy!(f(63, 56) => f(111, 104)),
];

/// Gen12LP.
pub const GEN12LP: Compaction = Compaction {
    basic: &[
        copy!(f(6, 0) => f(6, 0)),
        copy!(b(7) => b(30)),
        copy!(f(15, 8) => f(15, 8)),
        copy!(f(23, 16) => f(63, 56)),
        table!([f(28, 24)], g12::CONTROL => GEN12_CONTROL),
        table!([f(34, 30)], g12::DATATYPE => GEN12_DATATYPE),
        table!([f(39, 35)], g12::SUBREG => GEN12_SUBREG),
        copy!(f(47, 40) => f(79, 72)),
        table!([f(51, 48)], g12::SRC0 => GEN12_SRC0),
        table!(UNLESS_IMM, [f(55, 52)], g12::SRC1 => GEN12_SRC1),
        copy!(UNLESS_IMM, f(63, 56) => f(111, 104)),
    ],
    ternary: GEN12_TERNARY,
    dpas: GEN12_TERNARY,
    imm: &[f(63, 52)],
    imm_coding: ImmCoding::ByType12,
};

/// The bits that a 32-bit immediate covers.
const IMM32: u128 = 0xffff_ffff << 96;

impl ImmCoding {
    /// The 32 bits of the immediate field that `short` stands for; `None` if the type has no
    /// shortened immediates.
    pub fn expand(self, ty: Type, short: u32) -> Option<u32> {
        let extend = |bits: u32| ((short << (32 - bits)) as i32 >> (32 - bits)) as u32;
        Some(match self {
            ImmCoding::Signed13 => extend(13),
            ImmCoding::ByType12 => match ty {
                Type::F => short << 20,
                Type::Hf | Type::Bf => short << 20 | short << 4,
                Type::Ud | Type::Vf | Type::Uv | Type::V => short,
                Type::Uw => short << 16 | short,
                Type::D => extend(12),
                Type::W => extend(12) << 16 | extend(12) & 0xffff,
                _ => return None,
            },
        })
    }

    /// The shortened form of the 32 bits of an immediate field.
    pub fn shorten(self, ty: Type, imm: u32) -> Option<u32> {
        let short = match self {
            ImmCoding::Signed13 => imm & 0x1fff,
            ImmCoding::ByType12 => match ty {
                Type::F => imm >> 20,
                Type::Hf | Type::Bf => imm >> 4 & 0xfff,
                _ => imm & 0xfff,
            },
        };
        (self.expand(ty, short) == Some(imm)).then_some(short)
    }
}

/// Expands the parts of an 8-byte form, except the immediate.
///
/// `has_imm` says of the bits so far whether there is an immediate. It is asked when they are
/// complete up to the first part that an immediate replaces.
#[inline(always)]
pub fn expand(
    parts: &[Part],
    compact: Word,
    has_imm: impl Fn(Word) -> bool,
) -> Option<(Word, bool)> {
    let mut native = 0u128;
    for part in parts.iter().filter(|part| !part.unless_imm) {
        native |= expand_part(part, compact)?;
    }
    let imm = has_imm(Word(native));
    if imm {
        native &= !IMM32;
    } else {
        for part in parts.iter().filter(|part| part.unless_imm) {
            native |= expand_part(part, compact)?;
        }
    }
    Some((Word(native), imm))
}

#[inline(always)]
fn expand_part(part: &Part, compact: Word) -> Option<u128> {
    let value = compact.gather(part.compact);
    match part.target {
        Target::Copy(split) => Some(match split {
            [field] => {
                let mut word = Word(0);
                word.set(*field, value).ok()?;
                word.0
            }
            _ => spread(split, value),
        }),
        Target::Table { patterns, .. } => patterns.get(value as usize).copied(),
    }
}

/// The 8-byte form of a 16-byte word, `short_imm` being its shortened immediate. `Err` names
/// what the tables lack.
pub fn compact(
    parts: &[Part],
    imm_field: Split,
    native: Word,
    short_imm: Option<u32>,
) -> Result<Word, &'static str> {
    let mut compact = Word(0);
    let ignored = if short_imm.is_some() { IMM32 } else { 0 };
    let mut covered = ignored;
    for part in parts {
        if part.unless_imm && short_imm.is_some() {
            continue;
        }
        let value = match part.target {
            Target::Copy(split) => {
                covered |= spread(split, ones(split));
                native.gather(split)
            }
            Target::Table { patterns, mask } => {
                covered |= mask;
                patterns
                    .iter()
                    .position(|pattern| (pattern ^ native.0) & mask & !ignored == 0)
                    .ok_or("a combination of fields is not in the tables")? as u64
            }
        };
        compact
            .scatter(part.compact, value)
            .map_err(|_| "a register number does not fit")?;
    }
    if native.0 & !covered != 0 {
        return Err("a field is set that the short form does not have");
    }
    if let Some(imm) = short_imm {
        compact
            .scatter(imm_field, u64::from(imm))
            .map_err(|_| "the immediate does not fit")?;
    }
    Ok(compact)
}
