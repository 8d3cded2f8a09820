//! Decoding of what only Gen8 to Gen11 have: align16, sends, jumps with null operands.

use super::decoder::Decoder;
use super::operand::mme;
use crate::code::DecodeError;
use crate::code::bits::{Field, b, f};
use crate::code::layout::Align16Src;
use crate::model::{
    Attributes, Branch, Descriptor, Dst, Format, Instruction, Opcode, Options, Region, Register,
    Send, Specific, Src, SrcMods, Type,
};

type Result<T> = core::result::Result<T, DecodeError>;

/// The swizzle that keeps the order, `xyzw`.
pub const IDENTITY_SWIZZLE: u64 = 0xe4;
/// The swizzles that repeat the first and the second qword, `xyxy` and `zwzw`: 64-bit scalars
/// have no replicate control (BDW PRM vol 7, "RepCtrl").
pub const QWORD_SWIZZLES: [u64; 2] = [0x44, 0xee];
/// All four channels.
pub const FULL_WRITE_MASK: u64 = 15;

/// How an align16 destination of one channel is encoded: as four dwords or words or as two qwords,
/// only one of which is written.
pub struct OneChannel {
    /// The channels in the encoding.
    pub channels: u8,
    /// The bytes of all of them; the sub-register is a multiple of that.
    pub group_bytes: u8,
    /// The bytes of one.
    pub element_bytes: u8,
    /// The write mask of the first.
    pub mask: u64,
}

impl OneChannel {
    /// The byte, from the start of the group, of the element that `mask` writes.
    fn element(&self, mask: u64) -> Option<u8> {
        if mask == 0 {
            return None;
        }
        let index = mask.trailing_zeros() / self.mask.count_ones();
        let byte = index as u8 * self.element_bytes;
        (self.mask << (index * self.mask.count_ones()) == mask).then_some(byte)
    }
}

/// The encoding of one channel of `ty`.
pub fn one_channel(ty: Type) -> Option<OneChannel> {
    Some(match ty.bytes() {
        8 => OneChannel {
            channels: 2,
            group_bytes: 16,
            element_bytes: 8,
            mask: 3,
        },
        bytes @ (2 | 4) => OneChannel {
            channels: 4,
            group_bytes: 4 * bytes as u8,
            element_bytes: bytes as u8,
            mask: 1,
        },
        _ => return None,
    })
}

/// Bit 30 of the descriptor, for a descriptor in a register: see
/// [`half_beside_register`](crate::code::FamilyTable::half_beside_register).
pub const DESC_HALF: Field = b(126);

/// Whether an operand of a send is half precision: the value of [`DESC_HALF`].
///
/// Source: IGA `GED/Encoder.cpp`, `encodeSendDescsPreXe`: Gen9 copies bits 28:0 of the register.
pub fn has_half(instruction: &Instruction) -> bool {
    let [src0, ..] = &instruction.src;
    instruction.dst.ty() == Some(Type::Hf) || src0.ty() == Some(Type::Hf)
}

/// The register number of a0.
pub const A0: u64 = 0x10;
/// The register number of `ip`.
pub const IP: u64 = 0xa0;

impl<const N: usize> Decoder<N> {
    /// A three-source instruction in align16 mode.
    ///
    /// IGA writes align16 operands as the equivalent align1 regions: `<2;1>` for consecutive
    /// elements, `<0;0>` for a replicated one.
    pub(super) fn ternary_align16(&self, out: &mut Instruction) -> Result<()> {
        let a = &Self::LAYOUT.align16;
        if !self.bit(Self::LAYOUT.access_mode) {
            return self.reserved("AccessMode", 0);
        }
        // One channel is a group with a write mask.
        if out.exec_size == 1 {
            return self.reserved("ExecSize", 0);
        }
        let is_macro = self.opcode.has(Attributes::MACRO);
        let types = &Self::TABLE.types.align16;
        let ty = |code: u64, field| match types.get(code & 7) {
            Some(ty) => Ok(ty),
            None => self.reserved(field, code),
        };
        let dst_ty = ty(self.get(a.dst_ty), "Dst.DataType")?;
        let src_ty = ty(self.get(a.src_ty), "Src.DataType")?;
        let reg = Register::grf(self.get(a.dst_reg) as u8);
        out.dst = if is_macro {
            Dst::Macro {
                reg,
                mme: mme(self.get(a.write_mask)),
                hstride: 1,
                ty: dst_ty,
            }
        } else {
            let mut byte = self.get(a.dst_subreg) as u8 * 4;
            let mask = self.get(a.write_mask);
            if mask != FULL_WRITE_MASK {
                let one = one_channel(dst_ty).filter(|one| one.channels == out.exec_size);
                let Some(element) = one.and_then(|one| one.element(mask)) else {
                    return self.reserved("Dst.ChanEn", mask);
                };
                out.exec_size = 1;
                byte += element;
            }
            Dst::Direct {
                reg: Register { byte, ..reg },
                hstride: 1,
                ty: dst_ty,
            }
        };
        for (i, s) in a.src.iter().enumerate() {
            out.src[i] = self.src_align16(s, i, src_ty, is_macro)?;
        }
        out.cond = self.cond(self.get(Self::LAYOUT.cond))?;
        Ok(())
    }

