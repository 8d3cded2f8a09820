//! MI commands: what the command streamer itself executes.
//!
//! Source: genxml gen8 to gen20; meanings from the TGL PRM vol 2a.

packet! {
    /// Does nothing.
    mi_noop "MI_NOOP" 0x0000_0000 on ALL [Gen8..]
    length { 1 }
    "Identification Number" IDENTIFICATION_NUMBER { 0:21:0 uint }
    "Identification Number Register Write Enable" IDENTIFICATION_NUMBER_REGISTER_WRITE_ENABLE { 0:22:22 bool }
}

packet! {
    /// Lets the scheduler preempt here; from Gen12 it also switches the
    /// pre-parser.
    mi_arb_check "MI_ARB_CHECK" 0x0280_0000 on ALL [Gen8..]
    length { 1 }
    "Pre-Parser Disable" PRE_PARSER_DISABLE { [Gen12Lp..] 0:0:0 bool }
    "Pre-Parser Disable Mask" PRE_PARSER_DISABLE_MASK { [Gen12Lp..] 0:8:8 bool }
}

packet! {
    /// Allows or forbids preemption at arbitration points.
    mi_arb_on_off "MI_ARB_ON_OFF" 0x0400_0000 on ALL [Gen8..]
    length { 1 }
    "Arbitration Enable" ARBITRATION_ENABLE { 0:0:0 bool }
    "Allow Lite Restore" ALLOW_LITE_RESTORE { [Gen11..] 0:1:1 bool }
}

packet! {
    /// An atomic operation on memory, with the operands in registers or in
    /// the packet (3 or 11 dwords).
    mi_atomic "MI_ATOMIC" 0x1780_0000 on ALL [Gen8..]
    length { 3 or more in 7:0 }
    "ATOMIC OPCODE" ATOMIC_OPCODE { [Gen8] 0:15:8 uint, [Gen9..] 0:15:8 values(values::AtomicOpcode) }
    "Return Data Control" RETURN_DATA_CONTROL { [Gen8] 0:16:16 uint, [Gen9..] 0:16:16 bool }
    "CS STALL" CS_STALL { [Gen8] 0:17:17 uint, [Gen9..] 0:17:17 bool }
    "Inline Data" INLINE_DATA { [Gen8] 0:18:18 uint, [Gen9..] 0:18:18 bool }
    "Data Size" DATA_SIZE { 0:20:19 values(DataSize) }
    "Post-Sync Operation" POST_SYNC_OPERATION { 0:21:21 bool }
    "Memory Type" MEMORY_TYPE { 0:22:22 values(MemoryType) }
    "Workload Partition ID Offset Enable" WORKLOAD_PARTITION_ID_OFFSET_ENABLE { [XeHpg..] 1:0:0 bool }
    "Memory Address" MEMORY_ADDRESS { [Gen8..=XeHpg] 1:47:2 address, [XeHpc] 1:63:2 address, [Xe2..] 1:47:2 address }
    "Operand1 Data Dword 0" OPERAND1_DATA_DWORD_0 { 3:31:0 uint }
    "Operand2 Data Dword 0" OPERAND2_DATA_DWORD_0 { 4:31:0 uint }
    "Operand1 Data Dword 1" OPERAND1_DATA_DWORD_1 { 5:31:0 uint }
    "Operand2 Data Dword 1" OPERAND2_DATA_DWORD_1 { 6:31:0 uint }
    "Operand1 Data Dword 2" OPERAND1_DATA_DWORD_2 { 7:31:0 uint }
    "Operand2 Data Dword 2" OPERAND2_DATA_DWORD_2 { 8:31:0 uint }
    "Operand1 Data Dword 3" OPERAND1_DATA_DWORD_3 { 9:31:0 uint }
    "Operand2 Data Dword 3" OPERAND2_DATA_DWORD_3 { 10:31:0 uint }
    values DataSize { DWORD = 0, QWORD = 1, OCTWORD = 2, RESERVED = 3 }
    values MemoryType {
        PER_PROCESS_GRAPHICS_ADDRESS "Per Process Graphics Address" = 0,
        GLOBAL_GRAPHICS_ADDRESS "Global Graphics Address" = 1,
    }
}

packet! {
    /// Ends the batch, or returns from a second-level one.
    mi_batch_buffer_end "MI_BATCH_BUFFER_END" 0x0500_0000 on ALL [Gen8..]
    length { 1 }
    "End Context" END_CONTEXT { [Gen11..] 0:0:0 bool }
    "Predicate Enable" PREDICATE_ENABLE { [XeHpc..] 0:15:15 bool }
}

