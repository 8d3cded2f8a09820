//! What clients synchronise with: sync objects, and fds of fences.

mod handle_fd;
mod syncobj;

pub use handle_fd::{export, give_away, import};
pub use syncobj::Syncobj;
