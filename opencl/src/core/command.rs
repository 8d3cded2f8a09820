//! Commands: what runs on the device, and what runs on the host, in one order.
//!
//! A command of the device goes to the driver at once; for what it waits for that is no command of
//! the same device, an event of the driver stands in that the end of the other sets. A command of
//! the host begins when the last of what it waits for has ended; the queue's worker runs it, or the
//! caller, if the call blocks.

use std::fmt;
use std::slice;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use opencl_sys::*;

use super::event::{Event, Kept};
use super::host;
use super::lock;
use super::memory::Mem;
use super::pipe;
use super::queue::Queue;
use crate::error::{Error, Result};

/// What a command of the host does.
pub(crate) type Work = Box<dyn FnOnce() -> Result<()> + Send>;

/// A command that was checked, and has no place in a queue yet: it can be enqueued more than once.
#[derive(Clone)]
pub(crate) struct Command {
    kind: cl_command_type,
    kept: Kept,
    does: Does,
    /// The pipes that kernels in it take.
    pipes: Vec<Arc<Mem>>,
}

#[derive(Clone)]
enum Does {
    Device(umd::Command),
    Host(Arc<dyn Fn() -> Result<()> + Send + Sync>),
    Nothing(Place),
}

impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Command({:#x})", self.kind)
    }
}

impl Command {
    fn new(kind: cl_command_type, kept: Kept, does: Does) -> Self {
        let pipes = Vec::new();
        Self {
            kind,
            kept,
            does,
            pipes,
        }
    }

    /// The same, of kernels that take pipes.
    pub(crate) fn with_pipes(self, pipes: Vec<Arc<Mem>>) -> Self {
        let pipes = pipe::in_order(pipes);
        Self { pipes, ..self }
    }

    /// A command of the device.
    pub(crate) fn on_device(kind: cl_command_type, kept: Kept, command: umd::Command) -> Self {
        Self::new(kind, kept, Does::Device(command))
    }

    /// A command of the host.
    pub(crate) fn on_host(
        kind: cl_command_type,
        kept: Kept,
        work: impl Fn() -> Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self::new(kind, kept, Does::Host(Arc::new(work)))
    }

    /// A command that does nothing but take its place.
    pub(crate) fn mark(kind: cl_command_type, kept: Kept, place: Place) -> Self {
        Self::new(kind, kept, Does::Nothing(place))
    }

    /// Commands one after the other as the steps of one, of this kind: what the device does between
    /// two commands of the host is one step, whose batch is submitted in one go.
    pub(crate) fn steps<'a>(
        kind: cl_command_type,
        queue: &Queue,
        commands: impl IntoIterator<Item = &'a Self>,
    ) -> Result<Vec<Self>> {
        let recording = |run: &mut Vec<(&Self, umd::Command)>| {
            let run = std::mem::take(run);
            let kept = run.iter().flat_map(|(own, _)| own.kept.clone()).collect();
            let pipes = run.iter().flat_map(|(own, _)| own.pipes.clone()).collect();
            let parts: Vec<_> = run.into_iter().map(|(_, part)| part).collect();
            let recording = umd::Command::recording(&queue.device.umd, &parts)?;
            Ok::<_, Error>(Self::on_device(kind, kept, recording).with_pipes(pipes))
        };
        let (mut steps, mut run) = (Vec::new(), Vec::new());
        for command in commands {
            match &command.does {
                Does::Device(part) => run.push((command, part.clone())),
                Does::Host(_) => {
                    if !run.is_empty() {
                        steps.push(recording(&mut run)?);
                    }
                    let command = command.clone();
                    steps.push(Self { kind, ..command });
                }
                Does::Nothing(_) => {}
            }
        }
        if !run.is_empty() {
            steps.push(recording(&mut run)?);
        }
        Ok(steps)
    }

    /// Enqueues it, after the events of a wait list, and after `before` has ended, well or not.
    pub(crate) fn enqueue(
        &self,
        queue: &Arc<Queue>,
        waits: &[Arc<Event>],
        before: Option<&Arc<Event>>,
        blocking: bool,
    ) -> Result<Arc<Event>> {
        let kept = self.kept.clone();
        let (place, work): (_, Work) = match &self.does {
            Does::Device(command) => {
                // Kernels that take a pipe come one after the other.
                let pipes = self.pipes.iter().filter_map(|mem| mem.pipe.as_ref());
                let mut users: Vec<_> = pipes.map(|pipe| lock(&pipe.last)).collect();
                let before = before.cloned().into_iter();
                let before = before.chain(users.iter().filter_map(|last| last.upgrade()));
                let before: Vec<_> = before.collect();
                let event = on_device(queue, self.kind, (waits, &before), kept, command)?;
                for user in &mut users {
                    **user = Arc::downgrade(&event);
                }
                return Ok(event);
            }
            Does::Host(work) => {
                let work = work.clone();
                (Place::Next, Box::new(move || work()))
            }
            Does::Nothing(place) => (*place, Box::new(|| Ok(()))),
        };
        let event = Event::of_command(queue, self.kind, keep(kept, waits));
        schedule(
            queue,
            Arc::new(event),
            place,
            (waits, before.map_or(&[], slice::from_ref)),
            blocking,
            work,
        )
    }
}

/// A command's place in its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// After what the queue's order says.
    Next,
    /// After all commands that were enqueued before.
    AfterAll,
    /// And before all that are enqueued later.
    Barrier {
        /// After all commands that were enqueued before, too.
        after_all: bool,
    },
}

/// What a command keeps alive, with what it waits for: an event is not "deleted [while] there are …
/// commands in the command-queues of a context that require a wait for this event".
fn keep(mut kept: Kept, waits: &[Arc<Event>]) -> Kept {
    for wait in waits {
        kept.push(wait.clone());
    }
    kept
}

