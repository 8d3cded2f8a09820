//! Pipeline-wide packets: flushes, pipeline choice.

packet! {
    /// Flushes and invalidates caches, stalls, and writes a post-sync value.
    ///
    /// Source: TGL PRM vol 2a, PIPE_CONTROL.
    pipe_control "PIPE_CONTROL" 0x7a00_0000 on EU [Gen8..]
    length { 6 in 7:0 }
    "HDC Pipeline Flush Enable" HDC_PIPELINE_FLUSH_ENABLE { [Gen12Lp..] 0:9:9 bool }
    "L3 Read Only Cache Invalidation Enable" L3_READ_ONLY_CACHE_INVALIDATION_ENABLE { [Gen12Lp..] 0:10:10 bool }
    "Untyped Data Port Cache Flush Enable" UNTYPED_DATA_PORT_CACHE_FLUSH_ENABLE { [XeHpg..] 0:11:11 bool }
    "CCS Flush Enable" CCS_FLUSH_ENABLE { [XeHpg..] 0:13:13 bool }
    "Workload Partition ID Offset Enable" WORKLOAD_PARTITION_ID_OFFSET_ENABLE { [XeHpg..=XeHpc] 0:14:14 bool }
    "Depth Cache Flush Enable" DEPTH_CACHE_FLUSH_ENABLE { 1:0:0 bool }
    "Stall At Pixel Scoreboard" STALL_AT_PIXEL_SCOREBOARD { 1:1:1 bool }
    "State Cache Invalidation Enable" STATE_CACHE_INVALIDATION_ENABLE { 1:2:2 bool }
    "Constant Cache Invalidation Enable" CONSTANT_CACHE_INVALIDATION_ENABLE { 1:3:3 bool }
    "VF Cache Invalidation Enable" VF_CACHE_INVALIDATION_ENABLE { 1:4:4 bool }
    "DC Flush Enable" DC_FLUSH_ENABLE { 1:5:5 bool }
    "Protected Memory Application ID" PROTECTED_MEMORY_APPLICATION_ID { [XeHpg..=XeHpc] 1:6:6 bool }
    "Pipe Control Flush Enable" PIPE_CONTROL_FLUSH_ENABLE { 1:7:7 bool }
    "Notify Enable" NOTIFY_ENABLE { 1:8:8 bool }
    "Indirect State Pointers Disable" INDIRECT_STATE_POINTERS_DISABLE { 1:9:9 bool }
    "Texture Cache Invalidation Enable" TEXTURE_CACHE_INVALIDATION_ENABLE { 1:10:10 bool }
    "Instruction Cache Invalidate Enable" INSTRUCTION_CACHE_INVALIDATE_ENABLE { 1:11:11 bool }
    "Render Target Cache Flush Enable" RENDER_TARGET_CACHE_FLUSH_ENABLE { 1:12:12 bool }
    "Depth Stall Enable" DEPTH_STALL_ENABLE { 1:13:13 bool }
    "Post Sync Operation" POST_SYNC_OPERATION { 1:15:14 values(PostSyncOperation) }
    "Generic Media State Clear" GENERIC_MEDIA_STATE_CLEAR { [Gen8..=XeHpc] 1:16:16 bool }
    "PSD Sync Enable" PSD_SYNC_ENABLE { [Gen11..=Gen12Lp] 1:17:17 bool }
    "PSS Stall Sync Enable" PSS_STALL_SYNC_ENABLE { [XeHpg..] 1:17:17 bool }
    "TLB Invalidate" TLB_INVALIDATE { 1:18:18 bool }
    "Global Snapshot Count Reset" GLOBAL_SNAPSHOT_COUNT_RESET { [Gen8..=Gen12Lp] 1:19:19 bool }
    "Depth Stall Sync Enable" DEPTH_STALL_SYNC_ENABLE { [XeHpg..] 1:19:19 bool }
    "Command Streamer Stall Enable" COMMAND_STREAMER_STALL_ENABLE { 1:20:20 bool }
    "Store Data Index" STORE_DATA_INDEX { 1:21:21 uint }
    "Protected Memory Enable" PROTECTED_MEMORY_ENABLE { [Gen12Lp..] 1:22:22 bool }
    "LRI Post Sync Operation" LRI_POST_SYNC_OPERATION { 1:23:23 values(LriPostSyncOperation) }
    "Destination Address Type" DESTINATION_ADDRESS_TYPE { 1:24:24 values(DestinationAddressType) }
    "AMFS Flush Enable" AMFS_FLUSH_ENABLE { [XeHpg..=XeHpc] 1:25:25 bool }
    "Flush LLC" FLUSH_LLC { [Gen9..] 1:26:26 bool }
    "Protected Memory Disable" PROTECTED_MEMORY_DISABLE { [Gen12Lp..] 1:27:27 bool }
    "Tile Cache Flush Enable" TILE_CACHE_FLUSH_ENABLE { [Gen12Lp..=XeHpc] 1:28:28 bool }
    "Command Cache Invalidate Enable" COMMAND_CACHE_INVALIDATE_ENABLE { [Gen11..] 1:29:29 bool }
    "L3 Fabric Flush" L3_FABRIC_FLUSH { [Gen12Lp..=XeHpc] 1:30:30 bool }
    "TBIMR Force Batch Closure" TBIMR_FORCE_BATCH_CLOSURE { [XeHpg..=XeHpc] 1:31:31 values(TbimrForceBatchClosure) }
    "Address" ADDRESS { [Gen8..=XeHpg] 2:47:2 address, [XeHpc] 2:63:2 address, [Xe2..] 2:47:2 address }
    "Immediate Data" IMMEDIATE_DATA { 4:63:0 uint }
    values PostSyncOperation {
        NO_WRITE "No Write" = 0, WRITE_IMMEDIATE_DATA "Write Immediate Data" = 1,
        WRITE_PS_DEPTH_COUNT "Write PS Depth Count" = 2, WRITE_TIMESTAMP "Write Timestamp" = 3,
    }
    values LriPostSyncOperation {
        NO_LRI_OPERATION "No LRI Operation" = 0,
        MMIO_WRITE_IMMEDIATE_DATA "MMIO Write Immediate Data" = 1,
    }
    values DestinationAddressType { PPGTT = 0, GGTT = 1 }
    values TbimrForceBatchClosure {
        NO_BATCH_CLOSURE "No Batch Closure" = 0, CLOSE_BATCH "Close Batch" = 1,
    }
}

