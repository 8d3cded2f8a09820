//! Commands that read, write, copy and fill buffers (specification, section 5.2).

use std::sync::Arc;

use opencl_sys::*;
use umd::RectLayout;

use super::abi::{Bytes, In, Waits};
use super::execute::{self, boolean};
use crate::core::allocations::Allocation;
use crate::core::command::{self, Command, Place};
use crate::core::rows::{self, Rows};
use crate::core::{Handle, Mem, Memory, Queue};
use crate::error::{Error, Result, ensure};

/// A buffer, and its part for a device.
type Found = (Arc<Mem>, umd::Buffer);

/// A buffer of the queue's context, and its part for the queue's device.
pub(crate) fn of_queue(queue: &Queue, buffer: Handle) -> Result<Found> {
    let mem = buffer.get::<Mem>()?;
    // "CL_INVALID_CONTEXT if the context associated with command_queue and buffer are not the same"
    queue.context.same(&mem.context, "the buffer")?;
    // "CL_INVALID_MEM_OBJECT if buffer is not a valid buffer object"
    let own = mem
        .buffers
        .get(queue.place)
        .filter(|_| mem.is_buffer())
        .cloned();
    let own = own.ok_or_else(|| Error::new(CL_INVALID_MEM_OBJECT, "this is no buffer"))?;
    Ok((mem, own))
}

/// The same for a command that writes to it.
pub(crate) fn written_of_queue(queue: &Queue, buffer: Handle) -> Result<Found> {
    let found = of_queue(queue, buffer)?;
    found.0.set_written();
    Ok(found)
}

/// "CL_INVALID_VALUE if the region … specified by (offset, size) is out of bounds": since OpenCL 2.0
/// no bytes are no error.
pub(crate) fn check_range(mem: &Mem, offset: usize, size: usize) -> Result<()> {
    let end = offset.checked_add(size);
    ensure(
        end.is_some_and(|end| end <= mem.size),
        CL_INVALID_VALUE,
        format!("{size} bytes from {offset} on, of {}", mem.size),
    )
}

/// "CL_INVALID_VALUE … if ptr is a NULL value"
fn check_pointer(pointer: Memory) -> Result<()> {
    ensure(!pointer.is_null(), CL_INVALID_VALUE, "the pointer is null")
}

/// Memory of the host that a command reads or writes. A pointer may be to an allocation of the context,
/// even to a device's, where the host has another address. It lives as long as this.
pub(crate) struct HostMemory {
    at: Memory,
    _allocation: Option<Allocation>,
}

impl HostMemory {
    /// # Errors
    /// `CL_INVALID_VALUE` if the pointer is null, or if `size` bytes from there on leave the allocation.
    pub(crate) fn new(queue: &Queue, pointer: Memory, size: usize) -> Result<Self> {
        check_pointer(pointer)?;
        let all = &queue.context.allocations;
        Ok(Self {
            at: all.resolve(pointer, size)?,
            _allocation: all.find(pointer),
        })
    }

    /// Where the host reaches it.
    pub(crate) fn at(&self) -> Memory {
        self.at
    }
}

/// "CL_INVALID_OPERATION if … is called on buffer which has been created with
/// CL_MEM_HOST_WRITE_ONLY or CL_MEM_HOST_NO_ACCESS"
pub(crate) fn host_reads(mem: &Mem) -> Result<()> {
    let forbids = mem.flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS);
    ensure(
        forbids == 0,
        CL_INVALID_OPERATION,
        "the host does not read the memory object",
    )
}

/// "CL_INVALID_OPERATION if … is called on buffer which has been created with
/// CL_MEM_HOST_READ_ONLY or CL_MEM_HOST_NO_ACCESS"
pub(crate) fn host_writes(mem: &Mem) -> Result<()> {
    let forbids = mem.flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS);
    ensure(
        forbids == 0,
        CL_INVALID_OPERATION,
        "the host does not write the memory object",
    )
}

/// Reading and writing a buffer.
struct Way {
    /// The commands for bytes, and for rectangles.
    commands: [cl_command_type; 2],
    /// The buffer.
    find: fn(&Queue, Handle) -> Result<Found>,
    /// Whether the host may do it.
    check: fn(&Mem) -> Result<()>,
    /// Copies between memory of the host and a place of the buffer.
    copy: fn(Memory, &umd::Buffer, usize, usize) -> Result<()>,
}

