//! Maps: a part of a buffer or image that this process may access between two commands.

use std::ffi::c_void;

use umd::MapAccess as Access;

use crate::buffer::Buffer;
use crate::event::Event;
use crate::image::{Image, Region};
use crate::pointers::handle;
use crate::queue::{Queue, enqueue};
use crate::status::{Failure, Status};

/// A mapped part of a buffer or image.
#[derive(Debug)]
pub struct Map(umd::Mapped);

/// What is done with a mapped part of an image.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapAccess {
    /// It is read.
    Read = 0,
    /// It is read, and written in part.
    ReadWrite = 1,
    /// It is written as a whole; what was there before is not needed.
    Overwrite = 2,
}

/// Enqueues a map and gives its handle and event.
///
/// # Safety
/// See "Pointers" at the top of the header.
unsafe fn map(
    queue: Option<&Queue>,
    wait: (usize, *const *const Event),
    map: Option<&mut *mut Map>,
    event: Option<&mut *mut Event>,
    body: impl FnOnce(&umd::Queue, &[umd::Event]) -> Result<umd::Mapped, Failure>,
) -> Status {
    // SAFETY: as the caller promises.
    unsafe {
        enqueue(queue, wait, event, |queue, list| {
            let map = map.ok_or_else(|| Failure::usage("the pointer for the map is null"))?;
            let mapped = body(queue, list)?;
            let event = mapped.event().clone();
            *map = Box::into_raw(Box::new(Map(mapped)));
            Ok(event)
        })
    }
}

/// Maps `size` bytes of a buffer, from `offset` on: once the event has ended, this process may
/// access them at `ig_map_pointer` until they are unmapped. They are the buffer's own, so that a
/// buffer made of the caller's memory is mapped where that lies.
///
/// # Safety
/// See "Pointers" at the top of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_enqueue_map_buffer(
    queue: Option<&Queue>,
    buffer: Option<&Buffer>,
    offset: u64,
    size: u64,
    wait_count: usize,
    wait_list: *const *const Event,
    map: Option<&mut *mut Map>,
    event: Option<&mut *mut Event>,
) -> Status {
    let wait = (wait_count, wait_list);
    // SAFETY: as the caller promises.
    unsafe {
        self::map(queue, wait, map, event, |queue, list| {
            let buffer = &handle(buffer, "buffer")?.0;
            Ok(queue.map_buffer(buffer, offset, size, list)?)
        })
    }
}

/// Maps a region of an image, as rows of texels: a copy, which goes back when it is unmapped
/// unless it was only to be read. `access` is one of `ig_map_access`.
///
/// # Safety
/// See "Pointers" at the top of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_enqueue_map_image(
    queue: Option<&Queue>,
    image: Option<&Image>,
    region: Option<&Region>,
    access: u32,
    wait_count: usize,
    wait_list: *const *const Event,
    map: Option<&mut *mut Map>,
    event: Option<&mut *mut Event>,
) -> Status {
    let wait = (wait_count, wait_list);
    // SAFETY: as the caller promises.
    unsafe {
        self::map(queue, wait, map, event, |queue, list| {
            let access = match access {
                0 => Access::Read,
                1 => Access::ReadWrite,
                2 => Access::Overwrite,
                other => return Err(Failure::usage(format!("{other} is no access of a map"))),
            };
            let image = &handle(image, "image")?.0;
            Ok(queue.map_image(image, Region::of(region)?, access, list)?)
        })
    }
}

/// The first mapped byte, valid until the map is unmapped or released. Null for null.
#[unsafe(no_mangle)]
pub extern "C" fn ig_map_pointer(map: Option<&Map>) -> *mut c_void {
    map.map_or(std::ptr::null_mut(), |map| {
        map.0.bytes().host_pointer().cast()
    })
}

/// Bytes from row to row of a mapped image; all bytes of a buffer. 0 for null.
#[unsafe(no_mangle)]
pub extern "C" fn ig_map_row_pitch(map: Option<&Map>) -> u64 {
    map.map_or(0, |map| map.0.row_pitch())
}

/// Bytes from slice to slice of a mapped image; all bytes of a buffer. 0 for null.
#[unsafe(no_mangle)]
pub extern "C" fn ig_map_slice_pitch(map: Option<&Map>) -> u64 {
    map.map_or(0, |map| map.0.slice_pitch())
}

/// Ends a map and releases its handle, also when it fails: commands enqueued later see what was
/// written.
///
/// # Safety
/// See "Pointers" at the top of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_enqueue_unmap(
    queue: Option<&Queue>,
    map: Option<Box<Map>>,
    wait_count: usize,
    wait_list: *const *const Event,
    event: Option<&mut *mut Event>,
) -> Status {
    // SAFETY: as the caller promises.
    unsafe {
        enqueue(queue, (wait_count, wait_list), event, |queue, list| {
            let map = map.ok_or_else(|| Failure::usage("the map is null"))?;
            Ok(queue.unmap(map.0, list)?)
        })
    }
}

/// Releases a map without unmapping it: what was written to an image's is lost.
#[unsafe(no_mangle)]
pub extern "C" fn ig_map_release(map: Option<Box<Map>>) {
    drop(map);
}
