//! The two payloads of a send do not overlap: what is both address and data has a copy for the data.

use super::spill::{assemble, copy};
use crate::code::{Code, Place, What};

/// Gives sends whose payloads overlap a copy of the second one.
pub fn part(code: &mut Code, grf: u32) {
    let mut copies = Vec::new();
    for at in 0..code.insts.len() {
        let What::Send(send) = code.insts[at].what else {
            continue;
        };
        let Some((data, count)) = send.src1 else {
            continue;
        };
        let (address, registers) = send.src0;
        let bytes = |place: Place, count: u8| place.byte..place.byte + u32::from(count) * grf;
        let (one, other) = (bytes(address, registers), bytes(data, count));
        if address.var != data.var || one.start >= other.end || other.start >= one.end {
            continue;
        }
        let size = u32::from(count) * grf;
        let var = code.var(size, grf);
        let to = Place { var, byte: 0 };
        copy(data, to, size, &mut |inst| copies.push((at as u32, inst)));
        if let What::Send(send) = &mut code.insts[at].what {
            send.src1 = Some((to, count));
        }
    }
    if !copies.is_empty() {
        assemble(code, copies, Vec::new(), Vec::new());
    }
}

#[cfg(test)]
mod tests {
    use isa_encoder::message::{Direction, Hdc, Message};

    use super::*;
    use crate::code::{Inst, SendData, Var};

    const GRF: u32 = 32;

    /// How many copies there are for a message of two registers of data, so many bytes behind its address.
    fn copies(byte: u32) -> usize {
        let place = |byte: u32| Place { var: Var(0), byte };
        let block = Hdc::ScratchBlock {
            direction: Direction::Write,
            hwords: 2,
            offset: 0,
            dword_channels: false,
        };
        let send = SendData {
            message: Message::Hdc(block),
            response: None,
            src0: (place(0), 1),
            header: true,
            src1: Some((place(byte), 2)),
        };
        let mut code = Code::default();
        code.var(4 * GRF, GRF);
        code.insts = vec![Inst::new(What::Send(send), 8)];
        part(&mut code, GRF);
        let Some(What::Send(send)) = code.insts.last().map(|inst| inst.what) else {
            panic!("the message is last");
        };
        let (data, _) = send.src1.unwrap();
        assert_eq!(data.var == Var(0), code.insts.len() == 1);
        code.insts.len() - 1
    }

    #[test]
    fn what_is_address_and_data_is_copied() {
        assert_eq!(copies(0), 1);
        assert_eq!(copies(GRF), 0);
    }
}
