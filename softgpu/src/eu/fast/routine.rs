//! The routines: load, compute, store.

use core::marker::PhantomData;

use super::super::general;
use super::super::op::Op;
use super::super::operand::Source;
use super::super::ops::softfloat::Rounding;
use super::super::ops::value::FpMode;
use super::super::state::State;
use super::lanes::{self, Lanes, Meaning};
use super::level::{Level, Routine};
use super::ops::LaneOp;

/// Runs the general path where a routine does not know the floating-point mode.
#[cold]
fn general(state: &mut State, op: &Op) {
    // Only an indirect destination can fail, and `select` leaves those to the general path.
    let _ = general::execute(state, op);
}

/// Whether results round to nearest and conversions to integers truncate.
#[inline(always)]
fn usual(mode: FpMode) -> bool {
    mode.rounding == Rounding::Nearest && mode.to_int == Rounding::Zero
}

/// How sources become lanes. (A trait and no closure, so that loading is inlined into the routine
/// and compiled for its instruction set.)
pub(super) trait Load {
    /// The lanes of a source.
    fn load<const N: usize>(state: &State, op: &Op, source: &Source) -> Lanes<N>;
}

#[derive(Debug)]
pub(super) struct AsIntegers;
#[derive(Debug)]
pub(super) struct AsBits;
#[derive(Debug)]
pub(super) struct AsFloats;

impl Load for AsIntegers {
    #[inline(always)]
    fn load<const N: usize>(state: &State, op: &Op, source: &Source) -> Lanes<N> {
        lanes::integers(state, op, source)
    }
}

impl Load for AsBits {
    #[inline(always)]
    fn load<const N: usize>(state: &State, op: &Op, source: &Source) -> Lanes<N> {
        lanes::bits(state, op, source)
    }
}

impl Load for AsFloats {
    #[inline(always)]
    fn load<const N: usize>(state: &State, op: &Op, source: &Source) -> Lanes<N> {
        lanes::floats(state, op, source)
    }
}

/// Loads the sources and computes every channel.
#[inline(always)]
fn compute<O: LaneOp, K: Load, L: Level, const N: usize>(state: &State, op: &Op) -> Lanes<N> {
    let a = K::load::<N>(state, op, &op.src[0]);
    let b = if O::SOURCES > 1 {
        K::load(state, op, &op.src[1])
    } else {
        a
    };
    let c = if O::SOURCES > 2 {
        K::load(state, op, &op.src[2])
    } else {
        a
    };
    let mut out = [0; N];
    for i in 0..N {
        out[i] = O::lane::<L>(a[i], b[i], c[i]);
    }
    out
}

/// Sets the flags of a result by comparing it with zero, and stores it.
#[inline(always)]
fn finish<const N: usize>(state: &mut State, op: &Op, meaning: Meaning, result: &Lanes<N>) {
    let mask = state.write_mask(op);
    if op.cond.is_some() {
        flag_result(state, op, meaning, mask, result);
    }
    lanes::store(state, op, mask, result);
}

/// Out of line: few results set flags, and every routine has this.
#[inline(never)]
fn flag_result<const N: usize>(
    state: &mut State,
    op: &Op,
    meaning: Meaning,
    mask: u32,
    result: &Lanes<N>,
) {
    if let Some(cond) = op.cond {
        let holds = lanes::relate(cond, meaning, result, &[0; N]);
        state.set_flags(op, mask, lanes::collect(&holds));
    }
}

/// The meaning of integer results: that of the destination type.
#[inline(always)]
fn dst_meaning(op: &Op) -> Meaning {
    if op.dst.ty.is_signed() {
        Meaning::Signed
    } else {
        Meaning::Unsigned
    }
}

/// Integer arithmetic.
#[derive(Debug)]
pub(super) struct Integer<O, const N: usize>(PhantomData<O>);

impl<O: LaneOp, const N: usize> Routine for Integer<O, N> {
    #[inline(always)]
    fn run<L: Level>(state: &mut State, op: &Op) {
        let result = compute::<O, AsIntegers, L, N>(state, op);
        finish(state, op, dst_meaning(op), &result);
    }
}

/// Bitwise logic.
#[derive(Debug)]
pub(super) struct Logic<O, const N: usize>(PhantomData<O>);

impl<O: LaneOp, const N: usize> Routine for Logic<O, N> {
    #[inline(always)]
    fn run<L: Level>(state: &mut State, op: &Op) {
        let result = compute::<O, AsBits, L, N>(state, op);
        finish(state, op, dst_meaning(op), &result);
    }
}

/// Arithmetic on `f`.
#[derive(Debug)]
pub(super) struct Float<O, const N: usize>(PhantomData<O>);

impl<O: LaneOp, const N: usize> Routine for Float<O, N> {
    #[inline(always)]
    fn run<L: Level>(state: &mut State, op: &Op) {
        if !usual(state.fp) {
            return general(state, op);
        }
        let mut result = compute::<O, AsFloats, L, N>(state, op);
        if !state.fp.keep32 {
            lanes::flush(&mut result);
        }
        if op.saturate {
            lanes::saturate(&mut result);
        }
        finish(state, op, Meaning::Float, &result);
    }
}

/// Conversion from integers to `f`.
#[derive(Debug)]
pub(super) struct ToFloat<O, const N: usize>(PhantomData<O>);

