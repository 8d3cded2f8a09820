//! Command buffers: the extension `cl_khr_command_buffer`, version 0.9.8.

use std::sync::Arc;

use opencl_sys::*;

use super::abi::{In, Out, Waits};
use super::execute;
use super::info::{self, Answer};
use crate::core::command::{Command, Place};
use crate::core::command_buffer::{CommandBuffer, Recorded, Stage, number};
use crate::core::{Handle, Object, Queue, publish};
use crate::error::{Error, Result, ensure};

/// `CL_DEVICE_COMMAND_BUFFER_…_KHR`.
const DEVICE_CAPABILITIES: u32 = 0x12a9;
const DEVICE_SUPPORTED_QUEUE_PROPERTIES: u32 = 0x129a;
const DEVICE_REQUIRED_QUEUE_PROPERTIES: u32 = 0x12aa;
const CAPABILITY_KERNEL_PRINTF: u64 = 1 << 0;
const CAPABILITY_SIMULTANEOUS_USE: u64 = 1 << 2;
/// `CL_COMMAND_BUFFER_…_KHR`.
const FLAGS: u64 = 0x1293;
const QUEUES: u32 = 0x1294;
const NUM_QUEUES: u32 = 0x1295;
const REFERENCE_COUNT: u32 = 0x1296;
const STATE: u32 = 0x1297;
const PROPERTIES_ARRAY: u32 = 0x1298;
const CONTEXT: u32 = 0x1299;
const ASSERTS: u64 = 0x12b7;
const SIMULTANEOUS_USE: u64 = 1 << 0;
const MUTABLE: u64 = 1 << 1;
/// With synchronization by devices, which is of an extension for several devices.
const KNOWN_FLAGS: u64 = 0x7;
/// `CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR`.
pub(super) const KEEPS_GROUPS: u64 = 1 << 0;

/// Linux maps nothing below (`vm.mmap_min_addr`).
const LOWEST_ADDRESS: usize = 4096;

/// What `clGetDeviceInfo` says; `None` if the name is not one of the extension.
pub(crate) fn device_info(name: u32) -> Option<Answer> {
    match name {
        DEVICE_CAPABILITIES => {
            let all = CAPABILITY_KERNEL_PRINTF | CAPABILITY_SIMULTANEOUS_USE;
            Some(info::value(all))
        }
        DEVICE_SUPPORTED_QUEUE_PROPERTIES => {
            let all = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
            Some(info::value(all))
        }
        DEVICE_REQUIRED_QUEUE_PROPERTIES => Some(info::value(0u64)),
        _ => None,
    }
}

/// A property list, whose names are of `known`, each once, with the bits that its value can have.
///
/// # Errors
/// "CL_INVALID_VALUE if values specified in properties are not valid, or if the same property name is
/// specified more than once"
pub(super) fn properties(list: In<u64>, known: &[(u64, u64)]) -> Result<Vec<(u64, u64)>> {
    let pairs = list.pairs();
    for (index, &(name, value)) in pairs.iter().enumerate() {
        let bits = known.iter().find(|(known, _)| *known == name);
        let is_first = pairs.iter().position(|(other, _)| *other == name) == Some(index);
        ensure(
            is_first && bits.is_some_and(|(_, bits)| value & !bits == 0),
            CL_INVALID_VALUE,
            format!("the property {name:#x}, {value:#x} is unknown, or stands there twice"),
        )?;
    }
    Ok(pairs)
}

/// A property list as queries give it back.
pub(super) fn as_passed(list: In<u64>, pairs: &[(u64, u64)]) -> Vec<u64> {
    let values = pairs.iter().flat_map(|&(name, value)| [name, value]);
    let end = (!list.is_null()).then_some(0);
    values.chain(end).collect()
}

/// The value of a property, or 0.
pub(super) fn value_of(pairs: &[(u64, u64)], name: u64) -> u64 {
    let found = pairs.iter().find(|(own, _)| *own == name);
    found.map_or(0, |(_, value)| *value)
}

pub(crate) fn create(count: u32, queues: In<Handle>, properties: In<u64>) -> Result<Handle> {
    // "CL_INVALID_VALUE if num_queues is not one [or] queues is NULL"
    let queue = queues.get().filter(|_| count == 1);
    let why = "a command buffer is made for one queue";
    let queue = queue.ok_or_else(|| Error::new(CL_INVALID_VALUE, why))?;
    let queue = queue.get::<Queue>()?;
    let pairs = self::properties(properties, &[(FLAGS, KNOWN_FLAGS), (ASSERTS, KEEPS_GROUPS)])?;
    let flags = value_of(&pairs, FLAGS);
    // "CL_INVALID_PROPERTY if values specified in properties are valid but are not supported by all
    // the devices associated with queues"
    ensure(
        flags & !(SIMULTANEOUS_USE | MUTABLE) == 0,
        CL_INVALID_PROPERTY,
        format!("the flags {flags:#x} are not supported"),
    )?;
    let list = as_passed(properties, &pairs);
    let keeps_groups = value_of(&pairs, ASSERTS) & KEEPS_GROUPS != 0;
    let simultaneous = flags & SIMULTANEOUS_USE != 0;
    let rules = (flags & MUTABLE != 0, keeps_groups, simultaneous);
    Ok(publish(Arc::new(CommandBuffer::new(queue, list, rules))))
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
    ensure(buffer.finalize()?, CL_INVALID_OPERATION, why)
}

