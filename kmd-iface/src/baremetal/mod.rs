//! The client without a kernel driver: it does itself what i915 does for others.
//!
//! [`BareMetal`] is a [`Kmd`](crate::Kmd). It builds the page tables of its address spaces, a context
//! image and a ring for each queue, and hands contexts to the engines by their submission registers.
//! Completions are numbers in the status pages of contexts; the status buffer of an engine tells when
//! it has left a context. A batch that faults or does not end costs its queue: the engine is reset.
//!
//! Below it is a [`Bus`]: registers, the global GTT, and memory that the device can reach. [`Vfio`] is
//! that of a PCI function bound to vfio-pci, [`Tbx`](tbx::Tbx) that of a simulator behind a socket. The
//! software GPU has one, too.
//!
//! Of an engine's two ports one is used. A list has one context, whose ring holds all of the queue's
//! batches that are ready. Waits for other queues are kept in this process, before their batches go
//! to a ring.
//!
//! From XeHPC on only the GuC firmware submits, so that there is no such client: opening one says so.
//!
//! # Locks
//! One lock guards the state; nothing is waited for under it but registers. The device's thread sleeps
//! without it.

mod bus;
mod client;
mod context;
mod dma;
mod engine;
mod global;
mod ranges;
mod reset;
mod ring;
mod scheduler;
mod setup;
mod tables;
pub mod tbx;
mod vfio;
mod worker;

pub use bus::Bus;
pub use client::{BareMetal, Options};
pub use setup::{Change, Scope, Setup, Write};
pub use vfio::{DRIVER, Function, Vfio, functions};
