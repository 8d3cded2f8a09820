//! Messages of the classic data port: data cache ports 0, 1 and 2 and the constant cache.

mod fields;
mod message;
mod parts;

pub use message::Hdc;
pub(super) use message::decode;
pub use parts::{
    BlockAlignment, BlockPort, CompressionControl, Direction, HdcAddress, HdcSurface, OwordCount,
    SlotGroup,
};
