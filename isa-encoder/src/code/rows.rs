//! One row per family: what it has.

use devinfo::Family;

use super::compact;
use super::family::{ArfFile, FamilyTable, SendForm, SendOptions, ThreadSize};
use super::swsb::SwsbEncoding;
use super::{layout, types};
use crate::Opcode;
use crate::model::{ArfKind, Attributes, Options, Sfid};

/// The row of a family. It leaves out what follows from [`Opcode::ROWS`] and the like.
pub const fn of(family: Family) -> FamilyTable {
    match family {
        Family::Gen8 => GEN8,
        Family::Gen9 => GEN9,
        Family::Gen11 => GEN11,
        Family::Gen12Lp => GEN12LP,
        Family::XeHpg => XEHPG,
        Family::XeHpc => XEHPC,
        Family::Xe2 => XE2,
        Family::Xe3 => XE3,
    }
}

/// Options of every family.
const ALL_HAVE: Options = Options::ATOMIC
    .union(Options::BREAKPOINT)
    .union(Options::COMPACTED)
    .union(Options::NO_COMPACT);

/// Sizes of threads, as `(registers, tokens)`.
///
/// Source: BDW to TGL PRM vol 7, "Register Files"; IGC `GRFMode` (visa/G4_Kernel.cpp).
macro_rules! thread_sizes {
    ($(($registers:literal, $tokens:literal)),*) => {
        &[$(ThreadSize { registers: $registers, tokens: $tokens }),*]
    };
}

const GEN8: FamilyTable = FamilyTable {
    family: Family::Gen8,
    opcodes: [None; 128],
    codes: [None; Opcode::ALL.len()],
    attributes: [Attributes::empty(); Opcode::ALL.len()],
    math_functions: [None; 16],
    sync_functions: [None; 16],
    sfids: [None; 16],
    arf_kinds: [None; 16],
    layout: layout::GEN8,
    types: types::GEN8,
    compaction: &compact::GEN8,
    swsb: SwsbEncoding::None,
    thread_sizes: thread_sizes![(128, 0)],
    send: SendForm::Legacy,
    send_options: SendOptions::NONE,
    options: ALL_HAVE
        .union(Options::ACC_WR_EN)
        .union(Options::NO_DD_CHK)
        .union(Options::NO_DD_CLR)
        .union(Options::SWITCH),
    numbered_barriers: false,
    arfs: ArfFile::COMMON
        .with(ArfKind::Accumulator, 10)
        .with(ArfKind::Flag, 2)
        .with(ArfKind::MessageControl, 8)
        .with(ArfKind::StackPointer, 1)
        .with(ArfKind::State, 2)
        .with(ArfKind::FlowControl, 5),
    first_math_macro: 2,
    names_math_macros: true,
    scaled_control: false,
    ternary_vstride1: 2,
    ternary_grf_is_1: false,
    align16: true,
    send_regions: true,
    half_beside_register: false,
    indirect_file_is_grf: true,
    legacy_jumps: true,
    macro_accumulators: true,
    ends_anywhere: false,
    short_dpas_results: false,
    byte_writes_read: false,
    touched_responses: false,
};

const GEN9: FamilyTable = FamilyTable {
    layout: layout::GEN9,
    compaction: &compact::GEN9,
    options: GEN8.options.union(Options::NO_SRC_DEP_SET),
    send_regions: false,
    half_beside_register: true,
    ..GEN8
};

const GEN11: FamilyTable = FamilyTable {
    layout: layout::GEN11,
    types: types::GEN11,
    compaction: &compact::GEN11,
    options: GEN9.options.union(Options::NO_PREEMPT),
    align16: false,
    half_beside_register: false,
    ..GEN9
};

const GEN12LP: FamilyTable = FamilyTable {
    layout: layout::GEN12,
    types: types::GEN12,
    compaction: &compact::GEN12LP,
    swsb: SwsbEncoding::SingleDist,
    thread_sizes: thread_sizes![(128, 16)],
    send: SendForm::LengthInDescriptor,
    options: ALL_HAVE.union(Options::ACC_WR_EN).union(Options::SERIALIZE),
    arfs: GEN11
        .arfs
        .with(ArfKind::Accumulator, 16)
        .with(ArfKind::FlowControl, 4),
    first_math_macro: 8,
    ternary_vstride1: 1,
    ternary_grf_is_1: true,
    indirect_file_is_grf: false,
    legacy_jumps: false,
    ..GEN11
};

const XEHPG: FamilyTable = FamilyTable {
    layout: layout::XEHPG,
    types: types::XEHPG,
    compaction: &compact::XEHPG,
    swsb: SwsbEncoding::ThreeDist,
    thread_sizes: thread_sizes![(128, 16), (256, 16)],
    send: SendForm::LengthInInstruction,
    send_options: SendOptions {
        ex_bso: true,
        cps: true,
        ..SendOptions::NONE
    },
    arfs: GEN12LP.arfs.with(ArfKind::StackPointer, 0),
    ..GEN12LP
};

const XEHPC: FamilyTable = FamilyTable {
    layout: layout::XEHPC,
    types: types::XEHPC,
    compaction: &compact::XEHPC,
    swsb: SwsbEncoding::FourDist,
    thread_sizes: thread_sizes![(128, 16), (256, 32)],
    options: ALL_HAVE,
    numbered_barriers: true,
    arfs: XEHPG.arfs.with(ArfKind::Flag, 4),
    names_math_macros: false,
    short_dpas_results: true,
    byte_writes_read: true,
    touched_responses: true,
    ..XEHPG
};

const XE2: FamilyTable = FamilyTable {
    compaction: &compact::XE2,
    send_options: SendOptions {
        ex_bso: true,
        cps: false,
        exdesc_offset: true,
        implied_ex_bso: Some(Sfid::Ugm),
    },
    arfs: XEHPC
        .arfs
        .with(ArfKind::MessageControl, 2)
        .with(ArfKind::State, 1)
        .with(ArfKind::FlowControl, 3),
    scaled_control: true,
    macro_accumulators: false,
    touched_responses: false,
    ..XEHPC
};

const XE3: FamilyTable = FamilyTable {
    types: types::XE3,
    swsb: SwsbEncoding::FiveDist,
    thread_sizes: thread_sizes![
        (32, 32),
        (64, 32),
        (96, 32),
        (128, 32),
        (160, 32),
        (192, 32),
        (256, 32)
    ],
    arfs: XE2.arfs.with(ArfKind::Scalar, 1),
    ends_anywhere: true,
    ..XE2
};
