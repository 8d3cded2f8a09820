//! File descriptors that stand for things of the software GPU.
//!
//! A kernel hands out sync files, sync objects and dma-bufs as fds. Here such a fd is one end of
//! a socket pair; the other end stays in a table of the process, with what it stands for. So the
//! fd can be duplicated, polled (it becomes readable when it is told to) and closed like a real
//! one, and the table learns of the close by its end's hang-up.

use std::any::Any;
use std::collections::HashMap;
use std::io::Write;
use std::os::fd::{AsFd, IntoRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// The table's end of an exported fd.
#[derive(Debug)]
pub struct Token {
    ours: UnixStream,
}

impl Token {
    /// Makes the client's fd readable.
    pub fn make_readable(&self) {
        if let Err(error) = (&self.ours).write_all(&[1]) {
            // The client has closed it: nobody polls any more.
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

/// By inode of the client's end.
type Table = Mutex<HashMap<u64, Exported>>;

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(Table::default)
}

/// A new fd, closed on exec, that stands for `what`.
///
/// # Errors
/// `EMFILE` and the like when no fd can be made.
pub fn export<T: Any + Send + Sync>(what: Arc<T>) -> Result<(OwnedFd, Arc<Token>), Errno> {
    let (ours, theirs) = UnixStream::pair().map_err(errno_of)?;
    let inode = nix::sys::stat::fstat(&theirs)?.st_ino;
    let token = Arc::new(Token { ours });
    let mut table = table().lock().unwrap_or_else(PoisonError::into_inner);
    table.retain(|_, exported| !exported.token.is_closed());
    table.insert(
        inode,
        Exported {
            token: Arc::clone(&token),
            what,
        },
    );
    Ok((theirs.into(), token))
}

/// What `fd` stands for.
///
/// # Errors
/// `EBADF` if it is not open, `EINVAL` if it does not stand for a `T`.
pub fn import<T: Any + Send + Sync>(fd: RawFd) -> Result<Arc<T>, Errno> {
    // fstat by number, without taking the client's fd into possession.
    let status = std::fs::metadata(format!("/proc/self/fd/{fd}")).map_err(|_| Errno::EBADF)?;
    let inode = std::os::unix::fs::MetadataExt::ino(&status);
    let table = table().lock().unwrap_or_else(PoisonError::into_inner);
    let exported = table.get(&inode).ok_or(Errno::EINVAL)?;
    Arc::clone(&exported.what)
        .downcast::<T>()
        .map_err(|_| Errno::EINVAL)
}

/// Gives the fd away, as the number that an ioctl returns.
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
}
