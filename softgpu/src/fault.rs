//! What stops an EU thread.

use devinfo::GpuAddress;

/// How a memory access was meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A load.
    Read,
    /// A store.
    Write,
    /// A read-modify-write.
    Atomic,
    /// An instruction fetch.
    Fetch,
}

impl Access {
    /// Whether the access leaves memory as it is.
    pub const fn only_reads(self) -> bool {
        matches!(self, Access::Read | Access::Fetch)
    }
}

/// Why an EU thread, and with it its context, stopped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// An access to a page that nothing is bound to (or that does not allow the access).
    #[error("page fault: {access:?} at {address}")]
    Page {
        /// The first byte that could not be accessed.
        address: GpuAddress,
        /// What was tried.
        access: Access,
    },
    /// Bytes that are no instruction of this family.
    #[error("illegal instruction: {why}")]
    IllegalInstruction {
        /// What the decoder or the interpreter objects to, naming the opcode.
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
