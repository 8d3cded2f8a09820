//! Which elements of each channel a message accesses.

/// Elements from a channel's address on, at most eight: bit `n` of the mask is the one that is `n` elements further on.
/// Each that is accessed has a plane of registers, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Planes(u8);

impl Planes {
    /// One element, at the address.
    pub const ONE: Self = Self(1);

    /// So many consecutive ones; `None` if there are none, or more than eight.
    pub fn consecutive(count: u8) -> Option<Self> {
        let mask = u8::MAX.checked_shr(8u32.checked_sub(count.into())?)?;
        Some(Self(mask))
    }

    /// Those of the mask; `None` if there are none.
    pub fn of(mask: u8) -> Option<Self> {
        (mask != 0).then_some(Self(mask))
    }

    /// How many are accessed.
    pub fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// How many elements it is from the address to the end of the last that is accessed.
    pub fn reach(self) -> u32 {
        u8::BITS - self.0.leading_zeros()
    }

    /// Whether none is left out.
    pub fn is_whole(self) -> bool {
        self.count() == self.reach()
    }

    /// The distance of each plane's element from the address, in elements.
    pub fn iter(self) -> impl Iterator<Item = u32> {
        (0..u8::BITS).filter(move |element| self.0 >> element & 1 != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_are_counted_in_order() {
        assert_eq!(Planes::consecutive(0), None);
        assert_eq!(Planes::consecutive(9), None);
        assert_eq!(Planes::of(0), None);
        assert_eq!(Planes::consecutive(1), Some(Planes::ONE));
        for count in 1..=8 {
            let planes = Planes::consecutive(count).unwrap();
            assert!(planes.is_whole());
            assert!(planes.iter().eq(0..count.into()));
        }
        let apart = Planes::of(0b1010).unwrap();
        assert_eq!((apart.count(), apart.reach()), (2, 4));
        assert!(!apart.is_whole() && apart.iter().eq([1, 3]));
    }
}
