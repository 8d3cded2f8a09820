//! Buffers.

use std::ffi::c_void;
use std::ptr::NonNull;

use umd::{GpuAddress, HostMemory};

use crate::device::Device;
use crate::pointers::{check, handle};
use crate::status::{Failure, Status, call, make};

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

/// Makes a buffer of `size` zero bytes in the host's memory, which this process and kernels see
/// at one address: `ig_buffer_pointer` and `ig_buffer_address` are the same number.
#[unsafe(no_mangle)]
pub extern "C" fn ig_buffer_create_shared(
    device: Option<&Device>,
    size: u64,
    buffer: Option<&mut *mut Buffer>,
) -> Status {
    make(buffer, || {
        let device = &handle(device, "device")?.inner;
        Ok(Buffer(device.shared_buffer(size)?))
    })
}

/// Makes a buffer of the caller's own memory, without a copy. It may begin and end anywhere; the
/// kernel driver takes the pages of 4096 bytes that it lies in. They must stay mapped, readable
/// and writable until the buffer and its parts are released and the commands that use them have
/// ended.
///
/// # Safety
/// See "Pointers" at the top of the header; and the memory stays as said above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_buffer_create_from_host(
    device: Option<&Device>,
    memory: *mut c_void,
    size: usize,
    buffer: Option<&mut *mut Buffer>,
) -> Status {
    make(buffer, || {
        let memory = NonNull::new(memory.cast());
        let memory = memory.ok_or_else(|| Failure::usage("the memory is null"))?;
        // SAFETY: as the caller promises.
        let memory = unsafe { HostMemory::from_raw(memory, size) }?;
        let device = &handle(device, "device")?.inner;
        Ok(Buffer(device.from_user_memory(&memory, 0..size)?))
    })
}

/// Makes a handle to the part of a buffer that begins at `address`, an address as kernels see it. It
/// shares the memory; `ig_buffer_origin` says how far into the buffer the address lies.
#[unsafe(no_mangle)]
pub extern "C" fn ig_buffer_at(
    device: Option<&Device>,
    address: u64,
    buffer: Option<&mut *mut Buffer>,
) -> Status {
    make(buffer, || {
        let device = &handle(device, "device")?.inner;
        let buffer = device.buffer_at(GpuAddress::new(address));
        let missing = || Failure::usage(format!("there is no buffer at {address:#x}"));
        Ok(Buffer(buffer.ok_or_else(missing)?))
    })
}

/// The offset of a sub-buffer in its parent; 0 for other buffers, and for null.
#[unsafe(no_mangle)]
pub extern "C" fn ig_buffer_origin(buffer: Option<&Buffer>) -> u64 {
    buffer.map_or(0, |buffer| buffer.0.origin())
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
pub extern "C" fn ig_buffer_release(buffer: Option<Box<Buffer>>) {
    drop(buffer);
}

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
/// See "Pointers" at the top of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_buffer_read(
    buffer: Option<&Buffer>,
    offset: u64,
    data: *mut c_void,
    size: usize,
) -> Status {
    call(|| {
        let buffer = &handle(buffer, "buffer")?.0;
        check(data.cast(), size)?;
        // SAFETY: as the caller promises. It may be memory that the buffer was made of, so that no
        // reference is made to it.
        Ok(unsafe { buffer.read_to(offset, data.cast(), size) }?)
    })
}

/// Copies bytes into a buffer now: wait for the commands that use it first.
///
/// # Safety
/// See "Pointers" at the top of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_buffer_write(
    buffer: Option<&Buffer>,
    offset: u64,
    data: *const c_void,
    size: usize,
) -> Status {
    call(|| {
        let buffer = &handle(buffer, "buffer")?.0;
        check(data.cast(), size)?;
        // SAFETY: as above.
        Ok(unsafe { buffer.write_from(offset, data.cast(), size) }?)
    })
}
