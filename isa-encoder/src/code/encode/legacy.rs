//! Encoding of what only Gen8 to Gen11 have.

use super::encoder::{Encoder, SRC_NAMES};
use crate::code::EncodeError;
use crate::code::bits::Field;
use crate::code::decode::{
    A0, DESC_HALF, FULL_WRITE_MASK, IDENTITY_SWIZZLE, IP, QWORD_SWIZZLES, SENDS_EXDESC_HIGH,
    has_half, one_channel,
};
use crate::code::layout::SrcFields;
use crate::model::{
    Attributes, Branch, Descriptor, Dst, Format, Opcode, Options, RegFile, Region, Register, Send,
    Src, SrcMods, Type,
};

type Result<T> = core::result::Result<T, EncodeError>;

impl<const N: usize> Encoder<'_, N> {
    pub(super) fn ternary_align16(&mut self) -> Result<()> {
        let a = &Self::LAYOUT.align16;
        self.set("AccessMode", Self::LAYOUT.access_mode, 1)?;
        let ty_code = |this: &Self, ty: Option<Type>, name| match ty {
            Some(ty) => this.type_code(&Self::TABLE.types.align16, ty, name),
            None => this.form(name),
        };
        let code = ty_code(self, self.input.dst.ty(), "Dst")?;
        self.set("Dst.DataType", a.dst_ty, code)?;
        let code = ty_code(self, self.input.src[0].ty(), "Src0")?;
        self.set("Src.DataType", a.src_ty, code)?;
        let reg = match self.input.dst {
            Dst::Direct {
                reg,
                hstride: 1,
                ty,
            } if !self.is_macro => {
                let one = one_channel(ty).filter(|_| self.input.exec_size == 1);
                let (byte, mask) = match one {
                    None => (reg.byte, FULL_WRITE_MASK),
                    Some(one) => {
                        let size = u64::from(one.channels.trailing_zeros());
                        self.set("ExecSize", Self::LAYOUT.exec_size, size)?;
                        let in_group = reg.byte % one.group_bytes;
                        if in_group % one.element_bytes != 0 {
                            return self.cannot("Dst.SubReg", u64::from(reg.byte));
                        }
                        let element = in_group / one.element_bytes;
                        (
                            reg.byte - in_group,
                            one.mask << (one.mask.count_ones() * u32::from(element)),
                        )
                    }
                };
                if byte % 4 != 0 {
                    return self.cannot("Dst.SubReg", u64::from(reg.byte));
                }
                self.set("Dst.SubReg", a.dst_subreg, u64::from(byte / 4))?;
                self.set("Dst.ChanEn", a.write_mask, mask)?;
                reg
            }
            Dst::Macro {
                reg,
                mme,
                hstride: 1,
                ty,
            } if self.is_macro => {
                // The write mask names a math macro register: one channel is its whole group, as in
                // iga64.
                if let Some(one) = one_channel(ty).filter(|_| self.input.exec_size == 1) {
                    let size = u64::from(one.channels.trailing_zeros());
                    self.set("ExecSize", Self::LAYOUT.exec_size, size)?;
                }
                let mme = self.mme(reg, mme, "Dst")?;
                self.set("Dst.SpecialAcc", a.write_mask, mme)?;
                reg
            }
            _ => return self.form("Dst"),
        };
        self.grf("Dst.RegNum", a.dst_reg, reg)?;
        for i in 0..3 {
            self.src_align16(i)?;
        }
        self.cond()
    }

    fn grf(&mut self, name: &'static str, field: Field, reg: Register) -> Result<()> {
        if reg.file != RegFile::Grf {
            return self.form(name);
        }
        self.set(name, field, u64::from(reg.number))
    }

    fn src_align16(&mut self, index: usize) -> Result<()> {
        let name = SRC_NAMES[index];
        self.src_align16_fields(index, name)
            .map_err(|error| error.of_source(name))
    }

    fn src_align16_fields(&mut self, index: usize, name: &'static str) -> Result<()> {
        let s = &Self::LAYOUT.align16.src[index];
        let src = self.input.src[index];
        let Some(ty) = src.ty() else {
            return self.form(name);
        };
        // The sources have one type. If that is a float, a bit marks a source as half precision
        // (BXT PRM vol 7, "SrcType": mixed-mode precision).
        let is_single_or_half = |ty| matches!(ty, Type::F | Type::Hf);
        let first = self.input.src[0].ty();
        if s.is_half.exists() && first.is_some_and(is_single_or_half) && is_single_or_half(ty) {
            self.set("Src.DataType", s.is_half, u64::from(ty == Type::Hf))?;
        } else if first != Some(ty) {
            return self.form(name);
        }
        let mods = src.mods();
        self.set("Src.Abs", s.abs, u64::from(mods.abs))?;
        self.set("Src.Neg", s.neg, u64::from(mods.neg))?;
        match src {
            Src::Macro {
                reg, mme, region, ..
            } if self.is_macro => {
                if region != Self::TABLE.macro_region(self.input, index, ty) {
                    return self.form(name);
                }
                let mme = self.mme(reg, mme, name)?;
                self.set("Src.SpecialAcc", s.swizzle, mme)?;
                self.grf(name, s.reg, reg)
            }
            Src::Direct { reg, region, .. } if !self.is_macro => {
                let unit = if s.subreg.len() == 2 { 2 } else { 4 };
                let wide_scalar = ty.bits() == 64 && region.is_scalar();
                let (byte, swizzle) = match (wide_scalar, reg.byte % 16) {
                    (false, _) => (reg.byte, IDENTITY_SWIZZLE),
                    (true, rest @ (0 | 8)) => {
                        (reg.byte - rest, QWORD_SWIZZLES[usize::from(rest / 8)])
                    }
                    (true, _) => return self.cannot("Src.SubReg", u64::from(reg.byte)),
                };
                if byte % unit != 0 {
                    return self.cannot("Src.SubReg", u64::from(reg.byte));
                }
                self.scatter("Src.SubReg", s.subreg, u64::from(byte / unit))?;
                self.set("Src.Swizzle", s.swizzle, swizzle)?;
                let packed = if index == 2 {
                    region == Region::new(1, 1, 0)
                } else {
                    region == Region::ternary(2, 1)
                };
                let scalar = region.is_scalar();
                if !packed && !scalar {
                    return self.form(name);
                }
                self.set(
                    "Src.RepCtrl",
                    s.replicate,
                    u64::from(scalar && !wide_scalar),
                )?;
                self.grf(name, s.reg, reg)
            }
            _ => self.form(name),
        }
    }

    pub(super) fn send_gen9(&mut self, send: &Send) -> Result<()> {
        let l = Self::LAYOUT;
        let s = &l.send;
        let two = Self::TABLE.has(self.input.opcode, Attributes::TWO_PAYLOADS);
        let no_dependency = self.input.options.contains(Options::NO_SRC_DEP_SET);
        self.set_if("NoSrcDepSet", s.no_src_dep_set, no_dependency)?;
        if send.ex_bso || send.cps || send.exdesc_offset != 0 {
            return self.form("ExDesc");
        }
        self.set("EOT", s.eot, u64::from(send.eot))?;
        match (send.sfid, send.exdesc) {
            (Some(sfid), Descriptor::Immediate(_)) => self.set_sfid(sfid, s.sfid)?,
            (None, Descriptor::Register { .. }) if two => {}
            _ => return self.form("SFID"),
        }
        if Self::TABLE.half_beside_register && matches!(send.desc, Descriptor::Register { .. }) {
            self.set("Desc[30]", DESC_HALF, u64::from(has_half(self.input)))?;
        }
        if two {
            self.sends(send)?;
            return self.no_more_sources(2);
        }
        if send.src1_len.is_some() {
            return self.form("Src1.Length");
        }
        self.dst(&l.dst)?;
        let src0 = self.input.src[0];
        match src0 {
            // The extended descriptor lies over sub-register, region and modifiers.
            Src::Direct {
                reg, region, mods, ..
            } if !Self::TABLE.send_regions
                && (reg.byte != 0 || region != Region::SCALAR || mods != SrcMods::NONE) =>
            {
                return self.form(SRC_NAMES[0]);
            }
            Src::Direct { .. } | Src::Indirect { .. } => {
                self.src(&l.src[0], &src0, SRC_NAMES[0])?;
            }
            _ => return self.form(SRC_NAMES[0]),
        }
        let src1 = &l.src[1];
        match send.desc {
            Descriptor::Immediate(desc) => {
                self.set("Desc.RegFile", src1.file, 3)?;
                self.scatter("Desc", s.desc, u64::from(desc))?;
            }
            Descriptor::Register { subreg: 0 } => self.set("Desc.RegNum", src1.reg, A0)?,
            Descriptor::Register { subreg } => return self.a0_only(subreg),
        }
        if let Descriptor::Immediate(exdesc) = send.exdesc
            && exdesc != 0
        {
            let indirect = matches!(src0, Src::Indirect { .. });
            if exdesc & 0xffff != 0 || Self::TABLE.send_regions || indirect {
                return self.cannot("ExDesc", u64::from(exdesc));
            }
            self.scatter("ExDesc", s.exdesc, u64::from(exdesc >> 16))?;
        }
        self.no_more_sources(1)
    }

    fn sends(&mut self, send: &Send) -> Result<()> {
        let l = Self::LAYOUT;
        let s = &l.send;
        let Dst::Direct {
            reg: reg @ Register { byte: 0, .. },
            ty,
            hstride: 1,
        } = self.input.dst
        else {
            return self.form("Dst");
        };
        let code = self.type_code(&Self::TABLE.types.register, ty, "Dst")?;
        self.set("Dst.DataType", l.dst.ty, code)?;
        let (file, number) = self.register(reg, "Dst.Reg")?;
        self.set("Dst.RegFile", s.dst_file, file)?;
        self.set("Dst.RegNum", l.dst.reg, number)?;
        let [src0, src1] = [0, 1].map(|index| match self.input.src[index] {
            Src::Direct {
                reg: reg @ Register { byte: 0, .. },
                region: Region::SCALAR,
                ty: Type::Ud,
                mods: SrcMods::NONE,
            } => Some(reg),
            _ => None,
        });
        let (Some(src0), Some(src1)) = (src0, src1) else {
            return self.form("payload");
        };
        self.grf(SRC_NAMES[0], l.src[0].reg, src0)?;
        let (file, number) = self.register(src1, SRC_NAMES[1])?;
        self.set("Src1.RegFile", s.src1_file, file)?;
        self.set("Src1.RegNum", s.src1_reg, number)?;
        match send.desc {
            Descriptor::Immediate(desc) => self.scatter("Desc", s.desc, u64::from(desc))?,
            Descriptor::Register { subreg: 0 } => self.set("Desc.IsReg", s.desc_is_reg, 1)?,
            Descriptor::Register { subreg } => return self.a0_only(subreg),
        }
        let length = |exdesc: u32| (exdesc >> 6 & 15) as u8;
        if send.src1_len != send.exdesc.immediate().map(length) {
            return self.form("Src1.Length");
        }
        match send.exdesc {
            Descriptor::Immediate(exdesc) => {
                if exdesc & 0xfc3f != 0 {
                    return self.cannot("ExDesc", u64::from(exdesc));
                }
                self.set("ExDesc", SENDS_EXDESC_HIGH, u64::from(exdesc >> 16))?;
                self.set("Src1.Length", s.src1_len, u64::from(exdesc >> 6 & 15))
            }
            Descriptor::Register { subreg } => {
                self.set("ExDesc.IsReg", s.exdesc_is_reg, 1)?;
                self.set("ExDesc", s.exdesc_subreg, u64::from(subreg))
            }
        }
    }

    pub(super) fn jump_gen9(&mut self, branch: &Branch) -> Result<()> {
        let l = Self::LAYOUT;
        let opcode = self.input.opcode;
        let format = opcode.format();
        if branch.control {
            if !opcode.has(Attributes::BRANCH_CONTROL) {
                return self.form("BranchCtrl");
            }
            self.set("BranchCtrl", l.branch_control, 1)?;
        }
        if self.input.options.contains(Options::ACC_WR_EN) {
            if opcode.has(Attributes::BRANCH_CONTROL) {
                return self.form("AccWrEn");
            }
            self.set("AccWrEn", l.acc_wr_en, 1)?;
        }
        // brd and brc write ip with a type; jmpi also reads it.
        match format {
            Format::Call => {
                self.dst(&l.dst)?;
                if opcode == Opcode::Call {
                    // Source 0 is unused; IGC's compilers leave <2;4,1> there.
                    let src0 = &l.src[0];
                    self.set("Src0.VertStride", src0.vstride, 2)?;
                    self.set("Src0.Width", src0.width, 2)?;
                    self.set("Src0.HorzStride", src0.hstride, 1)?;
                }
            }
            Format::JumpUnary | Format::JumpBrc => {
                self.set("Dst.RegNum", l.dst.reg, IP)?;
                self.set("Dst.HorzStride", l.dst.hstride, 1)?;
                if opcode == Opcode::Jmpi {
                    self.set("Src0.RegNum", l.src[0].reg, IP)?;
                } else {
                    let code = self.d_type("Dst.DataType")?;
                    self.set("Dst.DataType", l.dst.ty, code)?;
                }
            }
            _ => self.set("Dst.HorzStride", l.dst.hstride, 1)?,
        }
        let target: &SrcFields = match format {
            Format::Call | Format::JumpJip => &l.src[1],
            Format::JumpUnary if opcode == Opcode::Jmpi => &l.src[1],
            _ => &l.src[0],
        };
        self.no_more_sources(1)?;
        match (branch.jip, self.input.src[0]) {
            (Some(jip), Src::None) if format != Format::Ret => {
                let code = self.d_type("Src.DataType")?;
                self.set("Src.DataType", target.ty, code)?;
                self.set("Src.RegFile", target.file, 3)?;
                let compacted = self.input.options.contains(Options::COMPACTED);
                let length = if compacted { 8 } else { 16 };
                let jip = if opcode == Opcode::Jmpi {
                    jip.wrapping_sub(length)
                } else {
                    jip
                };
                self.set("JIP", l.jip, u64::from(jip as u32))?;
                let two = matches!(format, Format::JumpJipUip | Format::JumpBrc);
                match (branch.uip, two) {
                    (Some(uip), true) => self.set("UIP", l.uip, u64::from(uip as u32)),
                    (None, false) => Ok(()),
                    _ => self.form("UIP"),
                }
            }
            (None, src @ Src::Direct { .. })
                if branch.uip.is_none()
                    && matches!(
                        format,
                        Format::Ret | Format::JumpUnary | Format::JumpBrc | Format::Call
                    ) =>
            {
                self.src(target, &src, SRC_NAMES[0])
            }
            _ => self.form("target"),
        }
    }

    fn d_type(&self, name: &'static str) -> Result<u64> {
        self.type_code(&Self::TABLE.types.register, Type::D, name)
    }
}
