//! Load/store messages of XeHPG and later.
//!
//! Sources: IGA's LSC message decoder, Mesa's `lsc_msg_desc`, IGC's vISA documentation
//! (LSC_UNTYPED, LSC_TYPED).

mod cache;
mod decode;
mod encode;
mod fields;
mod message;
mod parts;
mod types;

pub use cache::{CacheControl, CachePolicy};
pub(super) use decode::decode;
pub(super) use encode::encode;
pub use message::Lsc;
pub use types::{
    AddressSize, AppendOp, Block2d, CompressionOp, DataSize, FenceScope, FlushOp, LscAddress,
    LscPort,
};
