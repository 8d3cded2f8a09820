//! C's conversions, with OpenCL's vectors.

use std::fmt::Write;

/// The widest field and the highest precision that are honoured.
const MAX_WIDTH: usize = 4096;

/// A value to convert.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    /// A sign-extended integer and its bits.
    Int(i64, u32),
    Float(f64),
    Pointer(u64),
}

/// A part of a format string.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Piece<'a> {
    Text(&'a [u8]),
    Conversion(Conversion),
}

/// `%d` and the like.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Conversion {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    /// Bits that the length modifier says: `hh`, `h`, `hl`, `l`.
    bits: Option<u32>,
    kind: u8,
}

/// The parts of a format string.
pub(super) struct Format<'a> {
    rest: &'a [u8],
}

impl<'a> Format<'a> {
    pub(super) fn new(format: &'a [u8]) -> Self {
        Self { rest: format }
    }
}

impl<'a> Iterator for Format<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        match self.rest {
            [] => None,
            [b'%', b'%', rest @ ..] => {
                self.rest = rest;
                Some(Piece::Text(b"%"))
            }
            [b'%', rest @ ..] => match Conversion::parse(rest) {
                Some((conversion, rest)) => {
                    self.rest = rest;
                    Some(Piece::Conversion(conversion))
                }
                None => {
                    self.rest = rest;
                    Some(Piece::Text(b"%"))
                }
            },
            text => {
                let end = text.iter().position(|&b| b == b'%').unwrap_or(text.len());
                let (text, rest) = text.split_at(end);
                self.rest = rest;
                Some(Piece::Text(text))
            }
        }
    }
}

impl Conversion {
    /// Parses what follows `%`, and gives what is left.
    fn parse(text: &[u8]) -> Option<(Self, &[u8])> {
        let mut conversion = Self::default();
        let mut rest = text;
        loop {
            let (flag, after) = rest.split_first()?;
            match flag {
                b'-' => conversion.left = true,
                b'+' => conversion.plus = true,
                b' ' => conversion.space = true,
                b'#' => conversion.alternate = true,
                b'0' => conversion.zero = true,
                _ => break,
            }
            rest = after;
        }
        (conversion.width, rest) = number(rest);
        if let [b'.', after @ ..] = rest {
            let (precision, after) = number(after);
            conversion.precision = Some(precision);
            rest = after;
        }
        if let [b'v', after @ ..] = rest {
            // The length is in the buffer, too.
            (_, rest) = number(after);
        }
        for (text, bits) in [
            (&b"hh"[..], 8),
            (b"hl", 32),
            (b"h", 16),
            (b"ll", 64),
            (b"l", 64),
            (b"z", 64),
            (b"t", 64),
            (b"j", 64),
        ] {
            if let Some(after) = rest.strip_prefix(text) {
                conversion.bits = Some(bits);
                rest = after;
                break;
            }
        }
        let (&kind, rest) = rest.split_first()?;
        conversion.kind = kind;
        b"diouxXaAeEfFgGcsp"
            .contains(&kind)
            .then_some((conversion, rest))
    }

    /// Whether it takes a string.
    pub(super) fn is_string(&self) -> bool {
        self.kind == b's'
    }

    /// Appends a string: its bytes, as many as the precision allows.
    pub(super) fn string(&self, text: &[u8], out: &mut Vec<u8>) {
        let most = self.precision.unwrap_or(usize::MAX).min(text.len());
        self.pad("", text.get(..most).unwrap_or(text), false, out);
    }

    /// Appends a value.
    pub(super) fn value(&self, value: Value, out: &mut Vec<u8>) {
        match self.kind {
            b'd' | b'i' => {
                let (value, _) = self.integer(value);
                let digits = self.digits(value.unsigned_abs().to_string());
                let sign = self.sign(value < 0);
                self.pad(sign, digits.as_bytes(), self.precision.is_none(), out);
            }
            b'u' | b'o' | b'x' | b'X' => {
                let (value, bits) = self.integer(value);
                let value = value as u64 & (u64::MAX >> (64 - bits));
                let (prefix, digits) = match self.kind {
                    b'u' => ("", value.to_string()),
                    b'o' => ("", format!("{value:o}")),
                    b'x' => ("0x", format!("{value:x}")),
                    _ => ("0X", format!("{value:X}")),
                };
                let prefix = if self.alternate && value != 0 {
                    prefix
                } else {
                    ""
                };
                let mut digits = self.digits(digits);
                if self.kind == b'o' && self.alternate && !digits.starts_with('0') {
                    digits.insert(0, '0');
                }
                self.pad(prefix, digits.as_bytes(), self.precision.is_none(), out);
            }
            b'c' => {
                let (value, _) = self.integer(value);
                self.pad("", &[value as u8], false, out);
            }
            b'p' | b's' => {
                let (value, bits) = self.integer(value);
                let value = value as u64 & (u64::MAX >> (64 - bits));
                self.pad("0x", format!("{value:x}").as_bytes(), false, out);
            }
            _ => self.float(value, out),
        }
    }

