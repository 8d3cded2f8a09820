//! What a batch runs in.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use batchbuffer::Engine;
use devinfo::{Family, GpuAddress};

use crate::device::Device;
use crate::engine::Claim;
use softgpu_memory::{PAGE_BYTES, PageTable};

/// The commands of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commands {
    /// The batch that begins at this address, to its end.
    Batch(GpuAddress),
    /// The content of a ring.
    Ring(Ring),
}

/// A ring buffer: commands from its head to its tail, in global memory if the job has any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    /// Its address.
    pub start: GpuAddress,
    /// Its size.
    pub bytes: u64,
    /// The offset of the first command.
    pub head: u64,
    /// The offset after the last command.
    pub tail: u64,
}

impl Ring {
    /// Whether it consists of whole pages, and head and tail are dwords inside it.
    pub(super) const fn is_valid(self) -> bool {
        let inside = self.head < self.bytes && self.tail < self.bytes;
        let dwords = self.head.is_multiple_of(4) && self.tail.is_multiple_of(4);
        let fits = self.start.get().checked_add(self.bytes).is_some();
        inside && dwords && fits && self.bytes.is_multiple_of(PAGE_BYTES)
    }

    /// The address of `offset`, which wraps at the end.
    pub(super) const fn place(self, offset: u64) -> GpuAddress {
        self.start.offset(offset % self.bytes)
    }
}

/// What a batch runs in.
#[derive(Debug)]
pub struct Environment<'a> {
    /// The device.
    pub device: &'a Device,
    /// The memory that the context sees.
    pub space: &'a dyn PageTable,
    /// The memory of rings, which privileged commands also reach: through the global GTT.
    pub global: Option<&'a dyn PageTable>,
    /// The engine that runs it.
    pub engine: Engine,
    /// Its place among the engine's batches.
    pub claim: &'a Claim,
    /// Ends it early when set.
    pub stop: &'a AtomicBool,
    /// After this time without progress it counts as hung.
    pub hang_timeout: Duration,
}

impl Environment<'_> {
    /// The family whose packets the engine understands.
    pub fn family(&self) -> Family {
        self.device.platform.family
    }
}
