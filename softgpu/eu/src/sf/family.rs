//! What the shared functions of a family have, one row each.

use devinfo::Family;

/// What a family has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Traits {
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
        Family::Gen8 | Family::Gen9 => Traits {
            classic_data_ports: true,
            local_in_order: true,
            caches: false,
        },
        Family::Gen11 | Family::Gen12Lp => Traits {
            classic_data_ports: true,
            local_in_order: false,
            caches: false,
        },
        Family::XeHpg | Family::XeHpc => Traits {
            classic_data_ports: true,
            local_in_order: false,
            caches: true,
        },
        Family::Xe2 | Family::Xe3 => Traits {
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
