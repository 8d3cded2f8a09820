//! Range-checked views of an instruction word.

/// A run of bits `hi:lo` of the instruction word, numbered as in the manuals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    lo: u8,
    width: u8,
}

/// The bits `hi:lo`.
pub const fn f(hi: u8, lo: u8) -> Field {
    assert!(hi >= lo && hi < 128 && hi - lo < 64);
    Field {
        lo,
        width: hi - lo + 1,
    }
}

/// The single bit `at`.
pub const fn b(at: u8) -> Field {
    f(at, at)
}

impl Field {
    /// A field that a layout does not have: it reads as 0 and takes only 0.
    pub const NONE: Field = Field { lo: 0, width: 0 };

    /// Whether the layout has the field.
    pub const fn exists(self) -> bool {
        self.width != 0
    }

    /// The number of bits.
    pub const fn width(self) -> u32 {
        self.width as u32
    }

    /// Whether two fields share a bit.
    pub const fn overlaps(self, other: Field) -> bool {
        self.lo < other.lo + other.width && other.lo < self.lo + self.width
    }

    /// The number of the lowest bit.
    pub const fn low(self) -> u32 {
        self.lo as u32
    }

    /// As many ones as the field has bits.
    pub const fn mask(self) -> u64 {
        if self.width >= 64 {
            u64::MAX
        } else {
            (1 << self.width) - 1
        }
    }
}

/// A value spread over several fields, the most significant first.
pub type Split = &'static [Field];

/// A value that does not fit its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow(pub u64);

/// An instruction word of 128 bits (or of 64, in the low half).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Word(pub u128);

impl Word {
    /// The field's value.
    #[inline(always)]
    pub const fn get(self, field: Field) -> u64 {
        (self.0 >> field.lo) as u64 & field.mask()
    }

    /// The field's value, for fields of up to 32 bits.
    #[inline(always)]
    pub const fn get32(self, field: Field) -> u32 {
        self.get(field) as u32
    }

    /// Whether a one-bit field is set.
    #[inline(always)]
    pub const fn bit(self, field: Field) -> bool {
        self.get(field) != 0
    }

    /// The value that is spread over `split`.
    #[inline(always)]
    pub fn gather(self, split: Split) -> u64 {
        let mut value = 0u64;
        for &field in split {
            value = value.unbounded_shl(field.width()) | self.get(field);
        }
        value
    }

    /// Writes a field.
    ///
    /// # Errors
    /// [`Overflow`] if the value needs more bits than the field has.
    #[inline(always)]
    pub const fn set(&mut self, field: Field, value: u64) -> Result<(), Overflow> {
        if value & !field.mask() != 0 {
            return Err(Overflow(value));
        }
        self.0 = self.0 & !((field.mask() as u128) << field.lo) | (value as u128) << field.lo;
        Ok(())
    }

    /// Writes a field that has not been written before.
    ///
    /// # Errors
    /// As [`Word::set`].
    #[inline(always)]
    pub const fn put(&mut self, field: Field, value: u64) -> Result<(), Overflow> {
        debug_assert!(self.get(field) == 0);
        if value & !field.mask() != 0 {
            return Err(Overflow(value));
        }
        self.0 |= (value as u128) << field.lo;
        Ok(())
    }

    /// Writes a value that is spread over `split`.
    ///
    /// # Errors
    /// [`Overflow`] if the value needs more bits than the fields have together.
    #[inline]
    pub fn scatter(&mut self, split: Split, value: u64) -> Result<(), Overflow> {
        let mut rest = value;
        for &field in split.iter().rev() {
            self.set(field, rest & field.mask())?;
            rest = if field.width >= 64 {
                0
            } else {
                rest >> field.width
            };
        }
        if rest == 0 {
            Ok(())
        } else {
            Err(Overflow(value))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Overflow, Split, Word, b, f};

    #[test]
    fn fields_are_range_checked() {
        let mut word = Word::default();
        assert_eq!(word.set(f(18, 16), 7), Ok(()));
        assert_eq!(word.set(f(18, 16), 8), Err(Overflow(8)));
        assert_eq!(word.get(f(18, 16)), 7);
        assert_eq!(word.0, 7 << 16);
    }

    #[test]
    fn split_fields_keep_their_order() {
        const SPLIT: Split = &[b(43), b(35), f(127, 124)];
        let mut word = Word::default();
        assert_eq!(word.scatter(SPLIT, 0b10_1010), Ok(()));
        assert_eq!(word.get(b(43)), 1);
        assert_eq!(word.get(b(35)), 0);
        assert_eq!(word.get(f(127, 124)), 0b1010);
        assert_eq!(word.gather(SPLIT), 0b10_1010);
        assert_eq!(word.scatter(SPLIT, 0b100_0000), Err(Overflow(0b100_0000)));
    }
}
