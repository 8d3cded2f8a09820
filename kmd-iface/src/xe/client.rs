//! The client: [`Kmd`] over the xe ioctls.

use std::collections::HashMap;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use devinfo::GpuAddress;
use nix::errno::Errno;

use super::binding::{self, Source};
use super::calls;
use super::fence::FencePage;
use super::probe::{self, Limits};
use super::queue::{self, Completion, Queue};
use crate::generic;
use crate::memory::map_node;
use crate::object::{Object, Objects};
use crate::queues::Queues;
use crate::space::{Binding, Space};
use crate::uapi::drm::SyncobjWaitFlags;
use crate::uapi::xe::gem::{CPU_CACHING_WB, CPU_CACHING_WC, GemCreateFlags};
use crate::uapi::xe::vm::VmCreateFlags;
use crate::uapi::xe::{EngineClass as RawClass, EngineClassInstance};
use crate::{
    AddressSpaceId, AddressSpaceOptions, BufferDesc, BufferHandle, Caching, DeviceDescription,
    Diagnostics, DriverVersion, EngineClass, Fence, Kmd, KmdError, KmdResult, Mapping, Node,
    Placement, Priority, QueueDesc, QueueId, QueueStatus, RegionKind, Submission, UserMemory,
};

/// User memory has no GEM object: its handles are the client's own, told apart by this bit.
const USER_HANDLE: u32 = 1 << 31;

/// Host pages, the unit of user memory.
const PAGE: usize = 4 << 10;

/// The xe client.
#[derive(Debug)]
pub struct Xe {
    node: Arc<dyn Node>,
    description: DeviceDescription,
    limits: Limits,
    objects: Arc<Objects>,
    /// Never held over a call into the kernel: see the crate's documentation, "Locks".
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    buffers: HashMap<BufferHandle, BufferState>,
    spaces: HashMap<AddressSpaceId, SpaceState>,
    queues: Queues<Queue>,
    user_handles: u32,
}

#[derive(Debug)]
struct BufferState {
    size: u64,
    /// Offset and length of its bindings are multiples of this.
    page: u64,
    memory: Memory,
}

/// The memory of a buffer, kept alive.
#[derive(Clone, Debug)]
enum Memory {
    Object(Arc<Object>),
    User(UserMemory),
}

#[derive(Debug)]
struct SpaceState {
    space: Space,
    /// Where long-running queues write their completions.
    fences: Option<Arc<FencePage>>,
}

