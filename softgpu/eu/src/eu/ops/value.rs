//! Element values: reading bits by type, and fitting results into a destination type.

use isa_encoder::Type;

use super::softfloat::{self, Format, Rounding};

/// The floating-point modes of cr0.0.
///
/// Bits: 5:4 rounding mode; 6, 7, 10 keep denormals of `df`, `f`, `hf`; 12 makes conversions from
/// float to integer use the rounding mode instead of truncating. Sources: Mesa brw_eu_defines.h
/// (BRW_CR0_*), IGC CISABuilder.hpp (RMEncoding).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FpMode {
    /// Rounding of results.
    pub rounding: Rounding,
    /// Rounding of float-to-integer conversions.
    pub to_int: Rounding,
    /// Denormals of `hf` and `bf` are kept.
    pub keep16: bool,
    /// Denormals of `f` are kept.
    pub keep32: bool,
    /// Denormals of `df` are kept.
    pub keep64: bool,
}

impl Default for FpMode {
    fn default() -> Self {
        Self::from_cr0(0)
    }
}

impl FpMode {
    /// The modes that `cr0` selects.
    pub const fn from_cr0(cr0: u32) -> Self {
        let rounding = Rounding::from_bits(cr0 >> 4);
        Self {
            rounding,
            to_int: if cr0 & 1 << 12 != 0 {
                rounding
            } else {
                Rounding::Zero
            },
            keep16: cr0 & 1 << 10 != 0,
            keep32: cr0 & 1 << 7 != 0,
            keep64: cr0 & 1 << 6 != 0,
        }
    }

    /// `bits` with a denormal flushed, unless the mode keeps those of this format.
    pub const fn flush(self, format: Format, bits: u64) -> u64 {
        let keep = match (format.exponent, format.fraction) {
            (_, 52) => self.keep64,
            (_, 23) | (8, 10) => self.keep32,
            _ => self.keep16,
        };
        if keep { bits } else { format.flush(bits) }
    }
}

/// The format of a floating-point type, `None` for others.
pub const fn format_of(ty: Type) -> Option<Format> {
    match ty {
        Type::Hf => Some(Format::F16),
        Type::Bf => Some(Format::BF16),
        Type::F | Type::Vf => Some(Format::F32),
        Type::Df => Some(Format::F64),
        Type::Tf32 => Some(Format::TF32),
        Type::Bf8 => Some(Format::BF8),
        _ => None,
    }
}

/// The bits of a float as a register holds them: `tf32` in the upper bits of its dword.
const fn stored(format: Format, bits: u64) -> u64 {
    match (format.exponent, format.fraction) {
        (8, 10) => bits << 13,
        _ => bits,
    }
}

/// The smallest and the largest value of an integer type.
pub const fn int_range(ty: Type) -> (i128, i128) {
    let bits = ty.bits();
    if ty.is_signed() {
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        (0, (1 << bits) - 1)
    }
}

/// The value of an integer element.
pub const fn int_of(raw: u64, ty: Type) -> i128 {
    let unused = 64 - ty.bits();
    if ty.is_signed() {
        (((raw << unused) as i64) >> unused) as i128
    } else {
        ((raw << unused) >> unused) as i128
    }
}

/// Element `lane` of a packed vector immediate: `v` and `uv` as words, `vf` as `f` bits.
///
/// Source: TGL PRM vol 2a / vol 7 "Numeric Data Types": a restricted float has 1 sign, 3 exponent
/// (bias 3) and 4 fraction bits, and no denormals, infinities or NaNs.
pub const fn packed_element(value: u64, ty: Type, lane: usize) -> u64 {
    match ty {
        Type::V => {
            let nibble = value >> (4 * (lane & 7)) & 0xf;
            ((((nibble << 60) as i64) >> 60) as u64) & 0xffff
        }
        Type::Uv => value >> (4 * (lane & 7)) & 0xf,
        _ => {
            let byte = value >> (8 * (lane & 3)) & 0xff;
            let sign = (byte & 0x80) << 24;
            if byte & 0x7f == 0 {
                sign
            } else {
                sign | (((byte & 0x7f) << 19) + (124 << 23))
            }
        }
    }
}

/// The element type of a packed vector immediate; other types unchanged.
pub const fn element_type(ty: Type) -> Type {
    match ty {
        Type::V => Type::W,
        Type::Uv => Type::Uw,
        Type::Vf => Type::F,
        _ => ty,
    }
}

/// A result in its destination type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fitted {
    /// The bits, zero-extended.
    pub raw: u64,
    /// The final value is zero (either sign).
    pub zero: bool,
    /// The final value is below zero.
    pub negative: bool,
    /// The result, before saturation, did not fit.
    pub overflow: bool,
    /// The final value is a NaN.
    pub unordered: bool,
}

fn describe_float(format: Format, raw: u64, overflow: bool) -> Fitted {
    let nan = format.is_nan(raw);
    let zero = format.is_zero(raw);
    Fitted {
        raw: stored(format, raw),
        zero,
        negative: !zero && !nan && format.is_negative(raw),
        overflow,
        unordered: nan,
    }
}

/// Clamps to [0, 1]; a NaN and a negative zero give +0.
pub fn saturate_float(format: Format, bits: u64) -> u64 {
    if format.is_nan(bits) || format.is_negative(bits) {
        0
    } else {
        bits.min(format.one())
    }
}

