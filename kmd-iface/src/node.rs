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

/// What made a context fail.
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
    /// The address that could not be accessed, if known.
    pub address: Option<GpuAddress>,
    /// The instruction that executed when it happened, if known.
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
    /// The `errno` of the system call. `EINTR` and `EAGAIN` are passed through: [`crate`]'s one
    /// retry loop is above this trait.
    fn ioctl(&self, request: u32, argument: &mut [u8]) -> Result<i32, Errno>;

    /// What to map for the fake offset that a `MMAP_OFFSET` ioctl returned.
    ///
    /// # Errors
    /// `EINVAL` if no buffer object has that offset.
    fn map_source(&self, fake_offset: u64) -> Result<MapSource, Errno>;

    /// What the node knows beyond the uAPI; `None` on silicon.
    fn diagnostics(&self) -> Option<&dyn Diagnostics> {
        None
    }
}

/// What the memory of an object is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A program's buffer.
    Buffer,
    /// A program's image.
    Image,
    /// What kernels print.
    Print,
    /// Each thread has a part of it while it runs.
    Threads,
    /// The driver's own.
    Driver,
}

/// What kernels of a program may not do with a part of its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forbidden {
    /// They may not read it.
    pub reads: bool,
    /// They may not write it.
    pub writes: bool,
    /// Why: what comes behind the name of the memory and "which".
    pub why: &'static str,
}

/// Says where the instruction at an offset of a kernel comes from in its source, as `FILE:LINE`.
pub type SourceLines = Arc<dyn Fn(u64) -> Option<String> + Send + Sync>;

/// A kernel of a file.
#[derive(Clone)]
pub struct FoundKernel {
    /// Its name.
    pub name: String,
    /// Bytes from its first instruction to where its threads begin.
    pub skipped: u64,
    /// Its source lines, if the file has them.
    pub source: Option<SourceLines>,
}

impl fmt::Debug for FoundKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, skipped, .. } = self;
        write!(f, "{name}+{skipped:#x}")
    }
}

/// Reads code at an offset from where threads begin; says whether it could.
pub type CodeReader<'a> = &'a dyn Fn(i64, &mut [u8]) -> bool;

/// Says which kernel has some code.
pub type KernelFinder = Arc<dyn Fn(CodeReader<'_>) -> Option<FoundKernel> + Send + Sync>;

/// What a model of a device knows that no kernel driver reports.
pub trait Diagnostics: Send + Sync + fmt::Debug {
    /// Why the context (i915) or exec queue (xe) `context` of the node was reset.
    fn error_report(&self, context: u32) -> Option<ErrorReport>;

    /// What the device has done since it was opened. Can be read while kernels run.
    fn statistics(&self) -> Statistics;

    /// Takes the rules that kernels have broken since the last call: one violation for each
    /// instruction and rule.
    fn take_violations(&self) -> Vec<Violation>;

    /// Whether accesses are checked against the sizes asked for. The kernel driver sees only whole
    /// pages, so [`bound`](Self::bound), [`unbound`](Self::unbound) and
    /// [`launches`](Self::launches) give the exact extents.
    fn checks_extents(&self) -> bool;

    /// Of the `mapped` bytes at an address, `size` were asked for, for this purpose.
    fn bound(&self, address: GpuAddress, size: u64, mapped: u64, purpose: Purpose);

    /// The host has written, or may from now on write, the bytes at an address.
    fn written(&self, address: GpuAddress, size: u64);

    /// The bytes at an address have been found to have content, whoever wrote it.
    fn filled(&self, address: GpuAddress, size: u64);

    /// The bytes at an address have no content yet: to read them before something has written them is
    /// a fault.
    fn unwritten(&self, address: GpuAddress, size: u64);

    /// What [`bound`](Self::bound) described is unbound.
    fn unbound(&self, address: GpuAddress, size: u64);

    /// Threads of the kernel `name` whose code begins at `first` begin at `entry`, behind code that they
    /// do not need, with this much shared local memory. The driver's `own` kernels copy and fill.
    /// `source` is there if the kernel's file has its source lines.
    fn launches(
        &self,
        name: &str,
        first: GpuAddress,
        entry: GpuAddress,
        local_bytes: u64,
        own: bool,
        source: Option<SourceLines>,
    );

    /// A kernel of a program gets the address of `size` bytes of a buffer.
    fn passes(&self, address: GpuAddress, size: u64);

    /// Kernels of programs may not do this with the bytes at an address, which are in a buffer.
    fn forbids(&self, address: GpuAddress, size: u64, what: Forbidden);

    /// That is over.
    fn permits(&self, address: GpuAddress, size: u64, what: Forbidden);

    /// Of the shared local memory of a kernel whose code begins at `first`, each of these parts is of something:
    /// where it begins, and its bytes.
    fn shares(&self, first: GpuAddress, parts: &[(u64, u64)]);

    /// Of a kernel that breaks a rule, and whose driver does not say what it [`launches`](Self::launches),
    /// this finds name and source.
    fn finds_kernels(&self, finder: KernelFinder);
}

/// Why a context of a node was reset, if the node knows.
pub(crate) fn error_report(node: &dyn Node, context: u32) -> Option<ErrorReport> {
    node.diagnostics()?.error_report(context)
}

/// What a model of a device has done since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// EU threads that have ended.
    pub threads: u64,
    /// EU instructions that were executed.
    pub instructions: u64,
    /// The sum of their execution sizes: lanes, whether enabled or not.
    pub lanes: u64,
    /// Work-groups that have ended.
    pub groups_done: u64,
    /// Work-groups of all walkers so far.
    pub groups_total: u64,
}

/// A rule that a kernel broke; silicon leaves the outcome undefined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The kernel's name, if its driver has said it.
    pub kernel: Option<String>,
    /// The rule.
    pub rule: String,
    /// The instruction's offset in its kernel, in bytes.
    pub offset: u64,
    /// Where the instruction comes from, as `FILE:LINE`, if the kernel's file says so.
    pub source: Option<String>,
    /// The instruction in the assembler's syntax.
    pub instruction: String,
    /// The offending value and the limit.
    pub detail: String,
}

/// What begins a line about a launch that did not end well, in a file with a line for each [`Violation`]. No
/// name of a kernel has a colon.
pub const FAILED: &str = "failed: ";

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kernel,
            rule,
            offset,
            source,
            instruction,
            detail,
        } = self;
        let kernel = kernel.as_deref().unwrap_or("kernel");
        write!(f, "{kernel}+{offset:#x}")?;
        if let Some(source) = source {
            write!(f, " ({source})")?;
        }
        write!(f, ": {rule}: {detail}: {instruction}")
    }
}
