//! Sends: payloads, and how many channels.

use isa_encoder::message::{AddressSize, Hdc, HdcAddress, Lsc, Message};
use isa_encoder::{Opcode, Type as M};

use super::{Loc, Selector, at};
use crate::code::{Inst, Operand, Place, SendData, Var, What};

impl Selector<'_> {
    /// A message with an address for each of `lanes` lanes from `lane` on.
    pub(super) fn lane_message(
        &mut self,
        message: Message,
        lanes: u32,
        lane: u32,
        addresses: Loc,
        response: Option<(Var, u8)>,
        data: Option<(Place, u8)>,
    ) -> Result<(), String> {
        let response = response.map(|(var, count)| (Place { var, byte: 0 }, count));
        let grf = self.target.grf();
        let place = Place {
            var: addresses.place.var,
            byte: addresses.place.byte + lane * addresses.pitch,
        };
        let least = match message {
            // No message has fewer channels than a register has dwords.
            Message::Lsc(_) => grf / 4,
            _ => 8,
        };
        let registers = (lanes.max(least) * addresses.pitch).div_ceil(grf) as u8;
        let (src0, src1) = self.payloads((place, registers), data);
        self.send(
            lanes,
            lane,
            false,
            SendData {
                message,
                response,
                src0,
                header: false,
                src1,
            },
        );
        Ok(())
    }

    /// A message of one channel.
    pub(super) fn one_message(
        &mut self,
        message: Message,
        address: Place,
        response: Option<(Var, u8)>,
        data: Option<(Place, u8)>,
    ) -> Result<(), String> {
        let response = response.map(|(var, count)| (Place { var, byte: 0 }, count));
        let grf = self.target.grf();
        // A message has addresses for as many channels as a register has dwords at least, one of the
        // classic data port for eight; one for a row has one.
        let registers = match (is_wide(&message), &message) {
            (true, Message::Lsc(_)) => 2,
            (true, _) => 64 / grf,
            (false, _) => 1,
        };
        let address = match registers {
            1 => address,
            _ => {
                let var = self.code.var(registers * grf, grf);
                let loc = |place| Loc { place, pitch: 0 };
                let to = Place { var, byte: 0 };
                self.one(Opcode::Mov, at(loc(to), M::Uq), &[at(loc(address), M::Uq)]);
                to
            }
        };
        let (src0, src1) = self.payloads((address, registers as u8), data);
        self.send(
            1,
            0,
            true,
            SendData {
                message,
                response,
                src0,
                header: false,
                src1,
            },
        );
        Ok(())
    }

    /// A message for a block: the address in a register, or in the header.
    pub(super) fn block_message(
        &mut self,
        message: Message,
        address: Place,
        response: Option<(Place, u8)>,
        data: Option<(Place, u8)>,
    ) -> Result<(), String> {
        let header = matches!(message, Message::Hdc(_));
        let (src0, src1) = self.payloads((address, 1), data);
        let exec = if header { 8 } else { 1 };
        self.send(
            exec,
            0,
            true,
            SendData {
                message,
                response,
                src0,
                header,
                src1,
            },
        );
        Ok(())
    }

    pub(super) fn fence_message(&mut self, message: Message, src0: (Place, u8), response: Var) {
        let header = !matches!(message, Message::Lsc(_));
        let exec = if header { 8 } else { 1 };
        let data = SendData {
            message,
            response: Some((
                Place {
                    var: response,
                    byte: 0,
                },
                1,
            )),
            src0,
            header,
            src1: None,
        };
        self.send(exec, 0, true, data);
    }

    pub(super) fn barrier_message(&mut self, message: Message, place: Place) {
        let data = SendData {
            message,
            response: None,
            src0: (place, 1),
            header: false,
            src1: None,
        };
        self.send(1, 0, true, data);
    }

    /// Both payloads; where a send has only one, the data follow the addresses.
    pub(super) fn payloads(
        &mut self,
        address: (Place, u8),
        data: Option<(Place, u8)>,
    ) -> ((Place, u8), Option<(Place, u8)>) {
        let Some(data) = data.filter(|_| !self.target.two_payloads()) else {
            return (address, data);
        };
        let grf = self.target.grf();
        let count = address.1 + data.1;
        let var = self.code.var(u32::from(count) * grf, grf);
        let mut to = 0;
        for (place, registers) in [address, data] {
            let elements = u32::from(registers) * grf / 4;
            let loc = |place| Loc { place, pitch: 4 };
            let dst = at(loc(Place { var, byte: to }), M::Ud);
            let src = at(loc(place), M::Ud);
            self.copy_dwords(dst, src, elements);
            to += u32::from(registers) * grf;
        }
        ((Place { var, byte: 0 }, count), None)
    }

    /// Copies dwords whatever the mask: at most sixteen at once.
    pub(super) fn copy_dwords(&mut self, dst: Operand, src: Operand, count: u32) {
        let mut done = 0;
        while done < count {
            // A power of two, in at most two registers of 32 bytes.
            let step = 1 << (count - done).min(16).ilog2();
            let dst = super::arith::skip(dst, 4 * done);
            let src = super::arith::skip(src, 4 * done);
            self.raw(
                What::Alu(Opcode::Mov),
                step as u8,
                0,
                true,
                Some(dst),
                &[src],
                |_| {},
            );
            done += step;
        }
    }

    pub(super) fn send(&mut self, exec: u32, from: u32, no_mask: bool, data: SendData) {
        let mut inst = Inst::new(What::Send(data), exec as u8);
        inst.from = from as u8;
        inst.no_mask = no_mask;
        self.code.insts.push(inst);
    }
}

/// Whether a message has an address of 64 bits for each channel.
const fn is_wide(message: &Message) -> bool {
    match message {
        Message::Hdc(
            Hdc::Byte { address, .. }
            | Hdc::Scattered { address, .. }
            | Hdc::Untyped { address, .. }
            | Hdc::Atomic { address, .. },
        ) => matches!(address, HdcAddress::A64 { .. }),
        Message::Lsc(Lsc::Atomic { address_size, .. }) => {
            matches!(address_size, AddressSize::A64)
        }
        Message::Lsc(Lsc::Vector {
            address_size,
            transpose,
            ..
        }) => matches!(address_size, AddressSize::A64) && !*transpose,
        _ => false,
    }
}
