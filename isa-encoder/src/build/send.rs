//! Messages.

use super::builder::{Builder, Target};
use super::error::BuildError;
use super::op::Op;
use super::operand::Reg;
use crate::code::{SendForm, traits};
use crate::message::{Gateway, Lengths, Message};
use crate::model::{
    Attributes, Descriptor, Dst, Opcode, Region, Send, Sfid, Specific, Src, SrcMods, Type,
};

/// Registers that go with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payload {
    /// The first register.
    pub reg: Reg,
    /// How many.
    pub len: u8,
}

/// A message with its payloads.
#[derive(Clone, Copy, Debug)]
pub struct SendOp {
    /// The message.
    pub message: Message,
    /// The channels.
    pub exec_size: u8,
    /// Whether it ignores the execution mask.
    pub no_mask: bool,
    /// Where the response goes; a length of 0 with the null register if there is none.
    pub response: Payload,
    /// The first payload: header or addresses.
    pub src0: Payload,
    /// The first payload begins with a header.
    pub header: bool,
    /// The second payload: data. Gen8 has none: there the data follows in the first payload.
    pub src1: Option<Payload>,
    /// The sub-register of a0, in dwords, into which the kernel has put the extended descriptor:
    /// the value that [`Message::encode`] returns and, where the instruction has no room for it
    /// (see [`Send::src1_len`](crate::Send::src1_len)), the length of `src1` in bits 10:6. `None`
    /// if the extended descriptor is in the instruction.
    pub extended: Option<u8>,
    /// The thread ends.
    pub eot: bool,
}

impl Payload {
    /// The null register: no response.
    pub const NONE: Self = Self::new(super::operand::null(), 0);

    /// `len` registers from `reg` on.
    pub const fn new(reg: Reg, len: u8) -> Self {
        Self { reg, len }
    }
}

impl SendOp {
    /// A message of so many channels with one payload, no header and no response.
    pub const fn new(message: Message, exec_size: u8, src0: Payload) -> Self {
        Self {
            message,
            exec_size,
            no_mask: false,
            response: Payload::NONE,
            src0,
            header: false,
            src1: None,
            extended: None,
            eot: false,
        }
    }
}

impl Builder {
    /// Appends a send.
    ///
    /// # Errors
    /// The family does not have the message, or a length does not fit.
    pub fn send(&mut self, op: SendOp) -> Result<(), BuildError> {
        let index = self.items.len();
        let fail = |error| BuildError::Message { index, error };
        let family = self.family();
        let (sfid, descriptors) = op.message.encode(family).map_err(fail)?;
        let mut descriptor = descriptors.descriptor;
        Lengths {
            message: op.src0.len,
            response: op.response.len,
            header: op.header,
        }
        .encode(&mut descriptor)
        .map_err(fail)?;

        let has = traits(family);
        let form = has.send;
        let mut extended = descriptors.extended;
        let src1_len = op.src1.map_or(0, |payload| payload.len);
        let takes_two = |opcode| has.has(opcode, Attributes::TWO_PAYLOADS);
        let opcode = match op.src1 {
            None => Opcode::Send,
            Some(_) if takes_two(Opcode::Send) => Opcode::Send,
            Some(_) if has.code(Opcode::Sends).is_some() => Opcode::Sends,
            Some(_) => return Err(BuildError::SecondPayload { index }),
        };
        if matches!(form, SendForm::Legacy | SendForm::LengthInDescriptor) {
            extended |= u32::from(src1_len) << 6;
        }
        let mut send = Send::new(
            Some(sfid),
            Descriptor::Immediate(descriptor),
            Descriptor::Immediate(extended),
        );
        send.eot = op.eot;
        send.ex_bso = descriptors.extended_bindless_offset;
        match (op.extended, descriptors.extended_offset) {
            (None, Some(_)) => return Err(BuildError::ExtendedDescriptor { index }),
            (None, None) => {
                send.src1_len = takes_two(opcode).then_some(src1_len);
            }
            (Some(subreg), offset) => {
                send.exdesc = Descriptor::Register { subreg };
                send.exdesc_offset = offset.unwrap_or(0);
                let implied = has.send_options.implied_ex_bso == Some(sfid);
                send.src1_len = (send.ex_bso || implied).then_some(src1_len);
                // The register also holds the shared function.
                if form == SendForm::Legacy {
                    send.sfid = None;
                }
            }
        }

        let mut instruction = Op::new(opcode, op.exec_size).finish(family);
        instruction.no_mask = op.no_mask;
        instruction.dst = Dst::Direct {
            reg: op.response.reg.register(),
            hstride: 1,
            ty: Type::Ud,
        };
        let region = match form {
            SendForm::Legacy => Region::SCALAR,
            _ => Region::PACKED,
        };
        let src = |reg: Reg| Src::Direct {
            reg: reg.register(),
            region,
            ty: Type::Ud,
            mods: SrcMods::NONE,
        };
        instruction.src[0] = src(op.src0.reg);
        if takes_two(opcode) {
            instruction.src[1] = src(op.src1.map_or(super::null(), |payload| payload.reg));
        }
        instruction.specific = Specific::Send(send);
        self.push(instruction, Target::default());
        Ok(())
    }

    /// Appends a send whose first channel is the thread's channel `first`: 0, 4 … 28.
    ///
    /// # Errors
    /// As [`Builder::send`].
    pub fn send_from(&mut self, op: SendOp, first: u8) -> Result<(), BuildError> {
        self.send(op)?;
        if let Some((instruction, _)) = self.items.last_mut() {
            instruction.channel_offset = first;
        }
        Ok(())
    }

    /// Ends the thread: copies r0 to `copy`, one of the thread's last 16 registers (r112 to r127;
    /// with 256 registers r240 to r255), and sends it to the family's thread spawner or gateway.
    ///
    /// # Errors
    /// As [`Builder::send`].
    pub fn end_of_thread(&mut self, copy: Reg) -> Result<(), BuildError> {
        let family = self.family();
        let lanes = (family.grf_bytes() / 4) as u8;
        self.emit(
            Op::new(Opcode::Mov, lanes)
                .no_mask()
                .dst(copy.ty(Type::Ud))
                .src(super::grf(0).ty(Type::Ud)),
        );
        let message = match traits(family).sfids.contains(&Some(Sfid::ThreadSpawner)) {
            true => Message::EndOfThread,
            false => Message::Gateway(Gateway::EndOfThread),
        };
        self.send(SendOp {
            no_mask: true,
            eot: true,
            ..SendOp::new(message, lanes.min(8), Payload::new(copy, 1))
        })
    }
}
