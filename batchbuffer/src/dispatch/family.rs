//! The command sequences of each family, one row per family.

use devinfo::Family;

use super::commands::Commands;
use super::compute::Compute;
use super::media::Media;
use super::types::Simd;

/// The command sequences of `family`.
pub fn commands(family: Family) -> &'static dyn Commands {
    match family {
        Family::Gen8 => &GEN8,
        Family::Gen9 => &GEN9,
        Family::Gen11 => &GEN11,
        Family::Gen12Lp => &GEN12LP,
        Family::XeHpg => &XE_HPG,
        Family::XeHpc => &XE_HPC,
        Family::Xe2 => &XE2,
        Family::Xe3 => &XE3,
    }
}

const GEN8: Media = Media {
    family: Family::Gen8,
    l3_control: Some([0x8000_0340, 0x6000_0321]),
    urb_entry_size: 1922,
    stall_with_flush: true,
    prefetch: true,
};

const GEN9: Media = Media {
    family: Family::Gen9,
    stall_with_flush: false,
    ..GEN8
};

const GEN11: Media = Media {
    family: Family::Gen11,
    l3_control: Some([0xa000_0720; 2]),
    prefetch: false,
    ..GEN9
};

const GEN12LP: Media = Media {
    family: Family::Gen12Lp,
    l3_control: None,
    urb_entry_size: 1024,
    ..GEN11
};

const XE_HPG: Compute = Compute {
    family: Family::XeHpg,
    least_simd: Simd::Simd8,
    selects_systolic: true,
};

const XE_HPC: Compute = Compute {
    family: Family::XeHpc,
    least_simd: Simd::Simd16,
    selects_systolic: false,
};

const XE2: Compute = Compute {
    family: Family::Xe2,
    ..XE_HPC
};

const XE3: Compute = Compute {
    family: Family::Xe3,
    ..XE2
};