/// An integer result in type `ty`: wrapped or saturated, or converted to a float type.
pub fn fit_int(value: i128, ty: Type, saturate: bool, mode: FpMode) -> Fitted {
    if let Some(format) = format_of(ty) {
        let bits = softfloat::from_int(format, mode.rounding, value);
        let overflow = format.is_infinite(bits);
        let bits = if saturate {
            saturate_float(format, bits)
        } else {
            bits
        };
        return describe_float(format, bits, overflow);
    }
    let (low, high) = int_range(ty);
    let overflow = value < low || value > high;
    let fitted = if saturate {
        value.clamp(low, high)
    } else {
        value
    };
    let raw = fitted as u64 & (u64::MAX >> (64 - ty.bits()));
    let last = int_of(raw, ty);
    Fitted {
        raw,
        zero: last == 0,
        negative: last < 0,
        overflow,
        unordered: false,
    }
}

/// A floating-point result of `format` in type `ty`.
pub fn fit_float(bits: u64, format: Format, ty: Type, saturate: bool, mode: FpMode) -> Fitted {
    let Some(to) = format_of(ty) else {
        let (low, high) = int_range(ty);
        let value = softfloat::to_int(format, mode.to_int, bits, low, high);
        let mut fitted = fit_int(value, ty, saturate, mode);
        fitted.unordered = format.is_nan(bits);
        let wide = softfloat::to_int(format, mode.to_int, bits, low - 1, high + 1);
        fitted.overflow = wide < low || wide > high;
        return fitted;
    };
    let converted = if to == format {
        bits
    } else {
        softfloat::convert(format, to, mode.rounding, bits)
    };
    let overflow = to.is_infinite(converted) && !format.is_infinite(bits);
    let flushed = mode.flush(to, converted);
    let last = if saturate {
        saturate_float(to, flushed)
    } else {
        flushed
    };
    describe_float(to, last, overflow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_or_saturate() {
        let mode = FpMode::default();
        for (value, ty, wrapped, clamped) in [
            (300, Type::Ub, 44, 255),
            (-1, Type::Ub, 255, 0),
            (40_000, Type::W, 40_000, 32_767),
            (-40_000, Type::W, 25_536, 0x8000),
            (1 << 32, Type::Ud, 0, 0xffff_ffff),
            (1 << 31, Type::D, 1 << 31, 0x7fff_ffff),
            (-1, Type::Uq, u64::MAX, 0),
        ] {
            assert_eq!(fit_int(value, ty, false, mode).raw, wrapped, "{value} {ty}");
            let saturated = fit_int(value, ty, true, mode);
            assert_eq!(saturated.raw, clamped, "{value} {ty}");
            assert!(saturated.overflow);
        }
    }

    #[test]
    fn floats_convert_and_saturate() {
        let mode = FpMode {
            keep32: true,
            ..FpMode::default()
        };
        let bits = |x: f32| u64::from(x.to_bits());
        let f = Format::F32;
        for (x, ty, want) in [
            (3.9, Type::D, 3),
            (-3.9, Type::D, -3),
            (1e20, Type::D, i32::MAX.into()),
            (-5.0, Type::Ud, 0),
            (f32::NAN, Type::D, 0),
            (-1e20, Type::Q, i64::MIN.into()),
            (300.0, Type::Ub, 255),
        ] {
            let fitted = fit_float(bits(x), f, ty, false, mode);
            assert_eq!(int_of(fitted.raw, ty), want, "{x} {ty}");
        }
        for (x, want) in [(2.0, 1.0), (-2.0, 0.0), (0.25, 0.25), (f32::NAN, 0.0)] {
            let fitted = fit_float(bits(x), f, Type::F, true, mode);
            assert_eq!(fitted.raw, bits(want), "{x}");
        }
        let denormal = f32::from_bits(5);
        assert_eq!(fit_float(5, f, Type::F, false, mode).raw, bits(denormal));
        let flush = FpMode::default();
        assert_eq!(fit_float(5, f, Type::F, false, flush).raw, 0);
    }

    #[test]
    fn small_floats_round_to_nearest_even_and_overflow_to_infinity() {
        let mode = FpMode {
            keep16: true,
            ..FpMode::default()
        };
        let single = |x: f32, ty| fit_float(x.to_bits().into(), Format::F32, ty, false, mode).raw;
        for (x, want) in [
            (1.75, 0x3fe0_0000),
            (-2.0, 0xc000_0000),
            // Half of the last place: to even, both ways.
            (1.0 + 1.0 / 2048.0, 0x3f80_0000),
            (1.0 + 3.0 / 2048.0, 0x3f80_4000),
            (f32::MAX, 0x7f80_0000),
            (f32::INFINITY, 0x7f80_0000),
        ] {
            assert_eq!(single(x, Type::Tf32), want, "{x} to tf32");
        }
        for (x, want) in [
            (1.0, 0x3c),
            (-1.75, 0xbf),
            (1.125, 0x3c),
            (1.375, 0x3e),
            (57344.0, 0x7b),
            (65000.0, 0x7c),
            (2f32.powi(-16), 0x01),
        ] {
            assert_eq!(single(x, Type::Bf8), want, "{x} to bf8");
        }
    }

    #[test]
    fn packed_immediates_unpack() {
        let nibbles = 0xfedc_ba98;
        let signed: Vec<i16> = (0..8)
            .map(|i| packed_element(nibbles, Type::V, i) as u16 as i16)
            .collect();
        assert_eq!(signed, [-8, -7, -6, -5, -4, -3, -2, -1]);
        let floats: Vec<f32> = (0..4)
            .map(|i| f32::from_bits(packed_element(0x7f01_3080, Type::Vf, i) as u32))
            .collect();
        assert_eq!(floats, [-0.0, 1.0, 0.1328125, 31.0]);
    }
}
