//! What each operation computes, as pure functions of source bits.

#[cfg(test)]
mod accuracy;
pub mod compare;
pub mod dot;
pub mod math;
pub mod softfloat;
pub mod value;
