//! Plain reads of shared local memory that nothing orders with atomic operations of others.
//!
//! A loop around a compare-and-swap begins with such a read, as does `if (x > *most) atomic_max(most, x)`: what
//! it gets decides nothing that the atomic operation does not look at again. So such a read is no fault if
//! its thread then does an atomic operation on the word, and that is known at its next barrier, or at its
//! end.

use std::collections::BTreeSet;

use super::cell::{Conflict, Touch};
use super::order::Order;
use super::{Checks, Where};

/// The most that a group has at a time.
const KEPT: usize = 256;

/// Two accesses that nothing orders, and who made the later one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clash {
    pub place: Where,
    pub address: u64,
    pub touch: Touch,
    /// Its instruction.
    pub ip: u64,
    pub thread: u32,
    pub lane: Option<u8>,
    /// Channels are not in order.
    pub apart: bool,
    pub conflict: Conflict,
}

impl Clash {
    /// The thread that reads, its channel, if channels are not in order, and its instruction.
    fn reader(&self) -> (u32, Option<u8>, u32) {
        let earlier = &self.conflict.earlier;
        match self.touch {
            Touch::Atomic => (earlier.thread, earlier.channel(), earlier.ip),
            _ => (
                self.thread,
                self.lane.filter(|_| self.apart),
                self.ip as u32,
            ),
        }
    }
}

/// What a group's threads have yet to prove right.
#[derive(Debug, Default)]
pub(super) struct Doubts {
    clashes: Vec<Clash>,
    /// Instructions that read what their thread then changes by an atomic operation.
    peeks: BTreeSet<u32>,
}

impl Doubts {
    pub fn add(&mut self, clash: Clash) {
        if self.clashes.len() < KEPT {
            self.clashes.push(clash);
        }
    }

    /// A thread, or one of its channels, does an atomic operation on the word at `address`, which it has read by the
    /// instruction `peek`.
    pub fn settle(&mut self, (thread, lane): (u32, Option<u8>), address: u64, peek: Option<u32>) {
        self.peeks.extend(peek);
        let peeks = &mut self.peeks;
        self.clashes.retain(|clash| {
            let (reader, channel, ip) = clash.reader();
            let is_other = |one: u8| lane.is_some_and(|lane| lane != one);
            let is_reader = reader == thread && !channel.is_some_and(is_other);
            let settled = is_reader && clash.address & !3 == address;
            if settled {
                peeks.insert(ip);
            }
            !settled
        });
    }

    /// Takes those that are faults when a thread signals a barrier or ends: of its reads, and of the reads beside its
    /// atomic operations of who `is_done`, and will do no such operation itself.
    fn take(&mut self, thread: u32, is_done: impl Fn(u32) -> bool) -> Vec<Clash> {
        let Self { clashes, peeks } = self;
        let due = clashes.extract_if(.., |clash| {
            let (reader, ..) = clash.reader();
            reader == thread || clash.thread == thread && is_done(reader)
        });
        due.filter(|clash| !peeks.contains(&clash.reader().2))
            .collect()
    }
}

impl Checks {
    /// The thread signals a barrier or ends: what it has read is no beginning of an atomic operation any
    /// more.
    pub(super) fn judge_doubts(&self) {
        let faults = self.doubts_of_thread();
        faults.iter().for_each(|fault| self.report_conflict(fault));
    }

    fn doubts_of_thread(&self) -> Vec<Clash> {
        let mut group = self.group.borrow_mut();
        let group = &mut *group;
        let is_done = |reader: u32| {
            let member = reader.checked_sub(group.first);
            let member = member.and_then(|index| group.threads.get(index as usize));
            member.is_none_or(Order::is_done)
        };
        let thread = group.first + self.thread.get();
        group.doubts.take(thread, is_done)
    }
}
