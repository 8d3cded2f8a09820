//! What the command line says about images and samplers.

use std::str::FromStr;

use umd::{
    AddressingMode, FilterMode, ImageFormat, ImageKind, Sampler, channel_order as order,
    channel_type as channel,
};

/// A width and a height in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimensions {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl FromStr for Dimensions {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(Sides { sides, count: 2 }) => {
                let [width, height, _] = sides;
                Ok(Dimensions { width, height })
            }
            _ => Err(format!(
                "expected WxH in pixels, such as 640x480, not {text:?}"
            )),
        }
    }
}

/// The size of an image of one to three dimensions, layers of arrays included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sides {
    /// The sides; 1 for those not written.
    sides: [u32; 3],
    /// How many are written.
    count: usize,
}

impl FromStr for Sides {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("expected W, WxH or WxHxD in pixels, such as 640x480, not {text:?}");
        let mut sides = [1; 3];
        let mut count = 0;
        for part in text.split(['x', 'X']) {
            let side = part
                .parse()
                .ok()
                .filter(|side| *side > 0 && !part.starts_with('+'));
            *sides.get_mut(count).ok_or_else(wrong)? = side.ok_or_else(wrong)?;
            count += 1;
        }
        Ok(Self { sides, count })
    }
}

/// The size and the pixels of a raw image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageShape {
    /// The size.
    pub sides: Sides,
    /// The pixels.
    pub format: PixelFormat,
}

impl ImageShape {
    /// The image for a kernel argument of this kind; if the kind is unknown, the image with this
    /// many dimensions.
    ///
    /// # Errors
    /// A message if the number of sides does not fit the kind.
    pub fn desc(&self, kind: Option<ImageKind>) -> Result<umd::ImageDesc, String> {
        let Sides { sides, count } = self.sides;
        let kind = kind.unwrap_or(match count {
            1 => ImageKind::D1,
            2 => ImageKind::D2,
            _ => ImageKind::D3,
        });
        let (needs, form) = match kind {
            ImageKind::D1 | ImageKind::D1Buffer => (1, "W"),
            ImageKind::D1Array => (2, "WxLAYERS"),
            ImageKind::D2 => (2, "WxH"),
            ImageKind::D2Array => (3, "WxHxLAYERS"),
            ImageKind::D3 => (3, "WxHxD"),
        };
        if count != needs {
            return Err(format!(
                "the kernel takes a {kind} image: its SIZE is {form}"
            ));
        }
        Ok(umd::ImageDesc::new(kind, self.format.0, sides))
    }
}

/// The pixels of a raw image: channels, bits and type in one word, such as `rgba8ui`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PixelFormat(pub ImageFormat);

/// Names of channel orders.
const ORDERS: [(&str, u32); 10] = [
    ("r", order::R),
    ("rg", order::RG),
    ("rgba", order::RGBA),
    ("bgra", order::BGRA),
    ("a", order::A),
    ("i", order::INTENSITY),
    ("l", order::LUMINANCE),
    ("d", order::DEPTH),
    ("srgba", order::SRGBA),
    ("sbgra", order::SBGRA),
];

/// Names of channel types.
const TYPES: [(&str, u32); 12] = [
    ("8", channel::UNORM8),
    ("16", channel::UNORM16),
    ("8s", channel::SNORM8),
    ("16s", channel::SNORM16),
    ("8i", channel::SINT8),
    ("16i", channel::SINT16),
    ("32i", channel::SINT32),
    ("8ui", channel::UINT8),
    ("16ui", channel::UINT16),
    ("32ui", channel::UINT32),
    ("16f", channel::HALF),
    ("32f", channel::FLOAT),
];

fn named<T: Copy>(what: &str, table: &[(&str, T)], name: &str) -> Result<T, String> {
    let found = table.iter().find(|(word, _)| *word == name);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let words: Vec<_> = table.iter().map(|(word, _)| *word).collect();
        format!(
            "unknown {what} {name:?}, expected one of {}",
            words.join(" ")
        )
    })
}

impl FromStr for PixelFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digit = text.find(|c: char| c.is_ascii_digit());
        let (channels, kind) = text.split_at(digit.unwrap_or(text.len()));
        Ok(Self(ImageFormat::new(
            named("channels", &ORDERS, channels)?,
            named("type", &TYPES, kind)?,
        )))
    }
}

/// What a sampler does outside the image, by OpenCL's names.
const ADDRESSES: [(&str, AddressingMode); 5] = [
    ("none", AddressingMode::None),
    ("clamp", AddressingMode::ClampToBorder),
    ("clamp-to-edge", AddressingMode::ClampToEdge),
    ("repeat", AddressingMode::Repeat),
    ("mirrored-repeat", AddressingMode::MirroredRepeat),
];

/// The sampler of `ADDRESS`, `FILTER` and `COORDS`.
///
/// # Errors
/// A message with the names that there are.
pub fn sampler(address: &str, filter: &str, coordinates: &str) -> Result<Sampler, String> {
    const FILTERS: [(&str, FilterMode); 2] = [
        ("nearest", FilterMode::Nearest),
        ("linear", FilterMode::Linear),
    ];
    const COORDINATES: [(&str, bool); 2] = [("unnormalized", false), ("normalized", true)];
    Ok(Sampler::new(
        named("ADDRESS", &ADDRESSES, address)?,
        named("FILTER", &FILTERS, filter)?,
        named("COORDS", &COORDINATES, coordinates)?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_channels_bits_and_type() {
        let format = |text: &str| text.parse::<PixelFormat>().map(|f| f.0);
        assert_eq!(
            format("rgba16f"),
            Ok(ImageFormat::new(order::RGBA, channel::HALF))
        );
        assert_eq!(
            format("a8"),
            Ok(ImageFormat::new(order::A, channel::UNORM8))
        );
        for wrong in ["", "rgba", "rgb8", "r64ui", "r32", "8ui"] {
            assert!(format(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_fit_the_kind() {
        let shape = |size: &str| ImageShape {
            sides: size.parse().unwrap(),
            format: "r8".parse().unwrap(),
        };
        let extent = |size, kind| shape(size).desc(kind).map(|desc| desc.extent());
        assert_eq!(extent("7", None), Ok([7, 1, 1]));
        assert_eq!(extent("7x5", Some(ImageKind::D1Array)), Ok([7, 5, 1]));
        assert_eq!(extent("7x5x3", Some(ImageKind::D2Array)), Ok([7, 5, 3]));
        assert_eq!(extent("7x5x3", None), Ok([7, 5, 3]));
        assert!(
            extent("7x5", Some(ImageKind::D3))
                .unwrap_err()
                .contains("WxHxD")
        );
        for wrong in ["", "0", "1x", "1x2x3x4", "+1", "-1"] {
            assert!(wrong.parse::<Sides>().is_err(), "{wrong}");
        }
    }
}
