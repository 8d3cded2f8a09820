//! Ends that nobody notices.

use std::sync::{Arc, PoisonError};

use super::{Event, Stage, Submitted};
use crate::launch::Contents;

impl Event {
    /// Whether nobody else has the event of a command that was submitted, and nothing is to be done when it
    /// ends.
    pub(crate) fn is_unseen(&mut self) -> bool {
        let Some(inner) = Arc::get_mut(&mut self.inner) else {
            return false;
        };
        let state = inner
            .state
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        state.callbacks.is_empty() && matches!(state.stage, Stage::Submitted(_))
    }

    /// How many nanoseconds a command took that has ended, if it ran something, and that is known.
    pub(crate) fn nanos(&self, submitted: &Submitted) -> Option<u64> {
        let (started, ended) = submitted.prepared.ticks();
        let runs = !matches!(submitted.prepared.contents, Contents::Nothing);
        let clock = &self.inner.device.clock;
        clock.between(started, ended).filter(|_| runs)
    }
}
