//! Contexts and address spaces.

use std::sync::Arc;

use kmd_iface::uapi::i915::context::{
    CONTEXT_CREATE_EXT_SETPARAM, CONTEXT_ENGINES_EXT_LOAD_BALANCE, ContextCreateExt,
    ContextCreateExtSetparam, ContextCreateFlags, ContextDestroy, ContextParam, ContextParamArgs,
    ContextParamEngines, ContextParamSseu, EnginesLoadBalance, MAX_USER_PRIORITY,
    MIN_USER_PRIORITY, ResetStats, VmControl,
};
use kmd_iface::uapi::i915::{ENGINE_CLASS_INVALID, EngineClassInstance};
use nix::errno::Errno;
use zerocopy::IntoBytes;

use super::{find_engine, for_each_extension, read_extension};
use crate::client::{Context, EngineSlot, File, Vm};
use crate::device::Device;
use softgpu_memory::user;

/// The most entries of an engine map: the limit of execbuffer's field.
const ENGINE_LIMIT: usize = 64;

/// Bytes of an address space.
const GTT_SIZE: u64 = 1 << 48;

pub(super) fn create(file: &File, args: &mut ContextCreateExt) -> Result<(), Errno> {
    let allowed = ContextCreateFlags::USE_EXTENSIONS | ContextCreateFlags::SINGLE_TIMELINE;
    if !(args.flags - allowed).is_empty() {
        return Err(Errno::EINVAL);
    }
    let context = Context::new(Arc::clone(file.device()), Arc::new(Vm::default()));
    if args.flags.contains(ContextCreateFlags::USE_EXTENSIONS) {
        for_each_extension(args.extensions, |name, address| match name {
            CONTEXT_CREATE_EXT_SETPARAM => {
                let extension: ContextCreateExtSetparam = read_extension(address)?;
                if extension.param.ctx_id != 0 {
                    return Err(Errno::EINVAL);
                }
                set(file, &context, &extension.param)
            }
            _ => Err(Errno::EINVAL),
        })?;
    }
    args.ctx_id = file.contexts.insert(context)?;
    Ok(())
}

pub(super) fn destroy(file: &File, args: &mut ContextDestroy) -> Result<(), Errno> {
    if args.pad != 0 {
        return Err(Errno::EINVAL);
    }
    file.destroy_context(args.ctx_id)
}

pub(super) fn setparam(file: &File, args: &mut ContextParamArgs) -> Result<(), Errno> {
    let context = file.context(args.ctx_id)?;
    set(file, &context, args)
}

