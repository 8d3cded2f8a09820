//! Which addresses of the GPU's address space are free.

use std::collections::BTreeMap;

use devinfo::GpuAddress;

/// Address ranges are multiples of this; also the largest page that a kernel driver may want.
pub(super) const GRANULE: u64 = 64 << 10;
/// What stays unbound after each range, so that small overruns fault and do not reach another
/// buffer.
const GUARD: u64 = GRANULE;
/// The first address that is given out. Below it, 32-bit stateless addresses and null pointers
/// with small offsets find nothing.
const FIRST: u64 = 4 << 30;

/// Gives out address ranges: the lowest one that is large enough.
#[derive(Debug)]
pub(crate) struct Ranges {
    free: BTreeMap<u64, u64>,
}

impl Ranges {
    /// All addresses of a space of `bits` bits. Only the lower half is used: its addresses need no
    /// sign extension.
    pub(crate) fn new(bits: u32) -> Self {
        let end = 1u64 << bits.clamp(33, GpuAddress::BITS).saturating_sub(1);
        let free = BTreeMap::from([(FIRST, end.saturating_sub(FIRST))]);
        Self { free }
    }

    /// A range of at least `size` bytes at a multiple of `alignment`, a power of two.
    pub(crate) fn take(&mut self, size: u64, alignment: u64) -> Option<GpuAddress> {
        let size = whole(size)?;
        let alignment = alignment.max(GRANULE);
        let (start, length, at) = self.free.iter().find_map(|(&start, &length)| {
            let at = start.checked_next_multiple_of(alignment)?;
            let end = at.checked_add(size)?;
            (end <= start + length).then_some((start, length, at))
        })?;
        self.free.remove(&start);
        if at > start {
            self.free.insert(start, at - start);
        }
        let rest = start + length - (at + size);
        if rest > 0 {
            self.free.insert(at + size, rest);
        }
        Some(GpuAddress::new(at))
    }

    /// The range of at least `size` bytes at `address`, if it is free.
    pub(crate) fn take_at(&mut self, address: u64, size: u64) -> Option<GpuAddress> {
        let size = whole(size)?;
        let end = address.checked_add(size)?;
        let (&start, &length) = self.free.range(..=address).next_back()?;
        if end > start + length {
            return None;
        }
        self.free.remove(&start);
        if address > start {
            self.free.insert(start, address - start);
        }
        if end < start + length {
            self.free.insert(end, start + length - end);
        }
        Some(GpuAddress::new(address))
    }

    /// Takes back what [`take`](Self::take) or [`take_at`](Self::take_at) gave for `size` bytes.
    pub(crate) fn give(&mut self, address: GpuAddress, size: u64) {
        let mut start = address.get();
        let Some(mut length) = whole(size) else {
            return;
        };
        if let Some((&before, &bytes)) = self.free.range(..start).next_back()
            && before + bytes == start
        {
            self.free.remove(&before);
            start = before;
            length += bytes;
        }
        if let Some(bytes) = self.free.remove(&(start + length)) {
            length += bytes;
        }
        self.free.insert(start, length);
    }
}

/// What a range of `size` bytes takes with its guard.
pub(super) fn whole(size: u64) -> Option<u64> {
    size.checked_next_multiple_of(GRANULE)?.checked_add(GUARD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_do_not_touch_and_come_back() {
        let mut ranges = Ranges::new(48);
        let first = ranges.free.clone();
        let a = ranges.take(1, 1).unwrap();
        let b = ranges.take(GRANULE + 1, 2 << 20).unwrap();
        let c = ranges.take(10, 1).unwrap();
        assert_eq!(a.get(), FIRST);
        assert_eq!(b.get() % (2 << 20), 0);
        assert!(c.get() >= a.get() + GRANULE + GUARD && c.get() + 10 < b.get());
        ranges.give(a, 1);
        ranges.give(c, 10);
        ranges.give(b, GRANULE + 1);
        assert_eq!(ranges.free, first);
    }

    #[test]
    fn ranges_can_be_chosen() {
        let mut ranges = Ranges::new(48);
        let first = ranges.free.clone();
        let place = 0x7f12_3456_0000;
        assert_eq!(ranges.take_at(place, 10).unwrap().get(), place);
        assert!(ranges.take_at(place, 10).is_none());
        assert!(ranges.take_at(place - GRANULE, 10).is_none());
        assert!(ranges.take_at(place + GRANULE + GUARD, 1).is_some());
        assert!(ranges.take_at(1 << 47, 1).is_none());
        ranges.give(GpuAddress::new(place + GRANULE + GUARD), 1);
        ranges.give(GpuAddress::new(place), 10);
        assert_eq!(ranges.free, first);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut ranges = Ranges::new(48);
        assert!(ranges.take(1 << 47, 1).is_none());
        assert!(ranges.take(u64::MAX, 1).is_none());
        assert!(ranges.take(1 << 46, 1).is_some());
    }
}