    /// The value as an integer and its bits.
    fn integer(&self, value: Value) -> (i64, u32) {
        match value {
            Value::Int(value, bits) => match self.bits {
                Some(8) => ((value as i8).into(), 8),
                Some(16) => ((value as i16).into(), 16),
                // `%lx` of a smaller argument prints the argument, not what lies behind it.
                _ => (value, bits.clamp(8, 64)),
            },
            Value::Float(value) => (value as i64, 64),
            Value::Pointer(value) => (value as i64, 64),
        }
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }

    /// Digits with leading zeros up to the precision; nothing for a zero of precision zero.
    fn digits(&self, digits: String) -> String {
        match self.precision {
            Some(0) if digits == "0" => String::new(),
            Some(precision) => {
                let precision = precision.min(MAX_WIDTH);
                format!("{digits:0>precision$}")
            }
            None => digits,
        }
    }

    fn float(&self, value: Value, out: &mut Vec<u8>) {
        let value = match value {
            Value::Float(value) => value,
            Value::Int(value, _) => value as f64,
            Value::Pointer(value) => value as f64,
        };
        let sign = self.sign(value.is_sign_negative());
        let magnitude = value.abs();
        let lower = self.kind.to_ascii_lowercase();
        let finite = value.is_finite();
        let mut text = if value.is_nan() {
            "nan".to_owned()
        } else if !finite {
            "inf".to_owned()
        } else {
            let precision = self.precision.map(|p| p.min(MAX_WIDTH));
            match lower {
                b'f' => fixed(magnitude, precision.unwrap_or(6), self.alternate),
                b'e' => scientific(magnitude, precision.unwrap_or(6), self.alternate),
                b'g' => general(magnitude, precision.unwrap_or(6).max(1), self.alternate),
                _ => hexadecimal(magnitude, precision, self.alternate),
            }
        };
        if self.kind.is_ascii_uppercase() {
            text.make_ascii_uppercase();
        }
        let hex = finite && lower == b'a';
        let prefix = match (hex, self.kind) {
            (true, b'a') => format!("{sign}0x"),
            (true, _) => format!("{sign}0X"),
            _ => sign.to_owned(),
        };
        self.pad(&prefix, text.as_bytes(), finite, out);
    }

    /// Appends prefix and body, padded to the width; zeros go between them.
    fn pad(&self, prefix: &str, body: &[u8], zeros: bool, out: &mut Vec<u8>) {
        let length = prefix.len() + body.len();
        let missing = self.width.min(MAX_WIDTH).saturating_sub(length);
        let fill = |out: &mut Vec<u8>, byte: u8| out.extend(std::iter::repeat_n(byte, missing));
        if self.left {
            out.extend(prefix.bytes());
            out.extend(body);
            fill(out, b' ');
        } else if self.zero && zeros {
            out.extend(prefix.bytes());
            fill(out, b'0');
            out.extend(body);
        } else {
            fill(out, b' ');
            out.extend(prefix.bytes());
            out.extend(body);
        }
    }
}

