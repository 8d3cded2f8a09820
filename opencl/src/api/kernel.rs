//! Kernels (specification, section 5.9).

use std::sync::Arc;

use opencl_sys::*;
use umd::{AccessQualifier, AddressSpace, ArgInfo, ArgKind};

use super::abi::{Bytes, Out, Text};
use super::info::{self, Answer};
use super::program;
use super::queue::place;
use crate::core::kernel::Arg;
use crate::core::program::Origin;
use crate::core::{Device, Handle, Kernel, Mem, Object, Program, Sampler, publish};
use crate::error::{Error, Result, ensure};

/// `CL_KERNEL_SPILL_MEM_SIZE_INTEL` (`cl_intel_required_subgroup_size`).
const SPILL_MEM_SIZE_INTEL: cl_kernel_work_group_info = 0x4109;

pub(crate) fn create(program: Handle, name: Text) -> Result<Handle> {
    let program = program.get::<Program>()?;
    // "CL_INVALID_VALUE if kernel_name is NULL"
    let name = name.get();
    let name = name.ok_or_else(|| Error::new(CL_INVALID_VALUE, "the name is null"))?;
    Ok(publish(Arc::new(Kernel::new(&program, &name)?)))
}

pub(crate) fn create_all(
    program: Handle,
    room: u32,
    kernels: Out<Handle>,
    count: Out<u32>,
) -> Result<()> {
    let program = program.get::<Program>()?;
    let names = program::kernel_names(&program)?;
    if !kernels.is_null() {
        // "CL_INVALID_VALUE if kernels is not NULL and num_kernels is less than the number of
        // kernels in program"
        ensure(
            room as usize >= names.len(),
            CL_INVALID_VALUE,
            format!("there are {} kernels, and room for {room}", names.len()),
        )?;
        let all = names.iter().map(|name| Kernel::new(&program, name));
        let all = all.collect::<Result<Vec<_>>>()?;
        kernels.set_all(all.into_iter().map(|kernel| publish(Arc::new(kernel))));
    }
    count.set(names.len() as u32);
    Ok(())
}

pub(crate) fn duplicate(kernel: Handle) -> Result<Handle> {
    let kernel = kernel.get::<Kernel>()?;
    Ok(publish(Arc::new(kernel.duplicate())))
}

pub(crate) fn retain(kernel: Handle) -> Result<()> {
    kernel.retain::<Kernel>()
}

pub(crate) fn release(kernel: Handle) -> Result<()> {
    kernel.release::<Kernel>()
}

pub(crate) fn arg_of(kernel: &Kernel, index: u32) -> Result<&ArgInfo> {
    let args = &kernel.info.args;
    // "CL_INVALID_ARG_INDEX if arg_index is not a valid argument index"
    args.get(index as usize).ok_or_else(|| {
        let why = format!("kernel {} has {} arguments", kernel.info.name, args.len());
        Error::new(CL_INVALID_ARG_INDEX, why)
    })
}

pub(crate) fn set_arg(kernel: Handle, index: u32, size: usize, value: Bytes) -> Result<()> {
    set_arg_of(&*kernel.get::<Kernel>()?, index, size, value)
}

pub(crate) fn set_arg_of(
    kernel: &Kernel,
    index: u32,
    size: usize,
    Bytes(value): Bytes,
) -> Result<()> {
    let info = arg_of(kernel, index)?;
    // "CL_INVALID_ARG_SIZE if arg_size does not match the size of the data type for an argument
    // that is not a memory object or if the argument is a memory object and arg_size !=
    // sizeof(cl_mem) or if arg_size is zero and the argument is declared with the local qualifier
    // or if the argument is a sampler and arg_size != sizeof(cl_sampler)"
    let sized = |needed: usize| {
        ensure(
            size == needed,
            CL_INVALID_ARG_SIZE,
            format!("argument {index} takes {needed} bytes, {size} are given"),
        )
    };
    // "CL_INVALID_ARG_VALUE if arg_value specified is not a valid value"
    let valid = |holds: bool, why: &'static str| ensure(holds, CL_INVALID_ARG_VALUE, why);
    // A value may be in memory of a device.
    let at = || {
        let at = kernel.program.context.allocations.resolve(value, size);
        at.map_err(|error| error.with_code(CL_INVALID_ARG_VALUE))
    };
    let is_global = !matches!(info.address_space, Some(AddressSpace::Local));
    let arg = match info.kind {
        ArgKind::Buffer | ArgKind::Image(_) if is_global => {
            sized(size_of::<cl_mem>())?;
            memory(kernel, info, at()?.read_handle())?
        }
        ArgKind::Sampler => {
            sized(size_of::<cl_sampler>())?;
            // "CL_INVALID_SAMPLER for an argument declared to be of type sampler_t when the
            // specified arg_value is not a valid sampler object"
            let sampler = at()?.read_handle().get::<Sampler>()?;
            let own = &kernel.program.context;
            own.same(&sampler.context, "the sampler")?;
            Arg::Sampler(Arc::downgrade(&sampler), sampler.umd)
        }
        ArgKind::Local => {
            ensure(size > 0, CL_INVALID_ARG_SIZE, "local memory of no bytes")?;
            valid(value.is_null(), "local memory has no value")?;
            let size = u32::try_from(size);
            Arg::Local(size.map_err(|_| Error::new(CL_INVALID_ARG_SIZE, "beyond 32 bits"))?)
        }
        ArgKind::Value { size: needed, .. } => {
            sized(needed as usize)?;
            valid(!value.is_null(), "the value is null")?;
            Arg::Value(at()?.read(size))
        }
        // The code does not use it: what it would be, and so its size, is not known.
        ArgKind::Unused => Arg::Null,
        kind => {
            let why = format!("argument {index}, a {kind}, cannot be set");
            return Err(Error::new(CL_INVALID_ARG_VALUE, why));
        }
    };
    kernel.set_arg(index as usize, &arg)
}

