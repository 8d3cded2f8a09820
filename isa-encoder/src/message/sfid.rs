//! The numbers that families give shared functions.

use devinfo::{Family, Span, span};

use super::error::DescriptorError;
use crate::Sfid;

/// `(families, id, function)`. Sources: Skylake and Tiger Lake PRM vol 2d "SFID", Mesa
/// `brw_eu_defines.h`, IGA's SFID table.
const IDS: &[(Span, u8, Sfid)] = {
    use Sfid as F;
    &[
        (span!(..), 0x0, F::Null),
        (span!(XeHpg..), 0x1, F::Ugml),
        (span!(..), 0x2, F::Sampler),
        (span!(..), 0x3, F::Gateway),
        (span!(..), 0x4, F::DataPort2),
        (span!(..), 0x5, F::RenderCache),
        (span!(..), 0x6, F::Urb),
        (span!(..=Gen12Lp), 0x7, F::ThreadSpawner),
        (span!(XeHpg..), 0x7, F::BindlessThreadDispatch),
        (span!(..=Gen12Lp), 0x8, F::VideoMotionEstimation),
        (span!(XeHpg..), 0x8, F::RayTracing),
        (span!(..=XeHpc), 0x9, F::ConstantCache),
        (span!(..), 0xa, F::DataPort0),
        (span!(..), 0xb, F::PixelInterpolator),
        (span!(..), 0xc, F::DataPort1),
        (span!(..=Gen12Lp), 0xd, F::CheckRefinement),
        (span!(XeHpg..), 0xd, F::Tgm),
        (span!(XeHpg..), 0xe, F::Slm),
        (span!(XeHpg..), 0xf, F::Ugm),
    ]
};

/// The shared functions of a family by number.
pub(crate) const fn table(family: Family) -> [Option<Sfid>; 16] {
    let mut table = [None; 16];
    let mut i = 0;
    while i < IDS.len() {
        let (families, id, function) = IDS[i];
        if families.contains(family) {
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
    /// [`DescriptorError::UnknownSfid`] when it has none with that number.
    pub fn from_id(family: Family, id: u8) -> Result<Self, DescriptorError> {
        IDS.iter()
            .find(|row| row.1 == id && row.0.contains(family))
            .map(|row| row.2)
            .ok_or(DescriptorError::UnknownSfid { id, family })
    }

    /// The number that `family` gives this function.
    ///
    /// # Errors
    /// [`DescriptorError::Unsupported`] when the family does not have it.
    pub fn id(self, family: Family) -> Result<u8, DescriptorError> {
        IDS.iter()
            .find(|row| row.2 == self && row.0.contains(family))
            .map(|row| row.1)
            .ok_or(DescriptorError::Unsupported {
                what: self.mnemonic(),
                family,
            })
    }
}
