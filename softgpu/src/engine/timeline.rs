//! One context on one engine.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use batchbuffer::Engine;
use devinfo::GpuAddress;
use kmd_iface::{ErrorKind, ErrorReport};
use nix::errno::Errno;

use super::arbiter::Claim;
use super::fence::{Fence, announce, wait_until};
use crate::cs;
use crate::device::Device;
use crate::mem::AddressSpace;

/// What becomes of a context whose batch fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tolerance {
    /// Whether it can be banned.
    pub bannable: bool,
    /// Whether it goes on after a batch that hangs, with its state reset.
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

/// What became of a context, shared by its timelines.
#[derive(Debug, Default)]
pub struct ContextStatus {
    /// Ends running batches and drops waiting ones: the context is being closed.
    pub stop: AtomicBool,
    /// A batch of it failed: nothing more is taken.
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

    /// What becomes of it if a batch fails.
    pub fn tolerance(&self) -> MutexGuard<'_, Tolerance> {
        self.tolerance
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of a batch that failed.
    fn fail(&self, report: ErrorReport) {
        let faulted = report.kind == ErrorKind::PageFault;
        *self.report.lock().unwrap_or_else(PoisonError::into_inner) = Some(report);
        self.active.fetch_add(1, Ordering::Relaxed);
        let often = self.hangs_often();
        let tolerance = *self.tolerance();
        // i915 has no page faults: what the model makes of a scratch page bans always.
        if faulted || tolerance.bannable && (!tolerance.recoverable || often) {
            self.banned.store(true, Ordering::Release);
        }
    }

    /// Takes note of a hang. Returns whether the one before the last was not long ago.
    fn hangs_often(&self) -> bool {
        let now = Instant::now();
        let mut hangs = self.hangs.lock().unwrap_or_else(PoisonError::into_inner);
        let [before, last] = *hangs;
        *hangs = [last, Some(now)];
        before.is_some_and(|before| now.saturating_duration_since(before) < FAST_HANGS)
    }
}

/// One batch to run.
#[derive(Debug)]
pub struct Job {
    /// What the batch sees.
    pub space: Arc<AddressSpace>,
    /// Its first command; `None` only waits and signals.
    pub batch: Option<GpuAddress>,
    /// What it waits for.
    pub waits: Vec<Arc<Fence>>,
    /// What it waits for to begin.
    pub begins_after: Option<Arc<Fence>>,
    /// Its place among the batches of the engine.
    pub priority: i64,
    /// Signalled when it has ended.
    pub done: Arc<Fence>,
    /// Written when it has ended well, before `done` is signalled.
    pub writes: Vec<Write>,
    /// Whether it may run for ever: no hang check.
    pub endless: bool,
}

/// A value to write to GPU memory: a user fence of xe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// Where, aligned to 8.
    pub address: GpuAddress,
    /// What.
    pub value: u64,
}

/// One context on one engine: its batches run in order.
#[derive(Debug)]
pub struct Timeline {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    device: Arc<Device>,
    engine: Engine,
    status: Arc<ContextStatus>,
    queue: Mutex<Queue>,
    /// The context image: what the engine keeps between batches.
    image: Mutex<cs::State>,
}

#[derive(Debug, Default)]
struct Queue {
    jobs: VecDeque<(Job, Claim)>,
    /// Whether a thread works on it.
    served: bool,
    last: Option<Arc<Fence>>,
}

/// The most batches that may wait in one timeline.
const QUEUE_LIMIT: usize = 4096;

impl Timeline {
    /// The timeline of a new context.
    pub fn new(device: Arc<Device>, engine: Engine, status: Arc<ContextStatus>) -> Self {
        let image = Mutex::new(cs::State::new(engine));
        Self {
            shared: Arc::new(Shared {
                device,
                engine,
                status,
                queue: Mutex::default(),
                image,
            }),
        }
    }

