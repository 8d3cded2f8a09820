//! Data types: those that a machine lacks, those that an opcode does not take, and conversions that
//! do not exist.

use super::rule::{On, rules};
use super::view::{Operand, Place, View};
use crate::model::{Attributes, Opcode, Signature, Specific, Type};

const MOV: &str = "BDW to TGL PRM vol 2a, mov: Restrictions on conversions";

rules! {
    "no-double" (|machine| !machine.fp64) On::Arithmetic, [EIGHT_BYTES]:
        "the platform has no double precision",
        "ICL and TGL PRM vol 7, Data Types; Mesa intel_device_info.c has_64bit_float",
        |view| of_type(view, |ty| ty == Type::Df);
    "no-qword" (Gen11..=XeHpg) On::Without(Attributes::QWORDS), [EIGHT_BYTES]:
        "the platform has no 64-bit integer arithmetic beyond moves, shifts and bitwise \
         operations",
        "ICL and TGL PRM vol 7, Data Types; Mesa intel_device_info.c has_64bit_int; IGC \
         Platform.hpp hasNoInt64Inst",
        |view| of_type(view, |ty| ty.is_integer() && ty.bits() == 64);
    "byte-source" (Gen11..) On::Arithmetic, [BYTE]:
        "source 1 of two and sources 1 and 2 of three must not be bytes",
        "ICL and TGL PRM vol 7, Register Region Restrictions: byte data types",
        |view| {
            if view.is(Opcode::Dp4a) {
                return None;
            }
            view.srcs()
                .skip(1)
                .find(|src| !src.is_imm() && !src.is_null() && src.bytes() == 1)
                .map(|src| src.place)
        };
    "byte-qword" (..) On::Only(&[Opcode::Mov]), [BYTE | EIGHT_BYTES]:
        "bytes and 64-bit types are not converted into each other", MOV,
        |view| {
            let dst = view.written()?;
            moved(view, |src| {
                src.bytes() == 1 && dst.bytes() == 8 || src.bytes() == 8 && dst.bytes() == 1
            })
        };
    "half-qword" (..) On::Basic, [HALF | EIGHT_BYTES]:
        "half floats and 64-bit types are not converted into each other", MOV,
        |view| {
            let dst = view.written()?;
            moved(view, |src| {
                src.ty == Type::Hf && dst.bytes() == 8 || src.bytes() == 8 && dst.ty == Type::Hf
            })
        };
    "accumulator-conversion" (XeHpg..) On::Only(&[Opcode::Mov]), [ARF]:
        "a move from or to an accumulator converts words and dwords, half and single \
         precision, and nothing else",
        "IGC G4_Verifier.cpp verifyAccMov, HWCaps.inc hasFormatConversionACCRestrictions",
        |view| {
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
        };
    "half-integer" (..) On::Basic, [HALF | CHANNELS]:
        "half floats and integers are converted into each other at a destination stride of \
         a dword, aligned to a dword, but for bytes", MOV,
        |view| {
            let dst = view.written()?;
            let pair = |a: Type, b: Type| a == Type::Hf && b.is_integer();
            let converts = view
                .srcs()
                .any(|src| pair(src.ty, dst.ty) || pair(dst.ty, src.ty));
            let stride = u32::from(dst.region.hstride) * dst.bytes();
            // Intel's compiler gives a byte any place in its dword.
            let aligned = dst.bytes() == 1 || dst.reg.is_none_or(|reg| reg.byte % 4 == 0);
            (converts && (stride != 4 || !aligned)).then_some(Place::Dst)
        };
    "source-kinds" (..) On::Arithmetic, [FLOAT_SOURCE | INTEGER_SOURCE]:
        "floats and integers must not both be sources",
        "BDW to TGL PRM vol 7, Execution Data Type; vol 2a, the types of each instruction",
        |view| {
            let is_float = |ty: Type| ty.is_float() || ty == Type::Vf;
            let first = view.src(0)?;
            view.srcs()
                .find(|src| is_float(src.ty) != is_float(first.ty))
                .map(|src| src.place)
        };
    "source-types" (..) On::Arithmetic, []:
        "the instruction does not take sources of this type",
        "BDW to TGL PRM vol 2a, the types of each instruction",
        |view| {
            let types = signature(view).srcs;
            view.srcs()
                .find(|src| !types.has(src.ty))
                .map(|src| src.place)
        };
    "dst-type" (..) On::Arithmetic, []:
        "the instruction does not have results of this type",
        "BDW to TGL PRM vol 2a, the types of each instruction",
        |view| {
            // The type decides how `srnd` rounds, wherever the result goes.
            let dst = view
                .written()
                .or(view.dst.filter(|_| view.is(Opcode::Srnd)))?;
            (!signature(view).dsts.has(dst.ty)).then_some(Place::Dst)
        };
}

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
