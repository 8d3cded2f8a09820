//! What a client of the xe uAPI owns: address spaces with bindings, and exec queues.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use batchbuffer::Engine;
use nix::errno::Errno;

use crate::device::Device;
use crate::status::{ContextStatus, Tolerance};
use softgpu_device::{Fence, Timeline};
use softgpu_memory::{AddressSpace, PAGE_BYTES, user};

/// How batches run in an address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VmMode {
    /// They end in finite time, and dma-fences signal their end.
    DmaFence,
    /// Long-running, with everything that is bound in memory.
    PreemptFence,
    /// Long-running, with recoverable page faults.
    Fault,
}

impl VmMode {
    /// Whether batches have no out-fences that are dma-fences, and no time limit.
    pub const fn is_long_running(self) -> bool {
        !matches!(self, Self::DmaFence)
    }
}

/// An address space.
#[derive(Debug)]
pub struct XeVm {
    /// What is bound.
    pub space: Arc<AddressSpace>,
    /// How batches run in it.
    pub mode: VmMode,
    /// Destroyed: takes no more bindings or batches.
    closed: AtomicBool,
    /// The last binding operation that was queued.
    last_bind: Mutex<Option<Arc<Fence>>>,
}

impl XeVm {
    /// An empty address space.
    pub fn new(scratch_page: bool, mode: VmMode) -> Arc<Self> {
        Arc::new(Self {
            space: Arc::new(AddressSpace::new(scratch_page)),
            mode,
            closed: AtomicBool::new(false),
            last_bind: Mutex::default(),
        })
    }

    /// Marks it destroyed.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    /// Whether it was destroyed.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Queues a binding operation after the earlier ones. Returns what it waits for.
    pub fn queue_bind(&self, done: &Arc<Fence>) -> Option<Arc<Fence>> {
        let mut last = self
            .last_bind
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        last.replace(Arc::clone(done)).filter(|f| !f.is_signalled())
    }

    /// The last queued binding operation, if it is still pending.
    pub fn pending_bind(&self) -> Option<Arc<Fence>> {
        let last = self
            .last_bind
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        last.clone().filter(|f| !f.is_signalled())
    }

    /// Removes bindings of client pages that the client has unmapped since, like the kernel's
    /// notifier: accesses there fault, and do not reach what is mapped there now.
    ///
    /// # Errors
    /// `EFAULT` if the process's mappings cannot be read.
    pub fn drop_stale_pages(&self) -> Result<(), Errno> {
        let bindings = self.space.bindings();
        let mut maps = None;
        for (address, binding) in bindings {
            let Some(backing) = &binding.backing else {
                continue;
            };
            if backing.user_range().is_none() {
                continue;
            }
            if maps.is_none() {
                maps = Some(user::Maps::load()?);
            }
            if let Some(maps) = &maps
                && backing.probe(maps).is_err()
            {
                tracing::warn!(
                    "softgpu: client pages bound at {address} are gone and were unbound"
                );
                let bytes = binding.bytes.next_multiple_of(PAGE_BYTES);
                self.space
                    .unbind(address, bytes)
                    .map_err(|_| Errno::EINVAL)?;
            }
        }
        Ok(())
    }
}

/// What an exec queue is for.
#[derive(Debug)]
pub enum Work {
    /// Runs batches in an address space.
    Batches {
        /// Where.
        vm: Arc<XeVm>,
        /// Its batches in order.
        timeline: Timeline,
    },
    /// Orders binding operations.
    Bindings,
}

/// An exec queue.
#[derive(Debug)]
pub struct XeQueue {
    /// Its status.
    pub status: Arc<ContextStatus>,
    /// Its batches' place on the engine: 0 is low, 1 normal, 2 high.
    pub priority: i64,
    /// What it is for.
    pub work: Work,
}

impl XeQueue {
    /// A queue for batches of `vm` on an engine.
    pub fn batches(
        device: &Arc<Device>,
        engine: Engine,
        vm: Arc<XeVm>,
        priority: i64,
    ) -> Arc<Self> {
        let status = ContextStatus::new(Arc::clone(device), Tolerance::default());
        let timeline = Timeline::new(Arc::clone(&device.engines), engine, status.clone());
        Arc::new(Self {
            status,
            priority,
            work: Work::Batches { vm, timeline },
        })
    }

    /// A queue for binding operations.
    pub fn bindings(device: &Arc<Device>) -> Arc<Self> {
        Arc::new(Self {
            status: ContextStatus::new(Arc::clone(device), Tolerance::default()),
            priority: 0,
            work: Work::Bindings,
        })
    }

    /// Ends its work. Returns the fence of its last batch.
    pub fn kill(&self) -> Option<Arc<Fence>> {
        self.status.stop.store(true, Ordering::Relaxed);
        match &self.work {
            Work::Batches { timeline, .. } => timeline.last(),
            Work::Bindings => None,
        }
    }
}
