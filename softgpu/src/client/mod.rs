//! What a client of the node owns, as its handles name it.

mod context;
mod file;
mod handles;
mod object;
mod xe;

pub use context::{Context, EngineSlot, Vm};
pub use file::File;
pub use object::{Memory, Object};
pub use xe::{VmMode, Work, XeQueue, XeVm};
