//! What can go wrong, by layer.

pub(crate) mod kind;

use std::sync::Arc;
use std::time::Duration;

use batchbuffer::surface::SurfaceError;
use devinfo::GpuAddress;
use kmd_iface::{Exhausted, KmdError};

use crate::binary::BinaryError;

pub use kind::{ErrorClass, ErrorKind};

/// Anything that a call of this crate can fail with.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A kernel file is not acceptable.
    #[error(transparent)]
    Binary(#[from] BinaryError),
    /// A call's arguments are not acceptable.
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    /// The device is missing, or failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

impl Error {
    /// What went wrong.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Binary(error) => error.kind(),
            Self::Argument(error) => error.kind(),
            Self::Device(error) => error.kind(),
        }
    }

    /// What the error means to whoever asked.
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::Binary(_) => ErrorClass::Input,
            Self::Argument(_) => ErrorClass::Usage,
            Self::Device(error) => error.class(),
        }
    }
}

/// A call's arguments are not acceptable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArgumentError {
    /// The program has no such kernel.
    #[error("there is no kernel {name:?}; the program has {have}")]
    NoSuchKernel {
        /// The name asked for.
        name: String,
        /// The names that there are.
        have: String,
    },
    /// The kernel has no such argument.
    #[error("kernel {kernel} has no argument {index}; it has {count}")]
    NoSuchArgument {
        /// The kernel.
        kernel: String,
        /// The index asked for.
        index: usize,
        /// The number of arguments.
        count: usize,
    },
    /// The argument is of another kind or size.
    #[error("kernel {kernel}, argument {index} ({name}): {why}")]
    Mismatch {
        /// The kernel.
        kernel: String,
        /// The argument's index.
        index: usize,
        /// The argument's name, or what it is when it has none.
        name: String,
        /// What kind of thing is wrong.
        kind: ErrorKind,
        /// What is wrong, with the limit.
        why: String,
    },
    /// The memory of an argument that was [lent](crate::Kernel::lend_arg) is gone.
    #[error(
        "kernel {kernel}, argument {index} ({name}): its memory is gone; set the argument anew"
    )]
    Gone {
        /// The kernel.
        kernel: String,
        /// The argument's index.
        index: usize,
        /// The argument's name, or what it is when it has none.
        name: String,
    },
    /// The argument was never set.
    #[error("kernel {kernel}, argument {index} ({name}) is not set")]
    NotSet {
        /// The kernel.
        kernel: String,
        /// The argument's index.
        index: usize,
        /// The argument's name, or what it is when it has none.
        name: String,
    },
    /// The index space is not one that the kernel or the device can run.
    #[error("index space: {why}")]
    Range {
        /// What kind of thing is wrong.
        kind: ErrorKind,
        /// What is wrong, with the limit.
        why: String,
    },
    /// An access beyond the end of a buffer or image.
    #[error("{what}: {length} bytes at offset {offset} reach beyond its {size} bytes")]
    OutOfBounds {
        /// What was accessed.
        what: &'static str,
        /// The first byte.
        offset: u64,
        /// The number of bytes.
        length: u64,
        /// The size.
        size: u64,
    },
    /// A buffer, image or sampler that cannot be made so.
    #[error("{what}: {why}")]
    Object {
        /// What was to be made.
        what: &'static str,
        /// What kind of thing is wrong.
        kind: ErrorKind,
        /// What is wrong, with the limit.
        why: String,
    },
    /// Objects of two devices in one call.
    #[error("{what} belongs to another device")]
    OtherDevice {
        /// What does.
        what: &'static str,
    },
}

impl ArgumentError {
    /// What went wrong.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NoSuchKernel { .. } => ErrorKind::InvalidKernelName,
            Self::NoSuchArgument { .. } => ErrorKind::InvalidArgIndex,
            Self::NotSet { .. } | Self::Gone { .. } => ErrorKind::InvalidKernelArgs,
            Self::OutOfBounds { .. } => ErrorKind::InvalidValue,
            Self::OtherDevice { .. } => ErrorKind::OtherDevice,
            Self::Mismatch { kind, .. } | Self::Range { kind, .. } | Self::Object { kind, .. } => {
                *kind
            }
        }
    }
}

/// A state that the platform does not have.
pub(crate) fn state(error: SurfaceError) -> ArgumentError {
    ArgumentError::Object {
        what: "surface state",
        kind: ErrorKind::OutOfResources,
        why: error.to_string(),
    }
}

/// What is known of a fault or hang: what the kernel driver or the software GPU reported, put
/// beside what this driver knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultReport {
    /// The reporter's own words.
    pub message: String,
    /// More of them, line by line: where each thread of a hung kernel is.
    pub details: Vec<String>,
    /// The address that could not be accessed.
    pub address: Option<GpuAddress>,
    /// The buffer nearest to the address, and where the address lies to it.
    pub nearest: Option<String>,
    /// The kernel that was running.
    pub kernel: Option<String>,
    /// The instruction's offset in the kernel's code, in bytes.
    pub offset: Option<u64>,
    /// The source line that it is of, if the kernel was compiled with `-g`.
    pub source: Option<String>,
    /// The instruction, disassembled.
    pub instruction: Option<String>,
}

