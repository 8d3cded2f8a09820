//! Surface formats: conversion between texels in memory and channels in registers.
//!
//! Layouts are those of SURFACE_FORMAT (Broadwell PRM vol 2b, Tiger Lake PRM vol 2d).
//! Conversions follow the Vulkan and OpenCL specifications' rules for normalised numbers, which
//! are also the Direct3D rules that the PRM refers to: unsigned normalised is `c / (2^n - 1)`,
//! signed is `max(c / (2^(n-1) - 1), -1)`, writes clamp and round to nearest even, NaN becomes 0.

use batchbuffer::states::{Channel, SurfaceFormat, TexelLayout};
use half::f16;

pub(in crate::sf) use batchbuffer::states::Numeric;

use super::packing::{Kind, Packing};

/// Channels in registers: red, green, blue, alpha, as float bits or integers.
pub(in crate::sf) type Texel = [u32; 4];

/// The most channels of a message.
pub(in crate::sf) const LANES: usize = 32;

/// A surface format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sf) struct Format {
    layout: TexelLayout,
    shape: Shape,
    /// How the colour channels are read.
    numeric: Numeric,
    /// The components that it has, if they take all of its bits.
    whole: Option<u8>,
}

/// What makes a format's conversion simple.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// Channels of a byte, integers without a sign, in texels of at most four.
    Bytes,
    /// The same, normalised.
    UnormBytes,
    /// Channels of a dword, in their order.
    Dwords,
    Any,
}

impl Shape {
    fn of(layout: &TexelLayout) -> Self {
        let all = |holds: &dyn Fn(usize, Channel) -> bool| {
            let mut channels = layout.channels.iter().enumerate();
            channels.all(|(index, channel)| channel.is_none_or(|channel| holds(index, channel)))
        };
        let bytes = |channel: Channel| channel.bits == 8 && layout.bytes <= 4;
        let same = |channel: Channel| {
            matches!(
                channel.numeric,
                Numeric::Uint | Numeric::Sint | Numeric::Float
            )
        };
        if all(&|_, channel| bytes(channel) && channel.numeric == Numeric::Uint) {
            Self::Bytes
        } else if all(&|_, channel| bytes(channel) && channel.numeric == Numeric::Unorm) {
            Self::UnormBytes
        } else if all(&|index, channel| {
            channel.bits == 32 && usize::from(channel.at) == 32 * index && same(channel)
        }) {
            Self::Dwords
        } else {
            Self::Any
        }
    }
}

/// The floats of normalised bytes.
pub(super) const UNORM_BYTES: [u32; 256] = {
    let mut floats = [0; 256];
    let mut byte = 0;
    while byte < floats.len() {
        floats[byte] = unorm(byte as u32, 0xff).to_bits();
        byte += 1;
    }
    floats
};

impl Format {
    /// The format `code`, if this model knows it.
    pub(in crate::sf) fn of(code: SurfaceFormat) -> Option<Self> {
        let layout = code.texel()?;
        let first = layout.channels.iter().flatten().next();
        Some(Self {
            layout,
            shape: Shape::of(&layout),
            numeric: first.map_or(Numeric::Uint, |channel| channel.numeric),
            whole: whole(&layout),
        })
    }

    /// How texels are converted, if that is simple and they are whole dwords.
    pub(in crate::sf) fn packing(&self) -> Option<Packing> {
        let whole = matches!(self.layout.bytes, 4 | 8 | 16);
        let components = self.whole.filter(|_| whole)?;
        let at = self.layout.channels.map(|c| c.map_or(0, |c| c.at));
        let kind = match self.shape {
            Shape::Bytes => Kind::Bytes {
                at,
                normalised: false,
            },
            Shape::UnormBytes => Kind::Bytes {
                at,
                normalised: true,
            },
            Shape::Dwords => Kind::Dwords,
            Shape::Any => return None,
        };
        Some(Packing {
            bytes: self.layout.bytes.into(),
            one: self.one(),
            kind,
            components,
        })
    }

    /// Bytes of a texel.
    pub(in crate::sf) fn bytes(&self) -> u8 {
        self.layout.bytes
    }

    /// Whether registers hold integers.
    pub(in crate::sf) fn is_integer(&self) -> bool {
        matches!(self.numeric, Numeric::Uint | Numeric::Sint)
    }

