//! What a queue has under way, and what became of it.
//!
//! # Locks
//! A queue and its events have these locks, taken in this order only:
//! 1. `maker` ([`Outbox`](crate::outbox::Outbox)), while a command is made and the kernel driver takes its batch: it may
//!    block until the queue has room;
//! 2. an event's;
//! 3. the ledger's.
//!
//! The kernel driver is called under the first one only, and what has a deadline (waiting, looking,
//! finishing) does not block on that. Under the last two nothing is dropped that the GPU has used:
//! giving memory back is a call to the kernel driver, too. Callbacks are called under none.

mod reap;

use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use kmd_iface::{ErrorReport, Fence, Kmd, KmdError, Seqno};

use crate::deadline::Deadline;
use crate::error::DeviceError;
use crate::event::{Event, Submitted};
use crate::held::After;
use crate::launch::{Oldest, Places};
use crate::waiter;

/// How long the waiter leaves a command alone that nobody hurries for.
const UNHURRIED: Duration = Duration::from_micros(200);

/// What hands over the commands of a ledger.
pub(crate) trait HandOver: Debug + Send + Sync {
    /// Hands over what is in the open batch, if `seqno` is not with the kernel driver yet. Gives up
    /// at the deadline: another thread may be in the kernel for long.
    fn hand_over(&self, seqno: Seqno, deadline: Deadline);
}

/// The commands of a queue.
#[derive(Debug)]
pub(crate) struct Ledger {
    /// What hands them over.
    outbox: Weak<dyn HandOver>,
    /// The last batch that the kernel driver has taken.
    handed_over: AtomicU64,
    /// The batch that the kernel driver has as a ring, which takes more commands; 0 if there is none.
    ring: AtomicU64,
    /// How many nanoseconds the last command took that has ended.
    pace: AtomicU64,
    /// Whether the queue takes no more work.
    has_ended: AtomicBool,
    /// Whether there are held commands.
    holds: AtomicBool,
    /// When somebody who enqueued has looked at the completion tags, in nanoseconds since the device was
    /// opened.
    looked: AtomicU64,
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
    /// Commands of batches that the kernel driver has, and of the open one, by seqno. They keep what
    /// the GPU uses, until the kernel driver says that it is done.
    in_flight: VecDeque<InFlight>,
    /// How many of them have binding tables.
    tables: usize,
    /// What the next command comes after: the one before it, or the last barrier of a queue out
    /// of order.
    order: Option<Event>,
    /// The last command that comes after all before it.
    gathered: u64,
    /// What the first command failed with whose end [`Queue::finish`](crate::Queue::finish) has
    /// not told yet.
    failed: Option<DeviceError>,
    end: Option<End>,
    /// The last command whose end the waiter has to notice at once.
    watched: Option<Seqno>,
    /// The last one whose end it has to notice soon.
    unhurried: Option<Seqno>,
    waiter: Waiter,
    /// Nobody has the queue any more.
    is_released: bool,
    /// Whether there is a waiter.
    has_waiter: bool,
}

/// What the waiter does. To wake it where there is no need is a system call for nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Waiter {
    #[default]
    Works,
    /// It sleeps for a moment: others may notice the end of the oldest command meanwhile.
    Dozes,
    /// It sleeps until something is to be watched.
    Sleeps,
}

/// A command that was made.
#[derive(Clone, Debug)]
pub(crate) struct InFlight {
    pub event: Event,
    pub submitted: Arc<Submitted>,
    /// What of the queue's heap it uses.
    places: Places,
}

