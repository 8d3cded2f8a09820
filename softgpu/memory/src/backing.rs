//! The memory behind buffer objects.

use std::any::Any;
use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use memmap2::{MmapOptions, MmapRaw};
use nix::errno::Errno;
use nix::fcntl::{FallocateFlags, FcntlArg, SealFlag, fallocate, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::unistd::{Whence, ftruncate, lseek64};

use crate::raw::HostPage;
use crate::{PAGE_BYTES, user};

/// The memfd that holds a node's buffer objects as slices.
///
/// Offsets are handed out once and never again, so that a client's mapping of a closed object
/// keeps showing that object, as with a real driver. Pages of closed objects go back to the
/// system as soon as no client mapping shows them.
#[derive(Debug)]
pub struct Pool {
    file: Arc<OwnedFd>,
    next: AtomicU64,
    live: AtomicU64,
    limit: u64,
    retired: Mutex<Vec<Range<u64>>>,
    /// Held while a slice becomes a file of its own.
    moving: Mutex<()>,
}

/// The first offset of a pool: offset 0 stays free, so that it can mean "no offset".
const FIRST_OFFSET: u64 = 0x10_0000;
/// Offsets end here; far more than any node hands out in its lifetime.
const LAST_OFFSET: u64 = 1 << 60;

impl Pool {
    /// A pool whose live objects take at most `limit` bytes together.
    ///
    /// # Errors
    /// The error of `memfd_create(2)`.
    pub fn new(limit: u64) -> Result<Arc<Self>, Errno> {
        let file = memfd_create(
            "softgpu",
            MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING,
        )?;
        // Clients get descriptors of it: none of them can take pages away from an engine.
        fcntl(&file, FcntlArg::F_ADD_SEALS(SealFlag::F_SEAL_SHRINK))?;
        Ok(Arc::new(Self {
            file: Arc::new(file),
            next: AtomicU64::new(FIRST_OFFSET),
            live: AtomicU64::new(0),
            limit,
            retired: Mutex::new(Vec::new()),
            moving: Mutex::new(()),
        }))
    }

    /// The most bytes that live objects may take.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// The bytes of live objects.
    pub fn live(&self) -> u64 {
        self.live.load(Ordering::Relaxed)
    }

    /// `bytes` (a multiple of the page size) of zeroed memory, aligned to 64 KiB in the file.
    ///
    /// # Errors
    /// `ENOMEM` when the pool's limit would be exceeded; the error of `ftruncate` or `mmap`.
    pub fn allocate(self: &Arc<Self>, bytes: u64) -> Result<Arc<Backing>, Errno> {
        if bytes == 0 || !bytes.is_multiple_of(PAGE_BYTES) {
            return Err(Errno::EINVAL);
        }
        self.collect();
        let reserved = self
            .live
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |live| {
                live.checked_add(bytes).filter(|sum| *sum <= self.limit)
            });
        reserved.map_err(|_| Errno::ENOMEM)?;
        self.map_slice(bytes).inspect_err(|_| {
            self.live.fetch_sub(bytes, Ordering::Relaxed);
        })
    }

    /// Offsets that are nobody else's.
    fn reserve(&self, bytes: u64) -> Result<Range<u64>, Errno> {
        let span = bytes.next_multiple_of(0x1_0000);
        let reserved = self
            .next
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |next| {
                next.checked_add(span).filter(|end| *end < LAST_OFFSET)
            });
        let offset = reserved.map_err(|_| Errno::ENOSPC)?;
        Ok(offset..offset + span)
    }

    fn map_slice(self: &Arc<Self>, bytes: u64) -> Result<Arc<Backing>, Errno> {
        let Range { start: offset, end } = self.reserve(bytes)?;
        // The file only grows. Two threads may get here in either order.
        let guard = self.retired.lock().unwrap_or_else(PoisonError::into_inner);
        let size = nix::sys::stat::fstat(&*self.file)?.st_size;
        if u64::try_from(size).unwrap_or(0) < end {
            ftruncate(&*self.file, i64::try_from(end).map_err(|_| Errno::EFBIG)?)?;
        }
        drop(guard);
        let length = usize::try_from(bytes).map_err(|_| Errno::ENOMEM)?;
        let map = MmapOptions::new()
            .offset(offset)
            .len(length)
            .map_raw(self.file.as_raw_fd())
            .map_err(errno_of)?;
        Ok(Arc::new(Backing {
            base: NonNull::new(map.as_mut_ptr()).ok_or(Errno::ENOMEM)?,
            bytes,
            read_only: false,
            store: Store::Slice(Slice {
                _map: map,
                pool: Arc::clone(self),
                range: offset..offset + bytes,
                exposed: AtomicBool::new(false),
                moved: OnceLock::new(),
            }),
        }))
    }

    /// Gives back the pages of retired slices that no mapping of this process shows any more.
    fn collect(&self) {
        let mut retired = self.retired.lock().unwrap_or_else(PoisonError::into_inner);
        if retired.is_empty() {
            return;
        }
        let Ok(status) = nix::sys::stat::fstat(&*self.file) else {
            return;
        };
        let Ok(mapped) = user::shown(status.st_ino) else {
            return;
        };
        retired.retain(|slice| {
            let shown = mapped.iter().any(|shown| shown.part(slice).is_some());
            if !shown {
                self.punch(slice);
            }
            shown
        });
    }

    /// Returns the pages of `slice` to the system.
    fn punch(&self, slice: &Range<u64>) {
        let (Ok(offset), Ok(length)) = (
            i64::try_from(slice.start),
            i64::try_from(slice.end - slice.start),
        ) else {
            return;
        };
        let flags = FallocateFlags::FALLOC_FL_PUNCH_HOLE | FallocateFlags::FALLOC_FL_KEEP_SIZE;
        if let Err(error) = fallocate(&*self.file, flags, offset, length) {
            tracing::warn!(%error, "softgpu: pages of a closed buffer object stay allocated");
        }
    }
}