packet! {
    /// Chooses the 3D, media or GPGPU pipeline. From Gen9 on only the fields whose
    /// mask bits are set take effect.
    ///
    /// Source: TGL PRM vol 2a, PIPELINE_SELECT.
    pipeline_select "PIPELINE_SELECT" 0x6904_0000 on EU [Gen8..]
    length { 1 }
    "Pipeline Selection" PIPELINE_SELECTION { 0:1:0 values(PipelineSelection) }
    "Render Slice Common Power Gate Enable" RENDER_SLICE_COMMON_POWER_GATE_ENABLE { [Gen12Lp..] 0:2:2 bool }
    "Render Sampler Power Gate Enable" RENDER_SAMPLER_POWER_GATE_ENABLE { [Gen12Lp..] 0:3:3 bool }
    "Media Sampler DOP Clock Gate Enable" MEDIA_SAMPLER_DOP_CLOCK_GATE_ENABLE { [Gen9..=XeHpc] 0:4:4 bool }
    "Force Media Awake" FORCE_MEDIA_AWAKE { [Gen9..=XeHpc] 0:5:5 bool }
    "Media Sampler Power Clock Gate Disable" MEDIA_SAMPLER_POWER_CLOCK_GATE_DISABLE { [Gen12Lp..=XeHpc] 0:6:6 bool }
    "Systolic Mode Enable" SYSTOLIC_MODE_ENABLE { [XeHpg..=XeHpc] 0:7:7 bool }
    "Special Mode Enable" SPECIAL_MODE_ENABLE { [Gen12Lp] 0:7:7 bool }
    "Mask Bits" MASK_BITS { [Gen9..] 0:15:8 uint }
    values PipelineSelection { _3D "3D" = 0, MEDIA "Media" = 1, GPGPU = 2 }
}

packet! {
    /// Orders accesses to a resource between pipeline stages.
    resource_barrier "RESOURCE_BARRIER" 0xac00_0000 on EU [Xe2..] with resource_barrier_body
    length { 5 in 7:0 }
    "Predicate Enable" PREDICATE_ENABLE { 0:24:24 bool }
    "Resource Barrier Body" RESOURCE_BARRIER_BODY { 1:127:0 state(resource_barrier_body) }
}
