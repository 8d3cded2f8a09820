//! The client: [`Kmd`] over the i915 ioctls.

use std::collections::HashMap;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use devinfo::GpuAddress;
use nix::errno::Errno;

use super::calls;
use super::probe;
use super::queue::{self, Batch, Lists, Queue};
use crate::generic;
use crate::memory::map_node;
use crate::object::{Object, Objects};
use crate::queues::Queues;
use crate::space::{Binding, Space};
use crate::uapi::drm::SyncobjWaitFlags;
use crate::uapi::i915::exec::{ExecObject, ExecObjectFlags};
use crate::uapi::i915::gem::{CACHING_CACHED, CreateExtFlags, MmapOffset, UserptrFlags};
use crate::uapi::i915::getparam::{REG_READ_8B_WA, RENDER_TIMESTAMP};
use crate::uapi::i915::query::{MEMORY_CLASS_DEVICE, MEMORY_CLASS_SYSTEM, MemoryClassInstance};
use crate::{
    AddressSpaceId, AddressSpaceOptions, BufferDesc, BufferHandle, Caching, DeviceDescription,
    Diagnostics, DriverVersion, Fence, Kmd, KmdError, KmdResult, Mapping, Node, Placement,
    QueueDesc, QueueId, QueueStatus, Submission, UserMemory,
};

/// Host pages, the unit of user memory.
const PAGE: usize = 4 << 10;

/// The i915 client.
#[derive(Debug)]
pub struct I915 {
    node: Arc<dyn Node>,
    description: DeviceDescription,
    objects: Arc<Objects>,
    /// Never held over a call into the kernel: see the crate's documentation, "Locks".
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    buffers: HashMap<BufferHandle, BufferState>,
    spaces: HashMap<AddressSpaceId, Space>,
    queues: Queues<Queue>,
}

#[derive(Debug)]
struct BufferState {
    object: Arc<Object>,
    size: u64,
    caching: Caching,
    flags: ExecObjectFlags,
    is_user: bool,
}

/// How every object is bound: at our 48-bit address, writable by the GPU, ordered by our fences
/// only.
const OBJECT_FLAGS: ExecObjectFlags = ExecObjectFlags(
    ExecObjectFlags::PINNED.0
        | ExecObjectFlags::SUPPORTS_48B_ADDRESS.0
        | ExecObjectFlags::WRITE.0
        | ExecObjectFlags::ASYNC.0,
);

