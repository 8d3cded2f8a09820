//! Buffer handles: closing, and sharing over dma-bufs.

use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use nix::unistd::{Whence, lseek64};

use crate::node_ext::NodeExt;
use crate::uapi::drm;
use crate::{KmdError, KmdResult, Node};

/// GEM_CLOSE: drops a handle.
pub fn close(node: &dyn Node, handle: u32) -> KmdResult<()> {
    node.call(drm::GEM_CLOSE, &mut drm::GemClose { handle, pad: 0 })?;
    Ok(())
}

/// PRIME_HANDLE_TO_FD: a dma-buf of a buffer.
pub fn prime_export(node: &dyn Node, handle: u32) -> KmdResult<OwnedFd> {
    let mut argument = drm::PrimeHandle {
        handle,
        flags: drm::PrimeFlags::RDWR | drm::PrimeFlags::CLOEXEC,
        fd: -1,
    };
    node.call(drm::PRIME_HANDLE_TO_FD, &mut argument)?;
    owned_fd(drm::PRIME_HANDLE_TO_FD.name(), argument.fd)
}

/// PRIME_FD_TO_HANDLE: the buffer of a dma-buf.
pub fn prime_import(node: &dyn Node, dmabuf: BorrowedFd<'_>) -> KmdResult<u32> {
    let mut argument = drm::PrimeHandle {
        fd: dmabuf.as_raw_fd(),
        ..Default::default()
    };
    node.call(drm::PRIME_FD_TO_HANDLE, &mut argument)?;
    Ok(argument.handle)
}

/// Takes ownership of a fd that an ioctl returned.
pub(crate) fn owned_fd(ioctl: &'static str, fd: i32) -> KmdResult<OwnedFd> {
    if fd < 0 {
        return Err(KmdError::BadAnswer {
            ioctl,
            what: format!("the fd {fd}"),
        });
    }
    // SAFETY: the ioctl succeeded, so the fd is open and nothing else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// The size of a dma-buf in bytes.
///
/// # Errors
/// The fd is not a dma-buf.
pub fn dmabuf_size(dmabuf: BorrowedFd<'_>) -> KmdResult<u64> {
    let end = lseek64(dmabuf, 0, Whence::SeekEnd)
        .map_err(|errno| KmdError::from_errno("lseek of a dma-buf", errno))?;
    Ok(u64::try_from(end).unwrap_or(0))
}
