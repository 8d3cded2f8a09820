//! Reports of walkers that did not end normally.

use std::fmt;

use softgpu_eu::Fault;

/// A thread, for reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadAt {
    /// Its group's ids.
    pub group: [u32; 3],
    /// Its number in the group.
    pub thread: u32,
    /// The kernel's entry point, from the instruction base.
    pub kernel: u64,
    /// Its instruction pointer, from the instruction base.
    pub ip: u64,
    /// Whether it waits for its group's barrier.
    pub waits: bool,
}

impl ThreadAt {
    /// The instruction's offset in the kernel.
    pub fn offset(&self) -> u64 {
        self.ip.wrapping_sub(self.kernel)
    }
}

impl fmt::Display for ThreadAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.group;
        let offset = self.offset();
        write!(
            f,
            "thread {} of group ({x}, {y}, {z}) at kernel+{offset:#x}",
            self.thread
        )?;
        if self.waits {
            f.write_str(" (at its barrier)")
        } else {
            Ok(())
        }
    }
}

/// Why a walker did not complete.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DispatchError {
    /// A thread faulted.
    #[error("{fault}, by {at}")]
    Fault {
        /// What it did.
        fault: Fault,
        /// Which thread.
        at: ThreadAt,
    },
    /// The walker could not start: its data or its shape.
    #[error("walker: {0}")]
    Start(Fault),
    /// No thread ended within the hang timeout.
    #[error("hang: {live} thread(s) do not end, first {}", Head(threads))]
    Hang {
        /// How many threads are live.
        live: u64,
        /// The first of them.
        threads: Vec<ThreadAt>,
    },
    /// The device is being closed.
    #[error("stopped")]
    Stopped,
}

struct Head<'a>(&'a [ThreadAt]);

impl fmt::Display for Head<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.first() {
            Some(first) => first.fmt(f),
            None => f.write_str("unknown"),
        }
    }
}