fn memory(kernel: &Kernel, info: &ArgInfo, handle: Handle) -> Result<Arg> {
    // "If the argument is a buffer object, the arg_value pointer can be NULL or point to a NULL
    // value in which case a NULL value will be used"
    if handle.is_null() && info.kind == ArgKind::Buffer && !info.is_pipe() {
        return Ok(Arg::Null);
    }
    // "CL_INVALID_MEM_OBJECT for an argument declared to be a memory object when the specified
    // arg_value is not a valid memory object"
    let mem = handle.get::<Mem>()?;
    // "CL_INVALID_CONTEXT if the context associated with kernel and an OpenCL object pointed to by
    // arg_value are not the same"
    let own = &kernel.program.context;
    own.same(&mem.context, "the memory object")?;
    ensure(
        info.type_name.is_none() || info.is_pipe() == mem.pipe.is_some(),
        CL_INVALID_MEM_OBJECT,
        "a pipe and a buffer are not the same",
    )?;
    // Whether it is the image that is declared, the driver says.
    let is_image = matches!(info.kind, ArgKind::Image(_)) && mem.image.is_some();
    if let Some(image) = mem.image.as_ref().filter(|_| is_image) {
        // Not so of the program's own names of types.
        let wants_depth = match info.type_name.as_deref() {
            Some("image2d_depth_t" | "image2d_array_depth_t") => Some(true),
            Some("image2d_t" | "image2d_array_t") => Some(false),
            _ => None,
        };
        let is_depth = image.format.image_channel_order == CL_DEPTH;
        ensure(
            wants_depth.is_none_or(|wants| wants == is_depth),
            CL_INVALID_MEM_OBJECT,
            "an image of depths and one of colours are not the same",
        )?;
    }
    // "CL_INVALID_ARG_VALUE if the argument is an image declared with the read_only qualifier and
    // arg_value refers to an image object created with cl_mem_flags of CL_MEM_WRITE_ONLY or if the
    // image argument is declared with the write_only qualifier and … CL_MEM_READ_ONLY"
    let forbidden = match info.access {
        Some(AccessQualifier::ReadOnly) => CL_MEM_WRITE_ONLY,
        Some(AccessQualifier::WriteOnly) => CL_MEM_READ_ONLY,
        Some(AccessQualifier::ReadWrite) => CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY,
        _ => 0,
    };
    ensure(
        !is_image || mem.flags & forbidden == 0,
        CL_INVALID_ARG_VALUE,
        "the image's flags forbid what the kernel does with it",
    )?;
    Ok(Arg::Mem(mem))
}

pub(crate) fn info(handle: Handle, name: u32) -> Result<Answer> {
    let kernel = handle.get::<Kernel>()?;
    Ok(match name {
        CL_KERNEL_FUNCTION_NAME => info::text(&kernel.info.name),
        CL_KERNEL_NUM_ARGS => info::value(kernel.info.args.len() as u32),
        CL_KERNEL_REFERENCE_COUNT => info::value(handle.references()),
        CL_KERNEL_CONTEXT => info::handle(kernel.program.context.base().handle()),
        CL_KERNEL_PROGRAM => info::handle(kernel.program.base().handle()),
        // "For kernels not created from OpenCL C source and the clCreateProgramWithSource API call the
        // string returned from this query will be empty."
        CL_KERNEL_ATTRIBUTES => info::text(match kernel.program.origin {
            Origin::Source(_) | Origin::Linked => &kernel.info.attributes,
            Origin::Il(_) | Origin::Binaries => "",
        }),
        _ => return Err(info::unknown("a kernel", name)),
    })
}

