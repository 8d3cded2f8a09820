//! How long a thread looks for a change before it sleeps.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::host::host_cores;

/// How long a thread looks: about as long as to sleep and to be woken takes.
const SPIN: Duration = Duration::from_micros(20);
/// After so many times in vain, a thread looks once in two to the power of that.
const MOST: u32 = 5;

/// Whether it pays to look, from what became of it the last times.
///
/// It does not where the thread that is waited for shares the core with the one that looks, and needs
/// it: then nothing comes before that sleeps, and the sooner it does the better.
#[derive(Debug)]
pub(crate) struct Patience {
    /// How often in a row it was in vain.
    failures: AtomicU32,
    /// How often not to look.
    skip: AtomicU32,
}

impl Patience {
    /// Looks at first.
    pub(crate) const fn new() -> Self {
        Self {
            failures: AtomicU32::new(0),
            skip: AtomicU32::new(0),
        }
    }

    /// Whether something soon is so.
    pub(crate) fn soon(&self, so: impl Fn() -> bool) -> bool {
        if so() {
            return true;
        }
        // What other threads count at the same time may be lost: it is a guess only.
        let skip = self.skip.load(Ordering::Relaxed);
        if host_cores() == 1 || skip > 0 {
            self.skip.store(skip.saturating_sub(1), Ordering::Relaxed);
            return false;
        }
        let begin = Instant::now();
        while begin.elapsed() < SPIN {
            for _ in 0..50 {
                if so() {
                    self.failures.store(0, Ordering::Relaxed);
                    return true;
                }
                std::hint::spin_loop();
            }
        }
        let failures = (self.failures.load(Ordering::Relaxed) + 1).min(MOST);
        self.failures.store(failures, Ordering::Relaxed);
        self.skip.store((1 << failures) - 1, Ordering::Relaxed);
        false
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// How often it asks when the answer is always no.
    fn looks(patience: &Patience) -> u32 {
        let asked = Cell::new(0);
        assert!(!patience.soon(|| {
            asked.set(asked.get() + 1);
            false
        }));
        asked.get()
    }

    #[test]
    fn what_never_comes_is_looked_for_ever_more_rarely() {
        if host_cores() == 1 {
            return;
        }
        let patience = Patience::new();
        let long = |count: usize| (0..count).filter(|_| looks(&patience) > 1).count();
        assert_eq!(long(1), 1);
        // Every second time, every fourth, …, every 32nd.
        assert_eq!(long(2 + 4 + 8 + 16 + 32 + 32), 6);
    }

    #[test]
    fn what_comes_in_time_is_looked_for_again() {
        if host_cores() == 1 {
            return;
        }
        let patience = Patience::new();
        while patience.failures.load(Ordering::Relaxed) < MOST {
            looks(&patience);
        }
        while patience.skip.load(Ordering::Relaxed) > 0 {
            looks(&patience);
        }
        let asked = Cell::new(0);
        assert!(patience.soon(|| asked.replace(asked.get() + 1) > 10));
        assert!(looks(&patience) > 1);
    }
}
