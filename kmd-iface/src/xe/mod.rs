//! xe: bindings are made on request, completions are points of timeline sync objects or, in
//! long-running address spaces, values that the GPU writes to memory.
//!
//! [`calls`] has each ioctl as a typed function. [`Xe`] makes a [`Kmd`](crate::Kmd) from them.

mod binding;
pub mod calls;
mod client;
mod fence;
mod probe;
mod queue;

pub use client::Xe;
