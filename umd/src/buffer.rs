//! Buffers.

use std::ops::Range;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::{Arc, Weak};

use devinfo::GpuAddress;
use kmd_iface::Forbidden;

use crate::device::{Device, DeviceInner};
use crate::error::{ArgumentError, DeviceError, Error, ErrorKind, refused};
use crate::memory::{BUFFER, Bo, HostMemory, Use};

/// What the origin of a sub-buffer is a multiple of: what a surface's base address takes.
pub(crate) const SUB_BUFFER_ALIGNMENT: u64 = 4;

/// Memory that kernels and this process share. Clones name the same memory.
#[derive(Clone, Debug)]
pub struct Buffer {
    bo: Arc<Bo>,
    /// The first byte in the buffer object.
    start: u64,
    /// The first byte in the buffer that this is a part of.
    origin: u64,
    size: u64,
    /// A number names it: it is a pointer to all of the memory.
    is_pointer: bool,
}

/// While it lives, kernels may not do something with a part of a buffer. It keeps no memory.
#[derive(Debug)]
pub struct Forbidding {
    bo: Weak<Bo>,
    start: u64,
    length: u64,
    what: Forbidden,
}

impl Forbidding {
    /// It is so as long as the memory lives.
    pub fn for_good(mut self) {
        self.bo = Weak::new();
    }
}

impl Drop for Forbidding {
    fn drop(&mut self) {
        if let Some(bo) = self.bo.upgrade() {
            bo.permit(self.start, self.length, self.what);
        }
    }
}

impl Device {
    /// A buffer of `size` zero bytes.
    ///
    /// # Errors
    /// A size of zero or beyond the device's memory; the kernel driver refuses.
    pub fn buffer(&self, size: u64) -> Result<Buffer, Error> {
        Buffer::new(self.inner(), size)
    }

    /// A buffer of `size` zero bytes at an address that nothing of this process and no buffer of this kind of
    /// another device has: a pointer to it names it alone (USM device memory).
    ///
    /// # Errors
    /// As [`buffer`](Self::buffer); the device does not have the address.
    pub fn reserved_buffer(&self, size: u64) -> Result<Buffer, Error> {
        check_room(self.inner(), size)?;
        let bo = self.inner().registry.create_reserved(size);
        Ok(Buffer::of(&bo.map_err(refused("a buffer"))?, 0))
    }

    /// A buffer of `size` zero bytes in the host's memory, which this process and kernels see at
    /// one address: pointers can be handed from one to the other (USM host and shared memory).
    ///
    /// # Errors
    /// A size of zero; no memory; the device does not have the address.
    pub fn shared_buffer(&self, size: u64) -> Result<Buffer, Error> {
        check_size(size)?;
        let bo = self.inner().registry.create_shared(size);
        Ok(Buffer::of(&bo.map_err(refused("shared memory"))?, 0))
    }

    /// A [shared buffer](Self::shared_buffer) of another device for this one, too: the same memory
    /// at the same address.
    ///
    /// # Errors
    /// The buffer is not in the host's memory; the device does not have the address.
    pub fn share(&self, other: &Buffer) -> Result<Buffer, Error> {
        let bo = self.inner().registry.share(&other.bo);
        Ok(Buffer::of(&bo.map_err(refused("shared memory"))?, 0))
    }

    /// The part from `address` on of the buffer that kernels see there, for pointers that are
    /// given as numbers; `None` if there is no buffer. It keeps the memory alive.
    pub fn buffer_at(&self, address: GpuAddress) -> Option<Buffer> {
        let bo = self.inner().registry.buffer_at(address)?;
        let start = address.get() - bo.address().get();
        Some(Buffer::from_pointer(&bo, start))
    }

