//! The C library's own functions, which this library's functions shadow.

use std::ffi::CStr;
use std::marker::PhantomData;
use std::mem;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use libc::{DIR, FILE, c_char, c_int, c_uint, c_ulong, c_void, mode_t, off_t, size_t, ssize_t};

/// A symbol of the next library in search order, looked up at first use.
#[derive(Debug)]
pub struct Symbol<F> {
    name: &'static CStr,
    address: AtomicPtr<c_void>,
    function: PhantomData<F>,
}

impl<F: Copy> Symbol<F> {
    const fn new(name: &'static CStr) -> Self {
        Self {
            name,
            address: AtomicPtr::new(ptr::null_mut()),
            function: PhantomData,
        }
    }

    /// The function, or `None` if this C library does not have it.
    pub fn get(&self) -> Option<F> {
        let mut address = self.address.load(Ordering::Relaxed);
        if address.is_null() {
            // SAFETY: the name is NUL-terminated; RTLD_NEXT is a documented pseudo-handle.
            address = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
            self.address.store(address, Ordering::Relaxed);
        }
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
        // SAFETY: `F` is a function pointer type (checked for size above, and every `Symbol` is
        // declared in this file with the C prototype of its name); the address is not null.
        (!address.is_null()).then(|| unsafe { mem::transmute_copy::<*mut c_void, F>(&address) })
    }
}

macro_rules! symbols {
    ($($constant:ident = $name:literal: fn($($argument:ty),*) -> $result:ty;)*) => {
        $(pub static $constant: Symbol<unsafe extern "C" fn($($argument),*) -> $result> =
            Symbol::new($name);)*
    };
}

symbols! {
    OPENAT = c"openat": fn(c_int, *const c_char, c_int, mode_t) -> c_int;
    FOPEN = c"fopen": fn(*const c_char, *const c_char) -> *mut FILE;
    FACCESSAT = c"faccessat": fn(c_int, *const c_char, c_int, c_int) -> c_int;
    FSTAT = c"fstat": fn(c_int, *mut libc::stat) -> c_int;
    FSTATAT = c"fstatat": fn(c_int, *const c_char, *mut libc::stat, c_int) -> c_int;
    XSTAT = c"__xstat": fn(c_int, *const c_char, *mut libc::stat) -> c_int;
    LXSTAT = c"__lxstat": fn(c_int, *const c_char, *mut libc::stat) -> c_int;
    FXSTAT = c"__fxstat": fn(c_int, c_int, *mut libc::stat) -> c_int;
    STATX = c"statx": fn(c_int, *const c_char, c_int, c_uint, *mut libc::statx) -> c_int;
    READLINKAT = c"readlinkat": fn(c_int, *const c_char, *mut c_char, size_t) -> ssize_t;
    REALPATH = c"realpath": fn(*const c_char, *mut c_char) -> *mut c_char;
    OPENDIR = c"opendir": fn(*const c_char) -> *mut DIR;
    IOCTL = c"ioctl": fn(c_int, c_ulong, *mut c_void) -> c_int;
    MMAP = c"mmap": fn(*mut c_void, size_t, c_int, c_int, c_int, off_t) -> *mut c_void;
    CLOSE = c"close": fn(c_int) -> c_int;
}
