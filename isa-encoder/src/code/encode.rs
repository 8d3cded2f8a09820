//! Instructions to bytes.

use devinfo::Family;

use super::EncodeError;
use super::bits::{Field, Overflow, Split, Word};
use super::compact;
use super::family::{self, FAMILIES, FamilyTable, SendForm};
use super::layout::{Dst3Fields, DstFields, Layout, Src3Fields, SrcFields};
use super::opcodes;
use super::swsb::{self, SwsbClass, SwsbEncoding};
use super::types;
use crate::model::{
    ArfKind, CondMod, Descriptor, Dst, Format, Instruction, Options, PredControl, RegFile, Region,
    Register, Sfid, Specific, Src, SrcMods, Type, VStride,
};

type Result<T> = core::result::Result<T, EncodeError>;

/// Encodes an instruction: 16 bytes, or 8 with [`crate::Options::COMPACTED`]. The length is given
/// beside the bytes; the rest is 0.
///
/// # Errors
/// [`EncodeError`] names the operand or field that `family` cannot express.
pub fn encode(family: Family, instruction: &Instruction) -> Result<([u8; 16], usize)> {
    let mut encoder = Encoder::new(family, instruction)?;
    encoder.instruction()?;
    if instruction.options.contains(Options::COMPACTED) {
        let word = encoder.compact()?;
        return Ok((word.0.to_le_bytes(), 8));
    }
    Ok((encoder.word.0.to_le_bytes(), 16))
}

/// Encodes an instruction in the 8-byte form if it has one, else in the 16-byte form.
///
/// # Errors
/// As [`encode`].
pub fn encode_shortest(family: Family, instruction: &Instruction) -> Result<([u8; 16], usize)> {
    let mut encoder = Encoder::new(family, instruction)?;
    encoder.instruction()?;
    Ok(match encoder.compact() {
        Ok(word) => (word.0.to_le_bytes(), 8),
        Err(_) => (encoder.word.0.to_le_bytes(), 16),
    })
}

pub(super) struct Encoder<'a> {
    pub(super) table: &'static FamilyTable,
    pub(super) layout: &'static Layout,
    pub(super) input: &'a Instruction,
    pub(super) word: Word,
}

impl<'a> Encoder<'a> {
    fn new(family: Family, input: &'a Instruction) -> Result<Self> {
        let table = FAMILIES
            .get(family::index(family))
            .filter(|table| table.family == family)
            .ok_or(EncodeError::Family { family })?;
        Ok(Self {
            table,
            layout: &table.layout,
            input,
            word: Word(0),
        })
    }

    pub(super) fn cannot<T>(&self, field: &'static str, value: u64) -> Result<T> {
        Err(EncodeError::Field {
            family: self.table.family,
            opcode: self.input.opcode,
            field,
            value,
        })
    }

    pub(super) fn form<T>(&self, field: &'static str) -> Result<T> {
        Err(EncodeError::Form {
            family: self.table.family,
            opcode: self.input.opcode,
            field,
        })
    }

    pub(super) fn set(&mut self, name: &'static str, field: Field, value: u64) -> Result<()> {
        match self.word.set(field, value) {
            Ok(()) => Ok(()),
            Err(Overflow(value)) => self.cannot(name, value),
        }
    }

    pub(super) fn scatter(&mut self, name: &'static str, split: Split, value: u64) -> Result<()> {
        match self.word.scatter(split, value) {
            Ok(()) => Ok(()),
            Err(Overflow(value)) => self.cannot(name, value),
        }
    }

    fn compact(&self) -> Result<Word> {
        let opcode = self.input.opcode;
        let fail = |why| EncodeError::NotCompactable { opcode, why };
        let tables = self.table.compaction;
        let form = tables
            .form(opcode.format())
            .ok_or(fail("the format has none"))?;
        let mut short_imm = None;
        if !matches!(
            opcode.format(),
            Format::Ternary | Format::Dpas | Format::Send
        ) {
            for src in &self.input.src {
                if let Src::Immediate { ty, .. } = *src {
                    let imm = self.word.get32(self.layout.imm32);
                    if ty.bits() == 64 {
                        return Err(fail("a 64-bit immediate"));
                    }
                    let short = tables.imm_coding.shorten(ty, imm);
                    short_imm = Some(short.ok_or(fail("the immediate needs more bits"))?);
                }
            }
        }
        let mut word = compact::compact(form, tables.imm, self.word, short_imm).map_err(fail)?;
        if word.set(self.layout.compacted, 1).is_err() {
            return Err(fail("the family has none"));
        }
        Ok(word)
    }

