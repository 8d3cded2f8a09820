//! The functions as programs call them.

use kmd_iface::uapi::drm::{GEM_CLOSE, GemClose};
use kmd_iface::uapi::i915::gem::{CREATE, Create, MMAP_OFFSET, MmapOffset, MmapOffsetArgs};
use nix::errno::Errno;

use super::*;

#[test]
fn arguments_that_are_only_read_may_be_constants() {
    let process = process().unwrap();
    // SAFETY: the path is NUL-terminated.
    let node = unsafe { open(c"/dev/dri/renderD128".as_ptr(), libc::O_CLOEXEC, 0) };
    assert!(process.node(node).unwrap().is_ok());
    let mut create = Create {
        size: 4096,
        ..Default::default()
    };
    let argument = ptr::from_mut(&mut create).cast();
    // SAFETY: the argument is the request's.
    let created = unsafe { ioctl(node, CREATE.request().into(), argument) };
    static FIRST: GemClose = GemClose { handle: 1, pad: 0 };
    assert_eq!((created, create.handle), (0, FIRST.handle));
    let argument = ptr::from_ref(&FIRST).cast_mut().cast();
    // SAFETY: as above; only arguments that the request declares written are written.
    let closed = unsafe { ioctl(node, GEM_CLOSE.request().into(), argument) };
    assert_eq!(closed, 0);
}

/// Opens a node of this process.
fn opened() -> c_int {
    // SAFETY: the path is NUL-terminated.
    let node = unsafe { open(c"/dev/dri/renderD128".as_ptr(), libc::O_CLOEXEC, 0) };
    assert!(node >= 0);
    node
}

/// What an ioctl that asks for nothing in particular answers.
fn asked(node: c_int) -> Result<(), Errno> {
    let mut create = Create {
        size: 4096,
        ..Default::default()
    };
    let argument = ptr::from_mut(&mut create).cast();
    // SAFETY: the argument is the request's.
    match unsafe { ioctl(node, CREATE.request().into(), argument) } {
        0 => Ok(()),
        _ => Err(Errno::last()),
    }
}

fn closed(descriptor: c_int) -> bool {
    // SAFETY: the tests own what they close.
    unsafe { close(descriptor) == 0 }
}

/// What a child does that a signal ends after a while.
fn child(make: unsafe extern "C" fn() -> libc::pid_t, run: impl FnOnce() -> bool) {
    let _alone = crate::held::CHILDREN
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    // SAFETY: the child makes calls of this library only, and leaves by `_exit`.
    let child = unsafe { make() };
    if child == 0 {
        // SAFETY: the signal ends the child; `_exit` does not return.
        unsafe {
            libc::alarm(30);
            libc::_exit(if run() { 0 } else { 1 });
        }
    }
    let mut status = 0;
    // SAFETY: waits for the child made above.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert_eq!(status, 0, "a child that was to end well");
}

#[test]
fn a_child_needs_no_lock_that_its_parent_had() {
    let node = opened();
    let process = process().unwrap();
    // As if another thread were in an ioctl at the fork.
    let held = process.hold();
    child(libc::fork, || {
        // SAFETY: the path is NUL-terminated.
        let other = unsafe { open(c"/dev/null".as_ptr(), 0, 0) };
        let own = opened();
        asked(node) == Err(Errno::ENODEV)
            && asked(own) == Ok(())
            && [other, node, own].into_iter().all(closed)
    });
    drop(held);
    assert_eq!(asked(node), Ok(()));
    assert!(closed(node));
}

#[test]
fn a_signal_handler_needs_no_lock_that_its_thread_has() {
    let node = opened();
    // As in a handler that interrupts an ioctl; in a child, as it would wait for ever.
    child(libc::fork, || {
        let own = opened();
        let held = process().unwrap().hold();
        // SAFETY: a `stat` of zeros is one.
        let mut status: libc::stat = unsafe { std::mem::zeroed() };
        // SAFETY: the path is NUL-terminated, and the structure is valid.
        let (other, seen) = unsafe {
            let other = open(c"/dev/null".as_ptr(), 0, 0);
            (other, fstat(own, &mut status))
        };
        let is_node = seen == 0 && status.st_mode & libc::S_IFMT == libc::S_IFCHR;
        let ended = closed(other);
        drop(held);
        is_node && ended && closed(own)
    });
    assert!(closed(node));
}

#[test]
fn a_child_that_shares_the_memory_closes_its_own_copy() {
    let node = opened();
    // SAFETY: of the new process's memory nothing is used but the program's arguments.
    #[allow(deprecated, reason = "this is about programs that use it")]
    child(libc::vfork, || closed(node));
    assert_eq!(asked(node), Ok(()));
    assert!(closed(node));
}

#[test]
fn nodes_that_were_closed_in_other_ways_end_with_the_next_that_is_opened() {
    let process = process().unwrap();
    let ended = |node: c_int, how: &dyn Fn(c_int)| {
        let id = process.own_node(node).unwrap();
        how(node);
        let next = opened();
        assert!(!process.has(id));
        assert!(closed(next));
    };
    // SAFETY: the tests own what they close.
    ended(opened(), &|node| unsafe {
        assert_eq!(libc::fclose(libc::fdopen(node, c"r+".as_ptr())), 0);
    });
    // SAFETY: as above.
    ended(opened(), &|node| unsafe {
        assert_eq!(libc::dup2(2, node), node);
    });
    // One that is open by a duplicate stays.
    let node = opened();
    // SAFETY: as above.
    let duplicate = unsafe { libc::dup(node) };
    assert!(closed(node));
    assert!(closed(opened()));
    assert_eq!(asked(duplicate), Ok(()));
    let id = process.own_node(duplicate).unwrap();
    assert!(closed(duplicate));
    assert!(!process.has(id));
}

#[test]
fn a_mapping_ends_with_its_buffer() {
    let node = opened();
    let mut create = Create {
        size: 1 << 16,
        ..Default::default()
    };
    // SAFETY: the argument is the request's.
    let made = unsafe {
        let argument = ptr::from_mut(&mut create).cast();
        ioctl(node, CREATE.request().into(), argument)
    };
    assert_eq!(made, 0);
    let mut map = MmapOffsetArgs {
        handle: create.handle,
        flags: MmapOffset::Wb as u64,
        ..Default::default()
    };
    let argument = ptr::from_mut(&mut map).cast();
    // SAFETY: the argument is the request's.
    let placed = unsafe { ioctl(node, MMAP_OFFSET.request().into(), argument) };
    assert_eq!(placed, 0);
    for (length, fits) in [(1 << 16, true), (4096, true), ((1 << 16) + 1, false)] {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let offset = map.offset as off_t;
        // SAFETY: a new mapping, which goes below.
        let start = unsafe {
            mmap(
                ptr::null_mut(),
                length,
                protection,
                libc::MAP_SHARED,
                node,
                offset,
            )
        };
        assert_eq!(start != libc::MAP_FAILED, fits, "{length} bytes");
        match fits {
            // SAFETY: the mapping was made above.
            true => assert_eq!(unsafe { libc::munmap(start, length) }, 0),
            false => assert_eq!(Errno::last(), Errno::EINVAL),
        }
    }
    assert!(closed(node));
}
