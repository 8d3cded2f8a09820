//! The lengths of messages: header, addresses, data and response, in registers.

use core::ops::RangeInclusive;

use super::auditor::Audit;
use super::walk::message;
use crate::message::{
    DataSize, Direction, Gateway, Hdc, HdcAddress, Lengths, Lsc, LscPort, Message, SlotGroup,
};
use crate::model::Send;

/// The registers that a message takes and returns.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Expected {
    /// Header, addresses and data, in both sources together.
    payload: RangeInclusive<usize>,
    response: RangeInclusive<usize>,
}

impl Expected {
    /// Exactly these; a read whose response is dropped is a prefetch.
    fn of(payload: usize, response: usize) -> Self {
        Self {
            payload: payload..=payload,
            response: response..=response,
        }
    }

    fn block(direction: Direction, before: usize, data: usize) -> Self {
        match direction {
            Direction::Read => Self::of(before, data),
            Direction::Write => Self::of(before + data, 0),
        }
    }
}

/// What `message` takes on registers of `grf` bytes; `None` if its payload decides.
fn expected(message: &Message, lengths: Lengths, exec_size: u8, grf: usize) -> Option<Expected> {
    match message {
        Message::Hdc(hdc) => {
            let all = classic(hdc, lengths, u8::MAX, grf)?;
            // Compilers leave out the registers of channels that the instruction does not have.
            let fewer = classic(hdc, lengths, exec_size.max((grf / 4) as u8), grf)?;
            Some(Expected {
                payload: *fewer.payload.start()..=*all.payload.end(),
                response: *fewer.response.start()..=*all.response.end(),
            })
        }
        Message::Lsc(lsc) => load_store(lsc, usize::from(exec_size), grf),
        Message::Gateway(Gateway::Barrier | Gateway::EndOfThread) | Message::EndOfThread => {
            Some(Expected::of(1, 0))
        }
        _ => None,
    }
}

fn classic(message: &Hdc, lengths: Lengths, most: u8, grf: usize) -> Option<Expected> {
    let header = usize::from(lengths.header);
    let plane = |lanes: u8, bytes: usize| (usize::from(lanes.min(most)) * bytes).div_ceil(grf);
    let addresses = |address: &HdcAddress, simd: u8| match address {
        HdcAddress::A64 { .. } => plane(simd, 8),
        HdcAddress::A32(_) => plane(simd, 4),
    };
    let ones = |components: u8| components.count_ones() as usize;
    Some(match message {
        Hdc::OwordBlock {
            direction, count, ..
        } => Expected::block(*direction, 1, (count.owords() * 16).div_ceil(grf)),
        Hdc::HwordBlock {
            direction, hwords, ..
        }
        | Hdc::ScratchBlock {
            direction, hwords, ..
        } => Expected::block(*direction, 1, (usize::from(*hwords) * 32).div_ceil(grf)),
        Hdc::Byte {
            direction,
            address,
            bytes,
            simd,
        } => Expected::block(
            *direction,
            header + addresses(address, *simd),
            plane(*simd, usize::from(*bytes).max(4)),
        ),
        Hdc::Scattered {
            direction,
            address,
            bytes,
            elements,
            simd,
            ..
        } => {
            let data = usize::from(*elements) * plane(*simd, usize::from(*bytes));
            Expected::block(*direction, header + addresses(address, *simd), data)
        }
        Hdc::Untyped { simd: 2, .. } | Hdc::Atomic { simd: 2, .. } => return None,
        Hdc::Untyped {
            direction,
            address,
            components,
            simd,
        } => {
            let data = ones(*components) * plane(*simd, 4);
            Expected::block(*direction, header + addresses(address, *simd), data)
        }
        Hdc::Atomic {
            address,
            op,
            bytes,
            returns,
            simd,
        } => {
            let data = plane(*simd, usize::from(*bytes).max(4));
            Expected::of(
                header + addresses(address, *simd) + op.operands() * data,
                if *returns { data } else { 0 },
            )
        }
        Hdc::Typed {
            slots: SlotGroup::FourByTwo,
            ..
        } => return None,
        Hdc::Typed {
            direction,
            components,
            ..
        } => {
            let data = ones(*components);
            let (stored, loaded) = match direction {
                Direction::Read => (0, data),
                Direction::Write => (data, 0),
            };
            Expected {
                payload: header + 1 + stored..=header + 4 + stored,
                response: loaded..=loaded,
            }
        }
        Hdc::Fence { commit, .. } => Expected::of(1, usize::from(*commit)),
        _ => return None,
    })
}