/// Why a queue takes no more work.
#[derive(Clone, Debug)]
pub(crate) enum End {
    /// A command failed, and the kernel driver reset the queue.
    Lost {
        report: ErrorReport,
        /// The number of the first command that had not ended then.
        guilty: Option<u64>,
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
    /// An empty one.
    pub(crate) fn new(outbox: Weak<dyn HandOver>) -> Self {
        Self {
            outbox,
            handed_over: AtomicU64::new(0),
            ring: AtomicU64::new(0),
            pace: AtomicU64::new(u64::MAX),
            has_ended: AtomicBool::new(false),
            holds: AtomicBool::new(false),
            looked: AtomicU64::new(0),
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// What the next batch will be to the kernel driver.
    pub(crate) fn next_seqno(&self) -> Seqno {
        Seqno::new(self.handed_over.load(Ordering::Acquire) + 1)
    }

    /// The last batch that the kernel driver has taken.
    pub(crate) fn last_handed_over(&self) -> Option<Seqno> {
        let last = self.handed_over.load(Ordering::Acquire);
        (last != 0).then(|| Seqno::new(last))
    }

    /// The kernel driver has taken a batch.
    pub(crate) fn handed_over(&self, seqno: Seqno) {
        self.handed_over.store(seqno.get(), Ordering::Release);
    }

    /// The next batch is a ring now that the GPU reads.
    pub(crate) fn rings(&self) {
        self.ring.store(self.next_seqno().get(), Ordering::Release);
    }

    /// Whether the GPU has the commands of a batch, although it was not handed over.
    pub(crate) fn is_in_ring(&self, seqno: Seqno) -> bool {
        !self.has_handed_over(seqno) && seqno.get() == self.ring.load(Ordering::Acquire)
    }

    /// Whether the kernel driver has a batch.
    pub(crate) fn has_handed_over(&self, seqno: Seqno) -> bool {
        seqno.get() <= self.handed_over.load(Ordering::Acquire)
    }

    /// Hands over a batch, if the kernel driver does not have it; false if it does not get it before
    /// the deadline.
    pub(crate) fn hand_over(&self, seqno: Seqno, deadline: Deadline) -> bool {
        if !self.has_handed_over(seqno)
            && let Some(outbox) = self.outbox.upgrade()
        {
            outbox.hand_over(seqno, deadline);
        }
        self.has_handed_over(seqno)
    }

    /// How long the last command took that has ended.
    pub(crate) fn pace(&self) -> Duration {
        Duration::from_nanos(self.pace.load(Ordering::Relaxed))
    }

    /// A command took so many nanoseconds.
    pub(crate) fn took(&self, nanos: u64) {
        self.pace.store(nanos, Ordering::Relaxed);
    }

    /// Whether there are commands that the kernel driver does not have yet. If there are none, the next one
    /// comes after all others when it is submitted before others are enqueued: what the kernel driver has
    /// runs in order.
    pub(crate) fn holds(&self) -> bool {
        self.holds.load(Ordering::Acquire)
    }

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
        self.holds.store(true, Ordering::Release);
        (number, after)
    }

    /// A command was added to a batch. Called in the order of the fences.
    pub(crate) fn submitted(
        &self,
        number: Option<u64>,
        event: &Event,
        (submitted, places): (&Arc<Submitted>, Places),
    ) {
        let mut state = self.lock();
        self.release_held(&mut state, number);
        state.tables += usize::from(places.has_table());
        state.in_flight.push_back(InFlight {
            event: event.clone(),
            submitted: submitted.clone(),
            places,
        });
    }

    /// A command failed before the kernel driver had it.
    pub(crate) fn refused(&self, number: Option<u64>, error: &DeviceError) {
        self.release_held(&mut self.lock(), number);
        self.failed(error);
    }

    /// A command is not held any more, if it was.
    fn release_held(&self, state: &mut Commands, number: Option<u64>) {
        if let Some(number) = number {
            state.release(number);
            self.holds.store(!state.held.is_empty(), Ordering::Release);
        }
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
        match self.end() {
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
                guilty: open.next().map(|command| command.submitted.prepared.number),
            }
        });
        self.has_ended.store(true, Ordering::Release);
        lost.clone()
    }

    /// The queue is about to be destroyed.
    pub(crate) fn release(&self) {
        let mut state = self.lock();
        state.end.get_or_insert(End::Released);
        self.has_ended.store(true, Ordering::Release);
        state.is_released = true;
        // Its event has this ledger, so neither would ever go.
        let order = state.order.take();
        drop(state);
        drop(order);
        self.changed.notify_all();
    }

