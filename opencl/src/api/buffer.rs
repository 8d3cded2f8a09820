//! Buffers (specification, section 5.2) and what all memory objects have (section 5.5).

use std::sync::Arc;

use opencl_sys::*;

use super::abi::{Bytes, In};
use super::external_memory::{self, Properties};
use super::info::{self, Answer};
use crate::core::callback::{ObjectCallback, ObjectNotify};
use crate::core::memory::Making;
use crate::core::{Context, Device, Handle, Mem, Memory, Object, publish};
use crate::error::{Error, Result, ensure};

/// How kernels access it.
const KERNEL_ACCESS: u64 = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
/// Where its memory is from.
pub(crate) const HOST_POINTER: u64 =
    CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
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
    make(context, Properties::default(), flags, size, host)
}

pub(crate) fn create_with_properties(
    context: Handle,
    properties: In<u64>,
    flags: u64,
    size: usize,
    host: Memory,
) -> Result<Handle> {
    let properties = Properties::read(context, properties)?;
    make(context, properties, flags, size, host)
}

/// The flags of a part of a memory object: those that are not given are the parent's.
///
/// # Errors
/// `CL_INVALID_VALUE`: they allow what the parent does not.
pub(crate) fn inherited(parent: u64, given: u64) -> Result<u64> {
    flags(given)?;
    let inherits = |group: u64| match given & group {
        0 => parent & group,
        own => own,
    };
    let own = inherits(KERNEL_ACCESS) | inherits(HOST_ACCESS) | parent & HOST_POINTER;
    // "CL_INVALID_VALUE if buffer was created with CL_MEM_WRITE_ONLY and flags specifies
    // CL_MEM_READ_WRITE or CL_MEM_READ_ONLY, or if buffer was created with CL_MEM_READ_ONLY and
    // flags specifies CL_MEM_READ_WRITE or CL_MEM_WRITE_ONLY"; the same of the host's access.
    let narrows = |group: u64, all: u64| {
        let (parent, own) = (parent & group, own & group);
        parent == all || parent == own || own == CL_MEM_HOST_NO_ACCESS
    };
    ensure(
        narrows(KERNEL_ACCESS, CL_MEM_READ_WRITE) && narrows(HOST_ACCESS, 0),
        CL_INVALID_VALUE,
        format!("the flags {given:#x} allow what {parent:#x} of the buffer do not"),
    )?;
    Ok(own)
}

fn make(
    context: Handle,
    properties: Properties,
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
    let making = Making {
        context,
        flags,
        host,
        properties: properties.list,
        dma_buf: properties.dma_buf,
    };
    making.check()?;
    let is_external = making.dma_buf.is_some();
    let mem = Mem::buffer(making, size);
    // "CL_MEM_OBJECT_ALLOCATION_FAILURE if there is a failure to allocate memory for buffer object"
    let mem = mem.map_err(|error| match error.code {
        CL_INVALID_BUFFER_SIZE | CL_INVALID_HOST_PTR => error,
        _ if is_external => error,
        _ => error.with_code(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    })?;
    Ok(publish(Arc::new(mem)))
}

pub(crate) fn create_sub_buffer(
    buffer: Handle,
    given: u64,
    kind: u32,
    Bytes(region): Bytes,
) -> Result<Handle> {
    let parent = buffer.get::<Mem>()?;
    // "CL_INVALID_MEM_OBJECT if buffer is not a valid buffer object or is a sub-buffer object"
    ensure(
        parent.kind == CL_MEM_OBJECT_BUFFER && parent.parent.is_none(),
        CL_INVALID_MEM_OBJECT,
        "only a buffer that is no part of another has parts",
    )?;
    // "If the CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR, or CL_MEM_COPY_HOST_PTR values are
    // specified in flags": CL_INVALID_VALUE
    ensure(
        given & HOST_POINTER == 0,
        CL_INVALID_VALUE,
        "where the memory is from is what the buffer says",
    )?;
    let flags = inherited(parent.flags, given)?;
    // "CL_INVALID_VALUE if the value specified in buffer_create_type is not valid", "… if the
    // buffer_create_info is NULL"
    ensure(
        kind == CL_BUFFER_CREATE_TYPE_REGION && !region.is_null(),
        CL_INVALID_VALUE,
        "there is no region",
    )?;
    let field = |index: usize| {
        region
            .offset(index * size_of::<usize>())
            .read_pointer()
            .address()
    };
    let (origin, size) = (field(0), field(1));
    // "CL_INVALID_BUFFER_SIZE if the size field of the cl_buffer_region structure … is 0"
    ensure(size > 0, CL_INVALID_BUFFER_SIZE, "a part of no bytes")?;
    // "CL_INVALID_VALUE if the region specified by the cl_buffer_region structure … is out of
    // bounds in buffer"
    let end = origin.checked_add(size);
    ensure(
        end.is_some_and(|end| end <= parent.size),
        CL_INVALID_VALUE,
        format!("{size} bytes from {origin} on, of {}", parent.size),
    )?;
    // "CL_MISALIGNED_SUB_BUFFER_OFFSET if there are no devices in context associated with buffer
    // for which the origin field … is aligned to the CL_DEVICE_MEM_BASE_ADDR_ALIGN value"
    let alignment = Device::BASE_ALIGNMENT_BITS as usize / 8;
    ensure(
        origin.is_multiple_of(alignment),
        CL_MISALIGNED_SUB_BUFFER_OFFSET,
        format!("the origin {origin} is no multiple of {alignment} bytes"),
    )?;
    Ok(publish(Arc::new(Mem::part(&parent, flags, origin, size)?)))
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
        CL_MEM_MAP_COUNT => info::value(mem.map_count() as u32),
        CL_MEM_REFERENCE_COUNT => info::value(handle.references()),
        CL_MEM_CONTEXT => info::handle(mem.context.base().handle()),
        CL_MEM_ASSOCIATED_MEMOBJECT => info::handle(match &mem.parent {
            Some(parent) => parent.base().handle(),
            None => Handle::NULL,
        }),
        CL_MEM_OFFSET => info::value(mem.origin),
        CL_MEM_USES_SVM_POINTER => {
            let parent = mem.parent.as_ref().unwrap_or(&mem);
            info::boolean(mem.context.allocations.is_svm(parent.host))
        }
        CL_MEM_PROPERTIES => info::list(&mem.properties),
        _ => external_memory::mem_info(&mem, name)?,
    })
}

pub(crate) fn set_destructor(memory: Handle, notify: ObjectNotify, data: Memory) -> Result<()> {
    let memory = memory.get::<Mem>()?;
    // "CL_INVALID_VALUE if pfn_notify is NULL"
    let function = notify.ok_or_else(|| Error::new(CL_INVALID_VALUE, "there is no callback"))?;
    memory.add_destructor(ObjectCallback { function, data });
    Ok(())
}
