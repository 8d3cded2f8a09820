//! What stops an EU thread.

use softgpu_memory as memory;

/// Why an EU thread, and with it its context, stopped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A memory access that failed.
    #[error(transparent)]
    Memory(#[from] memory::Fault),
    /// Bytes that are not an instruction of this family.
    #[error("illegal instruction: {why}")]
    IllegalInstruction {
        /// The objection of the decoder or the interpreter, naming the opcode.
        why: String,
    },
    /// A send that no shared function of this platform answers.
    #[error("unknown message: {why}")]
    UnknownMessage {
        /// The shared function and the descriptor, decoded as far as possible.
        why: String,
    },
    /// Something the hardware leaves undefined and this model refuses.
    #[error("invalid operation: {why}")]
    Invalid {
        /// What was wrong, with the limit.
        why: String,
    },
}
