//! One EU thread: its state, and the loop that runs it.

use devinfo::Family;

use crate::{Fault, GroupEnv};

/// How a thread starts.
#[derive(Clone, Debug)]
pub struct ThreadStart<'a> {
    /// The family whose registers the thread has.
    pub family: Family,
    /// The initial register image, from r0 on.
    pub payload: &'a [u8],
    /// The entry point, in bytes from the instruction base.
    pub ip: u64,
    /// The dispatch mask: channels that exist (sr0.2, and the initial execution mask).
    pub dispatch_mask: u32,
    /// The kernel's SIMD width.
    pub simd: u8,
    /// 128 or 256 registers.
    pub grf_count: u16,
    /// sr0.0: slice, sub-slice, EU and thread slot.
    pub sr0: u32,
    /// cr0.0 at entry: the floating-point, rounding and denormal modes of the interface
    /// descriptor (0 is round to nearest even, denormals flushed).
    pub cr0: u32,
}

/// Why [`Thread::run`] returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The instruction budget is used up; run again.
    Budget,
    /// Waits for the group's barrier; run again when it is released.
    Barrier(u32),
    /// The thread ended.
    EndOfThread,
}

/// What a thread has executed so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Instructions.
    pub instructions: u64,
    /// The sum of their execution sizes: divided by 16, the usual measure of EU throughput.
    pub channels: u64,
}

/// One EU thread.
#[derive(Debug)]
pub struct Thread {}

impl Thread {
    /// A thread at its entry point.
    pub fn new(start: &ThreadStart<'_>) -> Self {
        let _ = start;
        Self {}
    }

    /// Starts over as [`Thread::new`] would, keeping the register file's allocation.
    pub fn restart(&mut self, start: &ThreadStart<'_>) {
        *self = Self::new(start);
    }

    /// The instruction pointer, in bytes from the instruction base.
    pub fn ip(&self) -> u64 {
        0
    }

    /// What this thread has executed since it started.
    pub fn counters(&self) -> Counters {
        Counters::default()
    }

    /// Runs at most `budget` instructions.
    ///
    /// # Errors
    /// The fault of the instruction at [`Thread::ip`].
    pub fn run(&mut self, env: &GroupEnv<'_>, budget: u32) -> Result<Stop, Fault> {
        let _ = (env, budget);
        Err(Fault::IllegalInstruction {
            why: "the interpreter is empty".into(),
        })
    }
}
