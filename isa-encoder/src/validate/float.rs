//! Mixed half and single precision (to Gen12LP), and the float pipe's regions (XeHPG on).

use super::rule::{On, rules};
use super::view::{Operand, Place, Traits, View};
use crate::model::{ArfKind, Opcode, Type};

const MIXED: &str =
    "SKL to TGL PRM vol 7, Special Restrictions for Handling Mixed Mode Float Operations";
const FLOAT_PIPE: &str =
    "Mesa brw_eu_validate.c (Register Region Restrictions of gfx 12.5 on); IGC HWConformity";

rules! {
    "mixed-indirect" (..) On::Basic, [MIXED_FLOAT | INDIRECT]:
        "with mixed float types, sources must not be indirect", MIXED,
        |view| view.srcs().find(|src| src.indirect).map(|src| src.place);
    "mixed-simd16" (..=Gen12Lp) On::Basic, [MIXED_FLOAT | CHANNELS]:
        "with mixed float types and a single-precision result, the execution size is at \
         most 8", MIXED,
        |view| {
            let dst = view.dst?;
            (view.exec_size() > 8 && dst.ty == Type::F && !view.is(Opcode::Mov))
                .then_some(Place::Instruction)
        };
    "mixed-packed" (..=Gen12Lp) On::Basic, [MIXED_FLOAT | CHANNELS]:
        "with mixed float types, packed half floats must be aligned to 16 bytes, at most 8", MIXED,
        |view| {
            let dst = view.written()?;
            let packed = dst.ty == Type::Hf && dst.region.hstride == 1;
            let aligned = dst.reg.is_none_or(|reg| reg.byte % 16 == 0);
            (packed && (!aligned || view.exec_size() > 8)).then_some(Place::Dst)
        };
    "mixed-math" (..=Gen12Lp) On::Math, [MIXED_FLOAT]:
        "half-float sources of a mixed `math` must be strided", MIXED,
        |view| {
            view.srcs()
                .find(|src| src.ty == Type::Hf && src.region.hstride <= 1 && !src.is_scalar())
                .map(|src| src.place)
        };
    "mixed-accumulator" (..=Gen12Lp) On::Basic, [MIXED_FLOAT]:
        "half-float results of a mixed operation with an accumulator source must have a \
         stride of 2", MIXED,
        |view| {
            let dst = view.written()?;
            let reads = view.srcs().any(|src| src.is_acc()) || view.is(Opcode::Mac);
            (dst.ty == Type::Hf && reads && dst.region.hstride != 2).then_some(Place::Dst)
        };
    "mixed-stride" (..) On::Basic, [MIXED_FLOAT | CHANNELS]:
        "half-float results of a mixed operation have a stride of 1 or 2",
        "BDW to TGL PRM vol 2a, mov: conversions to half float; Mesa brw_eu_validate.c",
        |view| {
            let dst = view.written()?;
            (dst.ty == Type::Hf && dst.region.hstride > 2).then_some(Place::Dst)
        };
    "float-region" (XeHpg..) On::Arithmetic, [CHANNELS]:
        "with a float or 64-bit operand, each source must lie at the bits of the \
         destination's channels, except for scalars", FLOAT_PIPE,
        float_region;
    "half-move-region" (XeHpg..) On::Only(&[Opcode::Mov]), [MIXED_FLOAT | HALF | CHANNELS]:
        "in a move between half and single precision, packed half floats must lie at half \
         the place of the floats in a half of a register, which they do not leave unless \
         they begin it; others in the dwords of the floats",
        "IGC HWConformity.cpp fixUnalignedRegions, HWCaps.inc hasFtoPackedHFMove",
        half_move;
    "float-arf" (XeHpg..) On::Basic, [ARF]:
        "operations with float or 64-bit results name no architecture registers but null, \
         accumulators and s0", FLOAT_PIPE,
        |view| {
            let named = |operand: &Operand| {
                !matches!(
                    operand.arf(),
                    None | Some(ArfKind::Null | ArfKind::Accumulator | ArfKind::Scalar)
                )
            };
            let dst = view.dst?;
            if !dst.ty.is_float() && dst.bytes() != 8 {
                return None;
            }
            view.operands().find(named).map(|operand| operand.place)
        };
    "math-half-scalar" (workaround XeHpg, Xe2) On::Math, [HALF | CHANNELS]:
        "`math` of half floats must not read a scalar for several channels",
        "Workaround 22016140776 (Mesa mesa_defs.json)",
        |view| {
            view.srcs()
                .find(|src| src.ty == Type::Hf && src.is_scalar() && !src.is_imm())
                .map(|src| src.place)
        };
}

/// Operations with a float result or 64-bit operands.
fn on_float_pipe<'v, 'a>(view: &'v View<'a>) -> Option<&'v View<'a>> {
    let float = view.dst.is_some_and(|dst| dst.ty.is_float()) || view.is_double();
    float.then_some(view)
}

fn float_region(view: &View<'_>) -> Option<Place> {
    let dst = on_float_pipe(view)?.written()?;
    // Moves between half and single precision shuffle by themselves; bfloats have their own region
    // rules.
    let shuffles = view.is_mixed_float() && view.is(Opcode::Mov);
    if shuffles || view.traits.contains(Traits::BFLOAT) {
        return None;
    }
    let pitch = u32::from(dst.region.hstride) * dst.bytes();
    view.srcs()
        .find(|src| {
            let Some(reg) = src.reg.filter(|_| !src.is_scalar()) else {
                return false;
            };
            src.pitch() != Some(pitch) || dst.reg.is_some_and(|dst| dst.byte != reg.byte)
        })
        .map(|src| src.place)
}

fn half_move(view: &View<'_>) -> Option<Place> {
    let (dst, src) = (view.written()?, view.src(0)?);
    let half_register = view.grf_bytes() / 2;
    let byte = |operand: &Operand| operand.reg.map(|reg| u32::from(reg.byte));
    let crosses = |half: &Operand| {
        let first = byte(half).unwrap_or(0);
        let last = first + 2 * view.exec_size() - 1;
        first % half_register != 0 && first / half_register != last / half_register
    };
    let dst_pitch = u32::from(dst.region.hstride) * dst.bytes();
    if src.is_scalar() {
        return (dst.ty == Type::Hf && dst_pitch == 2 && crosses(&dst)).then_some(dst.place);
    }
    let (half, single) = match dst.ty {
        Type::Hf => ((dst, Some(dst_pitch)), (src, src.pitch())),
        _ => ((src, src.pitch()), (dst, Some(dst_pitch))),
    };
    let (Some(half_at), Some(single_at)) = (byte(&half.0), byte(&single.0)) else {
        // Indirect operands have no known position.
        return None;
    };
    let fits = single.1 == Some(4)
        && match half.1 {
            Some(2) => half_at % half_register == single_at / 2 && !crosses(&half.0),
            Some(4) => half_at & !2 == single_at,
            _ => false,
        };
    (!fits).then_some(src.place)
}
