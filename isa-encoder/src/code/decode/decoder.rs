//! The decoder: what all formats share, and the formats of one and two sources.

use devinfo::{Family, for_family};

use crate::code::DecodeError;
use crate::code::bits::{Field, Word};
use crate::code::compact;
use crate::code::families::{FAMILIES, traits};
use crate::code::family::FamilyTable;
use crate::code::layout::{Layout, SrcFields};
use crate::code::swsb::{self, SwsbClass, SwsbEncoding};
use crate::model::{
    CondMod, Flag, Format, Instruction, Opcode, Options, PredControl, Predicate, Specific, Src,
};

/// Decodes the instruction at the start of `bytes`; also gives its length, 8 (compacted) or 16.
///
/// # Errors
/// [`DecodeError`] says what is not an instruction of `family`, or how many bytes are missing.
pub fn decode(family: Family, bytes: &[u8]) -> Result<(Instruction, usize)> {
    for_family!(family, N => Decoder::<N>::decode(bytes))
}

/// The 16-byte form, bit by bit, of the instruction in `bytes`; `None` if they hold none.
pub(crate) fn native_word(family: Family, bytes: &[u8]) -> Option<Word> {
    let expand = for_family!(family, N => Decoder::<N>::expand);
    if let Ok(long) = <[u8; 16]>::try_from(bytes) {
        return Some(Word(u128::from_le_bytes(long)));
    }
    let short = u64::from_le_bytes(bytes.try_into().ok()?);
    let code = usize::from(short as u8 & 0x7f);
    let opcode = traits(family).opcodes.get(code).copied().flatten()?;
    expand(opcode, Word(short.into())).ok()
}

/// The decoder of family number `N`. The tables are constants of the instance, so that field
/// positions become constants of its code.
pub(super) struct Decoder<const N: usize> {
    pub(super) word: Word,
    pub(super) opcode: Opcode,
    /// 8 or 16.
    pub(super) length: i32,
}

type Result<T> = core::result::Result<T, DecodeError>;

impl<const N: usize> Decoder<N> {
    pub(super) const TABLE: &'static FamilyTable = &FAMILIES[N];
    pub(super) const LAYOUT: &'static Layout = &FAMILIES[N].layout;

    pub(super) fn decode(bytes: &[u8]) -> Result<(Instruction, usize)> {
        let truncated = |needed| DecodeError::Truncated {
            needed,
            given: bytes.len(),
        };
        let Some((low, rest)) = bytes.split_first_chunk::<8>() else {
            return Err(truncated(8));
        };
        let low = u64::from_le_bytes(*low);
        let code = (low & 0x7f) as u8;
        let Some(opcode) = Self::TABLE.opcodes[usize::from(code)] else {
            return Err(DecodeError::Opcode {
                family: Self::TABLE.family,
                code,
            });
        };
        let short = Word(u128::from(low));
        if short.bit(Self::LAYOUT.compacted) {
            let word = Self::expand(opcode, short)?;
            let length = 8;
            let mut instruction = Self {
                word,
                opcode,
                length,
            }
            .instruction()?;
            instruction.options |= Options::COMPACTED;
            return Ok((instruction, 8));
        }
        let Some((high, _)) = rest.split_first_chunk::<8>() else {
            return Err(truncated(16));
        };
        let word = Word(u128::from(low) | u128::from(u64::from_le_bytes(*high)) << 64);
        let length = 16;
        Ok((
            Self {
                word,
                opcode,
                length,
            }
            .instruction()?,
            16,
        ))
    }

    /// The 16-byte form of a compacted instruction.
    pub(super) fn expand(opcode: Opcode, short: Word) -> Result<Word> {
        let error = DecodeError::Compacted { opcode };
        let tables = Self::TABLE.compaction;
        let form = tables.form(opcode.format()).ok_or(error)?;
        let basic = !matches!(opcode.format(), Format::Ternary | Format::Dpas);
        let (mut word, imm) = compact::expand(form, short, |word| {
            basic && Self::imm_source(word).is_some()
        })
        .ok_or(error)?;
        if imm && let Some(source) = Self::imm_source(word) {
            let code = word.get(Self::LAYOUT.src[source].ty);
            let ty = Self::TABLE.types.immediate.get(code).ok_or(error)?;
            let short_imm = short.gather(tables.imm) as u32;
            let imm = tables.imm_coding.expand(ty, short_imm).ok_or(error)?;
            word.0 |= u128::from(imm) << 96;
        }
        Ok(word)
    }

