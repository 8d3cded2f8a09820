//! The words of `.ze_info` and OpenCL C.

use crate::binary::info::{AccessQualifier, ValueType};
use crate::image::ImageKind;

pub(super) fn access(text: &str) -> Option<AccessQualifier> {
    match text {
        "readonly" | "read_only" => Some(AccessQualifier::ReadOnly),
        "writeonly" | "write_only" => Some(AccessQualifier::WriteOnly),
        "readwrite" | "read_write" => Some(AccessQualifier::ReadWrite),
        _ => None,
    }
}

/// `image_type` of `.ze_info`.
pub(super) fn image_kind(text: &str) -> Option<ImageKind> {
    Some(match text {
        "image_buffer" => ImageKind::D1Buffer,
        "image_1d" => ImageKind::D1,
        "image_1d_array" => ImageKind::D1Array,
        "image_2d" | "image_2d_depth" | "image_2d_media" | "image_2d_media_block" => ImageKind::D2,
        "image_2d_array" | "image_2d_array_depth" => ImageKind::D2Array,
        "image_3d" => ImageKind::D3,
        _ => return None,
    })
}

/// The image types of OpenCL C.
pub(super) fn image_kind_of_type(name: &str) -> Option<ImageKind> {
    Some(match name {
        "image1d_t" => ImageKind::D1,
        "image1d_buffer_t" => ImageKind::D1Buffer,
        "image1d_array_t" => ImageKind::D1Array,
        "image2d_t" | "image2d_depth_t" => ImageKind::D2,
        "image2d_array_t" | "image2d_array_depth_t" => ImageKind::D2Array,
        "image3d_t" => ImageKind::D3,
        _ => return None,
    })
}

/// The size of a scalar or vector of OpenCL C in bytes (6.3.2, 6.1.5); `None` for other types.
pub(super) fn natural_size(name: &str) -> Option<u32> {
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let lanes = match name.get(base.len()..)? {
        "" => 1,
        "2" => 2,
        "3" | "4" => 4,
        "8" => 8,
        "16" => 16,
        _ => return None,
    };
    let scalar = match base {
        "char" | "uchar" => 1,
        "short" | "ushort" | "half" => 2,
        "int" | "uint" | "float" => 4,
        "long" | "ulong" | "double" => 8,
        _ => return None,
    };
    Some(lanes * scalar)
}

/// The element type of an OpenCL C type.
pub(super) fn element(name: &str) -> Option<ValueType> {
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
    match base {
        "char" | "short" | "int" | "long" => Some(ValueType::Int),
        "uchar" | "ushort" | "uint" | "ulong" => Some(ValueType::Uint),
        "half" | "float" | "double" => Some(ValueType::Float),
        _ => None,
    }
}
