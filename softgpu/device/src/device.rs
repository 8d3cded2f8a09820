//! The device: what all its submitters share.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use devinfo::Platform;
use softgpu_eu::{Execution, Findings, Programs};

use crate::dispatch::Statistics;
use crate::engine::Arbiter;
use crate::host::host_cores;

/// How a device behaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Host threads that run EU threads; 0 is one for each core.
    pub threads: usize,
    /// A batch in which nothing ends for this long counts as hung.
    pub hang_timeout: Duration,
    /// Whether the rules that hardware leaves undefined are checked ([`Device::findings`]).
    pub check: bool,
    /// How EU code is executed. Checked code is interpreted.
    pub execution: Execution,
}

/// The engines and EUs of a software GPU.
#[derive(Debug)]
pub struct Device {
    /// Its row of the platform table.
    pub platform: &'static Platform,
    /// How it behaves.
    pub settings: Settings,
    /// What it has executed.
    pub statistics: Statistics,
    /// Which rules were broken, if [`Settings::check`] is set.
    pub findings: Findings,
    /// What it has decoded.
    pub(crate) programs: Programs,
    /// Decides which batches may run.
    pub(crate) arbiter: Arc<Arbiter>,
}

impl Device {
    /// A device of `platform`.
    pub fn new(platform: &'static Platform, settings: Settings) -> Arc<Self> {
        Arc::new(Self {
            platform,
            settings,
            statistics: Statistics::default(),
            findings: Findings::default(),
            programs: Programs::default(),
            arbiter: Arc::default(),
        })
    }

    /// How many host threads run EU threads.
    pub fn host_threads(&self) -> usize {
        match self.settings.threads {
            0 => host_cores(),
            threads => threads,
        }
    }

    /// How many threads with this many registers each run at a time.
    pub fn thread_slots(&self, registers: u16) -> u32 {
        let eus = self.platform.default_sku().eus();
        self.platform.threads_of(eus, registers.into())
    }

    /// The command streamer's timestamp: a monotonic clock in the platform's ticks.
    pub fn timestamp(&self) -> u64 {
        let nanoseconds = uptime().as_nanos();
        let ticks = nanoseconds * u128::from(self.platform.timestamp_frequency) / 1_000_000_000;
        // 2^64 ticks are some thousand years.
        ticks as u64
    }
}

/// The time since shortly before the process's first call; never zero.
fn uptime() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed() + Duration::from_secs(1)
}
