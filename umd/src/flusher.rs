//! The thread of a device that hands over what its queues leave in open batches.
//!
//! Most batches are full, or waited for, before it comes. There is none while no batch is left open.

use std::fmt::Debug;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

/// How long a batch stays open at most.
const DELAY: Duration = Duration::from_millis(1);
/// How long the thread waits for another batch before it ends.
const LINGER: Duration = Duration::from_millis(200);

/// What has an open batch.
pub(crate) trait Flush: Debug + Send + Sync {
    /// Hands it over.
    fn flush_due(self: Arc<Self>);
}

/// The queues with an open batch.
#[derive(Debug, Default)]
pub(crate) struct Flusher {
    state: Mutex<State>,
    added: Condvar,
}

#[derive(Debug, Default)]
struct State {
    due: Vec<Weak<dyn Flush>>,
    /// Whether there is the thread.
    runs: bool,
    /// Whether it sleeps until a queue is added.
    sleeps: bool,
}

impl Flusher {
    /// Sees to it that what a queue has is handed over soon; false if there can be no more threads.
    pub(crate) fn add(self: &Arc<Self>, queue: Weak<dyn Flush>) -> bool {
        let mut state = self.state();
        if !state.runs {
            let own = self.clone();
            let thread = std::thread::Builder::new().name("intel-gpu-flusher".to_owned());
            if thread.spawn(move || own.run()).is_err() {
                return false;
            }
            state.runs = true;
        }
        state.due.push(queue);
        if std::mem::take(&mut state.sleeps) {
            self.added.notify_one();
        }
        true
    }

    fn run(&self) {
        let mut due = Vec::new();
        loop {
            let mut state = self.state();
            if state.due.is_empty() {
                state.sleeps = true;
                let waited = self
                    .added
                    .wait_timeout_while(state, LINGER, |state| state.due.is_empty());
                (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
                state.sleeps = false;
                if state.due.is_empty() {
                    state.runs = false;
                    return;
                }
            }
            drop(state);
            std::thread::sleep(DELAY);
            std::mem::swap(&mut due, &mut self.state().due);
            for queue in due.drain(..) {
                if let Some(queue) = queue.upgrade() {
                    queue.flush_due();
                }
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
