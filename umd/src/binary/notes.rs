//! `.note.intelgt.compat`: what a zebin was built for.

use object::LittleEndian as Le;
use object::elf::FileHeader64;
use object::read::elf::NoteIterator;

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
/// A note reaches beyond the end of the section, or is too short for its type; there is no platform,
/// or one that the device table does not have.
pub(crate) fn parse(bytes: &[u8]) -> Result<Target, BinaryError> {
    let mut product = None;
    let mut core = None;
    let mut config = None;
    let mut version = None;
    let mut metadata = None;
    let broken = |error: object::read::Error| malformed(error.to_string());
    let mut notes = NoteIterator::<FileHeader64<Le>>::new(Le, 4_u64, bytes).map_err(broken)?;
    while let Some(note) = notes.next().map_err(broken)? {
        let kind = note.n_type(Le).0;
        let word = || {
            let bytes = note.desc().first_chunk().copied();
            bytes.map(u32::from_le_bytes).ok_or_else(|| {
                let have = note.desc().len();
                malformed(format!("note {kind} has {have} bytes, 4 are needed"))
            })
        };
        match kind {
            _ if note.name() != b"IntelGT" => {}
            PRODUCT_FAMILY => product = Some(word()?),
            CORE_FAMILY => core = Some(word()?),
            TARGET_METADATA => metadata = Some(word()?),
            ZEBIN_VERSION => {
                let text = String::from_utf8_lossy(note.desc());
                version = Some(text.trim_end_matches('\0').to_owned());
            }
            PRODUCT_CONFIG => config = Some(word()?),
            _ => {}
        }
    }
    let platform = product
        .and_then(devinfo::by_product_family)
        .ok_or_else(|| BinaryError::UnknownPlatform {
            found: match (product, core) {
                (None, _) => format!("no platform: {SECTION} has no product family"),
                (Some(product), None) => format!("product family {product:#x}"),
                (Some(product), Some(core)) => {
                    format!("product family {product:#x} of core family {core:#x}")
                }
            },
        })?;
    Ok(Target {
        platform,
        product_family: product,
        core_family: core,
        product_config: config,
        revisions: metadata.map(revisions),
        only_revisions: metadata.is_some_and(|word| word & ONLY_REVISIONS != 0),
        version,
    })
}

/// The revisions of a target metadata word: bits 12:8 the lowest, 20:16 the highest.
fn revisions(word: u32) -> (u8, u8) {
    ((word >> 8 & 0x1f) as u8, (word >> 16 & 0x1f) as u8)
}

fn malformed(why: String) -> BinaryError {
    BinaryError::Malformed {
        section: SECTION.to_owned(),
        offset: 0,
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
        assert_eq!(target.platform.name, "dg2");
        assert_eq!(target.product_family, Some(0x4f6));
        assert_eq!(target.revisions, Some((8, 8)));
        assert_eq!(target.version.as_deref(), Some("1.20"));
    }

    #[test]
    fn an_unknown_platform_is_an_error_with_its_numbers() {
        let mut bytes = note(1, &0x7777u32.to_le_bytes());
        let said = |bytes: &[u8]| parse(bytes).unwrap_err().to_string();
        assert!(said(&bytes).contains("built for product family 0x7777;"));
        bytes.extend(note(2, &0x2a00u32.to_le_bytes()));
        let message = said(&bytes);
        assert!(message.contains("product family 0x7777 of core family 0x2a00;"));
        assert!(
            message.contains(" tgl ") && message.contains(" bmg"),
            "{message}"
        );
        assert!(said(&[]).contains("no platform"));
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
