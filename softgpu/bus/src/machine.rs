//! The device: its memory, its registers, its engines.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use batchbuffer::Engine;
use devinfo::Platform;
use softgpu_device::{Device, Failure, Settings, wait_until};
use softgpu_memory::PageTable;

use crate::BusError;
use crate::engine::Port;
use crate::family::{Submission, traits};
use crate::memory::Bank;
use crate::registers;
use crate::tables::{Banks, Global};

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
    registers: Mutex<BTreeMap<u32, u32>>,
    ports: Mutex<Vec<Port>>,
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
        let family = traits(platform.family);
        if family.submission == Submission::Firmware {
            let platform = platform.name;
            return Err(BusError::NoSubmission { platform });
        }
        let mut engines = vec![Engine::Render, Engine::Blitter];
        engines.extend(family.compute_engine.then_some(Engine::Compute));
        let banks = Banks::new(memory);
        Ok(Self {
            device: Device::new(platform, settings),
            global: Global::new(Arc::clone(&banks)),
            banks,
            submissions: Arc::default(),
            failures: Arc::default(),
            latest: Mutex::default(),
            registers: Mutex::default(),
            ports: Mutex::new(engines.into_iter().map(Port::new).collect()),
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
        self.global.set_entry(index, value)
    }

    /// Reads a register. Those that no part of the model uses hold what was written to them.
    ///
    /// # Errors
    /// [`BusError::Register`].
    pub fn read_register(&self, offset: u32) -> Result<u32, BusError> {
        registers::check(offset)?;
        let own = self.ports().iter().find_map(|port| port.read(offset, self));
        Ok(own.unwrap_or_else(|| self.registers().get(&offset).copied().unwrap_or(0)))
    }

    /// Writes a register. If it submits, the work has begun, or waits behind other work, at the
    /// return.
    ///
    /// # Errors
    /// [`BusError::Register`]; [`BusError::Context`] for work that cannot be found.
    pub fn write_register(&self, offset: u32, value: u32) -> Result<(), BusError> {
        registers::check(offset)?;
        self.registers().insert(offset, value);
        for port in &mut *self.ports() {
            port.write(offset, value, self)?;
        }
        Ok(())
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

    fn registers(&self) -> MutexGuard<'_, BTreeMap<u32, u32>> {
        self.registers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
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
