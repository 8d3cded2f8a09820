//! Which process this is, without a system call each time.
//!
//! Each ioctl asks, and each copy from the client's memory in it: a child that was forked has to be told from
//! its parent. `getpid(2)` is a system call: C libraries no longer keep the number (getpid(2), "C
//! library/kernel differences"). Here it is kept in a page that the kernel clears in children (madvise(2),
//! `MADV_WIPEONFORK`).

use std::num::NonZeroUsize;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};

use nix::sys::mman::{MapFlags, MmapAdvise, ProtFlags, madvise, mmap_anonymous, munmap};

/// What the kernel clears are pages: as large as any processor has them.
const BYTES: NonZeroUsize = NonZeroUsize::MIN.saturating_add((64 << 10) - 1);

/// Where the number is kept, once there is a place. No lock: one that is held while the process forks is never
/// released in the child.
static KEPT: AtomicPtr<AtomicU32> = AtomicPtr::new(ptr::null_mut());

/// Whether the kernel has refused a place: it is not asked again.
static REFUSED: AtomicBool = AtomicBool::new(false);

/// The number of this process. (A child that shares its parent's memory, as by `vfork(2)`, has its parent's.)
pub fn id() -> u32 {
    let kept = match KEPT.load(Ordering::Acquire) {
        place if place.is_null() && !REFUSED.load(Ordering::Relaxed) => make(),
        place => place,
    };
    if kept.is_null() {
        return std::process::id();
    }
    // SAFETY: `make` mapped it, for as long as the process lives.
    let kept = unsafe { &*kept };
    match kept.load(Ordering::Relaxed) {
        0 => {
            let own = std::process::id();
            kept.store(own, Ordering::Relaxed);
            own
        }
        known => known,
    }
}

/// Makes the place; null if there can be none.
#[cold]
fn make() -> *mut AtomicU32 {
    let access = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
    // SAFETY: new memory, at a place of the kernel's choice.
    let page = unsafe { mmap_anonymous(None, BYTES, access, MapFlags::MAP_PRIVATE) };
    let Ok(page) = page else {
        return ptr::null_mut();
    };
    // SAFETY: the bytes are those of the mapping, which nobody else has.
    let wiped = unsafe { madvise(page, BYTES.get(), MmapAdvise::MADV_WIPEONFORK) };
    let place = page.as_ptr().cast::<AtomicU32>();
    if wiped.is_ok() {
        let order = (Ordering::AcqRel, Ordering::Acquire);
        match KEPT.compare_exchange(ptr::null_mut(), place, order.0, order.1) {
            Ok(_) => return place,
            // Another thread has made one meanwhile.
            Err(theirs) => {
                // SAFETY: nobody has seen this one.
                let _gone = unsafe { munmap(page, BYTES.get()) };
                return theirs;
            }
        }
    }
    REFUSED.store(true, Ordering::Relaxed);
    // SAFETY: as above.
    let _gone = unsafe { munmap(page, BYTES.get()) };
    ptr::null_mut()
}

#[cfg(test)]
mod tests {
    use nix::sys::wait::{WaitStatus, waitpid};
    use nix::unistd::{ForkResult, fork};

    use super::*;

    #[test]
    fn a_child_is_another_process() {
        let own = id();
        assert_eq!([own, id()], [std::process::id(); 2]);
        // SAFETY: the child makes system calls only.
        match unsafe { fork() }.expect("there can be another process") {
            ForkResult::Child => {
                let is_new = id() == std::process::id() && id() != own;
                // SAFETY: it ends at once.
                unsafe { nix::libc::_exit(is_new.into()) }
            }
            ForkResult::Parent { child } => {
                assert_eq!(waitpid(child, None), Ok(WaitStatus::Exited(child, 1)));
            }
        }
        assert_eq!(id(), own);
    }
}
