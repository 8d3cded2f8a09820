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
use crate::refusal::{Answer, demand, ensure, refuse};
use softgpu_memory::user;

/// The most entries of an engine map: the limit of execbuffer's field.
const ENGINE_LIMIT: usize = 64;

/// Bytes of an address space.
const GTT_SIZE: u64 = 1 << 48;

pub(super) fn create(file: &File, args: &mut ContextCreateExt) -> Answer {
    let allowed = ContextCreateFlags::USE_EXTENSIONS | ContextCreateFlags::SINGLE_TIMELINE;
    let unknown = args.flags - allowed;
    ensure!(
        unknown.is_empty(),
        EINVAL,
        "flags: {unknown:?} is not known"
    );
    let context = Context::new(Arc::clone(file.device()), Arc::new(Vm::default()));
    if args.flags.contains(ContextCreateFlags::USE_EXTENSIONS) {
        for_each_extension(args.extensions, |name, address| match name {
            CONTEXT_CREATE_EXT_SETPARAM => {
                let extension: ContextCreateExtSetparam = read_extension(address)?;
                ensure!(
                    extension.param.ctx_id == 0,
                    EINVAL,
                    "SETPARAM: ctx_id {}: must be zero",
                    extension.param.ctx_id
                );
                set(file, &context, &extension.param)
            }
            _ => refuse!(EINVAL, "extension {name} is not known"),
        })?;
    }
    args.ctx_id = file.contexts.insert(context)?;
    Ok(())
}

pub(super) fn destroy(file: &File, args: &mut ContextDestroy) -> Answer {
    ensure!(args.pad == 0, EINVAL, "pad {:#x}: must be zero", args.pad);
    file.destroy_context(args.ctx_id)
}

pub(super) fn setparam(file: &File, args: &mut ContextParamArgs) -> Answer {
    let context = file.context(args.ctx_id)?;
    set(file, &context, args)
}

fn set(file: &File, context: &Context, args: &ContextParamArgs) -> Answer {
    let parameter = ContextParam::from_raw(args.param);
    let parameter = demand!(parameter, EINVAL, "param {:#x} is not known", args.param);
    // The kernel requires a size of 0 unless the value is a pointer.
    let plain = || match args.size {
        0 => Ok(args.value),
        size => refuse!(EINVAL, "{parameter:?}: size {size}: must be zero"),
    };
    let truth = || plain().map(|value| value != 0);
    match parameter {
        ContextParam::NoZeromap | ContextParam::BanPeriod => {
            refuse!(EINVAL, "{parameter:?} is gone")
        }
        ContextParam::NoErrorCapture => {
            context.settings().no_error_capture = truth()?;
            Ok(())
        }
        ContextParam::Bannable => {
            let bannable = truth()?;
            ensure!(
                bannable || file.device().options.privileged,
                EPERM,
                "Bannable: only privileged clients turn it off"
            );
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
            ensure!(
                (MIN_USER_PRIORITY..=MAX_USER_PRIORITY).contains(&priority),
                EINVAL,
                "Priority {priority}: from {MIN_USER_PRIORITY} to {MAX_USER_PRIORITY}"
            );
            // Only CAP_SYS_NICE may go above the default.
            ensure!(
                priority <= 0 || file.device().options.privileged,
                EPERM,
                "Priority {priority}: above zero only for privileged clients"
            );
            context.settings().priority = priority;
            Ok(())
        }
        ContextParam::Vm => {
            let id = u32::try_from(plain()?).map_err(|_| Errno::ENOENT)?;
            // A context keeps the address space that it has used.
            ensure!(
                context.is_unused(),
                EBUSY,
                "Vm: the context has run a batch"
            );
            context.settings().vm = demand!(file.vms.get(id), ENOENT, "there is no VM {id}");
            Ok(())
        }
        ContextParam::Engines => {
            ensure!(
                context.is_unused(),
                EINVAL,
                "Engines: the context has run a batch"
            );
            let engines = read_engines(file.device(), args)?;
            context.settings().engines = engines;
            Ok(())
        }
        ContextParam::Sseu => {
            let size = args.size as usize;
            ensure!(
                size >= size_of::<ContextParamSseu>(),
                EINVAL,
                "Sseu: size {size} holds no drm_i915_gem_context_param_sseu"
            );
            // Everything is always powered; asking for that changes nothing.
            let sseu: ContextParamSseu = user::read(args.value)?;
            let sku = file.device().platform.default_sku();
            let full = |mask: u64, count: u8| mask == (1u64 << count.min(63)) - 1;
            let all = full(sseu.slice_mask, sku.slices)
                && full(sseu.subslice_mask, sku.subslices_per_slice);
            ensure!(all, ENODEV, "Sseu: all slices and subslices are always on");
            Ok(())
        }
        ContextParam::ProtectedContent if !truth()? => Ok(()),
        ContextParam::LowLatency => Ok(()),
        ContextParam::ProtectedContent
        | ContextParam::GttSize
        | ContextParam::Ringsize
        | ContextParam::ContextImage => refuse!(EINVAL, "{parameter:?} cannot be set"),
    }
}

