//! Memory of the software GPU: buffers, page tables, and the one place where raw memory is
//! accessed.
//!
//! [`Backing`] is the memory behind a buffer object: a slice of the node's memfd, or pages of
//! the client process (userptr). A [`PageTable`] says which page of which backing is at a GPU
//! address; everything else is unreachable. [`AddressSpace`] is the page table that a kernel
//! driver's bindings form. A [`View`] is one host thread's window on a page table, with a
//! translation cache. `raw` is the leaf below them: it does every load and store of memory that the
//! CPU and GPU threads share, as atomic accesses.
//!
//! ```
//! use devinfo::GpuAddress;
//! use softgpu_memory::{AddressSpace, PAGE_BYTES};
//!
//! // One page of memory at 1 MiB; nothing anywhere else.
//! let address = GpuAddress::new(1 << 20);
//! let space = AddressSpace::with_anonymous(&[(address, PAGE_BYTES)])?;
//! let view = space.view();
//! view.write(address, b"GPU")?;
//!
//! let mut bytes = [0; 3];
//! view.read(address, &mut bytes)?;
//! assert_eq!(&bytes, b"GPU");
//! assert!(view.read(address.offset(PAGE_BYTES), &mut bytes).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod backing;
mod fault;
pub mod process;
mod raw;
mod space;
mod table;
pub mod user;
mod view;

pub use backing::{Backing, Pool};
pub use fault::{Access, Fault};
pub use space::{AddressSpace, BindError, Binding};
pub use table::{OwnerId, Page, PageTable, Region, Stretch, Translate};
pub use view::{View, Window};

/// The size of a GPU page, and the granularity of bindings and faults.
pub const PAGE_BYTES: u64 = 4096;
