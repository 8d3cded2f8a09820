//! Operands of the one- and two-source formats.

use super::encoder::Encoder;
use crate::code::EncodeError;
use crate::code::bits::{Field, Split};
use crate::code::layout::{DstFields, SrcFields};
use crate::code::types::Types;
use crate::model::{ArfKind, Dst, RegFile, Region, Register, Src, SrcMods, Type, VStride};

type Result<T> = core::result::Result<T, EncodeError>;

impl<const N: usize> Encoder<'_, N> {
    #[inline(always)]
    pub(super) fn type_code(
        &self,
        table: &'static Types,
        ty: Type,
        name: &'static str,
    ) -> Result<u64> {
        match table.code(ty) {
            Some(code) => Ok(code),
            None => Err(EncodeError::Type {
                family: Self::TABLE.family,
                opcode: self.input.opcode,
                field: name,
                ty,
                allowed: table.all(),
            }),
        }
    }

    /// The values of a register's file field (1 for general registers) and number field.
    #[inline(always)]
    pub(super) fn register(&self, reg: Register, name: &'static str) -> Result<(u64, u64)> {
        match reg.file {
            RegFile::Grf => Ok((1, u64::from(reg.number))),
            RegFile::Arf(ArfKind::MathMacro) => self.form(name),
            RegFile::Arf(kind) if reg.number < Self::TABLE.registers(kind) => {
                Ok((0, u64::from(kind.code()) << 4 | u64::from(reg.number)))
            }
            RegFile::Arf(_) => self.cannot(name, u64::from(reg.number)),
        }
    }

    #[inline(always)]
    pub(super) fn subreg(
        &mut self,
        name: &'static str,
        field: Field,
        odd: Field,
        byte: u8,
    ) -> Result<()> {
        let unit = u64::from(Self::LAYOUT.subreg_unit);
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

    #[inline(always)]
    pub(super) fn dst(&mut self, d: &DstFields) -> Result<()> {
        let Some(ty) = self.input.dst.ty() else {
            return self.form("Dst");
        };
        let code = self.type_code(&Self::TABLE.types.register, ty, "Dst")?;
        self.set("Dst.DataType", d.ty, code)?;
        let hstride = match self.input.dst {
            Dst::None => return self.form("Dst"),
            Dst::Direct { .. } | Dst::Indirect { .. } if self.is_macro => return self.form("Dst"),
            Dst::Macro { .. } if !self.is_macro => return self.form("Dst"),
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
                if Self::TABLE.indirect_file_is_grf {
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
                let mme = self.mme(reg, mme, "Dst")?;
                self.set("Dst.SpecialAcc", d.subreg, mme)?;
                hstride
            }
        };
        let code = self.hstride_code(hstride, "Dst.HorzStride")?;
        self.set("Dst.HorzStride", d.hstride, code)
    }

    #[inline(always)]
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

    #[inline(always)]
    pub(super) fn src(&mut self, s: &SrcFields, src: &Src, name: &'static str) -> Result<()> {
        self.src_fields(s, src, name)
            .map_err(|error| error.of_source(name))
    }

    #[inline(always)]
    fn src_fields(&mut self, s: &SrcFields, src: &Src, name: &'static str) -> Result<()> {
        let set_mods = |this: &mut Self, mods: SrcMods| {
            this.set("Src.Abs", s.abs, u64::from(mods.abs))?;
            this.set("Src.Neg", s.neg, u64::from(mods.neg))
        };
        match *src {
            Src::None => self.form(name),
            Src::Direct { .. } | Src::Indirect { .. } if self.is_macro => self.form(name),
            Src::Macro { .. } if !self.is_macro => self.form(name),
            Src::Immediate { value, ty } => {
                let code = self.type_code(&Self::TABLE.types.immediate, ty, name)?;
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
                self.region(s, region, ty, name)?;
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
                if Self::TABLE.indirect_file_is_grf {
                    self.set("Src.RegFile", s.file, 1)?;
                }
                self.set("Src.AddrSubReg", s.addr_subreg, u64::from(subreg))?;
                if offset % s.addr_imm_unit != 0 {
                    return self.cannot("Src.AddrImm", offset as u64);
                }
                self.addr_imm("Src.AddrImm", s.addr_imm, offset / s.addr_imm_unit)?;
                self.region(s, region, ty, name)?;
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
                let mme = self.mme(reg, mme, name)?;
                self.set("Src.SpecialAcc", s.subreg, mme)?;
                self.region(s, region, ty, name)?;
                set_mods(self, mods)
            }
        }
    }

    /// The code of the math macro register that goes with `reg`.
    pub(super) fn mme(&self, reg: Register, mme: Option<u8>, name: &'static str) -> Result<u64> {
        match mme {
            _ if reg.byte != 0 => self.form(name),
            Some(mme @ 0..=7) => Ok(u64::from(mme)),
            Some(mme) => self.number("the math macro register", mme, "0 to 7"),
            None => Ok(8),
        }
    }

    pub(super) fn immediate_file(&mut self, s: &SrcFields) -> Result<()> {
        if s.is_imm.exists() {
            self.set("Src.IsImm", s.is_imm, 1)
        } else {
            self.set("Src.RegFile", s.file, 3)
        }
    }

    pub(super) fn immediate(&mut self, value: u64, ty: Type) -> Result<()> {
        let l = Self::LAYOUT;
        if value.checked_shr(ty.bits()).unwrap_or(0) != 0 {
            return self.cannot("immediate", value);
        }
        match ty.bits() {
            64 => {
                for &field in l.imm64 {
                    if self.word.get(field) != 0 {
                        return self.form("a 64-bit immediate with a condition modifier");
                    }
                }
                self.scatter("Imm64", l.imm64, value)
            }
            16 => self.set("Imm32", l.imm32, value | value << 16),
            _ => self.set("Imm32", l.imm32, value),
        }
    }

    #[inline(always)]
    pub(super) fn region(
        &mut self,
        s: &SrcFields,
        region: Region,
        ty: Type,
        name: &'static str,
    ) -> Result<()> {
        let code = self.type_code(&Self::TABLE.types.register, ty, name)?;
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
}
