//! Completions in long-running address spaces: a page of values that the GPU writes.

use std::sync::atomic::{AtomicU64, Ordering};

use devinfo::GpuAddress;

use crate::Mapping;

/// A page of fences, bound at a fixed address of one address space.
#[derive(Debug)]
pub(super) struct FencePage {
    /// The GEM handle, closed by the owner.
    pub(super) handle: u32,
    /// Where the address space has it.
    pub(super) address: GpuAddress,
    mapping: Mapping,
    used: AtomicU64,
}

/// One fence of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FenceSlot(u64);

impl FencePage {
    pub(super) fn new(handle: u32, address: GpuAddress, mapping: Mapping) -> Self {
        Self {
            handle,
            address,
            mapping,
            used: AtomicU64::new(0),
        }
    }

    /// Bytes mapped and bound.
    pub(super) fn len(&self) -> u64 {
        self.mapping.len() as u64
    }

    /// A fence that nobody has used, or `None` if the page is full.
    pub(super) fn allocate(&self) -> Option<FenceSlot> {
        let slot = self.used.fetch_add(1, Ordering::Relaxed);
        ((slot + 1) * 8 <= self.len()).then_some(FenceSlot(slot))
    }

    /// Where the GPU writes the fence.
    pub(super) fn gpu_address(&self, slot: FenceSlot) -> GpuAddress {
        self.address.offset(slot.0 * 8)
    }

    /// The fence as the CPU reads it.
    pub(super) fn value(&self, slot: FenceSlot) -> &AtomicU64 {
        let index = usize::try_from(slot.0).unwrap_or(usize::MAX);
        let pointer = self.mapping.as_mut_ptr().cast::<u64>().wrapping_add(index);
        // SAFETY: `allocate` gives out slots within the mapping only, a page
        // aligns them, the mapping lives as long as `self`, and everybody
        // who accesses the page does so atomically.
        unsafe { AtomicU64::from_ptr(pointer) }
    }
}
