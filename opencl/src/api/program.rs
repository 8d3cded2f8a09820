//! Programs (specification, section 5.8).

use std::sync::Arc;

use opencl_sys::*;
use spirv_module::Module;

use super::abi::{Bytes, In, Out, Text, Unconst};
use super::build;
use super::info::{self, Answer};
use super::queue::place;
use crate::core::callback::ObjectNotify;
use crate::core::kernel;
use crate::core::program::{Build, Origin};
use crate::core::{Context, Device, Handle, Memory, Object, Program, lock, publish};
use crate::error::{Error, Result, ensure};

pub(crate) fn with_source(
    context: Handle,
    count: u32,
    Unconst(texts): Unconst<Text>,
    lengths: In<usize>,
) -> Result<Handle> {
    let context = context.get::<Context>()?;
    // "CL_INVALID_VALUE if count is zero or if strings or any entry in strings is NULL"
    ensure(
        count > 0 && !texts.is_null(),
        CL_INVALID_VALUE,
        "there is no source",
    )?;
    let count = count as usize;
    let lengths = lengths.list(count);
    let mut source = Vec::new();
    for (index, text) in texts.list(count).into_iter().enumerate() {
        let length = lengths.get(index).copied().unwrap_or(0);
        let text = text.with_length(length);
        source.extend(text.ok_or_else(|| Error::new(CL_INVALID_VALUE, "a text is null"))?);
    }
    // "The concatenation strips any nulls in the original source strings."
    source.retain(|&byte| byte != 0);
    Ok(publish(Arc::new(Program::new(
        context,
        Origin::Source(source),
    ))))
}

pub(crate) fn with_il(context: Handle, Bytes(il): Bytes, length: usize) -> Result<Handle> {
    let context = context.get::<Context>()?;
    // "CL_INVALID_VALUE if il is NULL or if length is zero … if the length-byte memory pointed to by
    // il does not contain well-formed intermediate language input that can be consumed by the OpenCL
    // runtime"
    let invalid = |why: String| Error::new(CL_INVALID_VALUE, why);
    if il.is_null() || length == 0 {
        return Err(invalid("there is no SPIR-V".to_owned()));
    }
    let bytes = il.read(length);
    Module::parse(&bytes).map_err(|error| invalid(error.to_string()))?;
    Ok(publish(Arc::new(Program::new(context, Origin::Il(bytes)))))
}

pub(crate) fn with_binary(
    context: Handle,
    count: u32,
    devices: In<Handle>,
    lengths: In<usize>,
    Unconst(binaries): Unconst<In<u8>>,
    status: Out<i32>,
) -> Result<Handle> {
    let context = context.get::<Context>()?;
    // "CL_INVALID_VALUE if device_list is NULL or num_devices is zero; if lengths or binaries is
    // NULL or if any entry in lengths[i] is zero or binaries[i] is NULL"
    ensure(
        count > 0 && !devices.is_null() && !lengths.is_null() && !binaries.is_null(),
        CL_INVALID_VALUE,
        "a list is null",
    )?;
    let all: Vec<_> = (0..context.devices.len()).collect();
    // "CL_INVALID_DEVICE if any device in device_list is not in the list of devices associated with
    // context"
    let mut places = build::listed(&context, &all, count, devices)?;
    let mut builds = vec![Build::default(); all.len()];
    let mut codes = Vec::new();
    let mut first = Ok(());
    let lengths = lengths.list(count as usize);
    let binaries = binaries.list(count as usize);
    for ((&place, length), binary) in places.iter().zip(lengths).zip(binaries) {
        let Some((device, build)) = context.devices.get(place).zip(builds.get_mut(place)) else {
            continue;
        };
        let read = match binary.is_null() || length == 0 {
            true => Err(Error::new(CL_INVALID_VALUE, "there is no binary")),
            false => Build::of_binary(device, &binary.list(length)),
        };
        // "CL_INVALID_VALUE … in any such case … binary_status[i] is CL_INVALID_VALUE;
        // CL_INVALID_BINARY if program binary is not a valid binary for the specified device"
        codes.push(
            read.as_ref()
                .map_or_else(|error| error.code, |_| CL_SUCCESS),
        );
        match read {
            Ok(read) => *build = read,
            Err(error) => first = first.and(Err(error)),
        }
    }
    status.set_all(codes);
    first?;
    places.sort_unstable();
    places.dedup();
    let program = Program::of_builds(context, places, Origin::Binaries, builds);
    Ok(publish(Arc::new(program)))
}

