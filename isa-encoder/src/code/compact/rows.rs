//! The compacted forms of each family: one row per field.

use super::gen8_tables as g8;
use super::gen12_tables as g12;
use super::table::{Compaction, IMM32, ImmCoding, Index, Part, Table, Target, mask, spread_all};
use super::xehpc_tables as hpc;
use crate::code::bits::{Field, b, f};

macro_rules! copy {
    ($compact:expr => $native:expr) => {
        copy!(false, $compact => $native)
    };
    ($unless_imm:expr, $compact:expr => $native:expr) => {
        Part {
            compact: &[$compact],
            target: Target::Copy($native),
            mask: const { mask(&[$native]) },
            unless_imm: $unless_imm,
        }
    };
}

macro_rules! table {
    ($compact:expr, $table:expr => $split:expr) => {
        table!(false, $compact, $table => $split)
    };
    ($unless_imm:expr, $compact:expr, $table:expr => $split:expr) => {
        Part {
            compact: &$compact,
            target: Target::Table(Table {
                patterns: &const { spread_all(&$split, &$table) },
                index: const { Index::of(&spread_all(&$split, &$table), mask(&$split)) },
                index_beside_imm: const {
                    Index::of(&spread_all(&$split, &$table), mask(&$split) & !IMM32)
                },
            }),
            mask: const { mask(&$split) },
            unless_imm: $unless_imm,
        }
    };
}

/// The part is replaced by an immediate.
const UNLESS_IMM: bool = true;

const GEN12_CONTROL: [Field; 10] = [
    f(95, 92),
    b(34),
    b(33),
    b(32),
    b(31),
    b(28),
    f(27, 24),
    f(23, 22),
    f(21, 19),
    f(18, 16),
];
const GEN12_DATATYPE: [Field; 10] = [
    b(98),
    f(91, 88),
    b(66),
    b(50),
    f(49, 48),
    b(47),
    b(46),
    f(43, 40),
    f(39, 36),
    b(35),
];
const GEN12_SUBREG: [Field; 3] = [f(103, 99), f(71, 67), f(55, 51)];
const GEN12_SRC0: [Field; 5] = [f(87, 84), f(83, 81), b(80), f(65, 64), f(45, 44)];
const GEN12_SRC1: [Field; 5] = [f(121, 120), f(119, 116), f(115, 113), b(112), f(97, 96)];
const GEN12_TERNARY_CONTROL: [Field; 18] = [
    f(95, 92),
    f(90, 88),
    f(82, 80),
    b(50),
    b(48),
    f(42, 40),
    b(39),
    f(38, 36),
    b(34),
    b(33),
    b(32),
    b(31),
    b(28),
    f(27, 24),
    b(23),
    b(22),
    f(21, 19),
    f(18, 16),
];
const GEN12_TERNARY_SOURCE: [Field; 15] = [
    b(114),
    f(113, 112),
    b(98),
    f(97, 96),
    b(91),
    f(87, 86),
    f(85, 84),
    b(83),
    b(66),
    f(65, 64),
    b(47),
    b(46),
    f(45, 44),
    b(43),
    b(35),
];
const GEN12_TERNARY_SUBREG: [Field; 4] = [f(119, 115), f(103, 99), f(71, 67), f(55, 51)];

/// The form with two sources of Gen12LP and XeHPG: they differ in the patterns of the sources.
macro_rules! gen12_basic {
    ($src0:ident, $src1:ident) => {
        &[
            copy!(f(6, 0) => f(6, 0)),
            copy!(b(7) => b(30)),
            copy!(f(15, 8) => f(15, 8)),
            copy!(f(23, 16) => f(63, 56)),
            table!([f(28, 24)], g12::CONTROL => GEN12_CONTROL),
            table!([f(34, 30)], g12::DATATYPE => GEN12_DATATYPE),
            table!([f(39, 35)], g12::SUBREG => GEN12_SUBREG),
            copy!(f(47, 40) => f(79, 72)),
            table!([f(51, 48)], g12::$src0 => GEN12_SRC0),
            table!(UNLESS_IMM, [f(55, 52)], g12::$src1 => GEN12_SRC1),
            copy!(UNLESS_IMM, f(63, 56) => f(111, 104)),
        ]
    };
}

/// The same with three sources: they differ in patterns and positions of control, and in patterns
/// of the sources.
macro_rules! gen12_ternary {
    ($control:ident => $places:ident, $source:ident) => {
        &[
            copy!(f(6, 0) => f(6, 0)),
            copy!(b(7) => b(30)),
            copy!(f(15, 8) => f(15, 8)),
            copy!(f(23, 16) => f(63, 56)),
            table!([f(28, 24)], g12::$control => $places),
            table!([f(34, 30)], g12::$source => GEN12_TERNARY_SOURCE),
            table!([f(39, 35)], g12::TERNARY_SUBREG => GEN12_TERNARY_SUBREG),
            copy!(f(47, 40) => f(79, 72)),
            copy!(f(55, 48) => f(127, 120)),
            copy!(f(63, 56) => f(111, 104)),
        ]
    };
}

