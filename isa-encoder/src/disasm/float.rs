//! Floating-point immediates as text that reads back as the same bits.

use alloc::string::String;
use core::fmt::Write;

use half::f16;

use crate::Type;

/// Appends `bits`: a decimal number if it means exactly these bits, otherwise hexadecimal digits.
pub fn write(out: &mut String, bits: u64, ty: Type) {
    let start = out.len();
    let exact = match ty {
        Type::Hf => {
            let value = f16::from_bits(bits as u16);
            let _ = write!(out, "{:?}", value.to_f32());
            value.is_finite() && read(&out[start..], ty) == Some(bits)
        }
        Type::F => {
            let value = f32::from_bits(bits as u32);
            let _ = write!(out, "{value:?}");
            value.is_finite() && read(&out[start..], ty) == Some(bits)
        }
        _ => {
            let value = f64::from_bits(bits);
            let _ = write!(out, "{value:?}");
            value.is_finite() && read(&out[start..], ty) == Some(bits)
        }
    };
    if !exact {
        out.truncate(start);
        let digits = ty.bits() as usize / 4;
        let _ = write!(out, "0x{bits:0digits$X}");
    }
}

/// The bits of a decimal number: read as a double, then rounded to the type, as IGA does.
pub fn read(text: &str, ty: Type) -> Option<u64> {
    round(text.parse().ok()?, ty)
}

/// The bits of a double, rounded to nearest in a type of half, single or double precision.
pub fn round(value: f64, ty: Type) -> Option<u64> {
    Some(match ty {
        Type::Hf => u64::from(f16::from_f64(value).to_bits()),
        Type::F => u64::from((value as f32).to_bits()),
        Type::Df => value.to_bits(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use super::{read, write};
    use crate::Type;

    #[test]
    fn what_is_written_reads_back() {
        for bits in [0u32, 0x8000_0000, 0x3f80_0000, 0x3dcc_cccd, 1, 0x7f7f_ffff] {
            let mut text = String::new();
            write(&mut text, u64::from(bits), Type::F);
            assert_eq!(read(&text, Type::F), Some(u64::from(bits)), "{text}");
        }
    }

    #[test]
    fn what_is_not_finite_is_hexadecimal() {
        let mut text = String::new();
        write(&mut text, 0x7f80_0000, Type::F);
        assert_eq!(text, "0x7F800000");
        text.clear();
        write(&mut text, 0x7e01, Type::Hf);
        assert_eq!(text, "0x7E01");
    }
}
