//! The constants that stand in no structure, by their C names.

use kmd_iface::uapi::i915::context::{self, ContextCreateFlags, ContextParam, SseuFlags};
use kmd_iface::uapi::i915::exec::{self, ExecFenceFlags, ExecFlags, ExecObjectFlags};
use kmd_iface::uapi::i915::gem::{self, CreateExtFlags, Domains, MmapOffset, UserptrFlags};
use kmd_iface::uapi::i915::getparam::{self, Param, SchedulerCaps};
use kmd_iface::uapi::i915::query::{self, EngineInfoFlags, QueryId};
use kmd_iface::uapi::xe::exec::{self as xe_exec, SyncFlags, SyncType, WaitFlags, WaitOp};
use kmd_iface::uapi::xe::gem::{self as xe_gem, GemCreateFlags};
use kmd_iface::uapi::xe::query::{self as xe_query, Config, ConfigFlags};
use kmd_iface::uapi::xe::vm::{BindFlags, BindOp, VmCreateFlags};
use kmd_iface::uapi::{drm, i915, xe};

/// Every constant with its value.
pub fn constants() -> Vec<(&'static str, u64)> {
    let mut all = Vec::new();
    all.extend(generic());
    all.extend(parameters());
    all.extend(objects());
    all.extend(contexts());
    all.extend(submission());
    all.extend(xe_device());
    all.extend(xe_work());
    all
}

fn wide(value: impl Into<u64>) -> u64 {
    value.into()
}

fn generic() -> Vec<(&'static str, u64)> {
    use drm::{SyncobjCreateFlags, SyncobjFdFlags, SyncobjQueryFlags, SyncobjWaitFlags};
    vec![
        ("DRM_CAP_SYNCOBJ", drm::CAP_SYNCOBJ),
        ("DRM_CAP_SYNCOBJ_TIMELINE", drm::CAP_SYNCOBJ_TIMELINE),
        ("DRM_CAP_PRIME", drm::CAP_PRIME),
        (
            "DRM_SYNCOBJ_CREATE_SIGNALED",
            wide(SyncobjCreateFlags::SIGNALED.0),
        ),
        (
            "DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL",
            wide(SyncobjWaitFlags::WAIT_ALL.0),
        ),
        (
            "DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT",
            wide(SyncobjWaitFlags::WAIT_FOR_SUBMIT.0),
        ),
        (
            "DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE",
            wide(SyncobjWaitFlags::WAIT_AVAILABLE.0),
        ),
        (
            "DRM_SYNCOBJ_WAIT_FLAGS_WAIT_DEADLINE",
            wide(SyncobjWaitFlags::WAIT_DEADLINE.0),
        ),
        (
            "DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE",
            wide(SyncobjFdFlags::SYNC_FILE.0),
        ),
        (
            "DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE",
            wide(SyncobjFdFlags::SYNC_FILE.0),
        ),
        (
            "DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED",
            wide(SyncobjQueryFlags::LAST_SUBMITTED.0),
        ),
    ]
}

