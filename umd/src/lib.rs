//! The user-mode driver: devices, buffers, programs, kernels, queues and events on Intel GPUs.
//!
//! A [`Binary`] is a compiled file (zebin, assembled text, raw ISA) and needs no device: it says
//! which platform it is for and what its kernels take. A [`Program`] is a binary in the memory of
//! a [`Device`], a [`Kernel`] is an entry point of it with arguments, and a [`Queue`] runs kernels
//! over an [`NdRange`]. An [`Event`] is the end of one command. Every wait has a [`Deadline`].
//!
//! Nothing here knows whether the device is silicon or the software GPU: a [`DeviceSpec`] names a
//! render node or `soft:PLATFORM`, and both answer the same ioctls.

mod backend;
pub mod binary;
mod buffer;
mod clock;
mod deadline;
mod device;
mod error;
mod event;
mod fault;
mod held;
mod image;
mod kernel;
mod launch;
mod ledger;
mod limits;
mod memory;
mod printf;
mod program;
mod queue;
mod range;
mod sampler;
mod spec;
#[cfg(all(test, feature = "softgpu"))]
mod tests;
mod transfer;
mod waiter;

pub use batchbuffer::Engine;
pub use devinfo::GpuAddress;
pub use kmd_iface::{Statistics, Violation};

pub use binary::{
    AccessQualifier, AddressSpace, ArgInfo, ArgKind, Binary, BinaryError, KernelInfo,
};
pub use buffer::Buffer;
pub use deadline::Deadline;
pub use device::{Device, OpenOptions};
pub use error::{ArgumentError, DeviceError, Error, ErrorClass, ErrorKind, FaultReport};
pub use event::{CommandBatch, Event, EventStatus, Timestamps, UserEvent};
pub use image::{Image, ImageDesc, ImageFormat, ImageKind, Region, channel_order, channel_type};
pub use kernel::{Arg, Kernel, Payload};
pub use limits::{ImageLimits, Limits};
pub use memory::HostMemory;
pub use program::Program;
pub use queue::{Queue, QueueOptions};
pub use range::NdRange;
pub use sampler::{AddressingMode, FilterMode, Sampler};
pub use spec::DeviceSpec;
pub use transfer::{MapAccess, Mapped, RectLayout};