    fn src_align16(&self, s: &Align16Src, index: usize, ty: Type, is_macro: bool) -> Result<Src> {
        let ty = match (s.is_half.exists() && self.bit(s.is_half), ty) {
            (true, Type::F | Type::Hf) => Type::Hf,
            (true, _) => return self.reserved("Src.DataType", 1),
            (false, Type::Hf) if s.is_half.exists() => Type::F,
            (false, ty) => ty,
        };
        let mods = SrcMods {
            neg: self.bit(s.neg),
            abs: self.bit(s.abs),
        };
        let reg = Register::grf(self.get(s.reg) as u8);
        let swizzle = self.get(s.swizzle);
        if is_macro {
            return Ok(Src::Macro {
                reg,
                mme: mme(swizzle),
                region: Self::TABLE.macro_region(&Instruction::new(self.opcode), index, ty),
                ty,
                mods,
            });
        }
        let unit = if s.subreg.len() == 2 { 2 } else { 4 };
        let mut byte = self.word.gather(s.subreg) as u8 * unit;
        let replicate = self.bit(s.replicate);
        let qword = QWORD_SWIZZLES.iter().position(|code| *code == swizzle);
        let scalar = match qword {
            Some(index) if ty.bits() == 64 && !replicate && byte.is_multiple_of(16) => {
                byte += 8 * index as u8;
                true
            }
            _ if swizzle != IDENTITY_SWIZZLE => return self.reserved("Src.Swizzle", swizzle),
            _ if replicate && ty.bits() == 64 => return self.reserved("Src.RepCtrl", 1),
            _ => replicate,
        };
        let region = match (scalar, index) {
            (true, _) => Region::SCALAR,
            (false, 2) => Region::new(1, 1, 0),
            (false, _) => Region::ternary(2, 1),
        };
        Ok(Src::Direct {
            reg: Register { byte, ..reg },
            region,
            ty,
            mods,
        })
    }

