//! What the interpreter does differently in each family, one row each.

use devinfo::Family;

/// The rules of a family.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// The family.
    pub family: Family,
    /// Bytes of a general register.
    pub grf_bytes: usize,
    /// Forward `goto` redirects the channels whose predicate is false (Gen8 and Gen9), not true.
    /// Source: vISA `gotoJumpOnTrue`, BDW and SKL PRM vol 2a "goto".
    pub goto_takes_false: bool,
    /// `mach` and `macl` always update the accumulator: there is no AccWrEn bit (XeHPC on).
    pub mach_writes_acc: bool,
    /// The offset in a `jmpi` register counts from the next instruction (up to Gen11), not from the
    /// `jmpi` itself.
    pub jump_from_next: bool,
}

impl Rules {
    /// The row of `family`.
    pub const fn of(family: Family) -> Self {
        let row = Self {
            family,
            grf_bytes: family.grf_bytes(),
            goto_takes_false: false,
            mach_writes_acc: false,
            jump_from_next: false,
        };
        match family {
            Family::Gen8 | Family::Gen9 => Self {
                goto_takes_false: true,
                jump_from_next: true,
                ..row
            },
            Family::Gen11 => Self {
                jump_from_next: true,
                ..row
            },
            Family::Gen12Lp | Family::XeHpg => row,
            Family::XeHpc | Family::Xe2 | Family::Xe3 => Self {
                mach_writes_acc: true,
                ..row
            },
        }
    }

    /// What the offset in a `jmpi` register counts from.
    pub const fn jump_origin(self, ip: u32, next_ip: u32) -> u32 {
        if self.jump_from_next { next_ip } else { ip }
    }
}