    /// Which source of a one- or two-source instruction is an immediate.
    #[inline(always)]
    pub(super) fn imm_source(word: Word) -> Option<usize> {
        Self::LAYOUT.src.iter().position(|src| is_imm(src, word))
    }

    pub(super) fn reserved<T>(&self, field: &'static str, value: u64) -> Result<T> {
        Err(DecodeError::Reserved {
            opcode: self.opcode,
            field,
            value: value as u32,
        })
    }

    #[inline(always)]
    pub(super) fn get(&self, field: Field) -> u64 {
        self.word.get(field)
    }

    #[inline(always)]
    pub(super) fn bit(&self, field: Field) -> bool {
        self.word.bit(field)
    }

    #[inline(always)]
    pub(super) fn instruction(&self) -> Result<Instruction> {
        let mut out = Instruction::new(self.opcode);
        self.controls(&mut out)?;
        match self.opcode.format() {
            Format::Nullary => {}
            Format::Unary => self.basic(&mut out, 1)?,
            Format::Binary => self.basic(&mut out, 2)?,
            Format::Math => self.math(&mut out)?,
            Format::Ternary => self.ternary(&mut out)?,
            Format::Dpas => self.dpas(&mut out)?,
            Format::Sync => self.sync(&mut out)?,
            Format::Wait => self.wait(&mut out)?,
            Format::Send => self.send(&mut out)?,
            Format::JumpUnary
            | Format::JumpJip
            | Format::JumpJipUip
            | Format::JumpBrc
            | Format::Call
            | Format::Ret => self.jump(&mut out)?,
        }
        Ok(out)
    }

    /// What all formats share.
    #[inline(always)]
    pub(super) fn controls(&self, out: &mut Instruction) -> Result<()> {
        let l = Self::LAYOUT;
        let swsb_bits = self.word.get32(l.swsb);
        if Self::TABLE.swsb != SwsbEncoding::None {
            out.swsb = match swsb::decode(Self::TABLE.swsb, SwsbClass::of(self.opcode), swsb_bits) {
                Some(swsb) => swsb,
                None => return self.reserved("SWSB", u64::from(swsb_bits)),
            };
        }
        for (field, option) in [
            (l.breakpoint, Options::BREAKPOINT),
            (l.atomic, Options::ATOMIC),
            (l.no_dd_clr, Options::NO_DD_CLR),
            (l.no_dd_chk, Options::NO_DD_CHK),
        ] {
            if self.bit(field) {
                out.options |= option;
            }
        }
        if l.thread_control.exists() {
            match self.get(l.thread_control) {
                0 => {}
                1 => out.options |= Options::ATOMIC,
                2 => out.options |= Options::SWITCH,
                _ => out.options |= Options::NO_PREEMPT,
            }
        }
        if matches!(self.opcode.format(), Format::Nullary) {
            return Ok(());
        }
        let size = self.get(l.exec_size);
        if size > 5 {
            return self.reserved("ExecSize", size);
        }
        out.exec_size = 1 << size;
        out.channel_offset = self.get(l.channel_offset) as u8 * l.channel_unit;
        out.no_mask = self.bit(l.no_mask);
        out.flag = Flag {
            register: self.get(l.flag_reg) as u8,
            subregister: self.get(l.flag_subreg) as u8,
        };
        out.predicate = self.predicate()?;
        Ok(())
    }

    #[inline(always)]
    pub(super) fn predicate(&self) -> Result<Option<Predicate>> {
        let l = Self::LAYOUT;
        let value = self.get(l.pred_control);
        if value == 0 {
            return Ok(None);
        }
        let control = if l.pred_control.width() == 2 {
            match value {
                1 => PredControl::Sequential,
                2 => PredControl::Any,
                _ => PredControl::All,
            }
        } else {
            match value {
                1 => PredControl::Sequential,
                2 => PredControl::AnyV,
                3 => PredControl::AllV,
                4..=13 => {
                    let group = 2 << ((value - 4) / 2);
                    if value.is_multiple_of(2) {
                        PredControl::AnyH(group)
                    } else {
                        PredControl::AllH(group)
                    }
                }
                _ => return self.reserved("PredCtrl", value),
            }
        };
        let align16 = l.access_mode.exists() && self.bit(l.access_mode);
        if align16 && !control.is_of_align16() {
            return self.reserved("PredCtrl", value);
        }
        Ok(Some(Predicate {
            control,
            inverse: self.bit(l.pred_inverse),
        }))
    }

