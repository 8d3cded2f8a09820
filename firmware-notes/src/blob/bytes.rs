//! Reads of fields at byte offsets, which may lie anywhere.

use super::BlobError;

/// The part of a file that begins at a structure.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a> {
    bytes: &'a [u8],
    /// Where the part begins in the file.
    start: u64,
}

impl<'a> View<'a> {
    /// A whole file.
    pub(super) fn of(file: &'a [u8]) -> Self {
        Self {
            bytes: file,
            start: 0,
        }
    }

    /// The part from `offset` on, which must have `length` bytes.
    pub(super) fn part(
        self,
        what: &'static str,
        offset: u64,
        length: u64,
    ) -> Result<Self, BlobError> {
        self.must_have(what, offset.saturating_add(length))?;
        let bytes = usize::try_from(offset)
            .ok()
            .and_then(|offset| self.bytes.get(offset..));
        Ok(Self {
            bytes: bytes.unwrap_or_default(),
            start: self.start + offset,
        })
    }

    /// The first `length` bytes.
    pub(super) fn first(self, what: &'static str, length: u64) -> Result<Self, BlobError> {
        self.must_have(what, length)?;
        let bytes = usize::try_from(length)
            .ok()
            .and_then(|length| self.bytes.get(..length));
        Ok(Self {
            bytes: bytes.unwrap_or_default(),
            start: self.start,
        })
    }

    /// That a structure of `length` bytes fits.
    pub(super) fn must_have(self, what: &'static str, length: u64) -> Result<(), BlobError> {
        let has = self.bytes.len() as u64;
        match length <= has {
            true => Ok(()),
            false => Err(BlobError::Truncated {
                what,
                needs: self.start.saturating_add(length),
                has: self.start + has,
            }),
        }
    }

    /// The bytes of a field.
    pub(super) fn field<const N: usize>(
        self,
        what: &'static str,
        offset: u64,
    ) -> Result<[u8; N], BlobError> {
        let part = self.part(what, offset, N as u64)?;
        part.bytes
            .first_chunk()
            .copied()
            .ok_or(BlobError::Missing { what })
    }

    pub(super) fn u8(self, what: &'static str, offset: u64) -> Result<u8, BlobError> {
        self.field(what, offset).map(u8::from_le_bytes)
    }

    pub(super) fn u16(self, what: &'static str, offset: u64) -> Result<u16, BlobError> {
        self.field(what, offset).map(u16::from_le_bytes)
    }

    pub(super) fn u32(self, what: &'static str, offset: u64) -> Result<u32, BlobError> {
        self.field(what, offset).map(u32::from_le_bytes)
    }
}
