//! Kernels and their arguments.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use opencl_sys::*;
use umd::{ArgKind, ErrorKind, KernelInfo};

use super::allocations::Allocation;
use super::event::Kept;
use super::executable::{Executable, NotMade};
use super::handle::{Base, Object};
use super::lock;
use super::memory::Mem;
use super::program::{Build, Program};
use super::sampler::Sampler;
use crate::error::{Error, Result, ensure};

/// A kernel.
#[derive(Debug)]
pub(crate) struct Kernel {
    base: Base,
    pub program: Arc<Program>,
    /// What it takes, which is the same for all devices.
    pub info: KernelInfo,
    state: Mutex<State>,
}

/// The kernel of each device, with the arguments that are set.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// One for each device of the context; `None` where the program is not built.
    on: Vec<Option<OnDevice>>,
    /// The arguments that are set, by index.
    args: Vec<Option<Held>>,
    /// What the kernel reaches by pointers in memory, as the program says by each of the properties.
    reached: BTreeMap<cl_kernel_exec_info, Vec<Arc<Allocation>>>,
}

/// A kernel on a device.
#[derive(Clone, Debug)]
struct OnDevice {
    /// What it is of.
    of: Arc<Executable>,
    /// What queries tell of.
    told: umd::Kernel,
    /// The same kernel with the same arguments, for pointers that `told` does not take: its surfaces begin at
    /// multiples of four bytes. It is made when such a pointer is set.
    anywhere: Option<umd::Kernel>,
    /// The arguments that are such pointers.
    unaligned: BTreeSet<usize>,
}

impl OnDevice {
    /// What a launch runs.
    fn launched(&self) -> &umd::Kernel {
        match &self.anywhere {
            Some(anywhere) if !self.unaligned.is_empty() => anywhere,
            _ => &self.told,
        }
    }
}

/// An argument that is set. "Implementations shall not allow cl_kernel objects to hold
/// reference counts to cl_kernel arguments": commands do.
#[derive(Clone, Debug)]
enum Held {
    Mem(Weak<Mem>),
    Sampler(Weak<Sampler>, umd::Sampler),
    Pointer(Arc<Allocation>, usize),
    Address(usize, Option<Arc<Allocation>>),
    Null,
    Value(Vec<u8>),
    Local(u32),
}

impl Held {
    fn of(arg: &Arg) -> Self {
        match arg {
            Arg::Mem(mem) => Self::Mem(Arc::downgrade(mem)),
            Arg::Sampler(sampler, state) => Self::Sampler(sampler.clone(), *state),
            Arg::Pointer(allocation, address) => Self::Pointer(allocation.clone(), *address),
            Arg::Address(address, ends) => Self::Address(*address, ends.clone()),
            Arg::Null => Self::Null,
            Arg::Value(bytes) => Self::Value(bytes.clone()),
            Arg::Local(size) => Self::Local(*size),
        }
    }

    /// The argument, unless the program has released it.
    fn arg(&self) -> Option<Arg> {
        Some(match self {
            Self::Mem(mem) => Arg::Mem(mem.upgrade()?),
            Self::Sampler(sampler, state) => Arg::Sampler(sampler.clone(), *state),
            Self::Pointer(allocation, address) => Arg::Pointer(allocation.clone(), *address),
            Self::Address(address, ends) => Arg::Address(*address, ends.clone()),
            Self::Null => Arg::Null,
            Self::Value(bytes) => Arg::Value(bytes.clone()),
            Self::Local(size) => Arg::Local(*size),
        })
    }
}

/// An argument.
#[derive(Clone, Debug)]
pub(crate) enum Arg {
    Mem(Arc<Mem>),
    /// A sampler and its state, which is good without it.
    Sampler(Weak<Sampler>, umd::Sampler),
    /// An address in an allocation.
    Pointer(Arc<Allocation>, usize),
    /// An address in none, and the allocation that ends there.
    Address(usize, Option<Arc<Allocation>>),
    Null,
    Value(Vec<u8>),
    Local(u32),
}

impl Object for Kernel {
    const INVALID: cl_int = CL_INVALID_KERNEL;
    const NAME: &'static str = "kernel";
    fn base(&self) -> &Base {
        &self.base
    }
}

