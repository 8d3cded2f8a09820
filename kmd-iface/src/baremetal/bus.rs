//! What a client without a kernel driver has of a device.

use std::fmt;
use std::time::Duration;

use devinfo::Target;

use crate::{Diagnostics, KmdError, KmdResult, UserMemory};

/// A GPU on a bus: its registers, its global GTT, and the memory that it reaches.
///
/// Calls take effect in the order in which they are made.
pub trait Bus: Send + Sync + fmt::Debug {
    /// Its platform and revision.
    fn target(&self) -> Target;

    /// Its PCI device id.
    fn pci_id(&self) -> u16;

    /// Reads a register.
    ///
    /// # Errors
    /// There is none at `offset`.
    fn read(&self, offset: u32) -> KmdResult<u32>;

    /// Writes a register.
    ///
    /// # Errors
    /// There is none at `offset`, or the device refuses what the write asks for.
    fn write(&self, offset: u32, value: u32) -> KmdResult<()>;

    /// Writes an entry of the global GTT.
    ///
    /// # Errors
    /// There is no such entry.
    fn write_entry(&self, index: u32, entry: u64) -> KmdResult<()>;

    /// Lets the device reach pages of this process at a bus address. They are kept until
    /// [`unmap`](Self::unmap).
    ///
    /// # Errors
    /// The pages cannot be reached.
    fn map(&self, address: u64, memory: &UserMemory) -> KmdResult<()>;

    /// Ends what [`map`](Self::map) began.
    ///
    /// # Errors
    /// Nothing is mapped there.
    fn unmap(&self, address: u64, bytes: u64) -> KmdResult<()>;

    /// Lets the device see what this process has written to memory, before it gets work. Where the device
    /// reaches the process's own pages, it sees that anyway.
    ///
    /// # Errors
    /// The memory does not get there.
    fn flush(&self) -> KmdResult<()> {
        Ok(())
    }

    /// Whether the device reaches the process's own pages while it works.
    fn shares_memory(&self) -> bool {
        true
    }

    /// Returns when the device may have written to memory, at the latest after `limit`.
    fn wait(&self, limit: Duration) {
        std::thread::sleep(limit.min(Duration::from_micros(100)));
    }

    /// What a model knows beyond its registers; `None` on silicon. Its contexts are named by their
    /// images' addresses in the global GTT.
    fn diagnostics(&self) -> Option<&dyn Diagnostics> {
        None
    }
}

/// Waits until the bits of a register in `mask` are `value`.
pub(super) fn poll(
    bus: &dyn Bus,
    offset: u32,
    (mask, value): (u32, u32),
    limit: Duration,
    what: &str,
) -> KmdResult<()> {
    let begin = std::time::Instant::now();
    loop {
        let read = bus.read(offset)?;
        if read & mask == value {
            return Ok(());
        }
        if begin.elapsed() > limit {
            return Err(KmdError::BareMetal(format!(
                "{what}: register {offset:#x} is still {read:#x} after {limit:?}"
            )));
        }
        std::thread::sleep(Duration::from_micros(10));
    }
}
