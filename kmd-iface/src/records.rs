//! Answers of the kernel that consist of a header and records.

use zerocopy::FromBytes;

use crate::{KmdError, KmdResult};

/// The records of a blob that `ioctl` answered; the header says how many there are.
pub(crate) fn records<H: FromBytes, R: FromBytes>(
    ioctl: &'static str,
    blob: &[u8],
    count: impl Fn(&H) -> u32,
) -> KmdResult<Vec<R>> {
    let bad_answer = |what| KmdError::BadAnswer { ioctl, what };
    let (header, mut rest) =
        H::read_from_prefix(blob).map_err(|_| bad_answer(format!("{} bytes", blob.len())))?;
    let mut records = Vec::new();
    for _ in 0..count(&header) {
        let (record, tail) = R::read_from_prefix(rest)
            .map_err(|_| bad_answer("fewer records than it counts".to_owned()))?;
        records.push(record);
        rest = tail;
    }
    Ok(records)
}

/// A blob that `ioctl` answered, as dwords.
pub(crate) fn dwords(ioctl: &'static str, blob: &[u8]) -> KmdResult<Vec<u32>> {
    let (dwords, rest) = blob.as_chunks();
    if !rest.is_empty() {
        let what = format!("{} bytes, which are no dwords", blob.len());
        return Err(KmdError::BadAnswer { ioctl, what });
    }
    Ok(dwords.iter().copied().map(u32::from_ne_bytes).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dwords_are_whole() {
        let blob = [1u32.to_ne_bytes(), 2u32.to_ne_bytes()].concat();
        assert_eq!(dwords("QUERY", &blob).unwrap(), [1, 2]);
        assert_eq!(dwords("QUERY", &[]).unwrap(), [0u32; 0]);
        let error = dwords("QUERY", &blob[..7]).unwrap_err().to_string();
        assert!(error.contains("7 bytes"), "{error}");
    }

    #[test]
    fn counts_are_checked() {
        let read = |blob: &[u8]| -> KmdResult<Vec<u8>> {
            records("QUERY", blob, |count: &u8| u32::from(*count))
        };
        assert_eq!(read(&[2, 7, 8, 9]).unwrap(), [7u8, 8]);
        assert_eq!(read(&[0]).unwrap(), [0u8; 0]);
        for short in [&[][..], &[2, 7]] {
            let error = read(short).unwrap_err().to_string();
            assert!(error.starts_with("QUERY answered"), "{error}");
        }
    }
}
