//! Why a program is not annotated.

use crate::code::EncodeError;

/// Why a program was not annotated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnnotateError {
    /// Bytes that are not an instruction: they cannot be moved.
    #[error("there is no instruction of the family at {offset:#x}")]
    NoInstruction {
        /// Bytes from the start of the code.
        offset: usize,
    },
    /// A branch to where no instruction begins.
    #[error("the branch at {offset:#x} goes {distance} bytes on, where no instruction begins")]
    Target {
        /// Bytes from the start of the code.
        offset: usize,
        /// The distance of its target.
        distance: i32,
    },
    /// An instruction has no encoding.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}
