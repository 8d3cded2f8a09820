//! The messages of the classic data port as values.

use crate::message::AtomicOp;

/// Which way data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Memory to registers.
    Read,
    /// Registers to memory.
    Write,
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

/// The alignment that an OWord block message requires, and with it the unit of its offset.
///
/// IGA's mnemonics name these the other way round; the units here are those of the PRM
/// ("MSD0R_OWB", "MSD0R_OWAB") and of compiled code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockAlignment {
    /// 16 bytes; A32 offsets count OWords.
    Oword,
    /// 4 bytes; A32 offsets count bytes. Reads only.
    Dword,
}

/// The port of a block or gather read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockPort {
    /// The data cache.
    Data,
    /// The read-only constant cache.
    Constant,
}

/// The length of an OWord block (MDC_DB_OW, descriptor bits 10:8).
///
/// Source: Mesa `brw_eu_defines.h` (`BRW_DATAPORT_OWORD_BLOCK_*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OwordCount {
    /// One OWord, in the low half of the register.
    OneLow,
    /// One OWord, in the high half of the register.
    OneHigh,
    /// Two OWords.
    Two,
    /// Four OWords.
    Four,
    /// Eight OWords.
    Eight,
    /// Sixteen OWords (XeHPG and later).
    Sixteen,
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

/// Which channels of a thread a typed message serves (MDC_SG3, descriptor bits 13:12; MDC_SG2,
/// bit 12, of atomics).
///
/// Source: IGC `visa/Common_GEN.h` (`MDC_SG3`), IGA `MessageDecoderHDC.cpp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SlotGroup {
    /// SIMD4x2: two addresses of four channels each.
    FourByTwo,
    /// Slots 0 to 7 (all sixteen from XeHPC on).
    Low,
    /// Slots 8 to 15.
    High,
}

/// What is done to the state of compressed memory, over the constant cache's port.
///
/// Source: IGA `MessageDecoderHDC.cpp` (`tryDecodeDCRO`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompressionControl {
    /// Memory is marked as cleared.
    Clear,
    /// Memory is uncompressed.
    Uncompress,
}

