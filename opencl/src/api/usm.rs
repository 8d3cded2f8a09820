//! Unified shared memory: the extension `cl_intel_unified_shared_memory`.

use std::sync::Arc;

use opencl_sys::*;

use super::abi::{Bytes, In};
use super::info::{self, Answer};
use super::queue::place;
use super::{svm, transfer};
use crate::core::allocations::Owner;
use crate::core::command::Command;
use crate::core::{Context, Device, Handle, Memory, Object, Queue};
use crate::error::{Result, ensure};

/// Numbers of the extension's specification.
mod number {
    pub(super) const DEVICE_HOST_MEM_CAPABILITIES: u32 = 0x4190;
    pub(super) const DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES: u32 = 0x4194;
    pub(super) const CAPABILITY_ACCESS: u64 = 1 << 0;
    pub(super) const MEM_ALLOC_FLAGS: u64 = 0x4195;
    pub(super) const MEM_TYPE_UNKNOWN: u32 = 0x4196;
    pub(super) const MEM_TYPE_HOST: u32 = 0x4197;
    pub(super) const MEM_TYPE_DEVICE: u32 = 0x4198;
    pub(super) const MEM_TYPE_SHARED: u32 = 0x4199;
    pub(super) const MEM_ALLOC_TYPE: u32 = 0x419a;
    pub(super) const MEM_ALLOC_BASE_PTR: u32 = 0x419b;
    pub(super) const MEM_ALLOC_SIZE: u32 = 0x419c;
    pub(super) const MEM_ALLOC_DEVICE: u32 = 0x419d;
    pub(super) const COMMAND_MEMFILL: u32 = 0x4204;
    pub(super) const COMMAND_MEMCPY: u32 = 0x4205;
    pub(super) const COMMAND_MIGRATEMEM: u32 = 0x4206;
    pub(super) const COMMAND_MEMADVISE: u32 = 0x4207;
    /// Hints: `CL_MEM_ALLOC_WRITE_COMBINED_INTEL`, and where shared memory begins.
    pub(super) const WRITE_COMBINED: u64 = 1 << 0;
    pub(super) const PLACEMENT: u64 = 1 << 1 | 1 << 2;
}

/// What `clGetDeviceInfo` says; `None` if the name is not one of the extension.
pub(crate) fn device_info(name: u32) -> Option<Answer> {
    use number::{CAPABILITY_ACCESS, DEVICE_HOST_MEM_CAPABILITIES};
    match name {
        // Memory that was not allocated here is not reached.
        number::DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES => Some(info::value(0u64)),
        DEVICE_HOST_MEM_CAPABILITIES..number::DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES => {
            Some(info::value(CAPABILITY_ACCESS))
        }
        _ => None,
    }
}

/// The flags of a property list.
fn flags(properties: In<u64>, owner: &Owner) -> Result<u64> {
    let pairs = properties.pairs();
    // "CL_INVALID_PROPERTY … if both … PLACEMENT_DEVICE_INTEL and … PLACEMENT_HOST_INTEL flags are
    // specified", for host and device memory "if either"
    let placements = match owner {
        Owner::Shared(_) => 1,
        Owner::Host | Owner::Device(_) | Owner::Svm => 0,
    };
    for &(name, value) in &pairs {
        // "CL_INVALID_PROPERTY if a memory property name in properties is not a supported property
        // name, if the value specified for a supported property name is not valid"
        let is_known = value & !(number::WRITE_COMBINED | number::PLACEMENT) == 0
            && (value & number::PLACEMENT).count_ones() <= placements;
        ensure(
            name == number::MEM_ALLOC_FLAGS && is_known,
            CL_INVALID_PROPERTY,
            format!("there is no property {name:#x} of value {value:#x} for this memory"),
        )?;
    }
    // "… or if the same property name is specified more than once"
    ensure(
        pairs.len() <= 1,
        CL_INVALID_PROPERTY,
        "the flags are given twice",
    )?;
    Ok(pairs.first().map_or(0, |&(_, value)| value))
}

fn allocate(
    context: &Arc<Context>,
    owner: Owner,
    properties: In<u64>,
    size: usize,
    alignment: u32,
) -> Result<Memory> {
    let flags = flags(properties, &owner)?;
    svm::check_size(context, size)?;
    svm::check_alignment(alignment)?;
    let made = context
        .allocations
        .allocate(&context.devices, owner, size, flags);
    made.map_err(|error| error.with_code(CL_OUT_OF_RESOURCES))
}

pub(crate) fn host(
    context: Handle,
    properties: In<u64>,
    size: usize,
    alignment: u32,
) -> Result<Memory> {
    allocate(
        &context.get::<Context>()?,
        Owner::Host,
        properties,
        size,
        alignment,
    )
}

