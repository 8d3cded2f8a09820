//! Events.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use kmd_iface::{Fence, KmdError};

use crate::deadline::Deadline;
use crate::device::{DeviceInner, kernel as refused};
use crate::error::{DeviceError, Error};
use crate::fault;
use crate::held::{self, Held};
use crate::launch::Prepared;
use crate::queue::QueueInner;

/// The end of a command. Clones name the same one.
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

#[derive(Debug)]
struct EventInner {
    device: Arc<DeviceInner>,
    /// What error messages call the command.
    what: String,
    queued: Duration,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    stage: Stage,
    timestamps: Option<Timestamps>,
    printed: String,
    /// Commands that go on when this one is submitted or ends.
    holds: Vec<Arc<Held>>,
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
    pub queue: Weak<QueueInner>,
    pub at: Duration,
    /// What it waited for: if that failed, so does this.
    pub dependencies: Vec<Event>,
}

impl Submitted {
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
    pub(crate) fn new(device: &Arc<DeviceInner>, what: String) -> Self {
        Self {
            inner: Arc::new(EventInner {
                device: device.clone(),
                what,
                queued: device.clock.now(),
                state: Mutex::new(State {
                    stage: Stage::Waiting,
                    timestamps: None,
                    printed: String::new(),
                    holds: Vec::new(),
                }),
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
        loop {
            let state = self.state();
            match state.stage.clone() {
                Stage::Complete => return Ok(()),
                Stage::Failed(error) => return Err(error.into()),
                Stage::Waiting => {
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
                    let waited = self
                        .inner
                        .device
                        .kmd()
                        .wait(submitted.fence, deadline.instant());
                    match waited {
                        Err(KmdError::DeadlineExceeded { .. }) => {
                            return Err(self.timeout(asked).into());
                        }
                        other => self.settle(&submitted, other),
                    }
                }
            }
        }
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
        self.state().timestamps
    }

    /// What the command printed, in order. Empty until it has ended.
    pub fn printed(&self) -> String {
        self.poll();
        self.state().printed.clone()
    }

    /// Notices an end that nobody waited for.
    fn poll(&self) {
        let stage = self.state().stage.clone();
        if let Stage::Submitted(submitted) = stage {
            let kmd = self.inner.device.kmd();
            match kmd.is_done(submitted.fence) {
                Ok(false) => {}
                Ok(true) => self.settle(&submitted, Ok(())),
                Err(error) => self.settle(&submitted, Err(error)),
            }
        }
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

    /// Whether the completion tag says that the GPU has ended the command.
    pub(crate) fn tag_is_set(&self) -> bool {
        match &self.state().stage {
            Stage::Submitted(submitted) => submitted.prepared.is_done(),
            Stage::Waiting => false,
            Stage::Complete | Stage::Failed(_) => true,
        }
    }

    /// Whether the end was noticed.
    pub(crate) fn is_settled(&self) -> bool {
        matches!(self.state().stage, Stage::Complete | Stage::Failed(_))
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
    pub(crate) fn submitted(&self, submitted: Submitted) -> Vec<Arc<Held>> {
        self.leave_waiting(Stage::Submitted(Arc::new(submitted)), None)
    }

    /// The command failed before the kernel driver got it. Gives the commands that can go on.
    #[must_use]
    pub(crate) fn fail(&self, error: DeviceError) -> Vec<Arc<Held>> {
        self.leave_waiting(Stage::Failed(error), None)
    }

    fn leave_waiting(&self, stage: Stage, timestamps: Option<Timestamps>) -> Vec<Arc<Held>> {
        let mut state = self.state();
        if !matches!(state.stage, Stage::Waiting) {
            return Vec::new();
        }
        state.stage = stage;
        state.timestamps = timestamps;
        let holds = std::mem::take(&mut state.holds);
        drop(state);
        self.inner.changed.notify_all();
        holds
    }

    /// Notices how the commands ended that this one waited for, and then itself. A loop, because
    /// chains of them can be long.
    fn settle(&self, submitted: &Arc<Submitted>, outcome: Result<(), KmdError>) {
        let mut open = submitted.unsettled();
        while let Some((event, next)) = open.last().cloned() {
            let deeper = next.unsettled();
            if deeper.is_empty() {
                open.pop();
                // Its successor has ended, and so has it.
                let outcome = event.inner.device.kmd().is_done(next.fence).map(drop);
                event.settle_one(&next, outcome);
            } else {
                open.extend(deeper);
            }
        }
        self.settle_one(submitted, outcome);
    }

    /// The kernel driver said how the command ended. The first one to say it counts.
    fn settle_one(&self, submitted: &Arc<Submitted>, outcome: Result<(), KmdError>) {
        let outcome = match outcome {
            Ok(()) => match submitted.dependencies.iter().find_map(Event::error) {
                Some(error) => Err(DeviceError::Dependency(Box::new(error))),
                None => Ok(()),
            },
            Err(KmdError::QueueLost { report, .. }) => {
                let queue = submitted.queue.upgrade();
                let guilty = queue.as_ref().is_none_or(|queue| queue.is_guilty(self));
                let error = if guilty {
                    fault::error(
                        &report,
                        submitted.prepared.kernel.as_ref(),
                        &self.inner.device,
                    )
                } else {
                    DeviceError::Lost(format!("an earlier command ended it: {report}"))
                };
                if let Some(queue) = queue {
                    queue.lose(report.to_string());
                }
                Err(error)
            }
            Err(error) => Err(refused("a wait")(error)),
        };
        let ended = self.inner.device.clock.now();
        let printed = match outcome {
            Ok(()) => submitted.prepared.printed(),
            Err(_) => String::new(),
        };
        let timestamps = self.gpu_timestamps(submitted, ended);
        let mut state = self.state();
        if !matches!(state.stage, Stage::Submitted(_)) {
            return;
        }
        match outcome {
            Ok(()) => {
                state.stage = Stage::Complete;
                state.timestamps = Some(timestamps);
                state.printed = printed;
            }
            Err(error) => state.stage = Stage::Failed(error),
        }
        drop(state);
        self.inner.changed.notify_all();
    }

    fn gpu_timestamps(&self, submitted: &Submitted, seen: Duration) -> Timestamps {
        let clock = &self.inner.device.clock;
        let (started, ended) = submitted.prepared.ticks();
        let started = clock.time(started, submitted.at).unwrap_or(submitted.at);
        let ended = clock.time(ended, seen).unwrap_or(seen);
        self.ordered(submitted.at, started, ended)
    }

    /// The clocks of process and GPU tick apart by some microseconds: a stage is never earlier
    /// than the one before it.
    fn ordered(&self, submitted: Duration, started: Duration, ended: Duration) -> Timestamps {
        let queued = self.inner.queued;
        let submitted = submitted.max(queued);
        let started = started.max(submitted);
        Timestamps {
            queued,
            submitted,
            started,
            ended: ended.max(started),
        }
    }

    fn timeout(&self, after: Duration) -> DeviceError {
        DeviceError::Timeout {
            what: self.inner.what.clone(),
            after,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.inner
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// An event that this process sets. Commands that wait for it go on when it does; dropping it
/// unset fails them.
#[derive(Debug)]
pub struct UserEvent {
    event: Event,
}

impl UserEvent {
    pub(crate) fn new(device: &Arc<DeviceInner>) -> Self {
        Self {
            event: Event::new(device, "user event".to_owned()),
        }
    }

    /// The event, for wait lists.
    pub fn event(&self) -> &Event {
        &self.event
    }

    /// Sets it. What was set first counts.
    pub fn complete(&self) {
        let inner = &self.event.inner;
        let now = inner.device.clock.now();
        let times = self.event.ordered(now, now, now);
        held::advance(self.event.leave_waiting(Stage::Complete, Some(times)));
    }

    /// Fails it, and with it the commands that wait for it. What was set first counts.
    pub fn fail(&self, why: impl Into<String>) {
        held::advance(self.event.fail(DeviceError::UserEvent(why.into())));
    }
}

impl Drop for UserEvent {
    fn drop(&mut self) {
        self.fail("it was dropped without being set");
    }
}
