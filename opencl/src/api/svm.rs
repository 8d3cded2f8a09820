//! Shared virtual memory (specification, section 5.6).

use std::any::Any;
use std::sync::Arc;

use opencl_sys::*;

use super::abi::{Bytes, In, Unconst};
use super::{map, transfer};
use crate::core::allocations::{Allocation, Owner};
use crate::core::callback::{SvmFree, SvmFreeCallback};
use crate::core::command::{Command, Place};
use crate::core::kernel::Arg;
use crate::core::{Context, Handle, Kernel, Memory, Object, Queue};
use crate::error::{Error, Result, ensure};

/// The largest alignment: that of the largest type, `long16`.
const ALIGNMENT: usize = 128;

pub(crate) fn allocate(context: Handle, flags: u64, size: usize, alignment: u32) -> Result<Memory> {
    let context = context.get::<Context>()?;
    // "flags does not contain … CL_MEM_SVM_FINE_GRAIN_BUFFER is specified in flags and this is not
    // supported by at least one device", "CL_MEM_SVM_ATOMICS … without CL_MEM_SVM_FINE_GRAIN_BUFFER"
    let access = flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY);
    let known = access | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
    ensure(
        flags & !known == 0 && access.count_ones() <= 1,
        CL_INVALID_VALUE,
        format!("the flags {flags:#x} are unknown or exclude each other"),
    )?;
    ensure(
        flags & CL_MEM_SVM_ATOMICS == 0,
        CL_INVALID_VALUE,
        "no device shares atomics with the host",
    )?;
    check_size(&context, size)?;
    // "alignment is not a power of two or the OpenCL implementation cannot support the specified
    // alignment"
    check_alignment(alignment)?;
    context
        .allocations
        .allocate(&context.devices, Owner::Svm, size, flags)
}

/// "size is 0 or > CL_DEVICE_MAX_MEM_ALLOC_SIZE value for any device in context"
pub(crate) fn check_size(context: &Context, size: usize) -> Result<()> {
    let most = context
        .devices
        .iter()
        .map(|device| device.max_allocation())
        .min();
    ensure(
        size > 0 && size as u64 <= most.unwrap_or(0),
        CL_INVALID_BUFFER_SIZE,
        format!(
            "an allocation of {size} bytes; 1 to {} are possible",
            most.unwrap_or(0)
        ),
    )
}

pub(crate) fn check_alignment(alignment: u32) -> Result<()> {
    let alignment = alignment as usize;
    ensure(
        alignment == 0 || alignment.is_power_of_two() && alignment <= ALIGNMENT,
        CL_INVALID_VALUE,
        format!("an alignment of {alignment}; powers of two up to {ALIGNMENT} are possible"),
    )
}

pub(crate) fn free(context: Handle, pointer: Memory) -> Result<()> {
    let context = context.get::<Context>()?;
    // "If svm_pointer is NULL, nothing happens": of other pointers nothing is known.
    context.allocations.free(pointer);
    Ok(())
}

pub(crate) fn enqueue_free(
    queue: &Arc<Queue>,
    count: u32,
    Unconst(pointers): Unconst<Memory>,
    callback: SvmFree,
    data: Memory,
) -> Result<Command> {
    // "CL_INVALID_VALUE if num_svm_pointers is 0 and svm_pointers is non-NULL, or if svm_pointers is
    // NULL and num_svm_pointers is not 0"
    ensure(
        pointers.is_null() == (count == 0),
        CL_INVALID_VALUE,
        "the pointers and their number do not go together",
    )?;
    let list = pointers.list(count as usize);
    let (handle, context) = (queue.base().handle(), queue.context.clone());
    let work = move || {
        match callback {
            Some(function) => SvmFreeCallback { function, data }.call(handle, &list),
            None => list.iter().for_each(|&pointer| {
                context.allocations.free(pointer);
            }),
        }
        Ok(())
    };
    Ok(host(CL_COMMAND_SVM_FREE, Vec::new(), work))
}

/// A command of the host on memory.
fn host(
    kind: cl_command_type,
    kept: Vec<Allocation>,
    work: impl Fn() -> Result<()> + Send + Sync + 'static,
) -> Command {
    let kept = kept.into_iter();
    let kept = kept.map(|kept| Arc::new(kept) as Arc<dyn Any + Send + Sync>);
    Command::on_host(kind, kept.collect(), work)
}

/// A command that has only its place in the order: the memory lies where everybody reaches it.
pub(crate) fn nothing(kind: cl_command_type) -> Command {
    Command::mark(kind, Vec::new(), Place::Next)
}

/// "CL_INVALID_VALUE if dst_ptr or src_ptr is NULL"
pub(crate) fn check_pointer(pointer: Memory) -> Result<()> {
    ensure(!pointer.is_null(), CL_INVALID_VALUE, "a pointer is null")
}

