//! DEVICE_QUERY: everything about the device.

use super::{EngineClassInstance, command};
use crate::uapi::{uapi_flags, uapi_ioctls, uapi_structs};

/// What DEVICE_QUERY can be asked (`DRM_XE_DEVICE_QUERY_*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum QueryId {
    /// [`EnginesHeader`], then [`Engine`]s.
    Engines = 0,
    /// [`MemRegionsHeader`], then [`MemRegion`]s.
    MemRegions = 1,
    /// [`ConfigHeader`], then `u64`s indexed by [`Config`].
    Config = 2,
    /// [`GtListHeader`], then [`Gt`]s.
    GtList = 3,
    /// The GuC's table of hardware attributes: `u32` key, length in dwords, values.
    Hwconfig = 4,
    /// Repeated: [`TopologyMask`], then its bytes.
    GtTopology = 5,
    /// [`EngineCycles`], in and out.
    EngineCycles = 6,
    /// [`UcFwVersion`], in and out.
    UcFwVersion = 7,
    /// [`OaUnitsHeader`], then observation units.
    OaUnits = 8,
}

impl QueryId {
    /// The query with this number.
    pub fn from_raw(raw: u32) -> Option<Self> {
        Some(match raw {
            0 => Self::Engines,
            1 => Self::MemRegions,
            2 => Self::Config,
            3 => Self::GtList,
            4 => Self::Hwconfig,
            5 => Self::GtTopology,
            6 => Self::EngineCycles,
            7 => Self::UcFwVersion,
            8 => Self::OaUnits,
            _ => return None,
        })
    }
}

/// Index into the values of [`QueryId::Config`] (`DRM_XE_QUERY_CONFIG_*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(usize)]
pub enum Config {
    /// Device id in 15:0, revision in 23:16.
    RevAndDeviceId = 0,
    /// [`ConfigFlags`].
    Flags = 1,
    /// Least alignment of bindings in bytes.
    MinAlignment = 2,
    /// Bits of a GPU address.
    VaBits = 3,
    /// The highest queue priority that this process may use.
    MaxExecQueuePriority = 4,
}

/// `drm_xe_mem_region.mem_class`: host memory.
pub const MEM_REGION_CLASS_SYSMEM: u16 = 0;
/// `drm_xe_mem_region.mem_class`: the device's own memory.
pub const MEM_REGION_CLASS_VRAM: u16 = 1;

/// `drm_xe_gt.type`: render, compute and copy.
pub const GT_TYPE_MAIN: u16 = 0;
/// `drm_xe_gt.type`: video.
pub const GT_TYPE_MEDIA: u16 = 1;

/// `drm_xe_query_topology_mask.type`: (dual) subslices that can do 3-D.
pub const TOPO_DSS_GEOMETRY: u16 = 1;
/// `drm_xe_query_topology_mask.type`: (dual) subslices that can compute.
pub const TOPO_DSS_COMPUTE: u16 = 2;
/// `drm_xe_query_topology_mask.type`: L3 banks.
pub const TOPO_L3_BANK: u16 = 3;
/// `drm_xe_query_topology_mask.type`: EUs of each (dual) subslice, before Xe2.
pub const TOPO_EU_PER_DSS: u16 = 4;
/// `drm_xe_query_topology_mask.type`: SIMD16 EUs of each subslice, from XeHPC on.
pub const TOPO_SIMD16_EU_PER_DSS: u16 = 5;

/// `drm_xe_query_uc_fw_version.uc_type`: the GuC's submission interface.
pub const UC_TYPE_GUC_SUBMISSION: u16 = 0;
/// `drm_xe_query_uc_fw_version.uc_type`: the HuC.
pub const UC_TYPE_HUC: u16 = 1;

uapi_flags! {
    /// The value of [`Config::Flags`].
    flags ConfigFlags: u64 {
        /// The device has its own memory.
        HAS_VRAM = 1 << 0;
    }
}

uapi_structs! {
    /// A question.
    struct DeviceQuery = "struct drm_xe_device_query" {
        /// Zero.
        extensions: u64,
        /// [`QueryId`].
        query: u32,
        /// In: room at `data`, 0 to ask for it; out: bytes.
        size: u32,
        /// User pointer to the answer.
        data: u64,
        /// Zero.
        reserved: [u64; 2],
    }

    /// One engine.
    struct Engine = "struct drm_xe_engine" {
        /// Which.
        instance: EngineClassInstance,
        /// Zero.
        reserved: [u64; 3],
    }

    /// The header before the [`Engine`]s.
    struct EnginesHeader = "struct drm_xe_query_engines" {
        /// How many follow.
        num_engines: u32,
        /// Zero.
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
        /// Zero.
        reserved: [u64; 6],
    }

    /// The header before the [`MemRegion`]s.
    struct MemRegionsHeader = "struct drm_xe_query_mem_regions" {
        /// How many follow.
        num_mem_regions: u32,
        /// Zero.
        pad: u32,
    }

    /// The header before the configuration values.
    struct ConfigHeader = "struct drm_xe_query_config" {
        /// How many `u64` follow.
        num_params: u32,
        /// Zero.
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
        /// Zero.
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
        /// Zero.
        pad2: u16,
        /// Zero.
        reserved: [u64; 7],
    }

    /// The header before the [`Gt`]s.
    struct GtListHeader = "struct drm_xe_query_gt_list" {
        /// How many follow.
        num_gt: u32,
        /// Zero.
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
        /// Zero.
        extensions: u64,
        /// How many follow.
        num_oa_units: u32,
        /// Zero.
        pad: u32,
    }

    /// A firmware's version.
    struct UcFwVersion = "struct drm_xe_query_uc_fw_version" {
        /// In: `UC_TYPE_*`.
        uc_type: u16,
        /// Zero.
        pad: u16,
        /// Out: branch.
        branch_ver: u32,
        /// Out: major.
        major_ver: u32,
        /// Out: minor.
        minor_ver: u32,
        /// Out: patch.
        patch_ver: u32,
        /// Zero.
        pad2: u32,
        /// Zero.
        reserved: u64,
    }
}

uapi_ioctls! {
    /// Ask about the device.
    DEVICE_QUERY = ReadWrite(command(0x00), DeviceQuery), "DRM_IOCTL_XE_DEVICE_QUERY";
}