impl Xe {
    /// Queries the node.
    ///
    /// # Errors
    /// An ioctl fails.
    pub fn new(node: Arc<dyn Node>, version: DriverVersion) -> KmdResult<Self> {
        let (description, limits) = probe::describe(node.as_ref(), version)?;
        Ok(Self {
            description,
            limits,
            objects: Objects::new(node.clone()),
            node,
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

    /// An error if the kernel banned the queue.
    fn check(&self, name: QueueId, queue: &Queue) -> KmdResult<()> {
        match queue::status(self.node(), queue.id)? {
            QueueStatus::Ok => Ok(()),
            QueueStatus::Hung(report)
            | QueueStatus::Faulted(report)
            | QueueStatus::Banned(report) => Err(KmdError::QueueLost {
                queue: name,
                report,
            }),
        }
    }

    fn wait_point(&self, fence: Fence, deadline: Instant) -> KmdResult<bool> {
        let queue = self.submitted(fence)?;
        let value = fence.seqno.get();
        let done = match &queue.completion {
            Completion::Timeline(timeline) => {
                let flags = SyncobjWaitFlags::empty();
                let points = [(timeline.handle(), value)];
                generic::syncobj_timeline_wait(self.node(), &points, flags, deadline)
            }
            Completion::Memory(slot) => {
                let waited =
                    calls::wait_user_fence(self.node(), slot.value(), value, queue.id, deadline);
                match waited {
                    // A ban ends the wait.
                    Err(KmdError::Ioctl {
                        errno: Errno::EIO, ..
                    }) => Ok(true),
                    other => other,
                }
            }
        };
        // A ban signals timelines as if all were well.
        if done? {
            self.check(fence.queue, &queue)?;
            return Ok(true);
        }
        Ok(false)
    }

    /// The object of a buffer, kept open; user memory does not support `what`.
    fn object(&self, buffer: BufferHandle, what: &'static str) -> KmdResult<(Arc<Object>, u64)> {
        let state = self.state();
        let buffer = state.buffer(buffer)?;
        match &buffer.memory {
            Memory::Object(object) => Ok((object.clone(), buffer.size)),
            Memory::User(_) => Err(KmdError::Unsupported { driver: "xe", what }),
        }
    }

    /// The regions of a placement, as a mask of instances, and their page size.
    fn regions(&self, placement: Placement) -> (u32, u64) {
        let wanted: &[_] = match placement {
            _ if !self.description.has_device_memory() => &[RegionKind::System],
            Placement::System => &[RegionKind::System],
            // Into host memory when the part that the CPU can reach is full (xe_drm.h,
            // DRM_XE_GEM_CREATE_FLAG_NEEDS_VISIBLE_VRAM).
            Placement::DeviceCpuVisible => &[RegionKind::Device, RegionKind::System],
            Placement::Device => &[RegionKind::Device],
        };
        let regions = self.description.memory.iter();
        let regions = regions.filter(|region| wanted.contains(&region.kind));
        regions.fold((0, 1), |(mask, page), region| {
            let bit = 1u32.checked_shl(u32::from(region.instance)).unwrap_or(0);
            (mask | bit, page.max(region.min_page_size))
        })
    }

    /// The fence page of a new long-running address space.
    fn fence_page(&self, space: AddressSpaceId) -> KmdResult<FencePage> {
        let (placement, page_size) = self.regions(Placement::System);
        let size = page_size.max(self.description.min_page_size);
        let flags = GemCreateFlags::empty();
        let handle = calls::gem_create(self.node(), size, placement, CPU_CACHING_WB, flags)?;
        let object = self.objects.created(handle, None);
        let address = GpuAddress::new(self.description.address_limit);
        let offset = calls::gem_mmap_offset(self.node(), handle)?;
        let mapping = map_node(self.node(), BufferHandle::new(handle), offset, size)?;
        let source = Source::Object { handle, offset: 0 };
        let pat = self.limits.pat_index;
        binding::bind(self.node(), space, address, size, source, pat)?;
        Ok(FencePage::new(object, address, mapping))
    }
}

impl State {
    fn buffer(&self, handle: BufferHandle) -> KmdResult<&BufferState> {
        self.buffers
            .get(&handle)
            .ok_or(KmdError::NoSuchBuffer(handle))
    }

    fn space_mut(&mut self, id: AddressSpaceId) -> KmdResult<&mut SpaceState> {
        self.spaces
            .get_mut(&id)
            .ok_or(KmdError::NoSuchAddressSpace(id))
    }
}

impl Kmd for Xe {
    fn description(&self) -> &DeviceDescription {
        &self.description
    }

    fn diagnostics(&self) -> Option<&dyn Diagnostics> {
        self.node.diagnostics()
    }

    fn create_buffer(&self, desc: &BufferDesc) -> KmdResult<BufferHandle> {
        let (placement, page) = self.regions(desc.placement);
        let size = desc
            .size
            .checked_next_multiple_of(page)
            .filter(|size| *size > 0)
            .ok_or(KmdError::Invalid {
                what: "size of a buffer",
                value: desc.size,
                rule: "above 0",
            })?;
        let device = desc.placement != Placement::System && self.description.has_device_memory();
        let caching = match desc.caching {
            Caching::WriteBack if !device => CPU_CACHING_WB,
            _ => CPU_CACHING_WC,
        };
        let flags = if device && desc.placement == Placement::DeviceCpuVisible {
            GemCreateFlags::NEEDS_VISIBLE_VRAM
        } else {
            GemCreateFlags::empty()
        };
        let handle = calls::gem_create(self.node(), size, placement, caching, flags)?;
        let buffer = BufferState {
            size,
            page,
            memory: Memory::Object(self.objects.created(handle, None)),
        };
        let handle = BufferHandle::new(handle);
        self.state().buffers.insert(handle, buffer);
        Ok(handle)
    }

    fn create_user_buffer(&self, memory: UserMemory) -> KmdResult<BufferHandle> {
        memory.check_pages(PAGE)?;
        let mut state = self.state();
        state.user_handles += 1;
        let handle = BufferHandle::new(USER_HANDLE | state.user_handles);
        let buffer = BufferState {
            size: memory.len() as u64,
            page: PAGE as u64,
            memory: Memory::User(memory),
        };
        state.buffers.insert(handle, buffer);
        Ok(handle)
    }

    fn buffer_size(&self, buffer: BufferHandle) -> KmdResult<u64> {
        Ok(self.state().buffer(buffer)?.size)
    }

    fn close_buffer(&self, buffer: BufferHandle) -> KmdResult<()> {
        let mut state = self.state();
        let closed = state.buffers.remove(&buffer);
        let closed = closed.ok_or(KmdError::NoSuchBuffer(buffer))?;
        let mut bindings = Vec::new();
        for (&id, space) in &mut state.spaces {
            let forgotten = space.space.forget(buffer).into_iter();
            bindings.extend(forgotten.map(|(address, b)| (id, address, b.length)));
        }
        drop(state);
        for (space, address, length) in bindings {
            binding::unbind(self.node(), space, address, length)?;
        }
        drop(closed);
        Ok(())
    }

    fn map(&self, buffer: BufferHandle) -> KmdResult<Mapping> {
        let (object, size) = self.object(buffer, "mapping a buffer of user memory")?;
        let offset = calls::gem_mmap_offset(self.node(), object.handle())?;
        map_node(self.node(), buffer, offset, size)
    }

    fn export_buffer(&self, buffer: BufferHandle) -> KmdResult<OwnedFd> {
        let (object, _) = self.object(buffer, "exporting a buffer of user memory")?;
        generic::prime_export(self.node(), object.handle())
    }

    fn import_buffer(&self, dmabuf: BorrowedFd<'_>) -> KmdResult<BufferHandle> {
        let size = generic::dmabuf_size(dmabuf)?;
        let object = self.objects.import(dmabuf)?;
        let handle = BufferHandle::new(object.handle());
        let buffer = BufferState {
            size,
            page: PAGE as u64,
            memory: Memory::Object(object),
        };
        self.state().buffers.entry(handle).or_insert(buffer);
        Ok(handle)
    }

    fn wait_buffer(&self, buffer: BufferHandle, deadline: Instant) -> KmdResult<bool> {
        // xe does not track which buffers a batch uses: everything that can
        // reach the buffer has to be done.
        let fences: Vec<Fence> = {
            let state = self.state();
            state.buffer(buffer)?;
            let reaches = |queue: &Queue| {
                let space = state.spaces.get(&queue.space);
                space.is_some_and(|s| s.space.holds(buffer)) && queue.order.last().get() > 0
            };
            let queues = state.queues.iter().filter(|(_, q)| reaches(q));
            queues
                .map(|(queue, q)| Fence {
                    queue,
                    seqno: q.order.last(),
                })
                .collect()
        };
        for fence in fences {
            match self.wait_point(fence, deadline) {
                // A lost queue uses nothing any more.
                Ok(true) | Err(KmdError::QueueLost { .. } | KmdError::NoSuchQueue(_)) => {}
                other => return other,
            }
        }
        Ok(true)
    }

    fn create_address_space_with(&self, options: AddressSpaceOptions) -> KmdResult<AddressSpaceId> {
        let mut flags = VmCreateFlags::empty();
        flags.set(VmCreateFlags::SCRATCH_PAGE, options.scratch_page);
        flags.set(VmCreateFlags::LR_MODE, options.long_running);
        let id = AddressSpaceId::new(calls::vm_create(self.node(), flags)?);
        let fences = if options.long_running {
            match self.fence_page(id) {
                Ok(page) => Some(Arc::new(page)),
                Err(error) => {
                    calls::vm_destroy(self.node(), id.get())?;
                    return Err(error);
                }
            }
        } else {
            None
        };
        let space = SpaceState {
            space: Space::default(),
            fences,
        };
        self.state().spaces.insert(id, space);
        Ok(id)
    }

    fn destroy_address_space(&self, space: AddressSpaceId) -> KmdResult<()> {
        let removed = self.state().spaces.remove(&space);
        // Its page of fences is freed after it.
        let _removed = removed.ok_or(KmdError::NoSuchAddressSpace(space))?;
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
        let mut guard = self.state();
        let state = &mut *guard;
        let bound = state.buffer(buffer)?;
        for (what, value) in [
            ("address of a binding", address.get()),
            ("offset of a binding", offset),
            ("length of a binding", length),
        ] {
            if !value.is_multiple_of(bound.page) {
                return Err(KmdError::Invalid {
                    what,
                    value,
                    rule: "a multiple of the buffer's page size",
                });
            }
        }
        let invalid = |what, value, rule| Err(KmdError::Invalid { what, value, rule });
        if length == 0
            || offset
                .checked_add(length)
                .is_none_or(|end| end > bound.size)
        {
            return invalid("length of a binding", length, "above 0, within the buffer");
        }
        let limit = self.description.address_limit;
        if address
            .get()
            .checked_add(length)
            .is_none_or(|end| end > limit)
        {
            return invalid(
                "address of a binding",
                address.get(),
                "below the address limit",
            );
        }
        let memory = bound.memory.clone();
        let source = match &memory {
            Memory::User(memory) => Source::User {
                address: memory.address() as u64 + offset,
                writable: memory.is_writable(),
            },
            Memory::Object(object) => Source::Object {
                handle: object.handle(),
                offset,
            },
        };
        // Record it first: that finds overlaps. The kernel's part may take as long as the address
        // space's other work, so it is not done under the lock.
        let binding = Binding { buffer, length };
        state
            .space_mut(space)?
            .space
            .bind(space, address, binding)?;
        drop(guard);
        let pat = self.limits.pat_index;
        binding::bind(self.node(), space, address, length, source, pat).or_else(|error| {
            let mut state = self.state();
            state
                .space_mut(space)?
                .space
                .unbind(space, address, length)?;
            Err(error)
        })
    }

    fn unbind(&self, space: AddressSpaceId, address: GpuAddress, length: u64) -> KmdResult<()> {
        self.state()
            .space_mut(space)?
            .space
            .unbind(space, address, length)?;
        binding::unbind(self.node(), space, address, length)
    }

    fn create_queue(&self, desc: &QueueDesc) -> KmdResult<QueueId> {
        let fences = self.state().space_mut(desc.address_space)?.fences.clone();
        let slot = fences.map(|page| page.allocate()).transpose()?;
        let class = match desc.engine {
            EngineClass::Render => RawClass::Render,
            EngineClass::Copy => RawClass::Copy,
            EngineClass::VideoDecode => RawClass::VideoDecode,
            EngineClass::VideoEnhance => RawClass::VideoEnhance,
            EngineClass::Compute => RawClass::Compute,
        };
        // Any engine of the class on the first GT that has one.
        let first = self
            .description
            .engine(desc.engine)
            .ok_or(KmdError::NoSuchEngine(desc.engine))?;
        let engines = self.description.engines.iter();
        let placements: Vec<_> = engines
            .filter(|e| e.class == desc.engine && e.gt == first.gt)
            .map(|e| EngineClassInstance {
                engine_class: class as u16,
                engine_instance: e.instance,
                gt_id: e.gt,
                pad: 0,
            })
            .collect();
        let priority = match desc.priority {
            Priority::Low => Some(0),
            Priority::Normal => None,
            Priority::High => Some(2),
        };
        if priority.is_some_and(|p| p > self.limits.max_priority) {
            return Err(KmdError::Unsupported {
                driver: "xe",
                what: "high priority without CAP_SYS_NICE",
            });
        }
        let queue = Queue::create(&self.node, &placements, priority, desc.address_space, slot)?;
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
        let state = self.state();
        let target = state.queues.get(queue)?.clone();
        let mut wait = Vec::with_capacity(submission.wait.len());
        for fence in submission.wait {
            // A queue's own work runs in order anyway.
            if fence.queue == queue {
                continue;
            }
            let Some(other) = state.queues.awaited(fence.queue)? else {
                continue;
            };
            other.order.check(*fence)?;
            match (&target.completion, &other.completion) {
                (Completion::Timeline(_), Completion::Timeline(_)) => {
                    wait.push((other.clone(), fence.seqno));
                }
                _ => {
                    return Err(KmdError::Unsupported {
                        driver: "xe",
                        what: "waiting for another queue in a long-running address space",
                    });
                }
            }
        }
        let space = state
            .spaces
            .get(&target.space)
            .ok_or(KmdError::NoSuchAddressSpace(target.space))?;
        if space
            .space
            .lookup(submission.batch, submission.length)
            .is_none()
        {
            return Err(KmdError::NotBound {
                space: target.space,
                address: submission.batch,
                length: submission.length,
            });
        }
        drop(state);
        match target.submit(self.node(), submission, &wait) {
            Ok(seqno) => Ok(Fence { queue, seqno }),
            Err(
                error @ KmdError::Ioctl {
                    errno: Errno::ECANCELED | Errno::EIO,
                    ..
                },
            ) => {
                self.check(queue, &target)?;
                Err(error)
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
        match &self.submitted(fence)?.completion {
            Completion::Timeline(timeline) => {
                generic::syncobj_export_point(self.node(), timeline.handle(), fence.seqno.get())
            }
            Completion::Memory(_) => Err(KmdError::Unsupported {
                driver: "xe",
                what: "a sync file of a long-running address space",
            }),
        }
    }

    fn queue_status(&self, queue: QueueId) -> KmdResult<QueueStatus> {
        let queue = self.state().queues.get(queue)?.clone();
        queue::status(self.node(), queue.id)
    }

    fn timestamp(&self) -> KmdResult<u64> {
        let engine = self
            .description
            .engine(EngineClass::Render)
            .map(|e| (RawClass::Render, e))
            .or_else(|| {
                let engine = self.description.engine(EngineClass::Compute)?;
                Some((RawClass::Compute, engine))
            });
        let (class, engine) = engine.ok_or(KmdError::NoSuchEngine(EngineClass::Render))?;
        let cycles = calls::engine_cycles(
            self.node(),
            EngineClassInstance {
                engine_class: class as u16,
                engine_instance: engine.instance,
                gt_id: engine.gt,
                pad: 0,
            },
        )?;
        Ok(cycles.engine_cycles)
    }
}

impl Drop for Xe {
    /// Frees what the caller left: the node may outlive the client.
    fn drop(&mut self) {
        let mut state = std::mem::take(&mut *self.state());
        let node = self.node();
        let left = |result: KmdResult<()>| {
            if let Err(error) = result {
                tracing::debug!(%error, "left behind");
            }
        };
        for queue in state.queues.take() {
            left(queue.destroy(node));
        }
        for &id in state.spaces.keys() {
            left(calls::vm_destroy(node, id.get()));
        }
        // The buffers close themselves.
    }
}
