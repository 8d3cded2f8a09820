//! Walking a batch.

use devinfo::{Family, GpuAddress};

use crate::decode::{Decoded, decode};
use crate::error::DecodeError;
use crate::layout::Engine;
use crate::packets::PacketId;

/// One packet of a batch, or what is in its place.
#[derive(Clone, Debug)]
pub struct Step<'a> {
    /// The address of its header.
    pub address: GpuAddress,
    /// The dwords from the batch's start to the header.
    pub offset: usize,
    /// Its dwords: at least one, even for an unknown header. There are none only in the last step
    /// of a batch without MI_BATCH_BUFFER_END, which reports that nothing is left to read.
    pub dwords: &'a [u32],
    /// The packet.
    pub packet: Result<Decoded<'a>, DecodeError>,
}

/// The packets of a batch in the order in which they lie in memory, up to
/// MI_BATCH_BUFFER_END.
///
/// Jumps are not followed: [`PacketId::MiBatchBufferStart`] is a packet like
/// any other, and a command streamer begins another `Batch` at its target. An
/// unknown header is reported and stepped over by the general length rule; a
/// packet that is cut off ends the walk.
#[derive(Clone, Debug)]
pub struct Batch<'a> {
    family: Family,
    engine: Engine,
    start: GpuAddress,
    dwords: &'a [u32],
    at: usize,
    done: bool,
}

impl<'a> Batch<'a> {
    /// Walks `dwords`, the first of which lies at `start`.
    pub fn new(family: Family, engine: Engine, start: GpuAddress, dwords: &'a [u32]) -> Self {
        Batch {
            family,
            engine,
            start,
            dwords,
            at: 0,
            done: false,
        }
    }
}

impl<'a> Iterator for Batch<'a> {
    type Item = Step<'a>;

    fn next(&mut self) -> Option<Step<'a>> {
        if self.done {
            return None;
        }
        let rest = self.dwords.get(self.at..).unwrap_or(&[]);
        let packet = decode(self.family, self.engine, rest);
        let len = match &packet {
            Ok(packet) => {
                self.done = packet.id == PacketId::MiBatchBufferEnd;
                packet.len()
            }
            Err(DecodeError::Unknown { dwords, .. }) => *dwords,
            Err(_) => {
                self.done = true;
                rest.len()
            }
        };
        let offset = self.at;
        let dwords = rest.get(..len).unwrap_or(rest);
        self.at = offset + dwords.len();
        Some(Step {
            address: self.start.offset(offset as u64 * 4),
            offset,
            dwords,
            packet,
        })
    }
}
