//! How an image lies in memory.

use batchbuffer::tiling::{Arrangement, Tiling, legacy_qpitch};
use devinfo::Family;

use super::{ImageDesc, ImageKind};

/// Tiles of 4 KiB are 128 bytes by 32 rows.
const TILE_BYTES: u32 = 128;
const TILE_ROWS: u32 = 32;
/// Layers and slices begin at multiples of these rows ("Surface Vertical Alignment" 4).
const VERTICAL_ALIGNMENT: u32 = 4;
/// Rows of linear images begin at multiples of these bytes.
const LINEAR_PITCH: u32 = 64;

/// How an image lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub tiling: Tiling,
    arrangement: Arrangement,
    /// Bytes from row to row.
    pub pitch: u32,
    /// Rows from layer to layer or slice to slice; for one-dimensional arrays, which have no
    /// rows, texels (RENDER_SURFACE_STATE "Surface QPitch") unless the field is the legacy one.
    pub qpitch: u32,
    /// Bytes from layer to layer or slice to slice of a linear image.
    layer: u64,
    /// Whether the second direction counts layers.
    rows_are_layers: bool,
    /// All bytes.
    pub size: u64,
}

impl Layout {
    /// The layout that the driver chooses: tiled, if there is more than one dimension.
    pub(crate) fn tiled(desc: &ImageDesc, texel: u32, family: Family) -> Self {
        let row = desc.width * texel;
        if matches!(desc.kind, ImageKind::D1 | ImageKind::D1Array) {
            return Self::linear(desc, texel, row.next_multiple_of(LINEAR_PITCH), family);
        }
        let pitch = row.next_multiple_of(TILE_BYTES);
        let qpitch = desc.height.next_multiple_of(VERTICAL_ALIGNMENT);
        let layers = u64::from(desc.layers.max(desc.depth));
        let rows = (u64::from(qpitch) * layers).next_multiple_of(TILE_ROWS.into());
        let tiling = Tiling::of_images(family);
        Self {
            tiling,
            arrangement: Arrangement::of(family, tiling, texel, false),
            pitch,
            qpitch,
            layer: 0,
            rows_are_layers: false,
            size: rows * u64::from(pitch),
        }
    }

    /// Row after row, the same for all families: several devices can share the memory.
    pub(crate) fn linear(desc: &ImageDesc, texel: u32, pitch: u32, family: Family) -> Self {
        let layers = desc.layers.max(desc.depth);
        let rows = match layers {
            1 if desc.kind != ImageKind::D1Array => 0,
            _ => desc.height.next_multiple_of(VERTICAL_ALIGNMENT),
        };
        let layer = u64::from(rows) * u64::from(pitch);
        let qpitch = match desc.kind {
            ImageKind::D1Array if !legacy_qpitch(family) => rows * (pitch / texel.max(1)),
            _ => rows,
        };
        let one = u64::from(pitch) * u64::from(desc.height.saturating_sub(1))
            + u64::from(desc.width) * u64::from(texel);
        Self {
            tiling: Tiling::Linear,
            arrangement: Arrangement::Linear,
            pitch,
            qpitch,
            layer,
            rows_are_layers: desc.kind == ImageKind::D1Array,
            size: layer * u64::from(layers.saturating_sub(1)) + one,
        }
    }

    /// The bytes of a row from byte `from` to byte `to`, in runs of neighbours in memory: how far
    /// each is from the row's beginning, and its length. They are the same for each row.
    pub(crate) fn runs(&self, from: u32, to: u32) -> Vec<(u64, u32)> {
        let mut runs = Vec::new();
        let mut column = from;
        while column < to {
            let length = match self.arrangement.span() {
                None => to - column,
                Some(span) => (span - column % span).min(to - column),
            };
            runs.push((self.arrangement.column(column), length));
            column += length;
        }
        runs
    }

    /// Where a row begins.
    pub(crate) fn row(&self, row: u32, slice: u32) -> u64 {
        if self.tiling == Tiling::Linear {
            let (row, layer) = match self.rows_are_layers {
                true => (0, row),
                false => (row, slice),
            };
            return u64::from(layer) * self.layer + u64::from(row) * u64::from(self.pitch);
        }
        self.arrangement.row(self.pitch, self.qpitch, row, slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::{ImageFormat, channel_order, channel_type};

    /// Every byte of every texel has a place of its own inside the image.
    fn check(layout: Layout, desc: &ImageDesc, texel: u32) {
        let [width, height, depth] = desc.extent();
        let mut seen = vec![false; layout.size as usize];
        for slice in 0..depth {
            for row in 0..height {
                let start = layout.row(row, slice);
                let runs = layout.runs(0, width * texel);
                for (offset, length) in &runs {
                    let at = (start + offset) as usize;
                    for place in &mut seen[at..at + *length as usize] {
                        assert!(!*place);
                        *place = true;
                    }
                }
                let bytes = runs.iter().map(|(_, length)| length).sum::<u32>();
                assert_eq!(bytes, width * texel);
            }
        }
    }

    #[test]
    fn no_two_texels_share_bytes() {
        let format = ImageFormat::new(channel_order::RGBA, channel_type::UINT8);
        for family in [Family::Gen8, Family::Gen12Lp, Family::XeHpg] {
            for (kind, extent) in [
                (ImageKind::D1, [37, 1, 1]),
                (ImageKind::D1Array, [37, 5, 1]),
                (ImageKind::D2, [70, 33, 1]),
                (ImageKind::D2Array, [33, 6, 7]),
                (ImageKind::D3, [33, 6, 7]),
            ] {
                let desc = ImageDesc::new(kind, format, extent);
                for texel in [1, 4, 16] {
                    check(Layout::tiled(&desc, texel, family), &desc, texel);
                    let linear = Layout::linear(&desc, texel, desc.width * 16, family);
                    check(linear, &desc, texel);
                }
            }
        }
    }
}
