//! Buffers.

use std::ffi::c_void;

use crate::device::Device;
use crate::pointers::{bytes, bytes_mut, handle};
use crate::status::{Status, call, make};

/// Memory that kernels and this process share, or a part of it.
#[derive(Debug)]
pub struct Buffer(pub(crate) umd::Buffer);

/// Makes a buffer of `size` zero bytes.
#[unsafe(no_mangle)]
pub extern "C" fn ig_buffer_create(
    device: Option<&Device>,
    size: u64,
    buffer: Option<&mut *mut Buffer>,
) -> Status {
    make(buffer, || {
        Ok(Buffer(handle(device, "device")?.inner.buffer(size)?))
    })
}

/// Makes a part of a buffer, from `origin` (a multiple of 4) on. It shares the memory.
#[unsafe(no_mangle)]
pub extern "C" fn ig_buffer_create_sub(
    parent: Option<&Buffer>,
    origin: u64,
    size: u64,
    buffer: Option<&mut *mut Buffer>,
) -> Status {
    make(buffer, || {
        Ok(Buffer(
            handle(parent, "buffer")?.0.sub_buffer(origin, size)?,
        ))
    })
}

/// Frees a buffer as soon as no command and no part uses it.
#[unsafe(no_mangle)]
pub extern "C" fn ig_buffer_release(_buffer: Option<Box<Buffer>>) {}

/// The size in bytes; 0 for null.
#[unsafe(no_mangle)]
pub extern "C" fn ig_buffer_size(buffer: Option<&Buffer>) -> u64 {
    buffer.map_or(0, |buffer| buffer.0.size())
}

/// The address that kernels see; 0 for null.
#[unsafe(no_mangle)]
pub extern "C" fn ig_buffer_address(buffer: Option<&Buffer>) -> u64 {
    buffer.map_or(0, |buffer| buffer.0.address().get())
}

/// The first byte in this process, valid as long as the buffer. Null for null.
#[unsafe(no_mangle)]
pub extern "C" fn ig_buffer_pointer(buffer: Option<&Buffer>) -> *mut c_void {
    buffer.map_or(std::ptr::null_mut(), |buffer| {
        buffer.0.host_pointer().cast()
    })
}

/// Copies bytes out of a buffer now: wait for the commands that write it first.
///
/// # Safety
/// See the crate's documentation, "Pointers".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_buffer_read(
    buffer: Option<&Buffer>,
    offset: u64,
    data: *mut c_void,
    size: usize,
) -> Status {
    call(|| {
        // SAFETY: as the caller promises.
        let data = unsafe { bytes_mut(data.cast(), size) }?;
        Ok(handle(buffer, "buffer")?.0.read(offset, data)?)
    })
}

/// Copies bytes into a buffer now: wait for the commands that use it first.
///
/// # Safety
/// See the crate's documentation, "Pointers".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_buffer_write(
    buffer: Option<&Buffer>,
    offset: u64,
    data: *const c_void,
    size: usize,
) -> Status {
    call(|| {
        // SAFETY: as the caller promises.
        let data = unsafe { bytes(data.cast(), size) }?;
        Ok(handle(buffer, "buffer")?.0.write(offset, data)?)
    })
}