/// The memory of one buffer object. Its own pages stay mapped as long as it lives, pages of the
/// client process only as long as the client keeps them ([`Backing::user`]).
#[derive(Debug)]
pub struct Backing {
    base: NonNull<u8>,
    bytes: u64,
    read_only: bool,
    store: Store,
}

#[derive(Debug)]
enum Store {
    Slice(Slice),
    File(Whole),
    Anonymous(#[expect(dead_code, reason = "owns the mapping")] MmapRaw),
    User,
    Kept(#[expect(dead_code, reason = "keeps the pages mapped")] Arc<dyn Any + Send + Sync>),
}

#[derive(Debug)]
struct Slice {
    _map: MmapRaw,
    pool: Arc<Pool>,
    range: Range<u64>,
    /// Whether a client has received its map offset.
    exposed: AtomicBool,
    /// The file that it became, to be shared.
    moved: OnceLock<Arc<OwnedFd>>,
}

/// A file that others have, too.
#[derive(Debug)]
struct Whole {
    _map: MmapRaw,
    file: Arc<OwnedFd>,
    /// Its place among the pool's offsets, where nothing else lies.
    offset: u64,
}

// SAFETY: the pointer is only accessed through `HostPage`, with atomic accesses, and the
// mapping it points to belongs to the process, not to a thread.
unsafe impl Send for Backing {}
// SAFETY: as above.
unsafe impl Sync for Backing {}

impl Backing {
    /// `bytes` of zeroed memory that no file shows, rounded up to a page.
    ///
    /// # Errors
    /// The error of `mmap(2)`.
    pub fn anonymous(bytes: u64) -> Result<Arc<Self>, Errno> {
        let bytes = bytes
            .max(1)
            .checked_next_multiple_of(PAGE_BYTES)
            .ok_or(Errno::ENOMEM)?;
        let map = MmapOptions::new()
            .len(usize::try_from(bytes).map_err(|_| Errno::ENOMEM)?)
            .map_anon()
            .map_err(errno_of)?;
        let map = MmapRaw::from(map);
        Ok(Arc::new(Self {
            base: NonNull::new(map.as_mut_ptr()).ok_or(Errno::ENOMEM)?,
            bytes,
            read_only: false,
            store: Store::Anonymous(map),
        }))
    }

    /// Pages of this process: `address` and `bytes` are page aligned.
    ///
    /// Before each submission, [`Backing::probe`] checks that they are mapped. They are not pinned,
    /// as a kernel would pin them: a signal kills a client that unmaps them while a submission uses
    /// them, or truncates the file behind them.
    ///
    /// # Errors
    /// `EINVAL` if misaligned or empty, `EFAULT` at address 0.
    pub fn user(address: u64, bytes: u64, read_only: bool) -> Result<Arc<Self>, Errno> {
        if bytes == 0 || !bytes.is_multiple_of(PAGE_BYTES) || !address.is_multiple_of(PAGE_BYTES) {
            return Err(Errno::EINVAL);
        }
        let base = NonNull::new(address as *mut u8).ok_or(Errno::EFAULT)?;
        let backing = Self {
            base,
            bytes,
            read_only,
            store: Store::User,
        };
        Ok(Arc::new(backing))
    }

    /// Pages of this process, as [`Backing::user`], which `owner` keeps mapped as long as it lives.
    ///
    /// # Errors
    /// As [`Backing::user`].
    pub fn kept(
        address: u64,
        bytes: u64,
        read_only: bool,
        owner: Arc<dyn Any + Send + Sync>,
    ) -> Result<Arc<Self>, Errno> {
        let mut backing = Self::user(address, bytes, read_only)?;
        if let Some(backing) = Arc::get_mut(&mut backing) {
            backing.store = Store::Kept(owner);
        }
        Ok(backing)
    }

    /// The memory of a file that others share: a dma-buf of another driver, or a memory file that
    /// nobody can shrink, of which udmabuf makes dma-bufs.
    ///
    /// # Errors
    /// `EINVAL` if it is another file, or not whole pages; the error of `mmap(2)`.
    pub fn of_file(pool: &Pool, file: OwnedFd) -> Result<Arc<Self>, Errno> {
        let link = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()));
        let is_dma_buf = link.is_ok_and(|link| link.starts_with("/dmabuf:"));
        let seals = || fcntl(&file, FcntlArg::F_GET_SEALS).map(SealFlag::from_bits_truncate);
        if !is_dma_buf && !seals()?.contains(SealFlag::F_SEAL_SHRINK) {
            return Err(Errno::EINVAL);
        }
        let end = lseek64(&file, 0, Whence::SeekEnd)?;
        let bytes = u64::try_from(end).unwrap_or(0);
        if bytes == 0 || !bytes.is_multiple_of(PAGE_BYTES) {
            return Err(Errno::EINVAL);
        }
        let map = MmapOptions::new()
            .len(usize::try_from(bytes).map_err(|_| Errno::ENOMEM)?)
            .map_raw(file.as_raw_fd())
            .map_err(errno_of)?;
        Ok(Arc::new(Self {
            base: NonNull::new(map.as_mut_ptr()).ok_or(Errno::ENOMEM)?,
            bytes,
            read_only: false,
            store: Store::File(Whole {
                _map: map,
                file: Arc::new(file),
                offset: pool.reserve(bytes)?.start,
            }),
        }))
    }

