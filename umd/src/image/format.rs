//! OpenCL's image formats as the hardware's.

use std::fmt;

use batchbuffer::states::SurfaceFormat;
use batchbuffer::states::values::ShaderChannelSelect as Select;

/// A channel order and data type of OpenCL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ImageFormat {
    /// `CL_R` …: the number that `get_image_channel_order` gives; see [`channel_order`].
    pub order: u32,
    /// `CL_UNSIGNED_INT8` …: the number that `get_image_channel_data_type` gives; see
    /// [`channel_type`].
    pub data_type: u32,
}

impl ImageFormat {
    /// A format of these numbers.
    pub const fn new(order: u32, data_type: u32) -> Self {
        Self { order, data_type }
    }

    /// Bytes of a texel; `None` if there are no images of the format.
    pub fn texel_bytes(self) -> Option<u32> {
        texel(self).ok().map(|texel| texel.bytes)
    }
}

impl fmt::Display for ImageFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "order {:#x} of type {:#x}", self.order, self.data_type)
    }
}

/// Channel orders, as `cl.h` numbers them.
pub mod channel_order {
    /// `CL_R`.
    pub const R: u32 = 0x10b0;
    /// `CL_A`.
    pub const A: u32 = 0x10b1;
    /// `CL_RG`.
    pub const RG: u32 = 0x10b2;
    /// `CL_RGBA`.
    pub const RGBA: u32 = 0x10b5;
    /// `CL_BGRA`.
    pub const BGRA: u32 = 0x10b6;
    /// `CL_INTENSITY`.
    pub const INTENSITY: u32 = 0x10b8;
    /// `CL_LUMINANCE`.
    pub const LUMINANCE: u32 = 0x10b9;
    /// `CL_DEPTH`.
    pub const DEPTH: u32 = 0x10bd;
    /// `CL_sRGBA`.
    pub const SRGBA: u32 = 0x10c1;
    /// `CL_sBGRA`.
    pub const SBGRA: u32 = 0x10c2;
}

/// Channel data types, as `cl.h` numbers them.
pub mod channel_type {
    /// `CL_SNORM_INT8`.
    pub const SNORM8: u32 = 0x10d0;
    /// `CL_SNORM_INT16`.
    pub const SNORM16: u32 = 0x10d1;
    /// `CL_UNORM_INT8`.
    pub const UNORM8: u32 = 0x10d2;
    /// `CL_UNORM_INT16`.
    pub const UNORM16: u32 = 0x10d3;
    /// `CL_SIGNED_INT8`.
    pub const SINT8: u32 = 0x10d7;
    /// `CL_SIGNED_INT16`.
    pub const SINT16: u32 = 0x10d8;
    /// `CL_SIGNED_INT32`.
    pub const SINT32: u32 = 0x10d9;
    /// `CL_UNSIGNED_INT8`.
    pub const UINT8: u32 = 0x10da;
    /// `CL_UNSIGNED_INT16`.
    pub const UINT16: u32 = 0x10db;
    /// `CL_UNSIGNED_INT32`.
    pub const UINT32: u32 = 0x10dc;
    /// `CL_HALF_FLOAT`.
    pub const HALF: u32 = 0x10dd;
    /// `CL_FLOAT`.
    pub const FLOAT: u32 = 0x10de;
}

/// A texel, as the hardware has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Texel {
    pub bytes: u32,
    pub format: SurfaceFormat,
    /// What reads return as red, green, blue and alpha.
    pub channels: [Select; 4],
}

impl Texel {
    /// A texel of the same size whose channels are unsigned integers.
    pub(crate) fn as_integers(self) -> Self {
        let (format, channels) = match self.bytes {
            1 => (SurfaceFormat::R8_UINT, RED),
            2 => (SurfaceFormat::R16_UINT, RED),
            4 => (SurfaceFormat::R32_UINT, RED),
            8 => (SurfaceFormat::R32G32_UINT, RED_GREEN),
            _ => (SurfaceFormat::R32G32B32A32_UINT, ALL),
        };
        Self {
            format,
            channels,
            ..self
        }
    }
}

const RED: [Select; 4] = [Select::RED, Select::ZERO, Select::ZERO, Select::ALPHA];
const ALPHA: [Select; 4] = [Select::ZERO, Select::ZERO, Select::ZERO, Select::ALPHA];
const RED_GREEN: [Select; 4] = [Select::RED, Select::GREEN, Select::ZERO, Select::ALPHA];
const INTENSITY: [Select; 4] = [Select::RED, Select::RED, Select::RED, Select::RED];
const LUMINANCE: [Select; 4] = [Select::RED, Select::RED, Select::RED, Select::ALPHA];
const ALL: [Select; 4] = [Select::RED, Select::GREEN, Select::BLUE, Select::ALPHA];

/// The hardware's form of a format.
pub(crate) fn texel(format: ImageFormat) -> Result<Texel, String> {
    use channel_order as o;
    use channel_type as t;
    let (bits, numeric) = match format.data_type {
        t::UNORM8 => (8, "UNORM"),
        t::SNORM8 => (8, "SNORM"),
        t::SINT8 => (8, "SINT"),
        t::UINT8 => (8, "UINT"),
        t::UNORM16 => (16, "UNORM"),
        t::SNORM16 => (16, "SNORM"),
        t::SINT16 => (16, "SINT"),
        t::UINT16 => (16, "UINT"),
        t::HALF => (16, "FLOAT"),
        t::SINT32 => (32, "SINT"),
        t::UINT32 => (32, "UINT"),
        t::FLOAT => (32, "FLOAT"),
        _ => (0, ""),
    };
    let is_integer = numeric.ends_with("INT");
    let (components, channels) = match format.order {
        o::R => ("R", RED),
        o::DEPTH if matches!(format.data_type, t::FLOAT | t::UNORM16) => ("R", RED),
        o::INTENSITY if !is_integer => ("R", INTENSITY),
        o::LUMINANCE if !is_integer => ("R", LUMINANCE),
        o::A if !is_integer && numeric != "SNORM" => ("A", ALPHA),
        o::RG => ("RG", RED_GREEN),
        o::RGBA => ("RGBA", ALL),
        o::SRGBA if format.data_type == t::UNORM8 => ("RGBA", ALL),
        o::BGRA | o::SBGRA if format.data_type == t::UNORM8 => ("BGRA", ALL),
        _ => ("", ALL),
    };
    let srgb = match format.order {
        o::SRGBA | o::SBGRA => "_SRGB",
        _ => "",
    };
    let mut name: String = components.chars().map(|c| format!("{c}{bits}")).collect();
    name += &format!("_{numeric}{srgb}");
    let found = SurfaceFormat::from_name(&name).and_then(|format| {
        let bytes = format.texel()?.bytes.into();
        Some(Texel {
            bytes,
            format,
            channels,
        })
    });
    found.ok_or_else(|| format!("the format of channel {format} is not supported"))
}
