//! What one client of the node owns.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use nix::errno::Errno;

use super::context::{Context, Vm};
use super::handles::Handles;
use super::lists::Lists;
use super::object::Object;
use super::xe::{XeQueue, XeVm};
use crate::device::Device;
use crate::refusal::{Answer, Refusal, demand};
use crate::sync::Syncobj;
use softgpu_device::{Fence, wait_for};

/// One client: its handles of every kind.
#[derive(Debug)]
pub struct File {
    device: Arc<Device>,
    /// Buffer objects.
    pub objects: Handles<Object>,
    /// The object lists of its last submissions.
    pub lists: Lists,
    /// Contexts; 0 is the default one.
    pub contexts: Handles<Context>,
    /// Address spaces.
    pub vms: Handles<Vm>,
    /// Sync objects.
    pub syncobjs: Handles<Syncobj>,
    /// Address spaces of xe.
    pub xe_vms: Handles<XeVm>,
    /// Exec queues of xe.
    pub xe_queues: Handles<XeQueue>,
    /// Objects that the client may map, by fake offset.
    mappable: Mutex<HashMap<u64, Weak<Object>>>,
    /// Contexts that were destroyed while they had work left.
    orphans: Mutex<Vec<Arc<Context>>>,
    /// The last fences of work that was stopped and did not end in time.
    stopped: Mutex<Vec<Arc<Fence>>>,
}

/// How long ending a context, a queue or a client waits for the work that it has stopped.
const STOP_DEADLINE: Duration = Duration::from_secs(5);

impl File {
    /// A new client of `device`, with a default context.
    pub fn new(device: Arc<Device>) -> Self {
        let file = Self {
            device,
            objects: Handles::new(1),
            lists: Lists::default(),
            contexts: Handles::new(0),
            vms: Handles::new(1),
            syncobjs: Handles::new(1),
            xe_vms: Handles::new(1),
            xe_queues: Handles::new(1),
            mappable: Mutex::default(),
            orphans: Mutex::default(),
            stopped: Mutex::default(),
        };
        let default = Context::new(Arc::clone(&file.device), Arc::default());
        // Cannot fail: the table is empty.
        let _ = file.contexts.insert(default);
        file
    }

    /// The device.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// The buffer object `handle`.
    ///
    /// # Errors
    /// `ENOENT` if there is none.
    pub fn object(&self, handle: u32) -> Answer<Arc<Object>> {
        named(&self.objects, handle, "buffer object")
    }

    /// The context `id`.
    ///
    /// # Errors
    /// `ENOENT` if there is none.
    pub fn context(&self, id: u32) -> Answer<Arc<Context>> {
        named(&self.contexts, id, "context")
    }

    /// The sync object `handle`.
    ///
    /// # Errors
    /// `ENOENT` if there is none.
    pub fn syncobj(&self, handle: u32) -> Answer<Arc<Syncobj>> {
        named(&self.syncobjs, handle, "sync object")
    }

    /// The address space `id` of xe.
    ///
    /// # Errors
    /// `ENOENT` if there is none.
    pub fn xe_vm(&self, id: u32) -> Answer<Arc<XeVm>> {
        named(&self.xe_vms, id, "VM")
    }

    /// The exec queue `id` of xe.
    ///
    /// # Errors
    /// `ENOENT` if there is none.
    pub fn xe_queue(&self, id: u32) -> Answer<Arc<XeQueue>> {
        named(&self.xe_queues, id, "queue")
    }

    /// The offset at which the client maps `object`.
    ///
    /// # Errors
    /// `ENODEV` if it cannot be mapped: the client's own pages.
    pub fn make_mappable(&self, object: &Arc<Object>) -> Answer<u64> {
        let offset = object.backing.expose();
        let offset = demand!(offset, ENODEV, "the object is the client's own pages");
        let mut mappable = self.mappable.lock().unwrap_or_else(PoisonError::into_inner);
        mappable.retain(|_, object| object.strong_count() != 0);
        mappable.insert(offset, Arc::downgrade(object));
        Ok(offset)
    }

    /// The object that the client maps at `offset`.
    pub fn find_mappable(&self, offset: u64) -> Option<Arc<Object>> {
        let mappable = self.mappable.lock().unwrap_or_else(PoisonError::into_inner);
        mappable.get(&offset)?.upgrade()
    }

    /// Destroys a context. Its work continues if the client wants that, and has ended otherwise: a
    /// client frees the memory that it has lent to it. (Linux waits there, in the notifier of pages
    /// that go.)
    ///
    /// # Errors
    /// `ENOENT` if there is none, or it is the default one.
    pub fn destroy_context(&self, id: u32) -> Answer {
        let context = (id != 0).then(|| self.contexts.remove(id)).flatten();
        let context = demand!(context, ENOENT, "there is no context {id} to destroy");
        if context.settings().persistence {
            let mut orphans = self.orphans.lock().unwrap_or_else(PoisonError::into_inner);
            orphans.retain(|context| !context.is_idle());
            orphans.push(context);
        } else {
            self.stopped(context.kill());
        }
        Ok(())
    }

    /// Destroys a queue of xe. Its work has ended then, as in [`File::destroy_context`].
    ///
    /// # Errors
    /// `ENOENT` if there is none.
    pub fn destroy_queue(&self, id: u32) -> Answer {
        let queue = self.xe_queues.remove(id);
        let queue = demand!(queue, ENOENT, "there is no queue {id}");
        self.stopped(queue.kill());
        Ok(())
    }

    /// Waits for the end of work that was stopped.
    fn stopped(&self, last: impl IntoIterator<Item = Arc<Fence>>) {
        let left = await_end(last.into_iter().collect());
        let mut stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        stopped.retain(|fence| !fence.is_signalled());
        stopped.extend(left);
    }
}

/// Waits until stopped work has ended. Returns the fences of what did not, at the deadline.
fn await_end(mut last: Vec<Arc<Fence>>) -> Vec<Arc<Fence>> {
    let deadline = Instant::now() + STOP_DEADLINE;
    let look = || {
        last.retain(|fence| !fence.is_signalled());
        last.first()
            .map_or(Ok(()), |open| Err(Some(Arc::clone(open))))
    };
    if wait_for(Some(deadline), look).is_none() {
        tracing::warn!("softgpu: a batch still runs {STOP_DEADLINE:?} after it was stopped");
    }
    last
}

/// What a handle names.
fn named<T>(handles: &Handles<T>, handle: u32, kind: &str) -> Answer<Arc<T>> {
    let found = handles.get(handle);
    found.ok_or_else(|| Refusal::new(Errno::ENOENT, format!("there is no {kind} {handle}")))
}

impl Drop for File {
    /// Stops all work and waits until it ends, so that no thread touches the client's pages later.
    fn drop(&mut self) {
        let orphans = self
            .orphans
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        let contexts = self.contexts.all().into_iter().chain(orphans.drain(..));
        let queues = self.xe_queues.all();
        let stopped = self
            .stopped
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        let last = contexts
            .flat_map(|context| context.kill())
            .chain(queues.iter().filter_map(|queue| queue.kill()))
            .chain(stopped.drain(..));
        await_end(last.collect());
    }
}
