//! What a family has.

use devinfo::Family;

use super::compact::Compaction;
use super::layout::Layout;
use super::swsb::SwsbEncoding;
use super::types::TypeTable;
use crate::model::{
    ArfKind, Attributes, Dst, Format, Instruction, MathFunction, Opcode, Options, RegFile, Region,
    Send, Sfid, Src, SyncFunction, Type,
};

/// The form of sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendForm {
    /// One payload, or two with `sends`; the function in the extended descriptor (to Gen11).
    Legacy,
    /// Two payloads; the second one's length in the extended descriptor (Gen12LP).
    LengthInDescriptor,
    /// Two payloads; the second one's length in the instruction (XeHPG on).
    LengthInInstruction,
}

/// What a family's sends have beyond those of other families.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendOptions {
    /// `ExBSO`, beside an extended descriptor register.
    pub ex_bso: bool,
    /// `CPS`, beside `ExBSO`; with an immediate extended descriptor it is bit 11 there.
    pub cps: bool,
    /// An immediate offset beside an extended descriptor register.
    pub exdesc_offset: bool,
    /// The shared function whose sends imply `ExBSO`, so that its bit belongs to the offset.
    pub implied_ex_bso: Option<Sfid>,
}

impl SendOptions {
    pub const NONE: SendOptions = SendOptions {
        ex_bso: false,
        cps: false,
        exdesc_offset: false,
        implied_ex_bso: None,
    };

    /// The bits of an extended descriptor's offset that sends to `sfid` have: 31:19 and 15:12; bit
    /// 15 may instead be that of `ExBSO`.
    pub fn offset_mask(&self, sfid: Sfid) -> u32 {
        match (self.exdesc_offset, self.implied_ex_bso == Some(sfid)) {
            (false, _) => 0,
            (true, true) => 0xfff8_f000,
            (true, false) => 0xfff8_7000,
        }
    }
}

/// The architecture registers: how many there are of each kind.
#[derive(Clone, Copy, Debug)]
pub struct ArfFile([u8; ArfKind::ALL.len() + 1]);

impl ArfFile {
    /// One register of each kind that every family has.
    pub const COMMON: ArfFile = ArfFile([0; ArfKind::ALL.len() + 1])
        .with(ArfKind::Null, 1)
        .with(ArfKind::Address, 1)
        .with(ArfKind::ChannelEnable, 1)
        .with(ArfKind::State, 1)
        .with(ArfKind::Control, 1)
        .with(ArfKind::Notification, 1)
        .with(ArfKind::InstructionPointer, 1)
        .with(ArfKind::ThreadDependency, 1)
        .with(ArfKind::Timestamp, 1)
        .with(ArfKind::Debug, 1);

    /// The same with `count` registers of `kind`.
    pub const fn with(mut self, kind: ArfKind, count: u8) -> Self {
        self.0[kind as usize] = count;
        self
    }

    /// The kinds by the codes in register numbers; where two share a code, the one that the family
    /// has.
    pub const fn by_code(self) -> [Option<ArfKind>; 16] {
        let mut table = [None; 16];
        let mut i = 0;
        while i < ArfKind::ALL.len() {
            let kind = ArfKind::ALL[i];
            let slot = &mut table[kind.code() as usize];
            if slot.is_none() || self.0[kind as usize] != 0 {
                *slot = Some(kind);
            }
            i += 1;
        }
        table
    }
}

/// A thread size: how many of the EU's registers a thread has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadSize {
    /// General registers.
    pub registers: u16,
    /// Scoreboard tokens.
    pub tokens: u8,
}

