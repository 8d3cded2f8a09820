//! An engine's submission registers, and the contexts that were submitted to it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use batchbuffer::Engine;
use batchbuffer::registers::{BLOCK, base, own};
use devinfo::GpuAddress;
use softgpu_device::{Commands, Failure, Fence, Job, Owner, Ring, Timeline};
use softgpu_memory::{PageTable, View};

use crate::family::{Submission, traits};
use crate::tables::Global;
use crate::{BusError, Machine};

/// The most contexts that an engine remembers: each may have a host thread.
const MOST_CONTEXTS: usize = 64;
/// The most submissions of a context that have not ended.
const MOST_WAITING: usize = 256;

/// How many elements the submit queue has.
const QUEUE_ELEMENTS: u32 = 8;

/// Bits of a context descriptor (i915 `intel_lrc.h`, `GEN8_CTX_*`).
mod descriptor {
    /// It is there.
    pub const VALID: u64 = 1;
    /// The page of the context image in the global GTT.
    pub const IMAGE: u64 = 0xffff_f000;
}

/// Places in a context image, in bytes (i915 `intel_lrc_reg.h`). The registers follow the context's
/// status page.
mod image {
    /// The ring's head: where the engine continues.
    pub const HEAD: u64 = 0x1014;
    /// Its tail.
    pub const TAIL: u64 = 0x101c;
    /// The ring's address in the global GTT.
    pub const START: u64 = 0x1024;
    /// Its length and whether it is enabled.
    pub const CONTROL: u64 = 0x102c;
    /// The highest level of the page table.
    pub const ROOT_HIGH: u64 = 0x10c4;
    /// Its low dword.
    pub const ROOT_LOW: u64 = 0x10cc;

    /// The offset in HEAD and TAIL.
    pub const OFFSET: u32 = 0x1f_fffc;
    /// In CONTROL, the pages less one.
    pub const PAGES: u32 = 0x1f_f000;
    /// In CONTROL, whether the ring is enabled.
    pub const ENABLE: u32 = 1;
}

/// An engine as its registers show it.
#[derive(Debug)]
pub(crate) struct Port {
    engine: Engine,
    /// What was written to the submission port since the last list was complete.
    written: Vec<u32>,
    queue: [u32; 2 * QUEUE_ELEMENTS as usize],
    contexts: BTreeMap<u64, Submitted>,
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
    pub fn new(engine: Engine) -> Self {
        Self {
            engine,
            written: Vec::new(),
            queue: Default::default(),
            contexts: BTreeMap::new(),
        }
    }

    /// The offset in the engine's block, if it lies there.
    fn own(&self, offset: u32) -> Option<u32> {
        let own = offset.wrapping_sub(base(self.engine));
        (own < BLOCK).then_some(own)
    }

    /// What a register of the engine says by itself.
    pub fn read(&self, offset: u32, machine: &Machine) -> Option<u32> {
        let family = traits(machine.platform().family);
        let time = || machine.device.timestamp();
        Some(match self.own(offset)? {
            own::EXECLIST_STATUS if self.last().iter().all(|fence| fence.is_signalled()) => {
                family.idle_status
            }
            own::EXECLIST_STATUS => family.busy_status,
            own::TIMESTAMP => time() as u32,
            high if high == own::TIMESTAMP + 4 => (time() >> 32) as u32,
            _ => return None,
        })
    }

    /// What writing a register does.
    pub fn write(&mut self, offset: u32, value: u32, machine: &Machine) -> Result<(), BusError> {
        let Some(own) = self.own(offset) else {
            return Ok(());
        };
        match traits(machine.platform().family).submission {
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
        let control = register(image::CONTROL)?;
        if control & image::ENABLE == 0 {
            return Err(refused("its ring is not enabled".into()));
        }
        let tail = u64::from(register(image::TAIL)? & image::OFFSET);
        let root =
            u64::from(register(image::ROOT_HIGH)?) << 32 | u64::from(register(image::ROOT_LOW)?);
        let start = GpuAddress::new(register(image::START)?.into());

        // An image that the client has written anew is another context. Under the lock, nothing ends
        // and saves its head between the two readings of it.
        let head = || Ok(u64::from(register(image::HEAD)? & image::OFFSET));
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
            let context = Submitted::new(machine, engine, at, head);
            self.contexts.insert(at, context);
        }
        let Some(context) = self.contexts.get_mut(&at) else {
            return Ok(());
        };
        let ring = Ring {
            start,
            bytes: u64::from(control & image::PAGES) + softgpu_memory::PAGE_BYTES,
            head: context.tail,
            tail,
        };
        machine.submissions.fetch_add(1, Ordering::Release);
        context.progress.tails().open.push_back(tail);
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
    fn new(machine: &Machine, engine: Engine, image: u64, head: u64) -> Self {
        let progress = Arc::new(Progress {
            stop: AtomicBool::new(false),
            lost: AtomicBool::new(false),
            global: Arc::clone(&machine.global),
            failures: Arc::clone(&machine.failures),
            image,
            tails: Mutex::new(Tails {
                head,
                open: VecDeque::new(),
            }),
        });
        Self {
            timeline: Timeline::new(Arc::clone(&machine.device), engine, progress.clone()),
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
    global: Arc<Global>,
    failures: Arc<Mutex<Vec<Failure>>>,
    image: u64,
    tails: Mutex<Tails>,
}

/// What an engine has done of a ring.
#[derive(Debug)]
struct Tails {
    /// The head in the image.
    head: u64,
    /// The tails of the work that has not ended.
    open: VecDeque<u64>,
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
    }

    /// Saves the context: its head is where its tail was.
    fn ended(&self) {
        let mut tails = self.tails();
        let Some(tail) = tails.open.pop_front() else {
            return;
        };
        let place = GpuAddress::new(self.image + image::HEAD);
        let saved = View::new(&*self.global).write_u32(place, tail as u32);
        match saved {
            Ok(()) => tails.head = tail,
            Err(fault) => tracing::warn!(%fault, "the context image is gone"),
        }
    }
}
