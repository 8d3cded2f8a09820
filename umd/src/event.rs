//! Events.

mod callbacks;
mod times;
mod unseen;
mod user;

use std::collections::HashSet;
use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use batchbuffer::Engine;
use devinfo::GpuAddress;
use kmd_iface::{Fence, KmdError, QueueId};

use crate::binary::KernelAbi;
use crate::clock::Pair;
use crate::deadline::Deadline;
use crate::device::DeviceInner;
use crate::error::{DeviceError, Error, refused};
use crate::fault;
use crate::held::Held;
use crate::launch::{Contents, Prepared};
use crate::ledger::{End, Ledger};
use crate::waiter::Pulse;

use self::callbacks::{Callback, call};
use self::times::Times;
pub use self::user::UserEvent;

/// How long a thread looks for the end of a command before it waits in the kernel for it.
const MOMENT: Duration = Duration::from_micros(20);

/// The end of a command. Clones name the same one.
///
/// A command has ended well when the GPU has written its completion tag, whatever became of its
/// queue later. One whose wait list has a command that fails fails, too: it does not run if that
/// is known before the kernel driver gets it, but does if it fails afterwards.
#[derive(Clone, Debug)]
pub struct Event {
    inner: Arc<EventInner>,
}

/// How far a command is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventStatus {
    /// It waits in this process for other commands.
    Queued,
    /// The kernel driver has it.
    Submitted,
    /// It ended.
    Complete,
    /// It failed; [`Event::wait`] says how.
    Failed,
}

/// When a command passed its stages, since its device was opened.
/// queued ≤ submitted ≤ started ≤ ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timestamps {
    /// It was enqueued.
    pub queued: Duration,
    /// The kernel driver got it.
    pub submitted: Duration,
    /// The device began with it.
    pub started: Duration,
    /// The device ended it.
    pub ended: Duration,
}

/// The batch buffer of a command, as the command streamer reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandBatch {
    /// The kind of command streamer.
    pub engine: Engine,
    /// The GPU address of the first dword.
    pub address: GpuAddress,
    /// The packets.
    pub dwords: Vec<u32>,
}

#[derive(Debug)]
struct EventInner {
    device: Arc<DeviceInner>,
    label: Label,
    /// The queue that it is a command of.
    ledger: Option<Arc<Ledger>>,
    batch: OnceLock<CommandBatch>,
    queued: Duration,
    state: Mutex<Progress>,
    /// What [`Progress::stage`] is, for those who need no lock to look.
    phase: AtomicU8,
    changed: Condvar,
}

/// The command is held back in this process.
const WAITING: u8 = 0;
/// It was submitted, and nobody has noticed its end.
const SUBMITTED: u8 = 1;
/// It has ended.
const ENDED: u8 = 2;

/// What error messages call a command.
#[derive(Clone, Debug)]
pub(crate) enum Label {
    /// By what it does.
    Command(&'static str),
    /// By the kernel that it runs.
    Kernel(Arc<KernelAbi>),
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(what) => f.write_str(what),
            Self::Kernel(entry) => write!(f, "kernel {}", entry.info.name),
        }
    }
}

struct Progress {
    stage: Stage,
    times: Option<Times>,
    printed: Vec<u8>,
    /// Commands that go on when this one is submitted or ends.
    holds: Vec<Arc<Held>>,
    callbacks: Vec<Callback>,
    /// Somebody waits for the callbacks.
    hurries: bool,
    /// A thread waits, or has waited, for the end of [`Stage::Waiting`].
    awaited: bool,
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.stage.fmt(f)
    }
}

#[derive(Clone, Debug)]
enum Stage {
    Waiting,
    Submitted(Arc<Submitted>),
    Complete,
    Failed(DeviceError),
}

/// A command that the kernel driver has, with all that it uses.
#[derive(Debug)]
pub(crate) struct Submitted {
    pub fence: Fence,
    pub prepared: Prepared,
    pub ledger: Arc<Ledger>,
    pub at: Duration,
    /// The clocks about then.
    pub clocks: Option<Pair>,
    /// What it waited for: if that failed, so does this.
    pub dependencies: Vec<Event>,
}

impl Submitted {
    /// Hands it over; false if the kernel driver does not get it before the deadline.
    fn hand_over(&self, deadline: Deadline) -> bool {
        self.ledger.hand_over(self.fence.seqno, deadline)
    }

