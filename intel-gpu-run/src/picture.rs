//! PNG files: pictures of four bytes a pixel, in and out.

use std::io::Cursor;
use std::path::Path;

use crate::args::Dimensions;
use crate::exit::Error;
use crate::files;

/// The bytes of one rgba8 pixel.
pub const PIXEL_BYTES: usize = 4;

/// The largest picture that is decoded, in bytes: a guard against small files that unpack to
/// gigabytes.
const DECODE_LIMIT: usize = 1 << 30;

/// A picture of rgba8 pixels, row after row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Width and height.
    pub size: Dimensions,
    /// `width * height * 4` bytes.
    pub pixels: Vec<u8>,
}

impl Picture {
    /// Reads a PNG file of any colour type and depth as rgba8.
    ///
    /// # Errors
    /// [`Error::Rejected`] if the file cannot be read or is no valid PNG.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let bytes = files::read(path)?;
        Self::decode(&bytes)
            .map_err(|e| Error::Rejected(format!("{} is no usable PNG: {e}", path.display())))
    }

    fn decode(bytes: &[u8]) -> Result<Self, String> {
        let limits = png::Limits {
            bytes: DECODE_LIMIT,
        };
        let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
        decoder.set_transformations(
            png::Transformations::normalize_to_color8() | png::Transformations::ALPHA,
        );
        let mut reader = decoder.read_info().map_err(|e| e.to_string())?;
        let needed = reader
            .output_buffer_size()
            .filter(|size| *size <= DECODE_LIMIT)
            .ok_or("the picture is too large")?;
        let mut raw = vec![0; needed];
        let info = reader.next_frame(&mut raw).map_err(|e| e.to_string())?;
        raw.truncate(info.buffer_size());
        let pixels = match info.color_type {
            png::ColorType::Rgba => raw,
            png::ColorType::GrayscaleAlpha => raw
                .chunks_exact(2)
                .flat_map(|pair| match pair {
                    [grey, alpha] => [*grey, *grey, *grey, *alpha],
                    _ => [0; 4],
                })
                .collect(),
            other => return Err(format!("unexpected colour type {other:?}")),
        };
        Ok(Self {
            size: Dimensions {
                width: info.width,
                height: info.height,
            },
            pixels,
        })
    }

    /// Writes the picture as PNG.
    ///
    /// # Errors
    /// [`Error::Failed`] if the file cannot be written or the pixels do not fill the picture.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let bytes = self.encode().map_err(|e| Error::unwritable(path, e))?;
        files::write(path, &bytes)
    }

    fn encode(&self) -> Result<Vec<u8>, png::EncodingError> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.size.width, self.size.height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.pixels)?;
        writer.finish()?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encode(color: png::ColorType, depth: png::BitDepth, w: u32, h: u32, data: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, w, h);
        encoder.set_color(color);
        encoder.set_depth(depth);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(data).unwrap();
        writer.finish().unwrap();
        bytes
    }

    #[test]
    fn round_trip() {
        let picture = Picture {
            size: Dimensions {
                width: 2,
                height: 2,
            },
            pixels: (0..16).collect(),
        };
        assert_eq!(Picture::decode(&picture.encode().unwrap()), Ok(picture));
    }

    #[test]
    fn every_colour_type_becomes_rgba8() {
        use png::{BitDepth, ColorType};
        let grey = encode(ColorType::Grayscale, BitDepth::Eight, 2, 1, &[7, 9]);
        assert_eq!(
            Picture::decode(&grey).unwrap().pixels,
            [7, 7, 7, 255, 9, 9, 9, 255]
        );
        let rgb = encode(ColorType::Rgb, BitDepth::Eight, 1, 1, &[1, 2, 3]);
        assert_eq!(Picture::decode(&rgb).unwrap().pixels, [1, 2, 3, 255]);
        let deep = encode(
            ColorType::Rgba,
            BitDepth::Sixteen,
            1,
            1,
            &[1, 99, 2, 99, 3, 99, 4, 99],
        );
        assert_eq!(Picture::decode(&deep).unwrap().pixels, [1, 2, 3, 4]);
        let bits = encode(ColorType::Grayscale, BitDepth::One, 2, 1, &[0b0100_0000]);
        assert_eq!(
            Picture::decode(&bits).unwrap().pixels,
            [0, 0, 0, 255, 255, 255, 255, 255]
        );
    }

    #[test]
    fn broken_files_are_refused() {
        let good = encode(png::ColorType::Rgb, png::BitDepth::Eight, 1, 1, &[1, 2, 3]);
        for end in 0..good.len() - 12 {
            assert!(Picture::decode(&good[..end]).is_err(), "cut at {end}");
        }
        let short = Picture {
            size: Dimensions {
                width: 2,
                height: 2,
            },
            pixels: vec![0; 15],
        };
        assert!(short.encode().is_err());
    }
}
