//! The C library's functions as programs see them with this library.
//!
//! Each does one thing more than the function it replaces: it redirects a path into the stand-in
//! tree, hides that a descriptor is a memfd, or hands a node's `ioctl` and `mmap` to the software
//! GPU. A variadic function is declared with its one optional argument: the ABIs of Linux pass it
//! like a fixed one, and it is only passed on.

#![allow(
    clippy::missing_safety_doc,
    reason = "each function has the contract of the C library function of its name"
)]
#![allow(unsafe_code, reason = "these are the C library's entry points")]

use std::ffi::{CStr, CString};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::ptr;

use libc::{
    AT_FDCWD, AT_SYMLINK_NOFOLLOW, DIR, FILE, c_char, c_int, c_uint, c_ulong, c_void, mode_t,
    off_t, size_t, ssize_t,
};

use kmd_iface::Node;
use kmd_iface::uapi::{Direction, Request};

use crate::log::complain;
use crate::node::process_if_started;
use crate::real;
use crate::start::process;
use crate::tree::{DRM_MAJOR, is_redirected};

fn fail(errno: c_int) -> c_int {
    // SAFETY: the location of this thread's errno is always valid.
    unsafe { *libc::__errno_location() = errno };
    -1
}

/// Calls `function` with the path to use for `path`.
///
/// # Safety
/// `path` is null or NUL-terminated.
unsafe fn with_path<R>(path: *const c_char, function: impl FnOnce(*const c_char) -> R) -> R {
    if path.is_null() {
        return function(path);
    }
    // SAFETY: not null, and NUL-terminated by the caller's contract.
    let bytes = unsafe { CStr::from_ptr(path) }.to_bytes();
    // Every path of the process comes here, including those opened while the tree is made: ask for
    // the state (which makes it) only where it matters.
    if !is_redirected(bytes) {
        return function(path);
    }
    let redirected = process()
        .and_then(|process| process.tree.redirect(bytes))
        .and_then(|path| CString::new(path.as_os_str().as_bytes()).ok());
    match redirected {
        Some(redirected) => function(redirected.as_ptr()),
        None => function(path),
    }
}

/// `openat`, exchanging the placeholder for a node.
///
/// # Safety
/// As `openat`.
unsafe fn open_any(directory: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
    let Some(openat) = real::OPENAT.get() else {
        return fail(libc::ENOSYS);
    };
    // SAFETY: the caller's contract is `openat`'s.
    let (descriptor, redirected) = unsafe {
        with_path(path, |used| {
            (openat(directory, used, flags, mode), used != path)
        })
    };
    // A relative path can also reach the placeholder, from a directory inside the tree.
    let relative = directory != AT_FDCWD;
    if descriptor < 0 || !(redirected || relative) || flags & libc::O_PATH != 0 {
        return descriptor;
    }
    let Some(process) = process() else {
        return descriptor;
    };
    let Some(placeholder) = process.placeholder(descriptor) else {
        return descriptor;
    };
    // SAFETY: the descriptor was opened above and nothing else has it.
    unsafe { close(descriptor) };
    match process.open_node(placeholder, flags) {
        Ok(node) => node,
        Err(error) => {
            complain(&format!("opening a node: {error}"));
            fail(error.raw_os_error().unwrap_or(libc::ENODEV))
        }
    }
}

macro_rules! open_like {
    ($($name:ident($($argument:ident: $type:ty),*) => ($directory:expr, $path:expr, $flags:expr, $mode:expr);)*) => {
        $(
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name($($argument: $type),*) -> c_int {
                // SAFETY: the caller's contract is that of the C function.
                unsafe { open_any($directory, $path, $flags, $mode) }
            }
        )*
    };
}

open_like! {
    open(path: *const c_char, flags: c_int, mode: mode_t) => (AT_FDCWD, path, flags, mode);
    open64(path: *const c_char, flags: c_int, mode: mode_t) => (AT_FDCWD, path, flags, mode);
    __open_2(path: *const c_char, flags: c_int) => (AT_FDCWD, path, flags, 0);
    __open64_2(path: *const c_char, flags: c_int) => (AT_FDCWD, path, flags, 0);
    openat(directory: c_int, path: *const c_char, flags: c_int, mode: mode_t) => (directory, path, flags, mode);
    openat64(directory: c_int, path: *const c_char, flags: c_int, mode: mode_t) => (directory, path, flags, mode);
    __openat_2(directory: c_int, path: *const c_char, flags: c_int) => (directory, path, flags, 0);
    __openat64_2(directory: c_int, path: *const c_char, flags: c_int) => (directory, path, flags, 0);
}