    /// Sends with the function in the extended descriptor.
    pub(super) fn send_gen9(&self, out: &mut Instruction) -> Result<()> {
        let l = Self::LAYOUT;
        let s = &l.send;
        let two = Self::TABLE.has(self.opcode, Attributes::TWO_PAYLOADS);
        if self.bit(s.no_src_dep_set) {
            out.options |= Options::NO_SRC_DEP_SET;
        }
        let exdesc_is_reg = two && self.bit(s.exdesc_is_reg);
        let mut send = Send::new(None, Descriptor::Immediate(0), Descriptor::Immediate(0));
        send.eot = self.bit(s.eot);
        if exdesc_is_reg {
            send.exdesc = Descriptor::Register {
                subreg: self.get(s.exdesc_subreg) as u8,
            };
        } else {
            let code = self.get(s.sfid);
            send.sfid = Self::TABLE.sfids[code as usize & 15];
            if send.sfid.is_none() {
                return self.reserved("SFID", code);
            }
        }
        let payload = |reg, ty| Src::Direct {
            reg,
            region: Region::SCALAR,
            ty,
            mods: SrcMods::NONE,
        };
        if two {
            let ty = self.ty(&Self::TABLE.types.register, self.get(l.dst.ty))?;
            out.dst = Dst::Direct {
                reg: self.register(self.bit(s.dst_file), self.get(l.dst.reg), 0)?,
                hstride: 1,
                ty,
            };
            let src0 = self.register(true, self.get(l.src[0].reg), 0)?;
            out.src[0] = payload(src0, Type::Ud);
            let src1 = self.register(self.bit(s.src1_file), self.get(s.src1_reg), 0)?;
            out.src[1] = payload(src1, Type::Ud);
            if !exdesc_is_reg {
                let length = self.get(s.src1_len);
                send.src1_len = Some(length as u8);
                let high = self.get(SENDS_EXDESC_HIGH);
                send.exdesc = Descriptor::Immediate((high << 16 | length << 6) as u32);
            }
            send.desc = if self.bit(s.desc_is_reg) {
                Descriptor::Register { subreg: 0 }
            } else {
                Descriptor::Immediate(self.word.gather(s.desc) as u32)
            };
        } else {
            out.dst = self.dst(&l.dst, false)?;
            let src = &l.src[0];
            out.src[0] = if Self::TABLE.send_regions || self.bit(src.address_mode) {
                self.src(src, false)?
            } else {
                // The extended descriptor's bits lie over the region.
                let is_grf = self.get(src.file) == 1;
                payload(
                    self.register(is_grf, self.get(src.reg), 0)?,
                    self.ty(&Self::TABLE.types.register, self.get(src.ty))?,
                )
            };
            let file = self.get(l.src[1].file);
            send.desc = match file {
                0 => {
                    let (reg, subreg) = (self.get(l.src[1].reg), self.get(l.src[1].subreg));
                    if reg != A0 || subreg != 0 {
                        return self.reserved("Desc.RegNum", reg << 5 | subreg);
                    }
                    Descriptor::Register { subreg: 0 }
                }
                3 => Descriptor::Immediate(self.word.gather(s.desc) as u32),
                _ => return self.reserved("Desc.RegFile", file),
            };
            if !Self::TABLE.send_regions && !self.bit(src.address_mode) {
                let high = self.word.gather(s.exdesc) as u32;
                send.exdesc = Descriptor::Immediate(high << 16);
            }
        }
        let in_register = matches!(send.desc, Descriptor::Register { .. });
        if in_register && Self::TABLE.half_beside_register && self.bit(DESC_HALF) != has_half(out) {
            return self.reserved("Desc[30]", self.get(DESC_HALF));
        }
        out.specific = Specific::Send(send);
        Ok(())
    }

    /// Jumps; the format determines where each target is.
    pub(super) fn jump_gen9(&self, out: &mut Instruction) -> Result<()> {
        let l = Self::LAYOUT;
        let [src0, src1] = &l.src;
        let format = self.opcode.format();
        let mut branch = Branch {
            jip: None,
            uip: None,
            control: self.opcode.has(Attributes::BRANCH_CONTROL) && self.bit(l.branch_control),
        };
        let target = match format {
            Format::Call | Format::JumpJip => Some(src1),
            Format::JumpUnary if self.opcode == Opcode::Jmpi => Some(src1),
            Format::Ret => None,
            _ => Some(src0),
        };
        if format == Format::Call {
            out.dst = self.dst(&l.dst, false)?;
        }
        // These have only distances as targets, whatever file is named.
        let is_distance = matches!(format, Format::JumpJip | Format::JumpJipUip);
        match target {
            Some(fields) if is_distance || self.get(fields.file) == 3 => {
                branch.jip = Some(self.get(l.jip) as u32 as i32);
                if matches!(format, Format::JumpJipUip | Format::JumpBrc) {
                    branch.uip = Some(self.get(l.uip) as u32 as i32);
                }
            }
            Some(fields) => out.src[0] = self.src(fields, false)?,
            None => out.src[0] = self.src(src0, false)?,
        }
        if !self.opcode.has(Attributes::BRANCH_CONTROL) && self.bit(l.acc_wr_en) {
            out.options |= Options::ACC_WR_EN;
        }
        // jmpi counts from the next instruction.
        if self.opcode == Opcode::Jmpi
            && let Some(jip) = &mut branch.jip
        {
            *jip = jip.wrapping_add(self.length);
        }
        out.specific = Specific::Branch(branch);
        Ok(())
    }
}

/// Bits 31:16 of the extended descriptor of `sends`.
pub const SENDS_EXDESC_HIGH: Field = f(95, 80);