pub(crate) fn with_built_in_kernels(
    context: Handle,
    count: u32,
    devices: In<Handle>,
    names: Text,
) -> Result<Handle> {
    let context = context.get::<Context>()?;
    // "CL_INVALID_VALUE if device_list is NULL or num_devices is zero"
    let no_devices = devices.is_null() || count == 0;
    ensure(!no_devices, CL_INVALID_VALUE, "there are no devices")?;
    let all: Vec<_> = (0..context.devices.len()).collect();
    build::listed(&context, &all, count, devices)?;
    // "CL_INVALID_VALUE … if kernel_names is NULL or kernel_names contains a kernel name that is not
    // supported by any of the devices in device_list"
    let names = names.get().unwrap_or_default();
    let why = format!("no device has the built-in kernels {names:?}");
    Err(Error::new(CL_INVALID_VALUE, why))
}

pub(crate) fn set_constant(
    program: Handle,
    id: u32,
    size: usize,
    Bytes(value): Bytes,
) -> Result<()> {
    let program = program.get::<Program>()?;
    // "CL_INVALID_PROGRAM if program is not a valid program object created from an intermediate
    // language"
    let Origin::Il(bytes) = &program.origin else {
        return Err(Error::new(
            CL_INVALID_PROGRAM,
            "the program is not of SPIR-V",
        ));
    };
    let module = Module::parse(bytes);
    let constants = module
        .map(|module| module.spec_constants())
        .unwrap_or_default();
    // "CL_INVALID_SPEC_ID if spec_id is not a valid specialization constant identifier"
    let constant = constants.iter().find(|constant| constant.id == id);
    let constant = constant.ok_or_else(|| {
        let why = format!("the program has no specialization constant {id}");
        Error::new(CL_INVALID_SPEC_ID, why)
    })?;
    // "CL_INVALID_VALUE if spec_size does not match the size of the specialization constant in the
    // module, or if spec_value is NULL"
    ensure(
        size == constant.size && !value.is_null(),
        CL_INVALID_VALUE,
        format!("specialization constant {id} takes {} bytes", constant.size),
    )?;
    lock(&program.constants).insert(id, value.read(size));
    Ok(())
}

pub(crate) fn set_release(program: Handle, notify: ObjectNotify, _data: Memory) -> Result<()> {
    program.get::<Program>()?;
    // "CL_INVALID_VALUE if pfn_notify is NULL"
    ensure(notify.is_some(), CL_INVALID_VALUE, "there is no callback")?;
    // "CL_INVALID_OPERATION if no devices in the context associated with program support program
    // initialization and clean-up kernels": OpenCL 3.0 has none
    let why = "no device has clean-up kernels";
    Err(Error::new(CL_INVALID_OPERATION, why))
}

pub(crate) fn retain(program: Handle) -> Result<()> {
    program.retain::<Program>()
}

pub(crate) fn release(program: Handle) -> Result<()> {
    program.release::<Program>()
}

pub(crate) fn info(
    handle: Handle,
    name: u32,
    size: usize,
    value: Memory,
    size_ret: Out<usize>,
) -> Result<()> {
    let program = handle.get::<Program>()?;
    if name != CL_PROGRAM_BINARIES {
        return info::give(&plain_info(handle, &program, name)?, size, value, size_ret);
    }
    // "param_value points to an array of n pointers allocated by the caller, where n is the number of
    // devices associated with program. … If an entry value in the array is NULL, the implementation
    // skips copying the program binary"
    let binaries = binaries(&program)?;
    let needed = binaries.len() * size_of::<usize>();
    if !value.is_null() {
        let why = format!("there are {} binaries", binaries.len());
        ensure(size >= needed, CL_INVALID_VALUE, why)?;
        for (index, binary) in binaries.iter().enumerate() {
            let to = value.offset(index * size_of::<usize>()).read_pointer();
            if !to.is_null() {
                to.write(binary);
            }
        }
    }
    size_ret.set(needed);
    Ok(())
}

