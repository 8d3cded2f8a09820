//! Bfloats outside of `dpas`: operations that mix single precision and bfloat. The type exists from
//! XeHPG on.

use super::rule::{On, rules};
use super::view::{Operand, Place, View};
use crate::model::{Attributes, Opcode, Type};

const MIXED: &str = "IGC HWConformity.cpp fixBFMixedMode and G4_Verifier.cpp verifyBFMixedMode; \
                     Mesa gen_validate special_restrictions_for_mixed_float_mode";

rules! {
    "bfloat-operation" (..) On::Without(Attributes::BFLOATS), [BFLOAT]:
        "only `mov`, `add`, `cmp`, `sel`, `mul`, `mac` and `mad` take bfloats", MIXED,
        |view| {
            let operand = view.operands().find(|operand| operand.ty == Type::Bf)?;
            Some(operand.place)
        };
    "bfloat-pure" (..) On::Arithmetic, [BFLOAT]:
        "operands must not all be bfloats", MIXED,
        |view| {
            view.operands()
                .all(|operand| operand.ty == Type::Bf)
                .then_some(Place::Instruction)
        };
    "bfloat-factor" (..) On::Only(&[Opcode::Mul, Opcode::Mac, Opcode::Mad]), [BFLOAT]:
        "the last factor of a multiplication must not be a bfloat", MIXED,
        |view| {
            let last = view.srcs().last()?;
            (last.ty == Type::Bf).then_some(last.place)
        };
    "bfloat-channels" (..) On::Arithmetic, [BFLOAT | CHANNELS]:
        "operations on bfloats have at most as many channels as a register has floats", MIXED,
        |view| {
            (view.exec_size() * Type::F.bytes() > view.grf_bytes()).then_some(Place::Instruction)
        };
    "bfloat-scalar" (..) On::Arithmetic, [BFLOAT | CHANNELS]:
        "several channels must not read one bfloat", MIXED,
        |view| {
            view.srcs()
                .find(|src| src.ty == Type::Bf && src.is_scalar() && !src.is_imm())
                .map(|src| src.place)
        };
    "bfloat-region" (..) On::Arithmetic, [BFLOAT | CHANNELS]:
        "with bfloats, these must be packed and begin a register or its half, or, as a \
         destination, have a stride of 2 from element 0 or 1; floats must be packed and \
         begin a register, but for scalar sources", MIXED,
        |view| {
            let dst = view.written().filter(|dst| !fits_dst(view, dst));
            let src = view.srcs().find(|src| !fits_src(view, src));
            dst.or(src).map(|operand| operand.place)
        };
}

/// Whether an operand begins at the start of a register or, for bfloats, of its half.
fn begins(view: &View<'_>, operand: &Operand) -> bool {
    operand.reg.is_none_or(|reg| match operand.ty {
        Type::Bf => u32::from(reg.byte) % (view.grf_bytes() / 2) == 0,
        _ => reg.byte == 0,
    })
}

fn fits_dst(view: &View<'_>, dst: &Operand) -> bool {
    let spread = dst.ty == Type::Bf
        && dst.region.hstride == 2
        && dst.reg.is_none_or(|reg| matches!(reg.byte, 0 | 2));
    // A comparison's destination may be of any type.
    let other = !matches!(dst.ty, Type::Bf | Type::F);
    other || spread || dst.region.hstride == 1 && begins(view, dst)
}

fn fits_src(view: &View<'_>, src: &Operand) -> bool {
    let packed = src.pitch() == Some(src.bytes());
    src.is_imm() || src.is_scalar() || packed && begins(view, src)
}
