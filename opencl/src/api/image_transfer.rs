//! Commands that read, write, copy and fill images (specification, section 5.3).

use std::sync::Arc;

use opencl_sys::*;
use umd::{ImageKind, Region};

use super::abi::{Bytes, In, Waits};
use super::transfer::{self, HostMemory, host, host_reads, host_writes, three};
use crate::core::command::Command;
use crate::core::image::Image;
use crate::core::rows::Rows;
use crate::core::{Handle, Mem, Memory, Queue, color};
use crate::error::{Error, Result, ensure};

/// An image of the queue's context, and its part for the queue's device.
pub(crate) fn of_queue(queue: &Queue, image: Handle) -> Result<(Arc<Mem>, umd::Image)> {
    let mem = image.get::<Mem>()?;
    // "CL_INVALID_CONTEXT if the context associated with command_queue and image are not the same"
    queue.context.same(&mem.context, "the image")?;
    // "CL_INVALID_MEM_OBJECT if image is not a valid image object"
    let own = mem.as_image()?.on.get(queue.place).cloned();
    let own = own.ok_or_else(|| Error::new(CL_INVALID_MEM_OBJECT, "this is no image"))?;
    Ok((mem, own))
}

/// The same for a command that writes to it.
fn written_of_queue(queue: &Queue, image: Handle) -> Result<(Arc<Mem>, umd::Image)> {
    let found = of_queue(queue, image)?;
    found.0.set_written();
    Ok(found)
}

/// A part of an image.
///
/// # Errors
/// "CL_INVALID_VALUE if the region … specified by origin and region is out of bounds", or "… values
/// in origin and region do not follow rules described in the argument description".
pub(crate) fn part(image: &Image, origin: [usize; 3], size: [usize; 3]) -> Result<Region> {
    let extent = image.desc.extent();
    let in_range = |d: usize| {
        let end = origin[d].checked_add(size[d]);
        size[d] > 0 && end.is_some_and(|end| end <= extent[d] as usize)
    };
    ensure(
        (0..3).all(in_range),
        CL_INVALID_VALUE,
        format!("a region of {size:?} at {origin:?}, of an image of {extent:?}"),
    )?;
    Ok(Region {
        origin: origin.map(|n| n as u32),
        size: size.map(|n| n as u32),
    })
}

/// Bytes, rows and slices of a part of an image.
pub(crate) fn bytes(image: &Image, region: &Region) -> [usize; 3] {
    let [width, rows, slices] = region.size.map(|n| n as usize);
    [width * image.texel_bytes, rows, slices]
}

/// How a part of an image lies in the memory of the host.
fn host_rows(image: &Image, region: &Region, (row, slice): (usize, usize)) -> Result<Rows> {
    let size = bytes(image, region);
    let has_slices = matches!(image.desc.kind, ImageKind::D2Array | ImageKind::D3);
    let is_row_array = image.desc.kind == ImageKind::D1Array;
    // "row_pitch … must be greater than or equal to the element size in bytes × width", "If
    // input_slice_pitch …, must be 0 if image is a 1D or 2D image"
    ensure(
        row == 0 || row >= size[0],
        CL_INVALID_VALUE,
        format!("the row pitch is {row}, a row has {} bytes", size[0]),
    )?;
    ensure(
        slice == 0 || has_slices || is_row_array,
        CL_INVALID_VALUE,
        "the image has no slices",
    )?;
    let row = if row == 0 { size[0] } else { row };
    if is_row_array {
        // Its layers are a slice pitch apart.
        ensure(
            slice == 0 || slice >= row,
            CL_INVALID_VALUE,
            format!("the slice pitch is {slice}, the row pitch {row}"),
        )?;
        return Rows::new([0; 3], size, (if slice == 0 { row } else { slice }, 0));
    }
    let least = row.saturating_mul(size[1]);
    ensure(
        slice == 0 || slice >= least,
        CL_INVALID_VALUE,
        format!("the slice pitch is {slice}, a slice has {least} bytes"),
    )?;
    let rows = Rows {
        start: 0,
        row,
        slice: if slice == 0 { least } else { slice },
    };
    let why = "the region is beyond the end of memory";
    ensure(rows.end(size).is_some(), CL_INVALID_VALUE, why)?;
    Ok(rows)
}

