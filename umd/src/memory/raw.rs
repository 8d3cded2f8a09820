//! Memory that the GPU writes too: copies by raw pointers, tags by atomics. Never references.

use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use kmd_iface::{Mapping, UserMemory};
use memmap2::{MmapOptions, MmapRaw};
use nix::errno::Errno;
use nix::sys::mman::{MmapAdvise, ProtFlags, madvise, mprotect};
use volatile::VolatilePtr;
use zerocopy::FromBytes;

/// What a kernel driver makes a buffer of: whole pages of this size (i915 and xe userptr).
pub(crate) const PAGE: usize = 4096;

/// Orders stores to memory that may not be cached. `sfence` does not wait, as a full fence does, until
/// other processors have given up the lines that were written (Intel's compute-runtime uses it around
/// its semaphores, too).
fn fence_stores() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the instruction.
    unsafe {
        core::arch::x86_64::_mm_sfence();
    }
    #[cfg(not(target_arch = "x86_64"))]
    std::sync::atomic::fence(Ordering::SeqCst);
}

/// Bytes that this process and the GPU share. The whole range stays mapped as long as this lives.
#[derive(Debug)]
pub(crate) enum Shared {
    /// A buffer object's pages.
    Mapped(Mapping),
    /// Pages of this process.
    Host(Arc<HostPages>),
    /// Nothing: only the GPU reaches the bytes.
    Unmapped,
}

impl Shared {
    /// Whether it is memory that others free.
    pub(crate) fn is_borrowed(&self) -> bool {
        matches!(self, Self::Host(pages) if pages.own.is_none())
    }

    fn start(&self) -> *mut u8 {
        match self {
            Self::Mapped(mapping) => mapping.as_mut_ptr(),
            Self::Host(pages) => pages.start.as_ptr(),
            Self::Unmapped => NonNull::dangling().as_ptr(),
        }
    }

