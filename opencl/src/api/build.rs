//! Building programs (specification, sections 5.8.4 to 5.8.8).

use std::sync::Arc;

use opencl_sys::*;

use super::abi::{In, Text, Unconst};
use super::queue::place;
use crate::core::build::{Goal, Order, modules};
use crate::core::callback::{ObjectCallback, ObjectNotify};
use crate::core::host::Worker;
use crate::core::program::{Build, Origin};
use crate::core::{Context, Device, Handle, Memory, Program, publish};
use crate::error::{Error, Result, ensure};

/// The places in the context of the devices of a list, each once; `all` if there is none.
fn places(
    context: &Arc<Context>,
    all: &[usize],
    count: u32,
    devices: In<Handle>,
) -> Result<Vec<usize>> {
    let mut distinct = listed(context, all, count, devices)?;
    distinct.sort_unstable();
    distinct.dedup();
    Ok(distinct)
}

/// The same, with one for each entry of the list.
pub(super) fn listed(
    context: &Arc<Context>,
    all: &[usize],
    count: u32,
    devices: In<Handle>,
) -> Result<Vec<usize>> {
    // "CL_INVALID_VALUE if device_list is NULL and num_devices is greater than zero, or if
    // device_list is not NULL and num_devices is zero"
    ensure(
        devices.is_null() == (count == 0),
        CL_INVALID_VALUE,
        "the list of devices and its length do not go together",
    )?;
    if devices.is_null() {
        return Ok(all.to_vec());
    }
    let places = devices.list(count as usize).into_iter().map(|device| {
        // "CL_INVALID_DEVICE if any device in device_list is not in the list of devices associated
        // with program"
        let place = place(context, &device.get::<Device>()?)?;
        let why = "the device is not one of the program";
        ensure(all.contains(&place), CL_INVALID_DEVICE, why)?;
        Ok(place)
    });
    places.collect()
}

fn callback(notify: ObjectNotify, data: Memory) -> Result<Option<ObjectCallback>> {
    // "CL_INVALID_VALUE if pfn_notify is NULL but user_data is not NULL"
    ensure(
        notify.is_some() || data.is_null(),
        CL_INVALID_VALUE,
        "there are data for a callback, but no callback",
    )?;
    Ok(notify.map(|function| ObjectCallback { function, data }))
}

/// Carries an order out: now, or on another thread if there is a callback and there can be one.
fn carry_out(
    program: Arc<Program>,
    handle: Handle,
    order: Order,
    callback: Option<ObjectCallback>,
) -> Result<()> {
    let Some(callback) = callback else {
        return program.carry_out(&order);
    };
    let work = move || {
        // How it went stands in the build's log and status.
        if let Err(error) = program.carry_out(&order) {
            tracing::info!("{error}");
        }
        callback.call(handle);
    };
    Worker::default().run(Box::new(work));
    Ok(())
}

fn of_program(
    program: &Program,
    goal: Goal,
    count: u32,
    devices: In<Handle>,
    options: Text,
) -> Result<Order> {
    let places = places(&program.context, &program.places, count, devices)?;
    let options = options.get().unwrap_or_default();
    // "CL_INVALID_BUILD_OPTIONS if the build options specified by options are invalid";
    // "CL_INVALID_COMPILER_OPTIONS if the compiler options specified by options are invalid"
    goal.check_options(&options)?;
    Ok(Order {
        goal,
        options,
        inherited: Vec::new(),
        headers: Vec::new(),
        places: places
            .into_iter()
            .map(|place| (place, Vec::new()))
            .collect(),
    })
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
    let callback = callback(notify, data)?;
    let order = of_program(&program, Goal::Build, count, devices, options)?;
    // "CL_INVALID_OPERATION if program was not created with clCreateProgramWithSource,
    // clCreateProgramWithIL or clCreateProgramWithBinary"
    ensure(
        !matches!(program.origin, Origin::Linked),
        CL_INVALID_OPERATION,
        "the program was linked",
    )?;
    program.begin(&order)?;
    carry_out(program, handle, order, callback)
}