fn parameters() -> Vec<(&'static str, u64)> {
    let param = |p: Param| u64::from((p as i32).unsigned_abs());
    vec![
        ("I915_PARAM_CHIPSET_ID", param(Param::ChipsetId)),
        ("I915_PARAM_HAS_GEM", param(Param::HasGem)),
        ("I915_PARAM_HAS_EXECBUF2", param(Param::HasExecbuf2)),
        ("I915_PARAM_HAS_BLT", param(Param::HasBlt)),
        (
            "I915_PARAM_HAS_RELAXED_FENCING",
            param(Param::HasRelaxedFencing),
        ),
        (
            "I915_PARAM_HAS_COHERENT_RINGS",
            param(Param::HasCoherentRings),
        ),
        (
            "I915_PARAM_HAS_EXEC_CONSTANTS",
            param(Param::HasExecConstants),
        ),
        (
            "I915_PARAM_HAS_RELAXED_DELTA",
            param(Param::HasRelaxedDelta),
        ),
        ("I915_PARAM_HAS_LLC", param(Param::HasLlc)),
        (
            "I915_PARAM_HAS_ALIASING_PPGTT",
            param(Param::HasAliasingPpgtt),
        ),
        ("I915_PARAM_HAS_WAIT_TIMEOUT", param(Param::HasWaitTimeout)),
        ("I915_PARAM_HAS_SEMAPHORES", param(Param::HasSemaphores)),
        ("I915_PARAM_HAS_EXEC_NO_RELOC", param(Param::HasExecNoReloc)),
        (
            "I915_PARAM_HAS_EXEC_HANDLE_LUT",
            param(Param::HasExecHandleLut),
        ),
        ("I915_PARAM_HAS_WT", param(Param::HasWt)),
        (
            "I915_PARAM_CMD_PARSER_VERSION",
            param(Param::CmdParserVersion),
        ),
        ("I915_PARAM_MMAP_VERSION", param(Param::MmapVersion)),
        ("I915_PARAM_HAS_BSD2", param(Param::HasBsd2)),
        ("I915_PARAM_REVISION", param(Param::Revision)),
        ("I915_PARAM_SUBSLICE_TOTAL", param(Param::SubsliceTotal)),
        ("I915_PARAM_EU_TOTAL", param(Param::EuTotal)),
        ("I915_PARAM_HAS_GPU_RESET", param(Param::HasGpuReset)),
        ("I915_PARAM_HAS_EXEC_SOFTPIN", param(Param::HasExecSoftpin)),
        ("I915_PARAM_HAS_POOLED_EU", param(Param::HasPooledEu)),
        ("I915_PARAM_MIN_EU_IN_POOL", param(Param::MinEuInPool)),
        ("I915_PARAM_MMAP_GTT_VERSION", param(Param::MmapGttVersion)),
        ("I915_PARAM_HAS_SCHEDULER", param(Param::HasScheduler)),
        ("I915_PARAM_HUC_STATUS", param(Param::HucStatus)),
        ("I915_PARAM_HAS_EXEC_ASYNC", param(Param::HasExecAsync)),
        ("I915_PARAM_HAS_EXEC_FENCE", param(Param::HasExecFence)),
        ("I915_PARAM_HAS_EXEC_CAPTURE", param(Param::HasExecCapture)),
        ("I915_PARAM_SLICE_MASK", param(Param::SliceMask)),
        ("I915_PARAM_SUBSLICE_MASK", param(Param::SubsliceMask)),
        (
            "I915_PARAM_HAS_EXEC_BATCH_FIRST",
            param(Param::HasExecBatchFirst),
        ),
        (
            "I915_PARAM_HAS_EXEC_FENCE_ARRAY",
            param(Param::HasExecFenceArray),
        ),
        (
            "I915_PARAM_HAS_CONTEXT_ISOLATION",
            param(Param::HasContextIsolation),
        ),
        (
            "I915_PARAM_CS_TIMESTAMP_FREQUENCY",
            param(Param::CsTimestampFrequency),
        ),
        (
            "I915_PARAM_MMAP_GTT_COHERENT",
            param(Param::MmapGttCoherent),
        ),
        (
            "I915_PARAM_HAS_EXEC_SUBMIT_FENCE",
            param(Param::HasExecSubmitFence),
        ),
        (
            "I915_PARAM_HAS_EXEC_TIMELINE_FENCES",
            param(Param::HasExecTimelineFences),
        ),
        (
            "I915_PARAM_HAS_USERPTR_PROBE",
            param(Param::HasUserptrProbe),
        ),
        (
            "I915_PARAM_OA_TIMESTAMP_FREQUENCY",
            param(Param::OaTimestampFrequency),
        ),
        ("I915_PARAM_PXP_STATUS", param(Param::PxpStatus)),
        (
            "I915_PARAM_HAS_CONTEXT_FREQ_HINT",
            param(Param::HasContextFreqHint),
        ),
        (
            "I915_GEM_PPGTT_FULL",
            u64::from(getparam::PPGTT_FULL.unsigned_abs()),
        ),
        ("I915_REG_READ_8B_WA", getparam::REG_READ_8B_WA),
        (
            "I915_SCHEDULER_CAP_ENABLED",
            SchedulerCaps::ENABLED.0.into(),
        ),
        (
            "I915_SCHEDULER_CAP_PRIORITY",
            SchedulerCaps::PRIORITY.0.into(),
        ),
        (
            "I915_SCHEDULER_CAP_PREEMPTION",
            SchedulerCaps::PREEMPTION.0.into(),
        ),
        (
            "I915_SCHEDULER_CAP_SEMAPHORES",
            SchedulerCaps::SEMAPHORES.0.into(),
        ),
        (
            "I915_SCHEDULER_CAP_ENGINE_BUSY_STATS",
            SchedulerCaps::ENGINE_BUSY_STATS.0.into(),
        ),
        (
            "I915_SCHEDULER_CAP_STATIC_PRIORITY_MAP",
            SchedulerCaps::STATIC_PRIORITY_MAP.0.into(),
        ),
        ("DRM_I915_QUERY_TOPOLOGY_INFO", QueryId::TopologyInfo as u64),
        ("DRM_I915_QUERY_ENGINE_INFO", QueryId::EngineInfo as u64),
        ("DRM_I915_QUERY_PERF_CONFIG", QueryId::PerfConfig as u64),
        (
            "DRM_I915_QUERY_MEMORY_REGIONS",
            QueryId::MemoryRegions as u64,
        ),
        ("DRM_I915_QUERY_HWCONFIG_BLOB", QueryId::HwconfigBlob as u64),
        (
            "DRM_I915_QUERY_PERF_CONFIG_LIST",
            u64::from(query::PERF_CONFIG_LIST),
        ),
        (
            "DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_UUID",
            u64::from(query::PERF_CONFIG_DATA_FOR_UUID),
        ),
        (
            "DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_ID",
            u64::from(query::PERF_CONFIG_DATA_FOR_ID),
        ),
        (
            "DRM_I915_QUERY_GEOMETRY_SUBSLICES",
            QueryId::GeometrySubslices as u64,
        ),
        (
            "DRM_I915_QUERY_GUC_SUBMISSION_VERSION",
            QueryId::GucSubmissionVersion as u64,
        ),
        (
            "I915_MEMORY_CLASS_SYSTEM",
            query::MEMORY_CLASS_SYSTEM.into(),
        ),
        (
            "I915_MEMORY_CLASS_DEVICE",
            query::MEMORY_CLASS_DEVICE.into(),
        ),
        (
            "I915_ENGINE_INFO_HAS_LOGICAL_INSTANCE",
            EngineInfoFlags::HAS_LOGICAL_INSTANCE.0,
        ),
        ("I915_ENGINE_CLASS_RENDER", i915::EngineClass::Render as u64),
        ("I915_ENGINE_CLASS_COPY", i915::EngineClass::Copy as u64),
        ("I915_ENGINE_CLASS_VIDEO", i915::EngineClass::Video as u64),
        (
            "I915_ENGINE_CLASS_VIDEO_ENHANCE",
            i915::EngineClass::VideoEnhance as u64,
        ),
        (
            "I915_ENGINE_CLASS_COMPUTE",
            i915::EngineClass::Compute as u64,
        ),
        (
            "(__u16)I915_ENGINE_CLASS_INVALID",
            i915::ENGINE_CLASS_INVALID.into(),
        ),
    ]
}

