//! An instruction as the rules look at it.

use devinfo::Family;

use super::rule::Place;
use super::validator::Machine;
use crate::model::{
    ArfKind, Dst, Format, Instruction, Opcode, RegFile, Region, Register, Src, SrcMods, Type,
    VStride,
};

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
    mixed_float: bool,
    exec_type: Option<Type>,
}

impl<'a> View<'a> {
    pub(super) fn new(machine: Machine, input: &'a Instruction) -> Self {
        let mut view = Self {
            machine,
            input,
            dst: dst(&input.dst, input.exec_size),
            srcs: [
                src(&input.src[0], 0),
                src(&input.src[1], 1),
                src(&input.src[2], 2),
            ],
            mixed_float: false,
            exec_type: None,
        };
        // Many rules ask for these.
        view.mixed_float = view.mixes_floats();
        view.exec_type = view.operation_type();
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

    /// Registers of a thread; if that is not known, those that an instruction can name: 256 where
    /// threads can have so many.
    pub(super) fn grf_count(&self) -> u32 {
        match self.machine.registers {
            Some(registers) => registers.into(),
            None if self.machine.family < Family::XeHpg => 128,
            None => 256,
        }
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

    /// Half and single precision, or bfloat and single, among the operands.
    pub(super) fn is_mixed_float(&self) -> bool {
        self.mixed_float
    }

    fn mixes_floats(&self) -> bool {
        let any = |ty| self.operands().any(|operand| operand.ty == ty);
        self.is_arithmetic() && any(Type::F) && (any(Type::Hf) || any(Type::Bf))
    }

    /// The type that the operation is carried out in.
    ///
    /// Source: the PRMs, volume 7, "Execution Data Type": bytes are words, packed vectors are
    /// words or floats, the widest source wins, floats before integers; half precision mixed
    /// with another type is carried out in single precision.
    pub(super) fn exec_type(&self) -> Option<Type> {
        self.exec_type
    }

    fn operation_type(&self) -> Option<Type> {
        let widened = |ty: Type| match ty {
            Type::Ub | Type::B | Type::V | Type::Uv => Type::W,
            Type::Vf => Type::F,
            ty => ty,
        };
        let widest = self
            .srcs()
            .map(|src| widened(src.ty))
            .max_by_key(|ty| (ty.bits(), ty.is_float()))?;
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
        self.operands().any(|operand| operand.bytes() == 8)
            || self.is(Opcode::Mul) && dword(0) && dword(1)
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
    Some(Operand {
        place: Place::Dst,
        ty,
        reg,
        indirect: reg.is_none(),
        address,
        region: row(hstride),
        mods: SrcMods::NONE,
    })
}

fn src(src: &Src, index: usize) -> Option<Operand> {
    let ty = src.ty()?;
    let (reg, indirect, address, region) = match *src {
        Src::None => return None,
        Src::Immediate { .. } => (None, false, 0, Region::SCALAR),
        Src::Direct { reg, region, .. } => (Some(reg), false, 0, region),
        // Macros work on packed registers, whatever the fields of align16 hold.
        Src::Macro { reg, .. } => (Some(reg), false, 0, Region::new(1, 1, 0)),
        Src::Indirect { subreg, region, .. } => (None, true, subreg, region),
    };
    Some(Operand {
        place: Place::Src(index),
        ty,
        reg,
        indirect,
        address,
        region,
        mods: src.mods(),
    })
}
