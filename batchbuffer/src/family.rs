//! The front ends, states and tilings of each family, one row per family.

use devinfo::Family;

use crate::layout::Field;
use crate::states::render_surface_state as rss;
use crate::states::values::L1CacheControl;
use crate::tiling::Tiling;

/// What a family has.
pub(crate) struct Traits {
    /// Shared local memory sizes in KiB with their codes, in rising order.
    pub slm_codes: &'static [(u32, u32)],
    /// Shares of shared local memory in the L1 in KiB with their codes, in rising order. Empty
    /// where there is no such field.
    pub preferred_slm_codes: &'static [(u32, u32)],
    /// Register counts of a thread with their codes in the interface descriptor, in rising order.
    /// Empty where the count is a mode of the EUs.
    pub register_codes: &'static [(u32, u32)],
    /// How many barriers a group has, indexed by the code of their number.
    pub barrier_counts: &'static [u32],
    /// Codes of "Tile Mode" in surface states.
    pub tile_modes: &'static [(Tiling, u64)],
    /// Codes of tilings in XY_BLOCK_COPY_BLT and XY_FAST_COLOR_BLT.
    pub block_copy_tilings: &'static [(Tiling, u64)],
    /// Codes of tilings in XY_FAST_COPY_BLT: the method, and "Tile Y Type" where it matters.
    pub fast_copy_tilings: &'static [(Tiling, u64, Option<bool>)],
    /// The tiling that keeps neighbouring texels of images with more than one dimension close
    /// together: used for images that the driver lays out, and for null surfaces.
    pub image_tiling: Tiling,
    /// Three-dimensional Tile64 surfaces have the arrangement introduced with Xe2.
    pub regular_tile64_3d: bool,
    /// "Surface QPitch" also counts rows in one-dimensional arrays, and may be 0 for volumes: their
    /// slices are then the aligned height apart.
    pub legacy_qpitch: bool,
    /// The code of the horizontal alignment: 4 texels, or 128 bytes, which a linear surface must
    /// have.
    pub horizontal_alignment: u64,
    /// The field for coherency or caching, and its value: coherent with the CPU, or write-back in
    /// the L1.
    pub surface_cache: (&'static Field, u64),
    /// Scratch memory is a surface.
    pub scratch_surfaces: bool,
}

/// The row of a family.
pub(crate) fn traits(family: Family) -> &'static Traits {
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

// Sources: BDW, SKL and TGL PRM vol 2d, INTERFACE_DESCRIPTOR_DATA and RENDER_SURFACE_STATE; genxml;
// for XeHPC and later Intel's compute-runtime, also for the 24 and 48 KiB codes. Values of the
// media front end are those that Intel's OpenCL runtime writes. Blitter tilings are genxml's
// `XY_TILE_*`.

const GEN8: Traits = Traits {
    slm_codes: &[(0, 0), (4, 1), (8, 2), (16, 4), (32, 8), (64, 16)],
    preferred_slm_codes: &[],
    register_codes: &[],
    barrier_counts: &[0, 1],
    tile_modes: &[
        (Tiling::Linear, rss::TileModeGen8::LINEAR as u64),
        (Tiling::W, rss::TileModeGen8::WMAJOR as u64),
        (Tiling::X, rss::TileModeGen8::XMAJOR as u64),
        (Tiling::Y, rss::TileModeGen8::YMAJOR as u64),
    ],
    block_copy_tilings: &[(Tiling::Linear, 0), (Tiling::Y, 1)],
    fast_copy_tilings: &[
        (Tiling::Linear, 0, None),
        (Tiling::X, 1, None),
        (Tiling::Y, 2, Some(false)),
    ],
    image_tiling: Tiling::Y,
    regular_tile64_3d: false,
    legacy_qpitch: true,
    horizontal_alignment: rss::SurfaceHorizontalAlignmentGen8::HALIGN_4 as u64,
    surface_cache: (rss::COHERENCY_TYPE, rss::CoherencyType::IA_COHERENT as u64),
    scratch_surfaces: false,
};

const GEN9: Traits = Traits {
    slm_codes: &[
        (0, 0),
        (1, 1),
        (2, 2),
        (4, 3),
        (8, 4),
        (16, 5),
        (32, 6),
        (64, 7),
    ],
    legacy_qpitch: false,
    ..GEN8
};

const GEN11: Traits = GEN9;

const GEN12LP: Traits = GEN11;

const XE_HPG: Traits = Traits {
    preferred_slm_codes: &[(0, 8), (16, 9), (32, 10), (64, 11), (96, 12), (128, 13)],
    barrier_counts: &[0, 1],
    tile_modes: &[
        (Tiling::Linear, rss::TileModeXeHpg::LINEAR as u64),
        (Tiling::Tile64, rss::TileModeXeHpg::TILE64 as u64),
        (Tiling::X, rss::TileModeXeHpg::XMAJOR as u64),
        (Tiling::Tile4, rss::TileModeXeHpg::TILE4 as u64),
    ],
    block_copy_tilings: &[
        (Tiling::Linear, 0),
        (Tiling::X, 1),
        (Tiling::Tile4, 2),
        (Tiling::Tile64, 3),
    ],
    fast_copy_tilings: &[
        (Tiling::Linear, 0, None),
        (Tiling::X, 1, None),
        (Tiling::Tile4, 2, Some(true)),
        (Tiling::Tile64, 3, None),
    ],
    image_tiling: Tiling::Tile4,
    horizontal_alignment: rss::SurfaceHorizontalAlignmentXeHpg::HALIGN_128 as u64,
    surface_cache: (rss::L1_CACHE_CONTROL, L1CacheControl::WB as u64),
    scratch_surfaces: true,
    ..GEN12LP
};

const XE_HPC: Traits = Traits {
    slm_codes: &[
        (0, 0),
        (1, 1),
        (2, 2),
        (4, 3),
        (8, 4),
        (16, 5),
        (24, 8),
        (32, 6),
        (48, 9),
        (64, 7),
        (96, 10),
        (128, 11),
    ],
    barrier_counts: &[0, 1, 2, 4, 8, 16, 24, 32],
    ..XE_HPG
};

const XE2: Traits = Traits {
    preferred_slm_codes: &[
        (0, 0),
        (16, 1),
        (32, 2),
        (64, 3),
        (96, 4),
        (128, 5),
        (160, 6),
        (192, 7),
        (224, 8),
        (256, 9),
        (384, 10),
    ],
    regular_tile64_3d: true,
    ..XE_HPC
};

const XE3: Traits = Traits {
    register_codes: &[
        (32, 0),
        (64, 1),
        (96, 2),
        (128, 3),
        (160, 4),
        (192, 5),
        (256, 7),
    ],
    ..XE2
};
