//! From the GPU's timestamps to this process's time.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use kmd_iface::Kmd;

/// The bits of the command streamer's timestamp that all families have (TGL PRM vol 2d, TIMESTAMP).
const BITS: u32 = 36;
const MASK: u64 = (1 << BITS) - 1;

/// How old a pair of readings may become: the clocks differ by up to 20 parts in a million, which
/// is as many microseconds in this time.
const FRESH: Duration = Duration::from_secs(1);

/// The GPU's clock and this process's, read together every now and then.
#[derive(Debug)]
pub(crate) struct Clock {
    opened: Instant,
    /// Ticks in a second; 0 if that is not known.
    frequency: u64,
    latest: Mutex<Option<Pair>>,
}

/// Two clocks, read at the same moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    ticks: u64,
    time: Duration,
}

impl Pair {
    /// Whether it is good enough for what happens at `now`.
    pub(crate) fn is_of(&self, now: Duration) -> bool {
        now.saturating_sub(self.time) < FRESH
    }
}

impl Clock {
    /// Reads both clocks. Times count from `opened`.
    pub(crate) fn new(opened: Instant, kmd: &dyn Kmd) -> Self {
        let clock = Self {
            opened,
            frequency: kmd.description().timestamp_frequency,
            latest: Mutex::new(None),
        };
        if clock.pair(kmd, clock.now()).is_none() {
            tracing::debug!("the GPU's clock cannot be read");
        }
        clock
    }

    /// This process's time since the device was opened.
    pub(crate) fn now(&self) -> Duration {
        self.opened.elapsed()
    }

    /// Both clocks about `now`; `None` if the GPU's cannot be read.
    pub(crate) fn pair(&self, kmd: &dyn Kmd, now: Duration) -> Option<Pair> {
        let latest = *self.latest();
        if latest.is_some_and(|pair| pair.is_of(now)) {
            return latest;
        }
        let before = self.now();
        let ticks = kmd.timestamp().ok()?;
        let time = before + self.now().saturating_sub(before) / 2;
        let pair = Some(Pair { ticks, time });
        *self.latest() = pair;
        pair
    }

    /// Whether a pair is still good at a GPU timestamp behind it.
    pub(crate) fn is_fresh(&self, pair: Pair, ticks: u64) -> bool {
        let age = self.between(pair.ticks, ticks);
        age.is_some_and(|nanos| Duration::from_nanos(nanos) < FRESH)
    }

    /// How many nanoseconds lie between two GPU timestamps, if that is known.
    pub(crate) fn between(&self, started: u64, ended: u64) -> Option<u64> {
        let ticks = ended.wrapping_sub(started) & MASK;
        // A minute at the least fits.
        let nanos = ticks.saturating_mul(1_000_000_000);
        nanos.checked_div(self.frequency)
    }

    /// This process's times of two GPU timestamps, of a command that was submitted at `at`, when
    /// the clocks were `then`; they are `now`.
    pub(crate) fn span(
        &self,
        (then, now): (Pair, Pair),
        at: Duration,
        (started, ended): (u64, u64),
    ) -> Option<(Duration, Duration)> {
        if self.frequency == 0 {
            return None;
        }
        // From a quarter of the register's range before what is known to three quarters behind it.
        let quarter = Duration::from_nanos(
            u64::try_from((1i128 << (BITS - 2)) * SECOND / i128::from(self.frequency)).ok()?,
        );
        let started = self.time((then, now), started, at + quarter)?;
        Some((started, self.time((then, now), ended, started + quarter)?))
    }

    /// This process's time of a GPU timestamp that lies near `about`.
    fn time(&self, (then, now): (Pair, Pair), ticks: u64, about: Duration) -> Option<Duration> {
        if self.frequency == 0 {
            return None;
        }
        // The timestamp wraps: of all the moments that it can mean, take the one nearest to
        // `about`.
        let expected = i128::from(then.ticks) + self.ticks(about) - self.ticks(then.time);
        let near = i128::from(ticks & MASK);
        let period = 1i128 << BITS;
        let turns = (expected - near + period / 2).div_euclid(period);
        let moment = near + turns * period;
        // Between the pairs the difference of the clocks goes evenly from that of the one to
        // that of the other.
        let from = |pair: Pair| {
            let nanos = (moment - i128::from(pair.ticks)) * SECOND / i128::from(self.frequency);
            i128::try_from(pair.time.as_nanos())
                .ok()
                .map(|time| time + nanos)
        };
        let (by_then, by_now) = (from(then)?, from(now)?);
        let whole = self.ticks(now.time) - self.ticks(then.time);
        let part = (moment - i128::from(then.ticks)).clamp(0, whole.max(0));
        let drift = match whole {
            1.. => (by_now - by_then) * part / whole,
            _ => 0,
        };
        let nanos = (by_then + drift).max(0);
        Some(Duration::from_nanos(u64::try_from(nanos).ok()?))
    }

    fn ticks(&self, time: Duration) -> i128 {
        let nanos = i128::try_from(time.as_nanos()).unwrap_or(i128::MAX >> 64);
        nanos * i128::from(self.frequency) / SECOND
    }

    fn latest(&self) -> MutexGuard<'_, Option<Pair>> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const SECOND: i128 = 1_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(frequency: u64) -> Clock {
        Clock {
            opened: Instant::now(),
            frequency,
            latest: Mutex::new(None),
        }
    }

    #[test]
    fn timestamps_wrap() {
        let clock = clock(1_000_000);
        let about = Duration::from_secs(1);
        let pair = Pair {
            ticks: MASK - 10,
            time: about,
        };
        let time = |ticks| clock.time((pair, pair), ticks, about);
        assert_eq!(time(MASK - 10), Some(about));
        // Eleven ticks later the register is 0.
        assert_eq!(time(0), Some(about + Duration::from_micros(11)));
        assert_eq!(time(MASK - 20), Some(about - Duration::from_micros(10)));
    }

    #[test]
    fn clocks_that_drift_are_followed() {
        let clock = clock(1_000_000);
        let hour = Duration::from_secs(3600);
        let then = Pair {
            ticks: 0,
            time: Duration::from_secs(1),
        };
        // Twenty parts in a million fast: 72 ms in an hour.
        let now = Pair {
            ticks: 3_600_000_000 + 72_000,
            time: then.time + hour,
        };
        let close = |a: Duration, b: Duration| a.abs_diff(b) < Duration::from_micros(2);
        let (started, ended) = (36_000_720, 3_600_072_000 - 36_000_720);
        let span = clock.span((then, now), then.time, (started, ended));
        let (started, ended) = span.unwrap();
        assert!(
            close(started, then.time + Duration::from_secs(36)),
            "{started:?}"
        );
        assert!(
            close(ended, now.time - Duration::from_secs(36)),
            "{ended:?}"
        );
    }
}