impl<O: LaneOp, const N: usize> Routine for ToFloat<O, N> {
    #[inline(always)]
    fn run<L: Level>(state: &mut State, op: &Op) {
        if !usual(state.fp) {
            return general(state, op);
        }
        let result = compute::<O, AsIntegers, L, N>(state, op);
        let mask = state.write_mask(op);
        lanes::store(state, op, mask, &result);
    }
}

/// Conversion from `f` to integers.
#[derive(Debug)]
pub(super) struct FromFloat<O, const N: usize>(PhantomData<O>);

impl<O: LaneOp, const N: usize> Routine for FromFloat<O, N> {
    #[inline(always)]
    fn run<L: Level>(state: &mut State, op: &Op) {
        if !usual(state.fp) {
            return general(state, op);
        }
        let result = compute::<O, AsFloats, L, N>(state, op);
        let mask = state.write_mask(op);
        lanes::store(state, op, mask, &result);
    }
}

/// `sel` with a condition on integers.
#[derive(Debug)]
pub(super) struct Extremum<O, const N: usize>(PhantomData<O>);

impl<O: LaneOp, const N: usize> Routine for Extremum<O, N> {
    #[inline(always)]
    fn run<L: Level>(state: &mut State, op: &Op) {
        let result = compute::<O, AsIntegers, L, N>(state, op);
        let mask = state.write_mask(op);
        lanes::store(state, op, mask, &result);
    }
}

/// `sel` with a condition on floats.
#[derive(Debug)]
pub(super) struct ExtremumFloat<O, const N: usize>(PhantomData<O>);

impl<O: LaneOp, const N: usize> Routine for ExtremumFloat<O, N> {
    #[inline(always)]
    fn run<L: Level>(state: &mut State, op: &Op) {
        let mut result = compute::<O, AsFloats, L, N>(state, op);
        if op.saturate {
            lanes::saturate(&mut result);
        }
        let mask = state.write_mask(op);
        lanes::store(state, op, mask, &result);
    }
}

/// The sources of a comparison.
#[inline(always)]
fn pair<const N: usize>(state: &State, op: &Op, meaning: Meaning) -> (Lanes<N>, Lanes<N>) {
    match meaning {
        Meaning::Float => (
            lanes::floats(state, op, &op.src[0]),
            lanes::floats(state, op, &op.src[1]),
        ),
        _ => (
            lanes::integers(state, op, &op.src[0]),
            lanes::integers(state, op, &op.src[1]),
        ),
    }
}

/// `cmp`, its sources compared as `M` says (a [`Meaning`]).
#[derive(Debug)]
pub(super) struct Compare<const M: u8, const N: usize>;

/// Codes of [`Meaning`] for constant parameters.
pub(super) const FLOAT: u8 = 0;
pub(super) const SIGNED: u8 = 1;
pub(super) const UNSIGNED: u8 = 2;

#[inline(always)]
const fn meaning(code: u8) -> Meaning {
    match code {
        FLOAT => Meaning::Float,
        SIGNED => Meaning::Signed,
        _ => Meaning::Unsigned,
    }
}

impl<const M: u8, const N: usize> Routine for Compare<M, N> {
    #[inline(always)]
    fn run<L: Level>(state: &mut State, op: &Op) {
        let Some(cond) = op.cond else {
            return;
        };
        let (a, b) = pair::<N>(state, op, meaning(M));
        let holds = lanes::relate(cond, meaning(M), &a, &b);
        let mask = state.write_mask(op);
        state.set_flags(op, mask, lanes::collect(&holds));
        lanes::store(state, op, mask, &holds);
    }
}

/// `sel` by predicate.
#[derive(Debug)]
pub(super) struct Select<K, const N: usize>(PhantomData<K>);

/// `sel` of bits, whatever they mean.
pub(super) type SelectBits<const N: usize> = Select<AsBits, N>;
/// `sel` of integers with modifiers, or of different sizes.
pub(super) type SelectIntegers<const N: usize> = Select<AsIntegers, N>;

impl<K: Load, const N: usize> Routine for Select<K, N> {
    #[inline(always)]
    fn run<L: Level>(state: &mut State, op: &Op) {
        let chosen = state.predicate(op);
        let a: Lanes<N> = K::load(state, op, &op.src[0]);
        let b: Lanes<N> = K::load(state, op, &op.src[1]);
        let mask = state.enabled(op);
        let mut out = [0; N];
        for i in 0..N {
            out[i] = if chosen & 1 << i != 0 { a[i] } else { b[i] };
        }
        lanes::store(state, op, mask, &out);
    }
}

/// `csel`: source 2 against zero chooses.
#[derive(Debug)]
pub(super) struct SelectCompare<const M: u8, const N: usize>;

impl<const M: u8, const N: usize> Routine for SelectCompare<M, N> {
    #[inline(always)]
    fn run<L: Level>(state: &mut State, op: &Op) {
        let Some(cond) = op.cond else {
            return;
        };
        let (a, b) = pair::<N>(state, op, meaning(M));
        let c: Lanes<N> = match meaning(M) {
            Meaning::Float => lanes::floats(state, op, &op.src[2]),
            _ => lanes::integers(state, op, &op.src[2]),
        };
        let holds = lanes::relate(cond, meaning(M), &c, &[0; N]);
        let mut out = [0; N];
        for i in 0..N {
            out[i] = (a[i] & holds[i]) | (b[i] & !holds[i]);
        }
        let mask = state.write_mask(op);
        lanes::store(state, op, mask, &out);
    }
}
