//! What a family is: one row of tables.

use devinfo::Family;

use super::compact::{self, Compaction};
use super::layout::{self, Layout};
use super::opcodes;
use super::swsb::SwsbEncoding;
use super::types::{self, TypeTable};
use crate::message::sfid_table;
use crate::model::{
    ArfKind, Dst, Format, Instruction, MathFunction, Opcode, Options, RegFile, Region, Send, Sfid,
    Src, SyncFunction, Type,
};

/// The form of sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendForm {
    /// One payload, or two with `sends`; the function in the extended descriptor (to Gen11).
    Gen9,
    /// Two payloads; the second one's length in the extended descriptor (Gen12LP).
    Gen12,
    /// Two payloads; the second one's length in the instruction (XeHPG on).
    XeHpg,
}

/// What of a send, besides what all have, a family has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendOptions {
    /// `ExBSO`, beside an extended descriptor register.
    pub ex_bso: bool,
    /// `CPS`, beside `ExBSO`; with an immediate extended descriptor it is bit 11 there.
    pub cps: bool,
    /// An immediate offset beside an extended descriptor register.
    pub exdesc_offset: bool,
    /// The shared function whose sends are as with `ExBSO` without it, so that its bit belongs
    /// to the offset.
    pub implied_ex_bso: Option<Sfid>,
}

impl SendOptions {
    const NONE: SendOptions = SendOptions {
        ex_bso: false,
        cps: false,
        exdesc_offset: false,
        implied_ex_bso: None,
    };

    /// Bits of an extended descriptor's offset that the sends of `sfid` have: 31:19 and 15:12,
    /// of which bit 15 may be that of `ExBSO`.
    pub fn offset_mask(&self, sfid: Sfid) -> u32 {
        match (self.exdesc_offset, self.implied_ex_bso == Some(sfid)) {
            (false, _) => 0,
            (true, true) => 0xfff8_f000,
            (true, false) => 0xfff8_7000,
        }
    }
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
    /// Beyond those that sends of other families have.
    pub send_options: SendOptions,
    /// The options that some instruction has.
    pub options: Options,
    /// Opcodes that do not saturate, beyond those that never do ([`Opcode::has_saturation`]).
    pub unsaturated: &'static [Opcode],
    /// The functions of `math`.
    pub math_functions: &'static [MathFunction],
    /// The functions of `sync`.
    pub sync_functions: &'static [SyncFunction],
    /// `sync.bar` takes the number of a barrier, or a flag with it.
    pub numbered_barriers: bool,
    /// How many registers there are of each [`ArfKind`], in its order.
    pub arf_counts: [u8; 16],
    /// Sub-registers of flow and message control are counted as those of other registers.
    pub scaled_control: bool,
    /// What vertical stride 1 of a three-source operand means, in elements.
    pub ternary_vstride1: u8,
    /// File bits of three-source operands: 1 means general registers (Gen11: 0 does).
    pub ternary_grf_is_1: bool,
    /// Three-source instructions and math macros use the align16 access mode.
    pub align16: bool,
    /// `send` has a source region, where later families have an extended descriptor.
    pub send_regions: bool,
    /// Beside a descriptor in a register, its bit 30 (half precision) is taken from the
    /// instruction, where it says whether an operand is half precision (Gen9).
    pub half_beside_register: bool,
    /// Indirect operands have a file field of their own (to Gen11).
    pub indirect_file_is_grf: bool,
    /// Jumps encode null operands, and count from other places (to Gen11).
    pub legacy_jumps: bool,
    pub compaction: &'static Compaction,
}

/// Options of every family.
const ALL_HAVE: Options = Options::ATOMIC
    .union(Options::BREAKPOINT)
    .union(Options::COMPACTED)
    .union(Options::NO_COMPACT);

/// The functions of `math`, in the order of their codes.
///
/// Source: GED's `GED_MATH_FC`, by generation; IGC emulates what is gone.
const MATH_TO_GEN11: &[MathFunction] = &MathFunction::ALL;
const MATH_TO_GEN12LP: &[MathFunction] = &[
    MathFunction::Inv,
    MathFunction::Log,
    MathFunction::Exp,
    MathFunction::Sqt,
    MathFunction::Rsqt,
    MathFunction::Sin,
    MathFunction::Cos,
    MathFunction::Idiv,
    MathFunction::Iqot,
    MathFunction::Irem,
    MathFunction::Invm,
    MathFunction::Rsqtm,
];
const MATH_FROM_XEHPG: &[MathFunction] = &[
    MathFunction::Inv,
    MathFunction::Log,
    MathFunction::Exp,
    MathFunction::Sqt,
    MathFunction::Rsqt,
    MathFunction::Sin,
    MathFunction::Cos,
    MathFunction::Invm,
    MathFunction::Rsqtm,
];

