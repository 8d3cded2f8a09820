//! Kernels and their arguments.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use opencl_sys::*;
use umd::{ArgKind, KernelInfo};

use super::allocations::Allocation;
use super::event::Kept;
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
    pub on: Vec<Option<umd::Kernel>>,
    /// The objects that are arguments, by index.
    objects: Vec<Option<Held>>,
    /// What the kernel reaches by pointers in memory, as the program says.
    reached: Vec<Arc<Allocation>>,
}

/// An object that is an argument. "Implementations shall not allow cl_kernel objects to hold
/// reference counts to cl_kernel arguments": commands do.
#[derive(Clone, Debug)]
enum Held {
    Mem(Weak<Mem>),
    Sampler(Weak<Sampler>),
    Allocation(Arc<Allocation>),
}

/// An argument.
#[derive(Clone, Debug)]
pub(crate) enum Arg {
    Mem(Arc<Mem>),
    Sampler(Arc<Sampler>),
    /// An address in an allocation.
    Pointer(Arc<Allocation>, usize),
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
        let info = common(&definitions(&builds, name))?;
        let kernel = |build: &Build| {
            let loaded = build.loaded.as_ref();
            loaded
                .filter(|loaded| definition(loaded, name).is_some())
                .map(|loaded| loaded.kernel(name).map_err(Error::from))
                .transpose()
        };
        let on = builds.iter().map(kernel).collect::<Result<Vec<_>>>()?;
        drop(builds);
        let objects = info.args.iter().map(|_| None).collect();
        let state = State {
            on,
            objects,
            reached: Vec::new(),
        };
        Ok(Self::with_state(program, info, state))
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
        for (place, kernel) in on.iter_mut().enumerate() {
            let Some(kernel) = kernel else { continue };
            let reached = match arg {
                Arg::Pointer(allocation, address) => {
                    let device = self.program.context.devices.get(place);
                    device.and_then(|device| allocation.from(device, place, *address))
                }
                _ => None,
            };
            let is_mem = matches!(arg, Arg::Mem(_));
            let arg = match arg {
                Arg::Mem(mem) => mem.argument(place),
                Arg::Sampler(sampler) => Some(umd::Arg::Sampler(sampler.umd)),
                // Memory of another device is not reached.
                Arg::Pointer(..) => Some(reached.as_ref().map_or(umd::Arg::Null, umd::Arg::Buffer)),
                Arg::Null => Some(umd::Arg::Null),
                Arg::Value(bytes) => Some(umd::Arg::Value(bytes)),
                Arg::Local(size) => Some(umd::Arg::Local(*size)),
            };
            if let Some(arg) = arg {
                let set = match is_mem {
                    true => kernel.lend_arg(index, arg),
                    false => kernel.set_arg(index, arg),
                };
                let set = set.map_err(Error::from);
                set.map_err(|error| match error.code {
                    // What block accesses ask of a buffer's address is asked of the argument.
                    CL_MISALIGNED_SUB_BUFFER_OFFSET => error.with_code(CL_INVALID_ARG_VALUE),
                    // "CL_INVALID_MEM_OBJECT for an argument declared to be a memory object when the
                    // specified arg_value is not a valid memory object": of the kind that is declared
                    CL_INVALID_ARG_VALUE if is_mem => error.with_code(CL_INVALID_MEM_OBJECT),
                    _ => error,
                })?;
            }
        }
        state.on = on;
        if let Some(object) = state.objects.get_mut(index) {
            *object = match arg {
                Arg::Mem(mem) => Some(Held::Mem(Arc::downgrade(mem))),
                Arg::Sampler(sampler) => Some(Held::Sampler(Arc::downgrade(sampler))),
                Arg::Pointer(allocation, _) => Some(Held::Allocation(allocation.clone())),
                Arg::Null | Arg::Value(_) | Arg::Local(_) => None,
            };
        }
        Ok(())
    }
}

/// What an executable says of a kernel.
fn definition<'a>(loaded: &'a umd::Program, name: &str) -> Option<&'a KernelInfo> {
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
    /// Says what the kernel reaches by pointers in memory.
    pub(crate) fn set_reached(&mut self, allocations: Vec<Allocation>) {
        self.reached = allocations.into_iter().map(Arc::new).collect();
    }

    /// The pipes among the arguments.
    pub(crate) fn pipes(&self) -> Vec<Arc<Mem>> {
        let objects = self.objects.iter().flatten();
        let memory = objects.filter_map(|object| match object {
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
        self.reached.iter().for_each(|one| one.name());
        let mut kept: Kept = self.reached.iter().map(|one| one.clone() as _).collect();
        for (index, (object, arg)) in self.objects.iter().zip(&info.args).enumerate() {
            match object {
                Some(Held::Mem(mem)) => match mem.upgrade() {
                    Some(mem) => kept.push(mem),
                    None if arg.kind == ArgKind::Unused => {}
                    None => {
                        let why = format!("the memory object of argument {index} was released");
                        return Err(Error::new(CL_INVALID_KERNEL_ARGS, why));
                    }
                },
                Some(Held::Sampler(sampler)) => kept.extend(sampler.upgrade().map(|one| one as _)),
                Some(Held::Allocation(allocation)) => {
                    allocation.name();
                    kept.push(allocation.clone());
                }
                None => {}
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