impl Kernel {
    /// The kernel of this name, for all devices whose executables have it.
    pub(crate) fn new(program: &Arc<Program>, name: &str) -> Result<Self> {
        let builds = program.builds();
        // "CL_INVALID_PROGRAM_EXECUTABLE if there is no successfully built executable for program"
        if builds.iter().all(|build| build.loaded.is_none()) {
            let why = "the program was not built";
            return Err(Error::new(CL_INVALID_PROGRAM_EXECUTABLE, why));
        }
        // A build that began before the kernel would end with another program than the kernel's.
        let is_busy = |build: &Build| build.status == CL_BUILD_IN_PROGRESS;
        ensure(
            !builds.iter().any(is_busy),
            CL_INVALID_PROGRAM_EXECUTABLE,
            "the program is being built for a device",
        )?;
        let info = common(&definitions(&builds, name))?;
        let kernel = |build: &Build| {
            let loaded = build.loaded.as_ref();
            loaded
                .filter(|loaded| definition(loaded, name).is_some())
                .map(|loaded| {
                    Ok(OnDevice {
                        of: loaded.clone(),
                        told: loaded.kernel(name)?,
                        anywhere: None,
                        unaligned: BTreeSet::new(),
                    })
                })
                .transpose()
        };
        let on = builds.iter().map(kernel).collect::<Result<Vec<_>>>()?;
        let args = info.args.iter().map(|_| None).collect();
        let state = State {
            on,
            args,
            reached: BTreeMap::new(),
        };
        let made = Self::with_state(program, info, state);
        // Until it counts, nothing is built anew.
        drop(builds);
        Ok(made)
    }

    fn with_state(program: &Arc<Program>, info: KernelInfo, state: State) -> Self {
        program.kernels.fetch_add(1, Ordering::Relaxed);
        Self {
            base: Base::new(),
            program: program.clone(),
            info,
            state: Mutex::new(state),
        }
    }

