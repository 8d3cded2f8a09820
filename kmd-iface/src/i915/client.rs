//! The client: [`Kmd`] over the i915 ioctls.

use std::collections::HashMap;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use devinfo::{Family, GpuAddress};
use nix::errno::Errno;

use super::calls::{self, FencePoint};
use super::probe;
use super::queue::{self, Queue};
use crate::generic;
use crate::memory::map_node;
use crate::space::{Binding, Space};
use crate::uapi::drm::SyncobjWaitFlags;
use crate::uapi::i915::exec::{ExecFenceFlags, ExecObjectFlags};
use crate::uapi::i915::gem::{CACHING_CACHED, CreateExtFlags, MmapOffset, UserptrFlags};
use crate::uapi::i915::getparam::{REG_READ_8B_WA, RENDER_TIMESTAMP};
use crate::uapi::i915::query::{MEMORY_CLASS_DEVICE, MEMORY_CLASS_SYSTEM, MemoryClassInstance};
use crate::{
    AddressSpaceId, AddressSpaceOptions, BufferDesc, BufferHandle, Caching, DeviceDescription,
    DriverVersion, Fence, Kmd, KmdError, KmdResult, Mapping, Node, Placement, QueueDesc, QueueId,
    QueueStatus, Submission, UserMemory,
};

/// Host pages: what user memory has to be made of.
const PAGE: usize = 4 << 10;

/// The i915 client.
#[derive(Debug)]
pub struct I915 {
    node: Arc<dyn Node>,
    description: DeviceDescription,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    buffers: HashMap<BufferHandle, BufferState>,
    spaces: HashMap<AddressSpaceId, Space>,
    queues: HashMap<QueueId, Queue>,
}

#[derive(Debug)]
struct BufferState {
    size: u64,
    caching: Caching,
    flags: ExecObjectFlags,
    /// Keeps user memory alive.
    user: Option<UserMemory>,
}

/// How every object is bound: at our 48-bit address; the GPU may write it; ordered by our fences
/// only.
const OBJECT_FLAGS: ExecObjectFlags = ExecObjectFlags(
    ExecObjectFlags::PINNED.0
        | ExecObjectFlags::SUPPORTS_48B_ADDRESS.0
        | ExecObjectFlags::WRITE.0
        | ExecObjectFlags::ASYNC.0,
);

