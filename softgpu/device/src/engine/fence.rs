//! Fences: events that happen once.

use std::fmt;
use std::sync::atomic::{self, AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use super::patience::Patience;

/// Counts changes that some thread may wait for: fences signalled, sync objects changed.
///
/// One for the process: fences cross nodes through fds.
struct Changes {
    count: AtomicU64,
    /// Threads that sleep until there are more, or are about to.
    sleepers: Mutex<()>,
    sleeping: AtomicUsize,
    changed: Condvar,
    /// A fence was signalled for which threads sleep.
    signalled: Condvar,
}

static CHANGES: Changes = Changes {
    count: AtomicU64::new(0),
    sleepers: Mutex::new(()),
    sleeping: AtomicUsize::new(0),
    changed: Condvar::new(),
    signalled: Condvar::new(),
};

/// Whether it pays to look for the end of a batch before sleeping.
static FENCES: Patience = Patience::new();
/// The same for other changes.
static OTHERS: Patience = Patience::new();

impl Changes {
    fn now(&self) -> u64 {
        self.count.load(Ordering::SeqCst)
    }

    /// Sleeps until there is a change since `seen`; false at the deadline.
    fn sleep(&self, seen: u64, deadline: Option<Instant>) -> bool {
        let mut guard = self.lock();
        // A change after this sees a sleeper, and one before it is seen below.
        self.sleeping.fetch_add(1, Ordering::SeqCst);
        let mut in_time = true;
        while in_time && self.now() == seen {
            (guard, in_time) = wait_on(&self.changed, guard, deadline);
        }
        self.sleeping.fetch_sub(1, Ordering::SeqCst);
        in_time
    }

    /// Sleeps until `fence` is signalled; false at the deadline. Other changes do not wake it.
    fn sleep_for(&self, fence: &Fence, deadline: Option<Instant>) -> bool {
        let mut guard = self.lock();
        fence.sleepers.fetch_add(1, Ordering::SeqCst);
        // As above, with `Fence::signal`.
        atomic::fence(Ordering::SeqCst);
        let mut in_time = true;
        while in_time && !fence.is_signalled() {
            (guard, in_time) = wait_on(&self.signalled, guard, deadline);
        }
        fence.sleepers.fetch_sub(1, Ordering::SeqCst);
        in_time
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        self.sleepers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits on `condvar`; false once the deadline has passed.
pub(super) fn wait_on<'a, T>(
    condvar: &Condvar,
    guard: MutexGuard<'a, T>,
    deadline: Option<Instant>,
) -> (MutexGuard<'a, T>, bool) {
    let Some(deadline) = deadline else {
        let guard = condvar.wait(guard);
        return (guard.unwrap_or_else(PoisonError::into_inner), true);
    };
    let left = deadline.saturating_duration_since(Instant::now());
    let waited = condvar.wait_timeout(guard, left);
    let (guard, _) = waited.unwrap_or_else(PoisonError::into_inner);
    (guard, !left.is_zero())
}

/// Wakes all waiters but those for a fence: something that [`wait_until`] may check has changed.
pub fn announce() {
    CHANGES.count.fetch_add(1, Ordering::SeqCst);
    if CHANGES.sleeping.load(Ordering::SeqCst) != 0 {
        // A thread that is about to sleep has the lock until it does.
        drop(CHANGES.lock());
        CHANGES.changed.notify_all();
    }
}

/// Waits until `done` gives a value, at most until `deadline`; no deadline waits for ever.
///
/// `done` is called again each time a fence is signalled or a sync object changes.
pub fn wait_until<T>(deadline: Option<Instant>, mut done: impl FnMut() -> Option<T>) -> Option<T> {
    wait_for(deadline, || done().ok_or(None))
}

/// Waits until `look` gives a value, as [`wait_until`]. If it fails with a fence, it is called again
/// once that is signalled: other changes do not wake the thread.
pub fn wait_for<T>(
    deadline: Option<Instant>,
    mut look: impl FnMut() -> Result<T, Option<Arc<Fence>>>,
) -> Option<T> {
    loop {
        let seen = CHANGES.now();
        let fence = match look() {
            Ok(value) => return Some(value),
            Err(fence) => fence,
        };
        if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
            return None;
        }
        let in_time = match fence {
            Some(fence) => {
                FENCES.soon(|| fence.is_signalled()) || CHANGES.sleep_for(&fence, deadline)
            }
            None => OTHERS.soon(|| CHANGES.now() != seen) || CHANGES.sleep(seen, deadline),
        };
        if !in_time {
            return look().ok();
        }
    }
}

type Callback = Box<dyn FnOnce() + Send>;

/// Something that happens once: the end of a batch.
#[derive(Default)]
pub struct Fence {
    happened: OnceLock<()>,
    /// Whether its work has begun to run.
    begun: AtomicBool,
    callbacks: Mutex<Vec<Callback>>,
    /// Threads that sleep until it happens, or are about to.
    sleepers: AtomicUsize,
    /// What a joint fence waits for.
    leaves: Vec<Arc<Fence>>,
}

impl fmt::Debug for Fence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fence(signalled: {})", self.is_signalled())
    }
}