    fn instruction(&mut self) -> Result<()> {
        let input = self.input;
        let family = self.table.family;
        let opcode = input.opcode;
        let Some(code) = opcodes::code(family, opcode) else {
            return Err(EncodeError::Opcode { family, opcode });
        };
        self.word = Word(u128::from(code));
        self.controls()?;
        match opcode.format() {
            Format::Nullary => Ok(()),
            Format::Unary => self.basic(1),
            Format::Binary => self.basic(2),
            Format::Math => self.math(),
            Format::Ternary => self.ternary(),
            Format::Dpas => self.dpas(),
            Format::Sync => self.sync(),
            Format::Wait => self.wait(),
            Format::Send => self.send(),
            Format::JumpUnary
            | Format::JumpJip
            | Format::JumpJipUip
            | Format::JumpBrc
            | Format::Call
            | Format::Ret => self.jump(),
        }
    }

    fn controls(&mut self) -> Result<()> {
        let l = self.layout;
        let input = self.input;
        let class = SwsbClass::of(input.opcode);
        match swsb::encode(self.table.swsb, class, input.swsb) {
            Some(bits) if self.table.swsb != SwsbEncoding::None => {
                self.set("SWSB", l.swsb, bits)?;
            }
            Some(_) => {}
            None => return self.form("SWSB"),
        }
        for (field, option, name) in [
            (l.breakpoint, Options::BREAKPOINT, "Breakpoint"),
            (l.no_dd_clr, Options::NO_DD_CLR, "NoDDClr"),
            (l.no_dd_chk, Options::NO_DD_CHK, "NoDDChk"),
        ] {
            self.set(name, field, u64::from(input.options.contains(option)))?;
        }
        let thread_control = match (
            input.options.contains(Options::ATOMIC),
            input.options.contains(Options::SWITCH),
            input.options.contains(Options::NO_PREEMPT),
        ) {
            (false, false, false) => 0,
            (true, false, false) => 1,
            (false, true, false) => 2,
            (false, false, true) => 3,
            _ => return self.form("ThreadCtrl"),
        };
        if l.thread_control.exists() {
            self.set("ThreadCtrl", l.thread_control, thread_control)?;
        } else {
            self.set("Atomic", l.atomic, thread_control)?;
        }
        if input.opcode.format() == Format::Nullary {
            return Ok(());
        }
        let size = u64::from(input.exec_size);
        if !size.is_power_of_two() || size > 32 {
            return self.cannot("ExecSize", size);
        }
        self.set("ExecSize", l.exec_size, u64::from(size.trailing_zeros()))?;
        let offset = input.channel_offset;
        if !offset.is_multiple_of(l.channel_unit) {
            return self.cannot("ChanOff", u64::from(offset));
        }
        self.set(
            "ChanOff",
            l.channel_offset,
            u64::from(offset / l.channel_unit),
        )?;
        self.set("MaskCtrl", l.no_mask, u64::from(input.no_mask))?;
        self.set("FlagReg", l.flag_reg, u64::from(input.flag.register))?;
        self.set(
            "FlagSubReg",
            l.flag_subreg,
            u64::from(input.flag.subregister),
        )?;
        self.predicate()
    }

    fn predicate(&mut self) -> Result<()> {
        let l = self.layout;
        let Some(predicate) = self.input.predicate else {
            return Ok(());
        };
        let group = |n: u8| {
            ((2..=32).contains(&n) && n.is_power_of_two())
                .then(|| u64::from(n.trailing_zeros() - 1) * 2 + 4)
        };
        let short = l.pred_control.width() == 2;
        let code = match predicate.control {
            PredControl::Sequential => Some(1),
            PredControl::Any if short => Some(2),
            PredControl::All if short => Some(3),
            PredControl::AnyV if !short => Some(2),
            PredControl::AllV if !short => Some(3),
            PredControl::AnyH(n) if !short => group(n),
            PredControl::AllH(n) if !short => group(n).map(|code| code + 1),
            _ => None,
        };
        let Some(code) = code else {
            return self.form("PredCtrl");
        };
        self.set("PredCtrl", l.pred_control, code)?;
        self.set("PredInv", l.pred_inverse, u64::from(predicate.inverse))
    }

