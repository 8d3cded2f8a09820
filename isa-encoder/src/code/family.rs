//! What a family is: one row of tables.

use devinfo::Family;

use super::compact::{self, Compaction};
use super::layout::{self, Layout};
use super::opcodes;
use super::swsb::SwsbEncoding;
use super::types::{self, TypeTable};
use crate::model::{Opcode, Sfid};

/// The form of sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendForm {
    /// One payload, or two with `sends`; the function in the extended descriptor (to Gen11).
    Gen9,
    /// Two payloads; the second one's length in the extended descriptor (Gen12LP).
    Gen12,
    /// Two payloads; the second one's length in the instruction (XeHPG, XeHPC).
    XeHpg,
    /// As XeHPG, with immediate bits beside an extended descriptor register (Xe2).
    Xe2,
}

/// All that decoder and encoder know of a family.
#[derive(Debug)]
pub struct FamilyTable {
    pub family: Family,
    pub layout: Layout,
    pub opcodes: [Option<Opcode>; 128],
    pub types: TypeTable,
    pub swsb: SwsbEncoding,
    pub send: SendForm,
    pub sfids: [Option<Sfid>; 16],
    /// What vertical stride 1 of a three-source operand means, in elements.
    pub ternary_vstride1: u8,
    /// File bits of three-source operands: 1 means general registers (Gen11: 0 does).
    pub ternary_grf_is_1: bool,
    /// Sources of `madm` encode the region `<1;0>`.
    pub ternary_macro_region: bool,
    /// Indirect operands have a file field of their own (to Gen11).
    pub indirect_file_is_grf: bool,
    /// Jumps encode null operands, and count from other places (to Gen11).
    pub legacy_jumps: bool,
    pub compaction: &'static Compaction,
}

/// Shared functions of Gen12LP. Source: TGL PRM vol 2a, "Shared Function ID".
const GEN12_SFIDS: [Option<Sfid>; 16] = [
    Some(Sfid::Null),
    None,
    Some(Sfid::Sampler),
    Some(Sfid::Gateway),
    Some(Sfid::DataPort2),
    Some(Sfid::RenderCache),
    Some(Sfid::Urb),
    Some(Sfid::ThreadSpawner),
    Some(Sfid::VideoMotionEstimation),
    Some(Sfid::ConstantCache),
    Some(Sfid::DataPort0),
    Some(Sfid::PixelInterpolator),
    Some(Sfid::DataPort1),
    Some(Sfid::CheckRefinement),
    None,
    None,
];

const GEN12LP: FamilyTable = FamilyTable {
    family: Family::Gen12Lp,
    layout: layout::GEN12,
    opcodes: opcodes::decode_table(Family::Gen12Lp),
    types: types::GEN12,
    swsb: SwsbEncoding::SingleDist,
    send: SendForm::Gen12,
    sfids: GEN12_SFIDS,
    ternary_vstride1: 1,
    ternary_grf_is_1: true,
    ternary_macro_region: false,
    indirect_file_is_grf: false,
    legacy_jumps: false,
    compaction: &compact::GEN12LP,
};

impl FamilyTable {
    /// Whether a file bit of a three-source operand means the general registers.
    #[inline(always)]
    pub const fn ternary_file_is_grf(&self, file: u64) -> bool {
        (file != 0) == self.ternary_grf_is_1
    }
}

/// The families, in the order of [`Family::ALL`].
pub static FAMILIES: [FamilyTable; 7] = [
    GEN12LP, GEN12LP, GEN12LP, GEN12LP, GEN12LP, GEN12LP, GEN12LP,
];

/// The index of a family in [`FAMILIES`].
pub const fn index(family: Family) -> usize {
    family as usize
}