    /// Whether a command that the GPU has from a ring has ended, or does so in a moment: less than it
    /// takes to stop the ring and to start it again.
    fn ends_soon(&self, deadline: Deadline) -> bool {
        if !self.ledger.is_in_ring(self.fence.seqno) {
            return false;
        }
        let begin = Instant::now();
        loop {
            for _ in 0..50 {
                if self.prepared.is_done() {
                    return true;
                }
                std::hint::spin_loop();
            }
            if begin.elapsed() > MOMENT || deadline.remaining().is_zero() {
                return false;
            }
        }
    }

    /// The dependencies whose end was not noticed yet.
    fn unsettled(&self) -> Vec<(Event, Arc<Submitted>)> {
        let open = self.dependencies.iter().filter_map(|event| {
            let Stage::Submitted(submitted) = &event.state().stage else {
                return None;
            };
            Some((event.clone(), submitted.clone()))
        });
        open.collect()
    }
}

impl Event {
    pub(crate) fn new(
        device: &Arc<DeviceInner>,
        label: Label,
        ledger: Option<Arc<Ledger>>,
        queued: Duration,
    ) -> Self {
        Self {
            inner: Arc::new(EventInner {
                device: device.clone(),
                label,
                ledger,
                batch: OnceLock::new(),
                queued,
                state: Mutex::new(Progress {
                    stage: Stage::Waiting,
                    times: None,
                    printed: Vec::new(),
                    holds: Vec::new(),
                    callbacks: Vec::new(),
                    hurries: false,
                    awaited: false,
                }),
                phase: AtomicU8::new(WAITING),
                changed: Condvar::new(),
            }),
        }
    }

    /// Waits until the command has ended. Can be called again after a timeout.
    ///
    /// # Errors
    /// [`DeviceError::Timeout`] once the deadline passes; what the command failed with.
    pub fn wait(&self, deadline: impl Into<Deadline>) -> Result<(), Error> {
        let deadline = deadline.into();
        let asked = deadline.remaining();
        let mut pulse = Pulse::default();
        loop {
            let mut state = self.state();
            match state.stage.clone() {
                Stage::Complete => return Ok(()),
                Stage::Failed(error) => return Err(error.into()),
                Stage::Waiting => {
                    state.awaited = true;
                    let left = deadline.remaining();
                    if left.is_zero() {
                        return Err(self.timeout(asked).into());
                    }
                    // Whatever ended the wait, the loop looks again.
                    drop(
                        self.inner
                            .changed
                            .wait_timeout(state, left)
                            .unwrap_or_else(PoisonError::into_inner),
                    );
                }
                Stage::Submitted(submitted) => {
                    drop(state);
                    if submitted.ends_soon(deadline) {
                        self.settle(&submitted, Ok(()));
                        continue;
                    }
                    if !submitted.hand_over(deadline) {
                        if deadline.remaining().is_zero() {
                            return Err(self.timeout(asked).into());
                        }
                        // It fails, or its queue goes.
                        std::thread::yield_now();
                        continue;
                    }
                    let kmd = self.inner.device.kmd();
                    let until = match submitted.ledger.is_followed(&submitted) {
                        true => deadline.min(Deadline::after(pulse.next())),
                        false => deadline,
                    };
                    match kmd.wait(submitted.fence, until.instant()) {
                        Err(KmdError::DeadlineExceeded { .. }) => {
                            if submitted.prepared.is_done() {
                                self.settle(&submitted, Ok(()));
                            } else if deadline.remaining().is_zero() {
                                return Err(self.timeout(asked).into());
                            }
                        }
                        ended => {
                            self.settle(&submitted, ended.clone());
                            submitted.ledger.notice(submitted.fence, &ended);
                        }
                    }
                }
            }
        }
    }

    /// Calls `callback` once the command has ended, with what [`wait`](Self::wait) then returns:
    /// once, whether it ends well, fails or is lost with its queue. At once if it has ended.
    ///
    /// It is called by whoever notices the end first: a thread of this crate, which sleeps until
    /// then, or one that waits for an event or looks at one. It may enqueue, and set user events;
    /// it should not wait. While a thread is in a callback, it calls no other: what is due then
    /// comes when that one has returned. Those of two commands may come in either order, as two threads
    /// may notice their ends. A panic in it is logged, and goes no further.
    ///
    /// # Errors
    /// There can be no more threads. Then `callback` is not called. That does not happen once
    /// [`Queue::start_callbacks`](crate::Queue::start_callbacks) was successful.
    pub fn on_complete(
        &self,
        callback: impl FnOnce(Result<(), Error>) + Send + 'static,
    ) -> Result<(), Error> {
        self.call_back(Box::new(callback), true)
    }

