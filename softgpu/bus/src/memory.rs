//! Physical memory: what lies behind page tables.

use std::sync::{Arc, Mutex, PoisonError};

use batchbuffer::paging::END;
use devinfo::GpuAddress;
use nix::errno::Errno;
use softgpu_memory::{AddressSpace, Backing, Binding, OwnerId, Page, PageTable, Translate};

use crate::BusError;

/// How much memory one write makes exist: as large as the host's large pages, which are only filled
/// where they are touched.
const CHUNK: u64 = 1 << 21;

/// One memory. It exists where it was written to; elsewhere it reads as zero, and the GPU faults.
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

    /// Makes the chunk at `address` exist, if nobody has meanwhile.
    fn grow(&self, address: u64) -> Result<(), BusError> {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if self.exists(address) {
            return Ok(());
        }
        if *written + CHUNK > self.limit {
            return Err(BusError::Full { limit: self.limit });
        }
        let binding = Binding {
            backing: Some(Backing::anonymous(CHUNK).map_err(BusError::Host)?),
            offset: 0,
            bytes: CHUNK,
            writable: true,
            owner: OwnerId::default(),
        };
        let bound = self.space.bind(GpuAddress::new(address), binding);
        bound.map_err(|_| BusError::Host(Errno::EINVAL))?;
        *written += CHUNK;
        Ok(())
    }

    /// Lets memory of the client's exist at `address`.
    pub fn attach(&self, address: u64, backing: Arc<Backing>) -> Result<(), BusError> {
        let bytes = backing.bytes();
        check(address, bytes)?;
        let binding = Binding {
            writable: !backing.is_read_only(),
            backing: Some(backing),
            offset: 0,
            bytes,
            owner: OwnerId::default(),
        };
        let bound = self.space.bind(GpuAddress::new(address), binding);
        bound.map_err(|_| BusError::Host(Errno::EINVAL))
    }

    /// Ends what [`attach`](Self::attach) began.
    pub fn detach(&self, address: u64, bytes: u64) -> Result<(), BusError> {
        check(address, bytes)?;
        let unbound = self.space.unbind(GpuAddress::new(address), bytes);
        unbound.map_err(|_| BusError::Host(Errno::EINVAL))
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
