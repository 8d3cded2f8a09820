//! What the threads of one thread group share.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use devinfo::{Family, GpuAddress};
use eu_native::Arrivals;

use crate::Fault;

/// The base addresses of STATE_BASE_ADDRESS and its successors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StateBases {
    /// General state: stateless A32 accesses and scratch before XeHPG.
    pub general: GpuAddress,
    /// Surface states and, unless a pool is given, binding tables.
    pub surface: GpuAddress,
    /// Sampler states, interface descriptors.
    pub dynamic: GpuAddress,
    /// Indirect data of walkers.
    pub indirect: GpuAddress,
    /// Kernels: instruction pointers are relative to it.
    pub instruction: GpuAddress,
    /// Bindless surface states.
    pub bindless_surface: GpuAddress,
    /// Bindless sampler states.
    pub bindless_sampler: GpuAddress,
    /// Binding tables: 3DSTATE_BINDING_TABLE_POOL_ALLOC if given, otherwise `surface`.
    pub binding_table_pool: GpuAddress,
}

/// A kernel, identified by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The family of its instructions.
    pub family: Family,
    /// The instruction base.
    pub base: GpuAddress,
    /// Its entry point, in bytes from the instruction base.
    pub entry: u64,
}

/// Shared local memory of a group. Out-of-range reads give 0, writes are dropped.
#[derive(Debug)]
pub struct Slm {
    words: Box<[AtomicU32]>,
    /// Its dwords of these: they begin with a line of the host's cache.
    own: Range<usize>,
}

/// The bytes of such a line.
const LINE: usize = 64;

impl Slm {
    /// `bytes` of zeroed SLM, rounded up to a dword.
    pub fn new(bytes: usize) -> Self {
        let (count, more) = (bytes.div_ceil(4), LINE / 4 - 1);
        let words = (0..count + more).map(|_| AtomicU32::new(0));
        let words: Box<[AtomicU32]> = words.collect();
        let start = words.as_ptr().align_offset(LINE).min(more);
        let own = start..start + count;
        Self { words, own }
    }

    /// Becomes `bytes` of zeroed SLM, as a new one.
    pub fn reset(&mut self, bytes: usize) {
        if self.own.len() != bytes.div_ceil(4) {
            *self = Self::new(bytes);
            return;
        }
        for word in self.words.get_mut(self.own.clone()).unwrap_or_default() {
            *word.get_mut() = 0;
        }
    }

    /// The dwords, for the raw accesses of `sf`.
    pub fn words(&self) -> &[AtomicU32] {
        self.words.get(self.own.clone()).unwrap_or_default()
    }
}

/// The group's barrier: counts signals, releases in generations.
#[derive(Debug)]
pub struct Barrier(Arrivals);

impl Barrier {
    /// A barrier that `threads` threads must signal.
    pub fn new(threads: u32) -> Self {
        Self(Arrivals {
            threads,
            arrived: AtomicU32::new(0),
            generation: AtomicU32::new(0),
        })
    }

    /// What host code knows of it.
    pub(crate) fn arrivals(&self) -> &Arrivals {
        &self.0
    }

    /// How often it has passed.
    pub(crate) fn generation(&self) -> u32 {
        self.0.generation.load(Ordering::Acquire)
    }

    /// The number of threads that must signal.
    pub fn threads(&self) -> u32 {
        self.0.threads
    }

    /// One thread signals. Returns the generation to wait for with [`Barrier::is_released`].
    pub fn signal(&self) -> u32 {
        let generation = self.0.generation.load(Ordering::Acquire);
        if self.0.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.0.threads {
            self.0.arrived.store(0, Ordering::Release);
            self.0
                .generation
                .store(generation.wrapping_add(1), Ordering::Release);
        }
        generation
    }

    /// Whether all threads have signalled since [`Barrier::signal`] returned `generation`.
    pub fn is_released(&self, generation: u32) -> bool {
        self.0.generation.load(Ordering::Acquire) != generation
    }
}

/// Where the threads of a group that run on a fused pair of EUs meet: threads 0 and 1, 2 and 3, and
/// so on. `dpasw` takes one half of a source from each.
#[derive(Debug)]
pub struct Pairs {
    threads: u32,
    sides: RefCell<Vec<Side>>,
}