fn objects() -> Vec<(&'static str, u64)> {
    vec![
        ("I915_MMAP_OFFSET_GTT", MmapOffset::Gtt as u64),
        ("I915_MMAP_OFFSET_WC", MmapOffset::Wc as u64),
        ("I915_MMAP_OFFSET_WB", MmapOffset::Wb as u64),
        ("I915_MMAP_OFFSET_UC", MmapOffset::Uc as u64),
        ("I915_MMAP_OFFSET_FIXED", MmapOffset::Fixed as u64),
        ("I915_MMAP_WC", gem::MMAP_WC),
        ("I915_TILING_NONE", wide(gem::TILING_NONE)),
        ("I915_TILING_X", wide(gem::TILING_X)),
        ("I915_TILING_Y", wide(gem::TILING_Y)),
        ("I915_CACHING_NONE", wide(gem::CACHING_NONE)),
        ("I915_CACHING_CACHED", wide(gem::CACHING_CACHED)),
        ("I915_CACHING_DISPLAY", wide(gem::CACHING_DISPLAY)),
        ("I915_MADV_WILLNEED", wide(gem::MADV_WILLNEED)),
        ("I915_MADV_DONTNEED", wide(gem::MADV_DONTNEED)),
        (
            "I915_GEM_CREATE_EXT_MEMORY_REGIONS",
            wide(gem::CREATE_EXT_MEMORY_REGIONS),
        ),
        (
            "I915_GEM_CREATE_EXT_PROTECTED_CONTENT",
            wide(gem::CREATE_EXT_PROTECTED_CONTENT),
        ),
        ("I915_GEM_CREATE_EXT_SET_PAT", wide(gem::CREATE_EXT_SET_PAT)),
        (
            "I915_GEM_CREATE_EXT_FLAG_NEEDS_CPU_ACCESS",
            wide(CreateExtFlags::NEEDS_CPU_ACCESS.0),
        ),
        ("I915_GEM_DOMAIN_CPU", wide(Domains::CPU.0)),
        ("I915_GEM_DOMAIN_RENDER", wide(Domains::RENDER.0)),
        ("I915_GEM_DOMAIN_SAMPLER", wide(Domains::SAMPLER.0)),
        ("I915_GEM_DOMAIN_COMMAND", wide(Domains::COMMAND.0)),
        ("I915_GEM_DOMAIN_INSTRUCTION", wide(Domains::INSTRUCTION.0)),
        ("I915_GEM_DOMAIN_VERTEX", wide(Domains::VERTEX.0)),
        ("I915_GEM_DOMAIN_GTT", wide(Domains::GTT.0)),
        ("I915_GEM_DOMAIN_WC", wide(Domains::WC.0)),
        ("I915_USERPTR_READ_ONLY", wide(UserptrFlags::READ_ONLY.0)),
        ("I915_USERPTR_PROBE", wide(UserptrFlags::PROBE.0)),
        (
            "I915_USERPTR_UNSYNCHRONIZED",
            wide(UserptrFlags::UNSYNCHRONIZED.0),
        ),
    ]
}