    fn arithmetic_controls(&mut self) -> Result<()> {
        let l = self.layout;
        let input = self.input;
        self.set("Saturate", l.saturate, u64::from(input.saturate))?;
        let acc = input.options.contains(Options::ACC_WR_EN);
        self.set("AccWrEn", l.acc_wr_en, u64::from(acc))
    }

    pub(super) fn cond(&mut self) -> Result<()> {
        match self.input.cond {
            None => Ok(()),
            Some(CondMod::Eo) => self.form("CondModifier"),
            Some(cond) => self.set("CondModifier", self.layout.cond, cond as u64),
        }
    }

    fn basic(&mut self, sources: usize) -> Result<()> {
        let l = self.layout;
        let sources = if sources == 2 && self.table.is_unary(self.input.opcode) {
            1
        } else {
            sources
        };
        self.arithmetic_controls()?;
        self.cond()?;
        self.dst(&l.dst)?;
        for (i, (fields, name)) in l.src.iter().zip(SRC_NAMES).enumerate().take(sources) {
            let src = &self.input.src[i];
            if i + 1 < sources && matches!(src, Src::Immediate { .. }) {
                return self.form(name);
            }
            self.src(fields, src, name)?;
        }
        self.no_more_sources(sources)
    }

    pub(super) fn no_more_sources(&self, sources: usize) -> Result<()> {
        for (src, name) in self.input.src.iter().zip(SRC_NAMES).skip(sources) {
            if *src != Src::None {
                return self.form(name);
            }
        }
        Ok(())
    }

    fn math(&mut self) -> Result<()> {
        let l = self.layout;
        let Specific::Math(function) = self.input.specific else {
            return self.form("MathFC");
        };
        self.arithmetic_controls()?;
        if self.input.cond.is_some_and(|cond| cond != CondMod::Eo) {
            return self.form("CondModifier");
        }
        self.dst(&l.dst)?;
        if function.is_macro() && self.table.align16 {
            self.set("AccessMode", l.access_mode, 1)?;
        }
        self.set("MathFC", l.function, function as u64)?;
        for (i, (fields, name)) in l.src.iter().zip(SRC_NAMES).enumerate() {
            let src = &self.input.src[i];
            if i < function.sources() {
                self.src(fields, src, name)?;
            }
        }
        self.no_more_sources(function.sources())
    }

    fn sync(&mut self) -> Result<()> {
        let l = self.layout;
        let Specific::Sync(function) = self.input.specific else {
            return self.form("SyncFC");
        };
        self.set("SyncFC", l.function, function as u64)?;
        self.set("Dst.HorzStride", l.dst.hstride, 1)?;
        if self.input.src[0] != Src::None {
            self.src(&l.src[0], &self.input.src[0], SRC_NAMES[0])?;
        }
        self.no_more_sources(1)
    }

    fn wait(&mut self) -> Result<()> {
        let l = self.layout;
        self.dst(&l.dst)?;
        self.src(&l.src[0], &self.input.src[0], SRC_NAMES[0])?;
        self.no_more_sources(1)
    }

    pub(super) fn type_code(
        &self,
        table: &[Option<Type>; 16],
        ty: Type,
        name: &'static str,
    ) -> Result<u64> {
        match types::code(table, ty) {
            Some(code) => Ok(code),
            None => self.cannot(name, ty as u64),
        }
    }

    /// A register's file (1 for general registers) and number fields' values.
    pub(super) fn register(&self, reg: Register, name: &'static str) -> Result<(u64, u64)> {
        match reg.file {
            RegFile::Grf => Ok((1, u64::from(reg.number))),
            RegFile::Arf(ArfKind::MathMacro) => self.form(name),
            RegFile::Arf(kind) if reg.number < 16 => {
                Ok((0, u64::from(kind.code()) << 4 | u64::from(reg.number)))
            }
            RegFile::Arf(_) => self.cannot(name, u64::from(reg.number)),
        }
    }

