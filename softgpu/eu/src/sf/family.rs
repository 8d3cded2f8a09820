//! What the shared functions of a family have, one row each.

use devinfo::Family;

/// What the dword of a barrier's payload holds that names the barrier.
#[derive(Clone, Copy, Debug)]
pub struct BarrierName {
    /// The bits that have a meaning.
    pub mask: u32,
    /// What they are of the group's own barrier, for each of its threads.
    pub of_each: u32,
}

impl BarrierName {
    /// Its number alone, which r0.2 has in the same bits. Threads get number 0 here.
    ///
    /// Source of the bits: Mesa brw_fs_nir.cpp (`barrier_id_mask`); code of IGC keeps the same.
    const fn id(mask: u32) -> Self {
        Self { mask, of_each: 0 }
    }

    /// Its number (7:0), its type (15:14, 0 if all threads produce and consume), and how many produce (23:16) and
    /// consume (31:24).
    ///
    /// Sources: IGC TranslateSendSync.cpp (generateNamedBarrier), Mesa brw_fs_nir.cpp
    /// (setup_barrier_message_payload_gfx125: the group's threads from r0.2 31:24).
    const WITH_THREADS: Self = Self {
        mask: 0xffff_c0ff,
        of_each: 0x0101_0000,
    };

    /// The bits of the barrier of a group of so many threads.
    pub const fn of(self, threads: u32) -> u32 {
        self.of_each * (threads & 0xff)
    }
}

/// What a family has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Traits {
    /// What the payload of a barrier message names.
    pub barrier: BarrierName,
    /// The classic data ports answer. Otherwise their numbers still exist.
    pub classic_data_ports: bool,
    /// Accesses of shared local memory are in order with a barrier, without a fence: they go the
    /// way of other messages. (IGC fences them from Gen11 on, where the memory moved into the
    /// sub-slice: Gen11 PRM vol 7, "Shared Local Memory".)
    pub local_in_order: bool,
    /// Sub-slices have a cache for loads of global memory, which does not see what other sub-slices
    /// write until a fence drops what it holds (ATS-M PRM vol 8, "Load Store Cache").
    pub caches: bool,
}

/// The row of a family.
pub(super) const fn traits(family: Family) -> Traits {
    match family {
        Family::Gen8 => Traits {
            barrier: BarrierName::id(0x0f00_0000),
            ..traits(Family::Gen9)
        },
        Family::Gen9 => Traits {
            barrier: BarrierName::id(0x8f00_0000),
            classic_data_ports: true,
            local_in_order: true,
            caches: false,
        },
        Family::Gen11 | Family::Gen12Lp => Traits {
            barrier: BarrierName::id(0x7f00_0000),
            classic_data_ports: true,
            local_in_order: false,
            caches: false,
        },
        Family::XeHpg | Family::XeHpc => Traits {
            barrier: BarrierName::WITH_THREADS,
            classic_data_ports: true,
            local_in_order: false,
            caches: true,
        },
        Family::Xe2 | Family::Xe3 => Traits {
            barrier: BarrierName::WITH_THREADS,
            classic_data_ports: false,
            local_in_order: false,
            caches: true,
        },
    }
}

/// Whether sub-slices have caches of what others write.
pub(crate) const fn caches(family: Family) -> bool {
    traits(family).caches
}

/// Whether shared local memory needs no fences.
pub(crate) const fn local_in_order(family: Family) -> bool {
    traits(family).local_in_order
}
