//! The driver-independent ioctls as typed functions over a [`Node`](crate::Node). Where a function
//! says nothing of errors, they are what the kernel answers.

mod buffer;
mod syncobj;

pub(crate) use buffer::owned_fd;
pub use buffer::{close, dmabuf_size, prime_export, prime_import};
pub(crate) use syncobj::monotonic_nanoseconds;
pub use syncobj::{
    syncobj_create, syncobj_destroy, syncobj_export_point, syncobj_export_sync_file, syncobj_query,
    syncobj_reset, syncobj_signal, syncobj_timeline_signal, syncobj_timeline_wait,
    syncobj_transfer, syncobj_wait,
};
