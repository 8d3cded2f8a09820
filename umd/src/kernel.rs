//! Kernels and their arguments.

use std::sync::Arc;

use devinfo::GpuAddress;

use crate::binary::{ArgKind, BinaryError, KernelAbi, KernelInfo, SegmentKind};
use crate::bound::Bound;
use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::{ArgumentError, Error, ErrorKind};
use crate::image::{Image, ImageKind};
use crate::launch::{self, SlmLayout, StatesLayout, Templates};
use crate::program::{Program, ProgramInner};
use crate::range::NdRange;
use crate::sampler::Sampler;

/// An argument.
#[derive(Clone, Copy, Debug)]
pub enum Arg<'a> {
    /// A buffer or a part of one.
    Buffer(&'a Buffer),
    /// The null pointer in a buffer's place.
    Null,
    /// A pointer in a buffer's place that lies in no buffer, and the buffer that ends there, if one does: code that goes
    /// back from the pointer reaches it.
    Address(u64, Option<&'a Buffer>),
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
    /// The local size that was asked for or chosen, in work-items.
    pub local: [u32; 3],
    /// The same for all threads of a dispatch.
    pub cross_thread: Vec<u8>,
    /// Local ids, one thread of the group after the other.
    pub per_thread: Vec<Vec<u8>>,
}

/// Whether a kernel keeps the memory of an argument.
#[derive(Clone, Copy, Debug)]
enum Keeps {
    Yes,
    No,
}

/// An entry point of a program, with arguments. A clone has arguments of its own.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Launches keep it as it was when they were enqueued.
    state: Arc<KernelState>,
}

/// A kernel with what its arguments have made of its states and payload.
#[derive(Clone, Debug)]
pub(crate) struct KernelState {
    pub program: Arc<ProgramInner>,
    pub entry: Arc<KernelAbi>,
    args: Vec<Option<Bound>>,
    /// Where the first instruction lies, from the base of all kernels.
    pub start: u32,
    /// Where the states lie.
    pub layout: StatesLayout,
    /// Surface and sampler states.
    pub states: Vec<u8>,
    /// The cross-thread payload; what only a launch knows is zero.
    pub payload: Vec<u8>,
    /// Shared local memory.
    pub slm: SlmLayout,
    /// What launches copy.
    pub templates: Templates,
}

impl Program {
    /// A kernel of it, without arguments.
    ///
    /// # Errors
    /// There is no kernel of this name, or it needs what this driver or the platform lacks.
    pub fn kernel(&self, name: &str) -> Result<Kernel, Error> {
        if let Some(why) = self.inner().binary.unsupported(name) {
            return Err(BinaryError::Unsupported {
                kernel: name.to_owned(),
                why: why.to_owned(),
            }
            .into());
        }
        Kernel::new(self.inner().clone(), name)
    }
}

impl Kernel {
    fn new(program: Arc<ProgramInner>, name: &str) -> Result<Self, Error> {
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
        let args = vec![None; entry.info.args.len()];
        let layout = StatesLayout::new(&entry);
        let slm = launch::slm(&entry, &args, program.device.checked_local());
        let mut payload = vec![0; entry.cross_thread_size as usize];
        let address = |kind| program.memory(kind).map_or(0, |bo| bo.address().get());
        let memory = (
            address(SegmentKind::Constants),
            address(SegmentKind::Globals),
        );
        launch::program_fields(&entry, memory, &mut payload)?;
        launch::slm_fields(&entry, &slm, &mut payload)?;
        let state = KernelState {
            start: launch::check_kernel(&program, &entry)?,
            states: launch::of_program(&program, &entry, &layout)?,
            program,
            entry,
            args,
            layout,
            payload,
            slm,
            templates: Templates::default(),
        };
        Ok(Self {
            state: Arc::new(state),
        })
    }

    /// What it takes and needs.
    pub fn info(&self) -> &KernelInfo {
        &self.state.entry.info
    }

    /// The most work-items of a group.
    pub fn max_local_size(&self) -> u32 {
        let device = &self.state.program.device;
        launch::max_local(&self.state.entry, device.platform(), device.subslice_eus())
    }

    /// The device of its program.
    pub fn device(&self) -> Device {
        Device::of(self.state.program.device.clone())
    }

