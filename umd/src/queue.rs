//! Queues.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kmd_iface::{EngineClass, Fence, KmdError, Priority, QueueDesc, QueueId, Submission};

use crate::deadline::Deadline;
use crate::device::{Device, DeviceInner, kernel as refused};
use crate::error::ArgumentError;
use crate::error::{DeviceError, Error};
use crate::event::{Event, Submitted, UserEvent};
use crate::held::{Held, Pending};
use crate::kernel::Kernel;
use crate::launch::{self, Prepared, QueueMemory, Staging};
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
}

/// Runs commands on a device. In order, unless its options say otherwise.
///
/// Commands that were enqueued go on when the queue is dropped; the last of them to be submitted
/// waits for the device, a minute at most.
#[derive(Debug)]
pub struct Queue {
    inner: Arc<QueueInner>,
}

#[derive(Debug)]
pub(crate) struct QueueInner {
    device: Arc<DeviceInner>,
    id: QueueId,
    options: QueueOptions,
    state: Mutex<QueueState>,
    /// The kernels of copies and fills, loaded when the first one is enqueued.
    pub builtins: Builtins,
}

#[derive(Debug, Default)]
struct QueueState {
    /// Commands that the kernel driver has, oldest first. They keep what the GPU uses.
    in_flight: VecDeque<Event>,
    /// What the next command comes after: the one before it, or the last barrier of a queue out
    /// of order.
    order: Option<Event>,
    /// All commands enqueued whose end was not noticed.
    open: Vec<Event>,
    /// What the first command failed with whose end [`Queue::finish`] has not told yet.
    failed: Option<DeviceError>,
    memory: QueueMemory,
    staging: Staging,
    /// Why the queue takes no more work.
    lost: Option<String>,
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
        let id = device.kmd().create_queue(&QueueDesc {
            engine,
            priority: Priority::Normal,
            address_space: device.registry.space(),
        });
        Ok(Queue {
            inner: Arc::new(QueueInner {
                id: id.map_err(refused("a queue"))?,
                device,
                options,
                state: Mutex::default(),
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

    /// An event that ends once all of `wait_list` have; with an empty list, all commands that the
    /// queue got before.
    ///
    /// # Errors
    /// The queue is lost.
    pub fn marker(&self, wait_list: &[Event]) -> Result<Event, Error> {
        let open;
        let list = if wait_list.is_empty() {
            open = self.inner.usable()?.open.clone();
            &open[..]
        } else {
            wait_list
        };
        self.inner.mark("marker", list)
    }

    /// A [marker](Self::marker) that all commands enqueued later come after.
    ///
    /// # Errors
    /// The queue is lost.
    pub fn barrier(&self, wait_list: &[Event]) -> Result<Event, Error> {
        let event = self.marker(wait_list)?;
        self.inner.lock().order = Some(event.clone());
        Ok(event)
    }

    /// Waits for all commands that the queue has.
    ///
    /// # Errors
    /// [`DeviceError::Timeout`] once the deadline passes; what the first command failed with that
    /// failed since the last call.
    pub fn finish(&self, deadline: impl Into<Deadline>) -> Result<(), Error> {
        self.inner.finish(deadline.into())
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
        self.reap();
        let prepared = {
            let mut state = self.usable()?;
            let QueueState {
                memory, staging, ..
            } = &mut *state;
            launch::prepare(kernel, range, memory, staging)?
        };
        self.enqueue(what, prepared, wait_list)
    }

    /// Enqueues a command that only takes its place in the order.
    pub(crate) fn mark(self: &Arc<Self>, what: &str, wait_list: &[Event]) -> Result<Event, Error> {
        self.reap();
        let prepared = {
            let mut state = self.usable()?;
            launch::marker(&self.device, &mut state.staging)?
        };
        self.enqueue(what.to_owned(), prepared, wait_list)
    }

    fn enqueue(
        self: &Arc<Self>,
        what: String,
        prepared: Prepared,
        wait_list: &[Event],
    ) -> Result<Event, Error> {
        if !wait_list.iter().all(|event| event.is_of(&self.device)) {
            let what = "an event of the wait list";
            return Err(ArgumentError::OtherDevice { what }.into());
        }
        let event = Event::new(&self.device, what);
        let after = {
            let mut state = self.lock();
            state.open.push(event.clone());
            match self.options.out_of_order {
                true => state.order.clone(),
                false => state.order.replace(event.clone()),
            }
        };
        let pending = Pending {
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
        let Pending {
            event,
            prepared,
            dependencies,
            ..
        } = pending;
        if let Some(error) = dependencies.iter().find_map(Event::error) {
            return event.fail(DeviceError::Dependency(Box::new(error)));
        }
        // Batches of one queue run in order anyway.
        let wait: Vec<Fence> = dependencies
            .iter()
            .filter_map(Event::fence)
            .filter(|fence| fence.queue != self.id)
            .collect();
        let submission = Submission {
            batch: prepared.batch(),
            length: prepared.length,
            wait: &wait,
        };
        let mut state = self.lock();
        let at = self.device.clock.now();
        match self.device.kmd().submit(self.id, &submission) {
            Ok(fence) => {
                state.in_flight.push_back(event.clone());
                event.submitted(Submitted {
                    fence,
                    prepared,
                    queue: Arc::downgrade(self),
                    at,
                    dependencies,
                })
            }
            Err(KmdError::QueueLost { report, .. }) => {
                state.lost.get_or_insert_with(|| report.to_string());
                event.fail(DeviceError::Lost(report.to_string()))
            }
            Err(error) => event.fail(refused("a submission")(error)),
        }
    }

    fn finish(&self, deadline: Deadline) -> Result<(), Error> {
        let open = self.lock().open.clone();
        for event in open {
            // What else went wrong is told below.
            if let Err(Error::Device(error @ DeviceError::Timeout { .. })) = event.wait(deadline) {
                return Err(error.into());
            }
        }
        self.reap();
        match self.lock().failed.take() {
            Some(error) => Err(error.into()),
            None => Ok(()),
        }
    }

    /// Forgets commands that have ended, so that their memory can be used again. Looks at the
    /// completion tags: while commands run, there is no system call.
    fn reap(&self) {
        loop {
            let oldest = self.lock().in_flight.front().cloned();
            match oldest {
                Some(event) if event.tag_is_set() && event.has_ended() => {
                    let mut state = self.lock();
                    if state
                        .in_flight
                        .front()
                        .is_some_and(|front| front.is(&event))
                    {
                        state.in_flight.pop_front();
                    }
                }
                _ => break,
            }
        }
        let mut state = self.lock();
        let QueueState { open, failed, .. } = &mut *state;
        open.retain(|event| {
            if let Some(error) = event.error() {
                failed.get_or_insert(error);
            }
            !event.is_settled()
        });
    }

    /// Whether a command is the one that the queue was lost by: the first that did not end.
    pub(crate) fn is_guilty(&self, event: &Event) -> bool {
        let state = self.lock();
        let first = state.in_flight.iter().find(|event| !event.tag_is_set());
        first.is_none_or(|first| first.is(event))
    }

    /// The queue takes no more work.
    pub(crate) fn lose(&self, why: String) {
        self.lock().lost.get_or_insert(why);
    }

    /// The state, if the queue takes work.
    fn usable(&self) -> Result<MutexGuard<'_, QueueState>, DeviceError> {
        let state = self.lock();
        match &state.lost {
            Some(why) => Err(DeviceError::Lost(why.clone())),
            None => Ok(state),
        }
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for QueueInner {
    fn drop(&mut self) {
        let deadline = Deadline::after(DRAIN);
        for event in std::mem::take(&mut self.lock().in_flight) {
            if let Err(error) = event.wait(deadline) {
                tracing::debug!("dropping a queue: {error}");
            }
        }
        if let Err(error) = self.device.kmd().destroy_queue(self.id) {
            tracing::warn!("destroying {}: {error}", self.id);
        }
    }
}
