//! Base addresses and modes that dispatches rely on.

packet! {
    /// Base addresses and sizes of the heaps that states and kernels are
    /// addressed in. Sizes count 4 KiB pages.
    ///
    /// Source: TGL PRM vol 2a, STATE_BASE_ADDRESS.
    state_base_address "STATE_BASE_ADDRESS" 0x6101_0000 on EU [Gen8..]
    length { [Gen8] 16 in 7:0, [Gen9] 19 in 7:0, [Gen11..] 22 in 7:0 }
    "General State Base Address Modify Enable" GENERAL_STATE_BASE_ADDRESS_MODIFY_ENABLE { 1:0:0 bool }
    "General State MOCS" GENERAL_STATE_MOCS { 1:10:4 uint }
    "General State Base Address" GENERAL_STATE_BASE_ADDRESS { 1:63:12 address }
    "Coherency Setting Modify Enable" COHERENCY_SETTING_MODIFY_ENABLE { [XeHpc] 3:0:0 bool }
    "Enable Memory Compression For All Stateless Accesses" ENABLE_MEMORY_COMPRESSION_FOR_ALL_STATELESS_ACCESSES { [XeHpg] 3:13:13 uint, [XeHpc] 3:15:13 uint }
    "Stateless Data Port Access MOCS" STATELESS_DATA_PORT_ACCESS_MOCS { 3:22:16 uint }
    "L1 Cache Control" L1_CACHE_CONTROL { [XeHpg..] 3:25:23 values(L1CacheControl) }
    "Surface State Base Address Modify Enable" SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE { 4:0:0 bool }
    "Surface State MOCS" SURFACE_STATE_MOCS { 4:10:4 uint }
    "Surface State Base Address" SURFACE_STATE_BASE_ADDRESS { 4:63:12 address }
    "Dynamic State Base Address Modify Enable" DYNAMIC_STATE_BASE_ADDRESS_MODIFY_ENABLE { 6:0:0 bool }
    "Dynamic State MOCS" DYNAMIC_STATE_MOCS { 6:10:4 uint }
    "Dynamic State Base Address" DYNAMIC_STATE_BASE_ADDRESS { 6:63:12 address }
    "Indirect Object Base Address Modify Enable" INDIRECT_OBJECT_BASE_ADDRESS_MODIFY_ENABLE { 8:0:0 bool }
    "Indirect Object MOCS" INDIRECT_OBJECT_MOCS { 8:10:4 uint }
    "Indirect Object Base Address" INDIRECT_OBJECT_BASE_ADDRESS { 8:63:12 address }
    "Instruction Base Address Modify Enable" INSTRUCTION_BASE_ADDRESS_MODIFY_ENABLE { 10:0:0 bool }
    "Instruction MOCS" INSTRUCTION_MOCS { 10:10:4 uint }
    "Instruction Base Address" INSTRUCTION_BASE_ADDRESS { 10:63:12 address }
    "General State Buffer Size Modify Enable" GENERAL_STATE_BUFFER_SIZE_MODIFY_ENABLE { 12:0:0 bool }
    "General State Buffer Size" GENERAL_STATE_BUFFER_SIZE { 12:31:12 uint }
    "Dynamic State Buffer Size Modify Enable" DYNAMIC_STATE_BUFFER_SIZE_MODIFY_ENABLE { 13:0:0 bool }
    "Dynamic State Buffer Size" DYNAMIC_STATE_BUFFER_SIZE { 13:31:12 uint }
    "Indirect Object Buffer Size Modify Enable" INDIRECT_OBJECT_BUFFER_SIZE_MODIFY_ENABLE { 14:0:0 bool }
    "Indirect Object Buffer Size" INDIRECT_OBJECT_BUFFER_SIZE { 14:31:12 uint }
    "Instruction Buffer size Modify Enable" INSTRUCTION_BUFFER_SIZE_MODIFY_ENABLE { 15:0:0 bool }
    "Instruction Buffer Size" INSTRUCTION_BUFFER_SIZE { 15:31:12 uint }
    "Bindless Surface State Base Address Modify Enable" BINDLESS_SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE { [Gen9..] 16:0:0 bool }
    "Bindless Surface State MOCS" BINDLESS_SURFACE_STATE_MOCS { [Gen9..] 16:10:4 uint }
    "Bindless Surface State Base Address" BINDLESS_SURFACE_STATE_BASE_ADDRESS { [Gen9..] 16:63:12 address }
    "Bindless Surface State Size" BINDLESS_SURFACE_STATE_SIZE { [Gen9..=Gen12Lp] 18:31:12 uint, [XeHpg..] 18:31:0 uint }
    "Bindless Sampler State Base Address Modify Enable" BINDLESS_SAMPLER_STATE_BASE_ADDRESS_MODIFY_ENABLE { [Gen11..] 19:0:0 bool }
    "Bindless Sampler State MOCS" BINDLESS_SAMPLER_STATE_MOCS { [Gen11..] 19:10:4 uint }
    "Bindless Sampler State Base Address" BINDLESS_SAMPLER_STATE_BASE_ADDRESS { [Gen11..] 19:63:12 address }
    "Bindless Sampler State Buffer Size" BINDLESS_SAMPLER_STATE_BUFFER_SIZE { [Gen11..] 21:31:12 uint }
    values L1CacheControl { WBP = 0, UC = 1, WB = 2, WT = 3, WS = 4 }
}