packet! {
    /// Jumps to another batch, or calls it as a second-level one.
    mi_batch_buffer_start "MI_BATCH_BUFFER_START" 0x1880_0000 on ALL [Gen8..]
    length { 3 in 7:0 }
    "Address Space Indicator" ADDRESS_SPACE_INDICATOR { 0:8:8 values(AddressSpaceIndicator) }
    "Resource Streamer Enable" RESOURCE_STREAMER_ENABLE { 0:10:10 bool }
    "Predication Enable" PREDICATION_ENABLE { 0:15:15 bool }
    "Add Offset Enable" ADD_OFFSET_ENABLE { [Gen8..=Gen9] 0:16:16 bool }
    "Indirect Address Enable" INDIRECT_ADDRESS_ENABLE { [XeHpc..] 0:18:18 bool }
    "Enable Command Cache" ENABLE_COMMAND_CACHE { [Gen12Lp..] 0:19:19 bool }
    "POSH Enable" POSH_ENABLE { [Gen12Lp..=XeHpc] 0:20:20 bool }
    "POSH Start" POSH_START { [Gen12Lp..=XeHpc] 0:21:21 bool }
    "Second Level Batch Buffer" SECOND_LEVEL_BATCH_BUFFER { 0:22:22 values(SecondLevelBatchBuffer) }
    "Batch Buffer Start Address" BATCH_BUFFER_START_ADDRESS { [Gen8] 1:47:2 address, [Gen9..] 1:63:2 address }
    values AddressSpaceIndicator { GGTT = 0, PPGTT = 1 }
    values SecondLevelBatchBuffer {
        FIRST_LEVEL_BATCH "First level batch" = 0, SECOND_LEVEL_BATCH "Second level batch" = 1,
    }
}

packet! {
    /// Flushes cache lines of a page.
    mi_clflush "MI_CLFLUSH" 0x1380_0000 on ALL [Gen8..]
    length { 3 or more in 9:0 }
    "Use Global GTT" USE_GLOBAL_GTT { 0:22:22 bool }
    "Starting Cacheline Offset" STARTING_CACHELINE_OFFSET { 1:11:6 uint }
    "Page Base Address" PAGE_BASE_ADDRESS { 1:47:12 address }
    "DW Representing a Half Cache Line" DW_REPRESENTING_A_HALF_CACHE_LINE { 3:31:0 uint every 32 x 0 }
}

packet! {
    /// Ends the batch if the comparison of a value in memory with the operand fails: before Gen12
    /// if the value is not greater.
    mi_conditional_batch_buffer_end "MI_CONDITIONAL_BATCH_BUFFER_END" 0x1b00_0000 on ALL [Gen8..]
    length { 4 in 7:0 }
    "Compare Operation" COMPARE_OPERATION { [Gen12Lp..] 0:14:12 values(CompareOperation) }
    "Predicate Enable" PREDICATE_ENABLE { [XeHpg..] 0:15:15 bool }
    "End Current Batch Buffer Level" END_CURRENT_BATCH_BUFFER_LEVEL { [Gen12Lp..] 0:18:18 bool }
    "Compare Mask Mode" COMPARE_MASK_MODE { [Gen9..] 0:19:19 values(CompareMaskMode) }
    "Compare Semaphore" COMPARE_SEMAPHORE { 0:21:21 uint }
    "Use Global GTT" USE_GLOBAL_GTT { 0:22:22 bool }
    "Compare Data Dword" COMPARE_DATA_DWORD { 1:31:0 uint }
    "Compare Address" COMPARE_ADDRESS { [Gen8] 2:47:3 address, [Gen9..] 2:63:3 address }
    values CompareOperation {
        MAD_GREATER_THAN_IDD = 0, MAD_GREATER_THAN_OR_EQUAL_IDD = 1, MAD_LESS_THAN_IDD = 2,
        MAD_LESS_THAN_OR_EQUAL_IDD = 3, MAD_EQUAL_IDD = 4, MAD_NOT_EQUAL_IDD = 5,
    }
    values CompareMaskMode {
        COMPARE_MASK_MODE_DISABLED "Compare Mask Mode Disabled" = 0,
        COMPARE_MASK_MODE_ENABLED "Compare Mask Mode Enabled" = 1,
    }
}

packet! {
    /// Copies one dword from memory to memory.
    mi_copy_mem_mem "MI_COPY_MEM_MEM" 0x1700_0000 on ALL [Gen8..]
    length { 5 in 7:0 }
    "Use Global GTT Destination" USE_GLOBAL_GTT_DESTINATION { 0:21:21 bool }
    "Use Global GTT Source" USE_GLOBAL_GTT_SOURCE { 0:22:22 bool }
    "Destination Memory Address" DESTINATION_MEMORY_ADDRESS { 1:63:2 address }
    "Source Memory Address" SOURCE_MEMORY_ADDRESS { 3:63:2 address }
}

