//! GPGPU dispatch by the compute front end (from XeHPG).

packet! {
    /// Sets up the compute front end: threads and scratch.
    cfe_state "CFE_STATE" 0x7200_0000 on EU [XeHpg..]
    length { 6 in 7:0 }
    "Scratch Space Buffer" SCRATCH_SPACE_BUFFER { 1:31:10 uint }
    "Stack ID Control" STACK_ID_CONTROL { [Xe2..] 3:1:0 values(StackIdControl) }
    "Dynamic Stack ID Control" DYNAMIC_STACK_ID_CONTROL { [Xe3..] 3:2:2 bool }
    "Number of Walkers" NUMBER_OF_WALKERS { [XeHpg..=XeHpc] 3:5:3 uint }
    "Fused EU Dispatch" FUSED_EU_DISPATCH { [XeHpg..=XeHpc] 3:6:6 bool }
    "Large GRF Thread Adjust Disable" LARGE_GRF_THREAD_ADJUST_DISABLE { [XeHpg..=Xe2] 3:10:10 bool }
    "Compute Overdispatch Disable" COMPUTE_OVERDISPATCH_DISABLE { 3:11:11 bool }
    "Compute Dispatch All walker Enable" COMPUTE_DISPATCH_ALL_WALKER_ENABLE { [XeHpc..] 3:12:12 bool }
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
    /// write and inline data: `compute_walker_body` in `states/dispatch.rs`, whose
    /// dword N is dword N + 1 here.
    compute_walker "COMPUTE_WALKER" 0x7208_0000 on EU [XeHpg..] with compute_walker_body
    length { [XeHpg..=XeHpc] 39 in 7:0, [Xe2..] 40 in 7:0 }
    "Predicate Enable" PREDICATE_ENABLE { 0:8:8 bool }
    "Workload Partition Enable" WORKLOAD_PARTITION_ENABLE { 0:9:9 bool }
    "Indirect Parameter Enable" INDIRECT_PARAMETER_ENABLE { 0:10:10 bool }
    "Systolic Mode Enable" SYSTOLIC_MODE_ENABLE { 0:14:14 bool }
    "COMPUTE_WALKER_BODY" COMPUTE_WALKER_BODY { [XeHpg..=XeHpc] 1:1215:0 state(compute_walker_body), [Xe2..] 1:1247:0 state(compute_walker_body) }
}

packet! {
    /// A compute walker with its dimensions in memory.
    execute_indirect_dispatch "EXECUTE_INDIRECT_DISPATCH" 0x7c01_0000 on EU [XeHpg..] with compute_walker_body
    length { [XeHpg..=XeHpc] 44 in 7:0, [Xe2..] 45 in 7:0 }
    "Predicate Enable" PREDICATE_ENABLE { 0:8:8 bool }
    "MOCS" MOCS { 0:15:12 uint }
    "Max Count" MAX_COUNT { 1:31:0 uint }
    "Count Buffer Indirect Enable" COUNT_BUFFER_INDIRECT_ENABLE { 2:0:0 bool }
    "Count Buffer Address" COUNT_BUFFER_ADDRESS { 2:63:2 address }
    "Argument Buffer Start Address" ARGUMENT_BUFFER_START_ADDRESS { 4:63:2 address }
    "COMPUTE_WALKER_BODY" COMPUTE_WALKER_BODY { [XeHpg..=XeHpc] 6:1215:0 state(compute_walker_body), [Xe2..] 6:1247:0 state(compute_walker_body) }
}
