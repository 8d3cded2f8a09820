//! Bits of an instruction that its text does not show.
//!
//! Hardware ignores many bits, and other compilers and assemblers leave different values there than
//! Intel's assembler. Text says what the instruction does; these bits are kept beside it.

use core::fmt;

use devinfo::Family;

use super::bits::Word;
use super::{EncodeError, encode, encode_with, native_word};
use crate::model::{Instruction, Options};

/// Values of single bits of the 16-byte form, whatever else is encoded there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OddBits {
    mask: u128,
    value: u128,
}

/// A run of neighbouring bits.
struct Run {
    low: u32,
    count: u32,
}

impl Run {
    const fn mask(&self) -> u128 {
        u128::MAX >> (128 - self.count) << self.low
    }
}

impl OddBits {
    /// None.
    pub const NONE: Self = Self { mask: 0, value: 0 };

    /// Whether there is none.
    pub const fn is_none(&self) -> bool {
        self.mask == 0
    }

    /// The bits of `bytes`, one instruction, that differ from the encoding of `instruction`.
    ///
    /// # Errors
    /// `instruction` has no encoding.
    pub fn of(
        family: Family,
        instruction: &Instruction,
        bytes: &[u8],
    ) -> Result<Option<Self>, EncodeError> {
        let mut native = *instruction;
        native.options.remove(Options::COMPACTED);
        let (plain, _) = encode(family, &native)?;
        let Some(found) = native_word(family, bytes) else {
            return Ok(None);
        };
        let odd = Self {
            mask: u128::from_le_bytes(plain) ^ found.0,
            value: found.0,
        };
        // Two short forms may share one long form.
        let (again, length) = encode_with(family, instruction, &odd)?;
        Ok((again.get(..length) == Some(bytes)).then_some(odd))
    }

    /// Adds the bits `high` to `low`; `None` if there are no such bits, if they are already given,
    /// or if `value` needs more.
    pub fn put(&mut self, high: u32, low: u32, value: u128) -> Option<()> {
        if high >= 128 || low > high {
            return None;
        }
        let run = Run {
            low,
            count: high - low + 1,
        };
        let fits = value & !(run.mask() >> low) == 0;
        if !fits || self.mask & run.mask() != 0 {
            return None;
        }
        self.mask |= run.mask();
        self.value |= value << low;
        Some(())
    }

    /// `word` with these bits.
    pub const fn apply(&self, word: Word) -> Word {
        Word(word.0 & !self.mask | self.value & self.mask)
    }

    /// The runs of bits, from the lowest up.
    fn runs(&self) -> impl Iterator<Item = Run> {
        let mut rest = self.mask;
        core::iter::from_fn(move || {
            let low = (rest != 0).then(|| rest.trailing_zeros())?;
            let count = (rest >> low).trailing_ones();
            let run = Run { low, count };
            rest &= !run.mask();
            Some(run)
        })
    }
}

impl fmt::Display for OddBits {
    /// `48=0 103:96=0x21`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, run) in self.runs().enumerate() {
            if index > 0 {
                f.write_str(" ")?;
            }
            let value = (self.value & run.mask()) >> run.low;
            match run.count {
                1 => write!(f, "{}={value}", run.low)?,
                count => write!(f, "{}:{}={value:#x}", run.low + count - 1, run.low)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn bits_print_in_runs_and_replace_what_is_encoded() {
        let mut odd = OddBits::NONE;
        assert_eq!(odd.put(48, 48, 0), Some(()));
        assert_eq!(odd.put(103, 96, 0x21), Some(()));
        assert_eq!(odd.put(127, 127, 1), Some(()));
        assert_eq!(format!("{odd}"), "48=0 103:96=0x21 127=1");
        let word = odd.apply(Word(1 << 48 | 0xff << 96 | 1));
        assert_eq!(word.0, 0x21 << 96 | 1 << 127 | 1);
        assert_eq!(odd.put(100, 99, 0), None, "bits that are given already");
        assert_eq!(odd.put(128, 127, 0), None, "bits that do not exist");
        assert_eq!(
            odd.put(10, 11, 0),
            None,
            "a run that is the wrong way round"
        );
        assert_eq!(odd.put(11, 10, 4), None, "a value that is too large");
    }

    #[test]
    fn all_bits_may_be_odd() {
        let mut odd = OddBits::NONE;
        assert_eq!(odd.put(127, 0, u128::MAX), Some(()));
        assert_eq!(odd.apply(Word(0)).0, u128::MAX);
        assert_eq!(format!("{odd}"), format!("127:0={:#x}", u128::MAX));
    }
}
