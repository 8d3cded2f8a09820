//! The group that runs: its threads' clocks and its shared local memory.

use std::ops::Range;

use super::Checks;
use super::alike::OfGroup;
use super::bytes::UNWRITTEN;
use super::copies::Begun;
use super::doubts::Doubts;
use super::heard::{Heard, Word};
use super::line::{LINE, Line};
use super::mark::ALL;
use super::order::{Order, Reach, Side};
use super::rule::Rule;

/// A thread's signal of a barrier, or its end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Signal {
    /// How many barriers it has signalled with it.
    number: u32,
    ip: u64,
    /// Its place in the group.
    thread: u32,
}

/// What the checks know of a resident group.
#[derive(Debug, Default)]
pub struct Group {
    /// The group's ids.
    ids: [u32; 3],
    /// The number of its first thread.
    pub(super) first: u32,
    /// By thread.
    pub(super) threads: Vec<Order>,
    /// The hardware slots of the threads.
    pub(super) slots: Vec<u16>,
    /// Of shared local memory.
    pub(super) lines: Vec<Line>,
    /// By byte of it.
    pub(super) states: Vec<u8>,
    /// By word of it, what atomics tell.
    pub(super) told: std::collections::BTreeMap<u64, Word>,
    pub(super) doubts: Doubts,
    pub(super) alike: OfGroup,
    /// The first signals of the last two barriers, and of the threads that have ended the one with
    /// the fewest barriers.
    signals: [Signal; 2],
    ended: Option<Signal>,
    /// The copies that the first thread which ended had begun, and which one it was.
    copied: Option<(Begun, u32)>,
}

impl Group {
    /// The numbers of its threads.
    pub(super) fn members(&self) -> Range<u32> {
        self.first..self.first + self.threads.len() as u32
    }

    /// The ids of the group, if a thread is its own, and which one it is.
    fn member(&self, thread: u32) -> Option<([u32; 3], u32)> {
        let index = thread.checked_sub(self.first)?;
        ((index as usize) < self.threads.len()).then_some((self.ids, index))
    }
}

impl Checks {
    /// A group of the launch begins: `slots` are those of its threads, `local_bytes` its shared
    /// local memory.
    pub fn begin_group(&self, ids: [u32; 3], slots: &[u32], local_bytes: usize) -> Group {
        Group {
            ids,
            first: self.memory().begin_group(ids, slots.len() as u32),
            threads: vec![Order::new(self.apart.get()); slots.len()],
            slots: slots.iter().map(|slot| *slot as u16).collect(),
            lines: vec![Line::default(); local_bytes.div_ceil(4 * LINE)],
            states: vec![UNWRITTEN; local_bytes.next_multiple_of(4)],
            told: Default::default(),
            doubts: Doubts::default(),
            alike: OfGroup::default(),
            signals: Default::default(),
            ended: None,
            copied: None,
        }
    }

    /// The group that runs is exchanged for this one.
    pub fn exchange_group(&self, group: &mut Group) {
        std::mem::swap(&mut *self.group.borrow_mut(), group);
    }

    /// This thread of the group runs.
    pub fn set_thread(&self, index: u32) {
        self.thread.set(index);
    }

    /// The thread that runs, in words.
    pub(super) fn who(&self, lane: Option<u8>) -> String {
        self.name(self.number(), lane)
    }

    /// A thread of a launch, in words.
    pub(super) fn name(&self, thread: u32, lane: Option<u8>) -> String {
        let one = lane.filter(|lane| *lane != ALL);
        let channel = one.map_or(String::new(), |lane| format!(", channel {lane}"));
        let own = self.group.borrow().member(thread);
        match own.or_else(|| self.memory().group_of(thread)) {
            Some(([x, y, z], index)) => {
                format!("work-group ({x}, {y}, {z}), sub-group {index}{channel}")
            }
            None => format!("another work-group{channel}"),
        }
    }

    fn order(&self, change: impl FnOnce(&mut Order)) {
        let mut group = self.group.borrow_mut();
        if let Some(order) = group.threads.get_mut(self.thread.get() as usize) {
            change(order);
        }
    }

