//! Events: the ends of commands, and what happens then.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use opencl_sys::*;

use super::callback::EventCallback;
use super::context::{CommandQueue, Context};
use super::handle::{Base, Handle, Object};
use super::host::{self, Soon};
use super::lock;
use super::platform;
use super::printing::{Printing, is_awaited, notice_earlier};
use crate::error::{Error, Result};

/// How long one wait for the device is; waits go on until the command has ended, which the
/// driver's hang check sees to.
const WAIT: Duration = Duration::from_secs(3600);

/// What runs when a command has ended, with its final status.
type Then = Box<dyn FnOnce(cl_int) + Send>;

/// What a command keeps alive until it has ended.
pub(crate) type Kept = Vec<Arc<dyn Any + Send + Sync>>;

/// Commands that the device has ended, on their way to being noticed.
static ENDS: Soon<Arc<Event>> = Soon::new("opencl ends", |event| event.notice());

/// When a command passed its stages.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Times {
    pub queued: Duration,
    pub submitted: Duration,
    pub started: Duration,
    pub ended: Duration,
}

/// The end of a command, or what a program sets.
pub(crate) struct Event {
    base: Base,
    pub context: Arc<Context>,
    /// `None` for user events.
    pub queue: Option<Arc<dyn CommandQueue>>,
    pub command: cl_command_type,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// `CL_QUEUED` … `CL_COMPLETE`, or the error.
    status: cl_int,
    times: Times,
    /// The command of the driver, if the device runs it.
    device: Option<umd::Event>,
    /// Somebody is noticing its end.
    is_ending: bool,
    /// A thread sleeps until it changes: to wake nobody is a system call, too.
    is_slept_on: bool,
    kept: Kept,
    /// While it may have something to print.
    printing: Option<Printing>,
    /// What it comes after besides its wait list, if one of the context's commands may print.
    after: Vec<Weak<Event>>,
    /// The commands that it is the end of, if it is one of several.
    parts: Vec<Arc<Event>>,
    then: Vec<Then>,
    callbacks: Vec<(cl_int, EventCallback)>,
}

impl State {
    /// Whether something is to happen at the end.
    fn is_awaited(&self) -> bool {
        !self.then.is_empty() || !self.callbacks.is_empty()
    }
}