    /// A file with this memory from its begin on, for others: a dma-buf. A slice of the pool becomes
    /// a file of its own, which all mappings show from then on. What others write meanwhile may be
    /// lost.
    ///
    /// # Errors
    /// `EINVAL` if it has no file; no memory for another one.
    pub fn share(&self) -> Result<OwnedFd, Errno> {
        let file = match &self.store {
            Store::Slice(slice) => slice.file(self)?,
            Store::File(whole) => &whole.file,
            Store::Anonymous(_) | Store::User | Store::Kept(_) => return Err(Errno::EINVAL),
        };
        file.try_clone().map_err(errno_of)
    }

    /// The file with this memory, and where it begins there.
    pub fn source(&self) -> Option<(Arc<OwnedFd>, u64)> {
        match &self.store {
            Store::Slice(slice) => Some(match slice.moved.get() {
                Some(file) => (Arc::clone(file), 0),
                None => (Arc::clone(&slice.pool.file), slice.range.start),
            }),
            Store::File(whole) => Some((Arc::clone(&whole.file), 0)),
            Store::Anonymous(_) | Store::User | Store::Kept(_) => None,
        }
    }

    /// The size in bytes, a multiple of the page size.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether the GPU may only read it.
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// The range of this process's addresses that a userptr object refers to.
    pub fn user_range(&self) -> Option<Range<u64>> {
        let start = self.base.as_ptr() as u64;
        matches!(self.store, Store::User).then(|| start..start.saturating_add(self.bytes))
    }

    /// Checks that the client's pages are still there with the access the object needs.
    ///
    /// # Errors
    /// `EFAULT` if they are not.
    pub fn probe(&self, maps: &user::Maps) -> Result<(), Errno> {
        match self.user_range() {
            Some(range) if !maps.allows(&range, !self.read_only) => Err(Errno::EFAULT),
            _ => Ok(()),
        }
    }

    /// The offset in the pool's file at which a client maps this memory, if it may. From then
    /// on the pages outlive the object for as long as a mapping shows them.
    pub fn expose(&self) -> Option<u64> {
        match &self.store {
            Store::Slice(slice) => {
                slice.exposed.store(true, Ordering::Relaxed);
                Some(slice.range.start)
            }
            Store::File(whole) => Some(whole.offset),
            Store::Anonymous(_) | Store::User | Store::Kept(_) => None,
        }
    }

