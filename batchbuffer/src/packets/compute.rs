//! GPGPU dispatch by the compute front end (from XeHPG).

packet! {
    /// Sets up the compute front end: threads and scratch.
    cfe_state "CFE_STATE" 0x7200_0000 on EU, XeHpg..Xe2
    length { 6 in 7:0 }
    "Scratch Space Buffer" SCRATCH_SPACE_BUFFER { 1:31:10 uint }
    "Stack ID Control" STACK_ID_CONTROL { [Xe2..Xe2] 3:1:0 values(StackIdControl) }
    "Number of Walkers" NUMBER_OF_WALKERS { [XeHpg..XeHpc] 3:5:3 uint }
    "Fused EU Dispatch" FUSED_EU_DISPATCH { [XeHpg..XeHpc] 3:6:6 bool }
    "Compute Dispatch All walker Enable" COMPUTE_DISPATCH_ALL_WALKER_ENABLE { [Xe2..Xe2] 3:12:12 bool }
    "Single Slice Dispatch CCS Mode" SINGLE_SLICE_DISPATCH_CCS_MODE { 3:13:13 bool }
    "Over Dispatch Control" OVER_DISPATCH_CONTROL { 3:15:14 values(OverDispatchControl) }
    "Maximum Number of Threads" MAXIMUM_NUMBER_OF_THREADS { 3:31:16 uint }
    values OverDispatchControl {
        OVER_DISPATCH_NONE "Over Dispatch None" = 0, OVER_DISPATCH_LOW "Over Dispatch Low" = 1,
        OVER_DISPATCH_NORMAL "Over Dispatch Normal" = 2,
        OVER_DISPATCH_HIGH "Over Dispatch High" = 3,
    }
    values StackIdControl {
        STACKIDS_2048 "StackIDs 2048" = 0, STACKIDS_1024 "StackIDs 1024" = 1,
        STACKIDS_512 "StackIDs 512" = 2, STACKIDS_256 "StackIDs 256" = 3,
    }
}

