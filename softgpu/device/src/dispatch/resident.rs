//! A group whose threads occupy EU slots.

use std::ops::{AddAssign, Range};

use super::payload::{Place, RegisterImage};
use super::report::{DispatchError, ThreadAt};
use super::walker::Walker;
use softgpu_eu::StateCache;
use softgpu_eu::{Barrier, Checks, Fault, Group, GroupEnv, Pairs, Slm};
use softgpu_eu::{Code, Counters, Relay, Stop, Thread, ThreadStart};
use softgpu_memory::View;

/// The most groups whose threads begin behind those of another one at once.
const FOLLOWING: usize = 15;

/// A resident group. Finished ones are reused for the next group, which keeps their allocations.
#[derive(Debug)]
pub struct Resident {
    group: [u32; 3],
    slots: Vec<u32>,
    threads: Vec<State>,
    live: usize,
    slices: u32,
    slm: Slm,
    barrier: Barrier,
    pairs: Pairs,
    /// What the checks know of it, once it runs.
    checked: Option<Group>,
}

#[derive(Debug)]
enum State {
    /// It has its slot, but its registers are not loaded yet.
    Fresh,
    Ready(Box<Thread>),
    /// Waits for this barrier generation to pass.
    AtBarrier(Box<Thread>, u32),
    Ended,
}

/// What threads are loaded with, and register files that no thread uses at the moment.
///
/// A thread is loaded at its first turn: most end in it, and the next one gets registers that are
/// still in the host's cache. Only threads that wait at barriers are loaded together.
#[derive(Debug)]
pub struct Loader {
    image: RegisterImage,
    vacant: Vacant,
}

/// Register files that no thread uses.
#[derive(Debug, Default)]
#[expect(clippy::vec_box, reason = "the boxes move between here and the groups")]
pub struct Vacant(Vec<Box<Thread>>);

impl Vacant {
    /// One, for a thread that starts so.
    fn take(&mut self, start: &ThreadStart<'_>) -> Box<Thread> {
        let new = || Box::new(Thread::new(start));
        self.0.pop().unwrap_or_else(new)
    }

    /// Frees all but `count`.
    pub fn truncate(&mut self, count: usize) {
        self.0.truncate(count);
    }
}

/// Threads that have not begun.
#[derive(Debug)]
struct Fresh<'a> {
    group: [u32; 3],
    /// The first one of the group, and the slots of all.
    index: usize,
    slots: &'a [u32],
    /// Groups whose threads may begin behind them, in the same slots.
    following: Range<u64>,
}

/// What one slice of a group did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Slice {
    /// Instructions and channels executed.
    pub executed: Counters,
    /// Threads that ended.
    pub ended: u64,
    /// Groups that ended before another one began in their place.
    pub groups: u64,
}

impl AddAssign for Slice {
    fn add_assign(&mut self, other: Self) {
        self.executed += other.executed;
        self.ended += other.ended;
        self.groups += other.groups;
    }
}

/// What a host thread lends to its groups.
#[derive(Debug)]
pub struct Host<'a> {
    /// Its view of memory.
    pub memory: &'a View<'a>,
    /// Its hold on the decoded instructions.
    pub code: &'a Code,
    /// Its decoded surface states.
    pub state: &'a StateCache,
    /// Where it records broken rules.
    pub checks: Option<&'a Checks>,
}

impl Resident {
    /// A group with no running threads yet.
    pub fn vacant() -> Self {
        Self {
            group: [0; 3],
            slots: Vec::new(),
            threads: Vec::new(),
            live: 0,
            slices: 0,
            slm: Slm::new(0),
            barrier: Barrier::new(0),
            pairs: Pairs::new(0),
            checked: None,
        }
    }

    /// Takes the group's place: its threads start in its slots when their turns come.
    pub fn start(&mut self, walker: &Walker, group: [u32; 3]) {
        self.group = group;
        self.slices = 0;
        self.slm.reset(walker.slm_bytes as usize);
        self.barrier = Barrier::new(walker.threads_per_group());
        self.pairs = Pairs::new(walker.threads_per_group());
        self.checked = None;
        self.threads.clear();
        self.threads.resize_with(self.slots.len(), || State::Fresh);
        self.live = self.threads.len();
    }

