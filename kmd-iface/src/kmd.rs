//! What a user-mode driver asks of any kernel driver.

use std::fmt;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::Instant;

use devinfo::GpuAddress;

use crate::{
    AddressSpaceId, BufferHandle, DeviceDescription, Diagnostics, EngineClass, ErrorReport, Fence,
    KmdResult, Mapping, QueueId, UserMemory,
};

/// Where a buffer is placed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// Host memory.
    #[default]
    System,
    /// The device's own memory; host memory on devices that have none.
    Device,
    /// The device's own memory, where the CPU can map it; host memory when that is full.
    DeviceCpuVisible,
}

/// How the CPU's accesses to a buffer are cached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Caching {
    /// Write-back, coherent with the GPU where the device supports it (host memory only).
    #[default]
    WriteBack,
    /// Write-combined: for what the CPU only writes. Always so for device memory.
    WriteCombined,
}

/// A buffer to create.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferDesc {
    /// Bytes; rounded up to whole pages of the placement.
    pub size: u64,
    /// Where it is placed.
    pub placement: Placement,
    /// How the CPU's accesses are cached.
    pub caching: Caching,
}

impl BufferDesc {
    /// A buffer of `size` bytes in host memory, write-back.
    pub const fn system(size: u64) -> Self {
        Self {
            size,
            placement: Placement::System,
            caching: Caching::WriteBack,
        }
    }
}

/// How an address space behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddressSpaceOptions {
    /// Accesses to unbound addresses reach a scratch page instead of faulting. xe only: i915 always
    /// maps scratch pages.
    pub scratch_page: bool,
    /// Work may run for ever: the kernel's job timeout does not apply. xe only. Queues in such a
    /// space wait for each other by commands in their batches, not by
    /// [`Submission::wait`](Submission::wait), and their fences do not become sync files.
    pub long_running: bool,
}

/// How urgent a queue's work is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    /// After everything else.
    Low,
    /// Like everything else.
    #[default]
    Normal,
    /// Before everything else; the kernel may refuse it to unprivileged users.
    High,
}

/// A queue to create.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueDesc {
    /// Which kind of engine runs it.
    pub engine: EngineClass,
    /// How urgent it is.
    pub priority: Priority,
    /// The address space that its batches see.
    pub address_space: AddressSpaceId,
}

/// Work for a queue.
#[derive(Clone, Copy, Debug)]
pub struct Submission<'a> {
    /// The first command, 8-byte aligned, in a bound buffer.
    pub batch: GpuAddress,
    /// Bytes of commands, a multiple of 8. Commands there may jump to others, in any bound buffer.
    pub length: u64,
    /// Completions to wait for first, of any queue of the same [`Kmd`]. A destroyed queue has
    /// nothing left to wait for.
    pub wait: &'a [Fence],
}

/// Whether a queue still works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueueStatus {
    /// It does.
    Ok,
    /// A batch of it did not end and was reset. It takes no more work.
    Hung(ErrorReport),
    /// A batch of it accessed an unbound page. It takes no more work.
    Faulted(ErrorReport),
    /// The kernel refuses its work, for a reason of this queue or of another.
    Banned(ErrorReport),
}

/// A device behind a kernel driver.
///
/// Shaped so that i915 and xe can both serve it: bindings are explicit (the
/// i915 client turns them into each submission's object list), completions
/// are fences, there are no relocations. Objects are plain numbers: the caller that makes one
/// destroys it, after everything that uses it.
///
/// Every method can be called from any thread.
pub trait Kmd: Send + Sync + fmt::Debug {
    /// What the kernel driver says about the device.
    fn description(&self) -> &DeviceDescription;

    /// What is known beyond that; `None` on silicon.
    fn diagnostics(&self) -> Option<&dyn Diagnostics> {
        None
    }

    /// Makes a buffer. Its bytes are zero.
    ///
    /// # Errors
    /// No memory, a size of zero, or a placement that the device does not have.
    fn create_buffer(&self, desc: &BufferDesc) -> KmdResult<BufferHandle>;

    /// Makes a buffer of this process's memory.
    ///
    /// # Errors
    /// Address or length is not a multiple of the page size, or the kernel refuses the pages.
    fn create_user_buffer(&self, memory: UserMemory) -> KmdResult<BufferHandle>;

    /// The size of a buffer in bytes, as the kernel rounded it.
    ///
    /// # Errors
    /// No such buffer.
    fn buffer_size(&self, buffer: BufferHandle) -> KmdResult<u64>;

    /// Destroys a buffer. Its bindings go with it; the kernel keeps the pages while the GPU uses
    /// them.
    ///
    /// # Errors
    /// No such buffer.
    fn close_buffer(&self, buffer: BufferHandle) -> KmdResult<()>;

