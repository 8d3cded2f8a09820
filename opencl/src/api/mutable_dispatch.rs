//! Kernels in command buffers that can be changed: the extension
//! `cl_khr_command_buffer_mutable_dispatch`, version 0.9.5.

use std::collections::BTreeMap;
use std::sync::Arc;

use opencl_sys::*;

use super::abi::{Bytes, DispatchConfig, ExecInfo, In, KernelArg, Unconst};
use super::command_buffer::{KEEPS_GROUPS, Recording, as_passed, properties, value_of};
use super::execute::{self, Space};
use super::info::{self, Answer};
use super::{kernel, svm};
use crate::core::command_buffer::{
    CommandBuffer, Dispatch, MutableCommand, Recorded, Stage, number,
};
use crate::core::{Handle, Kernel, Object, Queue, show};
use crate::error::{Error, Result, ensure};

/// `CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR`.
const DEVICE_CAPABILITIES: u32 = 0x12b0;
/// `CL_MUTABLE_DISPATCH_…_KHR`: the fields of a command.
const GLOBAL_OFFSET: u64 = 1 << 0;
const GLOBAL_SIZE: u64 = 1 << 1;
const LOCAL_SIZE: u64 = 1 << 2;
const ARGUMENTS: u64 = 1 << 3;
const EXEC_INFO: u64 = 1 << 4;
const ALL_FIELDS: u64 = GLOBAL_OFFSET | GLOBAL_SIZE | LOCAL_SIZE | ARGUMENTS | EXEC_INFO;
/// Its properties.
const UPDATABLE_FIELDS: u64 = 0x12b1;
const ASSERTS: u64 = 0x12b8;
/// `CL_MUTABLE_…_KHR`: what can be asked for.
const COMMAND_QUEUE: u32 = 0x12a0;
const COMMAND_BUFFER: u32 = 0x12a1;
const COMMAND_TYPE: u32 = 0x12ad;
const PROPERTIES_ARRAY: u32 = 0x12a2;
const DISPATCH_KERNEL: u32 = 0x12a3;
const DISPATCH_DIMENSIONS: u32 = 0x12a4;
const DISPATCH_GLOBAL_WORK_OFFSET: u32 = 0x12a5;
const DISPATCH_GLOBAL_WORK_SIZE: u32 = 0x12a6;
const DISPATCH_LOCAL_WORK_SIZE: u32 = 0x12a7;
/// `CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR`.
const DISPATCH_CONFIG: u32 = 0;

/// What `clGetDeviceInfo` says; `None` if the name is not one of the extension.
pub(crate) fn device_info(name: u32) -> Option<Answer> {
    (name == DEVICE_CAPABILITIES).then(|| info::value(ALL_FIELDS))
}

/// Records a kernel.
pub(crate) fn record(
    to: Recording,
    kernel: Handle,
    dimensions: u32,
    offset: In<usize>,
    global: In<usize>,
    local: In<usize>,
) -> Result<()> {
    let buffer = to.check()?;
    let known = [(UPDATABLE_FIELDS, u64::MAX), (ASSERTS, KEEPS_GROUPS)];
    let pairs = properties(to.properties, &known)?;
    let named = pairs.iter().any(|(name, _)| *name == UPDATABLE_FIELDS);
    let asked = value_of(&pairs, UPDATABLE_FIELDS);
    // "CL_INVALID_OPERATION if the requested CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR properties are
    // not reported by CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR"
    ensure(
        asked & !ALL_FIELDS == 0,
        CL_INVALID_OPERATION,
        format!("there are no fields {asked:#x}"),
    )?;
    // "CL_INVALID_VALUE if … CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR and
    // local_work_size is NULL"
    let keeps_groups = buffer.keeps_groups || value_of(&pairs, ASSERTS) & KEEPS_GROUPS != 0;
    ensure(
        !keeps_groups || !local.is_null(),
        CL_INVALID_VALUE,
        "the number of groups is kept, and there is no local size",
    )?;
    let kernel = kernel.get::<Kernel>()?;
    let space = Space {
        dimensions,
        offset,
        global,
        local,
    };
    let dispatch = Dispatch {
        own: Arc::new(kernel.duplicate()),
        kernel,
        sizes: space.read()?,
    };
    // "If CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR is not specified then it defaults to the value
    // returned by the CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR device query"
    let fields = if named { asked } else { ALL_FIELDS };
    // "Finalized … is a valid state only for mutable command-buffers"
    let late = if buffer.is_mutable { asked } else { 0 };
    let number = buffer.record(recorded(&buffer.queue, dispatch, late)?);
    to.point.set(number as u32);
    if !to.mutable.is_null() {
        let list = as_passed(to.properties, &pairs);
        to.mutable.set(show(&buffer.handle(number, list, fields)));
    }
    Ok(())
}