/// Digits at the start, as a number; zero if there are none.
fn number(text: &[u8]) -> (usize, &[u8]) {
    let end = text
        .iter()
        .position(|b| !b.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let value = digits.iter().fold(0usize, |value, digit| {
        value
            .saturating_mul(10)
            .saturating_add(usize::from(digit - b'0'))
    });
    (value, rest)
}

fn fixed(value: f64, precision: usize, alternate: bool) -> String {
    let mut text = format!("{value:.precision$}");
    if alternate && precision == 0 {
        text.push('.');
    }
    text
}

fn scientific(value: f64, precision: usize, alternate: bool) -> String {
    let text = format!("{value:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let point = if alternate && precision == 0 { "." } else { "" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}{point}e{sign}{:02}", exponent.abs())
}

/// `%g`: whichever of the two is shorter, without trailing zeros.
fn general(value: f64, precision: usize, alternate: bool) -> String {
    let text = format!("{value:.*e}", precision - 1);
    let exponent: i32 = text
        .split_once('e')
        .and_then(|(_, exponent)| exponent.parse().ok())
        .unwrap_or(0);
    let small = i32::try_from(precision).unwrap_or(i32::MAX);
    let (mantissa, tail) = if (-4..small).contains(&exponent) {
        let decimals = usize::try_from(small - 1 - exponent).unwrap_or(0);
        (fixed(value, decimals, alternate), String::new())
    } else {
        let text = scientific(value, precision - 1, alternate);
        match text.split_once('e') {
            Some((mantissa, exponent)) => (mantissa.to_owned(), format!("e{exponent}")),
            None => (text, String::new()),
        }
    };
    let mantissa = if alternate || !mantissa.contains('.') {
        &mantissa[..]
    } else {
        mantissa.trim_end_matches('0').trim_end_matches('.')
    };
    format!("{mantissa}{tail}")
}

/// `%a` without its prefix: one digit, a fraction, a binary exponent.
fn hexadecimal(value: f64, precision: Option<usize>, alternate: bool) -> String {
    const FRACTION: u32 = 52;
    let bits = value.to_bits();
    let mut fraction = bits & ((1 << FRACTION) - 1);
    let biased = (bits >> FRACTION & 0x7ff) as i32;
    let (mut lead, exponent) = match (biased, fraction) {
        (0, 0) => (0u64, 0),
        (0, _) => (0, -1022),
        _ => (1, biased - 1023),
    };
    let digits = precision.unwrap_or(13).min(13) as u32;
    if digits < 13 {
        // Round to nearest, ties to even.
        let drop = FRACTION - digits * 4;
        let whole = lead << FRACTION | fraction;
        let half = 1u64 << (drop - 1);
        let odd = whole >> drop & 1;
        let rounded = (whole + (half - 1) + odd) >> drop << drop;
        lead = rounded >> FRACTION;
        fraction = rounded & ((1 << FRACTION) - 1);
    }
    let mut text = format!("{fraction:013x}");
    match precision {
        Some(precision) if precision > 13 => text.extend(std::iter::repeat_n('0', precision - 13)),
        Some(precision) => text.truncate(precision),
        None => text.truncate(text.trim_end_matches('0').len()),
    }
    let mut out = lead.to_string();
    if !text.is_empty() || alternate {
        out.push('.');
    }
    out.push_str(&text);
    let _ = write!(out, "p{exponent:+}");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(format: &str, value: Value) -> String {
        let mut out = Vec::new();
        for piece in Format::new(format.as_bytes()) {
            match piece {
                Piece::Text(text) => out.extend(text),
                Piece::Conversion(conversion) => conversion.value(value, &mut out),
            }
        }
        String::from_utf8(out).unwrap()
    }

    /// Expected texts are those of glibc's printf.
    #[test]
    fn integers_as_in_c() {
        let int = |value: i32| Value::Int(value.into(), 32);
        for (format, value, expected) in [
            ("%d", int(-5), "-5"),
            ("%5d|", int(42), "   42|"),
            ("%-5d|", int(42), "42   |"),
            ("%05d", int(-42), "-0042"),
            ("%+d", int(42), "+42"),
            ("% d", int(42), " 42"),
            ("%.4d", int(-42), "-0042"),
            ("%8.4d|", int(42), "    0042|"),
            ("%u", int(-1), "4294967295"),
            ("%x", int(-1), "ffffffff"),
            ("%#X", int(255), "0XFF"),
            ("%#o", int(8), "010"),
            ("%08x", int(0xbeef), "0000beef"),
            ("%hhd", int(0x1ff), "-1"),
            ("%hu", int(-1), "65535"),
            ("%ld", Value::Int(i64::MIN, 64), "-9223372036854775808"),
            ("%lu", Value::Int(-1, 64), "18446744073709551615"),
            ("%c", int(65), "A"),
            ("%.0d|", int(0), "|"),
            ("100%% %d", int(1), "100% 1"),
            ("%v4hld", int(7), "7"),
        ] {
            assert_eq!(print(format, value), expected, "{format}");
        }
    }

    /// Expected texts are those of glibc's printf.
    #[test]
    fn floats_as_in_c() {
        for (format, value, expected) in [
            ("%f", 1.5, "1.500000"),
            ("%.0f", 2.5, "2"),
            ("%#.0f", 2.0, "2."),
            ("%8.3f|", -1.0, "  -1.000|"),
            ("%08.2f", -1.0, "-0001.00"),
            ("%e", 12345.678, "1.234568e+04"),
            ("%.2E", 0.00012, "1.20E-04"),
            ("%g", 0.0001, "0.0001"),
            ("%g", 0.00001, "1e-05"),
            ("%g", 1234567.0, "1.23457e+06"),
            ("%g", 100000.0, "100000"),
            ("%#g", 1.0, "1.00000"),
            ("%#.0g", 3e38, "3.e+38"),
            ("%#09.1g|", 3e38, "0003.e+38|"),
            ("%#.3g", 123.4, "123."),
            ("%.3g", 9.9996, "10"),
            ("%G", 1e-10, "1E-10"),
            ("%f", f64::INFINITY, "inf"),
            ("%5F|", f64::NAN, "  NAN|"),
            ("%05f", f64::NEG_INFINITY, " -inf"),
            ("%a", 1.0, "0x1p+0"),
            ("%a", -0.15625, "-0x1.4p-3"),
            ("%A", 255.5, "0X1.FFP+7"),
            ("%.1a", 1.96875, "0x2.0p+0"),
            ("%a", 0.0, "0x0p+0"),
        ] {
            assert_eq!(print(format, Value::Float(value)), expected, "{format}");
        }
    }

    #[test]
    fn broken_formats_are_text() {
        assert_eq!(print("%", Value::Float(0.0)), "%");
        assert_eq!(print("%q %", Value::Float(0.0)), "%q %");
        assert_eq!(
            print("%99999999999999999999d", Value::Int(1, 32)).len(),
            MAX_WIDTH
        );
    }
}
