//! Files with a CSS header (`struct uc_css_header`): every GuC, and the HuC up to DG1.

use super::bytes::View;
use super::{BlobError, Header, Layout};
use crate::Version;

/// Bytes of the header.
const HEADER: u64 = 128;

// Byte offsets of its fields.
const HEADER_SIZE_DW: u64 = 4;
const SIZE_DW: u64 = 24;
const KEY_SIZE_DW: u64 = 28;
const MODULUS_SIZE_DW: u64 = 32;
const EXPONENT_SIZE_DW: u64 = 36;
const SW_VERSION: u64 = 64;
const SUBMISSION_VERSION: u64 = 68;

/// A GuC.
pub(super) fn guc(file: &[u8]) -> Result<Header, BlobError> {
    let view = View::of(file);
    let header = header(view)?;
    let told = version(view.u32("submission version", SUBMISSION_VERSION)?);
    Ok(Header {
        submission: Some(submission(header.version, told)),
        ..header
    })
}

/// A HuC.
pub(super) fn huc(file: &[u8]) -> Result<Header, BlobError> {
    header(View::of(file))
}

/// What the header says, if its lengths agree with each other and with the file's.
pub(super) fn header(view: View<'_>) -> Result<Header, BlobError> {
    const WHAT: &str = "CSS header";
    view.must_have(WHAT, HEADER)?;
    let dwords = |offset| view.u32(WHAT, offset).map(u64::from);
    let (all, key) = (dwords(HEADER_SIZE_DW)?, dwords(KEY_SIZE_DW)?);
    let rest = key + dwords(MODULUS_SIZE_DW)? + dwords(EXPONENT_SIZE_DW)?;
    if all != rest + HEADER / 4 {
        return Err(BlobError::Unexpected {
            field: "CSS header's size in dwords",
            value: view.u32(WHAT, HEADER_SIZE_DW)?,
            must_be: "32 dwords more than key, modulus and exponent",
        });
    }
    let Some(code) = dwords(SIZE_DW)?.checked_sub(all) else {
        return Err(BlobError::Unexpected {
            field: "size in dwords",
            value: view.u32(WHAT, SIZE_DW)?,
            must_be: "no less than the header's",
        });
    };
    // Modulus and exponent need not be in the file.
    view.must_have("code and signature", HEADER + (code + key) * 4)?;
    Ok(Header {
        layout: Layout::Css,
        version: version(view.u32(WHAT, SW_VERSION)?),
        build: None,
        submission: None,
        programs: 1,
    })
}

/// Bits 16 to 23, 8 to 15, 0 to 7 (`CSS_SW_VERSION_UC_MAJOR` and so on).
fn version(value: u32) -> Version {
    let [patch, minor, major, _] = value.to_le_bytes();
    (major.into(), minor.into(), patch.into())
}

/// The version of the submission interface. Releases before 70.6 do not tell it
/// (`guc_read_css_info` of i915's `intel_uc_fw.c`).
fn submission(release: Version, told: Version) -> Version {
    match release {
        (70, 6.., _) | (71.., ..) => told,
        (70, 3.., _) => (1, 1, 0),
        (70, ..) => (1, 0, 0),
        (69, ..) => (0, 10, 0),
        _ => (0, 1, 0),
    }
}
