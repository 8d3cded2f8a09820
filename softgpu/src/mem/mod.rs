//! Buffer objects, address spaces, and the one place where raw memory is accessed.
//!
//! [`Backing`] is the memory behind a buffer object: a slice of the node's memfd, or pages of
//! the client process (userptr). An [`AddressSpace`] binds page ranges of backings at GPU
//! addresses; what is not bound cannot be reached. A [`View`] is one host thread's window on an
//! address space, with a translation cache. `raw` is the leaf below them: every load and store
//! of memory that the CPU and GPU threads share goes through it, as atomic accesses.

mod backing;
mod raw;
mod space;
pub mod user;
mod view;

pub use backing::{Backing, Pool};
pub use space::{AddressSpace, BindError, Binding, OwnerId, Region};
pub use view::View;

/// The size of a GPU page, and the granularity of bindings and faults.
pub const PAGE_BYTES: u64 = 4096;
