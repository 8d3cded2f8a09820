//! Rows and slices of bytes: what rectangles of buffers, parts of images and memory of the program
//! have in common.

use opencl_sys::*;

use super::host_memory::Memory;
use crate::error::{Error, Result, ensure};

/// Where rows of bytes lie: the first one, and how far the next row and the next slice are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rows {
    pub start: usize,
    pub row: usize,
    pub slice: usize,
}

impl Rows {
    /// Rows one after the other.
    pub(crate) fn packed([width, height, _]: [usize; 3]) -> Self {
        Self {
            start: 0,
            row: width,
            slice: width.saturating_mul(height),
        }
    }

    /// The rows of a region of bytes, rows and slices. A pitch of 0 means that they lie one after
    /// the other.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`: a pitch is too small for the region, or the rows reach beyond the end of
    /// memory.
    pub(crate) fn new(
        origin: [usize; 3],
        region: [usize; 3],
        (row_pitch, slice_pitch): (usize, usize),
    ) -> Result<Self> {
        let [width, height, _] = region;
        let row = if row_pitch == 0 { width } else { row_pitch };
        // "CL_INVALID_VALUE if … row_pitch is not 0 and is less than region[0]"
        ensure(
            row >= width,
            CL_INVALID_VALUE,
            format!("the row pitch is {row}, a row has {width} bytes"),
        )?;
        let beyond = || Error::new(CL_INVALID_VALUE, "the region is beyond the end of memory");
        let rows = row.checked_mul(height).ok_or_else(beyond)?;
        let slice = if slice_pitch == 0 { rows } else { slice_pitch };
        // "CL_INVALID_VALUE if … slice_pitch is not 0 and is less than region[1] × row_pitch and
        // not a multiple of row_pitch"
        ensure(
            slice >= rows && (slice_pitch == 0 || slice.is_multiple_of(row)),
            CL_INVALID_VALUE,
            format!("the slice pitch is {slice}; a multiple of {row} from {rows} on is possible"),
        )?;
        let mut all = Self {
            start: 0,
            row,
            slice,
        };
        all.start = all.place(origin).ok_or_else(beyond)?;
        all.end(region).ok_or_else(beyond)?;
        Ok(all)
    }

    /// The byte at a place, counted from the first row's first byte.
    fn place(&self, [x, y, z]: [usize; 3]) -> Option<usize> {
        let slices = z.checked_mul(self.slice)?;
        let rows = y.checked_mul(self.row)?;
        self.start
            .checked_add(x)?
            .checked_add(rows)?
            .checked_add(slices)
    }

    /// The byte behind the last one of a region.
    pub(crate) fn end(&self, [width, height, depth]: [usize; 3]) -> Option<usize> {
        self.place([width, height.checked_sub(1)?, depth.checked_sub(1)?])
    }

    /// Where the rows of a region begin, in order.
    fn starts(self, [_, height, depth]: [usize; 3]) -> impl Iterator<Item = usize> {
        (0..depth)
            .flat_map(move |z| (0..height).map(move |y| self.start + y * self.row + z * self.slice))
    }

    /// Calls `each` with the place of every row of a region here and in `other`.
    pub(crate) fn zip(
        &self,
        other: &Self,
        region: [usize; 3],
        mut each: impl FnMut(usize, usize) -> Result<()>,
    ) -> Result<()> {
        let mut places = self.starts(region).zip(other.starts(region));
        places.try_for_each(|(own, others)| each(own, others))
    }

    /// Copies a region from the program's memory.
    pub(crate) fn gather(&self, memory: Memory, region: [usize; 3]) -> Vec<u8> {
        let mut bytes = vec![0; region.iter().product()];
        let width = region[0];
        let done = self.zip(&Self::packed(region), region, |from, to| {
            if let Some(row) = bytes.get_mut(to..to + width) {
                memory.offset(from).read_into(row);
            }
            Ok(())
        });
        debug_assert!(done.is_ok());
        bytes
    }

    /// Copies a region to the program's memory.
    pub(crate) fn scatter(&self, bytes: &[u8], memory: Memory, region: [usize; 3]) {
        let width = region[0];
        let done = self.zip(&Self::packed(region), region, |to, from| {
            if let Some(row) = bytes.get(from..from + width) {
                memory.offset(to).write(row);
            }
            Ok(())
        });
        debug_assert!(done.is_ok());
    }
}

