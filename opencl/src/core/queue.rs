//! Queues.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};

use opencl_sys::*;

use super::context::{CommandQueue, Context};
use super::device::Device;
use super::event::Event;
use super::handle::{Base, Handle, Object};
use super::host::Worker;
use super::lock;
use crate::error::{Result, ensure};

/// What calls that wait return after a command failed on the device. "If the execution of a command
/// is terminated, the command-queue … may no longer be available, and the behavior of OpenCL API calls
/// that use this command-queue … is implementation-defined" (section 5.11).
const FAILED: cl_int = CL_OUT_OF_RESOURCES;

/// A queue. What runs on the device is ordered by the driver's queue, what runs on the host by
/// events; [`command`](super::command) brings both together.
#[derive(Debug)]
pub(crate) struct Queue {
    base: Base,
    pub context: Arc<Context>,
    pub device: Arc<Device>,
    /// The device's place in the context.
    pub place: usize,
    pub properties: cl_command_queue_properties,
    /// As they were passed, with the zero at the end; empty if there were none.
    pub property_list: Vec<u64>,
    pub umd: umd::Queue,
    /// Runs the commands of the host.
    pub worker: Worker,
    order: Mutex<Order>,
    /// A command failed on the device, and the program was not told by a call yet.
    has_failed: AtomicBool,
}

/// What has been enqueued. Commands that have ended are forgotten now and then.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// What the next command comes after: in a queue in order the last command, else the last
    /// barrier.
    pub last: Weak<Event>,
    open: Vec<Weak<Event>>,
    /// The first of them that has to end before all have: the last command that ends after all before it.
    since: usize,
    /// How many may be open before ended ones are forgotten.
    limit: usize,
}

impl Object for Queue {
    const INVALID: cl_int = CL_INVALID_COMMAND_QUEUE;
    const NAME: &'static str = "command queue";
    fn base(&self) -> &Base {
        &self.base
    }
}

impl Queue {
    pub(crate) fn new(
        context: Arc<Context>,
        device: Arc<Device>,
        place: usize,
        properties: cl_command_queue_properties,
        property_list: Vec<u64>,
    ) -> Result<Self> {
        let options = umd::QueueOptions {
            out_of_order: properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0,
            ..umd::QueueOptions::default()
        };
        let umd = device.umd.queue(options)?;
        // Now, so that no command is without callbacks later.
        umd.start_callbacks()?;
        Ok(Self {
            base: Base::new(),
            context,
            device,
            place,
            properties,
            property_list,
            umd,
            worker: Worker::default(),
            order: Mutex::default(),
            has_failed: AtomicBool::new(false),
        })
    }

    pub(crate) fn is_out_of_order(&self) -> bool {
        self.properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0
    }

    pub(super) fn order(&self) -> std::sync::MutexGuard<'_, Order> {
        lock(&self.order)
    }

    /// Waits for all commands.
    ///
    /// # Errors
    /// One failed on the device since the last call.
    pub(crate) fn finish(&self) -> Result<()> {
        self.wait();
        self.check(true)
    }

    /// Looks for a command that failed on the device since a call last told the program.
    ///
    /// # Errors
    /// One failed: results that the program waits for are not there. If `told`, a call of the program gives this
    /// error, which the next one need not.
    pub(super) fn check(&self, told: bool) -> Result<()> {
        let has_failed = match told {
            true => self.has_failed.swap(false, Ordering::AcqRel),
            false => self.has_failed.load(Ordering::Acquire),
        };
        ensure(
            !has_failed,
            FAILED,
            "an earlier command of the queue has failed",
        )
    }

    /// What a command of it waits for in an event's stead; `None` if there is nothing to wait for. Where
    /// only the order counts (`is_order`), the event's failure does not matter.
    pub(super) fn stand_in(&self, event: &Arc<Event>, is_order: bool) -> Option<umd::Event> {
        let (status, on_device) = event.progress();
        if status == CL_COMPLETE || is_order && status < CL_COMPLETE {
            return None;
        }
        if let Some(on_device) = on_device
            && let Some(other) = &event.queue
            && Arc::ptr_eq(other.device(), &self.device)
        {
            match (is_order, other.handle() == self.base.handle()) {
                (false, _) => return Some(on_device),
                // The driver keeps the order of its own queue.
                (true, true) => return None,
                // It would fail with the event: see below.
                (true, false) => {}
            }
        }
        let proxy = self.device.umd.user_event();
        let stand_in = proxy.event().clone();
        event.then(move |status| match status {
            CL_COMPLETE => proxy.complete(),
            _ if is_order => proxy.complete(),
            error => proxy.fail(format!("its status is {error}")),
        });
        Some(stand_in)
    }
}

impl CommandQueue for Queue {
    fn handle(&self) -> Handle {
        self.base.handle()
    }

    fn device(&self) -> &Arc<Device> {
        &self.device
    }

    fn properties(&self) -> cl_command_queue_properties {
        self.properties
    }

    fn wait(&self) {
        // The lock of the order ends first.
        let open = self.order().open();
        for event in open {
            event.wait();
        }
    }

    fn fail(&self) {
        self.has_failed.store(true, Ordering::Release);
    }
}

/// The commands of these that have not ended.
fn alive(open: &[Weak<Event>]) -> impl Iterator<Item = Arc<Event>> {
    let open = open.iter().filter_map(Weak::upgrade);
    open.filter(|event| !event.has_ended())
}

impl Order {
    /// The commands that have not ended.
    pub(super) fn open(&self) -> Vec<Arc<Event>> {
        alive(&self.open).collect()
    }

    /// Commands that have not ended; when these have, all have.
    pub(super) fn last_open(&self) -> Vec<Arc<Event>> {
        alive(self.open.get(self.since..).unwrap_or_default()).collect()
    }

    pub(super) fn add(&mut self, event: &Arc<Event>) {
        if self.open.len() >= self.limit {
            let (before, after) = self.open.split_at(self.since.min(self.open.len()));
            let since = alive(before).count();
            let open = alive(before).chain(alive(after));
            let open: Vec<_> = open.map(|event| Arc::downgrade(&event)).collect();
            (self.open, self.since) = (open, since);
            self.limit = 64.max(2 * self.open.len());
        }
        self.open.push(Arc::downgrade(event));
    }

    /// The same, of a command that ends after [those](Self::last_open).
    pub(super) fn add_after_all(&mut self, event: &Arc<Event>) {
        self.add(event);
        self.since = self.open.len() - 1;
    }
}