/// The command of a kernel. Arguments may be missing if they are among the `fields`.
fn recorded(queue: &Queue, dispatch: Dispatch, fields: u64) -> Result<Recorded> {
    let made = execute::launch(
        queue,
        &dispatch.own,
        &dispatch.sizes,
        CL_COMMAND_NDRANGE_KERNEL,
    );
    let command = match made {
        // "CL_INVALID_KERNEL_ARGS if the kernel argument values have not been specified and the
        // CL_MUTABLE_DISPATCH_ARGUMENTS_KHR flag was not set in the properties parameter"
        Err(error) if error.code == CL_INVALID_KERNEL_ARGS && fields & ARGUMENTS != 0 => None,
        made => Some(made?),
    };
    Ok(Recorded {
        command,
        dispatch: Some(dispatch),
    })
}

pub(crate) fn update(
    buffer: Handle,
    count: u32,
    kinds: In<u32>,
    Unconst(configs): Unconst<Bytes>,
) -> Result<()> {
    let buffer = buffer.get::<CommandBuffer>()?;
    // "CL_INVALID_OPERATION if command_buffer has not been finalized [or] was not created with the
    // CL_COMMAND_BUFFER_MUTABLE_KHR flag"
    ensure(
        buffer.stage() != Stage::Recording && buffer.is_mutable,
        CL_INVALID_OPERATION,
        "the command buffer is not final, or not mutable",
    )?;
    // "CL_INVALID_VALUE if config_types is NULL and num_configs > 0, or config_types is not NULL and
    // num_configs is 0", the same of configs
    ensure(
        kinds.is_null() == (count == 0) && configs.is_null() == (count == 0),
        CL_INVALID_VALUE,
        "the configurations, their types and their number do not go together",
    )?;
    // "CL_INVALID_VALUE if any element of config_types is not a valid … enum", "… if any element of
    // configs is NULL"
    let count = count as usize;
    let configs = configs.list(count).into_iter().map(|Bytes(at)| at.values());
    let configs: Vec<In<DispatchConfig>> = configs.collect();
    ensure(
        kinds
            .list(count)
            .iter()
            .all(|&kind| kind == DISPATCH_CONFIG),
        CL_INVALID_VALUE,
        "a configuration is not one of a kernel",
    )?;
    let configs: Option<Vec<_>> = configs.into_iter().map(In::get).collect();
    let why = "a configuration is null";
    let configs = configs.ok_or_else(|| Error::new(CL_INVALID_VALUE, why))?;
    // "Otherwise, none of the updates to mutable-command objects are preserved"
    let mut changes: BTreeMap<usize, Recorded> = BTreeMap::new();
    for config in &configs {
        let command = config.command.get::<MutableCommand>()?;
        // "CL_INVALID_MUTABLE_COMMAND_KHR if command is not a valid mutable command object … created
        // from command_buffer"
        let own = command.buffer.upgrade();
        ensure(
            own.is_some_and(|own| Arc::ptr_eq(&own, &buffer)),
            number::INVALID_MUTABLE_COMMAND,
            "the command is of another command buffer",
        )?;
        let changed = changes.get(&command.index);
        let changed = changed.and_then(|recorded| recorded.dispatch.clone());
        let dispatch = changed.or_else(|| buffer.dispatch(command.index));
        let why = "the command runs no kernel";
        let dispatch = dispatch.ok_or_else(|| Error::new(number::INVALID_MUTABLE_COMMAND, why))?;
        let dispatch = changed_by(config, &dispatch, command.fields)?;
        let recorded = recorded(&buffer.queue, dispatch, command.fields)?;
        changes.insert(command.index, recorded);
    }
    buffer.change(changes)
}