    /// The work-items of a full sub-group in groups of this size: `CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE`.
    /// The last sub-group of a group can have fewer.
    pub fn sub_group_size(&self) -> u32 {
        self.state.entry.info.simd
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
        match self.state.entry.info.required_local_size {
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
        self.state.slm.asked
    }

    /// Sets argument `index`.
    ///
    /// # Errors
    /// There is no such argument, or it is of another kind or size; a buffer of another device; a
    /// buffer or image without the alignment that the kernel's block accesses need.
    pub fn set_arg(&mut self, index: usize, arg: Arg<'_>) -> Result<(), Error> {
        let bound = self.bind(index, arg)?;
        Arc::make_mut(&mut self.state).set(index, bound, Keeps::Yes)
    }

    /// The same, but the kernel does not keep the memory of a buffer or an image alive, nor do commands: the
    /// caller does, until they have ended. Once it is gone, no command is made with the argument.
    ///
    /// # Errors
    /// As [`set_arg`](Self::set_arg).
    pub fn lend_arg(&mut self, index: usize, arg: Arg<'_>) -> Result<(), Error> {
        let bound = self.bind(index, arg)?;
        Arc::make_mut(&mut self.state).set(index, bound, Keeps::No)
    }

    /// An argument that has been checked.
    fn bind(&self, index: usize, arg: Arg<'_>) -> Result<Bound, Error> {
        let info = self.state.entry.info.args.get(index);
        let info = info.ok_or_else(|| ArgumentError::NoSuchArgument {
            kernel: self.state.entry.info.name.clone(),
            index,
            count: self.state.entry.info.args.len(),
        })?;
        let mismatch = |kind: ErrorKind, why: String| ArgumentError::Mismatch {
            kernel: self.state.entry.info.name.clone(),
            index,
            name: self.state.entry.arg_name(index),
            kind,
            why,
        };
        let misaligned = |why| mismatch(ErrorKind::MisalignedSubBuffer, why);
        let registry = &self.state.program.device.registry;
        let bound = match (arg, info.kind) {
            (Arg::Buffer(buffer), ArgKind::Buffer | ArgKind::Unused) => {
                if !buffer.bo().is_of(registry) {
                    return Err(ArgumentError::OtherDevice { what: "the buffer" }.into());
                }
                let alignment = u64::from(info.alignment);
                if buffer.address().get() % alignment != 0 {
                    return Err(misaligned(format!(
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
            (Arg::Address(address, ends), ArgKind::Buffer | ArgKind::Unused) => {
                if ends.is_some_and(|buffer| !buffer.bo().is_of(registry)) {
                    return Err(ArgumentError::OtherDevice { what: "the buffer" }.into());
                }
                // Without an offset, code goes forward alone.
                let takes_offset = self.state.entry.takes_offset(index);
                let ends = ends.filter(|_| takes_offset);
                ends.and_then(|buffer| buffer.behind(address))
                    .map_or(Bound::Address(address), Bound::Buffer)
            }
            (Arg::Value(bytes), ArgKind::Value { size, .. })
                if bytes.len() as u64 == u64::from(size) =>
            {
                Bound::Value(bytes.into())
            }
            (Arg::Value(bytes), ArgKind::Value { size, .. }) => {
                let given = bytes.len();
                return Err(mismatch(
                    ErrorKind::InvalidArgSize,
                    format!("it takes {size} bytes, {given} are given"),
                )
                .into());
            }
            (Arg::Value(bytes), ArgKind::Unused) => Bound::Value(bytes.into()),
            (Arg::Local(0), ArgKind::Local) => {
                let why = "a size of zero is given".to_owned();
                return Err(mismatch(ErrorKind::InvalidArgSize, why).into());
            }
            (Arg::Local(size), ArgKind::Local | ArgKind::Unused) => Bound::Local(size),
            (Arg::Image(image), ArgKind::Image(kind)) => {
                if !image.bo().is_of(registry) {
                    return Err(ArgumentError::OtherDevice { what: "the image" }.into());
                }
                if image.desc().kind != kind {
                    let given = image.desc().kind;
                    let why = format!("it takes a {kind} image, a {given} one is given");
                    return Err(mismatch(ErrorKind::InvalidArgValue, why).into());
                }
                let source = crate::binary::SurfaceSource::Argument(index);
                let is_block = |slot: &&crate::binary::SurfaceSlot| {
                    kind == ImageKind::D2 && slot.media_block && slot.source == source
                };
                for slot in self.state.entry.surfaces.iter().filter(is_block) {
                    let checked = image.check_media_block(slot.other);
                    checked.map_err(&misaligned)?;
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
                    Arg::Address(..) => "a pointer",
                    Arg::Value(_) => "a value",
                    Arg::Local(_) => "a size of local memory",
                    Arg::Image(_) => "an image",
                    Arg::Sampler(_) => "a sampler",
                };
                let why = format!("it takes {takes}, {given} is given");
                return Err(mismatch(ErrorKind::InvalidArgValue, why).into());
            }
        };
        Ok(bound)
    }

    /// The bytes that the threads of the first group would be started with. Addresses of memory
    /// that only a launch allocates (`printf`, private memory) are zero.
    ///
    /// # Errors
    /// As [`Queue::enqueue`](crate::Queue::enqueue).
    pub fn payload(&self, range: &NdRange) -> Result<Payload, Error> {
        launch::payload(self, range)
    }

    pub(crate) fn state(&self) -> &Arc<KernelState> {
        &self.state
    }

    /// A surface begins at a multiple of four bytes; code that adds a buffer offset takes any.
    fn check_surface_alignment(&self, index: usize, buffer: &Buffer) -> Result<(), ArgumentError> {
        use crate::binary::SurfaceSource;
        let has_surface = self
            .state
            .entry
            .surfaces
            .iter()
            .any(|slot| slot.used && slot.source == SurfaceSource::Argument(index));
        let takes_offset = self.state.entry.takes_offset(index);
        let before = buffer.address().get() % launch::SURFACE_ALIGNMENT;
        if !has_surface || takes_offset || before == 0 {
            return Ok(());
        }
        Err(ArgumentError::Mismatch {
            kernel: self.state.entry.info.name.clone(),
            index,
            name: self.state.entry.arg_name(index),
            kind: ErrorKind::MisalignedSurface,
            why: format!(
                "the buffer begins at {}, the kernel's surface needs a multiple of {} bytes",
                buffer.address(),
                launch::SURFACE_ALIGNMENT
            ),
        })
    }
}

impl KernelState {
    /// Whether an argument is memory of this process that the driver does not keep.
    pub(crate) fn uses_host_memory(&self) -> bool {
        self.args.iter().flatten().any(Bound::is_borrowed)
    }

    /// Where what the kernel may reach of the buffers among its arguments begins, and its bytes.
    pub(crate) fn buffers(&self) -> impl Iterator<Item = (GpuAddress, u64)> {
        self.args.iter().flatten().filter_map(Bound::buffer)
    }

    /// Sets an argument that was checked, and makes its states and its part of the payload.
    fn set(&mut self, index: usize, bound: Bound, keeps: Keeps) -> Result<(), Error> {
        let (device, entry) = (&self.program.device, &self.entry);
        let states = &mut self.states;
        launch::of_argument(device, entry, &self.layout, (index, &bound), states)?;
        launch::argument_fields(entry, index, &bound, &mut self.payload)?;
        let is_local = matches!(bound, Bound::Local(_));
        if let Some(place) = self.args.get_mut(index) {
            *place = Some(match keeps {
                Keeps::Yes => bound,
                Keeps::No => bound.lent(),
            });
        }
        if is_local {
            self.slm = launch::slm(entry, &self.args, device.checked_local());
            launch::slm_fields(entry, &self.slm, &mut self.payload)?;
        }
        Ok(())
    }

    /// An error unless all arguments are set that the code uses.
    pub(crate) fn check_args(&self) -> Result<(), ArgumentError> {
        let mut args = self.args.iter().zip(&self.entry.info.args);
        let is_missing = |arg: &Option<Bound>| arg.as_ref().is_none_or(Bound::is_gone);
        let Some(index) =
            args.position(|(arg, info)| is_missing(arg) && info.kind != ArgKind::Unused)
        else {
            return Ok(());
        };
        let (kernel, name) = (self.entry.info.name.clone(), self.entry.arg_name(index));
        Err(match self.args.get(index) {
            Some(Some(_)) => ArgumentError::Gone {
                kernel,
                index,
                name,
            },
            _ => ArgumentError::NotSet {
                kernel,
                index,
                name,
            },
        })
    }
}
