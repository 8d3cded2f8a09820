//! Surface formats: conversion between texels in memory and channels in registers.
//!
//! Layouts are those of SURFACE_FORMAT (Broadwell PRM vol 2b, Tiger Lake PRM vol 2d).
//! Conversions follow the Vulkan and OpenCL specifications' rules for normalised numbers, which
//! are also the Direct3D rules that the PRM refers to: unsigned normalised is `c / (2^n - 1)`,
//! signed is `max(c / (2^(n-1) - 1), -1)`, writes clamp and round to nearest even, NaN becomes 0.

use batchbuffer::states::SurfaceFormat;
use half::f16;

/// How the bits of a channel are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sf) enum Numeric {
    /// Unsigned normalised.
    Unorm,
    /// Unsigned normalised, sRGB transfer function.
    Srgb,
    /// Signed normalised.
    Snorm,
    /// Unsigned integer.
    Uint,
    /// Signed integer.
    Sint,
    /// IEEE half or single, or one of the small unsigned floats (10 or 11 bits).
    Float,
}

/// A channel of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Channel {
    numeric: Numeric,
    /// First bit.
    at: u8,
    bits: u8,
}

/// Channels in registers: red, green, blue, alpha, as float bits or integers.
pub(in crate::sf) type Texel = [u32; 4];

/// A surface format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sf) struct Format {
    /// Its number.
    code: SurfaceFormat,
    /// Bytes of a texel.
    pub bytes: u8,
    /// Where red, green, blue and alpha are.
    channels: [Option<Channel>; 4],
}

const fn channel(numeric: Numeric, at: u8, bits: u8) -> Option<Channel> {
    Some(Channel { numeric, at, bits })
}

/// Red, green, blue, alpha of `bits` bits each, from the lowest bit up; `count` of them.
const fn rgba(code: SurfaceFormat, numeric: Numeric, bits: u8, count: u8) -> Format {
    let mut channels = [None; 4];
    let mut index = 0;
    while index < count {
        // Alpha is linear in sRGB formats.
        let numeric = match numeric {
            Numeric::Srgb if index == 3 => Numeric::Unorm,
            numeric => numeric,
        };
        channels[index as usize] = channel(numeric, index * bits, bits);
        index += 1;
    }
    Format {
        code,
        bytes: bits * count / 8,
        channels,
    }
}

/// Blue, green, red, alpha of eight bits.
const fn bgra(code: SurfaceFormat, numeric: Numeric, alpha: bool) -> Format {
    let mut format = rgba(code, numeric, 8, 4);
    let red = format.channels[0];
    format.channels[0] = format.channels[2];
    format.channels[2] = red;
    if !alpha {
        format.channels[3] = None;
    }
    format
}

/// One channel that reads as several: luminance, intensity, alpha.
const fn one(code: SurfaceFormat, numeric: Numeric, bits: u8, to: [bool; 4]) -> Format {
    let mut channels = [None; 4];
    let mut index = 0;
    while index < 4 {
        if to[index] {
            channels[index] = channel(numeric, 0, bits);
        }
        index += 1;
    }
    Format {
        code,
        bytes: bits / 8,
        channels,
    }
}

const LUMINANCE: [bool; 4] = [true, true, true, false];
const INTENSITY: [bool; 4] = [true, true, true, true];
const ALPHA: [bool; 4] = [false, false, false, true];

/// Three channels of 10 bits and an alpha of 2.
const fn ten(code: SurfaceFormat, numeric: Numeric, swapped: bool) -> Format {
    let (red, blue) = if swapped { (20, 0) } else { (0, 20) };
    Format {
        code,
        bytes: 4,
        channels: [
            channel(numeric, red, 10),
            channel(numeric, 10, 10),
            channel(numeric, blue, 10),
            channel(numeric, 30, 2),
        ],
    }
}

