//! Memory that commands borrow one after the other, as for what they print.
//!
//! Chunks are parts of large buffer objects, so that commands in flight do not add objects: what
//! the kernel drivers do for a submission grows with the number of objects bound (i915 gets all of
//! them listed with each).

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use devinfo::GpuAddress;
use kmd_iface::KmdError;
use zerocopy::FromBytes;

use super::bo::{Bo, Registry, Use};
use super::raw::Shared;

/// The smallest chunk, a page; sizes are powers of two from here on.
const SMALLEST: u64 = 4 << 10;
/// Size classes: up to 4 GiB.
const CLASSES: usize = 21;
/// Bytes of the smallest buffer object for chunks. Each further one of a class is as large as
/// those before it together, up to the limit.
const FIRST_SLAB: u64 = 1 << 20;
const LARGEST_SLAB: u64 = 64 << 20;
/// Idle bytes of a class that are kept.
const KEPT: u64 = 64 << 20;

/// Chunks of all sizes.
#[derive(Debug)]
pub(crate) struct Pool {
    registry: Arc<Registry>,
    label: &'static str,
    classes: [Mutex<Class>; CLASSES],
}

/// The chunks of one size.
#[derive(Debug, Default)]
struct Class {
    slabs: Vec<Slab>,
    /// The key of the next slab.
    next: u64,
}

/// A buffer object that chunks are parts of.
#[derive(Debug)]
struct Slab {
    key: u64,
    bo: Arc<Bo>,
    chunks: u64,
    /// The places of idle chunks.
    idle: Vec<u64>,
}

impl Slab {
    fn is_idle(&self) -> bool {
        self.idle.len() as u64 == self.chunks
    }
}

impl Class {
    /// An idle chunk: its slab's key, its place and buffer object. The fullest slabs go first, so
    /// that others become idle.
    fn take(&mut self) -> Option<(u64, u64, Arc<Bo>)> {
        let slabs = self.slabs.iter_mut();
        let slab = slabs
            .filter(|slab| !slab.idle.is_empty())
            .min_by_key(|slab| slab.idle.len())?;
        let place = slab.idle.pop()?;
        Some((slab.key, place, slab.bo.clone()))
    }

    /// Bytes of the next slab, for chunks of `size` bytes.
    fn next_slab(&self, size: u64) -> u64 {
        let all: u64 = self.slabs.iter().map(|slab| slab.bo.size()).sum();
        all.clamp(FIRST_SLAB, LARGEST_SLAB).max(size)
    }

    /// Adds a slab and takes a chunk of it.
    fn add(&mut self, bo: Arc<Bo>, size: u64) -> (u64, u64) {
        let key = self.next;
        self.next += 1;
        let chunks = (bo.size() / size).max(1);
        self.slabs.push(Slab {
            key,
            bo,
            chunks,
            idle: (1..chunks).rev().map(|index| index * size).collect(),
        });
        (key, 0)
    }

    /// Takes a chunk back. Gives a buffer object that is to go.
    fn give(&mut self, key: u64, place: u64) -> Option<Arc<Bo>> {
        let index = self.slabs.iter().position(|slab| slab.key == key)?;
        let slab = self.slabs.get_mut(index)?;
        slab.idle.push(place);
        if !slab.is_idle() {
            return None;
        }
        let idle = self.slabs.iter().filter(|slab| slab.is_idle());
        let kept: u64 = idle.map(|slab| slab.bo.size()).sum();
        (kept > KEPT).then(|| self.slabs.swap_remove(index).bo)
    }
}

impl Pool {
    /// An empty pool.
    pub(crate) fn new(registry: Arc<Registry>, label: &'static str) -> Arc<Self> {
        Arc::new(Self {
            registry,
            label,
            classes: Default::default(),
        })
    }

