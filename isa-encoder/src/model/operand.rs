//! Operands: registers, regions, immediates.

use super::Type;

/// An architecture register.
///
/// Source: TGL PRM vol 2a / IGA register tables; the encoding is bits 7:4 of the register number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum ArfKind {
    /// `null`: reads 0, drops writes.
    Null,
    /// `a0`: address register.
    Address,
    /// `acc0`…: accumulators.
    Accumulator,
    /// `f0`…: flags.
    Flag,
    /// `ce`: channel enables.
    ChannelEnable,
    /// `msg`: message control (to Gen11).
    MessageControl,
    /// `sp`: stack pointer (to Gen12LP).
    StackPointer,
    /// `s0`: scalar register, which names the payload registers of gathering sends.
    Scalar,
    /// `sr0`…: state.
    State,
    /// `cr0`: control.
    Control,
    /// `n0`…: notification counts.
    Notification,
    /// `ip`: instruction pointer.
    InstructionPointer,
    /// `tdr0`: thread dependency.
    ThreadDependency,
    /// `tm0`: timestamp and pause counter.
    Timestamp,
    /// `fc0`…: flow control.
    FlowControl,
    /// `dbg0`: debug.
    Debug,
    /// `mme0`…: exponents of the IEEE macros, an overlay of the accumulators.
    MathMacro,
}

impl ArfKind {
    /// Every kind that is an operand by name.
    pub const ALL: [ArfKind; 16] = [
        ArfKind::Null,
        ArfKind::Address,
        ArfKind::Accumulator,
        ArfKind::Flag,
        ArfKind::ChannelEnable,
        ArfKind::MessageControl,
        ArfKind::StackPointer,
        ArfKind::Scalar,
        ArfKind::State,
        ArfKind::Control,
        ArfKind::Notification,
        ArfKind::InstructionPointer,
        ArfKind::ThreadDependency,
        ArfKind::Timestamp,
        ArfKind::FlowControl,
        ArfKind::Debug,
    ];

    /// Bits 7:4 of the register number.
    pub const fn code(self) -> u8 {
        match self {
            ArfKind::Null => 0,
            ArfKind::Address => 1,
            ArfKind::Accumulator | ArfKind::MathMacro => 2,
            ArfKind::Flag => 3,
            ArfKind::ChannelEnable => 4,
            ArfKind::MessageControl => 5,
            ArfKind::StackPointer | ArfKind::Scalar => 6,
            ArfKind::State => 7,
            ArfKind::Control => 8,
            ArfKind::Notification => 9,
            ArfKind::InstructionPointer => 10,
            ArfKind::ThreadDependency => 11,
            ArfKind::Timestamp => 12,
            ArfKind::FlowControl => 13,
            ArfKind::Debug => 15,
        }
    }

    /// Whether registers of this kind are numbered in text.
    pub const fn has_number(self) -> bool {
        !matches!(
            self,
            ArfKind::Null
                | ArfKind::ChannelEnable
                | ArfKind::StackPointer
                | ArfKind::InstructionPointer
        )
    }

    /// Whether text names a sub-register.
    pub const fn has_subregister(self) -> bool {
        !matches!(
            self,
            ArfKind::Null | ArfKind::ChannelEnable | ArfKind::InstructionPointer
        )
    }

    /// The name in IGA syntax.
    pub const fn name(self) -> &'static str {
        match self {
            ArfKind::Null => "null",
            ArfKind::Address => "a",
            ArfKind::Accumulator => "acc",
            ArfKind::Flag => "f",
            ArfKind::ChannelEnable => "ce",
            ArfKind::MessageControl => "msg",
            ArfKind::StackPointer => "sp",
            ArfKind::Scalar => "s",
            ArfKind::State => "sr",
            ArfKind::Control => "cr",
            ArfKind::Notification => "n",
            ArfKind::InstructionPointer => "ip",
            ArfKind::ThreadDependency => "tdr",
            ArfKind::Timestamp => "tm",
            ArfKind::FlowControl => "fc",
            ArfKind::Debug => "dbg",
            ArfKind::MathMacro => "mme",
        }
    }
}

