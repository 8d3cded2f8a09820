//! Where the parts of a launch lie in the heap, and how large they are.

use batchbuffer::dispatch::{Dispatch, LocalIds, WalkerKind};

use super::front_end::simd;
use super::geometry::{Geometry, Walk};
use super::heap::{Heap, UNIT};
use super::payload;
use crate::binary::{IMPLICIT_ARGUMENTS, LocalIds as LocalIdLayout, PAYLOAD_UNIT, PayloadValue};
use crate::error::{ArgumentError, Error, ErrorKind};
use crate::kernel::KernelState;

/// The most work-items of a group that COMPUTE_WALKER numbers itself.
const WALKER_IDS: u64 = 1024;
/// Bytes that the timestamps take at the beginning of a command's part of the heap.
pub(super) const STAMPS: u32 = 64;
/// Bytes of an interface descriptor in a heap: 32, at multiples of 64.
pub(super) const DESCRIPTOR: u32 = 64;

/// Where things lie in a launch's part of the heap, behind the timestamps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockLayout {
    /// States of the kernel.
    pub states: u32,
    /// Interface descriptors, one a walker, where they are not part of it.
    pub descriptors: u32,
    /// Structures of implicit arguments, one a walker, if the code reads their address.
    pub implicit: Option<u32>,
    pub payload: u32,
    pub size: u32,
}

/// Bytes of the payload of a walker in memory, part after part.
#[derive(Clone, Copy, Debug)]
pub(super) struct WalkPayload {
    /// A table of local ids that implicit arguments point to.
    pub ids_table: u32,
    /// Implicit arguments. Here begins what the walker gives its threads.
    pub implicit: u32,
    pub cross_thread: u32,
    /// Of one thread.
    pub per_thread: u32,
    pub threads: u32,
}

impl WalkPayload {
    /// All of it.
    pub(super) fn size(&self) -> u64 {
        let threads = u64::from(self.per_thread) * u64::from(self.threads);
        let rest = self.ids_table + self.implicit + self.cross_thread;
        (u64::from(rest) + threads).next_multiple_of(UNIT.into())
    }
}

impl BlockLayout {
    pub(super) fn new(kernel: &KernelState, geometry: &Geometry) -> Result<Self, ArgumentError> {
        let mut payload = 0;
        let mut walkers = 0;
        for walk in geometry.walks() {
            payload += kernel.walk_payload(&walk).size();
            walkers += 1;
        }
        let descriptors = STAMPS + kernel.layout.size;
        let end = match kernel.walker() {
            WalkerKind::Gpgpu => descriptors + walkers * DESCRIPTOR,
            WalkerKind::Compute => descriptors,
        };
        let mut fields = kernel.entry.payload.iter();
        let reads = fields.any(|field| field.value == PayloadValue::ImplicitArguments);
        let (implicit, payload_at) = match reads {
            true => (Some(end), end + walkers * IMPLICIT_ARGUMENTS),
            false => (None, end),
        };
        // Payload is read in whole 64-byte lines.
        let size = u64::from(payload_at) + payload + u64::from(UNIT);
        match u32::try_from(size) {
            Ok(size) if size <= Heap::most() => Ok(Self {
                states: STAMPS,
                descriptors,
                implicit,
                payload: payload_at,
                size,
            }),
            _ => Err(ArgumentError::Range {
                kind: ErrorKind::OutOfResources,
                why: format!(
                    "states and payload of kernel {} have {size} bytes, the limit of a launch is {}",
                    kernel.entry.info.name,
                    Heap::most()
                ),
            }),
        }
    }
}

impl KernelState {
    pub(super) fn walker(&self) -> WalkerKind {
        self.program.device.commands.walker()
    }

