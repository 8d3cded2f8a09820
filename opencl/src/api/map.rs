//! Maps of buffers and images (specification, sections 5.2.4, 5.3.5 and 5.5.2).

use std::ops::Range;
use std::sync::Arc;

use opencl_sys::*;
use umd::ImageKind;

use super::abi::{In, Out, Waits};
use super::image_transfer::{self, read_rows};
use super::transfer::{self, host, host_reads, host_writes, three};
use crate::core::memory::{HostUse, Map, WriteBack};
use crate::core::rows::Rows;
use crate::core::{Handle, Mem, Memory, Queue};
use crate::error::{Error, Result, ensure};

/// Checks the flags of a map.
pub(crate) fn check_flags(flags: u64) -> Result<()> {
    let known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    // "CL_INVALID_VALUE … if values specified in map_flags are not valid"
    let both =
        flags & CL_MAP_WRITE_INVALIDATE_REGION != 0 && flags & (CL_MAP_READ | CL_MAP_WRITE) != 0;
    ensure(
        flags & !known == 0 && !both,
        CL_INVALID_VALUE,
        format!("the map flags {flags:#x} are unknown or exclude each other"),
    )
}

/// Checks the flags of a map against those of the object.
fn check(mem: &Mem, flags: u64) -> Result<()> {
    check_flags(flags)?;
    // "CL_INVALID_OPERATION if buffer has been created with CL_MEM_HOST_WRITE_ONLY or
    // CL_MEM_HOST_NO_ACCESS and CL_MAP_READ is set in map_flags or if … CL_MEM_HOST_READ_ONLY or
    // CL_MEM_HOST_NO_ACCESS and CL_MAP_WRITE or CL_MAP_WRITE_INVALIDATE_REGION is set"
    if flags & CL_MAP_READ != 0 {
        host_reads(mem)?;
    }
    if writes(flags) {
        host_writes(mem)?;
        let why = "the program may not write to the object's memory";
        ensure(mem.host_use != HostUse::Constant, CL_INVALID_OPERATION, why)?;
    }
    Ok(())
}

pub(crate) fn buffer(
    queue: Handle,
    buffer: Handle,
    blocking: u32,
    flags: u64,
    offset: usize,
    size: usize,
    waits: Waits,
) -> Result<Memory> {
    let queue = queue.get::<Queue>()?;
    let (mem, own) = transfer::of_queue(&queue, buffer)?;
    transfer::check_range(&mem, offset, size)?;
    // "CL_INVALID_VALUE … if size is zero"
    ensure(size > 0, CL_INVALID_VALUE, "a map of no bytes")?;
    check(&mem, flags)?;
    let command = (CL_COMMAND_MAP_BUFFER, blocking);
    let bytes = offset as u64..(offset + size) as u64;
    let written = writes(flags).then(|| [bytes.clone(), 0..1, 0..1]);
    let bytes = Some(bytes);
    if !mem.is_copy() {
        if writes(flags) {
            own.written(offset as u64, size as u64);
        }
        let pointer = Memory::at(own.host_view()).offset(offset);
        let map = Map {
            written,
            ..Map::of(pointer)
        };
        return finish((&queue, waits), &mem, command, map, bytes, || Ok(()));
    }
    if mem.outdates_host() {
        let staging = staging(&queue, size)?;
        let pointer = Memory::at(staging.host_pointer());
        let map = Map {
            _staging: Some(staging),
            ..Map::of(pointer)
        };
        let work = move || pointer.copy_from(&own, offset, size);
        return finish((&queue, waits), &mem, command, map, bytes, work);
    }
    let pointer = mem.host.offset(offset);
    let map = Map {
        written,
        back: writes(flags).then_some(WriteBack::Bytes(offset, size)),
        ..Map::of(pointer)
    };
    let reads = !invalidates(flags) && mem.host_use != HostUse::Constant;
    let work = move || match reads {
        true => pointer.copy_from(&own, offset, size),
        false => Ok(()),
    };
    finish((&queue, waits), &mem, command, map, bytes, work)
}

/// Memory for a copy that the program sees.
fn staging(queue: &Queue, size: usize) -> Result<umd::Buffer> {
    let made = queue.device.umd.buffer(size as u64);
    made.map_err(|error| Error::from(error).with_code(CL_MAP_FAILURE))
}

fn writes(flags: u64) -> bool {
    flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) != 0
}

fn invalidates(flags: u64) -> bool {
    flags & CL_MAP_WRITE_INVALIDATE_REGION != 0
}

/// Enqueues the command that maps, and notes what it mapped. Kernels are kept from these bytes of a buffer.
fn finish(
    (queue, waits): (&Arc<Queue>, Waits),
    mem: &Arc<Mem>,
    (command, blocking): (cl_command_type, u32),
    map: Map,
    bytes: Option<Range<u64>>,
    work: impl FnOnce() -> Result<()> + Send + 'static,
) -> Result<Memory> {
    // "CL_MAP_FAILURE if there is a failure to map the requested region"
    let pointer = map.pointer;
    let mapping = map.mapping();
    let failed = map.failed.clone();
    let (object, is_written) = (mem.clone(), map.written.is_some());
    mem.add_map(map)?;
    let work = move || {
        work()?;
        if let Some(bytes) = bytes {
            mapping.keep(&object.buffers, &bytes, is_written);
        }
        mapping.made();
        Ok(())
    };
    match host(queue, command, mem.clone(), blocking, waits, work) {
        Ok(()) => Ok(pointer),
        Err(error) => {
            mem.remove_map(&failed);
            Err(error)
        }
    }
}

