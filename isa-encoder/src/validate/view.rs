//! An instruction as the rules see it.

use core::fmt;

use devinfo::Family;

use super::machine::Machine;
use crate::code::FamilyTable;
use crate::model::{
    ArfKind, Dst, Format, Instruction, Opcode, RegFile, Region, Register, Src, SrcMods, Type,
    VStride,
};

bitflags::bitflags! {
    /// What an instruction must have for a rule to have something to check.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) struct Traits: u32 {
        /// More than one channel.
        const CHANNELS = 1 << 0;
        /// A predicate.
        const PREDICATE = 1 << 1;
        /// An indirect operand.
        const INDIRECT = 1 << 2;
        /// An architecture register other than null.
        const ARF = 1 << 3;
        /// A null source.
        const NULL_SOURCE = 1 << 4;
        /// A source modifier.
        const MODIFIER = 1 << 5;
        /// A source region other than a scalar, one element per row, or rows directly after each
        /// other.
        const ODD_REGION = 1 << 6;
        /// An operand that reaches beyond the register that it names.
        const CROSSING = 1 << 7;
        /// A destination that is narrower than the execution type.
        const NARROWING = 1 << 8;
        /// An operand of a type of at most 8 bits.
        const BYTE = 1 << 9;
        /// An operand of a type of 64 bits.
        const EIGHT_BYTES = 1 << 10;
        /// A half float.
        const HALF = 1 << 11;
        /// Half and single precision, or bfloat and single, among the operands of arithmetic.
        const MIXED_FLOAT = 1 << 12;
        /// A packed vector immediate.
        const VECTOR = 1 << 13;
        /// A source of a float type, packed vectors included.
        const FLOAT_SOURCE = 1 << 14;
        /// A source of an integer type, packed vectors included.
        const INTEGER_SOURCE = 1 << 15;
        /// A sub-register that is not a multiple of the operand's type.
        const MISALIGNED = 1 << 16;
        /// An operand that reaches registers that a thread may not have: r128 and up if the number
        /// is unknown.
        const LAST_REGISTERS = 1 << 17;
        /// A destination of integers with several elements in a dword.
        const SHARED_DWORD = 1 << 18;
        /// A bfloat.
        const BFLOAT = 1 << 19;
    }
}

/// Traits that follow from the types of the operands alone, by type.
const TYPE_TRAITS: [Traits; Type::ALL.len()] = {
    let mut all = [Traits::empty(); Type::ALL.len()];
    let mut i = 0;
    while i < all.len() {
        let ty = Type::ALL[i];
        let size = match ty.bytes() {
            1 => Traits::BYTE,
            8 => Traits::EIGHT_BYTES,
            _ => Traits::empty(),
        };
        all[i] = size.union(match ty {
            Type::Hf => Traits::HALF,
            Type::Bf => Traits::BFLOAT,
            Type::V | Type::Uv | Type::Vf => Traits::VECTOR,
            _ => Traits::empty(),
        });
        i += 1;
    }
    all
};

/// Each type as an operation takes it, and its width: floats are wider than integers of their size.
const WIDENED: [(Type, u32); Type::ALL.len()] = {
    let mut all = [(Type::W, 0); Type::ALL.len()];
    let mut i = 0;
    while i < all.len() {
        let ty = match Type::ALL[i] {
            Type::Ub | Type::B | Type::V | Type::Uv => Type::W,
            Type::Vf => Type::F,
            ty => ty,
        };
        all[i] = (ty, ty.bits() * 2 + ty.is_float() as u32);
        i += 1;
    }
    all
};

/// A type in a set of types.
const fn bit(ty: Type) -> u32 {
    1 << ty as u32
}

/// The part of an instruction that a violation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// The instruction as a whole.
    Instruction,
    /// The destination.
    Dst,
    /// A source, counted from 0.
    Src(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Instruction => f.write_str("the instruction"),
            Self::Dst => f.write_str("the destination"),
            Self::Src(index) => write!(f, "source {index}"),
        }
    }
}

/// An operand, destination or source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    pub place: Place,
    pub ty: Type,
    /// The register, unless indirect or immediate.
    pub reg: Option<Register>,
    pub indirect: bool,
    /// The sub-register of a0 of an indirect operand.
    pub address: u8,
    /// For a destination, one row of the stride.
    pub region: Region,
    pub mods: SrcMods,
    /// The last byte of an operand in general registers, from the start of the register; `None`
    /// with an address for each row.
    pub last_byte: Option<u32>,
}

