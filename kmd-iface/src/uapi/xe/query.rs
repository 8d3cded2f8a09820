//! DEVICE_QUERY: everything about the device.

use super::{EngineClassInstance, command};
use crate::uapi::{uapi_constants, uapi_enums, uapi_flags, uapi_ioctls, uapi_structs};

uapi_enums! {
    /// What DEVICE_QUERY can be asked (`DRM_XE_DEVICE_QUERY_*`).
    enum QueryId: u32 = "DRM_XE_DEVICE_QUERY_" {
        /// [`EnginesHeader`], then [`Engine`]s.
        Engines = 0;
        /// [`MemRegionsHeader`], then [`MemRegion`]s.
        MemRegions = 1;
        /// [`ConfigHeader`], then `u64`s indexed by [`Config`].
        Config = 2;
        /// [`GtListHeader`], then [`Gt`]s.
        GtList = 3;
        /// The GuC's table of hardware attributes: `u32` key, length in dwords, values.
        Hwconfig = 4;
        /// Repeated: [`TopologyMask`], then its bytes.
        GtTopology = 5;
        /// [`EngineCycles`], in and out.
        EngineCycles = 6;
        /// [`UcFwVersion`], in and out.
        UcFwVersion = 7;
        /// [`OaUnitsHeader`], then observation units.
        OaUnits = 8;
    }

    /// Index into the values of [`QueryId::Config`] (`DRM_XE_QUERY_CONFIG_*`).
    enum Config: usize = "DRM_XE_QUERY_CONFIG_" {
        /// Device id in 15:0, revision in 23:16.
        RevAndDeviceId = 0;
        /// [`ConfigFlags`].
        Flags = 1;
        /// Least alignment of bindings in bytes.
        MinAlignment = 2;
        /// Bits of a GPU address.
        VaBits = 3;
        /// The highest queue priority that this process may use.
        MaxExecQueuePriority = 4;
    }
}

uapi_constants! {
    "DRM_XE_" {
        /// `drm_xe_mem_region.mem_class`: host memory.
        MEM_REGION_CLASS_SYSMEM: u16 = 0;
        /// `drm_xe_mem_region.mem_class`: the device's own memory.
        MEM_REGION_CLASS_VRAM: u16 = 1;
        /// `drm_xe_query_topology_mask.type`: (dual) subslices that can do 3-D.
        TOPO_DSS_GEOMETRY: u16 = 1;
        /// `drm_xe_query_topology_mask.type`: (dual) subslices that can compute.
        TOPO_DSS_COMPUTE: u16 = 2;
        /// `drm_xe_query_topology_mask.type`: L3 banks.
        TOPO_L3_BANK: u16 = 3;
        /// `drm_xe_query_topology_mask.type`: EUs of each (dual) subslice, before Xe2.
        TOPO_EU_PER_DSS: u16 = 4;
        /// `drm_xe_query_topology_mask.type`: SIMD16 EUs of each subslice, from XeHPC on.
        TOPO_SIMD16_EU_PER_DSS: u16 = 5;
    }

    "DRM_XE_QUERY_" {
        /// `drm_xe_gt.type`: render, compute and copy.
        GT_TYPE_MAIN: u16 = 0;
        /// `drm_xe_gt.type`: video.
        GT_TYPE_MEDIA: u16 = 1;
    }

    "XE_QUERY_" {
        /// `drm_xe_query_uc_fw_version.uc_type`: the GuC's submission interface.
        UC_TYPE_GUC_SUBMISSION: u16 = 0;
        /// `drm_xe_query_uc_fw_version.uc_type`: the HuC.
        UC_TYPE_HUC: u16 = 1;
    }
}

uapi_flags! {
    /// The value of [`Config::Flags`].
    flags ConfigFlags: u64 = "DRM_XE_QUERY_CONFIG_FLAG_" {
        /// The device has its own memory.
        HAS_VRAM = 1 << 0;
    }
}

