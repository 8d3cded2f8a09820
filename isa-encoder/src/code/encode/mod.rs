//! Instructions to bytes.

mod encoder;
mod jump;
mod legacy;
mod operand;
mod send;
mod ternary;

pub use encoder::{encode, encode_shortest};
