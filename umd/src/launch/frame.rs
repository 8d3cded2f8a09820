//! What surrounds each command of a queue in its batch: the same words each time, but for places and
//! the command's number.

use batchbuffer::dispatch::{Commands, DispatchError, Tag};
use batchbuffer::{EncodeError, Spot};
use devinfo::GpuAddress;

/// The words around commands.
#[derive(Debug)]
pub(super) struct Frame {
    /// Between commands of a batch.
    barrier: Vec<u32>,
    /// Writes the timestamp of the beginning.
    begin: (Vec<u32>, Spot),
    /// Writes the timestamp of the end, then the completion tag.
    end: Vec<u32>,
    ended: Spot,
    number: Spot,
}

impl Frame {
    /// For commands that write their numbers to `tag`.
    pub(super) fn new(commands: &dyn Commands, tag: GpuAddress) -> Result<Self, DispatchError> {
        let [mut barrier, mut begin, mut end] = [const { Vec::new() }; 3];
        commands.barrier(&mut barrier)?;
        let began = commands.timestamp(GpuAddress::new(0), &mut begin)?;
        let ended = commands.timestamp(GpuAddress::new(0), &mut end)?;
        let tag = Tag {
            address: tag,
            value: 0,
        };
        let tag = commands.write(tag, &mut end)?;
        Ok(Self {
            barrier,
            begin: (begin, began),
            end,
            ended,
            number: tag.value,
        })
    }

    /// Puts what stands between two commands behind `words`.
    pub(super) fn barrier(&self, words: &mut Vec<u32>) {
        words.extend_from_slice(&self.barrier);
    }

    /// Puts the beginning of a command behind `words`, with the timestamp at `stamp`.
    pub(super) fn begin(&self, stamp: GpuAddress, words: &mut Vec<u32>) -> Result<(), EncodeError> {
        let (begin, began) = &self.begin;
        began.put(copy(begin, words), stamp)
    }

    /// Puts the end of command `number` behind `words`, with the timestamp at `stamp`.
    pub(super) fn end(
        &self,
        stamp: GpuAddress,
        number: u64,
        words: &mut Vec<u32>,
    ) -> Result<(), EncodeError> {
        let copy = copy(&self.end, words);
        self.ended.put(copy, stamp)?;
        self.number.put(copy, number)
    }
}

/// Appends a copy, and gives it.
fn copy<'a>(from: &[u32], words: &'a mut Vec<u32>) -> &'a mut [u32] {
    let first = words.len();
    words.extend_from_slice(from);
    words.get_mut(first..).unwrap_or_default()
}
