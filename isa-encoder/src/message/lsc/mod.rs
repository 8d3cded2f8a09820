//! Load/store messages of XeHPG and later.
//!
//! Sources: IGA's LSC message decoder, Mesa's `lsc_msg_desc`, IGC's vISA documentation
//! (LSC_UNTYPED, LSC_TYPED).

mod decode;
mod encode;
mod fields;
mod message;

pub(super) use decode::decode;
pub(super) use encode::encode;
pub use message::{AddressSize, Block2d, DataSize, FenceScope, FlushOp, Lsc, LscAddress, LscPort};
