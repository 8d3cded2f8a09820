//! Memory of this process that buffers can be made of.

use std::sync::Arc;

use crate::error::{ArgumentError, DeviceError, Error};

use super::raw::{HostPages, Shared};

/// Page-aligned memory of this process that a buffer can be made of without a copy. Clones name
/// the same memory.
#[derive(Clone, Debug)]
pub struct HostMemory {
    pages: Arc<HostPages>,
    shared: Arc<Shared>,
}

impl HostMemory {
    /// `size` zero bytes.
    ///
    /// # Errors
    /// A size of zero; no memory.
    pub fn new(size: usize) -> Result<Self, Error> {
        if size == 0 {
            return Err(ArgumentError::Object {
                what: "host memory",
                why: "its size is zero".to_owned(),
            }
            .into());
        }
        let pages = HostPages::new(size).map_err(|error| DeviceError::Kernel {
            what: "host memory",
            why: error.to_string(),
        })?;
        let pages = Arc::new(pages);
        let shared = Arc::new(Shared::Host(pages.clone()));
        Ok(Self { pages, shared })
    }

    /// Bytes.
    pub fn size(&self) -> usize {
        self.shared.len()
    }

    /// Copies bytes out, from `offset` on.
    ///
    /// # Errors
    /// The range reaches beyond the end.
    pub fn read(&self, offset: usize, bytes: &mut [u8]) -> Result<(), Error> {
        self.check(self.shared.read(offset, bytes), offset, bytes.len())
    }

    /// Copies bytes in, from `offset` on.
    ///
    /// # Errors
    /// The range reaches beyond the end.
    pub fn write(&self, offset: usize, bytes: &[u8]) -> Result<(), Error> {
        self.check(self.shared.write(offset, bytes), offset, bytes.len())
    }

    pub(crate) fn pages(&self) -> &Arc<HostPages> {
        &self.pages
    }

    fn check(&self, done: bool, offset: usize, length: usize) -> Result<(), Error> {
        if done {
            return Ok(());
        }
        Err(ArgumentError::OutOfBounds {
            what: "host memory",
            offset: offset as u64,
            length: length as u64,
            size: self.size() as u64,
        }
        .into())
    }
}
