//! Commands: what runs on the device, and what runs on the host, in one order.
//!
//! A command of the device goes to the driver at once; for what it waits for that is no command of
//! the same device, an event of the driver stands in that the end of the other sets. A command of
//! the host begins when the last of what it waits for has ended; the queue's worker runs it, or the
//! caller, if the call blocks.

use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::{iter, slice};

use opencl_sys::*;

use super::event::{Event, Kept};
use super::lock;
use super::memory::Mem;
use super::pipe;
use super::queue::{Order, Queue};
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
        Self { pipes, ..self }
    }

    /// What clears the lock of a pipe.
    pub(crate) fn unlock(mem: &Mem, queue: &Queue) -> Result<Option<umd::Command>> {
        let memory = mem.pipe.as_ref().and(mem.buffers.get(queue.place));
        let fill = |memory| umd::Command::fill_buffer(&queue.umd, (memory, pipe::LOCK), 4, &[0; 4]);
        Ok(memory.map(fill).transpose()?)
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

    /// Enqueues it, after the events of a wait list.
    pub(crate) fn enqueue(
        &self,
        queue: &Arc<Queue>,
        waits: &[Arc<Event>],
        blocking: bool,
    ) -> Result<Arc<Event>> {
        match &self.does {
            Does::Device(_) => {
                let mut users = Users::of(slice::from_ref(self));
                let mut order = queue.order();
                self.place(queue, &mut order, (waits, &[]), &mut users)
            }
            Does::Host(_) | Does::Nothing(_) => {
                let event = self.event(queue, waits);
                let (place, work) = self.on_the_host();
                schedule(queue, event, place, (waits, &[]), blocking, work)
            }
        }
    }

    /// Puts it into the order of its queue.
    fn place(
        &self,
        queue: &Arc<Queue>,
        order: &mut Order,
        (waits, before): After<'_>,
        users: &mut Users<'_>,
    ) -> Result<Arc<Event>> {
        let Does::Device(command) = &self.does else {
            let event = self.event(queue, waits);
            let (place, work) = self.on_the_host();
            let all = (waits, before);
            return Ok(pending(queue, order, event, place, all, false, work)
                .event
                .clone());
        };
        // Kernels that take a pipe come one after the other.
        let earlier = users
            .of_pipes(&self.pipes)
            .filter_map(|last| last.upgrade());
        let before: Vec<_> = before.iter().cloned().chain(earlier).collect();
        let all = (waits, &*before);
        let event = on_device(queue, order, self.kind, all, self.kept.clone(), command)?;
        for last in users.of_pipes(&self.pipes) {
            *last = Arc::downgrade(&event);
        }
        Ok(event)
    }

    fn event(&self, queue: &Arc<Queue>, waits: &[Arc<Event>]) -> Arc<Event> {
        let kept = keep(self.kept.clone(), waits);
        Arc::new(of_command(queue, self.kind, kept))
    }

    /// Its place and what the host does, if the device does nothing.
    fn on_the_host(&self) -> (Place, Work) {
        match &self.does {
            Does::Host(work) => {
                let work = work.clone();
                (Place::Next, Box::new(move || work()))
            }
            Does::Nothing(place) => (*place, Box::new(|| Ok(()))),
            Does::Device(_) => (Place::Next, Box::new(|| Ok(()))),
        }
    }
}

/// The ends of the last kernels that take the pipes of commands, locked in one order.
struct Users<'a>(Vec<(*const Mem, MutexGuard<'a, Weak<Event>>)>);

impl<'a> Users<'a> {
    fn of(commands: &'a [Command]) -> Self {
        let pipes = commands.iter().flat_map(|command| &command.pipes);
        let mut pipes: Vec<_> = pipes.collect();
        pipes.sort_by_key(|mem| Arc::as_ptr(mem));
        pipes.dedup_by(|a, b| Arc::ptr_eq(a, b));
        let pipes = pipes.into_iter();
        let users =
            pipes.filter_map(|mem| Some((Arc::as_ptr(mem), lock(&mem.pipe.as_ref()?.last))));
        Self(users.collect())
    }

    fn of_pipes(&mut self, pipes: &[Arc<Mem>]) -> impl Iterator<Item = &mut Weak<Event>> {
        let users = self.0.iter_mut();
        let users = users.filter(|(own, _)| pipes.iter().any(|mem| Arc::as_ptr(mem) == *own));
        users.map(|(_, last)| &mut **last)
    }
}

/// The steps of a command, enqueued.
pub(crate) struct Enqueued {
    /// The end of the command.
    pub end: Arc<Event>,
    /// Why the last steps were not enqueued.
    pub failed: Option<Error>,
}

/// Enqueues the steps of a command, after the events of a wait list, and after `before` has ended, well
/// or not. No other command of a queue in order comes between them.
///
/// # Errors
/// The first step was not enqueued.
pub(crate) fn enqueue_steps(
    queue: &Arc<Queue>,
    kind: cl_command_type,
    steps: &[Command],
    waits: &[Arc<Event>],
    before: Option<&Arc<Event>>,
) -> Result<Enqueued> {
    let mut users = Users::of(steps);
    let mut order = queue.order();
    let mut failed = None;
    let mut parts: Vec<Arc<Event>> = Vec::with_capacity(steps.len());
    for step in steps {
        let after: After<'_> = match parts.last() {
            None => (waits, before.map_or(&[], slice::from_ref)),
            Some(part) => (slice::from_ref(part), &[]),
        };
        match step.place(queue, &mut order, after, &mut users) {
            Ok(part) => parts.push(part),
            Err(error) if parts.is_empty() => return Err(error),
            Err(error) => {
                failed = Some(error);
                break;
            }
        }
    }
    let end = match (&*parts, &failed) {
        ([only], None) => only.clone(),
        _ => end_of(queue, &mut order, kind, parts, waits),
    };
    Ok(Enqueued { end, failed })
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

