//! `dpas`: shapes, types, registers.

use super::rule::{On, rules};
use super::view::{Operand, Place, View};
use crate::model::{Specific, Type};

const DPAS: &str = "IGC G4_Verifier.cpp verifyDpas; Mesa brw_eu_validate.c (DPAS)";

rules! {
    "no-systolic" (|machine| !machine.systolic) On::Dpas, []:
        "the platform has no systolic arrays", "NEO isMatrixMultiplyAccumulateSupported",
        |_| Some(Place::Instruction);
    "dpas-exec-size" (..) On::Dpas, []:
        "`dpas` has as many channels as a register has floats", DPAS,
        |view| {
            (view.exec_size() * Type::F.bytes() != view.grf_bytes()).then_some(Place::Instruction)
        };
    "dpas-depth" (..) On::Dpas, []:
        "the systolic depth must be 8", DPAS,
        |view| match view.input.specific {
            Specific::Dpas(shape) if shape.depth != 8 => Some(Place::Instruction),
            _ => None,
        };
    "dpas-repeat" (..) On::Dpas, []:
        "the repeat count is 1 to 8", DPAS,
        |view| match view.input.specific {
            Specific::Dpas(shape) if !(1..=8).contains(&shape.repeat) => Some(Place::Instruction),
            _ => None,
        };
    "dpas-source-types" (..) On::Dpas, []:
        "sources 1 and 2 must both be integers of at most 8 bits, or of the same float type", DPAS,
        |view| {
            let (a, b) = (view.src(1)?, view.src(2)?);
            let small = |ty: Type| ty.is_integer() && ty.bits() <= 8;
            if small(a.ty) {
                return (!small(b.ty)).then_some(Place::Src(2));
            }
            if !has_float(view, a.ty) {
                return Some(Place::Src(1));
            }
            (a.ty != b.ty).then_some(Place::Src(2))
        };
    "dpas-accumulator-types" (..) On::Dpas, []:
        "destination and source 0 must be dwords for integers, else single precision or \
         (from XeHPC on) the sources' 16-bit type", DPAS,
        |view| {
            let factor = view.src(1)?.ty;
            let fits = |operand: &Operand| {
                let ty = operand.ty;
                if factor.is_integer() {
                    return matches!(ty, Type::D | Type::Ud);
                }
                let same = ty == factor && ty.bits() == 16 && view.has().short_dpas_results;
                ty == Type::F || same
            };
            [view.dst, view.src(0)]
                .into_iter()
                .flatten()
                .find(|operand| !operand.is_null() && !fits(operand))
                .map(|operand| operand.place)
        };
    "dpas-signs" (..) On::Dpas, []:
        "with a signed source, the destination must be signed", DPAS,
        |view| {
            let dst = view.dst?;
            let signed = view.srcs().any(|src| src.ty.is_signed());
            (signed && dst.ty == Type::Ud).then_some(Place::Dst)
        };
    "dpas-registers" (..) On::Dpas, []:
        "destination and sources of `dpas` are general registers, the destination and \
         source 0 may be null", DPAS,
        |view| {
            view.operands()
                .find(|operand| {
                    let null = matches!(operand.place, Place::Dst | Place::Src(0));
                    operand.grf().is_none() && !(null && operand.is_null())
                })
                .map(|operand| operand.place)
        };
    "dpas-full" (Xe2..) On::Dpas, []:
        "source 2 of `dpas.8x8` must begin a register", "IGC G4_Verifier.cpp verifyDpas",
        |view| match view.input.specific {
            Specific::Dpas(shape) if shape.repeat == 8 && shape.depth == 8 => {
                let src = view.src(2)?;
                (src.grf()?.byte != 0).then_some(src.place)
            }
            _ => None,
        };
    "dpas-alignment" (..) On::Dpas, []:
        "destination and source 0 must be aligned to all channels, source 1 to a register, \
         source 2 to one step's elements", DPAS,
        |view| {
            view.operands()
                .find(|operand| {
                    let Some(reg) = operand.grf() else {
                        return false;
                    };
                    let unit = match operand.place {
                        Place::Src(1) => view.grf_bytes(),
                        Place::Src(2) => step_bytes(view),
                        _ => operand.bytes() * view.exec_size(),
                    };
                    u32::from(reg.byte) % unit.max(1) != 0
                })
                .map(|operand| operand.place)
        };
}

/// The float types that `dpas` multiplies.
fn has_float(view: &View<'_>, ty: Type) -> bool {
    let multiplies = matches!(ty, Type::Hf | Type::Bf | Type::Tf32);
    multiplies && view.has().types.ternary.code(ty).is_some()
}

/// Bytes of source 2 for one row of the result: the elements of one dword for each step.
fn step_bytes(view: &View<'_>) -> u32 {
    let bits = |index| view.src(index).map_or(32, |src: Operand| src.ty.bits());
    let elements = 32 / bits(1).max(bits(2)).max(1);
    8 * elements * bits(2) / 8
}
