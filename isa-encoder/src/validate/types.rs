//! Data types: those a machine lacks, those an opcode does not take, conversions that do not
//! exist.

use devinfo::Family;

use super::rule::{On, Place, Rule, Scope};
use super::view::{Operand, Traits, View};
use crate::model::{MathFunction, Opcode, Specific, Type};

const MOV: &str = "BDW to TGL PRM vol 2a, mov: Restrictions on conversions";

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "no-double",
        text: "the platform has no double precision",
        source: "ICL and TGL PRM vol 7, Data Types; Mesa intel_device_info.c has_64bit_float",
        scope: Scope::Machine(|machine| !machine.fp64),
        on: On::Arithmetic,
        needs: Traits::EIGHT_BYTES,
        check: |view| of_type(view, |ty| ty == Type::Df),
    },
    Rule {
        name: "no-qword",
        text: "the platform has no 64-bit integer arithmetic beyond moves, shifts and bitwise \
               operations",
        source: "ICL and TGL PRM vol 7, Data Types; Mesa intel_device_info.c has_64bit_int",
        scope: Scope::Between(Family::Gen11, Family::Gen12Lp),
        on: On::Arithmetic,
        needs: Traits::EIGHT_BYTES,
        check: |view| {
            let plain = matches!(
                view.opcode(),
                Opcode::Mov
                    | Opcode::Shl
                    | Opcode::Shr
                    | Opcode::Asr
                    | Opcode::And
                    | Opcode::Or
                    | Opcode::Xor
                    | Opcode::Not
            );
            of_type(view, |ty| ty.is_integer() && ty.bits() == 64).filter(|_| !plain)
        },
    },
    Rule {
        name: "byte-source",
        text: "source 1 of two and sources 1 and 2 of three must not be bytes",
        source: "ICL and TGL PRM vol 7, Register Region Restrictions: byte data types",
        scope: Scope::From(Family::Gen11),
        on: On::Arithmetic,
        needs: Traits::BYTE,
        check: |view| {
            if view.is(Opcode::Dp4a) {
                return None;
            }
            view.srcs()
                .skip(1)
                .find(|src| !src.is_imm() && src.bytes() == 1)
                .map(|src| src.place)
        },
    },
    Rule {
        name: "byte-qword",
        text: "bytes and 64-bit types are not converted into each other",
        source: MOV,
        scope: Scope::All,
        on: On::Only(&[Opcode::Mov]),
        needs: Traits::BYTE.union(Traits::EIGHT_BYTES),
        check: |view| {
            let dst = view.written()?;
            moved(view, |src| {
                src.bytes() == 1 && dst.bytes() == 8 || src.bytes() == 8 && dst.bytes() == 1
            })
        },
    },
    Rule {
        name: "half-qword",
        text: "half floats and 64-bit types are not converted into each other",
        source: MOV,
        scope: Scope::All,
        on: On::Basic,
        needs: Traits::HALF.union(Traits::EIGHT_BYTES),
        check: |view| {
            let dst = view.written()?;
            moved(view, |src| {
                src.ty == Type::Hf && dst.bytes() == 8 || src.bytes() == 8 && dst.ty == Type::Hf
            })
        },
    },
    Rule {
        name: "accumulator-conversion",
        text: "a move from or to an accumulator converts words and dwords, half and single \
               precision, and nothing else",
        source: "IGC G4_Verifier.cpp verifyAccMov, HWCaps.inc hasFormatConversionACCRestrictions",
        scope: Scope::From(Family::XeHpg),
        on: On::Only(&[Opcode::Mov]),
        needs: Traits::ARF,
        check: |view| {
            let (dst, src) = (view.dst?, view.src(0)?);
            let group = |ty: Type| match class(ty) {
                Class::Word | Class::Dword => Some(0),
                Class::Half | Class::Single => Some(1),
                Class::Double => Some(2),
                _ => None,
            };
            let same = group(dst.ty).is_some() && group(dst.ty) == group(src.ty);
            let place = [dst, src]
                .into_iter()
                .find(|operand| operand.is_acc())?
                .place;
            (!same).then_some(place)
        },
    },
    Rule {
        name: "half-integer",
        text: "half floats and integers are converted into each other at a destination stride of \
               a dword, aligned to a dword",
        source: MOV,
        scope: Scope::All,
        on: On::Basic,
        needs: Traits::HALF.union(Traits::CHANNELS),
        check: |view| {
            let dst = view.written()?;
            let pair = |a: Type, b: Type| a == Type::Hf && b.is_integer();
            let converts = view
                .srcs()
                .any(|src| pair(src.ty, dst.ty) || pair(dst.ty, src.ty));
            let stride = u32::from(dst.region.hstride) * dst.bytes();
            let aligned = dst.reg.is_none_or(|reg| reg.byte % 4 == 0);
            (converts && (stride != 4 || !aligned)).then_some(Place::Dst)
        },
    },
    Rule {
        name: "source-kinds",
        text: "floats and integers must not both be sources",
        source: "BDW to TGL PRM vol 7, Execution Data Type; vol 2a, the types of each instruction",
        scope: Scope::All,
        on: On::Arithmetic,
        needs: Traits::FLOAT_SOURCE.union(Traits::INTEGER_SOURCE),
        check: |view| {
            let is_float = |ty: Type| ty.is_float() || ty == Type::Vf;
            let first = view.src(0)?;
            view.srcs()
                .find(|src| is_float(src.ty) != is_float(first.ty))
                .map(|src| src.place)
        },
    },
    Rule {
        name: "source-types",
        text: "the instruction does not take sources of this type",
        source: "BDW to TGL PRM vol 2a, the types of each instruction",
        scope: Scope::All,
        on: On::Arithmetic,
        needs: Traits::empty(),
        check: |view| {
            let row = type_row(view)?;
            view.srcs()
                .find(|src| !row.srcs.contains(&class(src.ty)))
                .map(|src| src.place)
        },
    },
    Rule {
        name: "dst-type",
        text: "the instruction does not have results of this type",
        source: "BDW to TGL PRM vol 2a, the types of each instruction",
        scope: Scope::All,
        on: On::Arithmetic,
        needs: Traits::empty(),
        check: |view| {
            let row = type_row(view)?;
            // The type says how `srnd` rounds, wherever the result goes.
            let dst = view
                .written()
                .or(view.dst.filter(|_| view.is(Opcode::Srnd)))?;
            (!row.dsts.contains(&class(dst.ty))).then_some(Place::Dst)
        },
    },
];

