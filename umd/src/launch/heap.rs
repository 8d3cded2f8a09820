//! A heap: the one buffer object in which commands find their states and payloads, those of a queue
//! also their batches, so that base addresses are programmed once a context.
//!
//! It begins with what stays: the completion tag, the border colour, the null surface, the surfaces
//! of scratch. Behind that lie two rings, of binding tables, which descriptors reach in the first
//! 64 KiB only, and of everything else. Commands of a queue end in the order in which they were
//! submitted, so a ring is free from its head to the oldest command that has not ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use batchbuffer::dispatch::Heaps;
use batchbuffer::surface::{self, SURFACE_STATE_BYTES};
use devinfo::GpuAddress;

use crate::device::DeviceInner;
use crate::error::{DeviceError, Error, refused};
use crate::memory::{Bo, NEAR, Use};

/// The number of the last command that has ended.
const TAG: u32 = 0;
/// OpenCL's border is transparent black: zeros.
pub(crate) const BORDER_COLOR: u32 = 64;
/// The surface of table entries that stand for nothing.
pub(crate) const NULL_SURFACE: u32 = 128;
/// Pairs of surfaces of scratch: each time that scratch grows, threads of earlier commands still
/// use the pair before. It at least doubles, so that there are fewer than these.
pub(crate) const SCRATCH: u32 = 256;
pub(crate) const SCRATCH_PAIRS: u32 = 60;
/// Where the binding tables begin, and where they end: descriptors have 16 bits for their place.
const TABLES: u32 = 8 << 10;
const DATA: u32 = 64 << 10;
/// Bytes of the ring behind them, in the heap of a queue.
const RING: u32 = 2 << 20;
/// What a command streamer may read beyond the last command.
pub(crate) const PREFETCH: u32 = 4 << 10;
/// What lies in a heap begins at multiples of this (GPGPU_WALKER "Indirect Data Start Address",
/// surface states, interface descriptors).
pub(crate) const UNIT: u32 = 64;

/// The memory of a heap.
#[derive(Debug)]
pub(crate) struct HeapMemory {
    bo: Arc<Bo>,
    /// The number of a command that is known to have ended: the GPU writes the tag all the time, and to
    /// read what another processor writes takes long.
    ended: AtomicU64,
}

impl HeapMemory {
    /// A place in it, as the GPU sees it.
    pub(crate) fn address(&self, place: u32) -> GpuAddress {
        self.bo.address().offset(place.into())
    }

    /// Where the number of the last command goes that has ended.
    pub(crate) fn tag(&self) -> GpuAddress {
        self.address(TAG)
    }

    /// Whether command `number` has ended, without a system call.
    pub(crate) fn has_ended(&self, number: u64) -> bool {
        self.known_ended() >= number || self.last_ended() >= number
    }

    /// The number of a command that is known to have ended.
    pub(crate) fn known_ended(&self) -> u64 {
        self.ended.load(Ordering::Acquire)
    }

    /// The number of the last command that has ended.
    pub(crate) fn last_ended(&self) -> u64 {
        let last = self.bo.memory().load(TAG as usize);
        // It only rises, and an older value does no harm.
        self.ended.store(last, Ordering::Release);
        last
    }

    /// What the GPU has left at a place.
    pub(crate) fn read(&self, place: u32) -> u64 {
        let record = self.bo.memory().record(place as usize);
        record.unwrap_or_default()
    }

    /// Puts bytes to a place that a ring gave.
    pub(crate) fn write(&self, place: u32, bytes: &[u8]) -> Result<(), DeviceError> {
        match self.bo.memory().write(place as usize, bytes) {
            true => Ok(()),
            false => Err(DeviceError::Internal("a write beyond a heap")),
        }
    }
}

/// The places that a command has taken, by which the rings know what is in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Places {
    data: u32,
    table: Option<u32>,
}

impl Places {
    /// Whether it has a binding table.
    pub(crate) fn has_table(&self) -> bool {
        self.table.is_some()
    }
}

/// The oldest places in use; `None` if a ring is free.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Oldest {
    data: Option<u32>,
    table: Option<u32>,
}

impl Oldest {
    /// Of commands in the order in which they were submitted.
    pub(crate) fn of(commands: impl Iterator<Item = Places>) -> Self {
        let mut oldest = Self::default();
        for places in commands {
            oldest.data.get_or_insert(places.data);
            if places.table.is_some() {
                oldest.table = places.table;
                break;
            }
        }
        oldest
    }
}

/// A heap, and where the next command's parts go.
#[derive(Debug)]
pub(crate) struct Heap {
    memory: Arc<HeapMemory>,
    size: u32,
    tables: Ring,
    data: Ring,
}

impl Heap {
    /// The empty heap of a queue.
    pub(crate) fn new(device: &DeviceInner) -> Result<Self, Error> {
        Self::with_ring(device, RING, "queue's heap")
    }

    /// An empty heap whose ring has so many bytes.
    pub(crate) fn with_ring(
        device: &DeviceInner,
        ring: u32,
        what: &'static str,
    ) -> Result<Self, Error> {
        let size = (DATA + PREFETCH).saturating_add(ring);
        let bo = device
            .registry
            .create(size.into(), Use::Shared, what)
            .map_err(refused(what))?;
        let memory = Arc::new(HeapMemory {
            bo,
            ended: AtomicU64::new(0),
        });
        let null = surface::null(device.family()).map_err(crate::error::state)?;
        memory.write(NULL_SURFACE, zerocopy::IntoBytes::as_bytes(&null))?;
        Ok(Self {
            memory,
            size,
            tables: Ring::new(TABLES, DATA),
            data: Ring::new(DATA, size - PREFETCH),
        })
    }

    /// Its memory.
    pub(crate) fn memory(&self) -> &HeapMemory {
        &self.memory
    }

