//! What clients synchronise with: sync objects, and fds of fences.

mod handle_fd;
mod syncobj;

pub use handle_fd::{FileId, export, file_id, give_away, import};
pub use syncobj::Syncobj;
