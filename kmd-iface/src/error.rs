//! What can go wrong between a user-mode driver and the kernel.

use devinfo::GpuAddress;
use nix::errno::Errno;

use crate::{AddressSpaceId, BufferHandle, ErrorReport, Fence, QueueId};

/// The result of a call into a kernel driver.
pub type KmdResult<T> = Result<T, KmdError>;

/// Why a call into a kernel driver failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum KmdError {
    /// An ioctl was refused.
    #[error("{ioctl} failed: {errno} ({hint})")]
    Ioctl {
        /// The C name of the ioctl, with the object it was about if that helps.
        ioctl: &'static str,
        /// What the kernel said.
        errno: Errno,
        /// What that usually means and what to do.
        hint: &'static str,
    },
    /// The node could not be opened or identified.
    #[error("cannot open {node}: {errno} ({hint})")]
    Open {
        /// Path or name of the node.
        node: String,
        /// What the system said.
        errno: Errno,
        /// What that usually means and what to do.
        hint: &'static str,
    },
    /// The node belongs to a kernel driver that has no client here.
    #[error("kernel driver \"{0}\" is not supported (i915 and xe are)")]
    UnknownDriver(String),
    /// The kernel driver is there, but lacks something that this client needs.
    #[error("the kernel's {driver} lacks {what} (it is in Linux {since} and later)")]
    MissingFeature {
        /// The driver's name.
        driver: &'static str,
        /// The feature.
        what: &'static str,
        /// The first Linux version that has it.
        since: &'static str,
    },
    /// This driver cannot do what was asked.
    #[error("{what} is not supported by {driver}")]
    Unsupported {
        /// The driver's name.
        driver: &'static str,
        /// What was asked.
        what: &'static str,
    },
    /// Memory could not be mapped.
    #[error("mapping {bytes} bytes of {buffer} failed: {errno}")]
    Map {
        /// The buffer.
        buffer: BufferHandle,
        /// How much of it.
        bytes: u64,
        /// What the system said.
        errno: Errno,
    },
    /// An argument breaks a rule of the interface.
    #[error("{what}: {value:#x} ({rule})")]
    Invalid {
        /// The argument.
        what: &'static str,
        /// Its value.
        value: u64,
        /// The rule.
        rule: &'static str,
    },
    /// A handle that this client never gave out, or that is closed.
    #[error("{0} does not exist")]
    NoSuchBuffer(BufferHandle),
    /// An address space that this client never gave out, or that is destroyed.
    #[error("{0} does not exist")]
    NoSuchAddressSpace(AddressSpaceId),
    /// A queue that this client never gave out, or that is destroyed.
    #[error("{0} does not exist")]
    NoSuchQueue(QueueId),
    /// No engine of the wanted class.
    #[error("the device has no {0} engine")]
    NoSuchEngine(crate::EngineClass),
    /// A new binding would overlap an old one.
    #[error("{length} bytes at {address} in {space} overlap what is bound at {other}")]
    Overlap {
        /// The address space.
        space: AddressSpaceId,
        /// First byte of the new binding.
        address: GpuAddress,
        /// Its length in bytes.
        length: u64,
        /// First byte of the old one.
        other: GpuAddress,
    },
    /// Nothing is bound where something has to be.
    #[error("{length} bytes at {address} in {space} are not bound")]
    NotBound {
        /// The address space.
        space: AddressSpaceId,
        /// First byte.
        address: GpuAddress,
        /// Length in bytes.
        length: u64,
    },
    /// The deadline passed first. The work continues.
    #[error("the deadline passed before {} of {} was done", fence.seqno, fence.queue)]
    DeadlineExceeded {
        /// What was waited for.
        fence: Fence,
    },
    /// The queue was reset: its work is lost, and it takes no more.
    #[error("{queue} is lost: {report}")]
    QueueLost {
        /// The queue.
        queue: QueueId,
        /// What is known about the reason.
        report: ErrorReport,
    },
    /// The device is gone or wedged: nothing on it works any more.
    #[error("the device is lost ({ioctl}: {errno}); reopen it, or reload the kernel driver")]
    DeviceLost {
        /// The C name of the ioctl that reported it.
        ioctl: &'static str,
        /// What the kernel said.
        errno: Errno,
    },
    /// A device without a kernel driver does not do what it should, or cannot be reached.
    #[error("bare metal: {0}")]
    BareMetal(String),
    /// An answer of the kernel does not have the form that its header promises.
    #[error("{ioctl} answered {what}")]
    BadAnswer {
        /// The C name of the ioctl.
        ioctl: &'static str,
        /// What is wrong with the answer.
        what: String,
    },
}

/// The exhausted resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exhausted {
    /// Memory or addresses of the device.
    Device,
    /// Memory, addresses or files of this process.
    Process,
}

impl KmdError {
    /// The exhausted resource, if that is why the call failed.
    pub fn exhausted(&self) -> Option<Exhausted> {
        match self {
            Self::Ioctl {
                errno: Errno::ENOMEM | Errno::ENOSPC | Errno::E2BIG,
                ..
            }
            | Self::Invalid {
                what: "buffer size",
                ..
            } => Some(Exhausted::Device),
            Self::Ioctl {
                errno: Errno::EMFILE | Errno::ENFILE,
                ..
            }
            | Self::Map { .. } => Some(Exhausted::Process),
            _ => None,
        }
    }

    /// The error for `errno` from `ioctl`, with what it usually means.
    pub(crate) fn from_errno(ioctl: &'static str, errno: Errno) -> Self {
        let hint = match errno {
            Errno::ENODEV => "the device is gone, or this kind of device does not have it",
            Errno::EIO => "the context is banned or the GPU is wedged: make a new queue",
            Errno::ECANCELED => "the queue is banned: make a new one",
            Errno::EFAULT => "a pointer or user memory is not readable and writable",
            Errno::EINVAL => "the kernel refuses the arguments: it may be too old",
            Errno::ENOENT => "no such object: it was closed or belongs to another node",
            Errno::ENOMEM => "out of memory: use smaller or fewer buffers",
            Errno::ENOSPC => "out of address space or device memory: use fewer buffers",
            Errno::E2BIG => "larger than the device's memory",
            Errno::EACCES | Errno::EPERM => "no permission: is the user in group render?",
            Errno::ENOTTY | Errno::EOPNOTSUPP => "this kernel driver does not have it",
            Errno::EBADF => "the node was closed",
            Errno::EMFILE | Errno::ENFILE => "too many open files: raise the limit",
            Errno::ETIME | Errno::ETIMEDOUT => "the deadline passed",
            Errno::EAGAIN => "the kernel was still busy after ten seconds: try again later",
            _ => "unexpected",
        };
        Self::Ioctl { ioctl, errno, hint }
    }
}