/// A register file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RegFile {
    /// General registers `r0`….
    Grf,
    /// An architecture register.
    Arf(ArfKind),
}

/// A register and a byte in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Register {
    /// The file.
    pub file: RegFile,
    /// The number within the file (`r12` is 12, `f1` is 1).
    pub number: u8,
    /// The byte offset within the register.
    ///
    /// Text counts in elements (`r3.2:w` is byte 4). For flags, a sub-register is two bytes.
    pub byte: u8,
}

impl Register {
    /// The null register.
    pub const NULL: Register = Register {
        file: RegFile::Arf(ArfKind::Null),
        number: 0,
        byte: 0,
    };

    /// The general register `number`, from its first byte.
    pub const fn grf(number: u8) -> Register {
        Register {
            file: RegFile::Grf,
            number,
            byte: 0,
        }
    }

    /// Whether this is `s0`.
    pub const fn is_scalar(self) -> bool {
        matches!(self.file, RegFile::Arf(ArfKind::Scalar))
    }

    /// Whether this is `null`.
    pub const fn is_null(self) -> bool {
        matches!(self.file, RegFile::Arf(ArfKind::Null))
    }
}

/// A vertical stride.
///
/// Source: BDW to TGL PRM, volume 7, "Regioning": `VertStride`, and its value for Vx1 and VxH.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VStride {
    /// Elements from row to row: 0, 1, 2, 4, 8, 16 or 32.
    Elements(u8),
    /// Indirect operands only: each row starts at its own address, from consecutive sub-registers
    /// of a0 (Vx1 when the width is 1, otherwise VxH).
    PerRow,
}

/// A source region `<vstride;width,hstride>`, in elements.
///
/// Three-source instructions encode only `<vstride;hstride>` (source 2: `<hstride>`); their decoded
/// form adds the width that hardware implies, so that element `i` of any region is at
/// `(i / width) * vstride + (i % width) * hstride`.
///
/// Source: BDW to TGL PRM, volume 7, "Regioning" and "Register Region Restrictions".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Region {
    /// Elements from row to row.
    pub vstride: VStride,
    /// Elements in a row: 1, 2, 4, 8 or 16.
    pub width: u8,
    /// Elements from column to column: 0, 1, 2 or 4.
    pub hstride: u8,
}

impl Region {
    /// `<0;1,0>`: one element for all channels.
    pub const SCALAR: Region = Region::new(0, 1, 0);
    /// `<1;1,0>`: consecutive elements.
    pub const PACKED: Region = Region::new(1, 1, 0);

    /// The region `<vstride;width,hstride>`.
    pub const fn new(vstride: u8, width: u8, hstride: u8) -> Region {
        Region {
            vstride: VStride::Elements(vstride),
            width,
            hstride,
        }
    }

    /// The region `<width,hstride>` of an indirect operand with an address for each row.
    pub const fn per_row(width: u8, hstride: u8) -> Region {
        Region {
            vstride: VStride::PerRow,
            width,
            hstride,
        }
    }

    /// The region of a three-source operand's `<vstride;hstride>`, with the implied width.
    pub const fn ternary(vstride: u8, hstride: u8) -> Region {
        let width = if hstride == 0 || vstride <= hstride {
            1
        } else {
            vstride / hstride
        };
        Region::new(vstride, width, hstride)
    }

    /// Whether all channels read the same element.
    pub const fn is_scalar(self) -> bool {
        matches!(self.vstride, VStride::Elements(0)) && (self.width == 1 || self.hstride == 0)
    }
}