fn set(file: &File, context: &Context, args: &ContextParamArgs) -> Result<(), Errno> {
    let parameter = ContextParam::from_raw(args.param).ok_or(Errno::EINVAL)?;
    // The kernel requires a size of 0 unless the value is a pointer.
    let plain = || match args.size {
        0 => Ok(args.value),
        _ => Err(Errno::EINVAL),
    };
    let truth = || plain().map(|value| value != 0);
    match parameter {
        ContextParam::NoZeromap | ContextParam::BanPeriod => Err(Errno::EINVAL),
        ContextParam::NoErrorCapture => {
            context.settings().no_error_capture = truth()?;
            Ok(())
        }
        ContextParam::Bannable => {
            let bannable = truth()?;
            if !bannable && !file.device().options.privileged {
                return Err(Errno::EPERM);
            }
            context.status.tolerance().bannable = bannable;
            Ok(())
        }
        ContextParam::Recoverable => {
            context.status.tolerance().recoverable = truth()?;
            Ok(())
        }
        ContextParam::Persistence => {
            context.settings().persistence = truth()?;
            Ok(())
        }
        ContextParam::Priority => {
            let priority = plain()?.cast_signed();
            if !(MIN_USER_PRIORITY..=MAX_USER_PRIORITY).contains(&priority) {
                return Err(Errno::EINVAL);
            }
            // Only CAP_SYS_NICE may go above the default.
            if priority > 0 && !file.device().options.privileged {
                return Err(Errno::EPERM);
            }
            context.settings().priority = priority;
            Ok(())
        }
        ContextParam::Vm => {
            let id = u32::try_from(plain()?).map_err(|_| Errno::ENOENT)?;
            // A context keeps the address space that it has used.
            if !context.is_unused() {
                return Err(Errno::EBUSY);
            }
            context.settings().vm = file.vms.get(id).ok_or(Errno::ENOENT)?;
            Ok(())
        }
        ContextParam::Engines => {
            if !context.is_unused() {
                return Err(Errno::EINVAL);
            }
            let engines = read_engines(file.device(), args)?;
            context.settings().engines = engines;
            Ok(())
        }
        ContextParam::Sseu => {
            let size = args.size as usize;
            if size < size_of::<ContextParamSseu>() {
                return Err(Errno::EINVAL);
            }
            // Everything is always powered; asking for that changes nothing.
            let sseu: ContextParamSseu = user::read(args.value)?;
            let sku = file.device().platform.default_sku();
            let full = |mask: u64, count: u8| mask == (1u64 << count.min(63)) - 1;
            let all = full(sseu.slice_mask, sku.slices)
                && full(sseu.subslice_mask, sku.subslices_per_slice);
            if all { Ok(()) } else { Err(Errno::ENODEV) }
        }
        ContextParam::ProtectedContent if !truth()? => Ok(()),
        ContextParam::LowLatency => Ok(()),
        ContextParam::ProtectedContent
        | ContextParam::GttSize
        | ContextParam::Ringsize
        | ContextParam::ContextImage => Err(Errno::EINVAL),
    }
}

/// The engine map at a parameter's value; an empty one restores the legacy map.
fn read_engines(
    device: &Device,
    args: &ContextParamArgs,
) -> Result<Option<Vec<Option<EngineSlot>>>, Errno> {
    let size = args.size as usize;
    if size == 0 {
        return Ok(None);
    }
    let header_size = size_of::<ContextParamEngines>();
    let entry_size = size_of::<EngineClassInstance>();
    let entries = size.checked_sub(header_size).ok_or(Errno::EINVAL)?;
    let count = entries / entry_size;
    if !entries.is_multiple_of(entry_size) || count > ENGINE_LIMIT {
        return Err(Errno::EINVAL);
    }
    let header: ContextParamEngines = user::read(args.value)?;
    let list = args
        .value
        .checked_add(header_size as u64)
        .ok_or(Errno::EFAULT)?;
    let ids: Vec<EngineClassInstance> = user::read_array(list, count as u64)?;
    let mut slots = Vec::new();
    for id in ids {
        if id.engine_class == ENGINE_CLASS_INVALID && id.engine_instance == ENGINE_CLASS_INVALID {
            slots.push(None);
        } else {
            slots.push(Some(find_engine(device, id).ok_or(Errno::ENOENT)?));
        }
    }
    for_each_extension(header.extensions, |name, address| match name {
        CONTEXT_ENGINES_EXT_LOAD_BALANCE => balance(device, &mut slots, address),
        _ => Err(Errno::EINVAL),
    })?;
    Ok(Some(slots))
}

/// Puts a virtual engine into its slot: the first of its siblings, as each class has one.
fn balance(device: &Device, slots: &mut [Option<EngineSlot>], address: u64) -> Result<(), Errno> {
    let extension: EnginesLoadBalance = read_extension(address)?;
    if extension.flags != 0 || extension.mbz64 != 0 {
        return Err(Errno::EINVAL);
    }
    let slot = slots
        .get_mut(usize::from(extension.engine_index))
        .ok_or(Errno::EINVAL)?;
    if slot.is_some() {
        return Err(Errno::EEXIST);
    }
    let list = address
        .checked_add(size_of::<EnginesLoadBalance>() as u64)
        .ok_or(Errno::EFAULT)?;
    let ids: Vec<EngineClassInstance> = user::read_array(list, u64::from(extension.num_siblings))?;
    for id in ids {
        let sibling = find_engine(device, id).ok_or(Errno::EINVAL)?;
        match slot {
            Some(first) if first.class != sibling.class => return Err(Errno::EINVAL),
            Some(_) => {}
            None => *slot = Some(sibling),
        }
    }
    Ok(())
}

