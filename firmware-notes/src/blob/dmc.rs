//! The DMC's files: a CSS header, a package header, and programs for pipes and steppings.

use super::bytes::View;
use super::{BlobError, Header, Layout};

/// Bytes of the CSS header (`struct intel_css_header`), and where it has its length and the version.
const CSS: u64 = 128;
const CSS_LENGTH: u64 = 4;
const CSS_VERSION: u64 = 88;

/// Bytes of the package header without its entries, and of an entry.
const PACKAGE: u64 = 16;
const ENTRY: u64 = 12;
/// The entries that there is room for, by the version of the package header.
const ROOM: [(u8, u64); 2] = [(1, 20), (2, 32)];
/// The offset of an entry whose stepping has no program (`DMC_DEFAULT_FW_OFFSET`).
const NONE: u32 = u32::MAX;
/// The processors that have programs: the main one and four pipes.
const PROCESSORS: u8 = 5;

/// Bytes of the header of a program, by its version; the first counts its length in bytes, the
/// other in dwords.
const PROGRAMS: [(u8, u64, u64); 2] = [(1, 128, 1), (3, 256, 4)];
/// What a program begins with.
const SIGNATURE: u32 = 0x4040_3e3e;

/// A DMC.
pub(super) fn read(file: &[u8]) -> Result<Header, BlobError> {
    const WHAT: &str = "package header";
    let view = View::of(file);
    view.must_have("CSS header", CSS)?;
    let length = view.u32("CSS header", CSS_LENGTH)?;
    if u64::from(length) * 4 != CSS {
        return Err(BlobError::Unexpected {
            field: "CSS header's length in dwords",
            value: length,
            must_be: "32",
        });
    }
    let version = view.u32("CSS header", CSS_VERSION)?;
    let package = view.part(WHAT, CSS, PACKAGE)?;
    let kind = package.u8(WHAT, 1)?;
    let room = ROOM.iter().find(|(known, _)| *known == kind);
    let Some((_, room)) = room else {
        return Err(BlobError::Unexpected {
            field: "package header's version",
            value: kind.into(),
            must_be: "1 or 2",
        });
    };
    let size = PACKAGE + ENTRY * room;
    let dwords = package.u8(WHAT, 0)?;
    if u64::from(dwords) * 4 != size {
        return Err(BlobError::Unexpected {
            field: "package header's length in dwords",
            value: dwords.into(),
            must_be: "that of the header with room for 20 entries (version 1) or 32 (version 2)",
        });
    }
    package.must_have(WHAT, size)?;
    let count = u64::from(package.u32(WHAT, 12)?).min(*room);
    let (mut programs, mut main) = (0, false);
    for entry in 0..count {
        let entry = package.part(WHAT, PACKAGE + ENTRY * entry, ENTRY)?;
        // Version 1 has programs of the main processor only.
        let processor = if kind == 1 { 0 } else { entry.u8(WHAT, 1)? };
        let offset = entry.u32(WHAT, 4)?;
        if processor >= PROCESSORS || offset == NONE {
            continue;
        }
        let offset = u64::from(offset) * 4;
        program(package.part("program", size.saturating_add(offset), 0)?)?;
        programs += 1;
        main |= processor == 0;
    }
    match main {
        true => Ok(Header {
            layout: Layout::Package,
            version: ((version >> 16) as u16, version as u16, 0),
            build: None,
            submission: None,
            programs,
        }),
        false => Err(BlobError::Missing {
            what: "program for the main processor",
        }),
    }
}

/// That a program is whole.
fn program(view: View<'_>) -> Result<(), BlobError> {
    const WHAT: &str = "program's header";
    let signature = view.u32(WHAT, 0)?;
    if signature != SIGNATURE {
        return Err(BlobError::Unexpected {
            field: "program's signature",
            value: signature,
            must_be: "0x40403e3e",
        });
    }
    let (length, version) = (view.u8(WHAT, 4)?, view.u8(WHAT, 5)?);
    let known = PROGRAMS.iter().find(|(known, ..)| *known == version);
    let Some((_, bytes, unit)) = known else {
        return Err(BlobError::Unexpected {
            field: "program's header version",
            value: version.into(),
            must_be: "1 or 3",
        });
    };
    if u64::from(length) * unit != *bytes {
        return Err(BlobError::Unexpected {
            field: "program's header length",
            value: length.into(),
            must_be: "128 bytes (version 1) or 64 dwords (version 3)",
        });
    }
    let code = u64::from(view.u32(WHAT, 12)?) * 4;
    view.must_have("program", bytes + code)
}
