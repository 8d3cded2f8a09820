//! Buffer objects.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kmd_iface::uapi::i915::gem::{
    Busy, CACHING_CACHED, CACHING_DISPLAY, CACHING_NONE, CREATE_EXT_MEMORY_REGIONS,
    CREATE_EXT_PROTECTED_CONTENT, CREATE_EXT_SET_PAT, Caching, Create, CreateExt, CreateExtFlags,
    CreateExtMemoryRegions, Domains, GetAperture, GetTiling, MADV_DONTNEED, MADV_WILLNEED, MMAP_WC,
    Madvise, Mmap, MmapOffset, MmapOffsetArgs, Pread, Pwrite, SetDomain, SetTiling, TILING_NONE,
    TILING_X, TILING_Y, Userptr, UserptrFlags, Wait,
};
use kmd_iface::uapi::i915::query::{MEMORY_CLASS_DEVICE, MEMORY_CLASS_SYSTEM, MemoryClassInstance};
use nix::errno::Errno;

use super::{for_each_extension, read_extension};
use crate::client::{File, Memory, Object};
use crate::device::Device;
use crate::uapi::family::traits;
use softgpu_device::wait_until;
use softgpu_memory::{Backing, PAGE_BYTES, user};

/// The page size of device memory.
const DEVICE_PAGE: u64 = 0x1_0000;

fn new_object(file: &File, size: &mut u64, memory: Memory) -> Result<u32, Errno> {
    let device = file.device();
    let page = match memory {
        Memory::Device => DEVICE_PAGE,
        _ => PAGE_BYTES,
    };
    let bytes = size
        .checked_next_multiple_of(page)
        .filter(|bytes| *bytes != 0)
        .ok_or(Errno::EINVAL)?;
    let backing = match device.pool.allocate(bytes) {
        // A size that no device could hold is the caller's error.
        Err(Errno::ENOMEM) if bytes > device.pool.limit() => return Err(Errno::E2BIG),
        other => other?,
    };
    *size = bytes;
    file.objects
        .insert(Object::new(backing, memory, default_caching(device)))
}

fn default_caching(device: &Device) -> u32 {
    match device.platform.llc {
        true => CACHING_CACHED,
        false => CACHING_NONE,
    }
}

pub(super) fn create(file: &File, args: &mut Create) -> Result<(), Errno> {
    args.handle = new_object(file, &mut args.size, Memory::System)?;
    Ok(())
}

pub(super) fn create_ext(file: &File, args: &mut CreateExt) -> Result<(), Errno> {
    let local = file.device().platform.local_memory;
    if !(args.flags - CreateExtFlags::NEEDS_CPU_ACCESS).is_empty() {
        return Err(Errno::EINVAL);
    }
    let mut placements: Option<Vec<MemoryClassInstance>> = None;
    for_each_extension(args.extensions, |name, address| match name {
        CREATE_EXT_MEMORY_REGIONS => {
            let regions: CreateExtMemoryRegions = read_extension(address)?;
            if regions.pad != 0 || regions.num_regions == 0 || placements.is_some() {
                return Err(Errno::EINVAL);
            }
            // A list longer than the device's regions has duplicates.
            if regions.num_regions > 2 {
                return Err(Errno::EINVAL);
            }
            let list = user::read_array(regions.regions, regions.num_regions.into())?;
            placements = Some(list);
            Ok(())
        }
        // Needs firmware that the model lacks.
        CREATE_EXT_PROTECTED_CONTENT => Err(Errno::ENODEV),
        // Caching does not matter to the model.
        CREATE_EXT_SET_PAT => Ok(()),
        _ => Err(Errno::EINVAL),
    })?;
    let placements = placements.unwrap_or_default();
    for (index, place) in placements.iter().enumerate() {
        let known = match place.memory_class {
            MEMORY_CLASS_SYSTEM => true,
            MEMORY_CLASS_DEVICE => local,
            _ => false,
        };
        let repeated = placements.iter().take(index).any(|other| other == place);
        if !known || place.memory_instance != 0 || repeated {
            return Err(Errno::EINVAL);
        }
    }
    let system = |place: &MemoryClassInstance| place.memory_class == MEMORY_CLASS_SYSTEM;
    if args.flags.contains(CreateExtFlags::NEEDS_CPU_ACCESS)
        && !(local && placements.iter().any(system))
    {
        return Err(Errno::EINVAL);
    }
    let memory = match placements.first() {
        Some(place) if !system(place) => Memory::Device,
        _ => Memory::System,
    };
    args.handle = new_object(file, &mut args.size, memory)?;
    Ok(())
}

