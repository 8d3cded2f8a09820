//! From the GPU's timestamps to this process's time.

use std::time::{Duration, Instant};

use kmd_iface::Kmd;

/// The bits of the command streamer's timestamp that all families have (TGL PRM vol 2d, TIMESTAMP).
const BITS: u32 = 36;
const MASK: u64 = (1 << BITS) - 1;

/// Two clocks, read at the same moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    opened: Instant,
    frequency: u64,
    /// The GPU's ticks and this process's time.
    sync: Option<(u64, Duration)>,
}

impl Clock {
    /// Reads both clocks. Times count from `opened`.
    pub(crate) fn new(opened: Instant, kmd: &dyn Kmd) -> Self {
        let sync = match kmd.timestamp() {
            Ok(ticks) => Some((ticks, opened.elapsed())),
            Err(error) => {
                tracing::debug!("the GPU's clock cannot be read: {error}");
                None
            }
        };
        Self {
            opened,
            frequency: kmd.description().timestamp_frequency,
            sync,
        }
    }

    /// This process's time since the device was opened.
    pub(crate) fn now(&self) -> Duration {
        self.opened.elapsed()
    }

    /// This process's time of a GPU timestamp that lies near `about`.
    pub(crate) fn time(&self, ticks: u64, about: Duration) -> Option<Duration> {
        let (base, at) = self.sync?;
        if self.frequency == 0 {
            return None;
        }
        // The timestamp wraps: of all the moments that it can mean, take the one nearest to
        // `about`.
        let expected = i128::from(base) + self.ticks(about) - self.ticks(at);
        let near = i128::from(ticks & MASK);
        let period = 1i128 << BITS;
        let turns = (expected - near + period / 2).div_euclid(period);
        let since = near + turns * period - i128::from(base);
        let nanos = since * 1_000_000_000 / i128::from(self.frequency);
        let nanos = i128::try_from(at.as_nanos()).ok()? + nanos;
        Some(Duration::from_nanos(u64::try_from(nanos.max(0)).ok()?))
    }

    fn ticks(&self, time: Duration) -> i128 {
        let nanos = i128::try_from(time.as_nanos()).unwrap_or(i128::MAX >> 64);
        nanos * i128::from(self.frequency) / 1_000_000_000
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_wrap() {
        let clock = Clock {
            opened: Instant::now(),
            frequency: 1_000_000,
            sync: Some((MASK - 10, Duration::from_secs(1))),
        };
        let about = Duration::from_secs(1);
        assert_eq!(clock.time(MASK - 10, about), Some(about));
        // Eleven ticks later the register is 0.
        assert_eq!(
            clock.time(0, about),
            Some(about + Duration::from_micros(11))
        );
        assert_eq!(
            clock.time(MASK - 20, about),
            Some(about - Duration::from_micros(10))
        );
    }
}
