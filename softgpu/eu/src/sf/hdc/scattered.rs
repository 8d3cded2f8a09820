//! Gather, scatter and atomic messages.

use isa_encoder::message::{AtomicOp, Direction, HdcAddress};

use super::{Context, header};
use crate::Fault;
use crate::sf::execute::not_modelled;
use crate::sf::gather::{Addresses, Element, Gather};
use crate::sf::payload::{Lanes, channels};

/// The channels that an untyped message serves: the header can remove some.
pub(super) fn served(context: &Context<'_>, simd: u8) -> Result<u32, Fault> {
    let live = channels(context.mask, simd);
    if !context.header {
        return Ok(live);
    }
    Ok(live & (context.header_dword(header::CHANNEL_MASK)? | !0xffff))
}

/// The lanes that the payload has registers for: if the instruction has at most half of the
/// message's channels, there may be registers for only those. (IGC 22.43 for XeHPC sends uniform
/// atomics of one channel in a SIMD32 message with the registers of SIMD16.)
fn lanes(context: &Context<'_>, simd: u8, width: usize) -> usize {
    let all = usize::from(simd);
    let there = context
        .payload
        .src0
        .len()
        .saturating_sub(context.addresses_at());
    if usize::from(context.exec_size) <= all / 2 && there < all * width {
        all / 2
    } else {
        all
    }
}

#[inline(always)]
fn gather<'a>(
    context: &Context<'a>,
    address: HdcAddress,
    element: Element,
    simd: u8,
    live: u32,
) -> Result<Gather<'a>, Fault> {
    let width = match address {
        HdcAddress::A32(_) => 4,
        HdcAddress::A64 { .. } => 8,
    };
    let lanes = lanes(context, simd, width);
    let at = context.addresses_at();
    Ok(Gather {
        place: context.place(address)?,
        addresses: Addresses::of(&context.payload, at, lanes, width, context.grf)?,
        element,
        lanes,
        live,
        grf: context.grf,
        aligned: true,
        checks: context.env.checks,
    })
}

/// Bytes, words or dwords, each in a dword of the register, or qwords, at any byte.
pub(super) fn byte(
    context: &Context<'_>,
    dst: &mut [u8],
    direction: Direction,
    address: HdcAddress,
    bytes: u8,
    simd: u8,
) -> Result<(), Fault> {
    let element = Element {
        memory: bytes.into(),
        slot: bytes.max(4).into(),
        high: false,
    };
    let live = channels(context.mask, simd);
    Gather {
        aligned: false,
        ..gather(context, address, element, simd, live)?
    }
    .transfer(direction, &context.payload, dst, std::iter::once(0))
}

/// `size` is the element's bytes and the number of consecutive elements of each channel;
/// element e of all channels is contiguous.
pub(super) fn elements(
    context: &Context<'_>,
    dst: &mut [u8],
    direction: Direction,
    address: HdcAddress,
    size: (u8, u8),
    simd: u8,
) -> Result<(), Fault> {
    let (bytes, count) = size;
    let live = channels(context.mask, simd);
    let element = Element::same(bytes.into());
    gather(context, address, element, simd, live)?.transfer(
        direction,
        &context.payload,
        dst,
        (0..count).map(|index| u64::from(index) * u64::from(bytes)),
    )
}

/// Up to four dwords for each channel; only enabled components are in registers.
pub(super) fn untyped(
    context: &Context<'_>,
    dst: &mut [u8],
    direction: Direction,
    address: HdcAddress,
    components: u8,
    simd: u8,
) -> Result<(), Fault> {
    let live = served(context, simd)?;
    gather(context, address, Element::same(4), simd, live)?.transfer(
        direction,
        &context.payload,
        dst,
        Lanes(components.into()).map(|component| 4 * component as u64),
    )
}

/// `operation` is the operation and its memory operand's bytes. Operands of 2 bytes are in the
/// low halves of dwords.
pub(super) fn atomic(
    context: &Context<'_>,
    dst: &mut [u8],
    address: HdcAddress,
    operation: (AtomicOp, u8),
    returns: bool,
    simd: u8,
) -> Result<(), Fault> {
    let (op, bytes) = operation;
    let memory = usize::from(bytes);
    if memory == 8 && matches!(address, HdcAddress::A32(_)) {
        return Err(not_modelled("64-bit atomic with 32-bit addresses"));
    }
    let element = Element {
        memory,
        slot: memory.max(4),
        high: false,
    };
    let live = served(context, simd)?;
    gather(context, address, element, simd, live)?.atomic(&context.payload, dst, op, returns)
}
