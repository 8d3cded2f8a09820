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
use crate::refusal::{Answer, Refusal, demand, ensure, refuse};
use crate::uapi::family::traits;
use crate::uapi::page_of;
use softgpu_device::wait_until;
use softgpu_memory::{Backing, user};

fn new_object(file: &File, size: &mut u64, memory: Memory) -> Answer<u32> {
    let device = file.device();
    let page = page_of(device, memory);
    let bytes = size
        .checked_next_multiple_of(page)
        .filter(|bytes| *bytes != 0);
    let bytes = demand!(bytes, EINVAL, "size {size:#x} is not a number of pages");
    let limit = device.pool.limit();
    let backing = match device.pool.allocate(bytes) {
        // A size that no device could hold is the caller's error.
        Err(Errno::ENOMEM) if bytes > limit => {
            refuse!(E2BIG, "size {bytes:#x}: the device has {limit:#x}")
        }
        Err(errno) => {
            return Err(Refusal::new(
                errno,
                format!("size {bytes:#x}, of {limit:#x}"),
            ));
        }
        Ok(backing) => backing,
    };
    *size = bytes;
    let object = Object::new(backing, memory, default_caching(device));
    Ok(file.objects.insert(object)?)
}

fn default_caching(device: &Device) -> u32 {
    match device.platform.llc {
        true => CACHING_CACHED,
        false => CACHING_NONE,
    }
}

pub(super) fn create(file: &File, args: &mut Create) -> Answer {
    args.handle = new_object(file, &mut args.size, Memory::System)?;
    Ok(())
}

pub(super) fn create_ext(file: &File, args: &mut CreateExt) -> Answer {
    let local = file.device().platform.local_memory;
    let unknown = args.flags - CreateExtFlags::NEEDS_CPU_ACCESS;
    ensure!(
        unknown.is_empty(),
        EINVAL,
        "flags: {unknown:?} is not known"
    );
    let mut placements: Option<Vec<MemoryClassInstance>> = None;
    for_each_extension(args.extensions, |name, address| match name {
        CREATE_EXT_MEMORY_REGIONS => {
            let regions: CreateExtMemoryRegions = read_extension(address)?;
            // A list longer than the device's regions has duplicates.
            ensure!(
                regions.pad == 0 && (1..=2).contains(&regions.num_regions) && placements.is_none(),
                EINVAL,
                "MEMORY_REGIONS: pad {}, num_regions {}: once, with one or two regions",
                regions.pad,
                regions.num_regions
            );
            let list = user::read_array(regions.regions, regions.num_regions.into())?;
            placements = Some(list);
            Ok(())
        }
        // Needs firmware that the model lacks.
        CREATE_EXT_PROTECTED_CONTENT => refuse!(ENODEV, "there is no protected content"),
        // Caching does not matter to the model.
        CREATE_EXT_SET_PAT => Ok(()),
        _ => refuse!(EINVAL, "extension {name} is not known"),
    })?;
    let placements = placements.unwrap_or_default();
    for (index, place) in placements.iter().enumerate() {
        let known = match place.memory_class {
            MEMORY_CLASS_SYSTEM => true,
            MEMORY_CLASS_DEVICE => local,
            _ => false,
        };
        let repeated = placements.iter().take(index).any(|other| other == place);
        ensure!(
            known && place.memory_instance == 0 && !repeated,
            EINVAL,
            "MEMORY_REGIONS: {place:?} is no region of the device, or named twice"
        );
    }
    let system = |place: &MemoryClassInstance| place.memory_class == MEMORY_CLASS_SYSTEM;
    ensure!(
        !args.flags.contains(CreateExtFlags::NEEDS_CPU_ACCESS)
            || local && placements.iter().any(system),
        EINVAL,
        "flags: NEEDS_CPU_ACCESS needs device memory, with system memory among the regions"
    );
    let memory = match placements.first() {
        Some(place) if !system(place) => Memory::Device,
        _ => Memory::System,
    };
    args.handle = new_object(file, &mut args.size, memory)?;
    Ok(())
}

