//! The status of a context: whether it is banned, and why.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use kmd_iface::{ErrorKind, ErrorReport};
use softgpu_device::{Failure, Owner};
use softgpu_memory::PageTable;

use crate::device::Device;

/// How a context reacts to a failed batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tolerance {
    /// Whether it can be banned.
    pub bannable: bool,
    /// Whether it continues after a batch that hangs, with its state reset.
    pub recoverable: bool,
}

impl Default for Tolerance {
    /// xe's: the first failure bans.
    fn default() -> Self {
        Self {
            bannable: true,
            recoverable: false,
        }
    }
}

/// Three hangs of a context within this time ban it even if it is recoverable (Linux,
/// `CONTEXT_FAST_HANG_JIFFIES`).
const FAST_HANGS: Duration = Duration::from_secs(120);

/// The status of a context, shared by its timelines.
#[derive(Debug)]
pub struct ContextStatus {
    device: Arc<Device>,
    /// Ends running batches and drops waiting ones: the context is being closed.
    pub stop: AtomicBool,
    /// A batch of it failed: it accepts no more.
    banned: AtomicBool,
    tolerance: Mutex<Tolerance>,
    /// When its last two batches hung, the older one first.
    hangs: Mutex<[Option<Instant>; 2]>,
    /// Batches lost while running.
    active: AtomicU32,
    /// Batches lost while waiting.
    pending: AtomicU32,
    report: Mutex<Option<ErrorReport>>,
}

impl ContextStatus {
    /// The status of a new context.
    pub fn new(device: Arc<Device>, tolerance: Tolerance) -> Arc<Self> {
        Arc::new(Self {
            device,
            stop: AtomicBool::new(false),
            banned: AtomicBool::new(false),
            tolerance: Mutex::new(tolerance),
            hangs: Mutex::default(),
            active: AtomicU32::new(0),
            pending: AtomicU32::new(0),
            report: Mutex::default(),
        })
    }

    /// Whether a batch of it failed.
    pub fn is_banned(&self) -> bool {
        self.banned.load(Ordering::Acquire)
    }

    /// Batches lost while running, and while waiting.
    pub fn lost(&self) -> (u32, u32) {
        (
            self.active.load(Ordering::Relaxed),
            self.pending.load(Ordering::Relaxed),
        )
    }

    /// Why it was banned.
    pub fn report(&self) -> Option<ErrorReport> {
        self.report
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// How it reacts to a failed batch.
    pub fn tolerance(&self) -> MutexGuard<'_, Tolerance> {
        self.tolerance
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a failed batch.
    fn fail(&self, report: ErrorReport) {
        let faulted = report.kind == ErrorKind::PageFault;
        self.device.record(report.clone());
        *self.report.lock().unwrap_or_else(PoisonError::into_inner) = Some(report);
        self.active.fetch_add(1, Ordering::Relaxed);
        let often = self.hangs_often();
        let tolerance = *self.tolerance();
        // i915 has no page faults: a fault where i915 has a scratch page always bans.
        if faulted || tolerance.bannable && (!tolerance.recoverable || often) {
            self.banned.store(true, Ordering::Release);
        }
    }

    /// Records a hang. Returns whether the hang before the last was recent.
    fn hangs_often(&self) -> bool {
        let now = Instant::now();
        let mut hangs = self.hangs.lock().unwrap_or_else(PoisonError::into_inner);
        let [before, last] = *hangs;
        *hangs = [last, Some(now)];
        before.is_some_and(|before| now.saturating_duration_since(before) < FAST_HANGS)
    }
}

impl Owner for ContextStatus {
    fn stop(&self) -> &AtomicBool {
        &self.stop
    }

    fn admits(&self) -> bool {
        let banned = self.is_banned();
        if banned {
            self.pending.fetch_add(1, Ordering::Relaxed);
        }
        !banned
    }

    fn failed(&self, failure: &Failure, memory: &dyn PageTable) {
        let report = report(failure, memory);
        tracing::error!("softgpu: {}", report.summary);
        for line in &report.details {
            tracing::error!("softgpu:   {line}");
        }
        self.fail(report);
    }
}

/// The report of a failure, with details from the page table.
fn report(failure: &Failure, memory: &dyn PageTable) -> ErrorReport {
    let mut report = failure.report();
    let Some(address) = report.address else {
        return report;
    };
    let nearest = match memory.nearest(address) {
        Some(region) => match region.distance(address) {
            0 => format!("inside of buffer {region}, which does not allow it"),
            distance => format!("nearest buffer: {region}, {distance:#x} bytes away"),
        },
        None => "no buffer is bound".to_owned(),
    };
    report.summary = format!("{}; {nearest}", report.summary);
    report
}
