//! GPU memory: address ranges, buffer objects, the pools that commands take theirs from.

mod bo;
mod host;
mod pool;
mod ranges;
mod raw;
mod watched;

pub(crate) use bo::{
    BUFFER, Bo, IMAGE, PRINT, PRIVATE_MEMORY, Registry, SCRATCH_MEMORY, Use, VARIABLES,
};
pub use host::HostMemory;
pub(crate) use pool::{Chunk, Part, Pool};
pub(crate) use ranges::NEAR;
