//! Which addresses of the GPU's address space are free.

use std::collections::BTreeMap;

use devinfo::GpuAddress;

/// Address ranges are multiples of this; also the largest page that a kernel driver may want.
pub(super) const GRANULE: u64 = 64 << 10;
/// What stays unbound after each range, so that small overruns fault and do not reach another
/// buffer.
const GUARD: u64 = GRANULE;
/// Where the near part of the address space begins, which 32-bit offsets from here reach: that of
/// kernels, and of scratch where it is a part of general state memory. Below it, 32-bit addresses
/// and null pointers with small offsets find nothing.
pub(crate) const NEAR: GpuAddress = GpuAddress::new(4 << 30);
const NEAR_BYTES: u64 = 4 << 30;

/// Gives out address ranges: the lowest one that is large enough.
#[derive(Debug)]
pub(crate) struct Ranges {
    near: Free,
    far: Free,
}

/// Which part of the address space a range lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// What 32-bit offsets from [`NEAR`] reach.
    Near,
    /// Everything else.
    Far,
}

impl Ranges {
    /// All addresses of a space of `bits` bits, 48 at the most, which every packet takes. Only the
    /// lower half is used: its addresses need no sign extension.
    pub(crate) fn new(bits: u32) -> Self {
        let end = 1u64 << bits.clamp(33, 48).saturating_sub(1);
        let all = end.saturating_sub(NEAR.get());
        let near = NEAR_BYTES.min(all / 2);
        // The first granule stays unbound: an offset of zero is a null pointer.
        Self {
            near: Free::new(NEAR.get() + GRANULE, near.saturating_sub(GRANULE)),
            far: Free::new(NEAR.get() + near, all - near),
        }
    }

    /// A range of at least `size` bytes at a multiple of `alignment`, a power of two.
    pub(crate) fn take(&mut self, part: Part, size: u64, alignment: u64) -> Option<GpuAddress> {
        match part {
            Part::Near => self.near.take(size, alignment),
            Part::Far => self.far.take(size, alignment),
        }
    }

    /// The range of at least `size` bytes at `address`, if it is free.
    pub(crate) fn take_at(&mut self, address: u64, size: u64) -> Option<GpuAddress> {
        self.part(address).take_at(address, size)
    }

    /// Takes back what [`take`](Self::take) or [`take_at`](Self::take_at) gave for `size` bytes.
    pub(crate) fn give(&mut self, address: GpuAddress, size: u64) {
        self.part(address.get()).give(address, size);
    }

    fn part(&mut self, address: u64) -> &mut Free {
        match address < self.far.start {
            true => &mut self.near,
            false => &mut self.far,
        }
    }
}

/// The free ranges of a part.
#[derive(Debug)]
struct Free {
    start: u64,
    ranges: BTreeMap<u64, u64>,
}

impl Free {
    fn new(start: u64, size: u64) -> Self {
        Self {
            start,
            ranges: BTreeMap::from([(start, size)]),
        }
    }

    fn take(&mut self, size: u64, alignment: u64) -> Option<GpuAddress> {
        let size = whole(size)?;
        let alignment = alignment.max(GRANULE);
        let (start, length, at) = self.ranges.iter().find_map(|(&start, &length)| {
            let at = start.checked_next_multiple_of(alignment)?;
            let end = at.checked_add(size)?;
            (end <= start + length).then_some((start, length, at))
        })?;
        self.ranges.remove(&start);
        if at > start {
            self.ranges.insert(start, at - start);
        }
        let rest = start + length - (at + size);
        if rest > 0 {
            self.ranges.insert(at + size, rest);
        }
        Some(GpuAddress::new(at))
    }

    fn take_at(&mut self, address: u64, size: u64) -> Option<GpuAddress> {
        let size = whole(size)?;
        let end = address.checked_add(size)?;
        let (&start, &length) = self.ranges.range(..=address).next_back()?;
        if end > start + length {
            return None;
        }
        self.ranges.remove(&start);
        if address > start {
            self.ranges.insert(start, address - start);
        }
        if end < start + length {
            self.ranges.insert(end, start + length - end);
        }
        Some(GpuAddress::new(address))
    }

    fn give(&mut self, address: GpuAddress, size: u64) {
        let mut start = address.get();
        let Some(mut length) = whole(size) else {
            return;
        };
        if let Some((&before, &bytes)) = self.ranges.range(..start).next_back()
            && before + bytes == start
        {
            self.ranges.remove(&before);
            start = before;
            length += bytes;
        }
        if let Some(bytes) = self.ranges.remove(&(start + length)) {
            length += bytes;
        }
        self.ranges.insert(start, length);
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
        let first = (ranges.near.ranges.clone(), ranges.far.ranges.clone());
        let a = ranges.take(Part::Far, 1, 1).unwrap();
        let b = ranges.take(Part::Far, GRANULE + 1, 2 << 20).unwrap();
        let c = ranges.take(Part::Far, 10, 1).unwrap();
        assert_eq!(a.get(), NEAR.get() + NEAR_BYTES);
        assert_eq!(b.get() % (2 << 20), 0);
        assert!(c.get() >= a.get() + GRANULE + GUARD && c.get() + 10 < b.get());
        ranges.give(a, 1);
        ranges.give(c, 10);
        ranges.give(b, GRANULE + 1);
        assert_eq!((ranges.near.ranges, ranges.far.ranges), first);
    }

    #[test]
    fn near_ranges_are_within_reach_of_32_bits() {
        for bits in [33, 34, 36, 48, 57] {
            let mut ranges = Ranges::new(bits);
            while let Some(at) = ranges.take(Part::Near, 200 << 20, 1) {
                let offset = at.get() - NEAR.get();
                assert!(
                    offset >= GRANULE && offset + (200 << 20) <= 1 << 32,
                    "{bits} bits"
                );
            }
            let far = ranges.take(Part::Far, 4096, 1);
            assert_eq!(far.is_some(), bits > 33, "{bits} bits");
        }
    }

    #[test]
    fn ranges_can_be_chosen() {
        let mut ranges = Ranges::new(48);
        let first = (ranges.near.ranges.clone(), ranges.far.ranges.clone());
        let place = 0x7f12_3456_0000;
        assert_eq!(ranges.take_at(place, 10).unwrap().get(), place);
        assert!(ranges.take_at(place, 10).is_none());
        assert!(ranges.take_at(place - GRANULE, 10).is_none());
        assert!(ranges.take_at(place + GRANULE + GUARD, 1).is_some());
        assert!(ranges.take_at(1 << 47, 1).is_none());
        ranges.give(GpuAddress::new(place + GRANULE + GUARD), 1);
        ranges.give(GpuAddress::new(place), 10);
        assert_eq!((ranges.near.ranges, ranges.far.ranges), first);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut ranges = Ranges::new(48);
        assert!(ranges.take(Part::Far, 1 << 47, 1).is_none());
        assert!(ranges.take(Part::Far, u64::MAX, 1).is_none());
        assert!(ranges.take(Part::Far, 1 << 46, 1).is_some());
    }
}
