//! Operations that compute a channel from more than its own elements, and raw copies.

use isa_encoder::semantics::{Float, Number};
use isa_encoder::{MathFunction, Semantics, Type};

use super::general::{Operands, channels, int_source};
use super::op::Op;
use super::operand::{Kind, LANES, Source, Target};
use super::ops::math;
use super::ops::softfloat::{self, Format, Rounding};
use super::ops::value::{Fitted, FpMode, fit_float, fit_int, format_of};
use super::regs::GRF_BASE;
use super::state::State;

/// Whether copying bits from `source` to type `ty` is what `mov` does.
pub(super) fn is_raw(source: &Source, ty: Type) -> bool {
    let same = source.element == ty
        || source.element.is_integer() && ty.is_integer() && source.element.bits() == ty.bits();
    source.is_plain() && same
}

/// The channels for which a predicated `sel` takes source 0.
pub(super) fn chosen(state: &State, op: &Op) -> u32 {
    match op.does {
        Semantics::Number(Number::Select) if op.cond.is_none() => state.predicate(op),
        _ => 0,
    }
}

/// The results of operations that move bits unchanged, so that NaNs and denormals survive. `None`
/// for other operations.
pub(super) fn raw(state: &State, op: &Op, sources: &Operands) -> Option<[u64; LANES]> {
    if op.saturate {
        return None;
    }
    match op.does {
        Semantics::Number(Number::Move | Number::ScatteredMove)
            if op.cond.is_none() && is_raw(&op.src[0], op.dst.ty) =>
        {
            Some(sources[0])
        }
        Semantics::Number(Number::Select)
            if op.cond.is_none() && op.src[..2].iter().all(|src| is_raw(src, op.dst.ty)) =>
        {
            let chosen = chosen(state, op);
            Some(core::array::from_fn(|lane| {
                sources[usize::from(chosen >> lane & 1 == 0)][lane]
            }))
        }
        _ => None,
    }
}

/// `sad2`: the sum of absolute differences of a channel and its right neighbour.
pub(super) fn absolute_differences(op: &Op, sources: &Operands, lane: usize) -> i128 {
    let difference = |lane: usize| {
        let a = int_source(&op.src[0], sources[0][lane]);
        let b = int_source(&op.src[1], sources[1][lane]);
        (a - b).abs()
    };
    let first = lane & !1;
    difference(first) + difference(first + 1)
}

/// `math.idiv` writes the remainders to the registers after the quotients.
pub(super) fn store_remainders(state: &mut State, op: &Op, sources: &Operands, mask: u32) {
    if op.dst.target != Target::Direct {
        return;
    }
    let [_, second] = op.results(state.rules.grf_bytes);
    let at = op.dst.base as usize + second.start;
    let signed = op.dst.ty.is_signed();
    let end = GRF_BASE + state.regs.grf().len();
    for lane in channels(mask) {
        let a = int_source(&op.src[0], sources[0][lane]);
        let b = int_source(&op.src[1], sources[1][lane]);
        let (_, rest) = math::divide(a, b, signed);
        let fitted = fit_int(rest, op.dst.ty, op.saturate, state.fp);
        let at = at + lane * usize::from(op.dst.stride);
        if at + op.dst.ty.bytes() as usize <= end {
            state.regs.set_element(at, op.dst.ty.bytes(), fitted.raw);
        }
    }
}

/// A function of `math`. `math.rsqtm` starts the square root macro; with its early out taken, the
/// macro's result is the root itself (vISA TranslateMath.cpp, double-precision square root).
pub(super) fn float_math(
    function: MathFunction,
    format: Format,
    mode: Rounding,
    a: u64,
    b: u64,
) -> u64 {
    let function = match function {
        MathFunction::Rsqtm => MathFunction::Sqt,
        other => other,
    };
    math::float_math(function, format, mode, a, b).unwrap_or(format.quiet_nan())
}

/// `dp2`, `dp3`, `dp4`, `dph`: the dot product of each four channels, given to all four.
pub(super) fn dot_product(
    (terms, homogeneous): (u8, bool),
    format: Format,
    mode: Rounding,
    values: &Operands,
    lane: usize,
) -> u64 {
    let first = lane & !3;
    let product =
        |i: usize| softfloat::mul(format, mode, values[0][first + i], values[1][first + i]);
    let mut sum = product(0);
    for i in 1..usize::from(terms) {
        sum = softfloat::add(format, mode, sum, product(i));
    }
    if homogeneous {
        sum = softfloat::add(format, mode, sum, values[1][first + 3]);
    }
    sum
}

/// `line` and `pln`: `p * u + r` and `p * u + q * v + r`, with p, q and r in elements 0, 1 and 3 of
/// source 0; for `pln`, source 1 holds eight u, then eight v, for each eight channels.
pub(super) fn plane(state: &State, op: &Op, lane: usize) -> u64 {
    let format = Format::F32;
    let mode = state.fp.rounding;
    let element = |source: &Source, index: usize| match source.kind {
        Kind::Direct => {
            let bits = state.regs.element(source.base as usize + 4 * index, 4);
            if source.neg {
                bits ^ format.sign_bit()
            } else {
                bits
            }
        }
        _ => source.value,
    };
    let [line, place, _] = &op.src;
    let (p, q, r) = (element(line, 0), element(line, 1), element(line, 3));
    if op.does == Semantics::Float(Float::Line) {
        let mut u = [0; LANES];
        place.gather(&state.regs, op.lanes(), &mut u);
        return softfloat::fma(format, mode, p, u[lane], r);
    }
    let group = lane / 8 * 16 + lane % 8;
    let (u, v) = (element(place, group), element(place, group + 8));
    let inner = softfloat::fma(format, mode, q, v, r);
    softfloat::fma(format, mode, p, u, inner)
}

/// `srnd`: adds as many noise bits as the conversion drops to the significand, then truncates.
///
/// Source: vISA SRND: source 1 bits 12:0 from `f` to `hf`, bits 7:0 from `hf` to `bf8`.
pub(super) fn stochastic_round(
    format: Format,
    value: u64,
    noise: u64,
    ty: Type,
    saturate: bool,
    mode: FpMode,
) -> Fitted {
    let truncating = FpMode {
        rounding: Rounding::Zero,
        ..mode
    };
    if format.is_nan(value) || format.is_infinite(value) {
        return fit_float(value, format, ty, saturate, truncating);
    }
    let dropped = match format_of(ty) {
        Some(to) if to.fraction < format.fraction => format.fraction - to.fraction,
        _ => 0,
    };
    let noise = noise & ((1 << dropped) - 1);
    fit_float(value + noise, format, ty, saturate, truncating)
}
