//! The software GPU: answers the kernel drivers' ioctls and runs command streams and EU binaries.
//!
//! It has three layers, and each knows only those below it. This crate is the first, the kernel
//! drivers' model: [`SoftNode`] answers ioctls through `uapi`, which gives `client` its handles,
//! and `sync` its fds. Below are [the device](softgpu_device), which runs the submitted batches,
//! and the EU simulator (`softgpu-eu`), which runs threads. All share [memory](softgpu_memory).
//!
//! The tracing target `softgpu::eu` has each instruction (at level trace), and `softgpu::calls` those that
//! are no host code, as they are executed often (at level debug).
//!
//! ```
//! use devinfo::Target;
//! use softgpu::{Options, SoftNode};
//!
//! let target = Target::parse("tgl")?;
//! let node = SoftNode::open(target, Options::default())?;
//!
//! // The client of the kernel driver i915 does not know that no kernel answers it.
//! let device = kmd_iface::open(node)?;
//! assert_eq!(device.description().driver, Some(devinfo::Driver::I915));
//! assert_eq!(device.description().platform, Some(target.platform));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod client;
mod device;
mod node;
mod refusal;
mod status;
mod sync;
mod uapi;

pub use device::{Device, Options};
pub use node::{OpenError, SoftNode};
pub use softgpu_device::{Execution, HostIsa};
