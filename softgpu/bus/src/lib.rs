//! The software GPU as a bus shows it: registers, global GTT, physical memory. No kernel driver.
//!
//! A client writes page tables, a context image and a ring to a [`Machine`]'s memory, and then the
//! context's descriptor to an engine's submission registers. It finds results where its commands
//! wrote them. This is how kernel drivers and simulators' front ends see a GPU; what runs below is
//! the device that also answers ioctls.

pub mod aub;
mod engine;
mod error;
mod machine;
mod memory;
mod mmio;
mod registers;
mod status;
mod tables;
pub mod tbx;

pub use error::BusError;
pub use kmd_iface::baremetal::tbx::Bank;
pub use machine::Machine;
pub use mmio::SoftBus;
pub use softgpu_device::Settings;
