//! The EU: threads, registers, instructions.
//!
//! A dispatcher makes one [`CodeCache`] for each walker and host thread, starts [`Thread`]s and
//! runs them in slices of an instruction budget. Instructions are fetched through the group's
//! memory view, decoded and lowered once, and executed from the cache.

mod code;
mod thread;

pub use code::CodeCache;
pub use thread::{Counters, Stop, Thread, ThreadStart};
