//! QUERY: blobs about topology, engines and memory.

use super::{EngineClassInstance, command};
use crate::uapi::{uapi_constants, uapi_enums, uapi_flags, uapi_ioctls, uapi_structs};

uapi_enums! {
    /// What QUERY can be asked (`DRM_I915_QUERY_*`).
    enum QueryId: u64 = "DRM_I915_QUERY_" {
        /// [`TopologyInfo`].
        TopologyInfo = 1;
        /// [`EngineInfoHeader`], then [`EngineInfo`]s.
        EngineInfo = 2;
        /// OA metric configurations.
        PerfConfig = 3;
        /// [`MemoryRegionsHeader`], then [`MemoryRegionInfo`]s.
        MemoryRegions = 4;
        /// The GuC's table of hardware attributes: `u32` key, length in dwords, values.
        HwconfigBlob = 5;
        /// [`TopologyInfo`] of one render engine.
        GeometrySubslices = 6;
        /// [`GucSubmissionVersion`].
        GucSubmissionVersion = 7;
    }
}

uapi_constants! {
    "DRM_I915_QUERY_" {
        /// `drm_i915_query_item.flags` of [`QueryId::PerfConfig`]: the numbers of all configurations.
        PERF_CONFIG_LIST: u32 = 1;
        /// `drm_i915_query_item.flags` of [`QueryId::PerfConfig`]: the configuration with a name.
        PERF_CONFIG_DATA_FOR_UUID: u32 = 2;
        /// `drm_i915_query_item.flags` of [`QueryId::PerfConfig`]: the configuration with a number.
        PERF_CONFIG_DATA_FOR_ID: u32 = 3;
    }

    "I915_" {
        /// `drm_i915_gem_memory_class_instance.memory_class`: host memory.
        MEMORY_CLASS_SYSTEM: u16 = 0;
        /// `drm_i915_gem_memory_class_instance.memory_class`: the device's own memory.
        MEMORY_CLASS_DEVICE: u16 = 1;
    }
}

uapi_flags! {
    /// `drm_i915_engine_info.flags`.
    flags EngineInfoFlags: u64 = "I915_ENGINE_INFO_" {
        /// `logical_instance` is valid.
        HAS_LOGICAL_INSTANCE = 1 << 0;
    }
}

uapi_structs! {
    /// One question.
    struct QueryItem = "struct drm_i915_query_item" {
        /// [`QueryId`].
        query_id: u64,
        /// In: room at `data_ptr`, 0 to ask for it; out: bytes, or a negative errno.
        length: i32,
        /// Depends on the query.
        flags: u32,
        /// User pointer to the answer.
        data_ptr: u64,
    }

    /// An array of questions.
    struct Query = "struct drm_i915_query" {
        /// How many.
        num_items: u32,
        flags: u32,
        /// User pointer to [`QueryItem`]s.
        items_ptr: u64,
    }

    /// Slices, subslices and EUs; the masks follow.
    ///
    /// A slice mask (from offset 0 of the data), then per slice a subslice
    /// mask of `subslice_stride` bytes at `subslice_offset`, then per subslice
    /// an EU mask of `eu_stride` bytes at `eu_offset`.
    struct TopologyInfo = "struct drm_i915_query_topology_info" {
        flags: u16,
        /// Bits in the slice mask.
        max_slices: u16,
        /// Bits in each subslice mask.
        max_subslices: u16,
        /// Bits in each EU mask.
        max_eus_per_subslice: u16,
        /// Offset of the subslice masks in the data.
        subslice_offset: u16,
        /// Bytes of a subslice mask.
        subslice_stride: u16,
        /// Offset of the EU masks in the data.
        eu_offset: u16,
        /// Bytes of an EU mask.
        eu_stride: u16,
    }

    /// One engine.
    struct EngineInfo = "struct drm_i915_engine_info" {
        /// Which.
        engine: EngineClassInstance,
        rsvd0: u32,
        /// What below is valid.
        flags: EngineInfoFlags,
        /// What a video engine can do.
        capabilities: u64,
        /// Logical instance within the class.
        logical_instance: u16,
        rsvd1: [u16; 3],
        rsvd2: [u64; 3],
    }

    /// The header before the [`EngineInfo`]s.
    struct EngineInfoHeader = "struct drm_i915_query_engine_info" {
        /// How many follow.
        num_engines: u32,
        rsvd: [u32; 3],
    }

    /// One memory region's name.
    struct MemoryClassInstance = "struct drm_i915_gem_memory_class_instance" {
        /// System or device.
        memory_class: u16,
        /// Instance within the class.
        memory_instance: u16,
    }

    /// One memory region.
    struct MemoryRegionInfo = "struct drm_i915_memory_region_info" {
        /// Which.
        region: MemoryClassInstance,
        rsvd0: u32,
        /// Size in bytes, `u64::MAX` if unknown.
        probed_size: u64,
        /// Estimated free bytes, `u64::MAX` if unknown.
        unallocated_size: u64,
        /// How much of it the CPU can map.
        probed_cpu_visible_size: u64,
        /// Estimated free part of that.
        unallocated_cpu_visible_size: u64,
        rsvd1 = "": [u64; 6],
    }

    /// The header before the [`MemoryRegionInfo`]s.
    struct MemoryRegionsHeader = "struct drm_i915_query_memory_regions" {
        /// How many follow.
        num_regions: u32,
        rsvd: [u32; 3],
    }

    /// Version of the GuC submission interface.
    struct GucSubmissionVersion = "struct drm_i915_query_guc_submission_version" {
        /// Branch.
        branch: u32,
        /// Major.
        major: u32,
        /// Minor.
        minor: u32,
        /// Patch.
        patch: u32,
    }
}

uapi_ioctls! {
    /// Ask for blobs.
    QUERY = ReadWrite(command(0x39), Query), "DRM_IOCTL_I915_QUERY";
}
