//! Which addresses are free.

use std::collections::BTreeMap;

/// Free ranges: the first address of each, and its end.
#[derive(Debug)]
pub(super) struct Ranges {
    free: BTreeMap<u64, u64>,
}

impl Ranges {
    /// All addresses from `start` to `end` are free.
    pub(super) fn new(start: u64, end: u64) -> Self {
        Self {
            free: BTreeMap::from([(start, end)]),
        }
    }

    /// Takes `count` addresses, the first a multiple of `alignment`.
    pub(super) fn take(&mut self, count: u64, alignment: u64) -> Option<u64> {
        let (start, end, first) = self.free.iter().find_map(|(&start, &end)| {
            let first = start.checked_next_multiple_of(alignment)?;
            (first.checked_add(count)? <= end).then_some((start, end, first))
        })?;
        self.free.remove(&start);
        self.insert(start, first);
        self.insert(first + count, end);
        Some(first)
    }

    /// Gives addresses back.
    pub(super) fn give(&mut self, first: u64, count: u64) {
        let (mut start, mut end) = (first, first + count);
        if let Some((&before, &its_end)) = self.free.range(..first).next_back()
            && its_end == first
        {
            self.free.remove(&before);
            start = before;
        }
        if let Some(its_end) = self.free.remove(&end) {
            end = its_end;
        }
        self.insert(start, end);
    }

    fn insert(&mut self, start: u64, end: u64) {
        if start < end {
            self.free.insert(start, end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_back_is_whole_again() {
        let mut ranges = Ranges::new(1, 100);
        let taken: Vec<_> = (0..3).filter_map(|_| ranges.take(10, 10)).collect();
        assert_eq!(taken, [10, 20, 30]);
        assert_eq!(ranges.take(9, 1), Some(1));
        assert_eq!(ranges.take(61, 1), None);
        for first in [20, 10, 30] {
            ranges.give(first, 10);
        }
        ranges.give(1, 9);
        assert_eq!(ranges.free, BTreeMap::from([(1, 100)]));
        assert_eq!(ranges.take(99, 1), Some(1));
        assert_eq!(ranges.take(1, 1), None);
    }
}
