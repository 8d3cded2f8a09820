//! The software GPU: answers the kernel drivers' ioctls and runs command streams and EU binaries.
//!
//! It has three rooms, and each knows only those below it. This crate is the first, the kernel
//! drivers' model: [`SoftNode`] answers ioctls by way of `uapi`, which gives `client` its handles,
//! and `sync` its fds. Below are [the device](softgpu_device), to which it submits batches, and
//! the EU simulator (`softgpu-eu`), in which threads run. [Memory](softgpu_memory) is what they
//! share.

mod client;
mod device;
mod node;
mod status;
mod sync;
mod uapi;

pub use device::{Device, Options};
pub use node::{OpenError, SoftNode};
