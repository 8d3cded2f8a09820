//! Memory of others: `cl_khr_external_memory` 0.9.4 with dma-bufs (`cl_khr_external_memory_dma_buf`).
//!
//! The way out is `CL_MEM_ALLOCATION_HANDLE_INTEL`, as in Intel's runtime: a dma-buf of a buffer.

use std::os::fd::OwnedFd;
use std::sync::Arc;

use opencl_sys::*;

use super::abi::{self, In};
use super::info::{self, Answer};
use super::transfer;
use crate::core::command::{Command, Place};
use crate::core::{Context, Device, Handle, Mem, Queue};
use crate::error::{Error, Result, ensure};

/// `CL_MEM_ALLOCATION_HANDLE_INTEL`: a dma-buf, which the memory object keeps.
const ALLOCATION_HANDLE: u32 = 0x10050;

/// Numbers of the extension, whose names in headers have changed.
const ASSUME_LINEAR_IMAGES: u32 = 0x2052;
const DEVICE_HANDLE_LIST: u64 = 0x2051;
const DEVICE_HANDLE_LIST_END: u64 = 0;

/// What can be imported.
const TYPES: [u32; 1] = [CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR];

/// What `clGetPlatformInfo` says; `None` if the name is not one of the extension.
pub(crate) fn platform_info(name: u32) -> Option<Answer> {
    (name == CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR).then(|| info::list(&TYPES))
}

/// What `clGetDeviceInfo` says; `None` if the name is not one of the extension.
pub(crate) fn device_info(name: u32) -> Option<Answer> {
    match name {
        CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR | ASSUME_LINEAR_IMAGES => {
            Some(info::list(&TYPES))
        }
        _ => None,
    }
}

/// What `clGetMemObjectInfo` says of a name that the core does not have.
pub(crate) fn mem_info(mem: &Mem, name: u32) -> Result<Answer> {
    match name {
        ALLOCATION_HANDLE => Ok(info::value(u64::from(mem.dma_buf()?.cast_unsigned()))),
        _ => Err(info::unknown("a memory object", name)),
    }
}

/// The properties of a memory object that is made.
#[derive(Default)]
pub(crate) struct Properties {
    /// What a query of them answers.
    pub list: Vec<u64>,
    /// The dma-buf that it is made of.
    pub dma_buf: Option<Arc<OwnedFd>>,
}

impl Properties {
    pub(crate) fn read(context: Handle, given: In<u64>) -> Result<Self> {
        let mut all = Self::default();
        if given.is_null() {
            return Ok(all);
        }
        let mut rest = (0..).map(|index| given.at(index));
        let mut next = || rest.next().unwrap_or(0);
        loop {
            let name = next();
            all.list.push(name);
            match name {
                0 => return Ok(all),
                _ if name == u64::from(CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR) => {
                    // "CL_INVALID_VALUE if properties includes more than one external memory handle"
                    let is_first = all.dma_buf.is_none();
                    ensure(is_first, CL_INVALID_VALUE, "there are two external handles")?;
                    let number = next();
                    all.list.push(number);
                    all.dma_buf = Some(Arc::new(abi::duplicate(number)?));
                }
                DEVICE_HANDLE_LIST => loop {
                    let device = next();
                    all.list.push(device);
                    if device == DEVICE_HANDLE_LIST_END {
                        break;
                    }
                    // "CL_INVALID_DEVICE if a device identified by the property … is not a valid
                    // device or is not associated with context"; all of the context's devices take
                    // dma-bufs
                    let device = Handle::of(device as usize).get::<Device>()?;
                    let context = context.get::<Context>()?;
                    super::queue::place(&context, &device)?;
                },
                // "CL_INVALID_PROPERTY if a property name in properties is not a supported property
                // name"
                _ => {
                    let why = format!("memory objects have no property {name:#x}");
                    return Err(Error::new(CL_INVALID_PROPERTY, why));
                }
            }
        }
    }
}

/// A command that has only its place: whoever shares the memory has to wait for it.
fn mark(
    kind: cl_command_type,
    queue: &Arc<Queue>,
    count: u32,
    objects: In<Handle>,
) -> Result<Command> {
    // "CL_INVALID_VALUE if num_mem_objects is zero and mem_objects is not a NULL value, or if
    // num_mem_objects is greater than zero and mem_objects is NULL"
    ensure(
        objects.is_null() == (count == 0),
        CL_INVALID_VALUE,
        "the memory objects and their number do not go together",
    )?;
    let objects = transfer::objects(queue, count, objects)?;
    // "CL_INVALID_MEM_OBJECT if any of the memory objects … was not created using an external memory
    // handle"
    let are_external = objects.iter().all(|mem| mem.is_external);
    let why = "a memory object is not of external memory";
    ensure(are_external, CL_INVALID_MEM_OBJECT, why)?;
    let kept = objects.into_iter().map(|mem| mem as _).collect();
    Ok(Command::mark(kind, kept, Place::Next))
}

pub(crate) fn acquire(queue: &Arc<Queue>, count: u32, objects: In<Handle>) -> Result<Command> {
    mark(
        CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR,
        queue,
        count,
        objects,
    )
}

pub(crate) fn release(queue: &Arc<Queue>, count: u32, objects: In<Handle>) -> Result<Command> {
    mark(
        CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR,
        queue,
        count,
        objects,
    )
}
