//! The messages of the classic data port.

use super::fields::{
    A32, A64, A64_BLOCK_TYPE, A64_SCATTER_TYPE, ALIGNED_BLOCK_HWORD, ATOMIC_BYTES, ATOMIC_OP,
    ATOMIC_RETURN, ATOMIC_SIMD, ATOMIC_SLOTS, BIT_12, BYTES, BYTES_A64, Components, DOUBLE_OPS,
    DUAL_OWORDS, ELEMENTS, FENCE_COMMIT, FENCE_FLUSH, FENCED_SLM, FLOAT_OPS, HWORDS, INTEGER_OPS,
    MEDIA_LINE_STRIDE, NativeSimd, OWORDS, PAGE_OPERATIONS, SCALED_OFFSET, SCALED_PITCH,
    SCALED_SIMD, SCALED_SLM, SCATTER_LEGACY, SCRATCH, SCRATCH_DWORD_MODE, SCRATCH_HWORDS,
    SCRATCH_OFFSET, SCRATCH_WRITE, SECTOR_OPERATIONS, SIMD_8, SIMD_12, SLOTS, SURFACE_SIMD,
    Surface, TYPE, UNDESCRIBED, way,
};
use super::parts::BlockAlignment::{self, Dword, Oword};
use super::parts::BlockPort::{self, Constant, Data};
use super::parts::Direction::{self, Read, Write};
use super::parts::SlotGroup::{self, FourByTwo};
use super::parts::{Channels, CompressionControl, HdcAddress, HdcSurface, OwordCount};
use crate::Sfid;
use crate::message::AtomicOp::{self, CompareSwap};
use crate::message::layout::{Choice, Table, Words, Written, messages};
use crate::message::{DescriptorError, Mask};

/// Blocks and scattered elements with A64 addresses.
const A64_BLOCK: Choice<Direction, 2> = way(0x14, 0x15);
const A64_SCATTER: Choice<Direction, 2> = way(0x10, 0x1a);

const fn with_return(returns: bool) -> &'static str {
    if returns { " with return" } else { "" }
}

