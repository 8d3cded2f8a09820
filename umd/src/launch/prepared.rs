//! A batch in memory, from before it is submitted until it has ended.

use std::sync::Arc;

use devinfo::GpuAddress;

use crate::binary::KernelEntry;
use crate::memory::{Bo, Chunk};
use crate::printf;
use crate::program::ProgramInner;

/// Where things lie in a chunk: the completion tag, the timestamps, then the batch.
pub(super) const TAG: u64 = 0;
pub(super) const STARTED: u64 = 8;
pub(super) const ENDED: u64 = 16;
pub(super) const BATCH: u64 = 64;
/// What the tag becomes.
pub(super) const DONE: u64 = 1;

/// A kernel ready to be submitted, with all that it uses.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// The memory of the batch.
    pub chunk: Chunk,
    /// The batch's bytes.
    pub length: u64,
    /// The kernel, if the batch runs one.
    pub kernel: Option<Launched>,
}

/// The kernel of a batch, and what the GPU uses besides the batch's own memory.
#[derive(Debug)]
pub(crate) struct Launched {
    /// The program, for its strings and for fault reports.
    pub program: Arc<ProgramInner>,
    /// The kernel.
    pub entry: Arc<KernelEntry>,
    /// What was printed lands here.
    pub printf: Option<Chunk>,
    /// Buffers and the like that the GPU uses.
    pub(super) used: Vec<Arc<Bo>>,
}

impl Prepared {
    /// Where the batch begins.
    pub(crate) fn batch(&self) -> GpuAddress {
        self.chunk.address().offset(BATCH)
    }

    /// The batch's packets.
    pub(crate) fn dwords(&self) -> Vec<u32> {
        let mut bytes = vec![0; self.length as usize];
        self.chunk.memory().read(BATCH as usize, &mut bytes);
        let dwords = bytes.as_chunks::<4>().0.iter();
        dwords.map(|bytes| u32::from_le_bytes(*bytes)).collect()
    }

    /// Whether the batch has ended, without a system call.
    pub(crate) fn is_done(&self) -> bool {
        self.chunk.memory().load(TAG as usize) == DONE
    }

    /// The GPU's timestamps of start and end.
    pub(crate) fn ticks(&self) -> (u64, u64) {
        let memory = self.chunk.memory();
        let record = |offset: u64| memory.record(offset as usize).unwrap_or_default();
        (record(STARTED), record(ENDED))
    }

    /// What the kernel printed.
    pub(crate) fn printed(&self) -> String {
        let text = self.kernel.as_ref().and_then(|kernel| {
            let chunk = kernel.printf.as_ref()?;
            Some(printf::text(chunk.memory(), &kernel.program))
        });
        text.unwrap_or_default()
    }
}
