//! Copies, fills and maps as commands of a queue.
//!
//! The GPU makes them, by small kernels on the queue's own engine: they take their place in the
//! queue's order like any other kernel, have its timestamps, and reach every address, pitch and
//! tiling. `kernels/transfer.cl` is their source, compiled for each family as Intel's runtime
//! does with its own.

mod buffer;
mod builtins;
mod image;
mod map;
mod place;

pub use buffer::RectLayout;
pub(crate) use builtins::Builtins;
pub use map::{MapAccess, Mapped};
