//! The parts of load/store messages.

use core::fmt;

use crate::Sfid;

/// The unit that a load/store message goes to.
///
/// Source: Mesa `brw_eu_defines.h` (`brw_message_target`), IGA's SFID table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LscPort {
    /// Untyped global memory (XeHPG and later).
    Ugm,
    /// Untyped global memory over the path of low bandwidth between tiles (XeHPG and later).
    Ugml,
    /// Typed global memory: images (XeHPG and later).
    Tgm,
    /// Shared local memory (XeHPG and later).
    Slm,
    /// The unified return buffer of the 3D pipeline, which takes load/store messages on Xe2.
    Urb,
}

impl LscPort {
    /// The shared function of the unit.
    pub const fn function(self) -> Sfid {
        match self {
            Self::Ugm => Sfid::Ugm,
            Self::Ugml => Sfid::Ugml,
            Self::Tgm => Sfid::Tgm,
            Self::Slm => Sfid::Slm,
            Self::Urb => Sfid::Urb,
        }
    }
}

/// What the addresses of a message are relative to (descriptor bits 30:29).
///
/// The surface is in the extended descriptor. Sources: Mesa `lsc_addr_surface_type` and
/// `lsc_bti_ex_desc`, `lsc_bss_ex_desc`; IGA `MessageDecoderLSC.cpp` (`decodeLscImmOff`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LscAddress {
    /// Virtual addresses (or SLM offsets on the SLM port), plus a signed immediate.
    Flat {
        /// Immediate offset in bytes: 20 bits, signed (Xe2, else 0). In bits 31:12 of the extended
        /// descriptor.
        offset: i32,
    },
    /// A surface state in the bindless surface heap, plus a signed immediate.
    Bss {
        /// The state's byte offset in the heap, a multiple of 64. 20 bits of units in the extended
        /// descriptor's bits 31:12; 26 bits in 31:6 with ExBSO, or from a register on Xe2's UGM.
        state: u32,
        /// Immediate offset in bytes: 17 bits, signed (Xe2 on the UGM port, else 0). It is in the
        /// instruction, and the extended descriptor in a register then.
        offset: i32,
    },
    /// A surface state behind the surface state base, plus a signed immediate.
    Ss {
        /// The state's byte offset from the base, as in [`LscAddress::Bss`].
        state: u32,
        /// Immediate offset, as in [`LscAddress::Bss`].
        offset: i32,
    },
    /// A binding table entry, plus a signed immediate.
    Bti {
        /// The entry, 0 to 255. Bits 31:24 of the extended descriptor.
        index: u8,
        /// Immediate offset in bytes: 12 bits, signed (Xe2, else 0). In bits 23:12 of the extended
        /// descriptor.
        offset: i32,
    },
}

/// The size of each address in the payload (descriptor bits 8:7).
///
/// An address payload has one address a channel, packed: SIMD16 addresses of 32 bits fill 64 bytes
/// (two registers of 32 bytes, one of 64). Source: Mesa `lsc_addr_size`, `lsc_msg_addr_len`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressSize {
    /// 16 bits.
    A16,
    /// 32 bits.
    A32,
    /// 64 bits. Flat addresses of global memory only.
    A64,
}

impl AddressSize {
    /// In bytes.
    pub const fn bytes(self) -> usize {
        match self {
            Self::A16 => 2,
            Self::A32 => 4,
            Self::A64 => 8,
        }
    }
}

/// The size of one element in memory and in the register (descriptor bits 11:9).
///
/// A data payload is planar: element `i` of all channels, then element `i + 1`, each plane
/// beginning with a register; a transposed one has the elements of its one address in a row.
/// Sources: Mesa `lsc_data_size`, IGA `MessageDecoderLSC.cpp` (`decodeLscDataSize`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataSize {
    /// Bytes, packed. Two-dimensional blocks only.
    D8,
    /// Words, packed. Two-dimensional blocks only.
    D16,
    /// Dwords.
    D32,
    /// Qwords.
    D64,
    /// Bytes in memory, dwords in the register: their upper bits are undefined before Xe2, zero
    /// from it on.
    D8U32,
    /// Words in memory, dwords in the register, as [`DataSize::D8U32`].
    D16U32,
    /// Words in memory, the high halves of dwords in the register (for bfloat16).
    D16U32H,
}

pub(super) const DATA_SIZES: [DataSize; 7] = [
    DataSize::D8,
    DataSize::D16,
    DataSize::D32,
    DataSize::D64,
    DataSize::D8U32,
    DataSize::D16U32,
    DataSize::D16U32H,
];

impl DataSize {
    /// Bytes in memory.
    pub const fn memory_bytes(self) -> usize {
        match self {
            Self::D8 | Self::D8U32 => 1,
            Self::D16 | Self::D16U32 | Self::D16U32H => 2,
            Self::D32 => 4,
            Self::D64 => 8,
        }
    }

    /// Bytes in the register.
    pub const fn register_bytes(self) -> usize {
        match self {
            Self::D8 => 1,
            Self::D16 => 2,
            Self::D64 => 8,
            _ => 4,
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::D8 => "d8",
            Self::D16 => "d16",
            Self::D32 => "d32",
            Self::D64 => "d64",
            Self::D8U32 => "d8u32",
            Self::D16U32 => "d16u32",
            Self::D16U32H => "d16u32h",
        }
    }
}