/// One data port message.
///
/// Payloads: source 0 begins with a header of one register where [`Lengths::header`] says so
/// (blocks, media blocks, fences and counters require one, A64 messages of channels forbid it);
/// then come addresses, one a channel: 32 bits each, packed (a register of 32 bytes serves 8
/// channels), A64 ones 64 bits. Data of writes and operands of atomics follow in source 0 or, with
/// a second source, are source 1. Data is planar: one register (two for SIMD16) of dwords for each
/// component or element, qwords twice that. The header's dword 2 is the offset of block messages,
/// dwords 0 and 1 the address of A64 ones.
///
/// Sources: SKL and TGL PRM vol 2d and vol 7, message descriptors (their names in quotes below);
/// Mesa `brw_eu.h` (`brw_dp_*_desc`); IGA `MessageDecoderHDC.cpp`; IGC
/// `visa/VisaToG4/TranslateSendLdStLegacy.cpp`. Xe2 has none of these ports.
///
/// [`Lengths::header`]: crate::message::Lengths::header
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hdc {
    /// Consecutive OWords between memory and registers, whatever the channel mask ("MSD0R_OWB",
    /// "MSD0R_OWAB", "MSD0W_OWB" on data port 0, "MSD1R_A64_OWB" and its like on 1, "MSD_CC_OWB"
    /// and "MSD_CC_OWAB" on the constant cache's).
    ///
    /// Data: 16 bytes for each OWord, whole registers. All families to XeHPC.
    OwordBlock {
        /// Read or write.
        direction: Direction,
        /// Address model; the offset is in the header.
        address: HdcAddress,
        /// Alignment and offset unit.
        alignment: BlockAlignment,
        /// Length.
        count: OwordCount,
        /// Data or constant cache.
        port: BlockPort,
    },
    /// Two blocks of OWords at two offsets, one for each half of a register ("MSD0R_OWDB",
    /// "MSD0W_OWDB", "MSD1R_A64_OWDB", "MSD_CC_OWDB"). Gen8 to Gen11: SIMD4x2 code.
    ///
    /// Addresses: dwords 0 and 4 of a register behind the header.
    OwordDualBlock {
        /// Read or write.
        direction: Direction,
        /// Address model.
        address: HdcAddress,
        /// OWords for each half: 1 or 4 (Mesa `BRW_DATAPORT_OWORD_DUAL_BLOCK_*`).
        owords: u8,
        /// Data or constant cache.
        port: BlockPort,
    },
    /// Consecutive HWords (32 bytes) between memory and registers ("MSD1R_A64_HWB",
    /// "MSD1W_A64_HWB"; from XeHPG on also with A32 addresses: "MSD0R_HWAB", "MSD0W_HWAB").
    HwordBlock {
        /// Read or write.
        direction: Direction,
        /// Address model; the offset is in the header.
        address: HdcAddress,
        /// 1, 2, 4 or 8.
        hwords: u8,
    },
    /// HWords of the thread's scratch space ("MSD0R_SB", "MSD0W_SB": data port 0 with bit 18 set).
    /// The base is in dword 5 of the header. All families to XeHPC.
    ScratchBlock {
        /// Read or write.
        direction: Direction,
        /// 1, 2, 4 or 8.
        hwords: u8,
        /// Offset in HWords, 0 to 4095.
        offset: u16,
        /// The channel mask selects dwords of each register ("DWord channel mode"), not OWords
        /// (bit 16; without meaning after Gen9).
        dword_channels: bool,
    },
    /// One byte, word or dword for each channel, in a dword of the register ("MSD0R_BS",
    /// "MSD0W_BS", "MSD1R_A64_BS", "MSD1W_A64_BS"). All families to XeHPC.
    Byte {
        /// Read or write.
        direction: Direction,
        /// Address model.
        address: HdcAddress,
        /// 1, 2 or 4.
        bytes: u8,
        /// 8 or 16 (16 or 32 with 64-byte registers).
        simd: u8,
    },
    /// As a read of [`Hdc::Byte`] with A64 addresses, and the response ends with a register that
    /// says which accesses went to resident pages ("MSD1RS_A64_BS").
    ByteStatus {
        /// Address model; A64.
        address: HdcAddress,
        /// 1, 2 or 4.
        bytes: u8,
        /// 8 or 16 (16 or 32 with 64-byte registers).
        simd: u8,
    },
    /// One or several dwords or qwords for each channel ("MSD0R_DWS", "MSD0W_DWS", "MSD0R_QWS",
    /// "MSD0W_QWS", "MSD1R_A64_DWS" and its like, "MSD_CC_DWS"). All families to XeHPC.
    Scattered {
        /// Read or write.
        direction: Direction,
        /// Address model.
        address: HdcAddress,
        /// 4 or 8.
        bytes: u8,
        /// Elements for each channel: 1, 2, 4 or 8.
        elements: u8,
        /// 8 or 16.
        simd: u8,
        /// Data or constant cache.
        port: BlockPort,
    },
    /// Up to four dwords (x, y, z, w) for each channel ("MSD1R_US", "MSD1W_US", "MSD1R_A64_US",
    /// "MSD1W_A64_US"). All families to XeHPC.
    Untyped {
        /// Read or write.
        direction: Direction,
        /// Address model.
        address: HdcAddress,
        /// Enabled components: bit 0 is x. At least one.
        components: u8,
        /// 8 or 16 (16 only on XeHPC), or 2 for SIMD4x2 (Gen8 to Gen11): two addresses of four
        /// channels.
        simd: u8,
    },
    /// Up to four dwords for each channel at scaled offsets in shared local memory ("MT2R_US",
    /// "MT2W_US" on data port 2). Gen9 to Gen11.
    ///
    /// Channel `i` accesses `pitch * index[i] + offset` of shared local memory. Sources: IGC of
    /// 2018, `visa/TranslationInterface.cpp` (`translateVISASLMUntypedScaledInst`,
    /// `applySideBandOffset`), `visa/Common_GEN.h`, and `IGC/Compiler/CISACodeGen/Platform.hpp`
    /// (`hasScaledMessage`). The A64 forms of this port and those with a surface have their type
    /// numbers there, but no source has their layout: they do not decode. None of these has run
    /// on hardware.
    ScaledUntyped {
        /// Read or write.
        direction: Direction,
        /// The scale, 0 to 127 (descriptor bits 6:0).
        pitch: u8,
        /// Added to each address, 20 bits (extended descriptor bits 31:12).
        offset: u32,
        /// Enabled components: bit 0 is x. At least one.
        components: u8,
        /// 8 or 16.
        simd: u8,
    },
    /// A byte, word or dword for each channel at scaled offsets in shared local memory
    /// ("MT2R_BS", "MT2W_BS" on data port 2). Gen9 to Gen11. Addresses and sources as of
    /// [`Hdc::ScaledUntyped`] (`translateVISASLMByteScaledInst`).
    ScaledByte {
        /// Read or write.
        direction: Direction,
        /// The scale, 0 to 127 (descriptor bits 6:0).
        pitch: u8,
        /// Added to each address, 20 bits (extended descriptor bits 31:12).
        offset: u32,
        /// 1, 2 or 4.
        bytes: u8,
        /// 8 or 16.
        simd: u8,
    },
    /// Up to four components of a texel for each channel ("MSD1R_TS", "MSD1W_TS"). All families to
    /// XeHPC.
    ///
    /// Addresses: planes of dwords u, v, r and level of detail; trailing ones may be absent.
    Typed {
        /// Read or write.
        direction: Direction,
        /// The surface.
        surface: HdcSurface,
        /// Enabled components: bit 0 is red.
        components: u8,
        /// The channels served.
        slots: SlotGroup,
    },
    /// As a read of [`Hdc::Typed`], and the response ends with a register that says which texels
    /// were resident ("MSD1RS_TS").
    TypedStatus {
        /// The surface.
        surface: HdcSurface,
        /// Enabled components: bit 0 is red.
        components: u8,
        /// The channels served.
        slots: SlotGroup,
    },
    /// Atomic operation on untyped memory ("MSD1A_DWAI", "MSD1A_DWAF", "MSD1A_A64_*"; half ones
    /// "MSD1A_WAI", "MSD1A_WAF" from Gen12LP on). All families to XeHPC.
    ///
    /// Data: one plane for each operand ([`AtomicOp::operands`]).
    Atomic {
        /// Address model.
        address: HdcAddress,
        /// Operation. Float addition and subtraction from XeHPG on.
        op: AtomicOp,
        /// Memory operand: 2, 4 or 8 bytes.
        bytes: u8,
        /// Whether the old (for pre-decrement, the new) value is returned.
        returns: bool,
        /// 8 or 16 (16 or 32 with 64-byte registers; integers with A64 addresses the narrower), or
        /// 2 for SIMD4x2 (Gen8 to Gen11).
        simd: u8,
    },
    /// Atomic operation on a texel ("MSD1A_DWTAI"; "MSD1A_WTAI" from Gen12LP on). All families to
    /// XeHPC.
    TypedAtomic {
        /// The surface.
        surface: HdcSurface,
        /// Operation; no float ones.
        op: AtomicOp,
        /// Memory operand: 2 or 4 bytes, or 8 for compare and swap.
        bytes: u8,
        /// Whether the old value is returned.
        returns: bool,
        /// The channels served; SIMD4x2 to Gen11.
        slots: SlotGroup,
    },
    /// Atomic operation on the counter of a surface ("MSD1A_DWAC"; "MSD1A_WAC" from Gen12LP on).
    /// All families to XeHPC.
    CounterAtomic {
        /// The surface.
        surface: HdcSurface,
        /// Operation; no float ones.
        op: AtomicOp,
        /// Memory operand: 2 or 4 bytes, or 8 for compare and swap.
        bytes: u8,
        /// Whether the old value is returned.
        returns: bool,
        /// 8 or 16 (16 or 32 with 64-byte registers), or 2 for SIMD4x2 (Gen8 to Gen11).
        simd: u8,
    },
    /// A rectangle of bytes of a two-dimensional surface ("MSD1R_MB", "MSD1W_MB"). All families to
    /// XeHPC.
    ///
    /// Header: dwords 0 and 1 are x (in bytes) and y, dword 2 has the block's width minus one in
    /// bits 5:0 and its height minus one in 21:16. Data: rows padded to a power of two of bytes,
    /// at least 4.
    MediaBlock {
        /// Read or write.
        direction: Direction,
        /// The surface.
        surface: HdcSurface,
        /// Vertical line stride override (MDC_VLSO, bits 10:8), 0 for the surface's own: bit 2
        /// overrides, bit 1 skips every other line, bit 0 begins with the second line.
        line_stride: u8,
    },
    /// Waits until earlier accesses are visible ("MSD_MEMFENCE"). All families to XeHPC.
    Fence {
        /// Shared local memory, or global memory.
        slm: bool,
        /// Whether the response, one register, comes only when the fence is done (bit 13).
        commit: bool,
        /// Flush bits 12:8 as in MSD_MEMFENCE: bit 0 the first level, bits 1 to 4 of L3
        /// instructions, textures, constants and read-write data.
        flush: u8,
    },
    /// As a write of [`Hdc::Untyped`], without compression, over the constant cache's port
    /// ("MSD_US_UCW", "MSD_A64_US_UCW"). XeHPG and XeHPC.
    UncompressedWrite {
        /// Address model.
        address: HdcAddress,
        /// Enabled components: bit 0 is x. At least one.
        components: u8,
        /// 8 or 16 (16 only on XeHPC).
        simd: u8,
    },
    /// As a write of [`Hdc::Typed`], without compression, over the constant cache's port
    /// ("MSD_TS_UCW"). XeHPG and XeHPC.
    TypedUncompressedWrite {
        /// The surface.
        surface: HdcSurface,
        /// Enabled components: bit 0 is red.
        components: u8,
        /// The channels served.
        slots: SlotGroup,
    },
    /// Clears or uncompresses a sector for each channel, over the constant cache's port
    /// ("MSD_A64_US_CCS_OP"). XeHPG and XeHPC.
    SectorControl {
        /// What is done.
        control: CompressionControl,
        /// Address model; A64.
        address: HdcAddress,
        /// 8 or 16 (16 only on XeHPC).
        simd: u8,
    },
    /// Clears or uncompresses the sector of a texel for each channel, over the constant cache's
    /// port ("MSD_TS_CCS_OP"). XeHPG and XeHPC.
    TypedSectorControl {
        /// What is done.
        control: CompressionControl,
        /// The surface.
        surface: HdcSurface,
        /// The channels served.
        slots: SlotGroup,
    },
    /// Clears or uncompresses a page, over the constant cache's port ("MSD_A64_CCS_PG_OP"). XeHPG
    /// and XeHPC.
    PageControl {
        /// What is done.
        control: CompressionControl,
        /// Address model; A64.
        address: HdcAddress,
    },
}
