//! The parts of data port messages.

use core::fmt;

use crate::message::layout::values;

values! {
    /// The direction of data.
    Direction {
        /// Memory to registers.
        Read "read",
        /// Registers to memory.
        Write "write",
    }

    /// The alignment that an OWord block message requires, and with it the unit of its offset.
    ///
    /// IGA's mnemonics name these the other way round; the units here are those of the PRM
    /// ("MSD0R_OWB", "MSD0R_OWAB") and of compiled code.
    BlockAlignment {
        /// 16 bytes; A32 offsets count OWords.
        Oword "",
        /// 4 bytes; A32 offsets count bytes. Reads only.
        Dword " (dword aligned)",
    }

    /// The port of a block or gather read.
    BlockPort {
        /// The data cache.
        Data "",
        /// The read-only constant cache.
        Constant "constant ",
    }

    /// The length of an OWord block (MDC_DB_OW, descriptor bits 10:8).
    ///
    /// Source: Mesa `brw_eu_defines.h` (`BRW_DATAPORT_OWORD_BLOCK_*`).
    OwordCount {
        /// One OWord, in the low half of the register.
        OneLow "x1",
        /// One OWord, in the high half of the register.
        OneHigh "x1H",
        /// Two OWords.
        Two "x2",
        /// Four OWords.
        Four "x4",
        /// Eight OWords.
        Eight "x8",
        /// Sixteen OWords (XeHPG and later).
        Sixteen "x16",
    }

    /// Which channels of a thread a typed message serves (MDC_SG3, descriptor bits 13:12; for
    /// atomics MDC_SG2, bit 12).
    ///
    /// Source: IGC `visa/Common_GEN.h` (`MDC_SG3`), IGA `MessageDecoderHDC.cpp`.
    SlotGroup {
        /// SIMD4x2: two addresses of four channels each.
        FourByTwo " simd4x2",
        /// Slots 0 to 7 (all sixteen from XeHPC on).
        Low "",
        /// Slots 8 to 15.
        High " high slots",
    }

    /// What a message through the constant cache's port does to the state of compressed memory.
    ///
    /// Source: IGA `MessageDecoderHDC.cpp` (`tryDecodeDCRO`).
    CompressionControl {
        /// Memory is marked as cleared.
        Clear "clear",
        /// Memory is uncompressed.
        Uncompress "uncompress",
    }
}

/// What the 32-bit addresses of a message are offsets into (descriptor bits 7:0).
///
/// Sources: TGL PRM vol 7 "MDC_STATELESS", "MDC_BTS_SLM_A32"; Mesa `brw_eu_defines.h`
/// (`GFX8_BTI_STATELESS_IA_COHERENT`, `GFX9_BTI_BINDLESS`, `GFX7_BTI_SLM`). `0xf0` to `0xfb` are
/// reserved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HdcSurface {
    /// The surface of a binding table entry, 0 to 239.
    Bti(u8),
    /// A surface state at this byte offset in the bindless surface heap, a multiple of 64 (index
    /// `0xfc`, Gen9 and later). The offset is in the extended descriptor: 20 bits of units in bits
    /// 31:12, 26 bits in 31:6 with ExBSO.
    Bindless(u32),
    /// Shared local memory (index `0xfe`).
    Slm,
    /// General state memory. `coherent` is a cacheability hint.
    Stateless {
        /// Coherent with the processor's caches (index `0xff`), or not (`0xfd`).
        coherent: bool,
    },
}

/// How a message forms addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HdcAddress {
    /// 32-bit offsets into a surface.
    A32(HdcSurface),
    /// 64-bit virtual addresses.
    A64 {
        /// As in [`HdcSurface::Stateless`].
        coherent: bool,
    },
}

impl OwordCount {
    /// The number of OWords.
    pub const fn owords(self) -> usize {
        match self {
            Self::OneLow | Self::OneHigh => 1,
            Self::Two => 2,
            Self::Four => 4,
            Self::Eight => 8,
            Self::Sixteen => 16,
        }
    }
}

impl fmt::Display for HdcSurface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bti(index) => write!(f, "bti[{index}]"),
            Self::Bindless(offset) => write!(f, "bindless[{offset:#x}]"),
            Self::Slm => f.write_str("slm"),
            Self::Stateless { coherent: true } => f.write_str("stateless"),
            Self::Stateless { coherent: false } => f.write_str("stateless non-coherent"),
        }
    }
}

impl fmt::Display for HdcAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::A32(surface) => surface.fmt(f),
            Self::A64 { coherent: true } => f.write_str("a64"),
            Self::A64 { coherent: false } => f.write_str("a64 non-coherent"),
        }
    }
}

/// The channels of a message; two mean SIMD4x2.
pub(super) struct Channels(pub u8);

impl fmt::Display for Channels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            2 => f.write_str("simd4x2"),
            simd => write!(f, "simd{simd}"),
        }
    }
}
