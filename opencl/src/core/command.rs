//! Commands: what runs on the device, and what runs on the host, in one order.
//!
//! A command of the device goes to the driver at once; for what it waits for that is no command of
//! the same device, an event of the driver stands in that the end of the other sets. A command of
//! the host begins when the last of what it waits for has ended; the queue's worker runs it, or the
//! caller, if the call blocks.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

use opencl_sys::*;

use super::event::{Event, Kept};
use super::lock;
use super::queue::Queue;
use super::watch;
use crate::error::{Error, Result};

/// What a command of the host does.
pub(crate) type Work = Box<dyn FnOnce() -> Result<()> + Send>;

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

/// Enqueues a command of the device, which `submit` hands to the driver.
pub(crate) fn on_device(
    queue: &Arc<Queue>,
    command: cl_command_type,
    waits: &[Arc<Event>],
    kept: Kept,
    submit: impl FnOnce(&umd::Queue, &[umd::Event]) -> Result<umd::Event>,
) -> Result<Arc<Event>> {
    let event = Arc::new(Event::of_command(queue, command, keep(kept, waits)));
    let mut order = queue.order();
    let before = order.last.upgrade();
    let before = before.and_then(|last| last.on_device(queue, true));
    let waits = waits.iter().filter_map(|wait| wait.on_device(queue, false));
    let list: Vec<_> = waits.chain(before).collect();
    let submitted = submit(&queue.umd, &list)?;
    event.set_device(submitted.clone());
    if !queue.is_out_of_order() {
        order.last = Arc::downgrade(&event);
    }
    order.add(&event);
    drop(order);
    watch::watch(submitted, event.clone());
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
    let mut order = queue.order();
    let after = match place {
        Place::AfterAll | Place::Barrier { after_all: true } => order.open(),
        Place::Next | Place::Barrier { after_all: false } => {
            order.last.upgrade().into_iter().collect()
        }
    };
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
    // Waited for here and not by the watching thread, which looks only now and then.
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
            None => Err(Error::new(
                CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
                "an event of the wait list failed",
            )),
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
