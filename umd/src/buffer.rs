//! Buffers.

use std::sync::Arc;

use crate::device::Device;
use crate::error::Error;

/// Memory that kernels and this process share. Clones name the same memory.
#[derive(Clone, Debug)]
pub struct Buffer {
    inner: Arc<()>,
    offset: u64,
    size: u64,
}

impl Device {
    /// A buffer of `size` zero bytes.
    ///
    /// # Errors
    /// A size of zero or beyond the device's memory; the kernel driver refuses.
    pub fn buffer(&self, size: u64) -> Result<Buffer, Error> {
        let _ = size;
        Err(self.unfinished("a buffer"))
    }

    /// A buffer of this process's memory: the bytes that `memory` holds, without a copy.
    ///
    /// The address need not be page aligned. `memory` is kept until the buffer and the work that
    /// uses it are gone.
    ///
    /// # Errors
    /// An empty slice; the kernel driver refuses the pages.
    pub fn from_user_memory(&self, memory: Vec<u8>) -> Result<Buffer, Error> {
        let _ = memory;
        Err(self.unfinished("a buffer of user memory"))
    }
}

impl Buffer {
    /// Bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The first byte's offset in the buffer that this is a part of; 0 if it is none.
    pub fn origin(&self) -> u64 {
        self.offset
    }

    /// A part of this buffer, from `origin` on. It shares the memory.
    ///
    /// # Errors
    /// An origin that is no multiple of 4 bytes (what a surface's base address takes), or a part
    /// that is empty or reaches beyond the end.
    pub fn sub_buffer(&self, origin: u64, size: u64) -> Result<Buffer, Error> {
        let _ = (origin, size, &self.inner);
        Err(crate::device::unfinished("a sub-buffer"))
    }

    /// Copies bytes out, from `offset` on.
    ///
    /// This does not wait: wait for the commands that write the buffer first.
    ///
    /// # Errors
    /// The range reaches beyond the end.
    pub fn read(&self, offset: u64, bytes: &mut [u8]) -> Result<(), Error> {
        let _ = (offset, bytes);
        Err(crate::device::unfinished("a read"))
    }

    /// Copies bytes in, from `offset` on.
    ///
    /// This does not wait: wait for the commands that use the buffer first.
    ///
    /// # Errors
    /// The range reaches beyond the end.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let _ = (offset, bytes);
        Err(crate::device::unfinished("a write"))
    }

    /// Repeats `pattern` over `length` bytes from `offset` on.
    ///
    /// # Errors
    /// The range reaches beyond the end, or is no multiple of the pattern's length.
    pub fn fill(&self, offset: u64, length: u64, pattern: &[u8]) -> Result<(), Error> {
        let _ = (offset, length, pattern);
        Err(crate::device::unfinished("a fill"))
    }
}
