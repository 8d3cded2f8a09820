//! The most texels of images (RENDER_SURFACE_STATE "Width", "Height", "Depth").

use devinfo::Family;

/// Of a row, and rows; those of 3D images are [`volume_across`].
pub(crate) const ACROSS: u32 = 16384;
/// Slices or layers.
pub(crate) const DEEP: u32 = 2048;
/// Of an image made of a buffer.
pub(crate) const BUFFER: u32 = 1 << 27;

/// Of a row of a slice of a 3D image, and rows of it (NEO `getMax3dImageWidthOrHeight`, and what its
/// releases 22.43 and 26.27 answer; Mesa asks for no more than 2048 anywhere).
pub(crate) const fn volume_across(family: Family) -> u32 {
    match family {
        Family::Gen8 | Family::Gen12Lp => 2048,
        Family::Gen9
        | Family::Gen11
        | Family::XeHpg
        | Family::XeHpc
        | Family::Xe2
        | Family::Xe3 => 16384,
    }
}
