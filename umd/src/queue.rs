//! Queues.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use batchbuffer::Engine;
use kmd_iface::{EngineClass, Fence, KmdError, Priority, QueueDesc, QueueId, Seqno, Submission};

use crate::deadline::Deadline;
use crate::device::{Device, DeviceInner, kernel as refused};
use crate::error::ArgumentError;
use crate::error::{DeviceError, Error};
use crate::event::{CommandBatch, Event, Submitted, UserEvent};
use crate::held::{Held, Pending};
use crate::kernel::Kernel;
use crate::launch::{self, Prepared, QueueMemory, Staging};
use crate::ledger::{Ledger, Place};
use crate::range::NdRange;
use crate::transfer::Builtins;

/// How long dropping a queue waits for what the device has of it.
const DRAIN: Duration = Duration::from_secs(60);

/// How a queue behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueOptions {
    /// Whether commands may run in another order than they were enqueued in; only their wait
    /// lists hold them then.
    pub out_of_order: bool,
    /// Whether events keep the batches of their commands, for [`Event::batch`].
    pub keep_batches: bool,
}

/// Runs commands on a device. In order, unless its options say otherwise.
///
/// Dropping it waits for the commands that the device has, a minute at most; then those that have
/// not ended are abandoned, and their events fail. [`Queue::release`] waits for another time.
/// Commands that events hold back go on when those are set; whoever sets them waits in its place
/// then.
#[derive(Debug)]
pub struct Queue {
    inner: Arc<QueueInner>,
}

#[derive(Debug)]
pub(crate) struct QueueInner {
    device: Arc<DeviceInner>,
    id: QueueId,
    engine: Engine,
    options: QueueOptions,
    /// The order of locks is in the documentation of the ledger.
    ledger: Arc<Ledger>,
    making: Mutex<Making>,
    submitting: Mutex<()>,
    /// When dropping it stops to wait, if that was said.
    drain: Mutex<Option<Deadline>>,
    /// The kernels of copies and fills, loaded when the first one is enqueued.
    pub builtins: Builtins,
}

/// What commands are made with.
#[derive(Debug, Default)]
struct Making {
    memory: QueueMemory,
    staging: Staging,
}

impl Device {
    /// A queue.
    ///
    /// # Errors
    /// The kernel driver refuses.
    pub fn queue(&self, options: QueueOptions) -> Result<Queue, Error> {
        let device = self.inner().clone();
        let description = device.kmd().description();
        let engine = [EngineClass::Render, EngineClass::Compute]
            .into_iter()
            .find(|&class| description.engine(class).is_some())
            .ok_or_else(|| DeviceError::Unsupported {
                what: "a queue",
                platform: device.platform().name.to_owned(),
                why: "the kernel driver lists no render or compute engine".to_owned(),
            })?;
        let streamer = match engine {
            EngineClass::Compute => Engine::Compute,
            _ => Engine::Render,
        };
        let id = device.kmd().create_queue(&QueueDesc {
            engine,
            priority: Priority::Normal,
            address_space: device.registry.space(),
        });
        Ok(Queue {
            inner: Arc::new(QueueInner {
                id: id.map_err(refused("a queue"))?,
                device,
                engine: streamer,
                options,
                ledger: Arc::default(),
                making: Mutex::default(),
                submitting: Mutex::default(),
                drain: Mutex::default(),
                builtins: Builtins::default(),
            }),
        })
    }

    /// An event for wait lists that this process sets.
    pub fn user_event(&self) -> UserEvent {
        UserEvent::new(self.inner())
    }
}

impl Queue {
    /// Runs a kernel over `range`, after the events of `wait_list`. The arguments are those set
    /// now; later changes do not matter.
    ///
    /// # Errors
    /// An argument that is not set; a range that the kernel or the device cannot run; the queue
    /// is lost.
    pub fn enqueue(
        &self,
        kernel: &Kernel,
        range: &NdRange,
        wait_list: &[Event],
    ) -> Result<Event, Error> {
        let what = format!("kernel {}", kernel.info().name);
        self.inner.launch(what, kernel, range, wait_list)
    }

    /// An event that ends once all of `wait_list` have, and fails if one of them does; with an
    /// empty list, once all commands that the queue got before have ended, well or not.
    ///
    /// # Errors
    /// The queue is lost.
    pub fn marker(&self, wait_list: &[Event]) -> Result<Event, Error> {
        let place = Place::of_marker(wait_list);
        self.inner.mark("marker", wait_list, (place, false))
    }

    /// A [marker](Self::marker) that all commands enqueued later come after.
    ///
    /// # Errors
    /// The queue is lost.
    pub fn barrier(&self, wait_list: &[Event]) -> Result<Event, Error> {
        let place = Place::of_marker(wait_list);
        self.inner.mark("barrier", wait_list, (place, true))
    }

    /// Waits for all commands that the queue has.
    ///
    /// # Errors
    /// [`DeviceError::Timeout`] once the deadline passes; what the first command failed with that
    /// failed since the last call, and if the queue was lost, what the command did that it was
    /// lost by.
    pub fn finish(&self, deadline: impl Into<Deadline>) -> Result<(), Error> {
        self.inner.finish(deadline.into())
    }

    /// Drops the queue, but waits for its commands until `deadline` only.
    pub fn release(self, deadline: impl Into<Deadline>) {
        let drain = self.inner.drain.lock();
        *drain.unwrap_or_else(PoisonError::into_inner) = Some(deadline.into());
    }

    pub(crate) fn inner(&self) -> &Arc<QueueInner> {
        &self.inner
    }
}

impl QueueInner {
    pub(crate) fn device(&self) -> &Arc<DeviceInner> {
        &self.device
    }

