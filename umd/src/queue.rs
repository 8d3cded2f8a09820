//! Queues.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kmd_iface::{EngineClass, Fence, KmdError, Priority, QueueDesc, QueueId, Submission};

use crate::deadline::Deadline;
use crate::device::{Device, DeviceInner, kernel as refused};
use crate::error::{DeviceError, Error};
use crate::event::{Event, Submitted};
use crate::kernel::Kernel;
use crate::launch::{self, Prepared, QueueMemory};
use crate::range::NdRange;
use crate::worker::{HostWork, Pending, Work, Worker};

/// How long dropping a queue waits for its work.
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
/// Dropping a queue waits for its work, a minute at most.
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
    worker: Worker,
}

#[derive(Debug, Default)]
struct QueueState {
    /// Commands that the kernel driver has, oldest first. They keep what the GPU uses.
    in_flight: VecDeque<Event>,
    /// The command enqueued last.
    last: Option<Event>,
    /// All commands enqueued that may not have ended.
    open: Vec<Event>,
    memory: QueueMemory,
    /// The commands of the batch being made; kept for its capacity.
    words: Vec<u32>,
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
                worker: Worker::default(),
            }),
        })
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
        if !Arc::ptr_eq(&kernel.program().device, &self.inner.device) {
            return Err(crate::ArgumentError::OtherDevice { what: "the kernel" }.into());
        }
        let prepared = {
            let mut state = self.inner.usable()?;
            let QueueState { memory, words, .. } = &mut *state;
            launch::prepare(kernel, range, memory, words)?
        };
        let what = format!("kernel {}", kernel.info().name);
        self.inner.enqueue(what, Work::Kernel(prepared), wait_list)
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
        self.host("marker", Box::new(|| Ok(())), list)
    }

    /// Waits for all commands that the queue has.
    ///
    /// # Errors
    /// As [`Event::wait`], of the first command that failed.
    pub fn finish(&self, deadline: impl Into<Deadline>) -> Result<(), Error> {
        self.inner.finish(deadline.into())
    }

    /// Enqueues work that this process does itself.
    pub(crate) fn host(
        &self,
        what: &str,
        work: HostWork,
        wait_list: &[Event],
    ) -> Result<Event, Error> {
        drop(self.inner.usable()?);
        let what = what.to_owned();
        self.inner.enqueue(what, Work::Host(work), wait_list)
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        if let Err(error) = self.inner.finish(Deadline::after(DRAIN)) {
            tracing::debug!("dropping a queue: {error}");
        }
    }
}

impl QueueInner {
    pub(crate) fn worker(&self) -> &Worker {
        &self.worker
    }

    fn enqueue(
        self: &Arc<Self>,
        what: String,
        work: Work,
        wait_list: &[Event],
    ) -> Result<Event, Error> {
        let event = Event::new(&self.device, what);
        self.reap();
        let mut state = self.lock();
        let mut dependencies: Vec<Event> = wait_list.to_vec();
        if !self.options.out_of_order {
            dependencies.extend(state.last.replace(event.clone()));
        }
        state.open.push(event.clone());
        drop(state);
        let pending = Pending {
            event: event.clone(),
            work,
            dependencies,
        };
        // What the kernel driver can order itself goes there at once; everything else waits
        // in this process. An in-order queue keeps its order also then.
        if self.worker.is_idle_or(self.options.out_of_order) && self.can_go(&pending) {
            self.run(pending);
        } else {
            self.worker.push(self, pending);
        }
        Ok(event)
    }

    /// Whether nothing has to be waited for in this process.
    fn can_go(&self, pending: &Pending) -> bool {
        let is_kernel = matches!(pending.work, Work::Kernel(_));
        pending
            .dependencies
            .iter()
            .all(|event| event.has_ended() || (is_kernel && event.fence().is_some()))
    }

    /// Runs a command whose dependencies have ended, or are with the kernel driver.
    pub(crate) fn run(self: &Arc<Self>, pending: Pending) {
        let Pending {
            event,
            work,
            dependencies,
        } = pending;
        if let Some(error) = dependencies.iter().find_map(Event::error) {
            return event.fail(DeviceError::Dependency(Box::new(error)));
        }
        match work {
            Work::Host(work) => {
                let started = self.device.clock.now();
                match work() {
                    Ok(()) => event.complete(started, started),
                    Err(Error::Device(error)) => event.fail(error),
                    Err(error) => event.fail(DeviceError::Kernel {
                        what: "a copy",
                        why: error.to_string(),
                    }),
                }
            }
            Work::Kernel(prepared) => self.submit(event, prepared, dependencies),
        }
    }

    fn submit(self: &Arc<Self>, event: Event, prepared: Prepared, dependencies: Vec<Event>) {
        let now = self.device.clock.now();
        let Some(batch) = prepared.batch() else {
            // An empty index space: it ends when what it waits for has.
            return event.complete(now, now);
        };
        // Batches of one queue run in order anyway.
        let wait: Vec<Fence> = dependencies
            .iter()
            .filter_map(Event::fence)
            .filter(|fence| fence.queue != self.id)
            .collect();
        let submission = Submission {
            batch,
            length: prepared.length,
            wait: &wait,
        };
        let mut state = self.lock();
        match self.device.kmd().submit(self.id, &submission) {
            Ok(fence) => {
                event.submitted(Submitted {
                    fence,
                    prepared,
                    queue: Arc::downgrade(self),
                    at: now,
                    dependencies,
                });
                state.in_flight.push_back(event);
            }
            Err(KmdError::QueueLost { report, .. }) => {
                state.lost.get_or_insert_with(|| report.to_string());
                event.fail(DeviceError::Lost(report.to_string()));
            }
            Err(error) => event.fail(refused("a submission")(error)),
        }
    }

    fn finish(&self, deadline: Deadline) -> Result<(), Error> {
        let open = self.lock().open.clone();
        let mut outcome = Ok(());
        for event in open {
            if let Err(error) = event.wait(deadline)
                && outcome.is_ok()
            {
                outcome = Err(error);
            }
        }
        self.reap();
        outcome
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
        self.lock().open.retain(|event| !event.is_settled());
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
        if let Err(error) = self.device.kmd().destroy_queue(self.id) {
            tracing::warn!("destroying {}: {error}", self.id);
        }
    }
}
