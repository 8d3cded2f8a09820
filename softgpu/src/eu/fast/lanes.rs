//! Loading and storing lanes.

use isa_encoder::{CondMod, Type};

use super::super::op::Op;
use super::super::operand::{Kind, LANES, Shape, Source, Target};
use super::super::ops::value::int_of;
use super::super::state::State;

/// Lanes of 32 bits: integers extended by their type, or the bits of an `f32`.
pub(super) type Lanes<const N: usize> = [u32; N];

/// What lanes mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Float,
    Signed,
    Unsigned,
}

#[inline(always)]
fn dwords<const N: usize>(bytes: &[u8]) -> Lanes<N> {
    let mut lanes = [0; N];
    for (lane, chunk) in lanes.iter_mut().zip(bytes.as_chunks::<4>().0) {
        *lane = u32::from_le_bytes(*chunk);
    }
    lanes
}

#[inline(always)]
fn words<const N: usize>(bytes: &[u8], signed: bool) -> Lanes<N> {
    let mut lanes = [0; N];
    let chunks = bytes.as_chunks::<2>().0;
    if signed {
        for (lane, chunk) in lanes.iter_mut().zip(chunks) {
            *lane = i16::from_le_bytes(*chunk) as u32;
        }
    } else {
        for (lane, chunk) in lanes.iter_mut().zip(chunks) {
            *lane = u16::from_le_bytes(*chunk).into();
        }
    }
    lanes
}

/// An element as a lane.
#[inline(always)]
fn extend(raw: u64, ty: Type) -> u32 {
    if ty.is_integer() {
        int_of(raw, ty) as u32
    } else {
        raw as u32
    }
}

/// Any region, element by element.
#[inline(never)]
fn gather<const N: usize>(state: &State, source: &Source, lanes: usize) -> Lanes<N> {
    let mut raw = [0; LANES];
    source.gather(&state.regs, lanes.min(N), &mut raw);
    let mut out = [0; N];
    for (lane, raw) in out.iter_mut().zip(raw) {
        *lane = extend(raw, source.element);
    }
    out
}

#[inline(always)]
fn elements<const N: usize>(state: &State, op: &Op, source: &Source) -> Lanes<N> {
    if source.shape == Shape::Scalar {
        let raw = match source.kind {
            Kind::Immediate => source.value,
            _ => state
                .regs
                .element(source.base as usize, source.element.bytes()),
        };
        return [extend(raw, source.element); N];
    }
    if source.shape == Shape::Packed {
        let size = source.element.bytes() as usize;
        let base = source.base as usize;
        // The register file has room behind the last register for a whole vector.
        if let Some(bytes) = state.regs.bytes().get(base..base + N * size) {
            match source.element {
                Type::F | Type::D | Type::Ud => return dwords(bytes),
                Type::W => return words(bytes, true),
                Type::Uw => return words(bytes, false),
                _ => {}
            }
        }
    }
    gather(state, source, op.lanes())
}

/// A source as integer lanes, modifiers applied (modulo 2^32).
#[inline(always)]
pub(super) fn integers<const N: usize>(state: &State, op: &Op, source: &Source) -> Lanes<N> {
    let mut lanes = elements::<N>(state, op, source);
    if !source.is_plain() {
        if source.abs && source.element.is_signed() {
            for lane in &mut lanes {
                *lane = (*lane as i32).wrapping_abs() as u32;
            }
        }
        if source.neg {
            for lane in &mut lanes {
                *lane = lane.wrapping_neg();
            }
        }
    }
    lanes
}

/// A source as integer lanes of a bitwise operation: the modifier is a complement.
#[inline(always)]
pub(super) fn bits<const N: usize>(state: &State, op: &Op, source: &Source) -> Lanes<N> {
    let mut lanes = elements::<N>(state, op, source);
    if source.neg {
        for lane in &mut lanes {
            *lane = !*lane;
        }
    }
    lanes
}

/// A source of type `f`, modifiers applied, denormals flushed if the mode says so.
#[inline(always)]
pub(super) fn floats<const N: usize>(state: &State, op: &Op, source: &Source) -> Lanes<N> {
    let mut lanes = elements::<N>(state, op, source);
    if !source.is_plain() {
        let keep = if source.abs { 0x7fff_ffff } else { u32::MAX };
        let flip = u32::from(source.neg) << 31;
        for lane in &mut lanes {
            *lane = (*lane & keep) ^ flip;
        }
    }
    if !state.fp.keep32 {
        flush(&mut lanes);
    }
    lanes
}

/// Replaces denormals by zeroes of their sign.
#[inline(always)]
pub(super) fn flush<const N: usize>(lanes: &mut Lanes<N>) {
    for lane in lanes {
        let denormal = *lane & 0x7f80_0000 == 0;
        *lane &= if denormal { 0x8000_0000 } else { u32::MAX };
    }
}

/// Clamps to [0, 1]; a NaN gives zero.
#[inline(always)]
pub(super) fn saturate<const N: usize>(lanes: &mut Lanes<N>) {
    for lane in lanes {
        let value = f32::from_bits(*lane);
        let low = if value > 0.0 { value } else { 0.0 };
        let high = if low < 1.0 { low } else { 1.0 };
        *lane = high.to_bits();
    }
}