messages! {
    /// One data port message.
    ///
    /// Payloads: source 0 begins with a header of one register where [`Lengths::header`] says so
    /// (blocks, media blocks, fences and counters require one, A64 messages of channels forbid it);
    /// then come addresses, one per channel: packed, 32 bits each (a register of 32 bytes serves 8
    /// channels) or 64 bits for A64. The data of writes and the operands of atomics follow in
    /// source 0, or are source 1 if there is a second source. Data is planar: one register (two for
    /// SIMD16) of dwords for each component or element, qwords twice that. The header's dword 2 is
    /// the offset of block messages, dwords 0 and 1 the address of A64 ones.
    ///
    /// Sources: SKL and TGL PRM vol 2d and vol 7, message descriptors (their names are in quotes
    /// below); Mesa `brw_eu.h` (`brw_dp_*_desc`); IGA `MessageDecoderHDC.cpp`; IGC
    /// `visa/VisaToG4/TranslateSendLdStLegacy.cpp`. Xe2 has none of these ports.
    ///
    /// [`Lengths::header`]: crate::message::Lengths::header
    Hdc;

    /// Consecutive OWords between memory and registers, whatever the channel mask ("MSD0R_OWB",
    /// "MSD0R_OWAB", "MSD0W_OWB" on data port 0, "MSD1R_A64_OWB" and the like on 1, "MSD_CC_OWB"
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
    } ("{port}oword block {direction} {count}{alignment} {address}")
        => DataPort0(..) [] { alignment = Oword, port = Data; direction: way(0x00, 0x08), address: A32, count: OWORDS }
        => DataPort0(..=Gen12Lp) [TYPE => 0x01] { direction = Read, alignment = Dword, port = Data; address: A32, count: OWORDS }
        => DataPort0(XeHpg..) [TYPE => 0x01, ALIGNED_BLOCK_HWORD => 0] { direction = Read, alignment = Dword, port = Data; address: A32, count: OWORDS }
        => ConstantCache(..) [] { direction = Read, port = Constant; alignment: Choice(TYPE, [(0x00, Oword), (0x01, Dword)]), address: A32, count: OWORDS }
        => DataPort1(..) [A64_BLOCK_TYPE => 0] { alignment = Oword, port = Data; direction: A64_BLOCK, address: A64, count: OWORDS }
        => DataPort1(..) [TYPE => 0x14, A64_BLOCK_TYPE => 1] { direction = Read, alignment = Dword, port = Data; address: A64, count: OWORDS }

    /// Two blocks of OWords at two offsets, one for each half of a register ("MSD0R_OWDB",
    /// "MSD0W_OWDB", "MSD1R_A64_OWDB", "MSD_CC_OWDB"). Gen8 to Gen11: SIMD4x2 code.
    ///
    /// Addresses: dwords 0 and 4 of the register after the header.
    OwordDualBlock {
        /// Read or write.
        direction: Direction,
        /// Address model.
        address: HdcAddress,
        /// OWords for each half: 1 or 4 (Mesa `BRW_DATAPORT_OWORD_DUAL_BLOCK_*`).
        owords: u8,
        /// Data or constant cache.
        port: BlockPort,
    } ("{port}oword dual block {direction} x{owords} {address}")
        => DataPort0(..=Gen11) [] { port = Data; direction: way(0x02, 0x0a), address: A32, owords: DUAL_OWORDS }
        => ConstantCache(..=Gen11) [TYPE => 0x02] { direction = Read, port = Constant; address: A32, owords: DUAL_OWORDS }
        => DataPort1(..=Gen11) [A64_BLOCK_TYPE => 2] { port = Data; direction: A64_BLOCK, address: A64, owords: DUAL_OWORDS }

    /// Consecutive HWords (32 bytes) between memory and registers ("MSD1R_A64_HWB",
    /// "MSD1W_A64_HWB"; from XeHPG on also with A32 addresses: "MSD0R_HWAB", "MSD0W_HWAB").
    HwordBlock {
        /// Read or write.
        direction: Direction,
        /// Address model; the offset is in the header.
        address: HdcAddress,
        /// 1, 2, 4 or 8.
        hwords: u8,
    } ("hword block {direction} x{hwords} {address}")
        => DataPort0(XeHpg..) [TYPE => 0x01, ALIGNED_BLOCK_HWORD => 1] { direction = Read; address: A32, hwords: HWORDS }
        => DataPort0(XeHpg..) [TYPE => 0x09] { direction = Write; address: A32, hwords: HWORDS }
        => DataPort1(..) [A64_BLOCK_TYPE => 3] { ; direction: A64_BLOCK, address: A64, hwords: HWORDS }

    /// HWords of the thread's scratch space ("MSD0R_SB", "MSD0W_SB": data port 0 with bit 18 set).
    /// The base is in dword 5 of the header. All families to XeHPC.
    ScratchBlock {
        /// Read or write.
        direction: Direction,
        /// 1, 2, 4 or 8.
        hwords: u8,
        /// Offset in HWords, 0 to 4095.
        offset: u16,
        /// The channel mask selects dwords of each register ("DWord channel mode"), not OWords (bit
        /// 16; no meaning after Gen9).
        dword_channels: bool,
    } ("hword scratch block {direction} x{hwords} +{:#x}", u32::from(offset) * 32)
        => DataPort0(..) [SCRATCH => 1] { ; direction: Table(SCRATCH_WRITE, &[(0, Read), (1, Write)]), hwords: SCRATCH_HWORDS, offset: SCRATCH_OFFSET, dword_channels: SCRATCH_DWORD_MODE }

    /// One byte, word or dword for each channel, in a dword of the register, at any byte; with A64
    /// addresses also a qword, in a qword ("MSD0R_BS", "MSD0W_BS", "MSD1R_A64_BS", "MSD1W_A64_BS"). All
    /// families to XeHPC.
    Byte {
        /// Read or write.
        direction: Direction,
        /// Address model.
        address: HdcAddress,
        /// 1, 2 or 4; with A64 addresses also 8.
        bytes: u8,
        /// 8 or 16 (16 or 32 with 64-byte registers).
        simd: u8,
    } ("byte scattered {direction} d{} simd{simd} {address}", bytes * 8)
        => DataPort0(..) [] { ; direction: way(0x04, 0x0c), address: A32, bytes: BYTES, simd: SIMD_8 }
        => DataPort1(..) [A64_SCATTER_TYPE => 0] { ; direction: A64_SCATTER, address: A64, bytes: BYTES_A64, simd: SIMD_12 }

    /// Like a read of [`Hdc::Byte`] with A64 addresses, but the response ends with a register that
    /// says which accesses went to resident pages ("MSD1RS_A64_BS").
    ByteStatus {
        /// Address model; A64.
        address: HdcAddress,
        /// 1, 2 or 4.
        bytes: u8,
        /// 8 or 16 (16 or 32 with 64-byte registers).
        simd: u8,
    } ("byte scattered read with status d{} simd{simd} {address}", bytes * 8)
        => DataPort1(..) [TYPE => 0x10, A64_SCATTER_TYPE => 3] { ; address: A64, bytes: BYTES, simd: SIMD_12 }

    /// One or several dwords or qwords for each channel ("MSD0R_DWS", "MSD0W_DWS", "MSD0R_QWS",
    /// "MSD0W_QWS", "MSD1R_A64_DWS" and the like, "MSD_CC_DWS"). All families to XeHPC.
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
    } ("{port}scattered {direction} d{}x{elements} simd{simd} {address}", u32::from(bytes) * 8)
        => DataPort0(..) [Written(SCATTER_LEGACY) => 1] { bytes = 4, port = Data; direction: way(0x03, 0x0b), address: A32, elements: ELEMENTS, simd: SIMD_8 }
        => DataPort0(..) [Written(SCATTER_LEGACY) => 1] { bytes = 8, port = Data; direction: way(0x05, 0x0d), address: A32, elements: ELEMENTS, simd: SIMD_8 }
        => ConstantCache(..) [TYPE => 0x03, Written(SCATTER_LEGACY) => 1] { direction = Read, bytes = 4, port = Constant; address: A32, elements: ELEMENTS, simd: SIMD_8 }
        => DataPort1(..) [] { port = Data; direction: A64_SCATTER, bytes: Choice(A64_SCATTER_TYPE, [(1, 4), (2, 8)]), address: A64, elements: ELEMENTS, simd: SIMD_12 }

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
    } ("untyped surface {direction} {} {} {address}", Mask(components), Channels(simd))
        => DataPort1(..) [] { ; direction: way(0x01, 0x09), address: A32, components: Components, simd: SURFACE_SIMD }
        => DataPort1(..) [] { ; direction: way(0x11, 0x19), address: A64, components: Components, simd: SURFACE_SIMD }

    /// Up to four dwords for each channel at scaled offsets in shared local memory ("MT2R_US",
    /// "MT2W_US" on data port 2). Gen9 to Gen11.
    ///
    /// Channel `i` accesses `pitch * index[i] + offset` of shared local memory. Sources: IGC of
    /// 2018, `visa/TranslationInterface.cpp` (`translateVISASLMUntypedScaledInst`,
    /// `applySideBandOffset`), `visa/Common_GEN.h`, and `IGC/Compiler/CISACodeGen/Platform.hpp`
    /// (`hasScaledMessage`). The A64 forms of this port and those with a surface have type numbers
    /// there, but no source has their layout: they do not decode. None of these messages has run on
    /// hardware.
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
    } ("scaled untyped surface {direction} {} simd{simd} slm*{pitch}+{offset:#x}", Mask(components))
        => DataPort2(Gen9..=Gen11) [SCALED_SLM => 1] { ; direction: way(0x02, 0x12), pitch: SCALED_PITCH, offset: SCALED_OFFSET, components: Components, simd: SCALED_SIMD }

    /// A byte, word or dword for each channel at scaled offsets in shared local memory
    /// ("MT2R_BS", "MT2W_BS" on data port 2). Gen9 to Gen11. Addresses and sources as for
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
    } ("scaled byte scattered {direction} d{} simd{simd} slm*{pitch}+{offset:#x}", bytes * 8)
        => DataPort2(Gen9..=Gen11) [SCALED_SLM => 1] { ; direction: way(0x08, 0x18), pitch: SCALED_PITCH, offset: SCALED_OFFSET, bytes: BYTES, simd: SIMD_8 }

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
    } ("typed surface {direction} {}{slots} {surface}", Mask(components))
        => DataPort1(..) [] { ; direction: way(0x05, 0x0d), surface: Surface, components: Components, slots: SLOTS }

    /// Like a read of [`Hdc::Typed`], but the response ends with a register that says which texels
    /// were resident ("MSD1RS_TS").
    TypedStatus {
        /// The surface.
        surface: HdcSurface,
        /// Enabled components: bit 0 is red.
        components: u8,
        /// The channels served.
        slots: SlotGroup,
    } ("typed surface read with status {}{slots} {surface}", Mask(components))
        => DataPort1(..) [TYPE => 0x0e] { ; surface: Surface, components: Components, slots: SLOTS }

    /// Atomic operation on untyped memory ("MSD1A_DWAI", "MSD1A_DWAF", "MSD1A_A64_*"; 16-bit forms
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
        /// 8 or 16 (16 or 32 with 64-byte registers; only the narrower for integers with A64
        /// addresses), or 2 for SIMD4x2 (Gen8 to Gen11).
        simd: u8,
    } ("untyped atomic {} d{}{} {} {address}", op, bytes * 8, with_return(returns), Channels(simd))
        => DataPort1(..) [TYPE => 0x02, ATOMIC_OP => 0] { op = CompareSwap, bytes = 8; address: A32, returns: ATOMIC_RETURN, simd: ATOMIC_SIMD }
        => DataPort1(..) [TYPE => 0x02] { bytes = 4; address: A32, op: INTEGER_OPS, returns: ATOMIC_RETURN, simd: ATOMIC_SIMD }
        => DataPort1(..=Gen11) [TYPE => 0x03, ATOMIC_OP => 0] { op = CompareSwap, bytes = 8, simd = 2; address: A32, returns: ATOMIC_RETURN }
        => DataPort1(..=Gen11) [TYPE => 0x03] { bytes = 4, simd = 2; address: A32, op: INTEGER_OPS, returns: ATOMIC_RETURN }
        => DataPort1(Gen12Lp..) [TYPE => 0x03] { bytes = 2; address: A32, op: INTEGER_OPS, returns: ATOMIC_RETURN, simd: ATOMIC_SIMD }
        => DataPort1(..) [TYPE => 0x12] { ; address: A64, op: INTEGER_OPS, bytes: ATOMIC_BYTES, returns: ATOMIC_RETURN, simd: NativeSimd }
        => DataPort1(..) [TYPE => 0x12, ATOMIC_OP => 0, BIT_12 => 0] { op = CompareSwap, bytes = 8; address: A64, returns: ATOMIC_RETURN, simd: NativeSimd }
        => DataPort1(..=Gen11) [TYPE => 0x13] { simd = 2; address: A64, op: INTEGER_OPS, bytes: ATOMIC_BYTES, returns: ATOMIC_RETURN }
        => DataPort1(..=Gen11) [TYPE => 0x13, ATOMIC_OP => 0, BIT_12 => 0] { op = CompareSwap, bytes = 8, simd = 2; address: A64, returns: ATOMIC_RETURN }
        => DataPort1(Gen12Lp..) [TYPE => 0x13] { bytes = 2; address: A64, op: INTEGER_OPS, returns: ATOMIC_RETURN, simd: NativeSimd }
        => DataPort1(XeHpg..) [TYPE => 0x1b] { bytes = 8; address: A32, op: DOUBLE_OPS, returns: ATOMIC_RETURN, simd: ATOMIC_SIMD }
        => DataPort1(..) [TYPE => 0x1b] { bytes = 4; address: A32, op: FLOAT_OPS, returns: ATOMIC_RETURN, simd: ATOMIC_SIMD }
        => DataPort1(..=Gen11) [TYPE => 0x1c] { bytes = 4, simd = 2; address: A32, op: FLOAT_OPS, returns: ATOMIC_RETURN }
        => DataPort1(Gen12Lp..) [TYPE => 0x1c] { bytes = 2; address: A32, op: FLOAT_OPS, returns: ATOMIC_RETURN, simd: ATOMIC_SIMD }
        => DataPort1(XeHpg..) [TYPE => 0x1d] { bytes = 8; address: A64, op: DOUBLE_OPS, returns: ATOMIC_RETURN, simd: SIMD_12 }
        => DataPort1(..) [TYPE => 0x1d] { bytes = 4; address: A64, op: FLOAT_OPS, returns: ATOMIC_RETURN, simd: SIMD_12 }
        => DataPort1(..=Gen11) [TYPE => 0x1e] { bytes = 4, simd = 2; address: A64, op: FLOAT_OPS, returns: ATOMIC_RETURN }
        => DataPort1(Gen12Lp..) [TYPE => 0x1e] { bytes = 2; address: A64, op: FLOAT_OPS, returns: ATOMIC_RETURN, simd: SIMD_12 }
        => DataPort1(XeHpg..) [TYPE => 0x1c] { bytes = 8; address: A32, op: DOUBLE_OPS, returns: ATOMIC_RETURN, simd: ATOMIC_SIMD }
        => DataPort1(XeHpg..) [TYPE => 0x1e] { bytes = 8; address: A64, op: DOUBLE_OPS, returns: ATOMIC_RETURN, simd: SIMD_12 }

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
    } ("typed atomic {} d{}{}{slots} {surface}", op, bytes * 8, with_return(returns))
        => DataPort1(..) [TYPE => 0x06, ATOMIC_OP => 0] { op = CompareSwap, bytes = 8; surface: Surface, returns: ATOMIC_RETURN, slots: ATOMIC_SLOTS }
        => DataPort1(..) [TYPE => 0x06] { bytes = 4; surface: Surface, op: INTEGER_OPS, returns: ATOMIC_RETURN, slots: ATOMIC_SLOTS }
        => DataPort1(..=Gen11) [TYPE => 0x07, ATOMIC_OP => 0] { op = CompareSwap, bytes = 8, slots = FourByTwo; surface: Surface, returns: ATOMIC_RETURN }
        => DataPort1(..=Gen11) [TYPE => 0x07] { bytes = 4, slots = FourByTwo; surface: Surface, op: INTEGER_OPS, returns: ATOMIC_RETURN }
        => DataPort1(Gen12Lp..) [TYPE => 0x07] { bytes = 2; surface: Surface, op: INTEGER_OPS, returns: ATOMIC_RETURN, slots: ATOMIC_SLOTS }

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
    } ("counter atomic {} d{}{} {} {surface}", op, bytes * 8, with_return(returns), Channels(simd))
        => DataPort1(..) [TYPE => 0x0b, ATOMIC_OP => 0] { op = CompareSwap, bytes = 8; surface: Surface, returns: ATOMIC_RETURN, simd: ATOMIC_SIMD }
        => DataPort1(..) [TYPE => 0x0b] { bytes = 4; surface: Surface, op: INTEGER_OPS, returns: ATOMIC_RETURN, simd: ATOMIC_SIMD }
        => DataPort1(..=Gen11) [TYPE => 0x0c, ATOMIC_OP => 0] { op = CompareSwap, bytes = 8, simd = 2; surface: Surface, returns: ATOMIC_RETURN }
        => DataPort1(..=Gen11) [TYPE => 0x0c] { bytes = 4, simd = 2; surface: Surface, op: INTEGER_OPS, returns: ATOMIC_RETURN }
        => DataPort1(Gen12Lp..) [TYPE => 0x0c] { bytes = 2; surface: Surface, op: INTEGER_OPS, returns: ATOMIC_RETURN, simd: ATOMIC_SIMD }

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
    } ("media block {direction} {surface}")
        => DataPort1(..) [] { ; direction: way(0x04, 0x0a), surface: Surface, line_stride: MEDIA_LINE_STRIDE }

    /// Waits until earlier accesses are visible ("MSD_MEMFENCE"). All families to XeHPC.
    Fence {
        /// Shared local memory, or global memory.
        slm: bool,
        /// Whether the response, one register, comes only when the fence is done (bit 13).
        commit: bool,
        /// Flush bits 12:8 as in MSD_MEMFENCE: bit 0 the first level; bits 1 to 4 the instructions,
        /// textures, constants and read-write data in L3.
        flush: u8,
    } ("{}{} fence", if commit { "synchronized " } else { "" }, if slm { "slm" } else { "global" })
        => DataPort0(..) [TYPE => 0x07] { ; slm: FENCED_SLM, commit: FENCE_COMMIT, flush: FENCE_FLUSH }

    /// Like a write of [`Hdc::Untyped`], but without compression and through the constant cache's
    /// port ("MSD_US_UCW", "MSD_A64_US_UCW"). XeHPG and XeHPC.
    UncompressedWrite {
        /// Address model.
        address: HdcAddress,
        /// Enabled components: bit 0 is x. At least one.
        components: u8,
        /// 8 or 16 (16 only on XeHPC).
        simd: u8,
    } ("untyped surface uncompressed write {} simd{simd} {address}", Mask(components))
        => ConstantCache(XeHpg..) [TYPE => 0x09] { ; address: A32, components: Components, simd: SURFACE_SIMD }
        => ConstantCache(XeHpg..) [TYPE => 0x19] { ; address: A64, components: Components, simd: SURFACE_SIMD }

    /// Like a write of [`Hdc::Typed`], but without compression and through the constant cache's
    /// port ("MSD_TS_UCW"). XeHPG and XeHPC.
    TypedUncompressedWrite {
        /// The surface.
        surface: HdcSurface,
        /// Enabled components: bit 0 is red.
        components: u8,
        /// The channels served.
        slots: SlotGroup,
    } ("typed surface uncompressed write {}{slots} {surface}", Mask(components))
        => ConstantCache(XeHpg..) [TYPE => 0x0d] { ; surface: Surface, components: Components, slots: SLOTS }

    /// Clears or uncompresses a sector for each channel, through the constant cache's port
    /// ("MSD_A64_US_CCS_OP"). XeHPG and XeHPC.
    SectorControl {
        /// What is done.
        control: CompressionControl,
        /// Address model; A64.
        address: HdcAddress,
        /// 8 or 16 (16 only on XeHPC).
        simd: u8,
    } ("sector {control} simd{simd} {address}")
        => ConstantCache(XeHpg..) [TYPE => 0x18] { ; control: SECTOR_OPERATIONS, address: A64, simd: SURFACE_SIMD }

    /// Clears or uncompresses the sector of a texel for each channel, through the constant cache's
    /// port ("MSD_TS_CCS_OP"). XeHPG and XeHPC.
    TypedSectorControl {
        /// What is done.
        control: CompressionControl,
        /// The surface.
        surface: HdcSurface,
        /// The channels served.
        slots: SlotGroup,
    } ("typed sector {control}{slots} {surface}")
        => ConstantCache(XeHpg..) [TYPE => 0x0c] { ; control: SECTOR_OPERATIONS, surface: Surface, slots: SLOTS }

    /// Clears or uncompresses a page, through the constant cache's port ("MSD_A64_CCS_PG_OP").
    /// XeHPG and XeHPC.
    PageControl {
        /// What is done.
        control: CompressionControl,
        /// Address model; A64.
        address: HdcAddress,
    } ("page {control} {address}")
        => ConstantCache(XeHpg..) [TYPE => 0x17] { ; control: PAGE_OPERATIONS, address: A64 }
}

impl Hdc {
    /// The surface that the message names; `None` for 64-bit addresses, scratch space, fences and
    /// scaled messages.
    pub fn surface(&self) -> Option<HdcSurface> {
        match self.part::<HdcAddress>() {
            Some(HdcAddress::A32(surface)) => Some(surface),
            Some(HdcAddress::A64 { .. }) => None,
            None => self.part(),
        }
    }
}

/// The data port message of these descriptors.
pub fn decode(words: &Words) -> Result<Hdc, DescriptorError> {
    Hdc::decode(words).map_err(|miss| {
        let kind = TYPE.code(words);
        let undescribed = UNDESCRIBED.iter().find(|row| {
            row.0 == kind
                && words.function == Sfid::DataPort2
                && devinfo::span!(Gen9..=Gen11).contains(words.family)
        });
        match (miss, undescribed) {
            (Some(error), _) => error,
            (None, Some((_, what))) => DescriptorError::Undescribed {
                what,
                descriptor: words.descriptors.descriptor,
            },
            (None, None) => words.undefined(TYPE.name, kind),
        }
    })
}