pub(super) fn getparam(file: &File, args: &mut ContextParamArgs) -> Result<(), Errno> {
    let context = file.context(args.ctx_id)?;
    let settings = context.settings().clone();
    let parameter = ContextParam::from_raw(args.param).ok_or(Errno::EINVAL)?;
    let value = match parameter {
        ContextParam::GttSize => GTT_SIZE,
        ContextParam::NoErrorCapture => settings.no_error_capture.into(),
        ContextParam::Bannable => context.status.tolerance().bannable.into(),
        ContextParam::Recoverable => context.status.tolerance().recoverable.into(),
        ContextParam::Persistence => settings.persistence.into(),
        ContextParam::Priority => settings.priority.cast_unsigned(),
        // Each call makes a handle, as the kernel does.
        ContextParam::Vm => file.vms.insert(settings.vm)?.into(),
        ContextParam::Sseu => return get_sseu(file, args),
        ContextParam::ProtectedContent => 0,
        ContextParam::BanPeriod
        | ContextParam::NoZeromap
        | ContextParam::Engines
        | ContextParam::Ringsize
        | ContextParam::LowLatency
        | ContextParam::ContextImage => return Err(Errno::EINVAL),
    };
    args.size = 0;
    args.value = value;
    Ok(())
}

fn get_sseu(file: &File, args: &mut ContextParamArgs) -> Result<(), Errno> {
    let size = size_of::<ContextParamSseu>();
    let room = args.size as usize;
    args.size = u32::try_from(size).map_err(|_| Errno::EINVAL)?;
    if room == 0 {
        return Ok(());
    }
    if room < size {
        return Err(Errno::EINVAL);
    }
    let mut sseu: ContextParamSseu = user::read(args.value)?;
    if sseu.rsvd != 0 || find_engine(file.device(), sseu.engine).is_none() {
        return Err(Errno::EINVAL);
    }
    let sku = file.device().platform.default_sku();
    sseu.slice_mask = (1u64 << sku.slices.min(63)) - 1;
    sseu.subslice_mask = (1u64 << sku.subslices_per_slice.min(63)) - 1;
    sseu.min_eus_per_subslice = sku.eus_per_subslice.into();
    sseu.max_eus_per_subslice = sku.eus_per_subslice.into();
    user::copy_out(args.value, sseu.as_bytes())
}

pub(super) fn vm_create(file: &File, args: &mut VmControl) -> Result<(), Errno> {
    if args.flags != 0 {
        return Err(Errno::EINVAL);
    }
    // No extension is defined.
    for_each_extension(args.extensions, |_, _| Err(Errno::EINVAL))?;
    args.vm_id = file.vms.insert(Arc::new(Vm::default()))?;
    Ok(())
}

pub(super) fn vm_destroy(file: &File, args: &mut VmControl) -> Result<(), Errno> {
    if args.flags != 0 || args.extensions != 0 {
        return Err(Errno::EINVAL);
    }
    file.vms.remove(args.vm_id).map(drop).ok_or(Errno::ENOENT)
}

pub(super) fn reset_stats(file: &File, args: &mut ResetStats) -> Result<(), Errno> {
    if args.flags != 0 || args.pad != 0 {
        return Err(Errno::EINVAL);
    }
    let context = file.context(args.ctx_id)?;
    let (active, pending) = context.status.lost();
    // Only privileged callers see the whole device's count.
    args.reset_count = 0;
    args.batch_active = active;
    args.batch_pending = pending;
    Ok(())
}
