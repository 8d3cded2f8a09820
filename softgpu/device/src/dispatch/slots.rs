//! Thread slots: the places on the EUs that threads occupy.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The device's free thread slots.
///
/// A slot's number is its thread's FFTID. It selects scratch memory, so no two resident threads may
/// share one. A host thread keeps the slots of a group that has ended for its next one, unless
/// another waits for slots.
#[derive(Debug)]
pub struct Slots {
    free: Mutex<Free>,
    waiting: AtomicU32,
}

#[derive(Debug)]
struct Free {
    /// Those that no thread has had.
    fresh: Range<u32>,
    /// Those that were given back, the next one last.
    returned: Vec<u32>,
}

impl Slots {
    /// `count` free slots.
    pub fn new(count: u32) -> Self {
        Self {
            free: Mutex::new(Free {
                fresh: 0..count,
                returned: Vec::new(),
            }),
            waiting: AtomicU32::new(0),
        }
    }

    /// Takes `count` slots into `taken`, or none if there are fewer.
    pub fn take(&self, count: usize, taken: &mut Vec<u32>) -> bool {
        let mut free = self.free();
        let Free { fresh, returned } = &mut *free;
        if returned.len() + fresh.len() < count {
            return false;
        }
        let rest = returned.len().saturating_sub(count);
        let fresh_ones = count - (returned.len() - rest);
        taken.extend(returned.drain(rest..).rev());
        taken.extend(fresh.take(fresh_ones));
        true
    }

    /// A host thread begins to wait for slots, or no longer does.
    pub fn wait(&self, waits: bool) {
        if waits {
            self.waiting.fetch_add(1, Ordering::Relaxed);
        } else {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Whether a host thread waits for slots.
    pub fn is_wanted(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) != 0
    }

    /// Returns slots.
    pub fn put(&self, taken: &mut Vec<u32>) {
        self.free().returned.extend(taken.drain(..).rev());
    }

    fn free(&self) -> MutexGuard<'_, Free> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::Slots;

    #[test]
    fn slots_are_never_given_twice() {
        let slots = Slots::new(5);
        let (mut a, mut b) = (Vec::new(), Vec::new());
        assert!(slots.take(3, &mut a));
        assert!(!slots.take(3, &mut b), "only two are left");
        assert!(slots.take(2, &mut b));
        let mut all = [a.clone(), b.clone()].concat();
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3, 4]);
        slots.put(&mut a);
        assert!(slots.take(3, &mut b));
    }
}