impl Operand {
    pub(super) fn is_imm(&self) -> bool {
        self.reg.is_none() && !self.indirect
    }

    pub(super) fn is_null(&self) -> bool {
        self.reg.is_some_and(Register::is_null)
    }

    pub(super) fn arf(&self) -> Option<ArfKind> {
        match self.reg?.file {
            RegFile::Grf => None,
            RegFile::Arf(kind) => Some(kind),
        }
    }

    pub(super) fn grf(&self) -> Option<Register> {
        self.reg.filter(|reg| reg.file == RegFile::Grf)
    }

    pub(super) fn is_acc(&self) -> bool {
        self.arf() == Some(ArfKind::Accumulator)
    }

    pub(super) fn bytes(&self) -> u32 {
        self.ty.bytes()
    }

    /// `<V;W,H>`; `None` with an address for each row.
    pub(super) fn vwh(&self) -> Option<(u32, u32, u32)> {
        match self.region.vstride {
            VStride::Elements(v) => Some((
                v.into(),
                self.region.width.into(),
                self.region.hstride.into(),
            )),
            VStride::PerRow => None,
        }
    }

    /// One element for all channels.
    pub(super) fn is_scalar(&self) -> bool {
        self.region.is_scalar()
    }

    /// The byte of channel `i`'s element, from the start of the register.
    pub(super) fn byte_of(&self, i: u32) -> Option<u32> {
        let (v, w, h) = self.vwh()?;
        let w = w.max(1);
        Some(u32::from(self.reg?.byte) + (i / w * v + i % w * h) * self.bytes())
    }

    /// The last byte that `channels` cover.
    fn reach(&self, channels: u32) -> Option<u32> {
        let (v, w, h) = self.vwh()?;
        let first = u32::from(self.grf()?.byte);
        let w = w.max(1);
        let (rows, rest) = match w.is_power_of_two() {
            // All regions with an encoding are like this.
            true => (channels >> w.trailing_zeros(), channels & (w - 1)),
            false => (channels / w, channels % w),
        };
        // Byte offsets grow from row to row and within a row: the last of the whole rows, and of a
        // partial one.
        let whole = rows.checked_sub(1).map(|row| row * v + (w - 1) * h);
        let part = rest.checked_sub(1).map(|i| rows * v + i * h);
        let elements = whole.max(part)?;
        Some(first + (elements + 1) * self.bytes() - 1)
    }

    /// Whether a source region of `channels` is of a kind that no rule about its shape forbids.
    fn is_plain(&self, channels: u32) -> bool {
        match self.vwh() {
            Some((v, 1, 0)) => v == 0 || channels > 1,
            Some((v, w, h)) => w > 1 && w <= channels && h != 0 && v == w * h,
            None => true,
        }
    }

    fn traits(&self, channels: u32, grf_bytes: u32, sure: u32) -> Traits {
        let mut traits = TYPE_TRAITS
            .get(self.ty as usize)
            .copied()
            .unwrap_or(Traits::empty());
        match self.reg.map(|reg| reg.file) {
            None => traits.set(Traits::INDIRECT, self.indirect),
            Some(RegFile::Grf) => {
                let last = self.last_byte.unwrap_or(0);
                traits.set(Traits::CROSSING, last >= grf_bytes);
                let number = self.reg.map_or(0, |reg| u32::from(reg.number));
                traits.set(
                    Traits::LAST_REGISTERS,
                    number + (last >> grf_bytes.trailing_zeros()) >= sure,
                );
            }
            Some(RegFile::Arf(ArfKind::Null)) => {
                traits.set(Traits::NULL_SOURCE, self.place != Place::Dst);
            }
            Some(RegFile::Arf(_)) => traits |= Traits::ARF,
        }
        if let Some(reg) = self.reg {
            // Sizes are powers of two.
            let rest = u32::from(reg.byte) & (self.bytes() - 1);
            traits.set(Traits::MISALIGNED, rest != 0);
        }
        if self.place != Place::Dst {
            let is_float = self.ty.is_float() || self.ty == Type::Vf;
            traits |= match is_float {
                true => Traits::FLOAT_SOURCE,
                false => Traits::INTEGER_SOURCE,
            };
            traits.set(Traits::MODIFIER, self.mods != SrcMods::NONE);
            traits.set(Traits::ODD_REGION, !self.is_plain(channels));
        }
        traits
    }