static FORMATS: &[Format] = {
    use Numeric::{Float, Sint, Snorm, Srgb, Uint, Unorm};
    use SurfaceFormat as F;
    &[
        rgba(F::R32G32B32A32_FLOAT, Float, 32, 4),
        rgba(F::R32G32B32A32_SINT, Sint, 32, 4),
        rgba(F::R32G32B32A32_UINT, Uint, 32, 4),
        rgba(F::R32G32B32_FLOAT, Float, 32, 3),
        rgba(F::R32G32B32_SINT, Sint, 32, 3),
        rgba(F::R32G32B32_UINT, Uint, 32, 3),
        rgba(F::R16G16B16A16_UNORM, Unorm, 16, 4),
        rgba(F::R16G16B16A16_SNORM, Snorm, 16, 4),
        rgba(F::R16G16B16A16_SINT, Sint, 16, 4),
        rgba(F::R16G16B16A16_UINT, Uint, 16, 4),
        rgba(F::R16G16B16A16_FLOAT, Float, 16, 4),
        rgba(F::R32G32_FLOAT, Float, 32, 2),
        rgba(F::R32G32_SINT, Sint, 32, 2),
        rgba(F::R32G32_UINT, Uint, 32, 2),
        // R32_FLOAT_X8X24_TYPELESS: depth and stencil, of which depth is read.
        Format {
            bytes: 8,
            ..rgba(F::R32_FLOAT_X8X24_TYPELESS, Float, 32, 1)
        },
        bgra(F::B8G8R8A8_UNORM, Unorm, true),
        bgra(F::B8G8R8A8_UNORM_SRGB, Srgb, true),
        ten(F::R10G10B10A2_UNORM, Unorm, false),
        ten(F::R10G10B10A2_UINT, Uint, false),
        rgba(F::R8G8B8A8_UNORM, Unorm, 8, 4),
        rgba(F::R8G8B8A8_UNORM_SRGB, Srgb, 8, 4),
        rgba(F::R8G8B8A8_SNORM, Snorm, 8, 4),
        rgba(F::R8G8B8A8_SINT, Sint, 8, 4),
        rgba(F::R8G8B8A8_UINT, Uint, 8, 4),
        rgba(F::R16G16_UNORM, Unorm, 16, 2),
        rgba(F::R16G16_SNORM, Snorm, 16, 2),
        rgba(F::R16G16_SINT, Sint, 16, 2),
        rgba(F::R16G16_UINT, Uint, 16, 2),
        rgba(F::R16G16_FLOAT, Float, 16, 2),
        ten(F::B10G10R10A2_UNORM, Unorm, true),
        // R11G11B10_FLOAT.
        Format {
            code: F::R11G11B10_FLOAT,
            bytes: 4,
            channels: [
                channel(Float, 0, 11),
                channel(Float, 11, 11),
                channel(Float, 22, 10),
                None,
            ],
        },
        rgba(F::R32_SINT, Sint, 32, 1),
        rgba(F::R32_UINT, Uint, 32, 1),
        rgba(F::R32_FLOAT, Float, 32, 1),
        // R24_UNORM_X8_TYPELESS: depth of 24 bits.
        Format {
            code: F::R24_UNORM_X8_TYPELESS,
            bytes: 4,
            channels: [channel(Unorm, 0, 24), None, None, None],
        },
        one(F::I32_FLOAT, Float, 32, INTENSITY),
        one(F::L32_FLOAT, Float, 32, LUMINANCE),
        one(F::A32_FLOAT, Float, 32, ALPHA),
        bgra(F::B8G8R8X8_UNORM, Unorm, false),
        bgra(F::B8G8R8X8_UNORM_SRGB, Srgb, false),
        Format {
            bytes: 4,
            ..rgba(F::R8G8B8X8_UNORM, Unorm, 8, 3)
        },
        // B5G6R5_UNORM.
        Format {
            code: F::B5G6R5_UNORM,
            bytes: 2,
            channels: [
                channel(Unorm, 11, 5),
                channel(Unorm, 5, 6),
                channel(Unorm, 0, 5),
                None,
            ],
        },
        // B5G5R5A1_UNORM.
        Format {
            code: F::B5G5R5A1_UNORM,
            bytes: 2,
            channels: [
                channel(Unorm, 10, 5),
                channel(Unorm, 5, 5),
                channel(Unorm, 0, 5),
                channel(Unorm, 15, 1),
            ],
        },
        rgba(F::R8G8_UNORM, Unorm, 8, 2),
        rgba(F::R8G8_SNORM, Snorm, 8, 2),
        rgba(F::R8G8_SINT, Sint, 8, 2),
        rgba(F::R8G8_UINT, Uint, 8, 2),
        rgba(F::R16_UNORM, Unorm, 16, 1),
        rgba(F::R16_SNORM, Snorm, 16, 1),
        rgba(F::R16_SINT, Sint, 16, 1),
        rgba(F::R16_UINT, Uint, 16, 1),
        rgba(F::R16_FLOAT, Float, 16, 1),
        one(F::I16_UNORM, Unorm, 16, INTENSITY),
        one(F::L16_UNORM, Unorm, 16, LUMINANCE),
        one(F::A16_UNORM, Unorm, 16, ALPHA),
        one(F::I16_FLOAT, Float, 16, INTENSITY),
        one(F::L16_FLOAT, Float, 16, LUMINANCE),
        one(F::A16_FLOAT, Float, 16, ALPHA),
        // B5G5R5X1_UNORM.
        Format {
            code: F::B5G5R5X1_UNORM,
            bytes: 2,
            channels: [
                channel(Unorm, 10, 5),
                channel(Unorm, 5, 5),
                channel(Unorm, 0, 5),
                None,
            ],
        },
        rgba(F::R8_UNORM, Unorm, 8, 1),
        rgba(F::R8_SNORM, Snorm, 8, 1),
        rgba(F::R8_SINT, Sint, 8, 1),
        rgba(F::R8_UINT, Uint, 8, 1),
        one(F::A8_UNORM, Unorm, 8, ALPHA),
        one(F::I8_UNORM, Unorm, 8, INTENSITY),
        one(F::L8_UNORM, Unorm, 8, LUMINANCE),
    ]
};