impl Fence {
    /// A fence that has not happened.
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// A fence that has happened.
    pub fn signalled() -> Arc<Self> {
        let fence = Self::new();
        fence.signal();
        fence
    }

    /// A fence that happens when all of `parts` have.
    ///
    /// Joint fences are kept flat: a joint of joints waits for their parts, each once, so that
    /// chains of any length neither nest nor grow.
    pub fn all(parts: &[Arc<Fence>]) -> Arc<Self> {
        let mut leaves: Vec<Arc<Fence>> = Vec::new();
        for part in parts {
            if part.is_signalled() {
                continue;
            }
            let own = std::slice::from_ref(part);
            let of_part = if part.leaves.is_empty() {
                own
            } else {
                &part.leaves
            };
            leaves.extend(of_part.iter().filter(|leaf| !leaf.is_signalled()).cloned());
        }
        leaves.sort_unstable_by_key(Arc::as_ptr);
        leaves.dedup_by(|a, b| Arc::ptr_eq(a, b));
        match leaves.as_slice() {
            [] => return Self::signalled(),
            [only] => return Arc::clone(only),
            _ => {}
        }
        let left = Arc::new(AtomicUsize::new(leaves.len()));
        let whole = Arc::new(Self {
            leaves,
            ..Self::default()
        });
        for leaf in &whole.leaves {
            let (target, left) = (Arc::clone(&whole), Arc::clone(&left));
            leaf.on_signal(Box::new(move || {
                if left.fetch_sub(1, Ordering::AcqRel) == 1 {
                    target.signal();
                }
            }));
        }
        whole
    }

    /// Signals it. Only the first call counts.
    pub fn signal(&self) {
        let callbacks = {
            let mut callbacks = self.callbacks();
            if self.happened.set(()).is_err() {
                return;
            }
            std::mem::take(&mut *callbacks)
        };
        for callback in callbacks {
            callback();
        }
        announce();
        // Whoever counts as sleeper after this sees that it has happened.
        atomic::fence(Ordering::SeqCst);
        if self.sleepers.load(Ordering::SeqCst) != 0 {
            drop(CHANGES.lock());
            CHANGES.signalled.notify_all();
        }
    }

    /// Marks that its work begins to run.
    pub fn begin(&self) {
        self.begun.store(true, Ordering::Release);
        announce();
    }

    /// Whether its work runs, or has ended. A joint fence has begun with its parts.
    pub fn has_begun(&self) -> bool {
        self.is_signalled()
            || self.begun.load(Ordering::Acquire)
            || !self.leaves.is_empty() && self.leaves.iter().all(|leaf| leaf.has_begun())
    }

    /// Whether it has happened.
    pub fn is_signalled(&self) -> bool {
        self.happened.get().is_some()
    }

    /// Calls `callback` when it happens: at once if it already has.
    pub fn on_signal(&self, callback: Callback) {
        {
            let mut callbacks = self.callbacks();
            if self.happened.get().is_none() {
                callbacks.push(callback);
                return;
            }
        }
        callback();
    }

    fn callbacks(&self) -> MutexGuard<'_, Vec<Callback>> {
        self.callbacks
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use std::thread;

    use super::*;

    #[test]
    fn a_joint_fence_waits_for_all_parts() {
        let parts = [Fence::new(), Fence::new(), Fence::signalled()];
        let whole = Fence::all(&parts);
        parts[1].signal();
        assert!(!whole.is_signalled());
        parts[0].signal();
        assert!(whole.is_signalled());
        assert!(Fence::all(&[]).is_signalled());
    }

    #[test]
    fn waiting_ends_with_the_signal_or_the_deadline() {
        let fence = Fence::new();
        let done = || fence.is_signalled().then_some(());
        let deadline = Instant::now() + Duration::from_millis(5);
        assert_eq!(wait_until(Some(deadline), done), None);
        let other = Arc::clone(&fence);
        let thread = thread::spawn(move || other.signal());
        assert_eq!(wait_until(None, done), Some(()));
        thread.join().unwrap();
    }

    #[test]
    fn who_waits_for_a_fence_is_woken_by_no_other() {
        let (fence, other) = (Fence::new(), Fence::new());
        let looked = AtomicUsize::new(0);
        let look = || {
            looked.fetch_add(1, Ordering::Relaxed);
            match fence.is_signalled() {
                true => Ok(()),
                false => Err(Some(Arc::clone(&fence))),
            }
        };
        let deadline = Some(Instant::now() + Duration::from_millis(5));
        assert_eq!(wait_for(deadline, look), None);
        thread::scope(|scope| {
            looked.store(0, Ordering::Relaxed);
            let waiting = scope.spawn(|| wait_for(None, look));
            while fence.sleepers.load(Ordering::SeqCst) == 0 {
                thread::yield_now();
            }
            for _ in 0..100 {
                announce();
            }
            other.signal();
            fence.signal();
            assert_eq!(waiting.join().unwrap(), Some(()));
        });
        assert_eq!(looked.into_inner(), 2);
    }
}
