//! Kernels and their arguments.

use std::sync::Arc;

use crate::binary::{ArgKind, KernelEntry, KernelInfo};
use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::{ArgumentError, Error};
use crate::image::{Image, ImageKind};
use crate::launch;
use crate::program::ProgramInner;
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

/// An argument that a kernel holds.
#[derive(Clone, Debug)]
pub(crate) enum Bound {
    Buffer(Buffer),
    Null,
    Value(Box<[u8]>),
    Local(u32),
    Image(Image),
    Sampler(Sampler),
}

/// The bytes that a kernel's threads are started with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payload {
    /// The local size that was asked for or chosen, in work-items.
    pub local: [u32; 3],
    /// The same for all threads of a dispatch.
    pub cross_thread: Vec<u8>,
    /// Local ids, one thread of the group after the other.
    pub per_thread: Vec<Vec<u8>>,
}

/// An entry point of a program, with arguments. A clone has arguments of its own.
#[derive(Clone, Debug)]
pub struct Kernel {
    program: Arc<ProgramInner>,
    entry: Arc<KernelEntry>,
    args: Vec<Option<Bound>>,
}

impl Kernel {
    pub(crate) fn new(program: Arc<ProgramInner>, name: &str) -> Result<Self, Error> {
        let entry = program.binary.entry(name).cloned();
        let entry = entry.ok_or_else(|| ArgumentError::NoSuchKernel {
            name: name.to_owned(),
            have: program
                .binary
                .kernels()
                .iter()
                .map(|kernel| kernel.name.as_str())
                .collect::<Vec<_>>()
                .join(", "),
        })?;
        Ok(Self {
            args: vec![None; entry.info.args.len()],
            program,
            entry: Arc::new(entry),
        })
    }

    /// What it takes and needs.
    pub fn info(&self) -> &KernelInfo {
        &self.entry.info
    }

    /// The most work-items of a group.
    pub fn max_local_size(&self) -> u32 {
        let device = &self.program.device;
        launch::max_local(&self.entry, device.platform(), device.subslice_eus())
    }

    /// The device of its program.
    pub fn device(&self) -> Device {
        Device::of(self.program.device.clone())
    }

    /// The work-items of a full sub-group in groups of this size: `CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE`.
    /// The last sub-group of a group can have fewer.
    pub fn sub_group_size(&self) -> u32 {
        self.entry.info.simd
    }

    /// The sub-groups of a group of this size: `CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE`.
    pub fn sub_groups(&self, local: [u32; 3]) -> u64 {
        launch::sub_groups(local, self.sub_group_size())
    }

    /// A size that gives groups `count` sub-groups: `CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT`.
    /// `None` if there is none.
    pub fn local_size_for_sub_groups(&self, count: u32) -> Option<[u32; 3]> {
        if count == 0 || count > self.max_sub_groups() {
            return None;
        }
        match self.entry.info.required_local_size {
            Some(local) => (self.sub_groups(local) == u64::from(count)).then_some(local),
            None => Some([count * self.sub_group_size(), 1, 1]),
        }
    }

    /// The most sub-groups of a group: `CL_KERNEL_MAX_NUM_SUB_GROUPS`.
    pub fn max_sub_groups(&self) -> u32 {
        self.max_local_size() / self.sub_group_size().max(1)
    }

    /// Shared local memory of a group with the arguments that are set now, in bytes:
    /// `CL_KERNEL_LOCAL_MEM_SIZE`.
    pub fn local_memory(&self) -> u32 {
        launch::slm(&self.entry, &self.args).total
    }

