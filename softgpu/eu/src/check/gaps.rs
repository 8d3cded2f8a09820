//! Bytes that need no value, as code tells before it copies a structure to them.

use std::collections::HashMap;

/// Bytes of which one entry is.
const PART: u64 = 32;

/// The most entries before the older ones are forgotten: a copy follows what tells of it.
const KEPT: usize = 1 << 16;

/// By their number in memory, parts with a bit for each byte that needs no value: the last ones, and those before.
#[derive(Debug, Default)]
pub(super) struct Gaps {
    parts: [HashMap<u64, u32>; 2],
}

impl Gaps {
    /// Of the 32 bytes at an address, those with a bit in `mask` need no value.
    pub fn add(&mut self, address: u64, mask: u32) {
        if self.parts[0].len() >= KEPT {
            self.parts.swap(0, 1);
            self.parts[0].clear();
        }
        let shift = address % PART;
        let wide = u64::from(mask) << shift;
        for (next, mask) in [wide as u32, (wide >> PART) as u32].into_iter().enumerate() {
            if mask != 0 {
                let part = (address / PART).wrapping_add(next as u64);
                *self.parts[0].entry(part).or_default() |= mask;
            }
        }
    }

    /// Whether a byte needs no value.
    pub fn has(&self, address: u64) -> bool {
        let bit = 1 << (address % PART);
        let mut parts = self.parts.iter();
        parts.any(|parts| {
            parts
                .get(&(address / PART))
                .is_some_and(|mask| mask & bit != 0)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_remembered_wherever_they_begin() {
        let mut gaps = Gaps::default();
        gaps.add(0x1018, 0x8000_0181);
        let has: Vec<u64> = (0x1000..0x1080).filter(|at| gaps.has(*at)).collect();
        assert_eq!(has, [0x1018, 0x101f, 0x1020, 0x1037]);
        // The last ones stay.
        for part in 0..2 * KEPT as u64 {
            gaps.add(0x10_0000 + part * PART, 1);
            assert!(gaps.has(0x10_0000 + part * PART));
        }
        assert!(!gaps.has(0x1018));
    }
}
