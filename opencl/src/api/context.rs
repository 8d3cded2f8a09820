//! Contexts (specification, section 4.4).

use std::sync::Arc;

use opencl_sys::*;

use super::abi::In;
use super::info::{self, Answer};
use super::{device, platform};
use crate::core::callback::{ContextCallback, ContextNotify, ObjectCallback, ObjectNotify};
use crate::core::{Context, Device, Handle, Memory, Object, publish};
use crate::error::{Error, Result, ensure};

pub(crate) fn create(
    properties: In<isize>,
    count: u32,
    devices: In<Handle>,
    notify: ContextNotify,
    data: Memory,
) -> Result<Handle> {
    // "CL_INVALID_VALUE if devices is NULL; … if num_devices is equal to zero"
    ensure(
        !devices.is_null() && count > 0,
        CL_INVALID_VALUE,
        "there are no devices",
    )?;
    // "CL_INVALID_DEVICE if any device in devices is not a valid device"
    let devices = devices.list(count as usize).into_iter();
    let devices = devices.map(Handle::get::<Device>).collect::<Result<_>>()?;
    make(properties, devices, notify, data)
}

pub(crate) fn create_from_type(
    properties: In<isize>,
    kind: u64,
    notify: ContextNotify,
    data: Memory,
) -> Result<Handle> {
    make(properties, device::of_type(kind)?.to_vec(), notify, data)
}

fn make(
    properties: In<isize>,
    devices: Vec<Arc<Device>>,
    notify: ContextNotify,
    data: Memory,
) -> Result<Handle> {
    // "CL_INVALID_VALUE if pfn_notify is NULL but user_data is not NULL"
    ensure(
        notify.is_some() || data.is_null(),
        CL_INVALID_VALUE,
        "there are data for a callback, but no callback",
    )?;
    let pairs = properties.pairs();
    for (index, &(name, value)) in pairs.iter().enumerate() {
        match name {
            CL_CONTEXT_PLATFORM => {
                let handle = Handle::of(value.cast_unsigned());
                // "CL_INVALID_PLATFORM … if platform value specified in properties is not a valid
                // platform"
                ensure(
                    !handle.is_null(),
                    CL_INVALID_PLATFORM,
                    "the platform is null",
                )?;
                platform::check(handle)?;
            }
            // "CL_INVALID_PROPERTY … if the value specified for a supported property name is not
            // valid"
            CL_CONTEXT_INTEROP_USER_SYNC => ensure(
                [0, 1].contains(&value),
                CL_INVALID_PROPERTY,
                format!("{value} is no cl_bool"),
            )?,
            // "CL_INVALID_PROPERTY if context property name in properties is not a supported
            // property name"
            _ => {
                let why = format!("there is no context property {name:#x}");
                return Err(Error::new(CL_INVALID_PROPERTY, why));
            }
        }
        // "… or if the same property name is specified more than once"
        ensure(
            pairs.iter().take(index).all(|&(other, _)| other != name),
            CL_INVALID_PROPERTY,
            format!("the context property {name:#x} stands there twice"),
        )?;
    }
    let mut list: Vec<_> = pairs
        .iter()
        .flat_map(|&(name, value)| [name, value])
        .collect();
    if !properties.is_null() {
        list.push(0);
    }
    // "… duplicate devices specified in devices are ignored"
    let mut distinct: Vec<Arc<Device>> = Vec::new();
    for device in devices {
        if !distinct.iter().any(|known| Arc::ptr_eq(known, &device)) {
            distinct.push(device);
        }
    }
    let notify = notify.map(|function| ContextCallback { function, data });
    Ok(publish(Arc::new(Context::new(distinct, list, notify))))
}

pub(crate) fn retain(context: Handle) -> Result<()> {
    context.retain::<Context>()
}

pub(crate) fn release(context: Handle) -> Result<()> {
    context.release::<Context>()
}

pub(crate) fn info(handle: Handle, name: u32) -> Result<Answer> {
    let context = handle.get::<Context>()?;
    Ok(match name {
        CL_CONTEXT_REFERENCE_COUNT => info::value(handle.references()),
        CL_CONTEXT_NUM_DEVICES => info::value(context.devices.len() as u32),
        CL_CONTEXT_DEVICES => {
            info::handles(context.devices.iter().map(|device| device.base().handle()))
        }
        CL_CONTEXT_PROPERTIES => info::list(&context.properties),
        _ => return Err(info::unknown("a context", name)),
    })
}

pub(crate) fn set_destructor(context: Handle, notify: ObjectNotify, data: Memory) -> Result<()> {
    let context = context.get::<Context>()?;
    // "CL_INVALID_VALUE if pfn_notify is NULL"
    let function = notify.ok_or_else(|| Error::new(CL_INVALID_VALUE, "there is no callback"))?;
    context.add_destructor(ObjectCallback { function, data });
    Ok(())
}