    pub(super) fn subreg(
        &mut self,
        name: &'static str,
        field: Field,
        odd: Field,
        byte: u8,
    ) -> Result<()> {
        let unit = u64::from(self.layout.subreg_unit);
        let byte = u64::from(byte);
        let rest = byte % unit;
        if rest != 0 {
            if !odd.exists() {
                return self.cannot(name, byte);
            }
            self.set(name, odd, rest)?;
        }
        self.set(name, field, byte / unit)
    }

    pub(super) fn dst(&mut self, d: &DstFields) -> Result<()> {
        let Some(ty) = self.input.dst.ty() else {
            return self.form("Dst");
        };
        let code = self.type_code(&self.table.types.register, ty, "Dst.DataType")?;
        self.set("Dst.DataType", d.ty, code)?;
        let hstride = match self.input.dst {
            Dst::None => return self.form("Dst"),
            Dst::Direct { reg, hstride, .. } => {
                let (file, number) = self.register(reg, "Dst.Reg")?;
                self.set("Dst.RegFile", d.file, file)?;
                self.set("Dst.RegNum", d.reg, number)?;
                self.subreg("Dst.SubReg", d.subreg, d.subreg_odd, reg.byte)?;
                hstride
            }
            Dst::Indirect {
                subreg,
                offset,
                hstride,
                ..
            } => {
                self.set("Dst.AddrMode", d.address_mode, 1)?;
                if self.table.indirect_file_is_grf {
                    self.set("Dst.RegFile", d.file, 1)?;
                }
                self.set("Dst.AddrSubReg", d.addr_subreg, u64::from(subreg))?;
                self.addr_imm("Dst.AddrImm", d.addr_imm, offset)?;
                hstride
            }
            Dst::Macro {
                reg, mme, hstride, ..
            } => {
                let (file, number) = self.register(reg, "Dst.Reg")?;
                self.set("Dst.RegFile", d.file, file)?;
                self.set("Dst.RegNum", d.reg, number)?;
                self.set("Dst.SpecialAcc", d.subreg, mme_code(mme))?;
                hstride
            }
        };
        let code = self.hstride_code(hstride, "Dst.HorzStride")?;
        self.set("Dst.HorzStride", d.hstride, code)
    }

    pub(super) fn hstride_code(&self, stride: u8, name: &'static str) -> Result<u64> {
        match stride {
            0 => Ok(0),
            1 => Ok(1),
            2 => Ok(2),
            4 => Ok(3),
            _ => self.cannot(name, u64::from(stride)),
        }
    }

    pub(super) fn addr_imm(&mut self, name: &'static str, split: Split, offset: i16) -> Result<()> {
        let width: u32 = split.iter().map(|field| field.width()).sum();
        let limit = 1i32 << (width - 1);
        let offset = i32::from(offset);
        if !(-limit..limit).contains(&offset) {
            return self.cannot(name, offset as u32 as u64);
        }
        self.scatter(name, split, (offset as u64) & ((1 << width) - 1))
    }

    pub(super) fn src(&mut self, s: &SrcFields, src: &Src, name: &'static str) -> Result<()> {
        let set_mods = |this: &mut Self, mods: SrcMods| {
            this.set("Src.Abs", s.abs, u64::from(mods.abs))?;
            this.set("Src.Neg", s.neg, u64::from(mods.neg))
        };
        match *src {
            Src::None => self.form(name),
            Src::Immediate { value, ty } => {
                let code = self.type_code(&self.table.types.immediate, ty, "Src.DataType")?;
                self.set("Src.DataType", s.ty, code)?;
                self.immediate_file(s)?;
                self.immediate(value, ty)
            }
            Src::Direct {
                reg,
                region,
                ty,
                mods,
            } => {
                let (file, number) = self.register(reg, name)?;
                self.set("Src.RegFile", s.file, file)?;
                self.set("Src.RegNum", s.reg, number)?;
                self.subreg("Src.SubReg", s.subreg, s.subreg_odd, reg.byte)?;
                if region.vstride == VStride::PerRow {
                    return self.form(name);
                }
                self.region(s, region, ty)?;
                set_mods(self, mods)
            }
            Src::Indirect {
                subreg,
                offset,
                region,
                ty,
                mods,
            } => {
                self.set("Src.AddrMode", s.address_mode, 1)?;
                if self.table.indirect_file_is_grf {
                    self.set("Src.RegFile", s.file, 1)?;
                }
                self.set("Src.AddrSubReg", s.addr_subreg, u64::from(subreg))?;
                if offset % s.addr_imm_unit != 0 {
                    return self.cannot("Src.AddrImm", offset as u64);
                }
                self.addr_imm("Src.AddrImm", s.addr_imm, offset / s.addr_imm_unit)?;
                self.region(s, region, ty)?;
                set_mods(self, mods)
            }
            Src::Macro {
                reg,
                mme,
                region,
                ty,
                mods,
            } => {
                let (file, number) = self.register(reg, name)?;
                self.set("Src.RegFile", s.file, file)?;
                self.set("Src.RegNum", s.reg, number)?;
                self.set("Src.SpecialAcc", s.subreg, mme_code(mme))?;
                self.region(s, region, ty)?;
                set_mods(self, mods)
            }
        }
    }

