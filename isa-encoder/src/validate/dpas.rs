//! `dpas`: shapes, types, registers.

use devinfo::span;

use super::rule::{On, Place, Rule, Scope};
use super::view::{Operand, Traits, View};
use crate::model::{Specific, Type};

const DPAS: &str = "IGC G4_Verifier.cpp verifyDpas; Mesa brw_eu_validate.c (DPAS)";

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "no-systolic",
        text: "the platform has no systolic arrays",
        source: "NEO isMatrixMultiplyAccumulateSupported",
        scope: Scope::Has(|machine| !machine.systolic),
        on: On::Dpas,
        needs: Traits::empty(),
        check: |_| Some(Place::Instruction),
    },
    Rule {
        name: "dpas-exec-size",
        text: "`dpas` has as many channels as a register has floats",
        source: DPAS,
        scope: Scope::All,
        on: On::Dpas,
        needs: Traits::empty(),
        check: |view| {
            (view.exec_size() * Type::F.bytes() != view.grf_bytes()).then_some(Place::Instruction)
        },
    },
    Rule {
        name: "dpas-depth",
        text: "the systolic depth must be 8",
        source: DPAS,
        scope: Scope::All,
        on: On::Dpas,
        needs: Traits::empty(),
        check: |view| match view.input.specific {
            Specific::Dpas(shape) if shape.depth != 8 => Some(Place::Instruction),
            _ => None,
        },
    },
    Rule {
        name: "dpas-repeat",
        text: "the repeat count is 1 to 8",
        source: DPAS,
        scope: Scope::All,
        on: On::Dpas,
        needs: Traits::empty(),
        check: |view| match view.input.specific {
            Specific::Dpas(shape) if !(1..=8).contains(&shape.repeat) => Some(Place::Instruction),
            _ => None,
        },
    },
    Rule {
        name: "dpas-source-types",
        text: "sources 1 and 2 must both be integers of at most 8 bits, or of the same float type",
        source: DPAS,
        scope: Scope::All,
        on: On::Dpas,
        needs: Traits::empty(),
        check: |view| {
            let (a, b) = (view.src(1)?, view.src(2)?);
            let small = |ty: Type| ty.is_integer() && ty.bits() <= 8;
            if small(a.ty) {
                return (!small(b.ty)).then_some(Place::Src(2));
            }
            if !has_float(view, a.ty) {
                return Some(Place::Src(1));
            }
            (a.ty != b.ty).then_some(Place::Src(2))
        },
    },
    Rule {
        name: "dpas-accumulator-types",
        text: "destination and source 0 must be dwords for integers, else single precision or \
               (from XeHPC on) the sources' 16-bit type",
        source: DPAS,
        scope: Scope::All,
        on: On::Dpas,
        needs: Traits::empty(),
        check: |view| {
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
        },
    },
    Rule {
        name: "dpas-signs",
        text: "with a signed source, the destination must be signed",
        source: DPAS,
        scope: Scope::All,
        on: On::Dpas,
        needs: Traits::empty(),
        check: |view| {
            let dst = view.dst?;
            let signed = view.srcs().any(|src| src.ty.is_signed());
            (signed && dst.ty == Type::Ud).then_some(Place::Dst)
        },
    },
    Rule {
        name: "dpas-registers",
        text: "destination and sources of `dpas` are general registers, the destination and \
               source 0 may be null",
        source: DPAS,
        scope: Scope::All,
        on: On::Dpas,
        needs: Traits::empty(),
        check: |view| {
            view.operands()
                .find(|operand| {
                    let null = matches!(operand.place, Place::Dst | Place::Src(0));
                    operand.grf().is_none() && !(null && operand.is_null())
                })
                .map(|operand| operand.place)
        },
    },
    Rule {
        name: "dpas-full",
        text: "source 2 of `dpas.8x8` must begin a register",
        source: "IGC G4_Verifier.cpp verifyDpas",
        scope: Scope::Of(span!(Xe2..)),
        on: On::Dpas,
        needs: Traits::empty(),
        check: |view| match view.input.specific {
            Specific::Dpas(shape) if shape.repeat == 8 && shape.depth == 8 => {
                let src = view.src(2)?;
                (src.grf()?.byte != 0).then_some(src.place)
            }
            _ => None,
        },
    },
    Rule {
        name: "dpas-alignment",
        text: "destination and source 0 must be aligned to all channels, source 1 to a register, \
               source 2 to one step's elements",
        source: DPAS,
        scope: Scope::All,
        on: On::Dpas,
        needs: Traits::empty(),
        check: |view| {
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
        },
    },
];

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
