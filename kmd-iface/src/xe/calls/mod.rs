//! Each xe ioctl as a typed function over a [`Node`](crate::Node). Where a function says nothing of
//! errors, they are what the kernel answers.

mod exec;
mod gem;
mod query;
mod vm;

pub use exec::{exec, exec_queue_banned, exec_queue_create, exec_queue_destroy, wait_user_fence};
pub use gem::{gem_create, gem_mmap_offset};
pub use query::{
    Configuration, Engine, EngineCycles, Gt, MaskKind, MemRegion, config, engine_cycles, engines,
    gt_list, hwconfig, mem_regions, query_blob, topology_masks,
};
pub use vm::{vm_bind, vm_create, vm_destroy};
