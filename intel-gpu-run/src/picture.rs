//! PNG files: pictures of grey or rgba pixels of 8 or 16 bits, in and out.

use std::io::Cursor;
use std::path::Path;

use crate::args::{Dimensions, PictureFormat, SampleBits};
use crate::exit::Error;
use crate::files;

/// The largest picture that is decoded, in bytes: a guard against small files that unpack to
/// gigabytes.
const DECODE_LIMIT: usize = 1 << 30;

/// A picture, row after row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Width and height.
    pub size: Dimensions,
    /// What the pixels are.
    pub format: PictureFormat,
    /// The pixels; samples of 16 bits have their low byte first.
    pub pixels: Vec<u8>,
}

impl Picture {
    /// Reads a PNG file of any colour type and depth as pixels of `format`.
    ///
    /// # Errors
    /// [`Error::Rejected`] if the file cannot be read, is not a valid PNG, or has colours where
    /// `format` has one channel.
    pub fn read(path: &Path, format: PictureFormat) -> Result<Self, Error> {
        let bytes = files::read(path)?;
        Self::decode(&bytes, format)
            .map_err(|e| Error::Rejected(format!("{} is no usable PNG: {e}", path.display())))
    }

    fn decode(bytes: &[u8], format: PictureFormat) -> Result<Self, String> {
        let limits = png::Limits {
            bytes: DECODE_LIMIT,
        };
        let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
        // Palettes become colours, transparent colours an alpha channel, and bits bytes.
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().map_err(|e| e.to_string())?;
        let needed = reader
            .output_buffer_size()
            .filter(|size| *size <= DECODE_LIMIT)
            .ok_or("the picture is too large")?;
        let mut raw = vec![0; needed];
        let info = reader.next_frame(&mut raw).map_err(|e| e.to_string())?;
        raw.truncate(info.buffer_size());

        // Samples of 8 bits are widened so that white stays white.
        let samples: Vec<u16> = match info.bit_depth {
            png::BitDepth::Sixteen => raw
                .chunks_exact(2)
                .filter_map(|pair| Some(u16::from_be_bytes(*pair.first_chunk()?)))
                .collect(),
            _ => raw.iter().map(|byte| u16::from(*byte) * 257).collect(),
        };
        let mut pixels = Vec::new();
        for pixel in samples.chunks_exact(info.color_type.samples()) {
            let [red, green, blue, alpha] = match *pixel {
                [grey] => [grey, grey, grey, u16::MAX],
                [grey, alpha] => [grey, grey, grey, alpha],
                [red, green, blue] => [red, green, blue, u16::MAX],
                [red, green, blue, alpha] => [red, green, blue, alpha],
                _ => return Err(format!("unexpected colour type {:?}", info.color_type)),
            };
            if format.channels == 1 && (red != green || green != blue) {
                return Err("it has colours, and one channel holds grey only".to_owned());
            }
            for sample in [red, green, blue, alpha].iter().take(format.channels) {
                match format.bits {
                    SampleBits::Eight => pixels.push((sample >> 8) as u8),
                    SampleBits::Sixteen => pixels.extend(sample.to_le_bytes()),
                }
            }
        }
        Ok(Self {
            size: Dimensions {
                width: info.width,
                height: info.height,
            },
            format,
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
        encoder.set_color(match self.format.channels {
            1 => png::ColorType::Grayscale,
            _ => png::ColorType::Rgba,
        });
        let swapped: Vec<u8>;
        let (depth, pixels) = match self.format.bits {
            SampleBits::Eight => (png::BitDepth::Eight, &self.pixels),
            SampleBits::Sixteen => {
                let pairs = self.pixels.chunks_exact(2);
                swapped = pairs.flat_map(|pair| pair.iter().rev().copied()).collect();
                (png::BitDepth::Sixteen, &swapped)
            }
        };
        encoder.set_depth(depth);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(pixels)?;
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

    fn decoded(bytes: &[u8], format: &str) -> Result<Vec<u8>, String> {
        Picture::decode(bytes, format.parse().unwrap()).map(|picture| picture.pixels)
    }

    #[test]
    fn round_trips() {
        for format in ["rgba8", "r8", "rgba16", "r16ui"] {
            let format: PictureFormat = format.parse().unwrap();
            let size = Dimensions {
                width: 2,
                height: 3,
            };
            let picture = Picture {
                size,
                format,
                pixels: (0..6 * format.bytes() as u8).collect(),
            };
            assert_eq!(
                Picture::decode(&picture.encode().unwrap(), format),
                Ok(picture)
            );
        }
    }

    #[test]
    fn every_colour_type_becomes_rgba8() {
        use png::{BitDepth, ColorType};
        let grey = encode(ColorType::Grayscale, BitDepth::Eight, 2, 1, &[7, 9]);
        assert_eq!(
            decoded(&grey, "rgba8").unwrap(),
            [7, 7, 7, 255, 9, 9, 9, 255]
        );
        assert_eq!(decoded(&grey, "r8").unwrap(), [7, 9]);
        let rgb = encode(ColorType::Rgb, BitDepth::Eight, 1, 1, &[1, 2, 3]);
        assert_eq!(decoded(&rgb, "rgba8").unwrap(), [1, 2, 3, 255]);
        assert!(decoded(&rgb, "r8").unwrap_err().contains("colours"));
        let deep = [1, 99, 2, 99, 3, 99, 4, 99];
        let deep = encode(ColorType::Rgba, BitDepth::Sixteen, 1, 1, &deep);
        assert_eq!(decoded(&deep, "rgba8").unwrap(), [1, 2, 3, 4]);
        assert_eq!(
            decoded(&deep, "rgba16").unwrap(),
            [99, 1, 99, 2, 99, 3, 99, 4]
        );
        let bits = encode(ColorType::Grayscale, BitDepth::One, 2, 1, &[0b0100_0000]);
        assert_eq!(
            decoded(&bits, "rgba8").unwrap(),
            [0, 0, 0, 255, 255, 255, 255, 255]
        );
        assert_eq!(decoded(&bits, "r16").unwrap(), [0, 0, 255, 255]);
    }

    #[test]
    fn palettes_become_colours() {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 2, 1);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_palette(vec![1, 2, 3, 4, 5, 6]);
        encoder.set_trns(vec![9]);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(&[1, 0]).unwrap();
        writer.finish().unwrap();
        assert_eq!(
            decoded(&bytes, "rgba8").unwrap(),
            [4, 5, 6, 255, 1, 2, 3, 9]
        );
    }

    #[test]
    fn broken_files_are_refused() {
        let good = encode(png::ColorType::Rgb, png::BitDepth::Eight, 1, 1, &[1, 2, 3]);
        for end in 0..good.len() - 12 {
            assert!(decoded(&good[..end], "rgba8").is_err(), "cut at {end}");
        }
        let short = Picture {
            size: Dimensions {
                width: 2,
                height: 2,
            },
            format: PictureFormat::default(),
            pixels: vec![0; 15],
        };
        assert!(short.encode().is_err());
    }
}
