//! Data types: those that a machine lacks, those that an opcode does not take, and conversions that
//! do not exist.

use devinfo::span;

use super::rule::{On, Place, Rule, Scope};
use super::view::{Operand, Traits, View};
use crate::model::{Attributes, Opcode, Signature, Specific, Type};

const MOV: &str = "BDW to TGL PRM vol 2a, mov: Restrictions on conversions";

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "no-double",
        text: "the platform has no double precision",
        source: "ICL and TGL PRM vol 7, Data Types; Mesa intel_device_info.c has_64bit_float",
        scope: Scope::Has(|machine| !machine.fp64),
        on: On::Arithmetic,
        needs: Traits::EIGHT_BYTES,
        check: |view| of_type(view, |ty| ty == Type::Df),
    },
    Rule {
        name: "no-qword",
        text: "the platform has no 64-bit integer arithmetic beyond moves, shifts and bitwise \
               operations",
        source: "ICL and TGL PRM vol 7, Data Types; Mesa intel_device_info.c has_64bit_int; IGC \
                 Platform.hpp hasNoInt64Inst",
        scope: Scope::Of(span!(Gen11..=XeHpg)),
        on: On::Without(Attributes::QWORDS),
        needs: Traits::EIGHT_BYTES,
        check: |view| of_type(view, |ty| ty.is_integer() && ty.bits() == 64),
    },
    Rule {
        name: "byte-source",
        text: "source 1 of two and sources 1 and 2 of three must not be bytes",
        source: "ICL and TGL PRM vol 7, Register Region Restrictions: byte data types",
        scope: Scope::Of(span!(Gen11..)),
        on: On::Arithmetic,
        needs: Traits::BYTE,
        check: |view| {
            if view.is(Opcode::Dp4a) {
                return None;
            }
            view.srcs()
                .skip(1)
                .find(|src| !src.is_imm() && !src.is_null() && src.bytes() == 1)
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
        scope: Scope::Of(span!(XeHpg..)),
        on: On::Only(&[Opcode::Mov]),
        needs: Traits::ARF,
        check: |view| {
            let (dst, src) = (view.dst?, view.src(0)?);
            let group = |ty: Type| match ty {
                Type::Uw | Type::W | Type::Uv | Type::V | Type::Ud | Type::D => Some(0),
                Type::Hf | Type::F | Type::Vf => Some(1),
                Type::Df => Some(2),
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
            let types = signature(view).srcs;
            view.srcs()
                .find(|src| !types.has(src.ty))
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
            // The type decides how `srnd` rounds, wherever the result goes.
            let dst = view
                .written()
                .or(view.dst.filter(|_| view.is(Opcode::Srnd)))?;
            (!signature(view).dsts.has(dst.ty)).then_some(Place::Dst)
        },
    },
];

/// The first operand whose type satisfies `is`.
fn of_type(view: &View<'_>, is: fn(Type) -> bool) -> Option<Place> {
    view.operands()
        .find(|operand| is(operand.ty))
        .map(|operand| operand.place)
}

fn moved(view: &View<'_>, is_bad: impl Fn(&Operand) -> bool) -> Option<Place> {
    view.srcs().find(is_bad).map(|src| src.place)
}

/// The types of an instruction.
fn signature(view: &View<'_>) -> Signature {
    match view.input.specific {
        Specific::Math(function) => function.types(),
        _ => view.opcode().types(),
    }
}
