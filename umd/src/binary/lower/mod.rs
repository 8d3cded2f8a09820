//! From `.ze_info` to what the queue needs to start a kernel.

mod environment;
mod kernel;
mod names;
mod payload;
mod slots;
#[cfg(test)]
mod tests;

pub(super) use kernel::kernel;
pub(crate) use slots::MAX_SAMPLERS;
