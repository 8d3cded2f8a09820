//! Surface formats. A format's name says where its channels are: they follow each other from the
//! lowest bit on.

use crate::value::NamedValues;

named_values! {
    /// How the texels of a surface are laid out (RENDER_SURFACE_STATE, "Surface
    /// Format"). Compressed ASTC formats, which only Gen9 to Gen12LP have, are
    /// left out.
    ///
    /// Source: TGL PRM vol 2d, SURFACE_FORMAT.
    SurfaceFormat {
        R32G32B32A32_FLOAT = 0x000,
        R32G32B32A32_SINT = 0x001,
        R32G32B32A32_UINT = 0x002,
        R32G32B32A32_UNORM = 0x003,
        R32G32B32A32_SNORM = 0x004,
        R64G64_FLOAT = 0x005,
        R32G32B32X32_FLOAT = 0x006,
        R32G32B32A32_SSCALED = 0x007,
        R32G32B32A32_USCALED = 0x008,
        R32G32B32A32_SFIXED = 0x020,
        R64G64_PASSTHRU = 0x021,
        R32G32B32_FLOAT = 0x040,
        R32G32B32_SINT = 0x041,
        R32G32B32_UINT = 0x042,
        R32G32B32_UNORM = 0x043,
        R32G32B32_SNORM = 0x044,
        R32G32B32_SSCALED = 0x045,
        R32G32B32_USCALED = 0x046,
        R32G32B32_SFIXED = 0x050,
        R16G16B16A16_UNORM = 0x080,
        R16G16B16A16_SNORM = 0x081,
        R16G16B16A16_SINT = 0x082,
        R16G16B16A16_UINT = 0x083,
        R16G16B16A16_FLOAT = 0x084,
        R32G32_FLOAT = 0x085,
        R32G32_SINT = 0x086,
        R32G32_UINT = 0x087,
        R32_FLOAT_X8X24_TYPELESS = 0x088,
        X32_TYPELESS_G8X24_UINT = 0x089,
        L32A32_FLOAT = 0x08a,
        R32G32_UNORM = 0x08b,
        R32G32_SNORM = 0x08c,
        R64_FLOAT = 0x08d,
        R16G16B16X16_UNORM = 0x08e,
        R16G16B16X16_FLOAT = 0x08f,
        A32X32_FLOAT = 0x090,
        L32X32_FLOAT = 0x091,
        I32X32_FLOAT = 0x092,
        R16G16B16A16_SSCALED = 0x093,
        R16G16B16A16_USCALED = 0x094,
        R32G32_SSCALED = 0x095,
        R32G32_USCALED = 0x096,
        R32G32_FLOAT_LD = 0x097,
        R32G32_SFIXED = 0x0a0,
        R64_PASSTHRU = 0x0a1,
        B8G8R8A8_UNORM = 0x0c0,
        B8G8R8A8_UNORM_SRGB = 0x0c1,
        R10G10B10A2_UNORM = 0x0c2,
        R10G10B10A2_UNORM_SRGB = 0x0c3,
        R10G10B10A2_UINT = 0x0c4,
        R10G10B10_SNORM_A2_UNORM = 0x0c5,
        R8G8B8A8_UNORM = 0x0c7,
        R8G8B8A8_UNORM_SRGB = 0x0c8,
        R8G8B8A8_SNORM = 0x0c9,
        R8G8B8A8_SINT = 0x0ca,
        R8G8B8A8_UINT = 0x0cb,
        R16G16_UNORM = 0x0cc,
        R16G16_SNORM = 0x0cd,
        R16G16_SINT = 0x0ce,
        R16G16_UINT = 0x0cf,
        R16G16_FLOAT = 0x0d0,
        B10G10R10A2_UNORM = 0x0d1,
        B10G10R10A2_UNORM_SRGB = 0x0d2,
        R11G11B10_FLOAT = 0x0d3,
        R10G10B10_FLOAT_A2_UNORM = 0x0d5,
        R32_SINT = 0x0d6,
        R32_UINT = 0x0d7,
        R32_FLOAT = 0x0d8,
        R24_UNORM_X8_TYPELESS = 0x0d9,
        X24_TYPELESS_G8_UINT = 0x0da,
        L32_UNORM = 0x0dd,
        A32_UNORM = 0x0de,
        L16A16_UNORM = 0x0df,
        I24X8_UNORM = 0x0e0,
        L24X8_UNORM = 0x0e1,
        A24X8_UNORM = 0x0e2,
        I32_FLOAT = 0x0e3,
        L32_FLOAT = 0x0e4,
        A32_FLOAT = 0x0e5,
        X8B8_UNORM_G8R8_SNORM = 0x0e6,
        A8X8_UNORM_G8R8_SNORM = 0x0e7,
        B8X8_UNORM_G8R8_SNORM = 0x0e8,
        B8G8R8X8_UNORM = 0x0e9,
        B8G8R8X8_UNORM_SRGB = 0x0ea,
        R8G8B8X8_UNORM = 0x0eb,
        R8G8B8X8_UNORM_SRGB = 0x0ec,
        R9G9B9E5_SHAREDEXP = 0x0ed,
        B10G10R10X2_UNORM = 0x0ee,
        L16A16_FLOAT = 0x0f0,
        R32_UNORM = 0x0f1,
        R32_SNORM = 0x0f2,
        R10G10B10X2_USCALED = 0x0f3,
        R8G8B8A8_SSCALED = 0x0f4,
        R8G8B8A8_USCALED = 0x0f5,
        R16G16_SSCALED = 0x0f6,
        R16G16_USCALED = 0x0f7,
        R32_SSCALED = 0x0f8,
        R32_USCALED = 0x0f9,
        B5G6R5_UNORM = 0x100,
        B5G6R5_UNORM_SRGB = 0x101,
        B5G5R5A1_UNORM = 0x102,
        B5G5R5A1_UNORM_SRGB = 0x103,
        B4G4R4A4_UNORM = 0x104,
        B4G4R4A4_UNORM_SRGB = 0x105,
        R8G8_UNORM = 0x106,
        R8G8_SNORM = 0x107,
        R8G8_SINT = 0x108,
        R8G8_UINT = 0x109,
        R16_UNORM = 0x10a,
        R16_SNORM = 0x10b,
        R16_SINT = 0x10c,
        R16_UINT = 0x10d,
        R16_FLOAT = 0x10e,
        A8P8_UNORM_PALETTE0 = 0x10f,
        A8P8_UNORM_PALETTE1 = 0x110,
        I16_UNORM = 0x111,
        L16_UNORM = 0x112,
        A16_UNORM = 0x113,
        L8A8_UNORM = 0x114,
        I16_FLOAT = 0x115,
        L16_FLOAT = 0x116,
        A16_FLOAT = 0x117,
        L8A8_UNORM_SRGB = 0x118,
        R5G5_SNORM_B6_UNORM = 0x119,
        B5G5R5X1_UNORM = 0x11a,
        B5G5R5X1_UNORM_SRGB = 0x11b,
        R8G8_SSCALED = 0x11c,
        R8G8_USCALED = 0x11d,
        R16_SSCALED = 0x11e,
        R16_USCALED = 0x11f,
        P8A8_UNORM_PALETTE0 = 0x122,
        P8A8_UNORM_PALETTE1 = 0x123,
        A1B5G5R5_UNORM = 0x124,
        A4B4G4R4_UNORM = 0x125,
        L8A8_UINT = 0x126,
        L8A8_SINT = 0x127,
        R8_UNORM = 0x140,
        R8_SNORM = 0x141,
        R8_SINT = 0x142,
        R8_UINT = 0x143,
        A8_UNORM = 0x144,
        I8_UNORM = 0x145,
        L8_UNORM = 0x146,
        P4A4_UNORM_PALETTE0 = 0x147,
        A4P4_UNORM_PALETTE0 = 0x148,
        R8_SSCALED = 0x149,
        R8_USCALED = 0x14a,
        P8_UNORM_PALETTE0 = 0x14b,
        L8_UNORM_SRGB = 0x14c,
        P8_UNORM_PALETTE1 = 0x14d,
        P4A4_UNORM_PALETTE1 = 0x14e,
        A4P4_UNORM_PALETTE1 = 0x14f,
        Y8_UNORM = 0x150,
        L8_UINT = 0x152,
        L8_SINT = 0x153,
        I8_UINT = 0x154,
        I8_SINT = 0x155,
        DXT1_RGB_SRGB = 0x180,
        R1_UNORM = 0x181,
        YCRCB_NORMAL = 0x182,
        YCRCB_SWAPUVY = 0x183,
        P2_UNORM_PALETTE0 = 0x184,
        P2_UNORM_PALETTE1 = 0x185,
        BC1_UNORM = 0x186,
        BC2_UNORM = 0x187,
        BC3_UNORM = 0x188,
        BC4_UNORM = 0x189,
        BC5_UNORM = 0x18a,
        BC1_UNORM_SRGB = 0x18b,
        BC2_UNORM_SRGB = 0x18c,
        BC3_UNORM_SRGB = 0x18d,
        MONO8 = 0x18e,
        YCRCB_SWAPUV = 0x18f,
        YCRCB_SWAPY = 0x190,
        DXT1_RGB = 0x191,
        FXT1 = 0x192,
        R8G8B8_UNORM = 0x193,
        R8G8B8_SNORM = 0x194,
        R8G8B8_SSCALED = 0x195,
        R8G8B8_USCALED = 0x196,
        R64G64B64A64_FLOAT = 0x197,
        R64G64B64_FLOAT = 0x198,
        BC4_SNORM = 0x199,
        BC5_SNORM = 0x19a,
        R16G16B16_FLOAT = 0x19b,
        R16G16B16_UNORM = 0x19c,
        R16G16B16_SNORM = 0x19d,
        R16G16B16_SSCALED = 0x19e,
        R16G16B16_USCALED = 0x19f,
        BC6H_SF16 = 0x1a1,
        BC7_UNORM = 0x1a2,
        BC7_UNORM_SRGB = 0x1a3,
        BC6H_UF16 = 0x1a4,
        PLANAR_420_8 = 0x1a5,
        PLANAR_420_16 = 0x1a6,
        R8G8B8_UNORM_SRGB = 0x1a8,
        ETC1_RGB8 = 0x1a9,
        ETC2_RGB8 = 0x1aa,
        EAC_R11 = 0x1ab,
        EAC_RG11 = 0x1ac,
        EAC_SIGNED_R11 = 0x1ad,
        EAC_SIGNED_RG11 = 0x1ae,
        ETC2_SRGB8 = 0x1af,
        R16G16B16_UINT = 0x1b0,
        R16G16B16_SINT = 0x1b1,
        R32_SFIXED = 0x1b2,
        R10G10B10A2_SNORM = 0x1b3,
        R10G10B10A2_USCALED = 0x1b4,
        R10G10B10A2_SSCALED = 0x1b5,
        R10G10B10A2_SINT = 0x1b6,
        B10G10R10A2_SNORM = 0x1b7,
        B10G10R10A2_USCALED = 0x1b8,
        B10G10R10A2_SSCALED = 0x1b9,
        B10G10R10A2_UINT = 0x1ba,
        B10G10R10A2_SINT = 0x1bb,
        R64G64B64A64_PASSTHRU = 0x1bc,
        R64G64B64_PASSTHRU = 0x1bd,
        ETC2_RGB8_PTA = 0x1c0,
        ETC2_SRGB8_PTA = 0x1c1,
        ETC2_EAC_RGBA8 = 0x1c2,
        ETC2_EAC_SRGB8_A8 = 0x1c3,
        R8G8B8_UINT = 0x1c8,
        R8G8B8_SINT = 0x1c9,
        RAW = 0x1ff,
    }
}

