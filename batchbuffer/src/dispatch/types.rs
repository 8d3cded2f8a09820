//! What a dispatch is, independent of the packets that it takes.

use devinfo::{Family, GpuAddress};

use crate::Spot;
use crate::error::EncodeError;

/// A dispatch that cannot be expressed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DispatchError {
    /// A value does not go into its packet.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// More than the platform has.
    #[error("{what}: {value} is beyond the limit of {limit} on {family}")]
    Limit {
        /// What was asked for.
        what: &'static str,
        /// How much of it.
        value: u64,
        /// How much there is.
        limit: u64,
        /// The family.
        family: Family,
    },
    /// The platform has no such thing.
    #[error("{family} has no {what}")]
    Unsupported {
        /// What was asked for.
        what: &'static str,
        /// The family.
        family: Family,
    },
}

/// The lanes of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Simd {
    /// 8 lanes.
    Simd8,
    /// 16 lanes.
    Simd16,
    /// 32 lanes.
    Simd32,
}

impl Simd {
    /// The width with this number of lanes.
    pub const fn from_lanes(lanes: u32) -> Option<Self> {
        match lanes {
            8 => Some(Simd::Simd8),
            16 => Some(Simd::Simd16),
            32 => Some(Simd::Simd32),
            _ => None,
        }
    }

    /// The width that a walker is given for kernels of `lanes` lanes. Threads of one-lane kernels
    /// start with all 32 lanes enabled; each of their instructions says how many it uses (Intel's
    /// compute-runtime, simd_helper.h).
    pub const fn for_kernel(lanes: u32) -> Option<Self> {
        match lanes {
            1 => Some(Simd::Simd32),
            lanes => Self::from_lanes(lanes),
        }
    }

    /// The number of lanes.
    pub const fn lanes(self) -> u32 {
        match self {
            Simd::Simd8 => 8,
            Simd::Simd16 => 16,
            Simd::Simd32 => 32,
        }
    }

    /// The walkers' code: 0, 1, 2.
    pub(crate) const fn code(self) -> u32 {
        self as u32
    }
}

/// An index into the platform's table of memory object controls; packets hold it shifted left by
/// one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Mocs(pub u8);

impl Mocs {
    /// What the MOCS fields of packets and states hold.
    pub const fn field(self) -> u32 {
        (self.0 as u32) << 1
    }
}

/// The bases that states, kernels and payloads are addressed from. Each is
/// 4 KiB aligned.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heaps {
    /// The base of 32-bit stateless addresses and, up to Gen12LP, of the scratch offset. From XeHPG
    /// on [`Heaps::payload`] takes its place.
    pub general: GpuAddress,
    /// Surface states and binding tables.
    pub surface: GpuAddress,
    /// Interface descriptors and sampler states.
    pub dynamic: GpuAddress,
    /// Payloads: the indirect object base up to Gen12LP, the general state
    /// base from XeHPG on.
    pub payload: GpuAddress,
    /// Kernels.
    pub instruction: GpuAddress,
    /// Bindless surface states: base and the number of 64-byte states. Gen8 has no such base.
    pub bindless_surface: Option<(GpuAddress, u32)>,
    /// Bindless sampler states: base and size in 4 KiB pages. Before Gen11 there is no such base.
    pub bindless_sampler: Option<(GpuAddress, u32)>,
}

/// Scratch memory of all threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scratch {
    /// Bytes per thread: a power of two from 1 KiB to 2 MiB.
    pub bytes_per_thread: u32,
    /// Up to Gen12LP the offset of the memory from the general state base, a
    /// multiple of 1 KiB; from XeHPG on the offset of its surface state from
    /// the surface state base, a multiple of 64.
    pub offset: u32,
}

/// What a context needs before its first dispatch, and keeps from batch to batch.
#[derive(Clone, Copy, Debug, Default)]
pub struct Setup {
    /// The heaps.
    pub heaps: Heaps,
    /// How heaps and stateless accesses are cached.
    pub mocs: Mocs,
    /// The front end.
    pub front_end: FrontEnd,
}

