//! Bytes to instructions.

use devinfo::Family;

use super::DecodeError;
use super::bits::{Field, Word};
use super::compact;
use super::family::{self, FAMILIES, FamilyTable, SendForm};
use super::layout::{Dst3Fields, DstFields, Layout, Src3Fields, SrcFields};
use super::swsb::{self, SwsbClass, SwsbEncoding};
use crate::model::{
    ArfKind, Branch, CondMod, Descriptor, Dpas, Dst, Flag, Format, Instruction, MathFunction,
    Opcode, Options, PredControl, Predicate, RegFile, Region, Register, Send, Sfid, Specific, Src,
    SrcMods, SyncFunction, Type, VStride,
};

/// Decodes the instruction at the start of `bytes`; also gives its length, 8 (compacted) or 16.
///
/// # Errors
/// [`DecodeError`] says what is no instruction of `family`, or how many bytes are missing.
pub fn decode(family: Family, bytes: &[u8]) -> Result<(Instruction, usize)> {
    match family::index(family) {
        0 => Decoder::<0>::decode(bytes),
        1 => Decoder::<1>::decode(bytes),
        2 => Decoder::<2>::decode(bytes),
        3 => Decoder::<3>::decode(bytes),
        4 => Decoder::<4>::decode(bytes),
        5 => Decoder::<5>::decode(bytes),
        _ => Decoder::<6>::decode(bytes),
    }
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

    fn decode(bytes: &[u8]) -> Result<(Instruction, usize)> {
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
    fn expand(opcode: Opcode, short: Word) -> Result<Word> {
        let error = DecodeError::Compacted { opcode };
        let tables = Self::TABLE.compaction;
        let form = tables.form(opcode.format()).ok_or(error)?;
        let basic = !matches!(opcode.format(), Format::Ternary | Format::Dpas);
        let (mut word, imm) = compact::expand(form, short, |word| {
            basic && Self::imm_source(word).is_some()
        })
        .ok_or(error)?;
        if imm && let Some(source) = Self::imm_source(word) {
            let code = word.get32(Self::LAYOUT.src[source].ty);
            let ty = Self::TABLE.types.immediate[(code & 15) as usize].ok_or(error)?;
            let short_imm = short.gather(tables.imm) as u32;
            let imm = tables.imm_coding.expand(ty, short_imm).ok_or(error)?;
            word.0 |= u128::from(imm) << 96;
        }
        Ok(word)
    }

    /// Which source of a one- or two-source instruction is an immediate.
    #[inline(always)]
    fn imm_source(word: Word) -> Option<usize> {
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
    fn instruction(&self) -> Result<Instruction> {
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
    fn controls(&self, out: &mut Instruction) -> Result<()> {
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
    fn predicate(&self) -> Result<Option<Predicate>> {
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

    /// Saturation and the accumulator write, of arithmetic formats.
    #[inline(always)]
    fn arithmetic_controls(&self, out: &mut Instruction) {
        let l = Self::LAYOUT;
        out.saturate = self.bit(l.saturate);
        if self.bit(l.acc_wr_en) {
            out.options |= Options::ACC_WR_EN;
        }
    }

    #[inline(always)]
    fn basic(&self, out: &mut Instruction, sources: usize) -> Result<()> {
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
        for (i, fields) in l.src.iter().enumerate().take(sources) {
            if i + 1 < sources && is_imm(fields, self.word) {
                return self.reserved("Src0.RegFile", 3);
            }
            out.src[i] = self.src(fields, false)?;
        }
        let last = out.src[sources - 1];
        let covered = l.cond.exists() && self.covered_by_imm64(&last, l.cond);
        if !covered {
            out.cond = self.cond(self.get(l.cond))?;
        }
        Ok(())
    }

    /// Whether `field` is part of `src`, a 64-bit immediate.
    #[inline(always)]
    fn covered_by_imm64(&self, src: &Src, field: Field) -> bool {
        matches!(src, Src::Immediate { ty, .. } if ty.bits() == 64)
            && field.overlaps(Self::LAYOUT.imm64[0])
    }

    fn math(&self, out: &mut Instruction) -> Result<()> {
        let l = Self::LAYOUT;
        self.arithmetic_controls(out);
        let Some(function) = MathFunction::from_code(self.get(l.function)) else {
            return self.reserved("MathFC", self.get(l.function));
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

    fn sync(&self, out: &mut Instruction) -> Result<()> {
        let l = Self::LAYOUT;
        let Some(function) = SyncFunction::from_code(self.get(l.function)) else {
            return self.reserved("SyncFC", self.get(l.function));
        };
        out.specific = Specific::Sync(function);
        let src = self.src(&l.src[0], false)?;
        if !matches!(src, Src::Direct { reg, .. } if reg.is_null()) {
            out.src[0] = src;
        }
        Ok(())
    }

    fn wait(&self, out: &mut Instruction) -> Result<()> {
        out.dst = self.dst(&Self::LAYOUT.dst, false)?;
        out.src[0] = self.src(&Self::LAYOUT.src[0], false)?;
        Ok(())
    }

    pub(super) fn ty(&self, table: &[Option<Type>; 16], code: u64) -> Result<Type> {
        match table[(code & 15) as usize] {
            Some(ty) => Ok(ty),
            None => self.reserved("DataType", code),
        }
    }

    /// A register: its file bit (or 2-bit file), number and byte.
    #[inline(always)]
    pub(super) fn register(&self, is_grf: bool, number: u64, byte: u64) -> Result<Register> {
        let number = number as u8;
        let byte = byte as u8;
        if is_grf {
            return Ok(Register {
                file: RegFile::Grf,
                number,
                byte,
            });
        }
        match ArfKind::from_code(number >> 4) {
            Some(kind) => Ok(Register {
                file: RegFile::Arf(kind),
                number: number & 15,
                byte,
            }),
            None => self.reserved("ARF number", u64::from(number)),
        }
    }

    #[inline(always)]
    pub(super) fn dst(&self, d: &DstFields, is_macro: bool) -> Result<Dst> {
        let l = Self::LAYOUT;
        let ty = self.ty(&Self::TABLE.types.register, self.get(d.ty))?;
        let hstride = hstride(self.get(d.hstride));
        if self.bit(d.address_mode) {
            return Ok(Dst::Indirect {
                subreg: self.get(d.addr_subreg) as u8,
                offset: self.addr_imm(d.addr_imm),
                hstride,
                ty,
            });
        }
        if is_macro {
            return Ok(Dst::Macro {
                reg: self.register(self.get(d.file) == 1, self.get(d.reg), 0)?,
                mme: mme(self.get(d.subreg) & 15),
                hstride,
                ty,
            });
        }
        let is_grf = self.get(d.file) == 1;
        let byte = self.get(d.subreg) * u64::from(l.subreg_unit) + self.get(d.subreg_odd);
        Ok(Dst::Direct {
            reg: self.register(is_grf, self.get(d.reg), byte)?,
            hstride,
            ty,
        })
    }

    #[inline(always)]
    fn addr_imm(&self, split: super::bits::Split) -> i16 {
        let width: u32 = split.iter().map(|field| field.width()).sum();
        let value = self.word.gather(split) as u16;
        ((value << (16 - width)) as i16) >> (16 - width)
    }

    #[inline(always)]
    pub(super) fn src(&self, s: &SrcFields, is_macro: bool) -> Result<Src> {
        let l = Self::LAYOUT;
        let code = self.get(s.ty);
        if is_imm(s, self.word) {
            let ty = self.ty(&Self::TABLE.types.immediate, code)?;
            let value = match ty.bits() {
                64 => self.word.gather(l.imm64),
                16 => self.get(l.imm32) & 0xffff,
                _ => self.get(l.imm32),
            };
            return Ok(Src::Immediate { value, ty });
        }
        let ty = self.ty(&Self::TABLE.types.register, code)?;
        let mods = SrcMods {
            neg: self.bit(s.neg),
            abs: self.bit(s.abs),
        };
        let indirect = self.bit(s.address_mode);
        let vstride = self.get(s.vstride);
        let per_row = (1 << s.vstride.width()) - 1;
        let vstride = match vstride {
            0..=6 => VStride::Elements(((1u32 << vstride) >> 1) as u8),
            v if v == per_row && indirect => VStride::PerRow,
            v => return self.reserved("VertStride", v),
        };
        let width = self.get(s.width);
        if width > 4 {
            return self.reserved("Width", width);
        }
        let region = Region {
            vstride,
            width: 1 << width,
            hstride: hstride(self.get(s.hstride)),
        };
        if is_macro {
            return Ok(Src::Macro {
                reg: self.register(self.get(s.file) == 1, self.get(s.reg), 0)?,
                mme: mme(self.get(s.subreg) & 15),
                region,
                ty,
                mods,
            });
        }
        if indirect {
            return Ok(Src::Indirect {
                subreg: self.get(s.addr_subreg) as u8,
                offset: self.addr_imm(s.addr_imm) * s.addr_imm_unit,
                region,
                ty,
                mods,
            });
        }
        let is_grf = self.get(s.file) == 1;
        let byte = self.get(s.subreg) * u64::from(l.subreg_unit) + self.get(s.subreg_odd);
        Ok(Src::Direct {
            reg: self.register(is_grf, self.get(s.reg), byte)?,
            region,
            ty,
            mods,
        })
    }

    #[inline(always)]
    fn ternary(&self, out: &mut Instruction) -> Result<()> {
        let l = Self::LAYOUT;
        self.arithmetic_controls(out);
        if Self::TABLE.align16 {
            return self.ternary_align16(out);
        }
        let float = self.get(l.dst3.exec_type) << 3;
        let is_macro = self.opcode == Opcode::Madm;
        out.dst = self.dst3(&l.dst3, float, is_macro)?;
        for (i, fields) in l.src3.iter().enumerate() {
            out.src[i] = self.src3(fields, float, is_macro)?;
        }
        if self.opcode == Opcode::Bfn {
            out.specific = Specific::Bfn(self.word.gather(l.bfn) as u8);
            for src in &mut out.src {
                if let Src::Direct { mods, .. } = src {
                    *mods = SrcMods::NONE;
                }
            }
            out.cond = match self.word.gather(l.bfn_cond) {
                0 => None,
                1 => Some(CondMod::Eq),
                2 => Some(CondMod::Gt),
                _ => Some(CondMod::Lt),
            };
        } else {
            out.cond = self.cond(self.get(l.cond))?;
        }
        Ok(())
    }

    #[inline(always)]
    fn dst3(&self, d: &Dst3Fields, float: u64, is_macro: bool) -> Result<Dst> {
        let ty = self.ty(&Self::TABLE.types.ternary, float | self.get(d.ty))?;
        let hstride = 1 << self.get(d.hstride);
        if is_macro {
            let is_grf = Self::TABLE.ternary_file_is_grf(self.get(d.file));
            return Ok(Dst::Macro {
                reg: self.register(is_grf, self.get(d.reg), 0)?,
                mme: mme(self.get(d.mme)),
                hstride,
                ty,
            });
        }
        let unit = u64::from(Self::LAYOUT.subreg_unit) * u64::from(d.subreg_scale);
        let is_grf = Self::TABLE.ternary_file_is_grf(self.get(d.file));
        Ok(Dst::Direct {
            reg: self.register(is_grf, self.get(d.reg), self.get(d.subreg) * unit)?,
            hstride,
            ty,
        })
    }

    #[inline(always)]
    fn src3(&self, s: &Src3Fields, float: u64, is_macro: bool) -> Result<Src> {
        let ty = self.ty(&Self::TABLE.types.ternary, float | self.get(s.ty))?;
        if s.is_imm.exists() && self.bit(s.is_imm) {
            return Ok(Src::Immediate {
                value: self.get(s.imm),
                ty,
            });
        }
        let mods = SrcMods {
            neg: self.bit(s.neg),
            abs: self.bit(s.abs),
        };
        let hstride = hstride(self.get(s.hstride));
        let region = if s.vstride.is_empty() {
            Region::new(hstride, 1, 0)
        } else {
            let vstride = match self.word.gather(s.vstride) {
                0 => 0,
                1 => Self::TABLE.ternary_vstride1,
                2 => 4,
                _ => 8,
            };
            Region::ternary(vstride, hstride)
        };
        if is_macro {
            let is_grf = Self::TABLE.ternary_file_is_grf(self.get(s.file));
            return Ok(Src::Macro {
                reg: self.register(is_grf, self.get(s.reg), 0)?,
                mme: mme(self.get(s.mme)),
                region,
                ty,
                mods,
            });
        }
        let unit = u64::from(Self::LAYOUT.subreg_unit);
        let is_grf = Self::TABLE.ternary_file_is_grf(self.get(s.file));
        Ok(Src::Direct {
            reg: self.register(is_grf, self.get(s.reg), self.get(s.subreg) * unit)?,
            region,
            ty,
            mods,
        })
    }

    fn dpas(&self, out: &mut Instruction) -> Result<()> {
        let l = Self::LAYOUT;
        let d = &l.dpas;
        let float = self.get(l.dst3.exec_type) << 3;
        let ternary = &Self::TABLE.types.ternary;
        let unit = u64::from(l.subreg_unit);
        out.specific = Specific::Dpas(Dpas {
            depth: 1 << self.get(d.depth),
            repeat: self.get(d.repeat) as u8 + 1,
        });
        let dst = &l.dst3;
        out.dst = Dst::Direct {
            reg: self.register(
                self.get(dst.file) == 1,
                self.get(dst.reg),
                self.get(dst.subreg) * unit,
            )?,
            hstride: 1,
            ty: self.ty(ternary, float | self.get(dst.ty))?,
        };
        let precisions = [0, self.get(d.src1_precision), self.get(d.src2_precision)];
        for (i, s) in l.src3.iter().enumerate() {
            let ty = self.ty(ternary, float | self.get(s.ty))?;
            let ty = match (ty, precisions[i]) {
                (ty, 0) => ty,
                (Type::Ub, 1) => Type::U4,
                (Type::B, 1) => Type::S4,
                (Type::Ub, 2) => Type::U2,
                (Type::B, 2) => Type::S2,
                (_, code) => return self.reserved("SubBytePrecision", code),
            };
            out.src[i] = Src::Direct {
                reg: self.register(
                    self.get(s.file) == 1,
                    self.get(s.reg),
                    self.get(s.subreg) * unit,
                )?,
                region: Region::PACKED,
                ty,
                mods: SrcMods::NONE,
            };
        }
        Ok(())
    }

    fn send(&self, out: &mut Instruction) -> Result<()> {
        let l = Self::LAYOUT;
        let s = &l.send;
        let form = Self::TABLE.send;
        if form == SendForm::Gen9 {
            return self.send_gen9(out);
        }
        let code = self.get(s.sfid);
        let Some(sfid) = Self::TABLE.sfids[code as usize & 15] else {
            return self.reserved("SFID", code);
        };
        let plain = |file: Field, reg: Field| -> Result<Register> {
            self.register(self.bit(file), self.get(reg), 0)
        };
        out.dst = Dst::Direct {
            reg: plain(s.dst_file, l.dst.reg)?,
            hstride: 1,
            ty: Type::Ud,
        };
        for (i, reg) in [
            plain(s.src0_file, l.src[0].reg)?,
            plain(s.src1_file, s.src1_reg)?,
        ]
        .into_iter()
        .enumerate()
        {
            out.src[i] = Src::Direct {
                reg,
                region: Region::PACKED,
                ty: Type::Ud,
                mods: SrcMods::NONE,
            };
        }
        let desc = if self.bit(s.desc_is_reg) {
            Descriptor::Register { subreg: 0 }
        } else {
            Descriptor::Immediate(self.word.gather(s.desc) as u32)
        };
        let exdesc_is_reg = self.bit(s.exdesc_is_reg);
        let mut send = Send::new(Some(sfid), desc, Descriptor::Immediate(0));
        send.eot = self.bit(s.eot);
        let length = self.get(s.src1_len) as u8;
        if exdesc_is_reg {
            send.exdesc = Descriptor::Register {
                subreg: self.get(s.exdesc_subreg) as u8,
            };
            match form {
                SendForm::Gen9 | SendForm::Gen12 => {}
                SendForm::XeHpg => {
                    send.ex_bso = self.bit(s.ex_bso);
                    if send.ex_bso {
                        send.cps = self.bit(s.cps);
                        send.src1_len = Some(length);
                    }
                }
                SendForm::Xe2 => {
                    // Bits 18:16 of the immediate offset lie over the a0 sub-register, and
                    // bit 15 over ExBSO except for ugm.
                    let mut offset = (self.word.gather(s.exdesc) as u32) << 11 & !0x7_0fff;
                    if sfid == Sfid::Ugm {
                        send.src1_len = Some(length);
                    } else {
                        offset &= !(1 << 15);
                        send.ex_bso = self.bit(s.ex_bso);
                        send.src1_len = send.ex_bso.then_some(length);
                    }
                    send.exdesc_offset = offset;
                }
            }
        } else {
            let high = (self.word.gather(s.exdesc) as u32) << 11;
            send.exdesc = Descriptor::Immediate(match form {
                SendForm::Gen9 | SendForm::Gen12 => high | u32::from(length) << 6,
                SendForm::XeHpg | SendForm::Xe2 => high,
            });
            send.src1_len = Some(length);
        }
        out.specific = Specific::Send(send);
        Ok(())
    }

    fn jump(&self, out: &mut Instruction) -> Result<()> {
        if Self::TABLE.legacy_jumps {
            return self.jump_gen9(out);
        }
        let l = Self::LAYOUT;
        let format = self.opcode.format();
        let mut branch = Branch {
            jip: None,
            uip: None,
            control: self.opcode.has_branch_control() && self.bit(l.branch_control),
        };
        if format == Format::Call {
            out.dst = Dst::Direct {
                reg: self.jump_register(l.dst.file, l.dst.reg, l.dst.subreg)?,
                hstride: 1,
                ty: Type::Ud,
            };
        }
        let register_target = match format {
            Format::Ret => true,
            Format::JumpUnary | Format::JumpBrc | Format::Call => !self.jump_is_imm(),
            _ => false,
        };
        if register_target {
            let s = &l.src[0];
            out.src[0] = Src::Direct {
                reg: self.jump_register(s.file, s.reg, s.subreg)?,
                region: Region::SCALAR,
                ty: Type::Ud,
                mods: SrcMods::NONE,
            };
        } else {
            branch.jip = Some(self.get(l.jip) as u32 as i32);
            if matches!(format, Format::JumpJipUip | Format::JumpBrc) {
                branch.uip = Some(self.get(l.uip) as u32 as i32);
            }
        }
        out.specific = Specific::Branch(branch);
        Ok(())
    }

    /// Whether a jump that could have a register target has an immediate one.
    fn jump_is_imm(&self) -> bool {
        is_imm(&Self::LAYOUT.src[0], self.word)
    }

    fn jump_register(&self, file: Field, reg: Field, subreg: Field) -> Result<Register> {
        let byte = self.get(subreg) * u64::from(Self::LAYOUT.subreg_unit);
        self.register(self.get(file) == 1, self.get(reg), byte)
    }
}

/// Whether a source of the one- and two-source formats is an immediate.
#[inline(always)]
fn is_imm(s: &SrcFields, word: Word) -> bool {
    if s.is_imm.exists() {
        word.bit(s.is_imm)
    } else {
        word.get(s.file) == 3
    }
}

/// The stride of codes 0 to 3: 0, 1, 2, 4.
#[inline(always)]
fn hstride(code: u64) -> u8 {
    ((1u32 << code) >> 1) as u8
}

/// The math macro register of a code: 0 to 7, or 8 for none.
pub(super) fn mme(code: u64) -> Option<u8> {
    (code & 8 == 0).then_some((code & 7) as u8)
}
