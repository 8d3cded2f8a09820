//! The thread of a queue that notices ends for which callbacks wait.
//!
//! There is none before the first callback. It sleeps in the kernel driver's wait for the oldest
//! command, or until there is one to wait for, and ends with its queue.

use std::sync::Arc;
use std::time::Duration;

use kmd_iface::{Kmd, KmdError};

use crate::deadline::Deadline;
use crate::error::{DeviceError, ErrorKind};
use crate::ledger::Ledger;

/// How long one wait of it is. A queue that is destroyed while it waits keeps it no longer.
const SLICE: Duration = Duration::from_secs(1);

/// Starts the waiter of a queue.
pub(crate) fn start(ledger: Arc<Ledger>, kmd: Arc<dyn Kmd>) -> Result<(), DeviceError> {
    let thread = std::thread::Builder::new().name("intel-gpu-waiter".to_owned());
    let started = thread.spawn(move || run(&ledger, kmd.as_ref()));
    match started {
        Ok(_detached) => Ok(()),
        Err(error) => Err(DeviceError::Kernel {
            what: "a thread for callbacks",
            kind: ErrorKind::OutOfHostMemory,
            source: Arc::new(error),
        }),
    }
}

fn run(ledger: &Ledger, kmd: &dyn Kmd) {
    let (mut last, mut pulse) = (None, Pulse::default());
    while let Some((fence, has_others)) = ledger.next_watched() {
        if last.replace(fence) != Some(fence) {
            pulse = Pulse::default();
        }
        if ledger.is_in_ring(fence.seqno) {
            // It is stopped as soon as nothing new comes.
            std::thread::sleep(pulse.next());
            ledger.look_at_tags();
            ledger.reap(kmd);
            continue;
        }
        if !ledger.hand_over(fence.seqno, Deadline::after(SLICE)) {
            // It fails, or somebody is about to hand it over.
            std::thread::sleep(Pulse::SHORTEST);
            continue;
        }
        let slice = if has_others { pulse.next() } else { SLICE };
        match kmd.wait(fence, Deadline::after(slice).instant()) {
            Err(KmdError::DeadlineExceeded { .. }) => {
                if has_others {
                    ledger.look_at_tags();
                }
            }
            outcome => ledger.notice(fence, &outcome),
        }
    }
}

/// How often a thread looks at the tag of a command whose batch has others behind it: kernel drivers
/// tell the end of batches only. It looks as late as it has waited long.
#[derive(Debug)]
pub(crate) struct Pulse(Duration);

impl Default for Pulse {
    fn default() -> Self {
        Self(Self::SHORTEST)
    }
}

impl Pulse {
    const SHORTEST: Duration = Duration::from_micros(100);
    const LONGEST: Duration = Duration::from_millis(20);

    /// How long the next wait is.
    pub(crate) fn next(&mut self) -> Duration {
        let now = self.0;
        self.0 = (now + now / 4).min(Self::LONGEST);
        now
    }
}
