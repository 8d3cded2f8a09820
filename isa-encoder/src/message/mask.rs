//! Masks of components.

use core::fmt;

/// Enabled components in letters.
pub(crate) struct Mask(pub u8);

impl fmt::Display for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letters = ["x", "y", "z", "w"].into_iter().enumerate();
        for (_, letter) in letters.filter(|(bit, _)| self.0 >> bit & 1 != 0) {
            f.write_str(letter)?;
        }
        Ok(())
    }
}
