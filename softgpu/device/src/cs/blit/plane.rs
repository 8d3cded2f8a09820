//! The places of a transfer's bytes.

use batchbuffer::tiling::{Arrangement, Tiling};
use batchbuffer::{Decoded, Field};
use devinfo::{Family, GpuAddress};

/// One side of a transfer: a surface, and the place of the first byte in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    base: GpuAddress,
    /// Bytes from row to row; negative only in linear surfaces.
    pitch: i64,
    arrangement: Arrangement,
    /// Rows from one slice to the next.
    slice_rows: u32,
    /// The first byte's column, row and slice.
    x: i64,
    y: i64,
    z: u32,
}

impl Plane {
    /// A linear surface from its first byte on.
    pub(super) fn linear(base: GpuAddress, pitch: i64) -> Self {
        Self {
            base,
            pitch,
            arrangement: Arrangement::Linear,
            slice_rows: 0,
            x: 0,
            y: 0,
            z: 0,
        }
    }

    /// From pixel (`x`, `y`) of `bytes` bytes on.
    pub(super) fn at(mut self, x: i64, y: i64, bytes: u64) -> Self {
        self.x = x.wrapping_mul(bytes.cast_signed());
        self.y = y;
        self
    }

    /// With a tiling. Then the pitch counts dwords (Mesa `blorp_xy_block_copy_blt`, igt
    /// `intel_blt.c`).
    pub(super) fn tiled(
        mut self,
        family: Family,
        tiling: Tiling,
        pixel: u64,
        volume: bool,
    ) -> Self {
        self.arrangement = Arrangement::of(family, tiling, pixel as u32, volume);
        if tiling != Tiling::Linear {
            self.pitch = self.pitch.wrapping_mul(4);
        }
        self
    }

    /// The slice, and the rows between slices.
    pub(super) fn slice(mut self, z: u64, slice_rows: u64) -> Self {
        self.z = z as u32;
        self.slice_rows = slice_rows as u32;
        self
    }

    /// The address of a byte of a row, and how many bytes follow it in memory.
    pub(super) fn address(&self, column: u64, row: u64) -> (GpuAddress, u64) {
        let x = self.x.wrapping_add(column.cast_signed());
        let y = self.y.wrapping_add(row.cast_signed());
        match self.arrangement.span() {
            None => {
                let row = y.wrapping_add(i64::from(self.z) * i64::from(self.slice_rows));
                let offset = row.wrapping_mul(self.pitch).wrapping_add(x);
                (self.base.offset(offset.cast_unsigned()), u64::MAX)
            }
            Some(span) => {
                let pitch = self.pitch as u32;
                let offset =
                    self.arrangement
                        .offset(pitch, self.slice_rows, x as u32, y as u32, self.z);
                let span = u64::from(span);
                (self.base.offset(offset), span - x as u64 % span)
            }
        }
    }
}

/// A rectangle in pixels: left, top, and the exclusive right and bottom edges.
pub(super) struct Rectangle {
    pub(super) x1: i64,
    pub(super) y1: i64,
    x2: i64,
    y2: i64,
}

impl Rectangle {
    pub(super) fn of(packet: &Decoded<'_>, fields: [&'static Field; 4]) -> Self {
        let [x1, y1, x2, y2] = fields.map(|field| packet.signed(field));
        Self { x1, y1, x2, y2 }
    }

    /// Width in pixels and height in rows; an inverted rectangle is empty.
    pub(super) fn size(&self) -> (u64, u64) {
        let extent = |from: i64, to: i64| u64::try_from(to - from).unwrap_or(0);
        (extent(self.x1, self.x2), extent(self.y1, self.y2))
    }
}
