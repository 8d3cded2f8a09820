//! Whether a [`KernelAbi`] that others built keeps within its limits.

use devinfo::{Platform, WalkerKind};

use super::assembled::check_platform;
use super::entry::{
    KernelAbi, PAYLOAD_UNIT, PayloadEntry, PayloadValue, SamplerSource, SurfaceSource,
};
use super::error::BinaryError;
use super::info::ArgKind;
use super::lower::{MAX_ARGS, MAX_BTI, MAX_PAYLOAD, MAX_SAMPLERS};

/// What a kernel's first instruction lies at a multiple of.
const START_UNIT: u32 = 64;
/// An instruction is compacted to 8 bytes, or has twice as many.
const INSTRUCTION_UNIT: usize = 8;
/// The most inline data: a register.
const MAX_INLINE: u32 = 64;
/// The largest alignment of a local argument, and of a buffer.
const MAX_ALIGNMENT: u32 = 1 << 16;

/// An error about a field.
pub(super) fn error(abi: &KernelAbi, path: impl Into<String>, why: String) -> BinaryError {
    BinaryError::Abi {
        kernel: abi.info.name.clone(),
        path: path.into(),
        why,
    }
}

/// Checks a kernel and its code.
///
/// # Errors
/// The first field that is out of its limits.
pub(super) fn kernel(abi: &KernelAbi, code: &[u8], platform: &Platform) -> Result<(), BinaryError> {
    let info = &abi.info;
    let fail = |path: &str, why: String| Err(error(abi, path, why));
    check_platform(&info.name, platform, info.simd, info.grf_count)?;
    if info.name.is_empty() {
        return fail("info.name", "it is empty".to_owned());
    }
    if code.is_empty() || !code.len().is_multiple_of(INSTRUCTION_UNIT) {
        let why = format!("{} bytes are no instructions", code.len());
        return fail("code", why);
    }
    if info.slm_size > platform.max_slm_bytes {
        let (size, most) = (info.slm_size, platform.max_slm_bytes);
        let why = format!("{size} bytes; {platform} has {most} a work-group");
        return fail("info.slm_size", why);
    }
    if let Some(local) = info.required_local_size
        && local.contains(&0)
    {
        let why = format!("{local:?} is not three numbers above zero");
        return fail("info.required_local_size", why);
    }
    if let Some(size) = info.required_sub_group_size
        && size != info.simd
    {
        let why = format!("{size} is required, info.simd is {}", info.simd);
        return fail("info.required_sub_group_size", why);
    }
    let size = abi.cross_thread_size;
    if size > MAX_PAYLOAD || !size.is_multiple_of(PAYLOAD_UNIT) {
        let why = format!("{size} is no multiple of {PAYLOAD_UNIT} up to {MAX_PAYLOAD}");
        return fail("cross_thread_size", why);
    }
    if abi.inline_data > MAX_INLINE {
        let why = format!("{} bytes, the limit is {MAX_INLINE}", abi.inline_data);
        return fail("inline_data", why);
    }
    let skipped = abi.entry_with_ids;
    if !skipped.is_multiple_of(START_UNIT) || skipped as usize >= code.len() {
        let why = format!(
            "{skipped} is no multiple of {START_UNIT} below the code's {} bytes",
            code.len()
        );
        return fail("entry_with_ids", why);
    }
    let mut order = abi.walk_order;
    order.sort_unstable();
    if order != [0, 1, 2] {
        let why = format!("{:?} is not an order of 0, 1 and 2", abi.walk_order);
        return fail("walk_order", why);
    }
    local_ids(abi, platform)?;
    let compute = platform.family.walker() == WalkerKind::Compute;
    if abi.implicit_block && !compute {
        let why = format!("threads of {platform} do not load their payload themselves");
        return fail("implicit_block", why);
    }
    if abi.scratch[1] > 0 && !compute {
        return fail("scratch[1]", format!("{platform} has one slot of scratch"));
    }
    if abi.eu.systolic && !platform.systolic {
        return fail("eu.systolic", format!("{platform} has no systolic arrays"));
    }
    arguments(abi, platform)?;
    for (number, field) in abi.payload.iter().enumerate() {
        payload(abi, number, field)?;
    }
    states(abi)
}

fn local_ids(abi: &KernelAbi, platform: &Platform) -> Result<(), BinaryError> {
    let ids = abi.local_ids;
    if ids.dimensions > 3 {
        let why = format!("{}, the limit is 3", ids.dimensions);
        return Err(error(abi, "local_ids.dimensions", why));
    }
    let needed = match ids.packed {
        true => 2,
        false => (abi.info.simd * 2).next_multiple_of(platform.grf_bytes() as u32),
    };
    if ids.dimensions > 0 && ids.bytes_per_dimension != needed {
        let why = format!("{}, it must be {needed}", ids.bytes_per_dimension);
        return Err(error(abi, "local_ids.bytes_per_dimension", why));
    }
    Ok(())
}

fn arguments(abi: &KernelAbi, platform: &Platform) -> Result<(), BinaryError> {
    let args = &abi.info.args;
    if args.len() > MAX_ARGS as usize {
        let why = format!("there are {}, the limit is {MAX_ARGS}", args.len());
        return Err(error(abi, "info.args", why));
    }
    for (number, arg) in args.iter().enumerate() {
        let fail = |what: &str, why| Err(error(abi, format!("info.args[{number}].{what}"), why));
        if !arg.alignment.is_power_of_two() || arg.alignment > MAX_ALIGNMENT {
            let why = format!("{} is no power of two up to {MAX_ALIGNMENT}", arg.alignment);
            return fail("alignment", why);
        }
        match arg.kind {
            ArgKind::Value { size, .. } if size == 0 || size > MAX_PAYLOAD => {
                let why = format!("{size} bytes, 1 to {MAX_PAYLOAD} are possible");
                return fail("kind", why);
            }
            ArgKind::Image(_) | ArgKind::Sampler if !platform.images => {
                return fail("kind", format!("{platform} has no images"));
            }
            _ => {}
        }
    }
    Ok(())
}

