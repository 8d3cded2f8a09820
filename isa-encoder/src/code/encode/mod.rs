//! Instructions to bytes.

mod encoder;
mod jump;
mod legacy;
mod operand;
mod send;
mod ternary;

pub(crate) use encoder::encode_with;
pub use encoder::{encode, encode_shortest};