pub(super) fn userptr(file: &File, args: &mut Userptr) -> Result<(), Errno> {
    let allowed = UserptrFlags::READ_ONLY | UserptrFlags::PROBE | UserptrFlags::UNSYNCHRONIZED;
    if !(args.flags - allowed).is_empty() {
        return Err(Errno::EINVAL);
    }
    if args.flags.contains(UserptrFlags::UNSYNCHRONIZED) {
        return Err(Errno::ENODEV);
    }
    let end = args.user_ptr.checked_add(args.user_size);
    if args.user_size != 0 && end.is_none_or(|end| end > 1 << 47) {
        return Err(Errno::EFAULT);
    }
    let read_only = args.flags.contains(UserptrFlags::READ_ONLY);
    if read_only && !traits(file.device().platform.family).read_only_pages {
        return Err(Errno::ENODEV);
    }
    let backing = Backing::user(args.user_ptr, args.user_size, read_only)?;
    if args.flags.contains(UserptrFlags::PROBE) {
        backing.probe(&user::Maps::load()?)?;
    }
    let caching = CACHING_CACHED;
    args.handle = file
        .objects
        .insert(Object::new(backing, Memory::User, caching))?;
    Ok(())
}

pub(super) fn mmap(file: &File, args: &mut Mmap) -> Result<(), Errno> {
    if args.flags & !MMAP_WC != 0 {
        return Err(Errno::EINVAL);
    }
    let platform = file.device().platform;
    if platform.local_memory || !traits(platform.family).plain_mmap {
        return Err(Errno::EOPNOTSUPP);
    }
    let object = file.object(args.handle)?;
    let end = args.offset.checked_add(args.size);
    if args.size == 0 || end.is_none_or(|end| end > object.backing.bytes()) {
        return Err(Errno::EINVAL);
    }
    args.addr_ptr = object.backing.map_for_client(args.offset, args.size)?;
    Ok(())
}

pub(super) fn mmap_offset(file: &File, args: &mut MmapOffsetArgs) -> Result<(), Errno> {
    if args.extensions != 0 {
        return Err(Errno::EINVAL);
    }
    let kind = MmapOffset::from_raw(args.flags).ok_or(Errno::EINVAL)?;
    let fixed = kind == MmapOffset::Fixed;
    if fixed != file.device().platform.local_memory {
        return Err(Errno::ENODEV);
    }
    let object = file.object(args.handle)?;
    args.offset = file.make_mappable(&object)?;
    Ok(())
}

/// Bytes copied at a time.
const CHUNK: usize = 0x1_0000;

/// Calls `copy` for chunks of `size` bytes from `offset` of an object.
fn in_chunks(
    object: &Object,
    offset: u64,
    size: u64,
    mut copy: impl FnMut(u64, &mut [u8]) -> Result<(), Errno>,
) -> Result<(), Errno> {
    let end = offset.checked_add(size);
    if end.is_none_or(|end| end > object.backing.bytes()) {
        return Err(Errno::EINVAL);
    }
    let mut chunk = vec![0; CHUNK];
    let mut at = 0;
    while at < size {
        let length = usize::try_from(size - at).unwrap_or(CHUNK).min(CHUNK);
        let part = chunk.get_mut(..length).ok_or(Errno::EINVAL)?;
        copy(at, part)?;
        at += length as u64;
    }
    Ok(())
}

/// Checks an object for PREAD or PWRITE: it must not be the client's own pages.
fn copyable(file: &File, handle: u32) -> Result<Arc<Object>, Errno> {
    let object = file.object(handle)?;
    match object.memory {
        Memory::User => Err(Errno::EINVAL),
        _ => Ok(object),
    }
}

pub(super) fn pread(file: &File, args: &mut Pread) -> Result<(), Errno> {
    let object = copyable(file, args.handle)?;
    wait_idle(&object, false);
    in_chunks(&object, args.offset, args.size, |at, part| {
        object.backing.read(args.offset + at, part)?;
        user::copy_out(args.data_ptr.wrapping_add(at), part)
    })
}

pub(super) fn pwrite(file: &File, args: &mut Pwrite) -> Result<(), Errno> {
    let object = copyable(file, args.handle)?;
    wait_idle(&object, true);
    in_chunks(&object, args.offset, args.size, |at, part| {
        user::copy_in(args.data_ptr.wrapping_add(at), part)?;
        object.backing.write(args.offset + at, part)
    })
}

/// Waits for the batches that the CPU must wait for before it reads or writes an object.
fn wait_idle(object: &Object, write: bool) {
    let fences = object.conflicts(write);
    let idle = || fences.iter().all(|f| f.is_signalled()).then_some(());
    // This terminates: every batch ends, or its hang check ends it.
    let _ = wait_until(None, idle);
}

