//! Memory with a part for each place that a thread can occupy.

use std::sync::Arc;

use batchbuffer::surface::{self, SURFACE_STATE_BYTES, ScratchSurface, SurfaceState};
use devinfo::Family;

use crate::binary::KernelEntry;
use crate::device::{DeviceInner, kernel as refused};
use crate::error::Error;
use crate::memory::{Bo, Use};

/// Memory that all kernels of a queue share, because only one of them uses it at a time.
#[derive(Debug, Default)]
pub(crate) struct QueueMemory {
    /// Scratch of all thread slots: the first and the second one of a kernel.
    pub scratch: [Option<SlotMemory>; 2],
    /// Private memory of all thread slots.
    pub private: Option<SlotMemory>,
}

/// A part for each thread slot.
#[derive(Clone, Debug)]
pub(crate) struct SlotMemory {
    pub bo: Arc<Bo>,
    pub bytes_per_thread: u64,
    slots: u32,
}

impl SlotMemory {
    /// The memory of `memory`, made anew if it is too small.
    pub(crate) fn of(
        memory: &mut Option<Self>,
        device: &DeviceInner,
        bytes_per_thread: u64,
        what: &'static str,
    ) -> Result<Self, Error> {
        if let Some(slots) = memory
            && slots.bytes_per_thread == bytes_per_thread
        {
            return Ok(slots.clone());
        }
        let slots = device.thread_slots();
        let size = bytes_per_thread * u64::from(slots);
        let reused = memory.as_ref().filter(|slots| slots.bo.size() >= size);
        let bo = match reused {
            Some(slots) => slots.bo.clone(),
            None => device
                .registry
                .create(size, Use::Private, what)
                .map_err(refused(what))?,
        };
        let slots = Self {
            bo,
            bytes_per_thread,
            slots,
        };
        *memory = Some(slots.clone());
        Ok(slots)
    }

    /// Both scratch memories of a kernel.
    pub(crate) fn scratch(
        memory: &mut [Option<Self>; 2],
        device: &DeviceInner,
        entry: &KernelEntry,
    ) -> Result<[Option<Self>; 2], Error> {
        let mut all = [None, None];
        for ((out, memory), bytes) in all.iter_mut().zip(memory).zip(entry.scratch) {
            if bytes > 0 {
                let bytes = u64::from(bytes.max(1024).next_power_of_two());
                *out = Some(Self::of(memory, device, bytes, "scratch memory")?);
            }
        }
        Ok(all)
    }

    /// The surface by which threads reach their scratch from XeHPG on.
    pub(crate) fn surface(
        &self,
        family: Family,
        mocs: batchbuffer::dispatch::Mocs,
    ) -> Result<SurfaceState, surface::SurfaceError> {
        surface::scratch(
            family,
            &ScratchSurface {
                address: self.bo.address(),
                bytes_per_thread: u32::try_from(self.bytes_per_thread).unwrap_or(u32::MAX),
                threads: self.slots,
                mocs,
            },
        )
    }
}

/// Bytes of the two surface states of scratch. The second one lies behind the first, where the
/// code of kernels with two slots looks for it (NEO `scratch_space_controller_xehp_and_later`).
pub(crate) const SCRATCH_STATES: u32 = 2 * SURFACE_STATE_BYTES as u32;
