//! States of a dispatch.

state! {
    /// What a thread group runs: kernel, samplers, binding table, SLM, barriers.
    ///
    /// Source: TGL PRM vol 2d, INTERFACE_DESCRIPTOR_DATA.
    interface_descriptor_data "INTERFACE_DESCRIPTOR_DATA" [Gen8..]
    length { 8 }
    "Kernel Start Pointer" KERNEL_START_POINTER { [Gen8..=Gen12Lp] 0:47:6 offset, [XeHpg..] 0:31:6 offset }
    "EU Thread Scheduling Mode Override" EU_THREAD_SCHEDULING_MODE_OVERRIDE { [Xe3..] 2:1:0 values(EuThreadSchedulingModeOverride) }
    "Software Exception Enable" SOFTWARE_EXCEPTION_ENABLE { 2:7:7 bool }
    "Mask Stack Exception Enable" MASK_STACK_EXCEPTION_ENABLE { [Gen8..=XeHpc] 2:11:11 bool }
    "Illegal Opcode Exception Enable" ILLEGAL_OPCODE_EXCEPTION_ENABLE { 2:13:13 bool }
    "Floating Point Mode" FLOATING_POINT_MODE { 2:16:16 values(FloatingPointMode) }
    "Thread Priority" THREAD_PRIORITY { [Gen8..=Gen12Lp] 2:17:17 values(ThreadPriority) }
    "Single Program Flow" SINGLE_PROGRAM_FLOW { 2:18:18 bool }
    "Denorm Mode" DENORM_MODE { 2:19:19 values(DenormMode) }
    "Thread Preemption Disable" THREAD_PREEMPTION_DISABLE { [Gen12Lp] 2:20:20 bool, [XeHpg..=XeHpc] 2:20:20 uint }
    "Thread Preemption" THREAD_PREEMPTION { [Xe2..] 2:20:20 bool }
    "Registers Per Thread" REGISTERS_PER_THREAD { [Xe3..] 2:30:26 values(RegistersPerThread) }
    "Sampler Count" SAMPLER_COUNT { 3:4:2 values(SamplerCount) }
    "Sampler State Pointer" SAMPLER_STATE_POINTER { 3:31:5 offset }
    "Binding Table Entry Count" BINDING_TABLE_ENTRY_COUNT { 4:4:0 uint }
    "Binding Table Pointer" BINDING_TABLE_POINTER { [Gen8..=Gen12Lp] 4:15:5 offset, [XeHpg..] 4:20:5 offset }
    "Constant URB Entry Read Offset" CONSTANT_URB_ENTRY_READ_OFFSET { [Gen8..=Gen12Lp] 5:15:0 uint }
    "Number of Threads in GPGPU Thread Group" NUMBER_OF_THREADS_IN_GPGPU_THREAD_GROUP { [Gen8..=Gen12Lp] 6:9:0 uint, [XeHpg..] 5:9:0 uint }
    "Thread group forward progress guarantee" THREAD_GROUP_FORWARD_PROGRESS_GUARANTEE { [Xe2..] 5:13:13 bool }
    "Constant URB Entry Read Length" CONSTANT_URB_ENTRY_READ_LENGTH { [Gen8..=Gen12Lp] 5:31:16 uint }
    "Shared Local Memory Size" SHARED_LOCAL_MEMORY_SIZE { [Gen8] 6:20:16 values(SharedLocalMemorySizeGen8), [Gen9..=Gen12Lp] 6:20:16 values(SharedLocalMemorySizeGen9), [XeHpg..] 5:20:16 values(SharedLocalMemorySizeGen9) }
    "Barrier Enable" BARRIER_ENABLE { [Gen8..=Gen12Lp] 6:21:21 bool, [XeHpg..=XeHpc] 5:21:21 bool }
    "Rounding Mode" ROUNDING_MODE { [Gen8..=Gen12Lp] 6:23:22 values(RoundingMode), [XeHpg..] 5:23:22 values(RoundingMode) }
    "Thread Group Dispatch Size" THREAD_GROUP_DISPATCH_SIZE { [XeHpg..] 5:27:26 values(ThreadGroupDispatchSize) }
    "Number Of Barriers" NUMBER_OF_BARRIERS { [XeHpg..] 5:30:28 values(NumberOfBarriers) }
    "BTD Mode" BTD_MODE { [XeHpg..] 5:31:31 uint }
    "Z Pass Async Compute Thread Limit" Z_PASS_ASYNC_COMPUTE_THREAD_LIMIT { [Xe3..] 6:10:8 uint }
    "NP Z Async Throttle settings" NP_Z_ASYNC_THROTTLE_SETTINGS { [Xe3..] 6:13:12 uint }
    "PS Async Thread Limit" PS_ASYNC_THREAD_LIMIT { [Xe3..] 6:18:16 uint }
    "Preferred SLM Allocation Size" PREFERRED_SLM_ALLOCATION_SIZE { [XeHpg..=XeHpc] 6:3:0 uint, [Xe2..] 7:3:0 values(values::PrefSlmAllocationSize) }
    "Over Dispatch Control" OVER_DISPATCH_CONTROL { [Gen12Lp] 6:14:13 uint }
    "Global Barrier Enable" GLOBAL_BARRIER_ENABLE { [Gen9..=Gen12Lp] 6:15:15 bool }
    "Cross-Thread Constant Data Read Length" CROSS_THREAD_CONSTANT_DATA_READ_LENGTH { [Gen8..=Gen12Lp] 7:7:0 uint }
    values EuThreadSchedulingModeOverride {
        HW_DEFAULT = 0, OLDEST_FIRST = 1, ROUND_ROBIN = 2, STALL_BASED_ROUND_ROBIN = 3,
    }
    values RegistersPerThread {
        REGISTERS_32 = 0, REGISTERS_64 = 1, REGISTERS_96 = 2, REGISTERS_128 = 3,
        REGISTERS_160 = 4, REGISTERS_192 = 5, REGISTERS_256 = 7,
    }
    values FloatingPointMode { IEEE_754 "IEEE-754" = 0, ALTERNATE "Alternate" = 1 }
    values ThreadPriority {
        NORMAL_PRIORITY "Normal Priority" = 0, HIGH_PRIORITY "High Priority" = 1,
    }
    values DenormMode { FTZ "Ftz" = 0, SETBYKERNEL "SetByKernel" = 1 }
    values SamplerCount {
        NO_SAMPLERS_USED "No samplers used" = 0,
        BETWEEN_1_AND_4_SAMPLERS_USED "Between 1 and 4 samplers used" = 1,
        BETWEEN_5_AND_8_SAMPLERS_USED "Between 5 and 8 samplers used" = 2,
        BETWEEN_9_AND_12_SAMPLERS_USED "Between 9 and 12 samplers used" = 3,
        BETWEEN_13_AND_16_SAMPLERS_USED "Between 13 and 16 samplers used" = 4,
    }
    values SharedLocalMemorySizeGen8 {
        ENCODES_0K "Encodes 0k" = 0, ENCODES_4K "Encodes 4k" = 1, ENCODES_8K "Encodes 8k" = 2,
        ENCODES_16K "Encodes 16k" = 4, ENCODES_32K "Encodes 32k" = 8,
        ENCODES_64K "Encodes 64k" = 16,
    }
    values SharedLocalMemorySizeGen9 {
        ENCODES_0K "Encodes 0K" = 0, ENCODES_1K "Encodes 1K" = 1, ENCODES_2K "Encodes 2K" = 2,
        ENCODES_4K "Encodes 4K" = 3, ENCODES_8K "Encodes 8K" = 4, ENCODES_16K "Encodes 16K" = 5,
        ENCODES_32K "Encodes 32K" = 6, ENCODES_64K "Encodes 64K" = 7,
        ENCODES_96K "Encodes 96K" = 10, ENCODES_128K "Encodes 128K" = 11,
        ENCODES_192K "Encodes 192K" = 12, ENCODES_256K "Encodes 256K" = 13,
        ENCODES_384K "Encodes 384K" = 14,
    }
    values RoundingMode { RTNE = 0, RU = 1, RD = 2, RTZ = 3 }
    values ThreadGroupDispatchSize {
        TG_SIZE_8 "TG size 8" = 0, TG_SIZE_4 "TG size 4" = 1, TG_SIZE_2 "TG size 2" = 2,
        TG_SIZE_1 "TG size 1" = 3,
    }
    values NumberOfBarriers { NONE = 0, B1 = 1, B2 = 2, B4 = 3, B8 = 4, B16 = 5, B24 = 6, B32 = 7 }
}

