//! Threads of engines and those that submit to them, apart from each other.
//!
//! The two take turns: one waits until the other has done its part. On one core of the host this is stable, though
//! slow: neither is ever held up, since each sleeps as soon as it waits, so the host's scheduler leaves them there. What
//! they do takes twice as long as on two cores, where neither has to be woken.

use std::sync::atomic::{AtomicU32, Ordering};

use nix::sched::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
use nix::unistd::Pid;

/// After so many jobs on one core the thread moves, at first.
const FIRST: u32 = 16;
/// And at the most, if that is in vain: the host may have other work on its other cores.
const MOST: u32 = 1 << 14;

/// No core is known.
const NOWHERE: u32 = u32::MAX;

/// The core of the thread that has submitted last.
#[derive(Debug)]
pub(super) struct Submitter(AtomicU32);

impl Submitter {
    pub(super) const fn new() -> Self {
        Self(AtomicU32::new(NOWHERE))
    }

    /// The calling thread submits.
    pub(super) fn is_here(&self) {
        self.0.store(here(), Ordering::Relaxed);
    }
}

fn here() -> u32 {
    sched_getcpu().map_or(NOWHERE, |core| core as u32)
}

/// What a thread of an engine knows of the cores that it and the submitter had.
#[derive(Debug)]
pub(super) struct Apart {
    /// How many jobs in a row came from its own core, and from another one.
    together: u32,
    apart: u32,
    limit: u32,
}

impl Apart {
    pub(super) const fn new() -> Self {
        Self {
            together: 0,
            apart: 0,
            limit: FIRST,
        }
    }

    /// Takes a job: moves the calling thread to another core if the submitter has had the same one for long.
    pub(super) fn take(&mut self, submitter: &Submitter) {
        let (here, there) = (here(), submitter.0.load(Ordering::Relaxed));
        if here != NOWHERE && self.is_due(here == there) {
            leave(here as usize);
        }
    }

    /// Whether it is time to move, after one more job.
    fn is_due(&mut self, together: bool) -> bool {
        if !together {
            self.together = 0;
            self.apart = self.apart.saturating_add(1);
            return false;
        }
        if self.apart >= self.limit {
            self.limit = FIRST;
        }
        self.apart = 0;
        self.together += 1;
        if self.together < self.limit {
            return false;
        }
        self.together = 0;
        self.limit = (self.limit * 2).min(MOST);
        true
    }
}

/// Moves the calling thread from a core to any other one that it may have, if there is one; it may come back later.
fn leave(core: usize) {
    let own = Pid::from_raw(0);
    let Some([allowed, others]) = cores(core) else {
        return;
    };
    if sched_setaffinity(own, &others).is_ok() {
        // Where this fails, it stays with fewer cores than it might have.
        let _ = sched_setaffinity(own, &allowed);
    }
}

/// The cores that the calling thread may have, and those of them that are not this one, if there are some.
fn cores(core: usize) -> Option<[CpuSet; 2]> {
    let allowed = sched_getaffinity(Pid::from_raw(0)).ok()?;
    let is_other = |other: &usize| *other != core && allowed.is_set(*other).unwrap_or(false);
    let mut others = CpuSet::new();
    let mut some = false;
    for other in (0..CpuSet::count()).filter(is_other) {
        some |= others.set(other).is_ok();
    }
    some.then_some([allowed, others])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_moves_ever_more_rarely_while_that_is_in_vain() {
        let mut apart = Apart::new();
        let moves = |apart: &mut Apart, jobs: u32| (0..jobs).filter(|_| apart.is_due(true)).count();
        assert_eq!(moves(&mut apart, FIRST - 1), 0);
        assert_eq!(moves(&mut apart, 1), 1);
        assert_eq!(moves(&mut apart, 2 * FIRST - 1), 0);
        assert_eq!(moves(&mut apart, 1), 1);
        // One job from elsewhere is none that helps; many are.
        assert!(!apart.is_due(false));
        assert_eq!(moves(&mut apart, 4 * FIRST - 1), 0);
        assert!((0..1000).all(|_| !apart.is_due(false)));
        assert_eq!(moves(&mut apart, FIRST), 1);
    }

    #[test]
    fn a_thread_that_leaves_a_core_keeps_the_right_to_all() {
        let own = Pid::from_raw(0);
        let before = sched_getaffinity(own).expect("Linux says so");
        for _ in 0..4 {
            let core = here();
            let Some([allowed, others]) = cores(core as usize) else {
                return eprintln!("there is one core only");
            };
            assert_eq!(allowed, before);
            sched_setaffinity(own, &others).expect("Linux does so");
            assert_ne!(here(), core);
            sched_setaffinity(own, &allowed).expect("Linux does so");
            leave(here() as usize);
            assert_eq!(sched_getaffinity(own).expect("Linux says so"), before);
        }
    }
}
