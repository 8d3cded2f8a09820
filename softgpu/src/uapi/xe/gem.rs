//! Buffer objects.

use super::zero;
use crate::client::{File, Memory, Object};
use crate::refusal::{Answer, Refusal, ensure, refuse};
use crate::uapi::page_of;
use kmd_iface::uapi::xe::gem::{
    CPU_CACHING_WB, CPU_CACHING_WC, GemCreate, GemCreateFlags, GemMmapOffset,
};

/// Bits of `placement`: the regions by instance.
const SYSTEM: u32 = 1 << 0;
const DEVICE: u32 = 1 << 1;

pub(super) fn create(file: &File, args: &mut GemCreate) -> Answer {
    zero(&[("extensions", args.extensions)])?;
    zero(&args.reserved.map(|r| ("reserved", r)))?;
    zero(&args.pad.map(|pad| ("pad", pad.into())))?;
    let device = file.device();
    let regions = match device.platform.local_memory {
        true => SYSTEM | DEVICE,
        false => SYSTEM,
    };
    ensure!(
        args.placement != 0 && args.placement & !regions == 0,
        EINVAL,
        "placement {:#x}: the device's regions are {regions:#x}",
        args.placement
    );
    let known = GemCreateFlags::DEFER_BACKING
        | GemCreateFlags::SCANOUT
        | GemCreateFlags::NEEDS_VISIBLE_VRAM;
    let unknown = args.flags - known;
    ensure!(
        unknown.is_empty(),
        EINVAL,
        "flags: {unknown:?} is not known"
    );
    let local = args.placement & DEVICE != 0;
    ensure!(
        local || !args.flags.contains(GemCreateFlags::NEEDS_VISIBLE_VRAM),
        EINVAL,
        "flags: NEEDS_VISIBLE_VRAM without a placement in it"
    );
    match args.cpu_caching {
        CPU_CACHING_WC => {}
        // Device memory and scanout buffers are never write-back.
        CPU_CACHING_WB if !local && !args.flags.contains(GemCreateFlags::SCANOUT) => {}
        other => refuse!(
            EINVAL,
            "cpu_caching {other}: write-combined, or write-back outside of device memory and scanout"
        ),
    }
    let memory = match local {
        true => Memory::Device,
        false => Memory::System,
    };
    let page = page_of(device, memory);
    ensure!(
        args.size != 0 && args.size.is_multiple_of(page),
        EINVAL,
        "size {:#x}: a multiple of {page:#x}",
        args.size
    );
    let owner = match args.vm_id {
        0 => None,
        id => Some(file.xe_vm(id)?),
    };
    let backing = device.pool.allocate(args.size).map_err(|errno| {
        let why = format!(
            "size {:#x}: the device has {:#x}",
            args.size,
            device.pool.limit()
        );
        Refusal::new(errno, why)
    })?;
    let object = match owner {
        Some(vm) => Object::private(backing, memory, &vm),
        None => Object::new(backing, memory, 0),
    };
    args.handle = file.objects.insert(object)?;
    Ok(())
}

pub(super) fn mmap_offset(file: &File, args: &mut GemMmapOffset) -> Answer {
    zero(&[
        ("extensions", args.extensions),
        ("flags", args.flags.into()),
    ])?;
    zero(&args.reserved.map(|r| ("reserved", r)))?;
    let object = file.object(args.handle)?;
    args.offset = file.make_mappable(&object)?;
    Ok(())
}
