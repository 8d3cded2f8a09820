//! What happened before what: barriers, fences and atomics between the threads of a launch.

use std::ops::Range;
use std::sync::Arc;

use super::alike::Alike;
use super::copies::Copies;
use super::heard::{Heard, Told, Word, merge};
use super::sync::Sync;

/// The two kinds of memory, each with fences of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Shared local memory.
    Local,
    /// All other memory.
    Global,
    /// The cache of the sampler, which sees nothing of what is written: messages drop what it holds.
    Sampler,
    /// Texels that messages of the data port access: fences may be of them alone.
    Texels,
}

/// Whom a fence shows what its thread did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    /// The threads of its work-group.
    Group,
    /// All threads.
    Device,
}

/// Clocks up to which what a thread did is visible: in shared local memory, in all other memory for
/// its work-group, in all other memory for all threads, to the sampler, and in
/// images.
pub(crate) type Clocks = [u32; 5];

/// The place in [`Clocks`].
pub(super) const fn place(side: Side, reach: Reach) -> usize {
    match (side, reach) {
        (Side::Local, _) => 0,
        (Side::Global, Reach::Group) => 1,
        (Side::Global, Reach::Device) => 2,
        (Side::Sampler, _) => 3,
        (Side::Texels, _) => 4,
    }
}

/// Clocks up to which what the channels of a thread did is in order: in shared local memory, in all other
/// memory but images, and in images.
pub(crate) type Joined = [u32; 3];

/// The place in [`Joined`].
pub(super) const fn joint(side: Side) -> usize {
    match side {
        Side::Local => 0,
        Side::Global => 1,
        Side::Sampler | Side::Texels => 2,
    }
}

/// How an earlier access is related to one now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// It happened before.
    Before,
    /// It would have, had its thread fenced before it signalled the barrier.
    Unfenced,
    /// It did, but a cache may hold what was there before: the reader has not dropped it since.
    Stale,
    /// It was by a copy of the work-group for which nothing has waited.
    Copying,
    /// Nothing orders them.
    Racing,
}

/// What code has told of that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doing {
    Nothing,
    /// A copy of the work-group with this event.
    Copy(u8),
    /// An atomic operation, which may be made of plain accesses of shared local memory.
    Atomic,
    /// A block of shared local memory.
    LocalBlock,
}

/// One thread's clock, which advances at fences and barriers.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    /// Now.
    pub clock: u32,
    /// How many barriers it has signalled, and waited for.
    signalled: u32,
    passed: u32,
    /// The clock at which it passed the last one.
    passed_at: u32,
    /// The clocks of its last two signals.
    at: [u32; 2],
    /// What it did to each kind of memory before these clocks is fenced: now, and at its last two
    /// signals.
    fenced: Clocks,
    released: [Clocks; 2],
    /// The same by fences alone: atomic operations of any order that come later tell of it.
    lasting: Clocks,
    /// What it has heard through atomics.
    pub heard: Heard,
    /// Its channels are in order by what its code tells alone ([`devinfo::report::APART`]): the last of it, and
    /// the barriers.
    pub apart: bool,
    pub sync: Sync,
    joined: Joined,
    /// Shared local memory is in order without fences.
    in_order: bool,
    /// What its accesses are parts of.
    pub doing: Doing,
    /// What it has copied with its group.
    pub copies: Copies,
    /// It has ended.
    pub ended: bool,
    /// What they have told of an operand that must be the same for all of them.
    pub(super) alike: Alike,
}

impl Order {
    pub fn new(apart: bool) -> Self {
        Self {
            clock: 1,
            signalled: 0,
            passed: 0,
            passed_at: 0,
            at: [0; 2],
            fenced: Clocks::default(),
            released: [Clocks::default(); 2],
            lasting: Clocks::default(),
            heard: Heard::default(),
            apart,
            sync: Sync::NONE,
            joined: Joined::default(),
            in_order: false,
            doing: Doing::Nothing,
            copies: Copies::default(),
            ended: false,
            alike: Alike::default(),
        }
    }

    /// It has waited for a fence. Compilers' may do more than the program has asked for.
    pub fn fence(&mut self, side: Side, reach: Reach) {
        let flushes = side == Side::Sampler && self.sync.orders(side);
        match (self.apart, self.sync.shows(side)) {
            (false, _) => self.show(side, reach),
            (true, Some(asked)) => self.show(side, asked.min(reach)),
            // Work-items do so for themselves, too.
            (true, None) if flushes => self.show(side, reach),
            (true, None) => {}
        }
        self.join();
    }