    /// Why the queue takes no more work.
    pub(crate) fn end(&self) -> Option<End> {
        match self.has_ended.load(Ordering::Acquire) {
            true => self.lock().end.clone(),
            false => None,
        }
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

    /// Notices the commands that have ended of a batch that has not.
    pub(crate) fn look_at_tags(&self) {
        let state = self.lock();
        let done = state.in_flight.iter().take(state.done());
        let done: Vec<InFlight> = done.cloned().collect();
        drop(state);
        for command in done {
            command.event.settle(&command.submitted, Ok(()));
        }
    }

    /// Takes out the commands from a batch on.
    pub(crate) fn take_from(&self, seqno: Seqno) -> Vec<InFlight> {
        let mut state = self.lock();
        let kept = state
            .in_flight
            .partition_point(|command| command.submitted.fence.seqno < seqno);
        let gone: Vec<InFlight> = state.in_flight.drain(kept..).collect();
        let tables = gone.iter().filter(|gone| gone.places.has_table()).count();
        state.tables -= tables;
        gone
    }

    /// Whether a command's batch has others behind it.
    pub(crate) fn is_followed(&self, submitted: &Submitted) -> bool {
        let state = self.lock();
        let number = submitted.prepared.number;
        let behind = state
            .in_flight
            .partition_point(|command| command.submitted.prepared.number <= number);
        let next = state.in_flight.get(behind);
        next.is_some_and(|next| next.submitted.fence.seqno == submitted.fence.seqno)
    }

    /// What of the queue's heap is in use.
    #[cfg(all(test, feature = "softgpu"))]
    pub(crate) fn places(&self) -> Oldest {
        self.lock().places()
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

    /// The waiter is to notice the end of a command: at once, or soon if nobody `hurries`.
    pub(crate) fn watch(&self, seqno: Seqno, hurries: bool) {
        let mut state = self.lock();
        let last = match hurries {
            true => &mut state.watched,
            false => &mut state.unhurried,
        };
        *last = (*last).max(Some(seqno));
        let wakes = match state.waiter {
            Waiter::Works => false,
            Waiter::Dozes => hurries,
            Waiter::Sleeps => true,
        };
        if wakes {
            state.waiter = Waiter::Works;
        }
        drop(state);
        if wakes {
            self.changed.notify_all();
        }
    }

    /// The batch of the oldest command, and whether that has others, once the waiter has something
    /// to wait for; `None` once the queue goes.
    pub(crate) fn next_watched(&self) -> Option<(Fence, bool)> {
        let mut state = self.lock();
        // The oldest command that nobody hurries for, which it has left alone for a moment.
        let mut left_alone = None;
        loop {
            if state.is_released {
                return None;
            }
            let mut commands = state.in_flight.iter().map(|command| &command.submitted);
            let oldest = commands.next().map(|oldest| {
                let next = commands.next();
                let has_others = next.is_some_and(|next| next.fence.seqno == oldest.fence.seqno);
                (oldest.fence, oldest.prepared.number, has_others)
            });
            match oldest {
                Some((fence, number, has_others))
                    if Some(fence.seqno) <= state.watched || left_alone == Some(number) =>
                {
                    return Some((fence, has_others));
                }
                Some((fence, number, _)) if Some(fence.seqno) <= state.unhurried => {
                    left_alone = Some(number);
                    state.waiter = Waiter::Dozes;
                    let waited = self.changed.wait_timeout(state, UNHURRIED);
                    (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
                }
                _ => {
                    state.waiter = Waiter::Sleeps;
                    let waited = self.changed.wait(state);
                    state = waited.unwrap_or_else(PoisonError::into_inner);
                }
            }
            state.waiter = Waiter::Works;
        }
    }

    /// The kernel driver said how the commands up to `last` ended: notices it for each of them,
    /// and gives their memory back.
    pub(crate) fn ended(&self, last: Seqno, outcome: &Result<(), KmdError>) {
        self.end_while(outcome, |command| command.fence.seqno <= last);
    }

    fn end_while(&self, outcome: &Result<(), KmdError>, ended: impl Fn(&Submitted) -> bool) {
        let oldest = self.lock().oldest(&ended);
        self.end_from(oldest, outcome, ended);
    }

    /// The same, from the oldest command on.
    fn end_from(
        &self,
        mut oldest: Option<InFlight>,
        outcome: &Result<(), KmdError>,
        ended: impl Fn(&Submitted) -> bool,
    ) {
        while let Some(command) = oldest {
            if command.event.is_waiting() {
                // Whoever submits it is about to say so, and others notice its end then.
                return;
            }
            command.event.settle(&command.submitted, outcome.clone());
            let mut state = self.lock();
            let gone = match state.in_flight.front() {
                Some(front) if front.event.is(&command.event) => state.pop(),
                _ => None,
            };
            oldest = state.oldest(&ended);
            drop(state);
            drop(gone);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Commands> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Commands {
    /// The oldest command, if it has ended.
    fn oldest(&self, ended: impl Fn(&Submitted) -> bool) -> Option<InFlight> {
        let oldest = self.in_flight.front();
        oldest.filter(|command| ended(&command.submitted)).cloned()
    }

    /// Takes out the oldest command.
    fn pop(&mut self) -> Option<InFlight> {
        let gone = self.in_flight.pop_front()?;
        self.tables -= usize::from(gone.places.has_table());
        Some(gone)
    }

    /// What of the queue's heap is in use.
    fn places(&self) -> Oldest {
        let look_at = match self.tables {
            0 => 1,
            _ => self.in_flight.len(),
        };
        let in_flight = self.in_flight.iter().take(look_at);
        Oldest::of(in_flight.map(|command| command.places))
    }

    /// How many of the oldest commands have ended.
    fn done(&self) -> usize {
        let Some(oldest) = self.in_flight.front() else {
            return 0;
        };
        // They share the tag, which the GPU may be about to write: it is read once.
        let last = oldest.submitted.prepared.last_ended();
        let done = |command: &&InFlight| command.submitted.prepared.number <= last;
        self.in_flight.iter().take_while(done).count()
    }

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