/// What a family has: everything that encoder, decoder, validator, scoreboard, assembler and
/// printer know of it. The values are in [`rows`](super::rows).
#[derive(Clone, Copy, Debug)]
pub struct FamilyTable {
    pub family: Family,
    /// The opcodes by their numbers, and the numbers by [`Opcode`].
    pub opcodes: [Option<Opcode>; 128],
    pub codes: [Option<u8>; Opcode::ALL.len()],
    /// The attributes of each [`Opcode`].
    pub attributes: [Attributes; Opcode::ALL.len()],
    /// The functions of `math`, by code.
    pub math_functions: [Option<MathFunction>; 16],
    /// The functions of `sync`, by code.
    pub sync_functions: [Option<SyncFunction>; 16],
    /// The shared functions, by code.
    pub sfids: [Option<Sfid>; 16],
    /// How many architecture registers there are of each kind. The math macro registers have no
    /// numbers of their own: they continue those of the accumulators.
    pub arfs: ArfFile,
    /// Their kinds, by code.
    pub arf_kinds: [Option<ArfKind>; 16],
    pub layout: Layout,
    pub types: TypeTable,
    pub compaction: &'static Compaction,
    pub swsb: SwsbEncoding,
    /// The sizes of threads, smallest first.
    pub thread_sizes: &'static [ThreadSize],
    pub send: SendForm,
    /// What sends have beyond those of other families.
    pub send_options: SendOptions,
    /// The options that any instruction has.
    pub options: Options,
    /// `sync.bar` takes the number of a barrier, or a flag that holds it.
    pub numbered_barriers: bool,
    /// The accumulator that is the first math macro register, `mme0` in text.
    pub first_math_macro: u8,
    /// Text calls such accumulators by that name, not `acc`.
    pub names_math_macros: bool,
    /// Sub-registers of flow and message control are counted like those of other registers.
    pub scaled_control: bool,
    /// What vertical stride 1 of a three-source operand means, in elements.
    pub ternary_vstride1: u8,
    /// File bits of three-source operands: 1 means general registers (Gen11: 0 does).
    pub ternary_grf_is_1: bool,
    /// Three-source instructions and math macros use the align16 access mode.
    pub align16: bool,
    /// `send` has a source region, where later families have an extended descriptor.
    pub send_regions: bool,
    /// If the descriptor is in a register, its bit 30 is in the instruction and says whether an
    /// operand is half precision (Gen9).
    pub half_beside_register: bool,
    /// Indirect operands name the general registers in the file field (to Gen11).
    pub indirect_file_is_grf: bool,
    /// Jumps encode null operands and count from other places (to Gen11).
    pub legacy_jumps: bool,
    /// Math macros take accumulators as sources (to XeHPC).
    pub macro_accumulators: bool,
    /// The payload of an end of thread may be in any registers.
    ///
    /// Source: IGC `HWCaps.inc`, `hasEOTGRFBinding`.
    pub ends_anywhere: bool,
    /// `dpas` accumulates 16-bit floats in their own type (XeHPC on).
    pub short_dpas_results: bool,
    /// A byte is written by reading and writing its word (XeHPC on).
    ///
    /// Source: IGA `addRMWDependencyIfReqruied`, IGC `hasRMWOverlap`.
    pub byte_writes_read: bool,
    /// Compilers put `mov (1) null rN<0;1,0>` after messages because the hardware needs it (XeHPC).
    ///
    /// Source: IGC `SWSB_G4IR.cpp`, `insertDummyMovs`.
    pub touched_responses: bool,
}

impl FamilyTable {
    /// Whether `opcode` has all `attributes` here.
    #[inline(always)]
    pub const fn has(&self, opcode: Opcode, attributes: Attributes) -> bool {
        self.attributes[opcode as usize].contains(attributes)
    }

    /// The number of `opcode`, if the family has it.
    #[inline]
    pub fn code(&self, opcode: Opcode) -> Option<u8> {
        self.codes.get(opcode as usize).copied().flatten()
    }

    /// How many registers of `kind` there are.
    ///
    /// Source: the register tables of IGA's models, checked by what iga64 accepts; TGL PRM vol 2a,
    /// "Architecture Register File".
    #[inline(always)]
    pub const fn registers(&self, kind: ArfKind) -> u8 {
        self.arfs.0[kind as usize]
    }

    /// General registers of the largest threads.
    pub const fn most_registers(&self) -> u16 {
        match self.thread_sizes {
            [.., largest] => largest.registers,
            [] => 0,
        }
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
            // In some the bit means branch control; later it is gone.
            _ if !self.legacy_jumps || opcode.has(Attributes::BRANCH_CONTROL) => {
                ONLY_SENDS.union(Options::ACC_WR_EN)
            }
            _ => ONLY_SENDS,
        };
        self.options.difference(not)
    }

    /// Scoreboard tokens of a thread with this many general registers; if the number is unknown, of
    /// the largest thread.
    pub fn tokens(&self, registers: Option<u16>) -> u8 {
        let fits = |size: &&ThreadSize| registers.is_some_and(|count| count <= size.registers);
        let size = self.thread_sizes.iter().find(fits);
        size.or(self.thread_sizes.last())
            .map_or(0, |size| size.tokens)
    }

    /// Whether `opcode`, of binary format elsewhere, has one source here.
    pub fn is_unary(&self, opcode: Opcode) -> bool {
        opcode == Opcode::Movi && self.align16
    }

    /// The region of a three-source operand as text gives it: in align16 mode consecutive elements
    /// have one form, the one that IGA prints.
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
            Format::Send if self.send != SendForm::Legacy => Region::PACKED,
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
        if self.send != SendForm::Legacy {
            return 0;
        }
        let sfid = self.sfids.iter().position(|entry| *entry == send.sfid);
        u32::from(send.eot) << 5 | sfid.unwrap_or(0) as u32
    }

    /// The unit, in bits, in which text counts sub-registers: elements of the type, but for some
    /// architecture registers the units of the encoding.
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
