//! From `.ze_info` to what the queue needs to start a kernel.

mod environment;
mod kernel;
mod names;
mod payload;
mod slots;
#[cfg(test)]
mod tests;

pub(super) use kernel::{MAX_ARGS, kernel};
pub(super) use payload::MAX_PAYLOAD;
pub(super) use slots::MAX_BTI;
pub(crate) use slots::MAX_SAMPLERS;
