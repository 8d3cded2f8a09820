//! How the engines of a family take work from a register's writer, one row each.

use devinfo::Family;

/// Where an execution list is written.
///
/// Sources: BDW and ICL PRM vol 2c; i915 `intel_execlists_submission.c` and `intel_engine_regs.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Submission {
    /// EXECLIST_SUBMITPORT: four writes, of the last element's high dword first.
    Port,
    /// The submit queue, and EXECLIST_CONTROL, which loads it.
    Queue,
    /// Only firmware submits.
    Firmware,
}

/// What a family has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Traits {
    /// How an engine takes work.
    pub submission: Submission,
    /// Whether a compute engine exists, where earlier families have another one's registers.
    pub compute_engine: bool,
    /// What EXECLIST_STATUS says of an engine that has nothing to do, in the bits that files wait for
    /// (AUB files of NEO 22.43: bit 8 is set to Gen9, bit 15 later; NEO 26.x: bit 7 is clear from Gen12LP on).
    pub idle_status: u32,
    /// The same for an engine with work.
    pub busy_status: u32,
}

/// The row of a family.
pub(crate) const fn traits(family: Family) -> Traits {
    match family {
        Family::Gen8 | Family::Gen9 => Traits {
            submission: Submission::Port,
            compute_engine: false,
            idle_status: 0x100,
            busy_status: 0,
        },
        Family::Gen11 => Traits {
            submission: Submission::Queue,
            compute_engine: false,
            idle_status: 0x8000,
            busy_status: 0,
        },
        Family::Gen12Lp | Family::XeHpg => Traits {
            submission: Submission::Queue,
            compute_engine: true,
            idle_status: 0x8000,
            busy_status: 0x80,
        },
        Family::XeHpc | Family::Xe2 | Family::Xe3 => Traits {
            submission: Submission::Firmware,
            compute_engine: true,
            idle_status: 0x8000,
            busy_status: 0x80,
        },
    }
}
