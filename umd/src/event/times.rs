//! When commands passed their stages.

use std::time::Duration;

use super::{Submitted, Timestamps};
use crate::clock::{Clock, Pair};
use crate::device::DeviceInner;

/// When a command passed its stages, as it was seen when its end was noticed: not everybody asks.
#[derive(Clone, Copy)]
pub(super) struct Times {
    submitted: Duration,
    /// The GPU's timestamps of start and end.
    ticks: (u64, u64),
    /// Both clocks at two moments around it; the same twice if they cannot have drifted apart.
    clocks: Option<(Pair, Pair)>,
    /// When its end was noticed, if the clocks do not tell when it ended.
    seen: Duration,
}

impl Times {
    /// Of what took no time.
    pub(super) fn at(moment: Duration) -> Self {
        Self {
            submitted: moment,
            ticks: (0, 0),
            clocks: None,
            seen: moment,
        }
    }

    /// Of a command that has ended.
    pub(super) fn of(submitted: &Submitted, device: &DeviceInner) -> Self {
        let clock = &device.clock;
        let ticks = submitted.prepared.ticks();
        // Mostly it has ended so soon that the clocks have not drifted apart.
        let pair = submitted.clocks;
        let (clocks, seen) = match pair.filter(|pair| clock.is_fresh(*pair, ticks.1)) {
            Some(pair) => (Some((pair, pair)), submitted.at),
            None => {
                let seen = clock.now();
                let now = clock.pair(device.kmd().as_ref(), seen);
                (submitted.clocks.zip(now), seen)
            }
        };
        Self {
            submitted: submitted.at,
            ticks,
            clocks,
            seen,
        }
    }

    /// How many nanoseconds the command took, if that is known.
    pub(super) fn nanos(&self, clock: &Clock) -> Option<u64> {
        clock.between(self.ticks.0, self.ticks.1)
    }

    /// The times of a command that was enqueued at `queued`.
    ///
    /// The clocks of process and GPU tick apart by some microseconds: a stage is never earlier
    /// than the one before it, and how long it took stays.
    pub(super) fn stamps(&self, clock: &Clock, queued: Duration) -> Timestamps {
        let span = |pairs| clock.span(pairs, self.submitted, self.ticks);
        let span = self.clocks.and_then(span);
        let (started, ended) = span.unwrap_or((self.submitted, self.seen));
        let submitted = self.submitted.max(queued);
        let shift = submitted.saturating_sub(started);
        Timestamps {
            queued,
            submitted,
            started: started + shift,
            ended: ended.max(started) + shift,
        }
    }
}
