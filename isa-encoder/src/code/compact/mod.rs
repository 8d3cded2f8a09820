//! The 8-byte forms: each field is copied or is an index into a table of bit patterns.

mod gen12_tables;
mod gen8_tables;
mod rows;
mod xehpc_tables;

use super::bits::{Field, Split, Word};
use crate::{Format, Type};
pub use rows::{GEN8, GEN9, GEN11, GEN12LP, XE2, XEHPC, XEHPG};

/// Where the bits of a field of the compacted form go.
#[derive(Debug)]
pub enum Target {
    /// Copied.
    Copy(Field),
    /// Looked up.
    Table(Table),
}

/// What the values of a field stand for.
#[derive(Debug)]
pub struct Table {
    /// Each value's pattern, already spread over the 16-byte form.
    pub patterns: &'static [u128],
    /// The reverse lookup.
    pub index: Index,
    /// The reverse lookup if the last dword holds no source 1.
    pub index_beside_imm: Index,
}

/// The first of equal patterns, found by the bits that are compared: a hash table of numbers
/// counted from 1; 0 is an empty slot.
#[derive(Debug)]
pub struct Index {
    kept: u128,
    slots: [u8; 64],
}

impl Index {
    /// The index of `patterns`, comparing only the bits `kept`.
    pub const fn of(patterns: &[u128], kept: u128) -> Self {
        assert!(patterns.len() <= 32);
        let mut slots = [0u8; 64];
        let mut i = 0;
        while i < patterns.len() {
            let bits = patterns[i] & kept;
            let mut slot = Self::slot(bits);
            while slots[slot] != 0 && patterns[slots[slot] as usize - 1] & kept != bits {
                slot = (slot + 1) % slots.len();
            }
            if slots[slot] == 0 {
                slots[slot] = i as u8 + 1;
            }
            i += 1;
        }
        Self { kept, slots }
    }

    /// Where the search for bits begins: the upper bits of a product (Fibonacci hashing).
    const fn slot(bits: u128) -> usize {
        let folded = bits as u64 ^ ((bits >> 64) as u64).rotate_left(29);
        (folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize
    }

    fn find(&self, patterns: &[u128], native: Word) -> Option<usize> {
        let bits = native.0 & self.kept;
        let mut slot = Self::slot(bits);
        loop {
            let index = usize::from(self.slots[slot]).checked_sub(1)?;
            if patterns.get(index)? & self.kept == bits {
                return Some(index);
            }
            slot = (slot + 1) % self.slots.len();
        }
    }
}

/// One field of a compacted form.
#[derive(Debug)]
pub struct Part {
    /// The field, in the 8 bytes.
    pub compact: Split,
    /// Its meaning.
    pub target: Target,
    /// The bits of the 16-byte form that it stands for.
    pub mask: u128,
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
    /// Instructions with one source, two sources or no operands.
    pub basic: &'static [Part],
    /// Three sources.
    pub ternary: &'static [Part],
    /// `dpas`.
    pub dpas: &'static [Part],
    /// `math` has a form (to Gen11).
    pub math: bool,
    /// Intel's assembler takes the first table entry that fits, ignoring an unused source 1: the
    /// expanded form may then have anything there (to Gen11).
    pub ignores_unused: bool,
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
            // iga64: "no compacted form".
            Format::Send => &[],
            Format::Math if !self.math => &[],
            _ => self.basic,
        };
        (!parts.is_empty()).then_some(parts)
    }
}

/// `value` spread over the fields of `split`.
const fn spread(split: &[Field], value: u64) -> u128 {
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

const fn spread_all<const N: usize>(split: &[Field], table: &[u64; N]) -> [u128; N] {
    let mut all = [0; N];
    let mut i = 0;
    while i < N {
        all[i] = spread(split, table[i]);
        i += 1;
    }
    all
}

/// The bits of the fields of `split`.
const fn mask(split: &[Field]) -> u128 {
    spread(split, ones(split))
}

const fn ones(split: &[Field]) -> u64 {
    let mut width = 0;
    let mut i = 0;
    while i < split.len() {
        width += split[i].width();
        i += 1;
    }
    (1 << width) - 1
}

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
/// `has_imm` tells from the bits so far whether there is an immediate. It is called once all parts
/// that no immediate replaces are expanded.
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
    match &part.target {
        Target::Copy(field) => {
            let mut word = Word(0);
            word.set(*field, value).ok()?;
            Some(word.0)
        }
        Target::Table(Table { patterns, .. }) => patterns.get(value as usize).copied(),
    }
}

/// What the last dword of a 16-byte word holds, besides descriptions of operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastDword {
    /// Source 1.
    Source1,
    /// Nothing: without meaning, and not compared ([`Compaction::ignores_unused`]).
    Unused,
    /// An immediate; this is its shortened form.
    Immediate(u32),
}

/// The 8-byte form of a 16-byte word. `Err` names what the tables lack.
pub fn compact(
    parts: &[Part],
    imm_field: Split,
    native: Word,
    last: LastDword,
) -> Result<Word, &'static str> {
    let short_imm = match last {
        LastDword::Immediate(short) => Some(short),
        LastDword::Source1 | LastDword::Unused => None,
    };
    let mut compact = 0;
    let mut covered = if short_imm.is_some() { IMM32 } else { 0 };
    for part in parts {
        if part.unless_imm && short_imm.is_some() {
            continue;
        }
        covered |= part.mask;
        let value = match &part.target {
            Target::Copy(field) => native.get(*field),
            Target::Table(table) => {
                let index = match last {
                    LastDword::Source1 => &table.index,
                    LastDword::Unused | LastDword::Immediate(_) => &table.index_beside_imm,
                };
                let found = index.find(table.patterns, native);
                found.ok_or("a combination of fields is not in the tables")? as u64
            }
        };
        compact |= short_spread(part.compact, value).ok_or("a register number does not fit")?;
    }
    if native.0 & !covered != 0 {
        return Err("a field is set that the short form does not have");
    }
    if let Some(imm) = short_imm {
        compact |= short_spread(imm_field, imm.into()).ok_or("the immediate does not fit")?;
    }
    Ok(Word(compact.into()))
}

/// Like [`Word::scatter`], in the 8 bytes of a compacted form.
#[inline(always)]
fn short_spread(split: Split, value: u64) -> Option<u64> {
    if let [field] = split {
        let fits = value & !field.mask() == 0;
        return Some(value.checked_shl(field.low())?).filter(|_| fits);
    }
    let (mut bits, mut rest) = (0, value);
    for field in split.iter().rev() {
        bits |= (rest & field.mask()).checked_shl(field.low())?;
        rest = rest.checked_shr(field.width())?;
    }
    (rest == 0).then_some(bits)
}