const READ: Way = Way {
    commands: [CL_COMMAND_READ_BUFFER, CL_COMMAND_READ_BUFFER_RECT],
    find: of_queue,
    check: host_reads,
    copy: Memory::copy_from,
};

const WRITE: Way = Way {
    commands: [CL_COMMAND_WRITE_BUFFER, CL_COMMAND_WRITE_BUFFER_RECT],
    find: written_of_queue,
    check: host_writes,
    copy: Memory::copy_to,
};

pub(crate) fn read(
    queue: Handle,
    buffer: Handle,
    blocking: u32,
    offset: usize,
    size: usize,
    to: Memory,
    waits: Waits,
) -> Result<()> {
    READ.bytes(queue, buffer, blocking, (offset, size), to, waits)
}

pub(crate) fn write(
    queue: Handle,
    buffer: Handle,
    blocking: u32,
    offset: usize,
    size: usize,
    Bytes(from): Bytes,
    waits: Waits,
) -> Result<()> {
    WRITE.bytes(queue, buffer, blocking, (offset, size), from, waits)
}

impl Way {
    fn bytes(
        &self,
        queue: Handle,
        buffer: Handle,
        blocking: u32,
        (offset, size): (usize, usize),
        memory: Memory,
        waits: Waits,
    ) -> Result<()> {
        let queue = queue.get::<Queue>()?;
        let (mem, own) = (self.find)(&queue, buffer)?;
        check_range(&mem, offset, size)?;
        let memory = HostMemory::new(&queue, memory, size)?;
        (self.check)(&mem)?;
        let ([command, _], copy) = (self.commands, self.copy);
        let work = move || copy(memory.at(), &own, offset, size);
        host(&queue, command, mem, blocking, waits, work)
    }

    /// A rectangle: where it begins in the buffer and in memory of the host, and the pitches there.
    fn rectangle(
        &self,
        queue: Handle,
        buffer: Handle,
        blocking: u32,
        origins: [In<usize>; 2],
        of: In<usize>,
        pitches: [(usize, usize); 2],
        memory: Memory,
        waits: Waits,
    ) -> Result<()> {
        let queue = queue.get::<Queue>()?;
        let (mem, own) = (self.find)(&queue, buffer)?;
        let region = region(of)?;
        let inside = Rows::new(three(origins[0])?, region, pitches[0])?;
        let outside = Rows::new(three(origins[1])?, region, pitches[1])?;
        in_buffer(&mem, &inside, region)?;
        let memory = HostMemory::new(&queue, memory, outside.end(region).unwrap_or(usize::MAX))?;
        (self.check)(&mem)?;
        let ([_, command], copy) = (self.commands, self.copy);
        let work = move || {
            inside.zip(&outside, region, |offset, at| {
                copy(memory.at().offset(at), &own, offset, region[0])
            })
        };
        host(&queue, command, mem, blocking, waits, work)
    }
}

/// Enqueues a command of the host that accesses a memory object.
pub(crate) fn host(
    queue: &Arc<Queue>,
    command: cl_command_type,
    mem: Arc<Mem>,
    blocking: u32,
    waits: Waits,
    work: impl FnOnce() -> Result<()> + Send + 'static,
) -> Result<()> {
    let list = execute::waits(queue, waits)?;
    let command = (command, Place::Next);
    let (kept, work) = (vec![mem as _], Box::new(work));
    let event = command::on_host(queue, command, &list, kept, boolean(blocking), work)?;
    execute::give(&event, waits);
    Ok(())
}

/// The three sizes at a pointer.
///
/// # Errors
/// "CL_INVALID_VALUE if … is NULL"
pub(crate) fn three(given: In<usize>) -> Result<[usize; 3]> {
    let list = given.list(3).try_into();
    list.map_err(|_| Error::new(CL_INVALID_VALUE, "an origin or region is null"))
}

/// The region of a rectangle: bytes, rows, slices.
fn region(given: In<usize>) -> Result<[usize; 3]> {
    let region = three(given)?;
    // "CL_INVALID_VALUE if any region array element is 0"
    ensure(
        !region.contains(&0),
        CL_INVALID_VALUE,
        format!("the region {region:?} is empty"),
    )?;
    Ok(region)
}

