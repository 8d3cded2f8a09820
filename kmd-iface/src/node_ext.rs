//! Typed calls over [`Node`], with the one loop that repeats interrupted ones.

use nix::errno::Errno;

use crate::uapi::{Argument, Ioctl};
use crate::{KmdError, KmdResult, Node};

/// Typed calls.
pub(crate) trait NodeExt {
    /// Issues `ioctl` until it is not interrupted, as libdrm's `drmIoctl` does.
    fn try_call<T: Argument>(&self, ioctl: Ioctl<T>, argument: &mut T) -> Result<i32, Errno>;

    /// The same, with the ioctl's name in the error.
    fn call<T: Argument>(&self, ioctl: Ioctl<T>, argument: &mut T) -> KmdResult<i32> {
        self.try_call(ioctl, argument)
            .map_err(|errno| KmdError::from_errno(ioctl.name(), errno))
    }
}

impl<N: Node + ?Sized> NodeExt for N {
    fn try_call<T: Argument>(&self, ioctl: Ioctl<T>, argument: &mut T) -> Result<i32, Errno> {
        loop {
            match self.ioctl(ioctl.request(), argument.as_mut_bytes()) {
                Err(Errno::EINTR | Errno::EAGAIN) => {}
                result => {
                    tracing::trace!(ioctl = ioctl.name(), ?argument, ?result);
                    return result;
                }
            }
        }
    }
}

/// The user pointer to a value, as ioctl structures carry it.
pub(crate) fn user_pointer<T: ?Sized>(value: &T) -> u64 {
    std::ptr::from_ref(value).cast::<u8>().expose_provenance() as u64
}

/// The user pointer to a value that the kernel writes.
pub(crate) fn user_pointer_mut<T: ?Sized>(value: &mut T) -> u64 {
    std::ptr::from_mut(value).cast::<u8>().expose_provenance() as u64
}
