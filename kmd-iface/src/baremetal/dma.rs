//! Memory that the device reaches.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use batchbuffer::paging::PAGE;

use super::bus::Bus;
use super::ranges::Ranges;
use crate::{KmdError, KmdResult, Mapping, UserMemory};

/// The bus addresses that are used: above those of small devices and of interrupts, and as many as the
/// smallest IOMMU translates.
const BUS_ADDRESSES: (u64, u64) = (1 << 32, 1 << 39);
/// The pages of the global GTT that are used: not those that firmware keeps at both ends.
const GLOBAL_PAGES: (u64, u64) = (0x1000, 0x8_0000);

/// A device, and which addresses of it are taken.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) bus: Arc<dyn Bus>,
    addresses: Mutex<Ranges>,
    global: Mutex<Ranges>,
}

impl Link {
    pub(super) fn new(bus: Arc<dyn Bus>) -> Arc<Self> {
        let (first, end) = BUS_ADDRESSES;
        let (first_page, end_page) = GLOBAL_PAGES;
        Arc::new(Self {
            bus,
            addresses: Mutex::new(Ranges::new(first, end)),
            global: Mutex::new(Ranges::new(first_page, end_page)),
        })
    }

    /// The pages of the global GTT.
    pub(super) fn global(&self) -> MutexGuard<'_, Ranges> {
        self.global.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn addresses(&self) -> MutexGuard<'_, Ranges> {
        self.addresses
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Pages that the device reaches at consecutive bus addresses, as long as this lives.
#[derive(Debug)]
pub(super) struct Dma {
    link: Arc<Link>,
    address: u64,
    memory: UserMemory,
    /// The pages, if they are not the program's.
    own: Option<Mapping>,
}

impl Dma {
    /// Zeroed pages.
    pub(super) fn new(link: &Arc<Link>, bytes: u64) -> KmdResult<Self> {
        let too_large = KmdError::Invalid {
            what: "buffer size",
            value: bytes,
            rule: "the host has no memory for it",
        };
        let whole = bytes.max(1).checked_next_multiple_of(PAGE);
        let whole = whole.and_then(|bytes| usize::try_from(bytes).ok());
        let mapping = whole.and_then(|bytes| Mapping::anonymous(bytes).ok());
        let mapping = mapping.ok_or(too_large)?;
        let memory = UserMemory::from_mapping(Arc::new(mapping.share()));
        Self::reach(link, memory, Some(mapping))
    }

    /// Pages of the program.
    pub(super) fn of(link: &Arc<Link>, memory: UserMemory) -> KmdResult<Self> {
        Self::reach(link, memory, None)
    }

    fn reach(link: &Arc<Link>, memory: UserMemory, own: Option<Mapping>) -> KmdResult<Self> {
        let bytes = memory.len() as u64;
        let address = link.addresses().take(bytes, PAGE);
        let address = address.ok_or(KmdError::Invalid {
            what: "buffer size",
            value: bytes,
            rule: "no bus addresses are left for it",
        })?;
        if let Err(error) = link.bus.map(address, &memory) {
            link.addresses().give(address, bytes);
            return Err(error);
        }
        Ok(Self {
            link: Arc::clone(link),
            address,
            memory,
            own,
        })
    }

    /// Where the device reaches them.
    pub(super) const fn address(&self) -> u64 {
        self.address
    }

    /// How many bytes they are.
    pub(super) fn bytes(&self) -> u64 {
        self.memory.len() as u64
    }

    /// Whether the GPU may write them.
    pub(super) fn is_writable(&self) -> bool {
        self.memory.is_writable()
    }

    /// The pages, mapped; `None` if they are the program's.
    pub(super) fn mapping(&self) -> Option<Mapping> {
        self.own.as_ref().map(Mapping::share)
    }

    /// Reads a dword that the device may write.
    pub(super) fn read(&self, offset: u64) -> u32 {
        self.dword(offset)
            .map_or(0, |dword| dword.load(Ordering::Acquire))
    }

    /// Writes a dword, after everything that was written before.
    pub(super) fn write(&self, offset: u64, value: u32) {
        if let Some(dword) = self.dword(offset) {
            dword.store(value, Ordering::Release);
        }
    }

    /// Reads a qword that the device may write.
    pub(super) fn read_qword(&self, offset: u64) -> u64 {
        self.qword(offset)
            .map_or(0, |qword| qword.load(Ordering::Acquire))
    }

    /// Writes a qword, after everything that was written before.
    pub(super) fn write_qword(&self, offset: u64, value: u64) {
        if let Some(qword) = self.qword(offset) {
            qword.store(value, Ordering::Release);
        }
    }

    fn dword(&self, offset: u64) -> Option<&AtomicU32> {
        let at = self.place(offset, 4)?;
        // SAFETY: the dword lies in the pages, which live as long as `self`, and is aligned. This
        // process accesses the pages of its own client only by atomics.
        Some(unsafe { AtomicU32::from_ptr(at.cast()) })
    }

    fn qword(&self, offset: u64) -> Option<&AtomicU64> {
        let at = self.place(offset, 8)?;
        // SAFETY: as in `dword`.
        Some(unsafe { AtomicU64::from_ptr(at.cast()) })
    }

    /// The address of an aligned word in the client's own pages.
    fn place(&self, offset: u64, bytes: u64) -> Option<*mut u8> {
        let own = self.own.as_ref()?;
        let inside = offset.is_multiple_of(bytes) && offset.checked_add(bytes)? <= own.len() as u64;
        inside.then(|| own.as_mut_ptr().wrapping_add(offset as usize))
    }
}

impl Drop for Dma {
    fn drop(&mut self) {
        let bytes = self.bytes();
        match self.link.bus.unmap(self.address, bytes) {
            Ok(()) => self.link.addresses().give(self.address, bytes),
            Err(error) => tracing::warn!("unmapping {:#x}: {error}", self.address),
        }
    }
}