packet! {
    /// Asks the display engine to flip.
    mi_display_flip "MI_DISPLAY_FLIP" 0x0a00_0000 on ALL [Gen9..]
    length { 3 or more in 7:0 }
    "Display Plane Select" DISPLAY_PLANE_SELECT { [Gen9] 0:12:8 values(DisplayPlaneSelect), [Gen11..] 0:13:8 values(DisplayPlaneSelect) }
    "Async Flip Indicator" ASYNC_FLIP_INDICATOR { 0:22:22 bool }
    "Tile Parameter" TILE_PARAMETER { 1:2:0 uint }
    "Display Buffer Pitch" DISPLAY_BUFFER_PITCH { 1:15:6 uint }
    "Stereoscopic 3D Mode" STEREOSCOPIC_3D_MODE { 1:31:31 bool }
    "Flip Type" FLIP_TYPE { 2:1:0 values(FlipType) }
    "VRR Master Flip" VRR_MASTER_FLIP { [Gen11..] 2:11:11 uint }
    "Display Buffer Base Address" DISPLAY_BUFFER_BASE_ADDRESS { 2:31:12 address }
    "Left Eye Display Buffer Base Address" LEFT_EYE_DISPLAY_BUFFER_BASE_ADDRESS { 3:31:12 address }
    values DisplayPlaneSelect {
        DISPLAY_PLANE_1 "Display Plane 1" = 0, DISPLAY_PLANE_2 "Display Plane 2" = 1,
        DISPLAY_PLANE_3 "Display Plane 3" = 2, DISPLAY_PLANE_4 "Display Plane 4" = 4,
        DISPLAY_PLANE_5 "Display Plane 5" = 5, DISPLAY_PLANE_6 "Display Plane 6" = 6,
        DISPLAY_PLANE_7 "Display Plane 7" = 7, DISPLAY_PLANE_8 "Display Plane 8" = 8,
        DISPLAY_PLANE_9 "Display Plane 9" = 9, DISPLAY_PLANE_10 "Display Plane 10" = 10,
        DISPLAY_PLANE_11 "Display Plane 11" = 11, DISPLAY_PLANE_12 "Display Plane 12" = 12,
        DISPLAY_PLANE_13 "Display Plane 13" = 13, DISPLAY_PLANE_14 "Display Plane 14" = 14,
        DISPLAY_PLANE_15 "Display Plane 15" = 15, DISPLAY_PLANE_16 "Display Plane 16" = 16,
        DISPLAY_PLANE_17 "Display Plane 17" = 17, DISPLAY_PLANE_18 "Display Plane 18" = 18,
        DISPLAY_PLANE_19 "Display Plane 19" = 19, DISPLAY_PLANE_20 "Display Plane 20" = 20,
        DISPLAY_PLANE_21 "Display Plane 21" = 21, DISPLAY_PLANE_22 "Display Plane 22" = 22,
        DISPLAY_PLANE_23 "Display Plane 23" = 23, DISPLAY_PLANE_24 "Display Plane 24" = 24,
        DISPLAY_PLANE_25 "Display Plane 25" = 25, DISPLAY_PLANE_26 "Display Plane 26" = 26,
        DISPLAY_PLANE_27 "Display Plane 27" = 27, DISPLAY_PLANE_28 "Display Plane 28" = 28,
        DISPLAY_PLANE_29 "Display Plane 29" = 29, DISPLAY_PLANE_30 "Display Plane 30" = 30,
        DISPLAY_PLANE_31 "Display Plane 31" = 31, DISPLAY_PLANE_32 "Display Plane 32" = 32,
    }
    values FlipType {
        SYNC_FLIP "Sync Flip" = 0, ASYNC_FLIP "Async Flip" = 1,
        STEREO_3D_FLIP "Stereo 3D Flip" = 2,
    }
}

packet! {
    /// Flushes the engine's writes and then writes a dword, qword or timestamp.
    mi_flush_dw "MI_FLUSH_DW" 0x1300_0000 on ALL [Gen8..]
    length { 4 or more in 5:0 }
    "Video Pipeline Cache Invalidate" VIDEO_PIPELINE_CACHE_INVALIDATE { 0:7:7 bool }
    "Notify Enable" NOTIFY_ENABLE { 0:8:8 bool }
    "Flush LLC" FLUSH_LLC { [Gen9..] 0:9:9 bool }
    "Post-Sync Operation" POST_SYNC_OPERATION { 0:15:14 uint }
    "Flush CCS" FLUSH_CCS { [XeHpg..] 0:16:16 bool }
    "TLB Invalidate" TLB_INVALIDATE { 0:18:18 bool }
    "Store Data Index" STORE_DATA_INDEX { 0:21:21 uint }
    "Destination Address Type" DESTINATION_ADDRESS_TYPE { 1:2:2 values(DestinationAddressType) }
    "Address" ADDRESS { [Gen8..=XeHpg] 1:47:3 address, [XeHpc] 1:63:3 address, [Xe2] 1:47:3 address, [Xe3..] 1:63:3 address }
    "Immediate Data" IMMEDIATE_DATA { 3:63:0 uint }
    values DestinationAddressType { PPGTT = 0, GGTT = 1 }
}

packet! {
    /// Keeps power wells awake.
    mi_force_wakeup "MI_FORCE_WAKEUP" 0x0e80_0000 on ALL [Gen9..]
    length { 2 in 7:0 }
    "Force Media Awake" FORCE_MEDIA_AWAKE { [Gen9] 1:0:0 uint }
    "Force Media-Slice0 Awake" FORCE_MEDIA_SLICE0_AWAKE { [Gen11..] 1:0:0 uint }
    "Force Render Awake" FORCE_RENDER_AWAKE { 1:1:1 uint }
    "Force Media-Slice1 Awake" FORCE_MEDIA_SLICE1_AWAKE { [Gen11..] 1:2:2 uint }
    "Force Media-Slice2 Awake" FORCE_MEDIA_SLICE2_AWAKE { [Gen11..] 1:3:3 uint }
    "Force Media-Slice3 Awake" FORCE_MEDIA_SLICE3_AWAKE { [Gen11..] 1:4:4 uint }
    "HEVC Power Well Control" HEVC_POWER_WELL_CONTROL { [Gen12Lp..] 1:8:8 bool }
    "MFX Power Well Control" MFX_POWER_WELL_CONTROL { [Gen12Lp..] 1:9:9 bool }
    "Mask Bits" MASK_BITS { 1:31:16 uint }
}

