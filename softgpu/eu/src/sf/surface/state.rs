//! Surface states, decoded.

use batchbuffer::states::{SurfaceFormat, render_surface_state as rss};
use batchbuffer::surface::scratch_surfaces;
use batchbuffer::tiling::{Arrangement, Tiling, legacy_qpitch};
use devinfo::{Family, GpuAddress};

use super::format::Format;
use crate::sf::place::Place;
use softgpu_memory::View;

/// What a surface is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sf) enum SurfaceKind {
    /// Rows of texels.
    Image1d,
    /// Texels in two dimensions.
    Image2d,
    /// Slices of texels.
    Image3d,
    /// Six faces.
    Cube,
    /// Elements of one size.
    Buffer,
    /// Structures of one size.
    StructuredBuffer,
    /// Per-thread scratch memory (XeHPG and later).
    Scratch,
    /// Reads give 0, writes are dropped.
    Null,
}

/// A decoded RENDER_SURFACE_STATE.
#[derive(Clone, Copy, Debug)]
pub(in crate::sf) struct Surface {
    /// The kind.
    pub kind: SurfaceKind,
    /// The format's number.
    pub code: u32,
    /// How its texels are read, if the model knows the format.
    pub format: Option<Format>,
    /// The first byte.
    pub base: GpuAddress,
    /// Size in bytes of a buffer or scratch surface.
    pub bytes: u64,
    /// Texels in x, or elements of a buffer.
    pub width: u32,
    /// Texels in y.
    pub height: u32,
    /// Slices of a volume, elements of an array (six times as many faces of a cube), otherwise 1.
    pub depth: u32,
    /// Bytes from one row (or structure, or thread's scratch) to the next.
    pub pitch: u32,
    /// Rows (of a one-dimensional array: texels) from one slice or array element to the next.
    pub slice_rows: u32,
    /// The arrangement in memory.
    pub tiling: Arrangement,
    /// Whether it is an array.
    pub array: bool,
    /// The array element that coordinate 0 means.
    pub first_element: u32,
    /// Texels before the first in x.
    pub x_offset: u32,
    /// Rows before the first.
    pub y_offset: u32,
    /// What the sampler returns as red, green, blue and alpha (SHADER_CHANNEL_SELECT).
    pub select: [u8; 4],
    /// The level of detail that level 0 means.
    pub min_lod: u32,
    /// Levels, less one.
    pub mip_count: u32,
}

impl Surface {
    /// The null surface.
    pub(in crate::sf) const NULL: Self = Self {
        kind: SurfaceKind::Null,
        code: 0,
        format: None,
        base: GpuAddress::new(0),
        bytes: 0,
        width: 0,
        height: 0,
        depth: 0,
        pitch: 0,
        slice_rows: 0,
        tiling: Arrangement::Linear,
        array: false,
        first_element: 0,
        x_offset: 0,
        y_offset: 0,
        select: [4, 5, 6, 7],
        min_lod: 0,
        mip_count: 0,
    };