fn contexts() -> Vec<(&'static str, u64)> {
    vec![
        (
            "I915_CONTEXT_PARAM_BAN_PERIOD",
            ContextParam::BanPeriod as u64,
        ),
        (
            "I915_CONTEXT_PARAM_NO_ZEROMAP",
            ContextParam::NoZeromap as u64,
        ),
        ("I915_CONTEXT_PARAM_GTT_SIZE", ContextParam::GttSize as u64),
        (
            "I915_CONTEXT_PARAM_NO_ERROR_CAPTURE",
            ContextParam::NoErrorCapture as u64,
        ),
        ("I915_CONTEXT_PARAM_BANNABLE", ContextParam::Bannable as u64),
        ("I915_CONTEXT_PARAM_PRIORITY", ContextParam::Priority as u64),
        ("I915_CONTEXT_PARAM_SSEU", ContextParam::Sseu as u64),
        (
            "I915_CONTEXT_PARAM_RECOVERABLE",
            ContextParam::Recoverable as u64,
        ),
        ("I915_CONTEXT_PARAM_VM", ContextParam::Vm as u64),
        ("I915_CONTEXT_PARAM_ENGINES", ContextParam::Engines as u64),
        (
            "I915_CONTEXT_PARAM_PERSISTENCE",
            ContextParam::Persistence as u64,
        ),
        ("I915_CONTEXT_PARAM_RINGSIZE", ContextParam::RingSize as u64),
        (
            "I915_CONTEXT_PARAM_PROTECTED_CONTENT",
            ContextParam::ProtectedContent as u64,
        ),
        (
            "I915_CONTEXT_PARAM_LOW_LATENCY",
            ContextParam::LowLatency as u64,
        ),
        (
            "I915_CONTEXT_PARAM_CONTEXT_IMAGE",
            ContextParam::ContextImage as u64,
        ),
        (
            "I915_CONTEXT_MAX_USER_PRIORITY",
            context::MAX_USER_PRIORITY.cast_unsigned(),
        ),
        (
            "I915_CONTEXT_MIN_USER_PRIORITY",
            context::MIN_USER_PRIORITY.cast_unsigned(),
        ),
        (
            "I915_CONTEXT_CREATE_EXT_SETPARAM",
            wide(context::CONTEXT_CREATE_EXT_SETPARAM),
        ),
        (
            "I915_CONTEXT_ENGINES_EXT_LOAD_BALANCE",
            wide(context::CONTEXT_ENGINES_EXT_LOAD_BALANCE),
        ),
        (
            "I915_CONTEXT_ENGINES_EXT_BOND",
            wide(context::CONTEXT_ENGINES_EXT_BOND),
        ),
        (
            "I915_CONTEXT_ENGINES_EXT_PARALLEL_SUBMIT",
            wide(context::CONTEXT_ENGINES_EXT_PARALLEL_SUBMIT),
        ),
        (
            "I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS",
            wide(ContextCreateFlags::USE_EXTENSIONS.0),
        ),
        (
            "I915_CONTEXT_CREATE_FLAGS_SINGLE_TIMELINE",
            wide(ContextCreateFlags::SINGLE_TIMELINE.0),
        ),
        (
            "I915_CONTEXT_SSEU_FLAG_ENGINE_INDEX",
            wide(SseuFlags::ENGINE_INDEX.0),
        ),
    ]
}

