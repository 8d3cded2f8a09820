//! Checked access to the client program's memory.
//!
//! Addresses inside ioctl arguments come from outside. Memory there is read and written only with
//! `process_vm_readv(2)` and `process_vm_writev(2)` on this very process: a wild pointer gives
//! `EFAULT`, as in a kernel, never a crash.

use std::cell::OnceCell;
use std::fs::{self, File};
use std::io::{IoSlice, IoSliceMut};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};

use nix::errno::Errno;
use nix::sys::mman::{MapFlags, ProtFlags, mmap};
use nix::sys::uio::{RemoteIoVec, process_vm_readv, process_vm_writev};
use nix::unistd::Pid;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::process;

/// The end of the addresses of a client's memory.
pub const END: u64 = if cfg!(target_arch = "x86_64") {
    1 << 47
} else {
    1 << 52
};

/// This process.
fn own() -> Pid {
    Pid::from_raw(process::id().cast_signed())
}

/// Copies `out.len()` bytes from `address`.
///
/// # Errors
/// `EFAULT` if any of them cannot be read.
pub fn copy_in(address: u64, out: &mut [u8]) -> Result<(), Errno> {
    if out.is_empty() {
        return Ok(());
    }
    let remote = [RemoteIoVec {
        base: usize::try_from(address).map_err(|_| Errno::EFAULT)?,
        len: out.len(),
    }];
    let wanted = out.len();
    let got =
        process_vm_readv(own(), &mut [IoSliceMut::new(out)], &remote).map_err(|_| Errno::EFAULT)?;
    if got == wanted {
        Ok(())
    } else {
        Err(Errno::EFAULT)
    }
}

/// Copies `data` to `address`.
///
/// # Errors
/// `EFAULT` if any byte cannot be written; the bytes before it may have been.
pub fn copy_out(address: u64, data: &[u8]) -> Result<(), Errno> {
    if data.is_empty() {
        return Ok(());
    }
    let remote = [RemoteIoVec {
        base: usize::try_from(address).map_err(|_| Errno::EFAULT)?,
        len: data.len(),
    }];
    let got =
        process_vm_writev(own(), &[IoSlice::new(data)], &remote).map_err(|_| Errno::EFAULT)?;
    if got == data.len() {
        Ok(())
    } else {
        Err(Errno::EFAULT)
    }
}

/// Reads one structure at `address`.
///
/// # Errors
/// `EFAULT` as [`copy_in`].
pub fn read<T: FromBytes + IntoBytes>(address: u64) -> Result<T, Errno> {
    let mut value = T::new_zeroed();
    copy_in(address, value.as_mut_bytes())?;
    Ok(value)
}

/// Reads `count` structures at `address`.
///
/// # Errors
/// `EINVAL` if they take more than 64 MiB together, otherwise as [`copy_in`].
pub fn read_array<T: FromBytes + IntoBytes>(address: u64, count: u64) -> Result<Vec<T>, Errno> {
    let count = usize::try_from(count).map_err(|_| Errno::EINVAL)?;
    if count
        .checked_mul(size_of::<T>())
        .is_none_or(|n| n > ARRAY_LIMIT)
    {
        return Err(Errno::EINVAL);
    }
    let mut values: Vec<T> = (0..count).map(|_| T::new_zeroed()).collect();
    copy_in(address, values.as_mut_slice().as_mut_bytes())?;
    Ok(values)
}

/// Reads two arrays of `count` structures each, by one system call; `None` if either of them cannot be read,
/// or takes more than 64 MiB. Which one it is, and why, [`read_array`] says.
pub fn read_arrays<A, B>((first, second): (u64, u64), count: u64) -> Option<(Vec<A>, Vec<B>)>
where
    A: FromBytes + IntoBytes,
    B: FromBytes + IntoBytes,
{
    let count = usize::try_from(count).ok()?;
    let most = ARRAY_LIMIT / size_of::<A>().max(size_of::<B>()).max(1);
    if count == 0 || count > most {
        return None;
    }
    let mut ones: Vec<A> = (0..count).map(|_| A::new_zeroed()).collect();
    let mut others: Vec<B> = (0..count).map(|_| B::new_zeroed()).collect();
    let (one, other) = (
        ones.as_mut_slice().as_mut_bytes(),
        others.as_mut_slice().as_mut_bytes(),
    );
    let remote = |address: u64, bytes: &[u8]| {
        let base = usize::try_from(address).ok()?;
        let len = bytes.len();
        Some(RemoteIoVec { base, len })
    };
    let remote = [remote(first, one)?, remote(second, other)?];
    let wanted = one.len() + other.len();
    let mut local = [IoSliceMut::new(one), IoSliceMut::new(other)];
    let got = process_vm_readv(own(), &mut local, &remote).ok()?;
    (got == wanted).then_some((ones, others))
}

