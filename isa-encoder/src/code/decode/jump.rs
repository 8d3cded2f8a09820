//! Branches.

use super::decoder::{Decoder, is_imm};
use crate::code::DecodeError;
use crate::code::bits::Field;
use crate::model::{
    Attributes, Branch, Dst, Format, Instruction, Region, Register, Specific, Src, SrcMods, Type,
};

type Result<T> = core::result::Result<T, DecodeError>;

impl<const N: usize> Decoder<N> {
    pub(super) fn jump(&self, out: &mut Instruction) -> Result<()> {
        if Self::TABLE.legacy_jumps {
            return self.jump_gen9(out);
        }
        let l = Self::LAYOUT;
        let format = self.opcode.format();
        let mut branch = Branch {
            jip: None,
            uip: None,
            control: self.opcode.has(Attributes::BRANCH_CONTROL) && self.bit(l.branch_control),
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
    pub(super) fn jump_is_imm(&self) -> bool {
        is_imm(&Self::LAYOUT.src[0], self.word)
    }

    pub(super) fn jump_register(&self, file: Field, reg: Field, subreg: Field) -> Result<Register> {
        let byte = self.get(subreg) * u64::from(Self::LAYOUT.subreg_unit);
        self.register(self.get(file) == 1, self.get(reg), byte)
    }
}
