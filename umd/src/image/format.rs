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
    let of = |channels| {
        move |bytes, format| {
            Some(Texel {
                bytes,
                format,
                channels,
            })
        }
    };
    let one = match format.order {
        o::INTENSITY => Some(INTENSITY),
        o::LUMINANCE => Some(LUMINANCE),
        o::R | o::DEPTH => Some(RED),
        _ => None,
    };
    let found = match (format.order, format.data_type) {
        (o::R, t::SINT8) => of(RED)(1, SurfaceFormat::R8_SINT),
        (o::R, t::SINT16) => of(RED)(2, SurfaceFormat::R16_SINT),
        (o::R, t::SINT32) => of(RED)(4, SurfaceFormat::R32_SINT),
        (o::R, t::UINT8) => of(RED)(1, SurfaceFormat::R8_UINT),
        (o::R, t::UINT16) => of(RED)(2, SurfaceFormat::R16_UINT),
        (o::R, t::UINT32) => of(RED)(4, SurfaceFormat::R32_UINT),
        (o::R | o::INTENSITY | o::LUMINANCE | o::DEPTH, kind) => {
            let of = of(one.unwrap_or(RED));
            match kind {
                t::FLOAT => of(4, SurfaceFormat::R32_FLOAT),
                t::UNORM16 => of(2, SurfaceFormat::R16_UNORM),
                _ if format.order == o::DEPTH => None,
                t::UNORM8 => of(1, SurfaceFormat::R8_UNORM),
                t::SNORM8 => of(1, SurfaceFormat::R8_SNORM),
                t::SNORM16 => of(2, SurfaceFormat::R16_SNORM),
                t::HALF => of(2, SurfaceFormat::R16_FLOAT),
                _ => None,
            }
        }
        (o::A, t::UNORM8) => of(ALPHA)(1, SurfaceFormat::A8_UNORM),
        (o::A, t::UNORM16) => of(ALPHA)(2, SurfaceFormat::A16_UNORM),
        (o::A, t::HALF) => of(ALPHA)(2, SurfaceFormat::A16_FLOAT),
        (o::A, t::FLOAT) => of(ALPHA)(4, SurfaceFormat::A32_FLOAT),
        (o::RG, kind) => {
            let of = of(RED_GREEN);
            match kind {
                t::UNORM8 => of(2, SurfaceFormat::R8G8_UNORM),
                t::SNORM8 => of(2, SurfaceFormat::R8G8_SNORM),
                t::SINT8 => of(2, SurfaceFormat::R8G8_SINT),
                t::UINT8 => of(2, SurfaceFormat::R8G8_UINT),
                t::UNORM16 => of(4, SurfaceFormat::R16G16_UNORM),
                t::SNORM16 => of(4, SurfaceFormat::R16G16_SNORM),
                t::SINT16 => of(4, SurfaceFormat::R16G16_SINT),
                t::UINT16 => of(4, SurfaceFormat::R16G16_UINT),
                t::HALF => of(4, SurfaceFormat::R16G16_FLOAT),
                t::SINT32 => of(8, SurfaceFormat::R32G32_SINT),
                t::UINT32 => of(8, SurfaceFormat::R32G32_UINT),
                t::FLOAT => of(8, SurfaceFormat::R32G32_FLOAT),
                _ => None,
            }
        }
        (o::RGBA, kind) => {
            let of = of(ALL);
            match kind {
                t::UNORM8 => of(4, SurfaceFormat::R8G8B8A8_UNORM),
                t::SNORM8 => of(4, SurfaceFormat::R8G8B8A8_SNORM),
                t::SINT8 => of(4, SurfaceFormat::R8G8B8A8_SINT),
                t::UINT8 => of(4, SurfaceFormat::R8G8B8A8_UINT),
                t::UNORM16 => of(8, SurfaceFormat::R16G16B16A16_UNORM),
                t::SNORM16 => of(8, SurfaceFormat::R16G16B16A16_SNORM),
                t::SINT16 => of(8, SurfaceFormat::R16G16B16A16_SINT),
                t::UINT16 => of(8, SurfaceFormat::R16G16B16A16_UINT),
                t::HALF => of(8, SurfaceFormat::R16G16B16A16_FLOAT),
                t::SINT32 => of(16, SurfaceFormat::R32G32B32A32_SINT),
                t::UINT32 => of(16, SurfaceFormat::R32G32B32A32_UINT),
                t::FLOAT => of(16, SurfaceFormat::R32G32B32A32_FLOAT),
                _ => None,
            }
        }
        (o::BGRA, t::UNORM8) => of(ALL)(4, SurfaceFormat::B8G8R8A8_UNORM),
        (o::SRGBA, t::UNORM8) => of(ALL)(4, SurfaceFormat::R8G8B8A8_UNORM_SRGB),
        (o::SBGRA, t::UNORM8) => of(ALL)(4, SurfaceFormat::B8G8R8A8_UNORM_SRGB),
        _ => None,
    };
    found.ok_or_else(|| format!("the format of channel {format} is not supported"))
}
