//! The directives: what a kernel needs besides its code.

use alloc::string::String;
use alloc::vec::Vec;

use devinfo::Family;

use super::Span;

/// A directive for help texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DirectiveHelp {
    /// The name after `//.`.
    pub name: &'static str,
    /// What follows it.
    pub arguments: &'static str,
    /// What it says, in lines of at most 70 characters.
    pub meaning: &'static str,
}

const fn help(name: &'static str, arguments: &'static str, meaning: &'static str) -> DirectiveHelp {
    DirectiveHelp {
        name,
        arguments,
        meaning,
    }
}

/// Every directive.
#[rustfmt::skip]
pub static DIRECTIVES: &[DirectiveHelp] = &[
    help("platform", "NAME[:REVISION]", "\
what the file is for, such as tgl or dg2:8, or a family such as Xe2"),
    help("kernel", "NAME", "a kernel begins; what follows is about it"),
    help("simd", "1|8|16|32", "work-items of a thread"),
    help("grf", "N", "general registers of a thread: 128, or what else the platform has"),
    help("thread_config", "numGRF=N, …", "the same, as Intel's compiler writes it"),
    help("ids", "none|x|xy|xyz", "local ids in front of the payload, in 16 bits each"),
    help("arg", "NAME KIND [@OFFSET]", "\
an argument, in order; KIND is ptr, local (shared local memory), a type
such as i32 or f32x4, buf:BTI, image:BTI or sampler:INDEX; OFFSET is in
bytes of the cross-thread payload"),
    help("sys", "FIELD @OFFSET", "\
global_offset, local_size, enqueued_local_size, group_count,
global_size or work_dim in the payload"),
    help("block", "ARG read|write|image", "ARG is accessed by blocks, and has to be aligned for that"),
    help("slm", "BYTES", "shared local memory of a group"),
    help("barriers", "COUNT", "barriers of a group"),
    help("scratch", "BYTES", "scratch of a thread"),
    help("local", "X,Y,Z", "the required local size"),
    help("payload", "load|raw", "\
from XeHPG on: the assembler puts code in front that loads the payload
(it uses r126 and r127), or the kernel does it"),
    help("swsb", "keep|auto|check", "\
the scoreboard: as written, written by the assembler, judged"),
    help("data", "HEX", "bytes that stand in the code as they are"),
    help("bits", "N=V|HIGH:LOW=V …", "\
behind an instruction: values of bits of its 16-byte form that the
text does not say"),
];

/// The first words of the comments that Intel's compiler writes around its listings, as
/// `//.declare V32 …`; statistics end with a colon. They are not directives. A listing's
/// `//.platform`, `//.kernel` and `//.thread_config` are.
///
/// Source: IGC, `visa/G4_Kernel.cpp` emitDeviceAsmHeaderComment, `visa/G4_IR.cpp`,
/// `visa/VISAKernelImpl.cpp`; the listings of releases 22.43 and 26.27.
pub(super) static LISTING_COMMENTS: &[&str] = &[
    "options_string",
    "full_options",
    "instCount",
    "RA",
    "git-hash",
    "GRF",
    "spill",
    "dynamic",
    "private",
    "declare",
    "BankConflicts:",
    "BankConflicts.SameBank:",
    "BankConflicts.TwoSrc:",
    "ByteRMWs:",
    "RMWs:",
    "SIMD10ReadSuppressions:",
    "SIMD16ReadSuppressions:",
    "SIMD8s:",
    "numALUInst:",
    "accSubDef:",
    "accSubUse:",
    "accSubCandidateDef:",
    "accSubCandidateUse:",
    "singlePipeAtOneDistNum:",
    "allAtOneDistNum:",
    "syncInstCount:",
    "tokenReuseCount:",
    "AfterWriteTokenDepCount:",
    "AfterReadTokenDepCount:",
];

/// The listings' own names for platforms, with ours.
pub(super) static LISTING_PLATFORMS: &[(&str, &str)] = &[("PVCXT", "pvc")];

/// `//.platform NAME[:REVISION]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The platform's name (`tgl`, `dg2` …).
    pub platform: String,
    /// The revision, if given.
    pub revision: Option<u32>,
}

/// `//.ids`: the local ids in the payload, as 16-bit lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IdLayout {
    /// None.
    #[default]
    None,
    /// X.
    X,
    /// X and Y.
    Xy,
    /// X, Y and Z.
    Xyz,
}

impl IdLayout {
    /// How many there are.
    pub const fn dimensions(self) -> u32 {
        match self {
            IdLayout::None => 0,
            IdLayout::X => 1,
            IdLayout::Xy => 2,
            IdLayout::Xyz => 3,
        }
    }
}

/// The element type of a by-value argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the types")]
pub enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
}

impl Scalar {
    const NAMES: [(&'static str, Scalar); 11] = [
        ("i8", Scalar::I8),
        ("u8", Scalar::U8),
        ("i16", Scalar::I16),
        ("u16", Scalar::U16),
        ("i32", Scalar::I32),
        ("u32", Scalar::U32),
        ("i64", Scalar::I64),
        ("u64", Scalar::U64),
        ("f16", Scalar::F16),
        ("f32", Scalar::F32),
        ("f64", Scalar::F64),
    ];

    /// The type of a name such as `i32`.
    pub fn from_name(name: &str) -> Option<Scalar> {
        let mut names = Self::NAMES.iter();
        names.find(|(text, _)| *text == name).map(|(_, ty)| *ty)
    }

    /// The size in bytes.
    pub const fn bytes(self) -> u32 {
        match self {
            Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 | Scalar::F16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        }
    }
}

/// What an argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    /// A buffer's 64-bit address in the payload.
    Pointer,
    /// The offset of a local buffer in SLM, 32 bits in the payload.
    Local,
    /// A value in the payload.
    Value {
        /// The element type.
        scalar: Scalar,
        /// Elements (1 to 16).
        count: u8,
    },
    /// A buffer at a binding table index, not in the payload.
    Buffer {
        /// The binding table index.
        bti: u8,
    },
    /// An image at a binding table index, not in the payload.
    Image {
        /// The binding table index.
        bti: u8,
    },
    /// A sampler, not in the payload.
    Sampler {
        /// The index of its state.
        index: u8,
    },
}

impl ArgumentKind {
    /// The natural alignment in the payload in bytes: that of an element.
    pub const fn alignment(self) -> u32 {
        match self {
            ArgumentKind::Pointer => 8,
            ArgumentKind::Local => 4,
            ArgumentKind::Value { scalar, .. } => scalar.bytes(),
            ArgumentKind::Buffer { .. }
            | ArgumentKind::Image { .. }
            | ArgumentKind::Sampler { .. } => 1,
        }
    }

    /// The size in the payload in bytes; 0 for surface and sampler states.
    pub const fn payload_bytes(self) -> u32 {
        match self {
            ArgumentKind::Pointer => 8,
            ArgumentKind::Local => 4,
            ArgumentKind::Value { scalar, count } => scalar.bytes() * count as u32,
            ArgumentKind::Buffer { .. }
            | ArgumentKind::Image { .. }
            | ArgumentKind::Sampler { .. } => 0,
        }
    }
}

/// `//.block ARG read|write|image`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockUse {
    /// Block reads: 4-byte alignment.
    Read,
    /// Block writes: 16-byte alignment.
    Write,
    /// Media blocks: 32-byte base, 64-byte pitch.
    Image,
}