    /// The distance of neighbouring elements in bytes, if it is the same everywhere.
    pub(super) fn pitch(&self) -> Option<u32> {
        let (v, w, h) = self.vwh()?;
        match (w, h) {
            (1, _) => Some(v * self.bytes()),
            (w, h) if v == w * h => Some(h * self.bytes()),
            _ => None,
        }
    }
}

/// An instruction, its machine and its operands.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a> {
    pub machine: Machine,
    pub input: &'a Instruction,
    pub dst: Option<Operand>,
    srcs: [Option<Operand>; 3],
    pub traits: Traits,
    exec_type: Option<Type>,
}

impl<'a> View<'a> {
    pub(super) fn new(machine: Machine, input: &'a Instruction) -> Self {
        let mut view = Self {
            machine,
            input,
            dst: dst(&input.dst, input.exec_size),
            srcs: [
                src(&input.src[0], 0, input.exec_size),
                src(&input.src[1], 1, input.exec_size),
                src(&input.src[2], 2, input.exec_size),
            ],
            traits: Traits::empty(),
            exec_type: None,
        };
        let (channels, grf_bytes) = (view.exec_size(), view.grf_bytes());
        let sure = machine.registers.unwrap_or(128).min(128).into();
        let mut traits = Traits::empty();
        let mut types = 0;
        traits.set(Traits::CHANNELS, channels > 1);
        traits.set(Traits::PREDICATE, input.predicate.is_some());
        for operand in view.dst.iter().chain(view.srcs.iter().flatten()) {
            traits |= operand.traits(channels, grf_bytes, sure);
            types |= bit(operand.ty);
        }
        let shares =
            |dst: &Operand| dst.ty.is_integer() && dst.bytes() * u32::from(dst.region.hstride) < 4;
        traits.set(Traits::SHARED_DWORD, view.dst.as_ref().is_some_and(shares));
        let is_mixed = types & bit(Type::F) != 0 && types & (bit(Type::Hf) | bit(Type::Bf)) != 0;
        traits.set(Traits::MIXED_FLOAT, is_mixed && view.is_arithmetic());
        view.traits = traits;
        view.exec_type = view.operation_type();
        let exec_bytes = view.exec_type.map_or(0, Type::bytes);
        let narrows = view.written().is_some_and(|dst| exec_bytes > dst.bytes());
        view.traits.set(Traits::NARROWING, narrows);
        view
    }

    pub(super) fn family(&self) -> Family {
        self.machine.family
    }

    pub(super) fn opcode(&self) -> Opcode {
        self.input.opcode
    }

    pub(super) fn is(&self, opcode: Opcode) -> bool {
        self.input.opcode == opcode
    }

    pub(super) fn exec_size(&self) -> u32 {
        self.input.exec_size.into()
    }

    pub(super) fn grf_bytes(&self) -> u32 {
        self.machine.family.grf_bytes() as u32
    }

