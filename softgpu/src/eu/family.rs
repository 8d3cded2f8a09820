//! What the interpreter does differently from family to family: one row each.

use devinfo::Family;

/// The rules of a family.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// The family.
    pub family: Family,
    /// Bytes of a general register.
    pub grf_bytes: usize,
    /// Forward `goto` redirects the channels whose predicate is false (Gen8 and Gen9) instead of
    /// true. Source: vISA `gotoJumpOnTrue`, BDW and SKL PRM vol 2a "goto".
    pub goto_takes_false: bool,
    /// `mach` and `macl` always update the accumulator: there is no AccWrEn bit (XeHPC on).
    pub mach_writes_acc: bool,
    /// `bfn`-style families on: sends take the length of source 1 from the instruction.
    pub barrier_by_sync: bool,
}

impl Rules {
    /// The row of `family`.
    pub const fn of(family: Family) -> Self {
        let row = Self {
            family,
            grf_bytes: family.grf_bytes(),
            goto_takes_false: false,
            mach_writes_acc: false,
            barrier_by_sync: true,
        };
        match family {
            Family::Gen8 | Family::Gen9 => Self {
                goto_takes_false: true,
                barrier_by_sync: false,
                ..row
            },
            Family::Gen11 => Self {
                barrier_by_sync: false,
                ..row
            },
            Family::Gen12Lp | Family::XeHpg => row,
            Family::XeHpc | Family::Xe2 => Self {
                mach_writes_acc: true,
                ..row
            },
        }
    }
}