/// `//.arg NAME KIND [@OFF]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// The name.
    pub name: String,
    /// What it is.
    pub kind: ArgumentKind,
    /// The offset in the cross-thread payload in bytes; `None` if it is not there.
    pub offset: Option<u32>,
    /// The block accesses that the kernel makes to it.
    pub blocks: Vec<BlockUse>,
    /// The directive.
    pub span: Span,
}

/// A field of `//.sys`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemField {
    /// `get_global_offset`: three dwords.
    GlobalOffset,
    /// `get_local_size`: three dwords.
    LocalSize,
    /// `get_enqueued_local_size`: three dwords.
    EnqueuedLocalSize,
    /// `get_num_groups`: three dwords.
    GroupCount,
    /// `get_global_size`: three dwords.
    GlobalSize,
    /// `get_work_dim`: one dword.
    WorkDim,
}

impl SystemField {
    /// Every field.
    pub const ALL: [SystemField; 6] = [
        SystemField::GlobalOffset,
        SystemField::LocalSize,
        SystemField::EnqueuedLocalSize,
        SystemField::GroupCount,
        SystemField::GlobalSize,
        SystemField::WorkDim,
    ];

    /// The size in the payload in bytes.
    pub const fn bytes(self) -> u32 {
        match self {
            SystemField::WorkDim => 4,
            _ => 12,
        }
    }

