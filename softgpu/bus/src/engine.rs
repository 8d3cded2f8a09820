//! An engine's submission registers, and the contexts that were submitted to it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use batchbuffer::Engine;
use batchbuffer::execlists::{Execlists, Submission, descriptor, execlists, place};
use batchbuffer::registers::{BLOCK, base, own};
use devinfo::GpuAddress;
use kmd_iface::ErrorReport;
use softgpu_device::{Commands, Failure, Fence, Job, Owner, Ring, Timeline};
use softgpu_memory::{PageTable, View};

use crate::registers::Registers;
use crate::status::Status;
use crate::tables::Global;
use crate::{BusError, Machine};

/// The most contexts that an engine remembers: each may have a host thread.
const MOST_CONTEXTS: usize = 64;
/// The most submissions of a context that have not ended.
const MOST_WAITING: usize = 256;

/// How many elements the submit queue has.
const QUEUE_ELEMENTS: u32 = 8;

/// An engine as its registers show it.
#[derive(Debug)]
pub(crate) struct Port {
    engine: Engine,
    /// What was written to the submission port since the last list was complete.
    written: Vec<u32>,
    queue: [u32; 2 * QUEUE_ELEMENTS as usize],
    contexts: BTreeMap<u64, Submitted>,
    status: Arc<Status>,
}

/// Bits of the reset control register (i915 `RESET_CTL_*`).
mod control {
    /// A reset is asked for.
    pub const REQUEST: u32 = 1;
    /// The engine is ready for it.
    pub const READY: u32 = 1 << 1;
}

/// A context that the engine has seen.
#[derive(Debug)]
struct Submitted {
    timeline: Timeline,
    progress: Arc<Progress>,
    /// The tail up to which its ring was submitted.
    tail: u64,
}

impl Port {
    pub fn new(engine: Engine, row: &Execlists, global: &Arc<Global>) -> Self {
        Self {
            status: Status::new(row.status, Arc::clone(global)),
            engine,
            written: Vec::new(),
            queue: Default::default(),
            contexts: BTreeMap::new(),
        }
    }

    pub const fn engine(&self) -> Engine {
        self.engine
    }

    /// Forgets the context whose image was at `image`, unless it has work.
    pub fn forget(&mut self, image: u64) {
        let last = self.contexts.get(&image).map(|known| known.timeline.last());
        if last.is_some_and(|last| last.is_none_or(|fence| fence.is_signalled())) {
            self.contexts.remove(&image);
        }
    }

    /// Stops all work and forgets it. Returns the fences of what is being stopped.
    pub fn reset(&mut self) -> Vec<Arc<Fence>> {
        self.stop();
        let stopped = self.last();
        self.contexts.clear();
        self.written.clear();
        self.queue = Default::default();
        self.status.reset();
        stopped
    }

    /// The offset in the engine's block, if it lies there.
    fn own(&self, offset: u32) -> Option<u32> {
        let own = offset.wrapping_sub(base(self.engine));
        (own < BLOCK).then_some(own)
    }

    /// What a register of the engine says by itself.
    pub fn read(&self, offset: u32, machine: &Machine) -> Option<u32> {
        let family = execlists(machine.platform().family);
        let time = || machine.device.timestamp();
        Some(match self.own(offset)? {
            own::EXECLIST_STATUS if self.last().iter().all(|fence| fence.is_signalled()) => {
                family.idle_status
            }
            own::EXECLIST_STATUS => family.busy_status,
            own::RESET_CONTROL => {
                let asked = machine.registers.read(offset) & control::REQUEST;
                asked | (asked * control::READY)
            }
            own::THREADS_DISPATCHED => machine.device.done().threads as u32,
            own::TIMESTAMP => time() as u32,
            high if high == own::TIMESTAMP + 4 => (time() >> 32) as u32,
            _ => return None,
        })
    }

    /// What writing a register does. Returns whether the register keeps another value than this.
    pub fn write(&mut self, offset: u32, value: u32, machine: &Machine) -> Result<bool, BusError> {
        let Some(own) = self.own(offset) else {
            return Ok(false);
        };
        match own {
            own::RESET_CONTROL => machine.registers.write_masked(offset, value),
            own::ERRORS => machine.registers.clear(offset, value),
            _ => return self.act(own, value, machine).map(|()| false),
        }
        Ok(true)
    }

