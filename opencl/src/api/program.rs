//! Programs (specification, section 5.8).

use std::sync::Arc;

use opencl_sys::*;

use super::abi::{In, Memory, Text, Unconst};
use super::callback::{ObjectCallback, ObjectNotify};
use super::info::{self, Answer};
use super::queue::place;
use crate::core::{Context, Device, Handle, Object, Program, publish};
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
    let mut source = String::new();
    for (index, text) in texts.list(count).into_iter().enumerate() {
        let length = lengths.get(index).copied().unwrap_or(0);
        let text = text.with_length(length);
        source.push_str(&text.ok_or_else(|| Error::new(CL_INVALID_VALUE, "a text is null"))?);
    }
    Ok(publish(Arc::new(Program::of_source(context, source))))
}

pub(crate) fn retain(program: Handle) -> Result<()> {
    program.retain::<Program>()
}

pub(crate) fn release(program: Handle) -> Result<()> {
    program.release::<Program>()
}

/// The places in the context of the devices of a list; all of the program's if there is none.
fn places(program: &Program, count: u32, devices: In<Handle>) -> Result<Vec<usize>> {
    // "CL_INVALID_VALUE if device_list is NULL and num_devices is greater than zero, or if
    // device_list is not NULL and num_devices is zero"
    ensure(
        devices.is_null() == (count == 0),
        CL_INVALID_VALUE,
        "the list of devices and its length do not go together",
    )?;
    if devices.is_null() {
        return Ok(program.places.clone());
    }
    let places = devices.list(count as usize).into_iter().map(|device| {
        // "CL_INVALID_DEVICE if any device in device_list is not in the list of devices associated
        // with program"
        let place = place(&program.context, &device.get::<Device>()?)?;
        let why = "the device is not one of the program";
        ensure(program.places.contains(&place), CL_INVALID_DEVICE, why)?;
        Ok(place)
    });
    places.collect()
}

pub(crate) fn build(
    handle: Handle,
    count: u32,
    devices: In<Handle>,
    options: Text,
    notify: ObjectNotify,
    data: Memory,
) -> Result<()> {
    let program = handle.get::<Program>()?;
    let places = places(&program, count, devices)?;
    // "CL_INVALID_VALUE if pfn_notify is NULL but user_data is not NULL"
    ensure(
        notify.is_some() || data.is_null(),
        CL_INVALID_VALUE,
        "there are data for a callback, but no callback",
    )?;
    let options = options.get().unwrap_or_default();
    program.begin(&places, &options)?;
    let Some(function) = notify else {
        return program.build(&places, &options);
    };
    let callback = ObjectCallback { function, data };
    let build = move || {
        // How it went stands in the build's log and status.
        if let Err(error) = program.build(&places, &options) {
            tracing::info!("{error}");
        }
        callback.call(handle);
    };
    let thread = std::thread::Builder::new().name("opencl build".to_owned());
    let spawned = thread.spawn(build);
    spawned.map_err(|error| Error::new(CL_OUT_OF_HOST_MEMORY, error.to_string()))?;
    Ok(())
}

pub(crate) fn info(handle: Handle, name: u32) -> Result<Answer> {
    let program = handle.get::<Program>()?;
    Ok(match name {
        CL_PROGRAM_REFERENCE_COUNT => info::value(handle.references()),
        CL_PROGRAM_CONTEXT => info::handle(program.context.base().handle()),
        CL_PROGRAM_NUM_DEVICES => info::value(program.places.len() as u32),
        CL_PROGRAM_DEVICES => info::handles(program.devices().map(|device| device.base().handle())),
        CL_PROGRAM_SOURCE => info::text(&program.source),
        CL_PROGRAM_NUM_KERNELS => info::value(kernel_names(&program)?.len()),
        CL_PROGRAM_KERNEL_NAMES => info::text(&kernel_names(&program)?.join(";")),
        _ => return Err(info::unknown("a program", name)),
    })
}

/// The kernels of a program, in the order of the file.
pub(crate) fn kernel_names(program: &Program) -> Result<Vec<String>> {
    let builds = program.builds();
    // "CL_INVALID_PROGRAM_EXECUTABLE if param_name is CL_PROGRAM_NUM_KERNELS or
    // CL_PROGRAM_KERNEL_NAMES and a successfully built program executable is not available for at
    // least one device in the list of devices associated with program"
    let loaded = builds.iter().find_map(|build| build.loaded.as_ref());
    let loaded = loaded
        .ok_or_else(|| Error::new(CL_INVALID_PROGRAM_EXECUTABLE, "the program was not built"))?;
    let names = loaded.kernels().iter().map(|kernel| kernel.name.clone());
    Ok(names.collect())
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
        CL_PROGRAM_BUILD_OPTIONS => info::text(&build.options),
        CL_PROGRAM_BUILD_LOG => info::text(&build.log),
        CL_PROGRAM_BINARY_TYPE => info::value(build.binary_type),
        CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE => info::value(0usize),
        _ => return Err(info::unknown("a build", name)),
    })
}

pub(crate) fn unload_compiler() -> Result<()> {
    Ok(())
}
