//! One host thread's view of a GPU address space.

use std::marker::PhantomData;

use devinfo::GpuAddress;

use crate::Fault;
use crate::fault::Access;

/// A view of an address space with a translation cache of its own.
///
/// Not `Sync`: each host thread that runs EU threads makes one. All accesses are byte-exact and
/// tear-free up to a naturally aligned qword; none forms a reference to GPU memory.
#[derive(Debug)]
pub struct View<'a> {
    space: PhantomData<&'a ()>,
}

impl View<'_> {
    /// Copies `out.len()` bytes at `address` to `out`.
    ///
    /// # Errors
    /// [`Fault::Page`] with the first unbound byte.
    pub fn read(&self, address: GpuAddress, out: &mut [u8]) -> Result<(), Fault> {
        let _ = out;
        Err(Fault::Page {
            address,
            access: Access::Read,
        })
    }

    /// Copies `data` to `address`.
    ///
    /// # Errors
    /// [`Fault::Page`] with the first unbound or read-only byte; bytes before it may be written.
    pub fn write(&self, address: GpuAddress, data: &[u8]) -> Result<(), Fault> {
        let _ = data;
        Err(Fault::Page {
            address,
            access: Access::Write,
        })
    }

    /// Replaces the naturally aligned dword at `address` by `update(old)`, atomically
    /// (`None` leaves it). Returns the old value.
    ///
    /// # Errors
    /// [`Fault::Page`] if unbound, [`Fault::Invalid`] if misaligned.
    pub fn atomic_u32(
        &self,
        address: GpuAddress,
        update: &mut dyn FnMut(u32) -> Option<u32>,
    ) -> Result<u32, Fault> {
        let _ = update;
        Err(Fault::Page {
            address,
            access: Access::Atomic,
        })
    }

    /// As [`View::atomic_u32`], for a naturally aligned qword.
    ///
    /// # Errors
    /// As [`View::atomic_u32`].
    pub fn atomic_u64(
        &self,
        address: GpuAddress,
        update: &mut dyn FnMut(u64) -> Option<u64>,
    ) -> Result<u64, Fault> {
        let _ = update;
        Err(Fault::Page {
            address,
            access: Access::Atomic,
        })
    }
}
