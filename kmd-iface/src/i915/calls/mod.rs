//! Each i915 ioctl as a typed function over a [`Node`](crate::Node). Where a function says nothing of
//! errors, they are what the kernel answers.

mod context;
mod exec;
mod gem;
mod query;

pub use context::{
    ContextSettings, context_create, context_destroy, context_getparam, context_setparam,
    reset_stats, vm_create, vm_destroy,
};
pub use exec::{ExecFences, Execution, FencePoint, execbuffer2};
pub use gem::{
    busy, create, create_ext, get_tiling, mmap_offset, set_caching, set_domain, set_tiling,
    userptr, wait,
};
pub use query::{
    EngineInfo, MemoryRegionInfo, engines, getparam, hwconfig, memory_regions, query_blob,
    reg_read, topology,
};
