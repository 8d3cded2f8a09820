//! What a family is: one row of tables.

use devinfo::Family;

use super::compact::{self, Compaction};
use super::layout::{self, Layout};
use super::opcodes;
use super::swsb::SwsbEncoding;
use super::types::{self, TypeTable};
use crate::message::sfid_table;
use crate::model::{Dst, Format, Instruction, Opcode, Region, Send, Sfid, Src, Type};

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
    pub codes: [Option<u8>; Opcode::ALL.len()],
    pub types: TypeTable,
    pub swsb: SwsbEncoding,
    pub send: SendForm,
    pub sfids: [Option<Sfid>; 16],
    /// What vertical stride 1 of a three-source operand means, in elements.
    pub ternary_vstride1: u8,
    /// File bits of three-source operands: 1 means general registers (Gen11: 0 does).
    pub ternary_grf_is_1: bool,
    /// Three-source instructions and math macros use the align16 access mode.
    pub align16: bool,
    /// `send` has a source region, where later families have an extended descriptor.
    pub send_regions: bool,
    /// Indirect operands have a file field of their own (to Gen11).
    pub indirect_file_is_grf: bool,
    /// Jumps encode null operands, and count from other places (to Gen11).
    pub legacy_jumps: bool,
    pub compaction: &'static Compaction,
}

const GEN12LP: FamilyTable = FamilyTable {
    family: Family::Gen12Lp,
    layout: layout::GEN12,
    opcodes: opcodes::decode_table(Family::Gen12Lp),
    codes: opcodes::encode_table(Family::Gen12Lp),
    types: types::GEN12,
    swsb: SwsbEncoding::SingleDist,
    send: SendForm::Gen12,
    sfids: sfid_table(Family::Gen12Lp),
    ternary_vstride1: 1,
    ternary_grf_is_1: true,
    align16: false,
    send_regions: false,
    indirect_file_is_grf: false,
    legacy_jumps: false,
    compaction: &compact::GEN12LP,
};

impl FamilyTable {
    /// The number of `opcode`, if the family has it.
    #[inline]
    pub fn code(&self, opcode: Opcode) -> Option<u8> {
        self.codes.get(opcode as usize).copied().flatten()
    }

    /// Flag registers: f0 and f1, f2 and f3 from XeHPC on.
    pub const fn flag_registers(&self) -> u8 {
        1 << self.layout.flag_reg.width()
    }

    /// Scoreboard tokens.
    pub const fn tokens(&self) -> u8 {
        match self.swsb {
            SwsbEncoding::None => 1,
            SwsbEncoding::SingleDist | SwsbEncoding::ThreeDist => 16,
            SwsbEncoding::FourDist => 32,
        }
    }

    /// Whether `opcode`, of binary format elsewhere, has one source here.
    pub fn is_unary(&self, opcode: Opcode) -> bool {
        opcode == Opcode::Movi && self.align16
    }

    /// The region of a math macro source that gives none. In align16 mode it spans 16 bytes.
    pub fn macro_region(&self, instruction: &Instruction, index: usize, ty: Type) -> Region {
        let scalar = instruction.exec_size == 1;
        match (instruction.opcode, index) {
            (Opcode::Madm, 2) => Region::new(1, 1, 0),
            (Opcode::Madm, _) => Region::ternary(4, 1),
            _ if self.align16 => Region::new(if ty.bits() == 64 { 2 } else { 4 }, 1, 0),
            _ if scalar => Region::SCALAR,
            _ if self.legacy_jumps => Region::new(2, 2, 1),
            _ => Region::PACKED,
        }
    }

    /// The stride of a math macro destination that gives none.
    pub fn macro_stride(&self, opcode: Opcode) -> u8 {
        if self.align16 && opcode != Opcode::Madm {
            0
        } else {
            1
        }
    }

    /// The region of a source register that gives none.
    pub fn default_region(&self, instruction: &Instruction, has_subregister: bool) -> Region {
        match instruction.opcode.format() {
            Format::Dpas => Region::PACKED,
            Format::Send if self.send != SendForm::Gen9 => Region::PACKED,
            Format::Send | Format::Wait => Region::SCALAR,
            Format::Ret | Format::JumpBrc if self.legacy_jumps => Region::new(2, 2, 1),
            _ if instruction.opcode.is_branch() => Region::SCALAR,
            _ if has_subregister || instruction.exec_size == 1 => Region::SCALAR,
            _ => Region::PACKED,
        }
    }

