//! An engine: what it is given, and what it tells.

use std::sync::Arc;

use batchbuffer::Engine as Class;
use batchbuffer::execlists::{Execlists, Submission, Switch};
use batchbuffer::registers::{base, own};

use super::bus::Bus;
use super::dma::Link;
use super::global::Global;
use crate::KmdResult;

/// RING_MI_MODE's STOP_RING.
const STOP_RING: u32 = 1 << 8;
/// An entry of the status buffer that the engine has not written.
const UNWRITTEN: u32 = u32::MAX;

/// An engine.
#[derive(Debug)]
pub(super) struct Engine {
    pub(super) class: Class,
    row: &'static Execlists,
    link: Arc<Link>,
    page: Global,
    /// The entry of the status buffer that was read last.
    read: u32,
}

impl Engine {
    /// Makes the engine's status page, and lets it take lists.
    pub(super) fn new(link: &Arc<Link>, class: Class, row: &'static Execlists) -> KmdResult<Self> {
        let mut engine = Self {
            class,
            row,
            link: Arc::clone(link),
            page: Global::new(link, batchbuffer::paging::PAGE)?,
            read: 0,
        };
        engine.start()?;
        Ok(engine)
    }

    pub(super) fn bus(&self) -> &dyn Bus {
        self.link.bus.as_ref()
    }

    /// The offset of one of its own registers.
    pub(super) const fn register(&self, own: u32) -> u32 {
        base(self.class) + own
    }

    /// Its bit in the reset register.
    pub(super) const fn domain(&self) -> u32 {
        self.row.reset_domain(self.class)
    }

    /// Lets it take lists, at the begin and after a reset (i915 `enable_execlists`,
    /// `reset_csb_pointers`).
    pub(super) fn start(&mut self) -> KmdResult<()> {
        let status = &self.row.status;
        // After a reset the engine writes its first entry to place 0.
        self.read = status.entries - 1;
        let page = self.page.memory();
        for entry in 0..status.entries {
            page.write(status.place(entry), UNWRITTEN);
            page.write(status.place(entry) + 4, UNWRITTEN);
        }
        page.write(status.write_index, self.read);
        let pointers = 0xffff << 16 | self.read << 8 | self.read;
        for (own, value) in [
            (own::STATUS_MASK, u32::MAX),
            (own::MODE, self.row.list_mode),
            (own::MI_MODE, STOP_RING << 16),
            (own::STATUS_PAGE, self.page.address()),
            (own::STATUS_POINTERS, pointers),
        ] {
            self.bus().write(self.register(own), value)?;
        }
        // The writes have reached the device.
        self.bus().read(self.register(own::STATUS_PAGE))?;
        Ok(())
    }

    /// Gives it a list of one context.
    pub(super) fn submit(&self, descriptor: u64) -> KmdResult<()> {
        self.bus().flush()?;
        let (low, high) = (descriptor as u32, (descriptor >> 32) as u32);
        let write = |own, value| self.bus().write(self.register(own), value);
        match self.row.submission {
            Submission::Port => {
                for value in [0, 0, high, low] {
                    write(own::SUBMIT_PORT, value)?;
                }
            }
            Submission::Queue | Submission::Firmware => {
                for (index, value) in [low, high, 0, 0].into_iter().enumerate() {
                    write(own::SUBMIT_QUEUE + 4 * index as u32, value)?;
                }
                write(own::EXECLIST_CONTROL, 1)?;
            }
        }
        Ok(())
    }

    /// Reads what it has told since the last call. Returns whether it has finished its list.
    pub(super) fn has_finished(&mut self) -> bool {
        let status = &self.row.status;
        let page = self.page.memory();
        let mut finished = false;
        while self.read != page.read(status.write_index) % status.entries {
            let next = (self.read + 1) % status.entries;
            let place = status.place(next);
            let entry = [page.read(place), page.read(place + 4)];
            // The index can be visible before the entry is.
            if entry == [UNWRITTEN; 2] {
                break;
            }
            page.write(place, UNWRITTEN);
            page.write(place + 4, UNWRITTEN);
            self.read = next;
            finished = match status.switch(entry) {
                Some(Switch::Finished(_)) => true,
                Some(Switch::Began(_)) => false,
                None => finished,
            };
        }
        finished
    }

    /// What changes while the engine works: the current command, and the threads that were started.
    pub(super) fn progress(&self) -> KmdResult<[u32; 3]> {
        let read = |own| self.bus().read(self.register(own));
        Ok([
            read(own::ACTIVE_HEAD)?,
            read(own::ACTIVE_HEAD_HIGH)?,
            read(own::THREADS_DISPATCHED)?,
        ])
    }
}
