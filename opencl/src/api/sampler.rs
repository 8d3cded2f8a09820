//! Samplers (specification, section 5.7).

use std::sync::Arc;

use opencl_sys::*;

use super::abi::In;
use super::execute::boolean;
use super::info::{self, Answer};
use crate::core::{Context, Handle, Object, Sampler, publish};
use crate::error::{Error, Result, ensure};

pub(crate) fn create_plain(
    context: Handle,
    normalized: u32,
    addressing: u32,
    filter: u32,
) -> Result<Handle> {
    make(context, normalized, (addressing, filter), Vec::new())
}

pub(crate) fn create(context: Handle, properties: In<u64>) -> Result<Handle> {
    let (mut normalized, mut addressing, mut filter) =
        (CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST);
    let mut list = Vec::new();
    for (name, value) in properties.pairs() {
        // "CL_INVALID_VALUE if the property name in sampler_properties is not a supported property
        // name, … or if the same property name is specified more than once"
        let is_new = !list.iter().step_by(2).any(|&known| known == name);
        let place = match u32::try_from(name) {
            Ok(CL_SAMPLER_NORMALIZED_COORDS) if is_new => &mut normalized,
            Ok(CL_SAMPLER_ADDRESSING_MODE) if is_new => &mut addressing,
            Ok(CL_SAMPLER_FILTER_MODE) if is_new => &mut filter,
            _ => {
                let why = format!("the sampler property {name:#x} is unknown, or given twice");
                return Err(Error::new(CL_INVALID_VALUE, why));
            }
        };
        let value_is_large = || Error::new(CL_INVALID_VALUE, format!("{value:#x} is no mode"));
        *place = u32::try_from(value).map_err(|_| value_is_large())?;
        list.extend([name, value]);
    }
    if !properties.is_null() {
        list.push(0);
    }
    make(context, normalized, (addressing, filter), list)
}

fn make(
    context: Handle,
    normalized: u32,
    (addressing, filter): (u32, u32),
    properties: Vec<u64>,
) -> Result<Handle> {
    let context = context.get::<Context>()?;
    // "CL_INVALID_OPERATION if images are not supported by any device associated with context"
    let has_images = context
        .devices
        .iter()
        .any(|device| device.limits.images.is_some());
    ensure(
        has_images,
        CL_INVALID_OPERATION,
        "no device of the context has images",
    )?;
    // "CL_INVALID_VALUE if addressing_mode, filter_mode, normalized_coords or a combination of
    // these arguments are not valid"
    let is_flag = normalized == CL_TRUE || normalized == CL_FALSE;
    let sampler = is_flag
        .then(|| Sampler::new(context, boolean(normalized), addressing, filter, properties))
        .flatten();
    let sampler = sampler.ok_or_else(|| {
        let why = format!("a sampler of modes {addressing:#x}, {filter:#x} and {normalized}");
        Error::new(CL_INVALID_VALUE, why)
    })?;
    Ok(publish(Arc::new(sampler)))
}

pub(crate) fn retain(sampler: Handle) -> Result<()> {
    sampler.retain::<Sampler>()
}

pub(crate) fn release(sampler: Handle) -> Result<()> {
    sampler.release::<Sampler>()
}

pub(crate) fn info(handle: Handle, name: u32) -> Result<Answer> {
    let sampler = handle.get::<Sampler>()?;
    Ok(match name {
        CL_SAMPLER_REFERENCE_COUNT => info::value(handle.references()),
        CL_SAMPLER_CONTEXT => info::handle(sampler.context.base().handle()),
        CL_SAMPLER_NORMALIZED_COORDS => info::boolean(sampler.normalized),
        CL_SAMPLER_ADDRESSING_MODE => info::value(sampler.addressing),
        CL_SAMPLER_FILTER_MODE => info::value(sampler.filter),
        CL_SAMPLER_PROPERTIES => info::list(&sampler.properties),
        _ => return Err(info::unknown("a sampler", name)),
    })
}
