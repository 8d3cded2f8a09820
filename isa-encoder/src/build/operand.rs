//! Registers, regions and immediates.

use devinfo::Family;

use crate::code::traits;
use crate::model::{
    ArfKind, Dst, Format, Instruction, RegFile, Region, Register, Src, SrcMods, Type,
};

/// A register without a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reg(Register);

/// The general register `number`: 32 bytes to XeHPG, 64 from XeHPC on.
pub const fn grf(number: u8) -> Reg {
    Reg(Register::grf(number))
}

/// The null register: reads 0, drops writes.
pub const fn null() -> Reg {
    Reg(Register::NULL)
}

impl Reg {
    /// The architecture register `number` of a kind, from its first byte.
    pub const fn arf(kind: ArfKind, number: u8) -> Reg {
        Reg(Register {
            file: RegFile::Arf(kind),
            number,
            byte: 0,
        })
    }

    /// The register as an operand of elements of `ty`, one after the other.
    pub const fn ty(self, ty: Type) -> Operand {
        Operand {
            place: Place::Direct(self.0),
            ty,
            region: None,
            hstride: 1,
            mods: SrcMods::NONE,
        }
    }

    /// An operand of `madm`, `math.invm` or `math.rsqtm`: the register with the exponents in
    /// `mme0` to `mme7`, or with none.
    pub const fn mme(self, number: Option<u8>, ty: Type) -> Operand {
        Operand {
            place: Place::Macro {
                reg: self.0,
                mme: number,
            },
            ..self.ty(ty)
        }
    }

    /// Element `index` of type `ty`. An index beyond the register does not encode.
    pub const fn element(self, index: u8, ty: Type) -> Operand {
        let byte = index as u32 * ty.bits() / 8;
        let mut reg = self.0;
        // For elements wider than a byte, 255 is not a valid offset and is refused.
        reg.byte = if byte > 255 { 255 } else { byte as u8 };
        Operand {
            place: Place::Direct(reg),
            ..Reg(reg).ty(ty)
        }
    }

    /// The register itself.
    pub const fn register(self) -> Register {
        self.0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Direct(Register),
    Indirect { subreg: u8, offset: i16 },
    Macro { reg: Register, mme: Option<u8> },
    Immediate(u64),
}

/// An operand: a destination or a source, depending on where it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    place: Place,
    ty: Type,
    region: Option<Region>,
    hstride: u8,
    mods: SrcMods,
}

/// An immediate: an integer, or the bits of another type. A value with more bits than `ty`, signed
/// or unsigned, does not encode.
pub const fn imm(value: i64, ty: Type) -> Operand {
    let bits = ty.bits();
    let value = if bits >= 64 || value >= 0 || value < -(1 << (bits - 1)) {
        value as u64
    } else {
        value as u64 & ((1 << bits) - 1)
    };
    Operand {
        place: Place::Immediate(value),
        ty,
        region: None,
        hstride: 1,
        mods: SrcMods::NONE,
    }
}

/// A half-precision immediate: `value` rounded to nearest even.
pub fn imm_f16(value: f32) -> Operand {
    imm(i64::from(half::f16::from_f32(value).to_bits()), Type::Hf)
}

/// A double-precision immediate.
pub const fn imm_f64(value: f64) -> Operand {
    imm(value.to_bits() as i64, Type::Df)
}

/// A single-precision immediate.
pub const fn imm_f32(value: f32) -> Operand {
    imm(value.to_bits() as i64, Type::F)
}

impl Operand {
    /// The general registers from byte `a0.subreg + offset` on, `subreg` in words.
    pub const fn indirect(subreg: u8, offset: i16, ty: Type) -> Operand {
        Operand {
            place: Place::Indirect { subreg, offset },
            ..imm(0, ty)
        }
    }

    /// As a source: this region.
    pub const fn region(mut self, region: Region) -> Operand {
        self.region = Some(region);
        self
    }

    /// As a source: `<0;1,0>`, the same element for all channels.
    pub const fn scalar(self) -> Operand {
        self.region(Region::SCALAR)
    }

    /// Every `stride`-th element: 1, 2 or 4; for a source also 0.
    pub const fn stride(mut self, stride: u8) -> Operand {
        self.hstride = stride;
        self.region(match stride {
            0 => Region::SCALAR,
            stride => Region::new(stride, 1, 0),
        })
    }

    /// As a source: negated (inverted, in bitwise operations).
    pub const fn neg(mut self) -> Operand {
        self.mods.neg = !self.mods.neg;
        self
    }

    /// As a source: its absolute value.
    pub const fn abs(mut self) -> Operand {
        self.mods.abs = true;
        self
    }

    /// The type.
    pub const fn ty(self) -> Type {
        self.ty
    }

    /// As a destination of `instruction`. An immediate becomes [`Dst::None`], which does not
    /// encode.
    pub(super) fn dst(self, instruction: &Instruction, family: Family) -> Dst {
        let (hstride, ty) = (self.hstride, self.ty);
        match self.place {
            Place::Direct(reg) => Dst::Direct { reg, hstride, ty },
            Place::Indirect { subreg, offset } => Dst::Indirect {
                subreg,
                offset,
                hstride,
                ty,
            },
            Place::Macro { reg, mme } => Dst::Macro {
                reg,
                mme,
                hstride: match hstride {
                    1 => traits(family).macro_stride(instruction.opcode),
                    other => other,
                },
                ty,
            },
            Place::Immediate(_) => Dst::None,
        }
    }

    /// As source `index` of `instruction`.
    pub(super) fn src(self, index: usize, instruction: &Instruction, family: Family) -> Src {
        let (ty, mods) = (self.ty, self.mods);
        let format = instruction.opcode.format();
        let mut region = self.region.unwrap_or(match instruction.exec_size {
            1 if format != Format::Dpas => Region::SCALAR,
            _ => Region::PACKED,
        });
        if format == Format::Ternary {
            region = ternary(region, index);
        }
        match self.place {
            Place::Direct(reg) => Src::Direct {
                reg,
                region,
                ty,
                mods,
            },
            Place::Indirect { subreg, offset } => Src::Indirect {
                subreg,
                offset,
                region,
                ty,
                mods,
            },
            Place::Macro { reg, mme } => Src::Macro {
                reg,
                mme,
                region: self
                    .region
                    .unwrap_or_else(|| traits(family).macro_region(instruction, index, ty)),
                ty,
                mods,
            },
            Place::Immediate(value) => Src::Immediate { value, ty },
        }
    }
}

/// The three-source form of the regions that occur: `<s;1,0>` is `<4s;s>` in sources 0 and 1 and
/// `<s>` in source 2.
fn ternary(region: Region, index: usize) -> Region {
    let crate::model::VStride::Elements(stride) = region.vstride else {
        return region;
    };
    match (region.width, index) {
        (1, 2) => region,
        (1, _) if stride == 1 || stride == 2 => Region::ternary(stride * 4, stride),
        (1, _) => Region::ternary(stride, 0),
        _ => region,
    }
}