    /// A chunk of at least `size` bytes, at a multiple of 4096. Its bytes are what the last user
    /// left.
    pub(crate) fn take(self: &Arc<Self>, size: u64) -> Result<Chunk, KmdError> {
        let index = class(size);
        let Some(class) = self.class(index) else {
            let bo = self.registry.create(size, Use::Shared, self.label)?;
            return Ok(self.chunk(index, (0, 0, bo), size));
        };
        let size = SMALLEST << index;
        let found = { lock(class).take() };
        if let Some(found) = found {
            return Ok(self.chunk(index, found, size));
        }
        // Another thread may do the same: one slab too many does no harm.
        let slab = { lock(class).next_slab(size) };
        let bo = self.registry.create(slab, Use::Shared, self.label)?;
        let (key, place) = { lock(class).add(bo.clone(), size) };
        Ok(self.chunk(index, (key, place, bo), size))
    }

    fn chunk(
        self: &Arc<Self>,
        class: usize,
        (key, place, bo): (u64, u64, Arc<Bo>),
        size: u64,
    ) -> Chunk {
        Chunk {
            bo,
            place,
            size,
            class,
            key,
            pool: self.clone(),
        }
    }

    fn class(&self, index: usize) -> Option<&Mutex<Class>> {
        self.classes.get(index)
    }
}

fn class(size: u64) -> usize {
    let size = size.clamp(SMALLEST, 1 << 62).next_power_of_two();
    (size.trailing_zeros() - SMALLEST.trailing_zeros()) as usize
}

fn lock(class: &Mutex<Class>) -> MutexGuard<'_, Class> {
    class.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Memory lent by a pool; dropping it gives it back, so whoever has it keeps it until the GPU is
/// done with it.
#[derive(Debug)]
pub(crate) struct Chunk {
    bo: Arc<Bo>,
    place: u64,
    size: u64,
    class: usize,
    key: u64,
    pool: Arc<Pool>,
}

impl Chunk {
    /// Where the GPU sees the first byte.
    pub(crate) fn address(&self) -> GpuAddress {
        self.bo.address().offset(self.place)
    }

    /// The bytes, from this process.
    pub(crate) fn memory(&self) -> Part<'_> {
        Part {
            memory: self.bo.memory(),
            start: usize::try_from(self.place).unwrap_or(usize::MAX),
            length: usize::try_from(self.size).unwrap_or(0),
        }
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        let class = self.pool.class(self.class);
        let gone = class.and_then(|class| lock(class).give(self.key, self.place));
        // Not under the lock: that is a call into the kernel.
        drop(gone);
    }
}

/// The bytes of a chunk. What reaches beyond them is refused.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<'a> {
    memory: &'a Shared,
    start: usize,
    length: usize,
}

impl Part<'_> {
    /// Bytes.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Where `length` bytes from `offset` on lie in the buffer object.
    fn place(&self, offset: usize, length: usize) -> Option<usize> {
        let end = offset.checked_add(length)?;
        (end <= self.length).then_some(self.start.saturating_add(offset))
    }

    /// Copies bytes out; whether the range is there.
    pub(crate) fn read(&self, offset: usize, bytes: &mut [u8]) -> bool {
        let at = self.place(offset, bytes.len());
        at.is_some_and(|at| self.memory.read(at, bytes))
    }

    /// Copies bytes in; whether the range is there.
    pub(crate) fn write(&self, offset: usize, bytes: &[u8]) -> bool {
        let at = self.place(offset, bytes.len());
        at.is_some_and(|at| self.memory.write(at, bytes))
    }

    /// What the GPU has left at `offset`, once the work that writes it has ended.
    pub(crate) fn record<T: FromBytes + Copy>(&self, offset: usize) -> Option<T> {
        self.memory.record(self.place(offset, size_of::<T>())?)
    }
}

#[cfg(test)]
mod tests {
    use super::{CLASSES, class};

    #[test]
    fn classes_are_powers_of_two() {
        assert_eq!(class(0), 0);
        assert_eq!(class(4 << 10), 0);
        assert_eq!(class((4 << 10) + 1), 1);
        assert_eq!(class(4 << 30), CLASSES - 1);
        assert!(class(u64::MAX) >= CLASSES);
    }
}
