//! The instruction sets that routines are compiled for.

use crate::host::HostIsa;
use crate::vector::{Call, Compiled, Enabled, Modes, Run};

/// An instruction set.
pub(crate) trait Level {
    /// Routines share the code that loads, compares, finishes and stores, which makes them small
    /// and quick to build, but slower. Otherwise each has its own.
    const SHARES: bool;
    /// A fused multiply-add of `f32`, rounded once.
    fn fma(a: f32, b: f32, c: f32) -> f32;
    /// A fused multiply-add of `f64`. Only selected where the processor has it.
    fn fma64(a: f64, b: f64, c: f64) -> f64;
}

/// What every x86-64, or any other machine, has.
#[derive(Debug)]
struct Soft;

impl Level for Soft {
    /// An x86-64 without AVX2 is rare.
    const SHARES: bool = cfg!(target_arch = "x86_64");

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

    #[inline(always)]
    fn fma64(a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }
}

/// AVX2 with FMA.
#[cfg(target_arch = "x86_64")]
#[derive(Debug)]
struct Avx2;

#[cfg(target_arch = "x86_64")]
impl Level for Avx2 {
    const SHARES: bool = false;

    #[inline(always)]
    fn fma(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }

    #[inline(always)]
    fn fma64(a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }
}

/// A routine, to be compiled for a level.
pub(crate) trait Routine {
    /// Executes a call; returns the channels that meet its condition.
    fn run<L: Level>(bytes: &mut [u8], call: &Call, enabled: Enabled, modes: Modes) -> u32;
}

/// # Safety
/// None needed: every machine has the baseline. The signature is that of [`Run`].
unsafe fn baseline<R: Routine>(
    bytes: &mut [u8],
    call: &Call,
    enabled: Enabled,
    modes: Modes,
) -> u32 {
    R::run::<Soft>(bytes, call, enabled, modes)
}

/// # Safety
/// The processor must have AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2<R: Routine>(bytes: &mut [u8], call: &Call, enabled: Enabled, modes: Modes) -> u32 {
    R::run::<Avx2>(bytes, call, enabled, modes)
}

/// For the best level that this processor has.
#[derive(Debug)]
pub(crate) struct Best;

impl Compiled for Best {
    fn fuses() -> bool {
        HostIsa::Avx2.is_here()
    }

    fn of<R: Routine, F: Routine>() -> Run {
        #[cfg(target_arch = "x86_64")]
        if Self::fuses() {
            return avx2::<R>;
        }
        Baseline::of::<R, F>()
    }
}

/// For what every processor has.
#[derive(Debug)]
pub(crate) struct Baseline;

impl Compiled for Baseline {
    fn fuses() -> bool {
        false
    }

    /// An x86-64 without AVX2 is rare: there are fewer routines for it, which build faster.
    fn of<R: Routine, F: Routine>() -> Run {
        #[cfg(target_arch = "x86_64")]
        return baseline::<F>;
        #[cfg(not(target_arch = "x86_64"))]
        baseline::<R>
    }
}

#[cfg(test)]
mod tests {
    use super::{Level, Soft};

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
            let (soft, host) = (Soft::fma(a, b, c), a.mul_add(b, c));
            assert!(
                soft.to_bits() == host.to_bits() || soft.is_nan() && host.is_nan(),
                "{a:e} * {b:e} + {c:e}: {soft:e} {host:e}"
            );
        }
        // Halfway cases decided by the addend's last bits.
        let one = 1.0 + f32::EPSILON;
        let tiny = f32::from_bits(1);
        for c in [tiny, -tiny, f32::MIN_POSITIVE, 0.0] {
            assert_eq!(Soft::fma(one, one, c), one.mul_add(one, c));
        }
    }
}
