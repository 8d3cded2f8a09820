//! Memory of this process that buffers can be made of.

use std::ptr::NonNull;
use std::sync::Arc;

use crate::error::{ArgumentError, DeviceError, Error, ErrorKind};

use super::raw::{HostPages, PAGE, Shared};

/// Memory of this process that a buffer can be made of without a copy. Clones name the same
/// memory.
#[derive(Clone, Debug)]
pub struct HostMemory {
    pages: Arc<HostPages>,
    shared: Arc<Shared>,
    /// The first byte in the first page.
    start: usize,
    size: usize,
}

impl HostMemory {
    /// `size` zero bytes.
    ///
    /// # Errors
    /// A size of zero; no memory.
    pub fn new(size: usize) -> Result<Self, Error> {
        if size == 0 {
            return Err(ArgumentError::Object {
                what: "host memory",
                kind: ErrorKind::InvalidBufferSize,
                why: "its size is zero".to_owned(),
            }
            .into());
        }
        let pages = HostPages::new(size, PAGE, 0).map_err(|error| DeviceError::Kernel {
            what: "host memory",
            kind: ErrorKind::OutOfHostMemory,
            source: Arc::new(error),
        })?;
        Ok(Self::of(pages, 0, size))
    }

    /// The `size` bytes at `memory`, whoever allocated them, for buffers of the caller's memory
    /// (`CL_MEM_USE_HOST_PTR`). They may begin and end anywhere: kernel drivers take the pages of
    /// 4096 bytes that they lie in as a whole, and a kernel that goes beyond the bytes reaches the
    /// rest of those pages.
    ///
    /// # Errors
    /// A size of zero, or bytes beyond the end of memory; memory that this process may not write to
    /// ([`ErrorKind::ReadOnlyMemory`]).
    ///
    /// # Safety
    /// Until the value returned, its clones, the buffers made of them with their parts and clones,
    /// and the commands that use those are all gone:
    /// - the pages that the bytes lie in stay mapped, readable, and writable if they are;
    /// - nothing holds a Rust reference to the bytes while a command or this crate writes them, or
    ///   a unique reference while they are read. Raw pointers are fine; what is read while a
    ///   command writes is not specified.
    pub unsafe fn from_raw(memory: NonNull<u8>, size: usize) -> Result<Self, Error> {
        let start = memory.addr().get() % PAGE;
        let length = start
            .checked_add(size)
            .and_then(|end| end.checked_next_multiple_of(PAGE))
            .filter(|&length| {
                let first = memory.addr().get() - start;
                size > 0 && first.checked_add(length).is_some()
            })
            .ok_or_else(|| ArgumentError::Object {
                what: "host memory",
                kind: ErrorKind::InvalidValue,
                why: format!("{size} bytes at {memory:p} are none, or beyond the end of memory"),
            })?;
        let first = NonNull::new(memory.as_ptr().wrapping_sub(start)).unwrap_or(memory);
        // SAFETY: the caller promises it, of whole pages.
        let pages = unsafe { HostPages::borrow(first, length) };
        // The kernel driver takes them, and refuses every submission that has them.
        if !pages.may_write() {
            return Err(ArgumentError::Object {
                what: "host memory",
                kind: ErrorKind::ReadOnlyMemory,
                why: format!(
                    "this process may not write to the {size} bytes at {memory:p}: copy them"
                ),
            }
            .into());
        }
        Ok(Self::of(pages, start, size))
    }

    fn of(pages: HostPages, start: usize, size: usize) -> Self {
        let pages = Arc::new(pages);
        let shared = Arc::new(Shared::Host(pages.clone()));
        Self {
            pages,
            shared,
            start,
            size,
        }
    }

    /// Bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Copies bytes out, from `offset` on.
    ///
    /// # Errors
    /// The range reaches beyond the end.
    pub fn read(&self, offset: usize, bytes: &mut [u8]) -> Result<(), Error> {
        self.check(offset, bytes.len())?;
        self.shared.read(self.start + offset, bytes);
        Ok(())
    }

    /// Copies bytes in, from `offset` on.
    ///
    /// # Errors
    /// The range reaches beyond the end.
    pub fn write(&self, offset: usize, bytes: &[u8]) -> Result<(), Error> {
        self.check(offset, bytes.len())?;
        self.shared.write(self.start + offset, bytes);
        Ok(())
    }

    pub(crate) fn pages(&self) -> &Arc<HostPages> {
        &self.pages
    }

    /// The first byte in the pages.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    fn check(&self, offset: usize, length: usize) -> Result<(), Error> {
        if offset
            .checked_add(length)
            .is_some_and(|end| end <= self.size)
        {
            return Ok(());
        }
        Err(ArgumentError::OutOfBounds {
            what: "host memory",
            offset: offset as u64,
            length: length as u64,
            size: self.size() as u64,
        }
        .into())
    }
}