impl I915 {
    /// Asks the node what it is.
    ///
    /// # Errors
    /// The kernel is too old, or an ioctl fails.
    pub fn new(node: Arc<dyn Node>, version: DriverVersion) -> KmdResult<Self> {
        let description = probe::describe(node.as_ref(), version)?;
        Ok(Self {
            node,
            description,
            state: Mutex::default(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every update is a single insertion or removal after the ioctl
        // succeeded, so a panic elsewhere leaves nothing half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn node(&self) -> &dyn Node {
        self.node.as_ref()
    }

    /// The context and timeline of a queue that has reached `fence.seqno` by submission.
    fn point(&self, fence: Fence) -> KmdResult<(u32, u32)> {
        let state = self.state();
        let queue = state.queue(fence.queue)?;
        if fence.seqno > queue.last {
            return Err(KmdError::Invalid {
                what: "seqno",
                value: fence.seqno.get(),
                rule: "at most the queue's last submission",
            });
        }
        Ok((queue.context, queue.timeline))
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
        let (context, timeline) = self.point(fence)?;
        let points = [(timeline, fence.seqno.get())];
        let flags = SyncobjWaitFlags::empty();
        if !generic::syncobj_timeline_wait(self.node(), &points, flags, deadline)? {
            return Ok(false);
        }
        self.check(fence.queue, context)?;
        Ok(true)
    }

    /// A buffer of a device without memory of its own, coherent with the CPU's caches if the CPU
    /// maps it write-back.
    fn create_in_host_memory(&self, desc: &BufferDesc) -> KmdResult<(u32, u64)> {
        let node = self.node();
        if desc.caching == Caching::WriteCombined || self.description.has_llc {
            return calls::create(node, desc.size);
        }
        match self.description.platform {
            // Meteor Lake's pages carry their coherency, chosen at creation.
            Some(platform) if platform.family >= Family::XeHpg => {
                let pat = Some(u32::from(platform.pat_coherent));
                calls::create_ext(node, desc.size, &[], pat, CreateExtFlags::empty())
            }
            // Atoms snoop where they are told to.
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
            // NEEDS_CPU_ACCESS wants system memory as the place to fall back to.
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

    fn queue(&self, id: QueueId) -> KmdResult<&Queue> {
        self.queues.get(&id).ok_or(KmdError::NoSuchQueue(id))
    }

    fn space_mut(&mut self, id: AddressSpaceId) -> KmdResult<&mut Space> {
        self.spaces
            .get_mut(&id)
            .ok_or(KmdError::NoSuchAddressSpace(id))
    }
}

impl Kmd for I915 {
    fn description(&self) -> &DeviceDescription {
        &self.description
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
        let handle = BufferHandle::new(handle);
        let buffer = BufferState {
            size,
            caching: desc.caching,
            flags: OBJECT_FLAGS,
            user: None,
        };
        self.state().buffers.insert(handle, buffer);
        Ok(handle)
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
        // the buffer's state keeps the owner until the buffer is closed; the
        // kernel keeps the pages of a closed buffer until it is idle.
        let handle = unsafe { calls::userptr(self.node(), address, size, userptr_flags) }?;
        let handle = BufferHandle::new(handle);
        let buffer = BufferState {
            size,
            caching: Caching::WriteBack,
            flags,
            user: Some(memory),
        };
        self.state().buffers.insert(handle, buffer);
        Ok(handle)
    }

    fn buffer_size(&self, buffer: BufferHandle) -> KmdResult<u64> {
        Ok(self.state().buffer(buffer)?.size)
    }

    fn close_buffer(&self, buffer: BufferHandle) -> KmdResult<()> {
        let mut state = self.state();
        state.buffer(buffer)?;
        generic::close(self.node(), buffer.get())?;
        for space in state.spaces.values_mut() {
            space.forget(buffer);
        }
        state.buffers.remove(&buffer);
        Ok(())
    }

    fn map(&self, buffer: BufferHandle) -> KmdResult<Mapping> {
        let (size, caching) = {
            let state = self.state();
            let state = state.buffer(buffer)?;
            if state.user.is_some() {
                return Err(KmdError::Unsupported {
                    driver: "i915",
                    what: "mapping a buffer of user memory",
                });
            }
            (state.size, state.caching)
        };
        let kind = match caching {
            _ if self.description.has_device_memory() => MmapOffset::Fixed,
            Caching::WriteBack => MmapOffset::Wb,
            Caching::WriteCombined => MmapOffset::Wc,
        };
        let offset = calls::mmap_offset(self.node(), buffer.get(), kind)?;
        map_node(self.node(), buffer, offset, size)
    }

    fn export_buffer(&self, buffer: BufferHandle) -> KmdResult<OwnedFd> {
        let mut state = self.state();
        state.buffer(buffer)?;
        let dmabuf = generic::prime_export(self.node(), buffer.get())?;
        // Others see it now: let the kernel order accesses to it.
        if let Some(state) = state.buffers.get_mut(&buffer) {
            state.flags.remove(ExecObjectFlags::ASYNC);
        }
        Ok(dmabuf)
    }

    fn import_buffer(&self, dmabuf: BorrowedFd<'_>) -> KmdResult<BufferHandle> {
        let size = generic::dmabuf_size(dmabuf)?;
        let mut state = self.state();
        let handle = BufferHandle::new(generic::prime_import(self.node(), dmabuf)?);
        let buffer = state.buffers.entry(handle).or_insert(BufferState {
            size,
            caching: Caching::WriteBack,
            flags: OBJECT_FLAGS,
            user: None,
        });
        buffer.flags.remove(ExecObjectFlags::ASYNC);
        Ok(handle)
    }

    fn wait_buffer(&self, buffer: BufferHandle, deadline: Instant) -> KmdResult<bool> {
        self.state().buffer(buffer)?;
        let left = deadline.saturating_duration_since(Instant::now());
        calls::wait(self.node(), buffer.get(), Some(left))
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
        let mut state = self.state();
        state.space_mut(space)?;
        calls::vm_destroy(self.node(), space.get())?;
        state.spaces.remove(&space);
        Ok(())
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
        let mut state = self.state();
        state.space_mut(desc.address_space)?;
        let engine = *self
            .description
            .engine(desc.engine)
            .ok_or(KmdError::NoSuchEngine(desc.engine))?;
        let queue = Queue::create(self.node(), engine, desc.priority, desc.address_space)?;
        let id = QueueId::new(queue.context);
        state.queues.insert(id, queue);
        Ok(id)
    }

    fn destroy_queue(&self, queue: QueueId) -> KmdResult<()> {
        let removed = self.state().queues.remove(&queue);
        removed
            .ok_or(KmdError::NoSuchQueue(queue))?
            .destroy(self.node())
    }

    fn submit(&self, queue: QueueId, submission: &Submission<'_>) -> KmdResult<Fence> {
        let mut guard = self.state();
        let state = &mut *guard;
        let mut wait = Vec::with_capacity(submission.wait.len() + 1);
        for fence in submission.wait {
            wait.push(FencePoint {
                handle: state.queue(fence.queue)?.timeline,
                point: fence.seqno.get(),
                flags: ExecFenceFlags::WAIT,
            });
        }
        let State {
            buffers,
            spaces,
            queues,
        } = state;
        let target = queues.get_mut(&queue).ok_or(KmdError::NoSuchQueue(queue))?;
        let space = spaces
            .get(&target.space)
            .ok_or(KmdError::NoSuchAddressSpace(target.space))?;
        let flags = |b: BufferHandle| buffers.get(&b).map_or(OBJECT_FLAGS, |b| b.flags);
        match target.submit(self.node.as_ref(), space, submission, &wait, flags) {
            Ok(seqno) => Ok(Fence { queue, seqno }),
            Err(KmdError::Ioctl {
                ioctl,
                errno: errno @ Errno::EIO,
                ..
            }) => {
                let context = target.context;
                drop(guard);
                // Without a reset of this context it is the whole device that is wedged.
                self.check(queue, context)?;
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
        let (_, timeline) = self.point(fence)?;
        generic::syncobj_export_point(self.node(), timeline, fence.seqno.get())
    }

    fn queue_status(&self, queue: QueueId) -> KmdResult<QueueStatus> {
        let context = self.state().queue(queue)?.context;
        queue::status(self.node(), context)
    }

    fn timestamp(&self) -> KmdResult<u64> {
        calls::reg_read(self.node(), RENDER_TIMESTAMP | REG_READ_8B_WA)
    }
}

impl Drop for I915 {
    /// Frees what the caller left: the node may live on.
    fn drop(&mut self) {
        let state = std::mem::take(&mut *self.state());
        for queue in state.queues.into_values() {
            if let Err(error) = queue.destroy(self.node()) {
                tracing::debug!(%error, "queue left behind");
            }
        }
        for space in state.spaces.into_keys() {
            if let Err(error) = calls::vm_destroy(self.node(), space.get()) {
                tracing::debug!(%error, "address space left behind");
            }
        }
        for buffer in state.buffers.into_keys() {
            if let Err(error) = generic::close(self.node(), buffer.get()) {
                tracing::debug!(%error, "buffer left behind");
            }
        }
    }
}