impl Format {
    /// The format `code`, if this model knows it.
    pub(in crate::sf) fn of(code: SurfaceFormat) -> Option<&'static Self> {
        FORMATS.iter().find(|format| format.code == code)
    }

    /// Whether registers hold integers.
    pub(in crate::sf) fn is_integer(&self) -> bool {
        self.channels
            .iter()
            .flatten()
            .next()
            .is_some_and(|channel| matches!(channel.numeric, Numeric::Uint | Numeric::Sint))
    }

    /// How the colour channels are read.
    pub(in crate::sf) fn numeric(&self) -> Numeric {
        self.channels
            .iter()
            .flatten()
            .next()
            .map_or(Numeric::Uint, |channel| channel.numeric)
    }

    /// One, in register form.
    pub(in crate::sf) fn one(&self) -> u32 {
        if self.is_integer() {
            1
        } else {
            1.0f32.to_bits()
        }
    }

    /// The channels of the texel in `bytes` (little endian); absent colours are 0, alpha 1.
    pub(in crate::sf) fn load(&self, bytes: u128) -> Texel {
        let mut texel = [0, 0, 0, self.one()];
        for (value, channel) in texel.iter_mut().zip(self.channels) {
            if let Some(channel) = channel {
                *value = channel.load((bytes >> channel.at) as u32);
            }
        }
        texel
    }

    /// The texel from `channels`, and the mask of the format's bits among the enabled `components`
    /// (bit 0 is red).
    pub(in crate::sf) fn store(&self, texel: Texel, components: u8) -> (u128, u128) {
        let (mut bytes, mut mask) = (0, 0);
        for (index, (value, channel)) in texel.into_iter().zip(self.channels).enumerate() {
            if let Some(channel) = channel
                && components >> index & 1 != 0
            {
                bytes |= u128::from(channel.store(value) & channel.mask()) << channel.at;
                mask |= u128::from(channel.mask()) << channel.at;
            }
        }
        (bytes, mask)
    }
}

