//! Which batches engines get, and what becomes of them.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use batchbuffer::execlists::Execlists;
use devinfo::GpuAddress;

use super::context::Context;
use super::dma::Dma;
use super::engine::Engine;
use super::reset;
use super::tables::Tables;
use crate::space::Space;
use crate::{
    AddressSpaceId, BufferHandle, ErrorKind, ErrorReport, Fence, KmdError, KmdResult, Priority,
    QueueId, QueueStatus, Seqno,
};

/// How often an engine that works is asked whether it does.
const CHECK: Duration = Duration::from_millis(1);

/// What a client has made.
#[derive(Debug)]
pub(super) struct State {
    pub(super) row: &'static Execlists,
    pub(super) hang_timeout: Duration,
    pub(super) buffers: HashMap<BufferHandle, Arc<Dma>>,
    pub(super) spaces: HashMap<AddressSpaceId, AddressSpace>,
    pub(super) queues: HashMap<QueueId, Queue>,
    pub(super) engines: Vec<Working>,
    /// The last name of each kind that was given: names are not given twice.
    pub(super) given: Given,
    /// How often an engine was given work.
    pub(super) turns: u64,
    /// Why nothing works any more.
    pub(super) broken: Option<KmdError>,
}

/// How many names were given.
#[derive(Debug, Default)]
pub(super) struct Given {
    pub(super) buffers: u32,
    pub(super) spaces: u32,
    pub(super) queues: u32,
}

/// An address space.
#[derive(Debug)]
pub(super) struct AddressSpace {
    pub(super) bindings: Space,
    pub(super) tables: Tables,
    /// What is bound, for submissions to keep. Made anew when it changes.
    pub(super) bound: Option<Arc<[Arc<Dma>]>>,
}

/// An engine, and what it runs.
#[derive(Debug)]
pub(super) struct Working {
    pub(super) engine: Engine,
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    queue: QueueId,
    /// What the engine said last, and since when it has said that.
    progress: [u32; 3],
    since: Instant,
    checked: Instant,
}

/// A queue.
#[derive(Debug)]
pub(super) struct Queue {
    pub(super) engine: usize,
    pub(super) space: AddressSpaceId,
    pub(super) priority: Priority,
    pub(super) context: Context,
    /// Batches that no ring has yet.
    pub(super) waiting: VecDeque<Job>,
    /// Batches in the ring.
    submitted: VecDeque<Job>,
    /// The last submission.
    pub(super) last: u64,
    /// The last submission that has ended.
    pub(super) done: u64,
    pub(super) status: QueueStatus,
    /// Its last turn, in the count of [`State::turns`]; a new queue has just had one.
    turn: u64,
}

/// A batch.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) seqno: u64,
    pub(super) batch: GpuAddress,
    pub(super) wait: Vec<Fence>,
    /// What it may use.
    pub(super) keeps: Arc<[Arc<Dma>]>,
}

impl Working {
    pub(super) fn new(engine: Engine) -> Self {
        Self {
            engine,
            running: None,
        }
    }
}

impl Queue {
    pub(super) fn new(
        engine: usize,
        space: AddressSpaceId,
        priority: Priority,
        context: Context,
        turn: u64,
    ) -> Self {
        Self {
            turn,
            engine,
            space,
            priority,
            context,
            waiting: VecDeque::new(),
            submitted: VecDeque::new(),
            last: 0,
            done: 0,
            status: QueueStatus::Ok,
        }
    }

    /// Whether a batch of it may use `memory`.
    pub(super) fn uses(&self, memory: &Arc<Dma>) -> bool {
        let mut jobs = self.waiting.iter().chain(&self.submitted);
        jobs.any(|job| job.keeps.iter().any(|kept| Arc::ptr_eq(kept, memory)))
    }

    /// Drops batches that have ended. Returns whether there were any.
    fn retire(&mut self) -> bool {
        let done = self.context.done();
        let before = self.done;
        while self.submitted.front().is_some_and(|job| job.seqno <= done) {
            self.submitted.pop_front();
        }
        self.done = self.done.max(done);
        self.done != before
    }