    /// Runs each thread that can run for at most `budget` instructions.
    ///
    /// Where threads have nothing in common but the walker, those of the groups that follow begin behind it. It is then
    /// the last group of which a thread has begun, and `following` are those behind that. What they do adds to `slice`.
    ///
    /// # Errors
    /// The first fault: of a thread, or of the data to load into one.
    pub fn run(
        &mut self,
        walker: &Walker,
        host: &Host<'_>,
        loader: &mut Loader,
        budget: u32,
        following: &mut Range<u64>,
        slice: &mut Slice,
    ) -> Result<(), DispatchError> {
        self.slices = self.slices.saturating_add(1);
        let env = GroupEnv {
            family: walker.family,
            memory: host.memory,
            bases: walker.bases,
            binding_table: walker.binding_table,
            sampler_state: walker.sampler_state,
            slm: &self.slm,
            barrier: &self.barrier,
            pairs: &self.pairs,
            state: host.state,
            checks: host.checks,
        };
        if let Some(checks) = host.checks {
            let mut group = self.checked.take().unwrap_or_else(|| {
                checks.begin_group(self.group, &self.slots, walker.slm_bytes as usize)
            });
            checks.exchange_group(&mut group);
        }
        if self.slices == 1 {
            let prepared = loader.image.enter(walker, &self.slots, host.memory);
            prepared.map_err(DispatchError::Start)?;
        }
        if self.slices == 1 && host.checks.is_none() && self.slots.len() > 1 && host.code.waits() {
            let place = (self.group, self.slots.as_slice());
            load(&mut self.threads, place, walker, host, loader)?;
        }
        let begun = |state: &State| !matches!(state, State::Fresh);
        if host.checks.is_none() && self.threads.iter().all(begun) {
            let place = |thread, ip| place(walker, self.group, thread, ip);
            let vacant = &mut loader.vacant;
            let turns = take_turns(&mut self.threads, vacant, (&env, host.code, budget), place)?;
            self.live -= turns.ended as usize;
            *slice += turns;
            return Ok(());
        }
        // Checks find more if it is not always the first thread that comes first.
        let backwards = host.checks.is_some() && !self.is_odd();
        let count = self.threads.len();
        let mut turn = 0;
        let mut apart = walker.slm_bytes == 0;
        while turn < count {
            let index = if backwards { count - 1 - turn } else { turn };
            turn += 1;
            let Some(state) = self.threads.get_mut(index) else {
                continue;
            };
            if let Some(checks) = host.checks {
                checks.set_thread(index as u32);
            }
            let (thread, stop, at) = match std::mem::replace(state, State::Ended) {
                State::Ended => continue,
                State::AtBarrier(thread, generation) if !self.barrier.is_released(generation) => {
                    *state = State::AtBarrier(thread, generation);
                    continue;
                }
                State::AtBarrier(mut thread, _) | State::Ready(mut thread) => {
                    let before = thread.counters();
                    let stop = thread.run(&env, host.code, budget);
                    let after = thread.counters();
                    // Not both at once: they have just been written one by one.
                    let instructions = std::hint::black_box(after.instructions);
                    slice.executed += Counters {
                        instructions: instructions.wrapping_sub(before.instructions),
                        channels: after.channels.wrapping_sub(before.channels),
                    };
                    (thread, stop, index)
                }
                State::Fresh => {
                    // Those behind it have not begun either.
                    let follow = apart && self.live == count - index && host.code.is_apart();
                    let next = if follow { following.clone() } else { 0..0 };
                    let fresh = Fresh {
                        group: self.group,
                        index,
                        slots: &self.slots,
                        following: next,
                    };
                    let (thread, relay) = loader.begin(walker, &fresh, host, &env, budget)?;
                    apart &= !relay.outside;
                    slice.executed += relay.executed;
                    slice.ended += relay.ended as u64;
                    let at = index + relay.ended;
                    // Of the threads of all these groups, it is one that ended, or that has begun.
                    let passed = (at - usize::from(relay.last.is_none())) / count;
                    let at = at - passed * count;
                    let from = if passed == 0 { index } else { 0 };
                    if passed != 0 {
                        slice.groups += passed as u64;
                        following.start += passed as u64;
                        self.group = walker.group_at(following.start - 1);
                        self.threads.fill_with(|| State::Fresh);
                        self.live = count;
                        turn = 1;
                    }
                    self.live -= at - from;
                    if let Some(ended) = self.threads.get_mut(from..at) {
                        ended.fill_with(|| State::Ended);
                    }
                    let Some(stop) = relay.last else {
                        turn += at - from - 1;
                        loader.vacant.0.push(thread);
                        continue;
                    };
                    turn += at - from;
                    (thread, stop, at)
                }
            };
            let Some(state) = self.threads.get_mut(at) else {
                continue;
            };
            *state = match stop {
                Ok(Stop::Budget | Stop::Pair) => State::Ready(thread),
                Ok(Stop::Barrier(generation)) => State::AtBarrier(thread, generation),
                Ok(Stop::EndOfThread) => {
                    self.live -= 1;
                    slice.ended += 1;
                    loader.vacant.0.push(thread);
                    State::Ended
                }
                Err(fault) => {
                    let at = place(walker, self.group, at, thread.ip());
                    return Err(DispatchError::Fault { fault, at });
                }
            };
        }
        if let Some(checks) = host.checks {
            let mut group = Group::default();
            checks.exchange_group(&mut group);
            self.checked = Some(group);
        }
        Ok(())
    }

