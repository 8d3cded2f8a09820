//! Kernels and their arguments.

use std::sync::Arc;

use crate::binary::KernelInfo;
use crate::buffer::Buffer;
use crate::error::{ArgumentError, Error};
use crate::image::Image;
use crate::program::Program;
use crate::range::NdRange;
use crate::sampler::Sampler;

/// An argument.
#[derive(Clone, Copy, Debug)]
pub enum Arg<'a> {
    /// A buffer or a part of one.
    Buffer(&'a Buffer),
    /// The null pointer in a buffer's place.
    Null,
    /// The bytes of a value, little endian. As many as the kernel takes.
    Value(&'a [u8]),
    /// Bytes of shared local memory.
    Local(u32),
    /// An image.
    Image(&'a Image),
    /// A sampler.
    Sampler(Sampler),
}

/// The bytes that a kernel's threads are started with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payload {
    /// The same for all threads of a dispatch.
    pub cross_thread: Vec<u8>,
    /// Local ids, one thread of the group after the other.
    pub per_thread: Vec<Vec<u8>>,
}

/// An entry point of a program, with arguments. A clone has arguments of its own.
#[derive(Clone, Debug)]
pub struct Kernel {
    info: Arc<KernelInfo>,
}

impl Kernel {
    pub(crate) fn new(program: &Program, name: &str) -> Result<Self, Error> {
        let info = program.binary().kernel(name);
        let info = info.ok_or_else(|| ArgumentError::NoSuchKernel {
            name: name.to_owned(),
            have: program
                .kernels()
                .iter()
                .map(|kernel| kernel.name.as_str())
                .collect::<Vec<_>>()
                .join(", "),
        })?;
        Ok(Self {
            info: Arc::new(info.clone()),
        })
    }

    /// What it takes and needs.
    pub fn info(&self) -> &KernelInfo {
        &self.info
    }

    /// Sets argument `index`.
    ///
    /// # Errors
    /// There is no such argument, or it is of another kind or size; a buffer of another device; a
    /// buffer or image without the alignment that the kernel's block accesses need.
    pub fn set_arg(&mut self, index: usize, arg: Arg<'_>) -> Result<(), Error> {
        let _ = (index, arg);
        Err(crate::device::unfinished("an argument"))
    }

    /// The bytes that the threads of the first group would be started with.
    ///
    /// # Errors
    /// As [`Queue::enqueue`](crate::Queue::enqueue).
    pub fn payload(&self, range: &NdRange) -> Result<Payload, Error> {
        let _ = range;
        Err(crate::device::unfinished("a payload"))
    }
}
