//! What can be wrong with a compiled file.

use crate::error::kind::ErrorKind;

/// A compiled file is not acceptable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BinaryError {
    /// The file is none of the forms that are read.
    #[error("this is no zebin, no archive with a zebin in it, and no assembled text")]
    UnknownFormat,
    /// The file's structure is broken.
    #[error("{section}, offset {offset:#x}: {why}")]
    Malformed {
        /// The section or header.
        section: String,
        /// The offset in it, in bytes.
        offset: u64,
        /// What is wrong, with the limit.
        why: String,
    },
    /// A field of `.ze_info` is broken.
    #[error(".ze_info, {path}: {why}")]
    Info {
        /// The path of the field, as `kernels[0].execution_env.simd_size`, or line and column.
        path: String,
        /// What is wrong, with the limit.
        why: String,
    },
    /// A field of a [`KernelAbi`](super::KernelAbi) is out of its limits.
    #[error("kernel {kernel}, {path}: {why}")]
    Abi {
        /// The kernel.
        kernel: String,
        /// The field, as `payload[2].offset`.
        path: String,
        /// What is wrong, with the limit.
        why: String,
    },
    /// The file is for another platform.
    #[error("the file was built for {built_for}, not for {device}")]
    OtherPlatform {
        /// What the file says.
        built_for: String,
        /// The device.
        device: String,
    },
    /// The file does not name its platform, or one that the device table does not have.
    #[error(
        "the file was built for {found}; the platforms known here are {}",
        devinfo::PLATFORMS.iter().map(|p| p.name).collect::<Vec<_>>().join(" ")
    )]
    UnknownPlatform {
        /// The numbers in the file.
        found: String,
    },
    /// The file is another one's program, and its variables are not known to be those of the other.
    #[error(
        "the program has variables, and its files do not tell that both have them at the same places"
    )]
    OtherVariables,
    /// A kernel needs something that this driver or the platform does not have.
    #[error("kernel {kernel}: {why}")]
    Unsupported {
        /// The kernel.
        kernel: String,
        /// What it needs.
        why: String,
    },
    /// The assembler rejects the text.
    #[error("{}", .0.iter().map(|d| d.message.as_str()).collect::<Vec<_>>().join("\n"))]
    Assembly(Vec<isa_encoder::asm::Diagnostic>),
}

impl BinaryError {
    /// What went wrong.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::OtherPlatform { .. } => ErrorKind::OtherPlatform,
            Self::Unsupported { .. } => ErrorKind::UnsupportedKernel,
            Self::Assembly(_) => ErrorKind::BuildFailure,
            _ => ErrorKind::InvalidBinary,
        }
    }
}