    /// Whether all threads have ended.
    pub fn is_finished(&self) -> bool {
        self.live == 0
    }

    /// Whether it is one of the odd groups, of which each has even neighbours.
    pub fn is_odd(&self) -> bool {
        let [x, y, z] = self.group;
        (x ^ y ^ z) & 1 == 1
    }

    /// How many slices the group has had.
    pub fn slices(&self) -> u32 {
        self.slices
    }

    /// The slots, to take or vacate.
    pub fn slots_mut(&mut self) -> &mut Vec<u32> {
        &mut self.slots
    }

    /// The places of threads that have not ended.
    pub fn live_threads(&self, walker: &Walker) -> impl Iterator<Item = ThreadAt> {
        let live = |(index, state): (usize, &State)| {
            let (ip, waits) = match state {
                State::Fresh => (walker.kernel, false),
                State::Ready(thread) => (thread.ip(), false),
                State::AtBarrier(thread, _) => (thread.ip(), true),
                State::Ended => return None,
            };
            Some(ThreadAt {
                waits,
                ..place(walker, self.group, index, ip)
            })
        };
        self.threads.iter().enumerate().filter_map(live)
    }
}

impl Loader {
    /// Reads what all threads of the walker share.
    ///
    /// Threads begin in the register files of `vacant`.
    ///
    /// # Errors
    /// The errors of [`RegisterImage::new`].
    pub fn new(walker: &Walker, memory: &View<'_>, vacant: Vacant) -> Result<Self, Fault> {
        Ok(Self {
            image: RegisterImage::new(walker, memory)?,
            vacant,
        })
    }

    /// The register files that no thread uses.
    pub fn into_vacant(self) -> Vacant {
        self.vacant
    }

    /// Begins threads until one does not end in host code. That one has the registers. If images are not kept, or
    /// rules are checked, it is the first one.
    fn begin(
        &mut self,
        walker: &Walker,
        fresh: &Fresh<'_>,
        host: &Host<'_>,
        env: &GroupEnv<'_>,
        budget: u32,
    ) -> Result<(Box<Thread>, Relay), DispatchError> {
        let Self { image, vacant } = self;
        let Fresh { index, slots, .. } = *fresh;
        let Some(images) = image.prepared(slots).filter(|_| host.checks.is_none()) else {
            let place = Place {
                thread: index as u32,
                slot: slots.get(index).copied().unwrap_or_default(),
            };
            let image = image.thread(walker, place, host.memory);
            let start = image
                .map_err(DispatchError::Start)?
                .start(walker, fresh.group);
            let mut thread = vacant.take(&start);
            let relay = thread.relay(1, |_| start.clone(), env, host.code, budget);
            return Ok((thread, relay));
        };
        let mut groups = [fresh.group; FOLLOWING + 1];
        let mut count = images.len() - index;
        for (place, index) in groups.iter_mut().skip(1).zip(fresh.following.clone()) {
            *place = walker.group_at(index);
            count += images.len();
        }
        // Divisions of 64 bits take longer.
        let per_group = images.len() as u32;
        let start = |at: usize| {
            let at = (index + at) as u32;
            let group = groups[(at / per_group) as usize];
            images[(at % per_group) as usize].start(walker, group)
        };
        let mut thread = vacant.take(&start(0));
        let relay = thread.relay(count, start, env, host.code, budget);
        Ok((thread, relay))
    }
}

