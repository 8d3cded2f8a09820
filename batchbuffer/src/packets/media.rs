//! GPGPU dispatch by the media pipeline (Gen8 to Gen12LP).

packet! {
    /// Sets up the front end: threads, URB, scratch.
    ///
    /// Source: TGL PRM vol 2a, MEDIA_VFE_STATE.
    media_vfe_state "MEDIA_VFE_STATE" 0x7000_0000 on EU [Gen8..=Gen12Lp]
    length { 9 in 15:0 }
    "Per Thread Scratch Space" PER_THREAD_SCRATCH_SPACE { 1:3:0 uint }
    "Stack Size" STACK_SIZE { 1:7:4 uint }
    "Scratch Space Base Pointer" SCRATCH_SPACE_BASE_POINTER { 1:47:10 address }
    "Dispatch Load Balance" DISPATCH_LOAD_BALANCE { [Gen11..=Gen12Lp] 3:2:2 values(DispatchLoadBalance) }
    "Bypass Gateway Control" BYPASS_GATEWAY_CONTROL { [Gen8] 3:6:6 values(BypassGatewayControl) }
    "Disable Slice 0 Subslice 2" DISABLE_SLICE_0_SUBSLICE_2 { [Gen12Lp] 3:6:6 bool }
    "Reset Gateway Timer" RESET_GATEWAY_TIMER { [Gen8..=Gen9] 3:7:7 values(ResetGatewayTimer) }
    "Number of URB Entries" NUMBER_OF_URB_ENTRIES { 3:15:8 uint }
    "Maximum Number of Threads" MAXIMUM_NUMBER_OF_THREADS { 3:31:16 uint }
    "Slice Disable" SLICE_DISABLE { [Gen8..=Gen9] 4:1:0 values(SliceDisable) }
    "Maximum Number of Dual-Subslices" MAXIMUM_NUMBER_OF_DUAL_SUBSLICES { [Gen11..=Gen12Lp] 4:7:0 uint }
    "CURBE Allocation Size" CURBE_ALLOCATION_SIZE { 5:15:0 uint }
    "URB Entry Allocation Size" URB_ENTRY_ALLOCATION_SIZE { 5:31:16 uint }
    "Scoreboard Mask" SCOREBOARD_MASK { [Gen8..=Gen9] 6:7:0 uint }
    "Scoreboard Type" SCOREBOARD_TYPE { [Gen8..=Gen9] 6:30:30 values(ScoreboardType) }
    "Scoreboard Enable" SCOREBOARD_ENABLE { [Gen8..=Gen9] 6:31:31 bool }
    "Scoreboard 0 Delta X" SCOREBOARD_0_DELTA_X { [Gen8..=Gen9] 7:3:0 int }
    "Scoreboard 0 Delta Y" SCOREBOARD_0_DELTA_Y { [Gen8..=Gen9] 7:7:4 int }
    "Scoreboard 1 Delta X" SCOREBOARD_1_DELTA_X { [Gen8..=Gen9] 7:11:8 int }
    "Scoreboard 1 Delta Y" SCOREBOARD_1_DELTA_Y { [Gen8..=Gen9] 7:15:12 int }
    "Scoreboard 2 Delta X" SCOREBOARD_2_DELTA_X { [Gen8..=Gen9] 7:19:16 int }
    "Scoreboard 2 Delta Y" SCOREBOARD_2_DELTA_Y { [Gen8..=Gen9] 7:23:20 int }
    "Scoreboard 3 Delta X" SCOREBOARD_3_DELTA_X { [Gen8..=Gen9] 7:27:24 int }
    "Scoreboard 3 Delta Y" SCOREBOARD_3_DELTA_Y { [Gen8..=Gen9] 7:31:28 int }
    "Scoreboard 4 Delta X" SCOREBOARD_4_DELTA_X { [Gen8..=Gen9] 8:3:0 int }
    "Scoreboard 4 Delta Y" SCOREBOARD_4_DELTA_Y { [Gen8..=Gen9] 8:7:4 int }
    "Scoreboard 5 Delta X" SCOREBOARD_5_DELTA_X { [Gen8..=Gen9] 8:11:8 int }
    "Scoreboard 5 Delta Y" SCOREBOARD_5_DELTA_Y { [Gen8..=Gen9] 8:15:12 int }
    "Scoreboard 6 Delta X" SCOREBOARD_6_DELTA_X { [Gen8..=Gen9] 8:19:16 int }
    "Scoreboard 6 Delta Y" SCOREBOARD_6_DELTA_Y { [Gen8..=Gen9] 8:23:20 int }
    "Scoreboard 7 Delta X" SCOREBOARD_7_DELTA_X { [Gen8..=Gen9] 8:27:24 int }
    "Scoreboard 7 Delta Y" SCOREBOARD_7_DELTA_Y { [Gen8..=Gen9] 8:31:28 int }
    values BypassGatewayControl {
        MAINTAINING_OPENGATEWAY_FORWARDMSG_CLOSEGATEWAY_PROTOCOL_LEGACY_MODE "Maintaining OpenGateway/ForwardMsg/CloseGateway protocol (legacy mode)" = 0,
        BYPASSING_OPENGATEWAY_CLOSEGATEWAY_PROTOCOL "Bypassing OpenGateway/CloseGateway protocol" = 1,
    }
    values ResetGatewayTimer {
        MAINTAINING_THE_EXISTING_TIMESTAMP_STATE "Maintaining the existing timestamp state" = 0,
        RESETTING_RELATIVE_TIMER_AND_LATCHING_THE_GLOBAL_TIMESTAMP "Resetting relative timer and latching the global timestamp" = 1,
    }
    values SliceDisable {
        ALL_SUBSLICES_ENABLED "All Subslices Enabled" = 0,
        ONLY_SLICE_0_ENABLED "Only Slice 0 Enabled" = 1,
        ONLY_SLICE_0_SUBSLICE_0_ENABLED "Only Slice 0 Subslice 0 Enabled" = 3,
    }
    values ScoreboardType {
        STALLING_SCOREBOARD "Stalling Scoreboard" = 0,
        NON_STALLING_SCOREBOARD "Non-Stalling Scoreboard" = 1,
    }
    values DispatchLoadBalance { LEAST_LOADED "Least Loaded" = 0, COLOR_LSB "Color LSB" = 1 }
}

