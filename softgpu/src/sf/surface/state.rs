//! Surface states, decoded.

use devinfo::{Family, GpuAddress};

use super::fields as rss;
use crate::mem::View;
use crate::sf::place::Place;

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
    pub format: u16,
    /// The first byte.
    pub base: GpuAddress,
    /// Size in bytes of a buffer or scratch surface.
    pub bytes: u64,
    /// Texels in x.
    pub width: u32,
    /// Texels in y.
    pub height: u32,
    /// Slices of a 3D image, elements of an array, else 1.
    pub depth: u32,
    /// Bytes from one row (or structure, or thread's scratch) to the next.
    pub pitch: u32,
}

/// RAW: untyped bytes.
const FORMAT_RAW: u32 = 0x1ff;

impl Surface {
    /// The null surface.
    pub(in crate::sf) const NULL: Self = Self {
        kind: SurfaceKind::Null,
        format: 0,
        base: GpuAddress::new(0),
        bytes: 0,
        width: 0,
        height: 0,
        depth: 0,
        pitch: 0,
    };

    /// What `dwords` describe.
    pub(in crate::sf) fn decode(family: Family, dwords: &[u32; 16]) -> Self {
        let state = rss::view(family, dwords);
        let kind = match state.get32(rss::SURFACE_TYPE) {
            0 => SurfaceKind::Image1d,
            1 => SurfaceKind::Image2d,
            2 => SurfaceKind::Image3d,
            3 => SurfaceKind::Cube,
            4 => SurfaceKind::Buffer,
            5 => SurfaceKind::StructuredBuffer,
            6 if family >= Family::XeHpg => SurfaceKind::Scratch,
            _ => return Self::NULL,
        };
        let format = state.get32(rss::SURFACE_FORMAT);
        let width = state.get32(rss::WIDTH);
        let height = state.get32(rss::HEIGHT);
        let depth = state.get32(rss::DEPTH);
        let pitch = state.get32(rss::SURFACE_PITCH) + 1;
        // The number of elements of a buffer, less one, is spread over three fields.
        let elements = u64::from(width & 0x7f | height << 7 | depth << 21) + 1;
        let bytes = match kind {
            SurfaceKind::Buffer if format == FORMAT_RAW => elements,
            SurfaceKind::Buffer | SurfaceKind::StructuredBuffer => elements * u64::from(pitch),
            SurfaceKind::Scratch => u64::from(pitch),
            _ => 0,
        };
        Self {
            kind,
            format: format as u16,
            base: state.base(),
            bytes,
            width: width + 1,
            height: height + 1,
            depth: depth + 1,
            pitch,
        }
    }

    /// The bytes of a buffer; nowhere for other kinds.
    pub(in crate::sf) fn place<'a>(&self, view: &'a View<'a>) -> Place<'a> {
        match self.kind {
            SurfaceKind::Buffer | SurfaceKind::StructuredBuffer => Place::Memory {
                view,
                base: self.base,
                bytes: self.bytes,
            },
            _ => Place::Nowhere,
        }
    }
}
