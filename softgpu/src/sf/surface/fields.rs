//! Fields of RENDER_SURFACE_STATE.

use devinfo::{Family, GpuAddress};

/// Bits `high..=low` of dword `.0`.
pub(super) struct Field(usize, u32, u32);

pub(super) const TILE_MODE: Field = Field(0, 13, 12);
pub(super) const SURFACE_HORIZONTAL_ALIGNMENT: Field = Field(0, 15, 14);
pub(super) const SURFACE_VERTICAL_ALIGNMENT: Field = Field(0, 17, 16);
pub(super) const SURFACE_FORMAT: Field = Field(0, 26, 18);
pub(super) const SURFACE_ARRAY: Field = Field(0, 28, 28);
pub(super) const SURFACE_TYPE: Field = Field(0, 31, 29);
pub(super) const SURFACE_QPITCH: Field = Field(1, 14, 0);
pub(super) const WIDTH: Field = Field(2, 13, 0);
pub(super) const HEIGHT: Field = Field(2, 29, 16);
pub(super) const SURFACE_PITCH: Field = Field(3, 17, 0);
pub(super) const DEPTH: Field = Field(3, 31, 21);
pub(super) const RENDER_TARGET_VIEW_EXTENT: Field = Field(4, 17, 7);
pub(super) const MINIMUM_ARRAY_ELEMENT: Field = Field(4, 28, 18);
pub(super) const MIP_COUNT_LOD: Field = Field(5, 3, 0);
pub(super) const SURFACE_MIN_LOD: Field = Field(5, 7, 4);
pub(super) const TILED_RESOURCE_MODE: Field = Field(5, 19, 18);
pub(super) const Y_OFFSET: Field = Field(5, 23, 21);
pub(super) const X_OFFSET: Field = Field(5, 31, 25);
pub(super) const SHADER_CHANNEL_SELECT_ALPHA: Field = Field(7, 18, 16);
pub(super) const SHADER_CHANNEL_SELECT_BLUE: Field = Field(7, 21, 19);
pub(super) const SHADER_CHANNEL_SELECT_GREEN: Field = Field(7, 24, 22);
pub(super) const SHADER_CHANNEL_SELECT_RED: Field = Field(7, 27, 25);

pub(super) struct View<'a>(&'a [u32; 16]);

pub(super) fn view(_: Family, dwords: &[u32; 16]) -> View<'_> {
    View(dwords)
}

impl View<'_> {
    pub(super) fn get32(&self, field: Field) -> u32 {
        let Field(dword, high, low) = field;
        self.0[dword] >> low & (u32::MAX >> (31 - (high - low)))
    }

    pub(super) fn base(&self) -> GpuAddress {
        GpuAddress::new(u64::from(self.0[8]) | u64::from(self.0[9]) << 32)
    }
}
