//! Sends of Gen12LP on.

use super::encoder::{Encoder, SRC_NAMES};
use crate::code::EncodeError;
use crate::code::bits::Field;
use crate::code::family::SendForm;
use crate::model::{
    Descriptor, Dst, Options, Region, Register, Sfid, Specific, Src, SrcMods, Type,
};

type Result<T> = core::result::Result<T, EncodeError>;

impl<const N: usize> Encoder<'_, N> {
    pub(super) fn send(&mut self) -> Result<()> {
        let l = Self::LAYOUT;
        let s = &l.send;
        let form = Self::TABLE.send;
        let Specific::Send(send) = self.input.specific else {
            return self.form("message");
        };
        if form == SendForm::Legacy {
            return self.send_gen9(&send);
        }
        let Some(sfid) = send.sfid else {
            return self.form("SFID");
        };
        self.set_sfid(sfid, s.sfid)?;
        // Payloads are whole registers.
        let Dst::Direct {
            reg: reg @ Register { byte: 0, .. },
            hstride: 1,
            ty: Type::Ud,
        } = self.input.dst
        else {
            return self.form("Dst");
        };
        let (file, number) = self.register(reg, "Dst.Reg")?;
        self.set("Dst.RegFile", s.dst_file, file)?;
        self.set("Dst.RegNum", l.dst.reg, number)?;
        let gathers = self.input.gathers();
        let fields = [
            (s.src0_file, l.src[0].reg, SRC_NAMES[0]),
            (s.src1_file, s.src1_reg, SRC_NAMES[1]),
        ];
        let count = if gathers { 1 } else { 2 };
        for ((file_field, reg_field, name), src) in
            fields.into_iter().zip(&self.input.src).take(count)
        {
            let Src::Direct {
                reg,
                region: Region::PACKED,
                ty: Type::Ud,
                mods: SrcMods::NONE,
            } = *src
            else {
                return self.form(name);
            };
            let (file, number) = self.register(reg, name)?;
            self.set("Src.RegFile", file_field, file)?;
            self.set("Src.RegNum", reg_field, number)?;
            if gathers {
                // Words of s0; the field is otherwise the length of source 1.
                if !reg.byte.is_multiple_of(2) {
                    return self.cannot("Src0.SubRegNum", reg.byte.into());
                }
                self.set("Src0.SubRegNum", s.src1_len, reg.byte.into())?;
            } else if reg.byte != 0 {
                return self.form(name);
            }
        }
        self.no_more_sources(count)?;
        match send.desc {
            Descriptor::Immediate(desc) => self.scatter("Desc", s.desc, u64::from(desc))?,
            Descriptor::Register { subreg: 0 } => self.set("Desc.IsReg", s.desc_is_reg, 1)?,
            Descriptor::Register { subreg } => return self.a0_only(subreg),
        }
        self.set("EOT", s.eot, u64::from(send.eot))?;
        let serialize = self.input.options.contains(Options::SERIALIZE);
        self.set_if("FusionCtrl", s.serialize, serialize)?;
        let options = &Self::TABLE.send_options;
        let length = u64::from(send.src1_len.unwrap_or(0));
        match send.exdesc {
            Descriptor::Immediate(exdesc) => {
                if send.ex_bso {
                    return self.form("ExBSO");
                }
                // It is bit 11 of the extended descriptor.
                if send.cps {
                    return self.form("CPS");
                }
                if send.exdesc_offset != 0 {
                    return self.cannot("ExDescImm", u64::from(send.exdesc_offset));
                }
                if send.src1_len.is_some() == gathers {
                    return self.form("Src1.Length");
                }
                let exdesc = u64::from(exdesc);
                if form == SendForm::LengthInDescriptor {
                    if exdesc >> 6 & 31 != length {
                        return self.cannot("Src1.Length", length);
                    }
                    self.set("ExDesc", s.src1_len, exdesc >> 6 & 31)?;
                } else {
                    if exdesc & 0x7c0 != 0 {
                        return self.cannot("ExDesc", exdesc);
                    }
                    self.set_if_some("Src1.Length", s.src1_len, send.src1_len)?;
                }
                if exdesc & 0x3f != 0 {
                    return self.cannot("ExDesc", exdesc);
                }
                self.scatter("ExDesc", s.exdesc, exdesc >> 11)
            }
            Descriptor::Register { subreg } => {
                self.set("ExDesc.IsReg", s.exdesc_is_reg, 1)?;
                let implied = options.implied_ex_bso == Some(sfid);
                if send.ex_bso && (!options.ex_bso || implied) {
                    return self.form("ExBSO");
                }
                if send.cps && !(options.cps && send.ex_bso) {
                    return self.form("CPS");
                }
                if send.src1_len.is_some() != (!gathers && (send.ex_bso || implied)) {
                    return self.form("Src1.Length");
                }
                let offset = send.exdesc_offset;
                if offset & !options.offset_mask(sfid) != 0 {
                    return self.cannot("ExDescImm", u64::from(offset));
                }
                if offset != 0 {
                    self.scatter("ExDescImm", s.exdesc, u64::from(offset >> 11))?;
                }
                let old = self.word;
                self.set("ExDesc", s.exdesc_subreg, u64::from(subreg))?;
                self.word.0 |= old.0;
                self.set_if("ExBSO", s.ex_bso, send.ex_bso)?;
                self.set_if("CPS", s.cps, send.cps)?;
                self.set_if_some("Src1.Length", s.src1_len, send.src1_len)
            }
        }
    }

    /// The descriptor's register is always a0.0.
    pub(super) fn a0_only<T>(&self, subreg: u8) -> Result<T> {
        self.number("the sub-register of a0 of the descriptor", subreg, "0")
    }

    pub(super) fn set_if(&mut self, name: &'static str, field: Field, value: bool) -> Result<()> {
        if value {
            self.set(name, field, 1)
        } else {
            Ok(())
        }
    }

    fn set_if_some(&mut self, name: &'static str, field: Field, value: Option<u8>) -> Result<()> {
        match value {
            Some(value) => self.set(name, field, value.into()),
            None => Ok(()),
        }
    }

    pub(super) fn set_sfid(&mut self, sfid: Sfid, field: Field) -> Result<()> {
        match Self::TABLE
            .sfids
            .iter()
            .position(|entry| *entry == Some(sfid))
        {
            Some(code) => self.set("SFID", field, code as u64),
            None => self.cannot("SFID", sfid as u64),
        }
    }
}
