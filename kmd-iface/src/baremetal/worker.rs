//! The thread of a device: it notices what engines have done, and feeds them.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::bus::Bus;
use super::scheduler::State;
use crate::{KmdError, KmdResult};

/// How long one look at memory is waited for.
const SLICE: Duration = Duration::from_millis(1);

/// The state of a client, and those who wait for it to change.
#[derive(Debug)]
pub(super) struct Shared {
    state: Mutex<State>,
    /// Something has ended, failed or been closed.
    changed: Condvar,
    /// There is work, or the client is gone.
    work: Condvar,
    /// Set when the client is gone.
    closed: Mutex<bool>,
}

impl Shared {
    pub(super) fn new(state: State) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
            work: Condvar::new(),
            closed: Mutex::new(false),
        })
    }

    /// The state. Every update is complete, or marks the device as broken.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Feeds engines at once, and wakes the thread for the rest.
    pub(super) fn kick(&self, state: &mut State) -> KmdResult<()> {
        let advanced = Self::advance(state);
        self.changed.notify_all();
        self.work.notify_all();
        advanced
    }

    fn advance(state: &mut State) -> KmdResult<()> {
        if let Some(error) = &state.broken {
            return Err(error.clone());
        }
        match state.advance() {
            Ok(_) => Ok(()),
            Err(error) => {
                state.broken = Some(error.clone());
                Err(error)
            }
        }
    }

    /// Waits until `done` gives a value, at most until `deadline`.
    pub(super) fn wait<T>(
        &self,
        deadline: Instant,
        mut done: impl FnMut(&State) -> KmdResult<Option<T>>,
    ) -> KmdResult<Option<T>> {
        let mut state = self.state();
        loop {
            if let Some(value) = done(&state)? {
                return Ok(Some(value));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            let woken = self.changed.wait_timeout(state, left);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Ends the thread.
    pub(super) fn close(&self) {
        *self.closed.lock().unwrap_or_else(PoisonError::into_inner) = true;
        let _state = self.state();
        self.work.notify_all();
    }

    fn is_closed(&self) -> bool {
        *self.closed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Starts the thread of a device.
pub(super) fn start(
    shared: Arc<Shared>,
    bus: Arc<dyn Bus>,
) -> KmdResult<std::thread::JoinHandle<()>> {
    let thread = std::thread::Builder::new().name("intel-gpu-metal".to_owned());
    let started = thread.spawn(move || run(&shared, bus.as_ref()));
    started.map_err(|error| KmdError::BareMetal(format!("no thread for the device: {error}")))
}

fn run(shared: &Shared, bus: &dyn Bus) {
    while !shared.is_closed() {
        let mut state = shared.state();
        if state.broken.is_some() || state.is_idle() {
            if !shared.is_closed() {
                drop(
                    shared
                        .work
                        .wait(state)
                        .unwrap_or_else(PoisonError::into_inner),
                );
            }
            continue;
        }
        let changed = match state.advance() {
            Ok(changed) => changed,
            Err(error) => {
                tracing::error!("the device is lost: {error}");
                state.broken = Some(error);
                true
            }
        };
        drop(state);
        match changed {
            true => shared.changed.notify_all(),
            false => bus.wait(SLICE),
        }
    }
}