fn payload(abi: &KernelAbi, number: usize, field: &PayloadEntry) -> Result<(), BinaryError> {
    let fail = |what: &str, why| Err(error(abi, format!("payload[{number}].{what}"), why));
    let end = field.offset.checked_add(field.size);
    if end.is_none_or(|end| end > abi.cross_thread_size) {
        let why = format!(
            "{} bytes at {}, the payload has {}",
            field.size, field.offset, abi.cross_thread_size
        );
        return fail("offset", why);
    }
    let sizes = match field.value {
        PayloadValue::GlobalOffset
        | PayloadValue::LocalSize
        | PayloadValue::EnqueuedLocalSize
        | PayloadValue::GroupCount
        | PayloadValue::GlobalSize => 1..=12,
        PayloadValue::Value { .. } => 1..=MAX_PAYLOAD,
        PayloadValue::WorkDimensions
        | PayloadValue::BufferOffset { .. }
        | PayloadValue::Image { .. }
        | PayloadValue::Sampler { .. } => 4..=4,
        PayloadValue::BufferSize { .. } => 8..=8,
        _ => 4..=8,
    };
    if !sizes.contains(&field.size) {
        let why = format!(
            "{} bytes, {} to {} are possible",
            field.size,
            sizes.start(),
            sizes.end()
        );
        return fail("size", why);
    }
    let is_kind = |arg: usize, fits: fn(ArgKind) -> bool| match abi.info.args.get(arg) {
        Some(info) if fits(info.kind) => Ok(()),
        Some(info) => fail("value", format!("argument {arg} is a {}", info.kind)),
        None => fail("value", no_argument(abi, arg)),
    };
    match field.value {
        PayloadValue::Value { arg, source } => {
            is_kind(arg, |kind| matches!(kind, ArgKind::Value { .. }))?;
            match abi.info.args.get(arg).map(|info| info.kind) {
                Some(ArgKind::Value { size, .. }) if source >= size => {
                    let why = format!("byte {source} of argument {arg}, which has {size}");
                    fail("value", why)
                }
                _ => Ok(()),
            }
        }
        PayloadValue::Address { arg }
        | PayloadValue::BufferOffset { arg }
        | PayloadValue::BufferSize { arg } => is_kind(arg, |kind| kind == ArgKind::Buffer),
        PayloadValue::SlmOffset { arg, alignment } => {
            if !alignment.is_power_of_two() || alignment > MAX_ALIGNMENT {
                let why = format!("alignment {alignment} is no power of two up to {MAX_ALIGNMENT}");
                return fail("value", why);
            }
            is_kind(arg, |kind| kind == ArgKind::Local)
        }
        PayloadValue::BindlessSurface {
            source: SurfaceSource::Argument(arg),
        } => is_kind(arg, is_surface),
        PayloadValue::Image { arg, .. } => is_kind(arg, |kind| matches!(kind, ArgKind::Image(_))),
        PayloadValue::BindlessSampler { arg } | PayloadValue::Sampler { arg, .. } => {
            is_kind(arg, |kind| kind == ArgKind::Sampler)
        }
        PayloadValue::BindlessInlineSampler { index } => {
            let is_it = |source| matches!(source, SamplerSource::Inline(_));
            let mut slots = abi.samplers.iter();
            match slots.any(|slot| slot.index == index && is_it(slot.source)) {
                true => Ok(()),
                false => fail("value", format!("there is no inline sampler {index}")),
            }
        }
        _ => Ok(()),
    }
}

fn is_surface(kind: ArgKind) -> bool {
    matches!(kind, ArgKind::Buffer | ArgKind::Image(_))
}

fn no_argument(abi: &KernelAbi, arg: usize) -> String {
    let count = abi.info.args.len();
    format!("there is no argument {arg}; there are {count}")
}

fn states(abi: &KernelAbi) -> Result<(), BinaryError> {
    let args = &abi.info.args;
    for (number, slot) in abi.surfaces.iter().enumerate() {
        let fail = |why| Err(error(abi, format!("surfaces[{number}]"), why));
        if slot.index >= MAX_BTI {
            return fail(format!(
                "index {}, the limit is {}",
                slot.index,
                MAX_BTI - 1
            ));
        }
        let mut before = abi.surfaces.iter().take(number);
        if before.any(|other| other.index == slot.index) {
            return fail(format!("index {} is there twice", slot.index));
        }
        if let SurfaceSource::Argument(arg) = slot.source
            && !args.get(arg).is_some_and(|info| is_surface(info.kind))
        {
            return fail(format!("argument {arg} is no buffer or image"));
        }
    }
    for (number, slot) in abi.samplers.iter().enumerate() {
        let fail = |why| Err(error(abi, format!("samplers[{number}]"), why));
        if slot.index >= MAX_SAMPLERS {
            let most = MAX_SAMPLERS - 1;
            return fail(format!("index {}, the limit is {most}", slot.index));
        }
        if let SamplerSource::Argument(arg) = slot.source
            && args
                .get(arg)
                .is_none_or(|info| info.kind != ArgKind::Sampler)
        {
            return fail(format!("argument {arg} is no sampler"));
        }
    }
    Ok(())
}