    /// Queues a batch. Waits while too many are queued already, as a full ring makes the kernel
    /// wait.
    ///
    /// # Errors
    /// `ENOMEM` when no thread can be started; `EAGAIN` at once when too many batches are queued
    /// that may run for ever (Linux `xe_exec_ioctl`: a full ring of a long-running queue).
    pub fn submit(&self, job: Job) -> Result<(), Errno> {
        if job.endless && self.shared.queue().jobs.len() >= QUEUE_LIMIT {
            return Err(Errno::EAGAIN);
        }
        // Ends: batches end, or their hang check ends them.
        let room = || (self.shared.queue().jobs.len() < QUEUE_LIMIT).then_some(());
        let _ = wait_until(None, room);
        let mut queue = self.shared.queue();
        if !queue.served {
            let shared = Arc::clone(&self.shared);
            thread::Builder::new()
                .name(format!("softgpu-{}", self.shared.engine))
                .spawn(move || shared.serve())
                .map_err(|_| Errno::ENOMEM)?;
            queue.served = true;
        }
        let before = queue.last.replace(Arc::clone(&job.done));
        let needs = job.waits.iter().cloned().chain(before).collect();
        let arbiter = &self.shared.device.arbiter;
        let claim = arbiter.enter(self.shared.engine, job.priority, needs);
        queue.jobs.push_back((job, claim));
        drop(queue);
        announce();
        Ok(())
    }

    /// The fence of the batch that was submitted last.
    pub fn last(&self) -> Option<Arc<Fence>> {
        self.shared.queue().last.clone()
    }
}

/// How long a thread waits for another batch before it ends.
const LINGER: Duration = Duration::from_millis(200);

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs batches until none has come for a while.
    fn serve(&self) {
        loop {
            let next = self.queue().jobs.pop_front();
            match next {
                Some((job, claim)) => {
                    announce();
                    self.process(&job, claim);
                }
                None => {
                    let deadline = Instant::now() + LINGER;
                    let more = || (!self.queue().jobs.is_empty()).then_some(());
                    if wait_until(Some(deadline), more).is_none() {
                        let mut queue = self.queue();
                        if queue.jobs.is_empty() {
                            queue.served = false;
                            return;
                        }
                    }
                }
            }
        }
    }

    fn process(&self, job: &Job, claim: Claim) {
        let stop = &self.status.stop;
        while !stop.load(Ordering::Relaxed) {
            // The deadline only bounds how late `stop` is seen.
            let deadline = Instant::now() + Duration::from_millis(100);
            let ready = || {
                let begun = job.begins_after.iter().all(|f| f.has_begun());
                (begun && job.waits.iter().all(|f| f.is_signalled())).then_some(())
            };
            if wait_until(Some(deadline), ready).is_some() {
                break;
            }
        }
        if stop.load(Ordering::Relaxed) {
            return job.done.signal(Err(Errno::EIO));
        }
        if self.status.is_banned() {
            self.status.pending.fetch_add(1, Ordering::Relaxed);
            return job.done.signal(Err(Errno::EIO));
        }
        job.done.begin();
        let outcome = self.run(job, &claim);
        drop(claim);
        job.done.signal(match outcome {
            Ok(()) => {
                let view = job.space.view();
                for write in &job.writes {
                    if let Err(fault) = view.write_u64(write.address, write.value) {
                        tracing::warn!("softgpu: a user fence was not written: {fault}");
                    }
                }
                Ok(())
            }
            Err(cs::Failure::Stopped) => Err(Errno::EIO),
            Err(failure) => {
                let report = failure.report(&job.space);
                tracing::error!("softgpu: {}", report.summary);
                for line in &report.details {
                    tracing::error!("softgpu:   {line}");
                }
                self.device.record(report.clone());
                self.status.fail(report);
                self.reset();
                Err(Errno::EIO)
            }
        });
    }

    /// Gives the context a new image: what a batch left half done is gone.
    fn reset(&self) {
        *self.image.lock().unwrap_or_else(PoisonError::into_inner) = cs::State::new(self.engine);
    }

    fn run(&self, job: &Job, claim: &Claim) -> Result<(), cs::Failure> {
        let Some(batch) = job.batch else {
            return Ok(());
        };
        let mut image = self.image.lock().unwrap_or_else(PoisonError::into_inner);
        let environment = cs::Environment {
            device: &self.device,
            space: &job.space,
            engine: self.engine,
            claim,
            stop: &self.status.stop,
            hang_timeout: match job.endless {
                true => Duration::MAX,
                false => self.device.options.hang_timeout,
            },
        };
        cs::run(&mut image, &environment, batch)
    }
}
