//! Bytes to instructions.

mod decoder;
mod jump;
mod legacy;
mod operand;
mod send;
mod ternary;

pub use decoder::decode;
pub(crate) use decoder::native_word;
pub(super) use legacy::{
    A0, DESC_HALF, FULL_WRITE_MASK, IDENTITY_SWIZZLE, IP, QWORD_SWIZZLES, SENDS_EXDESC_HIGH,
    has_half, one_channel,
};
