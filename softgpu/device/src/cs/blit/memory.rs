//! MEM_COPY and MEM_SET: bytes, in a row or in rows.

use batchbuffer::Decoded;
use batchbuffer::packets::{mem_copy, mem_set};

use super::pitch_plus_one;
use super::plane::Plane;
use super::transfer::{copy, fill};
use crate::cs::failure::Failure;
use crate::cs::streamer::Streamer;

/// The unit of a page copy.
const COPY_PAGE: u64 = 256;

pub(super) fn memory_copy(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use mem_copy as p;
    let unit = match packet.flag(p::MODE) {
        true => COPY_PAGE,
        false => 1,
    };
    let width = (packet.get(p::TRANSFER_WIDTH) + 1) * unit;
    let matrix = packet.flag(p::COPY_TYPE);
    let height = match matrix {
        true => packet.get(p::TRANSFER_HEIGHT) + 1,
        false => 1,
    };
    let target = Plane::linear(
        packet.address(p::DESTINATION_START_ADDRESS),
        pitch_plus_one(packet, p::DESTINATION_PITCH),
    );
    let source = Plane::linear(
        packet.address(p::SOURCE_START_ADDRESS),
        pitch_plus_one(packet, p::SOURCE_PITCH),
    );
    copy(cs, packet, (target, source), (width, height))
}

pub(super) fn memory_set(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use mem_set as p;
    let height = match packet.get(p::FILL_TYPE) {
        0 => 1,
        1 => packet.get(p::FILL_HEIGHT) + 1,
        other => return Err(cs.refuse(packet, format!("fill type {other} is not modelled"))),
    };
    if packet.flag(p::MODE) {
        return Err(cs.refuse(packet, "the evict mode is not modelled"));
    }
    let target = Plane::linear(
        packet.address(p::DESTINATION_START_ADDRESS),
        pitch_plus_one(packet, p::DESTINATION_PITCH),
    );
    let size = (packet.get(p::FILL_WIDTH) + 1, height);
    let byte = packet.get(p::FILL_DATA) as u8;
    fill(cs, packet, target, size, &[byte])
}
