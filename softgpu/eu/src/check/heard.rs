//! What threads learn of each other through atomics.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::order::{Clocks, Joined, Reach, Side, joint, place};
use super::sync::Sync;

/// The most sets of channels whose knowledge is told apart; what others hear, all of the thread know.
const SETS: usize = 4;

/// What a thread has told others of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Told {
    pub clocks: Clocks,
    /// Of what came before these clocks, all that its channels did; of what came later, what these did.
    pub joined: Joined,
    pub lanes: u32,
}

impl Told {
    /// All channels have told it.
    pub fn by_all(clocks: Clocks) -> Self {
        Self {
            clocks,
            joined: Joined::default(),
            lanes: u32::MAX,
        }
    }

    pub fn add(&mut self, other: &Self) {
        self.clocks = std::array::from_fn(|index| self.clocks[index].max(other.clocks[index]));
        self.joined = std::array::from_fn(|index| self.joined[index].max(other.joined[index]));
        self.lanes |= other.lanes;
    }

    /// Whether it has told of what a channel, if that is known, did at `clock`.
    fn has(&self, clock: u32, lane: Option<u8>, side: Side, reach: Reach) -> bool {
        let alone = |lane: u8| self.lanes >> (lane % 32) & 1 == 0;
        clock < self.clocks[place(side, reach)]
            && (clock < self.joined[joint(side)] || !lane.is_some_and(alone))
    }
}

/// What is known of threads, by thread.
pub(crate) type Known = Arc<BTreeMap<u32, Told>>;

/// Adds what `told` has to `known`.
pub(super) fn merge(known: &mut Known, told: &Known) {
    if Arc::ptr_eq(known, told) || told.is_empty() {
        return;
    }
    if known.is_empty() {
        *known = told.clone();
        return;
    }
    let known = Arc::make_mut(known);
    for (&thread, told) in told.iter() {
        known.entry(thread).or_default().add(told);
    }
}

/// What of it a synchronization shows: some kinds of memory, of all threads or of its group's.
fn shown(known: &Known, sync: &Sync, members: &Range<u32>) -> Known {
    if sync.is_everything() {
        return known.clone();
    }
    let near = known.iter().filter(|(thread, _)| match sync.reach {
        Some(Reach::Device) => true,
        Some(Reach::Group) => members.contains(thread),
        None => false,
    });
    let only = |told: &Told| Told {
        clocks: sync.only(told.clocks),
        ..*told
    };
    Known::new(near.map(|(thread, told)| (*thread, only(told))).collect())
}

/// What atomic operations tell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Word {
    /// Those for the device tell it all threads.
    pub wide: Known,
    /// Those for a work-group tell it the threads of theirs.
    pub near: Known,
}

impl Word {
    pub fn is_empty(&self) -> bool {
        self.wide.is_empty() && self.near.is_empty()
    }

    pub fn add(&mut self, other: &Self) {
        merge(&mut self.wide, &other.wide);
        merge(&mut self.near, &other.near);
    }

    /// What of it a synchronization shows a thread of the group that it is near to.
    fn shown(&self, sync: &Sync, members: &Range<u32>) -> Known {
        let mut known = shown(&self.wide, sync, members);
        if sync.reach.is_some() && !self.near.is_empty() {
            merge(&mut known, &shown(&self.near, &sync.for_all(), members));
        }
        known
    }
}

/// What a thread has heard.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heard {
    /// What all its channels have.
    all: Known,
    /// What some have, and the others have not since the last barrier.
    some: Vec<(u32, Known)>,
    /// What came without an order: a fence that acquires makes it heard.
    relaxed: Word,
    /// What fences that release have been told of: its atomic operations of any order tell it from then on.
    released: Word,
    /// What it had heard when it last dropped what caches hold.
    known: Known,
}

/// An access of a thread: its clock, and its channel, if that is known.
pub(crate) type Deed = (u32, u32, Option<u8>);

impl Heard {
    /// It hears what another thread's atomic told.
    pub fn hear(&mut self, told: &Word) {
        merge(&mut self.all, &told.wide);
        merge(&mut self.all, &told.near);
    }

    /// These channels do, by an atomic operation of that order.
    pub fn hear_by(&mut self, lanes: u32, told: &Word, sync: &Sync, members: &Range<u32>) {
        self.relaxed.add(told);
        if sync.acquires {
            self.add(lanes, &told.shown(sync, members));
        }
    }

    /// These channels pass a fence.
    pub fn acquire(&mut self, sync: &Sync, lanes: u32, members: &Range<u32>) {
        if sync.acquires && !self.relaxed.is_empty() {
            let told = self.relaxed.shown(sync, members);
            self.add(lanes, &told);
        }
    }

    /// These channels pass a fence that releases.
    pub fn release(&mut self, sync: &Sync, lanes: u32) {
        let Some(reach) = sync.reach else {
            return;
        };
        let known = shown(&self.by(lanes), &sync.for_all(), &(0..0));
        match reach {
            Reach::Device => merge(&mut self.released.wide, &known),
            Reach::Group => merge(&mut self.released.near, &known),
        }
    }

    /// What an atomic operation of these channels tells of it.
    pub fn told(&self, sync: &Sync, lanes: u32) -> Word {
        if !sync.releases {
            return self.released.clone();
        }
        Word {
            wide: self.by(lanes),
            near: self.released.near.clone(),
        }
    }

