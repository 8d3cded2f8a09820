//! Pipes (specification, section 5.4), of devices whose compiler is Intel's: the code that it makes of
//! their functions says how they lie in memory.

use std::sync::Arc;

use opencl_sys::*;

use super::abi::In;
use super::info::{self, Answer};
use crate::core::memory::Making;
use crate::core::pipe::Pipe;
use crate::core::{Context, Handle, Mem, Memory, publish};
use crate::error::{Error, Result, ensure};

/// `CL_DEVICE_PIPE_MAX_PACKET_SIZE` and its like, of devices that have pipes: what the specification asks
/// for at least.
pub(crate) const MAX_PACKET_SIZE: u32 = 1024;
pub(crate) const MAX_ARGS: u32 = 16;
pub(crate) const MAX_RESERVATIONS: u32 = 1;

pub(crate) fn create(
    context: Handle,
    given: u64,
    packet_size: u32,
    max_packets: u32,
    properties: In<isize>,
) -> Result<Handle> {
    let context = context.get::<Context>()?;
    // "CL_INVALID_OPERATION if no devices in context support pipes"
    ensure(
        context.devices.iter().any(|device| device.has_pipes()),
        CL_INVALID_OPERATION,
        "no device of the context supports pipes: they need Intel's compiler",
    )?;
    // "CL_INVALID_VALUE if values specified in flags are not as defined above": "Only
    // CL_MEM_READ_WRITE and CL_MEM_HOST_NO_ACCESS can be specified … If the value specified for flags
    // is 0, the default is used"
    const FLAGS: u64 = CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS;
    ensure(
        given & !FLAGS == 0,
        CL_INVALID_VALUE,
        format!("the flags of a pipe are {given:#x}"),
    )?;
    // "CL_INVALID_VALUE if properties is not NULL"
    ensure(
        properties.is_null(),
        CL_INVALID_VALUE,
        "pipes have no properties",
    )?;
    let pipe = Pipe::new(packet_size, max_packets);
    let size = pipe.bytes().filter(|&bytes| {
        let mut devices = context.devices.iter();
        devices.any(|device| bytes as u64 <= device.max_allocation())
    });
    // "CL_INVALID_PIPE_SIZE if pipe_packet_size is 0 or the pipe_packet_size exceeds
    // CL_DEVICE_PIPE_MAX_PACKET_SIZE value … for all devices in context or if pipe_max_packets is 0"
    let size = size.filter(|_| (1..=MAX_PACKET_SIZE).contains(&packet_size) && max_packets > 0);
    let size = size.ok_or_else(|| {
        let why = format!(
            "{max_packets} packets of {packet_size} bytes; packets have 1 to {MAX_PACKET_SIZE}"
        );
        Error::new(CL_INVALID_PIPE_SIZE, why)
    })?;
    let making = Making {
        context,
        flags: if given == 0 {
            FLAGS
        } else {
            given | CL_MEM_READ_WRITE
        },
        host: Memory::NULL,
        properties: Vec::new(),
        dma_buf: None,
    };
    let made = Mem::pipe(making, pipe, size);
    // "CL_MEM_OBJECT_ALLOCATION_FAILURE if there is a failure to allocate memory for the pipe object"
    let made = made.map_err(|error| error.with_code(CL_MEM_OBJECT_ALLOCATION_FAILURE))?;
    Ok(publish(Arc::new(made)))
}

pub(crate) fn info(pipe: Handle, name: u32) -> Result<Answer> {
    let mem = pipe.get::<Mem>()?;
    // "CL_INVALID_MEM_OBJECT if pipe is a not a valid pipe object"
    let why = "this is no pipe";
    let pipe = mem.pipe.as_ref();
    let pipe = pipe.ok_or_else(|| Error::new(CL_INVALID_MEM_OBJECT, why))?;
    Ok(match name {
        CL_PIPE_PACKET_SIZE => info::value(pipe.packet_size),
        CL_PIPE_MAX_PACKETS => info::value(pipe.max_packets),
        // "If the properties argument specified in clCreatePipe … is NULL, the implementation must
        // return param_value_size_ret equal to 0"
        CL_PIPE_PROPERTIES => Answer::new(),
        _ => return Err(info::unknown("a pipe", name)),
    })
}