    /// Bytes.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Mapped(mapping) => mapping.len(),
            Self::Host(pages) => pages.length,
            Self::Unmapped => 0,
        }
    }

    /// A pointer to `length` bytes from `offset` on, if they are all there.
    fn range(&self, offset: usize, length: usize) -> Option<*mut u8> {
        let end = offset.checked_add(length)?;
        (end <= self.len()).then(|| self.start().wrapping_add(offset))
    }

    /// Copies bytes out; whether the range is there.
    pub(crate) fn read(&self, offset: usize, bytes: &mut [u8]) -> bool {
        // SAFETY: the destination is a slice.
        unsafe { self.read_to(offset, bytes.as_mut_ptr(), bytes.len()) }
    }

    /// Copies bytes out; whether the range is there.
    ///
    /// # Safety
    /// The `length` bytes at `to` may be written. They can be a part of this memory.
    pub(crate) unsafe fn read_to(&self, offset: usize, to: *mut u8, length: usize) -> bool {
        let Some(from) = self.range(offset, length) else {
            return false;
        };
        // SAFETY: `range` checked that the source lies in the mapping; the caller promises the
        // destination. The GPU may write at the same time, which can give mixed bytes, and any
        // bytes are valid.
        unsafe { std::ptr::copy(from, to, length) };
        true
    }

    /// Copies bytes in; whether the range is there.
    pub(crate) fn write(&self, offset: usize, bytes: &[u8]) -> bool {
        // SAFETY: the source is a slice.
        unsafe { self.write_from(offset, bytes.as_ptr(), bytes.len()) }
    }

    /// Copies bytes in; whether the range is there.
    ///
    /// # Safety
    /// The `length` bytes at `from` may be read. They can be a part of this memory.
    pub(crate) unsafe fn write_from(&self, offset: usize, from: *const u8, length: usize) -> bool {
        let Some(to) = self.range(offset, length) else {
            return false;
        };
        // SAFETY: as in `read_to`, the other way round.
        unsafe { std::ptr::copy(from, to, length) };
        true
    }

    /// Sets bytes; whether the range is there.
    pub(crate) fn set(&self, offset: usize, length: usize, byte: u8) -> bool {
        let Some(to) = self.range(offset, length) else {
            return false;
        };
        // SAFETY: `range` checked that the bytes lie in the mapping; no reference to it exists.
        unsafe { std::ptr::write_bytes(to, byte, length) };
        true
    }

    /// Where this process sees the byte at `offset`, which need not be there.
    pub(crate) fn pointer(&self, offset: usize) -> *mut u8 {
        self.start().wrapping_add(offset)
    }

    /// The 64-bit value at `offset`, which the GPU writes once; 0 if it is not there.
    pub(crate) fn load(&self, offset: usize) -> u64 {
        let Some(place) = self.range(offset, 8) else {
            return 0;
        };
        if !place.addr().is_multiple_of(8) {
            return 0;
        }
        // SAFETY: the eight bytes lie in the mapping, are aligned, and are only accessed by
        // atomics of this process while the GPU may write them.
        unsafe { AtomicU64::from_ptr(place.cast()) }.load(Ordering::Acquire)
    }

    /// Writes a value that the GPU waits for, behind all that was written before; whether it is there.
    /// Fences around it, because ordinary stores may not be in order, nor soon be seen, where memory is
    /// not cached.
    pub(crate) fn release(&self, offset: usize, value: u32) -> bool {
        let Some(place) = self.range(offset, 4) else {
            return false;
        };
        if !place.addr().is_multiple_of(4) {
            return false;
        }
        fence_stores();
        // SAFETY: the four bytes lie in the mapping, are aligned, and are only accessed by atomics
        // of this process.
        unsafe { AtomicU32::from_ptr(place.cast()) }.store(value, Ordering::Release);
        fence_stores();
        true
    }

    /// What the GPU has left at `offset`: a record that this process reads once the work that
    /// writes it has ended, but of which the compiler must not think that it knows it.
    pub(crate) fn record<T: FromBytes + Copy>(&self, offset: usize) -> Option<T> {
        let place = NonNull::new(self.range(offset, size_of::<T>())?.cast::<T>())?;
        if !place.is_aligned() {
            return None;
        }
        // SAFETY: the bytes lie in the mapping, which lives as long as `self`, and are aligned;
        // every pattern of bytes is a `T`.
        let record = unsafe { VolatilePtr::new_read_only(place) };
        Some(record.read())
    }
}

/// Memory of this process that a kernel driver can make a buffer of.
#[derive(Debug)]
pub(crate) struct HostPages {
    start: NonNull<u8>,
    length: usize,
    /// The mapping, if it is not the caller's.
    own: Option<MmapRaw>,
}

// SAFETY: it names bytes that any thread may access; only `Shared` does, by raw pointers.
unsafe impl Send for HostPages {}
// SAFETY: as above.
unsafe impl Sync for HostPages {}

impl HostPages {
    /// `bytes` of zeros, in whole pages. They begin at a multiple of `alignment`, and `reserved`
    /// bytes from there on are nobody else's.
    pub(crate) fn new(bytes: usize, alignment: usize, reserved: usize) -> std::io::Result<Self> {
        let too_much = || std::io::Error::from(std::io::ErrorKind::OutOfMemory);
        let length = bytes.max(reserved).checked_add(alignment);
        let map = MmapOptions::new()
            .len(length.ok_or_else(too_much)?)
            .no_reserve_swap()
            .map_anon()?;
        let map = MmapRaw::from(map);
        let start = map.as_mut_ptr();
        let before = start.addr().next_multiple_of(alignment.max(1)) - start.addr();
        Ok(Self {
            start: NonNull::new(start.wrapping_add(before)).ok_or_else(too_much)?,
            length: bytes,
            own: Some(map),
        })
    }

