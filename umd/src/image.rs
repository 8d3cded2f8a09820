//! Images.

use std::fmt;
use std::sync::Arc;

use crate::buffer::Buffer;
use crate::device::{Device, unfinished};
use crate::error::Error;

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

/// A channel order and data type of OpenCL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ImageFormat {
    /// `CL_R` …: the number that `get_image_channel_order` gives.
    pub order: u32,
    /// `CL_UNSIGNED_INT8` …: the number that `get_image_channel_data_type` gives.
    pub data_type: u32,
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

/// A part of an image, in texels. Layers of arrays count in the last dimension that the kind has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// The first texel.
    pub origin: [u32; 3],
    /// The number of texels.
    pub size: [u32; 3],
}

/// An image. Clones name the same memory.
#[derive(Clone, Debug)]
pub struct Image {
    desc: Arc<ImageDesc>,
}

impl Device {
    /// An image of zero bytes.
    ///
    /// # Errors
    /// A format, shape or size that the device does not have.
    pub fn image(&self, desc: &ImageDesc) -> Result<Image, Error> {
        let _ = desc;
        Err(self.unfinished("an image"))
    }

    /// An image of a buffer's bytes, linear.
    ///
    /// # Errors
    /// As [`image`](Self::image); a buffer that is too small; a pitch or address that the device
    /// cannot take.
    pub fn image_from_buffer(&self, buffer: &Buffer, desc: &ImageDesc) -> Result<Image, Error> {
        let _ = (buffer, desc);
        Err(self.unfinished("an image"))
    }
}

impl Image {
    /// Shape, format and size.
    pub fn desc(&self) -> &ImageDesc {
        &self.desc
    }

    /// Copies texels out, as rows one after the other.
    ///
    /// This does not wait: wait for the commands that write the image first.
    ///
    /// # Errors
    /// The region reaches beyond the image, or `texels` has another size than the region.
    pub fn read(&self, region: &Region, texels: &mut [u8]) -> Result<(), Error> {
        let _ = (region, texels);
        Err(unfinished("a read"))
    }

    /// Copies texels in, given as rows one after the other.
    ///
    /// This does not wait: wait for the commands that use the image first.
    ///
    /// # Errors
    /// The region reaches beyond the image, or `texels` has another size than the region.
    pub fn write(&self, region: &Region, texels: &[u8]) -> Result<(), Error> {
        let _ = (region, texels);
        Err(unfinished("a write"))
    }
}