/// What the front end must know about the kernels of later dispatches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrontEnd {
    /// The hardware threads that may run at once, at least 1.
    pub max_threads: u32,
    /// Scratch memory, if a kernel uses it.
    pub scratch: Option<Scratch>,
    /// Whether a kernel uses shared local memory: up to Gen9 the
    /// L3 is divided accordingly.
    pub slm: bool,
    /// Whether the EUs of a pair run separate threads instead of one in lockstep: only for
    /// platforms whose EUs are paired (Gen12LP and XeHPG).
    pub no_eu_fusion: bool,
    /// Whether a kernel uses the systolic arrays (`dpas`): XeHPG
    /// powers them up for it.
    pub systolic: bool,
    /// The mode of the EUs.
    pub mode: ComputeMode,
}

/// How an EU chooses between its threads (XeHPC and Xe2).
///
/// Source: Intel's compute-runtime, STATE_COMPUTE_MODE "EU Thread Scheduling
/// Mode".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub enum ThreadScheduling {
    /// The hardware's default.
    #[default]
    Hardware,
    /// The oldest thread that can run.
    OldestFirst,
    /// One after the other.
    RoundRobin,
    /// The same thread until it stalls, then the next.
    StallBasedRoundRobin,
}

/// How EUs run the threads of later dispatches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ComputeMode {
    /// Whether they have 256 registers instead of 128 (from XeHPG), unless each
    /// dispatch says how many ([`Dispatch::registers`]).
    pub large_grf: bool,
    /// How EUs choose between them: a suggestion that only XeHPC and Xe2 take.
    pub scheduling: ThreadScheduling,
}

/// Local ids that the walker generates (from XeHPG).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalIds {
    /// The work-group's size in work-items, each dimension at most 1024.
    pub size: [u32; 3],
    /// How many dimensions get ids, from x on: 1 to 3.
    pub dimensions: u32,
    /// The dimension that counts fastest comes first.
    pub walk_order: [u8; 3],
}

/// What a walker writes when all its groups have ended (from XeHPG).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostSync {
    /// A 64-bit value.
    Write(Tag),
    /// Start and end timestamps: four dwords, the context's and the global
    /// start, then the ends. 16-byte aligned.
    Timestamps(GpuAddress),
}

/// A 64-bit value and where it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag {
    /// 8-byte aligned.
    pub address: GpuAddress,
    /// The value.
    pub value: u64,
}

/// Where a dispatch has places of the heap, in the words behind those before it. Copies of the words
/// for other places differ in nothing else.
#[derive(Clone, Copy, Debug)]
pub struct DispatchSpots {
    /// [`Dispatch::payload`].
    pub payload: Spot,
    /// [`Dispatch::descriptor`], up to Gen12LP.
    pub descriptor: Option<Spot>,
    /// What the descriptor holds, where it is part of the walker.
    pub states: Option<StateSpots>,
    /// The first dword of [`Dispatch::inline_data`].
    pub inline_data: Option<usize>,
}

/// Where a descriptor has places of the heap.
#[derive(Clone, Copy, Debug)]
pub struct StateSpots {
    /// [`Dispatch::binding_table`].
    pub binding_table: Spot,
    /// [`Dispatch::samplers`]; `None` where it has none.
    pub samplers: Option<Spot>,
}

/// Where a write has its address and its value.
#[derive(Clone, Copy, Debug)]
pub struct TagSpots {
    /// [`Tag::address`].
    pub address: Spot,
    /// [`Tag::value`].
    pub value: Spot,
}

/// A slot of a ring that a running batch reads: it waits for its turn, then continues with a batch.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// Where the slot lies.
    pub address: GpuAddress,
    /// The dword that says whose turn it is, 4-byte aligned.
    pub semaphore: GpuAddress,
    /// It is the slot's turn once the semaphore is at least this.
    pub turn: u32,
    /// The batch.
    pub batch: GpuAddress,
}