state! {
    /// The walker without its header.
    compute_walker_body "COMPUTE_WALKER_BODY" [XeHpg..]
    length { [XeHpg..=XeHpc] 38, [Xe2..] 39 }
    "Debug Object ID" DEBUG_OBJECT_ID { 0:31:8 uint }
    "Indirect Data Length" INDIRECT_DATA_LENGTH { 1:16:0 uint }
    "L3 prefetch disable" L3_PREFETCH_DISABLE { 1:17:17 bool }
    "Partition Dispatch Parameter" PARTITION_DISPATCH_PARAMETER { [XeHpg] 1:29:18 uint, [Xe2..] 1:29:18 uint }
    "Partition Type" PARTITION_TYPE { 1:31:30 values(PartitionType) }
    "Indirect Data Start Address" INDIRECT_DATA_START_ADDRESS { 2:31:6 offset }
    "Compute Dispatch All walker Enable" COMPUTE_DISPATCH_ALL_WALKER_ENABLE { [XeHpc..] 3:0:0 values(ComputeDispatchAllWalkerEnable) }
    "Thread Group Batch Size" THREAD_GROUP_BATCH_SIZE { [Xe3..] 3:4:3 values(ThreadGroupBatchSize) }
    "Dispatch Walk Order" DISPATCH_WALK_ORDER { [Xe2..] 3:6:5 values(DispatchWalkOrder) }
    "Message SIMD" MESSAGE_SIMD { 3:18:17 values(MessageSimd) }
    "Tile Layout" TILE_LAYOUT { 3:21:19 values(TileLayout) }
    "Walk Order" WALK_ORDER { 3:24:22 values(WalkOrder) }
    "Emit Inline Parameter" EMIT_INLINE_PARAMETER { 3:25:25 bool }
    "Emit Local" EMIT_LOCAL { 3:28:26 values(EmitLocal) }
    "Generate Local ID" GENERATE_LOCAL_ID { 3:29:29 bool }
    "SIMD Size" SIMD_SIZE { 3:31:30 values(SimdSize) }
    "Execution Mask" EXECUTION_MASK { 4:31:0 uint }
    "Local X Maximum" LOCAL_X_MAXIMUM { 5:9:0 uint }
    "Local Y Maximum" LOCAL_Y_MAXIMUM { 5:19:10 uint }
    "Local Z Maximum" LOCAL_Z_MAXIMUM { 5:29:20 uint }
    "Thread Group ID X Dimension" THREAD_GROUP_ID_X_DIMENSION { 6:31:0 uint }
    "Thread Group ID Y Dimension" THREAD_GROUP_ID_Y_DIMENSION { 7:31:0 uint }
    "Thread Group ID Z Dimension" THREAD_GROUP_ID_Z_DIMENSION { 8:31:0 uint }
    "Thread Group ID Starting X" THREAD_GROUP_ID_STARTING_X { 9:31:0 uint }
    "Thread Group ID Starting Y" THREAD_GROUP_ID_STARTING_Y { 10:31:0 uint }
    "Thread Group ID Starting Z" THREAD_GROUP_ID_STARTING_Z { 11:31:0 uint }
    "Partition ID" PARTITION_ID { 12:31:0 uint }
    "Partition Size" PARTITION_SIZE { 13:31:0 uint }
    "Preempt X" PREEMPT_X { 14:31:0 uint }
    "Preempt Y" PREEMPT_Y { 15:31:0 uint }
    "Preempt Z" PREEMPT_Z { 16:31:0 uint }
    "Interface Descriptor" INTERFACE_DESCRIPTOR { [XeHpg..=XeHpc] 17:255:0 state(interface_descriptor_data), [Xe2..] 18:255:0 state(interface_descriptor_data) }
    "Walker ID" WALKER_ID { [Xe2..] 17:3:0 uint }
    "Over dispatch TG count" OVER_DISPATCH_TG_COUNT { [Xe2..] 17:23:8 uint }
    "Post Sync" POST_SYNC { [XeHpg..=XeHpc] 25:159:0 state(postsync_data), [Xe2..] 26:159:0 state(postsync_data) }
    "Inline Data" INLINE_DATA { [XeHpg..=XeHpc] 30:31:0 uint every 32 x 8, [Xe2..] 31:31:0 uint every 32 x 8 }
    values PartitionType {
        PARTITIONX "PartitionX" = 1, PARTITIONY "PartitionY" = 2, PARTITIONZ "PartitionZ" = 3,
    }
    values ThreadGroupBatchSize { TG_BATCH_1 = 0, TG_BATCH_2 = 1, TG_BATCH_4 = 2, TG_BATCH_8 = 3 }
    values MessageSimd { SIMD8 = 0, SIMD16 = 1, SIMD32 = 2 }
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
    values SimdSize { SIMD8 = 0, SIMD16 = 1, SIMD32 = 2 }
    values ComputeDispatchAllWalkerEnable { DISABLED "Disabled" = 0, ENABLED "Enabled" = 1 }
    values DispatchWalkOrder {
        LINEAR_WALK "Linear Walk" = 0, Y_ORDER_WALK "Y order walk" = 1,
        MORTON_WALK "Morton Walk" = 2,
    }
}