    /// Enqueues a kernel; `what` is the command's name in messages.
    pub(crate) fn launch(
        self: &Arc<Self>,
        what: String,
        kernel: &Kernel,
        range: &NdRange,
        wait_list: &[Event],
    ) -> Result<Event, Error> {
        if !Arc::ptr_eq(&kernel.program().device, &self.device) {
            return Err(ArgumentError::OtherDevice { what: "the kernel" }.into());
        }
        let prepared = {
            let mut making = self.make()?;
            let Making { memory, staging } = &mut *making;
            launch::prepare(kernel, range, memory, staging)?
        };
        self.enqueue(what, prepared, wait_list, (Place::Next, false))
    }

    /// Enqueues a command that only takes its place in the order; whether it is a barrier comes
    /// with the place.
    pub(crate) fn mark(
        self: &Arc<Self>,
        what: &str,
        wait_list: &[Event],
        place: (Place, bool),
    ) -> Result<Event, Error> {
        let prepared = launch::marker(&self.device, &mut self.make()?.staging)?;
        self.enqueue(what.to_owned(), prepared, wait_list, place)
    }

    /// What to make a command with, if the queue takes one.
    fn make(&self) -> Result<MutexGuard<'_, Making>, DeviceError> {
        self.ledger.reap(self.device.kmd().as_ref());
        self.ledger.usable()?;
        Ok(self.making.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn enqueue(
        self: &Arc<Self>,
        what: String,
        prepared: Prepared,
        wait_list: &[Event],
        (place, barrier): (Place, bool),
    ) -> Result<Event, Error> {
        if !wait_list.iter().all(|event| event.is_of(&self.device)) {
            let what = "an event of the wait list";
            return Err(ArgumentError::OtherDevice { what }.into());
        }
        let batch = self.options.keep_batches.then(|| CommandBatch {
            engine: self.engine,
            address: prepared.batch(),
            dwords: prepared.dwords(),
        });
        let event = Event::new(&self.device, what, batch);
        let out_of_order = self.options.out_of_order;
        let (number, after) = self.ledger.enter(&event, out_of_order, place, barrier);
        let pending = Pending {
            number,
            event: event.clone(),
            prepared,
            dependencies: wait_list.to_vec(),
            after,
        };
        Held::start(self, pending);
        Ok(event)
    }

    /// Hands a command to the kernel driver: what it waits for is there already, or has ended.
    /// Gives the commands that can go on now.
    pub(crate) fn submit(self: &Arc<Self>, pending: Pending) -> Vec<Arc<Held>> {
        let failed = |pending: &Pending, error: DeviceError| {
            self.ledger.refused(pending.number, &error);
            pending.event.fail(error)
        };
        if let Some(error) = pending.dependencies.iter().find_map(Event::error) {
            return failed(&pending, DeviceError::Dependency(Box::new(error)));
        }
        // Batches of one queue run in order anyway.
        let wait: Vec<Fence> = pending
            .dependencies
            .iter()
            .filter_map(Event::fence)
            .filter(|fence| fence.queue != self.id)
            .collect();
        let submission = Submission {
            batch: pending.prepared.batch(),
            length: pending.prepared.length,
            wait: &wait,
        };
        let turn = self.submitting.lock();
        let _turn = turn.unwrap_or_else(PoisonError::into_inner);
        if let Some(end) = self.ledger.end() {
            return failed(&pending, end.error());
        }
        let at = self.device.clock.now();
        let clocks = self.device.clock.pair(self.device.kmd().as_ref());
        match self.device.kmd().submit(self.id, &submission) {
            Ok(fence) => {
                let Pending {
                    number,
                    event,
                    prepared,
                    dependencies,
                    ..
                } = pending;
                let submitted = Arc::new(Submitted {
                    fence,
                    prepared,
                    ledger: self.ledger.clone(),
                    at,
                    clocks,
                    dependencies,
                });
                // Before anybody can see that it was submitted: a command that is seen has all
                // before it in the ledger.
                self.ledger.submitted(number, &event, &submitted);
                event.submitted(submitted)
            }
            Err(KmdError::QueueLost { report, .. }) => {
                failed(&pending, self.ledger.lose(&report).error())
            }
            Err(error) => failed(&pending, refused("a submission")(error)),
        }
    }

    fn finish(&self, deadline: Deadline) -> Result<(), Error> {
        let asked = deadline.remaining();
        let (in_flight, held) = self.ledger.open();
        // The last one first: batches end in order, so there is nothing to wait for in the others.
        for event in in_flight.iter().rev().chain(&held) {
            // What else went wrong is told below.
            if let Err(Error::Device(DeviceError::Timeout { .. })) = event.wait(deadline) {
                let mut all = in_flight.iter().chain(&held);
                let first = all.find(|event| !event.has_ended()).unwrap_or(event);
                return Err(first.timeout(asked).into());
            }
        }
        match self.ledger.take_failed() {
            Some(error) => Err(error.into()),
            None => Ok(()),
        }
    }
}

impl Drop for QueueInner {
    fn drop(&mut self) {
        let drain = *self.drain.get_mut().unwrap_or_else(PoisonError::into_inner);
        let deadline = drain.unwrap_or_else(|| Deadline::after(DRAIN));
        if let Some(last) = self.ledger.last()
            && let Err(error) = last.wait(deadline)
        {
            tracing::debug!("dropping a queue: {error}");
        }
        // The GPU stops before anything that it uses goes.
        self.ledger.release();
        if let Err(error) = self.device.kmd().destroy_queue(self.id) {
            tracing::warn!("destroying {}: {error}", self.id);
        }
        let gone = Err(KmdError::NoSuchQueue(self.id));
        self.ledger.ended(Seqno::new(u64::MAX), &gone);
    }
}
