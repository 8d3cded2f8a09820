//! Completions in long-running address spaces: a page of values that the GPU writes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use devinfo::GpuAddress;

use crate::object::Object;
use crate::queues::Order;
use crate::{KmdError, KmdResult, Mapping};

/// A page of fences, bound at a fixed address of one address space.
#[derive(Debug)]
pub(super) struct FencePage {
    /// Its address in the address space.
    address: GpuAddress,
    mapping: Mapping,
    slots: Mutex<Slots>,
    _object: Arc<Object>,
}

#[derive(Debug, Default)]
struct Slots {
    /// How many were ever allocated.
    used: u64,
    /// Those that were returned.
    free: Vec<u64>,
}

/// One fence of a page; dropping it returns it.
#[derive(Debug)]
pub(super) struct FenceSlot {
    page: Arc<FencePage>,
    index: u64,
}

impl FencePage {
    pub(super) fn new(object: Arc<Object>, address: GpuAddress, mapping: Mapping) -> Self {
        Self {
            address,
            mapping,
            slots: Mutex::default(),
            _object: object,
        }
    }

    /// An unused fence, at 0.
    pub(super) fn allocate(self: &Arc<Self>) -> KmdResult<FenceSlot> {
        let count = self.mapping.len() as u64 / 8;
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let index = match slots.free.pop() {
            Some(index) => index,
            None if slots.used < count => {
                slots.used += 1;
                slots.used - 1
            }
            None => {
                return Err(KmdError::Invalid {
                    what: "queues of a long-running address space",
                    value: count + 1,
                    rule: "at any time no more than its page of fences holds",
                });
            }
        };
        Ok(FenceSlot {
            page: self.clone(),
            index,
        })
    }
}

impl FenceSlot {
    /// Where the GPU writes the fence.
    pub(super) fn gpu_address(&self) -> GpuAddress {
        self.page.address.offset(self.index * 8)
    }

    /// The fence as the CPU reads it.
    pub(super) fn value(&self) -> &AtomicU64 {
        let index = usize::try_from(self.index).unwrap_or(usize::MAX);
        let first = self.page.mapping.as_mut_ptr().cast::<u64>();
        // SAFETY: `allocate` returns only slots within the mapping, the page aligns them, the
        // mapping lives as long as `self`, and every access to the page is atomic.
        unsafe { AtomicU64::from_ptr(first.wrapping_add(index)) }
    }

    /// Returns the fence if all work of its queue is done. A fence that abandoned work may still
    /// write is not reused.
    pub(super) fn retire(&self, order: &Order) {
        if self.value().load(Ordering::Acquire) < order.last().get() {
            return;
        }
        self.value().store(0, Ordering::Release);
        let slots = &self.page.slots;
        let mut slots = slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.free.push(self.index);
    }
}
