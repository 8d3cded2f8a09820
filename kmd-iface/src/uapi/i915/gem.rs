//! GEM: buffer objects.

use super::{UserExtension, command};
use crate::uapi::{uapi_constants, uapi_enums, uapi_flags, uapi_ioctls, uapi_structs};

uapi_enums! {
    /// How a mapping made by MMAP_OFFSET is cached (`I915_MMAP_OFFSET_*`).
    enum MmapOffset: u64 = "I915_MMAP_OFFSET_" {
        /// Through the aperture.
        Gtt = 0;
        /// Write-combined.
        Wc = 1;
        /// Write-back.
        Wb = 2;
        /// Uncached.
        Uc = 3;
        /// As the placement wants; the only one on devices with local memory.
        Fixed = 4;
    }
}

uapi_constants! {
    "I915_" {
        /// `I915_MMAP_WC`: GEM_MMAP write-combined.
        MMAP_WC: u64 = 1;
        /// `I915_TILING_*`: linear.
        TILING_NONE: u32 = 0;
        /// `I915_TILING_*`: X-major.
        TILING_X: u32 = 1;
        /// `I915_TILING_*`: Y-major.
        TILING_Y: u32 = 2;
        /// `I915_CACHING_*`: not cached.
        CACHING_NONE: u32 = 0;
        /// `I915_CACHING_*`: in the last-level cache, coherent with the CPU.
        CACHING_CACHED: u32 = 1;
        /// `I915_CACHING_*`: for scanout.
        CACHING_DISPLAY: u32 = 2;
        /// `drm_i915_gem_madvise.madv`: keep the pages.
        MADV_WILLNEED: u32 = 0;
        /// `drm_i915_gem_madvise.madv`: the pages may go.
        MADV_DONTNEED: u32 = 1;
    }

    "I915_GEM_" {
        /// Extension of GEM_CREATE_EXT: [`CreateExtMemoryRegions`].
        CREATE_EXT_MEMORY_REGIONS: u32 = 0;
        /// Extension of GEM_CREATE_EXT: [`CreateExtProtectedContent`].
        CREATE_EXT_PROTECTED_CONTENT: u32 = 1;
        /// Extension of GEM_CREATE_EXT: [`CreateExtSetPat`].
        CREATE_EXT_SET_PAT: u32 = 2;
    }
}

uapi_flags! {
    /// `I915_GEM_DOMAIN_*`.
    flags Domains: u32 = "I915_GEM_DOMAIN_" {
        /// CPU cache.
        CPU = 1 << 0;
        /// Render cache.
        RENDER = 1 << 1;
        /// Sampler cache.
        SAMPLER = 1 << 2;
        /// Command queue.
        COMMAND = 1 << 3;
        /// Instruction cache.
        INSTRUCTION = 1 << 4;
        /// Vertex cache.
        VERTEX = 1 << 5;
        /// Aperture.
        GTT = 1 << 6;
        /// Write-combined.
        WC = 1 << 7;
    }

    /// `drm_i915_gem_userptr.flags`.
    flags UserptrFlags: u32 = "I915_USERPTR_" {
        /// The GPU only reads.
        READ_ONLY = 1 << 0;
        /// Check now that the pages are there.
        PROBE = 1 << 1;
        /// Without an MMU notifier (root only).
        UNSYNCHRONIZED = 1 << 31;
    }

    /// `drm_i915_gem_create_ext.flags`.
    flags CreateExtFlags: u32 = "I915_GEM_CREATE_EXT_FLAG_" {
        /// Place it where the CPU can map it.
        NEEDS_CPU_ACCESS = 1 << 0;
    }
}

