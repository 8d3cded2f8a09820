//! Counts, byte sizes and times in people's notation.

use std::time::Duration;

/// Reads a count: decimal or `0x` hexadecimal, `_` allowed between digits, and an optional
/// suffix `K`, `M` or `G` (powers of 1024).
///
/// # Errors
/// A text that says what was expected.
pub fn count(text: &str) -> Result<u64, String> {
    let wrong = || {
        format!("expected a number (decimal or 0x hexadecimal, K, M or G may follow), not {text:?}")
    };
    let (digits, shift) = match text.as_bytes().last() {
        Some(b'K' | b'k') => (&text[..text.len() - 1], 10),
        Some(b'M' | b'm') => (&text[..text.len() - 1], 20),
        Some(b'G' | b'g') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let value = unsigned(digits).ok_or_else(wrong)?;
    u64::try_from(value)
        .ok()
        .and_then(|value| value.checked_mul(1 << shift))
        .ok_or_else(|| format!("{text:?} is larger than 64 bits can hold"))
}

/// Reads a byte size: a [`count`] that is not zero.
///
/// # Errors
/// A text that says what was expected.
pub fn bytes(text: &str) -> Result<u64, String> {
    match count(text)? {
        0 => Err("expected a size of at least 1 byte, not 0".to_owned()),
        size => Ok(size),
    }
}

/// Reads a time: seconds, with a fraction if need be.
///
/// # Errors
/// A text that says what was expected.
pub fn seconds(text: &str) -> Result<Duration, String> {
    text.parse::<f64>()
        .ok()
        .filter(|s| *s > 0.0)
        .and_then(|s| Duration::try_from_secs_f64(s).ok())
        .ok_or_else(|| "expected a positive number of seconds".to_owned())
}

/// The number; the largest if it is larger.
fn unsigned(digits: &str) -> Option<u128> {
    let plain = digits.replace('_', "");
    let hex = plain
        .strip_prefix("0x")
        .or_else(|| plain.strip_prefix("0X"));
    let (digits, base) = hex.map_or((&plain[..], 10), |hex| (hex, 16));
    let mut value = (!digits.is_empty()).then_some(0u128)?;
    for digit in digits.chars() {
        let digit = digit.to_digit(base)?;
        value = value
            .saturating_mul(base.into())
            .saturating_add(digit.into());
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::{bytes, count, seconds};

    #[test]
    fn seconds_are_positive_and_finite() {
        assert_eq!(seconds("0.5"), Ok(std::time::Duration::from_millis(500)));
        for text in ["0", "-1", "inf", "nan", "x", ""] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn accepts_decimal_hexadecimal_and_suffixes() {
        assert_eq!(count("0"), Ok(0));
        assert_eq!(count("1_000"), Ok(1000));
        assert_eq!(count("0x10"), Ok(16));
        assert_eq!(count("4K"), Ok(4096));
        assert_eq!(count("2M"), Ok(2 << 20));
        assert_eq!(count("1g"), Ok(1 << 30));
    }

    #[test]
    fn refuses_everything_else() {
        for text in ["", "K", "-1", "+1", "0x", "0x+1", "1.5", "12Q", "\u{e9}"] {
            let error = count(text).unwrap_err();
            assert!(error.starts_with("expected a number"), "{text:?}: {error}");
        }
        for text in [
            "0xffffffffffffffffK",
            "99999999999999999999",
            "99999999999999999999999999999999999999999999999999999",
        ] {
            let error = count(text).unwrap_err();
            assert!(error.contains("64 bits"), "{text:?}: {error}");
        }
        assert!(bytes("0").unwrap_err().contains("at least 1 byte"));
    }
}