fn load_store(message: &Lsc, exec_size: usize, grf: usize) -> Option<Expected> {
    // A message has at least as many lanes as a register has dwords.
    let lanes = exec_size.max(grf / 4);
    let plane = |bytes: usize| (lanes * bytes).div_ceil(grf);
    let data_plane = |data: DataSize| plane(data.register_bytes());
    Some(match *message {
        Lsc::Vector { strided: true, .. } => return None,
        Lsc::Vector {
            direction,
            address_size,
            data,
            elements,
            transpose,
            ..
        } => {
            let elements = usize::from(elements);
            match transpose {
                true => {
                    let data = (elements * data.register_bytes()).div_ceil(grf);
                    Expected::block(direction, 1, data)
                }
                false => Expected::block(
                    direction,
                    plane(address_size.bytes()),
                    elements * data_plane(data),
                ),
            }
        }
        Lsc::Quad {
            port,
            direction,
            address_size,
            data,
            components,
            ..
        } => {
            let data = components.count_ones() as usize * data_plane(data);
            let (stored, loaded) = match direction {
                Direction::Read => (0, data),
                Direction::Write => (data, 0),
            };
            let address = plane(address_size.bytes());
            let most = if port == LscPort::Tgm { 4 } else { 1 };
            Expected {
                payload: address + stored..=most * address + stored,
                response: loaded..=loaded,
            }
        }
        Lsc::Atomic {
            port,
            op,
            address_size,
            data,
            returns,
            ..
        } => {
            let data = data_plane(data);
            let address = plane(address_size.bytes());
            let most = if port == LscPort::Tgm { 4 } else { 1 };
            let stored = op.operands() * data;
            let loaded = if returns { data } else { 0 };
            Expected {
                payload: address + stored..=most * address + stored,
                response: loaded..=loaded,
            }
        }
        Lsc::Fence { .. } => Expected {
            payload: 1..=1,
            response: 0..=1,
        },
        _ => return None,
    })
}

/// The lengths in a send, if they are in the instruction: payload and response.
fn lengths_of(send: &Send, has_source_1: bool) -> Option<(usize, usize)> {
    let second = match send.src1_len {
        Some(length) => usize::from(length),
        None if has_source_1 => return None,
        None => 0,
    };
    Some((
        usize::from(send.src0_len()?) + second,
        send.dst_len()?.into(),
    ))
}

impl Audit<'_> {
    /// Reports messages that take or return more or fewer registers than their send says.
    pub(super) fn lengths(&mut self) {
        let grf = self.program.family().grf_bytes();
        for index in self.live() {
            let Some(instruction) = self.instruction(index) else {
                continue;
            };
            let (Some(send), Some(message)) =
                (instruction.send(), message(self.program, instruction))
            else {
                continue;
            };
            let has_source_1 = !matches!(instruction.src[1], crate::model::Src::None);
            let Some((payload, response)) = lengths_of(send, has_source_1) else {
                continue;
            };
            let lengths = Lengths::decode(send.desc.immediate().unwrap_or_default());
            let Some(expected) = expected(&message, lengths, instruction.exec_size, grf) else {
                continue;
            };
            let many = |range: &RangeInclusive<usize>| match range.start() == range.end() {
                true => alloc::format!("{}", range.start()),
                false => alloc::format!("{} to {}", range.start(), range.end()),
            };
            // A read without a response is a prefetch.
            let prefetch = response == 0 && *expected.response.start() != 0;
            if !expected.payload.contains(&payload) {
                let takes = many(&expected.payload);
                let what =
                    alloc::format!("it has {payload} registers, and the message takes {takes}");
                self.report(index, "payload length", what);
            }
            if !prefetch && !expected.response.contains(&response) {
                let gives = many(&expected.response);
                let what =
                    alloc::format!("it has {response} registers, and the message returns {gives}");
                self.report(index, "response length", what);
            }
        }
    }
}
