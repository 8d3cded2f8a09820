//! What EU messages refer to.

state! {
    /// The extended message descriptor of a send.
    execution_unit_extended_message_descriptor "EXECUTION_UNIT_EXTENDED_MESSAGE_DESCRIPTOR" [Gen9..]
    length { 1 }
    "Target Function ID" TARGET_FUNCTION_ID { 0:3:0 uint }
    "End Of Thread" END_OF_THREAD { 0:5:5 values(EndOfThread) }
    "Extended Message Length" EXTENDED_MESSAGE_LENGTH { 0:9:6 uint }
    values EndOfThread { NO_TERMINATION "No Termination" = 0, EOT = 1 }
}

state! {
    /// Cacheability of an access.
    memory_object_control_state "MEMORY_OBJECT_CONTROL_STATE" [Gen8]
    length { 1 }
    "Age for QUADLRU" AGE_FOR_QUADLRU { 0:1:0 uint }
    "Target Cache" TARGET_CACHE { 0:4:3 values(TargetCache) }
    "Memory Type:LLC/eLLC Cacheability Control" MEMORY_TYPE_LLC_ELLC_CACHEABILITY_CONTROL { 0:6:5 values(MemoryTypeLlcELLCCacheabilityControl) }
    values TargetCache {

        ELLC_ONLY_WHEN_EDRAM_IS_PRESENT_ELSE_GETS_ALLOCATED_IN_LLC "eLLC Only (when eDRAM is present, else gets allocated in LLC)" = 0,
        LLC_ONLY "LLC Only" = 1, LLC_ELLC_ALLOWED "LLC/eLLC Allowed" = 2,
        L3_DEFER_TO_PAT_FOR_LLC_ELLC_SELECTION "L3 + Defer to PAT for LLC/eLLC selection" = 3,
    }
    values MemoryTypeLlcELLCCacheabilityControl {
        UC_WITH_FENCE_IF_COHERENT_CYCLE " UC with Fence (if coherent cycle)" = 0,
        UC_UNCACHEABLE "UC (Uncacheable)" = 1, WT = 2, WB = 3,
    }
}