    /// The same without haste: if nobody waits for the command or looks at it, `callback` is called some
    /// hundred microseconds after the end. For those who mostly notice ends themselves: no thread wakes
    /// for each of them.
    ///
    /// # Errors
    /// As those of [`on_complete`](Self::on_complete).
    pub fn on_complete_unhurried(
        &self,
        callback: impl FnOnce(Result<(), Error>) + Send + 'static,
    ) -> Result<(), Error> {
        self.call_back(Box::new(callback), false)
    }

    /// Callbacks are called at once from now on, those of
    /// [`on_complete_unhurried`](Self::on_complete_unhurried), too.
    pub fn hurry(&self) {
        let mut state = self.state();
        state.hurries = true;
        if let Stage::Submitted(submitted) = &state.stage {
            submitted.ledger.watch(submitted.fence.seqno, true);
        }
    }

    fn call_back(&self, callback: Callback, hurries: bool) -> Result<(), Error> {
        if let Some(ledger) = &self.inner.ledger {
            ledger.start_waiter(self.inner.device.kmd())?;
        }
        let mut state = self.state();
        let seqno = match &state.stage {
            Stage::Complete => {
                drop(state);
                call(vec![callback], &Ok(()));
                return Ok(());
            }
            Stage::Failed(error) => {
                let error = error.clone();
                drop(state);
                call(vec![callback], &Err(error));
                return Ok(());
            }
            Stage::Waiting => None,
            Stage::Submitted(submitted) => Some(submitted.fence.seqno),
        };
        state.callbacks.push(callback);
        state.hurries |= hurries;
        if let (Some(ledger), Some(seqno)) = (&self.inner.ledger, seqno) {
            ledger.watch(seqno, state.hurries);
        }
        Ok(())
    }

    /// How far the command is.
    pub fn status(&self) -> EventStatus {
        self.poll();
        match self.state().stage {
            Stage::Waiting => EventStatus::Queued,
            Stage::Submitted(_) => EventStatus::Submitted,
            Stage::Complete => EventStatus::Complete,
            Stage::Failed(_) => EventStatus::Failed,
        }
    }

    /// When it passed its stages; `None` until it has ended.
    pub fn timestamps(&self) -> Option<Timestamps> {
        self.poll();
        let times = self.state().times?;
        Some(times.stamps(&self.inner.device.clock, self.inner.queued))
    }

    /// What the kernel driver got for the command, if it has it and its queue keeps batches
    /// ([`crate::QueueOptions::keep_batches`]).
    pub fn batch(&self) -> Option<&CommandBatch> {
        self.inner.batch.get()
    }

    /// Keeps the batch.
    pub(crate) fn keep_batch(&self, batch: CommandBatch) {
        // A command is submitted once.
        let _first = self.inner.batch.set(batch);
    }

    /// What the command printed, in order: bytes, as kernels may print any. Empty until it has ended.
    pub fn printed(&self) -> Vec<u8> {
        self.poll();
        self.state().printed.clone()
    }

    /// Notices an end that nobody waited for.
    fn poll(&self) {
        let stage = self.state().stage.clone();
        if let Stage::Submitted(submitted) = stage
            && let Some(outcome) = self.look(&submitted)
        {
            self.settle(&submitted, outcome);
        }
    }

    /// How the command has ended, if it has. No system call if it ended well.
    fn look(&self, submitted: &Submitted) -> Option<Result<(), KmdError>> {
        if submitted.prepared.is_done() {
            return Some(Ok(()));
        }
        // A ring that fails is stopped soon.
        let is_in_ring = submitted.ledger.is_in_ring(submitted.fence.seqno);
        if is_in_ring || !submitted.hand_over(Deadline::now()) {
            return None;
        }
        match self.inner.device.kmd().is_done(submitted.fence) {
            Ok(false) => None,
            Ok(true) => Some(Ok(())),
            Err(error) => Some(Err(error)),
        }
    }

    /// Whether the command is held back until others end. Unlike [`status`](Self::status), this looks at
    /// no batch, and hands none over.
    pub fn is_waiting(&self) -> bool {
        self.inner.phase.load(Ordering::Acquire) == WAITING
    }

