//! The user-mode driver: devices, buffers, programs, kernels, queues and events on Intel GPUs.
//!
//! A [`Binary`] is a compiled file (zebin, assembled text, raw ISA) and needs no device: it says
//! which platform it is for and what its kernels take. A [`Program`] is a binary in the memory of
//! a [`Device`], a [`Kernel`] is an entry point of it with arguments, and a [`Queue`] runs kernels
//! over an [`NdRange`]. An [`Event`] is the end of one command. Every wait has a [`Deadline`].
//!
//! Nothing here knows whether the device is silicon or the software GPU: a [`DeviceSpec`] names a
//! render node or `soft:PLATFORM`, and both answer the same ioctls.
//!
//! Two vectors are added like this:
//!
//! ```
//! use std::time::Duration;
//! use umd::{Arg, Binary, Device, DeviceSpec, NdRange, Program, QueueOptions};
//!
//! # #[cfg(not(feature = "softgpu"))]
//! # fn main() {}
//! # #[cfg(feature = "softgpu")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let device = Device::open(&DeviceSpec::soft("tgl"))?;
//! let queue = device.queue(QueueOptions::default())?;
//! let text = std::fs::read_to_string("../examples/add.asm")?;
//! let mut kernel = Program::new(&device, Binary::assemble(&text, None)?)?.kernel("add")?;
//!
//! let [a, b, sum] = [device.buffer(64)?, device.buffer(64)?, device.buffer(64)?];
//! a.fill(0, 64, &30i32.to_le_bytes())?;
//! b.fill(0, 64, &12i32.to_le_bytes())?;
//! for (index, buffer) in [&a, &b, &sum].into_iter().enumerate() {
//!     kernel.set_arg(index, Arg::Buffer(buffer))?;
//! }
//! let event = queue.enqueue(&kernel, &NdRange::new(&[16])?, &[])?;
//! event.wait(Duration::from_secs(60))?;
//!
//! let mut first = [0; 4];
//! sum.read(0, &mut first)?;
//! assert_eq!(i32::from_le_bytes(first), 42);
//! # Ok(())
//! # }
//! ```
//!
//! # Where things are
//! The layers, the highest first. A file uses only files that come after it here, or that an "and" joins
//! it with; a folder's name stands for all in it. The test `layers` of the workspace's `tests` holds the
//! files to it, so the table can be read from its end:
//!
//! | layer | files | what it is |
//! |---|---|---|
//! | transfers | `transfer` | copies, fills and maps of buffers and images |
//! | queues | `queue`, `transfer/builtins`, `command`, `outbox` | what is enqueued, and how it is handed to the kernel driver |
//! | events | `event` and `fault` and `held` and `ledger` and `waiter` | the life of a command: what holds it back, what a queue has under way, who notices its end, and what failed |
//! | limits | `limits` | what runtimes ask of a device |
//! | kernels | `kernel` and `launch` | arguments, and what a launch writes of them: payload, states, batch |
//! | programs | `printf`, `program` | code in GPU memory, and what it prints |
//! | memory | `bound`, `image`, `buffer` | what arguments are |
//! | devices | `device`, `flusher`, `backend`, `spec`, `memory`, `clock` | the connection to a kernel driver, buffer objects, clocks |
//! | files | `binary` | what kernel files say; needs no device |
//! | terms | `range`, `sampler`, `image/desc`, `image/format`, `error`, `binary/error`, `error/kind`, `deadline` | what all of these speak of |
//!
//! Commands that hold each other back, and the ledger of a queue, need each other: the ledger keeps the
//! events of a queue's commands, and an event asks it how far its command is. A kernel keeps what its
//! launches copy. What they need of the layers above they know by traits, which those implement: `Submit`
//! is the queue of held commands, `HandOver` and `Flush` are the outbox.
//!
//! # Examples
//! Short programs to read from top to bottom, in the folder `umd/examples`:
//! `cargo run -p umd --example vector_add`.
//!
//! | | |
//! |---|---|
//! | `vector_add` | buffers, a kernel in assembly, its result |
//! | `sub_buffer` | a part of a buffer as an argument, a kernel of Intel's compiler |
//! | `image` | an image that a kernel reads, and one that it writes |
//! | `two_queues` | events between two queues, a user event, a callback |

mod backend;
pub mod binary;
mod bound;
mod buffer;
mod clock;
mod command;
mod deadline;
mod device;
mod error;
mod event;
mod fault;
mod flusher;
mod held;
mod image;
mod kernel;
mod launch;
mod ledger;
mod limits;
mod memory;
mod outbox;
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
pub use kmd_iface::{FAILED, Forbidden, Statistics, Violation};

pub use binary::{
    AccessQualifier, AddressSpace, ArgInfo, ArgKind, Binary, BinaryError, KernelAbi, KernelInfo,
    SourceLine,
};
pub use buffer::{Buffer, Forbidding};
pub use command::Command;
pub use deadline::Deadline;
pub use device::Device;
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
#[cfg(feature = "softgpu")]
pub use softgpu::{Execution, HostIsa};
pub use spec::{DeviceSpec, OpenOptions};
pub use transfer::{MapAccess, Mapped, RectLayout};
