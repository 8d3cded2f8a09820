//! The environment of sends.

use devinfo::Family;
use softgpu_memory::View;

use super::StateCache;
use crate::{Barrier, Checks, Pairs, Slm, StateBases};

/// What a thread's sends can reach.
///
/// All threads of a group run on one host thread, time-sliced, so this needs no lock; several
/// groups run at once on several host threads, each with its own [`View`].
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
    /// Where the group's pairs of threads meet.
    pub pairs: &'a Pairs,
    /// Decoded surface states: one cache for each walker and host thread.
    pub state: &'a StateCache,
    /// Where rules that hardware leaves undefined are recorded when broken, if anywhere.
    pub checks: Option<&'a Checks>,
}