/// The first operand of a type that `is` tells.
fn of_type(view: &View<'_>, is: fn(Type) -> bool) -> Option<Place> {
    view.operands()
        .find(|operand| is(operand.ty))
        .map(|operand| operand.place)
}

fn moved(view: &View<'_>, is_bad: impl Fn(&Operand) -> bool) -> Option<Place> {
    view.srcs().find(is_bad).map(|src| src.place)
}

/// Types that instructions do not tell apart: all but the sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Byte,
    Word,
    Dword,
    Qword,
    Half,
    Bfloat,
    Single,
    Double,
    Other,
}

fn class(ty: Type) -> Class {
    match ty {
        Type::Ub | Type::B => Class::Byte,
        Type::Uw | Type::W | Type::V | Type::Uv => Class::Word,
        Type::Ud | Type::D => Class::Dword,
        Type::Uq | Type::Q => Class::Qword,
        Type::Hf => Class::Half,
        Type::Bf => Class::Bfloat,
        Type::F | Type::Vf => Class::Single,
        Type::Df => Class::Double,
        _ => Class::Other,
    }
}

/// The types of an instruction.
struct TypeRow {
    srcs: &'static [Class],
    dsts: &'static [Class],
}

const fn row(srcs: &'static [Class], dsts: &'static [Class]) -> Option<TypeRow> {
    Some(TypeRow { srcs, dsts })
}

const INTEGERS: &[Class] = &[Class::Byte, Class::Word, Class::Dword, Class::Qword];
const SMALL_INTEGERS: &[Class] = &[Class::Byte, Class::Word, Class::Dword];
const ROTATED: &[Class] = &[Class::Word, Class::Dword, Class::Qword];
/// Numbers, and random bits as integers.
const STOCHASTIC_SOURCES: &[Class] = &[Class::Single, Class::Half, Class::Dword, Class::Word];
/// Half precision, and 8-bit floats, which may be named as bytes.
const STOCHASTIC_RESULTS: &[Class] = &[Class::Half, Class::Byte, Class::Other];
const DWORDS: &[Class] = &[Class::Dword];
const WORDS_AND_DWORDS: &[Class] = &[Class::Word, Class::Dword];
const SINGLES: &[Class] = &[Class::Single];
const SINGLES_AND_HALVES: &[Class] = &[Class::Single, Class::Half];
const FLOATS: &[Class] = &[Class::Half, Class::Single, Class::Double];

/// The types of instructions that take few.
fn type_row(view: &View<'_>) -> Option<TypeRow> {
    use Opcode as O;
    match view.opcode() {
        O::And | O::Or | O::Xor | O::Not | O::Shl | O::Shr | O::Asr => row(INTEGERS, INTEGERS),
        O::Rol | O::Ror => row(ROTATED, ROTATED),
        O::Mach | O::Macl => row(WORDS_AND_DWORDS, DWORDS),
        O::Srnd => row(STOCHASTIC_SOURCES, STOCHASTIC_RESULTS),
        O::Avg => row(SMALL_INTEGERS, SMALL_INTEGERS),
        O::Bfe | O::Bfi1 | O::Bfi2 | O::Bfrev => row(DWORDS, DWORDS),
        O::Addc | O::Subb | O::Fbh | O::Fbl | O::Lzd => row(WORDS_AND_DWORDS, DWORDS),
        O::Add3 | O::Bfn => row(WORDS_AND_DWORDS, WORDS_AND_DWORDS),
        O::Cbit => row(SMALL_INTEGERS, DWORDS),
        O::Frc | O::Rndd | O::Rnde | O::Rndu | O::Rndz => row(FLOATS, FLOATS),
        O::Dp2 | O::Dp3 | O::Dp4 | O::Dph | O::Line | O::Pln | O::Lrp => row(SINGLES, SINGLES),
        O::Sad2 | O::Sada2 => row(&[Class::Byte], &[Class::Word]),
        O::Math => match view.input.specific {
            Specific::Math(MathFunction::Idiv | MathFunction::Iqot | MathFunction::Irem) => {
                row(DWORDS, DWORDS)
            }
            Specific::Math(MathFunction::Invm | MathFunction::Rsqtm) => row(FLOATS, FLOATS),
            _ => row(SINGLES_AND_HALVES, SINGLES_AND_HALVES),
        },
        _ => None,
    }
}