/// The program's binary for each of its devices; empty where there is none.
fn binaries(program: &Program) -> Result<Vec<Arc<[u8]>>> {
    let builds = program.builds();
    let builds = program.places.iter().filter_map(|&place| builds.get(place));
    builds.map(Build::to_binary).collect()
}

fn plain_info(handle: Handle, program: &Program, name: u32) -> Result<Answer> {
    Ok(match name {
        CL_PROGRAM_REFERENCE_COUNT => info::value(handle.references()),
        CL_PROGRAM_CONTEXT => info::handle(program.context.base().handle()),
        CL_PROGRAM_NUM_DEVICES => info::value(program.places.len() as u32),
        CL_PROGRAM_DEVICES => info::handles(program.devices().map(|device| device.base().handle())),
        // "if program is created using clCreateProgramWithBinary, clCreateProgramWithIL or
        // clCreateProgramWithBuiltInKernels, a null string or the appropriate program source code is
        // returned"
        CL_PROGRAM_SOURCE => info::bytes(match &program.origin {
            Origin::Source(text) => text,
            _ => &[],
        }),
        // "If program is created with clCreateProgramWithSource, clCreateProgramWithBinary … the
        // memory pointed to by param_value will be unchanged and param_value_size_ret will be set to
        // 0."
        CL_PROGRAM_IL => match &program.origin {
            Origin::Il(bytes) => bytes.clone(),
            _ => Answer::new(),
        },
        CL_PROGRAM_BINARY_SIZES => {
            let sizes = binaries(program)?.into_iter().map(|binary| binary.len());
            info::list(&sizes.collect::<Vec<_>>())
        }
        // "Returns CL_FALSE if no devices in the context associated with program support program
        // initialization and clean-up kernels": a module that has them is refused.
        CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT | CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT => {
            kernel_names(program)?;
            info::boolean(false)
        }
        CL_PROGRAM_NUM_KERNELS => info::value(kernel_names(program)?.len()),
        CL_PROGRAM_KERNEL_NAMES => info::text(&kernel_names(program)?.join(";")),
        _ => return Err(info::unknown("a program", name)),
    })
}

/// The kernels of a program.
pub(crate) fn kernel_names(program: &Program) -> Result<Vec<String>> {
    let builds = program.builds();
    // "CL_INVALID_PROGRAM_EXECUTABLE if param_name is CL_PROGRAM_NUM_KERNELS, CL_PROGRAM_KERNEL_NAMES,
    // CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, or CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT and a successful
    // program executable has not been built for at least one device in the list of devices associated
    // with program"
    ensure(
        builds.iter().any(|build| build.loaded.is_some()),
        CL_INVALID_PROGRAM_EXECUTABLE,
        "the program was not built",
    )?;
    Ok(kernel::names(&builds))
}

pub(crate) fn build_info(program: Handle, device: Handle, name: u32) -> Result<Answer> {
    let program = program.get::<Program>()?;
    let place = place(&program.context, &device.get::<Device>()?)?;
    // "CL_INVALID_DEVICE if device is not in the list of devices associated with program"
    let builds = program.builds();
    let build = builds
        .get(place)
        .filter(|_| program.places.contains(&place));
    let build = build
        .ok_or_else(|| Error::new(CL_INVALID_DEVICE, "the device is not one of the program"))?;
    Ok(match name {
        CL_PROGRAM_BUILD_STATUS => info::value(build.status),
        // "if build status of program is CL_BUILD_NONE, an empty string"
        CL_PROGRAM_BUILD_OPTIONS => info::text(match build.status {
            CL_BUILD_NONE => "",
            _ => &build.options,
        }),
        CL_PROGRAM_BUILD_LOG => info::text(&build.log),
        CL_PROGRAM_BINARY_TYPE => info::value(build.binary_type),
        CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE => {
            let loaded = build.loaded.as_ref();
            info::value(loaded.map_or(0, |loaded| loaded.binary().globals_size()) as usize)
        }
        _ => return Err(info::unknown("a build", name)),
    })
}

pub(crate) fn unload_compiler() -> Result<()> {
    Ok(())
}
