//! The tables of the 8-byte forms.

use crate::code::bits::{Field, Split, Word};
use crate::{Format, Type};

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

    pub(super) fn find(&self, patterns: &[u128], native: Word) -> Option<usize> {
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
pub(super) const fn spread(split: &[Field], value: u64) -> u128 {
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

pub(super) const fn spread_all<const N: usize>(split: &[Field], table: &[u64; N]) -> [u128; N] {
    let mut all = [0; N];
    let mut i = 0;
    while i < N {
        all[i] = spread(split, table[i]);
        i += 1;
    }
    all
}

/// The bits of the fields of `split`.
pub(super) const fn mask(split: &[Field]) -> u128 {
    spread(split, ones(split))
}

pub(super) const fn ones(split: &[Field]) -> u64 {
    let mut width = 0;
    let mut i = 0;
    while i < split.len() {
        width += split[i].width();
        i += 1;
    }
    (1 << width) - 1
}

/// The bits that a 32-bit immediate covers.
pub(super) const IMM32: u128 = 0xffff_ffff << 96;

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