    pub(super) fn immediate_file(&mut self, s: &SrcFields) -> Result<()> {
        if s.is_imm.exists() {
            self.set("Src.IsImm", s.is_imm, 1)
        } else {
            self.set("Src.RegFile", s.file, 3)
        }
    }

    fn immediate(&mut self, value: u64, ty: Type) -> Result<()> {
        let l = self.layout;
        match ty.bits() {
            64 => {
                for &field in l.imm64 {
                    if self.word.get(field) != 0 {
                        return self.form("a 64-bit immediate with a condition modifier");
                    }
                }
                self.scatter("Imm64", l.imm64, value)
            }
            16 if value <= 0xffff => self.set("Imm32", l.imm32, value | value << 16),
            _ => self.set("Imm32", l.imm32, value),
        }
    }

    fn region(&mut self, s: &SrcFields, region: Region, ty: Type) -> Result<()> {
        let code = self.type_code(&self.table.types.register, ty, "Src.DataType")?;
        self.set("Src.DataType", s.ty, code)?;
        let vstride = match region.vstride {
            VStride::Elements(0) => 0,
            VStride::Elements(n) if n.is_power_of_two() && n <= 32 => {
                u64::from(n.trailing_zeros()) + 1
            }
            VStride::Elements(n) => return self.cannot("Src.VertStride", u64::from(n)),
            VStride::PerRow => (1 << s.vstride.width()) - 1,
        };
        self.set("Src.VertStride", s.vstride, vstride)?;
        if !region.width.is_power_of_two() || region.width > 16 {
            return self.cannot("Src.Width", u64::from(region.width));
        }
        self.set(
            "Src.Width",
            s.width,
            u64::from(region.width.trailing_zeros()),
        )?;
        let code = self.hstride_code(region.hstride, "Src.HorzStride")?;
        self.set("Src.HorzStride", s.hstride, code)
    }

    fn ternary(&mut self) -> Result<()> {
        let l = self.layout;
        self.arithmetic_controls()?;
        if self.table.align16 {
            return self.ternary_align16();
        }
        let Some(dst_ty) = self.input.dst.ty() else {
            return self.form("Dst");
        };
        let float = self.type_code(&self.table.types.ternary, dst_ty, "Dst.DataType")? & 8;
        self.set("ExecDataType", l.dst3.exec_type, float >> 3)?;
        self.dst3(&l.dst3, float)?;
        for (i, (fields, name)) in l.src3.iter().zip(SRC_NAMES).enumerate() {
            self.src3(fields, &self.input.src[i], float, name)?;
        }
        match self.input.specific {
            Specific::Bfn(table) => {
                self.scatter("BooleanFuncCtrl", l.bfn, u64::from(table))?;
                let cond = match self.input.cond {
                    None => 0,
                    Some(CondMod::Eq) => 1,
                    Some(CondMod::Gt) => 2,
                    Some(CondMod::Lt) => 3,
                    Some(_) => return self.form("CondModifier"),
                };
                self.scatter("CondModifier", l.bfn_cond, cond)
            }
            _ => self.cond(),
        }
    }

    pub(super) fn ternary_type(&self, ty: Type, float: u64, name: &'static str) -> Result<u64> {
        let code = self.type_code(&self.table.types.ternary, ty, name)?;
        if code & 8 != float {
            return self.form(name);
        }
        Ok(code & 7)
    }

