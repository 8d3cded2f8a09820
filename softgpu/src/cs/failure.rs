//! Why a batch did not end well.

use batchbuffer::DecodeError;
use devinfo::GpuAddress;
use kmd_iface::{ErrorKind, ErrorReport};

use crate::Fault;
use crate::dispatch::DispatchError;
use crate::mem::AddressSpace;

/// Why a batch did not end well; the context is lost with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// A dword that is no command.
    #[error("{error} (at {address}, {offset} bytes into its batch)")]
    Command {
        /// Where the header lies.
        address: GpuAddress,
        /// Bytes from the start of the batch that it lies in.
        offset: u64,
        /// What is wrong with it.
        error: DecodeError,
    },
    /// A command that cannot be executed.
    #[error("{packet} at {address}: {why}")]
    Packet {
        /// The command's name.
        packet: &'static str,
        /// Where it lies.
        address: GpuAddress,
        /// What is wrong with it.
        why: String,
    },
    /// A memory access of the command streamer.
    #[error("{fault}, by {packet} at {address}")]
    Access {
        /// What was accessed.
        fault: Fault,
        /// The command's name, or `command fetch`.
        packet: &'static str,
        /// Where it lies.
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
        /// Where it lies.
        address: GpuAddress,
    },
    /// The batch makes no end.
    #[error("hang: the batch makes no end; {packet} at {address} was executed last")]
    Hang {
        /// The command's name.
        packet: &'static str,
        /// Where it lies.
        address: GpuAddress,
    },
    /// The context is being closed.
    #[error("stopped")]
    Stopped,
}

impl Failure {
    fn kind(&self) -> ErrorKind {
        match self {
            Failure::Hang { .. }
            | Failure::Dispatch {
                error: DispatchError::Hang { .. },
                ..
            } => ErrorKind::Hang,
            _ => match self.fault() {
                Some(Fault::Page { .. }) => ErrorKind::PageFault,
                _ => ErrorKind::Other,
            },
        }
    }

    fn fault(&self) -> Option<&Fault> {
        match self {
            Failure::Access { fault, .. } => Some(fault),
            Failure::Dispatch {
                error: DispatchError::Fault { fault, .. } | DispatchError::Start(fault),
                ..
            } => Some(fault),
            _ => None,
        }
    }

    /// The report of it, with what the address space knows.
    pub fn report(&self, space: &AddressSpace) -> ErrorReport {
        let mut summary = self.to_string();
        let mut details = Vec::new();
        if let Some(Fault::Page { address, .. }) = self.fault() {
            match space.nearest(*address) {
                Some(region) => {
                    let distance = region.distance(*address);
                    let buffer = match distance {
                        0 => format!("inside of buffer {region}, which does not allow it"),
                        _ => format!("nearest buffer: {region}, {distance:#x} bytes away"),
                    };
                    summary = format!("{summary}; {buffer}");
                }
                None => summary.push_str("; no buffer is bound"),
            }
        }
        if let Failure::Dispatch { error, kernel, .. } = self {
            details.push(format!("the kernel starts at {kernel}"));
            if let DispatchError::Hang { threads, .. } = error {
                details.extend(threads.iter().map(ToString::to_string));
            }
        }
        ErrorReport {
            kind: self.kind(),
            summary,
            details,
            address: match self.fault() {
                Some(Fault::Page { address, .. }) => Some(*address),
                _ => None,
            },
            instruction: self.instruction(),
        }
    }

    /// The EU instruction that the (first) thread was at.
    fn instruction(&self) -> Option<GpuAddress> {
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