pub(crate) fn image(
    queue: Handle,
    image: Handle,
    blocking: u32,
    flags: u64,
    origin: In<usize>,
    size: In<usize>,
    row_pitch: Out<usize>,
    slice_pitch: Out<usize>,
    waits: Waits,
) -> Result<Memory> {
    let queue = queue.get::<Queue>()?;
    let (mem, own) = image_transfer::of_queue(&queue, image)?;
    let image = mem.as_image()?;
    let region = image_transfer::part(image, three(origin)?, three(size)?)?;
    check(&mem, flags)?;
    // "CL_INVALID_VALUE if image_row_pitch is NULL", "… if image is a 3D image, 1D or 2D image array
    // object and image_slice_pitch is NULL"
    use ImageKind::{D1Array, D2Array, D3};
    let has_slices = matches!(image.desc.kind, D1Array | D2Array | D3);
    ensure(
        !(row_pitch.is_null() || has_slices && slice_pitch.is_null()),
        CL_INVALID_VALUE,
        "a pointer to a pitch is null",
    )?;
    let bytes = image_transfer::bytes(image, &region);
    let [x, y, z] = region.origin.map(|n| n as usize);
    let whole = Rows {
        start: x * image.texel_bytes,
        row: match image.desc.kind {
            D1Array => image.slice_pitch,
            _ => image.row_pitch,
        },
        slice: image.slice_pitch,
    };
    let first = whole.start + y * whole.row + z * whole.slice;
    // The object's own memory, the program's that it is a copy of, or a copy for the program.
    let is_constant = mem.host_use == HostUse::Constant;
    let own_memory = mem
        .buffers
        .get(queue.place)
        .filter(|_| !is_constant)
        .map(|own| Memory::at(own.host_pointer()));
    let (pointer, rows, staging) = match own_memory {
        Some(memory) => (memory.offset(first), whole, None),
        None if !mem.host.is_null() && !mem.outdates_host() => {
            (mem.host.offset(first), whole, None)
        }
        None => {
            let staging = staging(&queue, bytes.iter().product())?;
            (
                Memory::at(staging.host_pointer()),
                Rows::packed(bytes),
                Some(staging),
            )
        }
    };
    let (row, slice, is_copy) = (rows.row, rows.slice, staging.is_some());
    let rows = Rows { start: 0, ..rows };
    let texels = |d: usize| {
        let first = u64::from(region.origin[d]);
        first..first + u64::from(region.size[d])
    };
    let map = Map {
        written: writes(flags).then(|| [texels(0), texels(1), texels(2)]),
        back: (own_memory.is_none() && writes(flags)).then_some(WriteBack::Texels { region, rows }),
        _staging: staging,
        ..Map::of(pointer)
    };
    let is_host = is_constant && !is_copy;
    let reads = own_memory.is_none() && !invalidates(flags) && !is_host;
    let work = move || match reads {
        true => read_rows(&own, &region, bytes, &rows, pointer),
        false => Ok(()),
    };
    let command = (CL_COMMAND_MAP_IMAGE, blocking);
    finish((&queue, waits), &mem, command, map, None, work)?;
    // The layers of a one-dimensional array are slices to the program.
    row_pitch.set(match (image.desc.kind, is_copy) {
        (D1Array, false) => image.row_pitch,
        (D1Array, true) => bytes[0],
        _ => row,
    });
    // "For a 2D image, this will be set to zero if this argument is not NULL."
    slice_pitch.set(match image.desc.kind {
        D1Array => row,
        _ if has_slices => slice,
        _ => 0,
    });
    Ok(pointer)
}

pub(crate) fn unmap(queue: Handle, memory: Handle, pointer: Memory, waits: Waits) -> Result<()> {
    let queue = queue.get::<Queue>()?;
    let mem = memory.get::<Mem>()?;
    // "CL_INVALID_MEM_OBJECT if memobj is not a valid memory object or is a pipe object"
    ensure(
        mem.pipe.is_none(),
        CL_INVALID_MEM_OBJECT,
        "pipes are not mapped",
    )?;
    queue.context.same(&mem.context, "the memory object")?;
    execute_check(&queue, waits)?;
    // "CL_INVALID_VALUE if mapped_ptr is not a valid pointer returned by clEnqueueMapBuffer, or
    // clEnqueueMapImage for memobj"
    let map = mem.take_map(pointer);
    let map = map.ok_or_else(|| Error::new(CL_INVALID_VALUE, "nothing is mapped there"))?;
    let (object, place) = (mem.clone(), queue.place);
    let work = move || {
        let back = write_back(&object, place, &map);
        drop(map);
        back
    };
    host(
        &queue,
        CL_COMMAND_UNMAP_MEM_OBJECT,
        mem,
        CL_FALSE,
        waits,
        work,
    )
}

/// Brings back what the program may have written: to a copy of the object, if it was made.
fn write_back(mem: &Mem, place: usize, map: &Map) -> Result<()> {
    match map.back {
        _ if map.has_failed() => Ok(()),
        Some(WriteBack::Bytes(offset, size)) => match mem.buffers.get(place) {
            Some(own) => map.pointer.copy_to(own, offset, size),
            None => Ok(()),
        },
        Some(WriteBack::Texels { region, rows }) => {
            let image = mem.as_image()?;
            let bytes = rows.gather(map.pointer, image_transfer::bytes(image, &region));
            match image.on.get(place) {
                Some(own) => Ok(own.write(&region, &bytes)?),
                None => Ok(()),
            }
        }
        None => Ok(()),
    }
}

/// Checks the wait list before the map is forgotten.
fn execute_check(queue: &Queue, waits: Waits) -> Result<()> {
    super::execute::waits(queue, waits).map(|_| ())
}
