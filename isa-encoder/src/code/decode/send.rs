//! Sends of Gen12LP on.

use super::decoder::Decoder;
use crate::code::DecodeError;
use crate::code::bits::Field;
use crate::code::family::SendForm;
use crate::model::{
    Descriptor, Dst, Instruction, Options, Region, Register, Send, Specific, Src, SrcMods, Type,
};

type Result<T> = core::result::Result<T, DecodeError>;

impl<const N: usize> Decoder<N> {
    pub(super) fn send(&self, out: &mut Instruction) -> Result<()> {
        let l = Self::LAYOUT;
        let s = &l.send;
        let form = Self::TABLE.send;
        if form == SendForm::Legacy {
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
        let payload = |reg| Src::Direct {
            reg,
            region: Region::PACKED,
            ty: Type::Ud,
            mods: SrcMods::NONE,
        };
        let mut src0 = plain(s.src0_file, l.src[0].reg)?;
        let src1 = plain(s.src1_file, s.src1_reg)?;
        let gathers = src0.is_scalar();
        if !gathers {
            out.src[1] = payload(src1);
        } else if !src1.is_null() {
            return self.reserved("Src1.RegNum", self.get(s.src1_reg));
        } else {
            src0.byte = self.get(s.src1_len) as u8;
        }
        out.src[0] = payload(src0);
        let desc = if self.bit(s.desc_is_reg) {
            Descriptor::Register { subreg: 0 }
        } else {
            Descriptor::Immediate(self.word.gather(s.desc) as u32)
        };
        let exdesc_is_reg = self.bit(s.exdesc_is_reg);
        let mut send = Send::new(Some(sfid), desc, Descriptor::Immediate(0));
        send.eot = self.bit(s.eot);
        if self.bit(s.serialize) {
            out.options |= Options::SERIALIZE;
        }
        let options = &Self::TABLE.send_options;
        let length = (!gathers).then_some(self.get(s.src1_len) as u8);
        if exdesc_is_reg {
            send.exdesc = Descriptor::Register {
                subreg: self.get(s.exdesc_subreg) as u8,
            };
            // Bits 18:16 of an immediate offset lie under the a0 sub-register.
            let offset = (self.word.gather(s.exdesc) as u32) << 11;
            send.exdesc_offset = offset & options.offset_mask(sfid);
            let implied = options.implied_ex_bso == Some(sfid);
            send.ex_bso = options.ex_bso && !implied && self.bit(s.ex_bso);
            send.cps = options.cps && send.ex_bso && self.bit(s.cps);
            send.src1_len = length.filter(|_| send.ex_bso || implied);
        } else {
            let high = (self.word.gather(s.exdesc) as u32) << 11;
            send.exdesc = Descriptor::Immediate(match form {
                SendForm::Legacy | SendForm::LengthInDescriptor => {
                    high | u32::from(length.unwrap_or(0)) << 6
                }
                SendForm::LengthInInstruction => high,
            });
            send.src1_len = length;
        }
        out.specific = Specific::Send(send);
        Ok(())
    }
}
