//! Command buffers: the extension `cl_khr_command_buffer`, version 0.9.8.

use std::sync::Arc;

use opencl_sys::*;

use super::abi::{In, Out, Waits};
use super::execute;
use super::info::{self, Answer};
use crate::core::command::{Command, Place};
use crate::core::command_buffer::{CommandBuffer, number};
use crate::core::{Handle, Object, Queue, publish};
use crate::error::{Error, Result, ensure};

/// `CL_DEVICE_COMMAND_BUFFER_…_KHR`.
const DEVICE_CAPABILITIES: u32 = 0x12a9;
const DEVICE_SUPPORTED_QUEUE_PROPERTIES: u32 = 0x129a;
const DEVICE_REQUIRED_QUEUE_PROPERTIES: u32 = 0x12aa;
const CAPABILITY_KERNEL_PRINTF: u64 = 1 << 0;
/// `CL_COMMAND_BUFFER_…_KHR`.
const FLAGS: u64 = 0x1293;
const QUEUES: u32 = 0x1294;
const NUM_QUEUES: u32 = 0x1295;
const REFERENCE_COUNT: u32 = 0x1296;
const STATE: u32 = 0x1297;
const PROPERTIES_ARRAY: u32 = 0x1298;
const CONTEXT: u32 = 0x1299;
/// Simultaneous use, mutable commands, synchronization by devices: of other versions and
/// extensions.
const KNOWN_FLAGS: u64 = 0x7;

/// What `clGetDeviceInfo` says; `None` if the name is not one of the extension.
pub(crate) fn device_info(name: u32) -> Option<Answer> {
    match name {
        DEVICE_CAPABILITIES => Some(info::value(CAPABILITY_KERNEL_PRINTF)),
        DEVICE_SUPPORTED_QUEUE_PROPERTIES => {
            let all = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
            Some(info::value(all))
        }
        DEVICE_REQUIRED_QUEUE_PROPERTIES => Some(info::value(0u64)),
        _ => None,
    }
}

pub(crate) fn create(count: u32, queues: In<Handle>, properties: In<u64>) -> Result<Handle> {
    // "CL_INVALID_VALUE if num_queues is not one [or] queues is NULL"
    let queue = queues.get().filter(|_| count == 1);
    let why = "a command buffer is made for one queue";
    let queue = queue.ok_or_else(|| Error::new(CL_INVALID_VALUE, why))?;
    let queue = queue.get::<Queue>()?;
    let mut list = Vec::new();
    for (name, value) in properties.pairs() {
        // "CL_INVALID_VALUE if values specified in properties are not valid, or if the same property
        // name is specified more than once"
        ensure(
            name == FLAGS && list.is_empty() && value & !KNOWN_FLAGS == 0,
            CL_INVALID_VALUE,
            format!("the property {name:#x}, {value:#x} is unknown, or stands there twice"),
        )?;
        // "CL_INVALID_PROPERTY if values specified in properties are valid but are not supported by
        // all the devices associated with queues"
        ensure(
            value == 0,
            CL_INVALID_PROPERTY,
            format!("the flags {value:#x} are not supported"),
        )?;
        list.extend([name, value]);
    }
    if !properties.is_null() {
        list.push(0);
    }
    Ok(publish(Arc::new(CommandBuffer::new(queue, list))))
}

pub(crate) fn retain(buffer: Handle) -> Result<()> {
    buffer.retain::<CommandBuffer>()
}

pub(crate) fn release(buffer: Handle) -> Result<()> {
    buffer.release::<CommandBuffer>()
}

pub(crate) fn finalize(buffer: Handle) -> Result<()> {
    // "CL_INVALID_OPERATION if command_buffer is not in the Recording state"
    let buffer = buffer.get::<CommandBuffer>()?;
    let why = "the command buffer is final";
    ensure(buffer.finalize(), CL_INVALID_OPERATION, why)
}

