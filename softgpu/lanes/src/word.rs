//! Lanes of 32 and 64 bits.

use core::ops::{BitAnd, BitOr, BitXor, Not};

/// What a lane holds.
pub(crate) trait Word:
    Copy
    + Default
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
{
    const BYTES: usize;
    const ZERO: Self;
    const ONES: Self;

    /// The low bits of `value`.
    fn of(value: u64) -> Self;
    /// Zero-extended.
    fn wide(self) -> u64;
    fn wrapping_sub(self, other: Self) -> Self;
    /// The magnitude as a signed number.
    fn magnitude(self) -> Self;
    /// As a signed number, clamped.
    fn clamped(self, low: i64, high: i64) -> Self;
    /// A denormal float replaced by a zero of its sign.
    fn flushed(self) -> Self;
    /// A float clamped to [0, 1]; a NaN gives zero.
    fn saturated(self) -> Self;
    /// `N` consecutive lanes at byte `at`.
    fn load<const N: usize>(bytes: &[u8], at: usize) -> Option<[Self; N]>;
    /// Stores `N` consecutive lanes.
    fn store<const N: usize>(bytes: &mut [u8], at: usize, lanes: &[Self; N]);
    /// Stores those lanes whose `keep` is all ones.
    fn blend<const N: usize>(bytes: &mut [u8], at: usize, lanes: &[Self; N], keep: &[Self; N]);
}

macro_rules! word {
    ($word:ident, $signed:ident, $float:ident, $exponent:literal, $bytes:literal) => {
        impl Word for $word {
            const BYTES: usize = $bytes;
            const ZERO: Self = 0;
            const ONES: Self = $word::MAX;

            #[inline(always)]
            fn of(value: u64) -> Self {
                value as Self
            }

            #[inline(always)]
            fn wide(self) -> u64 {
                self.into()
            }

            #[inline(always)]
            fn wrapping_sub(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn magnitude(self) -> Self {
                (self as $signed).wrapping_abs() as Self
            }

            #[inline(always)]
            fn clamped(self, low: i64, high: i64) -> Self {
                let value = self as $signed;
                let value = if value < low as $signed {
                    low as $signed
                } else {
                    value
                };
                let value = if value > high as $signed {
                    high as $signed
                } else {
                    value
                };
                value as Self
            }

            #[inline(always)]
            fn flushed(self) -> Self {
                const SIGN: $word = 1 << ($word::BITS - 1);
                let denormal = self & $exponent == 0;
                self & if denormal { SIGN } else { $word::MAX }
            }

            #[inline(always)]
            fn saturated(self) -> Self {
                let value = $float::from_bits(self);
                let low = if value > 0.0 { value } else { 0.0 };
                let high = if low < 1.0 { low } else { 1.0 };
                high.to_bits()
            }

            #[inline(always)]
            fn load<const N: usize>(bytes: &[u8], at: usize) -> Option<[Self; N]> {
                let chunks = bytes
                    .get(at..)?
                    .as_chunks::<$bytes>()
                    .0
                    .first_chunk::<N>()?;
                Some(core::array::from_fn(|i| $word::from_le_bytes(chunks[i])))
            }

            #[inline(always)]
            fn store<const N: usize>(bytes: &mut [u8], at: usize, lanes: &[Self; N]) {
                let Some(bytes) = bytes.get_mut(at..) else {
                    return;
                };
                if let Some(chunks) = bytes.as_chunks_mut::<$bytes>().0.first_chunk_mut::<N>() {
                    for i in 0..N {
                        chunks[i] = lanes[i].to_le_bytes();
                    }
                }
            }

            #[inline(always)]
            fn blend<const N: usize>(
                bytes: &mut [u8],
                at: usize,
                lanes: &[Self; N],
                keep: &[Self; N],
            ) {
                let Some(bytes) = bytes.get_mut(at..) else {
                    return;
                };
                if let Some(chunks) = bytes.as_chunks_mut::<$bytes>().0.first_chunk_mut::<N>() {
                    for i in 0..N {
                        let old = $word::from_le_bytes(chunks[i]);
                        chunks[i] = ((old & !keep[i]) | (lanes[i] & keep[i])).to_le_bytes();
                    }
                }
            }
        }
    };
}

word!(u32, i32, f32, 0x7f80_0000, 4);
word!(u64, i64, f64, 0x7ff0_0000_0000_0000, 8);