/// How the bits of a channel are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numeric {
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
pub struct Channel {
    /// How its bits are read.
    pub numeric: Numeric,
    /// The first bit.
    pub at: u8,
    /// Bits: 1 to 32.
    pub bits: u8,
}

impl Channel {
    /// Ones in as many bits as it has.
    pub const fn mask(self) -> u32 {
        u32::MAX >> (32 - self.bits)
    }
}

/// A texel in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TexelLayout {
    /// Bytes.
    pub bytes: u8,
    /// Where red, green, blue and alpha are. Luminance is read as all colours, intensity as all
    /// four.
    pub channels: [Option<Channel>; 4],
}

impl SurfaceFormat {
    /// The format of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        let (_, raw) = Self::NAMES.iter().find(|(other, _)| *other == name)?;
        Self::from_raw(*raw)
    }

    /// How a texel lies in memory; `None` for formats of other channels, of blocks and of palettes.
    pub fn texel(self) -> Option<TexelLayout> {
        let (name, _) = Self::NAMES.iter().find(|(_, raw)| *raw == self.raw())?;
        let mut channels = [None; 4];
        let mut at = 0;
        let mut words = name.split('_').peekable();
        while let Some(mut components) = words.next() {
            let numeric = match words.next()? {
                "UNORM" if words.next_if_eq(&"SRGB").is_some() => Some(Numeric::Srgb),
                "UNORM" => Some(Numeric::Unorm),
                "SNORM" => Some(Numeric::Snorm),
                "UINT" => Some(Numeric::Uint),
                "SINT" => Some(Numeric::Sint),
                "FLOAT" => Some(Numeric::Float),
                "TYPELESS" => None,
                _ => return None,
            };
            while let Some(letter) = components.chars().next() {
                let rest = components.get(1..)?;
                let digits = rest.find(|c: char| !c.is_ascii_digit());
                let (bits, next) = rest.split_at(digits.unwrap_or(rest.len()));
                let bits = bits.parse().ok().filter(|bits| (1..=32).contains(bits))?;
                let places = match letter {
                    'R' => 0..1,
                    'G' => 1..2,
                    'B' => 2..3,
                    'A' => 3..4,
                    'L' => 0..3,
                    'I' => 0..4,
                    'X' => 0..0,
                    _ => return None,
                };
                for place in places {
                    // Alpha is linear in sRGB formats.
                    let numeric = match numeric? {
                        Numeric::Srgb if place == 3 => Numeric::Unorm,
                        numeric => numeric,
                    };
                    channels[place] = Some(Channel { numeric, at, bits });
                }
                at += bits;
                components = next;
            }
        }
        let bytes = at / 8;
        at.is_multiple_of(8)
            .then_some(TexelLayout { bytes, channels })
    }
}

