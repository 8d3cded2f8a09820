//! Load/store messages as values.

use core::fmt;

use crate::Sfid;
use crate::message::{AtomicOp, Direction};

/// The unit that a load/store message goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LscPort {
    /// Untyped global memory.
    Ugm,
    /// Untyped global memory, low bandwidth.
    Ugml,
    /// Typed global memory.
    Tgm,
    /// Shared local memory.
    Slm,
}

impl LscPort {
    pub(super) const fn function(self) -> Sfid {
        match self {
            Self::Ugm => Sfid::Ugm,
            Self::Ugml => Sfid::Ugml,
            Self::Tgm => Sfid::Tgm,
            Self::Slm => Sfid::Slm,
        }
    }
}

/// What the addresses of a message are relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LscAddress {
    /// Virtual addresses (or SLM offsets on the SLM port), plus a signed immediate.
    Flat {
        /// Immediate offset in bytes (Xe2 and later, else 0).
        offset: i32,
    },
    /// A surface state in the bindless surface heap, plus a signed immediate.
    Bss {
        /// The state's byte offset in the heap.
        state: u32,
        /// Immediate offset in bytes (Xe2 and later on the UGM port, else 0).
        offset: i32,
    },
    /// A surface state behind the surface state base, plus a signed immediate.
    Ss {
        /// The state's byte offset from the base.
        state: u32,
        /// Immediate offset in bytes (Xe2 and later on the UGM port, else 0).
        offset: i32,
    },
    /// A binding table entry, plus a signed immediate.
    Bti {
        /// The entry.
        index: u8,
        /// Immediate offset in bytes (Xe2 and later, else 0).
        offset: i32,
    },
}

/// The size of each address in the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressSize {
    /// 16 bits.
    A16,
    /// 32 bits.
    A32,
    /// 64 bits.
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

/// The size of one element in memory and in the register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataSize {
    /// Bytes, packed.
    D8,
    /// Words, packed.
    D16,
    /// Dwords.
    D32,
    /// Qwords.
    D64,
    /// Bytes in memory, dwords in the register.
    D8U32,
    /// Words in memory, dwords in the register.
    D16U32,
    /// Words in memory, the high halves of dwords in the register.
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

    const fn name(self) -> &'static str {
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Block2d {
    /// Columns become rows.
    pub transpose: bool,
    /// Elements of consecutive rows are packed into dwords.
    pub vnni: bool,
}

/// How far a fence reaches.
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

/// What a fence does to the caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FlushOp {
    /// Nothing.
    None,
    /// Dirty lines are written and dropped.
    Evict,
    /// Clean lines are dropped.
    Invalidate,
    /// All lines are dropped.
    Discard,
    /// Dirty lines are written and kept.
    Clean,
    /// Only L3 is flushed.
    FlushL3,
    /// The code 6, which XeHPG compilers emit as a work-around.
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

/// One load/store message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lsc {
    /// A vector for each address.
    Vector {
        /// The unit.
        port: LscPort,
        /// Load or store.
        direction: Direction,
        /// What addresses are relative to.
        address: LscAddress,
        /// The size of addresses.
        address_size: AddressSize,
        /// The size of elements.
        data: DataSize,
        /// Elements for each address: 1, 2, 3, 4, 8, 16, 32 or 64.
        elements: u8,
        /// The elements of an address are consecutive in registers (one address only).
        transpose: bool,
        /// One base address and a pitch instead of an address for each channel.
        strided: bool,
        /// Cache control bits, as encoded.
        cache: u8,
    },
    /// Enabled components of four elements for each address (on the typed port, of a texel).
    Quad {
        /// The unit.
        port: LscPort,
        /// Load or store.
        direction: Direction,
        /// What addresses are relative to.
        address: LscAddress,
        /// The size of addresses.
        address_size: AddressSize,
        /// The size of elements.
        data: DataSize,
        /// Enabled components: bit 0 is x.
        components: u8,
        /// Cache control bits, as encoded.
        cache: u8,
    },
    /// A rectangle (untyped: of the surface that the payload describes; typed: of an image).
    Block2d {
        /// The unit.
        port: LscPort,
        /// Load or store.
        direction: Direction,
        /// What coordinates are relative to; flat for untyped blocks.
        address: LscAddress,
        /// The size of elements.
        data: DataSize,
        /// The arrangement in registers.
        layout: Block2d,
        /// Immediate offsets of x (in elements) and y of untyped blocks (Xe2 and later, else 0).
        offset: [i16; 2],
        /// Cache control bits, as encoded.
        cache: u8,
    },
    /// An atomic operation for each address.
    Atomic {
        /// The unit.
        port: LscPort,
        /// Operation.
        op: AtomicOp,
        /// What addresses are relative to.
        address: LscAddress,
        /// The size of addresses.
        address_size: AddressSize,
        /// The size of the operand.
        data: DataSize,
        /// Whether the old value is returned (the response is not empty).
        returns: bool,
        /// Cache control bits, as encoded.
        cache: u8,
    },
    /// Orders accesses.
    Fence {
        /// The unit.
        port: LscPort,
        /// How far it reaches.
        scope: FenceScope,
        /// What it does to caches.
        flush: FlushOp,
        /// Untyped memory on XeHPG: the fence goes to the load/store unit, where accesses may also
        /// come from the classic data port.
        to_lsc: bool,
    },
    /// Reads a surface's dimensions.
    ReadState {
        /// The unit.
        port: LscPort,
        /// The surface.
        address: LscAddress,
    },
    /// Whether pages are resident, one bit for each address.
    LoadStatus {
        /// The unit.
        port: LscPort,
        /// What addresses are relative to.
        address: LscAddress,
        /// The size of addresses.
        address_size: AddressSize,
        /// The size of elements.
        data: DataSize,
        /// Elements for each address.
        elements: u8,
    },
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

impl fmt::Display for Lsc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = |direction| match direction {
            Direction::Read => "load",
            Direction::Write => "store",
        };
        match *self {
            Self::Vector {
                port,
                direction,
                address,
                address_size,
                data,
                elements,
                transpose,
                strided,
                ..
            } => write!(
                f,
                "{}{}.{} {}x{elements}{} a{} {address}",
                verb(direction),
                if strided { "_strided" } else { "" },
                port.function(),
                data.name(),
                if transpose { "t" } else { "" },
                address_size.bytes() * 8
            ),
            Self::Quad {
                port,
                direction,
                address,
                address_size,
                data,
                components,
                ..
            } => write!(
                f,
                "{}_quad.{} {} mask {components:#x} a{} {address}",
                verb(direction),
                port.function(),
                data.name(),
                address_size.bytes() * 8
            ),
            Self::Block2d {
                port,
                direction,
                address,
                data,
                layout,
                ..
            } => write!(
                f,
                "{}_block2d.{} {}{}{} {address}",
                verb(direction),
                port.function(),
                data.name(),
                if layout.transpose { " transposed" } else { "" },
                if layout.vnni { " vnni" } else { "" }
            ),
            Self::Atomic {
                port,
                op,
                address,
                address_size,
                data,
                ..
            } => write!(
                f,
                "atomic_{}.{} {} a{} {address}",
                op.mnemonic(),
                port.function(),
                data.name(),
                address_size.bytes() * 8
            ),
            Self::Fence {
                port, scope, flush, ..
            } => {
                write!(f, "fence.{} {flush:?} {scope:?}", port.function())
            }
            Self::ReadState { port, address } => {
                write!(f, "read_state.{} {address}", port.function())
            }
            Self::LoadStatus { port, address, .. } => {
                write!(f, "load_status.{} {address}", port.function())
            }
        }
    }
}
