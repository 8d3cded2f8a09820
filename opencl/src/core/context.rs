//! Contexts.

use std::fmt;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, Weak};

use opencl_sys::*;

use super::allocations::Allocations;
use super::callback::{ContextCallback, ObjectCallback};
use super::device::Device;
use super::handle::{Base, Handle, Object};
use super::lock;
use crate::error::{Error, Result};

/// A queue, as its context and the events of its commands know it.
pub(crate) trait CommandQueue: fmt::Debug + Send + Sync {
    fn handle(&self) -> Handle;
    fn device(&self) -> &Arc<Device>;
    fn properties(&self) -> cl_command_queue_properties;

    /// Waits for all commands.
    fn wait(&self);

    /// Notes that a command failed on the device.
    fn fail(&self);
}

/// A context: what memory, programs and queues of its devices belong to.
#[derive(Debug)]
pub(crate) struct Context {
    base: Base,
    pub devices: Vec<Arc<Device>>,
    /// As they were passed, with the zero at the end; empty if there were none.
    pub properties: Vec<isize>,
    /// Memory that the program has by pointers.
    pub allocations: Allocations,
    queues: Mutex<Vec<Weak<dyn CommandQueue>>>,
    notify: Option<ContextCallback>,
    destructors: Mutex<Vec<ObjectCallback>>,
    /// Commands that may print, and have not been noticed to have ended.
    pub(super) printing: AtomicUsize,
}

impl Object for Context {
    const INVALID: cl_int = CL_INVALID_CONTEXT;
    const NAME: &'static str = "context";
    fn base(&self) -> &Base {
        &self.base
    }
}

impl Context {
    pub(crate) fn new(
        devices: Vec<Arc<Device>>,
        properties: Vec<isize>,
        notify: Option<ContextCallback>,
    ) -> Self {
        Self {
            base: Base::new(),
            devices,
            properties,
            allocations: Allocations::default(),
            queues: Mutex::default(),
            notify,
            destructors: Mutex::default(),
            printing: AtomicUsize::new(0),
        }
    }

    /// A device's place among the context's, which is that of what it has of objects, too.
    pub(crate) fn place(&self, device: &Arc<Device>) -> Option<usize> {
        self.devices.iter().position(|own| Arc::ptr_eq(own, device))
    }

    /// Tells the program of an error that no call can return, unless it comes of another that was
    /// told.
    pub(crate) fn report(&self, error: &Error) {
        tracing::info!("{error}");
        if error.code != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST {
            self.tell(&error.to_string());
        }
    }

    /// Tells the program, if it wants to be told.
    pub(crate) fn tell(&self, text: &str) {
        if let Some(notify) = &self.notify {
            notify.call(text);
        }
    }

    /// Notes a queue of the context.
    pub(crate) fn add_queue(&self, queue: Weak<dyn CommandQueue>) {
        let mut queues = lock(&self.queues);
        queues.retain(|queue| queue.strong_count() > 0);
        queues.push(queue);
    }

    /// Waits for all commands of all queues.
    pub(crate) fn finish(&self) {
        let queues: Vec<_> = lock(&self.queues)
            .iter()
            .filter_map(Weak::upgrade)
            .collect();
        queues.iter().for_each(|queue| queue.wait());
    }

    /// Calls back once the context goes.
    pub(crate) fn add_destructor(&self, callback: ObjectCallback) {
        lock(&self.destructors).push(callback);
    }

    /// An error unless something of the context `other` is one of this, too.
    pub(crate) fn same(self: &Arc<Self>, other: &Arc<Self>, what: &str) -> Result<()> {
        match Arc::ptr_eq(self, other) {
            true => Ok(()),
            false => Err(Error::new(
                CL_INVALID_CONTEXT,
                format!("{what} belongs to another context"),
            )),
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // "in the reverse order in which they were registered"
        for callback in lock(&self.destructors).drain(..).rev() {
            callback.call(self.base.handle());
        }
    }
}
