//! i915: address spaces are object lists, completions are points of timeline sync objects.
//!
//! [`calls`] has each ioctl as a typed function. [`I915`] makes a [`Kmd`](crate::Kmd) from them: it
//! keeps what is bound in each address space and hands the whole list to every submission (softpin:
//! 48-bit addresses that we choose, no relocations); a queue is a context with one engine and a
//! timeline sync object whose points are the seqnos.

pub mod calls;
mod client;
mod probe;
mod queue;

pub use client::I915;