    /// The name in the directive.
    pub const fn name(self) -> &'static str {
        match self {
            SystemField::GlobalOffset => "global_offset",
            SystemField::LocalSize => "local_size",
            SystemField::EnqueuedLocalSize => "enqueued_local_size",
            SystemField::GroupCount => "group_count",
            SystemField::GlobalSize => "global_size",
            SystemField::WorkDim => "work_dim",
        }
    }
}

/// `//.sys FIELD @OFF`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemValue {
    /// The field.
    pub field: SystemField,
    /// The offset in the cross-thread payload in bytes.
    pub offset: u32,
}

/// `//.payload`: who loads the cross-thread payload on XeHPG and later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Payload {
    /// The standard prolog is put in front of the code. It uses r126 and r127.
    #[default]
    Load,
    /// The code itself.
    Raw,
}

/// `//.swsb`: who writes the software scoreboard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SwsbMode {
    /// The assembler, which replaces annotations in the text.
    Auto,
    /// The author.
    #[default]
    Keep,
    /// The author; the assembler reports hazards.
    Check,
}

/// What the directives say about one kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelDirectives {
    /// `//.kernel`; empty in a file without one.
    pub name: String,
    /// `//.simd`.
    pub simd: Option<u8>,
    /// The place of `//.simd`.
    pub simd_span: Option<Span>,
    /// `//.grf`; see [`KernelDirectives::registers`].
    pub grf: Option<u16>,
    /// The place of `//.grf`.
    pub grf_span: Option<Span>,
    /// `//.ids`.
    pub ids: IdLayout,
    /// `//.arg`, in order.
    pub args: Vec<Argument>,
    /// `//.sys`, in order.
    pub system: Vec<SystemValue>,
    /// `//.slm`, in bytes.
    pub slm: u32,
    /// `//.barriers`.
    pub barriers: u8,
    /// `//.scratch`, in bytes per thread.
    pub scratch: u32,
    /// `//.local`: the required local size.
    pub local: Option<[u32; 3]>,
    /// `//.payload`.
    pub payload: Payload,
    /// `//.swsb`.
    pub swsb: SwsbMode,
}

impl KernelDirectives {
    /// The SIMD width of a kernel that does not state one.
    pub const DEFAULT_SIMD: u8 = 16;

    /// General registers of a thread: 128 by default.
    pub fn registers(&self) -> u16 {
        self.grf.unwrap_or(128)
    }

    /// The bytes of one local id of a thread: 16 bits per channel, in whole registers. The ids of a
    /// one-channel thread are packed in one register.
    pub fn bytes_per_local_id(&self, family: Family) -> u32 {
        match u32::from(self.simd.unwrap_or(Self::DEFAULT_SIMD)) {
            1 => 2,
            lanes => (lanes * 2).next_multiple_of(family.grf_bytes() as u32),
        }
    }

    /// The bytes of a thread's local ids, in whole registers.
    pub fn local_id_bytes(&self, family: Family) -> u32 {
        let bytes = self.ids.dimensions() * self.bytes_per_local_id(family);
        bytes.next_multiple_of(family.grf_bytes() as u32)
    }

    /// The bytes of the cross-thread payload in memory: a multiple of 32.
    pub fn cross_thread_bytes(&self) -> u32 {
        self.payload_bytes().next_multiple_of(32)
    }

    /// The end of the last argument or system value in the cross-thread payload, in bytes.
    pub fn payload_bytes(&self) -> u32 {
        let args = self
            .args
            .iter()
            .filter_map(|arg| Some(arg.offset? + arg.kind.payload_bytes()));
        let system = self
            .system
            .iter()
            .map(|value| value.offset + value.field.bytes());
        args.chain(system).max().unwrap_or(0)
    }
}
