//! Pipes (specification, section 5.4): no device has them. Intel's compiler takes them, but what it makes
//! of a read from an empty pipe leaves the pipe locked: no later write succeeds.

use opencl_sys::*;

use super::abi::In;
use super::info::Answer;
use crate::core::{Context, Handle, Mem};
use crate::error::{Error, Result};

pub(crate) fn create(
    context: Handle,
    _flags: u64,
    _packet_size: u32,
    _packets: u32,
    _properties: In<isize>,
) -> Result<Handle> {
    context.get::<Context>()?;
    // "CL_INVALID_OPERATION if no devices in context support pipes"
    let why = "no device of the context supports pipes";
    Err(Error::new(CL_INVALID_OPERATION, why))
}

pub(crate) fn info(pipe: Handle, _name: u32) -> Result<Answer> {
    pipe.get::<Mem>()?;
    // "CL_INVALID_MEM_OBJECT if pipe is a not a valid pipe object"
    Err(Error::new(CL_INVALID_MEM_OBJECT, "this is no pipe"))
}
