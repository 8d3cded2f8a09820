//! The routines: load, compute, store.

use core::marker::PhantomData;

use crate::compare::{Float32, Float64};
use crate::compare::{Number, Signed32, Signed64, Unsigned32, Unsigned64, relate, related};
use crate::convert;
use crate::lanes::{collect, load, spread, store, to_halves};
use crate::level::{Level, Routine};
use crate::operand::{Element, Reading};
use crate::ops::{LaneOp, Result};
use crate::vector::{Call, Enabled, Modes};
use crate::word::Word;

/// Arithmetic, logic and conversions.
#[derive(Debug)]
pub(crate) struct Compute<O, const N: usize>(PhantomData<O>);

impl<O: LaneOp, const N: usize> Routine for Compute<O, N>
where
    O::Out: Flags,
{
    #[inline(always)]
    fn run<L: Level>(bytes: &mut [u8], call: &Call, enabled: Enabled, modes: Modes) -> u32 {
        let [first, second, third] = &call.sources;
        let a = load::<L, O::In, N>(bytes, first, O::READING, modes);
        let b = if O::SOURCES > 1 {
            load::<L, O::In, N>(bytes, second, O::READING, modes)
        } else {
            a
        };
        let c = if O::SOURCES > 2 {
            load::<L, O::In, N>(bytes, third, O::READING, modes)
        } else {
            a
        };
        let out = core::array::from_fn(|i| O::lane::<L>(a[i], b[i], c[i]));
        match L::SHARES {
            true => shared_finish::<L, _, N>(bytes, call, enabled, modes, (O::RESULT, out)),
            false => finish::<L, _, N>(bytes, call, enabled, modes, (O::RESULT, out)),
        }
    }
}

#[inline(never)]
fn shared_finish<L: Level, W: Flags, const N: usize>(
    bytes: &mut [u8],
    call: &Call,
    enabled: Enabled,
    modes: Modes,
    results: (Result, [W; N]),
) -> u32 {
    finish::<L, W, N>(bytes, call, enabled, modes, results)
}

/// Fits results to the destination's type and stores them. Gives the flags.
#[inline(always)]
fn finish<L: Level, W: Flags, const N: usize>(
    bytes: &mut [u8],
    call: &Call,
    enabled: Enabled,
    modes: Modes,
    (result, mut out): (Result, [W; N]),
) -> u32 {
    match result {
        Result::Integer => {}
        Result::Clamped => {
            let (low, high) = call.range;
            for lane in &mut out {
                *lane = lane.clamped(low, high);
            }
        }
        Result::Float | Result::Half => {
            if call.destination.element == Element::Hf {
                return halves::<L, W, N>(bytes, call, enabled, modes, (result, &out));
            }
            if modes.flushes_words(W::BYTES) {
                for lane in &mut out {
                    *lane = lane.flushed();
                }
            }
            if call.saturate {
                for lane in &mut out {
                    *lane = lane.saturated();
                }
            }
        }
    }
    let flags = if call.condition.is_some() {
        W::flags(call, result != Result::Integer, &out)
    } else {
        0
    };
    store::<L, W, N>(bytes, &call.destination, enabled.mask, &out);
    flags
}

/// Stores results as halves.
#[inline(always)]
fn halves<L: Level, W: Word, const N: usize>(
    bytes: &mut [u8],
    call: &Call,
    enabled: Enabled,
    modes: Modes,
    (result, out): (Result, &[W; N]),
) -> u32 {
    let mut out: [u32; N] = core::array::from_fn(|i| {
        let lane = out[i].wide() as u32;
        if result == Result::Half {
            convert::half_to_single(lane)
        } else {
            lane
        }
    });
    if call.saturate {
        for lane in &mut out {
            *lane = lane.saturated();
        }
    }
    to_halves(&mut out, modes);
    let flags = if call.condition.is_some() {
        u32::flags(call, true, &out.map(convert::half_to_single))
    } else {
        0
    };
    store::<L, _, N>(bytes, &call.destination, enabled.mask, &out);
    flags
}

/// Flags of results.
pub(crate) trait Flags: Word {
    /// The channels whose result meets the condition when it is compared with zero. Integers have
    /// the destination's sign.
    fn flags<const N: usize>(call: &Call, float: bool, lanes: &[Self; N]) -> u32;
}

macro_rules! flags {
    ($word:ident, $float:ident, $signed:ident, $unsigned:ident) => {
        impl Flags for $word {
            #[inline(never)]
            fn flags<const N: usize>(call: &Call, float: bool, lanes: &[Self; N]) -> u32 {
                let Some(condition) = call.condition else {
                    return 0;
                };
                let zero = [0; N];
                collect(&if float {
                    related::<$float, N>(condition, lanes, &zero)
                } else if call.destination.element.is_signed() {
                    related::<$signed, N>(condition, lanes, &zero)
                } else {
                    related::<$unsigned, N>(condition, lanes, &zero)
                })
            }
        }
    };
}

