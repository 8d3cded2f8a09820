//! The client: [`Kmd`] over a [`Bus`].

use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use batchbuffer::Engine as Class;
use batchbuffer::execlists::{Submission as Path, execlists};
use batchbuffer::paging::PAGE;
use batchbuffer::registers::{base, own};
use devinfo::{GpuAddress, Platform};

use super::bus::Bus;
use super::context::Context;
use super::dma::{Dma, Link};
use super::engine::Engine;
use super::scheduler::{AddressSpace, Given, Job, Queue, State, Working};
use super::tables::Tables;
use super::worker::{self, Shared};
use super::{reset, setup};
use crate::space::{Binding, Space};
use crate::{
    AddressSpaceId, AddressSpaceOptions, BufferDesc, BufferHandle, DeviceDescription, Diagnostics,
    DriverVersion, EngineClass, EngineDescription, Fence, Kmd, KmdError, KmdResult, Mapping,
    MemoryRegion, QueueDesc, QueueId, QueueStatus, RegionKind, Seqno, Submission, Topology,
    UserMemory,
};

/// What errors call this client.
const NAME: &str = "bare metal";
/// The classes that are served, with the engine of each.
const ENGINES: [(EngineClass, Class); 2] = [
    (EngineClass::Render, Class::Render),
    (EngineClass::Copy, Class::Blitter),
];

/// How a device is driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// After what time without progress a batch is hung.
    pub hang_timeout: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            hang_timeout: Duration::from_secs(20),
        }
    }
}

/// The client without a kernel driver.
#[derive(Debug)]
pub struct BareMetal {
    link: Arc<Link>,
    description: DeviceDescription,
    shared: Arc<Shared>,
    worker: Mutex<Option<JoinHandle<()>>>,
}

/// Whether this client submits work to devices of a platform.
///
/// # Errors
/// Only firmware does.
pub(super) fn check_platform(platform: &Platform) -> KmdResult<()> {
    if execlists(platform.family).submission != Path::Firmware {
        return Ok(());
    }
    Err(KmdError::BareMetal(format!(
        "{NAME}: only its GuC firmware submits work to {platform} ({}), and this client does not speak \
         to it: use a kernel driver",
        platform.title
    )))
}