pub(crate) fn enqueue(count: u32, queues: In<Handle>, buffer: Handle, waits: Waits) -> Result<()> {
    let buffer = buffer.get::<CommandBuffer>()?;
    buffer.check_executable()?;
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
    // "CL_INVALID_DEVICE if any element of queues does not have the same device as the command-queue
    // set on command_buffer creation at the same list index"
    ensure(
        queue.place == buffer.queue.place,
        CL_INVALID_DEVICE,
        "the queue is of another device than the command buffer's",
    )?;
    // "CL_INCOMPATIBLE_COMMAND_QUEUE_KHR if the properties of any command-queue in queues contains a
    // property not specified by CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR": queues have no
    // other ones, and need not be as in order as the one of the recording
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

impl Recording {
    /// The command buffer, if it takes the command.
    pub(super) fn check(&self) -> Result<Arc<CommandBuffer>> {
        let buffer = self.buffer.get::<CommandBuffer>()?;
        // "CL_INVALID_OPERATION if command_buffer has been finalized"
        ensure(
            buffer.stage() == Stage::Recording,
            CL_INVALID_OPERATION,
            "the command buffer is final",
        )?;
        // "CL_INVALID_COMMAND_QUEUE if command_queue is not NULL"
        ensure(
            self.queue.is_null(),
            CL_INVALID_COMMAND_QUEUE,
            "commands go to the queue of the command buffer",
        )?;
        // "CL_INVALID_VALUE if values specified in properties are not valid". Calls of versions before
        // 0.9.5 have none, and pass an object or a small number in their place.
        let list = self.properties.address();
        ensure(
            list == 0 || list >= LOWEST_ADDRESS && !Handle::of(list).is_live(),
            CL_INVALID_VALUE,
            "no property list: the call is one of cl_khr_command_buffer before version 0.9.5",
        )?;
        // "CL_INVALID_SYNC_POINT_WAIT_LIST_KHR if sync_point_wait_list is NULL and
        // num_sync_points_in_wait_list is > 0, or sync_point_wait_list is not NULL and
        // num_sync_points_in_wait_list is 0, or if synchronization-point objects … are not valid"
        let after = self.list.list(self.count as usize);
        let known = 1..=buffer.len();
        let are_known = after
            .iter()
            .all(|&number| known.contains(&(number as usize)));
        ensure(
            self.list.is_null() == (self.count == 0) && are_known,
            number::INVALID_SYNC_POINT_WAIT_LIST,
            format!("{} synchronization points, {after:?}", self.count),
        )?;
        Ok(buffer)
    }
}

/// Records the command that `make` makes for the queue.
pub(crate) fn record(
    to: Recording,
    make: impl FnOnce(&Arc<Queue>) -> Result<Command>,
) -> Result<()> {
    let buffer = to.check()?;
    // "CL_INVALID_VALUE if values specified in properties are not valid": there are none
    properties(to.properties, &[])?;
    // "CL_INVALID_VALUE if mutable_handle is not NULL"
    ensure(
        to.mutable.is_null(),
        CL_INVALID_VALUE,
        "only kernels can be changed",
    )?;
    let command = Some(make(&buffer.queue)?);
    let recorded = Recorded {
        command,
        dispatch: None,
    };
    to.point.set(buffer.record(recorded) as u32);
    Ok(())
}

/// A barrier. Commands run in order, so it has nothing to do.
pub(crate) fn barrier(_queue: &Arc<Queue>) -> Result<Command> {
    let place = Place::Barrier { after_all: true };
    Ok(Command::mark(CL_COMMAND_BARRIER, Vec::new(), place))
}

pub(crate) fn info(handle: Handle, name: u32) -> Result<Answer> {
    let buffer = handle.get::<CommandBuffer>()?;
    Ok(match name {
        QUEUES => info::handle(buffer.queue.base().handle()),
        NUM_QUEUES => info::value(1u32),
        REFERENCE_COUNT => info::value(handle.references()),
        // `CL_COMMAND_BUFFER_STATE_…_KHR`.
        STATE => info::value(match buffer.stage() {
            Stage::Recording => 0u32,
            Stage::Executable => 1,
            Stage::Finalized => 2,
        }),
        PROPERTIES_ARRAY => info::list(&buffer.properties),
        CONTEXT => info::handle(buffer.queue.context.base().handle()),
        _ => return Err(info::unknown("a command buffer", name)),
    })
}