impl Channel {
    const fn mask(self) -> u32 {
        u32::MAX >> (32 - self.bits)
    }

    fn load(self, bits: u32) -> u32 {
        let bits = bits & self.mask();
        match self.numeric {
            Numeric::Uint => bits,
            Numeric::Sint => self.extend(bits) as u32,
            Numeric::Unorm => self.unorm(bits).to_bits(),
            Numeric::Srgb => srgb_to_linear(self.unorm(bits)).to_bits(),
            Numeric::Snorm => {
                let scale = f64::from(self.mask() >> 1);
                ((f64::from(self.extend(bits)) / scale).max(-1.0) as f32).to_bits()
            }
            Numeric::Float => match self.bits {
                32 => bits,
                16 => f16::from_bits(bits as u16).to_f32().to_bits(),
                small => small_float(bits, small - 5).to_bits(),
            },
        }
    }

    /// Divides in double precision, so that the single-precision result is rounded once.
    fn unorm(self, bits: u32) -> f32 {
        (f64::from(bits) / f64::from(self.mask())) as f32
    }

    const fn extend(self, bits: u32) -> i32 {
        let shift = 32 - self.bits;
        ((bits << shift) as i32) >> shift
    }

    fn store(self, value: u32) -> u32 {
        let number = f32::from_bits(value);
        let normalised = |low: f32, scale: u32| {
            if number.is_nan() {
                return 0;
            }
            let scaled = f64::from(number.clamp(low, 1.0)) * f64::from(scale);
            scaled.round_ties_even() as i64 as u32
        };
        match self.numeric {
            Numeric::Uint => value.min(self.mask()),
            Numeric::Sint => {
                let limit = (self.mask() >> 1) as i32;
                (value as i32).clamp(-limit - 1, limit) as u32
            }
            Numeric::Unorm => normalised(0.0, self.mask()),
            Numeric::Srgb => {
                let number = number.clamp(0.0, 1.0);
                let encoded = linear_to_srgb(if number.is_nan() { 0.0 } else { number });
                (f64::from(encoded) * f64::from(self.mask())).round_ties_even() as u32
            }
            Numeric::Snorm => normalised(-1.0, self.mask() >> 1),
            Numeric::Float => match self.bits {
                32 => value,
                16 => f16::from_f32(number).to_bits().into(),
                small => to_small_float(number, small - 5),
            },
        }
    }
}

/// An unsigned float of five exponent bits and `mantissa` mantissa bits is a half whose lowest
/// mantissa bits are zero.
fn small_float(bits: u32, mantissa: u8) -> f32 {
    f16::from_bits((bits << (10 - mantissa)) as u16).to_f32()
}

/// Rounds towards zero, as the PRM specifies for these formats; negative numbers become 0.
fn to_small_float(number: f32, mantissa: u8) -> u32 {
    let drop = 10 - mantissa;
    if number.is_nan() {
        return u32::from(f16::NAN.to_bits() & 0x7fff) >> drop;
    }
    if number <= 0.0 {
        return 0;
    }
    let nearest = f16::from_f32(number);
    let truncated = if nearest.to_f32() > number {
        nearest.to_bits() - 1
    } else {
        nearest.to_bits()
    };
    u32::from(truncated) >> drop
}

fn srgb_to_linear(value: f32) -> f32 {
    let value = f64::from(value);
    let linear = if value <= 0.04045 {
        value / 12.92
    } else {
        ((value + 0.055) / 1.055).powf(2.4)
    };
    linear as f32
}

fn linear_to_srgb(value: f32) -> f32 {
    let value = f64::from(value);
    let encoded = if value <= 0.003_130_8 {
        value * 12.92
    } else {
        1.055 * value.powf(1.0 / 2.4) - 0.055
    };
    encoded as f32
}

#[cfg(test)]
mod tests {
    use super::{FORMATS, Format, SurfaceFormat as F};

