//! Buffer objects.

use std::time::Duration;

use nix::errno::Errno;

use crate::node_ext::{NodeExt, user_pointer};
use crate::uapi::i915::UserExtension;
use crate::uapi::i915::gem::{self, CreateExtFlags, Domains, MmapOffset, UserptrFlags};
use crate::uapi::i915::query::MemoryClassInstance;
use crate::{KmdError, KmdResult, Node};

/// GEM_CREATE: a buffer object in host memory. Returns its handle and its size in bytes.
pub fn create(node: &dyn Node, size: u64) -> KmdResult<(u32, u64)> {
    let mut argument = gem::Create {
        size,
        ..Default::default()
    };
    node.call(gem::CREATE, &mut argument)?;
    Ok((argument.handle, argument.size))
}

/// GEM_CREATE_EXT: a buffer object in one of `regions`, most preferred first, with the page
/// attributes `pat` if given. Returns its handle and its size in bytes.
pub fn create_ext(
    node: &dyn Node,
    size: u64,
    regions: &[MemoryClassInstance],
    pat: Option<u32>,
    flags: CreateExtFlags,
) -> KmdResult<(u32, u64)> {
    let set_pat = gem::CreateExtSetPat {
        base: UserExtension {
            name: gem::CREATE_EXT_SET_PAT,
            ..Default::default()
        },
        pat_index: pat.unwrap_or(0),
        rsvd: 0,
    };
    let pat_link = if pat.is_some() {
        user_pointer(&set_pat)
    } else {
        0
    };
    let placement = gem::CreateExtMemoryRegions {
        base: UserExtension {
            next_extension: pat_link,
            name: gem::CREATE_EXT_MEMORY_REGIONS,
            ..Default::default()
        },
        pad: 0,
        num_regions: u32::try_from(regions.len()).unwrap_or(u32::MAX),
        regions: user_pointer(regions),
    };
    let mut argument = gem::CreateExt {
        size,
        handle: 0,
        flags,
        extensions: if regions.is_empty() {
            pat_link
        } else {
            user_pointer(&placement)
        },
    };
    node.call(gem::CREATE_EXT, &mut argument)?;
    Ok((argument.handle, argument.size))
}

/// GEM_USERPTR: a buffer object of this process's memory.
///
/// # Safety
/// The pages stay mapped until the buffer is closed and idle, and nothing that the GPU's accesses
/// could break holds a reference to them.
pub unsafe fn userptr(
    node: &dyn Node,
    address: u64,
    size: u64,
    flags: UserptrFlags,
) -> KmdResult<u32> {
    let mut argument = gem::Userptr {
        user_ptr: address,
        user_size: size,
        flags,
        handle: 0,
    };
    node.call(gem::USERPTR, &mut argument)?;
    Ok(argument.handle)
}

/// GEM_MMAP_OFFSET: the offset at which the node maps a buffer object.
pub fn mmap_offset(node: &dyn Node, handle: u32, kind: MmapOffset) -> KmdResult<u64> {
    let mut argument = gem::MmapOffsetArgs {
        handle,
        flags: kind as u64,
        ..Default::default()
    };
    node.call(gem::MMAP_OFFSET, &mut argument)?;
    Ok(argument.offset)
}

/// GEM_SET_DOMAIN: waits for the GPU and makes the CPU's view valid.
pub fn set_domain(node: &dyn Node, handle: u32, read: Domains, write: Domains) -> KmdResult<()> {
    let mut argument = gem::SetDomain {
        handle,
        read_domains: read,
        write_domain: write,
    };
    node.call(gem::SET_DOMAIN, &mut argument)?;
    Ok(())
}

/// GEM_SET_TILING: sets the tiling of the buffer's aperture mapping. Returns the swizzle mode.
pub fn set_tiling(node: &dyn Node, handle: u32, tiling: u32, stride: u32) -> KmdResult<u32> {
    let mut argument = gem::SetTiling {
        handle,
        tiling_mode: tiling,
        stride,
        swizzle_mode: 0,
    };
    node.call(gem::SET_TILING, &mut argument)?;
    Ok(argument.swizzle_mode)
}

/// GEM_GET_TILING: the tiling that [`set_tiling`] set.
pub fn get_tiling(node: &dyn Node, handle: u32) -> KmdResult<u32> {
    let mut argument = gem::GetTiling {
        handle,
        ..Default::default()
    };
    node.call(gem::GET_TILING, &mut argument)?;
    Ok(argument.tiling_mode)
}

/// GEM_SET_CACHING: the cache level, `CACHING_*`.
pub fn set_caching(node: &dyn Node, handle: u32, caching: u32) -> KmdResult<()> {
    node.call(gem::SET_CACHING, &mut gem::Caching { handle, caching })?;
    Ok(())
}

/// GEM_WAIT: waits until the GPU is done with a buffer; `None` waits for ever. Returns whether
/// it is done.
///
/// # Errors
/// What the kernel answers, except a timeout.
pub fn wait(node: &dyn Node, handle: u32, timeout: Option<Duration>) -> KmdResult<bool> {
    let mut argument = gem::Wait {
        bo_handle: handle,
        flags: 0,
        timeout_ns: timeout.map_or(-1, |t| i64::try_from(t.as_nanos()).unwrap_or(i64::MAX)),
    };
    match node.try_call(gem::WAIT, &mut argument) {
        Ok(_) => Ok(true),
        Err(Errno::ETIME) => Ok(false),
        Err(errno) => Err(KmdError::from_errno(gem::WAIT.name(), errno)),
    }
}

/// GEM_BUSY: whether the GPU uses a buffer, as `drm_i915_gem_busy.busy` says.
pub fn busy(node: &dyn Node, handle: u32) -> KmdResult<u32> {
    let mut argument = gem::Busy { handle, busy: 0 };
    node.call(gem::BUSY, &mut argument)?;
    Ok(argument.busy)
}
