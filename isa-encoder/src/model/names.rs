//! Names that are looked up by their bytes, in tables made at compile time.

/// Names of 1 to 8 bytes, in a hash table of `SLOTS` (a power of two) slots: each name as a number,
/// with its index. Number 0 marks an empty slot.
#[derive(Debug)]
pub(crate) struct Names<const SLOTS: usize>([(u64, u8); SLOTS]);

/// The bytes of a name as a number: 0 for no bytes or more than 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    bytes: u64,
    length: usize,
}

impl Key {
    /// The key of no bytes.
    pub(crate) const EMPTY: Key = Key {
        bytes: 0,
        length: 0,
    };

    /// This key with another byte appended.
    #[inline(always)]
    pub(crate) const fn then(self, byte: u8) -> Key {
        Key {
            bytes: self.bytes << 8 | byte as u64,
            length: self.length + 1,
        }
    }

    const fn of(name: &[u8]) -> Key {
        let mut key = Key::EMPTY;
        let mut i = 0;
        while i < name.len() {
            key = key.then(name[i]);
            i += 1;
        }
        key
    }

    #[inline(always)]
    const fn number(self) -> u64 {
        if self.length > 8 { 0 } else { self.bytes }
    }
}

impl<const SLOTS: usize> Names<SLOTS> {
    /// The table of `names`.
    pub(crate) const fn of(names: &[&str]) -> Self {
        assert!(SLOTS.is_power_of_two() && names.len() * 2 <= SLOTS && names.len() < 256);
        let mut slots = [(0, 0); SLOTS];
        let mut i = 0;
        while i < names.len() {
            let number = Key::of(names[i].as_bytes()).number();
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
        self.find_key(Key::of(name.as_bytes()))
    }

    /// The index of the name that has this key.
    #[inline]
    pub(crate) fn find_key(&self, key: Key) -> Option<usize> {
        let number = key.number();
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