packet! {
    /// Writes registers with values from the packet, pair by pair.
    mi_load_register_imm "MI_LOAD_REGISTER_IMM" 0x1100_0000 on ALL [Gen8..]
    length { 3 or more in 7:0 }
    "Byte Write Disables" BYTE_WRITE_DISABLES { 0:11:8 uint }
    "Force Posted" FORCE_POSTED { 0:12:12 bool }
    "MMIO Remap Enable" MMIO_REMAP_ENABLE { [Gen12Lp..] 0:17:17 bool }
    "Add CS MMIO Start Offset" ADD_CS_MMIO_START_OFFSET { [Gen11..] 0:19:19 uint }
    "Register Offset" REGISTER_OFFSET { 1:22:2 register every 64 x 0 }
    "Data DWord" DATA_DWORD { 2:31:0 uint every 64 x 0 }
}

packet! {
    /// Loads a register from memory.
    mi_load_register_mem "MI_LOAD_REGISTER_MEM" 0x1480_0000 on ALL [Gen8..]
    length { 4 in 7:0 }
    "Workload Partition ID Offset Enable" WORKLOAD_PARTITION_ID_OFFSET_ENABLE { [XeHpg..] 0:16:16 bool }
    "MMIO Remap Enable" MMIO_REMAP_ENABLE { [Gen12Lp..] 0:17:17 bool }
    "Add CS MMIO Start Offset" ADD_CS_MMIO_START_OFFSET { [Gen11..] 0:19:19 uint }
    "Add Loop Variable" ADD_LOOP_VARIABLE { [Gen11..] 0:20:20 uint }
    "Async Mode Enable" ASYNC_MODE_ENABLE { 0:21:21 bool }
    "Use Global GTT" USE_GLOBAL_GTT { 0:22:22 bool }
    "Register Address" REGISTER_ADDRESS { 1:22:2 register }
    "Memory Address" MEMORY_ADDRESS { 2:63:2 address }
}

packet! {
    /// Copies one register to another.
    mi_load_register_reg "MI_LOAD_REGISTER_REG" 0x1500_0000 on ALL [Gen8..]
    length { 3 in 7:0 }
    "MMIO Remap Enable Source" MMIO_REMAP_ENABLE_SOURCE { [Gen12Lp..] 0:16:16 bool }
    "MMIO Remap Enable Destination" MMIO_REMAP_ENABLE_DESTINATION { [Gen12Lp..] 0:17:17 bool }
    "Add CS MMIO Start Offset Source" ADD_CS_MMIO_START_OFFSET_SOURCE { [Gen11..] 0:18:18 uint }
    "Add CS MMIO Start Offset Destination" ADD_CS_MMIO_START_OFFSET_DESTINATION { [Gen11..] 0:19:19 uint }
    "Source Register Address" SOURCE_REGISTER_ADDRESS { 1:22:2 register }
    "Destination Register Address" DESTINATION_REGISTER_ADDRESS { 2:22:2 register }
}

packet! {
    /// Selects the scan lines that MI_WAIT_FOR_EVENT waits to be outside of.
    mi_load_scan_lines_excl "MI_LOAD_SCAN_LINES_EXCL" 0x0980_0000 on ALL [Gen8..]
    length { 2 in 5:0 }
    "Display (Plane) Select" DISPLAY_PLANE_SELECT { 0:21:19 values(DisplayPlaneSelect) }
    "End Scan Line Number" END_SCAN_LINE_NUMBER { 1:12:0 uint }
    "Start Scan Line Number" START_SCAN_LINE_NUMBER { 1:28:16 uint }
    values DisplayPlaneSelect {
        DISPLAY_PLANE_A "Display Plane A" = 0, DISPLAY_PLANE_B "Display Plane B" = 1,
        DISPLAY_PLANE_C "Display Plane C" = 4, DISPLAY_PLANE_D "Display Plane D" = 5,
    }
}

packet! {
    /// Selects the scan lines that MI_WAIT_FOR_EVENT waits to be inside of.
    mi_load_scan_lines_incl "MI_LOAD_SCAN_LINES_INCL" 0x0900_0000 on ALL [Gen8..]
    length { 2 in 5:0 }
    "Scan Line Event Done Forward" SCAN_LINE_EVENT_DONE_FORWARD { 0:18:17 uint }
    "Display (Plane) Select" DISPLAY_PLANE_SELECT { [Gen8] 0:21:19 values(DisplayPlaneSelectGen8), [Gen9..] 0:21:19 values(DisplayPlaneSelectGen9) }
    "End Scan Line Number" END_SCAN_LINE_NUMBER { 1:12:0 uint }
    "Start Scan Line Number" START_SCAN_LINE_NUMBER { 1:28:16 uint }
    values DisplayPlaneSelectGen8 {
        DISPLAY_PLANE_A "Display Plane A" = 0, DISPLAY_PLANE_B "Display Plane B" = 1,
        DISPLAY_PLANE_C "Display Plane C" = 4,
    }
    values DisplayPlaneSelectGen9 {
        DISPLAY_PLANE_1_A "Display Plane 1 A" = 0, DISPLAY_PLANE_1_B "Display Plane 1 B" = 1,
        DISPLAY_PLANE_1_C "Display Plane 1 C" = 4, DISPLAY_PLANE_1_D "Display Plane 1 D" = 5,
    }
}

packet! {
    /// Loads the URB from memory.
    mi_load_urb_mem "MI_LOAD_URB_MEM" 0x1600_0000 on ALL [Gen8..=Gen9]
    length { 4 in 7:0 }
    "URB Address" URB_ADDRESS { 1:14:2 uint }
    "Memory Address" MEMORY_ADDRESS { 2:63:6 address }
}