/// One thread of a pair.
#[derive(Clone, Debug, Default)]
struct Side {
    /// The number of pair instructions to which it has brought its data, and that it has executed.
    given: u32,
    done: u32,
    /// The last instruction to which it brought data, and the data.
    ip: u32,
    data: Vec<u8>,
}

impl Pairs {
    /// The pairs of a group of `threads` threads.
    pub fn new(threads: u32) -> Self {
        Self {
            threads,
            sides: RefCell::default(),
        }
    }

    /// Thread `thread` brings `data` to its instruction at `ip`. Returns the other thread's data;
    /// `None` until that arrives: ask again.
    ///
    /// # Errors
    /// [`Fault::Invalid`] if the thread has no pair, or the other one is at another instruction.
    pub fn meet(&self, thread: u32, ip: u32, data: &[u8]) -> Result<Option<Vec<u8>>, Fault> {
        let invalid = |why| Err(Fault::Invalid { why });
        let (own, other) = (thread as usize, thread as usize ^ 1);
        let mut sides = self.sides.borrow_mut();
        sides.resize(self.threads as usize, Side::default());
        let Some(&Side {
            given,
            done,
            ip: at,
            ..
        }) = sides.get(other)
        else {
            return invalid(format!(
                "instruction at {ip:#x} takes data of a pair of threads, and thread {thread} of a \
                 group of {} has none: its threads must be even in number",
                self.threads
            ));
        };
        let Some(side) = sides.get_mut(own) else {
            return invalid(format!("thread {thread} of a group of {}", self.threads));
        };
        if side.given == side.done {
            if done < side.done {
                // It has not taken this thread's last data.
                return Ok(None);
            }
            side.given += 1;
            side.ip = ip;
            side.data = data.to_vec();
        }
        if given < side.given {
            return Ok(None);
        }
        if at != ip {
            return invalid(format!(
                "threads of a fused pair are at different instructions, {ip:#x} and {at:#x}"
            ));
        }
        side.done = side.given;
        Ok(sides.get(other).map(|side| side.data.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_memory_begins_with_a_line() {
        for bytes in [0, 4, 64, 100, 4096, 65_536] {
            let mut slm = Slm::new(bytes);
            assert!(slm.words().as_ptr().addr().is_multiple_of(LINE));
            assert_eq!(slm.words().len(), bytes / 4);
            slm.words()
                .iter()
                .for_each(|word| word.store(7, Ordering::Relaxed));
            slm.reset(bytes);
            let is_clear = |word: &AtomicU32| word.load(Ordering::Relaxed) == 0;
            assert!(slm.words().iter().all(is_clear));
        }
    }

    #[test]
    fn the_threads_of_a_pair_get_each_others_data_in_order() {
        let pairs = Pairs::new(4);
        assert_eq!(pairs.meet(2, 16, &[1]), Ok(None));
        assert_eq!(pairs.meet(2, 16, &[1]), Ok(None), "it asks again");
        assert_eq!(pairs.meet(3, 16, &[2]), Ok(Some(vec![1])));
        // The second thread is ahead: the first has not taken its data yet.
        assert_eq!(pairs.meet(3, 32, &[4]), Ok(None));
        assert_eq!(pairs.meet(2, 16, &[1]), Ok(Some(vec![2])));
        assert_eq!(pairs.meet(3, 32, &[4]), Ok(None));
        assert_eq!(pairs.meet(2, 32, &[3]), Ok(Some(vec![4])));
        assert_eq!(pairs.meet(3, 32, &[4]), Ok(Some(vec![3])));
        assert_eq!(pairs.meet(0, 48, &[5]), Ok(None), "another pair");
    }

    #[test]
    fn threads_without_a_pair_or_apart_are_refused() {
        let why = |result| match result {
            Err(Fault::Invalid { why }) => why,
            other => panic!("{other:?}"),
        };
        assert!(why(Pairs::new(3).meet(2, 16, &[1])).contains("even in number"));
        assert!(why(Pairs::new(1).meet(1, 16, &[1])).contains("thread 1 of a group of 1"));
        let pairs = Pairs::new(2);
        assert_eq!(pairs.meet(0, 16, &[1]), Ok(None));
        assert!(why(pairs.meet(1, 32, &[1])).contains("0x20 and 0x10"));
    }
}
