//! Bytes to instructions and back.

mod error;

use devinfo::Family;

use crate::Instruction;

pub use error::{DecodeError, EncodeError};

/// Decodes the instruction at the start of `bytes`; also gives its length, 8 (compacted) or 16.
///
/// # Errors
/// [`DecodeError`] says what is no instruction of `family`, or how many bytes are missing.
pub fn decode(family: Family, bytes: &[u8]) -> Result<(Instruction, usize), DecodeError> {
    let _ = bytes;
    Err(DecodeError::Family { family })
}

/// Encodes an instruction: 16 bytes, or 8 with [`crate::Options::COMPACTED`]. The length is given
/// beside the bytes; the rest is 0.
///
/// # Errors
/// [`EncodeError`] names the operand or field that `family` cannot express.
pub fn encode(family: Family, instruction: &Instruction) -> Result<([u8; 16], usize), EncodeError> {
    let _ = instruction;
    Err(EncodeError::Family { family })
}