packet! {
    /// The system routine, as an offset from the instruction base address.
    state_sip "STATE_SIP" 0x6102_0000 on EU [Gen8..]
    length { 3 in 7:0 }
    "System Instruction Pointer" SYSTEM_INSTRUCTION_POINTER { 1:63:4 offset }
}

packet! {
    /// Modes of the compute pipeline; each value bit takes effect only with its mask bit, 16 bits
    /// higher.
    ///
    /// genxml lacks it on Gen12LP; source: Intel's compute-runtime.
    state_compute_mode "STATE_COMPUTE_MODE" 0x6105_0000 on EU [Gen12Lp..]
    length { [Gen12Lp..=XeHpc] 2 in 7:0, [Xe2..] 3 in 7:0 }
    "Z Pass Async Compute Thread Limit" Z_PASS_ASYNC_COMPUTE_THREAD_LIMIT { [XeHpg..] 1:2:0 values(ZPassAsyncComputeThreadLimit) }
    "Force Non-Coherent" FORCE_NON_COHERENT { [Gen12Lp..=XeHpc] 1:4:3 values(ForceNonCoherent) }
    "Z Async Throttle settings" Z_ASYNC_THROTTLE_SETTINGS { [Xe2..] 1:4:3 values(ZAsyncThrottleSettings) }
    "Fast Clear Disabled on Compressed Surface" FAST_CLEAR_DISABLED_ON_COMPRESSED_SURFACE { [XeHpg..=XeHpc] 1:5:5 bool }
    "Disable SLM Read Merge Optimization" DISABLE_SLM_READ_MERGE_OPTIMIZATION { [XeHpg..=XeHpc] 1:6:6 bool }
    "Pixel Async Compute Thread Limit" PIXEL_ASYNC_COMPUTE_THREAD_LIMIT { [XeHpg..] 1:9:7 values(PixelAsyncComputeThreadLimit) }
    "Binding Table Alignment" BINDING_TABLE_ALIGNMENT { [Gen12Lp] 1:10:10 bool }
    "Enable Variable Register Size Allocation" ENABLE_VARIABLE_REGISTER_SIZE_ALLOCATION { [Xe3..] 1:10:10 bool }
    "Enable Pipelined EU Thread Arbitration" ENABLE_PIPELINED_EU_THREAD_ARBITRATION { [Xe3..] 1:12:12 bool }
    "Disable Atomic on Clear Data" DISABLE_ATOMIC_ON_CLEAR_DATA { [XeHpg..=XeHpc] 1:11:11 bool }
    "Coherent access L1 Cache Disable" COHERENT_ACCESS_L1_CACHE_DISABLE { [Gen12Lp] 1:12:12 bool }
    "Disable L1 Invalidate for non-L1-cacheable Writes" DISABLE_L1_INVALIDATE_FOR_NON_L1_CACHEABLE_WRITES { [Gen12Lp..=XeHpg] 1:13:13 bool }
    "EU Thread Scheduling Mode Override" EU_THREAD_SCHEDULING_MODE_OVERRIDE { [XeHpc..] 1:14:13 uint }
    "Large GRF Mode" LARGE_GRF_MODE { [XeHpg..] 1:15:15 bool }
    "Z Pass Async Compute Thread Limit Mask" Z_PASS_ASYNC_COMPUTE_THREAD_LIMIT_MASK { [XeHpg..] 1:18:16 uint }
    "Mask1" MASK1 { 1:31:16 uint }
    "Force Non-Coherent Mask" FORCE_NON_COHERENT_MASK { [Gen12Lp..=XeHpc] 1:20:19 uint }
    "Z Async Throttle settings Mask" Z_ASYNC_THROTTLE_SETTINGS_MASK { [Xe2..] 1:20:19 uint }
    "Fast Clear Disabled on Compressed Surface Mask" FAST_CLEAR_DISABLED_ON_COMPRESSED_SURFACE_MASK { [XeHpg..=XeHpc] 1:21:21 bool }
    "Disable SLM Read Merge Optimization Mask" DISABLE_SLM_READ_MERGE_OPTIMIZATION_MASK { [XeHpg..=XeHpc] 1:22:22 bool }
    "Pixel Async Compute Thread Limit Mask" PIXEL_ASYNC_COMPUTE_THREAD_LIMIT_MASK { [XeHpg..] 1:25:23 uint }
    "Enable Variable Register Size Allocation Mask" ENABLE_VARIABLE_REGISTER_SIZE_ALLOCATION_MASK { [Xe3..] 1:26:26 bool }
    "Enable Pipelined EU Thread Arbitration Mask" ENABLE_PIPELINED_EU_THREAD_ARBITRATION_MASK { [Xe3..] 1:28:28 bool }
    "Disable Atomic on Clear Data Mask" DISABLE_ATOMIC_ON_CLEAR_DATA_MASK { [XeHpg..=XeHpc] 1:27:27 bool }
    "Disable L1 Invalidate for non-L1-cacheable Writes Mask" DISABLE_L1_INVALIDATE_FOR_NON_L1_CACHEABLE_WRITES_MASK { [Gen12Lp..=XeHpg] 1:29:29 bool }
    "EU Thread Scheduling Mode Override Mask" EU_THREAD_SCHEDULING_MODE_OVERRIDE_MASK { [XeHpc..] 1:30:29 uint }
    "Large GRF Mode Mask" LARGE_GRF_MODE_MASK { [XeHpg..] 1:31:31 bool }
    "Midthread Preemption Delay Timer" MIDTHREAD_PREEMPTION_DELAY_TIMER { [Xe2..] 2:2:0 values(MidthreadPreemptionDelayTimer) }
    "Midthread Preemption Overdispatch Thread group count" MIDTHREAD_PREEMPTION_OVERDISPATCH_THREAD_GROUP_COUNT { [Xe2..] 2:4:3 values(MidthreadPreemptionOverdispatchThreadGroupCount) }
    "Midthread Preemption Overdispatch Test mode" MIDTHREAD_PREEMPTION_OVERDISPATCH_TEST_MODE { [Xe2..] 2:5:5 values(MidthreadPreemptionOverdispatchTestMode) }
    "UAV Coherency Mode" UAV_COHERENCY_MODE { [Xe2..] 2:6:6 values(UavCoherencyMode) }
    "Memory allocation for Scratch and Midthread Preemption buffers" MEMORY_ALLOCATION_FOR_SCRATCH_AND_MIDTHREAD_PREEMPTION_BUFFERS { [Xe2] 2:11:11 values(MemoryAllocationForScratchAndMidthreadPreemptionBuffers) }
    "Midthread Preemption Delay Timer Mask" MIDTHREAD_PREEMPTION_DELAY_TIMER_MASK { [Xe2..] 2:18:16 uint }
    "Mask2" MASK2 { [Xe2..] 2:31:16 uint }
    "Midthread Preemption Overdispatch Thread group count Mask" MIDTHREAD_PREEMPTION_OVERDISPATCH_THREAD_GROUP_COUNT_MASK { [Xe2..] 2:20:19 uint }
    "Midthread Preemption Overdispatch Test mode Mask" MIDTHREAD_PREEMPTION_OVERDISPATCH_TEST_MODE_MASK { [Xe2..] 2:21:21 uint }
    "UAV Coherency Mode Mask" UAV_COHERENCY_MODE_MASK { [Xe2..] 2:22:22 uint }
    "Memory allocation for Scratch and Midthread Preemption buffers Mask" MEMORY_ALLOCATION_FOR_SCRATCH_AND_MIDTHREAD_PREEMPTION_BUFFERS_MASK { [Xe2] 2:27:27 uint }
    values ZPassAsyncComputeThreadLimit {
        MAX_60 "Max 60" = 0, MAX_64 "Max 64" = 1, MAX_56 "Max 56" = 2, MAX_48 "Max 48" = 3,
        MAX_40 "Max 40" = 4, MAX_32 "Max 32" = 5,
    }
    values ForceNonCoherent {
        FORCE_DISABLED "Force Disabled" = 0, FORCE_CPU_NON_COHERENT "Force CPU Non-Coherent" = 1,
        FORCE_GPU_NON_COHERENT "Force GPU Non-Coherent" = 2,
    }
    values PixelAsyncComputeThreadLimit {
        DISABLED "Disabled" = 0, MAX_2 "Max 2" = 1, MAX_8 "Max 8" = 2, MAX_16 "Max 16" = 3,
        MAX_24 "Max 24" = 4, MAX_32 "Max 32" = 5, MAX_40 "Max 40" = 6, MAX_48 "Max 48" = 7,
    }
    values ZAsyncThrottleSettings { MAX_32 "Max 32" = 1, MAX_40 "Max 40" = 2, MAX_48 "Max 48" = 3 }
    values MidthreadPreemptionDelayTimer {
        MTP_TIMER_VAL_0 = 0, MTP_TIMER_VAL_50 = 1, MTP_TIMER_VAL_100 = 2, MTP_TIMER_VAL_150 = 3,
    }
    values MidthreadPreemptionOverdispatchThreadGroupCount {
        OD_TG_M2 = 0, OD_TG_M4 = 1, OD_TG_M8 = 2, OD_TG_M16 = 3,
    }
    values MidthreadPreemptionOverdispatchTestMode {
        REGULAR "Regular" = 0, TEST_MODE "Test mode" = 1,
    }
    values UavCoherencyMode {
        DRAIN_DATAPORT_MODE "Drain DataPort Mode" = 0, FLUSH_DATAPORT_L1 "Flush Dataport L1" = 1,
    }
    values MemoryAllocationForScratchAndMidthreadPreemptionBuffers {
        FULL "Full" = 0, MIN "Min" = 1,
    }
}