pub(super) fn userptr(file: &File, args: &mut Userptr) -> Answer {
    let allowed = UserptrFlags::READ_ONLY | UserptrFlags::PROBE | UserptrFlags::UNSYNCHRONIZED;
    let unknown = args.flags - allowed;
    ensure!(
        unknown.is_empty(),
        EINVAL,
        "flags: {unknown:?} is not known"
    );
    ensure!(
        !args.flags.contains(UserptrFlags::UNSYNCHRONIZED),
        ENODEV,
        "flags: UNSYNCHRONIZED is not supported"
    );
    let end = args.user_ptr.checked_add(args.user_size);
    ensure!(
        args.user_size == 0 || end.is_some_and(|end| end <= 1 << 47),
        EFAULT,
        "user_ptr {:#x}, user_size {:#x}: not in a process",
        args.user_ptr,
        args.user_size
    );
    let read_only = args.flags.contains(UserptrFlags::READ_ONLY);
    ensure!(
        !read_only || traits(file.device().platform.family).read_only_pages,
        ENODEV,
        "flags: the platform has no read-only pages"
    );
    let why = |errno| {
        let (address, bytes) = (args.user_ptr, args.user_size);
        Refusal::new(
            errno,
            format!("user_ptr {address:#x}, user_size {bytes:#x}"),
        )
    };
    let backing = Backing::user(args.user_ptr, args.user_size, read_only).map_err(why)?;
    if args.flags.contains(UserptrFlags::PROBE) {
        backing.probe(&user::Maps::load()?).map_err(why)?;
    }
    let caching = CACHING_CACHED;
    args.handle = file
        .objects
        .insert(Object::new(backing, Memory::User, caching))?;
    Ok(())
}

pub(super) fn mmap(file: &File, args: &mut Mmap) -> Answer {
    ensure!(
        args.flags & !MMAP_WC == 0,
        EINVAL,
        "flags {:#x}: only WC is known",
        args.flags
    );
    let platform = file.device().platform;
    ensure!(
        !platform.local_memory && traits(platform.family).plain_mmap,
        EOPNOTSUPP,
        "the platform maps by offset only"
    );
    let object = file.object(args.handle)?;
    let end = args.offset.checked_add(args.size);
    ensure!(
        args.size != 0 && end.is_some_and(|end| end <= object.backing.bytes()),
        EINVAL,
        "offset {:#x}, size {:#x}: handle {} has {:#x} bytes",
        args.offset,
        args.size,
        args.handle,
        object.backing.bytes()
    );
    args.addr_ptr = object.backing.map_for_client(args.offset, args.size)?;
    Ok(())
}