fn submission() -> Vec<(&'static str, u64)> {
    vec![
        (
            "DRM_I915_GEM_EXECBUFFER_EXT_TIMELINE_FENCES",
            wide(exec::EXECBUFFER_EXT_TIMELINE_FENCES),
        ),
        ("EXEC_OBJECT_NEEDS_FENCE", ExecObjectFlags::NEEDS_FENCE.0),
        ("EXEC_OBJECT_NEEDS_GTT", ExecObjectFlags::NEEDS_GTT.0),
        ("EXEC_OBJECT_WRITE", ExecObjectFlags::WRITE.0),
        (
            "EXEC_OBJECT_SUPPORTS_48B_ADDRESS",
            ExecObjectFlags::SUPPORTS_48B_ADDRESS.0,
        ),
        ("EXEC_OBJECT_PINNED", ExecObjectFlags::PINNED.0),
        ("EXEC_OBJECT_PAD_TO_SIZE", ExecObjectFlags::PAD_TO_SIZE.0),
        ("EXEC_OBJECT_ASYNC", ExecObjectFlags::ASYNC.0),
        ("EXEC_OBJECT_CAPTURE", ExecObjectFlags::CAPTURE.0),
        ("I915_EXEC_FENCE_WAIT", wide(ExecFenceFlags::WAIT.0)),
        ("I915_EXEC_FENCE_SIGNAL", wide(ExecFenceFlags::SIGNAL.0)),
        ("I915_EXEC_RING_MASK", ExecFlags::ENGINE_MASK),
        ("I915_EXEC_DEFAULT", ExecFlags::RING_DEFAULT),
        ("I915_EXEC_RENDER", ExecFlags::RING_RENDER),
        ("I915_EXEC_BSD", ExecFlags::RING_BSD),
        ("I915_EXEC_BLT", ExecFlags::RING_BLT),
        ("I915_EXEC_VEBOX", ExecFlags::RING_VEBOX),
        ("I915_EXEC_GEN7_SOL_RESET", ExecFlags::GEN7_SOL_RESET.0),
        ("I915_EXEC_SECURE", ExecFlags::SECURE.0),
        ("I915_EXEC_IS_PINNED", ExecFlags::IS_PINNED.0),
        ("I915_EXEC_NO_RELOC", ExecFlags::NO_RELOC.0),
        ("I915_EXEC_HANDLE_LUT", ExecFlags::HANDLE_LUT.0),
        ("I915_EXEC_BSD_RING1", ExecFlags::BSD_RING1.0),
        ("I915_EXEC_BSD_RING2", ExecFlags::BSD_RING2.0),
        (
            "I915_EXEC_RESOURCE_STREAMER",
            ExecFlags::RESOURCE_STREAMER.0,
        ),
        ("I915_EXEC_FENCE_IN", ExecFlags::FENCE_IN.0),
        ("I915_EXEC_FENCE_OUT", ExecFlags::FENCE_OUT.0),
        ("I915_EXEC_BATCH_FIRST", ExecFlags::BATCH_FIRST.0),
        ("I915_EXEC_FENCE_ARRAY", ExecFlags::FENCE_ARRAY.0),
        ("I915_EXEC_FENCE_SUBMIT", ExecFlags::FENCE_SUBMIT.0),
        ("I915_EXEC_USE_EXTENSIONS", ExecFlags::USE_EXTENSIONS.0),
    ]
}

