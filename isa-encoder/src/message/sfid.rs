//! The numbers that families give shared functions.

use devinfo::Family;

use super::DescriptorError;
use crate::Sfid;

/// `(id, function, first family, last family)`. Sources: Skylake and Tiger Lake PRM vol 2d
/// "SFID", Mesa `brw_eu_defines.h`, IGA's SFID table.
const IDS: &[(u8, Sfid, Family, Family)] = {
    use Family::{Gen8, Gen12Lp, Xe2, XeHpc, XeHpg};
    use Sfid as F;
    &[
        (0x0, F::Null, Gen8, Xe2),
        (0x1, F::Ugml, XeHpg, Xe2),
        (0x2, F::Sampler, Gen8, Xe2),
        (0x3, F::Gateway, Gen8, Xe2),
        (0x4, F::DataPort2, Gen8, Xe2),
        (0x5, F::RenderCache, Gen8, Xe2),
        (0x6, F::Urb, Gen8, Xe2),
        (0x7, F::ThreadSpawner, Gen8, Gen12Lp),
        (0x7, F::BindlessThreadDispatch, XeHpg, Xe2),
        (0x8, F::VideoMotionEstimation, Gen8, Gen12Lp),
        (0x8, F::RayTracing, XeHpg, Xe2),
        (0x9, F::ConstantCache, Gen8, XeHpc),
        (0xa, F::DataPort0, Gen8, Xe2),
        (0xb, F::PixelInterpolator, Gen8, Xe2),
        (0xc, F::DataPort1, Gen8, Xe2),
        (0xd, F::CheckRefinement, Gen9, Gen12Lp),
        (0xd, F::Tgm, XeHpg, Xe2),
        (0xe, F::Slm, XeHpg, Xe2),
        (0xf, F::Ugm, XeHpg, Xe2),
    ]
};
use Family::Gen9;

/// The shared functions of a family by number.
pub(crate) const fn table(family: Family) -> [Option<Sfid>; 16] {
    let mut table = [None; 16];
    let mut i = 0;
    while i < IDS.len() {
        let (id, function, first, last) = IDS[i];
        if first as u8 <= family as u8 && family as u8 <= last as u8 {
            table[id as usize] = Some(function);
        }
        i += 1;
    }
    table
}

impl Sfid {
    /// The shared function that `family` calls `id`.
    ///
    /// # Errors
    /// [`DescriptorError::UnknownSfid`] when it has none of that number.
    pub fn from_id(family: Family, id: u8) -> Result<Self, DescriptorError> {
        IDS.iter()
            .find(|(number, _, first, last)| *number == id && (*first..=*last).contains(&family))
            .map(|(_, function, _, _)| *function)
            .ok_or(DescriptorError::UnknownSfid { id, family })
    }

    /// The number that `family` gives this function.
    ///
    /// # Errors
    /// [`DescriptorError::Unsupported`] when the family does not have it.
    pub fn id(self, family: Family) -> Result<u8, DescriptorError> {
        IDS.iter()
            .find(|(_, function, first, last)| {
                *function == self && (*first..=*last).contains(&family)
            })
            .map(|(number, _, _, _)| *number)
            .ok_or(DescriptorError::Unsupported {
                what: self.mnemonic(),
                family,
            })
    }
}