packet! {
    /// Prefetches memory, mainly kernels.
    ///
    /// genxml lacks it from XeHPC on; source: Intel's compute-runtime.
    state_prefetch "STATE_PREFETCH" 0x6003_0000 on EU [Gen8..]
    length { [Gen8..=Gen9] 2 in 7:0, [XeHpc..] 4 in 7:0 }
    "Prefetch Count" PREFETCH_COUNT { [Gen8..=Gen9] 1:2:0 uint }
    "Prefetch Pointer" PREFETCH_POINTER { [Gen8..=Gen9] 1:31:6 address }
    "Prefetch Size" PREFETCH_SIZE { [XeHpc..] 1:9:0 uint }
    "Kernel Instruction Prefetch" KERNEL_INSTRUCTION_PREFETCH { [XeHpc..] 1:16:16 bool }
    "Parser Stall" PARSER_STALL { [XeHpc..] 1:20:20 bool }
    "MOCS" MOCS { [XeHpc..] 1:30:24 uint }
    "Address" ADDRESS { [XeHpc..] 2:63:6 address }
}

packet! {
    /// Strides of indirect draws and dispatches.
    state_byte_stride "STATE_BYTE_STRIDE" 0x6005_0000 on EU [Xe2..]
    length { 2 in 7:0 }
    "Byte Stride Enable" BYTE_STRIDE_ENABLE { 0:8:8 bool }
    "Byte Stride" BYTE_STRIDE { 1:31:2 uint }
}

