//! Images.

use opencl_sys::*;
use umd::{ImageDesc, ImageFormat, ImageKind};

use super::rows::Rows;

/// What images have that buffers do not.
#[derive(Debug)]
pub(crate) struct Image {
    pub format: cl_image_format,
    pub desc: ImageDesc,
    pub texel_bytes: usize,
    /// Bytes from row to row and from slice to slice, as the program gave them, or of rows one
    /// after the other. Slices are those of arrays and volumes; 0 for others.
    pub row_pitch: usize,
    pub slice_pitch: usize,
    /// One for each device of the context.
    pub on: Vec<umd::Image>,
}

/// An image to make.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub format: cl_image_format,
    pub desc: ImageDesc,
    pub texel_bytes: usize,
    pub row_pitch: usize,
    pub slice_pitch: usize,
}

impl Shape {
    /// The extent in bytes, rows and slices.
    pub(super) fn bytes(&self) -> [usize; 3] {
        let [width, rows, slices] = self.desc.extent().map(|n| n as usize);
        [width * self.texel_bytes, rows, slices]
    }

    /// How its texels lie in the program's memory. The layers of a one-dimensional array are a
    /// slice pitch apart.
    pub(crate) fn host_rows(&self) -> Rows {
        Rows {
            start: 0,
            row: match self.desc.kind {
                ImageKind::D1Array => self.slice_pitch,
                _ => self.row_pitch,
            },
            slice: self.slice_pitch,
        }
    }

    /// Bytes from its first to its last texel in the program's memory.
    pub(crate) fn host_bytes(&self) -> Option<usize> {
        self.host_rows().end(self.bytes())
    }

    /// The same, with what each device makes of it.
    pub(super) fn image(self, on: Vec<umd::Image>) -> Image {
        Image {
            format: self.format,
            desc: self.desc,
            texel_bytes: self.texel_bytes,
            row_pitch: self.row_pitch,
            slice_pitch: self.slice_pitch,
            on,
        }
    }
}

/// The driver's format.
pub(crate) fn format(format: cl_image_format) -> ImageFormat {
    ImageFormat::new(format.image_channel_order, format.image_channel_data_type)
}