fn xe_device() -> Vec<(&'static str, u64)> {
    use xe_query::QueryId;
    vec![
        ("DRM_XE_ENGINE_CLASS_RENDER", xe::EngineClass::Render as u64),
        ("DRM_XE_ENGINE_CLASS_COPY", xe::EngineClass::Copy as u64),
        (
            "DRM_XE_ENGINE_CLASS_VIDEO_DECODE",
            xe::EngineClass::VideoDecode as u64,
        ),
        (
            "DRM_XE_ENGINE_CLASS_VIDEO_ENHANCE",
            xe::EngineClass::VideoEnhance as u64,
        ),
        (
            "DRM_XE_ENGINE_CLASS_COMPUTE",
            xe::EngineClass::Compute as u64,
        ),
        (
            "DRM_XE_ENGINE_CLASS_VM_BIND",
            xe::EngineClass::VmBind as u64,
        ),
        ("DRM_XE_DEVICE_QUERY_ENGINES", QueryId::Engines as u64),
        (
            "DRM_XE_DEVICE_QUERY_MEM_REGIONS",
            QueryId::MemRegions as u64,
        ),
        ("DRM_XE_DEVICE_QUERY_CONFIG", QueryId::Config as u64),
        ("DRM_XE_DEVICE_QUERY_GT_LIST", QueryId::GtList as u64),
        ("DRM_XE_DEVICE_QUERY_HWCONFIG", QueryId::Hwconfig as u64),
        (
            "DRM_XE_DEVICE_QUERY_GT_TOPOLOGY",
            QueryId::GtTopology as u64,
        ),
        (
            "DRM_XE_DEVICE_QUERY_ENGINE_CYCLES",
            QueryId::EngineCycles as u64,
        ),
        (
            "DRM_XE_DEVICE_QUERY_UC_FW_VERSION",
            QueryId::UcFwVersion as u64,
        ),
        ("DRM_XE_DEVICE_QUERY_OA_UNITS", QueryId::OaUnits as u64),
        (
            "DRM_XE_QUERY_CONFIG_REV_AND_DEVICE_ID",
            Config::RevAndDeviceId as u64,
        ),
        ("DRM_XE_QUERY_CONFIG_FLAGS", Config::Flags as u64),
        ("DRM_XE_QUERY_CONFIG_FLAG_HAS_VRAM", ConfigFlags::HAS_VRAM.0),
        (
            "DRM_XE_QUERY_CONFIG_MIN_ALIGNMENT",
            Config::MinAlignment as u64,
        ),
        ("DRM_XE_QUERY_CONFIG_VA_BITS", Config::VaBits as u64),
        (
            "DRM_XE_QUERY_CONFIG_MAX_EXEC_QUEUE_PRIORITY",
            Config::MaxExecQueuePriority as u64,
        ),
        (
            "DRM_XE_MEM_REGION_CLASS_SYSMEM",
            wide(xe_query::MEM_REGION_CLASS_SYSMEM),
        ),
        (
            "DRM_XE_MEM_REGION_CLASS_VRAM",
            wide(xe_query::MEM_REGION_CLASS_VRAM),
        ),
        ("DRM_XE_QUERY_GT_TYPE_MAIN", wide(xe_query::GT_TYPE_MAIN)),
        ("DRM_XE_QUERY_GT_TYPE_MEDIA", wide(xe_query::GT_TYPE_MEDIA)),
        (
            "DRM_XE_TOPO_DSS_GEOMETRY",
            wide(xe_query::TOPO_DSS_GEOMETRY),
        ),
        ("DRM_XE_TOPO_DSS_COMPUTE", wide(xe_query::TOPO_DSS_COMPUTE)),
        ("DRM_XE_TOPO_L3_BANK", wide(xe_query::TOPO_L3_BANK)),
        ("DRM_XE_TOPO_EU_PER_DSS", wide(xe_query::TOPO_EU_PER_DSS)),
        (
            "DRM_XE_TOPO_SIMD16_EU_PER_DSS",
            wide(xe_query::TOPO_SIMD16_EU_PER_DSS),
        ),
        (
            "XE_QUERY_UC_TYPE_GUC_SUBMISSION",
            wide(xe_query::UC_TYPE_GUC_SUBMISSION),
        ),
        ("XE_QUERY_UC_TYPE_HUC", wide(xe_query::UC_TYPE_HUC)),
    ]
}

