//! What happened before what: barriers, fences and atomics between the threads of a launch.

use std::collections::BTreeMap;
use std::sync::Arc;

/// The two kinds of memory, each with fences of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Shared local memory.
    Local = 0,
    /// All other memory.
    Global = 1,
}

/// What a thread knows of others through atomics: by thread, the clocks up to which what it did to
/// each kind of memory is visible.
pub(crate) type Known = Arc<BTreeMap<u32, [u32; 2]>>;

/// How an earlier access is related to one now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// It happened before.
    Before,
    /// It would have, had its thread fenced before it signalled the barrier.
    Unfenced,
    /// Nothing orders them.
    Racing,
}

/// One thread's clock, which advances at fences and barriers.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    /// Now.
    pub clock: u32,
    /// How many barriers it has signalled, and waited for.
    signalled: u32,
    passed: u32,
    /// The clocks of its last two signals.
    at: [u32; 2],
    /// What it did to each kind of memory before these clocks is fenced: now, and at its last two
    /// signals.
    fenced: [u32; 2],
    released: [[u32; 2]; 2],
    /// Through atomics.
    pub known: Known,
}

impl Order {
    pub fn new() -> Self {
        Self {
            clock: 1,
            signalled: 0,
            passed: 0,
            at: [0; 2],
            fenced: [0; 2],
            released: [[0; 2]; 2],
            known: Known::default(),
        }
    }

    /// It has waited for a fence.
    pub fn fence(&mut self, side: Side) {
        self.clock += 1;
        if let Some(fenced) = self.fenced.get_mut(side as usize) {
            *fenced = self.clock;
        }
    }

    /// It signals the barrier.
    pub fn signal(&mut self) {
        self.clock += 1;
        self.signalled += 1;
        self.at = [self.at[1], self.clock];
        self.released = [self.released[1], self.fenced];
    }

    /// The barrier has passed.
    pub fn pass(&mut self) {
        self.passed = self.signalled;
    }

    /// The clock of its signal of the last barrier that a thread which has passed `passed` barriers
    /// shares with it, and what was fenced then.
    fn shared(&self, passed: u32) -> Option<(u32, [u32; 2])> {
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
        let fenced = released.get(side as usize).copied().unwrap_or(0);
        match clock < signal {
            false => Relation::Racing,
            true if needs_fence && clock >= fenced => Relation::Unfenced,
            true => Relation::Before,
        }
    }

    /// What an atomic of this thread of a group tells others: its own fenced work, and that of its
    /// group up to the barriers that it has passed. `free` kinds of memory need no fence.
    pub fn release(&self, own: u32, group: &[Order], first: u32, free: [bool; 2]) -> Known {
        let mut known = self.known.clone();
        let all = |fenced: [u32; 2], now: u32| {
            [0, 1].map(|side: usize| match free[side] {
                true => now,
                false => fenced[side],
            })
        };
        let mut tell = |thread: u32, clocks: [u32; 2]| {
            if clocks == [0; 2] {
                return;
            }
            let known = Arc::make_mut(&mut known);
            let entry = known.entry(thread).or_default();
            *entry = [entry[0].max(clocks[0]), entry[1].max(clocks[1])];
        };
        for (index, member) in group.iter().enumerate() {
            let thread = first + index as u32;
            if thread == own {
                tell(thread, all(self.fenced, self.clock + 1));
            } else if let Some((signal, released)) = member.shared(self.passed) {
                tell(thread, all(released, signal));
            }
        }
        known
    }

    /// It learns what another thread's atomic told.
    pub fn acquire(&mut self, told: &Known) {
        if Arc::ptr_eq(&self.known, told) || told.is_empty() {
            return;
        }
        if self.known.is_empty() {
            self.known = told.clone();
            return;
        }
        let known = Arc::make_mut(&mut self.known);
        for (&thread, clocks) in told.iter() {
            let entry = known.entry(thread).or_default();
            *entry = [entry[0].max(clocks[0]), entry[1].max(clocks[1])];
        }
    }

    /// Whether it knows what `thread` did at `clock`.
    pub fn knows(&self, thread: u32, clock: u32, side: Side) -> bool {
        let clocks = self.known.get(&thread);
        clocks.is_some_and(|clocks| {
            clocks
                .get(side as usize)
                .is_some_and(|until| clock < *until)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_barrier_orders_what_is_fenced() {
        let (mut writer, mut reader) = (Order::new(), Order::new());
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
        let (mut writer, mut reader) = (Order::new(), Order::new());
        let wrote = writer.clock;
        writer.signal();
        writer.fence(Side::Global);
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
        let mut writer = Order::new();
        let wrote = writer.clock;
        let told = writer.release(7, std::slice::from_ref(&writer), 7, [false; 2]);
        let mut reader = Order::new();
        reader.acquire(&told);
        assert!(!reader.knows(7, wrote, Side::Global), "no fence");
        writer.fence(Side::Global);
        let told = writer.release(7, std::slice::from_ref(&writer), 7, [false; 2]);
        reader.acquire(&told);
        assert!(reader.knows(7, wrote, Side::Global));
        assert!(!reader.knows(7, wrote, Side::Local));
        assert!(!reader.knows(7, writer.clock, Side::Global), "later work");
    }
}
