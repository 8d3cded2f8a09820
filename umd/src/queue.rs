//! Queues.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use batchbuffer::Engine;
use kmd_iface::{EngineClass, Fence, KmdError, Priority, QueueDesc, QueueId, Seqno, Submission};

use crate::command::Command;
use crate::deadline::Deadline;
use crate::device::{Device, DeviceInner, kernel as refused};
use crate::error::ArgumentError;
use crate::error::{DeviceError, Error};
use crate::event::{CommandBatch, Event, Label, Submitted, UserEvent};
use crate::held::{Held, Pending};
use crate::launch::{MakeError, Maker, Work};
use crate::ledger::{Ledger, Order};
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
    maker: Mutex<Maker>,
    /// When dropping it stops to wait, if that was said.
    drain: Mutex<Option<Deadline>>,
    /// The kernels of copies and fills, loaded when the first one is enqueued.
    pub builtins: Builtins,
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
        let maker = Mutex::new(Maker::new(&device)?);
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
                maker,
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
    /// An event that ends once all of `wait_list` have, and fails if one of them does; with an
    /// empty list, once all commands that the queue got before have ended, well or not.
    ///
    /// # Errors
    /// The queue is lost.
    pub fn marker(&self, wait_list: &[Event]) -> Result<Event, Error> {
        let place = Order::of_marker(wait_list);
        self.inner.mark("marker", wait_list, (place, false))
    }

    /// A [marker](Self::marker) that all commands enqueued later come after.
    ///
    /// # Errors
    /// The queue is lost.
    pub fn barrier(&self, wait_list: &[Event]) -> Result<Event, Error> {
        let place = Order::of_marker(wait_list);
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

    /// Starts the thread that calls callbacks back, which the first
    /// [callback](Event::on_complete) does otherwise.
    ///
    /// # Errors
    /// There can be no more threads.
    pub fn start_callbacks(&self) -> Result<(), Error> {
        Ok(self.inner.ledger.start_waiter(self.inner.device.kmd())?)
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

    /// Enqueues a command.
    pub(crate) fn run(
        self: &Arc<Self>,
        command: &Command,
        wait_list: &[Event],
    ) -> Result<Event, Error> {
        command.check_device(&self.device)?;
        let (label, work) = (command.label.clone(), command.work.clone());
        self.enqueue(label, work, wait_list, (Order::Next, false))
    }

    /// Enqueues a command that only takes its place in the order; whether it is a barrier comes
    /// with the place.
    pub(crate) fn mark(
        self: &Arc<Self>,
        what: &'static str,
        wait_list: &[Event],
        place: (Order, bool),
    ) -> Result<Event, Error> {
        self.enqueue(Label::Command(what), Work::Marker, wait_list, place)
    }

    fn enqueue(
        self: &Arc<Self>,
        label: Label,
        work: Work,
        wait_list: &[Event],
        (place, barrier): (Order, bool),
    ) -> Result<Event, Error> {
        if !wait_list.iter().all(|event| event.is_of(&self.device)) {
            let what = "an event of the wait list";
            return Err(ArgumentError::OtherDevice { what }.into());
        }
        self.ledger.reap(self.device.kmd().as_ref());
        self.ledger.usable()?;
        let event = Event::new(&self.device, label, Some(self.ledger.clone()));
        let out_of_order = self.options.out_of_order;
        let (number, after) = self.ledger.enter(&event, out_of_order, place, barrier);
        let pending = Pending {
            number,
            event: event.clone(),
            work,
            dependencies: wait_list.to_vec(),
            after,
        };
        Held::start(self, pending);
        Ok(event)
    }

    /// Hands a command to the kernel driver: what it waits for is there already, or has ended.
    /// Gives the commands that can go on now.
    pub(crate) fn submit(self: &Arc<Self>, mut pending: Pending) -> Vec<Arc<Held>> {
        let error = loop {
            if let Some(error) = pending.dependencies.iter().find_map(Event::error) {
                break DeviceError::Dependency(Box::new(error));
            }
            match self.try_submit(&mut pending) {
                Ok(released) => return released,
                Err(Unsubmitted::Full) => {}
                Err(Unsubmitted::Failed(error)) => break error,
            }
            if let Err(error) = self.wait_for_room(&pending.event) {
                break error;
            }
        };
        self.ledger.refused(pending.number, &error);
        pending.event.fail(error)
    }

    fn try_submit(&self, pending: &mut Pending) -> Result<Vec<Arc<Held>>, Unsubmitted> {
        // Batches of one queue run in order anyway.
        let fences = pending.dependencies.iter().filter_map(Event::fence);
        let wait: Vec<Fence> = fences.filter(|fence| fence.queue != self.id).collect();
        let kmd = self.device.kmd();
        let mut maker = self.maker.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(end) = self.ledger.end() {
            return Err(Unsubmitted::Failed(end.error()));
        }
        let at = self.device.clock.now();
        let clocks = self.device.clock.pair(kmd.as_ref());
        let submit = |address, words: &[u32]| {
            if self.options.keep_batches {
                pending.event.keep_batch(CommandBatch {
                    engine: self.engine,
                    address,
                    dwords: words.to_vec(),
                });
            }
            let submission = Submission {
                batch: address,
                length: words.len() as u64 * 4,
                wait: &wait,
            };
            kmd.submit(self.id, &submission)
        };
        let made = maker.make(&self.device, &pending.work, self.ledger.places(), submit);
        let made = match made {
            Ok(made) => made,
            Err(MakeError::Full) => return Err(Unsubmitted::Full),
            Err(MakeError::Failed(error)) => {
                return Err(Unsubmitted::Failed(match error {
                    Error::Device(error) => error,
                    error => DeviceError::Unmade(Box::new(error)),
                }));
            }
            Err(MakeError::Refused(KmdError::QueueLost { report, .. })) => {
                return Err(Unsubmitted::Failed(self.ledger.lose(&report).error()));
            }
            Err(MakeError::Refused(error)) => {
                return Err(Unsubmitted::Failed(refused("a submission")(error)));
            }
        };
        let submitted = Arc::new(Submitted {
            fence: made.fence,
            prepared: made.prepared,
            ledger: self.ledger.clone(),
            at,
            clocks,
            dependencies: std::mem::take(&mut pending.dependencies),
        });
        // Before anybody can see that it was submitted: a command that is seen has all before it in
        // the ledger.
        let flight = (&submitted, made.places);
        self.ledger
            .submitted(pending.number, &pending.event, flight);
        Ok(pending.event.submitted(submitted))
    }

    /// Waits until the oldest command has ended, and gives its part of the heap back.
    fn wait_for_room(&self, event: &Event) -> Result<(), DeviceError> {
        let Some(fence) = self.ledger.oldest_fence() else {
            return Ok(());
        };
        let outcome = self
            .device
            .kmd()
            .wait(fence, Deadline::after(Deadline::LONGEST).instant());
        if let Err(KmdError::DeadlineExceeded { .. }) = outcome {
            return Err(event.timeout(Deadline::LONGEST));
        }
        self.ledger.notice(fence, &outcome);
        Ok(())
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

/// A command that the kernel driver does not have.
enum Unsubmitted {
    /// There is no room for it before older ones have ended.
    Full,
    Failed(DeviceError),
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

#[cfg(all(test, feature = "softgpu"))]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panics")]

    use std::sync::mpsc::channel;

    use super::*;
    use crate::DeviceSpec;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn an_end_before_the_event_knows_of_its_submission_is_not_lost() {
        let device = Device::open(&DeviceSpec::soft("tgl")).unwrap();
        let queue = device.queue(QueueOptions::default()).unwrap();
        let (device, queue) = (device.inner(), queue.inner());
        let (kmd, ledger) = (device.kmd(), &queue.ledger);
        let event = Event::new(device, Label::Command("marker"), Some(ledger.clone()));
        let (number, _) = ledger.enter(&event, false, Order::Next, false);
        let (send, calls) = channel();
        let call = move |outcome: Result<(), Error>| send.send(outcome.is_ok()).unwrap();
        event.on_complete(call).unwrap();
        let submit = |batch, words: &[u32]| {
            let submission = Submission {
                batch,
                length: words.len() as u64 * 4,
                wait: &[],
            };
            kmd.submit(queue.id, &submission)
        };
        let mut maker = queue.maker.lock().unwrap();
        let made = maker.make(device, &Work::Marker, ledger.places(), submit);
        let made = made.ok().unwrap();
        let submitted = Arc::new(Submitted {
            fence: made.fence,
            prepared: made.prepared,
            ledger: ledger.clone(),
            at: device.clock.now(),
            clocks: None,
            dependencies: Vec::new(),
        });
        ledger.submitted(number, &event, (&submitted, made.places));
        // It ends, and another thread enqueues, before the event is told.
        let fence = submitted.fence;
        kmd.wait(fence, Deadline::after(LONG).instant()).unwrap();
        ledger.reap(kmd.as_ref());
        assert_eq!(
            ledger.oldest_fence().map(|oldest| oldest.seqno),
            Some(fence.seqno)
        );
        assert!(event.submitted(submitted).is_empty());
        assert!(calls.recv_timeout(LONG).unwrap());
    }
}