    /// A kernel with the same arguments.
    pub(crate) fn duplicate(&self) -> Self {
        let state = self.state().clone();
        Self::with_state(&self.program, self.info.clone(), state)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Sets an argument for all devices, or for none.
    pub(crate) fn set_arg(&self, index: usize, arg: &Arg) -> Result<()> {
        // What block accesses ask of the program's memory holds for a copy of it, too.
        if let (Arg::Mem(mem), Some(info)) = (arg, self.info.args.get(index))
            && mem.is_copy()
        {
            let alignment = info.alignment as usize;
            let why =
                format!("block accesses need a host pointer at a multiple of {alignment} bytes");
            let is_aligned = mem.host.address().is_multiple_of(alignment);
            ensure(is_aligned, CL_INVALID_ARG_VALUE, why)?;
        }
        let mut state = self.state();
        let mut on = state.on.clone();
        for (place, own) in on.iter_mut().enumerate() {
            let Some(own) = own else { continue };
            let set = self.set_on(own, &state.args, place, index, arg);
            set.map_err(|error| match error.code {
                // What block accesses ask of a buffer's address is asked of the argument.
                CL_MISALIGNED_SUB_BUFFER_OFFSET => error.with_code(CL_INVALID_ARG_VALUE),
                // "CL_INVALID_MEM_OBJECT for an argument declared to be a memory object when the
                // specified arg_value is not a valid memory object": of the kind that is declared
                CL_INVALID_ARG_VALUE if matches!(arg, Arg::Mem(_)) => {
                    error.with_code(CL_INVALID_MEM_OBJECT)
                }
                _ => error,
            })?;
        }
        state.on = on;
        if let Some(held) = state.args.get_mut(index) {
            *held = Some(Held::of(arg));
        }
        Ok(())
    }

    /// Sets an argument for one device; `before` are those that were set.
    fn set_on(
        &self,
        own: &mut OnDevice,
        before: &[Option<Held>],
        place: usize,
        index: usize,
        arg: &Arg,
    ) -> Result<()> {
        match self.pass(&mut own.told, place, index, arg) {
            Err(error) if error.kind() == ErrorKind::MisalignedSurface => {
                if own.anywhere.is_none() {
                    let made = self.anywhere(own, before, place);
                    own.anywhere = Some(made.map_err(|why| unaligned(&error, why))?);
                }
                // No launch runs this one with the argument, so it keeps no memory for it.
                own.told.set_arg(index, umd::Arg::Null)?;
                own.unaligned.insert(index);
            }
            set => {
                set?;
                own.unaligned.remove(&index);
            }
        }
        if let Some(anywhere) = &mut own.anywhere {
            self.pass(anywhere, place, index, arg)?;
        }
        Ok(())
    }

    /// Passes an argument to the kernel of one device.
    fn pass(
        &self,
        kernel: &mut umd::Kernel,
        place: usize,
        index: usize,
        arg: &Arg,
    ) -> Result<(), umd::Error> {
        let buffer = match arg {
            Arg::Pointer(allocation, address) => {
                let device = self.program.context.devices.get(place);
                device.and_then(|device| allocation.from(device, place, *address))
            }
            _ => None,
        };
        let passed = match arg {
            Arg::Mem(mem) => match mem.argument(place) {
                Some(passed) => return kernel.lend_arg(index, passed),
                None => return Ok(()),
            },
            Arg::Sampler(_, state) => umd::Arg::Sampler(*state),
            Arg::Pointer(_, address) => match &buffer {
                Some(buffer) => umd::Arg::Buffer(buffer),
                // Memory of another device is not reached.
                None => umd::Arg::Address(*address as u64, None),
            },
            Arg::Address(address, ends) => {
                let ends = ends.as_ref().and_then(|ends| ends.on(place));
                umd::Arg::Address(*address as u64, ends)
            }
            Arg::Null => umd::Arg::Null,
            Arg::Value(bytes) => umd::Arg::Value(bytes),
            Arg::Local(size) => umd::Arg::Local(*size),
        };
        kernel.set_arg(index, passed)
    }

    /// The kernel for a device, of code that takes any pointer, with the arguments that are set.
    ///
    /// # Errors
    /// Why there is none.
    fn anywhere(
        &self,
        own: &OnDevice,
        args: &[Option<Held>],
        place: usize,
    ) -> Result<umd::Kernel, NotMade> {
        let device = self.program.context.devices.get(place);
        let device = device.ok_or_else(|| NotMade::Never("there is no such device".to_owned()))?;
        let mut made = own.of.anywhere(device)?.kernel(&self.info.name)?;
        let limits = |kernel: &umd::Kernel| (kernel.sub_group_size(), kernel.max_local_size());
        let ((size, most), (new_size, new_most)) = (limits(&own.told), limits(&made));
        if new_size != size || new_most < most {
            return Err(NotMade::Never(format!(
                "it would have sub-groups of {new_size} and groups of {new_most}, and {size} and {most} were told"
            )));
        }
        for (index, held) in args.iter().enumerate() {
            if let Some(arg) = held.as_ref().and_then(Held::arg) {
                self.pass(&mut made, place, index, &arg)?;
            }
        }
        Ok(made)
    }
}

/// The refusal of a pointer, and why no other code takes it.
fn unaligned(error: &umd::Error, why: NotMade) -> Error {
    match why {
        NotMade::Never(why) => {
            let why = format!("{error}; the program cannot be built for such a pointer: {why}");
            Error::new(CL_MISALIGNED_SUB_BUFFER_OFFSET, why)
        }
        NotMade::Now(now) | NotMade::Crashed(now) => {
            let why = &now.why;
            let why =
                format!("{error}; this time the program was not built for such a pointer: {why}");
            Error::new(now.code, why)
        }
    }
}

/// What an executable says of a kernel.
fn definition<'a>(loaded: &'a Executable, name: &str) -> Option<&'a KernelInfo> {
    loaded.kernels().iter().find(|kernel| kernel.name == name)
}

/// What the executables of all devices that have the kernel say of it.
fn definitions<'a>(builds: &'a [Build], name: &str) -> Vec<&'a KernelInfo> {
    let loaded = builds.iter().filter_map(|build| build.loaded.as_ref());
    loaded
        .filter_map(|loaded| definition(loaded, name))
        .collect()
}

