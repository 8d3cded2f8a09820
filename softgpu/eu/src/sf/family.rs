//! What the shared functions of a family have, one row each.

use devinfo::Family;

/// What a family has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Traits {
    /// The payload of a barrier message names the barrier and its threads.
    pub barrier_in_payload: bool,
    /// The classic data ports answer. Otherwise their numbers still exist.
    pub classic_data_ports: bool,
}

/// The row of a family.
pub(super) const fn traits(family: Family) -> Traits {
    match family {
        Family::Gen8 | Family::Gen9 | Family::Gen11 | Family::Gen12Lp => Traits {
            barrier_in_payload: false,
            classic_data_ports: true,
        },
        Family::XeHpg | Family::XeHpc => Traits {
            barrier_in_payload: true,
            classic_data_ports: true,
        },
        Family::Xe2 | Family::Xe3 => Traits {
            barrier_in_payload: true,
            classic_data_ports: false,
        },
    }
}
