//! Block messages: consecutive memory, one offset in the header.

use std::ops::Range;

use isa_encoder::message::{BlockAlignment, BlockPort, Direction, HdcAddress, OwordCount};

use super::{Context, header};
use crate::check::{Access, Beside, What};
use crate::sf::payload::{Lanes, Response, lane32};
use crate::sf::place::Place;
use crate::{Fault, Rule};

pub(in crate::sf) const OWORD: usize = 16;
pub(in crate::sf) const HWORD: usize = 32;

/// The place and the byte offset of a block.
fn target<'a>(
    context: &Context<'a>,
    address: HdcAddress,
    unit: u64,
) -> Result<(Place<'a>, u64), Fault> {
    context.require_header()?;
    let offset = match address {
        HdcAddress::A64 { .. } => {
            u64::from(context.header_dword(header::ADDRESS_LOW)?)
                | u64::from(context.header_dword(header::ADDRESS_HIGH)?) << 32
        }
        HdcAddress::A32(_) => u64::from(context.header_dword(header::OFFSET)?) * unit,
    };
    Ok((context.place(address)?, offset))
}

/// The bytes of the header that hold the address of a block.
fn header_bytes(address: HdcAddress) -> Range<usize> {
    match address {
        HdcAddress::A64 { .. } => 4 * header::ADDRESS_LOW..4 * header::ADDRESS_HIGH + 4,
        HdcAddress::A32(_) => 4 * header::OFFSET..4 * header::OFFSET + 4,
    }
}

/// A block, and its place in the payload or the response.
struct Block<'a> {
    place: Place<'a>,
    offset: u64,
    at: usize,
    bytes: usize,
    /// The bytes of the header that hold its address.
    address: Range<usize>,
    /// It may reach beyond its surface, where the hardware reads zeros: compilers round up what they
    /// read of constants.
    rounded: bool,
}

pub(super) fn oword(
    context: &Context<'_>,
    dst: &mut [u8],
    direction: Direction,
    (address, alignment): (HdcAddress, BlockAlignment),
    count: OwordCount,
    port: BlockPort,
) -> Result<(), Fault> {
    let unit = match alignment {
        BlockAlignment::Oword => OWORD as u64,
        BlockAlignment::Dword => 1,
    };
    let (place, offset) = target(context, address, unit)?;
    let bytes = count.owords() * OWORD;
    // One OWord can use the high half of the register.
    let at = if count == OwordCount::OneHigh {
        OWORD
    } else {
        0
    };
    let block = Block {
        place,
        offset,
        at,
        bytes,
        address: header_bytes(address),
        rounded: port != BlockPort::Data,
    };
    transfer(context, dst, direction, block)
}

pub(super) fn hword(
    context: &Context<'_>,
    dst: &mut [u8],
    direction: Direction,
    address: HdcAddress,
    hwords: u8,
) -> Result<(), Fault> {
    let (place, offset) = target(context, address, 1)?;
    let block = Block {
        place,
        offset,
        at: 0,
        bytes: usize::from(hwords) * HWORD,
        address: header_bytes(address),
        rounded: false,
    };
    transfer(context, dst, direction, block)
}

fn transfer(
    context: &Context<'_>,
    dst: &mut [u8],
    direction: Direction,
    block: Block<'_>,
) -> Result<(), Fault> {
    let Block {
        place,
        offset,
        at,
        bytes,
        address,
        rounded,
    } = block;
    if let Some(checks) = context.env.checks {
        let (rule, unit) = match direction {
            Direction::Read => (Rule::BlockReadAlignment, 4),
            Direction::Write => (Rule::BlockWriteAlignment, OWORD as u64),
        };
        if !place.address(offset).is_multiple_of(unit) {
            checks.report(rule, || {
                let address = place.address(offset);
                format!("{address:#x} is no multiple of {unit}")
            });
        }
        let data = context.payload.bytes(context.grf + at, bytes);
        let data = data.unwrap_or_default();
        let access = Access {
            lane: None,
            row: false,
            address,
            what: match direction {
                Direction::Read => What::Read { at, slot: bytes },
                Direction::Write => What::Write {
                    at: context.grf + at,
                    data: &data,
                    beside: Beside::NONE,
                },
            },
        };
        let bytes = bytes as u64;
        let inside = if rounded {
            place.part(offset, bytes)
        } else {
            bytes
        };
        place.check(checks, offset, inside, &access);
        if direction == Direction::Write && place.reports(offset) {
            return Ok(());
        }
    }
    match direction {
        Direction::Read => {
            let mut response = Response::new(dst, at + bytes)?;
            match response.span(at, bytes) {
                Some(out) => place.read(offset, out),
                None => Ok(()),
            }
        }
        Direction::Write => {
            let data = context.payload.bytes(context.grf + at, bytes)?;
            place.write(offset, &data)
        }
    }
}

/// A block of the thread's scratch space.
///
/// In DWord channel mode, channel i of a write guards dword i of each pair of registers; otherwise
/// the whole block is written.
pub(super) fn scratch(
    context: &Context<'_>,
    dst: &mut [u8],
    direction: Direction,
    hwords: u8,
    offset: u16,
    dword_channels: bool,
) -> Result<(), Fault> {
    context.require_header()?;
    let bytes = usize::from(hwords) * HWORD;
    let offset = u64::from(offset) * HWORD as u64;
    let place = context.scratch()?;
    if direction == Direction::Read || !dword_channels {
        let header = 4 * header::STATELESS_BASE;
        let block = Block {
            place,
            offset,
            at: 0,
            bytes,
            address: header..header + 4,
            rounded: false,
        };
        return transfer(context, dst, direction, block);
    }
    let data = context.payload.bytes(context.grf, bytes)?;
    let channels = usize::from(context.exec_size.max(8));
    if let Some(checks) = context.env.checks {
        let header = 4 * header::STATELESS_BASE;
        for dword in (0..bytes / 4).filter(|dword| context.mask >> (dword % channels) & 1 != 0) {
            let at = 4 * dword;
            let access = Access {
                lane: Some((dword % channels) as u8),
                row: false,
                address: header..header + 4,
                what: What::Write {
                    at: context.grf + at,
                    data: data.get(at..at + 4).unwrap_or_default(),
                    beside: Beside::NONE,
                },
            };
            place.check(checks, offset + at as u64, 4, &access);
        }
    }
    if Lanes(context.mask).count() >= channels {
        return place.write(offset, &data);
    }
    for dword in 0..bytes / 4 {
        if context.mask >> (dword % channels) & 1 != 0 {
            place.store32(offset + 4 * dword as u64, lane32(&data, dword))?;
        }
    }
    Ok(())
}

/// A fence: here a thread's accesses are performed in order and at once, as the host's processor sees it:
/// others may see them later. The response's content is undefined; here zero.
pub(super) fn fence(context: &Context<'_>, dst: &mut [u8]) -> Result<(), Fault> {
    std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
    if let Some(register) = dst.get_mut(..context.grf) {
        register.fill(0);
    }
    Ok(())
}