/// The engine map at a parameter's value; an empty one restores the legacy map.
fn read_engines(
    device: &Device,
    args: &ContextParamArgs,
) -> Answer<Option<Vec<Option<EngineSlot>>>> {
    let size = args.size as usize;
    if size == 0 {
        return Ok(None);
    }
    let header_size = size_of::<ContextParamEngines>();
    let entry_size = size_of::<EngineClassInstance>();
    let entries = size.checked_sub(header_size);
    let entries = demand!(entries, EINVAL, "Engines: size {size} holds no header");
    let count = entries / entry_size;
    ensure!(
        entries.is_multiple_of(entry_size) && count <= ENGINE_LIMIT,
        EINVAL,
        "Engines: size {size}: {entry_size} for each of at most {ENGINE_LIMIT} behind {header_size}"
    );
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
            let slot = demand!(
                find_engine(device, id),
                ENOENT,
                "Engines: the device has no {id:?}"
            );
            slots.push(Some(slot));
        }
    }
    for_each_extension(header.extensions, |name, address| match name {
        CONTEXT_ENGINES_EXT_LOAD_BALANCE => balance(device, &mut slots, address),
        _ => refuse!(EINVAL, "Engines: extension {name} is not supported"),
    })?;
    Ok(Some(slots))
}

/// Puts a virtual engine into its slot: the first of its siblings, as each class has one.
fn balance(device: &Device, slots: &mut [Option<EngineSlot>], address: u64) -> Answer {
    let extension: EnginesLoadBalance = read_extension(address)?;
    let index = extension.engine_index;
    ensure!(
        extension.flags == 0 && extension.mbz64 == 0,
        EINVAL,
        "LOAD_BALANCE: flags {:#x}, mbz64 {:#x}: must be zero",
        extension.flags,
        extension.mbz64
    );
    let count = slots.len();
    let slot = slots.get_mut(usize::from(index));
    let slot = demand!(
        slot,
        EINVAL,
        "LOAD_BALANCE: engine_index {index} of {count}"
    );
    ensure!(
        slot.is_none(),
        EEXIST,
        "LOAD_BALANCE: engine_index {index} is an engine already"
    );
    let list = address
        .checked_add(size_of::<EnginesLoadBalance>() as u64)
        .ok_or(Errno::EFAULT)?;
    let ids: Vec<EngineClassInstance> = user::read_array(list, u64::from(extension.num_siblings))?;
    for id in ids {
        let sibling = find_engine(device, id);
        let sibling = demand!(sibling, EINVAL, "LOAD_BALANCE: the device has no {id:?}");
        match slot {
            Some(first) if first.class != sibling.class => {
                refuse!(
                    EINVAL,
                    "LOAD_BALANCE: siblings are of one class, {id:?} is of another"
                )
            }
            Some(_) => {}
            None => *slot = Some(sibling),
        }
    }
    Ok(())
}

pub(super) fn getparam(file: &File, args: &mut ContextParamArgs) -> Answer {
    let context = file.context(args.ctx_id)?;
    let settings = context.settings().clone();
    let parameter = ContextParam::from_raw(args.param);
    let parameter = demand!(parameter, EINVAL, "param {:#x} is not known", args.param);
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
        | ContextParam::ContextImage => refuse!(EINVAL, "{parameter:?} cannot be read"),
    };
    args.size = 0;
    args.value = value;
    Ok(())
}

fn get_sseu(file: &File, args: &mut ContextParamArgs) -> Answer {
    let size = size_of::<ContextParamSseu>();
    let room = args.size as usize;
    args.size = u32::try_from(size).map_err(|_| Errno::EINVAL)?;
    if room == 0 {
        return Ok(());
    }
    ensure!(
        room >= size,
        EINVAL,
        "Sseu: size {room}: the answer has {size}"
    );
    let mut sseu: ContextParamSseu = user::read(args.value)?;
    ensure!(
        sseu.rsvd == 0 && find_engine(file.device(), sseu.engine).is_some(),
        EINVAL,
        "Sseu: rsvd {:#x} must be zero, {:?} one of the device's engines",
        sseu.rsvd,
        sseu.engine
    );
    let sku = file.device().platform.default_sku();
    sseu.slice_mask = (1u64 << sku.slices.min(63)) - 1;
    sseu.subslice_mask = (1u64 << sku.subslices_per_slice.min(63)) - 1;
    sseu.min_eus_per_subslice = sku.eus_per_subslice.into();
    sseu.max_eus_per_subslice = sku.eus_per_subslice.into();
    Ok(user::copy_out(args.value, sseu.as_bytes())?)
}

pub(super) fn vm_create(file: &File, args: &mut VmControl) -> Answer {
    ensure!(
        args.flags == 0,
        EINVAL,
        "flags {:#x}: must be zero",
        args.flags
    );
    for_each_extension(args.extensions, |name, _| {
        refuse!(EINVAL, "extension {name}: none is defined")
    })?;
    args.vm_id = file.vms.insert(Arc::new(Vm::default()))?;
    Ok(())
}

pub(super) fn vm_destroy(file: &File, args: &mut VmControl) -> Answer {
    ensure!(
        args.flags == 0 && args.extensions == 0,
        EINVAL,
        "flags {:#x}, extensions {:#x}: must be zero",
        args.flags,
        args.extensions
    );
    demand!(
        file.vms.remove(args.vm_id),
        ENOENT,
        "there is no VM {}",
        args.vm_id
    );
    Ok(())
}

pub(super) fn reset_stats(file: &File, args: &mut ResetStats) -> Answer {
    ensure!(
        args.flags == 0 && args.pad == 0,
        EINVAL,
        "flags {:#x}, pad {:#x}: must be zero",
        args.flags,
        args.pad
    );
    let context = file.context(args.ctx_id)?;
    let (active, pending) = context.status.lost();
    // Only privileged callers see the whole device's count.
    args.reset_count = 0;
    args.batch_active = active;
    args.batch_pending = pending;
    Ok(())
}