    /// The destination of `wait`, which repeats its source.
    pub fn wait_destination(&self, src: &Src) -> Dst {
        match *src {
            Src::Direct { reg, ty, .. } => Dst::Direct {
                reg,
                hstride: 1,
                ty,
            },
            _ => Dst::None,
        }
    }

    /// What the extended descriptor's bits 5:0 hold in text: the function and the end of thread,
    /// to Gen11.
    pub fn exdesc_low_bits(&self, send: &Send) -> u32 {
        if self.send != SendForm::Gen9 {
            return 0;
        }
        let sfid = self.sfids.iter().position(|entry| *entry == send.sfid);
        u32::from(send.eot) << 5 | sfid.unwrap_or(0) as u32
    }

    /// Whether a file bit of a three-source operand means the general registers.
    #[inline(always)]
    pub const fn ternary_file_is_grf(&self, file: u64) -> bool {
        (file != 0) == self.ternary_grf_is_1
    }
}

const GEN8: FamilyTable = FamilyTable {
    family: Family::Gen8,
    layout: layout::GEN8,
    opcodes: opcodes::decode_table(Family::Gen8),
    codes: opcodes::encode_table(Family::Gen8),
    types: types::GEN8,
    swsb: SwsbEncoding::None,
    send: SendForm::Gen9,
    sfids: sfid_table(Family::Gen8),
    ternary_vstride1: 2,
    ternary_grf_is_1: false,
    align16: true,
    send_regions: true,
    indirect_file_is_grf: true,
    legacy_jumps: true,
    compaction: &compact::GEN8,
};

const GEN9: FamilyTable = FamilyTable {
    family: Family::Gen9,
    layout: layout::GEN9,
    opcodes: opcodes::decode_table(Family::Gen9),
    codes: opcodes::encode_table(Family::Gen9),
    sfids: sfid_table(Family::Gen9),
    send_regions: false,
    compaction: &compact::GEN9,
    ..GEN8
};

const GEN11: FamilyTable = FamilyTable {
    family: Family::Gen11,
    layout: layout::GEN11,
    opcodes: opcodes::decode_table(Family::Gen11),
    codes: opcodes::encode_table(Family::Gen11),
    types: types::GEN11,
    sfids: sfid_table(Family::Gen11),
    align16: false,
    send_regions: false,
    compaction: &compact::GEN11,
    ..GEN8
};

const XEHPG: FamilyTable = FamilyTable {
    family: Family::XeHpg,
    opcodes: opcodes::decode_table(Family::XeHpg),
    codes: opcodes::encode_table(Family::XeHpg),
    types: types::XEHPG,
    swsb: SwsbEncoding::ThreeDist,
    send: SendForm::XeHpg,
    sfids: sfid_table(Family::XeHpg),
    compaction: &compact::XEHPG,
    ..GEN12LP
};

const XEHPC: FamilyTable = FamilyTable {
    family: Family::XeHpc,
    layout: layout::XEHPC,
    opcodes: opcodes::decode_table(Family::XeHpc),
    codes: opcodes::encode_table(Family::XeHpc),
    types: types::XEHPC,
    swsb: SwsbEncoding::FourDist,
    sfids: sfid_table(Family::XeHpc),
    compaction: &compact::XEHPC,
    ..XEHPG
};

const XE2: FamilyTable = FamilyTable {
    family: Family::Xe2,
    opcodes: opcodes::decode_table(Family::Xe2),
    codes: opcodes::encode_table(Family::Xe2),
    send: SendForm::Xe2,
    sfids: sfid_table(Family::Xe2),
    compaction: &compact::XE2,
    ..XEHPC
};

/// The families, in the order of [`Family::ALL`].
pub static FAMILIES: [FamilyTable; 7] = [GEN8, GEN9, GEN11, GEN12LP, XEHPG, XEHPC, XE2];

/// The index of a family in [`FAMILIES`].
pub const fn index(family: Family) -> usize {
    family as usize
}

/// The row of a family.
pub fn traits(family: Family) -> &'static FamilyTable {
    &FAMILIES[index(family)]
}