pub(crate) fn copy(
    queue: &Arc<Queue>,
    to: Memory,
    Bytes(from): Bytes,
    size: usize,
) -> Result<Command> {
    copy_as(CL_COMMAND_SVM_MEMCPY, queue, to, from, size)
}

pub(crate) fn copy_as(
    command: cl_command_type,
    queue: &Arc<Queue>,
    to: Memory,
    from: Memory,
    size: usize,
) -> Result<Command> {
    check_pointer(to)?;
    check_pointer(from)?;
    // "CL_MEM_COPY_OVERLAP if the values specified for dst_ptr, src_ptr and size result in an
    // overlapping copy"
    let distance = to.address().abs_diff(from.address());
    ensure(
        distance >= size,
        CL_MEM_COPY_OVERLAP,
        "source and destination overlap",
    )?;
    let all = &queue.context.allocations;
    let kept = [all.find(to), all.find(from)]
        .into_iter()
        .flatten()
        .collect();
    let (to, from) = (all.resolve(to, size)?, all.resolve(from, size)?);
    let work = move || {
        to.copy(from, size);
        Ok(())
    };
    Ok(host(command, kept, work))
}

pub(crate) fn fill(
    queue: &Arc<Queue>,
    to: Memory,
    Bytes(from): Bytes,
    pattern_size: usize,
    size: usize,
) -> Result<Command> {
    fill_as(CL_COMMAND_SVM_MEMFILL, queue, to, from, pattern_size, size)
}

pub(crate) fn fill_as(
    command: cl_command_type,
    queue: &Arc<Queue>,
    to: Memory,
    from: Memory,
    pattern_size: usize,
    size: usize,
) -> Result<Command> {
    check_pointer(to)?;
    let pattern = transfer::pattern(queue, from, pattern_size)?;
    // "CL_INVALID_VALUE if svm_ptr is not aligned to pattern_size bytes", "… if size is not a
    // multiple of pattern_size"
    ensure(
        to.address().is_multiple_of(pattern_size) && size.is_multiple_of(pattern_size),
        CL_INVALID_VALUE,
        format!("{size} bytes at {to:?} are no multiples of a pattern of {pattern_size}"),
    )?;
    let kept = queue.context.allocations.find(to).into_iter().collect();
    let to = queue.context.allocations.resolve(to, size)?;
    let work = move || {
        for offset in (0..size).step_by(pattern.len().max(1)) {
            to.offset(offset).write(&pattern);
        }
        Ok(())
    };
    Ok(host(command, kept, work))
}

pub(crate) fn map(
    _queue: &Arc<Queue>,
    flags: u64,
    pointer: Memory,
    size: usize,
) -> Result<Command> {
    // "CL_INVALID_VALUE if svm_ptr is NULL", "… if size is 0 or if values specified in map_flags are
    // not valid"
    check_pointer(pointer)?;
    map::check_flags(flags)?;
    ensure(size > 0, CL_INVALID_VALUE, "a map of no bytes")?;
    Ok(nothing(CL_COMMAND_SVM_MAP))
}

pub(crate) fn unmap(_queue: &Arc<Queue>, pointer: Memory) -> Result<Command> {
    check_pointer(pointer)?;
    Ok(nothing(CL_COMMAND_SVM_UNMAP))
}

pub(crate) fn migrate(
    queue: &Arc<Queue>,
    count: u32,
    Unconst(pointers): Unconst<Bytes>,
    sizes: In<usize>,
    flags: u64,
) -> Result<Command> {
    transfer::check_migration(count, pointers.is_null(), flags)?;
    let sizes = sizes.list(count as usize);
    for (index, &Bytes(pointer)) in pointers.list(count as usize).iter().enumerate() {
        // "CL_INVALID_VALUE if sizes[i] is non-zero range [svm_pointers[i], svm_pointers[i]+sizes[i])
        // is not contained within an existing clSVMAlloc allocation"
        let size = sizes.get(index).copied().unwrap_or(0);
        let found = queue.context.allocations.find(pointer);
        let is_in = found.is_some_and(|found| {
            let end = pointer.address().checked_add(size);
            end.is_some_and(|end| end <= found.start + found.size)
        });
        ensure(
            is_in,
            CL_INVALID_VALUE,
            format!("{size} bytes at {pointer:?} are no allocation"),
        )?;
    }
    Ok(nothing(CL_COMMAND_SVM_MIGRATE_MEM))
}

pub(crate) fn set_arg(kernel: Handle, index: u32, pointer: Bytes) -> Result<()> {
    set_pointer(&*kernel.get::<Kernel>()?, index, pointer, nowhere)
}

/// A pointer to no allocation.
fn nowhere(pointer: Memory) -> Result<Arg> {
    let why = format!("nothing is allocated at {pointer:?}");
    Err(Error::new(CL_INVALID_ARG_VALUE, why))
}