packet! {
    /// Dispatches thread groups; holds the interface descriptor, a post-sync
    /// write and inline data.
    compute_walker "COMPUTE_WALKER" 0x7208_0000 on EU, XeHpg..Xe2
    length { [XeHpg..XeHpc] 39 in 7:0, [Xe2..Xe2] 40 in 7:0 }
    "Predicate Enable" PREDICATE_ENABLE { 0:8:8 bool }
    "Workload Partition Enable" WORKLOAD_PARTITION_ENABLE { 0:9:9 bool }
    "Indirect Parameter Enable" INDIRECT_PARAMETER_ENABLE { 0:10:10 bool }
    "Systolic Mode Enable" SYSTOLIC_MODE_ENABLE { 0:14:14 bool }
    "CFE SubOpcode Variant" CFE_SUBOPCODE_VARIANT { [Xe2..Xe2] 0:17:15 uint }
    "Indirect Data Length" INDIRECT_DATA_LENGTH { 2:16:0 uint }
    "L3 prefetch disable" L3_PREFETCH_DISABLE { 2:17:17 bool }
    "Partition Type" PARTITION_TYPE { 2:31:30 values(PartitionType) }
    "Indirect Data Start Address" INDIRECT_DATA_START_ADDRESS { 3:31:6 offset }
    "Message SIMD" MESSAGE_SIMD { [XeHpg..XeHpc] 4:18:17 values(MessageSimdXeHpg), [Xe2..Xe2] 4:18:17 values(MessageSimdXe2) }
    "Tile Layout" TILE_LAYOUT { 4:21:19 values(TileLayout) }
    "Walk Order" WALK_ORDER { 4:24:22 values(WalkOrder) }
    "Emit Inline Parameter" EMIT_INLINE_PARAMETER { 4:25:25 bool }
    "Emit Local" EMIT_LOCAL { 4:28:26 values(EmitLocal) }
    "Generate Local ID" GENERATE_LOCAL_ID { 4:29:29 bool }
    "SIMD Size" SIMD_SIZE { [XeHpg..XeHpc] 4:31:30 values(SimdSizeXeHpg), [Xe2..Xe2] 4:31:30 values(SimdSizeXe2) }
    "Execution Mask" EXECUTION_MASK { 5:31:0 uint }
    "Local X Maximum" LOCAL_X_MAXIMUM { 6:9:0 uint }
    "Local Y Maximum" LOCAL_Y_MAXIMUM { 6:19:10 uint }
    "Local Z Maximum" LOCAL_Z_MAXIMUM { 6:29:20 uint }
    "Thread Group ID X Dimension" THREAD_GROUP_ID_X_DIMENSION { 7:31:0 uint }
    "Thread Group ID Y Dimension" THREAD_GROUP_ID_Y_DIMENSION { 8:31:0 uint }
    "Thread Group ID Z Dimension" THREAD_GROUP_ID_Z_DIMENSION { 9:31:0 uint }
    "Thread Group ID Starting X" THREAD_GROUP_ID_STARTING_X { 10:31:0 uint }
    "Thread Group ID Starting Y" THREAD_GROUP_ID_STARTING_Y { 11:31:0 uint }
    "Thread Group ID Starting Z" THREAD_GROUP_ID_STARTING_Z { 12:31:0 uint }
    "Partition ID" PARTITION_ID { 13:31:0 uint }
    "Partition Size" PARTITION_SIZE { 14:31:0 uint }
    "Preempt X" PREEMPT_X { 15:31:0 uint }
    "Preempt Y" PREEMPT_Y { 16:31:0 uint }
    "Preempt Z" PREEMPT_Z { 17:31:0 uint }
    "Interface Descriptor" INTERFACE_DESCRIPTOR { [XeHpg..XeHpc] 18:255:0 state(interface_descriptor_data), [Xe2..Xe2] 19:255:0 state(interface_descriptor_data) }
    "Post Sync" POST_SYNC { [XeHpg..XeHpc] 26:159:0 state(postsync_data), [Xe2..Xe2] 27:159:0 state(postsync_data) }
    "Inline Data" INLINE_DATA { [XeHpg..XeHpc] 31:31:0 uint every 32 x 8, [Xe2..Xe2] 32:31:0 uint every 32 x 8 }
    values PartitionType { WALKER_PARTITION_X = 1, WALKER_PARTITION_Y = 2, WALKER_PARTITION_Z = 3 }
    values MessageSimdXeHpg { SIMD8 = 0, SIMD16 = 1, SIMD32 = 2 }
    values MessageSimdXe2 { SIMT16 = 1, SIMT32 = 2 }
    values TileLayout {
        LINEAR "Linear" = 0, TILEY_32BPE "TileY 32bpe" = 1, TILEY_64BPE "TileY 64bpe" = 2,
        TILEY_128BPE "TileY 128bpe" = 3,
    }
    values WalkOrder {
        WALK_012 "Walk 012" = 0, WALK_021 "Walk 021" = 1, WALK_102 "Walk 102" = 2,
        WALK_120 "Walk 120" = 3, WALK_201 "Walk 201" = 4, WALK_210 "Walk 210" = 5,
    }
    values EmitLocal {
        EMIT_NONE "Emit None" = 0, EMIT_X "Emit X" = 1, EMIT_XY "Emit XY" = 3,
        EMIT_XYZ "Emit XYZ" = 7,
    }
    values SimdSizeXeHpg { SIMD8 = 0, SIMD16 = 1, SIMD32 = 2 }
    values SimdSizeXe2 { SIMT16 = 1, SIMT32 = 2 }
}

packet! {
    /// A compute walker with its dimensions in memory.
    execute_indirect_dispatch "EXECUTE_INDIRECT_DISPATCH" 0x7c01_0000 on EU, XeHpg..Xe2
    length { [XeHpg..XeHpc] 44 in 7:0, [Xe2..Xe2] 45 in 7:0 }
    "Predicate Enable" PREDICATE_ENABLE { 0:8:8 bool }
    "MOCS" MOCS { 0:15:12 uint }
    "Max Count" MAX_COUNT { 1:31:0 uint }
    "Count Buffer Indirect Enable" COUNT_BUFFER_INDIRECT_ENABLE { 2:0:0 bool }
    "Count Buffer Address" COUNT_BUFFER_ADDRESS { 2:63:2 address }
    "Argument Buffer Start Address" ARGUMENT_BUFFER_START_ADDRESS { 4:63:2 address }
    "COMPUTE_WALKER_BODY" COMPUTE_WALKER_BODY { [XeHpg..XeHpc] 6:1215:0 state(compute_walker_body), [Xe2..Xe2] 6:1247:0 state(compute_walker_body) }
}