/// Turns the `stat` of a node's memfd or placeholder into that of a character device.
///
/// # Safety
/// `status` points to a structure that the C library has filled.
unsafe fn present(result: c_int, status: *mut libc::stat) -> c_int {
    if result != 0 || status.is_null() {
        return result;
    }
    // SAFETY: filled by the C library, by the caller's contract.
    let status = unsafe { &mut *status };
    let minor =
        process_if_started().and_then(|process| process.minor_of(status.st_dev, status.st_ino));
    if let Some(minor) = minor {
        status.st_mode = libc::S_IFCHR | 0o666;
        status.st_rdev = libc::makedev(DRM_MAJOR, minor);
        status.st_size = 0;
    }
    result
}

macro_rules! stat_like {
    ($($name:ident($($argument:ident: $type:ty),*; $status:ident) => [$used:ident = $path:expr] $symbol:ident($($call:expr),*);)*) => {
        $(
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name($($argument: $type,)* $status: *mut libc::stat) -> c_int {
                let Some(function) = real::$symbol.get() else { return fail(libc::ENOSYS) };
                // SAFETY: the caller's contract is that of the C function.
                unsafe {
                    let result = with_path($path, |$used| function($($call),*));
                    present(result, $status)
                }
            }
        )*
    };
}

stat_like! {
    stat(path: *const c_char; status) => [used = path] FSTATAT(AT_FDCWD, used, status, 0);
    stat64(path: *const c_char; status) => [used = path] FSTATAT(AT_FDCWD, used, status, 0);
    lstat(path: *const c_char; status) => [used = path] FSTATAT(AT_FDCWD, used, status, AT_SYMLINK_NOFOLLOW);
    lstat64(path: *const c_char; status) => [used = path] FSTATAT(AT_FDCWD, used, status, AT_SYMLINK_NOFOLLOW);
    fstat(descriptor: c_int; status) => [_unused = ptr::null()] FSTAT(descriptor, status);
    fstat64(descriptor: c_int; status) => [_unused = ptr::null()] FSTAT(descriptor, status);
    __xstat(version: c_int, path: *const c_char; status) => [used = path] XSTAT(version, used, status);
    __xstat64(version: c_int, path: *const c_char; status) => [used = path] XSTAT(version, used, status);
    __lxstat(version: c_int, path: *const c_char; status) => [used = path] LXSTAT(version, used, status);
    __lxstat64(version: c_int, path: *const c_char; status) => [used = path] LXSTAT(version, used, status);
    __fxstat(version: c_int, descriptor: c_int; status) => [_unused = ptr::null()] FXSTAT(version, descriptor, status);
    __fxstat64(version: c_int, descriptor: c_int; status) => [_unused = ptr::null()] FXSTAT(version, descriptor, status);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn fstatat(
    directory: c_int,
    path: *const c_char,
    status: *mut libc::stat,
    flags: c_int,
) -> c_int {
    let Some(function) = real::FSTATAT.get() else {
        return fail(libc::ENOSYS);
    };
    // SAFETY: the caller's contract is that of the C function.
    unsafe {
        let result = with_path(path, |used| function(directory, used, status, flags));
        present(result, status)
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn fstatat64(
    directory: c_int,
    path: *const c_char,
    status: *mut libc::stat,
    flags: c_int,
) -> c_int {
    // SAFETY: the same function on 64-bit Linux.
    unsafe { fstatat(directory, path, status, flags) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn statx(
    directory: c_int,
    path: *const c_char,
    flags: c_int,
    mask: c_uint,
    status: *mut libc::statx,
) -> c_int {
    let Some(function) = real::STATX.get() else {
        return fail(libc::ENOSYS);
    };
    // SAFETY: the caller's contract is that of the C function.
    let result = unsafe { with_path(path, |used| function(directory, used, flags, mask, status)) };
    if result != 0 || status.is_null() {
        return result;
    }
    // SAFETY: filled by the C library.
    let status = unsafe { &mut *status };
    let device = libc::makedev(status.stx_dev_major, status.stx_dev_minor);
    let minor = process_if_started().and_then(|process| process.minor_of(device, status.stx_ino));
    if let Some(minor) = minor {
        status.stx_mode = (libc::S_IFCHR | 0o666) as u16;
        status.stx_rdev_major = DRM_MAJOR;
        status.stx_rdev_minor = minor;
        status.stx_size = 0;
    }
    result
}

#[unsafe(no_mangle)]
unsafe extern "C" fn access(path: *const c_char, mode: c_int) -> c_int {
    // SAFETY: the same function with a directory.
    unsafe { faccessat(AT_FDCWD, path, mode, 0) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn faccessat(
    directory: c_int,
    path: *const c_char,
    mode: c_int,
    flags: c_int,
) -> c_int {
    let Some(function) = real::FACCESSAT.get() else {
        return fail(libc::ENOSYS);
    };
    // SAFETY: the caller's contract is that of the C function.
    unsafe { with_path(path, |used| function(directory, used, mode, flags)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn readlink(path: *const c_char, buffer: *mut c_char, size: size_t) -> ssize_t {
    // SAFETY: the same function with a directory.
    unsafe { readlinkat(AT_FDCWD, path, buffer, size) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __readlink_chk(
    path: *const c_char,
    buffer: *mut c_char,
    size: size_t,
    available: size_t,
) -> ssize_t {
    // SAFETY: the caller's contract, with no more than the available bytes.
    unsafe { readlinkat(AT_FDCWD, path, buffer, size.min(available)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn readlinkat(
    directory: c_int,
    path: *const c_char,
    buffer: *mut c_char,
    size: size_t,
) -> ssize_t {
    let Some(function) = real::READLINKAT.get() else {
        return fail(libc::ENOSYS) as ssize_t;
    };
    // SAFETY: the caller's contract is that of the C function.
    unsafe { with_path(path, |used| function(directory, used, buffer, size)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn realpath(path: *const c_char, resolved: *mut c_char) -> *mut c_char {
    let Some(function) = real::REALPATH.get() else {
        return ptr::null_mut();
    };
    // SAFETY: the caller's contract is that of the C function.
    let result = unsafe { with_path(path, |used| function(used, resolved)) };
    if result.is_null() {
        return result;
    }
    // SAFETY: `realpath` succeeded, so the result is NUL-terminated.
    let bytes = unsafe { CStr::from_ptr(result) }.to_bytes();
    if let Some(visible) = process_if_started().and_then(|process| process.tree.visible(bytes)) {
        let length = visible.len();
        let start = visible.as_ptr();
        // SAFETY: `visible` is the end of the same buffer, moved to its beginning with a NUL.
        unsafe {
            ptr::copy(start.cast::<c_char>(), result, length);
            *result.add(length) = 0;
        }
    }
    result
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __realpath_chk(
    path: *const c_char,
    resolved: *mut c_char,
    _available: size_t,
) -> *mut c_char {
    // SAFETY: the caller's contract is that of the C function.
    unsafe { realpath(path, resolved) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn canonicalize_file_name(path: *const c_char) -> *mut c_char {
    // SAFETY: the caller's contract is that of the C function.
    unsafe { realpath(path, ptr::null_mut()) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn fopen(path: *const c_char, mode: *const c_char) -> *mut FILE {
    let Some(function) = real::FOPEN.get() else {
        return ptr::null_mut();
    };
    // SAFETY: the caller's contract is that of the C function.
    unsafe { with_path(path, |used| function(used, mode)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn fopen64(path: *const c_char, mode: *const c_char) -> *mut FILE {
    // SAFETY: the same function on 64-bit Linux.
    unsafe { fopen(path, mode) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn opendir(path: *const c_char) -> *mut DIR {
    let Some(function) = real::OPENDIR.get() else {
        return ptr::null_mut();
    };
    // SAFETY: the caller's contract is that of the C function.
    unsafe { with_path(path, |used| function(used)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ioctl(descriptor: c_int, request: c_ulong, argument: *mut c_void) -> c_int {
    let found = process_if_started().and_then(|process| Some((process, process.node(descriptor)?)));
    let Some((process, node)) = found else {
        let Some(function) = real::IOCTL.get() else {
            return fail(libc::ENOSYS);
        };
        // SAFETY: the caller's contract is that of the C function.
        return unsafe { function(descriptor, request, argument) };
    };
    let node = match node {
        Ok(node) => node,
        Err(errno) => return fail(errno),
    };
    let request = Request(request as u32);
    let mut bytes = vec![0u8; request.size()];
    let (given, taken) = directions(request);
    if given && let Err(errno) = user_memory::read(argument, &mut bytes) {
        return fail(errno);
    }
    let outcome = node.ioctl(request.0, &mut bytes);
    process.report(node.as_ref());
    // Some ioctls report through their argument on failure as well.
    let written = if taken {
        user_memory::write(argument, &bytes)
    } else {
        Ok(())
    };
    match (outcome, written) {
        (Err(errno), _) => {
            tracing::debug!(target: "preload", "ioctl {:#x}: {errno}", request.number());
            fail(errno as c_int)
        }
        (Ok(_), Err(errno)) => fail(errno),
        (Ok(result), Ok(())) => result,
    }
}

/// Whether a request's argument is read, and whether it is written: `_IOC_WRITE` and `_IOC_READ`
/// of include/uapi/asm-generic/ioctl.h. The kernel does not touch other arguments (`drm_ioctl` of
/// drivers/gpu/drm/drm_ioctl.c): they may be constants, or uninitialized.
fn directions(request: Request) -> (bool, bool) {
    match request.direction() {
        Direction::None => (false, false),
        Direction::Write => (true, false),
        Direction::Read => (false, true),
        Direction::ReadWrite => (true, true),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mmap(
    address: *mut c_void,
    length: size_t,
    protection: c_int,
    flags: c_int,
    descriptor: c_int,
    offset: off_t,
) -> *mut c_void {
    let Some(function) = real::MMAP.get() else {
        fail(libc::ENOSYS);
        return libc::MAP_FAILED;
    };
    let node = (descriptor >= 0)
        .then(|| process_if_started().and_then(|process| process.node(descriptor)))
        .flatten();
    let Some(node) = node else {
        // SAFETY: the caller's contract is that of the C function.
        return unsafe { function(address, length, protection, flags, descriptor, offset) };
    };
    let source = node.and_then(|node| {
        let source = node.map_range(offset as u64, length as u64);
        source.map_err(|errno| errno as c_int)
    });
    match source {
        Ok(source) => {
            let (file, offset) = (source.file.as_raw_fd(), source.offset as off_t);
            // SAFETY: the caller's contract, with the file that holds the buffer object.
            unsafe { function(address, length, protection, flags, file, offset) }
        }
        Err(errno) => {
            fail(errno);
            libc::MAP_FAILED
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mmap64(
    address: *mut c_void,
    length: size_t,
    protection: c_int,
    flags: c_int,
    descriptor: c_int,
    offset: off_t,
) -> *mut c_void {
    // SAFETY: the same function on 64-bit Linux.
    unsafe { mmap(address, length, protection, flags, descriptor, offset) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn close(descriptor: c_int) -> c_int {
    let Some(function) = real::CLOSE.get() else {
        return fail(libc::ENOSYS);
    };
    let node =
        process_if_started().and_then(|process| Some((process, process.own_node(descriptor)?)));
    // SAFETY: the caller's contract is that of the C function.
    let result = unsafe { function(descriptor) };
    // Only afterwards is it known whether another thread has closed the last but this one.
    if let Some((process, node)) = node.filter(|_| result == 0) {
        process.after_close(node);
    }
    result
}

/// Copies between this library and an ioctl's argument without trusting its address.
mod user_memory {
    use libc::{EFAULT, c_int, c_void, iovec};

    pub fn read(address: *const c_void, out: &mut [u8]) -> Result<(), c_int> {
        transfer(
            address,
            out.as_mut_ptr().cast(),
            out.len(),
            libc::process_vm_readv,
        )
    }

    pub fn write(address: *mut c_void, data: &[u8]) -> Result<(), c_int> {
        transfer(
            address,
            data.as_ptr().cast_mut().cast(),
            data.len(),
            libc::process_vm_writev,
        )
    }

    type Transfer = unsafe extern "C" fn(
        libc::pid_t,
        *const iovec,
        libc::c_ulong,
        *const iovec,
        libc::c_ulong,
        libc::c_ulong,
    ) -> libc::ssize_t;

    fn transfer(
        address: *const c_void,
        local: *mut c_void,
        length: usize,
        function: Transfer,
    ) -> Result<(), c_int> {
        if length == 0 {
            return Ok(());
        }
        let local = iovec {
            iov_base: local,
            iov_len: length,
        };
        let remote = iovec {
            iov_base: address.cast_mut(),
            iov_len: length,
        };
        // SAFETY: the local vector is a slice of this length; the remote one is checked by the
        // kernel, which answers EFAULT for what is not mapped.
        let moved = unsafe { function(libc::getpid(), &local, 1, &remote, 1, 0) };
        if usize::try_from(moved) == Ok(length) {
            Ok(())
        } else {
            Err(EFAULT)
        }
    }
}

#[cfg(test)]
mod tests;
