//! The EU: threads, registers, instructions.
//!
//! A dispatcher makes one [`CodeCache`] for each walker and host thread, starts [`Thread`]s and
//! runs them in slices of an instruction budget. Instructions are fetched through the group's
//! memory view, decoded, and lowered once to ops with resolved register offsets. An op is executed
//! by a vector routine chosen at lowering (`vector`), or by the general path (`general`), which
//! covers every type, region and mode and is the reference for the routines. What operations
//! compute is in `ops`, as pure functions.

mod accumulator;
#[cfg(test)]
mod agreement;
mod code;
mod convergence;
mod family;
mod flow;
mod general;
mod lower;
mod op;
mod operand;
mod ops;
#[cfg(test)]
mod program_tests;
mod regs;
mod send;
mod special;
mod state;
mod systolic;
mod thread;
mod trace;
mod vector;

pub use code::CodeCache;
pub use thread::{Counters, Stop, Thread, ThreadStart};
