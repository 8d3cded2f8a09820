//! Why a batch failed.

use batchbuffer::DecodeError;
use devinfo::GpuAddress;
use softgpu_eu::Fault;
use softgpu_memory as memory;

use super::environment::Ring;
use crate::dispatch::DispatchError;

/// Why a batch failed; the context is lost with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// A dword that is not a command.
    #[error("{error} (at {address}, {offset} bytes into its batch)")]
    Command {
        /// The address of the header.
        address: GpuAddress,
        /// Its offset in its batch, in bytes.
        offset: u64,
        /// What is wrong with it.
        error: DecodeError,
    },
    /// An invalid ring.
    #[error(
        "ring of {:#x} bytes at {} with head {:#x} and tail {:#x}: it must be whole pages, and both \
         must be dwords inside",
        ring.bytes, ring.start, ring.head, ring.tail
    )]
    Ring {
        /// What was submitted.
        ring: Ring,
    },
    /// A command that cannot be executed.
    #[error("{packet} at {address}: {why}")]
    Packet {
        /// The command's name.
        packet: &'static str,
        /// Its address.
        address: GpuAddress,
        /// What is wrong with it.
        why: String,
    },
    /// A failed memory access of the command streamer.
    #[error("{fault}, by {packet} at {address}")]
    Access {
        /// What was accessed.
        fault: memory::Fault,
        /// The command's name, or `command fetch`.
        packet: &'static str,
        /// Its address.
        address: GpuAddress,
    },
    /// A dispatch.
    #[error("{error}, dispatched by {packet} at {address}")]
    Dispatch {
        /// What went wrong.
        error: DispatchError,
        /// The kernel's address.
        kernel: GpuAddress,
        /// The walker's name.
        packet: &'static str,
        /// Its address.
        address: GpuAddress,
    },
    /// The batch does not end.
    #[error("hang: the batch does not end; {packet} at {address} was executed last")]
    Hang {
        /// The command's name.
        packet: &'static str,
        /// Its address.
        address: GpuAddress,
    },
    /// The context is being closed.
    #[error("stopped")]
    Stopped,
    /// The software GPU itself failed: a panic of its code, which is never the client's fault.
    #[error("the software GPU has a fault of its own, please report it: {what}")]
    Panic {
        /// What the panic said.
        what: String,
    },
}

impl Failure {
    /// Whether the hang check ended the batch.
    pub const fn is_hang(&self) -> bool {
        matches!(
            self,
            Failure::Hang { .. }
                | Failure::Dispatch {
                    error: DispatchError::Hang { .. },
                    ..
                }
        )
    }

    /// The address of a page fault.
    pub const fn page_fault(&self) -> Option<GpuAddress> {
        let fault = match self {
            Failure::Access { fault, .. } => fault,
            Failure::Dispatch {
                error:
                    DispatchError::Fault {
                        fault: Fault::Memory(fault),
                        ..
                    }
                    | DispatchError::Start(Fault::Memory(fault)),
                ..
            } => fault,
            _ => return None,
        };
        match fault {
            memory::Fault::Page { address, .. } => Some(*address),
            _ => None,
        }
    }

    /// The EU instruction of the (first) thread.
    pub fn instruction(&self) -> Option<GpuAddress> {
        let Failure::Dispatch { error, kernel, .. } = self else {
            return None;
        };
        let at = match error {
            DispatchError::Fault { at, .. } => at,
            DispatchError::Hang { threads, .. } => threads.first()?,
            DispatchError::Start(_) | DispatchError::Stopped => return None,
        };
        Some(kernel.offset(at.ip.wrapping_sub(at.kernel)))
    }
}
