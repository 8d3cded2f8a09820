//! Physical memory: what lies behind page tables.

use std::iter;
use std::sync::{Arc, Mutex, PoisonError};

use devinfo::GpuAddress;
use softgpu_memory::{
    AddressSpace, Backing, BindError, Binding, OwnerId, Page, PageTable, Translate,
};

use crate::BusError;

/// How much memory one write makes exist: as large as the host's large pages, which are only filled
/// where they are touched.
const CHUNK: u64 = 1 << 21;

/// The end of physical addresses: what an entry of a page table can hold.
pub(crate) const END: u64 = 1 << 47;

/// Which of the two memories an address counts in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Bank {
    /// The host's memory.
    #[default]
    System,
    /// The memory of a discrete device.
    Local,
}

impl Bank {
    /// Both.
    pub const ALL: [Self; 2] = [Self::System, Self::Local];
}

/// One memory. It exists where it was written to or [attached](Self::attach); elsewhere it reads as
/// zero, and the GPU faults.
#[derive(Debug)]
pub(crate) struct Memory {
    space: AddressSpace,
    limit: u64,
    written: Mutex<u64>,
}

impl Memory {
    /// A memory of which at most `limit` bytes come to exist by writing.
    pub fn new(limit: u64) -> Self {
        Self {
            space: AddressSpace::default(),
            limit,
            written: Mutex::new(0),
        }
    }

    /// Lets `backing` be the memory from `address` on; both are made of whole pages.
    pub fn attach(&self, address: u64, backing: Arc<Backing>) -> Result<(), BusError> {
        let bytes = backing.bytes();
        check(address, bytes)?;
        let bound = self
            .space
            .bind(GpuAddress::new(address), whole(bytes, backing));
        bound.map_err(|error| refused(error, address, bytes))
    }

    /// Takes away what lies there.
    pub fn detach(&self, address: u64, bytes: u64) -> Result<(), BusError> {
        check(address, bytes)?;
        let unbound = self.space.unbind(GpuAddress::new(address), bytes);
        unbound.map_err(|error| refused(error, address, bytes))
    }

    /// Writes `data`, and makes memory where there is none.
    pub fn write(&self, address: u64, data: &[u8]) -> Result<(), BusError> {
        check(address, data.len() as u64)?;
        let (mut at, mut rest) = (address, data);
        while !rest.is_empty() {
            let table = self.space.snapshot();
            let left = softgpu_memory::PAGE_BYTES - at % softgpu_memory::PAGE_BYTES;
            let Some((backing, offset)) = place(&*table, at) else {
                self.grow(at / CHUNK * CHUNK)?;
                continue;
            };
            let (part, tail) = rest.split_at(rest.len().min(left as usize));
            backing.write(offset, part).map_err(BusError::Host)?;
            at += part.len() as u64;
            rest = tail;
        }
        Ok(())
    }

    /// Makes the chunk at `address` exist, around what is attached there.
    fn grow(&self, address: u64) -> Result<(), BusError> {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if *written + CHUNK > self.limit {
            return Err(BusError::Full { limit: self.limit });
        }
        let chunk = Backing::anonymous(CHUNK).map_err(BusError::Host)?;
        let attached = self.space.bindings().into_iter();
        let inside = attached.filter(|(start, binding)| {
            start.get() < address + CHUNK && start.get() + binding.bytes > address
        });
        let all = iter::once((GpuAddress::new(address), whole(CHUNK, chunk))).chain(inside);
        let bound = self.space.bind_all(all);
        bound.map_err(|error| refused(error, address, CHUNK))?;
        *written += CHUNK;
        Ok(())
    }

    /// Reads bytes; what does not exist is zero.
    pub fn read(&self, address: u64, out: &mut [u8]) -> Result<(), BusError> {
        check(address, out.len() as u64)?;
        read(&*self.space.snapshot(), address, out)
    }

    /// Whether there is memory at `address`.
    pub fn exists(&self, address: u64) -> bool {
        place(&*self.space.snapshot(), address).is_some()
    }

    /// What is where now.
    pub fn snapshot(&self) -> Arc<dyn Translate> {
        self.space.snapshot()
    }

    /// A number that changes with what is where.
    pub fn generation(&self) -> u64 {
        self.space.generation()
    }
}

/// A binding of all of a backing.
fn whole(bytes: u64, backing: Arc<Backing>) -> Binding {
    Binding {
        offset: 0,
        bytes,
        writable: true,
        owner: OwnerId::default(),
        backing: Some(backing),
    }
}

fn check(address: u64, bytes: u64) -> Result<(), BusError> {
    match address.checked_add(bytes) {
        Some(end) if end <= END => Ok(()),
        _ => Err(BusError::Address {
            address,
            bytes,
            limit: END,
        }),
    }
}

fn refused(error: BindError, address: u64, bytes: u64) -> BusError {
    match error {
        BindError::Misaligned { .. } => BusError::Host(nix::errno::Errno::EINVAL),
        BindError::OutOfRange { .. } => BusError::Address {
            address,
            bytes,
            limit: END,
        },
    }
}

/// The memory at a physical address, and the offset in it.
fn place(table: &dyn Translate, address: u64) -> Option<(&Backing, u64)> {
    match table.translate(GpuAddress::new(address)) {
        Page::Bound {
            backing, number, ..
        } => {
            let page = number * softgpu_memory::PAGE_BYTES;
            Some((backing, page + address % softgpu_memory::PAGE_BYTES))
        }
        Page::Null | Page::Unbound => None,
    }
}

/// Reads bytes that lie anywhere; what does not exist is zero.
pub(crate) fn read(table: &dyn Translate, address: u64, out: &mut [u8]) -> Result<(), BusError> {
    let (mut at, mut rest) = (address, out);
    while !rest.is_empty() {
        let left = softgpu_memory::PAGE_BYTES - at % softgpu_memory::PAGE_BYTES;
        let count = rest.len().min(left as usize);
        let (part, tail) = rest.split_at_mut(count);
        match place(table, at) {
            Some((backing, offset)) => backing.read(offset, part).map_err(BusError::Host)?,
            None => part.fill(0),
        }
        at += count as u64;
        rest = tail;
    }
    Ok(())
}
