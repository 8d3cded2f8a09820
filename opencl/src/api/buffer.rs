//! Buffers (specification, section 5.2) and what all memory objects have (section 5.5).

use std::sync::Arc;

use opencl_sys::*;

use super::abi::{Bytes, In, Memory, Waits};
use super::callback::{ObjectCallback, ObjectNotify};
use super::execute::{self, boolean};
use super::info::{self, Answer};
use crate::core::command::{self, Place};
use crate::core::{Context, Handle, Mem, Object, Queue, publish};
use crate::error::{Error, Result, ensure};

/// How kernels access it.
const KERNEL_ACCESS: u64 = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
/// Where its memory is from.
const HOST_POINTER: u64 = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
/// How the host accesses it.
const HOST_ACCESS: u64 = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;

/// Checks the flags of a memory object; gives them with the default filled in.
pub(crate) fn flags(flags: u64) -> Result<u64> {
    // "CL_INVALID_VALUE if values specified in flags are not valid as defined in the Memory Flags
    // table"
    let one_of = |group: u64| (flags & group).count_ones() <= 1;
    let is_valid = flags & !(KERNEL_ACCESS | HOST_POINTER | HOST_ACCESS) == 0
        && one_of(KERNEL_ACCESS)
        && one_of(HOST_ACCESS)
        && (flags & CL_MEM_USE_HOST_PTR == 0 || one_of(HOST_POINTER));
    let why = format!("the memory flags {flags:#x} are unknown or exclude each other");
    ensure(is_valid, CL_INVALID_VALUE, why)?;
    Ok(match flags & KERNEL_ACCESS {
        0 => flags | CL_MEM_READ_WRITE,
        _ => flags,
    })
}

pub(crate) fn create(context: Handle, flags: u64, size: usize, host: Memory) -> Result<Handle> {
    make(context, Vec::new(), flags, size, host)
}

pub(crate) fn create_with_properties(
    context: Handle,
    properties: In<u64>,
    flags: u64,
    size: usize,
    host: Memory,
) -> Result<Handle> {
    let pairs = properties.pairs();
    // "CL_INVALID_PROPERTY if a property name in properties is not a supported property name"
    if let Some((name, _)) = pairs.first() {
        let why = format!("there is no buffer property {name:#x}");
        return Err(Error::new(CL_INVALID_PROPERTY, why));
    }
    let list = if properties.is_null() {
        vec![]
    } else {
        vec![0]
    };
    make(context, list, flags, size, host)
}

fn make(
    context: Handle,
    properties: Vec<u64>,
    given: u64,
    size: usize,
    host: Memory,
) -> Result<Handle> {
    let context = context.get::<Context>()?;
    let flags = flags(given)?;
    // "CL_INVALID_BUFFER_SIZE if size is 0 or if size is greater than CL_DEVICE_MAX_MEM_ALLOC_SIZE
    // for all devices in context"
    let most = context.devices.iter().map(|device| device.max_allocation());
    let most = most.max().unwrap_or(0);
    ensure(
        size > 0 && size as u64 <= most,
        CL_INVALID_BUFFER_SIZE,
        format!("a buffer of {size} bytes; 1 to {most} are possible"),
    )?;
    // "CL_INVALID_HOST_PTR if host_ptr is NULL and CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR are
    // set in flags or if host_ptr is not NULL but CL_MEM_COPY_HOST_PTR or CL_MEM_USE_HOST_PTR are
    // not set in flags"
    let wants = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
    ensure(
        wants != host.is_null(),
        CL_INVALID_HOST_PTR,
        "the flags and the host pointer do not go together",
    )?;
    let mem = Mem::buffer(context, flags, size, host, properties);
    // "CL_MEM_OBJECT_ALLOCATION_FAILURE if there is a failure to allocate memory for buffer object"
    let mem = mem.map_err(|error| error.with_code(CL_MEM_OBJECT_ALLOCATION_FAILURE))?;
    Ok(publish(Arc::new(mem)))
}

pub(crate) fn retain(memory: Handle) -> Result<()> {
    memory.retain::<Mem>()
}

pub(crate) fn release(memory: Handle) -> Result<()> {
    memory.release::<Mem>()
}

