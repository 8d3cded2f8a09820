//! What clients synchronise with: sync objects, and fds of fences and buffers.

mod handle_fd;
mod syncobj;

pub use handle_fd::{export, export_dma_buf, give_away, import};
pub use syncobj::Syncobj;
