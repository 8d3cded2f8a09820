//! The boundary to a kernel driver: what a render node answers, and the clients of i915 and xe.
//!
//! Two traits. [`Node`] is what a kernel, or the software GPU in its place,
//! answers: ioctls as bytes, and something to map. [`Kmd`] is what a user-mode
//! driver asks for: buffers, address spaces with explicit bindings, queues,
//! fences with deadlines. [`open`] picks the client for a node.
//!
//! [`baremetal`] is the [`Kmd`] of a device that has no kernel driver.
//! [`uapi`] holds the structures, flags and numbers of both sides.
//!
//! The render nodes of this machine, and which of them can be used:
//!
//! ```
//! for node in kmd_iface::discover() {
//!     println!("{}: {:?}", node.path.display(), node.state);
//! }
//! ```
//!
//! # Locks
//! A client has three kinds of locks. They are taken in this order, each for its purpose only:
//! 1. a queue's turn to submit, held while the kernel takes a batch, which can last until its
//!    ring has room; only submissions to the same queue take it;
//! 2. the client's tables, never held over a call into the kernel;
//! 3. the handles being imported or closed, which waits for nothing on the GPU.
//!
//! So no wait, query or destruction waits behind a submission. The caller of an ioctl holds a
//! reference to everything that the ioctl names by number (GEM handles, sync objects, queues) until
//! it returns, so the number cannot come to mean something else.

pub mod baremetal;
mod description;
mod discover;
mod error;
pub mod generic;
pub mod i915;
mod ids;
mod kmd;
mod memory;
mod node;
mod node_ext;
mod object;
mod open;
mod queues;
mod records;
mod render_node;
mod space;
pub mod uapi;
pub mod xe;

pub use description::{
    DeviceDescription, DriverVersion, EngineClass, EngineDescription, MemoryRegion, RegionKind,
    Topology,
};
pub use devinfo::Driver;
pub use discover::{FoundNode, INTEL, NodeState, PciIdentity, discover};
pub use error::{Exhausted, KmdError, KmdResult};
pub use ids::{AddressSpaceId, BufferHandle, Fence, QueueId, Seqno};
pub use kmd::{
    AddressSpaceOptions, BufferDesc, Caching, Kmd, Placement, Priority, QueueDesc, QueueStatus,
    Submission,
};
pub use memory::{Mapping, UserMemory, map_dmabuf};
pub use node::{
    CodeReader, Diagnostics, ErrorKind, ErrorReport, FAILED, Forbidden, FoundKernel, KernelFinder,
    MapSource, Node, Purpose, SourceLines, Statistics, Violation,
};
pub use open::open;
pub use render_node::RenderNode;