packet! {
    /// Runs ALU instructions on the general purpose registers.
    mi_math "MI_MATH" 0x0d00_0000 on ALL [Gen8..]
    length { [Gen8] 2 or more in 5:0, [Gen9..] 2 or more in 7:0 }
    "MOCS" MOCS { [XeHpg..] 0:14:8 uint }
    "Predication Enable" PREDICATION_ENABLE { [XeHpg..] 0:15:15 bool }
    "Instruction" INSTRUCTION { 1:31:0 state(mi_math_alu_instruction) every 32 x 0 }
}

packet! {
    /// Waits until earlier memory accesses are visible.
    mi_mem_fence "MI_MEM_FENCE" 0x0480_0000 on ALL [XeHpc..]
    length { 1 }
    "Fence Type" FENCE_TYPE { [XeHpc] 0:0:0 values(FenceType), [Xe2..] 0:1:0 values(FenceType) }
    "MI Command Sub Opcode" MI_COMMAND_SUB_OPCODE { 0:22:17 uint }
    values FenceType { RELEASE = 0, ACQUIRE = 1, MI_WRITE = 3 }
}

packet! {
    /// Sets the predicate from a comparison of the predicate source registers.
    mi_predicate "MI_PREDICATE" 0x0600_0000 on ALL [Gen8..]
    length { 1 }
    "Compare Operation" COMPARE_OPERATION { 0:1:0 values(CompareOperation) }
    "Combine Operation" COMBINE_OPERATION { 0:4:3 values(CombineOperation) }
    "Load Operation" LOAD_OPERATION { 0:7:6 values(LoadOperation) }
    values CompareOperation { TRUE = 0, FALSE = 1, SRCS_EQUAL = 2, DELTAS_EQUAL = 3 }
    values CombineOperation { SET = 0, AND = 1, OR = 2, XOR = 3 }
    values LoadOperation { KEEP = 0, LOAD = 2, LOADINV = 3 }
}

packet! {
    /// Reports the ring head to the status page.
    mi_report_head "MI_REPORT_HEAD" 0x0380_0000 on ALL [Gen8..]
    length { 1 }
}

packet! {
    /// Writes the performance counters to memory.
    mi_report_perf_count "MI_REPORT_PERF_COUNT" 0x1400_0000 on ALL [Gen8..]
    length { 4 in 5:0 }
    "Use Global GTT" USE_GLOBAL_GTT { 1:0:0 bool }
    "Core Mode Enable" CORE_MODE_ENABLE { 1:4:4 uint }
    "Memory Address" MEMORY_ADDRESS { 1:63:6 address }
    "Report ID" REPORT_ID { 3:31:0 uint }
}

packet! {
    /// Saves or restores the resource streamer.
    mi_rs_context "MI_RS_CONTEXT" 0x0780_0000 on ALL [Gen8..]
    length { 1 }
    "Resource Streamer Save" RESOURCE_STREAMER_SAVE { 0:0:0 values(ResourceStreamerSave) }
    values ResourceStreamerSave { RESTORE "Restore" = 0, SAVE "Save" = 1 }
}

packet! {
    /// Starts or stops the resource streamer.
    mi_rs_control "MI_RS_CONTROL" 0x0300_0000 on ALL [Gen8..]
    length { 1 }
    "Resource Streamer Control" RESOURCE_STREAMER_CONTROL { 0:0:0 values(ResourceStreamerControl) }
    values ResourceStreamerControl { STOP "Stop" = 0, START "Start" = 1 }
}

packet! {
    /// Stores a dword from the resource streamer.
    mi_rs_store_data_imm "MI_RS_STORE_DATA_IMM" 0x1580_0000 on ALL [Gen8..]
    length { 4 in 7:0 }
    "Core Mode Enable" CORE_MODE_ENABLE { 1:0:0 uint }
    "Destination Address" DESTINATION_ADDRESS { 1:63:2 address }
    "Data DWord 0" DATA_DWORD_0 { 3:31:0 uint }
}

packet! {
    /// Signals a semaphore of another engine.
    mi_semaphore_signal "MI_SEMAPHORE_SIGNAL" 0x0d80_0000 on ALL [Gen8..]
    length { 2 in 7:0 }
    "Target Engine Select" TARGET_ENGINE_SELECT { [Gen8..=Gen9] 0:17:15 values(TargetEngineSelect), [Gen11..] 0:18:15 values(TargetEngineSelect) }
    "Post-Sync Operation" POST_SYNC_OPERATION { 0:21:21 bool }
    "Target Context ID" TARGET_CONTEXT_ID { 1:31:0 uint }
    values TargetEngineSelect {
        RCS = 0, VCS0 = 1, BCS = 2, VECS = 3, VCS1 = 4, VCS2 = 6, VCS3 = 7, VCS4 = 8, VCS5 = 9,
        VCS6 = 10, VCS7 = 11, VECS1 = 12, VECS2 = 13, VECS3 = 14,
    }
}