packet! {
    /// Where preempted threads save their registers.
    gpgpu_csr_base_address "GPGPU_CSR_BASE_ADDRESS" 0x6104_0000 on EU [Gen8..=Gen12Lp]
    length { 3 in 7:0 }
    "GPGPU CSR Base Address" GPGPU_CSR_BASE_ADDRESS { 1:63:12 address }
}

packet! {
    /// The pool that binding table pointers are offsets into.
    binding_table_pool_alloc "3DSTATE_BINDING_TABLE_POOL_ALLOC" 0x7919_0000 on EU [Gen8..]
    length { 4 in 7:0 }
    "MOCS" MOCS { 1:6:0 uint }
    "Binding Table Pool Enable" BINDING_TABLE_POOL_ENABLE { [Gen8..=Gen12Lp] 1:11:11 bool }
    "Binding Table Pool Base Address" BINDING_TABLE_POOL_BASE_ADDRESS { 1:63:12 address }
    "Binding Table Pool Buffer Size" BINDING_TABLE_POOL_BUFFER_SIZE { 3:31:12 values(BindingTablePoolBufferSize) }
    values BindingTablePoolBufferSize { NO_VALID_DATA "No Valid Data" = 0 }
}

packet! {
    /// Bindless thread dispatch.
    btd "3DSTATE_BTD" 0x6106_0000 on EU [XeHpg..]
    length { 6 in 7:0 }
    "Dispatch Timeout Counter" DISPATCH_TIMEOUT_COUNTER { [XeHpg..=XeHpc] 1:1:0 values(DispatchTimeoutCounter), [Xe2..] 1:2:0 values(DispatchTimeoutCounter) }
    "AMFS Mode" AMFS_MODE { [XeHpg..=XeHpc] 1:4:3 values(AmfsMode) }
    "Controls the maximum number of outstanding Ray Queries per SS" CONTROLS_THE_MAXIMUM_NUMBER_OF_OUTSTANDING_RAY_QUERIES_PER_SS { [Xe2..] 1:8:7 values(ControlsTheMaximumNumberOfOutstandingRayQueriesPerSs) }
    "Dynamic Stack Management Mechanism Miss Penalty" DYNAMIC_STACK_MANAGEMENT_MECHANISM_MISS_PENALTY { [Xe3..] 1:11:9 uint }
    "Dynamic Stack Management Mechanism Hit Reward" DYNAMIC_STACK_MANAGEMENT_MECHANISM_HIT_REWARD { [Xe3..] 1:14:12 uint }
    "Dynamic Stack Management Mechanism Scaling Factor" DYNAMIC_STACK_MANAGEMENT_MECHANISM_SCALING_FACTOR { [Xe3..] 1:17:15 uint }
    "Dynamic Stack Management Mechanism Reduction Cap" DYNAMIC_STACK_MANAGEMENT_MECHANISM_REDUCTION_CAP { [Xe3..] 1:20:18 uint }
    "RT Mem Structures 64b Mode Enable" RT_MEM_STRUCTURES_64B_MODE_ENABLE { [Xe3..] 1:30:30 bool }
    "BTD Mid thread preemption" BTD_MID_THREAD_PREEMPTION { [Xe2..] 1:31:31 bool }
    "Per DSS Memory Backed Buffer Size" PER_DSS_MEMORY_BACKED_BUFFER_SIZE { [XeHpg..=XeHpc] 2:2:0 uint, [Xe2..] 2:2:0 values(PerDssMemoryBackedBufferSize) }
    "Memory Backed Buffer Base Pointer" MEMORY_BACKED_BUFFER_BASE_POINTER { 2:63:10 address }
    "Scratch Space Buffer" SCRATCH_SPACE_BUFFER { 4:31:10 uint }
    values DispatchTimeoutCounter {
        _64_CLOCKS "64 clocks" = 0, _128_CLOCKS "128 clocks" = 1, _192_CLOCKS "192 clocks" = 2,
        _256_CLOCKS "256 clocks" = 3, _512_CLOCKS "512 clocks" = 4,
        _1024_CLOCKS "1024 clocks" = 5, _2048_CLOCKS "2048 clocks" = 6,
        _4096_CLOCKS "4096 clocks" = 7,
    }
    values AmfsMode { NORMAL = 0, TOUCH = 1, BACKFILL = 2, FALLBACK = 3 }
    values PerDssMemoryBackedBufferSize {
        _2KB "2KB" = 0, _4KB "4KB" = 1, _8KB "8KB" = 2, _16KB "16KB" = 3, _32KB "32KB" = 4,
        _64KB "64KB" = 5, _128KB "128KB" = 6,
    }
    values ControlsTheMaximumNumberOfOutstandingRayQueriesPerSs {
        _128 "128" = 0, _256 "256" = 1, _512 "512" = 2, _1024 "1024" = 3,
    }
}

packet! {
    /// Where MI_MEM_FENCE and post-sync fences write to order system memory.
    ///
    /// genxml lacks it; source: Intel's compute-runtime.
    state_system_mem_fence_address "STATE_SYSTEM_MEM_FENCE_ADDRESS" 0x6109_0000 on ALL [XeHpc..]
    length { 3 in 7:0 }
    "Context Restore Invalid" CONTEXT_RESTORE_INVALID { 0:15:15 bool }
    "System Memory Fence Address" SYSTEM_MEMORY_FENCE_ADDRESS { 1:63:12 address }
}

packet! {
    /// Where threads preempted mid-thread save their state.
    ///
    /// genxml lacks it; sources: Intel's compute-runtime, igt-gpu-tools.
    state_context_data_base_address "STATE_CONTEXT_DATA_BASE_ADDRESS" 0x610b_0000 on EU [Xe2..]
    length { 3 in 7:0 }
    "Context Data Base Address" CONTEXT_DATA_BASE_ADDRESS { 1:63:12 address }
}
