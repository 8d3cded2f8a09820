//! What a queue hands to the kernel driver.
//!
//! A call into the kernel takes longer than a small kernel runs. So commands that come while the
//! device has work are made, but left in an open batch, and handed over together: when enough of
//! them are there, when the device has little left to do, when somebody waits for one of them or
//! looks at it, or a moment later by the [flusher](crate::flusher).
//!
//! A queue may have a ring, which the GPU reads: then short commands go there at once, and no call
//! into the kernel is needed. To the kernel driver all of them are one batch, which ends once the
//! ring is stopped: as soon as somebody has to wait for long, or it is idle.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, Weak};
use std::time::Duration;

use batchbuffer::Engine;
use kmd_iface::{Fence, KmdError, QueueId, Seqno, Submission};

use crate::deadline::Deadline;
use crate::device::DeviceInner;
use crate::error::{DeviceError, Error, refused};
use crate::event::{CommandBatch, Concluded, Event, Submitted};
use crate::flusher::Flush;
use crate::held::{Held, Pending};
use crate::launch::{CloseError, MakeError, Maker};
use crate::ledger::{HandOver, InFlight, Ledger};

/// The most commands of a batch. A kernel driver ends batches that take seconds.
const MOST: u64 = 32;
/// How long the commands of a batch may take, by what the last one took. Who waits for one of them
/// may wait for all.
const SPAN: Duration = Duration::from_millis(1);
/// What takes less time than it takes to hand it over: then the GPU needs no second batch to be busy.
const SHORT: Duration = Duration::from_micros(50);
/// How often a thread looks whether another one is done with handing over.
const BUSY: Duration = Duration::from_micros(20);

/// A queue as the kernel driver sees it.
#[derive(Debug)]
pub(crate) struct Outbox {
    pub device: Arc<DeviceInner>,
    pub id: QueueId,
    engine: Engine,
    /// Whether events keep the batches of their commands.
    keep_batches: bool,
    pub ledger: Arc<Ledger>,
    /// The order of locks is in the documentation of the ledger.
    maker: Mutex<Maker>,
    /// Whether the flusher has it.
    is_due: AtomicBool,
}

/// A command that the kernel driver does not get.
#[derive(Debug)]
pub(crate) enum Unsubmitted {
    /// There is no room for it before older ones have ended.
    Full,
    /// The batch before it had to be handed over first, and was.
    Again,
    Failed(DeviceError),
}

const OUT_OF_ORDER: DeviceError = DeviceError::Internal("a submission with a seqno out of order");

/// Commands that the kernel driver did not take, to be told of once no lock is held.
#[derive(Default)]
#[must_use]
struct Failed {
    commands: Vec<(InFlight, Concluded)>,
}

impl Failed {
    fn tell(self) {
        for (command, concluded) in self.commands {
            concluded.call();
            drop(command);
        }
    }
}

impl Outbox {
    pub(crate) fn new(
        device: Arc<DeviceInner>,
        id: QueueId,
        (engine, keep_batches): (Engine, bool),
        maker: Maker,
    ) -> Arc<Self> {
        Arc::new_cyclic(|own: &Weak<Self>| Self {
            device,
            id,
            engine,
            keep_batches,
            ledger: Arc::new(Ledger::new(own.clone())),
            maker: Mutex::new(maker),
            is_due: AtomicBool::new(false),
        })
    }

