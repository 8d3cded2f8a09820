//! The device: its memory, its registers, its engines.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use batchbuffer::Engine;
use batchbuffer::execlists::{Submission, execlists};
use batchbuffer::registers::END;
use batchbuffer::registers::device::RESET;
use devinfo::Platform;
use kmd_iface::ErrorReport;
use softgpu_device::{Device, Failure, Fence, Settings, wait_until};
use softgpu_memory::{Backing, PAGE_BYTES, PageTable};

use crate::engine::Port;
use crate::registers::Registers;
use crate::tables::{Banks, Global};
use crate::{Bank, BusError};

/// A GPU behind a bus: what its registers, its global GTT and its memory hold is all that it knows.
///
/// Work begins when an engine's submission registers are written. It runs on threads of its own; what
/// it writes is in memory when [`Machine::idle`] says so, or when the work itself says so there.
#[derive(Debug)]
pub struct Machine {
    pub(crate) device: Arc<Device>,
    pub(crate) banks: Arc<Banks>,
    pub(crate) global: Arc<Global>,
    pub(crate) submissions: Arc<AtomicU64>,
    pub(crate) failures: Arc<Mutex<Vec<Failure>>>,
    /// The page table of the context that was submitted last.
    pub(crate) latest: Mutex<Option<Arc<dyn PageTable>>>,
    pub(crate) registers: Arc<Registers>,
    pub(crate) reports: Arc<Mutex<BTreeMap<u32, ErrorReport>>>,
    /// Counts the ends of work.
    pub(crate) ends: Arc<AtomicU64>,
    ports: Mutex<Vec<Port>>,
    /// The work that resets have stopped, by their domain.
    stopping: Mutex<Vec<(u32, Arc<Fence>)>>,
}

impl Machine {
    /// A device of `platform`, on which clients write at most `memory` bytes of each memory.
    ///
    /// # Errors
    /// [`BusError::NoSubmission`] if only firmware submits on it.
    pub fn new(
        platform: &'static Platform,
        settings: Settings,
        memory: u64,
    ) -> Result<Self, BusError> {
        let family = execlists(platform.family);
        if family.submission == Submission::Firmware {
            let platform = platform.name;
            return Err(BusError::NoSubmission { platform });
        }
        let mut engines = vec![Engine::Render, Engine::Blitter];
        engines.extend(family.compute_engine.then_some(Engine::Compute));
        let banks = Banks::new(memory);
        let global = Global::new(Arc::clone(&banks));
        let port = |engine| Port::new(engine, execlists(platform.family), &global);
        Ok(Self {
            device: Device::new(platform, settings),
            ports: Mutex::new(engines.into_iter().map(port).collect()),
            global,
            banks,
            submissions: Arc::default(),
            failures: Arc::default(),
            latest: Mutex::default(),
            registers: Arc::default(),
            reports: Arc::default(),
            ends: Arc::default(),
            stopping: Mutex::default(),
        })
    }