    /// Whether the command was submitted, and nobody has noticed its end.
    fn is_submitted(&self) -> bool {
        self.inner.phase.load(Ordering::Acquire) == SUBMITTED
    }

    /// Whether the command has ended, well or not.
    pub(crate) fn has_ended(&self) -> bool {
        matches!(self.status(), EventStatus::Complete | EventStatus::Failed)
    }

    /// Whether the command is one of `device`.
    pub(crate) fn is_of(&self, device: &Arc<DeviceInner>) -> bool {
        Arc::ptr_eq(&self.inner.device, device)
    }

    /// Remembers a command that goes on when this one is submitted or ends; false if it already
    /// has been.
    pub(crate) fn hold(&self, held: &Arc<Held>) -> bool {
        let mut state = self.state();
        let waits = matches!(state.stage, Stage::Waiting);
        if waits {
            state.holds.push(held.clone());
        }
        waits
    }

    /// The completion that a submission can wait for, while the kernel driver has the command.
    pub(crate) fn fence(&self) -> Option<Fence> {
        match &self.state().stage {
            Stage::Submitted(submitted) => Some(submitted.fence),
            _ => None,
        }
    }

    /// Hands the command over if another queue than `queue` has it and the kernel driver does not.
    pub(crate) fn hand_over(&self, queue: QueueId) {
        let stage = self.state().stage.clone();
        if let Stage::Submitted(submitted) = stage
            && submitted.fence.queue != queue
        {
            submitted.hand_over(Deadline::after(Deadline::LONGEST));
        }
    }

    /// What the command failed with.
    pub(crate) fn error(&self) -> Option<DeviceError> {
        match &self.state().stage {
            Stage::Failed(error) => Some(error.clone()),
            _ => None,
        }
    }

    pub(crate) fn is(&self, other: &Event) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// The kernel driver has the command now. Gives the commands that can go on.
    #[must_use]
    pub(crate) fn submitted(&self, submitted: Arc<Submitted>) -> Vec<Arc<Held>> {
        self.leave_waiting(Stage::Submitted(submitted), None)
    }

    /// The command failed before the kernel driver got it. Gives the commands that can go on.
    #[must_use]
    pub(crate) fn fail(&self, error: DeviceError) -> Vec<Arc<Held>> {
        self.leave_waiting(Stage::Failed(error), None)
    }

    fn leave_waiting(&self, stage: Stage, times: Option<Times>) -> Vec<Arc<Held>> {
        let mut state = self.state();
        if !matches!(state.stage, Stage::Waiting) {
            return Vec::new();
        }
        // The usual case: nobody knows of it yet.
        if matches!(stage, Stage::Submitted(_))
            && state.callbacks.is_empty()
            && state.holds.is_empty()
            && !state.awaited
        {
            state.stage = stage;
            self.inner.phase.store(SUBMITTED, Ordering::Release);
            return Vec::new();
        }
        let ended = match &stage {
            Stage::Waiting => return Vec::new(),
            Stage::Submitted(submitted) => {
                if !state.callbacks.is_empty() {
                    let hurries = state.hurries;
                    submitted.ledger.watch(submitted.fence.seqno, hurries);
                }
                None
            }
            Stage::Complete => Some(Ok(())),
            Stage::Failed(error) => Some(Err(error.clone())),
        };
        let phase = if ended.is_some() { ENDED } else { SUBMITTED };
        state.stage = stage;
        self.inner.phase.store(phase, Ordering::Release);
        state.times = times;
        let holds = std::mem::take(&mut state.holds);
        let callbacks = match ended {
            Some(_) => std::mem::take(&mut state.callbacks),
            None => Vec::new(),
        };
        let awaited = state.awaited;
        drop(state);
        if awaited {
            self.inner.changed.notify_all();
        }
        call(callbacks, &ended.unwrap_or(Ok(())));
        holds
    }

    /// Notices how the commands ended that this one waited for, and then itself: what the kernel
    /// driver said of it is `outcome`. A loop, because chains of them can be long.
    pub(crate) fn settle(&self, submitted: &Arc<Submitted>, outcome: Result<(), KmdError>) {
        if !self.is_submitted() {
            return;
        }
        if submitted.dependencies.is_empty() {
            return self.settle_one(submitted, outcome);
        }
        let mut seen = HashSet::new();
        // Each command twice: to look at what it waited for, and, behind that, at itself.
        let mut open = vec![(self.clone(), submitted.clone(), false)];
        while let Some((event, next, is_ready)) = open.pop() {
            if !is_ready {
                if seen.insert(Arc::as_ptr(&next)) {
                    let waited_for = next.unsettled();
                    open.push((event, next, true));
                    open.extend(waited_for.into_iter().map(|(e, s)| (e, s, false)));
                }
            } else if event.is(self) {
                event.settle_one(&next, outcome.clone());
            } else if let Some(outcome) = event.look(&next) {
                event.settle_one(&next, outcome);
            }
        }
    }