/// What both reading and writing an image check.
fn access(
    queue: &Queue,
    image: Handle,
    (origin, size): (In<usize>, In<usize>),
    pitches: (usize, usize),
) -> Result<(Arc<Mem>, umd::Image, Region, Rows)> {
    let (mem, own) = of_queue(queue, image)?;
    let region = part(mem.as_image()?, three(origin)?, three(size)?)?;
    let rows = host_rows(mem.as_image()?, &region, pitches)?;
    Ok((mem, own, region, rows))
}

pub(crate) fn read(
    queue: Handle,
    image: Handle,
    blocking: u32,
    origin: In<usize>,
    size: In<usize>,
    row_pitch: usize,
    slice_pitch: usize,
    to: Memory,
    waits: Waits,
) -> Result<()> {
    let queue = queue.get::<Queue>()?;
    let pitches = (row_pitch, slice_pitch);
    let (mem, own, region, rows) = access(&queue, image, (origin, size), pitches)?;
    let size = bytes(mem.as_image()?, &region);
    let to = HostMemory::new(&queue, to, rows.end(size).unwrap_or(usize::MAX))?;
    host_reads(&mem)?;
    let work = move || read_rows(&own, &region, size, &rows, to.at());
    host(&queue, CL_COMMAND_READ_IMAGE, mem, blocking, waits, work)
}

/// Copies a part of an image to the memory of the host.
pub(crate) fn read_rows(
    image: &umd::Image,
    region: &Region,
    size: [usize; 3],
    rows: &Rows,
    to: Memory,
) -> Result<()> {
    let mut texels = vec![0; size.iter().product()];
    image.read(region, &mut texels)?;
    rows.scatter(&texels, to, size);
    Ok(())
}

pub(crate) fn write(
    queue: Handle,
    image: Handle,
    blocking: u32,
    origin: In<usize>,
    size: In<usize>,
    row_pitch: usize,
    slice_pitch: usize,
    Bytes(from): Bytes,
    waits: Waits,
) -> Result<()> {
    let queue = queue.get::<Queue>()?;
    let pitches = (row_pitch, slice_pitch);
    let (mem, own, region, rows) = access(&queue, image, (origin, size), pitches)?;
    let size = bytes(mem.as_image()?, &region);
    let from = HostMemory::new(&queue, from, rows.end(size).unwrap_or(usize::MAX))?;
    host_writes(&mem)?;
    mem.set_written();
    let work = move || Ok(own.write(&region, &rows.gather(from.at(), size))?);
    host(&queue, CL_COMMAND_WRITE_IMAGE, mem, blocking, waits, work)
}

pub(crate) fn copy(
    queue: &Arc<Queue>,
    source: Handle,
    destination: Handle,
    from: In<usize>,
    to: In<usize>,
    size: In<usize>,
) -> Result<Command> {
    let (source, own_source) = of_queue(queue, source)?;
    let (destination, own_destination) = written_of_queue(queue, destination)?;
    let (source_image, destination_image) = (source.as_image()?, destination.as_image()?);
    let numbers = |image: &Image| {
        let format = image.format;
        (format.image_channel_order, format.image_channel_data_type)
    };
    // "CL_IMAGE_FORMAT_MISMATCH if src_image and dst_image do not use the same image format"
    ensure(
        numbers(source_image) == numbers(destination_image),
        CL_IMAGE_FORMAT_MISMATCH,
        "the images have different formats",
    )?;
    let size = three(size)?;
    let from = part(source_image, three(from)?, size)?;
    let to = part(destination_image, three(to)?, size)?;
    // "CL_MEM_COPY_OVERLAP if src_image and dst_image are the same image object and the source and
    // destination regions overlap"
    let overlap = (0..3).all(|d| {
        from.origin[d] < to.origin[d] + to.size[d] && to.origin[d] < from.origin[d] + from.size[d]
    });
    ensure(
        !Arc::ptr_eq(&source, &destination) || !overlap,
        CL_MEM_COPY_OVERLAP,
        "source and destination overlap",
    )?;
    let kept = vec![source as _, destination as _];
    let (source, destination) = ((&own_source, from.origin), (&own_destination, to.origin));
    let copy = umd::Command::copy_image(&queue.umd, source, destination, from.size)?;
    Ok(Command::on_device(CL_COMMAND_COPY_IMAGE, kept, copy))
}