    fn dst3(&mut self, d: &Dst3Fields, float: u64) -> Result<()> {
        let (reg, hstride, ty) = match self.input.dst {
            Dst::Direct { reg, hstride, ty } => {
                let unit = self.layout.subreg_unit * d.subreg_scale;
                if reg.byte % unit != 0 {
                    return self.cannot("Dst.SubReg", u64::from(reg.byte));
                }
                self.set("Dst.SubReg", d.subreg, u64::from(reg.byte / unit))?;
                (reg, hstride, ty)
            }
            Dst::Macro {
                reg,
                mme,
                hstride,
                ty,
            } => {
                self.set("Dst.SpecialAcc", d.mme, mme_code(mme))?;
                (reg, hstride, ty)
            }
            Dst::None | Dst::Indirect { .. } => return self.form("Dst"),
        };
        let code = self.ternary_type(ty, float, "Dst.DataType")?;
        self.set("Dst.DataType", d.ty, code)?;
        let (file, number) = self.register(reg, "Dst.Reg")?;
        let file = u64::from((file == 1) == self.table.ternary_grf_is_1);
        self.set("Dst.RegFile", d.file, file)?;
        self.set("Dst.RegNum", d.reg, number)?;
        let code = match hstride {
            1 => 0,
            2 => 1,
            other => return self.cannot("Dst.HorzStride", u64::from(other)),
        };
        self.set("Dst.HorzStride", d.hstride, code)
    }

    fn src3(&mut self, s: &Src3Fields, src: &Src, float: u64, name: &'static str) -> Result<()> {
        let Some(ty) = src.ty() else {
            return self.form(name);
        };
        let code = self.ternary_type(ty, float, "Src.DataType")?;
        self.set("Src.DataType", s.ty, code)?;
        let reg = match *src {
            Src::Immediate { value, .. } => {
                if !s.is_imm.exists() || ty.bits() != 16 {
                    return self.form(name);
                }
                self.set("Src.IsImm", s.is_imm, 1)?;
                return self.set("Src.Imm", s.imm, value);
            }
            Src::Direct { reg, region, .. } => {
                let unit = self.layout.subreg_unit;
                if reg.byte % unit != 0 {
                    return self.cannot("Src.SubReg", u64::from(reg.byte));
                }
                self.set("Src.SubReg", s.subreg, u64::from(reg.byte / unit))?;
                self.region3(s, region, name)?;
                reg
            }
            Src::Macro {
                reg, mme, region, ..
            } => {
                self.set("Src.SpecialAcc", s.mme, mme_code(mme))?;
                self.region3(s, region, name)?;
                reg
            }
            Src::None | Src::Indirect { .. } => return self.form(name),
        };
        let (file, number) = self.register(reg, name)?;
        let file = u64::from((file == 1) == self.table.ternary_grf_is_1);
        self.set("Src.RegFile", s.file, file)?;
        self.set("Src.RegNum", s.reg, number)?;
        let mods = src.mods();
        self.set("Src.Abs", s.abs, u64::from(mods.abs))?;
        self.set("Src.Neg", s.neg, u64::from(mods.neg))
    }

    fn region3(&mut self, s: &Src3Fields, region: Region, name: &'static str) -> Result<()> {
        let VStride::Elements(vstride) = region.vstride else {
            return self.form(name);
        };
        if s.vstride.is_empty() {
            if region.hstride != 0 || region.width != 1 {
                return self.form(name);
            }
            let code = self.hstride_code(vstride, "Src.HorzStride")?;
            return self.set("Src.HorzStride", s.hstride, code);
        }
        if region != Region::ternary(vstride, region.hstride) {
            return self.form(name);
        }
        let code = match vstride {
            0 => 0,
            4 => 2,
            8 => 3,
            n if n == self.table.ternary_vstride1 => 1,
            n => return self.cannot("Src.VertStride", u64::from(n)),
        };
        self.scatter("Src.VertStride", s.vstride, code)?;
        let code = self.hstride_code(region.hstride, "Src.HorzStride")?;
        self.set("Src.HorzStride", s.hstride, code)
    }