pub(super) fn set_domain(file: &File, args: &mut SetDomain) -> Result<(), Errno> {
    // Discrete devices have no domains to move between (`i915_gem_set_domain_ioctl`).
    if file.device().platform.local_memory {
        return Err(Errno::ENODEV);
    }
    let cpu = Domains::CPU | Domains::GTT | Domains::WC;
    if !((args.read_domains | args.write_domain) - cpu).is_empty() {
        return Err(Errno::EINVAL);
    }
    if !args.write_domain.is_empty() && args.read_domains != args.write_domain {
        return Err(Errno::EINVAL);
    }
    let object = file.object(args.handle)?;
    if let Some(_range) = object.backing.user_range() {
        // The pages must also be there for the CPU.
        object.backing.probe(&user::Maps::load()?)?;
    }
    if !args.read_domains.is_empty() {
        wait_idle(&object, !args.write_domain.is_empty());
    }
    Ok(())
}

/// Fences that detile for the CPU exist up to Gen11; the mode itself is only stored for clients.
pub(super) fn set_tiling(file: &File, args: &mut SetTiling) -> Result<(), Errno> {
    if file.device().platform.local_memory {
        return Err(Errno::EOPNOTSUPP);
    }
    let object = file.object(args.handle)?;
    if ![TILING_NONE, TILING_X, TILING_Y].contains(&args.tiling_mode) {
        return Err(Errno::EINVAL);
    }
    if args.tiling_mode == TILING_NONE {
        args.stride = 0;
    } else {
        let row = match args.tiling_mode {
            TILING_Y => 128,
            _ => 512,
        };
        if args.stride == 0 || !args.stride.is_multiple_of(row) {
            return Err(Errno::EINVAL);
        }
    }
    // The memory controller does not swizzle on these platforms.
    args.swizzle_mode = 0;
    let mut settings = object.settings();
    settings.tiling = args.tiling_mode;
    settings.stride = args.stride;
    Ok(())
}

pub(super) fn get_tiling(file: &File, args: &mut GetTiling) -> Result<(), Errno> {
    if file.device().platform.local_memory {
        return Err(Errno::EOPNOTSUPP);
    }
    let object = file.object(args.handle)?;
    args.tiling_mode = object.settings().tiling;
    args.swizzle_mode = 0;
    args.phys_swizzle_mode = 0;
    Ok(())
}

pub(super) fn set_caching(file: &File, args: &mut Caching) -> Result<(), Errno> {
    let platform = file.device().platform;
    if platform.local_memory {
        return Err(Errno::ENODEV);
    }
    if ![CACHING_NONE, CACHING_CACHED, CACHING_DISPLAY].contains(&args.caching) {
        return Err(Errno::EINVAL);
    }
    let object = file.object(args.handle)?;
    if object.memory == Memory::User && args.caching != CACHING_CACHED {
        return Err(Errno::ENXIO);
    }
    object.settings().caching = args.caching;
    Ok(())
}

pub(super) fn get_caching(file: &File, args: &mut Caching) -> Result<(), Errno> {
    if file.device().platform.local_memory {
        return Err(Errno::ENODEV);
    }
    args.caching = file.object(args.handle)?.settings().caching;
    Ok(())
}

pub(super) fn get_aperture(file: &File, args: &mut GetAperture) -> Result<(), Errno> {
    // The global table's size; it does not limit clients.
    args.aper_size = 4 << 30;
    args.aper_available_size = args
        .aper_size
        .saturating_sub(file.device().pool.live().min(args.aper_size));
    Ok(())
}

pub(super) fn madvise(file: &File, args: &mut Madvise) -> Result<(), Errno> {
    let purgeable = match args.madv {
        MADV_WILLNEED => false,
        MADV_DONTNEED => true,
        _ => return Err(Errno::EINVAL),
    };
    let object = file.object(args.handle)?;
    object.settings().purgeable = purgeable;
    // There is no shrinker: pages are always retained.
    args.retained = 1;
    Ok(())
}

/// `busy`: bits 31:16 the reading classes, bits 15:0 the writing class plus one.
pub(super) fn busy(file: &File, args: &mut Busy) -> Result<(), Errno> {
    let (readers, writer) = file.object(args.handle)?.busy();
    args.busy = readers << 16 | writer.map_or(0, |class| u32::from(class) + 1);
    Ok(())
}

pub(super) fn wait(file: &File, args: &mut Wait) -> Result<(), Errno> {
    if args.flags != 0 {
        return Err(Errno::EINVAL);
    }
    let object = file.object(args.bo_handle)?;
    let started = Instant::now();
    // A negative time means for ever.
    let limit = u64::try_from(args.timeout_ns)
        .ok()
        .map(Duration::from_nanos);
    let deadline = limit.and_then(|limit| started.checked_add(limit));
    let fences = object.conflicts(true);
    let idle = || fences.iter().all(|f| f.is_signalled()).then_some(());
    let outcome = wait_until(deadline, idle).ok_or(Errno::ETIME);
    if let Some(limit) = limit {
        let left = limit.saturating_sub(started.elapsed());
        args.timeout_ns = i64::try_from(left.as_nanos()).unwrap_or(i64::MAX);
    }
    outcome
}