/// A device of a context.
fn device(context: &Context, handle: Handle) -> Result<Arc<Device>> {
    let device = handle.get::<Device>()?;
    place(context, &device)?;
    Ok(device)
}

pub(crate) fn device_memory(
    context: Handle,
    of: Handle,
    properties: In<u64>,
    size: usize,
    alignment: u32,
) -> Result<Memory> {
    let context = context.get::<Context>()?;
    let owner = Owner::Device(device(&context, of)?);
    allocate(&context, owner, properties, size, alignment)
}

pub(crate) fn shared(
    context: Handle,
    of: Handle,
    properties: In<u64>,
    size: usize,
    alignment: u32,
) -> Result<Memory> {
    let context = context.get::<Context>()?;
    // "If device is NULL, the allocation is not associated with a device"
    let owner = match of.is_null() {
        true => None,
        false => Some(device(&context, of)?),
    };
    allocate(&context, Owner::Shared(owner), properties, size, alignment)
}

pub(crate) fn free(context: Handle, pointer: Memory) -> Result<()> {
    let context = context.get::<Context>()?;
    // "CL_INVALID_VALUE if ptr is not a value returned by" an allocating function, "or is not NULL"
    let is_svm = context.allocations.is_svm(pointer);
    let is_freed = pointer.is_null() || !is_svm && context.allocations.free(pointer).is_some();
    ensure(
        is_freed,
        CL_INVALID_VALUE,
        format!("nothing is allocated at {pointer:?}"),
    )
}

pub(crate) fn blocking_free(context: Handle, pointer: Memory) -> Result<()> {
    // "waits for all previously enqueued commands that may be using ptr to finish"
    context.get::<Context>()?.finish();
    free(context, pointer)
}

pub(crate) fn alloc_info(context: Handle, Bytes(pointer): Bytes, name: u32) -> Result<Answer> {
    let context = context.get::<Context>()?;
    let found = context.allocations.find(pointer);
    let found = found.filter(|found| !matches!(found.owner, Owner::Svm));
    let found = found.as_ref();
    Ok(match name {
        number::MEM_ALLOC_TYPE => info::value(match found.map(|found| &found.owner) {
            Some(Owner::Host) => number::MEM_TYPE_HOST,
            Some(Owner::Device(_)) => number::MEM_TYPE_DEVICE,
            Some(Owner::Shared(_)) => number::MEM_TYPE_SHARED,
            Some(Owner::Svm) | None => number::MEM_TYPE_UNKNOWN,
        }),
        number::MEM_ALLOC_BASE_PTR => info::value(found.map_or(0, |found| found.start)),
        number::MEM_ALLOC_SIZE => info::value(found.map_or(0, |found| found.size)),
        number::MEM_ALLOC_DEVICE => info::handle(match found.map(|found| &found.owner) {
            Some(Owner::Device(device) | Owner::Shared(Some(device))) => device.base().handle(),
            _ => Handle::NULL,
        }),
        name if u64::from(name) == number::MEM_ALLOC_FLAGS => {
            info::value(found.map_or(0, |found| found.flags))
        }
        _ => return Err(info::unknown("an allocation", name)),
    })
}

pub(crate) fn fill(
    queue: &Arc<Queue>,
    to: Memory,
    Bytes(from): Bytes,
    pattern_size: usize,
    size: usize,
) -> Result<Command> {
    svm::fill_as(number::COMMAND_MEMFILL, queue, to, from, pattern_size, size)
}

pub(crate) fn copy(
    queue: &Arc<Queue>,
    to: Memory,
    Bytes(from): Bytes,
    size: usize,
) -> Result<Command> {
    svm::copy_as(number::COMMAND_MEMCPY, queue, to, from, size)
}

pub(crate) fn migrate(
    queue: &Arc<Queue>,
    pointer: Bytes,
    size: usize,
    flags: u64,
) -> Result<Command> {
    // "CL_INVALID_VALUE if flags is not a supported combination of memory migration flags"
    transfer::check_migration_flags(flags)?;
    hint(number::COMMAND_MIGRATEMEM, queue, pointer, size)
}

pub(crate) fn advise(
    queue: &Arc<Queue>,
    pointer: Bytes,
    size: usize,
    _advice: u32,
) -> Result<Command> {
    hint(number::COMMAND_MEMADVISE, queue, pointer, size)
}

/// A command that may move memory: here it lies where everybody reaches it.
fn hint(
    command: cl_command_type,
    queue: &Arc<Queue>,
    Bytes(pointer): Bytes,
    size: usize,
) -> Result<Command> {
    let found = queue.context.allocations.find(pointer);
    let is_allocated = found.is_some() && queue.context.allocations.resolve(pointer, size).is_ok();
    ensure(
        is_allocated,
        CL_INVALID_VALUE,
        format!("{size} bytes at {pointer:?} are no allocation"),
    )?;
    Ok(svm::nothing(command))
}
