//! The EU simulator: threads, registers, instructions, and the shared functions that sends reach.
//!
//! A dispatcher starts [`Thread`]s and runs them in slices. `eu` decodes and executes
//! instructions, `sf` performs messages, `group` is what the threads of a group share, `checks`
//! records violations of the rules that hardware leaves undefined. Nothing here knows command
//! streams or kernel drivers, and memory is a [`View`](softgpu_memory::View).
//!
//! ```
//! use isa_encoder::message::AtomicOp;
//!
//! // An atomic addition of 2 to a dword that holds 40.
//! let update = softgpu_eu::atomic(AtomicOp::Add, 4, 40, 2, 0);
//! assert_eq!(update.stored, Some(42));
//! assert_eq!(update.returned, 40);
//! ```

mod check;
mod eu;
mod fault;
mod group;
mod sf;

pub use check::{Checks, Findings, Forbidden, Group, Purpose, Rule, Violation};
pub use eu::{Code, Counters, Execution, Program, Programs, Relay, Stop, Thread, ThreadStart};
pub use eu_native::HostIsa;
pub use fault::Fault;
pub use group::{Barrier, Kernel, Pairs, Slm, StateBases};
pub use sf::{GroupEnv, StateCache, atomic};