packet! {
    /// Loads constant data (thread payloads) from the dynamic state heap.
    media_curbe_load "MEDIA_CURBE_LOAD" 0x7001_0000 on EU [Gen8..=Gen12Lp]
    length { 4 in 15:0 }
    "CURBE Total Data Length" CURBE_TOTAL_DATA_LENGTH { 2:16:0 uint }
    "CURBE Data Start Address" CURBE_DATA_START_ADDRESS { 3:31:0 uint }
}

packet! {
    /// Loads interface descriptors from the dynamic state heap.
    media_interface_descriptor_load "MEDIA_INTERFACE_DESCRIPTOR_LOAD" 0x7002_0000 on EU [Gen8..=Gen12Lp]
    length { 4 in 15:0 }
    "Interface Descriptor Total Length" INTERFACE_DESCRIPTOR_TOTAL_LENGTH { 2:16:0 uint }
    "Interface Descriptor Data Start Address" INTERFACE_DESCRIPTOR_DATA_START_ADDRESS { 3:31:0 offset }
}

packet! {
    /// Waits until earlier dispatches have taken their state.
    media_state_flush "MEDIA_STATE_FLUSH" 0x7004_0000 on EU [Gen8..=Gen12Lp]
    length { 2 in 15:0 }
    "Interface Descriptor Offset" INTERFACE_DESCRIPTOR_OFFSET { 1:5:0 uint }
    "Watermark Required" WATERMARK_REQUIRED { [Gen8..=Gen9] 1:6:6 uint }
    "Flush to GO" FLUSH_TO_GO { 1:7:7 bool }
}

packet! {
    /// Dispatches thread groups.
    ///
    /// The "Dimension" fields are exclusive ends, not counts.
    ///
    /// Source: TGL PRM vol 2a, GPGPU_WALKER.
    gpgpu_walker "GPGPU_WALKER" 0x7105_0000 on EU [Gen8..=Gen12Lp]
    length { 15 in 7:0 }
    "Predicate Enable" PREDICATE_ENABLE { 0:8:8 bool }
    "Indirect Parameter Enable" INDIRECT_PARAMETER_ENABLE { 0:10:10 bool }
    "Interface Descriptor Offset" INTERFACE_DESCRIPTOR_OFFSET { 1:5:0 uint }
    "Indirect Data Length" INDIRECT_DATA_LENGTH { 2:16:0 uint }
    "Indirect Data Start Address" INDIRECT_DATA_START_ADDRESS { 3:31:6 offset }
    "Thread Width Counter Maximum" THREAD_WIDTH_COUNTER_MAXIMUM { 4:5:0 uint }
    "Thread Height Counter Maximum" THREAD_HEIGHT_COUNTER_MAXIMUM { 4:13:8 uint }
    "Thread Depth Counter Maximum" THREAD_DEPTH_COUNTER_MAXIMUM { 4:21:16 uint }
    "SIMD Size" SIMD_SIZE { 4:31:30 values(SimdSize) }
    "Thread Group ID Starting X" THREAD_GROUP_ID_STARTING_X { 5:31:0 uint }
    "Thread Group ID X Dimension" THREAD_GROUP_ID_X_DIMENSION { 7:31:0 uint }
    "Thread Group ID Starting Y" THREAD_GROUP_ID_STARTING_Y { 8:31:0 uint }
    "Thread Group ID Y Dimension" THREAD_GROUP_ID_Y_DIMENSION { 10:31:0 uint }
    "Thread Group ID Starting/Resume Z" THREAD_GROUP_ID_STARTING_RESUME_Z { 11:31:0 uint }
    "Thread Group ID Z Dimension" THREAD_GROUP_ID_Z_DIMENSION { 12:31:0 uint }
    "Right Execution Mask" RIGHT_EXECUTION_MASK { 13:31:0 uint }
    "Bottom Execution Mask" BOTTOM_EXECUTION_MASK { 14:31:0 uint }
    values SimdSize { SIMD8 = 0, SIMD16 = 1, SIMD32 = 2 }
}