    /// `bytes` of addresses, from a multiple of `alignment` on, at which nothing of this process lies. There is
    /// no memory behind them.
    pub(crate) fn reserve(bytes: usize, alignment: usize) -> std::io::Result<Self> {
        let pages = Self::new(bytes, alignment, 0)?;
        if let Some(map) = &pages.own
            && let Some(start) = NonNull::new(map.as_mut_ptr())
        {
            // SAFETY: the mapping is whole and is this one's; nothing has a reference to its bytes.
            unsafe { mprotect(start.cast(), map.len(), ProtFlags::PROT_NONE) }?;
        }
        Ok(pages)
    }

    /// The first of them.
    pub(crate) fn address(&self) -> u64 {
        self.start.as_ptr().expose_provenance() as u64
    }

    /// Whole pages that the caller has mapped.
    ///
    /// # Safety
    /// The `length` bytes at `start` stay mapped, readable and writable as long as this or a clone
    /// of its owner lives, and nothing holds a Rust reference to them.
    pub(crate) unsafe fn borrow(start: NonNull<u8>, length: usize) -> Self {
        Self {
            start,
            length,
            own: None,
        }
    }

    /// Whether this process may write to its first and last page. `true` also where that is not known:
    /// on Linux before 5.14, and of pages that are not mapped, which the kernel driver refuses.
    pub(crate) fn may_write(&self) -> bool {
        let last = self.length.saturating_sub(1) / PAGE * PAGE;
        [0, last].into_iter().all(|at| {
            let page = self.start.map_addr(|start| start.saturating_add(at));
            let populate = |advice| {
                // SAFETY: filling page tables changes no content of memory.
                unsafe { madvise(page.cast(), PAGE, advice) }
            };
            populate(MmapAdvise::MADV_POPULATE_WRITE) != Err(Errno::EINVAL)
                || populate(MmapAdvise::MADV_POPULATE_READ).is_err()
        })
    }

    /// The pages as what a kernel driver makes a buffer of.
    pub(crate) fn user_memory(self: &Arc<Self>, page: usize) -> UserMemory {
        let length = self.length.next_multiple_of(page);
        // SAFETY: a mapping covers whole pages whatever its length, and is readable and writable
        // as long as the owner, which is handed over too, lives. Only `Shared` reaches the bytes,
        // and never by reference.
        unsafe { UserMemory::new(self.start.as_ptr(), length, true, self.clone()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_checked() {
        let shared = Shared::Host(Arc::new(HostPages::new(100, 1, 0).unwrap()));
        let mut bytes = [0; 4];
        assert!(shared.write(96, &[1, 2, 3, 4]));
        assert!(shared.read(96, &mut bytes));
        assert_eq!(bytes, [1, 2, 3, 4]);
        assert!(!shared.write(97, &bytes));
        assert!(!shared.read(usize::MAX, &mut bytes));
        assert!(!shared.set(0, 101, 0));
        assert!(shared.write(0, &bytes));
        assert_eq!(shared.load(0), 0x0403_0201);
        assert_eq!(shared.load(93), 0);
        assert_eq!(shared.record::<u32>(96), Some(0x0403_0201));
        assert_eq!(shared.record::<u64>(96), None);
        assert_eq!(shared.record::<u32>(1), None);
        assert!(shared.release(8, 7) && !shared.release(9, 7) && !shared.release(100, 7));
        assert_eq!(shared.record::<u32>(8), Some(7));
        assert!(Shared::Unmapped.write(0, &[]) && !Shared::Unmapped.write(0, &[1]));
        assert_eq!(Shared::Unmapped.load(0), 0);
    }

    #[test]
    fn copies_may_overlap() {
        let shared = Shared::Host(Arc::new(HostPages::new(4096, 1, 0).unwrap()));
        let bytes: Vec<u8> = (0..=255).collect();
        assert!(shared.write(0, &bytes));
        // What a C caller does that passes a part of the mapping.
        // SAFETY: the bytes lie in the mapping.
        assert!(unsafe { shared.read_to(0, shared.pointer(1), 200) });
        let mut after = [0; 201];
        assert!(shared.read(0, &mut after));
        assert_eq!((after[0], &after[1..]), (0, &bytes[..200]));
    }
}