fn xe_work() -> Vec<(&'static str, u64)> {
    vec![
        ("DRM_XE_GEM_CPU_CACHING_WB", wide(xe_gem::CPU_CACHING_WB)),
        ("DRM_XE_GEM_CPU_CACHING_WC", wide(xe_gem::CPU_CACHING_WC)),
        (
            "DRM_XE_GEM_CREATE_FLAG_DEFER_BACKING",
            wide(GemCreateFlags::DEFER_BACKING.0),
        ),
        (
            "DRM_XE_GEM_CREATE_FLAG_SCANOUT",
            wide(GemCreateFlags::SCANOUT.0),
        ),
        (
            "DRM_XE_GEM_CREATE_FLAG_NEEDS_VISIBLE_VRAM",
            wide(GemCreateFlags::NEEDS_VISIBLE_VRAM.0),
        ),
        (
            "DRM_XE_VM_CREATE_FLAG_SCRATCH_PAGE",
            wide(VmCreateFlags::SCRATCH_PAGE.0),
        ),
        (
            "DRM_XE_VM_CREATE_FLAG_LR_MODE",
            wide(VmCreateFlags::LR_MODE.0),
        ),
        (
            "DRM_XE_VM_CREATE_FLAG_FAULT_MODE",
            wide(VmCreateFlags::FAULT_MODE.0),
        ),
        ("DRM_XE_VM_BIND_OP_MAP", BindOp::Map as u64),
        ("DRM_XE_VM_BIND_OP_UNMAP", BindOp::Unmap as u64),
        ("DRM_XE_VM_BIND_OP_MAP_USERPTR", BindOp::MapUserptr as u64),
        ("DRM_XE_VM_BIND_OP_UNMAP_ALL", BindOp::UnmapAll as u64),
        ("DRM_XE_VM_BIND_OP_PREFETCH", BindOp::Prefetch as u64),
        ("DRM_XE_VM_BIND_FLAG_READONLY", wide(BindFlags::READONLY.0)),
        (
            "DRM_XE_VM_BIND_FLAG_IMMEDIATE",
            wide(BindFlags::IMMEDIATE.0),
        ),
        ("DRM_XE_VM_BIND_FLAG_NULL", wide(BindFlags::NULL.0)),
        ("DRM_XE_VM_BIND_FLAG_DUMPABLE", wide(BindFlags::DUMPABLE.0)),
        (
            "DRM_XE_EXEC_QUEUE_EXTENSION_SET_PROPERTY",
            wide(xe_exec::EXEC_QUEUE_EXTENSION_SET_PROPERTY),
        ),
        (
            "DRM_XE_EXEC_QUEUE_SET_PROPERTY_PRIORITY",
            wide(xe_exec::EXEC_QUEUE_SET_PROPERTY_PRIORITY),
        ),
        (
            "DRM_XE_EXEC_QUEUE_SET_PROPERTY_TIMESLICE",
            wide(xe_exec::EXEC_QUEUE_SET_PROPERTY_TIMESLICE),
        ),
        (
            "DRM_XE_EXEC_QUEUE_GET_PROPERTY_BAN",
            wide(xe_exec::EXEC_QUEUE_GET_PROPERTY_BAN),
        ),
        ("DRM_XE_MAX_SYNCS", wide(xe_exec::MAX_SYNCS)),
        ("DRM_XE_SYNC_TYPE_SYNCOBJ", SyncType::Syncobj as u64),
        (
            "DRM_XE_SYNC_TYPE_TIMELINE_SYNCOBJ",
            SyncType::TimelineSyncobj as u64,
        ),
        ("DRM_XE_SYNC_TYPE_USER_FENCE", SyncType::UserFence as u64),
        ("DRM_XE_SYNC_FLAG_SIGNAL", wide(SyncFlags::SIGNAL.0)),
        ("DRM_XE_UFENCE_WAIT_OP_EQ", WaitOp::Eq as u64),
        ("DRM_XE_UFENCE_WAIT_OP_NEQ", WaitOp::Neq as u64),
        ("DRM_XE_UFENCE_WAIT_OP_GT", WaitOp::Gt as u64),
        ("DRM_XE_UFENCE_WAIT_OP_GTE", WaitOp::Gte as u64),
        ("DRM_XE_UFENCE_WAIT_OP_LT", WaitOp::Lt as u64),
        ("DRM_XE_UFENCE_WAIT_OP_LTE", WaitOp::Lte as u64),
        (
            "DRM_XE_UFENCE_WAIT_FLAG_ABSTIME",
            wide(WaitFlags::ABSTIME.0),
        ),
    ]
}
