//! GEM: buffer objects.

use super::command;
use crate::uapi::{uapi_constants, uapi_flags, uapi_ioctls, uapi_structs};

uapi_constants! {
    "DRM_XE_GEM_" {
        /// `drm_xe_gem_create.cpu_caching`: write-back; not for device memory.
        CPU_CACHING_WB: u16 = 1;
        /// `drm_xe_gem_create.cpu_caching`: write-combined.
        CPU_CACHING_WC: u16 = 2;
    }
}

uapi_flags! {
    /// `drm_xe_gem_create.flags`.
    flags GemCreateFlags: u32 = "DRM_XE_GEM_CREATE_FLAG_" {
        /// Allocate at the first use.
        DEFER_BACKING = 1 << 0;
        /// For scanout.
        SCANOUT = 1 << 1;
        /// Place it where the CPU can map it.
        NEEDS_VISIBLE_VRAM = 1 << 2;
    }
}

uapi_structs! {
    /// Creates a buffer object.
    struct GemCreate = "struct drm_xe_gem_create" {
        extensions: u64,
        /// Bytes, a multiple of the region's `min_page_size`.
        size: u64,
        /// Regions it may be in, one bit per instance.
        placement: u32,
        /// How.
        flags: GemCreateFlags,
        /// The only address space that may bind it, or 0 for any.
        vm_id: u32,
        /// Out.
        handle: u32,
        /// `CPU_CACHING_*`.
        cpu_caching: u16,
        pad: [u16; 3],
        reserved: [u64; 2],
    }

    /// Asks for the offset at which the node maps a buffer.
    struct GemMmapOffset = "struct drm_xe_gem_mmap_offset" {
        extensions: u64,
        /// The buffer.
        handle: u32,
        flags: u32,
        /// Out: what to pass to `mmap(2)`.
        offset: u64,
        reserved: [u64; 2],
    }
}

uapi_ioctls! {
    /// Create a buffer.
    GEM_CREATE = ReadWrite(command(0x01), GemCreate), "DRM_IOCTL_XE_GEM_CREATE";
    /// Where the node maps a buffer.
    GEM_MMAP_OFFSET = ReadWrite(command(0x02), GemMmapOffset), "DRM_IOCTL_XE_GEM_MMAP_OFFSET";
}