impl BareMetal {
    /// Wakes a device and sets up its engines.
    ///
    /// # Errors
    /// Only firmware submits on its platform; a register does not answer as it should.
    pub fn open(bus: Arc<dyn Bus>, options: Options) -> KmdResult<Self> {
        let target = bus.target();
        let platform = target.platform;
        check_platform(platform)?;
        let row = execlists(platform.family);
        let link = Link::new(Arc::clone(&bus));
        reset::force_wake(bus.as_ref(), row, true)?;
        for &(register, value) in row.page_attributes {
            bus.write(register, value)?;
        }
        setup::apply(bus.as_ref(), platform.family)?;
        let engines = ENGINES.iter().map(|&(_, class)| {
            let engine = Engine::new(&link, class, row)?;
            Ok(Working::new(engine))
        });
        let state = State {
            row,
            hang_timeout: options.hang_timeout,
            buffers: Default::default(),
            spaces: Default::default(),
            queues: Default::default(),
            engines: engines.collect::<KmdResult<_>>()?,
            given: Given::default(),
            turns: 0,
            broken: None,
        };
        let pci_id = bus.pci_id();
        let sku = platform.sku(pci_id).unwrap_or(platform.default_sku());
        let description = DeviceDescription {
            driver: None,
            version: DriverVersion {
                major: 0,
                minor: 0,
                patch: 0,
            },
            pci_id,
            revision: target.revision,
            platform: Some(platform),
            engines: ENGINES
                .iter()
                .map(|&(class, _)| EngineDescription {
                    class,
                    instance: 0,
                    gt: 0,
                })
                .collect(),
            memory: vec![MemoryRegion {
                kind: RegionKind::System,
                instance: 0,
                size: u64::MAX,
                cpu_visible_size: u64::MAX,
                min_page_size: PAGE,
            }],
            topology: Topology::of_sku(sku),
            timestamp_frequency: platform.timestamp_frequency,
            va_bits: platform.address_bits.into(),
            address_limit: 1 << platform.address_bits,
            min_page_size: PAGE,
            has_llc: platform.llc,
            shares_memory: bus.shares_memory(),
            hwconfig: None,
        };
        let shared = Shared::new(state);
        let worker = worker::start(Arc::clone(&shared), bus)?;
        Ok(Self {
            link,
            description,
            shared,
            worker: Mutex::new(Some(worker)),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state()
    }

    /// Names a buffer.
    fn insert(&self, memory: Dma) -> KmdResult<BufferHandle> {
        let mut state = self.state();
        let handle = BufferHandle::new(name(&mut state.given.buffers)?);
        state.buffers.insert(handle, Arc::new(memory));
        Ok(handle)
    }
}

/// The next name.
fn name(given: &mut u32) -> KmdResult<u32> {
    let next = given.checked_add(1).ok_or(KmdError::Invalid {
        what: "objects made by one client",
        value: u64::from(*given),
        rule: "no more than their 32-bit names: reopen the device",
    })?;
    *given = next;
    Ok(next)
}

fn unsupported<T>(what: &'static str) -> KmdResult<T> {
    Err(KmdError::Unsupported { driver: NAME, what })
}

impl State {
    fn buffer(&self, handle: BufferHandle) -> KmdResult<&Arc<Dma>> {
        let found = self.buffers.get(&handle);
        found.ok_or(KmdError::NoSuchBuffer(handle))
    }

    fn space(&mut self, id: AddressSpaceId) -> KmdResult<&mut AddressSpace> {
        let found = self.spaces.get_mut(&id);
        found.ok_or(KmdError::NoSuchAddressSpace(id))
    }

    /// What a batch in an address space may use.
    fn bound(&mut self, id: AddressSpaceId) -> KmdResult<Arc<[Arc<Dma>]>> {
        if let Some(bound) = &self.space(id)?.bound {
            return Ok(Arc::clone(bound));
        }
        let handles: Vec<_> = self
            .space(id)?
            .bindings
            .iter()
            .map(|(_, b)| b.buffer)
            .collect();
        let memories = handles
            .into_iter()
            .map(|handle| self.buffer(handle).cloned());
        let bound: Arc<[_]> = memories.collect::<KmdResult<Vec<_>>>()?.into();
        self.space(id)?.bound = Some(Arc::clone(&bound));
        Ok(bound)
    }
}

impl Kmd for BareMetal {
    fn description(&self) -> &DeviceDescription {
        &self.description
    }

    fn diagnostics(&self) -> Option<&dyn Diagnostics> {
        self.link.bus.diagnostics()
    }

    fn create_buffer(&self, desc: &BufferDesc) -> KmdResult<BufferHandle> {
        if desc.size == 0 {
            return Err(KmdError::Invalid {
                what: "buffer size",
                value: 0,
                rule: "above 0",
            });
        }
        self.insert(Dma::new(&self.link, desc.size)?)
    }

    fn create_user_buffer(&self, memory: UserMemory) -> KmdResult<BufferHandle> {
        memory.check_pages(PAGE as usize)?;
        self.insert(Dma::of(&self.link, memory)?)
    }

    fn buffer_size(&self, buffer: BufferHandle) -> KmdResult<u64> {
        Ok(self.state().buffer(buffer)?.bytes())
    }

    fn close_buffer(&self, buffer: BufferHandle) -> KmdResult<()> {
        let mut state = self.state();
        let closed = state.buffers.remove(&buffer);
        let closed = closed.ok_or(KmdError::NoSuchBuffer(buffer))?;
        for space in state.spaces.values_mut() {
            for (address, binding) in space.bindings.forget(buffer) {
                space.tables.unbind(address, binding.length)?;
                space.bound = None;
            }
        }
        drop(state);
        // Unmaps it, or leaves that to the last batch that may use it.
        drop(closed);
        Ok(())
    }

    fn map(&self, buffer: BufferHandle) -> KmdResult<Mapping> {
        match self.state().buffer(buffer)?.mapping() {
            Some(mapping) => Ok(mapping),
            None => unsupported("mapping a buffer of user memory"),
        }
    }

    fn export_buffer(&self, buffer: BufferHandle) -> KmdResult<OwnedFd> {
        self.state().buffer(buffer)?;
        unsupported("a dma-buf, which only a kernel driver makes,")
    }

    fn import_buffer(&self, _: BorrowedFd<'_>) -> KmdResult<BufferHandle> {
        unsupported("a dma-buf, which only a kernel driver maps,")
    }

    fn wait_buffer(&self, buffer: BufferHandle, deadline: Instant) -> KmdResult<bool> {
        let memory = self.state().buffer(buffer)?.clone();
        let idle = |state: &State| {
            let used = state.queues.values().any(|queue| queue.uses(&memory));
            Ok((!used).then_some(()))
        };
        Ok(self.shared.wait(deadline, idle)?.is_some())
    }

    fn create_address_space_with(&self, options: AddressSpaceOptions) -> KmdResult<AddressSpaceId> {
        if options.long_running {
            return unsupported("a long-running address space");
        }
        let tables = Tables::new(&self.link, options.scratch_page)?;
        let mut state = self.state();
        let id = AddressSpaceId::new(name(&mut state.given.spaces)?);
        let space = AddressSpace {
            bindings: Space::default(),
            tables,
            bound: None,
        };
        state.spaces.insert(id, space);
        Ok(id)
    }

    fn destroy_address_space(&self, space: AddressSpaceId) -> KmdResult<()> {
        let mut state = self.state();
        let users = state.queues.values().filter(|queue| queue.space == space);
        if users.count() > 0 {
            return Err(KmdError::Invalid {
                what: "address space",
                value: space.get().into(),
                rule: "its queues are destroyed first",
            });
        }
        let removed = state.spaces.remove(&space);
        removed.ok_or(KmdError::NoSuchAddressSpace(space))?;
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
        let memory = state.buffer(buffer)?.clone();
        for (what, value) in [
            ("address of a binding", address.get()),
            ("offset of a binding", offset),
            ("length of a binding", length),
        ] {
            if !value.is_multiple_of(PAGE) {
                let rule = "a multiple of the device's page size";
                return Err(KmdError::Invalid { what, value, rule });
            }
        }
        if length == 0
            || offset
                .checked_add(length)
                .is_none_or(|end| end > memory.bytes())
        {
            return Err(KmdError::Invalid {
                what: "end of a binding in its buffer",
                value: offset.saturating_add(length),
                rule: "above its begin and within the buffer",
            });
        }
        let bound = state.space(space)?;
        bound
            .bindings
            .bind(space, address, Binding { buffer, length })?;
        bound.bound = None;
        bound.tables.bind(address, &memory, offset, length)
    }

    fn unbind(&self, space: AddressSpaceId, address: GpuAddress, length: u64) -> KmdResult<()> {
        let mut state = self.state();
        let bound = state.space(space)?;
        bound.bindings.unbind(space, address, length)?;
        bound.bound = None;
        bound.tables.unbind(address, length)
    }

    fn create_queue(&self, desc: &QueueDesc) -> KmdResult<QueueId> {
        let mut state = self.state();
        let root = state.space(desc.address_space)?.tables.root();
        let index = ENGINES.iter().position(|(class, _)| *class == desc.engine);
        let index = index.ok_or(KmdError::NoSuchEngine(desc.engine))?;
        let (_, class) = ENGINES[index];
        let id = name(&mut state.given.queues)?;
        let family = self.link.bus.target().platform.family;
        let context = Context::new(&self.link, (family, class), root, id)?;
        let space = desc.address_space;
        let queue = Queue::new(index, space, desc.priority, context, state.turns);
        state.queues.insert(QueueId::new(id), queue);
        Ok(QueueId::new(id))
    }

    fn destroy_queue(&self, queue: QueueId) -> KmdResult<()> {
        let mut state = self.state();
        state.queue(queue)?;
        let ended = state.end(queue);
        if let Err(error) = &ended {
            state.broken = Some(error.clone());
        }
        let removed = state.queues.remove(&queue);
        // What waited for it waits no more.
        let kicked = self.shared.kick(&mut state);
        drop(state);
        drop(removed);
        ended.and(kicked)
    }

    fn submit(&self, queue: QueueId, submission: &Submission<'_>) -> KmdResult<Fence> {
        let mut state = self.state();
        let target = state.queue(queue)?;
        let (space, seqno) = (target.space, target.last + 1);
        state.is_done(Fence {
            queue,
            seqno: Seqno::new(target.last),
        })?;
        let Submission {
            batch,
            length,
            wait,
        } = *submission;
        if !batch.get().is_multiple_of(8) {
            return Err(KmdError::Invalid {
                what: "batch address",
                value: batch.get(),
                rule: "a multiple of 8",
            });
        }
        if length == 0 || !length.is_multiple_of(8) {
            return Err(KmdError::Invalid {
                what: "batch length",
                value: length,
                rule: "a multiple of 8 above 0",
            });
        }
        for fence in wait {
            match state.queues.get(&fence.queue) {
                Some(other) if fence.seqno.get() > other.last => {
                    return Err(KmdError::Invalid {
                        what: "seqno",
                        value: fence.seqno.get(),
                        rule: "at most the queue's last submission",
                    });
                }
                None if fence.queue.get() == 0 || fence.queue.get() > state.given.queues => {
                    return Err(KmdError::NoSuchQueue(fence.queue));
                }
                _ => {}
            }
        }
        if state.space(space)?.bindings.lookup(batch, length).is_none() {
            return Err(KmdError::NotBound {
                space,
                address: batch,
                length,
            });
        }
        let job = Job {
            seqno,
            batch,
            wait: wait.to_vec(),
            keeps: state.bound(space)?,
        };
        let target = state.queues.get_mut(&queue);
        let target = target.ok_or(KmdError::NoSuchQueue(queue))?;
        target.waiting.push_back(job);
        target.last = seqno;
        self.shared.kick(&mut state)?;
        Ok(Fence {
            queue,
            seqno: Seqno::new(seqno),
        })
    }

    fn wait(&self, fence: Fence, deadline: Instant) -> KmdResult<()> {
        let done = |state: &State| Ok(state.is_done(fence)?.then_some(()));
        match self.shared.wait(deadline, done)? {
            Some(()) => Ok(()),
            None => Err(KmdError::DeadlineExceeded { fence }),
        }
    }

    fn is_done(&self, fence: Fence) -> KmdResult<bool> {
        self.state().is_done(fence)
    }

    fn export_fence(&self, fence: Fence) -> KmdResult<OwnedFd> {
        self.state().is_done(fence)?;
        unsupported("a sync file, which only a kernel driver makes,")
    }

    fn queue_status(&self, queue: QueueId) -> KmdResult<QueueStatus> {
        Ok(self.state().queue(queue)?.status.clone())
    }

    fn timestamp(&self) -> KmdResult<u64> {
        let low = base(Class::Render) + own::TIMESTAMP;
        let read = |offset| Ok(u64::from(self.link.bus.read(offset)?));
        loop {
            let before = read(low + 4)?;
            let low = read(low)?;
            if read(base(Class::Render) + own::TIMESTAMP + 4)? == before {
                return Ok(before << 32 | low);
            }
        }
    }
}

impl Drop for BareMetal {
    /// Ends what runs, and lets the device sleep.
    fn drop(&mut self) {
        self.shared.close();
        let worker = self
            .worker
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if worker.is_some_and(|worker| worker.join().is_err()) {
            tracing::warn!("the device's thread panicked");
        }
        let mut state = self.state();
        let row = state.row;
        let queues: Vec<_> = state.queues.keys().copied().collect();
        for queue in queues {
            if let Err(error) = state.end(queue) {
                tracing::warn!("ending {queue}: {error}");
            }
        }
        state.queues.clear();
        state.spaces.clear();
        state.buffers.clear();
        state.engines.clear();
        if let Err(error) = reset::force_wake(self.link.bus.as_ref(), row, false) {
            tracing::warn!("letting the device sleep: {error}");
        }
    }
}
