//! Why an access was refused.

use batchbuffer::Engine;
use nix::errno::Errno;

/// Why the device refused what came over the bus. Hardware would do something undefined.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BusError {
    /// No kernel driver lets a client of this platform submit by registers.
    #[error(
        "{platform} takes submissions only from its GuC firmware, not by registers: use a kernel driver \
         (soft:{platform})"
    )]
    NoSubmission {
        /// The platform.
        platform: &'static str,
    },
    /// The memory that was written to has no room left.
    #[error("the client wrote to more than {limit:#x} bytes of physical memory: raise the limit")]
    Full {
        /// The limit in bytes.
        limit: u64,
    },
    /// The host has no memory.
    #[error("no memory for a physical page: {0}")]
    Host(Errno),
    /// An address that no bus has.
    #[error("physical address {address:#x} + {bytes:#x} is beyond {limit:#x}")]
    Address {
        /// The first address.
        address: u64,
        /// How many bytes.
        bytes: u64,
        /// The end of all addresses.
        limit: u64,
    },
    /// An entry that the global GTT does not have.
    #[error("the global GTT has no entry {index:#x}: it has {entries:#x}")]
    GlobalEntry {
        /// Its index.
        index: u32,
        /// How many there are.
        entries: u32,
    },
    /// A register that does not exist.
    #[error("register {offset:#x} is not a dword below {end:#x}")]
    Register {
        /// Its offset.
        offset: u32,
        /// The end of all registers.
        end: u32,
    },
    /// A context image that the global GTT does not show, or a ring that is none.
    #[error("context {descriptor:#x} of the {engine} engine: {why}")]
    Context {
        /// What was submitted.
        descriptor: u64,
        /// Where.
        engine: Engine,
        /// What is wrong.
        why: String,
    },
}
