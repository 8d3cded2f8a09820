//! Bytes to instructions.

mod decoder;
mod jump;
mod legacy;
mod operand;
mod send;
mod ternary;

pub use decoder::decode;
pub(super) use legacy::{FIRST_CHANNEL, FULL_WRITE_MASK, IDENTITY_SWIZZLE, IP, SENDS_EXDESC_HIGH};