/// Source modifiers: `abs` is applied before `neg`.
///
/// On bitwise operations, from Gen8 on, `neg` means bitwise not.
///
/// Source: BDW to TGL PRM, volume 7, "Source Modifier"; volume 2a, "and".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SrcMods {
    /// Negate (bitwise not for `and`, `or`, `xor`, `not`).
    pub neg: bool,
    /// Absolute value.
    pub abs: bool,
}

impl SrcMods {
    /// No modifier.
    pub const NONE: SrcMods = SrcMods {
        neg: false,
        abs: false,
    };
}

/// A destination operand.
///
/// Source: BDW to TGL PRM, volume 7, "Destination Operand Description".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dst {
    /// The instruction has none.
    None,
    /// A register.
    Direct {
        /// The register.
        reg: Register,
        /// Elements from channel to channel: 1, 2 or 4 (0 where the format has no stride).
        hstride: u8,
        /// The element type.
        ty: Type,
    },
    /// The register that an address register points to: byte `a0.subreg + offset` of the GRF.
    Indirect {
        /// The sub-register of a0, in words.
        subreg: u8,
        /// Bytes added to the address.
        offset: i16,
        /// Elements from channel to channel.
        hstride: u8,
        /// The element type.
        ty: Type,
    },
    /// A destination of `madm`, `math.invm` or `math.rsqtm`: a general register and a math macro
    /// register that gets the extra exponent bits.
    Macro {
        /// The register; its `byte` is 0.
        reg: Register,
        /// `mme0` to `mme7`, or `None` for `nomme`.
        mme: Option<u8>,
        /// Elements from channel to channel.
        hstride: u8,
        /// The element type.
        ty: Type,
    },
}

impl Dst {
    /// The type, if the instruction has a destination.
    pub const fn ty(&self) -> Option<Type> {
        match *self {
            Dst::None => None,
            Dst::Direct { ty, .. } | Dst::Indirect { ty, .. } | Dst::Macro { ty, .. } => Some(ty),
        }
    }
}

/// A source operand.
///
/// Source: BDW to TGL PRM, volume 7, "Source Operand Description", "Immediate".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Src {
    /// The instruction has no such source.
    None,
    /// A register region.
    Direct {
        /// The first element.
        reg: Register,
        /// The region.
        region: Region,
        /// The element type.
        ty: Type,
        /// Modifiers.
        mods: SrcMods,
    },
    /// A region that starts at byte `a0.subreg + offset` of the GRF.
    Indirect {
        /// The sub-register of a0, in words; the first of several with [`VStride::PerRow`].
        subreg: u8,
        /// Bytes added to the address.
        offset: i16,
        /// The region.
        region: Region,
        /// The element type.
        ty: Type,
        /// Modifiers.
        mods: SrcMods,
    },
    /// An immediate.
    Immediate {
        /// The bits, zero-extended from the size of the type.
        value: u64,
        /// The type.
        ty: Type,
    },
    /// A source of `madm`, `math.invm` or `math.rsqtm` (see [`Dst::Macro`]).
    Macro {
        /// The register; its `byte` is 0.
        reg: Register,
        /// `mme0` to `mme7`, or `None` for `nomme`.
        mme: Option<u8>,
        /// The region, for the general register.
        region: Region,
        /// The element type.
        ty: Type,
        /// Modifiers.
        mods: SrcMods,
    },
}

impl Src {
    /// The type, if the source exists.
    pub const fn ty(&self) -> Option<Type> {
        match *self {
            Src::None => None,
            Src::Direct { ty, .. }
            | Src::Indirect { ty, .. }
            | Src::Immediate { ty, .. }
            | Src::Macro { ty, .. } => Some(ty),
        }
    }

    /// The modifiers; none for an immediate.
    pub const fn mods(&self) -> SrcMods {
        match *self {
            Src::Direct { mods, .. } | Src::Indirect { mods, .. } | Src::Macro { mods, .. } => mods,
            Src::None | Src::Immediate { .. } => SrcMods::NONE,
        }
    }
}
