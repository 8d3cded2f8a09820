//! One context on one engine.

use std::collections::VecDeque;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use std::{fmt, io};

use batchbuffer::Engine;
use devinfo::GpuAddress;
use softgpu_memory::{PageTable, View};

use super::apart::{Apart, Submitter};
use super::arbiter::Claim;
use super::fence::{Fence, announce, wait_for, wait_on, wait_until};
use super::patience::Patience;
use crate::cs::{self, Commands, Failure};
use crate::device::Device;
use crate::dispatch::Kit;

/// The submitter to a timeline: ends its jobs early, and learns how they fail.
pub trait Owner: fmt::Debug + Send + Sync {
    /// Ends the job that runs, and drops those that wait, when set.
    fn stop(&self) -> &AtomicBool;

    /// Whether the next job may run; otherwise it is lost.
    fn admits(&self) -> bool;

    /// A job failed while it ran, and the context image was reset.
    fn failed(&self, failure: &Failure, memory: &dyn PageTable);

    /// A job that ran has ended, in whichever way; its fence is signalled next.
    fn ended(&self) {}
}

/// Why a job was not queued.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    /// Too many jobs that may run for ever are waiting.
    #[error("{QUEUE_LIMIT} batches that may run for ever wait already")]
    Full,
    /// The host has no thread to run it.
    #[error("no host thread for an engine: {0}")]
    Thread(#[from] io::Error),
}

/// One batch to run.
#[derive(Debug)]
pub struct Job {
    /// The memory that the context sees.
    pub space: Arc<dyn PageTable>,
    /// The memory of rings, which privileged commands also reach: through the global GTT.
    pub global: Option<Arc<dyn PageTable>>,
    /// What it executes; `None` only waits and signals.
    pub commands: Option<Commands>,
    /// What it waits for.
    pub waits: Vec<Arc<Fence>>,
    /// What must begin before it runs.
    pub begins_after: Option<Arc<Fence>>,
    /// Its place among the batches of the engine.
    pub priority: i64,
    /// Signalled when it has ended, or was lost.
    pub done: Arc<Fence>,
    /// Written when it has ended successfully, before `done` is signalled.
    pub writes: Vec<Write>,
    /// Whether it may run for ever: no hang check.
    pub endless: bool,
}

/// A value to write to GPU memory: a user fence of xe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// The address, aligned to 8.
    pub address: GpuAddress,
    /// What.
    pub value: u64,
}

/// One context on one engine: its batches run in order.
#[derive(Debug)]
pub struct Timeline {
    number: u64,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    device: Arc<Device>,
    engine: Engine,
    owner: Arc<dyn Owner>,
    queue: Mutex<Queue>,
    /// How many jobs it holds.
    waiting: AtomicUsize,
    /// One came while the thread slept.
    came: Condvar,
    /// Whether it pays that the thread looks for one before it sleeps.
    patience: Patience,
    /// Where they come from.
    submitter: Submitter,
    /// The context image: what the engine keeps between batches.
    image: Mutex<cs::State>,
}

#[derive(Debug, Default)]
struct Queue {
    jobs: VecDeque<(Job, Claim)>,
    /// Whether a thread works on it.
    served: bool,
    /// Whether that sleeps until a job comes.
    sleeps: bool,
    last: Option<Arc<Fence>>,
}

/// The most batches that may wait in one timeline.
const QUEUE_LIMIT: usize = 4096;

impl Timeline {
    /// The timeline of a new context.
    pub fn new(device: Arc<Device>, engine: Engine, owner: Arc<dyn Owner>) -> Self {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let image = Mutex::new(cs::State::new(engine));
        Self {
            number: MADE.fetch_add(1, Ordering::Relaxed),
            shared: Arc::new(Shared {
                device,
                engine,
                owner,
                queue: Mutex::default(),
                waiting: AtomicUsize::new(0),
                came: Condvar::new(),
                patience: Patience::new(),
                submitter: Submitter::new(),
                image,
            }),
        }
    }

    /// Which one it is: no other has the number. Its fences are signalled in the order of its jobs.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Queues a batch. Waits while too many are queued already, as the kernel waits for a full
    /// ring.
    ///
    /// # Errors
    /// See [`SubmitError`]; [`SubmitError::Full`] is returned at once.
    pub fn submit(&self, job: Job) -> Result<(), SubmitError> {
        if job.endless && !self.has_room() {
            return Err(SubmitError::Full);
        }
        self.await_room();
        let mut queue = self.shared.queue();
        if !queue.served {
            let shared = Arc::clone(&self.shared);
            thread::Builder::new()
                .name(format!("softgpu-{}", self.shared.engine))
                .spawn(move || shared.serve())?;
            queue.served = true;
        }
        self.shared.submitter.is_here();
        let before = queue.last.replace(Arc::clone(&job.done));
        let needs = job.waits.iter().cloned().chain(before).collect();
        let arbiter = &self.shared.device.arbiter;
        let claim = arbiter.enter(self.shared.engine, job.priority, needs);
        queue.jobs.push_back((job, claim));
        self.shared.waiting.fetch_add(1, Ordering::Release);
        let sleeps = queue.sleeps;
        drop(queue);
        if sleeps {
            self.shared.came.notify_one();
        }
        Ok(())
    }