impl std::fmt::Display for FaultReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)?;
        if let Some(nearest) = &self.nearest {
            write!(f, "; nearest is {nearest}")?;
        }
        match (&self.kernel, self.offset) {
            (Some(kernel), Some(offset)) => write!(f, "; in kernel {kernel} at {offset:#x}")?,
            (Some(kernel), None) => write!(f, "; in kernel {kernel}")?,
            (None, _) => {}
        }
        if let Some(source) = &self.source {
            write!(f, " ({source})")?;
        }
        if let Some(instruction) = &self.instruction {
            write!(f, ": {instruction}")?;
        }
        Ok(())
    }
}

/// The device is missing, or failed.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// The text names no device.
    #[error("device {spec:?}: {why}")]
    BadSpec {
        /// The text.
        spec: String,
        /// What is wrong with it.
        why: String,
    },
    /// No such device, or it cannot be opened.
    #[error("device {spec} cannot be opened: {why}")]
    Open {
        /// The device asked for.
        spec: String,
        /// Why not.
        why: String,
    },
    /// The device lacks what is needed.
    #[error("{what} is not possible on {platform}: {why}")]
    Unsupported {
        /// What was to be done.
        what: &'static str,
        /// The device's platform.
        platform: String,
        /// What is missing.
        why: String,
    },
    /// The deadline passed first. The command may still end later.
    #[error("{what} did not end within {after:?}")]
    Timeout {
        /// What was waited for.
        what: String,
        /// How long it was waited for.
        after: Duration,
    },
    /// The queue's work did not end and was reset. The queue takes no more work; a new one does.
    #[error("the GPU hangs: {0}")]
    Hang(Box<FaultReport>),
    /// The queue's work accessed a page that nothing is bound to. The queue takes no more work; a
    /// new one does.
    #[error("{0}")]
    PageFault(Box<FaultReport>),
    /// The queue's work did something that the device does not do: an illegal instruction, an
    /// unknown message or command. The queue takes no more work; a new one does.
    #[error("{0}")]
    Fault(Box<FaultReport>),
    /// The queue was lost earlier, by work of its own or of another's.
    #[error("the queue is lost: {0}")]
    Lost(String),
    /// A command that this one waits for failed. If that was not known when the kernel driver got
    /// this one, it ran nevertheless.
    #[error("a command that this one waits for failed: {0}")]
    Dependency(#[source] Box<DeviceError>),
    /// A user event was failed by this process.
    #[error("a user event failed: {0}")]
    UserEvent(String),
    /// The kernel driver, or the operating system, refuses.
    #[error("{what}: {source}")]
    Kernel {
        /// What was asked of it.
        what: &'static str,
        /// What kind of thing is wrong.
        kind: ErrorKind,
        /// Its answer.
        source: Arc<dyn std::error::Error + Send + Sync>,
    },
    /// A command could not be made when its turn came.
    #[error("{0}")]
    Unmade(#[source] Box<Error>),
    /// This driver is at fault.
    #[error("this driver is at fault: {0}; please report it")]
    Internal(&'static str),
}

impl DeviceError {
    /// What a command fails with that waits for one that failed: what went wrong first, however many
    /// commands are between them.
    pub(crate) fn of_dependency(error: Self) -> Self {
        match error {
            Self::Dependency(_) => error,
            first => Self::Dependency(Box::new(first)),
        }
    }

    /// What went wrong.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::BadSpec { .. } => ErrorKind::InvalidDeviceName,
            Self::Open { .. } => ErrorKind::DeviceNotAvailable,
            Self::Unsupported { .. } => ErrorKind::Unsupported,
            Self::Timeout { .. } => ErrorKind::Timeout,
            Self::Hang(_) => ErrorKind::Hang,
            Self::PageFault(_) => ErrorKind::PageFault,
            Self::Fault(_) => ErrorKind::Fault,
            Self::Lost(_) => ErrorKind::DeviceLost,
            Self::Dependency(_) => ErrorKind::DependencyFailed,
            Self::UserEvent(_) => ErrorKind::UserEventFailed,
            Self::Kernel { kind, .. } => *kind,
            Self::Unmade(error) => error.kind(),
            Self::Internal(_) => ErrorKind::Internal,
        }
    }

    /// What the error means to whoever asked.
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::BadSpec { .. } => ErrorClass::Usage,
            Self::Unsupported { .. }
            | Self::Kernel { .. }
            | Self::UserEvent(_)
            | Self::Internal(_) => ErrorClass::Failed,
            Self::Unmade(error) => error.class(),
            Self::Open { .. }
            | Self::Timeout { .. }
            | Self::Hang(_)
            | Self::PageFault(_)
            | Self::Fault(_)
            | Self::Lost(_) => ErrorClass::Device,
            Self::Dependency(first) => first.class(),
        }
    }

    /// Whether this is what a queue was lost by, and not what came of it.
    pub(crate) fn is_of_the_guilty(&self) -> bool {
        matches!(self, Self::Hang(_) | Self::PageFault(_) | Self::Fault(_))
    }
}

/// Makes a [`DeviceError`] of what a kernel driver answered when asked for `what`.
pub(crate) fn refused(what: &'static str) -> impl Fn(KmdError) -> DeviceError {
    move |error| match error {
        KmdError::DeviceLost { .. } => DeviceError::Lost(error.to_string()),
        other => DeviceError::Kernel {
            what,
            kind: match other.exhausted() {
                Some(Exhausted::Device) => ErrorKind::OutOfDeviceMemory,
                Some(Exhausted::Process) => ErrorKind::OutOfHostMemory,
                None => ErrorKind::KernelDriver,
            },
            source: Arc::new(other),
        },
    }
}