    /// The thread fences what it did to a kind of memory.
    pub(crate) fn fence(&self, side: Side, reach: Reach) {
        self.order(|order| order.fence(side, reach));
    }

    /// The thread drops what the cache of its sub-slice holds.
    pub(crate) fn drop_caches(&self) {
        self.order(|order| order.heard.drop_caches());
    }

    /// The thread signals the group's barrier. All threads must, and by the same instruction.
    pub(crate) fn signal(&self) {
        self.judge_doubts();
        let mut group = self.group.borrow_mut();
        let (index, ip) = (self.thread.get(), self.ip());
        let Some(order) = group.threads.get_mut(index as usize) else {
            return;
        };
        order.signal();
        let here = Signal {
            number: order.signalled(),
            ip,
            thread: index,
        };
        let ended = group.ended.filter(|ended| ended.number < here.number);
        let first = &mut group.signals[here.number as usize % 2];
        let other = match first.number == here.number {
            true => Some(*first).filter(|first| first.ip != ip),
            false => {
                *first = here;
                None
            }
        };
        drop(group);
        if let Some(ended) = ended {
            self.left(ended);
        }
        if let Some(other) = other {
            self.report_pair(Rule::DivergentBarrier, Some(other.ip), || {
                format!(
                    "{} signals here the barrier that sub-group {} has signalled elsewhere",
                    self.who(None),
                    other.thread
                )
            });
        }
    }

    /// The thread ends. Others may not wait for its signal.
    pub(crate) fn end(&self) {
        self.judge_doubts();
        let mut group = self.group.borrow_mut();
        let (index, ip) = (self.thread.get(), self.ip());
        let Some(order) = group.threads.get_mut(index as usize) else {
            return;
        };
        order.ended = true;
        let here = Signal {
            number: order.signalled(),
            ip,
            thread: index,
        };
        let (copy, begun) = (order.copies.first_open(), order.copies.begun());
        let first = *group.copied.get_or_insert((begun, index));
        if group.ended.is_none_or(|ended| here.number < ended.number) {
            group.ended = Some(here);
        }
        let waits = group
            .signals
            .iter()
            .find(|first| first.number > here.number);
        let waits = waits.copied();
        drop(group);
        if let Some(copy) = copy {
            self.report_at(copy, Rule::UnfinishedCopy, Some(ip), || {
                let who = self.who(None);
                format!("{who} begins a copy here, and ends before it has waited for it")
            });
        }
        self.judge_copies((begun, index), first);
        if let Some(waits) = waits {
            self.report_pair(Rule::DivergentBarrier, Some(waits.ip), || {
                format!(
                    "{} ends without the barrier that sub-group {} waits for",
                    self.who(None),
                    waits.thread
                )
            });
        }
    }

    /// All threads of a group begin its copies: a thread that ends has begun as many as the first that has.
    fn judge_copies(&self, own: (Begun, u32), first: (Begun, u32)) {
        let (most, least) = match own.0.count > first.0.count {
            true => (own, first),
            false => (first, own),
        };
        if most.0.count != least.0.count {
            let number = self.group.borrow().first + most.1;
            self.report_at(most.0.last, Rule::DivergentBarrier, None, || {
                format!(
                    "{} has begun {} copies of its work-group, and sub-group {} {}: all must reach each",
                    self.name(number, None),
                    most.0.count,
                    least.1,
                    least.0.count
                )
            });
        }
    }

    /// Reports a barrier that a thread which has ended never signals.
    fn left(&self, ended: Signal) {
        self.report_pair(Rule::DivergentBarrier, Some(ended.ip), || {
            format!(
                "{} waits for sub-group {}, which has ended",
                self.who(None),
                ended.thread
            )
        });
    }

    /// The barrier that the thread waited for has passed.
    pub(crate) fn pass(&self) {
        let mut group = self.group.borrow_mut();
        let index = self.thread.get() as usize;
        // What one thread of the group has learnt by atomics, all know after the barrier.
        let told: Vec<Heard> = group
            .threads
            .iter()
            .filter(|order| !order.heard.is_empty())
            .map(|order| order.heard.clone())
            .collect();
        if let Some(order) = group.threads.get_mut(index) {
            order.pass();
            told.iter().for_each(|told| order.heard.share(told));
        }
    }
}
