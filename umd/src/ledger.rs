//! What a queue has under way, and what became of it.
//!
//! # Locks
//! A queue and its events have these locks, taken in this order only:
//! 1. `maker` ([`QueueInner`](crate::queue::QueueInner)), while a command is made and the kernel
//!    driver takes it: it may block until the queue has room;
//! 2. an event's;
//! 3. the ledger's.
//!
//! The kernel driver is called under the first one only, and nothing that has a deadline (waiting,
//! looking, finishing) takes that. Under the last two nothing is dropped that the GPU has used:
//! giving memory back is a call to the kernel driver, too. Callbacks are called under none.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use kmd_iface::{ErrorReport, Fence, Kmd, KmdError, Seqno};

use crate::error::DeviceError;
use crate::event::{Event, Submitted};
use crate::held::After;
use crate::launch::{Oldest, Places};
use crate::waiter;

/// The commands of a queue.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    state: Mutex<Commands>,
    /// Something is to be watched, or the queue goes.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Commands {
    /// The number of the next command.
    next: u64,
    /// Commands that the kernel driver does not have yet, with their numbers, which rise.
    held: VecDeque<(u64, Event)>,
    /// Commands that the kernel driver has, by seqno. They keep what the GPU uses, until the kernel
    /// driver says that it is done.
    in_flight: VecDeque<InFlight>,
    /// What the next command comes after: the one before it, or the last barrier of a queue out
    /// of order.
    order: Option<Event>,
    /// The last command that comes after all before it.
    gathered: u64,
    /// What the first command failed with whose end [`Queue::finish`](crate::Queue::finish) has
    /// not told yet.
    failed: Option<DeviceError>,
    end: Option<End>,
    /// The last command whose end the waiter has to notice.
    watched: Option<Seqno>,
    /// Nobody has the queue any more.
    is_released: bool,
    /// Whether there is a waiter.
    has_waiter: bool,
}

#[derive(Clone, Debug)]
struct InFlight {
    event: Event,
    submitted: Arc<Submitted>,
    /// What of the queue's heap it uses.
    places: Places,
}

/// Why a queue takes no more work.
#[derive(Clone, Debug)]
pub(crate) enum End {
    /// A command failed, and the kernel driver reset the queue.
    Lost {
        report: ErrorReport,
        /// The first command that had not ended then.
        guilty: Option<Seqno>,
    },
    /// Nobody has it any more.
    Released,
}

/// What a command comes after, besides its wait list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// All earlier commands, in a queue that is in order; the last barrier in one that is not.
    Next,
    /// All earlier commands.
    Last,
}

impl Order {
    /// The place of a marker: without a wait list, it waits for everything.
    pub(crate) fn of_marker(wait_list: &[Event]) -> Self {
        match wait_list {
            [] => Self::Last,
            _ => Self::Next,
        }
    }
}

impl Ledger {
    /// Gives a command its number, and what has to be submitted before it. If `barrier` is set,
    /// all later commands come after it.
    pub(crate) fn enter(
        &self,
        event: &Event,
        out_of_order: bool,
        place: Order,
        barrier: bool,
    ) -> (u64, After) {
        let mut state = self.lock();
        let number = state.next;
        state.next += 1;
        let mut after = After {
            order: state.order.clone(),
            others: Vec::new(),
        };
        if out_of_order && place == Order::Last {
            // Those before the last such command are before that one; what the kernel driver has
            // runs in order.
            let gathered = state.gathered;
            let held = state.held.iter().filter(|(number, _)| *number >= gathered);
            after.others = held.map(|(_, event)| event.clone()).collect();
            state.gathered = number;
        }
        if !out_of_order || barrier {
            state.order = Some(event.clone());
        }
        state.held.push_back((number, event.clone()));
        (number, after)
    }

    /// The kernel driver has taken a command. Called in the order of the fences.
    pub(crate) fn submitted(
        &self,
        number: u64,
        event: &Event,
        (submitted, places): (&Arc<Submitted>, Places),
    ) {
        let mut state = self.lock();
        state.release(number);
        state.in_flight.push_back(InFlight {
            event: event.clone(),
            submitted: submitted.clone(),
            places,
        });
    }

    /// A command failed before the kernel driver had it.
    pub(crate) fn refused(&self, number: u64, error: &DeviceError) {
        self.lock().release(number);
        self.failed(error);
    }

    /// A command failed.
    pub(crate) fn failed(&self, error: &DeviceError) {
        let mut state = self.lock();
        // That a queue was lost is told by the error of the command that it was lost by.
        match &state.failed {
            Some(DeviceError::Lost(_)) if error.is_of_the_guilty() => {}
            Some(_) => return,
            None => {}
        }
        state.failed = Some(error.clone());
    }

    /// The error that was not told yet.
    pub(crate) fn take_failed(&self) -> Option<DeviceError> {
        self.lock().failed.take()
    }

    /// An error if the queue takes no more work.
    pub(crate) fn usable(&self) -> Result<(), DeviceError> {
        match &self.lock().end {
            None => Ok(()),
            Some(end) => Err(end.error()),
        }
    }

    /// The queue is lost. Gives what became of it: the first to say so counts.
    pub(crate) fn lose(&self, report: &ErrorReport) -> End {
        let mut state = self.lock();
        let Commands { end, in_flight, .. } = &mut *state;
        let lost = end.get_or_insert_with(|| {
            // The GPU takes nothing more of it, so the tags are final.
            let mut open = in_flight
                .iter()
                .filter(|command| !command.submitted.prepared.is_done());
            End::Lost {
                report: report.clone(),
                guilty: open.next().map(|command| command.submitted.fence.seqno),
            }
        });
        lost.clone()
    }

