//! The messages of the classic data port as values.

use core::fmt;

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
/// Source: TGL PRM vol 7 "MDC_STATELESS", "MDC_BTS_SLM_A32"; `0xf0` to `0xfb` are reserved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HdcSurface {
    /// The surface of a binding table entry, 0 to 239.
    Bti(u8),
    /// A surface state at this byte offset in the bindless surface heap; `None` as long as the
    /// extended descriptor is not known.
    Bindless(u32),
    /// Shared local memory.
    Slm,
    /// General state memory. `coherent` is a cacheability hint.
    Stateless {
        /// Coherent with the instruction's IA cache (`0xff`), or not (`0xfd`).
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

/// The length of an OWord block (MDC_DB_OW).
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

/// Which eight channels of a sixteen-wide thread a typed message serves (MDC_SG3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SlotGroup {
    /// Two groups of four slots.
    FourByTwo,
    /// Slots 0 to 7 (all sixteen from XeHPC on).
    Low,
    /// Slots 8 to 15.
    High,
}

/// One data port message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hdc {
    /// Consecutive OWords between memory and registers, whatever the channel mask.
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
    /// Consecutive HWords (32 bytes) between memory and registers.
    HwordBlock {
        /// Read or write.
        direction: Direction,
        /// Address model; the offset is in the header.
        address: HdcAddress,
        /// 1, 2, 4 or 8.
        hwords: u8,
    },
    /// HWords of the thread's scratch space.
    ScratchBlock {
        /// Read or write.
        direction: Direction,
        /// 1, 2, 4 or 8.
        hwords: u8,
        /// Offset in HWords, 0 to 4095.
        offset: u16,
        /// The channel mask selects dwords of each register ("DWord channel mode"), not OWords.
        dword_channels: bool,
    },
    /// One byte, word or dword for each channel, in a dword of the register.
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
    /// One or several dwords or qwords for each channel.
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
    /// Up to four dwords (x, y, z, w) for each channel.
    Untyped {
        /// Read or write.
        direction: Direction,
        /// Address model.
        address: HdcAddress,
        /// Enabled components: bit 0 is x. At least one.
        components: u8,
        /// 8 or 16.
        simd: u8,
    },
    /// Up to four components of a texel for each channel.
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
    /// Atomic operation on untyped memory.
    Atomic {
        /// Address model.
        address: HdcAddress,
        /// Operation.
        op: AtomicOp,
        /// Memory operand: 2, 4 or 8 bytes.
        bytes: u8,
        /// Whether the old (for pre-decrement, the new) value is returned.
        returns: bool,
        /// 8 or 16.
        simd: u8,
    },
    /// Atomic operation on a texel.
    TypedAtomic {
        /// The surface.
        surface: HdcSurface,
        /// Operation.
        op: AtomicOp,
        /// Memory operand: 2 or 4 bytes.
        bytes: u8,
        /// Whether the old value is returned.
        returns: bool,
        /// The channels served.
        slots: SlotGroup,
    },
    /// A rectangle of bytes of a two-dimensional surface.
    MediaBlock {
        /// Read or write.
        direction: Direction,
        /// The surface.
        surface: HdcSurface,
        /// Vertical line stride override (MDC_VLSO), 0 for the surface's own.
        line_stride: u8,
    },
    /// Waits until earlier accesses are visible.
    Fence {
        /// Shared local memory, or global memory.
        slm: bool,
        /// Whether the response comes only when the fence is done.
        commit: bool,
        /// Flush bits 12:8 as in MSD_MEMFENCE.
        flush: u8,
    },
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

impl Direction {
    const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

struct Components(u8);

impl fmt::Display for Components {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (bit, name) in ['x', 'y', 'z', 'w'].into_iter().enumerate() {
            if self.0 >> bit & 1 != 0 {
                write!(f, "{name}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Hdc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::OwordBlock {
                direction,
                address,
                alignment,
                count,
                port,
            } => {
                let port = match port {
                    BlockPort::Data => "",
                    BlockPort::Constant => "constant ",
                };
                let alignment = match alignment {
                    BlockAlignment::Oword => "",
                    BlockAlignment::Dword => " (dword aligned)",
                };
                let high = match count {
                    OwordCount::OneHigh => "H",
                    _ => "",
                };
                write!(
                    f,
                    "{port}oword block {} x{}{high}{alignment} {address}",
                    direction.name(),
                    count.owords()
                )
            }
            Self::HwordBlock {
                direction,
                address,
                hwords,
            } => write!(f, "hword block {} x{hwords} {address}", direction.name()),
            Self::ScratchBlock {
                direction,
                hwords,
                offset,
                ..
            } => write!(
                f,
                "hword scratch block {} x{hwords} +{:#x}",
                direction.name(),
                u32::from(offset) * 32
            ),
            Self::Byte {
                direction,
                address,
                bytes,
                simd,
            } => write!(
                f,
                "byte scattered {} d{} simd{simd} {address}",
                direction.name(),
                bytes * 8
            ),
            Self::Scattered {
                direction,
                address,
                bytes,
                elements,
                simd,
                port,
            } => {
                let port = match port {
                    BlockPort::Data => "",
                    BlockPort::Constant => "constant ",
                };
                write!(
                    f,
                    "{port}scattered {} d{}x{elements} simd{simd} {address}",
                    direction.name(),
                    u32::from(bytes) * 8
                )
            }
            Self::Untyped {
                direction,
                address,
                components,
                simd,
            } => write!(
                f,
                "untyped surface {} {} simd{simd} {address}",
                direction.name(),
                Components(components)
            ),
            Self::Typed {
                direction,
                surface,
                components,
                slots,
            } => write!(
                f,
                "typed surface {} {}{} {surface}",
                direction.name(),
                Components(components),
                if slots == SlotGroup::High {
                    " high slots"
                } else {
                    ""
                }
            ),
            Self::Atomic {
                address,
                op,
                bytes,
                returns,
                simd,
            } => write!(
                f,
                "untyped atomic {} d{}{} simd{simd} {address}",
                op.mnemonic(),
                u32::from(bytes) * 8,
                if returns { " with return" } else { "" }
            ),
            Self::TypedAtomic {
                surface,
                op,
                bytes,
                returns,
                ..
            } => write!(
                f,
                "typed atomic {} d{}{} {surface}",
                op.mnemonic(),
                u32::from(bytes) * 8,
                if returns { " with return" } else { "" }
            ),
            Self::MediaBlock {
                direction, surface, ..
            } => write!(f, "media block {} {surface}", direction.name()),
            Self::Fence { slm, commit, .. } => write!(
                f,
                "{}{} fence",
                if commit { "synchronized " } else { "" },
                if slm { "slm" } else { "global" }
            ),
        }
    }
}