    /// The bases from which everything in it is addressed. Kernels, and scratch that is part of
    /// general state memory, lie in the near part of the address space.
    pub(crate) fn bases(&self) -> Heaps {
        let base = self.memory.address(0);
        Heaps {
            general: NEAR,
            surface: base,
            dynamic: base,
            payload: base,
            instruction: NEAR,
            bindless_surface: Some((base, self.size / SURFACE_STATE_BYTES as u32)),
            bindless_sampler: Some((base, self.size.div_ceil(4096))),
        }
    }

    /// The most bytes that a command can take at once.
    pub(crate) const fn most() -> u32 {
        RING / 4
    }

    /// The most bytes that the parts of a command can take.
    pub(crate) const fn most_together() -> u32 {
        RING / 2
    }

    /// The most bytes of binding tables that are in use at once.
    pub(crate) const fn most_tables() -> u32 {
        DATA - TABLES
    }

    /// Begins a command. What it [takes](Take) is given back unless it is [kept](Take::keep).
    pub(crate) fn take(&mut self, oldest: Oldest) -> Take<'_> {
        if oldest.data.is_none() {
            // Nothing is in use: the same pages again.
            self.data.head = self.data.start;
        }
        if oldest.table.is_none() {
            self.tables.head = self.tables.start;
        }
        Take {
            before: (self.tables.head, self.data.head),
            heap: self,
            oldest,
            places: Places::default(),
            begun: false,
            kept: false,
        }
    }
}

/// What a command takes of a heap.
#[derive(Debug)]
pub(crate) struct Take<'a> {
    heap: &'a mut Heap,
    oldest: Oldest,
    places: Places,
    before: (u32, u32),
    begun: bool,
    kept: bool,
}

impl Take<'_> {
    /// The place of `size` bytes, at a multiple of [`UNIT`]; `None` if older commands have to end
    /// first.
    pub(crate) fn data(&mut self, size: u32) -> Option<u32> {
        // A command's second part follows its first one.
        let oldest = match (self.oldest.data, self.begun) {
            (None, true) => Some(self.places.data),
            (oldest, _) => oldest,
        };
        let place = self.heap.data.take(size, oldest)?;
        if !self.begun {
            self.places.data = place;
            self.begun = true;
        }
        Some(place)
    }

    /// The place of a binding table of `size` bytes.
    pub(crate) fn table(&mut self, size: u32) -> Option<u32> {
        // As above: a second table follows the first.
        let oldest = self.oldest.table.or(self.places.table);
        let place = self.heap.tables.take(size, oldest)?;
        self.places.table.get_or_insert(place);
        Some(place)
    }

    /// The bases of the heap.
    pub(crate) fn bases(&self) -> Heaps {
        self.heap.bases()
    }

    /// The heap's memory.
    pub(crate) fn memory(&self) -> &Arc<HeapMemory> {
        &self.heap.memory
    }

    /// The command was submitted.
    pub(crate) fn keep(mut self) -> Places {
        self.kept = true;
        self.places
    }
}

impl Drop for Take<'_> {
    fn drop(&mut self) {
        if !self.kept {
            (self.heap.tables.head, self.heap.data.head) = self.before;
        }
    }
}

/// Bytes that are given out one after the other, round and round.
#[derive(Clone, Copy, Debug)]
struct Ring {
    start: u32,
    end: u32,
    head: u32,
}

impl Ring {
    fn new(start: u32, end: u32) -> Self {
        Self {
            start,
            end,
            head: start,
        }
    }

    /// The next `size` bytes in one piece, if those between `oldest` and the head are in use.
    fn take(&mut self, size: u32, oldest: Option<u32>) -> Option<u32> {
        let size = size.max(1).checked_next_multiple_of(UNIT)?;
        let place = match oldest {
            None => self.fit(self.start, self.end, size)?,
            // Head and oldest at one place: everything is in use.
            Some(oldest) if self.head > oldest => self
                .fit(self.head, self.end, size)
                .or_else(|| self.fit(self.start, oldest, size))?,
            Some(oldest) => self.fit(self.head, oldest, size)?,
        };
        self.head = place + size;
        Some(place)
    }

    fn fit(&self, from: u32, to: u32, size: u32) -> Option<u32> {
        (to.checked_sub(from)? >= size).then_some(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_waits_for_the_oldest() {
        let mut ring = Ring::new(64, 64 + 256);
        assert_eq!(ring.take(64, None), Some(64));
        assert_eq!(ring.take(100, Some(64)), Some(128));
        // 64 bytes are left at the end: not enough, and the beginning is in use.
        assert_eq!(ring.take(65, Some(64)), None);
        assert_eq!(ring.take(64, Some(64)), Some(256));
        // Full: the head is where the oldest is, whether at the end or at the beginning.
        assert_eq!(ring.take(1, Some(64)), None);
        // The first one has ended.
        assert_eq!(ring.take(64, Some(128)), Some(64));
        assert_eq!(ring.take(1, Some(128)), None);
        assert_eq!(ring.take(128, Some(256)), Some(128));
        assert_eq!(ring.take(1, Some(256)), None);
        // More than there is.
        assert_eq!(ring.take(257, None), None);
        assert_eq!(ring.take(u32::MAX, None), None);
    }

    #[test]
    fn tables_and_data_age_apart() {
        let with = |data, table| Places { data, table };
        let all = [with(1, None), with(2, Some(3)), with(4, Some(5))];
        let oldest = Oldest::of(all.into_iter());
        assert_eq!((oldest.data, oldest.table), (Some(1), Some(3)));
        let oldest = Oldest::of([with(7, None)].into_iter());
        assert_eq!((oldest.data, oldest.table), (Some(7), None));
    }
}
