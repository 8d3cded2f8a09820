//! The global GTT: what engines read rings, context images and status pages through.

use std::sync::Arc;

use batchbuffer::paging::{PAGE, PRESENT};
use batchbuffer::registers::device::GLOBAL_GTT_FLUSH;

use super::dma::{Dma, Link};
use crate::{KmdError, KmdResult};

/// Memory that the global GTT shows.
#[derive(Debug)]
pub(super) struct Global {
    link: Arc<Link>,
    memory: Dma,
    first: u32,
}

impl Global {
    /// Shows zeroed memory.
    pub(super) fn new(link: &Arc<Link>, bytes: u64) -> KmdResult<Self> {
        let memory = Dma::new(link, bytes)?;
        let pages = memory.bytes() / PAGE;
        let first = link.global().take(pages, 1);
        let first = first.and_then(|first| u32::try_from(first).ok());
        let first = first.ok_or(KmdError::Invalid {
            what: "pages of the global GTT",
            value: pages,
            rule: "none are left: use fewer queues",
        })?;
        let global = Self {
            link: Arc::clone(link),
            memory,
            first,
        };
        global.set(|page| (global.memory.address() + PAGE * page) | PRESENT)?;
        Ok(global)
    }

    /// Its address.
    pub(super) const fn address(&self) -> u32 {
        self.first * PAGE as u32
    }

    /// The memory.
    pub(super) const fn memory(&self) -> &Dma {
        &self.memory
    }

    /// Writes the entry of each page.
    fn set(&self, entry: impl Fn(u64) -> u64) -> KmdResult<()> {
        for page in 0..self.memory.bytes() / PAGE {
            let index = self.first + page as u32;
            self.link.bus.write_entry(index, entry(page))?;
        }
        self.link.bus.write(GLOBAL_GTT_FLUSH, 1)
    }
}

impl Drop for Global {
    fn drop(&mut self) {
        match self.set(|_| 0) {
            Ok(()) => {
                let pages = self.memory.bytes() / PAGE;
                self.link.global().give(self.first.into(), pages);
            }
            Err(error) => tracing::warn!("global GTT page {:#x}: {error}", self.first),
        }
    }
}
