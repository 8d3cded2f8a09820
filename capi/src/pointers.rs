//! From what C gives to what Rust takes. The only module that follows raw pointers.

use std::ffi::{CStr, c_char};

use crate::status::Failure;

/// The object of a handle; `what` is its name in the message if it is null.
pub(crate) fn handle<'a, T>(handle: Option<&'a T>, what: &str) -> Result<&'a T, Failure> {
    handle.ok_or_else(|| Failure::usage(format!("the {what} is null")))
}

/// The bytes at a pointer.
///
/// # Safety
/// See "Pointers" at the top of the header.
pub(crate) unsafe fn bytes<'a>(data: *const u8, size: usize) -> Result<&'a [u8], Failure> {
    if size == 0 {
        return Ok(&[]);
    }
    check(data, size)?;
    // SAFETY: not null, not longer than memory, and the caller promises the rest.
    Ok(unsafe { std::slice::from_raw_parts(data, size) })
}

/// A copy of the bytes at a pointer: they may be a part of memory that the GPU writes.
///
/// # Safety
/// See "Pointers" at the top of the header.
pub(crate) unsafe fn copied(data: *const u8, size: usize) -> Result<Vec<u8>, Failure> {
    check(data, size)?;
    let mut own = vec![0; size];
    if size > 0 {
        // SAFETY: not null, and the caller promises the rest; no reference is made to it.
        unsafe { std::ptr::copy(data, own.as_mut_ptr(), size) };
    }
    Ok(own)
}

/// Writes bytes to as many at a pointer, which may be a part of memory that the GPU writes.
///
/// # Safety
/// See "Pointers" at the top of the header.
pub(crate) unsafe fn put_bytes(data: *mut u8, bytes: &[u8]) -> Result<(), Failure> {
    check(data, bytes.len())?;
    if !bytes.is_empty() {
        // SAFETY: as above, the other way round.
        unsafe { std::ptr::copy(bytes.as_ptr(), data, bytes.len()) };
    }
    Ok(())
}

/// Writes a text to the `size` bytes at a pointer, as much of it as there is room for, and a zero.
///
/// # Safety
/// See "Pointers" at the top of the header.
pub(crate) unsafe fn put_text(out: *mut c_char, size: usize, text: &[u8]) -> Result<(), Failure> {
    let Some(room) = size.checked_sub(1) else {
        return Ok(());
    };
    let mut bytes = text.iter().take(room).copied().collect::<Vec<u8>>();
    bytes.push(0);
    // SAFETY: as the caller promises.
    unsafe { put_bytes(out.cast(), &bytes) }
}

/// The text at a pointer.
///
/// # Safety
/// See "Pointers" at the top of the header.
pub(crate) unsafe fn text<'a>(text: *const c_char, what: &str) -> Result<&'a str, Failure> {
    if text.is_null() {
        return Err(Failure::usage(format!("the {what} is null")));
    }
    // SAFETY: not null, and the caller promises the zero at the end.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str()
        .map_err(|_| Failure::usage(format!("the {what} is not UTF-8")))
}

/// The objects of `count` handles at a pointer; `what` is the list's name in messages, `one` that of a
/// member.
///
/// # Safety
/// See "Pointers" at the top of the header.
pub(crate) unsafe fn handles<'a, T>(
    list: *const *const T,
    count: usize,
    what: &str,
    one: &str,
) -> Result<Vec<&'a T>, Failure> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if list.is_null() || !list.is_aligned() || count > isize::MAX as usize / size_of::<*const T>() {
        return Err(Failure::usage(format!(
            "the {what} is null, misaligned or too long"
        )));
    }
    // SAFETY: checked above, and the caller promises the rest.
    let list = unsafe { std::slice::from_raw_parts(list, count) };
    list.iter()
        .map(|&one_of| {
            // SAFETY: the caller promises handles; null is none.
            handle(unsafe { one_of.as_ref() }, one)
        })
        .collect()
}

/// Writes a value to the `size` bytes at a pointer, or as much of it as there is room for.
///
/// # Safety
/// See "Pointers" at the top of the header.
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

/// Reads the `size` bytes at a pointer into a value, which may have more. What is beyond it must be
/// zero: options of a newer header that this library does not have.
///
/// # Safety
/// See "Pointers" at the top of the header.
pub(crate) unsafe fn get<T: Copy>(
    from: *const T,
    size: usize,
    value: &mut T,
) -> Result<(), Failure> {
    check(from.cast(), size)?;
    // SAFETY: as the caller promises; `check` made sure that it is not null if there are bytes.
    let newer = (size_of::<T>()..size).any(|at| unsafe { *from.cast::<u8>().add(at) } != 0);
    if newer {
        return Err(Failure::usage(format!(
            "the options have {size} bytes, of which this library knows {}; the others are not zero",
            size_of::<T>()
        )));
    }
    let size = size.min(size_of::<T>());
    let to = std::ptr::from_mut(value).cast::<u8>();
    // SAFETY: `check` made sure that it is not null, `size` is within the value, and the caller
    // promises that it is within what `from` points to. The callers' types take any bytes.
    unsafe { std::ptr::copy_nonoverlapping(from.cast(), to, size) };
    Ok(())
}

/// An error if there cannot be as many bytes at a pointer.
pub(crate) fn check(data: *const u8, size: usize) -> Result<(), Failure> {
    if size > 0 && data.is_null() || size > isize::MAX as usize {
        return Err(Failure::usage("the data is null or too long"));
    }
    Ok(())
}
