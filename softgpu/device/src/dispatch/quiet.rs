//! How long nothing has ended.
//!
//! A host that has other work gives the software GPU a part of its processors. What a kernel is owed is
//! their time, not that of the clock on the wall: else a long kernel on a busy host counts as hung.

use std::time::{Duration, Instant};

use nix::time::{ClockId, clock_gettime};

/// How often the time of the processor is asked for, at most.
const TICK: Duration = Duration::from_millis(100);

/// What a host thread has worked since one of all host threads has ended an EU thread.
#[derive(Debug)]
pub(super) struct Quiet {
    /// When the clocks were last read, and what that of the host thread's processor time was. Most walkers end
    /// before it is asked for.
    read: Instant,
    processor: Option<Duration>,
    /// How many ends there had been.
    ends: u64,
    /// What it has slept since the clocks were read.
    slept: Duration,
    lasted: Duration,
}

impl Quiet {
    pub(super) fn new(started: Instant) -> Self {
        Self {
            read: started,
            processor: None,
            ends: 0,
            slept: Duration::ZERO,
            lasted: Duration::ZERO,
        }
    }

    /// Sleeps: what all EU threads wait for is quiet, too.
    pub(super) fn sleep(&mut self, duration: Duration) {
        let begin = Instant::now();
        std::thread::sleep(duration);
        self.slept += begin.elapsed();
    }

    /// Whether the host thread has worked or slept for longer than `limit`, and `ends` stayed the same.
    pub(super) fn exceeds(&mut self, limit: Duration, ends: u64) -> bool {
        let now = Instant::now();
        if now.duration_since(self.read) < TICK.min(limit / 4) {
            return false;
        }
        let processor = processor_time();
        let before = self.processor.unwrap_or(processor);
        let worked = processor.saturating_sub(before) + self.slept;
        self.lasted = match ends == self.ends {
            true => self.lasted.saturating_add(worked),
            false => Duration::ZERO,
        };
        (self.read, self.processor, self.ends) = (now, Some(processor), ends);
        self.slept = Duration::ZERO;
        self.lasted > limit
    }
}

/// The time that a processor has given to this host thread.
fn processor_time() -> Duration {
    // The clock is there on every Linux (clock_gettime(2)).
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_millis(40);

    /// Works for so long.
    fn work(time: Duration) {
        let begin = processor_time();
        while processor_time() - begin < time {
            std::hint::spin_loop();
        }
    }

    #[test]
    fn work_and_sleep_count_until_something_ends() {
        let mut quiet = Quiet::new(Instant::now());
        assert!(!quiet.exceeds(LIMIT, 0));
        work(LIMIT / 2);
        assert!(!quiet.exceeds(LIMIT, 0));
        quiet.sleep(LIMIT);
        assert!(quiet.exceeds(LIMIT, 0));
        work(LIMIT / 2);
        assert!(!quiet.exceeds(LIMIT, 1), "an end is the end of it");
        work(LIMIT * 2);
        assert!(quiet.exceeds(LIMIT, 1));
    }

    #[test]
    fn time_that_the_host_gives_to_others_does_not_count() {
        let mut quiet = Quiet::new(Instant::now());
        std::thread::sleep(LIMIT);
        assert!(!quiet.exceeds(LIMIT, 0));
        // The thread does not run meanwhile.
        std::thread::sleep(LIMIT * 4);
        assert!(!quiet.exceeds(LIMIT, 0));
        assert!(quiet.lasted < LIMIT);
    }
}