/// "CL_INVALID_VALUE if the region being read or written … is out of bounds"
fn in_buffer(mem: &Mem, rows: &Rows, region: [usize; 3]) -> Result<()> {
    let end = rows.end(region).unwrap_or(usize::MAX);
    ensure(
        end <= mem.size,
        CL_INVALID_VALUE,
        format!("the region ends at byte {end} of {}", mem.size),
    )
}

pub(crate) fn read_rect(
    queue: Handle,
    buffer: Handle,
    blocking: u32,
    buffer_origin: In<usize>,
    host_origin: In<usize>,
    of: In<usize>,
    buffer_row: usize,
    buffer_slice: usize,
    host_row: usize,
    host_slice: usize,
    to: Memory,
    waits: Waits,
) -> Result<()> {
    let origins = [buffer_origin, host_origin];
    let pitches = [(buffer_row, buffer_slice), (host_row, host_slice)];
    READ.rectangle(queue, buffer, blocking, origins, of, pitches, to, waits)
}

pub(crate) fn write_rect(
    queue: Handle,
    buffer: Handle,
    blocking: u32,
    buffer_origin: In<usize>,
    host_origin: In<usize>,
    of: In<usize>,
    buffer_row: usize,
    buffer_slice: usize,
    host_row: usize,
    host_slice: usize,
    Bytes(from): Bytes,
    waits: Waits,
) -> Result<()> {
    let origins = [buffer_origin, host_origin];
    let pitches = [(buffer_row, buffer_slice), (host_row, host_slice)];
    WRITE.rectangle(queue, buffer, blocking, origins, of, pitches, from, waits)
}

/// Whether two memory objects are parts of one, and where each begins in it.
fn places(a: &Arc<Mem>, b: &Arc<Mem>) -> Option<(usize, usize)> {
    let root = |mem: &Arc<Mem>| mem.parent.clone().unwrap_or_else(|| mem.clone());
    Arc::ptr_eq(&root(a), &root(b)).then_some((a.origin, b.origin))
}

pub(crate) fn copy(
    queue: &Arc<Queue>,
    source: Handle,
    destination: Handle,
    from: usize,
    to: usize,
    size: usize,
) -> Result<Command> {
    let (source, own_source) = of_queue(queue, source)?;
    let (destination, own_destination) = written_of_queue(queue, destination)?;
    check_range(&source, from, size)?;
    check_range(&destination, to, size)?;
    // "CL_MEM_COPY_OVERLAP if src_buffer and dst_buffer are the same buffer or sub-buffer object
    // and the source and destination regions overlap or if … different sub-buffers of the same
    // associated buffer object and they overlap"
    if let Some((a, b)) = places(&source, &destination) {
        ensure(
            a + from + size <= b + to || b + to + size <= a + from,
            CL_MEM_COPY_OVERLAP,
            "source and destination overlap",
        )?;
    }
    let kept = vec![source as _, destination as _];
    if size == 0 {
        return Ok(Command::mark(CL_COMMAND_COPY_BUFFER, kept, Place::Next));
    }
    let (source, destination) = ((&own_source, from as u64), (&own_destination, to as u64));
    let copy = umd::Command::copy_buffer(&queue.umd, source, destination, size as u64)?;
    Ok(Command::on_device(CL_COMMAND_COPY_BUFFER, kept, copy))
}

pub(crate) fn copy_rect(
    queue: &Arc<Queue>,
    source: Handle,
    destination: Handle,
    source_origin: In<usize>,
    destination_origin: In<usize>,
    of: In<usize>,
    source_row: usize,
    source_slice: usize,
    destination_row: usize,
    destination_slice: usize,
) -> Result<Command> {
    let (source, own_source) = of_queue(queue, source)?;
    let (destination, own_destination) = written_of_queue(queue, destination)?;
    let region = region(of)?;
    let origins = (three(source_origin)?, three(destination_origin)?);
    let from = Rows::new(origins.0, region, (source_row, source_slice))?;
    let to = Rows::new(origins.1, region, (destination_row, destination_slice))?;
    in_buffer(&source, &from, region)?;
    in_buffer(&destination, &to, region)?;
    if let Some((a, b)) = places(&source, &destination) {
        // "CL_INVALID_VALUE if src_buffer and dst_buffer are the same buffer object and
        // src_slice_pitch is not equal to dst_slice_pitch or src_row_pitch is not equal to
        // dst_row_pitch"
        ensure(
            !Arc::ptr_eq(&source, &destination) || (from.row, from.slice) == (to.row, to.slice),
            CL_INVALID_VALUE,
            "one buffer has two pitches",
        )?;
        let moved = |rows: Rows, by: usize| Rows {
            start: rows.start + by,
            ..rows
        };
        ensure(
            !rows::overlap(&moved(from, a), &moved(to, b), region),
            CL_MEM_COPY_OVERLAP,
            "source and destination overlap",
        )?;
    }
    let kept = vec![source as _, destination as _];
    let command = CL_COMMAND_COPY_BUFFER_RECT;
    let layout = |rows: Rows| RectLayout {
        origin: [rows.start as u64, 0, 0],
        row_pitch: rows.row as u64,
        slice_pitch: rows.slice as u64,
    };
    let (from, to) = ((&own_source, layout(from)), (&own_destination, layout(to)));
    let size = region.map(|n| n as u64);
    let copy = umd::Command::copy_buffer_rect(&queue.umd, from, to, size)?;
    Ok(Command::on_device(command, kept, copy))
}