/// A command with what a configuration changes of it, as far as its fields allow.
fn changed_by(config: &DispatchConfig, before: &Dispatch, fields: u64) -> Result<Dispatch> {
    let dimensions = before.sizes.global.len();
    // "CL_INVALID_OPERATION if work_dim is not zero and different from the work_dim set on command
    // recording"
    ensure(
        config.dimensions == 0 || config.dimensions as usize == dimensions,
        CL_INVALID_OPERATION,
        format!("{} dimensions, not {dimensions}", config.dimensions),
    )?;
    // "CL_INVALID_OPERATION if the CL_MUTABLE_DISPATCH_…_KHR property was not set on command
    // recording and … is not NULL"
    let given = [
        (GLOBAL_OFFSET, !config.offset.is_null()),
        (GLOBAL_SIZE, !config.global.is_null()),
        (LOCAL_SIZE, !config.local.is_null()),
        (ARGUMENTS, config.arg_count > 0 || config.svm_arg_count > 0),
        (EXEC_INFO, config.info_count > 0),
    ];
    for (field, is_given) in given {
        ensure(
            !is_given || fields & field != 0,
            CL_INVALID_OPERATION,
            format!("the command was recorded without the field {field:#x}"),
        )?;
    }
    // "CL_INVALID_VALUE if arg_list is NULL and num_args > 0, or arg_list is not NULL and num_args is
    // 0", the same of arg_svm_list and exec_info_list
    let lists = [
        (config.args.is_null(), config.arg_count),
        (config.svm_args.is_null(), config.svm_arg_count),
        (config.infos.is_null(), config.info_count),
    ];
    ensure(
        lists
            .iter()
            .all(|&(is_null, count)| is_null == (count == 0)),
        CL_INVALID_VALUE,
        "a list and its length do not go together",
    )?;
    let own = before.own.duplicate();
    for KernelArg { index, size, value } in config.args.list(config.arg_count as usize) {
        kernel::set_arg_of(&own, index, size, value)?;
    }
    // Of shared virtual memory, or of unified, which has no list of its own.
    for KernelArg { index, value, .. } in config.svm_args.list(config.svm_arg_count as usize) {
        svm::set_listed_arg(&own, index, value)?;
    }
    for ExecInfo { name, size, value } in config.infos.list(config.info_count as usize) {
        svm::set_exec_info_of(&own, name, size, value)?;
    }
    let mut sizes = before.sizes.clone();
    let read = |list: In<usize>| {
        let list = list.list(dimensions).into_iter();
        list.map(|size| size as u64).collect::<Vec<_>>()
    };
    if !config.offset.is_null() {
        sizes.offset = read(config.offset);
    }
    if !config.global.is_null() {
        sizes.global = read(config.global);
    }
    if !config.local.is_null() {
        sizes.local = Some(read(config.local));
    }
    sizes.check()?;
    // "CL_INVALID_OPERATION if the values of local_work_size and/or global_work_size result in a
    // change to work-group uniformity"
    ensure(
        sizes.is_uniform() == before.sizes.is_uniform(),
        CL_INVALID_OPERATION,
        "groups of one size stay so, and groups of several sizes, too",
    )?;
    Ok(Dispatch {
        kernel: before.kernel.clone(),
        own: Arc::new(own),
        sizes,
    })
}

pub(crate) fn info(handle: Handle, name: u32) -> Result<Answer> {
    let command = handle.get::<MutableCommand>()?;
    let gone = || {
        Error::new(
            number::INVALID_MUTABLE_COMMAND,
            "its command buffer is gone",
        )
    };
    let buffer = command.buffer.upgrade().ok_or_else(gone)?;
    let dispatch = buffer.dispatch(command.index).ok_or_else(gone)?;
    let sizes = &dispatch.sizes;
    Ok(match name {
        COMMAND_QUEUE => info::handle(buffer.queue.base().handle()),
        COMMAND_BUFFER => info::handle(buffer.base().handle()),
        COMMAND_TYPE => info::value(CL_COMMAND_NDRANGE_KERNEL),
        PROPERTIES_ARRAY => info::list(&command.properties),
        DISPATCH_KERNEL => info::handle(dispatch.kernel.base().handle()),
        DISPATCH_DIMENSIONS => info::value(sizes.global.len() as u32),
        DISPATCH_GLOBAL_WORK_OFFSET => info::list(&sizes.offset),
        DISPATCH_GLOBAL_WORK_SIZE => info::list(&sizes.global),
        // "If a local work-item size was not set, zero is returned for each element in the array."
        DISPATCH_LOCAL_WORK_SIZE => match &sizes.local {
            Some(local) => info::list(local),
            None => info::list(&vec![0u64; sizes.global.len()]),
        },
        _ => return Err(info::unknown("a mutable command", name)),
    })
}
