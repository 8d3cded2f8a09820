//! The instruction sets that routines are compiled for.

use super::super::op::{Fast, Op};
use super::super::state::State;

/// An instruction set.
pub(super) trait Level {
    /// A fused multiply-add of `f32`, rounded once.
    fn fma(a: f32, b: f32, c: f32) -> f32;
}

/// What every x86-64, or any other machine, has.
#[derive(Debug)]
pub(super) struct Baseline;

impl Level for Baseline {
    /// By double precision: the product is exact, the sum is rounded to odd, so that the second
    /// rounding is the only one. (`f32::mul_add` would be a library call here.)
    #[inline(always)]
    fn fma(a: f32, b: f32, c: f32) -> f32 {
        let product = f64::from(a) * f64::from(b);
        let addend = f64::from(c);
        let sum = product + addend;
        let back = sum - product;
        let error = (product - (sum - back)) + (addend - back);
        let bits = sum.to_bits();
        let inexact = error != 0.0 && sum.abs() < f64::INFINITY && bits & 1 == 0;
        let away = (error > 0.0) == (sum > 0.0);
        let step = if away { 1u64 } else { u64::MAX };
        let odd = if inexact {
            bits.wrapping_add(step)
        } else {
            bits
        };
        f64::from_bits(odd) as f32
    }
}

/// AVX2 with FMA and F16C.
#[cfg(target_arch = "x86_64")]
#[derive(Debug)]
pub(super) struct Avx2;

#[cfg(target_arch = "x86_64")]
impl Level for Avx2 {
    #[inline(always)]
    fn fma(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }
}

/// A routine, to be compiled for a level.
pub(super) trait Routine {
    /// Executes the op.
    fn run<L: Level>(state: &mut State, op: &Op);
}

/// # Safety
/// None needed: every machine has the baseline. The signature is that of [`Fast`].
unsafe fn baseline<R: Routine>(state: &mut State, op: &Op) {
    R::run::<Baseline>(state, op);
}

/// # Safety
/// The processor must have AVX2, FMA and F16C.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn avx2<R: Routine>(state: &mut State, op: &Op) {
    R::run::<Avx2>(state, op);
}

/// The routine compiled for the best level that this processor has.
pub(super) fn best<R: Routine>() -> Fast {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("f16c")
    {
        return avx2::<R>;
    }
    baseline::<R>
}

/// The routine compiled for the baseline.
#[cfg(test)]
pub(super) fn plain<R: Routine>() -> Fast {
    baseline::<R>
}

#[cfg(test)]
mod tests {
    use super::{Baseline, Level};

    #[test]
    fn the_soft_fused_multiply_add_is_exact() {
        let mut word = 0x1234_5678_9abc_def1u64;
        let mut next = || {
            word ^= word << 13;
            word ^= word >> 7;
            word ^= word << 17;
            let bits = (word >> 16) as u32;
            // Exponents close together half of the time, so that sums cancel.
            if word & 1 == 0 {
                f32::from_bits(bits & 0x81ff_ffff | 0x3e00_0000)
            } else {
                f32::from_bits(bits)
            }
        };
        for _ in 0..300_000 {
            let (a, b, c) = (next(), next(), next());
            let (soft, host) = (Baseline::fma(a, b, c), a.mul_add(b, c));
            assert!(
                soft.to_bits() == host.to_bits() || soft.is_nan() && host.is_nan(),
                "{a:e} * {b:e} + {c:e}: {soft:e} {host:e}"
            );
        }
        // Halfway cases decided by the addend's last bits.
        let one = 1.0 + f32::EPSILON;
        let tiny = f32::from_bits(1);
        for c in [tiny, -tiny, f32::MIN_POSITIVE, 0.0] {
            assert_eq!(Baseline::fma(one, one, c), one.mul_add(one, c));
        }
    }
}