const GEN12_TERNARY: &[Part] =
    gen12_ternary!(TERNARY_CONTROL => GEN12_TERNARY_CONTROL, TERNARY_SOURCE);

/// Gen12LP.
pub const GEN12LP: Compaction = Compaction {
    basic: gen12_basic!(SRC0, SRC1),
    ternary: GEN12_TERNARY,
    dpas: GEN12_TERNARY,
    math: false,
    ignores_unused: false,
    imm: &[f(63, 52)],
    imm_coding: ImmCoding::ByType12,
};

/// XeHPG.
pub const XEHPG: Compaction = Compaction {
    basic: gen12_basic!(XEHPG_SRC0, XEHPG_SRC1),
    ternary: XEHPG_TERNARY,
    dpas: XEHPG_TERNARY,
    ..GEN12LP
};

const XEHPG_TERNARY_CONTROL: [Field; 18] = {
    let mut fields = GEN12_TERNARY_CONTROL;
    fields[4] = f(49, 48);
    fields
};

const XEHPG_TERNARY: &[Part] =
    gen12_ternary!(XEHPG_TERNARY_CONTROL => XEHPG_TERNARY_CONTROL, XEHPG_TERNARY_SOURCE);

const XEHPC_CONTROL: [Field; 9] = [
    f(95, 92),
    b(34),
    b(32),
    b(31),
    b(28),
    f(27, 26),
    f(25, 24),
    f(23, 21),
    f(20, 18),
];
const XEHPC_SUBREG: [Field; 4] = [b(87), f(71, 67), f(55, 51), b(33)];
const XEHPC_SRC0: [Field; 5] = [f(86, 84), f(83, 81), b(80), f(65, 64), f(45, 44)];
const XEHPC_SRC1: [Field; 6] = [
    f(121, 120),
    f(118, 116),
    f(115, 113),
    b(112),
    f(103, 99),
    f(97, 96),
];
const XEHPC_TERNARY_CONTROL: [Field; 16] = [
    f(95, 92),
    f(90, 88),
    f(82, 80),
    b(50),
    f(49, 48),
    f(42, 40),
    b(39),
    f(38, 36),
    b(34),
    b(32),
    b(31),
    b(28),
    f(27, 26),
    f(25, 24),
    f(23, 21),
    f(20, 18),
];

macro_rules! xehpc {
    ($doc:literal $name:ident $control:ident $datatype:ident $subreg:ident $src0:ident $src1:ident
     $ternary_control:ident $ternary_source:ident $ternary_subreg:ident) => {
        #[doc = $doc]
        pub const $name: Compaction = Compaction {
            basic: &[
        copy!(f(6, 0) => f(6, 0)),
        copy!(b(7) => b(30)),
        copy!(f(17, 8) => f(17, 8)),
        table!([f(22, 18)], hpc::$control => XEHPC_CONTROL),
        table!([f(25, 23)], hpc::$src0 => XEHPC_SRC0),
        table!([f(31, 30), f(28, 26)], hpc::$datatype => GEN12_DATATYPE),
        copy!(f(39, 32) => f(63, 56)),
        copy!(f(47, 40) => f(79, 72)),
        table!([f(51, 48)], hpc::$subreg => XEHPC_SUBREG),
        table!(UNLESS_IMM, [f(55, 52)], hpc::$src1 => XEHPC_SRC1),
        copy!(UNLESS_IMM, f(63, 56) => f(111, 104)),
            ],
            ternary: &[
        copy!(f(6, 0) => f(6, 0)),
        copy!(b(7) => b(30)),
        copy!(f(17, 8) => f(17, 8)),
        table!([f(21, 18)], hpc::$ternary_control => XEHPC_TERNARY_CONTROL),
        table!([f(25, 22)], hpc::$ternary_source => GEN12_TERNARY_SOURCE),
        table!([f(31, 30), f(28, 26)], hpc::$ternary_subreg => GEN12_TERNARY_SUBREG),
        copy!(f(39, 32) => f(63, 56)),
        copy!(f(47, 40) => f(79, 72)),
        copy!(f(55, 48) => f(127, 120)),
        copy!(f(63, 56) => f(111, 104)),
            ],
            dpas: &[
        copy!(f(6, 0) => f(6, 0)),
        copy!(b(7) => b(30)),
        copy!(f(17, 8) => f(17, 8)),
        table!([f(21, 18)], hpc::DPAS_CONTROL => XEHPC_TERNARY_CONTROL),
        table!([f(25, 22)], hpc::DPAS_SOURCE => XEHPC_DPAS_SOURCE),
        table!([f(31, 30), f(28, 26)], hpc::$ternary_subreg => GEN12_TERNARY_SUBREG),
        copy!(f(39, 32) => f(63, 56)),
        copy!(f(47, 40) => f(79, 72)),
        copy!(f(55, 48) => f(127, 120)),
        copy!(f(63, 56) => f(111, 104)),
            ],
            math: false,
            ignores_unused: false,
            imm: &[f(63, 52)],
            imm_coding: ImmCoding::ByType12,
        };
    };
}

