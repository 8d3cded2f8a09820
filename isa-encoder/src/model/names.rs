//! Names that are looked up by their bytes, in tables made at compile time.

/// Names of 1 to 8 bytes, in a hash table of `SLOTS` (a power of two) slots: each name as a
/// number, and its index. Number 0 is an empty slot.
#[derive(Debug)]
pub(crate) struct Names<const SLOTS: usize>([(u64, u8); SLOTS]);

/// The bytes of a name as a number; 0 if there are none or more than 8.
const fn number(name: &[u8]) -> u64 {
    if name.len() > 8 {
        return 0;
    }
    let mut number = 0;
    let mut i = 0;
    while i < name.len() {
        number = number << 8 | name[i] as u64;
        i += 1;
    }
    number
}

impl<const SLOTS: usize> Names<SLOTS> {
    /// The table of `names`.
    pub(crate) const fn of(names: &[&str]) -> Self {
        assert!(SLOTS.is_power_of_two() && names.len() * 2 <= SLOTS && names.len() < 256);
        let mut slots = [(0, 0); SLOTS];
        let mut i = 0;
        while i < names.len() {
            let number = number(names[i].as_bytes());
            assert!(number != 0);
            let mut slot = Self::slot(number);
            while slots[slot].0 != 0 {
                slot = (slot + 1) % SLOTS;
            }
            slots[slot] = (number, i as u8);
            i += 1;
        }
        Self(slots)
    }

    /// Where the search for a name begins: the upper bits of a product (Fibonacci hashing).
    const fn slot(number: u64) -> usize {
        let product = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (product >> 32) as usize % SLOTS
    }

    /// The index of `name`.
    #[inline]
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        let number = number(name.as_bytes());
        let mut slot = Self::slot(number);
        loop {
            match self.0.get(slot)? {
                (0, _) => return None,
                (found, index) if *found == number => return Some(usize::from(*index)),
                _ => slot = (slot + 1) % SLOTS,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn names_are_found_and_others_not() {
        const NAMES: [&str; 4] = ["a", "mov", "longest8", "b"];
        const TABLE: Names<8> = Names::of(&NAMES);
        for (index, name) in NAMES.iter().enumerate() {
            assert_eq!(TABLE.find(name), Some(index));
        }
        for name in ["", "c", "ab", "mo", "movi", "longest81", "longest9"] {
            assert_eq!(TABLE.find(name), None, "{name}");
        }
    }
}
