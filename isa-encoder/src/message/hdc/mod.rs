//! Messages of the classic data port: data cache ports 0 and 1 and the constant cache.

mod decode;
mod encode;
mod fields;
mod message;

pub(super) use decode::decode;
pub(super) use encode::encode;
pub use message::{
    BlockAlignment, BlockPort, Direction, Hdc, HdcAddress, HdcSurface, OwordCount, SlotGroup,
};
