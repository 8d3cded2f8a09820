//! Branches.

use super::encoder::Encoder;
use crate::code::EncodeError;
use crate::code::bits::Field;
use crate::model::{Attributes, Dst, Format, Region, Register, Specific, Src, SrcMods, Type};

type Result<T> = core::result::Result<T, EncodeError>;

impl<const N: usize> Encoder<'_, N> {
    pub(super) fn jump(&mut self) -> Result<()> {
        let l = Self::LAYOUT;
        let format = self.input.opcode.format();
        let Specific::Branch(branch) = self.input.specific else {
            return self.form("target");
        };
        if Self::TABLE.legacy_jumps {
            return self.jump_gen9(&branch);
        }
        if branch.control {
            if !self.input.opcode.has(Attributes::BRANCH_CONTROL) {
                return self.form("BranchCtrl");
            }
            self.set("BranchCtrl", l.branch_control, 1)?;
        }
        if format == Format::Call {
            let Dst::Direct {
                reg,
                hstride: 1,
                ty: Type::Ud,
            } = self.input.dst
            else {
                return self.form("Dst");
            };
            self.jump_register(l.dst.file, l.dst.reg, l.dst.subreg, reg)?;
        }
        self.no_more_sources(1)?;
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
            (
                None,
                Src::Direct {
                    reg,
                    region: Region::SCALAR,
                    ty: Type::Ud,
                    mods: SrcMods::NONE,
                },
            ) if branch.uip.is_none()
                && matches!(
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

    pub(super) fn jump_register(
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
