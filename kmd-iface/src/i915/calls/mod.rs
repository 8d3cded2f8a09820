//! Each i915 ioctl as a typed function over a [`Node`](crate::Node).

mod context;
mod exec;
mod gem;
mod query;
mod syncobj;

pub use context::{
    ContextSettings, context_create, context_destroy, context_getparam, context_setparam,
    reset_stats, vm_create, vm_destroy,
};
pub use exec::{ExecFences, Execution, FencePoint, execbuffer2};
pub use gem::{
    busy, close, create, create_ext, get_tiling, mmap, mmap_offset, prime_export, prime_import,
    set_caching, set_domain, set_tiling, userptr, wait,
};
pub use query::{
    EngineInfo, MemoryRegionInfo, engines, getparam, hwconfig, memory_regions, query_blob,
    reg_read, topology,
};
pub use syncobj::{
    syncobj_create, syncobj_destroy, syncobj_export_sync_file, syncobj_query, syncobj_reset,
    syncobj_signal, syncobj_timeline_signal, syncobj_timeline_wait, syncobj_transfer, syncobj_wait,
};

/// The user pointer to a value, as ioctl structures carry it.
fn user_pointer<T: ?Sized>(value: &T) -> u64 {
    std::ptr::from_ref(value).cast::<u8>().expose_provenance() as u64
}

/// The user pointer to a value that the kernel writes.
fn user_pointer_mut<T: ?Sized>(value: &mut T) -> u64 {
    std::ptr::from_mut(value).cast::<u8>().expose_provenance() as u64
}