    /// Whether the walker can make the local ids of a group's threads, and the kernel can begin
    /// behind the code that loads them: it counts in powers of two, but for the dimension that
    /// counts last (NEO `isRuntimeLocalIdsGenerationRequired`).
    pub(super) fn walker_ids(&self, walk: &Walk) -> bool {
        let ids = self.entry.local_ids;
        let size = |d: u8| walk.local.get(usize::from(d)).copied().unwrap_or(1);
        let [fastest, next, _] = self.entry.walk_order;
        self.walker() == WalkerKind::Compute
            && self.entry.entry_with_ids > 0
            && !ids.packed
            && (ids.dimensions == 0
                || size(fastest).is_power_of_two()
                    && size(next).is_power_of_two()
                    && (ids.dimensions as u8..3).all(|d| size(d) == 1)
                    && walk.items() <= WALKER_IDS)
    }

    /// What a walker is told, without places in the heap.
    pub(super) fn dispatch(&self, walk: &Walk, at: &WalkPayload) -> Result<Dispatch, Error> {
        let entry = &self.entry;
        let walker_ids = self.walker_ids(walk);
        let skipped = if walker_ids { entry.entry_with_ids } else { 0 };
        Ok(Dispatch {
            kernel: self.start + skipped,
            simd: simd(entry)?,
            threads_per_group: walk.threads,
            groups: walk.groups,
            first_group: walk.first_group,
            last_thread_mask: walk.last_mask,
            registers: entry.info.grf_count,
            slm_bytes: self.slm.total,
            barriers: entry.info.barriers,
            cross_thread_bytes: at.implicit + at.cross_thread,
            per_thread_bytes: at.per_thread,
            local_ids: (walker_ids && entry.local_ids.dimensions > 0).then_some(LocalIds {
                dimensions: entry.local_ids.dimensions,
                size: walk.local,
                walk_order: entry.walk_order,
            }),
            mocs: self.program.device.mocs,
            ..Dispatch::default()
        })
    }

    /// Bytes of the cross-thread payload that the walker carries itself.
    pub(super) fn inline_bytes(&self) -> usize {
        match self.walker() {
            WalkerKind::Compute => self.entry.inline_bytes() as usize,
            WalkerKind::Gpgpu => 0,
        }
    }

    /// The payload of a walker.
    pub(super) fn walk_payload(&self, walk: &Walk) -> WalkPayload {
        let grf = self.program.device.family().grf_bytes() as u32;
        let inline = self.inline_bytes() as u32;
        let cross_thread = self.entry.cross_thread_size.saturating_sub(inline);
        let ids = self.entry.local_ids.bytes().next_multiple_of(grf);
        let per_thread = match self.walker() {
            // A thread that GPGPU_WALKER loads has at least one register of its own (NEO; see
            // `KernelAbi::cross_thread_register`).
            WalkerKind::Gpgpu => ids.max(grf),
            WalkerKind::Compute if self.walker_ids(walk) => 0,
            WalkerKind::Compute => ids,
        };
        let (ids_table, implicit) = match self.entry.implicit_block {
            true => {
                let table = payload::ids_table(self.entry.info.simd).bytes();
                let table = table.saturating_mul(walk.threads);
                (table.next_multiple_of(UNIT), IMPLICIT_ARGUMENTS)
            }
            false => (0, 0),
        };
        WalkPayload {
            ids_table,
            implicit,
            cross_thread: cross_thread.next_multiple_of(PAYLOAD_UNIT),
            per_thread,
            threads: walk.threads,
        }
    }

    /// Writes the local ids of a group's threads to `out`, `each` bytes a thread.
    pub(super) fn write_ids(&self, ids: LocalIdLayout, each: u32, walk: &Walk, out: &mut [u8]) {
        if ids.dimensions == 0 || each == 0 {
            return;
        }
        let bytes = ids.bytes() as usize;
        for (thread, out) in (0..walk.threads).zip(out.chunks_mut(each as usize)) {
            let out = out.get_mut(..bytes).unwrap_or_default();
            let (simd, order) = (self.entry.info.simd, self.entry.walk_order);
            payload::local_ids(ids, simd, order, walk.local, thread, out);
        }
    }
}