/// "CL_INVALID_MEM_OBJECT … if src_image is a 1D image buffer object created from dst_buffer", and the
/// other way round
fn are_apart(image: &Mem, buffer: &Arc<Mem>) -> Result<()> {
    let is_of_it = image
        .parent
        .as_ref()
        .is_some_and(|parent| Arc::ptr_eq(parent, buffer));
    ensure(
        image.kind != CL_MEM_OBJECT_IMAGE1D_BUFFER || !is_of_it,
        CL_INVALID_MEM_OBJECT,
        "the image is made of this buffer",
    )
}

pub(crate) fn copy_to_buffer(
    queue: &Arc<Queue>,
    source: Handle,
    destination: Handle,
    origin: In<usize>,
    size: In<usize>,
    offset: usize,
) -> Result<Command> {
    let (source, own_source) = of_queue(queue, source)?;
    let (destination, own_destination) = transfer::written_of_queue(queue, destination)?;
    are_apart(&source, &destination)?;
    let region = part(source.as_image()?, three(origin)?, three(size)?)?;
    let length = bytes(source.as_image()?, &region).iter().product();
    // "CL_INVALID_VALUE if … the region specified by dst_offset and dst_cb [is] out of bounds"
    transfer::check_range(&destination, offset, length)?;
    let kept = vec![source as _, destination as _];
    let command = CL_COMMAND_COPY_IMAGE_TO_BUFFER;
    let destination = (&own_destination, offset as u64);
    let source = (&own_source, region);
    let copy = umd::Command::copy_image_to_buffer(&queue.umd, source, destination)?;
    Ok(Command::on_device(command, kept, copy))
}

pub(crate) fn copy_from_buffer(
    queue: &Arc<Queue>,
    source: Handle,
    destination: Handle,
    offset: usize,
    origin: In<usize>,
    size: In<usize>,
) -> Result<Command> {
    let (source, own_source) = transfer::of_queue(queue, source)?;
    let (destination, own_destination) = written_of_queue(queue, destination)?;
    are_apart(&destination, &source)?;
    let region = part(destination.as_image()?, three(origin)?, three(size)?)?;
    let length = bytes(destination.as_image()?, &region).iter().product();
    transfer::check_range(&source, offset, length)?;
    let kept = vec![source as _, destination as _];
    let command = CL_COMMAND_COPY_BUFFER_TO_IMAGE;
    let source = (&own_source, offset as u64);
    let destination = (&own_destination, region);
    let copy = umd::Command::copy_buffer_to_image(&queue.umd, source, destination)?;
    Ok(Command::on_device(command, kept, copy))
}

pub(crate) fn fill(
    queue: &Arc<Queue>,
    image: Handle,
    Bytes(from): Bytes,
    origin: In<usize>,
    size: In<usize>,
) -> Result<Command> {
    let (mem, own) = written_of_queue(queue, image)?;
    let image = mem.as_image()?;
    // "CL_INVALID_VALUE if fill_color is NULL"
    let bytes = color::bytes(image.format);
    let color = HostMemory::new(queue, from, bytes)?.at().read(bytes);
    let region = part(image, three(origin)?, three(size)?)?;
    let texel = color::texel(image.format, &color);
    let texel = texel.ok_or_else(|| Error::new(CL_IMAGE_FORMAT_NOT_SUPPORTED, "no such format"))?;
    let kept = vec![mem as _];
    let fill = umd::Command::fill_image(&queue.umd, (&own, region), &texel)?;
    Ok(Command::on_device(CL_COMMAND_FILL_IMAGE, kept, fill))
}
