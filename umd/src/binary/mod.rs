//! Compiled files: what they are for, and what their kernels take.
//!
//! Three forms are read: the zebin of Intel's compilers (also inside `ocloc`'s archive), assembled
//! text with the `//.` directives, and raw instructions.

mod error;
mod info;

pub use error::BinaryError;
pub use info::{
    AccessQualifier, AddressSpace, ArgInfo, ArgKind, KernelInfo, RawIsa, Target, ValueType,
};

/// A compiled file, parsed and checked. It needs no device.
#[derive(Clone, Debug)]
pub struct Binary {
    target: Target,
    kernels: Vec<KernelInfo>,
}

impl Binary {
    /// Reads a zebin, or an archive that `ocloc` made with one in it.
    ///
    /// # Errors
    /// What is wrong with the file, with the section and the offset.
    pub fn parse(bytes: &[u8]) -> Result<Self, BinaryError> {
        let _ = bytes;
        Err(BinaryError::UnknownFormat)
    }

    /// Assembles a text with the `//.` directives.
    ///
    /// # Errors
    /// The assembler's diagnostics, or a payload that the directives cannot mean.
    pub fn assemble(text: &str) -> Result<Self, BinaryError> {
        let _ = text;
        Err(BinaryError::UnknownFormat)
    }

    /// Takes raw instructions, described by `isa`.
    ///
    /// # Errors
    /// A SIMD width or register count that the platform does not have.
    pub fn raw(code: &[u8], isa: &RawIsa) -> Result<Self, BinaryError> {
        let _ = (code, isa);
        Err(BinaryError::UnknownFormat)
    }

    /// The platform that it was built for.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Its kernels, in the order of the file.
    pub fn kernels(&self) -> &[KernelInfo] {
        &self.kernels
    }

    /// The kernel of this name.
    pub fn kernel(&self, name: &str) -> Option<&KernelInfo> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }

    /// The `printf` strings, in the order of the file.
    pub fn printf_strings(&self) -> &[String] {
        &[]
    }
}