    fn act(&mut self, own: u32, value: u32, machine: &Machine) -> Result<(), BusError> {
        match execlists(machine.platform().family).submission {
            Submission::Port if own == own::SUBMIT_PORT => {
                self.written.push(value);
                let Ok([second_high, second, first_high, first]) =
                    <[u32; 4]>::try_from(&*self.written)
                else {
                    return Ok(());
                };
                self.written.clear();
                self.submit(first, first_high, machine)?;
                self.submit(second, second_high, machine)
            }
            Submission::Queue
                if (own::SUBMIT_QUEUE..own::SUBMIT_QUEUE + 8 * QUEUE_ELEMENTS).contains(&own) =>
            {
                self.queue[((own - own::SUBMIT_QUEUE) / 4) as usize] = value;
                Ok(())
            }
            Submission::Queue if own == own::EXECLIST_CONTROL && value & 1 != 0 => {
                let queue = std::mem::take(&mut self.queue);
                let (elements, _) = queue.as_chunks::<2>();
                elements
                    .iter()
                    .try_for_each(|[low, high]| self.submit(*low, *high, machine))
            }
            _ if own == own::STATUS_PAGE => {
                self.status.set_page(value);
                Ok(())
            }
            _ if own == own::STATUS_POINTERS => {
                self.status.set_last(value & 0xf);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Takes an element of an execution list.
    fn submit(&mut self, low: u32, high: u32, machine: &Machine) -> Result<(), BusError> {
        let descriptor = u64::from(high) << 32 | u64::from(low);
        if descriptor & descriptor::VALID == 0 {
            return Ok(());
        }
        let engine = self.engine;
        let refused = |why: String| BusError::Context {
            descriptor,
            engine,
            why,
        };
        let at = descriptor & descriptor::IMAGE;
        let tables = machine.global.bank(at);
        let tables = tables.ok_or_else(|| refused("the global GTT has no page of it".into()))?;
        let view = View::new(&*machine.global);
        let register = |place| {
            let dword = view.read_u32(GpuAddress::new(at + place));
            dword.map_err(|fault| refused(fault.to_string()))
        };
        let control = register(place::CONTROL)?;
        if control & place::ENABLE == 0 {
            return Err(refused("its ring is not enabled".into()));
        }
        let tail = u64::from(register(place::TAIL)? & place::OFFSET);
        let root =
            u64::from(register(place::ROOT_HIGH)?) << 32 | u64::from(register(place::ROOT_LOW)?);
        let start = GpuAddress::new(register(place::START)?.into());

        // An image that the client has written anew is another context. Under the lock, nothing ends
        // and saves its head between the two readings of it.
        let head = || Ok(u64::from(register(place::HEAD)? & place::OFFSET));
        let anew = match self.contexts.get(&at) {
            Some(known) => {
                let tails = known.progress.tails();
                let head: u64 = head()?;
                let waiting = match known.progress.admits() {
                    true => tails.open.len(),
                    false => 0,
                };
                if waiting >= MOST_WAITING {
                    let why = format!("{MOST_WAITING} submissions of it have not ended");
                    return Err(refused(why));
                }
                if tails.head != head && waiting > 0 {
                    let why = "its image has another head, and its work has not ended";
                    return Err(refused(why.into()));
                }
                (tails.head != head).then_some(head)
            }
            None if self.contexts.len() >= MOST_CONTEXTS => {
                let why = format!("{MOST_CONTEXTS} contexts are known already");
                return Err(refused(why));
            }
            None => Some(head()?),
        };
        if let Some(head) = anew {
            let context = Submitted::new(machine, self, at, head);
            self.contexts.insert(at, context);
        }
        let Some(context) = self.contexts.get_mut(&at) else {
            return Ok(());
        };
        let ring = Ring {
            start,
            bytes: u64::from(control & place::PAGES) + softgpu_memory::PAGE_BYTES,
            head: context.tail,
            tail,
        };
        machine.submissions.fetch_add(1, Ordering::Release);
        let row = execlists(machine.platform().family);
        let id = row.status.id((descriptor >> row.id_shift) as u32) as u32;
        self.status.begin(id);
        context.progress.tails().open.push_back((tail, id));
        context.tail = tail;
        let space: Arc<dyn PageTable> = Arc::new(machine.table(root, tables));
        let mut latest = machine
            .latest
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *latest = Some(Arc::clone(&space));
        drop(latest);
        let job = Job {
            space,
            global: Some(machine.global.clone()),
            commands: Some(Commands::Ring(ring)),
            waits: Vec::new(),
            begins_after: None,
            priority: 0,
            done: Fence::new(),
            writes: Vec::new(),
            endless: false,
        };
        let submitted = context.timeline.submit(job);
        submitted.map_err(|error| {
            context.progress.tails().open.pop_back();
            self.status.finish(id);
            context.tail = ring.head;
            refused(error.to_string())
        })
    }

    /// The fences of the last work of each context.
    pub fn last(&self) -> Vec<Arc<Fence>> {
        let contexts = self.contexts.values();
        contexts.filter_map(|known| known.timeline.last()).collect()
    }

    /// Ends all work.
    pub fn stop(&self) {
        for context in self.contexts.values() {
            context.progress.stop.store(true, Ordering::Relaxed);
        }
    }
}

impl Submitted {
    fn new(machine: &Machine, port: &Port, image: u64, head: u64) -> Self {
        let progress = Arc::new(Progress {
            stop: AtomicBool::new(false),
            lost: AtomicBool::new(false),
            engine: port.engine,
            row: execlists(machine.platform().family),
            status: Arc::clone(&port.status),
            global: Arc::clone(&machine.global),
            registers: Arc::clone(&machine.registers),
            reports: Arc::clone(&machine.reports),
            ends: Arc::clone(&machine.ends),
            failures: Arc::clone(&machine.failures),
            image,
            tails: Mutex::new(Tails {
                head,
                open: VecDeque::new(),
            }),
        });
        Self {
            timeline: Timeline::new(Arc::clone(&machine.device), port.engine, progress.clone()),
            progress,
            tail: head,
        }
    }
}

/// How far a context has come.
#[derive(Debug)]
struct Progress {
    stop: AtomicBool,
    lost: AtomicBool,
    engine: Engine,
    row: &'static Execlists,
    status: Arc<Status>,
    global: Arc<Global>,
    registers: Arc<Registers>,
    reports: Arc<Mutex<BTreeMap<u32, ErrorReport>>>,
    ends: Arc<AtomicU64>,
    failures: Arc<Mutex<Vec<Failure>>>,
    image: u64,
    tails: Mutex<Tails>,
}

/// What an engine has done of a ring.
#[derive(Debug)]
struct Tails {
    /// The head in the image.
    head: u64,
    /// The tails of the work that has not ended, and the ids under which it was submitted.
    open: VecDeque<(u64, u32)>,
}

impl Progress {
    fn tails(&self) -> MutexGuard<'_, Tails> {
        self.tails.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Owner for Progress {
    fn stop(&self) -> &AtomicBool {
        &self.stop
    }

    fn admits(&self) -> bool {
        !self.lost.load(Ordering::Relaxed)
    }

    fn failed(&self, failure: &Failure, _: &dyn PageTable) {
        self.lost.store(true, Ordering::Relaxed);
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.push(failure.clone());
        drop(failures);
        let mut reports = self.reports.lock().unwrap_or_else(PoisonError::into_inner);
        reports.insert(self.image as u32, failure.report());
        drop(reports);
        self.registers.tell(self.engine, self.row, failure);
        self.ends.fetch_add(1, Ordering::Release);
    }

    /// Saves the context: its head is where its tail was.
    fn ended(&self) {
        // A reset has the context's image as it was.
        if self.stop.load(Ordering::Relaxed) {
            return;
        }
        let mut tails = self.tails();
        let Some((tail, id)) = tails.open.pop_front() else {
            return;
        };
        let place = GpuAddress::new(self.image + place::HEAD);
        let saved = View::new(&*self.global).write_u32(place, tail as u32);
        match saved {
            Ok(()) => tails.head = tail,
            Err(fault) => tracing::warn!(%fault, "the context image is gone"),
        }
        drop(tails);
        // An engine whose work has failed does not go on before it is reset.
        if self.admits() {
            self.status.finish(id);
        }
        self.ends.fetch_add(1, Ordering::Release);
    }
}