packet! {
    /// Waits until the comparison of a dword in memory with the operand holds.
    mi_semaphore_wait "MI_SEMAPHORE_WAIT" 0x0e00_0000 on ALL [Gen8..]
    length { [Gen8..=Gen11] 4 in 7:0, [Gen12Lp..=XeHpc] 4 or more in 7:0, [Xe2..] 5 in 7:0 }
    "Semaphore Wait Context Switch Mode" SEMAPHORE_WAIT_CONTEXT_SWITCH_MODE { [XeHpc] 0:9:8 values(SemaphoreWaitContextSwitchMode) }
    "Compare Operation" COMPARE_OPERATION { 0:14:12 values(CompareOperation) }
    "Wait Mode" WAIT_MODE { 0:15:15 values(WaitMode) }
    "Register Poll Mode" REGISTER_POLL_MODE { [Gen9..] 0:16:16 bool }
    "Indirect Semaphore Data Dword" INDIRECT_SEMAPHORE_DATA_DWORD { [XeHpg..] 0:17:17 bool }
    "Workload Partition ID Offset Enable" WORKLOAD_PARTITION_ID_OFFSET_ENABLE { [XeHpg..] 0:18:18 bool }
    "Memory Type" MEMORY_TYPE { 0:22:22 values(MemoryType) }
    "Semaphore Data Dword" SEMAPHORE_DATA_DWORD { 1:31:0 uint }
    "Semaphore Address" SEMAPHORE_ADDRESS { [Gen8] 2:47:2 address, [Gen9..] 2:63:2 address }
    "Wait Token Number" WAIT_TOKEN_NUMBER { [Gen12Lp..=XeHpg] 4:9:5 uint, [XeHpc..] 4:9:2 uint }
    "Context Switch Wait Time" CONTEXT_SWITCH_WAIT_TIME { [XeHpc] 4:31:22 uint }
    values CompareOperation {
        SAD_GREATER_THAN_SDD = 0, SAD_GREATER_THAN_OR_EQUAL_SDD = 1, SAD_LESS_THAN_SDD = 2,
        SAD_LESS_THAN_OR_EQUAL_SDD = 3, SAD_EQUAL_SDD = 4, SAD_NOT_EQUAL_SDD = 5,
    }
    values SemaphoreWaitContextSwitchMode {
        LEGACY_MODE = 0, CONTEXT_SWITCH = 1, INHIBIT_CONTEXT_SWITCH = 2, DELAY_CONTEXT_SWITCH = 3,
    }
    values WaitMode { SIGNAL_MODE "Signal Mode" = 0, POLLING_MODE "Polling Mode" = 1 }
    values MemoryType {
        PER_PROCESS_GRAPHICS_ADDRESS "Per Process Graphics Address" = 0,
        GLOBAL_GRAPHICS_ADDRESS "Global Graphics Address" = 1,
    }
}

packet! {
    /// Sets the protected application id.
    mi_set_appid "MI_SET_APPID" 0x0700_0000 on ALL [Gen12Lp..]
    length { 1 }
    "Protected Memory Application ID" PROTECTED_MEMORY_APPLICATION_ID { 0:6:0 uint }
    "Protected Memory Application ID Type" PROTECTED_MEMORY_APPLICATION_ID_TYPE { 0:7:7 values(ProtectedMemoryApplicationIdType) }
    values ProtectedMemoryApplicationIdType { DISPLAY_APP = 0, TRANSCODE_APP = 1 }
}

packet! {
    /// Switches the logical render context (ring submission).
    mi_set_context "MI_SET_CONTEXT" 0x0c00_0000 on ALL [Gen8..]
    length { 2 in 7:0 }
    "Restore Inhibit" RESTORE_INHIBIT { 1:0:0 uint }
    "Force Restore" FORCE_RESTORE { 1:1:1 uint }
    "Resource Streamer State Restore Enable" RESOURCE_STREAMER_STATE_RESTORE_ENABLE { 1:2:2 bool }
    "Resource Streamer State Save Enable" RESOURCE_STREAMER_STATE_SAVE_ENABLE { 1:3:3 bool }
    "Core Mode Enable" CORE_MODE_ENABLE { 1:4:4 bool }
    "Reserved, Must be 1" RESERVED_MUST_BE_1 { 1:8:8 uint }
    "Logical Context Address" LOGICAL_CONTEXT_ADDRESS { 1:31:12 address }
}

packet! {
    /// Turns predication of later commands on or off.
    mi_set_predicate "MI_SET_PREDICATE" 0x0080_0000 on ALL [Gen8..]
    length { 1 }
    "Predicate Enable" PREDICATE_ENABLE { 0:3:0 values(PredicateEnable) }
    "Predicate Enable WPARID" PREDICATE_ENABLE_WPARID { [XeHpg..] 0:5:4 uint }
    values PredicateEnable {
        NOOP_NEVER "NOOP Never" = 0, NOOP_ON_RESULT2_CLEAR "NOOP On Result2 Clear" = 1,
        NOOP_ON_RESULT2_SET "NOOP On Result2 Set" = 2,
        NOOP_ON_RESULT_CLEAR "NOOP On Result Clear" = 3,
        NOOP_ON_RESULT_SET "NOOP On Result Set" = 4,
        EXECUTE_WHEN_ONE_SLICE_ENABLED "Execute when one slice enabled." = 5,
        EXECUTE_WHEN_TWO_SLICES_ARE_ENABLED "Execute when two slices are enabled." = 6,
        EXECUTE_WHEN_THREE_SLICES_ARE_ENABLED "Execute when three slices are enabled." = 7,
        NOOP_ALWAYS "NOOP Always" = 15,
    }
}

