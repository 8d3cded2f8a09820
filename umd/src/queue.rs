//! Queues.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use batchbuffer::Engine;
use kmd_iface::{EngineClass, Fence, KmdError, Priority, QueueDesc, Seqno};

use crate::command::Command;
use crate::deadline::Deadline;
use crate::device::{Device, DeviceInner};
use crate::error::ArgumentError;
use crate::error::{DeviceError, Error, refused};
use crate::event::{Event, Label, UserEvent};
use crate::held::{After, Held, Pending, Submit, advance};
use crate::kernel::{Arg, Kernel};
use crate::launch::{Maker, Work};
use crate::ledger::{HandOver as _, Ledger, Order};
use crate::outbox::{Outbox, Unsubmitted};
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
    /// Whether the GPU reads short commands from a ring in memory, so that most submissions are no
    /// call into the kernel: for a GPU that others do not share. While it waits for more of them, a
    /// millisecond or two, its engine does nothing else. `INTEL_GPU_RING=1` in the environment asks
    /// for it, too. A device that does not [share memory](kmd_iface::DeviceDescription::shares_memory)
    /// has none.
    pub ring: bool,
}

/// Runs commands on a device. In order, unless its options say otherwise.
///
/// Commands that come while the device has others may be handed over together: about a millisecond
/// later, or when somebody waits for one of them, looks at it or calls [`Queue::flush`].
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
    outbox: Arc<Outbox>,
    options: QueueOptions,
    /// When dropping it stops to wait, if that was said.
    drain: Mutex<Option<Deadline>>,
    /// The kernels of copies and fills, loaded when the first one is enqueued.
    builtins: Builtins,
}