/// Where a slot has what changes.
#[derive(Clone, Copy, Debug)]
pub struct SlotSpots {
    /// [`Slot::turn`].
    pub turn: Spot,
    /// [`Slot::batch`].
    pub batch: Spot,
}

/// One kernel over a range of groups. All sizes and offsets are bytes.
#[derive(Clone, Debug)]
pub struct Dispatch {
    /// The kernel's entry from the instruction base, 64-byte aligned.
    pub kernel: u32,
    /// The lanes of a thread.
    pub simd: Simd,
    /// The threads of a group, at least 1.
    pub threads_per_group: u32,
    /// How many groups run in each dimension.
    pub groups: [u32; 3],
    /// The id of the first group.
    pub first_group: [u32; 3],
    /// The lanes that run in the last thread of each group.
    pub last_thread_mask: u32,
    /// Where the interface descriptor lies in the dynamic state heap, 64-byte
    /// aligned (up to Gen12LP).
    pub descriptor: u32,
    /// The binding table from the surface state base, 32-byte aligned.
    pub binding_table: u32,
    /// Its entries; only a hint for prefetching.
    pub binding_table_entries: u32,
    /// The sampler states from the dynamic state base, 32-byte aligned.
    pub samplers: u32,
    /// How many there are.
    pub sampler_count: u32,
    /// Registers of a thread. Where the count is a mode of the EUs, [`ComputeMode::large_grf`]
    /// decides.
    pub registers: u32,
    /// Shared local memory of a group.
    pub slm_bytes: u32,
    /// Barriers of a group.
    pub barriers: u32,
    /// The payload from [`Heaps::payload`], 64-byte aligned: cross-thread data
    /// (without the inline part), then each thread's own.
    pub payload: u32,
    /// The size of the cross-thread data in memory, a multiple of 32.
    pub cross_thread_bytes: u32,
    /// The size of each thread's data in memory, a multiple of the GRF.
    pub per_thread_bytes: u32,
    /// Cross-thread data that the walker carries (from XeHPG).
    pub inline_data: Option<[u32; 8]>,
    /// Local ids that the walker makes instead of reading them from the payload (from XeHPG).
    pub local_ids: Option<LocalIds>,
    /// What is written at the end (from XeHPG).
    pub post_sync: Option<PostSync>,
    /// How the post-sync write is cached.
    pub mocs: Mocs,
    /// Whether the kernel needs all groups to make progress independently (Xe2).
    pub forward_progress: bool,
}

impl Default for Dispatch {
    /// One SIMD16 thread with all lanes and nothing else.
    fn default() -> Self {
        Dispatch {
            kernel: 0,
            simd: Simd::Simd16,
            threads_per_group: 1,
            groups: [1; 3],
            first_group: [0; 3],
            last_thread_mask: u32::MAX,
            descriptor: 0,
            binding_table: 0,
            binding_table_entries: 0,
            samplers: 0,
            sampler_count: 0,
            registers: 128,
            slm_bytes: 0,
            barriers: 0,
            payload: 0,
            cross_thread_bytes: 0,
            per_thread_bytes: 0,
            inline_data: None,
            local_ids: None,
            post_sync: None,
            mocs: Mocs::default(),
            forward_progress: false,
        }
    }
}

impl Dispatch {
    /// Where the groups end in each dimension.
    pub(crate) fn end(&self, family: Family) -> Result<[u32; 3], DispatchError> {
        let mut end = [0; 3];
        for (i, end) in end.iter_mut().enumerate() {
            let first = self.first_group.get(i).copied().unwrap_or(0);
            let count = self.groups.get(i).copied().unwrap_or(0);
            *end = first.checked_add(count).ok_or(DispatchError::Limit {
                what: "last group id",
                value: u64::from(first) + u64::from(count),
                limit: u32::MAX.into(),
                family,
            })?;
        }
        Ok(end)
    }

    /// The bytes of the payload in memory.
    pub(crate) fn payload_bytes(&self) -> u64 {
        u64::from(self.cross_thread_bytes)
            + u64::from(self.per_thread_bytes) * u64::from(self.threads_per_group)
    }
}
