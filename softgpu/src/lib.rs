//! The software GPU: answers the kernel drivers' ioctls and runs command streams and EU binaries.
//!
//! The rooms, from the outside in: [`node`](crate) and `uapi` answer ioctls, `mem` holds buffer
//! objects and address spaces, `cs` executes command streams, `dispatch` turns walkers into
//! thread groups, `eu` interprets threads, and `sf` are the shared functions that sends reach.

pub mod dispatch;
pub mod eu;
pub mod fault;
mod group;
pub mod mem;
pub mod sf;

pub use fault::Fault;
pub use group::{Barrier, GroupEnv, Slm, StateBases};
