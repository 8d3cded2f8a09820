//! What a client of the node owns, named by handles.

mod context;
mod file;
mod handles;
mod lists;
mod object;
mod xe;

pub use context::{Context, EngineSlot, Vm};
pub use file::File;
pub use lists::BoundList;
pub use object::{Memory, Object};
pub use xe::{VmMode, Work, XeQueue, XeVm};
