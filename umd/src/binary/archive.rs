//! The `ar` archive in which `ocloc` puts one zebin for each device.

use super::error::BinaryError;

/// What an archive begins with.
pub(crate) const MAGIC: &[u8] = b"!<arch>\n";

const HEADER: usize = 60;

/// The members of an archive that are ELF files, with their names.
///
/// # Errors
/// A member's header is broken or reaches beyond the end.
pub(crate) fn elf_members(bytes: &[u8]) -> Result<Vec<(String, &[u8])>, BinaryError> {
    let mut members = Vec::new();
    let mut at = MAGIC.len();
    while at < bytes.len() {
        let malformed = |why: String| BinaryError::Malformed {
            section: "archive".to_owned(),
            offset: at as u64,
            why,
        };
        let start = at + HEADER;
        let header = bytes
            .get(at..start)
            .filter(|header| header.ends_with(b"`\n"))
            .ok_or_else(|| malformed("this is no member header".to_owned()))?;
        let field = |from: usize, to: usize| {
            let text = header.get(from..to).unwrap_or_default();
            String::from_utf8_lossy(text).trim_end().to_owned()
        };
        let size = field(48, 58);
        let size: usize = size
            .parse()
            .map_err(|_| malformed(format!("the member's size is {size:?}")))?;
        let data = start
            .checked_add(size)
            .and_then(|end| bytes.get(start..end))
            .ok_or_else(|| {
                let left = bytes.len() - start;
                malformed(format!("the member has {size} bytes, {left} are left"))
            })?;
        if data.starts_with(super::ELF_MAGIC) {
            let name = field(0, 16);
            members.push((name.trim_end_matches('/').to_owned(), data));
        }
        at = start + size + size % 2;
    }
    Ok(members)
}

#[cfg(test)]
mod tests {
    use super::{MAGIC, elf_members};

    fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for (name, data) in members {
            bytes.extend(
                format!(
                    "{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n",
                    format!("{name}/"),
                    0,
                    0,
                    0,
                    644,
                    data.len()
                )
                .bytes(),
            );
            bytes.extend(*data);
            if data.len() % 2 == 1 {
                bytes.push(b'\n');
            }
        }
        bytes
    }

    #[test]
    fn only_elf_members_are_taken() {
        let bytes = archive(&[("pad_0", b"zzz"), ("tgllp", b"\x7fELFrest"), ("x", b"")]);
        let members = elf_members(&bytes).unwrap();
        assert_eq!(members, [("tgllp".to_owned(), b"\x7fELFrest".as_slice())]);
    }

    #[test]
    fn truncations_never_panic() {
        let bytes = archive(&[("tgllp", b"\x7fELFrest")]);
        for end in MAGIC.len() + 1..bytes.len() {
            assert!(elf_members(&bytes[..end]).is_err(), "{end}");
        }
    }
}
