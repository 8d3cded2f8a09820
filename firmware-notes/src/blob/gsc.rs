//! Files with a code partition directory (`struct gsc_cpd_header_v2`): the HuC from DG2 on, and the
//! GSC, whose directory is in its boot partition.

use super::bytes::View;
use super::{BlobError, Header, Layout, css};
use crate::Version;

/// "$CPD".
const DIRECTORY: u32 = 0x4450_4324;
/// Bytes of its header, and of an entry.
const DIRECTORY_HEADER: u8 = 20;
const ENTRY: u64 = 24;
/// Offset of a module in an entry: bits 0 to 24.
const OFFSET: u32 = 0x01ff_ffff;

/// Bytes of a manifest's header, and where it has the version.
const MANIFEST: u64 = 128;
const MANIFEST_VERSION: u64 = 36;

/// Where the layout pointers have the first boot partition's offset and size, and their length.
const BOOT1: u64 = 32;
const POINTERS: u64 = 80;
/// "BPDT": the table at the beginning of a boot partition.
const BPDT: u32 = 0x0000_55aa;
const BPDT_HEADER: u64 = 24;
const BPDT_ENTRY: u64 = 12;
/// The entry's type of the partition with the directory.
const RBE: u32 = 1;

/// Whether a file begins with a directory.
pub(super) fn is_directory(file: &[u8]) -> bool {
    file.starts_with(&DIRECTORY.to_le_bytes())
}

/// A HuC. Its manifest has the version; where the kernel loads the code itself there is a whole CSS
/// file, with the same.
pub(super) fn huc(file: &[u8]) -> Result<Header, BlobError> {
    let directory = View::of(file);
    let (version, _) = manifest(directory, b"HUCP.man", "manifest HUCP.man")?;
    let mut header = Header {
        layout: Layout::Directory,
        version,
        build: None,
        submission: None,
        programs: 1,
    };
    let Some(code) = module(directory, b"huc_fw")? else {
        return Err(BlobError::Missing {
            what: "module huc_fw",
        });
    };
    // On DG2 the module has only code: then its first dwords are no CSS header.
    let code = directory.part("module huc_fw", code, 0)?;
    if let Ok(css) = css::header(code) {
        header.version = css.version;
    }
    Ok(header)
}

/// A GSC.
pub(super) fn gsc(file: &[u8]) -> Result<Header, BlobError> {
    let view = View::of(file);
    view.must_have("layout pointers", POINTERS)?;
    let offset = view.u32("layout pointers", BOOT1)?;
    let size = view.u32("layout pointers", BOOT1 + 4)?;
    let boot = view
        .part("boot partition", offset.into(), size.into())?
        .first("boot partition", size.into())?;
    let signature = boot.u32("boot partition's table", 0)?;
    if signature != BPDT {
        return Err(BlobError::Unexpected {
            field: "boot partition's signature",
            value: signature,
            must_be: "0x55aa",
        });
    }
    let count = u64::from(boot.u16("boot partition's table", 4)?);
    boot.must_have("boot partition's table", BPDT_HEADER + BPDT_ENTRY * count)?;
    for entry in 0..count {
        let entry = boot.part(
            "boot partition's table",
            BPDT_HEADER + BPDT_ENTRY * entry,
            BPDT_ENTRY,
        )?;
        if entry.u32("boot partition's table", 0)? & 0xffff != RBE {
            continue;
        }
        let offset = entry.u32("boot partition's table", 4)?;
        let directory = boot.part("code partition directory", offset.into(), 4)?;
        let (version, build) = manifest(directory, b"RBEP.man", "manifest RBEP.man")?;
        return Ok(Header {
            layout: Layout::Partitions,
            version,
            build: Some(build),
            submission: None,
            programs: 1,
        });
    }
    Err(BlobError::Missing {
        what: "code partition directory",
    })
}

/// The version that a directory's manifest has, and its build.
fn manifest(
    directory: View<'_>,
    name: &[u8],
    what: &'static str,
) -> Result<(Version, u16), BlobError> {
    let offset = module(directory, name)?.ok_or(BlobError::Missing { what })?;
    let manifest = directory.part(what, offset, MANIFEST)?;
    let number = |index: u64| manifest.u16(what, MANIFEST_VERSION + 2 * index);
    Ok(((number(0)?, number(1)?, number(2)?), number(3)?))
}

/// Where the module of that name begins, from the beginning of its directory.
fn module(directory: View<'_>, name: &[u8]) -> Result<Option<u64>, BlobError> {
    const WHAT: &str = "code partition directory";
    let marker = directory.u32(WHAT, 0)?;
    if marker != DIRECTORY {
        return Err(BlobError::Unexpected {
            field: "directory's marker",
            value: marker,
            must_be: "0x44504324 ($CPD)",
        });
    }
    let count = u64::from(directory.u32(WHAT, 4)?);
    let length = directory.u8(WHAT, 10)?;
    if length < DIRECTORY_HEADER {
        return Err(BlobError::Unexpected {
            field: "directory's header length",
            value: length.into(),
            must_be: "20 or more",
        });
    }
    let length = u64::from(length);
    directory.must_have(WHAT, length + ENTRY * count)?;
    for entry in 0..count {
        let entry = directory.part(WHAT, length + ENTRY * entry, ENTRY)?;
        let found: [u8; 12] = entry.field(WHAT, 0)?;
        let end = found.iter().position(|byte| *byte == 0);
        let found = found.get(..end.unwrap_or(found.len())).unwrap_or(&[]);
        // The kernel takes offset 0, where the directory itself is, for no entry.
        let offset = entry.u32(WHAT, 12)? & OFFSET;
        if found == name && offset != 0 {
            return Ok(Some(offset.into()));
        }
    }
    Ok(None)
}
