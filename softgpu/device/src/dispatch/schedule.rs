//! Which groups of a host thread run beside each other, and for how long each.

use std::collections::VecDeque;

use super::resident::{Host, Resident};
use super::walker::Walker;

/// How the groups of a host thread take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Instructions that a thread runs before its neighbours get a turn: one of an even group, and one of an odd group.
    slices: [u32; 2],
    /// Slices that each group has before another one starts beside it, if so many are there already.
    patience: u32,
    /// Groups that start at once. If they are several, the last group is one of them.
    together: usize,
}

/// Most groups end before another one starts beside them, and then their registers stay in the host's cache.
const PLAIN: Schedule = Schedule {
    slices: [4096; 2],
    patience: 16,
    together: 1,
};

/// Short turns of several groups. Where rules are checked, groups that come one after the other would hide that a lock
/// is not waited for, or that a flag happens to be set. So the first groups, and the last one, are under way at once,
/// some faster than others.
const MIXED: Schedule = Schedule {
    slices: [8, 64],
    patience: 1024,
    together: 4,
};

impl Schedule {
    /// That of the walker.
    pub fn of(walker: &Walker, host: &Host<'_>) -> Self {
        if host.checks.is_none() {
            return PLAIN;
        }
        let threads = u64::from(walker.threads_per_group()) * MIXED.together as u64;
        match host.code.is_atomic() {
            // Code without atomic operations is in the order of its barriers, whoever comes first.
            Some(false) => PLAIN,
            _ if threads > u64::from(walker.thread_slots) => PLAIN,
            Some(true) => MIXED,
            // Its first instruction tells.
            None => Self {
                slices: [1; 2],
                ..PLAIN
            },
        }
    }

    /// How many instructions a thread of the group runs before its neighbours get a turn.
    pub fn slice(&self, group: &Resident) -> u32 {
        self.slices[usize::from(group.is_odd())]
    }

    /// Whether it is time for one more group beside these.
    pub fn starts_another(&self, resident: &VecDeque<Box<Resident>>) -> bool {
        resident.len() < self.together
            || resident.iter().all(|group| group.slices() >= self.patience)
    }

    /// Which group of `count` starts at this place.
    pub fn place(&self, start: u64, count: u64) -> u64 {
        let last = (self.together as u64).min(count) - 1;
        match start {
            _ if last == 0 || start < last => start,
            _ if start == last => count - 1,
            _ => start - 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_group_starts_once() {
        for count in 1..10 {
            let places = |schedule: Schedule| (0..count).map(move |at| schedule.place(at, count));
            assert!(places(PLAIN).eq(0..count));
            let mut mixed: Vec<u64> = places(MIXED).collect();
            if count > 4 {
                assert_eq!(mixed[..5], [0, 1, 2, count - 1, 3]);
            }
            mixed.sort_unstable();
            assert!(mixed.into_iter().eq(0..count));
        }
    }
}
