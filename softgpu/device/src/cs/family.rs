//! What the command streamers of a family have, one row each.

use devinfo::Family;

/// What a family has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Traits {
    /// On the render engine, MI_BATCH_BUFFER_START obeys its own register (SKL PRM vol 2a). Later
    /// it obeys MI_SET_PREDICATE (ACM PRM vol 2a; Mesa `mi_goto_if`).
    pub start_predicate_register: bool,
    /// MI_SET_PREDICATE disables a command only if a bit of the command allows it.
    pub predication_bits: bool,
    /// The ALU of MI_MATH shifts, fences, and takes a register's number from another register (Mesa
    /// `mi_builder.h`, `GFX_VERx10 >= 125`).
    pub math_shifts: bool,
    /// The four timestamps of a walker's post-sync operation have 64 bits each, not 32 (Mesa
    /// `anv_utrace.c`; NEO, `TimestampPacketType`).
    pub wide_walker_timestamps: bool,
}

/// The row of a family.
pub(super) const fn traits(family: Family) -> Traits {
    match family {
        Family::Gen8 | Family::Gen9 | Family::Gen11 | Family::Gen12Lp => Traits {
            start_predicate_register: true,
            predication_bits: false,
            math_shifts: false,
            wide_walker_timestamps: false,
        },
        Family::XeHpg | Family::XeHpc => XE_HPG,
        Family::Xe2 | Family::Xe3 => Traits {
            wide_walker_timestamps: true,
            ..XE_HPG
        },
    }
}

const XE_HPG: Traits = Traits {
    start_predicate_register: false,
    predication_bits: true,
    math_shifts: true,
    wide_walker_timestamps: false,
};