#[cfg(test)]
mod tests {
    use super::{Numeric, SurfaceFormat as F};

    #[test]
    fn names_say_where_channels_are() {
        let at = |format: F| {
            let texel = format.texel().unwrap();
            let place = |channel: Option<super::Channel>| channel.map(|c| (c.at, c.bits));
            (texel.bytes, texel.channels.map(place))
        };
        let bytes = [Some((0, 8)), Some((8, 8)), Some((16, 8)), Some((24, 8))];
        let [first, second, third, fourth] = bytes;
        assert_eq!(at(F::R8G8B8A8_UNORM), (4, bytes));
        assert_eq!(
            at(F::B8G8R8A8_UNORM_SRGB),
            (4, [third, second, first, fourth])
        );
        assert_eq!(at(F::B8G8R8X8_UNORM), (4, [third, second, first, None]));
        let five_six = [Some((11, 5)), Some((5, 6)), Some((0, 5)), None];
        assert_eq!(at(F::B5G6R5_UNORM), (2, five_six));
        let small = [Some((0, 11)), Some((11, 11)), Some((22, 10)), None];
        assert_eq!(at(F::R11G11B10_FLOAT), (4, small));
        assert_eq!(
            at(F::R24_UNORM_X8_TYPELESS),
            (4, [Some((0, 24)), None, None, None])
        );
        let single = Some((0, 32));
        assert_eq!(
            at(F::R32_FLOAT_X8X24_TYPELESS),
            (8, [single, None, None, None])
        );
        assert_eq!(at(F::I32_FLOAT), (4, [single; 4]));
        assert_eq!(at(F::L32_FLOAT), (4, [single, single, single, None]));
        assert_eq!(at(F::A32_FLOAT), (4, [None, None, None, single]));
        let srgb = F::R8G8B8A8_UNORM_SRGB.texel().unwrap().channels;
        let numeric = srgb.map(|channel| channel.unwrap().numeric);
        let (colour, alpha) = (Numeric::Srgb, Numeric::Unorm);
        assert_eq!(numeric, [colour, colour, colour, alpha]);
        for other in [
            F::RAW,
            F::BC1_UNORM,
            F::R64_FLOAT,
            F::R1_UNORM,
            F::R32G32_FLOAT_LD,
        ] {
            assert_eq!(other.texel(), None, "{other:?}");
        }
        assert_eq!(F::from_name("R16_FLOAT"), Some(F::R16_FLOAT));
    }
}