    /// The kernel driver said how the command ended. The first one to say it counts.
    fn settle_one(&self, submitted: &Arc<Submitted>, outcome: Result<(), KmdError>) {
        if !self.is_submitted() {
            return;
        }
        let outcome = self.judge(submitted, outcome);
        self.conclude(submitted, outcome).call();
    }

    /// The command has ended. The first one to say how counts.
    pub(crate) fn conclude(
        &self,
        submitted: &Arc<Submitted>,
        outcome: Result<(), DeviceError>,
    ) -> Concluded {
        let times = match &outcome {
            Ok(()) => Some(Times::of(submitted, &self.inner.device)),
            Err(_) => None,
        };
        let printed = match &outcome {
            // A command that faults or hangs has printed until then.
            Ok(())
            | Err(DeviceError::Fault(_) | DeviceError::PageFault(_) | DeviceError::Hang(_)) => {
                submitted.prepared.printed()
            }
            Err(_) => Vec::new(),
        };
        let mut concluded = Concluded {
            callbacks: Vec::new(),
            outcome,
        };
        let mut state = self.state();
        if !matches!(state.stage, Stage::Submitted(_)) {
            return concluded;
        }
        let stage = match &concluded.outcome {
            Ok(()) => Stage::Complete,
            Err(error) => {
                // Before anybody can see that it failed.
                submitted.ledger.failed(error);
                Stage::Failed(error.clone())
            }
        };
        let before = std::mem::replace(&mut state.stage, stage);
        self.inner.phase.store(ENDED, Ordering::Release);
        if let Some(seen) = times {
            state.times = times;
            if !matches!(submitted.prepared.contents, Contents::Nothing) {
                let clock = &self.inner.device.clock;
                let nanos = seen.nanos(clock);
                submitted.ledger.took(nanos.unwrap_or(u64::MAX));
            }
        }
        state.printed = printed;
        concluded.callbacks = std::mem::take(&mut state.callbacks);
        drop(state);
        drop(before);
        concluded
    }

    /// How the command ended, from what the kernel driver said of its queue.
    fn judge(
        &self,
        submitted: &Submitted,
        outcome: Result<(), KmdError>,
    ) -> Result<(), DeviceError> {
        // The kernel driver speaks of the queue, which a later command may have lost.
        if submitted.prepared.is_done() {
            return match submitted.dependencies.iter().find_map(Event::error) {
                Some(error) => Err(DeviceError::of_dependency(error)),
                None => Ok(()),
            };
        }
        let end = match &outcome {
            Err(KmdError::QueueLost { report, .. }) => Some(submitted.ledger.lose(report)),
            _ => submitted.ledger.end(),
        };
        Err(match (end, outcome) {
            (Some(End::Lost { report, guilty }), _)
                if guilty == Some(submitted.prepared.number) =>
            {
                let kernels = submitted.prepared.contents.kernels();
                fault::error(&report, kernels, &self.inner.device)
            }
            (Some(End::Lost { report, .. }), _) => {
                DeviceError::Lost(format!("an earlier command ended it: {report}"))
            }
            (Some(end @ End::Released), _) => end.error(),
            (None, Err(error)) => refused("a wait")(error),
            (None, Ok(())) => DeviceError::Lost(
                "the kernel driver says that the command ended, but the GPU did not write its \
                 completion tag"
                    .to_owned(),
            ),
        })
    }

    /// The error of a wait that was over after so long.
    pub(crate) fn timeout(&self, after: Duration) -> DeviceError {
        DeviceError::Timeout {
            what: self.inner.label.to_string(),
            after,
        }
    }

    fn state(&self) -> MutexGuard<'_, Progress> {
        self.inner
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is left to do when a command has ended.
#[must_use]
pub(crate) struct Concluded {
    callbacks: Vec<Callback>,
    outcome: Result<(), DeviceError>,
}

impl Concluded {
    /// Calls back. No lock is held then.
    pub(crate) fn call(self) {
        call(self.callbacks, &self.outcome);
    }
}
