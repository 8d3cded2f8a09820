//! The software GPU: answers the kernel drivers' ioctls and runs command streams and EU binaries.
//!
//! It has three layers, and each knows only those below it. This crate is the first, the kernel
//! drivers' model: [`SoftNode`] answers ioctls through `uapi`, which gives `client` its handles,
//! and `sync` its fds. Below are [the device](softgpu_device), which runs the submitted batches,
//! and the EU simulator (`softgpu-eu`), which runs threads. All share [memory](softgpu_memory).

mod client;
mod device;
mod node;
mod status;
mod sync;
mod uapi;

pub use device::{Device, Options};
pub use node::{OpenError, SoftNode};