/// The most bytes of an array argument.
const ARRAY_LIMIT: usize = 64 << 20;

/// Writes one structure to `address`.
///
/// # Errors
/// `EFAULT` as [`copy_out`].
pub fn write<T: IntoBytes + Immutable>(address: u64, value: &T) -> Result<(), Errno> {
    copy_out(address, value.as_bytes())
}

/// A duplicate, closed on exec, of an eventfd of the client.
///
/// # Errors
/// `EBADF` if it is not open, `EINVAL` if it is not an eventfd; `EMFILE`.
pub fn duplicate_eventfd(fd: RawFd) -> Result<OwnedFd, Errno> {
    let link = fs::read_link(format!("/proc/self/fd/{fd}")).map_err(|_| Errno::EBADF)?;
    if link.to_str() != Some("anon_inode:[eventfd]") {
        return Err(Errno::EINVAL);
    }
    duplicate(fd)
}

/// A duplicate, closed on exec, of a file descriptor of the client.
///
/// # Errors
/// `EBADF` if it is not open; `EMFILE`.
pub fn duplicate(fd: RawFd) -> Result<OwnedFd, Errno> {
    if fd < 0 {
        return Err(Errno::EBADF);
    }
    // SAFETY: the borrow lives for the system call only, which checks the number itself.
    let borrowed = unsafe { BorrowedFd::borrow_raw(fd) };
    borrowed
        .try_clone_to_owned()
        .map_err(|error| error.raw_os_error().map_or(Errno::EBADF, Errno::from_raw))
}

/// The mappings of this process.
///
/// Linux answers for an address since 6.11; before, all mappings are read, as they are at the first
/// question.
#[derive(Debug)]
pub struct Maps {
    file: File,
    text: OnceCell<Vec<Map>>,
}

#[derive(Clone, Debug)]
struct Map {
    range: Range<u64>,
    readable: bool,
    writable: bool,
    /// Whether it shows a file, which may be shorter than the mapping.
    of_file: bool,
}

/// `struct procmap_query`.
#[derive(Default)]
#[repr(C)]
struct Query {
    size: u64,
    flags: u64,
    address: u64,
    start: u64,
    end: u64,
    access: u64,
    page_size: u64,
    offset: u64,
    inode: u64,
    device: [u32; 2],
    name_size: u32,
    build_id_size: u32,
    name: u64,
    build_id: u64,
}

const _: () = assert!(size_of::<Query>() == 104);

/// `PROCMAP_QUERY_VMA_READABLE` and `_WRITABLE`.
const READABLE: u64 = 1;
const WRITABLE: u64 = 2;

nix::ioctl_readwrite!(
    /// `PROCMAP_QUERY`, of the file `/proc/self/maps`.
    procmap_query,
    b'f',
    17,
    Query
);

impl Maps {
    /// Opens `/proc/self/maps`.
    ///
    /// # Errors
    /// `EFAULT` if it cannot be read: then no pointer can be trusted.
    pub fn load() -> Result<Self, Errno> {
        Ok(Self {
            file: File::open("/proc/self/maps").map_err(|_| Errno::EFAULT)?,
            text: OnceCell::new(),
        })
    }

    /// Whether every byte of `range` is mapped readable (and writable, if `write`), and the files
    /// behind it are long enough.
    pub fn allows(&self, range: &Range<u64>, write: bool) -> bool {
        let mut reached = range.start;
        while reached < range.end {
            let Some(map) = self.at(reached) else {
                return false;
            };
            if !map.readable || (write && !map.writable) {
                return false;
            }
            reached = map.range.end;
            // If a file reaches the last page, it reaches all pages before it.
            let last = reached.min(range.end) - 1;
            if map.of_file && copy_in(last, &mut [0]).is_err() {
                return false;
            }
        }
        true
    }