pub(crate) fn info(handle: Handle, name: u32) -> Result<Answer> {
    let mem = handle.get::<Mem>()?;
    Ok(match name {
        CL_MEM_TYPE => info::value(mem.kind),
        CL_MEM_FLAGS => info::value(mem.flags),
        CL_MEM_SIZE => info::value(mem.size),
        CL_MEM_HOST_PTR => info::value(mem.host.address()),
        CL_MEM_MAP_COUNT => info::value(0u32),
        CL_MEM_REFERENCE_COUNT => info::value(handle.references()),
        CL_MEM_CONTEXT => info::handle(mem.context.base().handle()),
        CL_MEM_ASSOCIATED_MEMOBJECT => info::handle(Handle::NULL),
        CL_MEM_OFFSET => info::value(0usize),
        CL_MEM_USES_SVM_POINTER => info::boolean(false),
        CL_MEM_PROPERTIES => info::list(&mem.properties),
        _ => return Err(info::unknown("a memory object", name)),
    })
}

pub(crate) fn set_destructor(memory: Handle, notify: ObjectNotify, data: Memory) -> Result<()> {
    let memory = memory.get::<Mem>()?;
    // "CL_INVALID_VALUE if pfn_notify is NULL"
    let function = notify.ok_or_else(|| Error::new(CL_INVALID_VALUE, "there is no callback"))?;
    memory.add_destructor(ObjectCallback { function, data });
    Ok(())
}

/// A buffer of the queue's context, and its part for the queue's device.
fn of_queue(queue: &Queue, buffer: Handle) -> Result<(Arc<Mem>, umd::Buffer)> {
    let mem = buffer.get::<Mem>()?;
    // "CL_INVALID_CONTEXT if the context associated with command_queue and buffer are not the same"
    queue.context.same(&mem.context, "the buffer")?;
    let own = mem.buffers.get(queue.place).cloned();
    let own = own.ok_or_else(|| Error::new(CL_INVALID_MEM_OBJECT, "this is no buffer"))?;
    Ok((mem, own))
}

/// "CL_INVALID_VALUE if the region being read or written specified by (offset, size) is out of
/// bounds or if ptr is a NULL value"
fn check_range(mem: &Mem, offset: usize, size: usize, ptr: Memory) -> Result<()> {
    let end = offset.checked_add(size);
    ensure(
        end.is_some_and(|end| end <= mem.size) && size > 0,
        CL_INVALID_VALUE,
        format!("{size} bytes from {offset} on, of {}", mem.size),
    )?;
    ensure(!ptr.is_null(), CL_INVALID_VALUE, "the pointer is null")
}

pub(crate) fn read(
    queue: Handle,
    buffer: Handle,
    blocking: u32,
    offset: usize,
    size: usize,
    to: Memory,
    waits: Waits,
) -> Result<()> {
    let queue = queue.get::<Queue>()?;
    let (mem, own) = of_queue(&queue, buffer)?;
    check_range(&mem, offset, size, to)?;
    // "CL_INVALID_OPERATION if clEnqueueReadBuffer is called on buffer which has been created with
    // CL_MEM_HOST_WRITE_ONLY or CL_MEM_HOST_NO_ACCESS"
    ensure(
        mem.flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS) == 0,
        CL_INVALID_OPERATION,
        "the host does not read the buffer",
    )?;
    let list = execute::waits(&queue, waits)?;
    let work = move || Ok(to.with_mut(size, |bytes| own.read(offset as u64, bytes))?);
    let event = command::on_host(
        &queue,
        (CL_COMMAND_READ_BUFFER, Place::Next),
        &list,
        vec![mem],
        boolean(blocking),
        Box::new(work),
    )?;
    execute::give(&event, waits);
    Ok(())
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
    let queue = queue.get::<Queue>()?;
    let (mem, own) = of_queue(&queue, buffer)?;
    check_range(&mem, offset, size, from)?;
    // "CL_INVALID_OPERATION if clEnqueueWriteBuffer is called on buffer which has been created with
    // CL_MEM_HOST_READ_ONLY or CL_MEM_HOST_NO_ACCESS"
    ensure(
        mem.flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS) == 0,
        CL_INVALID_OPERATION,
        "the host does not write the buffer",
    )?;
    let list = execute::waits(&queue, waits)?;
    let work = move || Ok(from.with(size, |bytes| own.write(offset as u64, bytes))?);
    let event = command::on_host(
        &queue,
        (CL_COMMAND_WRITE_BUFFER, Place::Next),
        &list,
        vec![mem],
        boolean(blocking),
        Box::new(work),
    )?;
    execute::give(&event, waits);
    Ok(())
}
