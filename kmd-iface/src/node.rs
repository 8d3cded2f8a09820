//! The render node boundary: everything above it is the same on silicon and on the software GPU.

use std::fmt;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use devinfo::GpuAddress;
use nix::errno::Errno;

/// Where the pages of a buffer object come from: a file and an offset in it.
///
/// For a real node the file is the node itself and the offset is the fake one
/// that `MMAP_OFFSET` returned; the software GPU answers with its memfd.
#[derive(Clone, Debug)]
pub struct MapSource {
    /// The file to map.
    pub file: Arc<OwnedFd>,
    /// The offset to map at, in bytes.
    pub offset: u64,
}

/// What kind of thing made a context fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// It did not end: the hang check reset it.
    Hang,
    /// It accessed an address that nothing is bound to.
    PageFault,
    /// Anything else: an illegal command or instruction, an unknown message.
    Other,
}

/// What is known about a context's failure beyond the counters of the uAPI.
///
/// A kernel writes such things into its error state or core dump; the software
/// GPU knows the address, the instruction and the nearest buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorReport {
    /// What happened.
    pub kind: ErrorKind,
    /// One line for the user, e.g. `page fault: Write at 0x..., kernel+0x40: send ...`.
    pub summary: String,
    /// More lines, possibly none.
    pub details: Vec<String>,
    /// The address that could not be accessed, if it is known.
    pub address: Option<GpuAddress>,
    /// The instruction that was executed when it happened, if it is known.
    pub instruction: Option<GpuAddress>,
}

impl fmt::Display for ErrorReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.summary)
    }
}

/// What answers for `/dev/dri/renderD*`: a kernel driver, or a model of one.
///
/// Arguments cross this boundary as the bytes that a kernel would see, so
/// the same structures are exercised against both. Pointers inside an
/// argument are addresses in this process; an implementation must treat them
/// as the kernel does (`EFAULT`, never a crash).
pub trait Node: Send + Sync + fmt::Debug {
    /// Issues one ioctl.
    ///
    /// `request` is the whole `_IOC` number (direction, size, type and
    /// number); `argument` is the structure it names, read and written in
    /// place. Returns what the system call would.
    ///
    /// # Errors
    /// The `errno` of the system call. `EINTR` and `EAGAIN` are returned as
    /// they come: [`crate`]'s one retry loop lies above this trait.
    fn ioctl(&self, request: u32, argument: &mut [u8]) -> Result<i32, Errno>;

    /// What to map for the fake offset that a `MMAP_OFFSET` ioctl returned.
    ///
    /// # Errors
    /// `EINVAL` if no buffer object has that offset.
    fn map_source(&self, fake_offset: u64) -> Result<MapSource, Errno>;

    /// Why the context (i915) or exec queue (xe) `context` of this node was
    /// reset, if the node knows more than the uAPI tells.
    fn error_report(&self, context: u32) -> Option<ErrorReport> {
        let _ = context;
        None
    }
}