impl I915 {
    /// Queries the node.
    ///
    /// # Errors
    /// The kernel is too old, or an ioctl fails.
    pub fn new(node: Arc<dyn Node>, version: DriverVersion) -> KmdResult<Self> {
        let description = probe::describe(node.as_ref(), version)?;
        Ok(Self {
            objects: Objects::new(node.clone()),
            node,
            description,
            state: Mutex::default(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every update is a single insertion or removal, so a panic elsewhere
        // leaves nothing half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn node(&self) -> &dyn Node {
        self.node.as_ref()
    }

    /// The queue of a fence, if it has made that submission.
    fn submitted(&self, fence: Fence) -> KmdResult<Arc<Queue>> {
        let queue = self.state().queues.get(fence.queue)?.clone();
        queue.order.check(fence)?;
        Ok(queue)
    }

    /// An error if the context of a finished submission was reset.
    fn check(&self, queue: QueueId, context: u32) -> KmdResult<()> {
        match queue::status(self.node(), context)? {
            QueueStatus::Ok => Ok(()),
            QueueStatus::Hung(report)
            | QueueStatus::Faulted(report)
            | QueueStatus::Banned(report) => Err(KmdError::QueueLost { queue, report }),
        }
    }

    fn wait_point(&self, fence: Fence, deadline: Instant) -> KmdResult<bool> {
        let queue = self.submitted(fence)?;
        let points = [(queue.timeline.handle(), fence.seqno.get())];
        let flags = SyncobjWaitFlags::empty();
        if !generic::syncobj_timeline_wait(self.node(), &points, flags, deadline)? {
            return Ok(false);
        }
        self.check(fence.queue, queue.context)?;
        Ok(true)
    }

    /// Records a buffer by its handle.
    fn insert(&self, buffer: BufferState) -> BufferHandle {
        let handle = BufferHandle::new(buffer.object.handle());
        self.state().buffers.insert(handle, buffer);
        handle
    }

    /// The object of a buffer, kept open.
    fn object(&self, buffer: BufferHandle) -> KmdResult<Arc<Object>> {
        Ok(self.state().buffer(buffer)?.object.clone())
    }

    /// A buffer of a device without its own memory, coherent with the CPU's caches if the CPU maps
    /// it write-back.
    fn create_in_host_memory(&self, desc: &BufferDesc) -> KmdResult<(u32, u64)> {
        let node = self.node();
        if desc.caching == Caching::WriteCombined || self.description.has_llc {
            return calls::create(node, desc.size);
        }
        match self.description.platform {
            Some(platform) if platform.pat_at_creation => {
                let pat = Some(u32::from(platform.pat_coherent));
                calls::create_ext(node, desc.size, &[], pat, CreateExtFlags::empty())
            }
            // Atoms snoop only where they are told to.
            _ => {
                let (handle, size) = calls::create(node, desc.size)?;
                match calls::set_caching(node, handle, CACHING_CACHED) {
                    Ok(()) => Ok((handle, size)),
                    Err(error) => {
                        generic::close(node, handle)?;
                        Err(error)
                    }
                }
            }
        }
    }

    /// Where a buffer goes, most preferred region first; empty for plain GEM_CREATE.
    fn regions(&self, placement: Placement) -> Vec<MemoryClassInstance> {
        if !self.description.has_device_memory() {
            return Vec::new();
        }
        let region = |memory_class| MemoryClassInstance {
            memory_class,
            memory_instance: 0,
        };
        match placement {
            Placement::System => vec![region(MEMORY_CLASS_SYSTEM)],
            // NEEDS_CPU_ACCESS requires system memory as the fallback.
            Placement::DeviceCpuVisible => {
                vec![region(MEMORY_CLASS_DEVICE), region(MEMORY_CLASS_SYSTEM)]
            }
            Placement::Device => vec![region(MEMORY_CLASS_DEVICE)],
        }
    }
}

impl State {
    fn buffer(&self, handle: BufferHandle) -> KmdResult<&BufferState> {
        self.buffers
            .get(&handle)
            .ok_or(KmdError::NoSuchBuffer(handle))
    }

    /// What a submission to `target` consists of.
    fn batch(&self, target: &Queue, submission: &Submission<'_>) -> KmdResult<Batch> {
        let mut wait = Vec::with_capacity(submission.wait.len());
        for fence in submission.wait {
            if let Some(queue) = self.queues.awaited(fence.queue)? {
                queue.order.check(*fence)?;
                wait.push((queue.clone(), fence.seqno));
            }
        }
        let space = self
            .spaces
            .get(&target.space)
            .ok_or(KmdError::NoSuchAddressSpace(target.space))?;
        let (first, own) =
            space
                .lookup(submission.batch, submission.length)
                .ok_or(KmdError::NotBound {
                    space: target.space,
                    address: submission.batch,
                    length: submission.length,
                })?;
        let (start, length) = extent(submission.batch.get() - first.get(), submission.length)?;
        let mut lists = std::mem::take(&mut *target.lists());
        let Lists { objects, kept } = &mut lists;
        // The batch goes last, where the kernel looks for it.
        let others = space.iter().filter(|(address, _)| *address != first);
        for (address, binding) in others.chain([(first, own)]) {
            let buffer = self.buffer(binding.buffer)?;
            kept.push(buffer.object.clone());
            objects.push(ExecObject {
                handle: buffer.object.handle(),
                offset: address.canonical(),
                flags: buffer.flags,
                ..Default::default()
            });
        }
        // The kernel refuses batches that say they write themselves.
        if let Some(own) = objects.last_mut() {
            own.flags.remove(ExecObjectFlags::WRITE);
        }
        Ok(Batch {
            lists,
            start,
            length,
            wait,
        })
    }

    fn space_mut(&mut self, id: AddressSpaceId) -> KmdResult<&mut Space> {
        self.spaces
            .get_mut(&id)
            .ok_or(KmdError::NoSuchAddressSpace(id))
    }
}

/// A batch's place in its object, as the kernel takes it.
fn extent(offset: u64, length: u64) -> KmdResult<(u32, u32)> {
    let invalid = |what, value, rule| Err(KmdError::Invalid { what, value, rule });
    if !offset.is_multiple_of(8) {
        return invalid("batch address", offset, "a multiple of 8");
    }
    if length == 0 || !length.is_multiple_of(8) {
        return invalid("batch length", length, "a multiple of 8 above 0");
    }
    match (u32::try_from(offset), u32::try_from(length)) {
        (Ok(offset), Ok(length)) => Ok((offset, length)),
        _ => invalid(
            "batch end",
            offset.saturating_add(length),
            "below 4 GiB in its buffer",
        ),
    }
}

impl Kmd for I915 {
    fn description(&self) -> &DeviceDescription {
        &self.description
    }

    fn diagnostics(&self) -> Option<&dyn Diagnostics> {
        self.node.diagnostics()
    }

    fn create_buffer(&self, desc: &BufferDesc) -> KmdResult<BufferHandle> {
        let regions = self.regions(desc.placement);
        let (handle, size) = if regions.is_empty() {
            self.create_in_host_memory(desc)?
        } else {
            let flags = match desc.placement {
                Placement::DeviceCpuVisible => CreateExtFlags::NEEDS_CPU_ACCESS,
                Placement::System | Placement::Device => CreateExtFlags::empty(),
            };
            calls::create_ext(self.node(), desc.size, &regions, None, flags)?
        };
        let buffer = BufferState {
            object: self.objects.created(handle, None),
            size,
            caching: desc.caching,
            flags: OBJECT_FLAGS,
            is_user: false,
        };
        Ok(self.insert(buffer))
    }

    fn create_user_buffer(&self, memory: UserMemory) -> KmdResult<BufferHandle> {
        memory.check_pages(PAGE)?;
        let (userptr_flags, flags) = if memory.is_writable() {
            (UserptrFlags::empty(), OBJECT_FLAGS)
        } else {
            (
                UserptrFlags::READ_ONLY,
                OBJECT_FLAGS.difference(ExecObjectFlags::WRITE),
            )
        };
        let (address, size) = (memory.address() as u64, memory.len() as u64);
        // SAFETY: `UserMemory` promises that the pages outlive its owner, and
        // the object keeps the owner until its handle is closed; the kernel
        // keeps the pages of a closed buffer until it is idle.
        let import = |flags| unsafe { calls::userptr(self.node(), address, size, flags) };
        let handle = match import(userptr_flags) {
            // Gen11 and Gen12 cannot keep the GPU from writing; the batches do not.
            Err(KmdError::Ioctl {
                errno: Errno::ENODEV,
                ..
            }) if !memory.is_writable() => import(UserptrFlags::empty()),
            other => other,
        }?;
        let buffer = BufferState {
            object: self.objects.created(handle, Some(memory)),
            size,
            caching: Caching::WriteBack,
            flags,
            is_user: true,
        };
        Ok(self.insert(buffer))
    }

    fn buffer_size(&self, buffer: BufferHandle) -> KmdResult<u64> {
        Ok(self.state().buffer(buffer)?.size)
    }

    fn close_buffer(&self, buffer: BufferHandle) -> KmdResult<()> {
        let mut state = self.state();
        let closed = state.buffers.remove(&buffer);
        let closed = closed.ok_or(KmdError::NoSuchBuffer(buffer))?;
        for space in state.spaces.values_mut() {
            space.forget(buffer);
        }
        drop(state);
        // Closes the handle, or leaves that to a submission that is being made.
        drop(closed);
        Ok(())
    }

    fn map(&self, buffer: BufferHandle) -> KmdResult<Mapping> {
        let (object, size, caching) = {
            let state = self.state();
            let state = state.buffer(buffer)?;
            if state.is_user {
                return Err(KmdError::Unsupported {
                    driver: "i915",
                    what: "mapping a buffer of user memory",
                });
            }
            (state.object.clone(), state.size, state.caching)
        };
        let kind = match caching {
            _ if self.description.has_device_memory() => MmapOffset::Fixed,
            Caching::WriteBack => MmapOffset::Wb,
            Caching::WriteCombined => MmapOffset::Wc,
        };
        let offset = calls::mmap_offset(self.node(), object.handle(), kind)?;
        map_node(self.node(), buffer, offset, size)
    }

    fn export_buffer(&self, buffer: BufferHandle) -> KmdResult<OwnedFd> {
        let object = self.object(buffer)?;
        let dmabuf = generic::prime_export(self.node(), object.handle())?;
        // Others will see it: let the kernel order accesses to it from now on.
        if let Some(state) = self.state().buffers.get_mut(&buffer) {
            state.flags.remove(ExecObjectFlags::ASYNC);
        }
        Ok(dmabuf)
    }

    fn import_buffer(&self, dmabuf: BorrowedFd<'_>) -> KmdResult<BufferHandle> {
        let size = generic::dmabuf_size(dmabuf)?;
        let object = self.objects.import(dmabuf)?;
        let handle = BufferHandle::new(object.handle());
        let mut state = self.state();
        let buffer = state.buffers.entry(handle).or_insert(BufferState {
            object,
            size,
            caching: Caching::WriteBack,
            flags: OBJECT_FLAGS,
            is_user: false,
        });
        buffer.flags.remove(ExecObjectFlags::ASYNC);
        Ok(handle)
    }

    fn wait_buffer(&self, buffer: BufferHandle, deadline: Instant) -> KmdResult<bool> {
        let object = self.object(buffer)?;
        let left = deadline.saturating_duration_since(Instant::now());
        calls::wait(self.node(), object.handle(), Some(left))
    }

    fn create_address_space_with(&self, options: AddressSpaceOptions) -> KmdResult<AddressSpaceId> {
        if options.long_running {
            return Err(KmdError::Unsupported {
                driver: "i915",
                what: "a long-running address space",
            });
        }
        let id = AddressSpaceId::new(calls::vm_create(self.node())?);
        self.state().spaces.insert(id, Space::default());
        Ok(id)
    }

    fn destroy_address_space(&self, space: AddressSpaceId) -> KmdResult<()> {
        let removed = self.state().spaces.remove(&space);
        removed.ok_or(KmdError::NoSuchAddressSpace(space))?;
        calls::vm_destroy(self.node(), space.get())
    }

    fn bind(
        &self,
        space: AddressSpaceId,
        address: GpuAddress,
        buffer: BufferHandle,
        offset: u64,
        length: u64,
    ) -> KmdResult<()> {
        let mut state = self.state();
        let size = state.buffer(buffer)?.size;
        let page = self.description.min_page_size;
        if !address.get().is_multiple_of(page) {
            return Err(KmdError::Invalid {
                what: "address of a binding",
                value: address.get(),
                rule: "a multiple of the device's page size",
            });
        }
        if offset != 0 || length != size {
            return Err(KmdError::Unsupported {
                driver: "i915",
                what: "binding a part of a buffer",
            });
        }
        let bound = state.space_mut(space)?;
        if bound.holds(buffer) {
            return Err(KmdError::Unsupported {
                driver: "i915",
                what: "binding a buffer at two addresses of an address space",
            });
        }
        bound.bind(space, address, Binding { buffer, length })
    }

    fn unbind(&self, space: AddressSpaceId, address: GpuAddress, length: u64) -> KmdResult<()> {
        self.state()
            .space_mut(space)?
            .unbind(space, address, length)
    }

    fn create_queue(&self, desc: &QueueDesc) -> KmdResult<QueueId> {
        self.state().space_mut(desc.address_space)?;
        let engine = *self
            .description
            .engine(desc.engine)
            .ok_or(KmdError::NoSuchEngine(desc.engine))?;
        let queue = Queue::create(&self.node, engine, desc.priority, desc.address_space)?;
        let queue = Arc::new(queue);
        let named = self.state().queues.insert(queue.clone());
        if named.is_err() {
            queue.destroy(self.node())?;
        }
        named
    }

    fn destroy_queue(&self, queue: QueueId) -> KmdResult<()> {
        let removed = self.state().queues.remove(queue)?;
        removed.destroy(self.node())
    }

    fn submit(&self, queue: QueueId, submission: &Submission<'_>) -> KmdResult<Fence> {
        let target = self.state().queues.get(queue)?.clone();
        let submitted = target.submit(self.node(), || self.state().batch(&target, submission));
        match submitted {
            Ok(seqno) => Ok(Fence { queue, seqno }),
            Err(KmdError::Ioctl {
                ioctl,
                errno: errno @ Errno::EIO,
                ..
            }) => {
                // If this context was not reset, the whole device is wedged.
                self.check(queue, target.context)?;
                Err(KmdError::DeviceLost { ioctl, errno })
            }
            Err(error) => Err(error),
        }
    }

    fn wait(&self, fence: Fence, deadline: Instant) -> KmdResult<()> {
        if self.wait_point(fence, deadline)? {
            Ok(())
        } else {
            Err(KmdError::DeadlineExceeded { fence })
        }
    }

    fn is_done(&self, fence: Fence) -> KmdResult<bool> {
        self.wait_point(fence, Instant::now())
    }

    fn export_fence(&self, fence: Fence) -> KmdResult<OwnedFd> {
        let queue = self.submitted(fence)?;
        generic::syncobj_export_point(self.node(), queue.timeline.handle(), fence.seqno.get())
    }

    fn queue_status(&self, queue: QueueId) -> KmdResult<QueueStatus> {
        let queue = self.state().queues.get(queue)?.clone();
        queue::status(self.node(), queue.context)
    }

    fn timestamp(&self) -> KmdResult<u64> {
        calls::reg_read(self.node(), RENDER_TIMESTAMP | REG_READ_8B_WA)
    }
}

impl Drop for I915 {
    /// Frees what the caller left: the node may outlive the client.
    fn drop(&mut self) {
        let mut state = std::mem::take(&mut *self.state());
        for queue in state.queues.take() {
            if let Err(error) = queue.destroy(self.node()) {
                tracing::debug!(%error, "queue left behind");
            }
        }
        for space in state.spaces.into_keys() {
            if let Err(error) = calls::vm_destroy(self.node(), space.get()) {
                tracing::debug!(%error, "address space left behind");
            }
        }
        // The buffers close themselves.
    }
}