    /// A buffer of this process's memory: the bytes of `range`, without a copy. The range can
    /// begin anywhere in a page.
    ///
    /// # Errors
    /// An empty range, or one beyond the end; the kernel driver refuses the pages.
    pub fn from_user_memory(
        &self,
        memory: &HostMemory,
        range: Range<usize>,
    ) -> Result<Buffer, Error> {
        if range.is_empty() || range.end > memory.size() {
            let size = memory.size();
            let why = format!("bytes {range:?} of host memory of {size} bytes");
            return Err(object(ErrorKind::InvalidValue, why));
        }
        let bo = self
            .inner()
            .registry
            .adopt(memory.pages(), (memory.start() + memory.size()) as u64);
        Ok(Buffer {
            bo: bo.map_err(refused("a buffer of user memory"))?,
            start: (memory.start() + range.start) as u64,
            origin: 0,
            size: range.len() as u64,
            is_pointer: false,
        })
    }

    /// The buffer of a dma-buf: memory of another device, process or driver.
    ///
    /// What others do with it does not wait for commands here, nor the other way round: wait for the
    /// one before the other begins.
    ///
    /// # Errors
    /// The fd is no dma-buf, or one that the device cannot use.
    pub fn import_buffer(&self, dmabuf: BorrowedFd<'_>) -> Result<Buffer, Error> {
        let bo = self.inner().registry.import(dmabuf);
        Ok(Buffer::of(&bo.map_err(refused("a dma-buf"))?, 0))
    }
}

impl Buffer {
    /// A dma-buf of the buffer, for [`import_buffer`](Device::import_buffer) and for others.
    ///
    /// # Errors
    /// It is a part of another, or of this process's memory.
    pub fn export(&self) -> Result<OwnedFd, Error> {
        if self.start != 0 || self.size != self.bo.size() {
            let why = "a part of a buffer is no dma-buf".to_owned();
            return Err(object(ErrorKind::InvalidValue, why));
        }
        Ok(self.bo.export().map_err(refused("a dma-buf"))?)
    }

    pub(crate) fn new(device: &DeviceInner, size: u64) -> Result<Self, Error> {
        check_room(device, size)?;
        let bo = device.registry.create(size, Use::Device, BUFFER);
        Ok(Self {
            bo: bo.map_err(refused("a buffer"))?,
            start: 0,
            origin: 0,
            size,
            is_pointer: false,
        })
    }

    /// Bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The first byte's offset in the buffer that this is a part of; 0 if it is none.
    pub fn origin(&self) -> u64 {
        self.origin
    }

    /// Where what an argument that names it may reach begins, and its bytes.
    pub(crate) fn reach(&self) -> (GpuAddress, u64) {
        match self.is_pointer {
            true => (self.bo.address(), self.bo.size()),
            false => (self.address(), self.size),
        }
    }

    /// What a pointer behind its last byte has left of it: nothing.
    pub(crate) fn behind(&self, address: u64) -> Option<Self> {
        let start = address.checked_sub(self.bo.address().get())?;
        (start <= self.bo.size()).then(|| Self::from_pointer(&self.bo, start))
    }

    /// Where the GPU sees the first byte.
    pub fn address(&self) -> GpuAddress {
        self.bo.address().offset(self.start)
    }

    /// A part of this buffer, from `origin` on. It shares the memory.
    ///
    /// # Errors
    /// An origin that is no multiple of 4 bytes (what a surface's base address takes), or a part
    /// that is empty or reaches beyond the end.
    pub fn sub_buffer(&self, origin: u64, size: u64) -> Result<Buffer, Error> {
        check_size(size)?;
        if !origin.is_multiple_of(SUB_BUFFER_ALIGNMENT) {
            let why = format!("its origin {origin} is no multiple of {SUB_BUFFER_ALIGNMENT} bytes");
            return Err(object(ErrorKind::MisalignedSubBuffer, why));
        }
        Ok(self.part("sub-buffer", origin, size)?)
    }

