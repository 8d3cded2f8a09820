//! Element types of buffers and scalars: how to read, write and show one.

use std::fmt;
use std::str::FromStr;

use half::f16;

/// A scalar type of OpenCL C under its short name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementType {
    /// `char`
    I8,
    /// `uchar`
    U8,
    /// `short`
    I16,
    /// `ushort`
    U16,
    /// `int`
    I32,
    /// `uint`
    U32,
    /// `long`
    I64,
    /// `ulong`
    U64,
    /// `half`
    F16,
    /// `float`
    F32,
    /// `double`
    F64,
}

impl ElementType {
    /// Every type with its name.
    pub const ALL: [(ElementType, &'static str); 11] = [
        (ElementType::I8, "i8"),
        (ElementType::U8, "u8"),
        (ElementType::I16, "i16"),
        (ElementType::U16, "u16"),
        (ElementType::I32, "i32"),
        (ElementType::U32, "u32"),
        (ElementType::I64, "i64"),
        (ElementType::U64, "u64"),
        (ElementType::F16, "f16"),
        (ElementType::F32, "f32"),
        (ElementType::F64, "f64"),
    ];

    /// The element type of `source`, a pointer or vector type of OpenCL C such as `uchar4*`; `None`
    /// if that is no scalar or vector.
    pub fn of_source(source: &str) -> Option<Self> {
        let name = source.trim_end_matches(['*', ' ']);
        let scalar = name.trim_end_matches(|c: char| c.is_ascii_digit());
        if !matches!(&name[scalar.len()..], "" | "2" | "3" | "4" | "8" | "16") {
            return None;
        }
        Some(match scalar {
            "char" => ElementType::I8,
            "uchar" => ElementType::U8,
            "short" => ElementType::I16,
            "ushort" => ElementType::U16,
            "int" => ElementType::I32,
            "uint" => ElementType::U32,
            "long" => ElementType::I64,
            "ulong" => ElementType::U64,
            "half" => ElementType::F16,
            "float" => ElementType::F32,
            "double" => ElementType::F64,
            _ => return None,
        })
    }

    /// The size of one element in bytes.
    pub fn size(self) -> usize {
        match self {
            ElementType::I8 | ElementType::U8 => 1,
            ElementType::I16 | ElementType::U16 | ElementType::F16 => 2,
            ElementType::I32 | ElementType::U32 | ElementType::F32 => 4,
            ElementType::I64 | ElementType::U64 | ElementType::F64 => 8,
        }
    }

    /// Whether elements are floating-point numbers.
    pub fn is_float(self) -> bool {
        matches!(self, ElementType::F16 | ElementType::F32 | ElementType::F64)
    }

    /// The little-endian bytes of the value in `text`.
    ///
    /// Integers are decimal or `0x` hexadecimal (a bit pattern, for signed types too); floats
    /// are what Rust's `f64` reads, `inf` and `nan` included.
    ///
    /// # Errors
    /// A text that names the type and its limits.
    pub fn encode(self, text: &str) -> Result<Vec<u8>, String> {
        if self.is_float() {
            return self.encode_float(text);
        }
        let bits = self.size() as u32 * 8;
        let signed = matches!(
            self,
            ElementType::I8 | ElementType::I16 | ElementType::I32 | ElementType::I64
        );
        let (low, high) = match (signed, text.starts_with("0x") || text.starts_with("0X")) {
            (true, false) => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
            _ => (0, (1i128 << bits) - 1),
        };
        let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        let value = match hex {
            Some(hex) if !hex.starts_with(['+', '-']) => i128::from_str_radix(hex, 16).ok(),
            Some(_) => None,
            None => text.parse::<i128>().ok(),
        };
        match value {
            Some(value) if (low..=high).contains(&value) => {
                Ok(value.to_le_bytes().into_iter().take(self.size()).collect())
            }
            Some(_) => Err(format!("{text} does not fit {self} ({low} to {high})")),
            None => Err(format!("expected a whole number for {self}, not {text:?}")),
        }
    }

    fn encode_float(self, text: &str) -> Result<Vec<u8>, String> {
        let wrong = || format!("expected a number for {self}, not {text:?}");
        // Only a written infinity gives infinity.
        let held = |is_finite: bool| match is_finite || !text.contains(|c: char| c.is_ascii_digit())
        {
            true => Ok(()),
            false => Err(format!("{text} is beyond what {self} can hold")),
        };
        Ok(match self {
            // Through f64 the text would be rounded twice; f32 rounds once.
            ElementType::F32 => {
                let value: f32 = text.parse().map_err(|_| wrong())?;
                held(value.is_finite())?;
                value.to_le_bytes().to_vec()
            }
            ElementType::F16 => {
                let value = f16::from_f64(text.parse().map_err(|_| wrong())?);
                held(value.is_finite())?;
                value.to_le_bytes().to_vec()
            }
            _ => {
                let value: f64 = text.parse().map_err(|_| wrong())?;
                held(value.is_finite())?;
                value.to_le_bytes().to_vec()
            }
        })
    }

    /// The element in `bytes` as an exact integer, or `None` for a float type or short bytes.
    pub fn integer(self, bytes: &[u8]) -> Option<i128> {
        Some(match self {
            ElementType::I8 => i8::from_le_bytes(first(bytes)?).into(),
            ElementType::U8 => u8::from_le_bytes(first(bytes)?).into(),
            ElementType::I16 => i16::from_le_bytes(first(bytes)?).into(),
            ElementType::U16 => u16::from_le_bytes(first(bytes)?).into(),
            ElementType::I32 => i32::from_le_bytes(first(bytes)?).into(),
            ElementType::U32 => u32::from_le_bytes(first(bytes)?).into(),
            ElementType::I64 => i64::from_le_bytes(first(bytes)?).into(),
            ElementType::U64 => u64::from_le_bytes(first(bytes)?).into(),
            ElementType::F16 | ElementType::F32 | ElementType::F64 => return None,
        })
    }

    /// The element in `bytes` as `f64`, or `None` if there are too few bytes.
    pub fn float(self, bytes: &[u8]) -> Option<f64> {
        Some(match self {
            ElementType::F16 => f16::from_le_bytes(first(bytes)?).into(),
            ElementType::F32 => f32::from_le_bytes(first(bytes)?).into(),
            ElementType::F64 => f64::from_le_bytes(first(bytes)?),
            integer => integer.integer(bytes)? as f64,
        })
    }

    /// The element in `bytes` as text; floats print the shortest digits that read back equal.
    pub fn show(self, bytes: &[u8]) -> Option<String> {
        Some(match self {
            ElementType::F16 => f16::from_le_bytes(first(bytes)?).to_string(),
            ElementType::F32 => f32::from_le_bytes(first(bytes)?).to_string(),
            ElementType::F64 => f64::from_le_bytes(first(bytes)?).to_string(),
            integer => integer.integer(bytes)?.to_string(),
        })
    }

    /// How many representable values lie between two elements of a float type.
    ///
    /// `None` for integer types, short bytes, or if exactly one of the two is a NaN.
    pub fn ulps(self, left: &[u8], right: &[u8]) -> Option<u64> {
        let ordered = |bytes: &[u8]| -> Option<i64> {
            // Maps the sign-magnitude order of IEEE 754 to the order of integers.
            Some(match self {
                ElementType::F16 => {
                    let bits = i16::from_le_bytes(first(bytes)?);
                    i64::from(if bits < 0 {
                        i16::MIN.wrapping_sub(bits)
                    } else {
                        bits
                    })
                }
                ElementType::F32 => {
                    let bits = i32::from_le_bytes(first(bytes)?);
                    i64::from(if bits < 0 {
                        i32::MIN.wrapping_sub(bits)
                    } else {
                        bits
                    })
                }
                ElementType::F64 => {
                    let bits = i64::from_le_bytes(first(bytes)?);
                    if bits < 0 {
                        i64::MIN.wrapping_sub(bits)
                    } else {
                        bits
                    }
                }
                _ => return None,
            })
        };
        match (self.float(left)?.is_nan(), self.float(right)?.is_nan()) {
            (true, true) => Some(0),
            (false, false) => Some(ordered(left)?.abs_diff(ordered(right)?)),
            _ => None,
        }
    }
}

fn first<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    bytes.first_chunk::<N>().copied()
}

