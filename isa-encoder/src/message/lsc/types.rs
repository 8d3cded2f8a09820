//! The parts of load/store messages.

use core::fmt;

use crate::Sfid;
use crate::message::layout::values;

values! {
    /// The unit that a load/store message goes to.
    ///
    /// Source: Mesa `brw_eu_defines.h` (`brw_message_target`), IGA's SFID table.
    LscPort {
        /// Untyped global memory (XeHPG and later).
        Ugm "ugm",
        /// Untyped global memory over the low-bandwidth path between tiles (XeHPG and later).
        Ugml "ugml",
        /// Typed global memory: images (XeHPG and later).
        Tgm "tgm",
        /// Shared local memory (XeHPG and later).
        Slm "slm",
        /// The unified return buffer of the 3D pipeline, which takes load/store messages on Xe2.
        Urb "urb",
    }

    /// The size of each address in the payload (descriptor bits 8:7).
    ///
    /// An address payload has one address per channel, packed: SIMD16 addresses of 32 bits fill 64
    /// bytes (two registers of 32 bytes, one of 64). Source: Mesa `lsc_addr_size`,
    /// `lsc_msg_addr_len`.
    AddressSize {
        /// 16 bits.
        A16 "a16" = 1,
        /// 32 bits.
        A32 "a32" = 2,
        /// 64 bits. Flat addresses of global memory only.
        A64 "a64" = 3,
    }

    /// The size of one element in memory and in the register (descriptor bits 11:9).
    ///
    /// A data payload is planar: element `i` of all channels, then element `i + 1`; each plane
    /// begins a register. A transposed payload has the elements of its one address in a row.
    /// Sources: Mesa `lsc_data_size`, IGA `MessageDecoderLSC.cpp` (`decodeLscDataSize`).
    DataSize {
        /// Bytes, packed. Two-dimensional blocks only.
        D8 "d8",
        /// Words, packed. Two-dimensional blocks only.
        D16 "d16",
        /// Dwords.
        D32 "d32",
        /// Qwords.
        D64 "d64",
        /// Bytes in memory, dwords in the register: their upper bits are undefined before Xe2, zero
        /// from Xe2 on.
        D8U32 "d8u32",
        /// Words in memory, dwords in the register, like [`DataSize::D8U32`].
        D16U32 "d16u32",
        /// Words in memory, the high halves of dwords in the register (for bfloat16).
        D16U32H "d16u32h",
    }

    /// How far a fence reaches (descriptor bits 11:9).
    ///
    /// Sources: Mesa `lsc_fence_scope`, IGC `documentation/visa/instructions/LSC_FENCE.md`.
    FenceScope {
        /// The thread group.
        Group "group",
        /// The sub-slice.
        Local "local",
        /// The tile.
        Tile "tile",
        /// The device.
        Gpu "gpu",
        /// All devices.
        Gpus "gpus",
        /// System, release.
        SystemRelease "sysrel",
        /// System, acquire.
        SystemAcquire "sysacq",
    }

    /// What a fence does to the first-level cache (descriptor bits 14:12).
    ///
    /// Sources: Mesa `lsc_flush_type`, IGC `documentation/visa/instructions/LSC_FENCE.md`.
    FlushOp {
        /// Nothing.
        None "none",
        /// Dirty lines are written and dropped, clean ones dropped.
        Evict "evict",
        /// Clean lines are dropped, dirty ones kept.
        Invalidate "invalidate",
        /// All lines are dropped, and what they held is lost.
        Discard "discard",
        /// Dirty lines are written and kept as clean ones.
        Clean "clean",
        /// Only L3 is flushed (XeHPG).
        FlushL3 "flushl3",
        /// The code 6, which XeHPG compilers emit as a work-around: nothing is flushed (Mesa
        /// `LSC_FLUSH_TYPE_NONE_6`).
        Type6 "type6",
    }

    /// What is done to the state of compressed memory (descriptor bits 19:17 of `ccs`).
    ///
    /// A sector is two cache lines, a page 64 KiB. Source: IGA `MessageDecoderLSC.cpp`
    /// (`decodeLscCcs`).
    CompressionOp {
        /// A page is marked as cleared.
        PageClear "ccs_pc",
        /// Sectors are marked as cleared.
        SectorClear "ccs_sc",
        /// A page is uncompressed.
        PageUncompress "ccs_pu",
        /// Sectors are uncompressed.
        SectorUncompress "ccs_su",
    }

    /// What is done to the counter of a surface (Xe2).
    ///
    /// Source: IGA `MessageDecoderLSC.cpp` ("DP_APPENDCTR_ATOMIC_*"), IGC
    /// `documentation/visa/instructions/LSC_UNTYPED.md` (AppendCounterAtomicAdd).
    AppendOp {
        /// The operand is added.
        Add "atomic_acadd",
        /// The operand is subtracted.
        Sub "atomic_acsub",
        /// The counter becomes the operand.
        Store "atomic_acstore",
    }
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
        /// Immediate offset in bytes: 20 bits, signed (Xe2, otherwise 0). In bits 31:12 of the
        /// extended descriptor.
        offset: i32,
    },
    /// A surface state in the bindless surface heap, plus a signed immediate.
    Bss {
        /// The state's byte offset in the heap, a multiple of 64. 20 bits of units in the extended
        /// descriptor's bits 31:12; 26 bits in 31:6 with ExBSO, or from a register on Xe2's UGM.
        state: u32,
        /// Immediate offset in bytes: 17 bits, signed (Xe2 on the UGM port, otherwise 0). It is in
        /// the instruction; the extended descriptor is then in a register.
        offset: i32,
    },
    /// A surface state at an offset from the surface state base, plus a signed immediate.
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
        /// Immediate offset in bytes: 12 bits, signed (Xe2, otherwise 0). In bits 23:12 of the
        /// extended descriptor.
        offset: i32,
    },
}

impl AddressSize {
    /// In bytes.
    pub const fn bytes(self) -> usize {
        1 << self as usize
    }
}

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

impl CompressionOp {
    /// Whether it works on one page, not on a sector for each channel.
    pub const fn is_page(self) -> bool {
        matches!(self, Self::PageClear | Self::PageUncompress)
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

impl fmt::Display for Block2d {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.transpose { "t" } else { "" })?;
        f.write_str(if self.vnni { "v" } else { "" })
    }
}