    #[test]
    fn every_row_is_found() {
        for format in FORMATS {
            assert_eq!(Format::of(format.code), Some(format));
        }
        assert_eq!(Format::of(F::RAW), None);
    }

    #[test]
    fn every_byte_of_the_eight_bit_formats_survives() {
        for code in [
            F::R8G8B8A8_UNORM,
            F::R8G8B8A8_SNORM,
            F::R8G8B8A8_SINT,
            F::R8G8B8A8_UINT,
            F::B8G8R8A8_UNORM,
            F::R8G8B8A8_UNORM_SRGB,
            F::R8_UNORM,
            F::R8_SINT,
            F::L8_UNORM,
        ] {
            let format = Format::of(code).expect("known");
            for byte in 0..=255u128 {
                // The most negative signed normalised value is another -1.
                if code == F::R8G8B8A8_SNORM && byte == 0x80 {
                    continue;
                }
                let bytes = (byte * 0x0101_0101) & ((1 << (8 * format.bytes)) - 1);
                let (stored, mask) = format.store(format.load(bytes), 0xf);
                assert_eq!(stored, bytes & mask, "{code:?}");
            }
        }
    }

    #[test]
    fn normalised_numbers_clamp_and_round_to_even() {
        let unorm = Format::of(F::R8_UNORM).expect("R8_UNORM");
        let store = |value: f32| unorm.store([value.to_bits(), 0, 0, 0], 1).0;
        assert_eq!(store(-1.0), 0);
        assert_eq!(store(f32::NAN), 0);
        assert_eq!(store(7.0), 255);
        assert_eq!(store(0.5), 128);
        assert_eq!(store(127.5 / 255.0), 128);
        let snorm = Format::of(F::R8_SNORM).expect("R8_SNORM");
        assert_eq!(snorm.load(0x80)[0], (-1.0f32).to_bits());
        assert_eq!(snorm.load(0x81)[0], (-1.0f32).to_bits());
        assert_eq!(snorm.load(0x7f)[0], 1.0f32.to_bits());
        assert_eq!(snorm.store([(-9.0f32).to_bits(), 0, 0, 0], 1).0, 0x81);
    }

    #[test]
    fn integers_saturate() {
        let uint = Format::of(F::R8_UINT).expect("R8_UINT");
        assert_eq!(uint.store([300, 0, 0, 0], 1).0, 255);
        let sint = Format::of(F::R8_SINT).expect("R8_SINT");
        assert_eq!(sint.store([-300i32 as u32, 0, 0, 0], 1).0, 0x80);
        assert_eq!(sint.load(0x80)[0], -128i32 as u32);
    }

    #[test]
    fn absent_channels_read_as_black_and_opaque() {
        let format = Format::of(F::R32_FLOAT).expect("R32_FLOAT");
        assert_eq!(format.load(0x4000_0000), [0x4000_0000, 0, 0, 0x3f80_0000]);
        let format = Format::of(F::R32_UINT).expect("R32_UINT");
        assert_eq!(format.load(7), [7, 0, 0, 1]);
        let format = Format::of(F::A8_UNORM).expect("A8_UNORM");
        assert_eq!(format.load(255), [0, 0, 0, 0x3f80_0000]);
        let format = Format::of(F::B8G8R8A8_UNORM).expect("B8G8R8A8_UNORM");
        let one = 0x3f80_0000;
        assert_eq!(format.load(0x00ff_0000), [one, 0, 0, 0]);
    }

    #[test]
    fn small_floats_keep_their_powers_of_two() {
        let format = Format::of(F::R11G11B10_FLOAT).expect("R11G11B10_FLOAT");
        let texel = [2.0f32, 0.5, 1.0].map(f32::to_bits);
        let (bytes, mask) = format.store([texel[0], texel[1], texel[2], 0], 0xf);
        assert_eq!(mask, 0xffff_ffff);
        assert_eq!(format.load(bytes)[..3], texel);
    }
}