    fn add(&mut self, lanes: u32, told: &Known) {
        let full = self.some.len() >= SETS;
        match self.some.iter_mut().find(|(set, _)| *set == lanes) {
            Some((_, known)) => merge(known, told),
            None if full => merge(&mut self.all, told),
            None if told.is_empty() => {}
            None => self.some.push((lanes, told.clone())),
        }
    }

    /// A barrier: what one channel has heard of these kinds of memory, all have.
    pub fn join(&mut self, sync: &Sync) {
        // It shows all channels what one of them knows, wherever that comes from.
        let sync = sync.for_all();
        for (_, known) in &self.some {
            merge(&mut self.all, &shown(known, &sync, &(0..0)));
        }
        let is_told = |told: &Told| sync.only(told.clocks) == told.clocks;
        let remains = |known: &Known| !known.values().all(is_told);
        self.some.retain(|(_, known)| remains(known));
    }

    /// It hears and knows what another thread of its group does: they have passed a barrier.
    pub fn share(&mut self, other: &Self) {
        merge(&mut self.all, &other.all);
        merge(&mut self.known, &other.known);
    }

    /// Nothing that others of the group could hear.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// It drops what caches hold: what it has heard of, it reads from now on.
    pub fn drop_caches(&mut self) {
        merge(&mut self.known, &self.all);
        merge(&mut self.known, &self.relaxed.wide);
        merge(&mut self.known, &self.relaxed.near);
    }

    /// What these channels have heard.
    pub fn by(&self, lanes: u32) -> Known {
        let mut known = self.all.clone();
        for (_, some) in self.some.iter().filter(|(set, _)| set & lanes != 0) {
            merge(&mut known, some);
        }
        known
    }

    /// Whether a channel of it, or any if that is not known, has heard of what a thread, of its group or another
    /// one, did.
    pub fn has(&self, deed: Deed, side: Side, reach: Reach, lane: Option<u8>) -> bool {
        let here = |set: u32| lane.is_none_or(|lane| set >> (lane % 32) & 1 != 0);
        let has = |known: &Known| has(known, deed, side, reach);
        has(&self.all)
            || self
                .some
                .iter()
                .any(|(set, known)| here(*set) && has(known))
    }

    /// Whether it has dropped what caches hold since it heard of it.
    pub fn knows(&self, deed: Deed, side: Side, reach: Reach) -> bool {
        has(&self.known, deed, side, reach)
    }
}

fn has(known: &Known, (thread, clock, lane): Deed, side: Side, reach: Reach) -> bool {
    let told = known.get(&thread);
    told.is_some_and(|told| told.has(clock, lane, side, reach))
}

#[cfg(test)]
mod tests {
    use devinfo::report;

    use super::*;
    use crate::check::sync::asked;

    const ALL: u32 = u32::MAX;

    /// What one channel of thread 7 tells: a barrier was at clock 3, and all is fenced up to 5.
    fn told(lane: u8) -> Word {
        let one = Told {
            clocks: [5; 5],
            joined: [3; 3],
            lanes: 1 << lane,
        };
        Word {
            wide: Known::new(BTreeMap::from([(7, one)])),
            near: Known::default(),
        }
    }

    fn has(heard: &Heard, deed: Deed, lane: u8) -> bool {
        heard.has(deed, Side::Global, Reach::Device, Some(lane))
    }

    #[test]
    fn a_channel_tells_of_itself_and_of_all_before_a_barrier() {
        let mut heard = Heard::default();
        heard.hear(&told(2));
        assert!(has(&heard, (7, 4, Some(2)), 0));
        assert!(!has(&heard, (7, 4, Some(1)), 0), "another one");
        assert!(has(&heard, (7, 2, Some(1)), 0), "before the barrier");
        assert!(has(&heard, (7, 4, None), 0), "nobody knows whose");
        assert!(!has(&heard, (7, 5, Some(2)), 0), "not fenced");
    }

    #[test]
    fn what_one_channel_hears_others_do_after_a_barrier() {
        let (deed, none) = ((7, 4, Some(2)), 0..0);
        let acquire = asked(0x2, 1, report::ATOMIC);
        let mut heard = Heard::default();
        heard.hear_by(1 << 4, &told(2), &acquire, &none);
        assert!(has(&heard, deed, 4) && !has(&heard, deed, 5));
        heard.join(&asked(0x108, 2, report::JOINS));
        assert!(has(&heard, deed, 4), "the barrier was of local memory");
        assert!(!has(&heard, deed, 5), "the barrier was of local memory");
        heard.join(&asked(0x208, 2, report::JOINS));
        assert!(has(&heard, deed, 5));
    }

    #[test]
    fn what_is_relaxed_is_heard_at_a_fence_that_acquires() {
        let (deed, none) = ((7, 4, Some(2)), 0..0);
        let relaxed = asked(0, 1, report::ATOMIC);
        let mut heard = Heard::default();
        heard.hear_by(1 << 4, &told(2), &relaxed, &none);
        for too_little in [asked(0x204, 1, 0), asked(0x208, 2, 0), asked(0x108, 1, 0)] {
            heard.acquire(&too_little, ALL, &none);
            assert!(!has(&heard, deed, 4), "{too_little:?}");
        }
        heard.acquire(&asked(0x202, 1, 0), 1 << 4, &none);
        assert!(has(&heard, deed, 4) && !has(&heard, deed, 5));
    }
}
