//! The boundary to a kernel driver: what a render node answers, i915 and xe as its clients.
//!
//! Two traits. [`Node`] is what a kernel, or the software GPU in its place,
//! answers: ioctls as bytes, and something to map. [`Kmd`] is what a user-mode
//! driver asks for: buffers, address spaces with explicit bindings, queues,
//! fences with deadlines. [`open`] picks the client for a node.
//!
//! [`uapi`] holds the structures, flags and numbers of both sides.

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
mod open;
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
pub use error::{KmdError, KmdResult};
pub use ids::{AddressSpaceId, BufferHandle, Fence, QueueId, Seqno};
pub use kmd::{
    AddressSpaceOptions, BufferDesc, Caching, Kmd, Placement, Priority, QueueDesc, QueueStatus,
    Submission,
};
pub use memory::{Mapping, UserMemory};
pub use node::{ErrorKind, ErrorReport, MapSource, Node};
pub use open::open;
pub use render_node::RenderNode;