uapi_structs! {
    /// Creates a buffer object in host memory.
    struct Create = "struct drm_i915_gem_create" {
        /// In: bytes wanted; out: bytes given (whole pages).
        size: u64,
        /// Out.
        handle: u32,
        pad: u32,
    }

    /// Creates a buffer object with extensions.
    struct CreateExt = "struct drm_i915_gem_create_ext" {
        /// In: bytes wanted; out: bytes given (whole pages of the placement).
        size: u64,
        /// Out.
        handle: u32,
        /// How.
        flags: CreateExtFlags,
        /// User pointer to a chain of extensions.
        extensions: u64,
    }

    /// Placement, most preferred first.
    struct CreateExtMemoryRegions = "struct drm_i915_gem_create_ext_memory_regions" {
        /// Chain; name [`CREATE_EXT_MEMORY_REGIONS`].
        base: UserExtension,
        pad: u32,
        /// How many.
        num_regions: u32,
        /// User pointer to `MemoryClassInstance`s.
        regions: u64,
    }

    /// Protected content.
    struct CreateExtProtectedContent = "struct drm_i915_gem_create_ext_protected_content" {
        /// Chain; name [`CREATE_EXT_PROTECTED_CONTENT`].
        base: UserExtension,
        flags: u32,
        /// Padding that C inserts.
        pad = "": u32,
    }

    /// Page attributes.
    struct CreateExtSetPat = "struct drm_i915_gem_create_ext_set_pat" {
        /// Chain; name [`CREATE_EXT_SET_PAT`].
        base: UserExtension,
        /// PAT index.
        pat_index: u32,
        rsvd: u32,
    }

    /// Makes a buffer object of user memory.
    struct Userptr = "struct drm_i915_gem_userptr" {
        /// First byte, page aligned.
        user_ptr: u64,
        /// Bytes, whole pages.
        user_size: u64,
        /// How.
        flags: UserptrFlags,
        /// Out.
        handle: u32,
    }

    /// Reads from a buffer object.
    struct Pread = "struct drm_i915_gem_pread" {
        /// The buffer.
        handle: u32,
        pad: u32,
        /// First byte.
        offset: u64,
        /// Bytes.
        size: u64,
        /// User pointer.
        data_ptr: u64,
    }

    /// Writes to a buffer object.
    struct Pwrite = "struct drm_i915_gem_pwrite" {
        /// The buffer.
        handle: u32,
        pad: u32,
        /// First byte.
        offset: u64,
        /// Bytes.
        size: u64,
        /// User pointer.
        data_ptr: u64,
    }

    /// Maps a buffer object at an address that the kernel picks; gone on Gen12 and later.
    struct Mmap = "struct drm_i915_gem_mmap" {
        /// The buffer.
        handle: u32,
        pad: u32,
        /// First byte.
        offset: u64,
        /// Bytes.
        size: u64,
        /// Out: where it was mapped.
        addr_ptr: u64,
        /// [`MMAP_WC`] or 0.
        flags: u64,
    }

    /// Asks for the offset at which the node maps a buffer, old form.
    struct MmapGtt = "struct drm_i915_gem_mmap_gtt" {
        /// The buffer.
        handle: u32,
        pad: u32,
        /// Out: what to pass to `mmap(2)`.
        offset: u64,
    }

    /// Asks for the offset at which the node maps a buffer.
    struct MmapOffsetArgs = "struct drm_i915_gem_mmap_offset" {
        /// The buffer.
        handle: u32,
        pad: u32,
        /// Out: what to pass to `mmap(2)`.
        offset: u64,
        /// [`MmapOffset`].
        flags: u64,
        extensions: u64,
    }

    /// Moves a buffer object into a domain, and waits for the GPU.
    struct SetDomain = "struct drm_i915_gem_set_domain" {
        /// The buffer.
        handle: u32,
        /// Domains it will be read from.
        read_domains: Domains,
        /// The domain it will be written from.
        write_domain: Domains,
    }

    /// Ends a CPU access.
    struct SwFinish = "struct drm_i915_gem_sw_finish" {
        /// The buffer.
        handle: u32,
    }

    /// Sets the tiling of an aperture mapping.
    struct SetTiling = "struct drm_i915_gem_set_tiling" {
        /// The buffer.
        handle: u32,
        /// In and out: `TILING_*`.
        tiling_mode: u32,
        /// Bytes per row.
        stride: u32,
        /// Out: address swizzling.
        swizzle_mode: u32,
    }

    /// Reads what SET_TILING set.
    struct GetTiling = "struct drm_i915_gem_get_tiling" {
        /// The buffer.
        handle: u32,
        /// Out: `TILING_*`.
        tiling_mode: u32,
        /// Out: address swizzling.
        swizzle_mode: u32,
        /// Out: the same without bit 17.
        phys_swizzle_mode: u32,
    }

    /// Whether the GPU still uses a buffer.
    struct Busy = "struct drm_i915_gem_busy" {
        /// The buffer.
        handle: u32,
        /// Out: writer's engine class + 1 in 15:0, readers' class mask in 31:16; 0 if idle.
        busy: u32,
    }

    /// Sets or reads the cache level.
    struct Caching = "struct drm_i915_gem_caching" {
        /// The buffer.
        handle: u32,
        /// `CACHING_*`.
        caching: u32,
    }

    /// Says whether the pages are still needed.
    struct Madvise = "struct drm_i915_gem_madvise" {
        /// The buffer.
        handle: u32,
        /// `MADV_*`.
        madv: u32,
        /// Out: whether the pages are still there.
        retained: u32,
    }

    /// Size of the aperture.
    struct GetAperture = "struct drm_i915_gem_get_aperture" {
        /// Out: bytes.
        aper_size: u64,
        /// Out: bytes not pinned.
        aper_available_size: u64,
    }

    /// Waits until the GPU is done with a buffer.
    struct Wait = "struct drm_i915_gem_wait" {
        /// The buffer.
        bo_handle: u32,
        flags: u32,
        /// In: relative nanoseconds, negative for ever; out: the time left.
        timeout_ns: i64,
    }
}