/// What a kernel takes on all devices that have it.
fn common(definitions: &[&KernelInfo]) -> Result<KernelInfo> {
    let Some((&first, others)) = definitions.split_first() else {
        // "CL_INVALID_KERNEL_NAME if kernel_name is not found in program"
        let why = "the program has no kernel of this name";
        return Err(Error::new(CL_INVALID_KERNEL_NAME, why));
    };
    let mut info = first.clone();
    for other in others {
        let mut pairs = info.args.iter().zip(&other.args);
        // The code of a device may not use an argument, and does not say then what it is.
        let is_same = info.args.len() == other.args.len()
            && pairs.all(|(own, other)| {
                let kinds = [own.kind, other.kind];
                own.kind == other.kind || kinds.contains(&ArgKind::Unused)
            });
        // "CL_INVALID_KERNEL_DEFINITION if the function definition for __kernel function given by
        // kernel_name such as the number of arguments, the argument types are not the same for all
        // devices for which the program executable has been built"
        if !is_same {
            let why = format!(
                "kernel {} takes other arguments on another device",
                info.name
            );
            return Err(Error::new(CL_INVALID_KERNEL_DEFINITION, why));
        }
        for (own, other) in info.args.iter_mut().zip(&other.args) {
            if own.kind == ArgKind::Unused {
                *own = other.clone();
            }
        }
    }
    Ok(info)
}

/// The kernels that can be made of builds, in the order of the files. "Kernel objects are not created
/// for any __kernel functions in program that do not have the same function definition across all
/// devices for which a program executable has been successfully built."
pub(crate) fn names(builds: &[Build]) -> Vec<String> {
    let loaded = builds.iter().filter_map(|build| build.loaded.as_ref());
    let mut names: Vec<String> = Vec::new();
    for kernel in loaded.flat_map(|loaded| loaded.kernels()) {
        let is_new = !names.contains(&kernel.name);
        if is_new && common(&definitions(builds, &kernel.name)).is_ok() {
            names.push(kernel.name.clone());
        }
    }
    names
}

impl State {
    /// The kernel on the device with this place in the context, as queries tell of it; `None` if the program
    /// is not built for it.
    pub(crate) fn told(&self, place: usize) -> Option<&umd::Kernel> {
        let own = self.on.get(place)?.as_ref();
        own.map(|own| &own.told)
    }

    /// The same with the arguments that are set, as a launch runs it.
    pub(crate) fn launched(&self, place: usize) -> Option<&umd::Kernel> {
        let own = self.on.get(place)?.as_ref();
        own.map(OnDevice::launched)
    }

    /// Says what the kernel reaches by pointers in memory, in the place of what the property said before.
    pub(crate) fn set_reached(&mut self, by: cl_kernel_exec_info, allocations: Vec<Allocation>) {
        let allocations = allocations.into_iter().map(Arc::new).collect();
        self.reached.insert(by, allocations);
    }

    /// The pipes among the arguments.
    pub(crate) fn pipes(&self) -> Vec<Arc<Mem>> {
        let args = self.args.iter().flatten();
        let memory = args.filter_map(|held| match held {
            Held::Mem(mem) => mem.upgrade(),
            _ => None,
        });
        memory.filter(|mem| mem.pipe.is_some()).collect()
    }

    /// What a launch with these arguments keeps alive.
    ///
    /// # Errors
    /// The program has released a memory object that the kernel uses.
    pub(crate) fn kept(&self, info: &KernelInfo) -> Result<Kept> {
        let reached = || self.reached.values().flatten();
        reached().for_each(|one| one.name());
        let mut kept: Kept = reached().map(|one| one.clone() as _).collect();
        for (index, (held, arg)) in self.args.iter().zip(&info.args).enumerate() {
            match held {
                Some(Held::Mem(mem)) => match mem.upgrade() {
                    Some(mem) => kept.push(mem),
                    None if arg.kind == ArgKind::Unused => {}
                    None => {
                        let why = format!("the memory object of argument {index} was released");
                        return Err(Error::new(CL_INVALID_KERNEL_ARGS, why));
                    }
                },
                Some(Held::Sampler(sampler, _)) => {
                    kept.extend(sampler.upgrade().map(|one| one as _))
                }
                Some(Held::Pointer(allocation, _) | Held::Address(_, Some(allocation))) => {
                    allocation.name();
                    kept.push(allocation.clone());
                }
                Some(Held::Address(_, None) | Held::Null | Held::Value(_) | Held::Local(_))
                | None => {}
            }
        }
        Ok(kept)
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        self.program.kernels.fetch_sub(1, Ordering::Relaxed);
    }
}
