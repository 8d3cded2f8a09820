//! Bit fields of descriptors.

use super::DescriptorError;

/// The code of a value: its place in the table of its field. What is not in the table fits no field.
pub(super) fn code_in<T: PartialEq>(table: &[T], value: &T) -> u32 {
    let place = table.iter().position(|row| row == value);
    place.map_or(u32::MAX, |place| place as u32)
}

/// Bits `high..=low` of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    high: u8,
    low: u8,
}

impl Field {
    /// Bits `high` down to `low`, both included, as the manuals write them.
    pub(super) const fn new(high: u8, low: u8) -> Self {
        assert!(high >= low && high < 32);
        Self { high, low }
    }

    /// A single bit.
    pub(super) const fn bit(position: u8) -> Self {
        Self::new(position, position)
    }

    const fn mask(self) -> u32 {
        u32::MAX >> (31 - (self.high - self.low))
    }

    /// The field's value in `word`.
    pub(super) const fn get(self, word: u32) -> u32 {
        (word >> self.low) & self.mask()
    }

    /// Whether any bit of the field is set.
    pub(super) const fn is_set(self, word: u32) -> bool {
        self.get(word) != 0
    }

    /// Puts `value` into the field of `word`.
    ///
    /// # Errors
    /// [`DescriptorError::Range`] when `value` has more bits than the field.
    pub(super) fn put(
        self,
        word: &mut u32,
        name: &'static str,
        value: u32,
    ) -> Result<(), DescriptorError> {
        if value > self.mask() {
            return Err(DescriptorError::Range {
                field: name,
                value,
                limit: self.mask(),
            });
        }
        *word = (*word & !(self.mask() << self.low)) | (value << self.low);
        Ok(())
    }
}
