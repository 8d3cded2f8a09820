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
    /// Registers have an engine forget what it cached of the tables of compressed surfaces (Linux
    /// `intel_gt_regs.h`, `GEN12_CCS_AUX_INV` and its like).
    pub aux_invalidation: bool,
    /// GT_MODE has "Binding Table Alignment" (genxml; Mesa `iris_state.c`).
    pub binding_table_alignment: bool,
}

/// The row of a family.
pub(super) const fn traits(family: Family) -> Traits {
    match family {
        Family::Gen8 | Family::Gen9 => GEN8,
        Family::Gen11 => Traits {
            binding_table_alignment: true,
            ..GEN8
        },
        Family::Gen12Lp => Traits {
            aux_invalidation: true,
            binding_table_alignment: true,
            ..GEN8
        },
        Family::XeHpg | Family::XeHpc => XE_HPG,
        Family::Xe2 | Family::Xe3 => Traits {
            wide_walker_timestamps: true,
            ..XE_HPG
        },
    }
}

const GEN8: Traits = Traits {
    start_predicate_register: true,
    predication_bits: false,
    math_shifts: false,
    wide_walker_timestamps: false,
    aux_invalidation: false,
    binding_table_alignment: false,
};

const XE_HPG: Traits = Traits {
    start_predicate_register: false,
    predication_bits: true,
    math_shifts: true,
    wide_walker_timestamps: false,
    aux_invalidation: true,
    binding_table_alignment: false,
};