    pub(super) fn cond(&self, value: u64) -> Result<Option<CondMod>> {
        Ok(Some(match value {
            0 => return Ok(None),
            1 => CondMod::Eq,
            2 => CondMod::Ne,
            3 => CondMod::Gt,
            4 => CondMod::Ge,
            5 => CondMod::Lt,
            6 => CondMod::Le,
            8 => CondMod::Ov,
            9 => CondMod::Un,
            _ => return self.reserved("CondModifier", value),
        }))
    }

    /// Saturation and the accumulator write of arithmetic formats.
    #[inline(always)]
    pub(super) fn arithmetic_controls(&self, out: &mut Instruction) {
        let l = Self::LAYOUT;
        out.saturate = self.bit(l.saturate);
        if self.bit(l.acc_wr_en) {
            out.options |= Options::ACC_WR_EN;
        }
    }

    #[inline(always)]
    pub(super) fn basic(&self, out: &mut Instruction, sources: usize) -> Result<()> {
        let l = Self::LAYOUT;
        let sources = if sources == 2 && Self::TABLE.is_unary(self.opcode) {
            1
        } else {
            sources
        };
        if l.access_mode.exists() && self.bit(l.access_mode) {
            return self.reserved("AccessMode", 1);
        }
        self.arithmetic_controls(out);
        out.dst = self.dst(&l.dst, false)?;
        // One by one, so that each source's fields are constants.
        if sources == 2 {
            if is_imm(&l.src[0], self.word) {
                return self.reserved("Src0.RegFile", 3);
            }
            out.src[1] = self.src(&l.src[1], false)?;
        }
        out.src[0] = self.src(&l.src[0], false)?;
        let last = out.src[sources - 1];
        let covered = l.cond.exists() && self.covered_by_imm64(&last, l.cond);
        if !covered {
            out.cond = self.cond(self.get(l.cond))?;
        }
        Ok(())
    }

    /// Whether `field` is part of `src`, a 64-bit immediate.
    #[inline(always)]
    pub(super) fn covered_by_imm64(&self, src: &Src, field: Field) -> bool {
        matches!(src, Src::Immediate { ty, .. } if ty.bits() == 64)
            && field.overlaps(Self::LAYOUT.imm64[0])
    }

    pub(super) fn math(&self, out: &mut Instruction) -> Result<()> {
        let l = Self::LAYOUT;
        self.arithmetic_controls(out);
        let code = self.get(l.function);
        let Some(function) = Self::TABLE.math_functions[code as usize & 15] else {
            return self.reserved("MathFC", code);
        };
        out.specific = Specific::Math(function);
        let is_macro = function.is_macro();
        out.dst = self.dst(&l.dst, is_macro)?;
        for (i, fields) in l.src.iter().enumerate().take(function.sources()) {
            out.src[i] = self.src(fields, is_macro)?;
        }
        if is_macro {
            out.cond = Some(CondMod::Eo);
        }
        Ok(())
    }

    pub(super) fn sync(&self, out: &mut Instruction) -> Result<()> {
        let l = Self::LAYOUT;
        let code = self.get(l.function);
        let Some(function) = Self::TABLE.sync_functions[code as usize & 15] else {
            return self.reserved("SyncFC", code);
        };
        out.specific = Specific::Sync(function);
        let src = self.src(&l.src[0], false)?;
        if !matches!(src, Src::Direct { reg, .. } if reg.is_null()) {
            out.src[0] = src;
        }
        Ok(())
    }

    pub(super) fn wait(&self, out: &mut Instruction) -> Result<()> {
        if self.bit(Self::LAYOUT.acc_wr_en) {
            out.options |= Options::ACC_WR_EN;
        }
        out.dst = self.dst(&Self::LAYOUT.dst, false)?;
        out.src[0] = self.src(&Self::LAYOUT.src[0], false)?;
        Ok(())
    }
}

/// Whether a source of the one- and two-source formats is an immediate.
#[inline(always)]
pub(super) fn is_imm(s: &SrcFields, word: Word) -> bool {
    if s.is_imm.exists() {
        word.bit(s.is_imm)
    } else {
        word.get(s.file) == 3
    }
}
