//! The strides and widths that text may give a region.

/// A set of numbers below 64, one bit each.
#[derive(Clone, Copy)]
pub struct Numbers(u64);

impl Numbers {
    const fn of(numbers: &[u8]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < numbers.len() {
            bits |= 1 << numbers[i];
            i += 1;
        }
        Self(bits)
    }

    /// Whether `value` is one of them.
    #[inline(always)]
    pub const fn has(self, value: u64) -> bool {
        value < 64 && self.0 >> value & 1 != 0
    }
}

/// Horizontal strides of sources, in elements.
pub const HSTRIDES: Numbers = Numbers::of(&[0, 1, 2, 4]);
/// Horizontal strides of destinations.
pub const DST_HSTRIDES: Numbers = Numbers::of(&[1, 2, 4]);
/// Widths of rows, in elements.
pub const WIDTHS: Numbers = Numbers::of(&[1, 2, 4, 8, 16]);
/// Vertical strides.
pub const VSTRIDES: Numbers = Numbers::of(&[0, 1, 2, 4, 8, 16, 32]);
/// Vertical strides of three-source operands.
pub const TERNARY_VSTRIDES: Numbers = Numbers::of(&[0, 1, 2, 4, 8]);