    /// Maps part of this memory for the client, which unmaps it with `munmap(2)`. Returns the
    /// address.
    ///
    /// # Errors
    /// `ENXIO` if it has no file; the error of `mmap(2)`.
    pub fn map_for_client(&self, offset: u64, bytes: u64) -> Result<u64, Errno> {
        self.expose().ok_or(Errno::ENXIO)?;
        let (file, start) = self.source().ok_or(Errno::ENXIO)?;
        let map = MmapOptions::new()
            .offset(start + offset)
            .len(usize::try_from(bytes).map_err(|_| Errno::EINVAL)?)
            .map_raw(file.as_raw_fd())
            .map_err(errno_of)?;
        let address = map.as_mut_ptr() as u64;
        // It belongs to the client now.
        std::mem::forget(map);
        Ok(address)
    }

    /// Copies bytes from `offset` on to `out`, for the CPU.
    ///
    /// # Errors
    /// `EINVAL` if they are not all inside.
    pub fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), Errno> {
        let (mut offset, mut rest) = (offset, out);
        while !rest.is_empty() {
            let (page, start, count) = self.part(offset, rest.len())?;
            let (part, tail) = rest.split_at_mut(count);
            page.read(start, part);
            offset += count as u64;
            rest = tail;
        }
        Ok(())
    }

    /// Copies `data` to `offset`, for the CPU.
    ///
    /// # Errors
    /// `EINVAL` if it does not all fit inside.
    pub fn write(&self, offset: u64, data: &[u8]) -> Result<(), Errno> {
        let (mut offset, mut rest) = (offset, data);
        while !rest.is_empty() {
            let (page, start, count) = self.part(offset, rest.len())?;
            let (part, tail) = rest.split_at(count);
            page.write(start, part);
            offset += count as u64;
            rest = tail;
        }
        Ok(())
    }

    /// The page that holds `offset`, the offset in it, and how many of `wanted` bytes it holds.
    fn part(&self, offset: u64, wanted: usize) -> Result<(HostPage, usize, usize), Errno> {
        let base = self.page(offset / PAGE_BYTES).ok_or(Errno::EINVAL)?;
        let start = (offset % PAGE_BYTES) as usize;
        // SAFETY: `self` outlives the copy, and so does the page if it is the backing's own; the
        // client promises that its pages stay (`user`).
        let page = unsafe { HostPage::new(base) };
        Ok((page, start, wanted.min(PAGE_BYTES as usize - start)))
    }

    /// The host address of page `index`, for views.
    pub(crate) fn page(&self, index: u64) -> Option<NonNull<u8>> {
        let offset = index.checked_mul(PAGE_BYTES)?;
        if offset >= self.bytes {
            return None;
        }
        // SAFETY: the offset lies in the mapping.
        Some(unsafe { self.base.add(usize::try_from(offset).ok()?) })
    }
}

impl Slice {
    /// The file that it is to others.
    fn file(&self, backing: &Backing) -> Result<&Arc<OwnedFd>, Errno> {
        let _guard = self
            .pool
            .moving
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = self.moved.get() {
            return Ok(file);
        }
        let flags = MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING;
        let file = File::from(memfd_create("dmabuf", flags)?);
        file.set_len(backing.bytes).map_err(errno_of)?;
        let mut bytes = vec![0; COPIED_AT_A_TIME];
        for offset in (0..backing.bytes).step_by(COPIED_AT_A_TIME) {
            let left = (backing.bytes - offset).min(COPIED_AT_A_TIME as u64);
            let (part, _) = bytes.split_at_mut(left as usize);
            backing.read(offset, part)?;
            file.write_all_at(part, offset).map_err(errno_of)?;
        }
        let seals = SealFlag::F_SEAL_SHRINK | SealFlag::F_SEAL_GROW | SealFlag::F_SEAL_SEAL;
        fcntl(&file, FcntlArg::F_ADD_SEALS(seals))?;
        let pool = nix::sys::stat::fstat(&*self.pool.file)?.st_ino;
        for shown in user::shown(pool)? {
            if let Some(part) = shown.part(&self.range) {
                user::remap(&part, &file, part.offset - self.range.start)?;
            }
        }
        self.pool.punch(&self.range);
        Ok(self.moved.get_or_init(|| Arc::new(file.into())))
    }
}

/// How much is copied at a time into a slice's own file.
const COPIED_AT_A_TIME: usize = 1 << 20;

impl Drop for Slice {
    fn drop(&mut self) {
        self.pool
            .live
            .fetch_sub(self.range.end - self.range.start, Ordering::Relaxed);
        if self.moved.get().is_some() {
            return;
        }
        if self.exposed.load(Ordering::Relaxed) {
            let mut retired = self
                .pool
                .retired
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            retired.push(self.range.clone());
        } else {
            self.pool.punch(&self.range);
        }
    }
}

/// The `errno` in an I/O error.
fn errno_of(error: io::Error) -> Errno {
    error.raw_os_error().map_or(Errno::EIO, Errno::from_raw)
}
