//! `.note.intelgt.compat`: what a zebin was built for.

use devinfo::Platform;

use super::error::BinaryError;
use super::info::Target;

/// The section's name.
pub(crate) const SECTION: &str = ".note.intelgt.compat";

const PRODUCT_FAMILY: u32 = 1;
const CORE_FAMILY: u32 = 2;
const TARGET_METADATA: u32 = 3;
const ZEBIN_VERSION: u32 = 4;
const PRODUCT_CONFIG: u32 = 6;

/// In a target metadata word: the device's revision must be in the range. Intel's compilers leave
/// it clear (NEO `zebin_elf.h`: `validateRevisionId`).
const ONLY_REVISIONS: u32 = 1 << 13;

/// Reads the notes. Types that are not known are skipped.
///
/// # Errors
/// A note reaches beyond the end of the section, or is too short for its type.
pub(crate) fn parse(bytes: &[u8]) -> Result<Target, BinaryError> {
    let mut target = Target::default();
    let mut at = 0usize;
    while at < bytes.len() {
        let note = Note::read(bytes, at)?;
        if note.owner == b"IntelGT\0" {
            match note.kind {
                PRODUCT_FAMILY => target.product_family = Some(note.word()?),
                CORE_FAMILY => target.core_family = Some(note.word()?),
                TARGET_METADATA => {
                    let word = note.word()?;
                    target.revisions = Some(revisions(word));
                    target.only_revisions = word & ONLY_REVISIONS != 0;
                }
                ZEBIN_VERSION => {
                    let text = String::from_utf8_lossy(note.description);
                    target.version = Some(text.trim_end_matches('\0').to_owned());
                }
                PRODUCT_CONFIG => target.product_config = Some(note.word()?),
                _ => {}
            }
        }
        at = note.end;
    }
    target.platform = target
        .product_family
        .and_then(devinfo::by_product_family)
        .map(|platform: &Platform| platform.name.to_owned());
    Ok(target)
}

/// The revisions of a target metadata word: bits 12:8 the lowest, 20:16 the highest.
fn revisions(word: u32) -> (u8, u8) {
    ((word >> 8 & 0x1f) as u8, (word >> 16 & 0x1f) as u8)
}

struct Note<'a> {
    owner: &'a [u8],
    kind: u32,
    description: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> Note<'a> {
    fn read(bytes: &'a [u8], at: usize) -> Result<Self, BinaryError> {
        let cut = |what: &str| malformed(at, format!("the note's {what} reaches beyond the end"));
        let word = |offset: usize| {
            let start = at.checked_add(offset)?;
            let bytes = bytes.get(start..start.checked_add(4)?)?;
            Some(u32::from_le_bytes(bytes.try_into().ok()?))
        };
        let header = (|| Some((word(0)?, word(4)?, word(8)?)))();
        let (name_size, size, kind) = header.ok_or_else(|| cut("header"))?;
        let take = |start: usize, size: u32| {
            let size = usize::try_from(size).ok()?;
            let end = start.checked_add(size)?;
            Some((bytes.get(start..end)?, end.checked_next_multiple_of(4)?))
        };
        let (owner, next) = take(at + 12, name_size).ok_or_else(|| cut("name"))?;
        let (description, end) = take(next, size).ok_or_else(|| cut("description"))?;
        Ok(Self {
            owner,
            kind,
            description,
            at,
            end,
        })
    }

    fn word(&self) -> Result<u32, BinaryError> {
        let bytes = self.description.get(..4).and_then(|b| b.try_into().ok());
        bytes.map(u32::from_le_bytes).ok_or_else(|| {
            let have = self.description.len();
            malformed(
                self.at,
                format!("note {} has {have} bytes, 4 are needed", self.kind),
            )
        })
    }
}

fn malformed(offset: usize, why: String) -> BinaryError {
    BinaryError::Malformed {
        section: SECTION.to_owned(),
        offset: offset as u64,
        why,
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    fn note(kind: u32, description: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(8u32.to_le_bytes());
        bytes.extend((description.len() as u32).to_le_bytes());
        bytes.extend(kind.to_le_bytes());
        bytes.extend(b"IntelGT\0");
        bytes.extend(description);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    }

    #[test]
    fn the_notes_of_ocloc_for_dg2() {
        let mut bytes = note(1, &0x4f6u32.to_le_bytes());
        bytes.extend(note(3, &0x0028_0800u32.to_le_bytes()));
        bytes.extend(note(4, b"1.20\0"));
        bytes.extend(note(99, b"x"));
        let target = parse(&bytes).unwrap();
        assert_eq!(target.product_family, Some(0x4f6));
        assert_eq!(target.revisions, Some((8, 8)));
        assert_eq!(target.version.as_deref(), Some("1.20"));
    }

    #[test]
    fn every_truncation_is_an_error_or_fewer_notes() {
        let mut bytes = note(1, &0x1du32.to_le_bytes());
        bytes.extend(note(4, b"1.20\0"));
        for end in 0..bytes.len() {
            let _ = parse(&bytes[..end]);
        }
        assert!(parse(&bytes[..10]).is_err());
        assert!(parse(&[0xff; 64]).is_err());
    }
}