/// What a command waits for: events that have to end well, and events that have to end.
type After<'a> = (&'a [Arc<Event>], &'a [Arc<Event>]);

/// Enqueues a command of the device.
fn on_device(
    queue: &Arc<Queue>,
    kind: cl_command_type,
    (waits, before): After<'_>,
    kept: Kept,
    command: &umd::Command,
) -> Result<Arc<Event>> {
    let event = Arc::new(Event::of_command(queue, kind, keep(kept, waits)));
    let mut order = queue.order();
    let before = order
        .last
        .upgrade()
        .into_iter()
        .chain(before.iter().cloned());
    let before = before.filter_map(|last| last.on_device(queue, true));
    let waits = waits.iter().filter_map(|wait| wait.on_device(queue, false));
    let list: Vec<_> = waits.chain(before).collect();
    let submitted = queue.umd.run(command, &list)?;
    event.set_device(submitted.clone());
    if !queue.is_out_of_order() {
        order.last = Arc::downgrade(&event);
    }
    order.add(&event);
    drop(order);
    // The thread that calls may be the driver's, which must not drop a queue.
    let ended = event.clone();
    submitted.on_complete(move |_| host::notice(Box::new(move || ended.notice())))?;
    Ok(event)
}

/// Enqueues a command of the host. If `blocking`, the caller runs it, and waits for that.
pub(crate) fn on_host(
    queue: &Arc<Queue>,
    (command, place): (cl_command_type, Place),
    waits: &[Arc<Event>],
    kept: Kept,
    blocking: bool,
    work: Work,
) -> Result<Arc<Event>> {
    let event = Arc::new(Event::of_command(queue, command, keep(kept, waits)));
    schedule(queue, event, place, (waits, &[]), blocking, work)
}

/// Enqueues the end of commands: a command that began with the first of them, and fails as the first
/// one that fails.
pub(crate) fn end_of(
    queue: &Arc<Queue>,
    command: cl_command_type,
    parts: Vec<Arc<Event>>,
    waits: &[Arc<Event>],
) -> Result<Arc<Event>> {
    let waits = if parts.is_empty() {
        waits.to_vec()
    } else {
        parts.clone()
    };
    let event = Event::of_command(queue, command, keep(Vec::new(), &waits));
    let event = Arc::new(event.spanning(parts));
    let nothing = Box::new(|| Ok(()));
    schedule(queue, event, Place::Next, (&waits, &[]), false, nothing)
}

fn schedule(
    queue: &Arc<Queue>,
    event: Arc<Event>,
    place: Place,
    (waits, before): After<'_>,
    blocking: bool,
    work: Work,
) -> Result<Arc<Event>> {
    let mut order = queue.order();
    let mut after: Vec<Arc<Event>> = match place {
        Place::AfterAll | Place::Barrier { after_all: true } => order.open(),
        Place::Next | Place::Barrier { after_all: false } => {
            order.last.upgrade().into_iter().collect()
        }
    };
    after.extend(before.iter().cloned());
    if !queue.is_out_of_order() || matches!(place, Place::Barrier { .. }) {
        order.last = Arc::downgrade(&event);
    }
    order.add(&event);
    drop(order);
    let pending = Arc::new(Pending {
        queue: queue.clone(),
        event: event.clone(),
        state: Mutex::new(State {
            missing: 1 + waits.len() + after.len(),
            failed: false,
            work: Some(work),
            blocking,
        }),
        ready: Condvar::new(),
    });
    for wait in waits {
        let pending = pending.clone();
        wait.then(move |status| pending.ended(status < CL_COMPLETE));
    }
    for wait in &after {
        let pending = pending.clone();
        wait.then(move |_| pending.ended(false));
    }
    pending.ended(false);
    if !blocking {
        return Ok(event);
    }
    // Waited for here: that takes no turn of another thread.
    for wait in waits.iter().chain(&after) {
        wait.wait();
    }
    pending.wait();
    match pending.run() {
        CL_COMPLETE => Ok(event),
        status => Err(Error::new(status, "the command failed")),
    }
}

/// A command of the host that may still wait.
struct Pending {
    queue: Arc<Queue>,
    event: Arc<Event>,
    state: Mutex<State>,
    ready: Condvar,
}

struct State {
    /// How many events have to end first, and one until all of them are known.
    missing: usize,
    /// One of the wait list failed.
    failed: bool,
    work: Option<Work>,
    /// The caller runs it.
    blocking: bool,
}

impl Pending {
    fn ended(self: &Arc<Self>, failed: bool) {
        let mut state = lock(&self.state);
        state.missing -= 1;
        state.failed |= failed;
        if state.missing > 0 {
            return;
        }
        let blocking = state.blocking;
        drop(state);
        match blocking {
            true => self.ready.notify_all(),
            false => {
                let pending = self.clone();
                self.queue.worker.run(Box::new(move || {
                    pending.run();
                }));
            }
        }
    }

    fn wait(&self) {
        let mut state = lock(&self.state);
        while state.missing > 0 {
            state = self
                .ready
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Runs it; gives the final status.
    fn run(&self) -> cl_int {
        let mut state = lock(&self.state);
        let work = state.work.take().filter(|_| !state.failed);
        drop(state);
        let result = match work {
            Some(work) => {
                self.event.start();
                work()
            }
            None => Err(match self.event.failed_part() {
                // It was reported as that of the part.
                Some(status) => {
                    self.event.end(status);
                    return status;
                }
                None => Error::new(
                    CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
                    "an event of the wait list failed",
                ),
            }),
        };
        let status = match result {
            Ok(()) => CL_COMPLETE,
            Err(error) => {
                self.event.context.report(&error);
                error.code
            }
        };
        self.event.end(status);
        status
    }
}
