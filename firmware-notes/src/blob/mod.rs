//! What a firmware file says of itself, in its own headers.
//!
//! The structures are those that the kernel drivers read: `intel_uc_fw_abi.h` and
//! `intel_gsc_binary_headers.h` of i915, `xe_uc_fw_abi.h` of xe, `intel_dmc.c`. Any bytes may come;
//! what does not fit is a [`BlobError`].

mod bytes;
mod css;
mod dmc;
mod gsc;

use core::fmt;

use crate::{Kind, Version};

/// What the headers of a file say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// How the file is laid out.
    pub layout: Layout,
    /// The release. A DMC has no patch level: it is 0.
    pub version: Version,
    /// The build, of a GSC.
    pub build: Option<u16>,
    /// The version of the interface by which drivers submit, of a GuC.
    pub submission: Option<Version>,
    /// How many programs the file has; a DMC has one for each pipe and stepping.
    pub programs: u32,
}

/// The layouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A CSS header, code, and a signature: a GuC, and a HuC up to DG1.
    Css,
    /// A code partition directory with a manifest: a HuC from DG2 on.
    Directory,
    /// Layout pointers, a boot partition, and in it a code partition directory: a GSC.
    Partitions,
    /// A CSS header, a package header, and programs: a DMC.
    Package,
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Css => "CSS header",
            Self::Directory => "code partition directory",
            Self::Partitions => "layout pointers",
            Self::Package => "package header",
        })
    }
}

/// Why a file is not the firmware that it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BlobError {
    /// It ends too early.
    Truncated {
        /// The structure that does not fit.
        what: &'static str,
        /// The bytes that are needed up to its end.
        needs: u64,
        /// The bytes of the file.
        has: u64,
    },
    /// A field has a value that no such file has.
    Unexpected {
        /// The field.
        field: &'static str,
        /// Its value.
        value: u32,
        /// What it must be.
        must_be: &'static str,
    },
    /// A structure is not in the file.
    Missing {
        /// Which.
        what: &'static str,
    },
}

impl fmt::Display for BlobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { what, needs, has } => {
                write!(
                    f,
                    "it is cut off: its {what} ends at byte {needs}, the file at {has}"
                )
            }
            Self::Unexpected {
                field,
                value,
                must_be,
            } => write!(f, "its {field} is {value:#x} and must be {must_be}"),
            Self::Missing { what } => write!(f, "it has no {what}"),
        }
    }
}

impl core::error::Error for BlobError {}

/// Reads the headers of a file.
///
/// # Errors
/// [`BlobError`] if the file is not firmware for such a processor.
pub fn read(kind: Kind, file: &[u8]) -> Result<Header, BlobError> {
    match kind {
        Kind::Guc => css::guc(file),
        Kind::Huc if gsc::is_directory(file) => gsc::huc(file),
        Kind::Huc => css::huc(file),
        Kind::Gsc => gsc::gsc(file),
        Kind::Dmc => dmc::read(file),
    }
}