/// Whether the environment asks for [rings](QueueOptions::ring).
fn wants_rings() -> bool {
    std::env::var_os("INTEL_GPU_RING").is_some_and(|value| value == "1")
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
        let maker = Maker::new(&device)?;
        // A ring is read while the engine works.
        let has_ring = (options.ring || wants_rings()) && description.shares_memory;
        let maker = match has_ring {
            true => maker.with_ring(&device)?,
            false => maker,
        };
        let id = device.kmd().create_queue(&QueueDesc {
            engine,
            priority: Priority::Normal,
            address_space: device.registry.space(),
        });
        let id = id.map_err(refused("a queue"))?;
        let keeps = options.keep_batches;
        Ok(Queue {
            inner: Arc::new(QueueInner {
                outbox: Outbox::new(device, id, (streamer, keeps), maker),
                options,
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
    /// Enqueues a command, after the events of `wait_list`.
    ///
    /// # Errors
    /// The command is of another device; the queue is lost.
    pub fn run(&self, command: &Command, wait_list: &[Event]) -> Result<Event, Error> {
        self.inner.run(command, wait_list)
    }

    /// Runs a kernel over `range`, after the events of `wait_list`. The arguments are those set
    /// now; later changes do not matter.
    ///
    /// # Errors
    /// As [`Command::kernel`] and [`run`](Self::run).
    pub fn enqueue(
        &self,
        kernel: &Kernel,
        range: &NdRange,
        wait_list: &[Event],
    ) -> Result<Event, Error> {
        let command = Command::kernel(kernel, range)?;
        self.inner.run_once(command, wait_list)
    }

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

    /// Hands over all commands that wait for no event of this process.
    pub fn flush(&self) {
        let deadline = Deadline::after(Deadline::LONGEST);
        self.inner.outbox.flush(deadline);
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
        Ok(self
            .inner
            .ledger()
            .start_waiter(self.inner.device().kmd())?)
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
        &self.outbox.device
    }

    fn ledger(&self) -> &Arc<Ledger> {
        &self.outbox.ledger
    }

    /// Enqueues a command.
    pub(crate) fn run(
        self: &Arc<Self>,
        command: &Command,
        wait_list: &[Event],
    ) -> Result<Event, Error> {
        self.run_once(command.clone(), wait_list)
    }

    /// Enqueues a command that is not needed any more.
    pub(crate) fn run_once(
        self: &Arc<Self>,
        command: Command,
        wait_list: &[Event],
    ) -> Result<Event, Error> {
        command.check_device(self.device())?;
        let Command { label, work, .. } = command;
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

    /// A command that runs one of the kernels that copy and fill.
    pub(crate) fn transfer(
        &self,
        name: (&'static str, &str),
        args: &[Arg<'_>],
        items: [u64; 3],
    ) -> Result<Command, Error> {
        self.builtins.command(self.device(), name, args, items)
    }

    fn enqueue(
        self: &Arc<Self>,
        label: Label,
        work: Work,
        wait_list: &[Event],
        (place, barrier): (Order, bool),
    ) -> Result<Event, Error> {
        let (device, ledger) = (self.device(), self.ledger());
        if !wait_list.iter().all(|event| event.is_of(device)) {
            let what = "an event of the wait list";
            return Err(ArgumentError::OtherDevice { what }.into());
        }
        let now = device.clock.now();
        ledger.reap_now_and_then(device.kmd().as_ref(), now);
        ledger.usable()?;
        let event = Event::new(device, label, Some(ledger.clone()), now);
        let mut pending = Pending {
            number: None,
            event: event.clone(),
            enqueued: Some(now),
            work,
            dependencies: wait_list.to_vec(),
            after: After::default(),
        };
        // The usual case: it need not be held.
        if !wait_list.iter().any(Event::is_waiting) && !ledger.holds() {
            advance(self.submit(pending));
            return Ok(event);
        }
        let out_of_order = self.options.out_of_order;
        let (number, after) = ledger.enter(&event, out_of_order, place, barrier);
        (pending.number, pending.after) = (Some(number), after);
        // It may take its time.
        pending.enqueued = None;
        Held::start(self.clone(), pending);
        Ok(event)
    }

    /// Waits until the oldest command has ended, and gives its part of the heap back.
    fn wait_for_room(&self, event: &Event) -> Result<(), DeviceError> {
        let Some(fence) = self.ledger().oldest_fence() else {
            return Ok(());
        };
        let deadline = Deadline::after(Deadline::LONGEST);
        self.outbox.hand_over(fence.seqno, deadline);
        if !self.ledger().has_handed_over(fence.seqno) {
            // It failed, and is there no more.
            return Ok(());
        }
        let outcome = self.device().kmd().wait(fence, deadline.instant());
        if let Err(KmdError::DeadlineExceeded { .. }) = outcome {
            return Err(event.timeout(Deadline::LONGEST));
        }
        self.ledger().notice(fence, &outcome);
        Ok(())
    }

    fn finish(&self, deadline: Deadline) -> Result<(), Error> {
        let asked = deadline.remaining();
        let (in_flight, held) = self.ledger().open();
        // The last one first: batches end in order, so there is nothing to wait for in the others.
        for event in in_flight.iter().rev().chain(&held) {
            // What else went wrong is told below.
            if let Err(Error::Device(DeviceError::Timeout { .. })) = event.wait(deadline) {
                let mut all = in_flight.iter().chain(&held);
                let first = all.find(|event| !event.has_ended()).unwrap_or(event);
                return Err(first.timeout(asked).into());
            }
        }
        match self.ledger().take_failed() {
            Some(error) => Err(error.into()),
            None => Ok(()),
        }
    }
}

impl Submit for QueueInner {
    fn submit(&self, mut pending: Pending) -> Vec<Arc<Held>> {
        let error = loop {
            for event in &pending.dependencies {
                event.hand_over(self.outbox.id);
            }
            if let Some(error) = pending.dependencies.iter().find_map(Event::error) {
                break DeviceError::of_dependency(error);
            }
            match self.outbox.put(&mut pending) {
                Ok(released) => return released,
                Err(Unsubmitted::Again) => continue,
                Err(Unsubmitted::Full) => {}
                Err(Unsubmitted::Failed(error)) => break error,
            }
            if let Err(error) = self.wait_for_room(&pending.event) {
                break error;
            }
        };
        self.ledger().refused(pending.number, &error);
        pending.event.fail(error)
    }
}

impl Drop for QueueInner {
    fn drop(&mut self) {
        let drain = *self.drain.get_mut().unwrap_or_else(PoisonError::into_inner);
        let deadline = drain.unwrap_or_else(|| Deadline::after(DRAIN));
        let (device, ledger) = (self.device(), self.ledger());
        self.outbox.flush(deadline);
        if let Some(last) = ledger.last()
            && let Err(error) = last.wait(deadline)
        {
            tracing::debug!("dropping a queue: {error}");
        }
        // A command's end is known before the GPU has read what follows it: the end of its batch, or of
        // the ring. The kernel driver knows when that is read.
        let queue = self.outbox.id;
        let read = ledger.last_handed_over().map_or(Ok(()), |seqno| {
            let fence = Fence { queue, seqno };
            device.kmd().wait(fence, deadline.instant())
        });
        if let Err(error) = read {
            tracing::debug!("dropping a queue: {error}");
        }
        // The GPU stops before anything that it uses goes.
        ledger.release();
        let id = self.outbox.id;
        if let Err(error) = device.kmd().destroy_queue(id) {
            tracing::warn!("destroying {id}: {error}");
        }
        let gone = Err(KmdError::NoSuchQueue(id));
        ledger.ended(Seqno::new(u64::MAX), &gone);
    }
}

#[cfg(all(test, feature = "softgpu"))]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panics")]

    use std::sync::mpsc::channel;

    use super::*;
    use crate::DeviceSpec;
    use crate::event::Submitted;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn an_end_before_the_event_knows_of_its_submission_is_not_lost() {
        let device = Device::open(&DeviceSpec::soft("tgl")).unwrap();
        let queue = device.queue(QueueOptions::default()).unwrap();
        let (device, outbox) = (device.inner(), &queue.inner().outbox);
        let (kmd, ledger) = (device.kmd(), &outbox.ledger);
        let now = device.clock.now();
        let event = Event::new(device, Label::Command("marker"), Some(ledger.clone()), now);
        let (number, _) = ledger.enter(&event, false, Order::Next, false);
        let (send, calls) = channel();
        let call = move |outcome: Result<(), Error>| send.send(outcome.is_ok()).unwrap();
        event.on_complete(call).unwrap();
        let mut maker = outbox.maker();
        let made = maker.make(device, &Work::Marker, ledger.places(), false);
        let made = made.ok().unwrap();
        drop(maker);
        let fence = Fence {
            queue: outbox.id,
            seqno: ledger.next_seqno(),
        };
        let submitted = Arc::new(Submitted {
            fence,
            prepared: made.prepared,
            ledger: ledger.clone(),
            at: device.clock.now(),
            clocks: None,
            dependencies: Vec::new(),
        });
        ledger.submitted(Some(number), &event, (&submitted, made.places));
        queue.flush();
        // It ends, and another thread enqueues, before the event is told.
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