/// All ones in the lanes whose bit of `mask` is set.
#[inline(always)]
fn spread<const N: usize>(mask: u32) -> Lanes<N> {
    let mut lanes = [0; N];
    for (i, lane) in lanes.iter_mut().enumerate() {
        *lane = if mask & 1 << i != 0 { u32::MAX } else { 0 };
    }
    lanes
}

/// One bit for each lane that is all ones (lanes are all ones or zero).
#[inline(always)]
pub(super) fn collect<const N: usize>(lanes: &Lanes<N>) -> u32 {
    let mut bits = 0;
    for (i, lane) in lanes.iter().enumerate() {
        bits |= lane & 1 << i;
    }
    bits
}

/// Stores the lanes in `mask` to the destination, as its type's low bits.
#[inline(always)]
pub(super) fn store<const N: usize>(state: &mut State, op: &Op, mask: u32, lanes: &Lanes<N>) {
    if op.dst.target != Target::Direct || mask == 0 {
        return;
    }
    let base = op.dst.base as usize;
    if op.dst.stride == 4 && op.dst.ty.bytes() == 4 {
        let Some(bytes) = state.regs.bytes_mut().get_mut(base..base + 4 * N) else {
            return;
        };
        let chunks = bytes.as_chunks_mut::<4>().0;
        if mask == u32::MAX >> (32 - N) {
            for (chunk, lane) in chunks.iter_mut().zip(lanes) {
                *chunk = lane.to_le_bytes();
            }
        } else {
            let keep = spread::<N>(mask);
            for ((chunk, lane), keep) in chunks.iter_mut().zip(lanes).zip(keep) {
                let old = u32::from_le_bytes(*chunk);
                *chunk = ((old & !keep) | (lane & keep)).to_le_bytes();
            }
        }
        return;
    }
    scatter(state, op, mask, lanes);
}

/// Any destination stride and element size.
#[inline(never)]
fn scatter(state: &mut State, op: &Op, mask: u32, lanes: &[u32]) {
    let (base, stride) = (op.dst.base as usize, usize::from(op.dst.stride));
    if op.dst.ty.bytes() == 2 {
        for (i, lane) in lanes.iter().enumerate() {
            if mask >> i & 1 != 0 {
                state
                    .regs
                    .store(base + i * stride, (*lane as u16).to_le_bytes());
            }
        }
        return;
    }
    let size = op.dst.ty.bytes();
    for (i, lane) in lanes.iter().enumerate() {
        if mask >> i & 1 != 0 {
            state
                .regs
                .set_element(base + i * stride, size, u64::from(*lane));
        }
    }
}

#[inline(always)]
fn map<const N: usize>(a: &Lanes<N>, b: &Lanes<N>, holds: impl Fn(u32, u32) -> bool) -> Lanes<N> {
    let mut out = [0; N];
    for i in 0..N {
        out[i] = if holds(a[i], b[i]) { u32::MAX } else { 0 };
    }
    out
}

/// All ones where `a` relates to `b` as `cond` says.
#[inline(always)]
pub(super) fn relate<const N: usize>(
    cond: CondMod,
    meaning: Meaning,
    a: &Lanes<N>,
    b: &Lanes<N>,
) -> Lanes<N> {
    let f = f32::from_bits;
    match (meaning, cond) {
        (Meaning::Float, CondMod::Eq) => map(a, b, |a, b| f(a) == f(b)),
        (Meaning::Float, CondMod::Ne) => map(a, b, |a, b| f(a) != f(b)),
        (Meaning::Float, CondMod::Gt) => map(a, b, |a, b| f(a) > f(b)),
        (Meaning::Float, CondMod::Ge) => map(a, b, |a, b| f(a) >= f(b)),
        (Meaning::Float, CondMod::Lt) => map(a, b, |a, b| f(a) < f(b)),
        (Meaning::Float, CondMod::Le) => map(a, b, |a, b| f(a) <= f(b)),
        (Meaning::Float, CondMod::Un) => map(a, b, |a, b| f(a).is_nan() || f(b).is_nan()),
        (_, CondMod::Eq) => map(a, b, |a, b| a == b),
        (_, CondMod::Ne) => map(a, b, |a, b| a != b),
        (Meaning::Signed, CondMod::Gt) => map(a, b, |a, b| a as i32 > b as i32),
        (Meaning::Signed, CondMod::Ge) => map(a, b, |a, b| a as i32 >= b as i32),
        (Meaning::Signed, CondMod::Lt) => map(a, b, |a, b| (a as i32) < b as i32),
        (Meaning::Signed, CondMod::Le) => map(a, b, |a, b| a as i32 <= b as i32),
        (Meaning::Unsigned, CondMod::Gt) => map(a, b, |a, b| a > b),
        (Meaning::Unsigned, CondMod::Ge) => map(a, b, |a, b| a >= b),
        (Meaning::Unsigned, CondMod::Lt) => map(a, b, |a, b| a < b),
        (Meaning::Unsigned, CondMod::Le) => map(a, b, |a, b| a <= b),
        (_, CondMod::Ov | CondMod::Un | CondMod::Eo) => [0; N],
    }
}