/// In `dpas`, the repeat count lies where other three-source instructions have modifiers.
const XEHPC_DPAS_SOURCE: [Field; 15] = GEN12_TERNARY_SOURCE;

xehpc! {"XeHPC." XEHPC CONTROL DATATYPE SUBREG SRC0 SRC1
TERNARY_CONTROL TERNARY_SOURCE TERNARY_SUBREG}
xehpc! {"Xe2." XE2 XE2_CONTROL XE2_DATATYPE XE2_SUBREG XE2_SRC0 XE2_SRC1
XE2_TERNARY_CONTROL XE2_TERNARY_SOURCE XE2_TERNARY_SUBREG}

const GEN8_CONTROL: [Field; 5] = [f(33, 31), f(23, 12), f(10, 9), b(34), b(8)];
const GEN8_DATATYPE: [Field; 3] = [f(63, 61), f(94, 89), f(46, 35)];
const GEN8_SUBREG: [Field; 3] = [f(100, 96), f(68, 64), f(52, 48)];

macro_rules! gen8 {
    ($doc:literal $name:ident $datatype:ident $ternary:expr) => {
        #[doc = $doc]
        pub const $name: Compaction = Compaction {
            basic: &[
        copy!(f(6, 0) => f(6, 0)),
        copy!(b(7) => b(30)),
        table!([f(12, 8)], g8::CONTROL => GEN8_CONTROL),
        table!([f(17, 13)], g8::$datatype => GEN8_DATATYPE),
        table!([f(22, 18)], g8::SUBREG => GEN8_SUBREG),
        copy!(b(23) => b(28)),
        copy!(f(27, 24) => f(27, 24)),
        table!([f(34, 30)], g8::SRC => [f(88, 77)]),
        copy!(f(47, 40) => f(60, 53)),
        copy!(f(55, 48) => f(76, 69)),
        table!(UNLESS_IMM, [f(39, 35)], g8::SRC => [f(120, 109)]),
        copy!(UNLESS_IMM, f(63, 56) => f(108, 101)),
            ],
            ternary: $ternary,
            dpas: &[],
            math: true,
            ignores_unused: true,
            imm: &[f(39, 35), f(63, 56)],
            imm_coding: ImmCoding::Signed13,
        };
    };
}

macro_rules! align16 {
    ($control:ident $control_fields:expr, $source:ident $source_fields:expr) => {
        &[
            copy!(f(6, 0) => f(6, 0)),
            table!([f(9, 8)], g8::$control => $control_fields),
            table!([f(11, 10)], g8::$source => $source_fields),
            copy!(f(18, 12) => f(62, 56)),
            copy!(b(28) => b(64)),
            copy!(b(30) => b(30)),
            copy!(b(31) => b(31)),
            copy!(b(32) => b(85)),
            copy!(b(33) => b(106)),
            copy!(f(36, 34) => f(75, 73)),
            copy!(f(39, 37) => f(96, 94)),
            copy!(f(42, 40) => f(117, 115)),
            copy!(f(49, 43) => f(82, 76)),
            copy!(f(56, 50) => f(103, 97)),
            copy!(f(63, 57) => f(124, 118)),
        ]
    };
}

gen8! {"Gen8." GEN8 DATATYPE align16!(
    GEN8_TERNARY_CONTROL [f(34, 32), f(28, 8)],
    GEN8_TERNARY_SOURCE [b(125), b(104), b(83), f(114, 107), f(93, 86), f(72, 65), f(55, 37)]
)}
gen8! {"Gen9." GEN9 DATATYPE align16!(
    TERNARY_CONTROL [f(36, 32), f(28, 8)],
    TERNARY_SOURCE [
        f(126, 125), f(105, 104), b(84), b(83), f(114, 107), f(93, 86), f(72, 65), f(55, 37)
    ]
)}
gen8! {"Gen11: three-source instructions have no short form." GEN11 GEN11_DATATYPE &[]}
