//! A group whose threads occupy EU slots.

use super::payload::{Place, RegisterImage, Topology};
use super::report::ThreadAt;
use super::walker::Walker;
use crate::eu::{CodeCache, Counters, Stop, Thread, ThreadStart};
use crate::mem::View;
use crate::sf::StateCache;
use crate::{Barrier, Checks, Fault, GroupEnv, Slm};

/// A resident group. Finished ones are started again for the next group, which keeps their
/// register files' memory.
#[derive(Debug)]
pub struct Resident {
    group: [u32; 3],
    slots: Vec<u32>,
    threads: Vec<Resumable>,
    live: usize,
    slices: u32,
    slm: Slm,
    barrier: Barrier,
}

#[derive(Debug)]
struct Resumable {
    thread: Thread,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Ready,
    /// Waits for this barrier generation to pass.
    AtBarrier(u32),
    Ended,
}

/// What one slice of a group did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Slice {
    /// Instructions and channels executed.
    pub executed: Counters,
    /// Threads that ended.
    pub ended: u64,
}

/// What a host thread lends to the groups that it runs.
#[derive(Debug)]
pub struct Host<'a> {
    /// Its view of memory.
    pub memory: &'a View<'a>,
    /// Its decoded instructions.
    pub code: &'a CodeCache,
    /// Its decoded surface states.
    pub state: &'a StateCache,
    /// Where it records broken rules.
    pub checks: Option<&'a Checks>,
}

impl Resident {
    /// A group in none of whose slots a thread runs yet.
    pub fn vacant() -> Self {
        Self {
            group: [0; 3],
            slots: Vec::new(),
            threads: Vec::new(),
            live: 0,
            slices: 0,
            slm: Slm::new(0),
            barrier: Barrier::new(0),
        }
    }

    /// Loads the threads of `group` into `slots`.
    ///
    /// # Errors
    /// A page fault of the threads' data.
    pub fn start(
        &mut self,
        walker: &Walker,
        group: [u32; 3],
        slots: Vec<u32>,
        image: &mut RegisterImage,
        memory: &View<'_>,
    ) -> Result<(), Fault> {
        self.group = group;
        self.slots = slots;
        self.slices = 0;
        self.slm = Slm::new(walker.slm_bytes as usize);
        self.barrier = Barrier::new(walker.threads_per_group());
        self.threads.truncate(self.slots.len());
        for (index, &slot) in self.slots.iter().enumerate() {
            let thread = index as u32;
            let payload = image.thread(
                walker,
                Place {
                    group,
                    thread,
                    slot,
                },
                memory,
            )?;
            let topology = Topology::of(walker.family, slot);
            let start = ThreadStart {
                family: walker.family,
                payload,
                ip: walker.kernel,
                dispatch_mask: walker.dispatch_mask(thread),
                simd: walker.simd,
                grf_count: walker.grf_count,
                sr0: topology.state,
                msg0: topology.message,
                thread_slot: slot,
                cr0: walker.cr0,
            };
            match self.threads.get_mut(index) {
                Some(resumable) => {
                    resumable.thread.restart(&start);
                    resumable.state = State::Ready;
                }
                None => self.threads.push(Resumable {
                    thread: Thread::new(&start),
                    state: State::Ready,
                }),
            }
        }
        self.live = self.threads.len();
        Ok(())
    }

    /// Runs each thread that can run for at most `budget` instructions.
    ///
    /// # Errors
    /// The first fault, with the thread that made it.
    pub fn run(
        &mut self,
        walker: &Walker,
        host: &Host<'_>,
        budget: u32,
    ) -> Result<Slice, (Fault, ThreadAt)> {
        let mut slice = Slice::default();
        self.slices = self.slices.saturating_add(1);
        for (index, resumable) in self.threads.iter_mut().enumerate() {
            match resumable.state {
                State::Ended => continue,
                State::AtBarrier(generation) if !self.barrier.is_released(generation) => continue,
                State::AtBarrier(_) | State::Ready => {}
            }
            let env = GroupEnv {
                family: walker.family,
                memory: host.memory,
                bases: walker.bases,
                binding_table: walker.binding_table,
                sampler_state: walker.sampler_state,
                slm: &self.slm,
                barrier: &self.barrier,
                code: host.code,
                state: host.state,
                checks: host.checks,
            };
            let before = resumable.thread.counters();
            let stop = resumable.thread.run(&env, budget);
            let after = resumable.thread.counters();
            slice.executed.instructions += after.instructions.wrapping_sub(before.instructions);
            slice.executed.channels += after.channels.wrapping_sub(before.channels);
            resumable.state = match stop {
                Ok(Stop::Budget) => State::Ready,
                Ok(Stop::Barrier(generation)) => State::AtBarrier(generation),
                Ok(Stop::EndOfThread) => {
                    self.live -= 1;
                    slice.ended += 1;
                    State::Ended
                }
                Err(fault) => {
                    let ip = resumable.thread.ip();
                    return Err((fault, at(walker, self.group, index, ip)));
                }
            };
        }
        Ok(slice)
    }

    /// Whether all threads have ended.
    pub fn is_finished(&self) -> bool {
        self.live == 0
    }

    /// How many slices the group has had.
    pub fn slices(&self) -> u32 {
        self.slices
    }

    /// Vacates the slots.
    pub fn slots_mut(&mut self) -> &mut Vec<u32> {
        &mut self.slots
    }

    /// Where the threads are that have not ended.
    pub fn live_threads(&self, walker: &Walker) -> impl Iterator<Item = ThreadAt> {
        self.threads
            .iter()
            .enumerate()
            .filter(|(_, resumable)| resumable.state != State::Ended)
            .map(|(index, resumable)| {
                let waits = matches!(resumable.state, State::AtBarrier(_));
                ThreadAt {
                    waits,
                    ..at(walker, self.group, index, resumable.thread.ip())
                }
            })
    }
}

fn at(walker: &Walker, group: [u32; 3], thread: usize, ip: u64) -> ThreadAt {
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
    use crate::mem::AddressSpace;

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
        let mut image = RegisterImage::new(&walker, &view).expect("no data");
        let mut resident = Resident::vacant();
        // Two of them are one by the ten bits of r0.5.
        let slots = vec![5, 1029, 4095];
        resident
            .start(&walker, [0; 3], slots.clone(), &mut image, &view)
            .expect("no data to read");
        let kept: Vec<_> = resident
            .threads
            .iter()
            .map(|resumable| resumable.thread.slot())
            .collect();
        assert_eq!(kept, slots);
        let r0 = |thread: usize| {
            let bytes = resident.threads[thread].thread.registers();
            u32::from_le_bytes(bytes[20..24].try_into().expect("4 bytes"))
        };
        assert_eq!([0, 1, 2].map(|thread| r0(thread) & 0x3ff), [5, 5, 1023]);
    }
}