/// The same of a pointer to unified shared memory: "For all devices, any pointer value is valid and may be set
/// as an argument to a kernel."
pub(crate) fn set_any_arg(kernel: Handle, index: u32, pointer: Bytes) -> Result<()> {
    let kernel = kernel.get::<Kernel>()?;
    let all = &kernel.program.context.allocations;
    set_pointer(&kernel, index, pointer, |pointer| {
        let ends = all.ending_at(pointer).map(Arc::new);
        Ok(Arg::Address(pointer.address(), ends))
    })
}

/// The same where one list has the pointers of both kinds: what is no pointer of shared virtual memory may be the end
/// of unified memory.
pub(crate) fn set_listed_arg(kernel: &Kernel, index: u32, pointer: Bytes) -> Result<()> {
    let all = &kernel.program.context.allocations;
    set_pointer(kernel, index, pointer, |pointer| {
        let ends = all.ending_at(pointer);
        match ends.filter(|one| !matches!(one.owner, Owner::Svm)) {
            Some(ends) => Ok(Arg::Address(pointer.address(), Some(Arc::new(ends)))),
            None => nowhere(pointer),
        }
    })
}

/// Sets an argument to a pointer; `other` says what one is that lies in no allocation.
fn set_pointer(
    kernel: &Kernel,
    index: u32,
    Bytes(pointer): Bytes,
    other: impl Fn(Memory) -> Result<Arg>,
) -> Result<()> {
    let info = super::kernel::arg_of(kernel, index)?;
    // "CL_INVALID_ARG_VALUE if arg_value specified is not a valid value": the argument has to be a
    // pointer to global or constant memory
    let is_pointer =
        matches!(info.kind, umd::ArgKind::Buffer | umd::ArgKind::Unused) && !info.is_pipe();
    ensure(
        is_pointer,
        CL_INVALID_ARG_VALUE,
        "the argument is no pointer to global memory",
    )?;
    if pointer.is_null() {
        return kernel.set_arg(index as usize, &Arg::Null);
    }
    let arg = match kernel.program.context.allocations.find(pointer) {
        Some(found) => Arg::Pointer(Arc::new(found), pointer.address()),
        None => other(pointer)?,
    };
    kernel.set_arg(index as usize, &arg)
}

/// `CL_KERNEL_EXEC_INFO_INDIRECT_…_ACCESS_INTEL` and the pointers of
/// `cl_intel_unified_shared_memory`: 0x4200 to 0x4203.
const INDIRECT_HOST_ACCESS: u32 = 0x4200;
const USM_POINTERS: u32 = 0x4203;

pub(crate) fn set_exec_info(kernel: Handle, name: u32, size: usize, value: Bytes) -> Result<()> {
    set_exec_info_of(&*kernel.get::<Kernel>()?, name, size, value)
}

pub(crate) fn set_exec_info_of(
    kernel: &Kernel,
    name: u32,
    size: usize,
    Bytes(value): Bytes,
) -> Result<()> {
    // "CL_INVALID_VALUE if param_name is not valid, if param_value is NULL or if the size specified
    // by param_value_size is not valid"; no pointers at all have no value
    let has_none = matches!(name, CL_KERNEL_EXEC_INFO_SVM_PTRS | USM_POINTERS) && size == 0;
    ensure(
        has_none || !value.is_null(),
        CL_INVALID_VALUE,
        "the value is null",
    )?;
    let flag = || {
        let why = format!(
            "a flag has {} bytes, {size} are given",
            size_of::<cl_bool>()
        );
        ensure(size == size_of::<cl_bool>(), CL_INVALID_VALUE, why)
    };
    match name {
        CL_KERNEL_EXEC_INFO_SVM_PTRS | USM_POINTERS => {
            let width = size_of::<usize>();
            ensure(
                (size > 0 || has_none) && size.is_multiple_of(width),
                CL_INVALID_VALUE,
                format!("{size} bytes are no pointers"),
            )?;
            let pointers =
                (0..size / width).map(|index| value.offset(index * width).read_pointer());
            let all = &kernel.program.context.allocations;
            let found = pointers.filter_map(|pointer| all.find(pointer)).collect();
            kernel.state().set_reached(name, found);
            Ok(())
        }
        CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM => {
            flag()?;
            // "CL_INVALID_OPERATION if param_name = CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM and
            // param_value = CL_TRUE but no devices in context associated with kernel support
            // fine-grain system SVM allocations"
            ensure(
                value.read(size).iter().all(|&byte| byte == 0),
                CL_INVALID_OPERATION,
                "no device reaches all memory of the host",
            )
        }
        // All memory is bound for every kernel.
        INDIRECT_HOST_ACCESS..USM_POINTERS => flag(),
        _ => Err(Error::new(
            CL_INVALID_VALUE,
            format!("there is no {name:#x}"),
        )),
    }
}
