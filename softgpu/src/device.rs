//! The device as its kernel driver sees it: what all open nodes share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use devinfo::{Driver, Platform};
use kmd_iface::ErrorReport;
use nix::errno::Errno;
use softgpu_device::{Execution, Settings};
use softgpu_memory::Pool;

/// How the software GPU behaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The kernel driver that the node speaks for.
    pub driver: Driver,
    /// Host threads that run EU threads; 0 is one for each core.
    pub threads: usize,
    /// Whether accesses to unbound pages read zero and drop writes, as with i915's scratch page,
    /// instead of ending the context with a page fault.
    pub scratch_page: bool,
    /// A batch in which nothing ends for this long counts as hung, and its context is lost. For kernels this is
    /// processor time of the host, so that a busy host makes no hangs.
    pub hang_timeout: Duration,
    /// The most bytes of buffer objects that the node allocates.
    pub memory_limit: u64,
    /// Whether the rules that hardware leaves undefined are checked.
    pub check: bool,
    /// How EU code is executed. Checked code is interpreted.
    pub execution: Execution,
    /// Whether clients count as privileged (CAP_SYS_NICE, CAP_SYS_ADMIN): they may raise
    /// priorities above the default, and exempt their contexts from bans.
    pub privileged: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            driver: Driver::I915,
            threads: 0,
            scratch_page: false,
            hang_timeout: Duration::from_secs(60),
            memory_limit: physical_memory(),
            check: false,
            execution: Execution::default(),
            privileged: false,
        }
    }
}

/// The memory of the machine in bytes, from `/proc/meminfo`; 4 GiB if it says nothing.
fn physical_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))
        .and_then(|rest| rest.trim().strip_suffix("kB"))
        .and_then(|number| number.trim().parse::<u64>().ok());
    kib.map_or(4 << 30, |kib| kib.saturating_mul(1024))
}

/// The software GPU behind one or more open nodes.
#[derive(Debug)]
pub struct Device {
    /// Its engines.
    pub engines: Arc<softgpu_device::Device>,
    /// Its row of the platform table.
    pub platform: &'static Platform,
    /// Its PCI revision.
    pub revision: u8,
    /// How it behaves.
    pub options: Options,
    /// The memory of its buffer objects.
    pub pool: Arc<Pool>,
    last_error: Mutex<Option<ErrorReport>>,
    /// Has the order of i915's submissions.
    reservation: Mutex<()>,
}

impl Device {
    /// A device of `platform`.
    ///
    /// # Errors
    /// The error of `memfd_create(2)`.
    pub fn new(
        platform: &'static Platform,
        revision: u8,
        options: Options,
    ) -> Result<Arc<Self>, Errno> {
        let settings = Settings {
            threads: options.threads,
            hang_timeout: options.hang_timeout,
            check: options.check,
            execution: options.execution,
        };
        Ok(Arc::new(Self {
            engines: softgpu_device::Device::new(platform, settings),
            platform,
            revision,
            pool: Pool::new(options.memory_limit)?,
            options,
            last_error: Mutex::default(),
            reservation: Mutex::default(),
        }))
    }

    /// Reserves all buffer objects for a submission to this device, from where it asks who uses them to
    /// where it is one of their users. Linux has a lock for each object (dma_resv).
    pub fn reserve(&self) -> MutexGuard<'_, ()> {
        self.reservation
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Records why a context was lost.
    pub fn record(&self, report: ErrorReport) {
        let mut last = self
            .last_error
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *last = Some(report);
    }

    /// Why the last lost context was lost, if one was lost since the last call.
    pub fn take_error(&self) -> Option<ErrorReport> {
        self.last_error
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }
}
