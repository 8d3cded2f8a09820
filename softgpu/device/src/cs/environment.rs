//! What a batch runs in.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use batchbuffer::Engine;
use devinfo::Family;

use crate::device::Device;
use crate::engine::Claim;
use softgpu_memory::PageTable;

/// What a batch runs in.
#[derive(Debug)]
pub struct Environment<'a> {
    /// The device.
    pub device: &'a Device,
    /// The memory that the batch sees.
    pub space: &'a dyn PageTable,
    /// The engine that runs it.
    pub engine: Engine,
    /// Its place among the engine's batches.
    pub claim: &'a Claim,
    /// Ends it early when set.
    pub stop: &'a AtomicBool,
    /// After this time without progress it is hung.
    pub hang_timeout: Duration,
}

impl Environment<'_> {
    /// The family whose packets the engine understands.
    pub fn family(&self) -> Family {
        self.device.platform.family
    }
}
