//! Why an access to GPU memory fails.

use devinfo::GpuAddress;

/// The kind of a memory access.
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
    /// Whether the access leaves memory unchanged.
    pub const fn only_reads(self) -> bool {
        matches!(self, Access::Read | Access::Fetch)
    }
}

/// Why an access to GPU memory fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Nothing is bound to the page, or it does not allow the access.
    #[error("page fault: {access:?} at {address}")]
    Page {
        /// The first byte that could not be accessed.
        address: GpuAddress,
        /// What was tried.
        access: Access,
    },
    /// An atomic operation that is not naturally aligned.
    #[error("invalid operation: atomic at {address} is not aligned to {bytes} bytes")]
    Misaligned {
        /// Where.
        address: GpuAddress,
        /// Its size.
        bytes: u64,
    },
    /// The host has no such atomic operation.
    #[error(
        "invalid operation: atomic operations on 16 bytes need a host that has them (x86-64 with \
         cmpxchg16b)"
    )]
    NoOctwordAtomics,
}

impl Fault {
    /// The fault of an access that was an instruction or command fetch.
    #[must_use]
    pub const fn of_fetch(self) -> Self {
        match self {
            Self::Page { address, .. } => Self::Page {
                address,
                access: Access::Fetch,
            },
            other => other,
        }
    }
}
