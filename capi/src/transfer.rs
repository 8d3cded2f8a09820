//! Copies and fills as commands. Each takes a wait list and gives an event, as
//! [`ig_enqueue_kernel`](crate::ig_enqueue_kernel) does.

use std::ffi::c_void;

use crate::buffer::Buffer;
use crate::event::Event;
use crate::image::{Image, Region};
use crate::pointers::{bytes, handle};
use crate::queue::{Queue, enqueue};
use crate::status::Status;

/// A buffer seen as rows and slices of bytes, and a place in it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct RectLayout {
    /// The first byte: its place in the row, the row, the slice.
    pub origin: [u64; 3],
    /// Bytes from row to row; 0 if the rows of the region lie one after the other.
    pub row_pitch: u64,
    /// Bytes from slice to slice; 0 if the slices of the region lie one after the other.
    pub slice_pitch: u64,
}

impl From<&RectLayout> for umd::RectLayout {
    fn from(layout: &RectLayout) -> Self {
        Self {
            origin: layout.origin,
            row_pitch: layout.row_pitch,
            slice_pitch: layout.slice_pitch,
        }
    }
}

/// Copies `size` bytes between buffers.
///
/// # Safety
/// See "Pointers" at the top of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_enqueue_copy_buffer(
    queue: Option<&Queue>,
    source: Option<&Buffer>,
    source_offset: u64,
    destination: Option<&Buffer>,
    destination_offset: u64,
    size: u64,
    wait_count: usize,
    wait_list: *const *const Event,
    event: Option<&mut *mut Event>,
) -> Status {
    // SAFETY: as the caller promises.
    unsafe {
        enqueue(queue, (wait_count, wait_list), event, |queue, list| {
            let source = (&handle(source, "source")?.0, source_offset);
            let destination = (&handle(destination, "destination")?.0, destination_offset);
            Ok(queue.copy_buffer(source, destination, size, list)?)
        })
    }
}

/// Copies a region of `size[0]` bytes, `size[1]` rows and `size[2]` slices between buffers.
///
/// # Safety
/// See "Pointers" at the top of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_enqueue_copy_buffer_rect(
    queue: Option<&Queue>,
    source: Option<&Buffer>,
    source_layout: Option<&RectLayout>,
    destination: Option<&Buffer>,
    destination_layout: Option<&RectLayout>,
    size: Option<&[u64; 3]>,
    wait_count: usize,
    wait_list: *const *const Event,
    event: Option<&mut *mut Event>,
) -> Status {
    // SAFETY: as the caller promises.
    unsafe {
        enqueue(queue, (wait_count, wait_list), event, |queue, list| {
            let source = (
                &handle(source, "source")?.0,
                handle(source_layout, "source's layout")?.into(),
            );
            let destination = (
                &handle(destination, "destination")?.0,
                handle(destination_layout, "destination's layout")?.into(),
            );
            let size = *handle(size, "size")?;
            Ok(queue.copy_buffer_rect(source, destination, size, list)?)
        })
    }
}

/// Repeats a pattern of 1, 2, 4 … or 128 bytes over `size` bytes of a buffer.
///
/// # Safety
/// See "Pointers" at the top of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_enqueue_fill_buffer(
    queue: Option<&Queue>,
    buffer: Option<&Buffer>,
    offset: u64,
    size: u64,
    pattern: *const c_void,
    pattern_size: usize,
    wait_count: usize,
    wait_list: *const *const Event,
    event: Option<&mut *mut Event>,
) -> Status {
    // SAFETY: as the caller promises.
    unsafe {
        enqueue(queue, (wait_count, wait_list), event, |queue, list| {
            let buffer = (&handle(buffer, "buffer")?.0, offset);
            let pattern = bytes(pattern.cast(), pattern_size)?;
            Ok(queue.fill_buffer(buffer, size, pattern, list)?)
        })
    }
}

/// Copies texels between images of one texel size: the source's region to `origin`.
///
/// # Safety
/// See "Pointers" at the top of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_enqueue_copy_image(
    queue: Option<&Queue>,
    source: Option<&Image>,
    region: Option<&Region>,
    destination: Option<&Image>,
    origin: Option<&[u32; 3]>,
    wait_count: usize,
    wait_list: *const *const Event,
    event: Option<&mut *mut Event>,
) -> Status {
    // SAFETY: as the caller promises.
    unsafe {
        enqueue(queue, (wait_count, wait_list), event, |queue, list| {
            let region = Region::of(region)?;
            let source = (&handle(source, "source")?.0, region.origin);
            let destination = (
                &handle(destination, "destination")?.0,
                *handle(origin, "origin")?,
            );
            Ok(queue.copy_image(source, destination, region.size, list)?)
        })
    }
}

/// Copies texels of an image into a buffer, as rows one after the other.
///
/// # Safety
/// See "Pointers" at the top of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_enqueue_copy_image_to_buffer(
    queue: Option<&Queue>,
    source: Option<&Image>,
    region: Option<&Region>,
    destination: Option<&Buffer>,
    destination_offset: u64,
    wait_count: usize,
    wait_list: *const *const Event,
    event: Option<&mut *mut Event>,
) -> Status {
    // SAFETY: as the caller promises.
    unsafe {
        enqueue(queue, (wait_count, wait_list), event, |queue, list| {
            let source = (&handle(source, "source")?.0, Region::of(region)?);
            let destination = (&handle(destination, "destination")?.0, destination_offset);
            Ok(queue.copy_image_to_buffer(source, destination, list)?)
        })
    }
}

/// Copies rows of texels, one after the other in a buffer, into an image.
///
/// # Safety
/// See "Pointers" at the top of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_enqueue_copy_buffer_to_image(
    queue: Option<&Queue>,
    source: Option<&Buffer>,
    source_offset: u64,
    destination: Option<&Image>,
    region: Option<&Region>,
    wait_count: usize,
    wait_list: *const *const Event,
    event: Option<&mut *mut Event>,
) -> Status {
    // SAFETY: as the caller promises.
    unsafe {
        enqueue(queue, (wait_count, wait_list), event, |queue, list| {
            let source = (&handle(source, "source")?.0, source_offset);
            let destination = (&handle(destination, "destination")?.0, Region::of(region)?);
            Ok(queue.copy_buffer_to_image(source, destination, list)?)
        })
    }
}

/// Writes one texel, given in the image's format, all over a region.
///
/// # Safety
/// See "Pointers" at the top of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_enqueue_fill_image(
    queue: Option<&Queue>,
    image: Option<&Image>,
    region: Option<&Region>,
    texel: *const c_void,
    texel_size: usize,
    wait_count: usize,
    wait_list: *const *const Event,
    event: Option<&mut *mut Event>,
) -> Status {
    // SAFETY: as the caller promises.
    unsafe {
        enqueue(queue, (wait_count, wait_list), event, |queue, list| {
            let image = (&handle(image, "image")?.0, Region::of(region)?);
            let texel = bytes(texel.cast(), texel_size)?;
            Ok(queue.fill_image(image, texel, list)?)
        })
    }
}
