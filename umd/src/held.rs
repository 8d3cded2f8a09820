//! Commands held back in this process, because something that they wait for has not reached the
//! kernel driver: a user event that is not set, or a command that itself is held.
//!
//! What the kernel driver has, it orders by fences; so a held command goes on as soon as
//! everything that it waits for was submitted or has ended. No thread waits for that: whoever
//! makes the last of them go on submits the held command, too.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::event::Event;
use crate::launch::Work;

/// The queue of held commands, which lives as long as there are any.
pub(crate) trait Submit: fmt::Debug + Send + Sync {
    /// Hands a command to the kernel driver: what it waits for is there already, or has ended.
    /// Gives the commands that can go on now.
    fn submit(&self, pending: Pending) -> Vec<Arc<Held>>;
}

/// A command that has not been submitted yet.
#[derive(Debug)]
pub(crate) struct Pending {
    /// Its number among the queue's [held](crate::ledger::Ledger::enter) commands, if there are any.
    pub number: Option<u64>,
    pub event: Event,
    /// When it was enqueued, if that is now, to whoever submits it first: nothing holds it.
    pub enqueued: Option<Duration>,
    pub work: Work,
    /// What has to end well first.
    pub dependencies: Vec<Event>,
    /// What has to be submitted first, however it ends: the queue's own order.
    pub after: After,
}

/// What a command comes after in its queue.
#[derive(Debug, Default)]
pub(crate) struct After {
    /// The command before it, or the last barrier.
    pub order: Option<Event>,
    /// Others that had not been submitted then, if it comes after all.
    pub others: Vec<Event>,
}

impl Pending {
    /// All that has to be submitted first.
    fn events(&self) -> impl Iterator<Item = &Event> {
        let after = self.after.order.iter().chain(&self.after.others);
        self.dependencies.iter().chain(after)
    }
}

/// A command and the number of events that still hold it back.
#[derive(Debug)]
pub(crate) struct Held {
    queue: Arc<dyn Submit>,
    missing: AtomicUsize,
    pending: Mutex<Option<Pending>>,
}

impl Held {
    /// Submits a command as soon as all that it waits for allows it; at once, if it does now.
    pub(crate) fn start(queue: Arc<dyn Submit>, pending: Pending) {
        // The usual case, which needs nothing to hold it.
        if !pending.events().any(Event::is_waiting) {
            return advance(queue.submit(pending));
        }
        let list: Vec<Event> = pending.events().cloned().collect();
        // One more than there are events, so that none of them starts the command before all
        // know of it.
        let held = Arc::new(Self {
            queue,
            missing: AtomicUsize::new(1 + list.len()),
            pending: Mutex::new(Some(pending)),
        });
        let known = list.iter().filter(|event| event.hold(&held)).count();
        let free = 1 + list.len() - known;
        advance(std::iter::repeat_n(held, free).collect());
    }

    /// One event less holds the command back; gives the command if it was the last.
    fn release(&self) -> Option<Pending> {
        if self.missing.fetch_sub(1, Ordering::AcqRel) > 1 {
            return None;
        }
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        pending.take()
    }
}

/// Releases commands, and those that waited for them, one after the other: a chain of any length
/// takes no stack.
pub(crate) fn advance(released: Vec<Arc<Held>>) {
    if released.is_empty() {
        return;
    }
    let mut released = VecDeque::from(released);
    while let Some(held) = released.pop_front() {
        if let Some(pending) = held.release() {
            released.extend(held.queue.submit(pending));
        }
    }
}