/// The functions of `sync` before the fence's.
///
/// Source: GED's `GED_SYNC_FC`, by generation.
const SYNC_TO_XEHPG: &[SyncFunction] = &[
    SyncFunction::Nop,
    SyncFunction::AllRd,
    SyncFunction::AllWr,
    SyncFunction::Bar,
    SyncFunction::Host,
];

const GEN12LP: FamilyTable = FamilyTable {
    family: Family::Gen12Lp,
    layout: layout::GEN12,
    opcodes: opcodes::decode_table(Family::Gen12Lp),
    codes: opcodes::encode_table(Family::Gen12Lp),
    types: types::GEN12,
    swsb: SwsbEncoding::SingleDist,
    send: SendForm::Gen12,
    sfids: sfid_table(Family::Gen12Lp),
    send_options: SendOptions::NONE,
    options: ALL_HAVE.union(Options::ACC_WR_EN).union(Options::SERIALIZE),
    unsaturated: &[Opcode::Mach],
    math_functions: MATH_TO_GEN12LP,
    sync_functions: SYNC_TO_XEHPG,
    numbered_barriers: false,
    arf_counts: [1, 1, 16, 2, 1, 8, 1, 2, 1, 1, 1, 1, 1, 4, 1, 0],
    scaled_control: false,
    ternary_vstride1: 1,
    ternary_grf_is_1: true,
    align16: false,
    send_regions: false,
    half_beside_register: false,
    indirect_file_is_grf: false,
    legacy_jumps: false,
    compaction: &compact::GEN12LP,
};

impl FamilyTable {
    /// Whether `opcode` has `(sat)`.
    ///
    /// Source: IGA's platform models, `SUPPORTS_SATURATION`.
    #[inline]
    pub fn saturates(&self, opcode: Opcode) -> bool {
        opcode.has_saturation() && !self.unsaturated.contains(&opcode)
    }

    /// The number of `opcode`, if the family has it.
    #[inline]
    pub fn code(&self, opcode: Opcode) -> Option<u8> {
        self.codes.get(opcode as usize).copied().flatten()
    }

    /// How many registers of `kind` there are. The accumulators' numbers go on with the math
    /// macro registers; the math macro registers have no numbers of their own.
    ///
    /// Source: the register tables of IGA's models, by what iga64 takes; TGL PRM vol 2a,
    /// "Architecture Register File".
    #[inline(always)]
    pub const fn registers(&self, kind: ArfKind) -> u8 {
        self.arf_counts[kind as usize]
    }

    /// The options that an instruction can have here.
    #[inline(always)]
    pub const fn options(&self, opcode: Opcode) -> Options {
        let not = match opcode.format() {
            // They have no more than a breakpoint.
            Format::Nullary => Options::all()
                .difference(Options::BREAKPOINT)
                .difference(Options::COMPACTED)
                .difference(Options::NO_COMPACT),
            Format::Send => Options::ACC_WR_EN,
            Format::Unary | Format::Binary | Format::Ternary | Format::Math | Format::Dpas => {
                ONLY_SENDS
            }
            // The bit is that of branch control in some, and gone later.
            _ if !self.legacy_jumps || opcode.has_branch_control() => {
                ONLY_SENDS.union(Options::ACC_WR_EN)
            }
            _ => ONLY_SENDS,
        };
        self.options.difference(not)
    }

    /// Scoreboard tokens of a thread with so many general registers; if that is not known, those
    /// that there is an encoding for.
    ///
    /// Source: IGC's `GRFMode` (visa/G4_Kernel.cpp): Ponte Vecchio and Xe2 have 16 tokens with 128
    /// registers, 32 with 256.
    pub const fn tokens(&self, registers: Option<u16>) -> u8 {
        match (self.swsb, registers) {
            (SwsbEncoding::None, _) => 0,
            (SwsbEncoding::SingleDist | SwsbEncoding::ThreeDist, _) => 16,
            (SwsbEncoding::FourDist, Some(0..=128)) => 16,
            (SwsbEncoding::FourDist, _) => 32,
        }
    }

    /// Whether `opcode`, of binary format elsewhere, has one source here.
    pub fn is_unary(&self, opcode: Opcode) -> bool {
        opcode == Opcode::Movi && self.align16
    }

