//! Memory with a part for each place that a thread can occupy.

use std::sync::Arc;

use batchbuffer::dispatch::{Scratch, WalkerKind};
use batchbuffer::surface::{self, SURFACE_STATE_BYTES, ScratchSurface};
use zerocopy::IntoBytes;

use crate::device::DeviceInner;
use crate::error::{DeviceError, Error, refused, state};
use crate::memory::{Bo, NEAR, PRIVATE_MEMORY, SCRATCH_MEMORY, Use};

use super::heap::{HeapMemory, SCRATCH, SCRATCH_PAIRS};

/// Memory that all kernels of a queue share, because only one of them uses it at a time. It grows.
#[derive(Debug, Default)]
pub(crate) struct QueueMemory {
    /// Scratch of all thread slots: the first and the second one of a kernel.
    scratch: [Option<SlotMemory>; 2],
    /// How many pairs of surfaces the heap has of it.
    pairs: u32,
    /// Whether it has grown since the last pair was written.
    is_stale: bool,
    /// Private memory of all thread slots.
    private: Option<SlotMemory>,
}

/// What a launch keeps of it.
pub(crate) type UsedSlots = [Option<Arc<Bo>>; 3];

impl QueueMemory {
    /// Private memory of `bytes` a thread.
    pub(crate) fn private(&mut self, device: &DeviceInner, bytes: u64) -> Result<Arc<Bo>, Error> {
        SlotMemory::grow(
            &mut self.private,
            device,
            bytes,
            Use::Private,
            PRIVATE_MEMORY,
        )?;
        let slots = self.private.as_ref();
        let slots = slots.ok_or(DeviceError::Internal("private memory is missing"))?;
        Ok(slots.bo.clone())
    }

    /// Both scratch memories of a kernel that needs so many bytes a thread, if it needs any.
    pub(crate) fn scratch(
        &mut self,
        device: &DeviceInner,
        needed: [u32; 2],
        heap: &HeapMemory,
    ) -> Result<[Option<Arc<Bo>>; 2], Error> {
        let mut all = [None, None];
        let (usage, is_surface) = match device.commands.walker() {
            WalkerKind::Gpgpu => (Use::NearPrivate, false),
            WalkerKind::Compute => (Use::Private, true),
        };
        for ((out, memory), bytes) in all.iter_mut().zip(&mut self.scratch).zip(needed) {
            if bytes > 0 {
                let bytes = u64::from(bytes.max(1024)).next_power_of_two();
                let has_grown = SlotMemory::grow(memory, device, bytes, usage, SCRATCH_MEMORY)?;
                // It stays so if the other one cannot grow.
                self.is_stale |= has_grown && is_surface;
                *out = memory.as_ref().map(|slots| slots.bo.clone());
            }
        }
        if self.is_stale && needed != [0, 0] {
            self.write_surfaces(device, heap)?;
            self.is_stale = false;
        }
        Ok(all)
    }

    /// What the front end is told of the scratch that there is.
    pub(crate) fn front_end(&self, device: &DeviceInner) -> Option<Scratch> {
        match device.commands.walker() {
            WalkerKind::Compute => Some(Scratch {
                bytes_per_thread: 0,
                offset: SCRATCH + self.pairs.checked_sub(1)? * PAIR,
            }),
            WalkerKind::Gpgpu => {
                let slots = self.scratch.first()?.as_ref()?;
                let offset = slots.bo.address().get().checked_sub(NEAR.get())?;
                Some(Scratch {
                    bytes_per_thread: u32::try_from(slots.bytes_per_thread).ok()?,
                    offset: u32::try_from(offset).ok()?,
                })
            }
        }
    }

    /// Writes the surfaces by which threads of a compute walker reach their scratch, null surfaces
    /// where there is none. The second one lies behind the first, where the code of kernels with
    /// two slots looks for it (NEO `scratch_space_controller_xehp_and_later`).
    fn write_surfaces(&mut self, device: &DeviceInner, heap: &HeapMemory) -> Result<(), Error> {
        if self.pairs >= SCRATCH_PAIRS {
            return Err(DeviceError::Internal("scratch has grown too often").into());
        }
        for (place, slots) in (SCRATCH + self.pairs * PAIR..)
            .step_by(SURFACE_STATE_BYTES)
            .zip(&self.scratch)
        {
            let dwords = match slots {
                None => surface::null(device.family()),
                Some(slots) => surface::scratch(
                    device.family(),
                    &ScratchSurface {
                        address: slots.bo.address(),
                        bytes_per_thread: u32::try_from(slots.bytes_per_thread).unwrap_or(u32::MAX),
                        threads: slots.slots,
                        mocs: device.mocs,
                    },
                ),
            };
            heap.write(place, dwords.map_err(state)?.as_bytes())?;
        }
        self.pairs += 1;
        Ok(())
    }
}

/// Bytes of the two surface states of scratch.
const PAIR: u32 = 2 * SURFACE_STATE_BYTES as u32;

/// A part for each thread slot.
#[derive(Clone, Debug)]
pub(crate) struct SlotMemory {
    pub bo: Arc<Bo>,
    bytes_per_thread: u64,
    slots: u32,
}

impl SlotMemory {
    /// Makes the memory anew if it is too small; whether it was.
    pub(crate) fn grow(
        memory: &mut Option<Self>,
        device: &DeviceInner,
        bytes_per_thread: u64,
        usage: Use,
        what: &'static str,
    ) -> Result<bool, Error> {
        if memory
            .as_ref()
            .is_some_and(|has| has.bytes_per_thread >= bytes_per_thread)
        {
            return Ok(false);
        }
        let slots = device.thread_slots();
        let size = bytes_per_thread.saturating_mul(slots.into());
        let bo = device
            .registry
            .create(size, usage, what)
            .map_err(refused(what))?;
        *memory = Some(Self {
            bo,
            bytes_per_thread,
            slots,
        });
        Ok(true)
    }
}

#[cfg(all(test, feature = "softgpu"))]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panics")]

    use super::*;
    use crate::launch::heap::{Heap, Oldest};
    use crate::{Device, DeviceSpec};

    #[test]
    fn surfaces_follow_scratch_of_which_one_part_cannot_grow() {
        let spec: DeviceSpec = "soft:dg2@xe".parse().unwrap();
        let device = Device::open(&spec).unwrap();
        let device = device.inner();
        let mut heap = Heap::new(device).unwrap();
        let take = heap.take(Oldest::of([].into_iter()));
        let heap = take.memory();
        let mut memory = QueueMemory::default();
        let [before, _] = memory.scratch(device, [1024, 0], heap).unwrap();
        let told = memory.front_end(device);
        memory.scratch(device, [2048, 1 << 31], heap).unwrap_err();
        let [now, _] = memory.scratch(device, [1024, 0], heap).unwrap();
        let now = now.unwrap();
        assert_ne!(now.address(), before.unwrap().address());
        assert_ne!(memory.front_end(device), told);
        let place = memory.front_end(device).unwrap().offset;
        let expected = surface::scratch(
            device.family(),
            &ScratchSurface {
                address: now.address(),
                bytes_per_thread: 2048,
                threads: device.thread_slots(),
                mocs: device.mocs,
            },
        );
        let expected = expected.unwrap();
        let found = (place..).step_by(8).map(|place| heap.read(place));
        let found: Vec<u8> = found.take(8).flat_map(u64::to_le_bytes).collect();
        assert_eq!(found, expected.as_bytes());
    }
}