pub(crate) fn enqueue(count: u32, queues: In<Handle>, buffer: Handle, waits: Waits) -> Result<()> {
    let buffer = buffer.get::<CommandBuffer>()?;
    // "CL_INVALID_OPERATION if command_buffer has not been finalized"
    ensure(
        buffer.is_final(),
        CL_INVALID_OPERATION,
        "the command buffer is not final",
    )?;
    // "CL_INVALID_VALUE if queues is NULL and num_queues is > 0, or queues is not NULL and num_queues
    // is 0 [or] num_queues is > 0 and not the same value as num_queues set on command_buffer
    // creation"
    ensure(
        queues.is_null() == (count == 0) && count <= 1,
        CL_INVALID_VALUE,
        "a command buffer runs on one queue",
    )?;
    let queue = match queues.get() {
        Some(queue) => queue.get::<Queue>()?,
        None => buffer.queue.clone(),
    };
    let what = "the command buffer";
    queue.context.same(&buffer.queue.context, what)?;
    // "CL_INCOMPATIBLE_COMMAND_QUEUE_KHR if any element of queues [is] not associated with the same
    // device"
    ensure(
        queue.place == buffer.queue.place,
        number::INCOMPATIBLE_COMMAND_QUEUE,
        "the queue is of another device than the command buffer's",
    )?;
    let list = execute::waits(&queue, waits)?;
    execute::give(&buffer.enqueue(&queue, &list)?, waits);
    Ok(())
}

/// What all recording calls take besides the command.
pub(crate) struct Recording {
    pub buffer: Handle,
    pub queue: Handle,
    pub properties: In<u64>,
    pub count: u32,
    pub list: In<u32>,
    pub point: Out<u32>,
    pub mutable: Out<Handle>,
}

/// Records the command that `make` makes for the queue.
pub(crate) fn record(
    to: Recording,
    make: impl FnOnce(&Arc<Queue>) -> Result<Command>,
) -> Result<()> {
    let buffer = to.buffer.get::<CommandBuffer>()?;
    // "CL_INVALID_OPERATION if command_buffer has been finalized"
    ensure(
        !buffer.is_final(),
        CL_INVALID_OPERATION,
        "the command buffer is final",
    )?;
    // "CL_INVALID_COMMAND_QUEUE if command_queue is not NULL"
    ensure(
        to.queue.is_null(),
        CL_INVALID_COMMAND_QUEUE,
        "commands go to the queue of the command buffer",
    )?;
    // "CL_INVALID_VALUE if values specified in properties are not valid": there are none
    ensure(
        to.properties.get().unwrap_or(0) == 0,
        CL_INVALID_VALUE,
        "commands have no properties",
    )?;
    // "CL_INVALID_VALUE if mutable_handle is not NULL"
    ensure(
        to.mutable.is_null(),
        CL_INVALID_VALUE,
        "commands cannot be changed",
    )?;
    // "CL_INVALID_SYNC_POINT_WAIT_LIST_KHR if sync_point_wait_list is NULL and
    // num_sync_points_in_wait_list is > 0, or sync_point_wait_list is not NULL and
    // num_sync_points_in_wait_list is 0, or if synchronization-point objects … are not valid"
    let after = to.list.list(to.count as usize);
    let after: Vec<_> = after.into_iter().map(|number| number as usize).collect();
    let known = 1..=buffer.len();
    ensure(
        to.list.is_null() == (to.count == 0) && after.iter().all(|number| known.contains(number)),
        number::INVALID_SYNC_POINT_WAIT_LIST,
        format!("{} synchronization points, {after:?}", to.count),
    )?;
    let command = make(&buffer.queue)?;
    to.point.set(buffer.record(command, after) as u32);
    Ok(())
}

/// A barrier, after the commands that it waits for or all before it.
pub(crate) fn barrier(_queue: &Arc<Queue>) -> Result<Command> {
    let place = Place::Barrier { after_all: true };
    Ok(Command::mark(CL_COMMAND_BARRIER, place))
}

pub(crate) fn info(handle: Handle, name: u32) -> Result<Answer> {
    let buffer = handle.get::<CommandBuffer>()?;
    Ok(match name {
        QUEUES => info::handle(buffer.queue.base().handle()),
        NUM_QUEUES => info::value(1u32),
        REFERENCE_COUNT => info::value(handle.references()),
        // CL_COMMAND_BUFFER_STATE_RECORDING_KHR is 0, CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR 1.
        STATE => info::value(u32::from(buffer.is_final())),
        PROPERTIES_ARRAY => info::list(&buffer.properties),
        CONTEXT => info::handle(buffer.queue.context.base().handle()),
        _ => return Err(info::unknown("a command buffer", name)),
    })
}