    /// Gives up all batches.
    fn lose(&mut self, report: ErrorReport) {
        self.waiting.clear();
        self.submitted.clear();
        self.status = match report.kind {
            ErrorKind::Hang => QueueStatus::Hung(report),
            ErrorKind::PageFault | ErrorKind::Other => QueueStatus::Faulted(report),
        };
    }
}

impl State {
    /// Whether there is nothing to wait for.
    pub(super) fn is_idle(&self) -> bool {
        self.engines.iter().all(|engine| engine.running.is_none())
            && self.queues.values().all(|queue| queue.waiting.is_empty())
    }

    /// The queue that a fence belongs to.
    pub(super) fn queue(&self, id: QueueId) -> KmdResult<&Queue> {
        self.queues.get(&id).ok_or(KmdError::NoSuchQueue(id))
    }

    /// Whether a submission has ended; an error if its queue is lost.
    pub(super) fn is_done(&self, fence: Fence) -> KmdResult<bool> {
        let queue = self.queue(fence.queue)?;
        if fence.seqno.get() > queue.last {
            return Err(KmdError::Invalid {
                what: "seqno",
                value: fence.seqno.get(),
                rule: "at most the queue's last submission",
            });
        }
        if let Some(error) = &self.broken {
            return Err(error.clone());
        }
        match &queue.status {
            QueueStatus::Ok => Ok(fence.seqno <= Seqno::new(queue.done)),
            QueueStatus::Hung(report)
            | QueueStatus::Faulted(report)
            | QueueStatus::Banned(report) => Err(KmdError::QueueLost {
                queue: fence.queue,
                report: report.clone(),
            }),
        }
    }

    /// Whether a batch need not wait for `fence` any more: what is lost is not waited for.
    fn is_over(&self, fence: &Fence) -> bool {
        self.queues
            .get(&fence.queue)
            .is_none_or(|queue| queue.status != QueueStatus::Ok || fence.seqno.get() <= queue.done)
    }

    /// Notices what engines have done, and gives them what they can do next. Returns whether anything
    /// has changed.
    ///
    /// # Errors
    /// A register does not answer as it should: the device is lost.
    pub(super) fn advance(&mut self) -> KmdResult<bool> {
        let mut changed = false;
        for index in 0..self.engines.len() {
            changed |= self.notice(index)?;
        }
        for index in 0..self.engines.len() {
            changed |= self.feed(index)?;
        }
        Ok(changed)
    }

    /// Looks at what an engine does.
    fn notice(&mut self, index: usize) -> KmdResult<bool> {
        let (row, limit) = (self.row, self.hang_timeout);
        let Some(working) = self.engines.get_mut(index) else {
            return Ok(false);
        };
        let finished = working.engine.has_finished();
        let Some(running) = &mut working.running else {
            return Ok(false);
        };
        let id = running.queue;
        let retired = self.queues.get_mut(&id).is_some_and(Queue::retire);
        if finished {
            working.running = None;
            return Ok(true);
        }
        let now = Instant::now();
        if retired {
            running.since = now;
        }
        if now.saturating_duration_since(running.checked) < CHECK {
            return Ok(retired);
        }
        running.checked = now;
        let mut report = reset::take_fault(&working.engine, row)?;
        if report.is_none() {
            report = reset::take_error(&working.engine)?;
        }
        let progress = working.engine.progress()?;
        if progress != running.progress {
            (running.progress, running.since) = (progress, now);
        }
        if report.is_none() && now.saturating_duration_since(running.since) > limit {
            report = Some(reset::hang(&working.engine, limit)?);
        }
        match report {
            None => Ok(retired),
            Some(report) => self.fail(index, id, report).map(|()| true),
        }
    }

    /// Resets an engine, and gives up the queue that it ran.
    fn fail(&mut self, index: usize, id: QueueId, report: ErrorReport) -> KmdResult<()> {
        self.reset(index)?;
        let (Some(queue), Some(working)) = (self.queues.get_mut(&id), self.engines.get(index))
        else {
            return Ok(());
        };
        let known = working.engine.bus().diagnostics();
        let known = known.and_then(|known| known.error_report(queue.context.image()));
        queue.lose(known.unwrap_or(report));
        Ok(())
    }

