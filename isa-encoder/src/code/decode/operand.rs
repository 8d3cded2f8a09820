//! Operands of the one- and two-source formats.

use super::decoder::{Decoder, is_imm};
use crate::code::DecodeError;
use crate::code::bits::Split;
use crate::code::layout::{DstFields, SrcFields};
use crate::code::types::Types;
use crate::model::{Dst, RegFile, Region, Register, Src, SrcMods, Type, VStride};

type Result<T> = core::result::Result<T, DecodeError>;

impl<const N: usize> Decoder<N> {
    pub(super) fn ty(&self, table: &Types, code: u64) -> Result<Type> {
        match table.get(code) {
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
        match Self::TABLE.arf_kinds[usize::from(number >> 4)] {
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
    pub(super) fn addr_imm(&self, split: Split) -> i16 {
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
            if indirect {
                return self.reserved("AddrMode", 1);
            }
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
}

/// The stride of codes 0 to 3: 0, 1, 2, 4.
#[inline(always)]
pub(super) fn hstride(code: u64) -> u8 {
    ((1u32 << code) >> 1) as u8
}

/// The math macro register of a code: 0 to 7, or 8 for none.
pub(super) fn mme(code: u64) -> Option<u8> {
    (code & 8 == 0).then_some((code & 7) as u8)
}
