//! Memory that this process and the GPU share.

use std::fmt;
use std::os::fd::BorrowedFd;
use std::sync::Arc;

use memmap2::{MmapOptions, MmapRaw};
use nix::errno::Errno;

use crate::generic::dmabuf_size;
use crate::{BufferHandle, KmdError, KmdResult, Node};

/// A buffer mapped into this process.
///
/// The GPU may write the bytes at any time, so only raw pointers reach them: make copies, or use
/// atomics.
pub struct Mapping {
    map: Arc<MmapRaw>,
}

impl Mapping {
    pub(crate) fn new(map: MmapRaw) -> Self {
        Self { map: Arc::new(map) }
    }

    /// Zeroed pages of this process's own.
    pub(crate) fn anonymous(bytes: usize) -> std::io::Result<Self> {
        Ok(Self::new(MmapOptions::new().len(bytes).map_anon()?.into()))
    }

    /// The same pages once more: they stay mapped as long as either lives.
    pub(crate) fn share(&self) -> Self {
        let map = Arc::clone(&self.map);
        Self { map }
    }

    /// The first byte; page aligned.
    #[inline]
    pub fn as_mut_ptr(&self) -> *mut u8 {
        self.map.as_mut_ptr()
    }

    /// The length in bytes: whole pages, at least the buffer's size.
    #[inline]
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Whether the mapping has no bytes. It always has some.
    pub fn is_empty(&self) -> bool {
        self.map.len() == 0
    }
}

impl fmt::Debug for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mapping({:p}, {} bytes)", self.as_mut_ptr(), self.len())
    }
}

/// Maps `size` bytes of a node at the fake offset that an ioctl returned for `buffer`.
pub(crate) fn map_node(
    node: &dyn Node,
    buffer: BufferHandle,
    fake_offset: u64,
    size: u64,
) -> KmdResult<Mapping> {
    let failed = |errno| KmdError::Map {
        buffer,
        bytes: size,
        errno,
    };
    let source = node.map_source(fake_offset).map_err(failed)?;
    let length = usize::try_from(size).map_err(|_| failed(Errno::EOVERFLOW))?;
    let map = MmapOptions::new()
        .offset(source.offset)
        .len(length)
        .map_raw(source.file.as_ref())
        .map_err(|error| failed(Errno::from_raw(error.raw_os_error().unwrap_or(0))))?;
    Ok(Mapping::new(map))
}

/// Maps a whole dma-buf: drivers do not map those of others.
///
/// # Errors
/// The fd is no dma-buf; no room.
pub fn map_dmabuf(dmabuf: BorrowedFd<'_>) -> KmdResult<Mapping> {
    let bytes = dmabuf_size(dmabuf)?;
    let map = MmapOptions::new()
        .len(usize::try_from(bytes).unwrap_or(usize::MAX))
        .map_raw(&dmabuf);
    map.map(Mapping::new).map_err(|error| {
        let errno = Errno::from_raw(error.raw_os_error().unwrap_or(0));
        KmdError::from_errno("mmap of a dma-buf", errno)
    })
}

/// Memory of this process that backs a buffer.
///
/// The buffer keeps it alive: the kernel pins the pages while the GPU uses them, and they must not
/// be reused for anything else.
#[derive(Clone)]
pub struct UserMemory {
    address: usize,
    length: usize,
    writable: bool,
    owner: Arc<dyn std::any::Any + Send + Sync>,
}

impl UserMemory {
    /// `length` bytes from `address` on, kept alive by `owner`.
    ///
    /// # Safety
    /// The bytes must stay mapped, readable, and writable if `writable` is
    /// set, for as long as `owner` lives, and nothing may hold a Rust
    /// reference to them that a write by the GPU would break.
    pub unsafe fn new(
        address: *mut u8,
        length: usize,
        writable: bool,
        owner: Arc<dyn std::any::Any + Send + Sync>,
    ) -> Self {
        Self {
            address: address.expose_provenance(),
            length,
            writable,
            owner,
        }
    }

    /// The whole of a mapping.
    pub fn from_mapping(mapping: Arc<Mapping>) -> Self {
        Self {
            address: mapping.as_mut_ptr().expose_provenance(),
            length: mapping.len(),
            writable: true,
            owner: mapping,
        }
    }

    /// The first byte.
    pub fn address(&self) -> usize {
        self.address
    }

    /// The length in bytes.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Whether the GPU may write.
    pub fn is_writable(&self) -> bool {
        self.writable
    }

    /// An error unless the memory consists of whole pages of `page` bytes, at least one.
    pub(crate) fn check_pages(&self, page: usize) -> KmdResult<()> {
        let invalid = |what, value: usize| {
            Err(KmdError::Invalid {
                what,
                value: value as u64,
                rule: "a multiple of 4096 above 0",
            })
        };
        if !self.address.is_multiple_of(page) || self.address == 0 {
            return invalid("address of user memory", self.address);
        }
        if !self.length.is_multiple_of(page) || self.length == 0 {
            return invalid("length of user memory", self.length);
        }
        Ok(())
    }

    /// What keeps the bytes alive.
    pub fn owner(&self) -> &Arc<dyn std::any::Any + Send + Sync> {
        &self.owner
    }
}

impl fmt::Debug for UserMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let access = if self.writable { "rw" } else { "ro" };
        write!(
            f,
            "UserMemory({:#x}+{:#x} {access})",
            self.address, self.length
        )
    }
}
