//! Messages of the classic data port: data cache ports 0, 1 and 2 and the constant cache.

mod decode;
mod display;
mod encode;
mod fields;
mod message;
mod parts;

pub(super) use decode::decode;
pub(super) use encode::encode;
pub use message::{
    BlockAlignment, BlockPort, CompressionControl, Direction, Hdc, HdcAddress, HdcSurface,
    OwordCount, SlotGroup,
};