    fn show(&mut self, side: Side, reach: Reach) {
        self.clock += 1;
        for reach in [Reach::Group, reach] {
            self.fenced[place(side, reach)] = self.clock;
            if self.sync.is_fence() {
                self.lasting[place(side, reach)] = self.clock;
            }
        }
    }

    /// Whether the sampler sees what it did at `clock`.
    pub fn has_flushed(&self, clock: u32) -> bool {
        clock < self.fenced[place(Side::Sampler, Reach::Group)]
    }

    /// It waits for copies with these events.
    pub fn wait_for_copies(&mut self, events: u32) {
        self.clock += 1;
        self.copies.wait(events, self.clock);
    }

    /// It has told others what it did, without a fence: what comes now is told the next time.
    pub fn told(&mut self) {
        self.clock += 1;
    }

    /// Its code tells what comes next. Shared local memory may be `in_order` without fences. Its group has
    /// `members` from the first on.
    pub fn tells(&mut self, sync: Sync, lanes: u32, in_order: bool, members: &Range<u32>) {
        if self.sync.is_fence() && !self.sync.joins {
            self.settle();
        }
        (self.sync, self.in_order) = (sync, in_order);
        if sync.is_fence() {
            self.heard.acquire(&sync, lanes, members);
            if sync.releases {
                self.heard.release(&sync, lanes);
            }
        }
    }

    /// A fence or a signal: the barrier that its code has told of is here. Compilers move other accesses past what
    /// is told, but not past these.
    fn join(&mut self) {
        if !self.apart || !self.sync.joins {
            return;
        }
        self.clock += 1;
        for side in [Side::Local, Side::Global, Side::Texels] {
            if self.sync.orders(side) {
                self.joined[joint(side)] = self.clock;
            }
        }
        self.heard.join(&self.sync);
    }

    /// It signals a barrier, or executes an atomic operation: what is in order without messages is so now.
    pub fn settle(&mut self) {
        let shown = self.sync.shows(Side::Local);
        if let Some(reach) = shown.filter(|_| self.in_order) {
            self.show(Side::Local, reach);
        }
    }

    /// Whether a barrier is between what another of its channels did at `clock` and what one does now.
    pub fn has_joined(&self, clock: u32, side: Side) -> bool {
        clock < self.joined[joint(side)]
    }

    /// How many barriers it has signalled.
    pub fn signalled(&self) -> u32 {
        self.signalled
    }

    /// It signals the barrier.
    pub fn signal(&mut self) {
        self.settle();
        self.join();
        self.clock += 1;
        self.signalled += 1;
        self.at = [self.at[1], self.clock];
        self.released = [self.released[1], self.fenced];
    }

    /// Whether it does nothing before the next barrier passes: it waits for that, or has ended.
    pub fn is_done(&self) -> bool {
        self.ended || self.signalled != self.passed
    }

    /// The barrier has passed.
    pub fn pass(&mut self) {
        self.passed = self.signalled;
        self.passed_at = self.clock;
    }

    /// The clock of its signal of the last barrier that a thread which has passed `passed` barriers
    /// shares with it, and what was fenced then.
    fn shared(&self, passed: u32) -> Option<(u32, Clocks)> {
        if passed == 0 {
            return None;
        }
        // It is at most one barrier ahead.
        let last = usize::from(self.signalled <= passed);
        Some((*self.at.get(last)?, *self.released.get(last)?))
    }

    /// How what this thread did at `clock` to a kind of memory is related to what `reader` of its
    /// group does now; `needs_fence` for writes.
    pub fn to_member(&self, clock: u32, side: Side, needs_fence: bool, reader: &Order) -> Relation {
        let Some((signal, released)) = self.shared(reader.passed) else {
            return Relation::Racing;
        };
        let fenced = released[place(side, Reach::Group)];
        match clock < signal {
            false => Relation::Racing,
            true if needs_fence && clock >= fenced => Relation::Unfenced,
            true => Relation::Before,
        }
    }