/// Gives all threads of a group their registers: they will wait for each other.
fn load(
    threads: &mut [State],
    (group, slots): ([u32; 3], &[u32]),
    walker: &Walker,
    host: &Host<'_>,
    loader: &mut Loader,
) -> Result<(), DispatchError> {
    let Loader { image, vacant } = loader;
    for ((thread, &slot), state) in (0..).zip(slots).zip(threads) {
        let image = image.thread(walker, Place { thread, slot }, host.memory);
        let image = image.map_err(DispatchError::Start)?;
        let start = image.start(walker, group);
        *state = State::Ready(match vacant.0.pop() {
            Some(mut thread) => {
                thread.start_over(&start, host.code);
                thread
            }
            None => Box::new(Thread::new(&start)),
        });
    }
    Ok(())
}

/// Runs the threads of a group that have begun and not ended, as far as they get.
fn take_turns(
    threads: &mut [State],
    vacant: &mut Vacant,
    (env, code, budget): (&GroupEnv<'_>, &Code, u32),
    at: impl Fn(usize, u64) -> ThreadAt,
) -> Result<Slice, DispatchError> {
    let mut places = Vec::with_capacity(threads.len());
    let mut running = Vec::with_capacity(threads.len());
    for (place, state) in threads.iter_mut().enumerate() {
        if let State::Ready(thread) | State::AtBarrier(thread, _) = state {
            places.push(place);
            running.push(&mut **thread);
        }
    }
    let turns = Thread::take_turns(&mut running, env, code, budget);
    let (executed, stops) = turns.map_err(|(index, fault)| {
        let ip = running.get(index).map_or(0, |thread| thread.ip());
        let place = places.get(index).copied().unwrap_or_default();
        let at = at(place, ip);
        DispatchError::Fault { fault, at }
    })?;
    let mut slice = Slice {
        executed,
        ..Slice::default()
    };
    for (place, stop) in places.into_iter().zip(stops) {
        let Some(state) = threads.get_mut(place) else {
            continue;
        };
        *state = match (std::mem::replace(state, State::Ended), stop) {
            (State::Ready(thread) | State::AtBarrier(thread, _), stop) => match stop {
                Stop::Budget | Stop::Pair => State::Ready(thread),
                Stop::Barrier(generation) => State::AtBarrier(thread, generation),
                Stop::EndOfThread => {
                    slice.ended += 1;
                    vacant.0.push(thread);
                    State::Ended
                }
            },
            (other, _) => other,
        };
    }
    Ok(slice)
}

fn place(walker: &Walker, group: [u32; 3], thread: usize, ip: u64) -> ThreadAt {
    ThreadAt {
        group,
        thread: thread as u32,
        kernel: walker.kernel,
        ip,
        waits: false,
    }
}

#[cfg(test)]
mod tests {
    use devinfo::Family;

    use super::*;
    use crate::dispatch::walker::tests::walker;
    use softgpu_memory::AddressSpace;

    #[test]
    fn threads_keep_their_whole_slot() {
        let space = AddressSpace::with_anonymous(&[]).expect("no memory is needed");
        let view = space.view();
        let walker = Walker {
            family: Family::Xe2,
            threads: [3, 1, 1],
            thread_slots: 4096,
            ..walker()
        };
        let mut images = RegisterImage::new(&walker, &view).expect("no data");
        // In the ten bits of r0.5, two of them are the same.
        let slots = [5, 1029, 4095];
        let threads = slots.map(|slot| {
            let image = images.thread(&walker, Place { thread: 0, slot }, &view);
            let image = image.expect("no data to read");
            Thread::new(&image.start(&walker, [0; 3]))
        });
        assert_eq!(threads.each_ref().map(|thread| thread.slot()), slots);
        let r0 = |thread: &Thread| {
            let bytes = thread.registers();
            u32::from_le_bytes(bytes[20..24].try_into().expect("4 bytes"))
        };
        let short = threads.each_ref().map(|thread| r0(thread) & 0x3ff);
        assert_eq!(short, [5, 5, 1023]);
    }
}