state! {
    /// What a walker writes when it has ended.
    postsync_data "POSTSYNC_DATA" [XeHpg..]
    length { 5 }
    "Operation" OPERATION { 0:1:0 values(Operation) }
    "HDC Pipeline Flush" HDC_PIPELINE_FLUSH { 0:2:2 bool }
    "L3 flush" L3_FLUSH { [XeHpg..=XeHpc] 0:3:3 bool }
    "MOCS" MOCS { 0:10:4 uint }
    "System Memory Fence Request" SYSTEM_MEMORY_FENCE_REQUEST { [Xe2..] 0:11:11 bool }
    "Dataport Subslice Cache Flush" DATAPORT_SUBSLICE_CACHE_FLUSH { [Xe2..] 0:12:12 bool }
    "Destination Address" DESTINATION_ADDRESS { 1:63:0 address }
    "Immediate Data" IMMEDIATE_DATA { 3:63:0 uint }
    values Operation {
        NO_WRITE "No Write" = 0, WRITE_IMMEDIATE_DATA "Write Immediate Data" = 1,
        WRITE_TIMESTAMP "Write Timestamp" = 3,
    }
}

state! {
    /// One instruction of MI_MATH.
    mi_math_alu_instruction "MI_MATH_ALU_INSTRUCTION" [Gen8..]
    length { 1 }
    "Operand 2" OPERAND_2 { 0:9:0 values(Operand2) }
    "Operand 1" OPERAND_1 { 0:19:10 values(Operand1) }
    "ALU Opcode" ALU_OPCODE { 0:31:20 values(AluOpcode) }
    values Operand2 {
        REG0 = 0, REG1 = 1, REG2 = 2, REG3 = 3, REG4 = 4, REG5 = 5, REG6 = 6, REG7 = 7, REG8 = 8,
        REG9 = 9, REG10 = 10, REG11 = 11, REG12 = 12, REG13 = 13, REG14 = 14, REG15 = 15,
        SRCA = 32, SRCB = 33, ACCU = 49, ZF = 50, CF = 51,
    }
    values Operand1 {
        REG0 = 0, REG1 = 1, REG2 = 2, REG3 = 3, REG4 = 4, REG5 = 5, REG6 = 6, REG7 = 7, REG8 = 8,
        REG9 = 9, REG10 = 10, REG11 = 11, REG12 = 12, REG13 = 13, REG14 = 14, REG15 = 15,
        SRCA = 32, SRCB = 33, ACCU = 49, ZF = 50, CF = 51,
    }
    values AluOpcode {
        NOOP = 0, FENCE_RD = 1, FENCE_WR = 2, LOAD = 128, LOAD0 = 129, LOADIND = 130, ADD = 256,
        SUB = 257, AND = 258, OR = 259, XOR = 260, SHL = 261, SHR = 262, SAR = 263, STORE = 384,
        STOREIND = 385, LOADINV = 1152, LOAD1 = 1153, STOREINV = 1408,
    }
}

