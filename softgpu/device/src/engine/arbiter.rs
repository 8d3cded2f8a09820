//! Which batches of an engine may run: those of the highest priority that are ready.
//!
//! Batches of equal priority share the engine, as with a scheduler's timeslices. A batch of lower
//! priority pauses between two commands while a higher one is ready: a running dispatch is not
//! interrupted. A batch that waits for a semaphore gives up the engine.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use batchbuffer::Engine;

use super::fence::Fence;

/// The batches that want an engine of a device.
#[derive(Debug)]
pub struct Arbiter {
    batches: Mutex<Vec<Arc<Batch>>>,
    /// The highest priority of any of them.
    highest: AtomicI64,
}

#[derive(Debug)]
struct Batch {
    engine: Engine,
    priority: i64,
    /// What must happen before it can run.
    needs: Vec<Arc<Fence>>,
    /// Whether it waits for a semaphore.
    waits: AtomicBool,
}

impl Batch {
    fn is_ready(&self) -> bool {
        !self.waits.load(Ordering::Relaxed) && self.needs.iter().all(|f| f.is_signalled())
    }
}

impl Default for Arbiter {
    fn default() -> Self {
        Self {
            batches: Mutex::default(),
            highest: AtomicI64::new(i64::MIN),
        }
    }
}

impl Arbiter {
    /// Adds a batch, which is ready when all of `needs` have happened.
    pub fn enter(self: &Arc<Self>, engine: Engine, priority: i64, needs: Vec<Arc<Fence>>) -> Claim {
        let batch = Arc::new(Batch {
            engine,
            priority,
            needs,
            waits: AtomicBool::new(false),
        });
        let mut batches = self.batches();
        batches.push(Arc::clone(&batch));
        self.note_highest(&batches);
        Claim {
            arbiter: Arc::clone(self),
            batch,
        }
    }

    fn note_highest(&self, batches: &[Arc<Batch>]) {
        let highest = batches.iter().map(|b| b.priority).max();
        self.highest
            .store(highest.unwrap_or(i64::MIN), Ordering::Release);
    }

    fn batches(&self) -> MutexGuard<'_, Vec<Arc<Batch>>> {
        self.batches.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A batch's place in its engine's arbitration, until it is dropped.
#[derive(Debug)]
pub struct Claim {
    arbiter: Arc<Arbiter>,
    batch: Arc<Batch>,
}

impl Claim {
    /// Whether no batch of higher priority is ready for the engine.
    pub fn may_run(&self) -> bool {
        let own = &self.batch;
        // The usual case: all priorities are equal.
        if self.arbiter.highest.load(Ordering::Acquire) <= own.priority {
            return true;
        }
        let batches = self.arbiter.batches();
        !batches.iter().any(|other| {
            other.engine == own.engine && other.priority > own.priority && other.is_ready()
        })
    }

    /// Sets whether the batch waits for a semaphore.
    pub fn wait(&self, waits: bool) {
        self.batch.waits.store(waits, Ordering::Relaxed);
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut batches = self.arbiter.batches();
        batches.retain(|batch| !Arc::ptr_eq(batch, &self.batch));
        self.arbiter.note_highest(&batches);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ready_batch_of_higher_priority_stops_lower_ones_of_its_engine() {
        let arbiter = Arc::new(Arbiter::default());
        let gate = Fence::new();
        let low = arbiter.enter(Engine::Render, -1, Vec::new());
        let equal = arbiter.enter(Engine::Render, -1, Vec::new());
        let other = arbiter.enter(Engine::Blitter, -5, Vec::new());
        assert!(low.may_run() && equal.may_run() && other.may_run());
        let high = arbiter.enter(Engine::Render, 7, vec![Arc::clone(&gate)]);
        assert!(low.may_run(), "it is not ready");
        gate.signal();
        assert!(!low.may_run() && !equal.may_run());
        assert!(high.may_run() && other.may_run());
        high.wait(true);
        assert!(low.may_run(), "it waits for a semaphore");
        high.wait(false);
        assert!(!low.may_run());
        drop(high);
        assert!(low.may_run());
    }
}