    fn dpas(&mut self) -> Result<()> {
        let l = self.layout;
        let Specific::Dpas(dpas) = self.input.specific else {
            return self.form("Systolic.Control");
        };
        if !matches!(dpas.depth, 1 | 2 | 4 | 8) {
            return self.cannot("Systolic.Depth", u64::from(dpas.depth));
        }
        let depth = u64::from(dpas.depth.trailing_zeros());
        self.set("Systolic.Depth", l.dpas.depth, depth)?;
        let repeat = u64::from(dpas.repeat).wrapping_sub(1);
        self.set("Systolic.RepCount", l.dpas.repeat, repeat)?;
        let Dst::Direct { reg, ty, .. } = self.input.dst else {
            return self.form("Dst");
        };
        let float = self.type_code(&self.table.types.ternary, ty, "Dst.DataType")? & 8;
        self.set("ExecDataType", l.dst3.exec_type, float >> 3)?;
        let code = self.ternary_type(ty, float, "Dst.DataType")?;
        self.set("Dst.DataType", l.dst3.ty, code)?;
        let (file, number) = self.register(reg, "Dst.Reg")?;
        self.set("Dst.RegFile", l.dst3.file, file)?;
        self.set("Dst.RegNum", l.dst3.reg, number)?;
        self.subreg("Dst.SubReg", l.dst3.subreg, Field::NONE, reg.byte)?;
        let precisions = [Field::NONE, l.dpas.src1_precision, l.dpas.src2_precision];
        for (i, (s, name)) in l.src3.iter().zip(SRC_NAMES).enumerate() {
            let Src::Direct { reg, ty, .. } = self.input.src[i] else {
                return self.form(name);
            };
            let (ty, precision) = match ty {
                Type::U4 => (Type::Ub, 1),
                Type::S4 => (Type::B, 1),
                Type::U2 => (Type::Ub, 2),
                Type::S2 => (Type::B, 2),
                ty => (ty, 0),
            };
            self.set("SubBytePrecision", precisions[i], precision)?;
            let code = self.ternary_type(ty, float, "Src.DataType")?;
            self.set("Src.DataType", s.ty, code)?;
            let (file, number) = self.register(reg, name)?;
            self.set("Src.RegFile", s.file, file)?;
            self.set("Src.RegNum", s.reg, number)?;
            self.subreg("Src.SubReg", s.subreg, Field::NONE, reg.byte)?;
        }
        Ok(())
    }

    fn send(&mut self) -> Result<()> {
        let l = self.layout;
        let s = &l.send;
        let form = self.table.send;
        let Specific::Send(send) = self.input.specific else {
            return self.form("message");
        };
        if form == SendForm::Gen9 {
            return self.send_gen9(&send);
        }
        let Some(sfid) = send.sfid else {
            return self.form("SFID");
        };
        self.set_sfid(sfid, s.sfid)?;
        let Dst::Direct { reg, .. } = self.input.dst else {
            return self.form("Dst");
        };
        let (file, number) = self.register(reg, "Dst.Reg")?;
        self.set("Dst.RegFile", s.dst_file, file)?;
        self.set("Dst.RegNum", l.dst.reg, number)?;
        let fields = [
            (s.src0_file, l.src[0].reg, SRC_NAMES[0]),
            (s.src1_file, s.src1_reg, SRC_NAMES[1]),
        ];
        for ((file_field, reg_field, name), src) in fields.into_iter().zip(&self.input.src) {
            let Src::Direct { reg, .. } = *src else {
                return self.form(name);
            };
            let (file, number) = self.register(reg, name)?;
            self.set("Src.RegFile", file_field, file)?;
            self.set("Src.RegNum", reg_field, number)?;
        }
        self.no_more_sources(2)?;
        match send.desc {
            Descriptor::Immediate(desc) => self.scatter("Desc", s.desc, u64::from(desc))?,
            Descriptor::Register { subreg: 0 } => self.set("Desc.IsReg", s.desc_is_reg, 1)?,
            Descriptor::Register { subreg } => return self.cannot("Desc", u64::from(subreg)),
        }
        self.set("EOT", s.eot, u64::from(send.eot))?;
        let length = u64::from(send.src1_len.unwrap_or(0));
        match send.exdesc {
            Descriptor::Immediate(exdesc) => {
                let exdesc = u64::from(exdesc);
                if form == SendForm::Gen12 {
                    if send.src1_len.is_some() && exdesc >> 6 & 31 != length {
                        return self.cannot("Src1.Length", length);
                    }
                    self.set("ExDesc", s.src1_len, exdesc >> 6 & 31)?;
                } else {
                    if exdesc & 0x7c0 != 0 {
                        return self.cannot("ExDesc", exdesc);
                    }
                    self.set("Src1.Length", s.src1_len, length)?;
                }
                if exdesc & 0x3f != 0 {
                    return self.cannot("ExDesc", exdesc);
                }
                self.scatter("ExDesc", s.exdesc, exdesc >> 11)
            }
            Descriptor::Register { subreg } => {
                self.set("ExDesc.IsReg", s.exdesc_is_reg, 1)?;
                let offset = u64::from(send.exdesc_offset);
                if offset != 0 {
                    if form != SendForm::Xe2 || offset & 0x7_0fff != 0 {
                        return self.cannot("ExDescImm", offset);
                    }
                    self.scatter("ExDescImm", s.exdesc, offset >> 11)?;
                }
                let old = self.word;
                self.set("ExDesc", s.exdesc_subreg, u64::from(subreg))?;
                self.word.0 |= old.0;
                self.set_if("ExBSO", s.ex_bso, send.ex_bso)?;
                self.set_if("CPS", s.cps, send.cps)?;
                if send.src1_len.is_some() {
                    self.set("Src1.Length", s.src1_len, length)?;
                }
                Ok(())
            }
        }
    }

