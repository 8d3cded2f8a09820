//! The software GPU as a driver without a kernel driver sees it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use devinfo::{GpuAddress, Target};
use kmd_iface::baremetal::Bus;
use kmd_iface::{
    Diagnostics, ErrorReport, Forbidden, KernelFinder, KmdError, KmdResult, Purpose, SourceLines,
    Statistics, UserMemory, Violation,
};
use softgpu_device::{Settings, wait_until};
use softgpu_memory::Backing;

use crate::{BusError, Machine};

/// A [`Machine`] whose memory is its client's.
#[derive(Debug)]
pub struct SoftBus {
    machine: Machine,
    target: Target,
    /// How much work had ended when the client last looked.
    seen: AtomicU64,
}

impl SoftBus {
    /// A device that is new.
    ///
    /// # Errors
    /// [`BusError::NoSubmission`] if only firmware submits on it.
    pub fn new(target: Target, settings: Settings) -> Result<Self, BusError> {
        Ok(Self {
            machine: Machine::new(target.platform, settings, 0)?,
            target,
            seen: AtomicU64::new(0),
        })
    }

    /// The device.
    pub const fn machine(&self) -> &Machine {
        &self.machine
    }
}

fn failed(error: BusError) -> KmdError {
    KmdError::BareMetal(error.to_string())
}

impl Bus for SoftBus {
    fn target(&self) -> Target {
        self.target
    }

    fn pci_id(&self) -> u16 {
        self.target.platform.default_pci_id()
    }

    fn read(&self, offset: u32) -> KmdResult<u32> {
        self.machine.read_register(offset).map_err(failed)
    }

    fn write(&self, offset: u32, value: u32) -> KmdResult<()> {
        self.machine.write_register(offset, value).map_err(failed)
    }

    fn write_entry(&self, index: u32, entry: u64) -> KmdResult<()> {
        self.machine.set_global_entry(index, entry).map_err(failed)
    }

    fn map(&self, address: u64, memory: &UserMemory) -> KmdResult<()> {
        let (first, bytes) = (memory.address() as u64, memory.len() as u64);
        let owner = memory.owner().clone();
        let backing = Backing::kept(first, bytes, !memory.is_writable(), owner);
        let backing = backing.map_err(|errno| failed(BusError::Host(errno)))?;
        self.machine.attach(address, backing).map_err(failed)
    }

    fn unmap(&self, address: u64, bytes: u64) -> KmdResult<()> {
        self.machine.detach(address, bytes).map_err(failed)
    }

    fn wait(&self, limit: Duration) {
        let changed = || {
            let now = self.machine.ends();
            (now != self.seen.swap(now, Ordering::AcqRel)).then_some(())
        };
        let _ = wait_until(Some(Instant::now() + limit), changed);
    }

    fn diagnostics(&self) -> Option<&dyn Diagnostics> {
        Some(self)
    }
}

impl Diagnostics for SoftBus {
    fn error_report(&self, context: u32) -> Option<ErrorReport> {
        self.machine.reports().get(&context).cloned()
    }

    fn statistics(&self) -> Statistics {
        self.machine.device().done()
    }

    fn take_violations(&self) -> Vec<Violation> {
        self.machine.device().take_violations()
    }

    fn checks_extents(&self) -> bool {
        self.machine.device().settings.check
    }

    fn bound(&self, address: GpuAddress, size: u64, mapped: u64, purpose: Purpose) {
        self.machine.device().bound(address, size, mapped, purpose);
    }

    fn written(&self, address: GpuAddress, size: u64) {
        self.machine.device().findings.written(address, size);
    }

    fn filled(&self, address: GpuAddress, size: u64) {
        self.machine.device().findings.filled(address, size);
    }

    fn unwritten(&self, address: GpuAddress, size: u64) {
        self.machine.device().findings.unwritten(address, size);
    }

    fn unbound(&self, address: GpuAddress, size: u64) {
        self.machine.device().findings.unbound(address, size);
    }

    fn launches(
        &self,
        name: &str,
        first: GpuAddress,
        entry: GpuAddress,
        local_bytes: u64,
        own: bool,
        source: Option<SourceLines>,
    ) {
        let findings = &self.machine.device().findings;
        findings.launches(name, first, entry, local_bytes, own, source);
    }

    fn passes(&self, address: GpuAddress, size: u64) {
        self.machine.device().findings.passes(address, size);
    }

    fn forbids(&self, address: GpuAddress, size: u64, what: Forbidden) {
        self.machine.device().forbids(address, size, what);
    }

    fn permits(&self, address: GpuAddress, size: u64, what: Forbidden) {
        self.machine.device().permits(address, size, what);
    }

    fn shares(&self, first: GpuAddress, parts: &[(u64, u64)]) {
        self.machine.device().findings.shares(first, parts);
    }

    fn finds_kernels(&self, finder: KernelFinder) {
        self.machine.device().finds_kernels(finder);
    }
}