    /// The queue is about to be destroyed.
    pub(crate) fn release(&self) {
        let mut state = self.lock();
        state.end.get_or_insert(End::Released);
        state.is_released = true;
        // Its event has this ledger, so neither would ever go.
        let order = state.order.take();
        drop(state);
        drop(order);
        self.changed.notify_all();
    }

    /// Why the queue takes no more work.
    pub(crate) fn end(&self) -> Option<End> {
        self.lock().end.clone()
    }

    /// All commands whose end may not have been noticed: those that the kernel driver has, and
    /// those that it does not have.
    pub(crate) fn open(&self) -> (Vec<Event>, Vec<Event>) {
        let state = self.lock();
        let in_flight = state.in_flight.iter();
        (
            in_flight.map(|command| command.event.clone()).collect(),
            state.held.iter().map(|(_, event)| event.clone()).collect(),
        )
    }

    /// The last command that the kernel driver has.
    pub(crate) fn last(&self) -> Option<Event> {
        let state = self.lock();
        state.in_flight.back().map(|command| command.event.clone())
    }

    /// Forgets commands that have ended, so that their memory can be used again. Looks at the
    /// completion tags: while commands run, there is no system call.
    pub(crate) fn reap(&self, kmd: &dyn Kmd) {
        let Some(fence) = self.last_tagged() else {
            return;
        };
        // The tag is written before the batch's last command is read.
        match kmd.is_done(fence) {
            Ok(false) => {}
            Ok(true) => self.ended(fence.seqno, &Ok(())),
            Err(error) => self.ended(fence.seqno, &Err(error)),
        }
    }

    /// What of the queue's heap is in use.
    pub(crate) fn places(&self) -> Oldest {
        let state = self.lock();
        Oldest::of(state.in_flight.iter().map(|command| command.places))
    }

    /// The completion of the oldest command that the kernel driver has.
    pub(crate) fn oldest_fence(&self) -> Option<Fence> {
        let state = self.lock();
        state
            .in_flight
            .front()
            .map(|command| command.submitted.fence)
    }

    /// The kernel driver said how the command of a fence ended. All before it have ended, too; with
    /// the queue, all behind it.
    pub(crate) fn notice(&self, fence: Fence, outcome: &Result<(), KmdError>) {
        let last = match outcome {
            Err(KmdError::QueueLost { .. }) => Seqno::new(u64::MAX),
            _ => fence.seqno,
        };
        self.ended(last, outcome);
    }

    /// Sees to it that a thread notices the ends of [watched](Self::watch) commands.
    pub(crate) fn start_waiter(self: &Arc<Self>, kmd: &Arc<dyn Kmd>) -> Result<(), DeviceError> {
        let mut state = self.lock();
        if !state.has_waiter && !state.is_released {
            waiter::start(self.clone(), kmd.clone())?;
            state.has_waiter = true;
        }
        Ok(())
    }

    /// The waiter is to notice the end of a command.
    pub(crate) fn watch(&self, seqno: Seqno) {
        let mut state = self.lock();
        state.watched = state.watched.max(Some(seqno));
        drop(state);
        self.changed.notify_all();
    }

    /// The oldest command, once the waiter has something to wait for; `None` once the queue goes.
    pub(crate) fn next_watched(&self) -> Option<Fence> {
        let mut state = self.lock();
        loop {
            if state.is_released {
                return None;
            }
            let oldest = state
                .in_flight
                .front()
                .map(|command| command.submitted.fence);
            if let Some(fence) = oldest
                && Some(fence.seqno) <= state.watched
            {
                return Some(fence);
            }
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The last of the commands that have ended, from the oldest on.
    fn last_tagged(&self) -> Option<Fence> {
        let state = self.lock();
        let done = state
            .in_flight
            .iter()
            .take_while(|command| command.submitted.prepared.is_done());
        done.last().map(|command| command.submitted.fence)
    }

    /// The kernel driver said how the commands up to `last` ended: notices it for each of them,
    /// and gives their memory back.
    pub(crate) fn ended(&self, last: Seqno, outcome: &Result<(), KmdError>) {
        while let Some(command) = self.oldest(last) {
            if command.event.is_waiting() {
                // Whoever submits it is about to say so, and others notice its end then.
                return;
            }
            command.event.settle(&command.submitted, outcome.clone());
            let mut state = self.lock();
            let gone = match state.in_flight.front() {
                Some(front) if front.event.is(&command.event) => state.in_flight.pop_front(),
                _ => None,
            };
            drop(state);
            drop(gone);
        }
    }

    fn oldest(&self, last: Seqno) -> Option<InFlight> {
        let state = self.lock();
        let oldest = state.in_flight.front();
        oldest
            .filter(|command| command.submitted.fence.seqno <= last)
            .cloned()
    }

    fn lock(&self) -> MutexGuard<'_, Commands> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Commands {
    /// A command is not held any more.
    fn release(&mut self, number: u64) {
        let found = self
            .held
            .binary_search_by_key(&number, |(number, _)| *number);
        if let Ok(index) = found {
            self.held.remove(index);
        }
    }
}

impl End {
    /// The error of commands that come too late.
    pub(crate) fn error(&self) -> DeviceError {
        DeviceError::Lost(match self {
            Self::Lost { report, .. } => report.to_string(),
            Self::Released => "it was released before the command had ended".to_owned(),
        })
    }
}
