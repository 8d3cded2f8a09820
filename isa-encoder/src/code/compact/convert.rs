//! From the 16-byte form to the 8-byte form and back.

use super::table::{IMM32, Part, Table, Target};
use crate::code::bits::{Split, Word};

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
