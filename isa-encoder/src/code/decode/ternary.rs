//! The three-source formats.

use super::decoder::Decoder;
use super::operand::{hstride, mme};
use crate::code::DecodeError;
use crate::code::layout::{Dst3Fields, Src3Fields};
use crate::model::{
    ArfKind, Attributes, CondMod, Dpas, Dst, Instruction, Opcode, Options, Region, Specific, Src,
    SrcMods, Type,
};

type Result<T> = core::result::Result<T, DecodeError>;

impl<const N: usize> Decoder<N> {
    #[inline(always)]
    pub(super) fn ternary(&self, out: &mut Instruction) -> Result<()> {
        let l = Self::LAYOUT;
        self.arithmetic_controls(out);
        if Self::TABLE.align16 {
            return self.ternary_align16(out);
        }
        let float = self.get(l.dst3.exec_type) << 3;
        let is_macro = self.opcode.has(Attributes::MACRO);
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
    pub(super) fn dst3(&self, d: &Dst3Fields, float: u64, is_macro: bool) -> Result<Dst> {
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
    pub(super) fn src3(&self, s: &Src3Fields, float: u64, is_macro: bool) -> Result<Src> {
        let ty = self.ty(&Self::TABLE.types.ternary, float | self.get(s.ty))?;
        let by_type = s.nf_accumulator.exists() && ty == Type::Nf;
        if s.is_imm.exists() && self.bit(s.is_imm) && !by_type {
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
        let is_grf = match by_type {
            true => !self.bit(s.nf_accumulator),
            false => Self::TABLE.ternary_file_is_grf(self.get(s.file)),
        };
        if by_type && !is_grf && self.get(s.reg) >> 4 != u64::from(ArfKind::Accumulator.code()) {
            return self.reserved("Src.RegNum", self.get(s.reg));
        }
        if is_macro {
            return Ok(Src::Macro {
                reg: self.register(is_grf, self.get(s.reg), 0)?,
                mme: mme(self.get(s.mme)),
                region,
                ty,
                mods,
            });
        }
        let unit = u64::from(Self::LAYOUT.subreg_unit);
        Ok(Src::Direct {
            reg: self.register(is_grf, self.get(s.reg), self.get(s.subreg) * unit)?,
            region,
            ty,
            mods,
        })
    }

    pub(super) fn dpas(&self, out: &mut Instruction) -> Result<()> {
        let l = Self::LAYOUT;
        let d = &l.dpas;
        let float = self.get(l.dst3.exec_type) << 3;
        let ternary = &Self::TABLE.types.ternary;
        let unit = u64::from(l.subreg_unit);
        if self.bit(l.acc_wr_en) {
            out.options |= Options::ACC_WR_EN;
        }
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
}
