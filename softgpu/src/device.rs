//! The device: what all open nodes of it share.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use devinfo::{Driver, Platform};
use kmd_iface::ErrorReport;
use nix::errno::Errno;

use crate::engine::Arbiter;
use crate::mem::Pool;
use crate::{Findings, dispatch};

/// How the software GPU behaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The kernel driver that the node speaks for.
    pub driver: Driver,
    /// Host threads that run EU threads; 0 takes one for each core.
    pub threads: usize,
    /// Whether accesses to unbound pages read zero and drop writes, as with i915's scratch page,
    /// and do not end the context with a page fault.
    pub scratch_page: bool,
    /// A batch in which nothing ends for this long is hung, and its context lost.
    pub hang_timeout: Duration,
    /// The most bytes of buffer objects that the node allocates.
    pub memory_limit: u64,
    /// Whether the rules that hardware leaves undefined are checked ([`Device::findings`]).
    pub check: bool,
    /// Whether clients count as privileged (CAP_SYS_NICE, CAP_SYS_ADMIN): they may raise
    /// priorities above the default, and forbid that their contexts are banned.
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
            privileged: false,
        }
    }
}

/// The memory of the machine in bytes, from `/proc/meminfo`; 4 GiB where that says nothing.
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
    /// Its row of the platform table.
    pub platform: &'static Platform,
    /// Its PCI revision.
    pub revision: u8,
    /// How it behaves.
    pub options: Options,
    /// The memory of its buffer objects.
    pub pool: Arc<Pool>,
    /// What it has executed.
    pub statistics: dispatch::Statistics,
    /// Which rules were broken, if [`Options::check`] is set.
    pub findings: Findings,
    /// Which batches may run.
    pub(crate) arbiter: Arc<Arbiter>,
    last_error: Mutex<Option<ErrorReport>>,
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
        Ok(Arc::new(Self {
            platform,
            revision,
            pool: Pool::new(options.memory_limit)?,
            options,
            statistics: dispatch::Statistics::default(),
            findings: Findings::default(),
            arbiter: Arc::default(),
            last_error: Mutex::default(),
        }))
    }

    /// How many host threads run EU threads.
    pub fn host_threads(&self) -> usize {
        match self.options.threads {
            0 => thread::available_parallelism().map_or(1, NonZeroUsize::get),
            threads => threads,
        }
    }

    /// How many EU threads are resident at once.
    pub fn thread_slots(&self) -> u32 {
        self.platform.default_sku().eus() * u32::from(self.platform.threads_per_eu)
    }

    /// The command streamer's timestamp: a monotonic clock in the platform's ticks.
    pub fn timestamp(&self) -> u64 {
        let nanoseconds = uptime().as_nanos();
        let ticks = nanoseconds * u128::from(self.platform.timestamp_frequency) / 1_000_000_000;
        // 2^64 ticks are some thousand years.
        ticks as u64
    }

    /// Notes why a context was lost.
    pub fn record(&self, report: ErrorReport) {
        let mut last = self
            .last_error
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *last = Some(report);
    }

    /// Why the context that was lost last was.
    pub fn last_error(&self) -> Option<ErrorReport> {
        self.last_error
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// The time since shortly before the process first asked; never zero.
fn uptime() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed() + Duration::from_secs(1)
}