    /// Copies bytes out, from `offset` on.
    ///
    /// This does not wait: wait for the commands that write the buffer first.
    ///
    /// # Errors
    /// The range reaches beyond the end.
    pub fn read(&self, offset: u64, bytes: &mut [u8]) -> Result<(), Error> {
        let at = self.check("buffer", offset, bytes.len() as u64)?;
        inside(self.bo.memory().read(at, bytes))
    }

    /// Copies bytes in, from `offset` on.
    ///
    /// This does not wait: wait for the commands that use the buffer first.
    ///
    /// # Errors
    /// The range reaches beyond the end.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let at = self.check("buffer", offset, bytes.len() as u64)?;
        self.written(offset, bytes.len() as u64);
        inside(self.bo.memory().write(at, bytes))
    }

    /// Copies bytes out as [`read`](Self::read) does, to memory that may be a part of the buffer or
    /// of what it was made of.
    ///
    /// # Errors
    /// The range reaches beyond the end.
    ///
    /// # Safety
    /// The `length` bytes at `to` may be written.
    pub unsafe fn read_to(&self, offset: u64, to: *mut u8, length: usize) -> Result<(), Error> {
        let at = self.check("buffer", offset, length as u64)?;
        // SAFETY: as the caller promises.
        inside(unsafe { self.bo.memory().read_to(at, to, length) })
    }

    /// Copies bytes in as [`write`](Self::write) does, from memory that may be a part of the buffer
    /// or of what it was made of.
    ///
    /// # Errors
    /// The range reaches beyond the end.
    ///
    /// # Safety
    /// The `length` bytes at `from` may be read.
    pub unsafe fn write_from(
        &self,
        offset: u64,
        from: *const u8,
        length: usize,
    ) -> Result<(), Error> {
        let at = self.check("buffer", offset, length as u64)?;
        self.written(offset, length as u64);
        // SAFETY: as the caller promises.
        inside(unsafe { self.bo.memory().write_from(at, from, length) })
    }

    /// Repeats `pattern` over `length` bytes from `offset` on.
    ///
    /// This does not wait: wait for the commands that use the buffer first.
    ///
    /// # Errors
    /// The range reaches beyond the end, or is no multiple of the pattern's length.
    pub fn fill(&self, offset: u64, length: u64, pattern: &[u8]) -> Result<(), Error> {
        let at = self.check("buffer", offset, length)?;
        self.written(offset, length);
        let memory = self.bo.memory();
        if let [byte] = pattern {
            return inside(memory.set(at, usize::try_from(length).unwrap_or(usize::MAX), *byte));
        }
        if pattern.is_empty() || !length.is_multiple_of(pattern.len() as u64) {
            return Err(ArgumentError::Object {
                what: "fill",
                kind: ErrorKind::InvalidValue,
                why: format!(
                    "{length} bytes are no multiple of a pattern of {} bytes",
                    pattern.len()
                ),
            }
            .into());
        }
        for offset in (0..usize::try_from(length).unwrap_or(0)).step_by(pattern.len()) {
            inside(memory.write(at + offset, pattern))?;
        }
        Ok(())
    }

    /// Where this process sees the first byte. The memory stays mapped as long as the buffer or
    /// a part of it lives; what holds for accesses holds for [`read`](Self::read) and
    /// [`write`](Self::write), too. All of it counts as [written](Self::set_unwritten) from now on.
    pub fn host_pointer(&self) -> *mut u8 {
        self.written(0, self.size);
        self.pointer()
    }

    /// The same for who reads only, or says what is [written](Self::written).
    pub fn host_view(&self) -> *mut u8 {
        self.pointer()
    }

    /// The buffer has no content, whatever is there: a software GPU that
    /// [checks](crate::OpenOptions::check) reports what a kernel uses of it before something has
    /// written it. (Buffers begin as zeros.)
    pub fn set_unwritten(&self) {
        self.bo.unwritten(self.start, self.size);
    }

    /// The same of memory that the host writes whenever it likes: each launch looks at what it has written. A software
    /// GPU that checks fills it with a pattern; what has more than 16 MiB counts as written.
    pub fn watch_content(&self) {
        self.bo.watch(self.start, self.size);
    }

    /// The host writes `length` bytes from `offset` on by itself, for what
    /// [`set_unwritten`](Self::set_unwritten) makes known.
    pub fn written(&self, offset: u64, length: u64) {
        self.bo.written(self.start.saturating_add(offset), length);
    }

    /// Kernels of programs may not do this with `length` bytes from `offset` on: a software GPU that
    /// [checks](crate::OpenOptions::check) reports those that do, as long as the result lives.
    pub fn forbid(&self, offset: u64, length: u64, what: Forbidden) -> Forbidding {
        let start = self.start.saturating_add(offset);
        self.bo.forbid(start, length, what);
        Forbidding {
            bo: Arc::downgrade(&self.bo),
            start,
            length,
            what,
        }
    }

    fn pointer(&self) -> *mut u8 {
        let start = usize::try_from(self.start).unwrap_or(usize::MAX);
        self.bo.memory().pointer(start)
    }

    /// A part of this buffer, from any byte on; `what` is what wants it.
    pub(crate) fn part(
        &self,
        what: &'static str,
        offset: u64,
        size: u64,
    ) -> Result<Self, ArgumentError> {
        self.check(what, offset, size)?;
        Ok(Self {
            bo: self.bo.clone(),
            start: self.start + offset,
            origin: self.origin + offset,
            size,
            is_pointer: false,
        })
    }

    pub(crate) fn of(bo: &Arc<Bo>, start: u64) -> Self {
        Self {
            bo: bo.clone(),
            start,
            origin: 0,
            size: bo.size().saturating_sub(start),
            is_pointer: false,
        }
    }

    /// The same, of a pointer to the first of them.
    fn from_pointer(bo: &Arc<Bo>, start: u64) -> Self {
        Self {
            origin: start,
            is_pointer: true,
            ..Self::of(bo, start)
        }
    }

    /// The place of a range in the buffer object, if it is in the buffer.
    pub(crate) fn check(
        &self,
        what: &'static str,
        offset: u64,
        length: u64,
    ) -> Result<usize, ArgumentError> {
        offset
            .checked_add(length)
            .filter(|&end| end <= self.size)
            .and_then(|_| usize::try_from(self.start + offset).ok())
            .ok_or(ArgumentError::OutOfBounds {
                what,
                offset,
                length,
                size: self.size,
            })
    }

    /// The buffer object.
    pub(crate) fn bo(&self) -> &Arc<Bo> {
        &self.bo
    }

    /// Whether both have bytes of one buffer object in common.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.bo, &other.bo)
            && self.start < other.start + other.size
            && other.start < self.start + self.size
    }
}

/// A buffer lies in its buffer object.
fn inside(done: bool) -> Result<(), Error> {
    match done {
        true => Ok(()),
        false => Err(DeviceError::Internal("a buffer reaches beyond its buffer object").into()),
    }
}

/// An error if the device's memory cannot have a buffer of this size.
fn check_room(device: &DeviceInner, size: u64) -> Result<(), Error> {
    check_size(size)?;
    let (_, memory) = device.memory();
    if size > memory {
        let why = format!("it is to have {size} bytes, all memory for buffers has {memory}");
        return Err(object(ErrorKind::InvalidBufferSize, why));
    }
    Ok(())
}

fn check_size(size: u64) -> Result<(), Error> {
    match size {
        0 => Err(object(
            ErrorKind::InvalidBufferSize,
            "its size is zero".to_owned(),
        )),
        _ => Ok(()),
    }
}

fn object(kind: ErrorKind, why: String) -> Error {
    ArgumentError::Object {
        what: "buffer",
        kind,
        why,
    }
    .into()
}
