//! The end of a wait.

use std::time::{Duration, Instant};

/// The moment at which a wait gives up. Every wait has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadline(Instant);

impl Deadline {
    /// The longest wait: a day. Longer ones are cut to it, so that no sum overflows.
    pub const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

    /// `duration` from now, at most [`LONGEST`](Self::LONGEST).
    pub fn after(duration: Duration) -> Self {
        Self(Instant::now() + duration.min(Self::LONGEST))
    }

    /// Now: a wait that only looks.
    pub fn now() -> Self {
        Self(Instant::now())
    }

    /// The moment.
    pub fn instant(self) -> Instant {
        self.0
    }

    /// What is left; zero once the moment has passed.
    pub fn remaining(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }
}

impl From<Duration> for Deadline {
    fn from(duration: Duration) -> Self {
        Self::after(duration)
    }
}