flags!(u32, Float32, Signed32, Unsigned32);
flags!(u64, Float64, Signed64, Unsigned64);

/// `cmp`.
#[derive(Debug)]
pub(crate) struct Compare<V, const N: usize>(PhantomData<V>);

impl<V: Number, const N: usize> Routine for Compare<V, N> {
    #[inline(always)]
    fn run<L: Level>(bytes: &mut [u8], call: &Call, enabled: Enabled, modes: Modes) -> u32 {
        let Some(condition) = call.condition else {
            return 0;
        };
        let a = load::<L, V::Word, N>(bytes, &call.sources[0], V::READING, modes);
        let b = load::<L, V::Word, N>(bytes, &call.sources[1], V::READING, modes);
        let holds = relate::<L, V, N>(condition, &a, &b);
        if !call.destination.null {
            store::<L, _, N>(bytes, &call.destination, enabled.mask, &holds);
        }
        collect(&holds)
    }
}

/// `sel` by predicate.
#[derive(Debug)]
pub(crate) struct Select<W, const READING: u8, const N: usize>(PhantomData<W>);

/// Codes of [`Reading`] for constant parameters.
pub(crate) const BITS: u8 = 0;
pub(crate) const INTEGERS: u8 = 1;
pub(crate) const FLOATS: u8 = 2;

const fn reading(code: u8) -> Reading {
    match code {
        BITS => Reading::Bits,
        INTEGERS => Reading::Integer,
        _ => Reading::Float,
    }
}

impl<W: Word, const READING: u8, const N: usize> Routine for Select<W, READING, N> {
    #[inline(always)]
    fn run<L: Level>(bytes: &mut [u8], call: &Call, enabled: Enabled, modes: Modes) -> u32 {
        let a = load::<L, W, N>(bytes, &call.sources[0], reading(READING), modes);
        let b = load::<L, W, N>(bytes, &call.sources[1], reading(READING), modes);
        let first = spread::<W, N>(enabled.chosen);
        let out: [W; N] = core::array::from_fn(|i| (a[i] & first[i]) | (b[i] & !first[i]));
        store::<L, _, N>(bytes, &call.destination, enabled.mask, &out);
        0
    }
}

/// `csel`: source 2 against zero chooses.
#[derive(Debug)]
pub(crate) struct SelectCompare<V, const N: usize>(PhantomData<V>);

impl<V: Number, const N: usize> Routine for SelectCompare<V, N> {
    #[inline(always)]
    fn run<L: Level>(bytes: &mut [u8], call: &Call, enabled: Enabled, modes: Modes) -> u32 {
        let Some(condition) = call.condition else {
            return 0;
        };
        let a = load::<L, V::Word, N>(bytes, &call.sources[0], V::READING, modes);
        let b = load::<L, V::Word, N>(bytes, &call.sources[1], V::READING, modes);
        let c = load::<L, V::Word, N>(bytes, &call.sources[2], V::READING, modes);
        let first = relate::<L, V, N>(condition, &c, &[V::Word::ZERO; N]);
        let out: [V::Word; N] = core::array::from_fn(|i| (a[i] & first[i]) | (b[i] & !first[i]));
        store::<L, _, N>(bytes, &call.destination, enabled.mask, &out);
        0
    }
}

/// `bfn`: a boolean function by its table.
#[derive(Debug)]
pub(crate) struct Boolean<const N: usize>;

impl<const N: usize> Routine for Boolean<N> {
    #[inline(always)]
    fn run<L: Level>(bytes: &mut [u8], call: &Call, enabled: Enabled, modes: Modes) -> u32 {
        let [a, b, c]: [[u32; N]; 3] = core::array::from_fn(|i| {
            load::<L, _, N>(bytes, &call.sources[i], Reading::Integer, modes)
        });
        let mut out = [0; N];
        for entry in 0..8u8 {
            if call.table >> entry & 1 != 0 {
                let flip = |bit: u8| if entry & bit != 0 { 0 } else { u32::MAX };
                let (x, y, z) = (flip(1), flip(2), flip(4));
                for i in 0..N {
                    out[i] |= (a[i] ^ x) & (b[i] ^ y) & (c[i] ^ z);
                }
            }
        }
        let flags = if call.condition.is_some() {
            u32::flags(call, false, &out)
        } else {
            0
        };
        store::<L, _, N>(bytes, &call.destination, enabled.mask, &out);
        flags
    }
}