pub(crate) fn arg_info(kernel: Handle, index: u32, name: u32) -> Result<Answer> {
    let kernel = kernel.get::<Kernel>()?;
    let arg = arg_of(&kernel, index)?;
    // "CL_KERNEL_ARG_INFO_NOT_AVAILABLE if the argument information is not available for kernel"
    let missing = || {
        Error::new(
            CL_KERNEL_ARG_INFO_NOT_AVAILABLE,
            "the binary does not tell it",
        )
    };
    Ok(match name {
        CL_KERNEL_ARG_ADDRESS_QUALIFIER => {
            let space = arg.address_space.ok_or_else(missing)?;
            info::value(match space {
                AddressSpace::Global => CL_KERNEL_ARG_ADDRESS_GLOBAL,
                AddressSpace::Local => CL_KERNEL_ARG_ADDRESS_LOCAL,
                AddressSpace::Constant => CL_KERNEL_ARG_ADDRESS_CONSTANT,
                AddressSpace::Private => CL_KERNEL_ARG_ADDRESS_PRIVATE,
            })
        }
        CL_KERNEL_ARG_ACCESS_QUALIFIER => {
            let is_qualified = matches!(arg.kind, ArgKind::Image(_)) || arg.is_pipe();
            info::value(match arg.access.filter(|_| is_qualified) {
                Some(AccessQualifier::ReadOnly) => CL_KERNEL_ARG_ACCESS_READ_ONLY,
                Some(AccessQualifier::WriteOnly) => CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
                Some(AccessQualifier::ReadWrite) => CL_KERNEL_ARG_ACCESS_READ_WRITE,
                // "If argument is not an image type and is not declared with the pipe qualifier,
                // CL_KERNEL_ARG_ACCESS_NONE is returned."
                _ => CL_KERNEL_ARG_ACCESS_NONE,
            })
        }
        CL_KERNEL_ARG_TYPE_NAME => info::text(arg.type_name.as_deref().ok_or_else(missing)?),
        CL_KERNEL_ARG_TYPE_QUALIFIER => {
            let has = |word: &str| {
                arg.type_qualifiers
                    .split_whitespace()
                    .any(|own| own == word)
            };
            let qualifiers = [
                ("const", CL_KERNEL_ARG_TYPE_CONST),
                ("restrict", CL_KERNEL_ARG_TYPE_RESTRICT),
                ("volatile", CL_KERNEL_ARG_TYPE_VOLATILE),
                ("pipe", CL_KERNEL_ARG_TYPE_PIPE),
            ];
            let set = qualifiers.into_iter().filter(|(word, _)| has(word));
            info::value(set.fold(0u64, |all, (_, bit)| all | u64::from(bit)))
        }
        CL_KERNEL_ARG_NAME => info::text(arg.name.as_deref().ok_or_else(missing)?),
        _ => return Err(info::unknown("an argument", name)),
    })
}

/// The kernel's place for a device, which may be left out if there is one only.
pub(crate) fn device_place(kernel: &Kernel, device: Handle) -> Result<usize> {
    // "CL_INVALID_DEVICE if device is not in the list of devices associated with kernel or if
    // device is NULL but there is more than one device associated with kernel"
    let places = &kernel.program.places;
    if device.is_null() {
        return match &**places {
            [place] => Ok(*place),
            _ => Err(Error::new(
                CL_INVALID_DEVICE,
                "the kernel has several devices, and none is named",
            )),
        };
    }
    let place = place(&kernel.program.context, &device.get::<Device>()?)?;
    let why = "the device is not one of the kernel";
    ensure(places.contains(&place), CL_INVALID_DEVICE, why)?;
    Ok(place)
}

pub(crate) fn work_group_info(handle: Handle, device: Handle, name: u32) -> Result<Answer> {
    let kernel = handle.get::<Kernel>()?;
    let place = device_place(&kernel, device)?;
    let state = kernel.state();
    let own = state.told(place);
    let own =
        own.ok_or_else(|| Error::new(CL_INVALID_DEVICE, "the program was not built for it"))?;
    let info = own.info();
    Ok(match name {
        CL_KERNEL_WORK_GROUP_SIZE => info::value(own.max_local_size() as usize),
        CL_KERNEL_COMPILE_WORK_GROUP_SIZE => {
            let size = info.required_local_size.unwrap_or([0; 3]);
            info::list(&size.map(|size| size as usize))
        }
        CL_KERNEL_LOCAL_MEM_SIZE => info::value(u64::from(own.local_memory())),
        CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => info::value(own.sub_group_size() as usize),
        CL_KERNEL_PRIVATE_MEM_SIZE => info::value(u64::from(info.private_size)),
        SPILL_MEM_SIZE_INTEL => info::value(u64::from(info.scratch_size)),
        // "CL_INVALID_VALUE if param_name is CL_KERNEL_GLOBAL_WORK_SIZE and device is not a custom
        // device and kernel is not a built-in kernel"
        _ => return Err(info::unknown("a kernel on a device", name)),
    })
}
