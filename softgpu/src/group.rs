//! What the threads of one thread group share, and what their sends can reach.
//!
//! This is the contract between `dispatch` (which makes it), `eu` (which carries it) and `sf`
//! (which reads it).

use std::sync::atomic::{AtomicU32, Ordering};

use devinfo::{Family, GpuAddress};

use crate::Checks;
use crate::eu::CodeCache;
use crate::mem::View;
use crate::sf::StateCache;

/// The base addresses of STATE_BASE_ADDRESS and its successors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StateBases {
    /// General state: stateless A32 accesses and scratch before XeHPG.
    pub general: GpuAddress,
    /// Surface states and, before a pool is given, binding tables.
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
    /// Binding tables: 3DSTATE_BINDING_TABLE_POOL_ALLOC where it was given, else `surface`.
    pub binding_table_pool: GpuAddress,
}

/// Shared local memory of a group. Out-of-range reads give 0, writes are dropped.
#[derive(Debug)]
pub struct Slm {
    words: Box<[AtomicU32]>,
}

impl Slm {
    /// `bytes` of zeroed SLM, rounded up to a dword.
    pub fn new(bytes: usize) -> Self {
        Self {
            words: (0..bytes.div_ceil(4)).map(|_| AtomicU32::new(0)).collect(),
        }
    }

    /// The dwords, for the raw accesses of `sf`.
    pub fn words(&self) -> &[AtomicU32] {
        &self.words
    }
}

/// The group's barrier: counts signals, releases in generations.
#[derive(Debug)]
pub struct Barrier {
    threads: u32,
    arrived: AtomicU32,
    generation: AtomicU32,
}

impl Barrier {
    /// A barrier that `threads` threads have to signal.
    pub fn new(threads: u32) -> Self {
        Self {
            threads,
            arrived: AtomicU32::new(0),
            generation: AtomicU32::new(0),
        }
    }

    /// One thread signals. Returns the generation to wait for with [`Barrier::is_released`].
    pub fn signal(&self) -> u32 {
        let generation = self.generation.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.arrived.store(0, Ordering::Release);
            self.generation
                .store(generation.wrapping_add(1), Ordering::Release);
        }
        generation
    }

    /// Whether all threads have signalled since [`Barrier::signal`] returned `generation`.
    pub fn is_released(&self, generation: u32) -> bool {
        self.generation.load(Ordering::Acquire) != generation
    }
}

/// What a thread's instructions and sends can reach.
///
/// All threads of a group run on one host thread, time-sliced, so this needs no lock; several
/// groups run at once on several host threads, each with a [`View`] of its own.
#[derive(Debug)]
pub struct GroupEnv<'a> {
    /// The family whose rules hold.
    pub family: Family,
    /// GPU memory as this context sees it.
    pub memory: &'a View<'a>,
    /// Base addresses in force when the walker was executed.
    pub bases: StateBases,
    /// Offset of the binding table from its base (interface descriptor).
    pub binding_table: u32,
    /// Offset of the sampler states from the dynamic state base (interface descriptor).
    pub sampler_state: u32,
    /// Shared local memory.
    pub slm: &'a Slm,
    /// The group's barrier.
    pub barrier: &'a Barrier,
    /// Decoded instructions: one cache for each walker and host thread.
    pub code: &'a CodeCache,
    /// Decoded surface states: one cache for each walker and host thread.
    pub state: &'a StateCache,
    /// Where rules that hardware leaves undefined are recorded when broken, if anywhere.
    pub checks: Option<&'a Checks>,
}