    /// Maps a whole buffer into this process.
    ///
    /// # Errors
    /// No such buffer, one of user memory, or no room.
    fn map(&self, buffer: BufferHandle) -> KmdResult<Mapping>;

    /// A dma-buf of a buffer, for another process or device.
    ///
    /// # Errors
    /// No such buffer, or one of user memory.
    fn export_buffer(&self, buffer: BufferHandle) -> KmdResult<OwnedFd>;

    /// The buffer of a dma-buf. The same dma-buf gives the same handle while it is open.
    ///
    /// # Errors
    /// The fd is not a dma-buf, or one that the device cannot use.
    fn import_buffer(&self, dmabuf: BorrowedFd<'_>) -> KmdResult<BufferHandle>;

    /// Waits until no submission uses a buffer any more.
    ///
    /// # Errors
    /// No such buffer; the deadline passed.
    fn wait_buffer(&self, buffer: BufferHandle, deadline: Instant) -> KmdResult<bool>;

    /// Makes an empty address space that behaves in the usual way.
    ///
    /// # Errors
    /// No memory.
    fn create_address_space(&self) -> KmdResult<AddressSpaceId> {
        self.create_address_space_with(AddressSpaceOptions::default())
    }

    /// Makes an empty address space.
    ///
    /// # Errors
    /// No memory, or the kernel driver does not have an option.
    fn create_address_space_with(&self, options: AddressSpaceOptions) -> KmdResult<AddressSpaceId>;

    /// Destroys an address space and all its bindings.
    ///
    /// # Errors
    /// No such address space.
    fn destroy_address_space(&self, space: AddressSpaceId) -> KmdResult<()>;

    /// Binds `length` bytes of a buffer, from `offset` on, at `address`.
    ///
    /// All three are multiples of the page size of the buffer's placement; the device's
    /// [`min_page_size`](DeviceDescription::min_page_size) is valid for all buffers. The end is
    /// below its [`address_limit`](DeviceDescription::address_limit). Submissions made afterwards
    /// see the binding. i915 binds only whole buffers, each at one address of an address space.
    ///
    /// # Errors
    /// Misaligned or out of range, or it overlaps another binding.
    fn bind(
        &self,
        space: AddressSpaceId,
        address: GpuAddress,
        buffer: BufferHandle,
        offset: u64,
        length: u64,
    ) -> KmdResult<()>;

    /// Removes a binding: exactly what one [`bind`](Self::bind) made.
    ///
    /// The caller has waited for the submissions that use it.
    ///
    /// # Errors
    /// Nothing is bound there, or a different range is.
    fn unbind(&self, space: AddressSpaceId, address: GpuAddress, length: u64) -> KmdResult<()>;

    /// Makes a queue.
    ///
    /// # Errors
    /// No such engine, or the kernel refuses the priority.
    fn create_queue(&self, desc: &QueueDesc) -> KmdResult<QueueId>;

    /// Destroys a queue. Work that it still has is abandoned: it cannot be waited for, and no other
    /// queue waits for it any more. The queue's name is never given again.
    ///
    /// # Errors
    /// No such queue.
    fn destroy_queue(&self, queue: QueueId) -> KmdResult<()>;

    /// Hands a batch to a queue. Batches of one queue run in order.
    ///
    /// # Errors
    /// The batch is not bound, or the queue is lost.
    fn submit(&self, queue: QueueId, submission: &Submission<'_>) -> KmdResult<Fence>;

    /// Waits for a submission.
    ///
    /// # Errors
    /// [`DeadlineExceeded`](crate::KmdError::DeadlineExceeded), and
    /// [`QueueLost`](crate::KmdError::QueueLost) if the queue was reset at any time: only what this
    /// submission wrote to memory tells whether it had ended before.
    fn wait(&self, fence: Fence, deadline: Instant) -> KmdResult<()>;

    /// Whether a submission is done, without waiting.
    ///
    /// # Errors
    /// As [`wait`](Self::wait), except for the deadline.
    fn is_done(&self, fence: Fence) -> KmdResult<bool>;

    /// A sync file that is signalled when the submission is done.
    ///
    /// # Errors
    /// No such queue, or a seqno that was never submitted.
    fn export_fence(&self, fence: Fence) -> KmdResult<OwnedFd>;

    /// Whether a queue still works.
    ///
    /// # Errors
    /// No such queue.
    fn queue_status(&self, queue: QueueId) -> KmdResult<QueueStatus>;

    /// The command streamer's timestamp, in ticks of
    /// [`timestamp_frequency`](DeviceDescription::timestamp_frequency).
    ///
    /// # Errors
    /// The kernel does not let it be read.
    fn timestamp(&self) -> KmdResult<u64>;
}
