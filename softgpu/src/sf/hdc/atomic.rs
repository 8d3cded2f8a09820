//! Atomic messages.

use isa_encoder::message::{AtomicOp, HdcAddress};

use super::Context;
use super::scattered::{Addresses, served};
use crate::Fault;
use crate::sf::atomic::apply;
use crate::sf::execute::not_modelled;
use crate::sf::payload::{Lanes, Response, lane};

/// `operation` is the operation and its memory operand's bytes. Operands of 2 bytes are in the
/// low halves of dwords; a compare-and-swap has the expected values first, then the new ones.
pub(super) fn untyped(
    context: &Context<'_>,
    dst: &mut [u8],
    address: HdcAddress,
    operation: (AtomicOp, u8),
    returns: bool,
    simd: u8,
) -> Result<(), Fault> {
    let (op, bytes) = operation;
    let width = usize::from(bytes);
    if width == 8 && matches!(address, HdcAddress::A32(_)) {
        return Err(not_modelled("64-bit atomic with 32-bit addresses"));
    }
    let slot = width.max(4);
    let place = context.place(address)?;
    let addresses = Addresses::of(context, address, simd)?;
    let plane = usize::from(simd) * slot;
    let data = context
        .payload
        .bytes(addresses.data_at, op.operands() * plane)?;
    let mut response = Response::new(dst, if returns { plane } else { 0 })?;
    for channel in Lanes(served(context, simd)?) {
        let a = lane(&data, channel * slot, width);
        let b = lane(&data, plane + channel * slot, width);
        let mut result = 0;
        let old = place.atomic(addresses.get(channel), width, &mut |old| {
            let update = apply(op, bytes, old, a, b);
            result = update.returned;
            update.stored
        })?;
        let _ = old;
        if returns {
            response.put(channel * slot, slot, result);
        }
    }
    Ok(())
}
