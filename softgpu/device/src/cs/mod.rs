//! Command streamers: batches of packets, executed.
//!
//! [`run`] follows a batch as the hardware does: dword lengths from the headers, jumps and calls
//! with MI_BATCH_BUFFER_START, until MI_BATCH_BUFFER_END. Layouts come from `batchbuffer`; the
//! effects of packets are here: `mi` for the streamer's own commands, `flush` for flushes and their
//! post-sync writes, `states` for what dispatches rely on, `walker` for dispatches, `blit` for the
//! blitter. A header that is not a command of the engine stops the context, and the report names
//! dword and offset.

mod atomic;
mod blit;
mod environment;
mod execute;
mod failure;
mod family;
mod flush;
mod math;
mod mi;
mod registers;
mod state;
mod states;
mod streamer;
mod walker;

pub use environment::{Commands, Environment, Ring};
pub use execute::run;
pub use failure::Failure;
pub use state::State;