    /// How the colour channels are read.
    pub(in crate::sf) fn numeric(&self) -> Numeric {
        self.numeric
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
    #[inline]
    pub(in crate::sf) fn load(&self, bytes: u128) -> Texel {
        let mut texel = [0, 0, 0, self.one()];
        if self.shape == Shape::Any {
            for (value, channel) in texel.iter_mut().zip(self.layout.channels) {
                if let Some(channel) = channel {
                    *value = load(channel, (bytes >> channel.at) as u32);
                }
            }
            return texel;
        }
        let low = bytes as u32;
        for (index, (value, channel)) in texel.iter_mut().zip(&self.layout.channels).enumerate() {
            let Some(channel) = channel else {
                continue;
            };
            *value = match self.shape {
                Shape::Bytes => low >> channel.at & 0xff,
                Shape::UnormBytes => UNORM_BYTES[(low >> channel.at & 0xff) as usize],
                Shape::Dwords => (bytes >> (32 * index)) as u32,
                Shape::Any => break,
            };
        }
        texel
    }

    /// The channels of the first `count` texels of a dword: what [`load`](Self::load) gives for each.
    pub(in crate::sf) fn load_dwords(
        &self,
        texels: &[u32; LANES],
        count: usize,
    ) -> [[u32; LANES]; 4] {
        let mut channels = [[0; LANES]; 4];
        if !matches!(self.shape, Shape::Bytes | Shape::UnormBytes) {
            for (lane, &bits) in texels.iter().enumerate().take(count) {
                for (channel, value) in channels.iter_mut().zip(self.load(bits.into())) {
                    channel[lane] = value;
                }
            }
            return channels;
        }
        let absent = [0, 0, 0, self.one()];
        for ((values, channel), absent) in
            channels.iter_mut().zip(&self.layout.channels).zip(absent)
        {
            let Some(channel) = channel else {
                values.fill(absent);
                continue;
            };
            for (value, bits) in values.iter_mut().zip(texels).take(count) {
                *value = bits >> (channel.at & 31) & 0xff;
            }
            if self.shape == Shape::UnormBytes {
                for value in values.iter_mut().take(count) {
                    *value = UNORM_BYTES[(*value & 0xff) as usize];
                }
            }
        }
        channels
    }

    /// Whether texels have a component.
    pub(in crate::sf) fn has(&self, component: usize) -> bool {
        let channel = self.layout.channels.get(component);
        channel.is_some_and(Option::is_some)
    }

    /// Whether `components` are all that the format has.
    pub(in crate::sf) fn is_whole(&self, components: u8) -> bool {
        self.whole.is_some_and(|all| all & !components == 0)
    }

    /// The first `count` texels of a dword from channels, if [`is_whole`](Self::is_whole).
    pub(in crate::sf) fn store_dwords(
        &self,
        channels: &[[u32; LANES]; 4],
        count: usize,
    ) -> [u32; LANES] {
        let mut texels = [0; LANES];
        if self.shape != Shape::Bytes {
            for (lane, texel) in texels.iter_mut().enumerate().take(count) {
                let [r, g, b, a] = channels.each_ref().map(|values| values[lane]);
                *texel = self.store([r, g, b, a], 0xf).0 as u32;
            }
            return texels;
        }
        for (values, channel) in channels.iter().zip(&self.layout.channels) {
            let Some(channel) = channel else {
                continue;
            };
            for (texel, value) in texels.iter_mut().zip(values).take(count) {
                *texel |= (*value).min(0xff) << (channel.at & 31);
            }
        }
        texels
    }

    /// The texel from `channels`, and the mask of the format's bits among the enabled `components`
    /// (bit 0 is red).
    #[inline]
    pub(in crate::sf) fn store(&self, texel: Texel, components: u8) -> (u128, u128) {
        if matches!(self.shape, Shape::Bytes | Shape::UnormBytes) {
            let (mut bytes, mut mask) = (0, 0);
            for (index, (value, channel)) in
                texel.into_iter().zip(&self.layout.channels).enumerate()
            {
                if let Some(channel) = channel
                    && components >> index & 1 != 0
                {
                    let byte = match self.shape {
                        Shape::Bytes => value.min(0xff),
                        _ => store(*channel, value) & 0xff,
                    };
                    bytes |= byte << channel.at;
                    mask |= 0xff << channel.at;
                }
            }
            return (u32::into(bytes), u32::into(mask));
        }
        let (mut bytes, mut mask) = (0, 0);
        for (index, (value, channel)) in texel.into_iter().zip(self.layout.channels).enumerate() {
            if let Some(channel) = channel
                && components >> index & 1 != 0
            {
                bytes |= u128::from(store(channel, value) & channel.mask()) << channel.at;
                mask |= u128::from(channel.mask()) << channel.at;
            }
        }
        (bytes, mask)
    }
}

/// The components of a layout, if they take all of its bits.
fn whole(layout: &TexelLayout) -> Option<u8> {
    let (mut components, mut bits) = (0, 0);
    for (index, channel) in layout.channels.iter().enumerate() {
        if let Some(channel) = channel {
            components |= 1 << index;
            bits |= u128::from(channel.mask()) << channel.at;
        }
    }
    (bits.count_ones() == 8 * u32::from(layout.bytes)).then_some(components)
}

/// A channel in register form.
fn load(channel: Channel, bits: u32) -> u32 {
    let bits = bits & channel.mask();
    match channel.numeric {
        Numeric::Uint => bits,
        Numeric::Sint => extend(channel, bits) as u32,
        Numeric::Unorm => unorm(bits, channel.mask()).to_bits(),
        Numeric::Srgb => srgb_to_linear(unorm(bits, channel.mask())).to_bits(),
        Numeric::Snorm => {
            let scale = f64::from(channel.mask() >> 1);
            ((f64::from(extend(channel, bits)) / scale).max(-1.0) as f32).to_bits()
        }
        Numeric::Float => match channel.bits {
            32 => bits,
            16 => f16::from_bits(bits as u16).to_f32().to_bits(),
            small => small_float(bits, small - 5).to_bits(),
        },
    }
}

/// Divides in double precision, so that the single-precision result is rounded once.
const fn unorm(bits: u32, most: u32) -> f32 {
    (bits as f64 / most as f64) as f32
}

fn extend(channel: Channel, bits: u32) -> i32 {
    let shift = 32 - channel.bits;
    ((bits << shift) as i32) >> shift
}

/// A channel in memory form.
fn store(channel: Channel, value: u32) -> u32 {
    let number = f32::from_bits(value);
    let normalised = |low: f32, scale: u32| {
        if number.is_nan() {
            return 0;
        }
        let scaled = f64::from(number.clamp(low, 1.0)) * f64::from(scale);
        scaled.round_ties_even() as i64 as u32
    };
    match channel.numeric {
        Numeric::Uint => value.min(channel.mask()),
        Numeric::Sint => {
            let limit = (channel.mask() >> 1) as i32;
            (value as i32).clamp(-limit - 1, limit) as u32
        }
        Numeric::Unorm => normalised(0.0, channel.mask()),
        Numeric::Srgb => {
            let number = number.clamp(0.0, 1.0);
            let encoded = linear_to_srgb(if number.is_nan() { 0.0 } else { number });
            (f64::from(encoded) * f64::from(channel.mask())).round_ties_even() as u32
        }
        Numeric::Snorm => normalised(-1.0, channel.mask() >> 1),
        Numeric::Float => match channel.bits {
            32 => value,
            16 => f16::from_f32(number).to_bits().into(),
            small => to_small_float(number, small - 5),
        },
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
    use batchbuffer::NamedValues;
    use oracles::Random;

    use super::{Format, LANES, Shape, SurfaceFormat as F};

    #[test]
    fn simple_formats_convert_as_all_do() {
        let mut random = Random::new(0x7e_7e1);
        let floats = [
            -1.0,
            -0.0,
            0.5,
            127.5 / 255.0,
            1.0,
            7.0,
            f32::INFINITY,
            f32::NAN,
        ];
        let edges = [
            0,
            1,
            0x7f,
            0x80,
            0xff,
            0x100,
            0x7fff_ffff,
            0x8000_0000,
            u32::MAX,
        ];
        let values: Vec<u32> = floats.map(f32::to_bits).into_iter().chain(edges).collect();
        let (mut simple, mut wholes) = (0, 0);
        for (name, raw) in F::NAMES {
            let Some(format) = F::from_raw(*raw).and_then(Format::of) else {
                continue;
            };
            simple += u32::from(format.shape != Shape::Any);
            let general = Format {
                shape: Shape::Any,
                ..format
            };
            let bits = u128::MAX >> (128 - 8 * u32::from(format.bytes()));
            for round in 0..256u128 {
                let value = |random: &mut Random| match round {
                    0..128 => random.pick(&values),
                    _ => random.bits() as u32,
                };
                let texel = [(); 4].map(|()| value(&mut random));
                let packed = texel.iter().fold(0, |all, v| all << 32 | u128::from(*v));
                // Each byte, in every place.
                let same = round * (u128::MAX / 0xff);
                for bytes in [packed, same].map(|bytes| bytes & bits) {
                    assert_eq!(format.load(bytes), general.load(bytes), "{name} {bytes:#x}");
                }
                if format.bytes() == 4 {
                    let mut lanes = [0; LANES];
                    let mut loaded = [[0; LANES]; 4];
                    for (lane, bits) in lanes.iter_mut().enumerate() {
                        *bits = (packed as u32).rotate_left(lane as u32);
                        let [r, g, b, a] = general.load((*bits).into());
                        for (channel, value) in loaded.iter_mut().zip([r, g, b, a]) {
                            channel[lane] = value;
                        }
                    }
                    assert_eq!(format.load_dwords(&lanes, LANES), loaded, "{name}");
                    if format.is_whole(0xf) {
                        wholes += 1;
                        let mut channels = texel.map(|value| [value; LANES]);
                        channels[0][1] = value(&mut random);
                        let stored = format.store_dwords(&channels, LANES);
                        for (lane, stored) in stored.into_iter().enumerate() {
                            let texel = channels.map(|values| values[lane]);
                            let (bits, mask) = general.store(texel, 0xf);
                            assert_eq!((stored.into(), u32::MAX.into()), (bits, mask), "{name}");
                        }
                    }
                }
                let enabled = random.bits() as u8 & 0xf;
                for components in [enabled, 0xf] {
                    let (fast, plain) = (
                        format.store(texel, components),
                        general.store(texel, components),
                    );
                    assert_eq!(fast, plain, "{name} {texel:x?} {components:#x}");
                }
            }
        }
        assert!(simple > 20 && wholes > 5 * 256, "{simple} {wholes}");
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
                let bytes = (byte * 0x0101_0101) & ((1 << (8 * format.bytes())) - 1);
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