/// "CL_INVALID_VALUE if pattern is NULL or if pattern_size is 0 or if pattern_size is not one of
/// { 1, 2, 4, 8, 16, 32, 64, 128 }"
pub(crate) fn pattern(queue: &Queue, from: Memory, size: usize) -> Result<Vec<u8>> {
    ensure(
        size.is_power_of_two() && size <= 128 && !from.is_null(),
        CL_INVALID_VALUE,
        format!("a pattern of {size} bytes; powers of two up to 128 are possible"),
    )?;
    Ok(HostMemory::new(queue, from, size)?.at().read(size))
}

pub(crate) fn fill(
    queue: &Arc<Queue>,
    buffer: Handle,
    Bytes(from): Bytes,
    pattern_size: usize,
    offset: usize,
    size: usize,
) -> Result<Command> {
    let (mem, own) = written_of_queue(queue, buffer)?;
    check_range(&mem, offset, size)?;
    let pattern = pattern(queue, from, pattern_size)?;
    // "CL_INVALID_VALUE if offset and size are not a multiple of pattern_size"
    ensure(
        offset.is_multiple_of(pattern_size) && size.is_multiple_of(pattern_size),
        CL_INVALID_VALUE,
        format!("{size} bytes at {offset} are no multiples of a pattern of {pattern_size}"),
    )?;
    let kept = vec![mem as _];
    if size == 0 {
        return Ok(Command::mark(CL_COMMAND_FILL_BUFFER, kept, Place::Next));
    }
    let place = (&own, offset as u64);
    let fill = umd::Command::fill_buffer(&queue.umd, place, size as u64, &pattern)?;
    Ok(Command::on_device(CL_COMMAND_FILL_BUFFER, kept, fill))
}

/// Memory objects of the queue's context.
pub(crate) fn objects(queue: &Queue, count: u32, list: In<Handle>) -> Result<Vec<Arc<Mem>>> {
    let objects = list.list(count as usize).into_iter().map(|handle| {
        let mem = handle.get::<Mem>()?;
        queue.context.same(&mem.context, "a memory object")?;
        Ok(mem)
    });
    objects.collect()
}

/// What all migrations check.
pub(crate) fn check_migration(count: u32, is_null: bool, flags: u64) -> Result<()> {
    // "CL_INVALID_VALUE if num_mem_objects is zero or if mem_objects is NULL", "CL_INVALID_VALUE if
    // num_svm_pointers is zero or svm_pointers is NULL"
    ensure(
        count > 0 && !is_null,
        CL_INVALID_VALUE,
        "there is nothing to migrate",
    )?;
    check_migration_flags(flags)
}

/// "CL_INVALID_VALUE if flags is not 0 or is not any of the values described"
pub(crate) fn check_migration_flags(flags: u64) -> Result<()> {
    let known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    ensure(
        flags & !known == 0,
        CL_INVALID_VALUE,
        format!("there are no flags {flags:#x}"),
    )
}

pub(crate) fn migrate(
    queue: &Arc<Queue>,
    count: u32,
    objects: In<Handle>,
    flags: u64,
) -> Result<Command> {
    check_migration(count, objects.is_null(), flags)?;
    let kept = self::objects(queue, count, objects)?;
    let kept = kept.into_iter().map(|mem| mem as _).collect();
    // Memory lies where all devices reach it: nothing moves.
    let command = CL_COMMAND_MIGRATE_MEM_OBJECTS;
    Ok(Command::mark(command, kept, Place::Next))
}
