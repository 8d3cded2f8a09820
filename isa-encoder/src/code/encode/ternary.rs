//! The three-source formats.

use super::encoder::{Encoder, SRC_NAMES};
use crate::code::EncodeError;
use crate::code::bits::Field;
use crate::code::layout::{Dst3Fields, Src3Fields};
use crate::model::{
    ArfKind, CondMod, Dst, Options, RegFile, Region, Specific, Src, SrcMods, Type, VStride,
};

type Result<T> = core::result::Result<T, EncodeError>;

impl<const N: usize> Encoder<'_, N> {
    pub(super) fn ternary(&mut self) -> Result<()> {
        let l = Self::LAYOUT;
        self.arithmetic_controls()?;
        if Self::TABLE.align16 {
            return self.ternary_align16();
        }
        let Some(dst_ty) = self.input.dst.ty() else {
            return self.form("Dst");
        };
        let float = self.type_code(&Self::TABLE.types.ternary, dst_ty, "Dst")? & 8;
        self.set("ExecDataType", l.dst3.exec_type, float >> 3)?;
        self.dst3(&l.dst3, float)?;
        for (i, (fields, name)) in l.src3.iter().zip(SRC_NAMES).enumerate() {
            self.src3(fields, &self.input.src[i], float, name)?;
        }
        match self.input.specific {
            Specific::Bfn(table) => {
                // The truth table lies over the modifiers.
                for (src, name) in self.input.src.iter().zip(SRC_NAMES) {
                    if src.mods() != SrcMods::NONE {
                        return self.form(name);
                    }
                }
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
        let code = self.type_code(&Self::TABLE.types.ternary, ty, name)?;
        if code & 8 != float {
            return self.form(name);
        }
        Ok(code & 7)
    }

    pub(super) fn dst3(&mut self, d: &Dst3Fields, float: u64) -> Result<()> {
        let (reg, hstride, ty) = match self.input.dst {
            Dst::Direct { reg, hstride, ty } if !self.is_macro => {
                let unit = Self::LAYOUT.subreg_unit * d.subreg_scale;
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
            } if self.is_macro => {
                let mme = self.mme(reg, mme, "Dst")?;
                self.set("Dst.SpecialAcc", d.mme, mme)?;
                (reg, hstride, ty)
            }
            _ => return self.form("Dst"),
        };
        let code = self.ternary_type(ty, float, "Dst")?;
        self.set("Dst.DataType", d.ty, code)?;
        let (file, number) = self.register(reg, "Dst.Reg")?;
        let file = u64::from((file == 1) == Self::TABLE.ternary_grf_is_1);
        self.set("Dst.RegFile", d.file, file)?;
        self.set("Dst.RegNum", d.reg, number)?;
        let code = match hstride {
            1 => 0,
            2 => 1,
            other => return self.cannot("Dst.HorzStride", u64::from(other)),
        };
        self.set("Dst.HorzStride", d.hstride, code)
    }

    pub(super) fn src3(
        &mut self,
        s: &Src3Fields,
        src: &Src,
        float: u64,
        name: &'static str,
    ) -> Result<()> {
        self.src3_fields(s, src, float, name)
            .map_err(|error| error.of_source(name))
    }

    #[inline(always)]
    fn src3_fields(
        &mut self,
        s: &Src3Fields,
        src: &Src,
        float: u64,
        name: &'static str,
    ) -> Result<()> {
        let Some(ty) = src.ty() else {
            return self.form(name);
        };
        let code = self.ternary_type(ty, float, name)?;
        self.set("Src.DataType", s.ty, code)?;
        let reg = match *src {
            Src::Immediate { value, .. } => {
                if !s.is_imm.exists() || ty.bits() != 16 {
                    return self.form(name);
                }
                self.set("Src.IsImm", s.is_imm, 1)?;
                return self.set("Src.Imm", s.imm, value);
            }
            Src::Direct { reg, region, .. } if !self.is_macro => {
                let unit = Self::LAYOUT.subreg_unit;
                if reg.byte % unit != 0 {
                    return self.cannot("Src.SubReg", u64::from(reg.byte));
                }
                self.set("Src.SubReg", s.subreg, u64::from(reg.byte / unit))?;
                self.region3(s, region, name)?;
                reg
            }
            Src::Macro {
                reg, mme, region, ..
            } if self.is_macro => {
                let mme = self.mme(reg, mme, name)?;
                self.set("Src.SpecialAcc", s.mme, mme)?;
                self.region3(s, region, name)?;
                reg
            }
            _ => return self.form(name),
        };
        let (file, number) = self.register(reg, name)?;
        if s.nf_accumulator.exists() && ty == Type::Nf {
            if !matches!(reg.file, RegFile::Grf | RegFile::Arf(ArfKind::Accumulator)) {
                return self.form(name);
            }
            self.set("Src.RegFile", s.nf_accumulator, u64::from(file != 1))?;
        } else {
            let file = u64::from((file == 1) == Self::TABLE.ternary_grf_is_1);
            self.set("Src.RegFile", s.file, file)?;
        }
        self.set("Src.RegNum", s.reg, number)?;
        let mods = src.mods();
        self.set("Src.Abs", s.abs, u64::from(mods.abs))?;
        self.set("Src.Neg", s.neg, u64::from(mods.neg))
    }

    pub(super) fn region3(
        &mut self,
        s: &Src3Fields,
        region: Region,
        name: &'static str,
    ) -> Result<()> {
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
            n if n == Self::TABLE.ternary_vstride1 => 1,
            n => return self.cannot("Src.VertStride", u64::from(n)),
        };
        self.scatter("Src.VertStride", s.vstride, code)?;
        let code = self.hstride_code(region.hstride, "Src.HorzStride")?;
        self.set("Src.HorzStride", s.hstride, code)
    }

    pub(super) fn dpas(&mut self) -> Result<()> {
        let l = Self::LAYOUT;
        let Specific::Dpas(dpas) = self.input.specific else {
            return self.form("Systolic.Control");
        };
        if !matches!(dpas.depth, 1 | 2 | 4 | 8) {
            return self.number("the systolic depth", dpas.depth, "1, 2, 4 or 8");
        }
        let depth = u64::from(dpas.depth.trailing_zeros());
        self.set("Systolic.Depth", l.dpas.depth, depth)?;
        if !matches!(dpas.repeat, 1..=8) {
            return self.number("the repeat count", dpas.repeat, "1 to 8");
        }
        self.set(
            "Systolic.RepCount",
            l.dpas.repeat,
            u64::from(dpas.repeat - 1),
        )?;
        let acc = self.input.options.contains(Options::ACC_WR_EN);
        self.set("AccWrEn", l.acc_wr_en, u64::from(acc))?;
        let Dst::Direct {
            reg,
            ty,
            hstride: 1,
        } = self.input.dst
        else {
            return self.form("Dst");
        };
        let float = self.type_code(&Self::TABLE.types.ternary, ty, "Dst")? & 8;
        self.set("ExecDataType", l.dst3.exec_type, float >> 3)?;
        let code = self.ternary_type(ty, float, "Dst")?;
        self.set("Dst.DataType", l.dst3.ty, code)?;
        let (file, number) = self.register(reg, "Dst.Reg")?;
        self.set("Dst.RegFile", l.dst3.file, file)?;
        self.set("Dst.RegNum", l.dst3.reg, number)?;
        self.subreg("Dst.SubReg", l.dst3.subreg, Field::NONE, reg.byte)?;
        let precisions = [Field::NONE, l.dpas.src1_precision, l.dpas.src2_precision];
        for (i, (s, name)) in l.src3.iter().zip(SRC_NAMES).enumerate() {
            let Src::Direct {
                reg,
                ty,
                region: Region::PACKED,
                mods: SrcMods::NONE,
            } = self.input.src[i]
            else {
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
            let code = self.ternary_type(ty, float, name)?;
            self.set("Src.DataType", s.ty, code)?;
            let (file, number) = self.register(reg, name)?;
            self.set("Src.RegFile", s.file, file)?;
            self.set("Src.RegNum", s.reg, number)?;
            self.subreg("Src.SubReg", s.subreg, Field::NONE, reg.byte)?;
        }
        Ok(())
    }
}