    /// Its row of the platform table.
    pub fn platform(&self) -> &'static Platform {
        self.device.platform
    }

    /// Writes physical memory; what is not there begins to exist.
    ///
    /// # Errors
    /// [`BusError::Full`], or an address out of range.
    pub fn write(&self, bank: Bank, address: u64, data: &[u8]) -> Result<(), BusError> {
        self.banks.of(bank).write(address, data)
    }

    /// Reads physical memory. What was never written is zero.
    ///
    /// # Errors
    /// An address out of range.
    pub fn read(&self, bank: Bank, address: u64, out: &mut [u8]) -> Result<(), BusError> {
        self.banks.of(bank).read(address, out)
    }

    /// Whether there is memory at `address`.
    pub fn exists(&self, bank: Bank, address: u64) -> bool {
        self.banks.of(bank).exists(address)
    }

    /// Reads an entry of the global GTT.
    ///
    /// # Errors
    /// [`BusError::GlobalEntry`].
    pub fn global_entry(&self, index: u32) -> Result<u64, BusError> {
        self.global.entry(index)
    }

    /// Writes an entry of the global GTT.
    ///
    /// # Errors
    /// [`BusError::GlobalEntry`].
    pub fn set_global_entry(&self, index: u32, value: u64) -> Result<(), BusError> {
        let before = self.global.entry(index)?;
        if value != before {
            // The image of a context that lay here is gone.
            let image = u64::from(index) * PAGE_BYTES;
            for port in &mut *self.ports() {
                port.forget(image);
            }
            self.reports().remove(&(image as u32));
        }
        self.global.set_entry(index, value)
    }

    /// Lets memory of a client's be the device's at `address`.
    ///
    /// # Errors
    /// An address out of range.
    pub fn attach(&self, address: u64, memory: Arc<Backing>) -> Result<(), BusError> {
        self.banks.of(Bank::System).attach(address, memory)
    }

    /// Takes back what [`attach`](Self::attach) gave.
    ///
    /// # Errors
    /// An address out of range.
    pub fn detach(&self, address: u64, bytes: u64) -> Result<(), BusError> {
        self.banks.of(Bank::System).detach(address, bytes)
    }

    /// Reads a register. Those that no part of the model uses hold what was written to them.
    ///
    /// # Errors
    /// [`BusError::Register`].
    pub fn read_register(&self, offset: u32) -> Result<u32, BusError> {
        check(offset)?;
        if offset == RESET {
            return Ok(self.domains_in_reset());
        }
        let row = execlists(self.platform().family);
        let mut wakes = row.force_wake.iter();
        if let Some(wake) = wakes.find(|wake| wake.granted == offset) {
            return Ok(self.registers.read(wake.request));
        }
        let own = self.ports().iter().find_map(|port| port.read(offset, self));
        Ok(own.unwrap_or_else(|| self.registers.read(offset)))
    }

    /// Writes a register. If it submits, the work has begun, or waits behind other work, at the
    /// return.
    ///
    /// # Errors
    /// [`BusError::Register`]; [`BusError::Context`] for work that cannot be found.
    pub fn write_register(&self, offset: u32, value: u32) -> Result<(), BusError> {
        check(offset)?;
        if offset == RESET {
            self.reset(value);
            return Ok(());
        }
        let row = execlists(self.platform().family);
        match row.force_wake.iter().any(|wake| wake.request == offset) {
            true => self.registers.write_masked(offset, value),
            false => {
                for port in &mut *self.ports() {
                    if port.write(offset, value, self)? {
                        return Ok(());
                    }
                }
                self.registers.write(offset, value);
            }
        }
        Ok(())
    }

    /// Stops the work of engines, and forgets their contexts.
    fn reset(&self, domains: u32) {
        let row = execlists(self.platform().family);
        for port in &mut *self.ports() {
            let domain = row.reset_domain(port.engine());
            if domains & domain != 0 {
                let stopped = port.reset().into_iter().map(|fence| (domain, fence));
                self.stopping().extend(stopped);
            }
        }
    }

    /// The bits of the reset register whose engines still stop.
    fn domains_in_reset(&self) -> u32 {
        let mut stopping = self.stopping();
        stopping.retain(|(_, fence)| !fence.is_signalled());
        stopping.iter().fold(0, |bits, (domain, _)| bits | domain)
    }

    /// Waits until no engine has work, at most until `deadline`. Returns whether that is so.
    pub fn idle(&self, deadline: Instant) -> bool {
        let fences: Vec<_> = self.ports().iter().flat_map(Port::last).collect();
        let ended = || {
            fences
                .iter()
                .all(|fence| fence.is_signalled())
                .then_some(())
        };
        wait_until(Some(deadline), ended).is_some()
    }

    /// Waits until no engine has work, as [`idle`](Self::idle) does.
    ///
    /// # Errors
    /// The first failure of work since [`take_failures`](Self::take_failures).
    pub fn settle(&self, patience: Duration) -> Result<bool, Failure> {
        let ended = self.idle(Instant::now() + patience);
        match self.take_failures().into_iter().next() {
            Some(failure) => Err(failure),
            None => Ok(ended),
        }
    }

    /// The memory that the context sees which was submitted last.
    pub fn latest_context(&self) -> Option<Arc<dyn PageTable>> {
        self.latest
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The device: what it has executed.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Takes the failures of work since the last call. The contexts that failed take no more work.
    pub fn take_failures(&self) -> Vec<Failure> {
        std::mem::take(&mut *self.failures.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// How much work has ended.
    pub(crate) fn ends(&self) -> u64 {
        self.ends.load(Ordering::Acquire)
    }

    /// Why contexts were lost, by the addresses of their images.
    pub(crate) fn reports(&self) -> MutexGuard<'_, BTreeMap<u32, ErrorReport>> {
        self.reports.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stopping(&self) -> MutexGuard<'_, Vec<(u32, Arc<Fence>)>> {
        self.stopping.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ports(&self) -> MutexGuard<'_, Vec<Port>> {
        self.ports.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        for port in &*self.ports() {
            port.stop();
        }
    }
}

/// Refuses what is no register.
fn check(offset: u32) -> Result<(), BusError> {
    match offset.is_multiple_of(4) && offset < END {
        true => Ok(()),
        false => Err(BusError::Register { offset, end: END }),
    }
}