/// Whether two regions of the same memory overlap. With the same pitches this is the rule of the
/// specification's appendix, "Checking for Memory Copy Overlap", which is exact.
pub(crate) fn overlap(a: &Rows, b: &Rows, region: [usize; 3]) -> bool {
    let (Some(a_end), Some(b_end)) = (a.end(region), b.end(region)) else {
        return true;
    };
    if a_end <= b.start || b_end <= a.start {
        return false;
    }
    if (a.row, a.slice) != (b.row, b.slice) {
        return meet(a, b, region);
    }
    // Whether all of one lies in the gaps that the other leaves from pitch to pitch.
    let apart = |size: usize, pitch: usize| {
        let (a, b) = (a.start % pitch, b.start % pitch);
        let fits = |a: usize, b: usize| a + size <= b && b + size <= a.saturating_add(pitch);
        fits(a, b) || fits(b, a)
    };
    let slice = (region[1] - 1) * a.row + region[0];
    !apart(region[0], a.row) && !apart(slice, a.slice)
}

/// Whether a row of one region shares bytes with a row of the other, for parts of a buffer that have
/// pitches of their own.
fn meet(a: &Rows, b: &Rows, region: [usize; 3]) -> bool {
    let width = region[0];
    let (mut first, mut second) = (a.starts(region).peekable(), b.starts(region).peekable());
    while let (Some(&a), Some(&b)) = (first.peek(), second.peek()) {
        if a + width <= b {
            first.next();
        } else if b + width <= a {
            second.next();
        } else {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn pitches_of_zero_are_those_of_the_region() {
        let rows = Rows::new([1, 1, 1], [4, 3, 2], (0, 0)).unwrap();
        assert_eq!((rows.row, rows.slice), (4, 12));
        assert_eq!(rows.start, 1 + 4 + 12);
        assert_eq!(rows.end([4, 3, 2]), Some(17 + 4 + 2 * 4 + 12));
    }

    #[test]
    fn pitches_hold_what_they_must() {
        assert!(Rows::new([0; 3], [4, 3, 2], (3, 0)).is_err());
        assert!(Rows::new([0; 3], [4, 3, 2], (8, 23)).is_err());
        assert!(Rows::new([0; 3], [4, 3, 2], (8, 28)).is_err());
        assert!(Rows::new([0; 3], [4, 3, 2], (8, 32)).is_ok());
        assert!(Rows::new([usize::MAX, 0, 0], [4, 3, 2], (8, 32)).is_err());
        assert!(Rows::new([0; 3], [4, usize::MAX, 2], (8, 0)).is_err());
    }

    #[test]
    fn neighbours_do_not_overlap() {
        let at = |x, y, z| Rows::new([x, y, z], [4, 4, 2], (16, 256)).unwrap();
        let region = [4, 4, 2];
        assert!(overlap(&at(0, 0, 0), &at(3, 3, 1), region));
        assert!(!overlap(&at(0, 0, 0), &at(4, 0, 0), region));
        assert!(!overlap(&at(0, 0, 0), &at(0, 4, 0), region));
        assert!(!overlap(&at(0, 0, 0), &at(0, 0, 2), region));
        assert!(overlap(&at(0, 0, 0), &at(0, 0, 0), region));
        // Its rows end in those that follow.
        assert!(overlap(&at(14, 0, 0), &at(0, 1, 0), region));
    }

    /// Regions overlap if they share a byte, whatever their pitches are: counted byte by byte.
    #[test]
    fn overlap_is_a_shared_byte() {
        let mut seed = 1u64;
        let mut below = |end: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as usize % end
        };
        let mut seen = [0, 0];
        for _ in 0..20_000 {
            let region = [1 + below(5), 1 + below(4), 1 + below(3)];
            let same = below(2) == 0;
            let mut pitches = || {
                let row = region[0] + below(6);
                (row, row * (region[1] + below(4)))
            };
            let first = pitches();
            let second = if same { first } else { pitches() };
            let mut at =
                |pitches| Rows::new([below(8), below(5), below(3)], region, pitches).unwrap();
            let (a, b) = (at(first), at(second));
            let bytes = |rows: Rows| {
                let rows = rows.starts(region);
                rows.flat_map(|start| start..start + region[0])
                    .collect::<HashSet<_>>()
            };
            let shares = !bytes(a).is_disjoint(&bytes(b));
            assert_eq!(overlap(&a, &b, region), shares, "{a:?} {b:?} {region:?}");
            seen[usize::from(shares)] += 1;
        }
        assert!(seen.iter().all(|&count| count > 2_000), "{seen:?}");
    }
}