pub(super) fn mmap_offset(file: &File, args: &mut MmapOffsetArgs) -> Answer {
    ensure!(
        args.extensions == 0,
        EINVAL,
        "extensions {:#x}: none is defined",
        args.extensions
    );
    let kind = MmapOffset::from_raw(args.flags);
    let kind = demand!(kind, EINVAL, "flags {:#x} is not known", args.flags);
    let fixed = kind == MmapOffset::Fixed;
    ensure!(
        fixed == file.device().platform.local_memory,
        ENODEV,
        "flags {kind:?}: devices with local memory have Fixed only, others all but Fixed"
    );
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
    mut copy: impl FnMut(u64, &mut [u8]) -> Answer,
) -> Answer {
    let end = offset.checked_add(size);
    ensure!(
        end.is_some_and(|end| end <= object.backing.bytes()),
        EINVAL,
        "offset {offset:#x}, size {size:#x}: the object has {:#x} bytes",
        object.backing.bytes()
    );
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
fn copyable(file: &File, handle: u32) -> Answer<Arc<Object>> {
    let object = file.object(handle)?;
    match object.memory {
        Memory::User => refuse!(EINVAL, "handle {handle} is the client's own pages"),
        _ => Ok(object),
    }
}

pub(super) fn pread(file: &File, args: &mut Pread) -> Answer {
    let object = copyable(file, args.handle)?;
    wait_idle(&object, false);
    in_chunks(&object, args.offset, args.size, |at, part| {
        object.backing.read(args.offset + at, part)?;
        Ok(user::copy_out(args.data_ptr.wrapping_add(at), part)?)
    })
}

pub(super) fn pwrite(file: &File, args: &mut Pwrite) -> Answer {
    let object = copyable(file, args.handle)?;
    wait_idle(&object, true);
    in_chunks(&object, args.offset, args.size, |at, part| {
        user::copy_in(args.data_ptr.wrapping_add(at), part)?;
        Ok(object.backing.write(args.offset + at, part)?)
    })
}

/// Waits for the batches that the CPU must wait for before it reads or writes an object.
fn wait_idle(object: &Object, write: bool) {
    let fences = object.conflicts(write);
    let idle = || fences.iter().all(|f| f.is_signalled()).then_some(());
    // This terminates: every batch ends, or its hang check ends it.
    let _ = wait_until(None, idle);
}

pub(super) fn set_domain(file: &File, args: &mut SetDomain) -> Answer {
    // Discrete devices have no domains to move between (`i915_gem_set_domain_ioctl`).
    ensure!(
        !file.device().platform.local_memory,
        ENODEV,
        "devices with local memory have no domains"
    );
    let cpu = Domains::CPU | Domains::GTT | Domains::WC;
    ensure!(
        ((args.read_domains | args.write_domain) - cpu).is_empty()
            && (args.write_domain.is_empty() || args.read_domains == args.write_domain),
        EINVAL,
        "read_domains {:?}, write_domain {:?}: only the CPU's, and the same for both",
        args.read_domains,
        args.write_domain
    );
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

/// Refuses tiling modes where no fence register detiles.
fn no_fences(file: &File) -> Answer {
    ensure!(
        !file.device().platform.local_memory,
        EOPNOTSUPP,
        "devices with local memory have no fence registers"
    );
    Ok(())
}

/// Refuses caching modes of objects where their creation decides.
fn no_caching(file: &File) -> Answer {
    ensure!(
        !file.device().platform.local_memory,
        ENODEV,
        "devices with local memory have no caching modes of objects"
    );
    Ok(())
}

/// Fences that detile for the CPU exist up to Gen11; the mode itself is only stored for clients.
pub(super) fn set_tiling(file: &File, args: &mut SetTiling) -> Answer {
    no_fences(file)?;
    let object = file.object(args.handle)?;
    ensure!(
        [TILING_NONE, TILING_X, TILING_Y].contains(&args.tiling_mode),
        EINVAL,
        "tiling_mode {} is not known",
        args.tiling_mode
    );
    if args.tiling_mode == TILING_NONE {
        args.stride = 0;
    } else {
        let row = match args.tiling_mode {
            TILING_Y => 128,
            _ => 512,
        };
        ensure!(
            args.stride != 0 && args.stride.is_multiple_of(row),
            EINVAL,
            "stride {}: a multiple of {row}",
            args.stride
        );
    }
    // The memory controller does not swizzle on these platforms.
    args.swizzle_mode = 0;
    let mut settings = object.settings();
    settings.tiling = args.tiling_mode;
    settings.stride = args.stride;
    Ok(())
}

pub(super) fn get_tiling(file: &File, args: &mut GetTiling) -> Answer {
    no_fences(file)?;
    let object = file.object(args.handle)?;
    args.tiling_mode = object.settings().tiling;
    args.swizzle_mode = 0;
    args.phys_swizzle_mode = 0;
    Ok(())
}

pub(super) fn set_caching(file: &File, args: &mut Caching) -> Answer {
    no_caching(file)?;
    ensure!(
        [CACHING_NONE, CACHING_CACHED, CACHING_DISPLAY].contains(&args.caching),
        EINVAL,
        "caching {} is not known",
        args.caching
    );
    let object = file.object(args.handle)?;
    ensure!(
        object.memory != Memory::User || args.caching == CACHING_CACHED,
        ENXIO,
        "handle {} is the client's own pages: they are always cached",
        args.handle
    );
    object.settings().caching = args.caching;
    Ok(())
}

pub(super) fn get_caching(file: &File, args: &mut Caching) -> Answer {
    no_caching(file)?;
    args.caching = file.object(args.handle)?.settings().caching;
    Ok(())
}

pub(super) fn get_aperture(file: &File, args: &mut GetAperture) -> Answer {
    // The global table's size; it does not limit clients.
    args.aper_size = 4 << 30;
    args.aper_available_size = args
        .aper_size
        .saturating_sub(file.device().pool.live().min(args.aper_size));
    Ok(())
}

pub(super) fn madvise(file: &File, args: &mut Madvise) -> Answer {
    let purgeable = match args.madv {
        MADV_WILLNEED => false,
        MADV_DONTNEED => true,
        other => refuse!(EINVAL, "madv {other} is not known"),
    };
    let object = file.object(args.handle)?;
    object.settings().purgeable = purgeable;
    // There is no shrinker: pages are always retained.
    args.retained = 1;
    Ok(())
}

/// `busy`: bits 31:16 the reading classes, bits 15:0 the writing class plus one.
pub(super) fn busy(file: &File, args: &mut Busy) -> Answer {
    let (readers, writer) = file.object(args.handle)?.busy();
    args.busy = readers << 16 | writer.map_or(0, |class| u32::from(class) + 1);
    Ok(())
}

pub(super) fn wait(file: &File, args: &mut Wait) -> Answer {
    ensure!(
        args.flags == 0,
        EINVAL,
        "flags {:#x}: must be zero",
        args.flags
    );
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
    Ok(outcome?)
}
