//! From `.ze_info` to what the queue needs to start a kernel.

mod environment;
mod kernel;
mod names;
mod payload;
mod slots;

pub(super) use kernel::kernel;