impl Object for Event {
    const INVALID: cl_int = CL_INVALID_EVENT;
    const NAME: &'static str = "event";
    fn base(&self) -> &Base {
        &self.base
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event({:#x}, {})", self.command, self.state().status)
    }
}

impl Event {
    /// The event of a command that was enqueued now.
    pub(crate) fn of_command(
        context: Arc<Context>,
        queue: Arc<dyn CommandQueue>,
        command: cl_command_type,
        kept: Kept,
    ) -> Self {
        let queued = queue.device().now();
        let mut event = Self::new(context, Some(queue), command, CL_QUEUED);
        if let Ok(state) = event.state.get_mut() {
            state.kept = kept;
            state.times.queued = queued;
        }
        event
    }

    /// The same, of a command that begins when the first of `parts` does.
    pub(super) fn spanning(mut self, parts: Vec<Arc<Event>>) -> Self {
        if let Ok(state) = self.state.get_mut() {
            state.parts = parts;
        }
        self
    }

    /// The same, of a command that may print if it `prints`, and that comes `after` others.
    pub(super) fn printing(
        mut self,
        prints: bool,
        after: impl Iterator<Item = Weak<Self>>,
    ) -> Self {
        let printing = prints.then(|| Printing::of(&self.context));
        if is_awaited(&self.context)
            && let Ok(state) = self.state.get_mut()
        {
            (state.printing, state.after) = (printing, after.collect());
        }
        self
    }

    /// An event that the program sets.
    pub(crate) fn of_user(context: Arc<Context>) -> Self {
        // "The initial execution status of the user event object … will be set to CL_SUBMITTED"
        Self::new(context, None, CL_COMMAND_USER, CL_SUBMITTED)
    }

    fn new(
        context: Arc<Context>,
        queue: Option<Arc<dyn CommandQueue>>,
        command: cl_command_type,
        status: cl_int,
    ) -> Self {
        Self {
            base: Base::new(),
            context,
            queue,
            command,
            state: Mutex::new(State {
                status,
                times: Times::default(),
                device: None,
                is_ending: false,
                is_slept_on: false,
                kept: Vec::new(),
                printing: None,
                after: Vec::new(),
                parts: Vec::new(),
                then: Vec::new(),
                callbacks: Vec::new(),
            }),
            changed: Condvar::new(),
        }
    }

    /// Its status now.
    pub(crate) fn status(self: &Arc<Self>) -> cl_int {
        let (status, device) = self.progress();
        let Some(device) = device.filter(|_| status > CL_COMPLETE) else {
            return status;
        };
        match device.status() {
            umd::EventStatus::Queued => CL_QUEUED,
            umd::EventStatus::Submitted => CL_SUBMITTED,
            umd::EventStatus::Complete | umd::EventStatus::Failed => {
                self.notice();
                self.state().status
            }
        }
    }

    /// Whether it has ended, noticed or not.
    pub(super) fn is_over(&self) -> bool {
        let (status, device) = self.progress();
        status <= CL_COMPLETE || device.is_some_and(|device| has_ended(&device))
    }

    /// What has to end before it.
    pub(super) fn comes_after(&self) -> Vec<Arc<Self>> {
        let state = self.state();
        let kept = state.kept.iter();
        let waits = kept.filter_map(|kept| kept.clone().downcast::<Self>().ok());
        waits
            .chain(state.after.iter().filter_map(Weak::upgrade))
            .collect()
    }

    /// Whether the end was noticed.
    pub(crate) fn has_ended(&self) -> bool {
        self.state().status <= CL_COMPLETE
    }

    /// When it passed its stages, once it has ended.
    pub(crate) fn times(&self) -> Option<Times> {
        let state = self.state();
        (state.status <= CL_COMPLETE).then_some(state.times)
    }

    /// Waits for the end; gives the final status.
    pub(crate) fn wait(self: &Arc<Self>) -> cl_int {
        loop {
            let mut state = self.state();
            if state.status <= CL_COMPLETE {
                return state.status;
            }
            match state.device.clone().filter(|_| !state.is_ending) {
                Some(device) => {
                    drop(state);
                    // How it ended is looked at below.
                    let _ = device.wait(WAIT);
                    self.notice();
                }
                None => {
                    state.is_slept_on = true;
                    let waited = self.changed.wait(state);
                    drop(waited.unwrap_or_else(PoisonError::into_inner));
                }
            }
        }
    }

    /// The device has the command.
    pub(super) fn set_device(self: &Arc<Self>, device: umd::Event) {
        // What still waits for other events is queued.
        let is_submitted = !device.is_waiting();
        let mut state = self.state();
        state.device = Some(device.clone());
        if is_submitted {
            state.status = CL_SUBMITTED;
        }
        let is_awaited = state.is_awaited();
        self.wake(state);
        if is_awaited {
            device.hurry();
        }
        if is_submitted {
            self.passed(CL_SUBMITTED);
        }
    }

    /// The status of the first of its parts that failed.
    pub(super) fn failed_part(&self) -> Option<cl_int> {
        let parts = std::mem::take(&mut self.state().parts);
        let mut statuses = parts.iter().map(|part| part.state().status);
        statuses.find(|&status| status < CL_COMPLETE)
    }

    /// The host begins with the command.
    pub(super) fn start(self: &Arc<Self>) {
        let parts = std::mem::take(&mut self.state().parts);
        let times = parts.iter().filter_map(|part| part.times());
        let first = times.min_by_key(|times| times.started);
        let now = self.now();
        let mut state = self.state();
        state.status = CL_RUNNING;
        state.times = match first {
            Some(first) => first,
            None => Times {
                submitted: now,
                started: now,
                ..state.times
            },
        };
        drop(state);
        self.passed(CL_RUNNING);
    }

    fn now(&self) -> Duration {
        let queue = self.queue.as_ref();
        queue.map_or(Duration::ZERO, |queue| queue.device().now())
    }

    /// The command of the host has ended, or a user event was set; `false` if it had before.
    pub(crate) fn end(self: &Arc<Self>, status: cl_int) -> bool {
        if std::mem::replace(&mut self.state().is_ending, true) {
            return false;
        }
        let now = self.now();
        let times = self.state().times;
        self.finish(
            status,
            Times {
                ended: now,
                ..times
            },
        );
        true
    }

    /// Notices, on a thread of its own, that the device has ended the command, as the caller may be the
    /// driver's: the event may have callbacks, hold commands of the host back, or keep memory and queues
    /// that the program has released. Soon, or at once if somebody waits.
    pub(super) fn notice_soon(self: Arc<Self>) {
        let hurries = self.state().is_awaited();
        ENDS.add(self, hurries);
    }

    /// Sees to it that its end is noticed at once: something is to happen then.
    fn hurry(state: MutexGuard<'_, State>) {
        let device = state.device.clone();
        drop(state);
        if let Some(device) = device {
            device.hurry();
        }
        ENDS.hurry();
    }

    /// Notices that the device has ended the command.
    fn notice(self: &Arc<Self>) {
        let Some(device) = self.state().device.clone() else {
            return;
        };
        // With no lock held: to look may end the command, and its end asks for this event's state.
        if !has_ended(&device) {
            return;
        }
        notice_earlier(self);
        let mut state = self.state();
        if std::mem::replace(&mut state.is_ending, true) {
            return;
        }
        let queued = state.times.queued;
        drop(state);
        let printed = device.printed();
        if !printed.is_empty() {
            host::print(&printed);
        }
        if let Some(queue) = &self.queue {
            for violation in queue.device().umd.violations() {
                platform::report_violation(&violation);
                self.context.tell(&violation.to_string());
            }
        }
        let status = match device.wait(Duration::ZERO) {
            Ok(()) => CL_COMPLETE,
            Err(error) => {
                let is_first = error.kind() != umd::ErrorKind::DependencyFailed;
                if is_first && error.class() == umd::ErrorClass::Device {
                    platform::report_failure(&error);
                }
                let error = Error::from(error);
                self.context.report(&error);
                if let Some(queue) = &self.queue
                    && error.code != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
                {
                    queue.fail();
                }
                error.code
            }
        };
        let times = match device.timestamps() {
            Some(times) => Times {
                queued: queued.min(times.queued),
                submitted: times.submitted,
                started: times.started,
                ended: times.ended,
            },
            None => Times {
                queued,
                submitted: queued,
                started: queued,
                ended: self.now(),
            },
        };
        self.finish(status, times);
    }

    fn finish(self: &Arc<Self>, status: cl_int, times: Times) {
        let mut state = self.state();
        state.status = status;
        state.times = times;
        let kept = std::mem::take(&mut state.kept);
        let printing = state.printing.take();
        state.after.clear();
        let then = std::mem::take(&mut state.then);
        self.wake(state);
        for then in then {
            then(status);
        }
        self.passed(status);
        drop((kept, printing));
    }

    /// Wakes those who sleep until it changes.
    fn wake(&self, mut state: MutexGuard<'_, State>) {
        let is_slept_on = std::mem::take(&mut state.is_slept_on);
        drop(state);
        if is_slept_on {
            self.changed.notify_all();
        }
    }

    /// Runs `then` once the command has ended, at once if it has.
    pub(super) fn then(&self, then: impl FnOnce(cl_int) + Send + 'static) {
        let mut state = self.state();
        if state.status > CL_COMPLETE {
            state.then.push(Box::new(then));
            return Self::hurry(state);
        }
        let status = state.status;
        drop(state);
        then(status);
    }

    /// Calls back once the command has reached a status.
    pub(crate) fn add_callback(self: &Arc<Self>, reached: cl_int, callback: EventCallback) {
        let mut state = self.state();
        let status = state.status;
        if status > reached {
            state.callbacks.push((reached, callback));
            return Self::hurry(state);
        }
        drop(state);
        self.call(reached, status, callback);
    }

    /// Calls those back that wait for a status that has been reached.
    fn passed(self: &Arc<Self>, status: cl_int) {
        let mut state = self.state();
        if state.callbacks.is_empty() {
            return;
        }
        let all = std::mem::take(&mut state.callbacks);
        let (mut ready, later): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|&(reached, _)| status <= reached);
        state.callbacks = later;
        drop(state);
        // The stages in their order.
        ready.sort_by_key(|&(reached, _)| std::cmp::Reverse(reached));
        for (reached, callback) in ready {
            self.call(reached, status, callback);
        }
    }

    /// "The registered callback function will be called when the execution status of command
    /// associated with event changes to an execution status equal to or past the status specified
    /// by command_exec_status" — with the status, or the error if it ended by one. The event lives
    /// until then, though the program may have released it.
    fn call(self: &Arc<Self>, reached: cl_int, status: cl_int, callback: EventCallback) {
        let event = self.clone();
        let status = match status {
            error if error < 0 => error,
            _ => reached,
        };
        host::call_back(Box::new(move || callback.call(event.base.handle(), status)));
    }

    /// Its status as far as it was noticed, and the driver's command, if the device runs it.
    pub(super) fn progress(&self) -> (cl_int, Option<umd::Event>) {
        let state = self.state();
        (state.status, state.device.clone())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

/// Whether the device has ended a command.
fn has_ended(device: &umd::Event) -> bool {
    matches!(
        device.status(),
        umd::EventStatus::Complete | umd::EventStatus::Failed
    )
}

/// The events of a wait list.
///
/// # Errors
/// As enqueueing calls have them.
pub(crate) fn wait_list(handles: &[Handle], context: &Arc<Context>) -> Result<Vec<Arc<Event>>> {
    let events = handles.iter().map(|handle| {
        // "CL_INVALID_EVENT_WAIT_LIST … if event objects in event_wait_list are not valid events"
        let event = handle.get::<Event>();
        let event = event.map_err(|error| error.with_code(CL_INVALID_EVENT_WAIT_LIST))?;
        // "CL_INVALID_CONTEXT … if the context associated with command_queue and events in
        // event_wait_list are not the same"
        context.same(&event.context, "an event of the wait list")?;
        Ok(event)
    });
    events.collect()
}