packet! {
    /// Stores a dword (4 dwords) or a qword (5) from the packet to memory.
    mi_store_data_imm "MI_STORE_DATA_IMM" 0x1000_0000 on ALL [Gen8..]
    length { 4 or more in 9:0 }
    "Force Write Completion Check " FORCE_WRITE_COMPLETION_CHECK { [Gen12Lp..] 0:10:10 bool }
    "Workload Partition ID Offset Enable" WORKLOAD_PARTITION_ID_OFFSET_ENABLE { [XeHpg..] 0:11:11 bool }
    "Store Qword" STORE_QWORD { 0:21:21 uint }
    "Use Global GTT" USE_GLOBAL_GTT { 0:22:22 bool }
    "Core Mode Enable" CORE_MODE_ENABLE { 1:0:0 uint }
    "Address" ADDRESS { [Gen8..=XeHpg] 1:47:2 address, [XeHpc] 1:63:2 address, [Xe2..] 1:47:2 address }
    "Immediate Data" IMMEDIATE_DATA { 3:63:0 uint }
}

packet! {
    /// Stores a dword to the status page.
    mi_store_data_index "MI_STORE_DATA_INDEX" 0x1080_0000 on ALL [Gen8..]
    length { 3 or more in 7:0 }
    "Use Per-Process Hardware Status Page" USE_PER_PROCESS_HARDWARE_STATUS_PAGE { 0:21:21 uint }
    "Offset" OFFSET { 1:11:2 uint }
    "Data DWord 0" DATA_DWORD_0 { 2:31:0 uint }
    "Data DWord 1" DATA_DWORD_1 { 3:31:0 uint }
}

packet! {
    /// Stores a register to memory.
    mi_store_register_mem "MI_STORE_REGISTER_MEM" 0x1200_0000 on ALL [Gen8..]
    length { 4 in 7:0 }
    "Workload Partition ID Offset Enable" WORKLOAD_PARTITION_ID_OFFSET_ENABLE { [XeHpg..] 0:16:16 bool }
    "MMIO Remap Enable" MMIO_REMAP_ENABLE { [Gen12Lp..] 0:17:17 bool }
    "Add CS MMIO Start Offset" ADD_CS_MMIO_START_OFFSET { [Gen11..] 0:19:19 uint }
    "Predicate Enable" PREDICATE_ENABLE { 0:21:21 bool }
    "Use Global GTT" USE_GLOBAL_GTT { 0:22:22 bool }
    "Register Address" REGISTER_ADDRESS { 1:22:2 register }
    "Memory Address" MEMORY_ADDRESS { 2:63:2 address }
}

packet! {
    /// Stores the URB to memory.
    mi_store_urb_mem "MI_STORE_URB_MEM" 0x1680_0000 on ALL [Gen8..=Gen9]
    length { 4 in 7:0 }
    "URB Address" URB_ADDRESS { 1:14:2 uint }
    "Memory Address" MEMORY_ADDRESS { 2:63:6 address }
}

packet! {
    /// Suspends TLB flushes.
    mi_suspend_flush "MI_SUSPEND_FLUSH" 0x0580_0000 on ALL [Gen8..]
    length { 1 }
    "Suspend Flush" SUSPEND_FLUSH { 0:0:0 bool }
}

packet! {
    /// Restricts 3D topologies.
    mi_topology_filter "MI_TOPOLOGY_FILTER" 0x0680_0000 on ALL [Gen8..]
    length { 1 }
    "Topology Filter Value" TOPOLOGY_FILTER_VALUE { 0:5:0 values(values::N3dPrimTopoType) }
}

packet! {
    /// Allocates the URB atomic region.
    mi_urb_atomic_alloc "MI_URB_ATOMIC_ALLOC" 0x0480_0000 on ALL [Gen8..=Gen9]
    length { 1 }
    "URB Atomic Storage Size" URB_ATOMIC_STORAGE_SIZE { 0:8:0 uint }
    "URB Atomic Storage Offset" URB_ATOMIC_STORAGE_OFFSET { 0:19:12 uint }
}

packet! {
    /// Clears a range of the URB.
    mi_urb_clear "MI_URB_CLEAR" 0x0c80_0000 on ALL [Gen8]
    length { 2 in 7:0 }
    "URB Address" URB_ADDRESS { 1:14:0 offset }
    "URB Clear Length" URB_CLEAR_LENGTH { 1:29:16 uint }
}

packet! {
    /// Raises the user interrupt.
    mi_user_interrupt "MI_USER_INTERRUPT" 0x0100_0000 on ALL [Gen8..]
    length { 1 }
}