    /// Takes a command: what it waits for is there already, or has ended. Gives the commands that
    /// can go on now.
    pub(crate) fn put(
        self: &Arc<Self>,
        pending: &mut Pending,
    ) -> Result<Vec<Arc<Held>>, Unsubmitted> {
        // Batches of one queue run in order anyway.
        let fences = pending.dependencies.iter().filter_map(Event::fence);
        let wait: Vec<Fence> = fences.filter(|fence| fence.queue != self.id).collect();
        // Given back once no lock is held.
        let _gone;
        let mut maker = self.maker();
        if let Some(end) = self.ledger.end() {
            return Err(Unsubmitted::Failed(end.error()));
        }
        if !wait.is_empty() && maker.is_open() {
            // What it waits for must not hold up those before it.
            return Err(self.make_room(maker, Unsubmitted::Again));
        }
        let clock = &self.device.clock;
        let at = pending.enqueued.take().unwrap_or_else(|| clock.now());
        let clocks = maker.clocks(&self.device, at);
        let rings = self.rings(&maker, pending, &wait);
        let most = match rings {
            true => 1,
            false => self.most(&maker, pending, &wait),
        };
        let (oldest, gone) = self.ledger.make_room();
        _gone = gone;
        let made = maker.make(&self.device, &pending.work, oldest, most > 1);
        let made = match made {
            Ok(made) => made,
            Err(MakeError::Full) if maker.is_open() => {
                return Err(self.make_room(maker, Unsubmitted::Full));
            }
            Err(MakeError::Full) => return Err(Unsubmitted::Full),
            Err(MakeError::BatchFull) => return Err(self.make_room(maker, Unsubmitted::Again)),
            Err(MakeError::Failed(error)) => {
                return Err(Unsubmitted::Failed(match error {
                    Error::Device(error) => error,
                    error => DeviceError::Unmade(Box::new(error)),
                }));
            }
        };
        // To make it may have bound memory.
        if (!rings || maker.is_stale(&self.device))
            && let Err(error) = self.stop(&mut maker)
        {
            return Err(Unsubmitted::Failed(error));
        }
        let submitted = Arc::new(Submitted {
            fence: Fence {
                queue: self.id,
                seqno: self.ledger.next_seqno(),
            },
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
        let released = pending.event.submitted(submitted);
        if rings {
            let failed = self.ring(&mut maker);
            drop(maker);
            failed.tell();
            return Ok(released);
        }
        if maker.commands() < most && self.leave_open() {
            return Ok(released);
        }
        let failed = self.close(&mut maker, &wait, Some(&pending.event));
        drop(maker);
        failed.tell();
        Ok(released)
    }

    /// The most commands of the batch that the next one is in.
    fn most(&self, maker: &Maker, pending: &Pending, wait: &[Fence]) -> u64 {
        let pace = self.ledger.pace();
        let grows = !self.keep_batches && wait.is_empty() && maker.is_busy(pace > SHORT);
        // Pages of the caller's must be free as soon as the command has ended.
        if !grows || pending.work.uses_host_memory() {
            return 1;
        }
        let count = SPAN.as_nanos() / pace.as_nanos().max(1);
        u64::try_from(count).map_or(MOST, |count| count.clamp(1, MOST))
    }

    /// Whether a command can go to the ring: it is as short as those in open batches.
    fn rings(&self, maker: &Maker, pending: &Pending, wait: &[Fence]) -> bool {
        let can = wait.is_empty() && !self.keep_batches && self.ledger.pace() <= SPAN;
        can && maker.rings() && !pending.work.uses_host_memory()
    }

    /// Gives the open batch to the GPU by the ring.
    fn ring(self: &Arc<Self>, maker: &mut Maker) -> Failed {
        let kmd = self.device.kmd();
        let expected = self.ledger.next_seqno();
        let submit = |batch, length| {
            let wait = &[];
            let submission = Submission {
                batch,
                length,
                wait,
            };
            kmd.submit(self.id, &submission)
        };
        let error = match maker.ring(&self.device, submit) {
            Ok(fence) if fence.seqno == expected => {
                self.ledger.rings();
                if self.leave_open() {
                    return Failed::default();
                }
                match self.stop(maker) {
                    Ok(()) => return Failed::default(),
                    Err(error) => error,
                }
            }
            Ok(_) => OUT_OF_ORDER,
            Err(error) => self.unclosed(error),
        };
        self.fail(expected, &error)
    }

    /// Stops the ring, if the GPU reads it: then the kernel driver tells the end of what it has.
    fn stop(&self, maker: &mut Maker) -> Result<(), DeviceError> {
        if let Some(fence) = maker.stop()? {
            self.ledger.handed_over(fence.seqno);
        }
        Ok(())
    }

    /// Leaves a batch open, if there is a thread that sees to it that it is handed over in time.
    fn leave_open(self: &Arc<Self>) -> bool {
        // The flusher clears this before it takes the lock that is held here.
        self.is_due.swap(true, Ordering::AcqRel)
            || self.device.flusher.add(Arc::<Self>::downgrade(self))
    }

    /// Hands over the open batch, so that `then` is all that is in the way.
    fn make_room(&self, mut maker: MutexGuard<'_, Maker>, then: Unsubmitted) -> Unsubmitted {
        let failed = self.close(&mut maker, &[], None);
        drop(maker);
        failed.tell();
        then
    }

    /// Hands over the open batch, if there is one, after the fences of `wait`; the event of its only
    /// command may keep it.
    fn close(&self, maker: &mut Maker, wait: &[Fence], only: Option<&Event>) -> Failed {
        if let Err(error) = self.stop(maker) {
            maker.forget();
            return self.fail(self.ledger.next_seqno(), &error);
        }
        let kmd = self.device.kmd();
        let submit = |address, words: &[u32]| {
            if let Some(event) = only.filter(|_| self.keep_batches) {
                event.keep_batch(CommandBatch {
                    engine: self.engine,
                    address,
                    dwords: words.to_vec(),
                });
            }
            let submission = Submission {
                batch: address,
                length: words.len() as u64 * 4,
                wait,
            };
            kmd.submit(self.id, &submission)
        };
        let Some(outcome) = maker.close(&self.device, submit) else {
            return Failed::default();
        };
        let expected = self.ledger.next_seqno();
        let error = match outcome {
            Ok(fence) if fence.seqno == expected => {
                self.ledger.handed_over(expected);
                return Failed::default();
            }
            Ok(_) => OUT_OF_ORDER,
            Err(error) => self.unclosed(error),
        };
        self.fail(expected, &error)
    }

    /// The error of commands whose batch was not handed over.
    fn unclosed(&self, error: CloseError) -> DeviceError {
        match error {
            CloseError::Refused(KmdError::QueueLost { report, .. }) => {
                self.ledger.lose(&report).error()
            }
            CloseError::Refused(error) => refused("a submission")(error),
            CloseError::Failed(Error::Device(error)) => error,
            CloseError::Failed(error) => DeviceError::Unmade(Box::new(error)),
        }
    }

    /// Fails the commands that the kernel driver has not taken.
    fn fail(&self, from: Seqno, error: &DeviceError) -> Failed {
        let commands = self.ledger.take_from(from).into_iter();
        let commands = commands.map(|command| {
            let outcome = Err(error.clone());
            let concluded = command.event.conclude(&command.submitted, outcome);
            (command, concluded)
        });
        Failed {
            commands: commands.collect(),
        }
    }

    /// Hands over the open batch, or fails its commands if the queue takes no more.
    fn end_batch(&self, mut maker: MutexGuard<'_, Maker>) {
        let failed = match self.ledger.end() {
            None => self.close(&mut maker, &[], None),
            Some(end) => {
                maker.forget();
                self.fail(self.ledger.next_seqno(), &end.error())
            }
        };
        drop(maker);
        failed.tell();
    }

    /// Hands over all that it has.
    pub(crate) fn flush(&self, deadline: Deadline) {
        self.hand_over(Seqno::new(u64::MAX), deadline);
    }

    pub(crate) fn maker(&self) -> MutexGuard<'_, Maker> {
        self.maker.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HandOver for Outbox {
    fn hand_over(&self, seqno: Seqno, deadline: Deadline) {
        while !self.ledger.has_handed_over(seqno) {
            let maker = match self.maker.try_lock() {
                Ok(maker) => maker,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) if deadline.remaining().is_zero() => return,
                Err(TryLockError::WouldBlock) => {
                    std::thread::sleep(BUSY);
                    continue;
                }
            };
            return self.end_batch(maker);
        }
    }
}

impl Flush for Outbox {
    fn flush_due(self: Arc<Self>) {
        self.is_due.store(false, Ordering::Release);
        let mut maker = self.maker();
        let is_in_use = !maker.is_open() && !maker.is_idle() && self.ledger.end().is_none();
        if is_in_use && maker.runs() && self.leave_open() {
            return;
        }
        self.end_batch(maker);
    }
}