    /// How a region of a three-source operand is told: in align16 mode consecutive elements have
    /// one form, as IGA prints it.
    pub fn ternary_region(&self, region: Region) -> Region {
        let packed = [4, 8].map(|width| Region::ternary(width, 1));
        if self.align16 && packed.contains(&region) {
            Region::ternary(2, 1)
        } else {
            region
        }
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

    /// What text counts sub-registers in, in bits: elements of the type, but for some architecture
    /// registers the units of the encoding.
    ///
    /// Source: IGA Models.hpp, IsRegisterScaled.
    pub fn subregister_bits(&self, file: RegFile, ty: Type) -> u32 {
        let scaled = match file {
            RegFile::Arf(ArfKind::ChannelEnable | ArfKind::InstructionPointer) => false,
            RegFile::Arf(ArfKind::FlowControl | ArfKind::MessageControl) => self.scaled_control,
            _ => true,
        };
        match scaled {
            true => ty.bits(),
            false => 8 * u32::from(self.layout.subreg_unit),
        }
    }

    /// Whether a file bit of a three-source operand means the general registers.
    #[inline(always)]
    pub const fn ternary_file_is_grf(&self, file: u64) -> bool {
        (file != 0) == self.ternary_grf_is_1
    }
}

/// Options of sends.
const ONLY_SENDS: Options = Options::NO_SRC_DEP_SET.union(Options::SERIALIZE);

const GEN8: FamilyTable = FamilyTable {
    family: Family::Gen8,
    layout: layout::GEN8,
    opcodes: opcodes::decode_table(Family::Gen8),
    codes: opcodes::encode_table(Family::Gen8),
    types: types::GEN8,
    swsb: SwsbEncoding::None,
    send: SendForm::Gen9,
    sfids: sfid_table(Family::Gen8),
    send_options: SendOptions::NONE,
    options: ALL_HAVE
        .union(Options::ACC_WR_EN)
        .union(Options::NO_DD_CHK)
        .union(Options::NO_DD_CLR)
        .union(Options::SWITCH),
    unsaturated: &[],
    math_functions: MATH_TO_GEN11,
    sync_functions: &[],
    numbered_barriers: false,
    // Accumulators beyond the second are for the math macros, in align16 mode.
    arf_counts: [1, 1, 2, 2, 1, 8, 1, 2, 1, 1, 1, 1, 1, 5, 1, 0],
    scaled_control: false,
    ternary_vstride1: 2,
    ternary_grf_is_1: false,
    align16: true,
    send_regions: true,
    half_beside_register: false,
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
    options: GEN8.options.union(Options::NO_SRC_DEP_SET),
    send_regions: false,
    compaction: &compact::GEN9,
    half_beside_register: true,
    ..GEN8
};

const GEN11: FamilyTable = FamilyTable {
    family: Family::Gen11,
    layout: layout::GEN11,
    opcodes: opcodes::decode_table(Family::Gen11),
    codes: opcodes::encode_table(Family::Gen11),
    types: types::GEN11,
    sfids: sfid_table(Family::Gen11),
    options: GEN9.options.union(Options::NO_PREEMPT),
    arf_counts: [1, 1, 10, 2, 1, 8, 1, 2, 1, 1, 1, 1, 1, 5, 1, 0],
    align16: false,
    send_regions: false,
    compaction: &compact::GEN11,
    ..GEN8
};

const XEHPG: FamilyTable = FamilyTable {
    family: Family::XeHpg,
    layout: layout::XEHPG,
    opcodes: opcodes::decode_table(Family::XeHpg),
    codes: opcodes::encode_table(Family::XeHpg),
    types: types::XEHPG,
    swsb: SwsbEncoding::ThreeDist,
    send: SendForm::XeHpg,
    sfids: sfid_table(Family::XeHpg),
    send_options: SendOptions {
        ex_bso: true,
        cps: true,
        ..SendOptions::NONE
    },
    math_functions: MATH_FROM_XEHPG,
    arf_counts: [1, 1, 16, 2, 1, 8, 0, 2, 1, 1, 1, 1, 1, 4, 1, 0],
    compaction: &compact::XEHPG,
    unsaturated: &[Opcode::Mach, Opcode::Madm],
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
    options: ALL_HAVE,
    sync_functions: &SyncFunction::ALL,
    numbered_barriers: true,
    arf_counts: [1, 1, 16, 4, 1, 8, 0, 2, 1, 1, 1, 1, 1, 4, 1, 0],
    compaction: &compact::XEHPC,
    ..XEHPG
};

const XE2: FamilyTable = FamilyTable {
    family: Family::Xe2,
    opcodes: opcodes::decode_table(Family::Xe2),
    codes: opcodes::encode_table(Family::Xe2),
    sfids: sfid_table(Family::Xe2),
    send_options: SendOptions {
        ex_bso: true,
        cps: false,
        exdesc_offset: true,
        implied_ex_bso: Some(Sfid::Ugm),
    },
    arf_counts: [1, 1, 16, 4, 1, 2, 0, 1, 1, 1, 1, 1, 1, 3, 1, 0],
    compaction: &compact::XE2,
    unsaturated: &[Opcode::Mach, Opcode::Madm, Opcode::Srnd],
    scaled_control: true,
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