    /// What an atomic of these channels of this thread of a group tells others: its own fenced work, and that
    /// of its group up to the barriers that it has passed; and what it has heard itself. `sync` is what its code has
    /// told of it, if that counts. Shared local memory may be `in_order` without fences.
    pub fn release(
        &self,
        own: u32,
        lanes: u32,
        group: &[Order],
        first: u32,
        (sync, in_order): (Option<&Sync>, bool),
    ) -> Word {
        let mut word = match sync {
            Some(sync) => self.heard.told(sync, lanes),
            None => Word {
                wide: self.heard.by(lanes),
                ..Word::default()
            },
        };
        let fenced = match sync {
            Some(sync) if !sync.releases => self.lasting,
            _ => self.fenced,
        };
        let all = |clocks: Clocks, now: u32| match in_order {
            true => [now, clocks[1], clocks[2], clocks[3], clocks[4]],
            false => clocks,
        };
        let mut tell = |thread: u32, told: Told| {
            if told.clocks != Clocks::default() {
                Arc::make_mut(&mut word.wide)
                    .entry(thread)
                    .or_default()
                    .add(&told);
            }
        };
        for (index, member) in group.iter().enumerate() {
            let thread = first + index as u32;
            if thread == own {
                let told = Told {
                    clocks: all(fenced, self.clock + 1),
                    joined: self.joined,
                    lanes,
                };
                tell(thread, told);
            } else if let Some((signal, released)) = member.shared(self.passed) {
                // What the group shows itself, this thread's fence shows others.
                let [local, group, device, sampler, texels] = all(released, signal);
                let reached = match fenced[2] > self.passed_at {
                    true => group,
                    false => 0,
                };
                let clocks = [local, group, device.max(reached), sampler, texels];
                tell(thread, Told::by_all(clocks));
            }
        }
        // Operations that have no scope in their language are for all.
        if sync.is_some_and(|sync| sync.narrow) {
            merge(&mut word.near, &std::mem::take(&mut word.wide));
        }
        word
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use devinfo::report;

    use super::*;
    use crate::check::heard::Known;
    use crate::check::sync::asked;

    const ALL: u32 = u32::MAX;

    #[test]
    fn a_barrier_orders_what_is_fenced() {
        let (mut writer, mut reader) = (Order::new(false), Order::new(false));
        let wrote = writer.clock;
        let relation = |writer: &Order, reader: &Order, needs| {
            writer.to_member(wrote, Side::Local, needs, reader)
        };
        assert_eq!(relation(&writer, &reader, true), Relation::Racing);
        writer.signal();
        reader.signal();
        assert_eq!(
            relation(&writer, &reader, true),
            Relation::Racing,
            "not waited for"
        );
        reader.pass();
        assert_eq!(relation(&writer, &reader, true), Relation::Unfenced);
        assert_eq!(relation(&writer, &reader, false), Relation::Before);
    }

    #[test]
    fn a_fence_counts_before_the_signal_only() {
        let (mut writer, mut reader) = (Order::new(false), Order::new(false));
        let wrote = writer.clock;
        writer.signal();
        writer.fence(Side::Global, Reach::Device);
        reader.signal();
        reader.pass();
        let late = writer.to_member(wrote, Side::Global, true, &reader);
        assert_eq!(late, Relation::Unfenced);
        // The writer is a barrier ahead.
        writer.pass();
        writer.signal();
        assert_eq!(
            writer.to_member(wrote, Side::Global, true, &reader),
            Relation::Unfenced
        );
        reader.signal();
        reader.pass();
        assert_eq!(
            writer.to_member(wrote, Side::Global, true, &reader),
            Relation::Before
        );
    }

    #[test]
    fn atomics_tell_what_is_fenced() {
        let mut writer = Order::new(false);
        let wrote = writer.clock;
        let told = writer.release(7, ALL, std::slice::from_ref(&writer), 7, (None, false));
        let mut reader = Order::new(false);
        reader.heard.hear(&told);
        assert!(
            !reader
                .heard
                .has((7, wrote, None), Side::Global, Reach::Device, None),
            "no fence"
        );
        writer.fence(Side::Global, Reach::Device);
        let told = writer.release(7, ALL, std::slice::from_ref(&writer), 7, (None, false));
        reader.heard.hear(&told);
        assert!(
            reader
                .heard
                .has((7, wrote, None), Side::Global, Reach::Device, None)
        );
        assert!(
            !reader
                .heard
                .has((7, wrote, None), Side::Local, Reach::Device, None)
        );
        assert!(
            !reader
                .heard
                .has((7, writer.clock, None), Side::Global, Reach::Device, None),
            "later work"
        );
    }

    #[test]
    fn without_fences_an_atomic_tells_what_came_before_it() {
        let mut writer = Order::new(false);
        let before = writer.clock;
        let told = writer.release(7, ALL, std::slice::from_ref(&writer), 7, (None, true));
        writer.told();
        let mut reader = Order::new(false);
        reader.heard.hear(&told);
        assert!(
            reader
                .heard
                .has((7, before, None), Side::Local, Reach::Group, None)
        );
        assert!(
            !reader
                .heard
                .has((7, writer.clock, None), Side::Local, Reach::Group, None),
            "later work"
        );
    }

    #[test]
    fn a_fence_for_the_group_tells_other_groups_nothing() {
        let mut writer = Order::new(false);
        let wrote = writer.clock;
        writer.fence(Side::Global, Reach::Group);
        let told = writer.release(7, ALL, std::slice::from_ref(&writer), 7, (None, false));
        let mut reader = Order::new(false);
        reader.heard.hear(&told);
        assert!(
            reader
                .heard
                .has((7, wrote, None), Side::Global, Reach::Group, None)
        );
        assert!(
            !reader
                .heard
                .has((7, wrote, None), Side::Global, Reach::Device, None)
        );
    }

    #[test]
    fn a_fence_after_the_barrier_shows_others_what_the_group_did() {
        let mut group = [Order::new(false), Order::new(false)];
        let wrote = group[0].clock;
        group[0].fence(Side::Global, Reach::Group);
        group.iter_mut().for_each(Order::signal);
        group.iter_mut().for_each(Order::pass);
        let told = |group: &[Order]| {
            let told = group[1].release(8, ALL, group, 7, (None, false));
            told.wide.get(&7).is_some_and(|told| wrote < told.clocks[2])
        };
        assert!(!told(&group));
        group[1].fence(Side::Global, Reach::Device);
        assert!(told(&group));
    }

    #[test]
    fn the_sampler_sees_what_was_written_before_its_cache_was_dropped() {
        let (mut writer, reader) = (Order::new(false), Order::new(false));
        let wrote = writer.clock;
        writer.fence(Side::Global, Reach::Device);
        let flushed = {
            let mut flushed = writer.clone();
            flushed.fence(Side::Sampler, Reach::Group);
            flushed
        };
        for (mut writer, seen) in [(writer, Relation::Unfenced), (flushed, Relation::Before)] {
            writer.signal();
            let mut reader = reader.clone();
            reader.signal();
            reader.pass();
            assert_eq!(
                writer.to_member(wrote, Side::Global, true, &reader),
                Relation::Before
            );
            assert_eq!(writer.to_member(wrote, Side::Sampler, true, &reader), seen);
        }
    }

    /// What a thread that has acquired from thread 3 tells of that by an operation of these semantics and this
    /// scope, behind a fence if there is one: all, and its group alone.
    fn handed_on(semantics: u32, scope: u32, fence: Option<[u32; 2]>) -> [bool; 2] {
        let members = 7..8;
        let word = Word {
            wide: Known::new(BTreeMap::from([(3, Told::by_all([5; 5]))])),
            near: Known::default(),
        };
        let mut order = Order::new(true);
        let acquires = asked(
            report::ACQUIRE,
            report::DEVICE,
            report::ATOMIC | report::LOADS,
        );
        order.heard.hear_by(1, &word, &acquires, &members);
        if let Some([semantics, scope]) = fence {
            order.tells(asked(semantics, scope, 0), 1, false, &members);
        }
        let sync = asked(semantics, scope, report::ATOMIC | report::SCOPED);
        let told = order.release(7, 1, std::slice::from_ref(&order), 7, (Some(&sync), false));
        [told.wide, told.near].map(|known| known.contains_key(&3))
    }

    #[test]
    fn what_was_acquired_is_handed_on_by_what_releases_for_whom_it_does() {
        let (relaxed, device, group) = (0, report::DEVICE, report::WORK_GROUP);
        let fence = report::RELEASE | report::GLOBAL_MEMORY;
        assert_eq!(handed_on(report::RELEASE, device, None), [true, false]);
        assert_eq!(handed_on(report::RELEASE, group, None), [false, true]);
        assert_eq!(handed_on(relaxed, device, None), [false, false]);
        assert_eq!(
            handed_on(relaxed, device, Some([fence, device])),
            [true, false]
        );
        assert_eq!(
            handed_on(relaxed, device, Some([fence, group])),
            [false, true]
        );
        let acquires = report::ACQUIRE | report::GLOBAL_MEMORY;
        assert_eq!(
            handed_on(relaxed, device, Some([acquires, device])),
            [false, false]
        );
    }

    #[test]
    fn what_was_heard_is_known_once_caches_are_dropped() {
        let mut writer = Order::new(false);
        let wrote = writer.clock;
        writer.fence(Side::Global, Reach::Device);
        let told = writer.release(7, ALL, std::slice::from_ref(&writer), 7, (None, false));
        let mut reader = Order::new(false);
        reader.heard.hear(&told);
        assert!(
            !reader
                .heard
                .knows((7, wrote, None), Side::Global, Reach::Device)
        );
        reader.heard.drop_caches();
        assert!(
            reader
                .heard
                .knows((7, wrote, None), Side::Global, Reach::Device)
        );
    }
}