    /// The mapping that holds `address`.
    fn at(&self, address: u64) -> Option<Map> {
        if self.text.get().is_none() {
            match self.ask(address) {
                // Special mappings are among those that cannot be written and are of no file.
                Ok(map) if map.writable || map.of_file => return Some(map),
                Err(Errno::ENOENT) => return None,
                Ok(_) | Err(_) => {}
            }
        }
        let ranges = self.text.get_or_init(read_maps);
        let first = ranges.partition_point(|map| map.range.end <= address);
        let map = ranges.get(first)?;
        (map.range.start <= address).then(|| map.clone())
    }

    fn ask(&self, address: u64) -> Result<Map, Errno> {
        let mut query = Query {
            size: size_of::<Query>() as u64,
            address,
            ..Query::default()
        };
        // SAFETY: the structure is the kernel's, has its size, and points nowhere.
        unsafe { procmap_query(self.file.as_raw_fd(), &raw mut query) }?;
        Ok(Map {
            range: query.start..query.end,
            readable: query.access & READABLE != 0,
            writable: query.access & WRITABLE != 0,
            of_file: query.inode != 0,
        })
    }
}

/// All mappings, by address; none if they cannot be read.
fn read_maps() -> Vec<Map> {
    let text = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let entries = text.lines().filter_map(Entry::parse);
    let maps = entries.map(|entry| {
        // Special mappings (vvar, vsyscall) cannot back a buffer object.
        let special = entry.name.starts_with("[v");
        Map {
            range: entry.range,
            readable: entry.access.starts_with('r') && !special,
            writable: entry.access.as_bytes().get(1) == Some(&b'w') && !special,
            of_file: entry.inode != 0,
        }
    });
    maps.collect()
}

/// Addresses of this process that show a part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    addresses: Range<u64>,
    /// Where the part begins in the file.
    pub offset: u64,
    writable: bool,
}

impl Shown {
    /// What of it shows a range of the file.
    pub fn part(&self, range: &Range<u64>) -> Option<Self> {
        let bytes = self.addresses.end - self.addresses.start;
        let start = self.offset.max(range.start);
        let end = self.offset.saturating_add(bytes).min(range.end);
        (start < end).then(|| {
            let first = self.addresses.start + (start - self.offset);
            Self {
                addresses: first..first + (end - start),
                offset: start,
                writable: self.writable,
            }
        })
    }
}

/// Lets addresses that show a part of one file show another file, from `offset` on.
pub(super) fn remap(shown: &Shown, file: impl AsFd, offset: u64) -> Result<(), Errno> {
    let address = usize::try_from(shown.addresses.start).map_err(|_| Errno::EFAULT)?;
    let bytes = usize::try_from(shown.addresses.end).map_err(|_| Errno::EFAULT)? - address;
    let mut access = ProtFlags::PROT_READ;
    access.set(ProtFlags::PROT_WRITE, shown.writable);
    let flags = MapFlags::MAP_SHARED | MapFlags::MAP_FIXED;
    let offset = i64::try_from(offset).map_err(|_| Errno::EINVAL)?;
    // SAFETY: whole pages that show a file, which others may change at any time, show another from
    // now on, with the same access: to whoever reads them, bytes have changed.
    unsafe {
        mmap(
            NonZeroUsize::new(address),
            NonZeroUsize::new(bytes).ok_or(Errno::EINVAL)?,
            access,
            flags,
            file,
            offset,
        )
    }?;
    Ok(())
}

/// Where this process shows the file with this inode (private memory files have inodes of their own,
/// on device 0:1).
pub(super) fn shown(inode: u64) -> Result<Vec<Shown>, Errno> {
    let text = fs::read_to_string("/proc/self/maps").map_err(|_| Errno::EFAULT)?;
    Ok(text
        .lines()
        .filter_map(Entry::parse)
        .filter(|entry| entry.inode == inode && entry.name.starts_with("/memfd:"))
        .filter(|entry| entry.range.start <= entry.range.end)
        .map(|entry| Shown {
            writable: entry.access.as_bytes().get(1) == Some(&b'w'),
            addresses: entry.range,
            offset: entry.offset,
        })
        .collect())
}

