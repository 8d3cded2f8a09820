//! Buffer objects.

use kmd_iface::uapi::xe::gem::{
    CPU_CACHING_WB, CPU_CACHING_WC, GemCreate, GemCreateFlags, GemMmapOffset,
};
use nix::errno::Errno;

use super::{DEVICE_PAGE, zero};
use crate::client::{File, Memory, Object};
use softgpu_memory::PAGE_BYTES;

/// Bits of `placement`: the regions by instance.
const SYSTEM: u32 = 1 << 0;
const DEVICE: u32 = 1 << 1;

pub(super) fn create(file: &File, args: &mut GemCreate) -> Result<(), Errno> {
    zero(&[args.extensions, args.reserved[0], args.reserved[1]])?;
    if args.pad != [0; 3] {
        return Err(Errno::EINVAL);
    }
    let device = file.device();
    let regions = match device.platform.local_memory {
        true => SYSTEM | DEVICE,
        false => SYSTEM,
    };
    if args.placement == 0 || args.placement & !regions != 0 {
        return Err(Errno::EINVAL);
    }
    let known = GemCreateFlags::DEFER_BACKING
        | GemCreateFlags::SCANOUT
        | GemCreateFlags::NEEDS_VISIBLE_VRAM;
    if !(args.flags - known).is_empty() {
        return Err(Errno::EINVAL);
    }
    let local = args.placement & DEVICE != 0;
    if args.flags.contains(GemCreateFlags::NEEDS_VISIBLE_VRAM) && !local {
        return Err(Errno::EINVAL);
    }
    match args.cpu_caching {
        CPU_CACHING_WC => {}
        // Device memory and scanout buffers are never write-back.
        CPU_CACHING_WB if !local && !args.flags.contains(GemCreateFlags::SCANOUT) => {}
        _ => return Err(Errno::EINVAL),
    }
    let page = if local { DEVICE_PAGE } else { PAGE_BYTES };
    if args.size == 0 || !args.size.is_multiple_of(page) {
        return Err(Errno::EINVAL);
    }
    let owner = match args.vm_id {
        0 => None,
        id => Some(file.xe_vms.get(id).ok_or(Errno::ENOENT)?),
    };
    let backing = device.pool.allocate(args.size)?;
    let memory = match local {
        true => Memory::Device,
        false => Memory::System,
    };
    let object = match owner {
        Some(vm) => Object::private(backing, memory, &vm),
        None => Object::new(backing, memory, 0),
    };
    args.handle = file.objects.insert(object)?;
    Ok(())
}

pub(super) fn mmap_offset(file: &File, args: &mut GemMmapOffset) -> Result<(), Errno> {
    zero(&[args.extensions, args.reserved[0], args.reserved[1]])?;
    if args.flags != 0 {
        return Err(Errno::EINVAL);
    }
    let object = file.object(args.handle)?;
    args.offset = file.make_mappable(&object)?;
    Ok(())
}