uapi_ioctls! {
    /// Is a buffer in use?
    BUSY = ReadWrite(command(0x17), Busy), "DRM_IOCTL_I915_GEM_BUSY";
    /// Create a buffer.
    CREATE = ReadWrite(command(0x1b), Create), "DRM_IOCTL_I915_GEM_CREATE";
    /// Copy out of a buffer.
    PREAD = Write(command(0x1c), Pread), "DRM_IOCTL_I915_GEM_PREAD";
    /// Copy into a buffer.
    PWRITE = Write(command(0x1d), Pwrite), "DRM_IOCTL_I915_GEM_PWRITE";
    /// Map a buffer.
    MMAP = ReadWrite(command(0x1e), Mmap), "DRM_IOCTL_I915_GEM_MMAP";
    /// Move a buffer to a domain.
    SET_DOMAIN = Write(command(0x1f), SetDomain), "DRM_IOCTL_I915_GEM_SET_DOMAIN";
    /// End a CPU access.
    SW_FINISH = Write(command(0x20), SwFinish), "DRM_IOCTL_I915_GEM_SW_FINISH";
    /// Set tiling.
    SET_TILING = ReadWrite(command(0x21), SetTiling), "DRM_IOCTL_I915_GEM_SET_TILING";
    /// Get tiling.
    GET_TILING = ReadWrite(command(0x22), GetTiling), "DRM_IOCTL_I915_GEM_GET_TILING";
    /// Size of the aperture.
    GET_APERTURE = Read(command(0x23), GetAperture), "DRM_IOCTL_I915_GEM_GET_APERTURE";
    /// Where the node maps a buffer, old form: told apart from [`MMAP_OFFSET`] by its size.
    MMAP_GTT = ReadWrite(command(0x24), MmapGtt), "DRM_IOCTL_I915_GEM_MMAP_GTT";
    /// Where the node maps a buffer.
    MMAP_OFFSET = ReadWrite(command(0x24), MmapOffsetArgs), "DRM_IOCTL_I915_GEM_MMAP_OFFSET";
    /// Say whether pages are needed.
    MADVISE = ReadWrite(command(0x26), Madvise), "DRM_IOCTL_I915_GEM_MADVISE";
    /// Wait for a buffer.
    WAIT = ReadWrite(command(0x2c), Wait), "DRM_IOCTL_I915_GEM_WAIT";
    /// Set the cache level.
    SET_CACHING = Write(command(0x2f), Caching), "DRM_IOCTL_I915_GEM_SET_CACHING";
    /// Get the cache level.
    GET_CACHING = ReadWrite(command(0x30), Caching), "DRM_IOCTL_I915_GEM_GET_CACHING";
    /// Buffer of user memory.
    USERPTR = ReadWrite(command(0x33), Userptr), "DRM_IOCTL_I915_GEM_USERPTR";
    /// Create a buffer with extensions.
    CREATE_EXT = ReadWrite(command(0x3c), CreateExt), "DRM_IOCTL_I915_GEM_CREATE_EXT";
}
