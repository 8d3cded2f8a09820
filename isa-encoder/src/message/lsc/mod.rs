//! Messages of the load/store units, which replace the data cache ports from XeHPG on.

mod cache;
mod fields;
mod message;
mod syntax;
mod types;

pub use cache::{CacheControl, CachePolicy};
pub(super) use fields::OPCODE;
pub(crate) use message::Elements;
pub use message::Lsc;
pub(crate) use syntax::{Operands, Operation};
pub use types::{
    AddressSize, AppendOp, Block2d, CompressionOp, DataSize, FenceScope, FlushOp, LscAddress,
    LscPort,
};