impl FromStr for ElementType {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .iter()
            .find(|(_, name)| *name == text)
            .map(|(element, _)| *element)
            .ok_or_else(|| {
                let names: Vec<_> = Self::ALL.iter().map(|(_, name)| *name).collect();
                format!("unknown type {text:?}, expected one of {}", names.join(" "))
            })
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL
            .iter()
            .find(|(element, _)| element == self)
            .map(|(_, name)| *name);
        f.write_str(name.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::ElementType::{self, F16, F32, F64, I8, I32, I64, U8, U64};

    #[test]
    fn integers_keep_to_their_limits() {
        assert_eq!(I8.encode("-128"), Ok(vec![0x80]));
        assert_eq!(I8.encode("0xff"), Ok(vec![0xff]));
        assert_eq!(U64.encode("18446744073709551615"), Ok(vec![0xff; 8]));
        assert_eq!(I64.encode("-1"), Ok(vec![0xff; 8]));
        assert_eq!(
            I8.encode("128").unwrap_err(),
            "128 does not fit i8 (-128 to 127)"
        );
        assert_eq!(
            U8.encode("-1").unwrap_err(),
            "-1 does not fit u8 (0 to 255)"
        );
        assert!(U8.encode("0x-1").is_err());
        assert!(U8.encode("1.0").unwrap_err().contains("whole number"));
    }

    #[test]
    fn floats_round_once() {
        assert_eq!(F32.encode("0.1"), Ok(0.1f32.to_le_bytes().to_vec()));
        assert_eq!(F16.encode("-2"), Ok(vec![0x00, 0xc0]));
        assert_eq!(F64.encode("inf"), Ok(f64::INFINITY.to_le_bytes().to_vec()));
        assert!(F32.encode("one").is_err());
    }

    #[test]
    fn every_name_reads_back() {
        for (element, name) in ElementType::ALL {
            assert_eq!(name.parse(), Ok(element));
            assert_eq!(element.to_string(), name);
        }
        assert!(
            "float"
                .parse::<ElementType>()
                .unwrap_err()
                .contains("i8 u8")
        );
    }

    #[test]
    fn ulps_cross_zero_and_treat_nan_apart() {
        let b = |x: f32| x.to_le_bytes();
        assert_eq!(F32.ulps(&b(1.0), &b(1.0f32.next_up())), Some(1));
        assert_eq!(
            F32.ulps(&b(-f32::from_bits(1)), &b(f32::from_bits(1))),
            Some(2)
        );
        assert_eq!(F32.ulps(&b(0.0), &b(-0.0)), Some(0));
        assert_eq!(F32.ulps(&b(f32::NAN), &b(-f32::NAN)), Some(0));
        assert_eq!(F32.ulps(&b(f32::NAN), &b(0.0)), None);
    }

    #[test]
    fn source_types_lead_to_elements() {
        for (source, element) in [
            ("int*", Some(I32)),
            ("uchar4*", Some(U8)),
            ("half16 *", Some(F16)),
            ("ulong", Some(U64)),
            ("float5*", None),
            ("struct point*", None),
            ("image2d_t", None),
            ("void*", None),
            ("", None),
        ] {
            assert_eq!(ElementType::of_source(source), element, "{source}");
        }
    }

    #[test]
    fn numbers_beyond_a_type_are_no_infinity() {
        for (element, text) in [
            (F16, "70000"),
            (F16, "-65520"),
            (F32, "1e39"),
            (F64, "-1e400"),
        ] {
            let why = element.encode(text).unwrap_err();
            assert!(why.contains(text) && why.contains("beyond"), "{why}");
        }
        assert_eq!(F16.encode("-inf"), Ok(vec![0, 0xfc]));
        assert_eq!(F16.encode("65504"), Ok(vec![0xff, 0x7b]));
        assert!(F32.encode("nan").is_ok());
    }
}