    /// Waits until fewer batches are queued than may be. This terminates: batches end, or their hang
    /// check ends them.
    pub fn await_room(&self) {
        let _ = wait_until(None, || self.has_room().then_some(()));
    }

    /// Whether fewer batches are queued than may be.
    pub fn has_room(&self) -> bool {
        self.shared.queue().jobs.len() < QUEUE_LIMIT
    }

    /// The fence of the last submitted batch.
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

    /// Whether a batch comes in a moment.
    fn comes_soon(&self) -> bool {
        let waiting = || self.waiting.load(Ordering::Acquire) != 0;
        self.patience.soon(waiting)
    }

    /// Runs batches until none has come for a while.
    fn serve(&self) {
        eu_lanes::default_modes();
        let mut kit = Kit::default();
        let mut apart = Apart::new();
        loop {
            let next = self.queue().jobs.pop_front();
            match next {
                Some((job, claim)) => {
                    self.waiting.fetch_sub(1, Ordering::Release);
                    apart.take(&self.submitter);
                    // There is room for another.
                    announce();
                    self.process(&job, claim, &mut kit);
                }
                None if self.comes_soon() => {}
                None => {
                    let deadline = Instant::now() + LINGER;
                    let mut queue = self.queue();
                    let mut in_time = true;
                    while in_time && queue.jobs.is_empty() {
                        queue.sleeps = true;
                        (queue, in_time) = wait_on(&self.came, queue, Some(deadline));
                    }
                    queue.sleeps = false;
                    if queue.jobs.is_empty() {
                        queue.served = false;
                        return;
                    }
                }
            }
        }
    }

    fn process(&self, job: &Job, claim: Claim, kit: &mut Kit) {
        let stop = self.owner.stop();
        while !stop.load(Ordering::Relaxed) {
            // The deadline only bounds how late `stop` is seen.
            let deadline = Instant::now() + Duration::from_millis(100);
            let ready = || match job.waits.iter().find(|f| !f.is_signalled()) {
                Some(open) => Err(Some(Arc::clone(open))),
                None if job.begins_after.iter().all(|f| f.has_begun()) => Ok(()),
                None => Err(None),
            };
            if wait_for(Some(deadline), ready).is_some() {
                break;
            }
        }
        if stop.load(Ordering::Relaxed) || !self.owner.admits() {
            return job.done.signal();
        }
        job.done.begin();
        let outcome = self.run(job, &claim, kit);
        drop(claim);
        match outcome {
            Ok(()) => {
                let view = View::new(&*job.space);
                for write in &job.writes {
                    if let Err(fault) = view.write_u64(write.address, write.value) {
                        tracing::warn!("softgpu: a user fence was not written: {fault}");
                    }
                }
            }
            Err(Failure::Stopped) => {}
            Err(failure) => {
                self.reset();
                self.owner.failed(&failure, &*job.space);
            }
        }
        self.owner.ended();
        job.done.signal();
    }

    /// Gives the context a new image, which drops what a batch left half done.
    fn reset(&self) {
        *self.image.lock().unwrap_or_else(PoisonError::into_inner) = cs::State::new(self.engine);
    }

    fn run(&self, job: &Job, claim: &Claim, kit: &mut Kit) -> Result<(), Failure> {
        let Some(commands) = job.commands else {
            return Ok(());
        };
        let mut image = self.image.lock().unwrap_or_else(PoisonError::into_inner);
        let environment = cs::Environment {
            device: &self.device,
            space: &*job.space,
            global: job.global.as_deref(),
            engine: self.engine,
            claim,
            stop: self.owner.stop(),
            hang_timeout: match job.endless {
                true => Duration::MAX,
                false => self.device.settings.hang_timeout,
            },
        };
        // What a panic leaves half done goes: the image is reset, as after any failure.
        let run = AssertUnwindSafe(|| cs::run(&mut image, &environment, commands, kit));
        panic::catch_unwind(run).unwrap_or_else(|cause| {
            *kit = Kit::default();
            let text = cause.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let what = text.or_else(|| cause.downcast_ref().cloned());
            let what = what.unwrap_or_else(|| "a panic without a text".to_owned());
            Err(Failure::Panic { what })
        })
    }
}
