//! The EU: threads, registers, instructions.
//!
//! A device keeps [`Programs`]. A dispatcher makes a [`Code`] for each walker and host thread,
//! starts [`Thread`]s and runs them in slices of an instruction budget. Instructions are fetched
//! through the group's memory view, decoded, lowered to ops with resolved register offsets, and
//! cut into basic blocks (`routine`), once per device. A vector routine chosen at lowering
//! (`vector`) executes an op, or the general path (`general`), which covers every type, region and
//! mode and is the reference for the routines. `ops` has what operations compute, as pure
//! functions.

mod accumulator;
#[cfg(test)]
mod agreement;
mod bitwise;
mod convergence;
#[cfg(test)]
mod debts_tests;
mod family;
mod flow;
mod general;
mod hazards;
mod lines;
mod lower;
#[cfg(target_arch = "x86_64")]
mod native;
#[cfg(not(target_arch = "x86_64"))]
#[path = "untranslated.rs"]
mod native;
mod op;
mod operand;
mod ops;
mod owed;
mod owners;
#[cfg(test)]
mod parting_tests;
mod program;
#[cfg(test)]
mod program_tests;
mod regs;
mod relay;
#[cfg(test)]
mod relay_tests;
mod routine;
mod send;
#[cfg(target_arch = "x86_64")]
mod settled;
mod shadow;
mod special;
mod state;
mod systolic;
mod thread;
mod trace;
#[cfg(test)]
#[cfg(target_arch = "x86_64")]
mod translated_tests;
mod turns;
#[cfg(test)]
mod turns_tests;
mod unread;
mod vector;

pub use program::{Code, Execution, Program, Programs};
pub use relay::Relay;
pub use thread::{Counters, Stop, Thread, ThreadStart};
