//! Typed calls over [`Node`], with the one loop that repeats interrupted calls.

use std::time::{Duration, Instant};

use nix::errno::Errno;

use crate::uapi::{Argument, Ioctl};
use crate::{KmdError, KmdResult, Node};

/// How long a call is repeated while the kernel says to try again. The kernel says so while it
/// resets the GPU or while another thread holds what it needs, for seconds at worst.
const RETRY: Duration = Duration::from_secs(10);
/// The first and the longest pause between two tries.
const PAUSE: (Duration, Duration) = (Duration::from_micros(10), Duration::from_millis(10));

/// Typed calls.
pub(crate) trait NodeExt {
    /// Issues `ioctl` until it is not interrupted. libdrm's `drmIoctl` also repeats `EAGAIN`, for
    /// ever; here it is the answer if it persists after ten seconds.
    fn try_call<T: Argument>(&self, ioctl: Ioctl<T>, argument: &mut T) -> Result<i32, Errno>;

    /// The same, with the ioctl's name in the error.
    fn call<T: Argument>(&self, ioctl: Ioctl<T>, argument: &mut T) -> KmdResult<i32> {
        self.try_call(ioctl, argument)
            .map_err(|errno| KmdError::from_errno(ioctl.name(), errno))
    }
}

impl<N: Node + ?Sized> NodeExt for N {
    fn try_call<T: Argument>(&self, ioctl: Ioctl<T>, argument: &mut T) -> Result<i32, Errno> {
        let result = repeat(RETRY, || {
            self.ioctl(ioctl.request(), argument.as_mut_bytes())
        });
        tracing::trace!(ioctl = ioctl.name(), ?argument, ?result);
        result
    }
}

/// Repeats a call while it is interrupted, and for `limit` while the kernel is busy.
fn repeat<T>(limit: Duration, mut call: impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    let mut busy: Option<(Instant, Duration)> = None;
    loop {
        match call() {
            Err(Errno::EINTR) => {}
            Err(Errno::EAGAIN) if busy.is_none_or(|(since, _)| since.elapsed() < limit) => {
                let (since, pause) = busy.unwrap_or_else(|| (Instant::now(), PAUSE.0));
                std::thread::sleep(pause);
                busy = Some((since, PAUSE.1.min(pause * 2)));
            }
            result => return result,
        }
    }
}

/// The user pointer to a value, as ioctl structures hold it.
pub(crate) fn user_pointer<T: ?Sized>(value: &T) -> u64 {
    std::ptr::from_ref(value).cast::<u8>().expose_provenance() as u64
}

/// The user pointer to a value that the kernel writes.
pub(crate) fn user_pointer_mut<T: ?Sized>(value: &mut T) -> u64 {
    std::ptr::from_mut(value).cast::<u8>().expose_provenance() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result of a call that answers `errno` this many times before it succeeds.
    fn call(errno: Errno, times: u32) -> Result<u32, Errno> {
        let mut calls = 0;
        repeat(Duration::from_millis(50), || {
            calls += 1;
            if calls > times { Ok(calls) } else { Err(errno) }
        })
    }

    #[test]
    fn what_was_interrupted_is_repeated() {
        assert_eq!(call(Errno::EINTR, 100_000), Ok(100_001));
        assert_eq!(call(Errno::EAGAIN, 3), Ok(4));
        assert_eq!(call(Errno::EINVAL, 1), Err(Errno::EINVAL));
    }

    #[test]
    fn trying_again_has_an_end() {
        assert_eq!(call(Errno::EAGAIN, u32::MAX), Err(Errno::EAGAIN));
    }
}