    fn set_if(&mut self, name: &'static str, field: Field, value: bool) -> Result<()> {
        if value {
            self.set(name, field, 1)
        } else {
            Ok(())
        }
    }

    pub(super) fn set_sfid(&mut self, sfid: Sfid, field: Field) -> Result<()> {
        match self
            .table
            .sfids
            .iter()
            .position(|entry| *entry == Some(sfid))
        {
            Some(code) => self.set("SFID", field, code as u64),
            None => self.cannot("SFID", sfid as u64),
        }
    }

    fn jump(&mut self) -> Result<()> {
        let l = self.layout;
        let format = self.input.opcode.format();
        let Specific::Branch(branch) = self.input.specific else {
            return self.form("target");
        };
        if self.table.legacy_jumps {
            return self.jump_gen9(&branch);
        }
        if branch.control {
            if !self.input.opcode.has_branch_control() {
                return self.form("BranchCtrl");
            }
            self.set("BranchCtrl", l.branch_control, 1)?;
        }
        if format == Format::Call {
            let Dst::Direct { reg, .. } = self.input.dst else {
                return self.form("Dst");
            };
            self.jump_register(l.dst.file, l.dst.reg, l.dst.subreg, reg)?;
        }
        match (branch.jip, self.input.src[0]) {
            (Some(jip), Src::None) if format != Format::Ret => {
                self.set("Src0.IsImm", l.src[0].is_imm, 1)?;
                self.set("JIP", l.jip, u64::from(jip as u32))?;
                let two = matches!(format, Format::JumpJipUip | Format::JumpBrc);
                match (branch.uip, two) {
                    (Some(uip), true) => {
                        self.set("Src1.IsImm", l.src[1].is_imm, 1)?;
                        self.set("UIP", l.uip, u64::from(uip as u32))
                    }
                    (None, false) => Ok(()),
                    _ => self.form("UIP"),
                }
            }
            (None, Src::Direct { reg, .. })
                if matches!(
                    format,
                    Format::Ret | Format::JumpUnary | Format::JumpBrc | Format::Call
                ) =>
            {
                let s = &l.src[0];
                self.jump_register(s.file, s.reg, s.subreg, reg)
            }
            _ => self.form("target"),
        }
    }

    fn jump_register(
        &mut self,
        file_field: Field,
        reg_field: Field,
        subreg: Field,
        reg: Register,
    ) -> Result<()> {
        let (file, number) = self.register(reg, "register")?;
        self.set("RegFile", file_field, file)?;
        self.set("RegNum", reg_field, number)?;
        self.subreg("SubReg", subreg, Field::NONE, reg.byte)
    }
}

pub(super) const SRC_NAMES: [&str; 3] = ["Src0", "Src1", "Src2"];

/// The code of a math macro register.
pub(super) const fn mme_code(mme: Option<u8>) -> u64 {
    match mme {
        Some(mme) => mme as u64,
        None => 8,
    }
}
