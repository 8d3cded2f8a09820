//! Programs: binaries in a device's memory.

use std::sync::Arc;

use crate::binary::{Binary, KernelInfo};
use crate::device::Device;
use crate::error::Error;
use crate::kernel::Kernel;

/// A binary in a device's memory: code relocated, constants and globals in place. Clones name the
/// same program.
#[derive(Clone, Debug)]
pub struct Program {
    binary: Arc<Binary>,
}

impl Program {
    /// Puts a binary into a device's memory.
    ///
    /// # Errors
    /// A binary of another platform or revision; a relocation that does not fit; no memory.
    pub fn new(device: &Device, binary: Binary) -> Result<Self, Error> {
        let _ = binary;
        Err(device.unfinished("a program"))
    }

    /// Parses and loads a zebin, or an archive with one in it.
    ///
    /// # Errors
    /// As [`Binary::parse`] and [`Program::new`].
    pub fn load(device: &Device, bytes: &[u8]) -> Result<Self, Error> {
        Self::new(device, Binary::parse(bytes)?)
    }

    /// The binary.
    pub fn binary(&self) -> &Binary {
        &self.binary
    }

    /// Its kernels, in the order of the file.
    pub fn kernels(&self) -> &[KernelInfo] {
        self.binary.kernels()
    }

    /// A kernel of it, without arguments.
    ///
    /// # Errors
    /// There is no kernel of this name.
    pub fn kernel(&self, name: &str) -> Result<Kernel, Error> {
        Kernel::new(self, name)
    }
}