    /// What the machine's family has.
    pub(super) fn has(&self) -> &'static FamilyTable {
        self.machine.has()
    }

    /// Registers of a thread; if unknown, of the largest.
    pub(super) fn grf_count(&self) -> u32 {
        let registers = self.machine.registers;
        registers.unwrap_or(self.has().most_registers()).into()
    }

    /// Registers of a thread; if unknown, every possible number.
    pub(super) fn grf_counts(&self) -> impl Iterator<Item = u32> + '_ {
        let known = self.machine.registers;
        let sizes = self.has().thread_sizes.iter().map(|size| size.registers);
        let unknown = sizes.filter(move |_| known.is_none());
        known.into_iter().chain(unknown).map(u32::from)
    }

    pub(super) fn srcs(&self) -> impl Iterator<Item = Operand> + '_ {
        self.srcs.iter().flatten().copied()
    }

    pub(super) fn src(&self, index: usize) -> Option<Operand> {
        self.srcs.get(index).copied().flatten()
    }

    pub(super) fn operands(&self) -> impl Iterator<Item = Operand> + '_ {
        self.dst.into_iter().chain(self.srcs())
    }

    /// The destination, unless it is null.
    pub(super) fn written(&self) -> Option<Operand> {
        self.dst.filter(|dst| !dst.is_null())
    }

    /// Operands with regions: those of one- to three-source arithmetic.
    pub(super) fn is_arithmetic(&self) -> bool {
        self.is_basic() || self.input.opcode.format() == Format::Ternary
    }

    /// One- and two-source arithmetic and `math`.
    pub(super) fn is_basic(&self) -> bool {
        matches!(
            self.input.opcode.format(),
            Format::Unary | Format::Binary | Format::Math
        )
    }

    /// A move that changes no bits.
    pub(super) fn is_raw_move(&self) -> bool {
        let signless = |ty: Type| (ty.bits(), ty.is_float());
        self.is(Opcode::Mov)
            && !self.input.saturate
            && match (self.dst, self.src(0)) {
                (Some(dst), Some(src)) => {
                    signless(dst.ty) == signless(src.ty) && src.mods == SrcMods::NONE
                }
                _ => false,
            }
    }

    /// [`Traits::MIXED_FLOAT`].
    pub(super) fn is_mixed_float(&self) -> bool {
        self.traits.contains(Traits::MIXED_FLOAT)
    }

    /// The type of the operation.
    ///
    /// Source: the PRMs, volume 7, "Execution Data Type": bytes are words, packed vectors are
    /// words or floats, the widest source wins, floats before integers; half precision mixed with
    /// another type is computed in single precision.
    pub(super) fn exec_type(&self) -> Option<Type> {
        self.exec_type
    }

    fn operation_type(&self) -> Option<Type> {
        let (mut widest, mut most) = (None, 0);
        for src in self.srcs.iter().flatten() {
            let (ty, rank) = WIDENED[src.ty as usize];
            if rank >= most {
                (widest, most) = (Some(ty), rank);
            }
        }
        let widest = widest?;
        let half = matches!(widest, Type::Hf | Type::Bf);
        let other_dst = self.dst.is_some_and(|dst| dst.ty != widest);
        Some(match half && other_dst || self.is_mixed_float() {
            true if widest.bits() < 32 => Type::F,
            _ => widest,
        })
    }

    /// 64-bit data, or a multiplication of dwords.
    pub(super) fn is_double(&self) -> bool {
        let dword = |index| {
            self.src(index)
                .is_some_and(|src| src.ty.is_integer() && src.bytes() == 4)
        };
        self.traits.contains(Traits::EIGHT_BYTES) || self.is(Opcode::Mul) && dword(0) && dword(1)
    }
}

fn dst(dst: &Dst, exec_size: u8) -> Option<Operand> {
    let row = |hstride: u8| Region {
        vstride: VStride::Elements(hstride.saturating_mul(exec_size)),
        width: exec_size,
        hstride,
    };
    let (ty, reg, address, hstride) = match *dst {
        Dst::None => return None,
        Dst::Direct { reg, hstride, ty } => (ty, Some(reg), 0, hstride),
        Dst::Macro {
            reg, hstride, ty, ..
        } => (ty, Some(reg), 0, hstride),
        Dst::Indirect {
            subreg,
            hstride,
            ty,
            ..
        } => (ty, None, subreg, hstride),
    };
    let mut operand = Operand {
        place: Place::Dst,
        ty,
        reg,
        indirect: reg.is_none(),
        address,
        region: row(hstride),
        mods: SrcMods::NONE,
        last_byte: None,
    };
    operand.last_byte = operand.reach(exec_size.into());
    Some(operand)
}

fn src(src: &Src, index: usize, exec_size: u8) -> Option<Operand> {
    let ty = src.ty()?;
    let (reg, indirect, address, region) = match *src {
        Src::None => return None,
        Src::Immediate { .. } => (None, false, 0, Region::SCALAR),
        Src::Direct { reg, region, .. } => (Some(reg), false, 0, region),
        // Macros work on packed registers, whatever the fields of align16 hold.
        Src::Macro { reg, .. } => (Some(reg), false, 0, Region::new(1, 1, 0)),
        Src::Indirect { subreg, region, .. } => (None, true, subreg, region),
    };
    let mut operand = Operand {
        place: Place::Src(index),
        ty,
        reg,
        indirect,
        address,
        region,
        mods: src.mods(),
        last_byte: None,
    };
    operand.last_byte = operand.reach(exec_size.into());
    Some(operand)
}
