//! From what C gives to what Rust takes. The only module that follows raw pointers.

use std::ffi::{CStr, c_char};

use crate::event::Event;
use crate::status::Failure;

/// The object of a handle; `what` is its name in the message if it is null.
pub(crate) fn handle<'a, T>(handle: Option<&'a T>, what: &str) -> Result<&'a T, Failure> {
    handle.ok_or_else(|| Failure::usage(format!("the {what} is null")))
}

/// The bytes at a pointer.
///
/// # Safety
/// See the crate's documentation, "Pointers".
pub(crate) unsafe fn bytes<'a>(data: *const u8, size: usize) -> Result<&'a [u8], Failure> {
    if size == 0 {
        return Ok(&[]);
    }
    check(data.cast_mut(), size)?;
    // SAFETY: not null, not longer than memory, and the caller promises the rest.
    Ok(unsafe { std::slice::from_raw_parts(data, size) })
}

/// The bytes at a pointer, to be written.
///
/// # Safety
/// See the crate's documentation, "Pointers".
pub(crate) unsafe fn bytes_mut<'a>(data: *mut u8, size: usize) -> Result<&'a mut [u8], Failure> {
    if size == 0 {
        return Ok(&mut []);
    }
    check(data, size)?;
    // SAFETY: not null, not longer than memory, and the caller promises the rest.
    Ok(unsafe { std::slice::from_raw_parts_mut(data, size) })
}

/// The text at a pointer.
///
/// # Safety
/// See the crate's documentation, "Pointers".
pub(crate) unsafe fn text<'a>(text: *const c_char, what: &str) -> Result<&'a str, Failure> {
    if text.is_null() {
        return Err(Failure::usage(format!("the {what} is null")));
    }
    // SAFETY: not null, and the caller promises the zero at the end.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str()
        .map_err(|_| Failure::usage(format!("the {what} is not UTF-8")))
}

/// The events of a wait list.
///
/// # Safety
/// See the crate's documentation, "Pointers".
pub(crate) unsafe fn events(
    list: *const *const Event,
    count: usize,
) -> Result<Vec<umd::Event>, Failure> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if list.is_null()
        || !list.is_aligned()
        || count > isize::MAX as usize / size_of::<*const Event>()
    {
        return Err(Failure::usage(
            "the wait list is null, misaligned or too long",
        ));
    }
    // SAFETY: checked above, and the caller promises the rest.
    let list = unsafe { std::slice::from_raw_parts(list, count) };
    list.iter()
        .map(|&event| {
            // SAFETY: the caller promises handles; null is none.
            let event = unsafe { event.as_ref() };
            Ok(handle(event, "event of the wait list")?.0.clone())
        })
        .collect()
}

/// Writes a value to the `size` bytes at a pointer, or as much of it as there is room for.
///
/// # Safety
/// See the crate's documentation, "Pointers".
pub(crate) unsafe fn put<T: Copy>(out: *mut T, size: usize, value: &T) -> Result<(), Failure> {
    if out.is_null() {
        return Err(Failure::usage("the pointer for the information is null"));
    }
    let size = size.min(size_of::<T>());
    let from = std::ptr::from_ref(value).cast::<u8>();
    // SAFETY: not null, `size` is within the value, and the caller promises that it is within
    // what `out` points to, which is not the value here.
    unsafe { std::ptr::copy_nonoverlapping(from, out.cast(), size) };
    Ok(())
}

fn check(data: *mut u8, size: usize) -> Result<(), Failure> {
    if data.is_null() || size > isize::MAX as usize {
        return Err(Failure::usage("the data is null or too long"));
    }
    Ok(())
}
