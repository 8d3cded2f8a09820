//! Fill colours as texels (specification, sections 5.3.2.6 and "Conversion Rules" of OpenCL C).

#![allow(non_upper_case_globals, reason = "the names of the headers")]

use half::f16;
use opencl_sys::*;

/// Bytes of a colour as programs give it: four floats or integers, or one float for depth.
pub(crate) fn bytes(format: cl_image_format) -> usize {
    match format.image_channel_order {
        CL_DEPTH => 4,
        _ => 16,
    }
}

/// The texel of a colour; `None` if the format is not one that images have.
pub(crate) fn texel(format: cl_image_format, color: &[u8]) -> Option<Vec<u8>> {
    let word = |index: usize| {
        let bytes = color.get(4 * index..4 * index + 4)?;
        bytes.try_into().ok().map(u32::from_ne_bytes)
    };
    // The channels of the texel, in memory order, by their places in the colour.
    let channels: &[usize] = match format.image_channel_order {
        CL_R | CL_INTENSITY | CL_LUMINANCE | CL_DEPTH => &[0],
        CL_A => &[3],
        CL_RG => &[0, 1],
        CL_RGBA | CL_sRGBA => &[0, 1, 2, 3],
        CL_BGRA | CL_sBGRA => &[2, 1, 0, 3],
        _ => return None,
    };
    let is_srgb = matches!(format.image_channel_order, CL_sRGBA | CL_sBGRA);
    let mut texel = Vec::with_capacity(16);
    for &channel in channels {
        let mut word = word(channel)?;
        if is_srgb && channel < 3 {
            word = srgb(f32::from_bits(word)).to_bits();
        }
        texel.extend(channel_bytes(format.image_channel_data_type, word)?);
    }
    Some(texel)
}

/// "c' = 12.92 × c" below 0.0031308, else "1.055 × c^(1 / 2.4) - 0.055".
fn srgb(linear: f32) -> f32 {
    match linear {
        c if c.is_nan() || c < 0.0 => 0.0,
        c if c > 1.0 => 1.0,
        c if c < 0.003_130_8 => 12.92 * c,
        c => 1.055 * c.powf(1.0 / 2.4) - 0.055,
    }
}

/// One channel, little endian, of the bits of a float or integer.
fn channel_bytes(kind: cl_channel_type, word: u32) -> Option<Vec<u8>> {
    let float = f32::from_bits(word);
    let signed = word as i32;
    // "convert_uchar_sat_rte(f * 255.0f)" and its like.
    let scaled = |scale: f32, low: f32| (float * scale).round_ties_even().clamp(low, scale);
    Some(match kind {
        CL_UNORM_INT8 => vec![scaled(255.0, 0.0) as u8],
        CL_UNORM_INT16 => (scaled(65535.0, 0.0) as u16).to_le_bytes().to_vec(),
        CL_SNORM_INT8 => (scaled(127.0, -128.0) as i8).to_le_bytes().to_vec(),
        CL_SNORM_INT16 => (scaled(32767.0, -32768.0) as i16).to_le_bytes().to_vec(),
        CL_SIGNED_INT8 => (signed.clamp(-128, 127) as i8).to_le_bytes().to_vec(),
        CL_SIGNED_INT16 => (signed.clamp(-32768, 32767) as i16).to_le_bytes().to_vec(),
        CL_UNSIGNED_INT8 => vec![word.min(255) as u8],
        CL_UNSIGNED_INT16 => (word.min(65535) as u16).to_le_bytes().to_vec(),
        CL_SIGNED_INT32 | CL_UNSIGNED_INT32 | CL_FLOAT => word.to_le_bytes().to_vec(),
        CL_HALF_FLOAT => f16::from_f32(float).to_le_bytes().to_vec(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(order: u32, kind: u32, color: [f32; 4]) -> Vec<u8> {
        let format = cl_image_format {
            image_channel_order: order,
            image_channel_data_type: kind,
        };
        let bytes: Vec<u8> = color.iter().flat_map(|c| c.to_ne_bytes()).collect();
        texel(format, &bytes).unwrap()
    }

    #[test]
    fn channels_have_the_order_of_memory() {
        let color = [1.0, 0.5, 0.0, 0.2];
        assert_eq!(of(CL_RGBA, CL_UNORM_INT8, color), [255, 128, 0, 51]);
        assert_eq!(of(CL_BGRA, CL_UNORM_INT8, color), [0, 128, 255, 51]);
        assert_eq!(of(CL_A, CL_UNORM_INT8, color), [51]);
    }

    #[test]
    fn values_out_of_range_are_clamped() {
        assert_eq!(of(CL_R, CL_UNORM_INT16, [2.0, 0.0, 0.0, 0.0]), [255, 255]);
        assert_eq!(of(CL_R, CL_SNORM_INT8, [-2.0, 0.0, 0.0, 0.0]), [0x80]);
        assert_eq!(of(CL_R, CL_UNORM_INT8, [f32::NAN, 0.0, 0.0, 0.0]), [0]);
        let minus = f32::from_bits(-300i32 as u32);
        assert_eq!(of(CL_R, CL_SIGNED_INT8, [minus, 0.0, 0.0, 0.0]), [0x80]);
    }

    #[test]
    fn srgb_is_not_linear() {
        assert_eq!(
            of(CL_sRGBA, CL_UNORM_INT8, [0.5, 0.0, 1.0, 0.5]),
            [188, 0, 255, 128]
        );
    }
}
