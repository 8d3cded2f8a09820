//! The software GPU: answers the kernel drivers' ioctls and runs command streams and EU binaries.
//!
//! The rooms, from the outside in: [`SoftNode`] and `uapi` answer ioctls, `mem` holds buffer
//! objects and address spaces, `engine` queues submissions and signals fences, `cs` executes
//! command streams, `dispatch` turns walkers into thread groups, `eu` interprets threads, and
//! `sf` are the shared functions that sends reach.

mod checks;
mod cs;
mod device;
pub mod dispatch;
mod engine;
pub mod eu;
pub mod fault;
mod group;
pub mod mem;
mod node;
pub mod sf;
mod uapi;

pub use checks::{Checks, Findings, Rule, Violation};
pub use device::{Device, Options};
pub use fault::Fault;
pub use group::{Barrier, GroupEnv, Pairs, Slm, StateBases};
pub use node::{OpenError, SoftNode};