    /// Sets argument `index`.
    ///
    /// # Errors
    /// There is no such argument, or it is of another kind or size; a buffer of another device; a
    /// buffer or image without the alignment that the kernel's block accesses need.
    pub fn set_arg(&mut self, index: usize, arg: Arg<'_>) -> Result<(), Error> {
        let info = self.entry.info.args.get(index);
        let info = info.ok_or_else(|| ArgumentError::NoSuchArgument {
            kernel: self.entry.info.name.clone(),
            index,
            count: self.entry.info.args.len(),
        })?;
        let mismatch = |why: String| ArgumentError::Mismatch {
            kernel: self.entry.info.name.clone(),
            index,
            name: self.entry.arg_name(index),
            why,
        };
        let registry = &self.program.device.registry;
        let bound = match (arg, info.kind) {
            (Arg::Buffer(buffer), ArgKind::Buffer | ArgKind::Unused) => {
                if !buffer.bo().is_of(registry) {
                    return Err(ArgumentError::OtherDevice { what: "the buffer" }.into());
                }
                let alignment = u64::from(info.alignment);
                if buffer.address().get() % alignment != 0 {
                    return Err(mismatch(format!(
                        "the kernel's block accesses need a multiple of {alignment} bytes, the \
                         buffer begins at {}",
                        buffer.address()
                    ))
                    .into());
                }
                self.check_surface_alignment(index, buffer)?;
                Bound::Buffer(buffer.clone())
            }
            (Arg::Null, ArgKind::Buffer | ArgKind::Unused) => Bound::Null,
            (Arg::Value(bytes), ArgKind::Value { size, .. })
                if bytes.len() as u64 == u64::from(size) =>
            {
                Bound::Value(bytes.into())
            }
            (Arg::Value(bytes), ArgKind::Value { size, .. }) => {
                let given = bytes.len();
                return Err(mismatch(format!("it takes {size} bytes, {given} are given")).into());
            }
            (Arg::Value(bytes), ArgKind::Unused) => Bound::Value(bytes.into()),
            (Arg::Local(0), ArgKind::Local) => {
                return Err(mismatch("a size of zero is given".to_owned()).into());
            }
            (Arg::Local(size), ArgKind::Local | ArgKind::Unused) => Bound::Local(size),
            (Arg::Image(image), ArgKind::Image(kind)) => {
                if !image.bo().is_of(registry) {
                    return Err(ArgumentError::OtherDevice { what: "the image" }.into());
                }
                if image.desc().kind != kind {
                    let given = image.desc().kind;
                    return Err(mismatch(format!(
                        "it takes a {kind} image, a {given} one is given"
                    ))
                    .into());
                }
                if kind == ImageKind::D2 && self.is_media_block(index) {
                    image.check_media_block().map_err(&mismatch)?;
                }
                Bound::Image(image.clone())
            }
            (Arg::Image(image), ArgKind::Unused) => Bound::Image(image.clone()),
            (Arg::Sampler(sampler), ArgKind::Sampler | ArgKind::Unused) => Bound::Sampler(sampler),
            (arg, kind) => {
                let takes = match kind {
                    ArgKind::Local => kind.to_string(),
                    _ => format!("a {kind}"),
                };
                let given = match arg {
                    Arg::Buffer(_) => "a buffer",
                    Arg::Null => "a null pointer",
                    Arg::Value(_) => "a value",
                    Arg::Local(_) => "a size of local memory",
                    Arg::Image(_) => "an image",
                    Arg::Sampler(_) => "a sampler",
                };
                return Err(mismatch(format!("it takes {takes}, {given} is given")).into());
            }
        };
        if let Some(place) = self.args.get_mut(index) {
            *place = Some(bound);
        }
        Ok(())
    }

    /// The bytes that the threads of the first group would be started with. Addresses of memory
    /// that only a launch allocates (`printf`, private memory) are zero.
    ///
    /// # Errors
    /// As [`Queue::enqueue`](crate::Queue::enqueue).
    pub fn payload(&self, range: &NdRange) -> Result<Payload, Error> {
        launch::payload(self, range)
    }

    pub(crate) fn program(&self) -> &Arc<ProgramInner> {
        &self.program
    }

    pub(crate) fn entry(&self) -> &Arc<KernelEntry> {
        &self.entry
    }

    /// The arguments, all set.
    pub(crate) fn args(&self) -> Result<&[Option<Bound>], ArgumentError> {
        let unused = |index: usize| {
            let info = self.entry.info.args.get(index);
            info.is_some_and(|arg| arg.kind == ArgKind::Unused)
        };
        let missing = self
            .args
            .iter()
            .enumerate()
            .find(|(index, arg)| arg.is_none() && !unused(*index));
        match missing {
            None => Ok(&self.args),
            Some((index, _)) => Err(ArgumentError::NotSet {
                kernel: self.entry.info.name.clone(),
                index,
                name: self.entry.arg_name(index),
            }),
        }
    }

    fn is_media_block(&self, index: usize) -> bool {
        let mut slots = self.entry.surfaces.iter();
        slots.any(|slot| {
            slot.media_block && slot.source == crate::binary::SurfaceSource::Argument(index)
        })
    }

    /// A surface begins at a multiple of four bytes; code that adds a buffer offset takes any.
    fn check_surface_alignment(&self, index: usize, buffer: &Buffer) -> Result<(), ArgumentError> {
        use crate::binary::{PayloadValue, SurfaceSource};
        let has_surface = self
            .entry
            .surfaces
            .iter()
            .any(|slot| slot.used && slot.source == SurfaceSource::Argument(index));
        let takes_offset = self
            .entry
            .payload
            .iter()
            .any(|field| field.value == PayloadValue::BufferOffset { arg: index });
        let before = buffer.address().get() % launch::SURFACE_ALIGNMENT;
        if !has_surface || takes_offset || before == 0 {
            return Ok(());
        }
        Err(ArgumentError::Mismatch {
            kernel: self.entry.info.name.clone(),
            index,
            name: self.entry.arg_name(index),
            why: format!(
                "the buffer begins at {}, the kernel's surface needs a multiple of {} bytes",
                buffer.address(),
                launch::SURFACE_ALIGNMENT
            ),
        })
    }
}
