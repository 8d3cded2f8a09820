//! Memory of the program's: what the pointers are good for that entry points take.
//!
//! The caller of an entry point promises that a pointer is what the specification says of it, and for
//! as long as it says. The methods here rely on it, so that everything behind them is safe code.

use std::ptr::NonNull;

use opencl_sys::CL_INVALID_HOST_PTR;

use super::handle::Handle;
use crate::error::{Error, Result};

/// Memory of the program's, whose size another parameter tells; may be null. The program keeps it
/// until the command that uses it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Memory(*mut u8);

// SAFETY: it is an address. The specification lets a command access the memory from any thread.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    pub(crate) const NULL: Self = Self(std::ptr::null_mut());

    /// Memory at an address that this process has given to the program before.
    pub(crate) fn of_address(address: usize) -> Self {
        Self(std::ptr::with_exposed_provenance_mut(address))
    }

    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    pub(crate) fn pointer(self) -> *mut u8 {
        self.0
    }

    /// Memory that this process has at an address.
    pub(crate) fn at(pointer: *mut u8) -> Self {
        Self(pointer)
    }

    /// The memory so many bytes further on.
    pub(crate) fn offset(self, bytes: usize) -> Self {
        Self(self.0.wrapping_add(bytes))
    }

    pub(crate) fn address(self) -> usize {
        self.0.expose_provenance()
    }

    /// What buffers of `size` bytes of it are made of.
    ///
    /// # Errors
    /// The bytes reach beyond the end of memory.
    pub(crate) fn host_memory(self, size: usize) -> Result<umd::HostMemory> {
        let start = NonNull::new(self.0);
        let start = start.ok_or_else(|| Error::new(CL_INVALID_HOST_PTR, "host_ptr is null"))?;
        // SAFETY: the caller of the entry point promised so many bytes for as long as the memory
        // object lives (CL_MEM_USE_HOST_PTR), and C holds no references.
        Ok(unsafe { umd::HostMemory::from_raw(start, size) }?)
    }

    /// Whether the program may write to the first `size` bytes.
    pub(crate) fn may_write(self, size: usize) -> bool {
        let Some(start) = NonNull::new(self.0) else {
            return true;
        };
        // SAFETY: the value goes at once.
        let made = unsafe { umd::HostMemory::from_raw(start, size) };
        !made.is_err_and(|error| error.kind() == umd::ErrorKind::ReadOnlyMemory)
    }

    /// The handle that is there; null if the pointer is.
    pub(crate) fn read_handle(self) -> Handle {
        let bytes = (!self.is_null()).then(|| self.read(size_of::<usize>()));
        let address = bytes.and_then(|bytes| bytes.try_into().ok().map(usize::from_ne_bytes));
        Handle::of(address.unwrap_or(0))
    }

    /// The pointer that is there.
    pub(crate) fn read_pointer(self) -> Self {
        Self::of_address(self.read_handle().address())
    }

    /// A copy of the first `size` bytes.
    pub(crate) fn read(self, size: usize) -> Vec<u8> {
        let mut bytes = vec![0; size];
        self.read_into(&mut bytes);
        bytes
    }

    /// Writes bytes, no more than the caller said that it has room for.
    pub(crate) fn write(self, bytes: &[u8]) {
        // SAFETY: the caller of the entry point promised so many writable bytes; they may be the
        // same ones.
        unsafe { std::ptr::copy(bytes.as_ptr(), self.0, bytes.len()) };
    }

    /// Copies `size` bytes of a buffer here. This may be the buffer's own memory.
    pub(crate) fn copy_from(self, buffer: &umd::Buffer, offset: usize, size: usize) -> Result<()> {
        // SAFETY: the caller of the entry point promised so many writable bytes until the command
        // has ended.
        Ok(unsafe { buffer.read_to(offset as u64, self.0, size) }?)
    }

    /// Copies the first `size` bytes to a buffer. This may be the buffer's own memory.
    pub(crate) fn copy_to(self, buffer: &umd::Buffer, offset: usize, size: usize) -> Result<()> {
        // SAFETY: the caller of the entry point promised so many readable bytes until the command
        // has ended.
        Ok(unsafe { buffer.write_from(offset as u64, self.0, size) }?)
    }

    /// Copies the first bytes to `bytes`.
    pub(crate) fn read_into(self, bytes: &mut [u8]) {
        // SAFETY: the caller of the entry point promised so many readable bytes until the command
        // has ended; the program has no part of `bytes`.
        unsafe { std::ptr::copy_nonoverlapping(self.0, bytes.as_mut_ptr(), bytes.len()) };
    }

    /// Copies `size` bytes of other memory of the program here; they may overlap.
    pub(crate) fn copy(self, from: Self, size: usize) {
        // SAFETY: the caller of the entry point promised so many bytes on both sides until the
        // command has ended.
        unsafe { std::ptr::copy(from.0, self.0, size) };
    }
}
