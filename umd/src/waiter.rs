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
    while let Some(fence) = ledger.next_watched() {
        match kmd.wait(fence, Deadline::after(SLICE).instant()) {
            Err(KmdError::DeadlineExceeded { .. }) => {}
            outcome => ledger.notice(fence, &outcome),
        }
    }
}