pub(crate) fn compile(
    handle: Handle,
    count: u32,
    devices: In<Handle>,
    options: Text,
    header_count: u32,
    headers: In<Handle>,
    Unconst(names): Unconst<Text>,
    notify: ObjectNotify,
    data: Memory,
) -> Result<()> {
    let program = handle.get::<Program>()?;
    let callback = callback(notify, data)?;
    // "CL_INVALID_VALUE if num_input_headers is zero and header_include_names or input_headers are
    // not NULL or if num_input_headers is not zero and header_include_names or input_headers are
    // NULL"
    let none = header_count == 0;
    ensure(
        headers.is_null() == none && names.is_null() == none,
        CL_INVALID_VALUE,
        "the lists of headers and their length do not go together",
    )?;
    let header_count = header_count as usize;
    let texts = headers.list(header_count).into_iter().map(|header| {
        let header = header.get::<Program>()?;
        // "CL_INVALID_CONTEXT if the context associated with program and programs in input_headers are
        // not the same"
        program.context.same(&header.context, "a header")?;
        match &header.origin {
            Origin::Source(text) => Ok(text.clone()),
            _ => Err(Error::new(CL_INVALID_PROGRAM, "a header is no source")),
        }
    });
    let texts = texts.collect::<Result<Vec<_>>>()?;
    let names = names.list(header_count).into_iter().map(|name| {
        let name = name.get();
        name.ok_or_else(|| Error::new(CL_INVALID_VALUE, "a header's name is null"))
    });
    let names = names.collect::<Result<Vec<_>>>()?;
    let mut order = of_program(&program, Goal::Compile, count, devices, options)?;
    order.headers = names.into_iter().zip(texts).collect();
    // "CL_INVALID_OPERATION if program has no source or IL available, i.e. it has not been created
    // with clCreateProgramWithSource or clCreateProgramWithIL"
    ensure(
        matches!(program.origin, Origin::Source(_) | Origin::Il(_)),
        CL_INVALID_OPERATION,
        "the program has no source",
    )?;
    program.begin(&order)?;
    carry_out(program, handle, order, callback)
}

/// Links programs. "If the linking operation can begin, clLinkProgram returns a valid non-zero
/// program object", whether it succeeds or not.
pub(crate) fn link(
    context: Handle,
    count: u32,
    devices: In<Handle>,
    options: Text,
    program_count: u32,
    programs: In<Handle>,
    notify: ObjectNotify,
    data: Memory,
) -> Result<(Handle, Result<()>)> {
    let context = context.get::<Context>()?;
    let callback = callback(notify, data)?;
    // "CL_INVALID_VALUE if num_input_programs is zero or input_programs is NULL"
    ensure(
        program_count > 0 && !programs.is_null(),
        CL_INVALID_VALUE,
        "there is nothing to link",
    )?;
    let all: Vec<_> = (0..context.devices.len()).collect();
    let places = places(&context, &all, count, devices)?;
    // "CL_INVALID_PROGRAM if programs specified in input_programs are not valid program objects"
    let programs = programs.list(program_count as usize).into_iter();
    let programs = programs.map(Handle::get::<Program>);
    let programs = programs.collect::<Result<Vec<_>>>()?;
    // "CL_INVALID_CONTEXT if the context associated with programs in input_programs is not the same as
    // context"
    for program in &programs {
        context.same(&program.context, "a program")?;
    }
    let options = options.get().unwrap_or_default();
    // "CL_INVALID_LINKER_OPTIONS if the linker options specified by options are invalid"
    Goal::Link.check_options(&options)?;
    let inherited = programs.iter().flat_map(|program| {
        let builds = program.builds();
        builds
            .iter()
            .map(|build| build.options.clone())
            .collect::<Vec<_>>()
    });
    let order = Order {
        goal: Goal::Link,
        options,
        inherited: inherited.collect(),
        headers: Vec::new(),
        places: modules(&context, &places, &programs)?,
    };
    let is_uniform = |place: usize| {
        let of = |program: &Arc<Program>| {
            let builds = program.builds();
            builds.get(place).is_some_and(|build| build.is_uniform)
        };
        programs.iter().any(of)
    };
    let builds = all.iter().map(|&place| Build {
        is_uniform: is_uniform(place),
        ..Build::default()
    });
    let builds = builds.collect();
    let program = Program::of_builds(context, places, Origin::Linked, builds);
    let program = Arc::new(program);
    program.begin(&order)?;
    let handle = publish(program.clone());
    Ok((handle, carry_out(program, handle, order, callback)))
}
