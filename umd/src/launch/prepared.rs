//! A batch in memory, from before it is submitted until it has ended.

use std::sync::Arc;

use devinfo::GpuAddress;

use crate::kernel::KernelState;
use crate::memory::Chunk;
use crate::printf;

use super::heap::HeapMemory;
use super::recorded::Recorded;
use super::slots::UsedSlots;

/// A command that was made, with all that it uses.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// The memory of the batch.
    pub heap: Arc<HeapMemory>,
    /// What the heap's tag becomes when the batch has ended: commands of a queue end in order.
    pub number: u64,
    /// Where the timestamps of start and end go; somebody else's once the end was noticed.
    pub stamps: u32,
    /// What the batch runs.
    pub contents: Contents,
}

/// What a batch runs.
#[derive(Debug)]
pub(crate) enum Contents {
    /// Nothing.
    Nothing,
    /// A kernel.
    Kernel(Launched),
    /// Kernels.
    Kernels(Vec<Launched>),
    /// A recording, once.
    Recording(Arc<Recorded>),
}

impl Contents {
    /// The kernels, in order.
    pub(crate) fn kernels(&self) -> &[Launched] {
        match self {
            Self::Nothing => &[],
            Self::Kernel(launched) => std::slice::from_ref(launched),
            Self::Kernels(launched) => launched,
            Self::Recording(recorded) => recorded.kernels(),
        }
    }
}

/// The kernel of a batch, and what the GPU uses besides the batch's own memory.
#[derive(Debug)]
pub(crate) struct Launched {
    /// The kernel as it was when it was enqueued: its arguments keep their memory.
    pub kernel: Arc<KernelState>,
    /// What was printed lands here.
    pub printf: Option<Chunk>,
    /// Scratch and private memory.
    pub(super) slots: UsedSlots,
}

impl Launched {
    /// Where private memory begins.
    pub(super) fn private(&self) -> Option<GpuAddress> {
        self.slots[2].as_ref().map(|bo| bo.address())
    }
}

impl Prepared {
    /// Whether the batch has ended, without a system call.
    pub(crate) fn is_done(&self) -> bool {
        self.heap.has_ended(self.number)
    }

    /// The number of the last command of its queue that has ended.
    pub(crate) fn last_ended(&self) -> u64 {
        self.heap.last_ended()
    }

    /// The number of a command that is known to have ended.
    pub(crate) fn known_ended(&self) -> u64 {
        self.heap.known_ended()
    }

    /// The GPU's timestamps of start and end.
    pub(crate) fn ticks(&self) -> (u64, u64) {
        (self.heap.read(self.stamps), self.heap.read(self.stamps + 8))
    }

    /// What the kernels printed.
    pub(crate) fn printed(&self) -> Vec<u8> {
        let texts = self.contents.kernels().iter().filter_map(|launched| {
            let chunk = launched.printf.as_ref()?;
            Some(printf::text(chunk.memory(), &launched.kernel.program))
        });
        texts.flatten().collect()
    }
}