    /// Resets an engine.
    fn reset(&mut self, index: usize) -> KmdResult<()> {
        let Some(working) = self.engines.get_mut(index) else {
            return Ok(());
        };
        working.running = None;
        reset::reset(&mut working.engine)
    }

    /// Ends what a queue still runs.
    pub(super) fn end(&mut self, id: QueueId) -> KmdResult<()> {
        let runs = |working: &Working| {
            let running = working.running.as_ref();
            running.is_some_and(|running| running.queue == id)
        };
        let Some(index) = self.engines.iter().position(runs) else {
            return Ok(());
        };
        // It may have just finished.
        self.notice(index)?;
        match self.engines.get(index).is_some_and(runs) {
            true => self.reset(index),
            false => Ok(()),
        }
    }

    /// Gives an engine that has nothing to do the ready batches of a queue.
    fn feed(&mut self, index: usize) -> KmdResult<bool> {
        let is_idle = |working: &Working| working.running.is_none();
        if !self.engines.get(index).is_some_and(is_idle) {
            return Ok(false);
        }
        let ready = |queue: &Queue| {
            let first = queue.waiting.front();
            queue.engine == index
                && first.is_some_and(|job| job.wait.iter().all(|fence| self.is_over(fence)))
        };
        let ready = self.queues.iter().filter(|(_, queue)| ready(queue));
        let Some(id) = next(ready.map(|(id, queue)| (*id, queue.priority, queue.turn))) else {
            return Ok(false);
        };
        let mut count = 0;
        loop {
            let waiting = self.queue(id)?.waiting.front();
            let own = |fence: &Fence| fence.queue == id;
            let ready = waiting.is_some_and(|job| {
                job.wait
                    .iter()
                    .all(|fence| own(fence) || self.is_over(fence))
            });
            let Some(queue) = self.queues.get_mut(&id).filter(|_| ready) else {
                break;
            };
            let Some(job) = queue.waiting.pop_front() else {
                break;
            };
            if !queue.context.append(job.batch, job.seqno)? {
                queue.waiting.push_front(job);
                break;
            }
            queue.submitted.push_back(job);
            count += 1;
        }
        let (Some(queue), Some(working)) = (self.queues.get_mut(&id), self.engines.get_mut(index))
        else {
            return Ok(false);
        };
        if count == 0 {
            return Ok(false);
        }
        self.turns += 1;
        queue.turn = self.turns;
        working.engine.submit(queue.context.submit())?;
        let now = Instant::now();
        working.running = Some(Running {
            queue: id,
            progress: [0; 3],
            since: now,
            checked: now,
        });
        Ok(true)
    }
}

/// The next of the queues that are ready: the most urgent, and of those the one whose last turn was
/// longest ago.
fn next(ready: impl Iterator<Item = (QueueId, Priority, u64)>) -> Option<QueueId> {
    let next = ready.max_by_key(|&(id, priority, turn)| (priority, Reverse((turn, id))));
    next.map(|(id, ..)| id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_waits_for_one_turn_of_each_other_however_much_it_has_had() {
        let mut turns = 1_000_000;
        // It has just had the last of a million turns, and others come and always have work.
        let queue = |id, turns| (QueueId::new(id), Priority::Normal, turns);
        let mut queues: Vec<_> = (1..6).map(|id| queue(id, turns)).collect();
        let mut had = Vec::new();
        for id in 6..12 {
            let chosen = next(queues.iter().copied()).unwrap();
            turns += 1;
            let fed = queues.iter_mut().find(|(id, ..)| *id == chosen).unwrap();
            fed.2 = turns;
            had.push(chosen);
            queues.push(queue(id, turns));
        }
        assert_eq!(had, [1, 2, 3, 4, 5, 1].map(QueueId::new));
        // The urgent come first.
        queues.push((QueueId::new(20), Priority::High, turns + 1));
        assert_eq!(next(queues.into_iter()), Some(QueueId::new(20)));
        assert_eq!(next(std::iter::empty()), None);
    }
}
