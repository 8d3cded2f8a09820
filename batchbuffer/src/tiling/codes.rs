//! The codes of tilings in states and blitter commands.

use devinfo::Family;

use super::kind::Tiling;
use crate::family::traits;

impl Tiling {
    /// Its "Tile Mode" in surface states; `None` if the family does not have it.
    pub fn mode(self, family: Family) -> Option<u64> {
        let mut rows = traits(family).tile_modes.iter();
        rows.find(|(known, _)| *known == self)
            .map(|(_, mode)| *mode)
    }

    /// The tiling that a surface state's "Tile Mode" means.
    pub fn of_mode(family: Family, mode: u64) -> Option<Self> {
        decode(traits(family).tile_modes, mode)
    }

    /// The tiling that a code of XY_BLOCK_COPY_BLT and XY_FAST_COLOR_BLT means.
    pub fn of_block_copy(family: Family, code: u64) -> Option<Self> {
        decode(traits(family).block_copy_tilings, code)
    }

    /// The tiling that XY_FAST_COPY_BLT's method means, with "Tile Y Type" where it matters.
    pub fn of_fast_copy(family: Family, method: u64, y_type: bool) -> Option<Self> {
        let mut rows = traits(family).fast_copy_tilings.iter();
        rows.find(|(_, known, ty)| *known == method && ty.is_none_or(|ty| ty == y_type))
            .map(|(tiling, ..)| *tiling)
    }

    /// The tiling of images with more than one dimension that a driver lays out.
    pub fn of_images(family: Family) -> Self {
        traits(family).image_tiling
    }
}

fn decode(codes: &[(Tiling, u64)], code: u64) -> Option<Tiling> {
    let row = codes.iter().find(|(_, known)| *known == code);
    row.map(|(tiling, _)| *tiling)
}

/// Whether "Surface QPitch" also counts rows in one-dimensional arrays, and may be 0 for volumes:
/// their slices are then the aligned height apart.
pub fn legacy_qpitch(family: Family) -> bool {
    traits(family).legacy_qpitch
}

#[cfg(test)]
mod tests {
    use devinfo::Family;

    use super::Tiling;

    #[test]
    fn codes_are_those_of_the_manuals() {
        for (family, mode, tiling) in [
            (Family::Gen8, 1, Some(Tiling::W)),
            (Family::Gen12Lp, 3, Some(Tiling::Y)),
            (Family::XeHpg, 1, Some(Tiling::Tile64)),
            (Family::Xe2, 3, Some(Tiling::Tile4)),
            (Family::Xe2, 4, None),
        ] {
            assert_eq!(Tiling::of_mode(family, mode), tiling, "{family}");
            if let Some(tiling) = tiling {
                assert_eq!(tiling.mode(family), Some(mode), "{family}");
            }
        }
        assert_eq!(Tiling::of_block_copy(Family::Gen12Lp, 1), Some(Tiling::Y));
        assert_eq!(Tiling::of_block_copy(Family::XeHpg, 1), Some(Tiling::X));
        assert_eq!(Tiling::of_block_copy(Family::Gen12Lp, 2), None);
        assert_eq!(Tiling::of_fast_copy(Family::Gen9, 2, true), None);
        assert_eq!(
            Tiling::of_fast_copy(Family::Gen9, 2, false),
            Some(Tiling::Y)
        );
        assert_eq!(
            Tiling::of_fast_copy(Family::Xe2, 2, true),
            Some(Tiling::Tile4)
        );
    }
}