state! {
    /// A resource barrier without its header.
    resource_barrier_body "RESOURCE_BARRIER_BODY" [Xe2..]
    length { 4 }
    "Wait Stage" WAIT_STAGE { 0:11:0 values(values::ResourceBarrierStage) }
    "Signal Stage" SIGNAL_STAGE { 0:23:12 values(values::ResourceBarrierStage) }
    "Barrier Type" BARRIER_TYPE { 0:31:30 values(values::ResourceBarrierType) }
    "L1 Dataport Cache Invalidate" L1_DATAPORT_CACHE_INVALIDATE { 1:21:21 bool }
    "Depth Cache" DEPTH_CACHE { 1:22:22 bool }
    "Color Cache" COLOR_CACHE { 1:23:23 bool }
    "L1 Dataport UAV Flush" L1_DATAPORT_UAV_FLUSH { 1:24:24 bool }
    "Texture (RO)" TEXTURE_RO { 1:25:25 bool }
    "State (RO)" STATE_RO { 1:26:26 bool }
    "VF (RO)" VF_RO { 1:27:27 bool }
    "AMFS" AMFS { 1:28:28 bool }
    "Constant Cache" CONSTANT_CACHE { 1:29:29 bool }
    "Barrier ID Address" BARRIER_ID_ADDRESS { 2:63:3 address }
}
