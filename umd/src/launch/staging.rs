//! What commands are made in, and where their threads begin.

use std::sync::Arc;

use devinfo::GpuAddress;

use crate::binary::{KernelAbi, Lines};
use crate::device::DeviceInner;

/// What commands are made in before they go to memory that the GPU sees, which is slow to read and
/// may be slow to write in small pieces. Kept for its capacity.
#[derive(Debug, Default)]
pub(super) struct Staging {
    pub words: Vec<u32>,
    pub block: Vec<u32>,
    pub table: Vec<u32>,
    pub cross_thread: Vec<u8>,
}

/// Where a walker's threads begin, for a node that looks for broken rules.
#[derive(Clone, Debug)]
pub(super) struct Start {
    pub kernel: Arc<KernelAbi>,
    pub lines: Arc<Lines>,
    /// It is one of this driver's own.
    pub own: bool,
    /// The kernel's first instruction.
    pub first: GpuAddress,
    /// The threads' first instruction.
    pub entry: GpuAddress,
    pub slm_bytes: u32,
}

impl Start {
    /// Tells the node of walkers that are about to be submitted.
    pub(super) fn announce<'a>(device: &DeviceInner, starts: impl Iterator<Item = &'a Self>) {
        if let Some(extents) = device.registry.extents() {
            for start in starts {
                let (name, local) = (&start.kernel.info.name, start.slm_bytes.into());
                let source = start.lines.of_kernel(start.kernel.segment);
                extents.launches(name, start.first, start.entry, local, start.own, source);
            }
        }
    }
}