/// How a two-dimensional block is arranged in registers.
///
/// Rows are padded to a power of two of elements, blocks to whole registers. Source: IGC
/// `documentation/visa/instructions/LSC_UNTYPED.md`, LOAD_BLOCK2D.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Block2d {
    /// Columns become rows (bit 15; loads of 32 and 64 bits).
    pub transpose: bool,
    /// Elements of consecutive rows are packed into dwords, as dpas takes them (bit 7; loads of 8
    /// and 16 bits).
    pub vnni: bool,
}

/// How far a fence reaches (descriptor bits 11:9).
///
/// Sources: Mesa `lsc_fence_scope`, IGC `documentation/visa/instructions/LSC_FENCE.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FenceScope {
    /// The thread group.
    Group,
    /// The sub-slice.
    Local,
    /// The tile.
    Tile,
    /// The device.
    Gpu,
    /// All devices.
    Gpus,
    /// System, release.
    SystemRelease,
    /// System, acquire.
    SystemAcquire,
}

pub(super) const SCOPES: [FenceScope; 7] = [
    FenceScope::Group,
    FenceScope::Local,
    FenceScope::Tile,
    FenceScope::Gpu,
    FenceScope::Gpus,
    FenceScope::SystemRelease,
    FenceScope::SystemAcquire,
];

/// What a fence does to the first-level cache (descriptor bits 14:12).
///
/// Sources: Mesa `lsc_flush_type`, IGC `documentation/visa/instructions/LSC_FENCE.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FlushOp {
    /// Nothing.
    None,
    /// Dirty lines are written and dropped, clean ones dropped.
    Evict,
    /// Clean lines are dropped, dirty ones kept.
    Invalidate,
    /// All lines are dropped, and what they held is lost.
    Discard,
    /// Dirty lines are written and kept as clean ones.
    Clean,
    /// Only L3 is flushed (XeHPG).
    FlushL3,
    /// The code 6, which XeHPG compilers emit as a work-around: nothing is flushed (Mesa
    /// `LSC_FLUSH_TYPE_NONE_6`).
    Type6,
}

pub(super) const FLUSHES: [FlushOp; 7] = [
    FlushOp::None,
    FlushOp::Evict,
    FlushOp::Invalidate,
    FlushOp::Discard,
    FlushOp::Clean,
    FlushOp::FlushL3,
    FlushOp::Type6,
];

/// What is done to the state of compressed memory (descriptor bits 19:17 of `ccs`).
///
/// A sector is two cache lines, a page 64 KiB. Source: IGA `MessageDecoderLSC.cpp`
/// (`decodeLscCcs`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompressionOp {
    /// A page is marked as cleared.
    PageClear,
    /// Sectors are marked as cleared.
    SectorClear,
    /// A page is uncompressed.
    PageUncompress,
    /// Sectors are uncompressed.
    SectorUncompress,
}

pub(super) const COMPRESSIONS: [CompressionOp; 4] = [
    CompressionOp::PageClear,
    CompressionOp::SectorClear,
    CompressionOp::PageUncompress,
    CompressionOp::SectorUncompress,
];

impl CompressionOp {
    /// Whether one page is meant, not a sector for each channel.
    pub const fn is_page(self) -> bool {
        matches!(self, Self::PageClear | Self::PageUncompress)
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::PageClear => "ccs_pc",
            Self::SectorClear => "ccs_sc",
            Self::PageUncompress => "ccs_pu",
            Self::SectorUncompress => "ccs_su",
        }
    }
}

/// What is done to the counter of a surface (Xe2).
///
/// Source: IGA `MessageDecoderLSC.cpp` ("DP_APPENDCTR_ATOMIC_*"), IGC
/// `documentation/visa/instructions/LSC_UNTYPED.md` (AppendCounterAtomicAdd).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AppendOp {
    /// The operand is added.
    Add,
    /// The operand is subtracted.
    Sub,
    /// The counter becomes the operand.
    Store,
}

impl AppendOp {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Add => "atomic_acadd",
            Self::Sub => "atomic_acsub",
            Self::Store => "atomic_acstore",
        }
    }
}

fn surface(f: &mut fmt::Formatter<'_>, kind: &str, state: u32, offset: i32) -> fmt::Result {
    match offset {
        0 => write!(f, "{kind}[{state:#x}]"),
        offset => write!(f, "{kind}[{state:#x}]{offset:+#x}"),
    }
}

impl fmt::Display for LscAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flat { offset: 0 } => f.write_str("flat"),
            Self::Flat { offset } => write!(f, "flat{offset:+#x}"),
            Self::Bss { state, offset } => surface(f, "bss", *state, *offset),
            Self::Ss { state, offset } => surface(f, "ss", *state, *offset),
            Self::Bti { index, offset: 0 } => write!(f, "bti[{index}]"),
            Self::Bti { index, offset } => write!(f, "bti[{index}]{offset:+#x}"),
        }
    }
}

impl fmt::Display for AddressSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a{}", self.bytes() * 8)
    }
}

impl fmt::Display for FenceScope {
    /// As IGA spells it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Group => "group",
            Self::Local => "local",
            Self::Tile => "tile",
            Self::Gpu => "gpu",
            Self::Gpus => "gpus",
            Self::SystemRelease => "sysrel",
            Self::SystemAcquire => "sysacq",
        })
    }
}

impl fmt::Display for FlushOp {
    /// As IGA spells it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Evict => "evict",
            Self::Invalidate => "invalidate",
            Self::Discard => "discard",
            Self::Clean => "clean",
            Self::FlushL3 => "flushl3",
            Self::Type6 => "type6",
        })
    }
}
