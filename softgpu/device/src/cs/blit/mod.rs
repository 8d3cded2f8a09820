//! The blitter: copies and fills of rectangles.
//!
//! Each command gives the places (`plane`) and sizes of its sides; `transfer` moves the bytes.

mod block;
mod classic;
mod memory;
mod plane;
mod transfer;

use batchbuffer::{Decoded, Field, PacketId};

use super::failure::Failure;
use super::streamer::Streamer;

/// Whether [`execute`] knows the packet.
pub(super) fn executes(id: PacketId) -> bool {
    use PacketId as P;
    matches!(
        id,
        P::XyBlockCopyBlt
            | P::XyFastColorBlt
            | P::XyFastCopyBlt
            | P::XySrcCopyBlt
            | P::XyColorBlt
            | P::MemCopy
            | P::MemSet
    )
}

/// Executes a packet for which [`executes`] holds.
pub(super) fn execute(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    match packet.id {
        PacketId::XyBlockCopyBlt => block::block_copy(cs, packet),
        PacketId::XyFastColorBlt => block::fast_color(cs, packet),
        PacketId::XyFastCopyBlt => classic::fast_copy(cs, packet),
        PacketId::XySrcCopyBlt => classic::source_copy(cs, packet),
        PacketId::XyColorBlt => classic::color(cs, packet),
        PacketId::MemCopy => memory::memory_copy(cs, packet),
        PacketId::MemSet => memory::memory_set(cs, packet),
        _ => Err(cs.refuse(packet, "the blitter does not execute it")),
    }
}

/// The rectangle that a command writes: the same fields in all of them.
macro_rules! target_area {
    ($packet:expr, $p:ident) => {
        $crate::cs::blit::plane::Rectangle::of(
            $packet,
            [
                $p::DESTINATION_X1,
                $p::DESTINATION_Y1,
                $p::DESTINATION_X2,
                $p::DESTINATION_Y2,
            ],
        )
    };
}
use target_area;

/// A pitch field, which holds the bytes minus one.
fn pitch_plus_one(packet: &Decoded<'_>, field: &'static Field) -> i64 {
    packet.get(field).cast_signed() + 1
}