packet! {
    /// Waits for a display event.
    mi_wait_for_event "MI_WAIT_FOR_EVENT" 0x0180_0000 on ALL [Gen8..]
    length { 1 }
    "Display Pipe A Scan Line Wait Enable" DISPLAY_PIPE_A_SCAN_LINE_WAIT_ENABLE { [Gen8] 0:0:0 bool }
    "Display Plnae 1 A Scan Line Wait Enable" DISPLAY_PLNAE_1_A_SCAN_LINE_WAIT_ENABLE { [Gen9..] 0:0:0 bool }
    "Display Plane A Flip Pending Wait Enable" DISPLAY_PLANE_A_FLIP_PENDING_WAIT_ENABLE { [Gen8] 0:1:1 bool }
    "Display Plane 1 Flip Pending Wait Enable" DISPLAY_PLANE_1_FLIP_PENDING_WAIT_ENABLE { [Gen9..] 0:1:1 bool }
    "Display Sprite A Flip Pending Wait Enable" DISPLAY_SPRITE_A_FLIP_PENDING_WAIT_ENABLE { [Gen8] 0:2:2 bool }
    "Display Plane 4 Flip Pending Wait Enable" DISPLAY_PLANE_4_FLIP_PENDING_WAIT_ENABLE { [Gen9..] 0:2:2 bool }
    "Display Pipe A Vertical Blank Wait Enable" DISPLAY_PIPE_A_VERTICAL_BLANK_WAIT_ENABLE { [Gen8] 0:3:3 bool }
    "Display Plane 1 A Vertical Blank Wait Enable" DISPLAY_PLANE_1_A_VERTICAL_BLANK_WAIT_ENABLE { [Gen9..] 0:3:3 bool }
    "Display Plane 7 Flip Pending Wait Enable" DISPLAY_PLANE_7_FLIP_PENDING_WAIT_ENABLE { [Gen9..] 0:6:6 bool }
    "Display Plane 8 Flip Pending Wait Enable" DISPLAY_PLANE_8_FLIP_PENDING_WAIT_ENABLE { [Gen9..] 0:7:7 bool }
    "Display Pipe B Scan Line Wait Enable" DISPLAY_PIPE_B_SCAN_LINE_WAIT_ENABLE { [Gen8] 0:8:8 bool }
    "Display Plane 1 B Scan Line Wait Enable" DISPLAY_PLANE_1_B_SCAN_LINE_WAIT_ENABLE { [Gen9..] 0:8:8 bool }
    "Display Plane B Flip Pending Wait Enable" DISPLAY_PLANE_B_FLIP_PENDING_WAIT_ENABLE { [Gen8] 0:9:9 bool }
    "Display Plane 2 Flip Pending Wait Enable" DISPLAY_PLANE_2_FLIP_PENDING_WAIT_ENABLE { [Gen9..] 0:9:9 bool }
    "Display Sprite B Flip Pending Wait Enable" DISPLAY_SPRITE_B_FLIP_PENDING_WAIT_ENABLE { [Gen8] 0:10:10 bool }
    "Display Plane 5 Flip Pending Wait Enable" DISPLAY_PLANE_5_FLIP_PENDING_WAIT_ENABLE { [Gen9..] 0:10:10 bool }
    "Display Pipe B Vertical Blank Wait Enable" DISPLAY_PIPE_B_VERTICAL_BLANK_WAIT_ENABLE { [Gen8] 0:11:11 bool }
    "Display Plane 1 B Vertical Blank Wait Enable" DISPLAY_PLANE_1_B_VERTICAL_BLANK_WAIT_ENABLE { [Gen9..] 0:11:11 bool }
    "Display Pipe C Scan Line Wait Enable" DISPLAY_PIPE_C_SCAN_LINE_WAIT_ENABLE { [Gen8] 0:14:14 bool }
    "Display Plane 1 C Scan Line Wait Enable" DISPLAY_PLANE_1_C_SCAN_LINE_WAIT_ENABLE { [Gen9..] 0:14:14 bool }
    "Display Plane C Flip Pending Wait Enable" DISPLAY_PLANE_C_FLIP_PENDING_WAIT_ENABLE { [Gen8] 0:15:15 bool }
    "Display Plane 3 Flip Pending Wait Enable" DISPLAY_PLANE_3_FLIP_PENDING_WAIT_ENABLE { [Gen9..] 0:15:15 bool }
    "Display Plane 9 Flip Pending Wait Enable" DISPLAY_PLANE_9_FLIP_PENDING_WAIT_ENABLE { [Gen9..] 0:16:16 bool }
    "Display Plane 10 Flip Pending Wait Enable" DISPLAY_PLANE_10_FLIP_PENDING_WAIT_ENABLE { [Gen9..] 0:17:17 bool }
    "Display Plane 11 Flip Pending Wait Enable" DISPLAY_PLANE_11_FLIP_PENDING_WAIT_ENABLE { [Gen9..] 0:18:18 bool }
    "Display Plane 12 Flip Pending Wait Enable" DISPLAY_PLANE_12_FLIP_PENDING_WAIT_ENABLE { [Gen9..] 0:19:19 bool }
    "Display Sprite C Flip Pending Wait Enable" DISPLAY_SPRITE_C_FLIP_PENDING_WAIT_ENABLE { [Gen8] 0:20:20 bool }
    "Display Plane 6 Flip Pending Wait Enable" DISPLAY_PLANE_6_FLIP_PENDING_WAIT_ENABLE { [Gen9..] 0:20:20 bool }
    "Display Pipe C Vertical Blank Wait Enable" DISPLAY_PIPE_C_VERTICAL_BLANK_WAIT_ENABLE { [Gen8] 0:21:21 bool }
    "Display Plane 1 C Vertical Blank Wait Enable" DISPLAY_PLANE_1_C_VERTICAL_BLANK_WAIT_ENABLE { [Gen9..] 0:21:21 bool }
}

packet! {
    /// Waits for a display event.
    mi_wait_for_event_2 "MI_WAIT_FOR_EVENT_2" 0x0200_0000 on ALL [Gen11..]
    length { 1 }
    "Display Plane Flip Pending Wait Enable" DISPLAY_PLANE_FLIP_PENDING_WAIT_ENABLE { 0:5:0 uint }
    "Display Pipe Vertical Blank Wait Enable" DISPLAY_PIPE_VERTICAL_BLANK_WAIT_ENABLE { 0:10:8 uint }
    "Display Pipe Scan Line Wait Enable" DISPLAY_PIPE_SCAN_LINE_WAIT_ENABLE { 0:14:12 uint }
}
