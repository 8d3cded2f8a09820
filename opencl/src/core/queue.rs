//! Queues.

use std::sync::{Arc, Mutex, Weak};

use opencl_sys::*;

use super::context::Context;
use super::device::Device;
use super::event::Event;
use super::handle::{Base, Object};
use super::host::Worker;
use super::lock;
use crate::error::Result;

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
}

/// What has been enqueued. Commands that have ended are forgotten now and then.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// What the next command comes after: in a queue in order the last command, else the last
    /// barrier.
    pub last: Weak<Event>,
    pub open: Vec<Weak<Event>>,
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
        })
    }

    pub(crate) fn is_out_of_order(&self) -> bool {
        self.properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0
    }

    pub(super) fn order(&self) -> std::sync::MutexGuard<'_, Order> {
        lock(&self.order)
    }

    /// Waits for all commands.
    pub(crate) fn finish(&self) {
        for event in self.open() {
            event.wait();
        }
    }

    /// The commands that have not ended.
    pub(crate) fn open(&self) -> Vec<Arc<Event>> {
        self.order().open()
    }
}

impl Order {
    /// The commands that have not ended.
    pub(super) fn open(&self) -> Vec<Arc<Event>> {
        let open = self.open.iter().filter_map(Weak::upgrade);
        open.filter(|event| !event.has_ended()).collect()
    }

    pub(super) fn add(&mut self, event: &Arc<Event>) {
        if self.open.len() >= self.limit {
            self.open
                .retain(|event| event.upgrade().is_some_and(|event| !event.has_ended()));
            self.limit = 64.max(2 * self.open.len());
        }
        self.open.push(Arc::downgrade(event));
    }
}
