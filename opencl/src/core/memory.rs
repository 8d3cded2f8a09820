//! Memory objects: buffers.
//!
//! A memory object has a buffer of the driver for each device of its context. With one device that
//! is the device's own memory; with several it is pages of the host that all of them see, so that
//! nothing moves between them.

use std::sync::{Arc, Mutex};

use opencl_sys::*;

use super::context::Context;
use super::handle::{Base, Object};
use super::lock;
use crate::api::abi::Memory;
use crate::api::callback::ObjectCallback;
use crate::error::Result;

/// A memory object.
#[derive(Debug)]
pub(crate) struct Mem {
    base: Base,
    pub context: Arc<Context>,
    pub kind: cl_mem_object_type,
    pub flags: cl_mem_flags,
    pub size: usize,
    /// With `CL_MEM_USE_HOST_PTR`, the program's memory that it is made of; else null.
    pub host: Memory,
    /// As they were passed, with the zero at the end; empty if there were none.
    pub properties: Vec<u64>,
    /// One for each device of the context.
    pub buffers: Vec<umd::Buffer>,
    destructors: Mutex<Vec<ObjectCallback>>,
}

impl Object for Mem {
    const INVALID: cl_int = CL_INVALID_MEM_OBJECT;
    const NAME: &'static str = "memory object";
    fn base(&self) -> &Base {
        &self.base
    }
}

impl Mem {
    /// A buffer of `size` bytes: of `host`, if the flags say so.
    pub(crate) fn buffer(
        context: Arc<Context>,
        flags: cl_mem_flags,
        size: usize,
        host: Memory,
        properties: Vec<u64>,
    ) -> Result<Self> {
        let uses_host = flags & CL_MEM_USE_HOST_PTR != 0;
        let shared = match &*context.devices {
            _ if uses_host => Some(host.host_memory(size)?),
            [_] => None,
            _ => Some(umd::HostMemory::new(size)?),
        };
        let buffers = context.devices.iter().map(|device| match &shared {
            Some(memory) => device.umd.from_user_memory(memory, 0..size),
            None => device.umd.buffer(size as u64),
        });
        let buffers = buffers.collect::<Result<Vec<_>, _>>()?;
        if flags & CL_MEM_COPY_HOST_PTR != 0
            && let Some(first) = buffers.first()
        {
            host.with(size, |bytes| first.write(0, bytes))?;
        }
        Ok(Self {
            base: Base::new(),
            context,
            kind: CL_MEM_OBJECT_BUFFER,
            flags,
            size,
            host: if uses_host { host } else { Memory::NULL },
            properties,
            buffers,
            destructors: Mutex::default(),
        })
    }

    /// Calls back once the object goes.
    pub(crate) fn add_destructor(&self, callback: ObjectCallback) {
        lock(&self.destructors).push(callback);
    }
}

impl Drop for Mem {
    fn drop(&mut self) {
        // "in the reverse order in which they were registered"
        for callback in lock(&self.destructors).drain(..).rev() {
            callback.call(self.base.handle());
        }
    }
}
