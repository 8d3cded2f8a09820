//! The pixels of images that are read from or saved as picture files.

use std::str::FromStr;

use umd::{ImageFormat, channel_order as order, channel_type as channel};

use super::image::PixelFormat;

/// The pixels of an image that is read from, or saved as, a PNG file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureFormat {
    /// The format of the image.
    pub format: ImageFormat,
    /// Channels: 1 is grey, 4 is red, green, blue and alpha.
    pub channels: usize,
    /// The size of a sample.
    pub bits: SampleBits,
}

/// Bits of one sample of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleBits {
    /// One byte.
    Eight,
    /// Two bytes, the low one first in an image, the high one first in a PNG file.
    Sixteen,
}

impl PictureFormat {
    /// The bytes of a pixel.
    pub fn bytes(self) -> usize {
        self.channels
            * match self.bits {
                SampleBits::Eight => 1,
                SampleBits::Sixteen => 2,
            }
    }
}

impl Default for PictureFormat {
    /// `rgba8`.
    fn default() -> Self {
        Self {
            format: ImageFormat::new(order::RGBA, channel::UNORM8),
            channels: 4,
            bits: SampleBits::Eight,
        }
    }
}

impl FromStr for PictureFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let PixelFormat(format) = text.parse()?;
        let channels = match format.order {
            order::R | order::LUMINANCE | order::INTENSITY => Some(1),
            order::RGBA | order::SRGBA => Some(4),
            _ => None,
        };
        let bits = match format.data_type {
            channel::UNORM8 | channel::UINT8 => Some(SampleBits::Eight),
            channel::UNORM16 | channel::UINT16 => Some(SampleBits::Sixteen),
            _ => None,
        };
        channels
            .zip(bits)
            .map(|(channels, bits)| Self {
                format,
                channels,
                bits,
            })
            .ok_or_else(|| {
                format!(
                    "a picture is r8 r16 rgba8 rgba16 (or r8ui ...), not {text:?}; \
                     image-raw takes the others"
                )
            })
    }
}
