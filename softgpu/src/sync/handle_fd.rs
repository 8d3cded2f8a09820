//! File descriptors for objects of the software GPU.
//!
//! A kernel hands out sync files and sync objects as fds. Here a table of the process maps the file
//! of such a fd to its object.
//!
//! The fd is one end of a socket pair, whose other end is in the table: so it can be duplicated,
//! polled (a signal makes it readable) and closed like a real one, and the table learns of the close
//! from the hang-up of its own end. (dma-bufs are the buffers' own files.)

use std::any::Any;
use std::collections::HashMap;
use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd, IntoRawFd, OwnedFd, RawFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::stat::fstat;

/// Identifies a file: device and inode. Sockets, memfds, dma-bufs and disks count their inodes
/// separately.
pub type FileId = (u64, u64);

/// The file behind `fd`.
///
/// # Errors
/// Those of `fstat(2)`.
pub fn file_id(fd: BorrowedFd<'_>) -> Result<FileId, Errno> {
    let status = fstat(fd)?;
    Ok((status.st_dev, status.st_ino))
}

/// The table's end of an exported fd.
#[derive(Debug)]
pub struct Token {
    ours: UnixStream,
}

impl Token {
    /// Makes the client's fd readable.
    pub fn make_readable(&self) {
        if let Err(error) = (&self.ours).write_all(&[1]) {
            // The client has closed it: nothing polls it any more.
            tracing::trace!(%error, "softgpu: a closed fence was signalled");
        }
    }

    fn is_closed(&self) -> bool {
        let mut fds = [PollFd::new(self.ours.as_fd(), PollFlags::empty())];
        matches!(poll(&mut fds, PollTimeout::ZERO), Ok(1))
            && fds[0]
                .revents()
                .is_some_and(|events| events.intersects(PollFlags::POLLHUP | PollFlags::POLLERR))
    }
}

struct Exported {
    token: Arc<Token>,
    what: Arc<dyn Any + Send + Sync>,
}

/// By the file of the client's end.
type Table = Mutex<HashMap<FileId, Exported>>;

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(Table::default)
}

/// A new fd for `what`, closed on exec.
///
/// # Errors
/// `EMFILE` and the like if no fd can be made.
pub fn export<T: Any + Send + Sync>(what: Arc<T>) -> Result<(OwnedFd, Arc<Token>), Errno> {
    let (ours, theirs) = UnixStream::pair().map_err(errno_of)?;
    let file = file_id(theirs.as_fd())?;
    let token = Arc::new(Token { ours });
    let mut table = table().lock().unwrap_or_else(PoisonError::into_inner);
    table.retain(|_, exported| !exported.token.is_closed());
    let exported = Exported {
        token: Arc::clone(&token),
        what,
    };
    table.insert(file, exported);
    Ok((theirs.into(), token))
}

/// The object of `fd`.
///
/// # Errors
/// `EBADF` if it is not open, `EINVAL` if it is not for a `T`.
pub fn import<T: Any + Send + Sync>(fd: RawFd) -> Result<Arc<T>, Errno> {
    // fstat by number, without taking ownership of the client's fd.
    let status = std::fs::metadata(format!("/proc/self/fd/{fd}")).map_err(|_| Errno::EBADF)?;
    let table = table().lock().unwrap_or_else(PoisonError::into_inner);
    let exported = table
        .get(&(status.dev(), status.ino()))
        .ok_or(Errno::EINVAL)?;
    Arc::clone(&exported.what)
        .downcast::<T>()
        .map_err(|_| Errno::EINVAL)
}

/// Gives away the fd, as the number that an ioctl returns.
pub fn give_away(fd: OwnedFd) -> RawFd {
    fd.into_raw_fd()
}

fn errno_of(error: std::io::Error) -> Errno {
    error.raw_os_error().map_or(Errno::EIO, Errno::from_raw)
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;

    use super::*;

    #[test]
    fn exported_fds_are_found_by_any_duplicate_and_forgotten_when_closed() {
        let (fd, token) = export(Arc::new(7u32)).unwrap();
        let copy = fd.try_clone().unwrap();
        drop(fd);
        assert_eq!(*import::<u32>(copy.as_raw_fd()).unwrap(), 7);
        assert_eq!(import::<u64>(copy.as_raw_fd()).unwrap_err(), Errno::EINVAL);
        let mut fds = [PollFd::new(copy.as_fd(), PollFlags::POLLIN)];
        assert_eq!(poll(&mut fds, PollTimeout::ZERO), Ok(0));
        token.make_readable();
        let mut fds = [PollFd::new(copy.as_fd(), PollFlags::POLLIN)];
        assert_eq!(poll(&mut fds, PollTimeout::ZERO), Ok(1));
        drop(copy);
        assert!(token.is_closed());
        assert_eq!(import::<u32>(-1).unwrap_err(), Errno::EBADF);
    }

    #[test]
    fn a_file_of_another_device_with_the_same_inode_is_another() {
        let file = std::fs::File::open("/dev/null").unwrap();
        let (device, inode) = file_id(file.as_fd()).unwrap();
        let insert = |id: FileId| {
            let (_theirs, token) = export(Arc::new(())).unwrap();
            let what = Arc::new(7u32);
            let mut table = table().lock().unwrap();
            table.insert(id, Exported { token, what });
            drop(table);
            import::<u32>(file.as_raw_fd())
        };
        assert_eq!(insert((device + 1, inode)), Err(Errno::EINVAL));
        assert_eq!(insert((device, inode)).as_deref(), Ok(&7));
    }
}
