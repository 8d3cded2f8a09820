//! Commands that wait in this process, for something that the kernel driver cannot order: copies
//! that this process makes, and kernels after them.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::deadline::Deadline;
use crate::error::{DeviceError, Error};
use crate::event::Event;
use crate::launch::Prepared;
use crate::queue::QueueInner;

/// How long one look at a dependency lasts.
const SLICE: Duration = Duration::from_millis(500);

/// Work that this process does itself.
pub(crate) type HostWork = Box<dyn FnOnce() -> Result<(), Error> + Send>;

/// What a command does.
pub(crate) enum Work {
    Kernel(Prepared),
    Host(HostWork),
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kernel(prepared) => prepared.fmt(f),
            Self::Host(_) => f.write_str("Host"),
        }
    }
}

/// A command that has not been run yet.
#[derive(Debug)]
pub(crate) struct Pending {
    pub event: Event,
    pub work: Work,
    /// What has to end first. Events are made before those that wait for them, so that waiting
    /// in the order of making can never go round in a circle.
    pub dependencies: Vec<Event>,
}

/// A thread that runs while commands wait.
#[derive(Debug, Default)]
pub(crate) struct Worker {
    state: Mutex<WorkerState>,
}

#[derive(Debug, Default)]
struct WorkerState {
    pending: VecDeque<Pending>,
    running: bool,
}

impl Worker {
    /// Whether a command may overtake those that wait: there are none, or order does not matter.
    pub(crate) fn is_idle_or(&self, out_of_order: bool) -> bool {
        out_of_order || !self.lock().running
    }

    /// Makes a command wait.
    pub(crate) fn push(&self, queue: &Arc<QueueInner>, pending: Pending) {
        let mut state = self.lock();
        state.pending.push_back(pending);
        if state.running {
            return;
        }
        let queue = queue.clone();
        let thread = std::thread::Builder::new().name("umd queue".to_owned());
        match thread.spawn(move || queue.work()) {
            Ok(_) => state.running = true,
            Err(error) => {
                for pending in state.pending.drain(..) {
                    pending.event.fail(DeviceError::Kernel {
                        what: "a thread for a queue",
                        why: error.to_string(),
                    });
                }
            }
        }
    }

    /// The next command; `None` ends the thread.
    fn next(&self) -> Option<Pending> {
        let mut state = self.lock();
        let next = state.pending.pop_front();
        state.running = next.is_some();
        next
    }

    fn lock(&self) -> MutexGuard<'_, WorkerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueueInner {
    fn work(self: Arc<Self>) {
        while let Some(pending) = self.worker().next() {
            let is_kernel = matches!(pending.work, Work::Kernel(_));
            for event in &pending.dependencies {
                // A kernel driver ends what hangs, so that every dependency ends at last.
                while !(event.has_ended() || is_kernel && event.fence().is_some()) {
                    let _ = event.wait(Deadline::after(SLICE));
                }
            }
            self.run(pending);
        }
    }
}