/// The event of a command that is enqueued now.
fn of_command(queue: &Arc<Queue>, command: cl_command_type, kept: Kept) -> Event {
    Event::of_command(queue.context.clone(), queue.clone(), command, kept)
}

/// What a command waits for: events that have to end well, and events that have to end.
type After<'a> = (&'a [Arc<Event>], &'a [Arc<Event>]);

/// Enqueues a command of the device.
fn on_device(
    queue: &Arc<Queue>,
    order: &mut Order,
    kind: cl_command_type,
    (waits, before): After<'_>,
    kept: Kept,
    command: &umd::Command,
) -> Result<Arc<Event>> {
    let after = before.iter().map(Arc::downgrade);
    let after = after.chain(iter::once_with(|| order.last.clone()));
    let event = of_command(queue, kind, keep(kept, waits));
    let event = Arc::new(event.printing(command.prints(), after));
    let before = order
        .last
        .upgrade()
        .into_iter()
        .chain(before.iter().cloned());
    let before = before.filter_map(|last| queue.stand_in(&last, true));
    let waits = waits.iter().filter_map(|wait| queue.stand_in(wait, false));
    let list: Vec<_> = waits.chain(before).collect();
    let submitted = queue.umd.run(command, &list)?;
    event.set_device(submitted.clone());
    if !queue.is_out_of_order() {
        order.last = Arc::downgrade(&event);
    }
    order.add(&event);
    // The thread that calls may be the driver's, which must not drop a queue.
    let ended = event.clone();
    submitted.on_complete_unhurried(move |_| ended.notice_soon())?;
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
    let event = Arc::new(of_command(queue, command, keep(kept, waits)));
    schedule(queue, event, place, (waits, &[]), blocking, work)
}

/// Enqueues the end of commands: a command that began with the first of them, and fails as the first
/// one that fails.
fn end_of(
    queue: &Arc<Queue>,
    order: &mut Order,
    command: cl_command_type,
    parts: Vec<Arc<Event>>,
    waits: &[Arc<Event>],
) -> Arc<Event> {
    let waits = if parts.is_empty() {
        waits.to_vec()
    } else {
        parts.clone()
    };
    let event = of_command(queue, command, keep(Vec::new(), &waits));
    let event = Arc::new(event.spanning(parts));
    let nothing = Box::new(|| Ok(()));
    let all: After<'_> = (&waits, &[]);
    let pending = pending(queue, order, event, Place::Next, all, false, nothing);
    pending.event.clone()
}

fn schedule(
    queue: &Arc<Queue>,
    event: Arc<Event>,
    place: Place,
    (waits, before): After<'_>,
    blocking: bool,
    work: Work,
) -> Result<Arc<Event>> {
    let all = (waits, before);
    // What a failed command should have made is not there.
    let checked = queue.clone();
    let work = Box::new(move || checked.check(blocking).and_then(|()| work()));
    let pending = pending(queue, &mut queue.order(), event, place, all, blocking, work);
    if !blocking {
        return Ok(pending.event.clone());
    }
    // Waited for here: that takes no turn of another thread.
    for wait in waits.iter().chain(&pending.after) {
        wait.wait();
    }
    pending.wait();
    match pending.run() {
        CL_COMPLETE => Ok(pending.event.clone()),
        status => Err(Error::new(status, "the command failed")),
    }
}

/// Puts a command of the host into the order of its queue. It begins when it may.
fn pending(
    queue: &Arc<Queue>,
    order: &mut Order,
    event: Arc<Event>,
    place: Place,
    (waits, before): After<'_>,
    blocking: bool,
    work: Work,
) -> Arc<Pending> {
    let mut after: Vec<Arc<Event>> = match place {
        Place::AfterAll | Place::Barrier { after_all: true } => order.last_open(),
        Place::Next | Place::Barrier { after_all: false } => {
            order.last.upgrade().into_iter().collect()
        }
    };
    after.extend(before.iter().cloned());
    if !queue.is_out_of_order() || matches!(place, Place::Barrier { .. }) {
        order.last = Arc::downgrade(&event);
    }
    match place {
        Place::AfterAll | Place::Barrier { after_all: true } => order.add_after_all(&event),
        Place::Next | Place::Barrier { after_all: false } => order.add(&event),
    }
    let pending = Arc::new(Pending {
        queue: queue.clone(),
        event,
        state: Mutex::new(State {
            missing: 1 + waits.len() + after.len(),
            failed: false,
            work: Some(work),
            blocking,
        }),
        after,
        ready: Condvar::new(),
    });
    for wait in waits {
        let pending = pending.clone();
        wait.then(move |status| pending.ended(status < CL_COMPLETE));
    }
    for wait in &pending.after {
        let pending = pending.clone();
        wait.then(move |_| pending.ended(false));
    }
    pending.ended(false);
    pending
}

/// A command of the host that may still wait.
struct Pending {
    queue: Arc<Queue>,
    event: Arc<Event>,
    state: Mutex<State>,
    /// What it comes after, besides its wait list.
    after: Vec<Arc<Event>>,
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
