//! Command queues (specification, section 5.1).

use std::sync::Arc;

use opencl_sys::*;

use super::abi::{In, Out};
use super::info::{self, Answer};
use crate::core::{Context, Device, Handle, Object, Queue, publish};
use crate::error::{Error, Result, ensure};

/// What a queue of the host can have.
const KNOWN: u64 = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
const PRIORITY: u32 = CL_QUEUE_PRIORITY_KHR as u32;
const THROTTLE: u32 = CL_QUEUE_THROTTLE_KHR as u32;
/// And one of a device.
const DEVICE: u64 = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;

pub(crate) fn create(context: Handle, device: Handle, properties: In<u64>) -> Result<Handle> {
    let pairs = properties.pairs();
    let (mut flags, mut has_size) = (0, false);
    for &(name, value) in &pairs {
        match u32::try_from(name) {
            Ok(CL_QUEUE_PROPERTIES) => flags = value,
            // Hints of cl_khr_priority_hints and cl_khr_throttle_hints: high, medium or low.
            Ok(PRIORITY | THROTTLE) => ensure(
                (1..=4).contains(&value) && value.is_power_of_two(),
                CL_INVALID_VALUE,
                format!("{value} is no hint of priority or throttling"),
            )?,
            Ok(CL_QUEUE_SIZE) => has_size = true,
            // "CL_INVALID_VALUE if values specified in properties are not valid"
            _ => {
                let why = format!("there is no queue property {name:#x}");
                return Err(Error::new(CL_INVALID_VALUE, why));
            }
        }
    }
    // "This can only be specified if CL_QUEUE_ON_DEVICE is set in CL_QUEUE_PROPERTIES"
    ensure(
        !has_size || flags & CL_QUEUE_ON_DEVICE != 0,
        CL_INVALID_VALUE,
        "only queues of devices have a size",
    )?;
    let mut list: Vec<_> = pairs
        .iter()
        .flat_map(|&(name, value)| [name, value])
        .collect();
    if !properties.is_null() {
        list.push(0);
    }
    make(context, device, flags, list)
}

pub(crate) fn create_plain(context: Handle, device: Handle, flags: u64) -> Result<Handle> {
    make(context, device, flags, Vec::new())
}

fn make(context: Handle, device: Handle, flags: u64, list: Vec<u64>) -> Result<Handle> {
    let context = context.get::<Context>()?;
    let device = device.get::<Device>()?;
    // "CL_INVALID_DEVICE if device is not a valid device or is not associated with context"
    let place = place(&context, &device)?;
    // "CL_INVALID_VALUE if values specified in properties are not valid": of the default queue of a
    // device, "this can only be used with CL_QUEUE_ON_DEVICE", with which "…
    // CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE must also be set"
    let on_device = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    ensure(
        flags & !(KNOWN | DEVICE) == 0 && (flags & DEVICE == 0 || flags & on_device == on_device),
        CL_INVALID_VALUE,
        format!("the queue flags {flags:#x} are unknown or want others"),
    )?;
    // "CL_INVALID_QUEUE_PROPERTIES if values specified in properties are valid but are not
    // supported by the device"
    ensure(
        flags & DEVICE == 0,
        CL_INVALID_QUEUE_PROPERTIES,
        "there are no queues of devices",
    )?;
    let queue = Queue::new(context.clone(), device, place, flags, list)?;
    let queue = Arc::new(queue);
    let known = Arc::downgrade(&queue);
    context.add_queue(known);
    Ok(publish(queue))
}

/// A device's place in a context.
pub(crate) fn place(context: &Context, device: &Arc<Device>) -> Result<usize> {
    let place = context.place(device);
    place.ok_or_else(|| Error::new(CL_INVALID_DEVICE, "the device is not one of the context"))
}

pub(crate) fn retain(queue: Handle) -> Result<()> {
    queue.retain::<Queue>()
}

pub(crate) fn release(queue: Handle) -> Result<()> {
    queue.release::<Queue>()
}

pub(crate) fn info(handle: Handle, name: u32) -> Result<Answer> {
    let queue = handle.get::<Queue>()?;
    Ok(match name {
        CL_QUEUE_CONTEXT => info::handle(queue.context.base().handle()),
        CL_QUEUE_DEVICE => info::handle(queue.device.base().handle()),
        CL_QUEUE_REFERENCE_COUNT => info::value(handle.references()),
        CL_QUEUE_PROPERTIES => info::value(queue.properties),
        CL_QUEUE_PROPERTIES_ARRAY => info::list(&queue.property_list),
        // "CL_INVALID_COMMAND_QUEUE … if command_queue is not a valid command-queue for param_name"
        CL_QUEUE_SIZE => {
            let why = "only queues of devices have a size";
            return Err(Error::new(CL_INVALID_COMMAND_QUEUE, why));
        }
        // "If there is no default device command-queue … NULL"
        CL_QUEUE_DEVICE_DEFAULT => info::handle(Handle::NULL),
        _ => return Err(info::unknown("a queue", name)),
    })
}

pub(crate) fn set_property(queue: Handle, _flags: u64, _enable: u32, _old: Out<u64>) -> Result<()> {
    queue.get::<Queue>()?;
    // "If the device … is not an OpenCL 1.0 device, then clSetCommandQueueProperty is deprecated …
    // return CL_INVALID_OPERATION"
    let why = "the properties of a queue are set when it is made";
    Err(Error::new(CL_INVALID_OPERATION, why))
}

pub(crate) fn set_default(context: Handle, device: Handle, _queue: Handle) -> Result<()> {
    let context = context.get::<Context>()?;
    let device = device.get::<Device>()?;
    place(&context, &device)?;
    // "CL_INVALID_OPERATION if device does not support a replaceable default on-device queue"
    let why = "the device has no queues of its own";
    Err(Error::new(CL_INVALID_OPERATION, why))
}

pub(crate) fn flush(queue: Handle) -> Result<()> {
    queue.get::<Queue>()?.umd.flush();
    Ok(())
}

pub(crate) fn finish(queue: Handle) -> Result<()> {
    queue.get::<Queue>()?.finish()
}