uapi_structs! {
    /// A question.
    struct DeviceQuery = "struct drm_xe_device_query" {
        extensions: u64,
        /// [`QueryId`].
        query: u32,
        /// In: room at `data`, 0 to ask for it; out: bytes.
        size: u32,
        /// User pointer to the answer.
        data: u64,
        reserved: [u64; 2],
    }

    /// One engine.
    struct Engine = "struct drm_xe_engine" {
        /// Which.
        instance: EngineClassInstance,
        reserved: [u64; 3],
    }

    /// The header before the [`Engine`]s.
    struct EnginesHeader = "struct drm_xe_query_engines" {
        /// How many follow.
        num_engines: u32,
        pad: u32,
    }

    /// One memory region.
    struct MemRegion = "struct drm_xe_mem_region" {
        /// System or VRAM.
        mem_class: u16,
        /// The bit that names it in placements.
        instance: u16,
        /// Alignment in bytes of sizes and bindings of buffers in it.
        min_page_size: u32,
        /// Size in bytes.
        total_size: u64,
        /// Bytes in use, 0 without the privilege to know.
        used: u64,
        /// How much of it the CPU can map; 0 for system memory.
        cpu_visible_size: u64,
        /// The part of that in use.
        cpu_visible_used: u64,
        reserved: [u64; 6],
    }

    /// The header before the [`MemRegion`]s.
    struct MemRegionsHeader = "struct drm_xe_query_mem_regions" {
        /// How many follow.
        num_mem_regions: u32,
        pad: u32,
    }

    /// The header before the configuration values.
    struct ConfigHeader = "struct drm_xe_query_config" {
        /// How many `u64` follow.
        num_params: u32,
        pad: u32,
    }

    /// One GT.
    struct Gt = "struct drm_xe_gt" {
        /// Main or media.
        ty = "type": u16,
        /// The tile.
        tile_id: u16,
        /// The GT.
        gt_id: u16,
        pad: [u16; 3],
        /// Ticks of the engines' timestamp in a second.
        reference_clock: u32,
        /// Memory regions near it, one bit per instance.
        near_mem_regions: u64,
        /// Memory regions far from it.
        far_mem_regions: u64,
        /// Graphics or media IP version: major, 0 if the device has no such register.
        ip_ver_major: u16,
        /// Minor.
        ip_ver_minor: u16,
        /// Revision.
        ip_ver_rev: u16,
        pad2: u16,
        reserved: [u64; 7],
    }

    /// The header before the [`Gt`]s.
    struct GtListHeader = "struct drm_xe_query_gt_list" {
        /// How many follow.
        num_gt: u32,
        pad: u32,
    }

    /// A topology mask; its bytes follow directly.
    struct TopologyMask = "struct drm_xe_query_topology_mask" {
        /// The GT.
        gt_id: u16,
        /// `TOPO_*`.
        ty = "type": u16,
        /// How many bytes follow.
        num_bytes: u32,
    }

    /// An engine's timestamp with the CPU's.
    struct EngineCycles = "struct drm_xe_query_engine_cycles" {
        /// In: which engine.
        eci: EngineClassInstance,
        /// In: `CLOCK_*`.
        clockid: i32,
        /// Out: bits of `engine_cycles` that count.
        width: u32,
        /// Out: the timestamp.
        engine_cycles: u64,
        /// Out: the CPU's clock in nanoseconds, before reading.
        cpu_timestamp: u64,
        /// Out: nanoseconds that the reading took.
        cpu_delta: u64,
    }

    /// The header before the observation units.
    struct OaUnitsHeader = "struct drm_xe_query_oa_units" {
        extensions: u64,
        /// How many follow.
        num_oa_units: u32,
        pad: u32,
    }

    /// A firmware's version.
    struct UcFwVersion = "struct drm_xe_query_uc_fw_version" {
        /// In: `UC_TYPE_*`.
        uc_type: u16,
        pad: u16,
        /// Out: branch.
        branch_ver: u32,
        /// Out: major.
        major_ver: u32,
        /// Out: minor.
        minor_ver: u32,
        /// Out: patch.
        patch_ver: u32,
        pad2: u32,
        reserved: u64,
    }
}

uapi_ioctls! {
    /// Ask about the device.
    DEVICE_QUERY = ReadWrite(command(0x00), DeviceQuery), "DRM_IOCTL_XE_DEVICE_QUERY";
}
