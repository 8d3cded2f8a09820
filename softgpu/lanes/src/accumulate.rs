//! Operations that use the accumulator implicitly, on dwords.

use core::marker::PhantomData;

use crate::lanes::{load, spread, store};
use crate::level::{Level, Routine};
use crate::operand::Reading;
use crate::ops::LaneOp;
use crate::vector::{Call, Enabled, Modes};
use crate::word::Word;

/// The accumulator's integers: the whole values beside the registers where they still match the
/// registers, otherwise the registers, extended by the destination's sign.
#[inline(always)]
fn accumulated<const N: usize>(bytes: &[u8], call: &Call) -> [u64; N] {
    let low = u32::load::<N>(bytes, call.accumulator.0 as usize).unwrap_or([0; N]);
    let wide = u64::load::<N>(bytes, call.accumulator.1 as usize).unwrap_or([0; N]);
    let signed = call.destination.element.is_signed();
    core::array::from_fn(|i| {
        if wide[i] as u32 == low[i] {
            wide[i]
        } else if signed {
            low[i] as i32 as u64
        } else {
            low[i].into()
        }
    })
}

#[inline(always)]
fn set<const N: usize>(bytes: &mut [u8], call: &Call, mask: u32, wide: &[u64; N]) {
    let low: [u32; N] = core::array::from_fn(|i| wide[i] as u32);
    u32::blend(bytes, call.accumulator.0 as usize, &low, &spread(mask));
    u64::blend(bytes, call.accumulator.1 as usize, wide, &spread(mask));
}

/// What a channel computes from two sources and the accumulator: its result, and the
/// accumulator's new value.
pub(crate) trait Accumulate {
    fn lane(a: u64, b: u64, sum: u64) -> (u32, u64);
}

macro_rules! accumulating {
    ($($(#[$doc:meta])* $name:ident |$a:ident, $b:ident, $sum:ident| $body:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub(crate) struct $name;

        impl Accumulate for $name {
            #[inline(always)]
            fn lane($a: u64, $b: u64, $sum: u64) -> (u32, u64) {
                let _ = $sum;
                $body
            }
        }
    )*};
}

/// The preceding `mul` multiplied by the low half of source 1.
#[inline(always)]
fn high_product(a: u64, b: u64, sum: u64) -> u64 {
    let high = (b as i64 >> 16) as u64;
    (a.wrapping_mul(high) << 16).wrapping_add(sum)
}

accumulating! {
    Mach |a, b, sum| {
        let wide = high_product(a, b, sum);
        ((wide >> 32) as u32, wide)
    };
    Macl |a, b, sum| {
        let wide = high_product(a, b, sum);
        (wide as u32, wide)
    };
    Addc |a, b, sum| {
        let (value, carry) = (a as u32).overflowing_add(b as u32);
        (value, carry.into())
    };
    Subb |a, b, sum| {
        let (value, borrow) = (a as u32).overflowing_sub(b as u32);
        (value, borrow.into())
    };
}

/// The routine of an accumulating operation.
#[derive(Debug)]
pub(crate) struct Accumulating<A, const N: usize>(PhantomData<A>);

impl<A: Accumulate, const N: usize> Routine for Accumulating<A, N> {
    #[inline(always)]
    fn run<L: Level>(bytes: &mut [u8], call: &Call, enabled: Enabled, modes: Modes) -> u32 {
        let a = load::<L, u64, N>(bytes, &call.sources[0], Reading::Integer, modes);
        let b = load::<L, u64, N>(bytes, &call.sources[1], Reading::Integer, modes);
        let sum = accumulated::<N>(bytes, call);
        let mut out = [0; N];
        let mut wide = [0; N];
        for i in 0..N {
            (out[i], wide[i]) = A::lane(a[i], b[i], sum[i]);
        }
        store::<L, _, N>(bytes, &call.destination, enabled.mask, &out);
        if call.accumulates {
            set(bytes, call, enabled.mask, &wide);
        }
        0
    }
}

/// An ordinary operation on dwords that writes its exact result to the accumulator.
#[derive(Debug)]
pub(crate) struct Into<O, const N: usize>(PhantomData<O>);

impl<O: LaneOp<In = u64, Out = u64>, const N: usize> Routine for Into<O, N> {
    #[inline(always)]
    fn run<L: Level>(bytes: &mut [u8], call: &Call, enabled: Enabled, modes: Modes) -> u32 {
        let [a, b, c]: [[u64; N]; 3] =
            core::array::from_fn(|i| load::<L, _, N>(bytes, &call.sources[i], O::READING, modes));
        let wide = core::array::from_fn(|i| O::lane::<L>(a[i], b[i], c[i]));
        set::<N>(bytes, call, enabled.mask, &wide);
        0
    }
}
