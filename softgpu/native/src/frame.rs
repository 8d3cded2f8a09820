//! What host code and its caller share while it runs.

use core::ffi::c_void;

use crate::model::{Arrivals, Seat};
use crate::threads::Threads;

/// A call back from host code. The number is that of an op, as the caller counts.
pub type Callback = unsafe extern "sysv64" fn(&mut Frame, op: u32) -> u32;

/// Memory that host code may access.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Window {
    /// The address of the first byte.
    pub start: u64,
    /// Where that is.
    pub host: *mut u8,
    /// How many bytes there are, below 2^31; 0 if the caller is to be asked.
    pub bytes: u64,
    /// [`BEYOND`](Self::BEYOND), if so many bytes behind these may be read, too: what is there is not used.
    pub beyond: u64,
}

impl Window {
    /// How much a dword that is read for a byte has behind it.
    pub const BEYOND: u64 = 3;
}

/// The state of a run. Host code reads and writes it by offset: what each block uses comes first, where offsets have
/// one byte.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Frame {
    /// How many ops may still be executed.
    pub left: u64,
    /// The sum of the execution sizes of the ops executed.
    pub channels: u64,
    /// How many ops might have been executed in all: those that were not are [`left`](Self::left).
    pub allowed: u64,
    /// The channels that execute, that wait elsewhere, and the lowest address beyond the present one at
    /// which one of these waits. Host code and the branch callback keep them up to date.
    pub active: u32,
    /// See [`active`](Self::active).
    pub parked: u32,
    /// See [`active`](Self::active).
    pub next_wake: u32,
    /// The lowest address of all at which a channel waits.
    pub lowest_wake: u32,
    /// The register bytes.
    pub regs: *mut u8,
    /// The caller's own.
    pub context: *mut c_void,
    /// Executes a step. 0: done; 1: it faulted; 2: done, but the translation no longer holds.
    pub step: Callback,
    /// Executes a branch, or passes a barrier. The number of the block that follows, or [`Frame::LEAVE`].
    pub branch: Callback,
    /// The code of each block, by its number.
    pub entries: *const *const u8,
    /// The code of the block with which threads begin.
    pub first: *const u8,
    /// The threads that begin in the run.
    pub threads: Threads,
    /// Shared local memory, and its bytes: a multiple of 4, below 2^28.
    pub local: *mut u8,
    /// See [`local`](Self::local).
    pub local_bytes: u32,
    /// The barrier of the thread's group.
    pub barrier: *const Arrivals,
    /// Whether the thread has signalled it and not yet passed it; and in which generation.
    pub signalled: u32,
    /// See [`signalled`](Self::signalled).
    pub generation: u32,
    /// The seat of the thread that runs; null if no other takes turns with it.
    pub seat: *mut Seat,
    /// Whether some of its channels are those of calling functions, which do not wake.
    pub calls: u32,
    /// The windows, by their numbers. A callback may change them.
    pub windows: *const Window,
    /// Where each of those that wait does; [`Frame::NOWHERE`] of the others. In lines of the host's cache.
    pub waiting: [u32; 32],
    /// The general state base.
    pub general: u64,
    /// Set on return: the number of the op that is next; [`Frame::LEAVE`] if the branch callback
    /// asked to leave, and so knows.
    pub at: u32,
}

const _: () = assert!(core::mem::offset_of!(Frame, waiting).is_multiple_of(64));

impl Frame {
    /// The ops executed.
    pub const fn instructions(&self) -> u64 {
        self.allowed.wrapping_sub(self.left)
    }

    /// What a branch callback returns to end the run.
    pub const LEAVE: u32 = u32::MAX;

    /// The address where no channel waits.
    pub const NOWHERE: u32 = u32::MAX;
}