/// One line of `/proc/PID/maps`, see proc(5).
struct Entry<'a> {
    range: Range<u64>,
    access: &'a str,
    offset: u64,
    inode: u64,
    name: &'a str,
}

impl<'a> Entry<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let mut fields = line.split_ascii_whitespace();
        let (start, end) = fields.next()?.split_once('-')?;
        let access = fields.next()?;
        let offset = fields.next()?;
        let _device = fields.next()?;
        let inode = fields.next()?;
        Some(Self {
            range: u64::from_str_radix(start, 16).ok()?..u64::from_str_radix(end, 16).ok()?,
            access,
            offset: u64::from_str_radix(offset, 16).ok()?,
            inode: inode.parse().ok()?,
            name: fields.next().unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use memmap2::MmapOptions;
    use nix::sys::memfd::{MFdFlags, memfd_create};
    use nix::unistd::ftruncate;

    use super::*;

    #[test]
    fn wild_pointers_are_efault() {
        let mut out = [0u8; 16];
        for address in [0, 1, 0xdead_beef_0000, u64::MAX - 3, 1 << 63] {
            assert_eq!(copy_in(address, &mut out), Err(Errno::EFAULT));
            assert_eq!(copy_out(address, &out), Err(Errno::EFAULT));
        }
        let text = "constant text in a read-only mapping";
        assert_eq!(
            copy_out(text.as_ptr() as u64, b"overwritten"),
            Err(Errno::EFAULT)
        );
        copy_in(text.as_ptr() as u64, &mut out).unwrap();
        assert_eq!(&out, b"constant text in");
    }

    #[test]
    fn two_arrays_are_read_if_both_are_there() {
        let (handles, points) = ([1u32, 2, 3], [10u64, 20, 30]);
        let places = (handles.as_ptr() as u64, points.as_ptr() as u64);
        let read = |places, count| read_arrays::<u32, u64>(places, count);
        assert_eq!(read(places, 3), Some((handles.to_vec(), points.to_vec())));
        assert_eq!(read(places, 1), Some((vec![1], vec![10])));
        for wild in [(places.0, 0), (0, places.1), (places.0, u64::MAX - 3)] {
            assert_eq!(read(wild, 3), None);
        }
        for count in [0, 1 << 40, u64::MAX] {
            assert_eq!(read(places, count), None);
        }
    }

    #[test]
    fn a_file_that_became_shorter_is_not_there() {
        let file = memfd_create("test", MFdFlags::empty()).unwrap();
        ftruncate(&file, 0x4000).unwrap();
        let map = MmapOptions::new().len(0x4000).map_raw(&file).unwrap();
        let start = map.as_mut_ptr() as u64;
        let allowed = |end| Maps::load().unwrap().allows(&(start..start + end), true);
        assert!(allowed(0x4000));
        ftruncate(&file, 0x1001).unwrap();
        assert!(allowed(0x2000), "the file's last page is whole");
        assert!(!allowed(0x3000));
        assert!(!allowed(0x4000));
    }

    #[test]
    fn both_ways_to_look_agree() {
        let maps = Maps::load().unwrap();
        let first = read_maps().first().map_or(0, |map| map.range.start);
        if maps.ask(first).is_err() {
            return;
        }
        for map in read_maps() {
            let Ok(asked) = maps.ask(map.range.start) else {
                continue;
            };
            // Special ones are not readable here, and others may grow meanwhile.
            if map.readable && asked.range == map.range {
                let access = |map: &Map| (map.readable, map.writable, map.of_file);
                assert_eq!(access(&asked), access(&map), "{map:?}");
            }
        }
        assert!(matches!(maps.ask(0), Err(Errno::ENOENT)));
    }

    #[test]
    fn maps_tell_what_is_mapped_and_writable() {
        let mut data = vec![0u8; 1 << 20];
        let start = data.as_mut_ptr() as u64;
        let maps = Maps::load().unwrap();
        assert!(maps.allows(&(start..start + data.len() as u64), true));
        let text = "read only";
        let text_start = text.as_ptr() as u64;
        assert!(maps.allows(&(text_start..text_start + 9), false));
        assert!(!maps.allows(&(text_start..text_start + 9), true));
        assert!(!maps.allows(&(0..4096), false));
        assert!(!maps.allows(&(start..u64::MAX), false));
    }
}
