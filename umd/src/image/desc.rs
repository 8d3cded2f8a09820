//! What an image is: shape, format, size; and parts of it.

use std::fmt;

use super::format::ImageFormat;

/// The shape of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageKind {
    /// One dimension.
    D1,
    /// One dimension, the texels of a buffer.
    D1Buffer,
    /// An array of one-dimensional images.
    D1Array,
    /// Two dimensions.
    D2,
    /// An array of two-dimensional images.
    D2Array,
    /// Three dimensions.
    D3,
}

impl fmt::Display for ImageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::D1 => "1D",
            Self::D1Buffer => "1D buffer",
            Self::D1Array => "1D array",
            Self::D2 => "2D",
            Self::D2Array => "2D array",
            Self::D3 => "3D",
        })
    }
}

/// An image to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageDesc {
    /// The shape.
    pub kind: ImageKind,
    /// The format.
    pub format: ImageFormat,
    /// Texels in a row.
    pub width: u32,
    /// Rows; 1 for one-dimensional images.
    pub height: u32,
    /// Slices of a 3D image; 1 for others.
    pub depth: u32,
    /// Layers of an array; 1 for others.
    pub layers: u32,
    /// Bytes from row to row in memory; 0 lets the driver choose. Only images made of a buffer
    /// may say it.
    pub row_pitch: u32,
}

impl ImageDesc {
    /// An image of this [extent](Self::extent).
    pub const fn new(kind: ImageKind, format: ImageFormat, extent: [u32; 3]) -> Self {
        let [width, second, third] = extent;
        let (height, depth, layers) = match kind {
            ImageKind::D1 | ImageKind::D1Buffer => (1, 1, 1),
            ImageKind::D1Array => (1, 1, second),
            ImageKind::D2 => (second, 1, 1),
            ImageKind::D2Array => (second, 1, third),
            ImageKind::D3 => (second, third, 1),
        };
        Self {
            kind,
            format,
            width,
            height,
            depth,
            layers,
            row_pitch: 0,
        }
    }

    /// A two-dimensional image.
    pub const fn d2(format: ImageFormat, width: u32, height: u32) -> Self {
        Self::new(ImageKind::D2, format, [width, height, 1])
    }

    /// Texels in each direction: x, then rows or the layers of 1D arrays, then slices or the
    /// layers of 2D arrays.
    pub fn extent(&self) -> [u32; 3] {
        match self.kind {
            ImageKind::D1 | ImageKind::D1Buffer => [self.width, 1, 1],
            ImageKind::D1Array => [self.width, self.layers, 1],
            ImageKind::D2 => [self.width, self.height, 1],
            ImageKind::D2Array => [self.width, self.height, self.layers],
            ImageKind::D3 => [self.width, self.height, self.depth],
        }
    }
}

/// A part of an image, in texels. Layers of arrays count in the direction after the last that
/// one layer has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// The first texel.
    pub origin: [u32; 3],
    /// The number of texels.
    pub size: [u32; 3],
}

impl Region {
    /// Whether both have texels in common.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|d| {
            let (a, b) = (self.origin[d], other.origin[d]);
            a < b.saturating_add(other.size[d]) && b < a.saturating_add(self.size[d])
        })
    }
}