    /// Decodes `dwords`.
    pub(in crate::sf) fn decode(family: Family, dwords: &[u32]) -> Self {
        let state = rss::view(family, dwords);
        let kind = match state.get32(rss::SURFACE_TYPE) {
            0 => SurfaceKind::Image1d,
            1 => SurfaceKind::Image2d,
            2 => SurfaceKind::Image3d,
            3 => SurfaceKind::Cube,
            4 => SurfaceKind::Buffer,
            5 if !scratch_surfaces(family) => SurfaceKind::StructuredBuffer,
            6 if scratch_surfaces(family) => SurfaceKind::Scratch,
            _ => return Self::NULL,
        };
        let Some(tiling) = Tiling::of_mode(family, state.get(rss::TILE_MODE)) else {
            return Self::NULL;
        };
        let code = state.named::<SurfaceFormat>(rss::SURFACE_FORMAT);
        let format = code.and_then(Format::of);
        let (width, height) = (state.get32(rss::WIDTH), state.get32(rss::HEIGHT));
        let depth = state.get32(rss::DEPTH);
        let pitch = state.get32(rss::SURFACE_PITCH) + 1;
        // The number of elements of a buffer, less one, is spread over three fields.
        let elements = u64::from(width & 0x7f | height << 7 | depth << 21) + 1;
        let bytes = match kind {
            SurfaceKind::Buffer if code == Some(SurfaceFormat::RAW) => elements,
            SurfaceKind::Buffer | SurfaceKind::StructuredBuffer => elements * u64::from(pitch),
            SurfaceKind::Scratch => u64::from(pitch),
            _ => 0,
        };
        let is_buffer = bytes != 0;
        let array = state.flag(rss::SURFACE_ARRAY);
        let layers = match kind {
            SurfaceKind::Image3d => depth + 1,
            SurfaceKind::Cube => 6 * (depth + 1),
            _ if array => depth + 1,
            _ => 1,
        };
        let element_bytes = format.map_or(1, |format| format.bytes());
        Self {
            kind,
            code: state.get32(rss::SURFACE_FORMAT),
            format,
            base: state.address(rss::SURFACE_BASE_ADDRESS),
            bytes,
            width: if is_buffer {
                u32::try_from(elements).unwrap_or(u32::MAX)
            } else {
                width + 1
            },
            height: if is_buffer { 1 } else { height + 1 },
            depth: layers,
            pitch,
            slice_rows: slice_rows(
                family,
                kind,
                height + 1,
                pitch / u32::from(element_bytes),
                &state,
            ),
            tiling: Arrangement::of(
                family,
                tiling,
                element_bytes.into(),
                kind == SurfaceKind::Image3d,
            ),
            array,
            first_element: match kind {
                SurfaceKind::Image3d => 0,
                _ => state.get32(rss::MINIMUM_ARRAY_ELEMENT),
            },
            // Offsets are in units of four texels and four rows.
            x_offset: state.get32(rss::X_OFFSET) * 4,
            y_offset: state.get32(rss::Y_OFFSET) * 4,
            select: [
                rss::SHADER_CHANNEL_SELECT_RED,
                rss::SHADER_CHANNEL_SELECT_GREEN,
                rss::SHADER_CHANNEL_SELECT_BLUE,
                rss::SHADER_CHANNEL_SELECT_ALPHA,
            ]
            .map(|field| state.get32(field) as u8),
            min_lod: state.get32(rss::SURFACE_MIN_LOD),
            mip_count: state.get32(rss::MIP_COUNT_LOD),
        }
    }

    /// Whether it is a buffer of bytes.
    pub(in crate::sf) fn is_raw(&self) -> bool {
        self.code == SurfaceFormat::RAW as u32
    }

    /// The bytes of a buffer, or of a thread's part of a scratch surface; empty for other kinds.
    pub(in crate::sf) fn place<'a>(&self, view: &'a View<'a>, thread_slot: u32) -> Place<'a> {
        match self.kind {
            SurfaceKind::Scratch => Place::Memory {
                view,
                base: self
                    .base
                    .offset(u64::from(thread_slot) * u64::from(self.pitch)),
                bytes: self.bytes,
            },
            SurfaceKind::Buffer | SurfaceKind::StructuredBuffer => Place::Memory {
                view,
                base: self.base,
                bytes: self.bytes,
            },
            _ => Place::Nowhere,
        }
    }
}

/// The distance of slices: the QPitch field counts rows in units of four, or texels in
/// one-dimensional arrays. With the legacy field those are also rows, and volumes do not use it:
/// their slices are the aligned height apart.
fn slice_rows(
    family: Family,
    kind: SurfaceKind,
    height: u32,
    row_texels: u32,
    state: &batchbuffer::View<'_>,
) -> u32 {
    let rows = state.get32(rss::SURFACE_QPITCH) * 4;
    if !legacy_qpitch(family) {
        return rows;
    }
    if kind == SurfaceKind::Image1d {
        return rows.saturating_mul(row_texels);
    }
    if rows != 0 || kind != SurfaceKind::Image3d {
        return rows;
    }
    // VALIGN codes 1, 2 and 3 are 4, 8 and 16 rows.
    let align = 2 << state.get32(rss::SURFACE_VERTICAL_ALIGNMENT).max(1);
    height.next_multiple_of(align)
}
