//! Registers of an engine's own block, counted from its [`base`](super::base).
//!
//! Source: TGL PRM vol 2c; the offsets are those of the render engine minus its base.

registers! {
    NAMES:

    /// Its end.
    RING_TAIL = 0x30 "RING_BUFFER_TAIL";
    /// Where the ring continues.
    RING_HEAD = 0x34 "RING_BUFFER_HEAD";
    /// Its address in the global GTT.
    RING_START = 0x38 "RING_BUFFER_START";
    /// Its length.
    RING_CONTROL = 0x3c "RING_BUFFER_CTL";
    /// The upper dword of the current command's address (i915 `RING_ACTHD_UDW`).
    ACTIVE_HEAD_HIGH = 0x5c "ACTHD_UDW";
    /// The header of the last command that was parsed (i915 `RING_IPEHR`).
    LAST_COMMAND = 0x68 "IPEHR";
    = 0x6c "INSTDONE";
    /// The address of the current command (i915 `RING_ACTHD`).
    ACTIVE_HEAD = 0x74 "ACTHD";
    /// The engine's status page in the global GTT (i915 `RING_HWS_PGA`).
    STATUS_PAGE = 0x80 "HWS_PGA";
    /// Which events are not written to the status page (i915 `RING_HWSTAM`).
    STATUS_MASK = 0x98 "HWSTAM";
    /// RING_MI_MODE.
    MI_MODE = 0x9c "MI_MODE";
    /// Errors of the command streamer (i915 `RING_EIR`): bit 0 is an instruction that it does not know.
    ERRORS = 0xb0 "EIR";
    /// Asks for a reset and says whether the engine is ready for it (i915 `RING_RESET_CTL`).
    RESET_CONTROL = 0xd0 "RESET_CTL";
    /// EXECLIST_SUBMITPORT, to Gen9 (BDW PRM vol 2c; i915 `RING_ELSP`).
    SUBMIT_PORT = 0x230 "EXECLIST_SUBMITPORT";
    /// EXECLIST_STATUS.
    EXECLIST_STATUS = 0x234 "EXECLIST_STATUS", 2 dwords;
    /// Context control (i915 `RING_CONTEXT_CONTROL`).
    CONTEXT_CONTROL = 0x244 "CONTEXT_CONTROL";
    /// The low dword of the highest level of the page table: PDP0.
    PAGE_TABLE_LOW = 0x270 "PDP0_LDW";
    /// Its high dword.
    PAGE_TABLE_HIGH = 0x274 "PDP0_UDW";
    /// GPGPU_THREADS_DISPATCHED, 64 bits.
    THREADS_DISPATCHED = 0x290 "GPGPU_THREADS_DISPATCHED", 2 dwords;
    /// Whether the engine takes execution lists (i915 `RING_MODE_GEN7`).
    MODE = 0x29c "GFX_MODE";
    /// Global timestamp, 64 bits.
    TIMESTAMP = 0x358 "TIMESTAMP", 2 dwords;
    /// The read and write indices of the status buffer (i915 `RING_CONTEXT_STATUS_PTR`).
    STATUS_POINTERS = 0x3a0 "CONTEXT_STATUS_PTR";
    /// The context's timestamp, 32 bits.
    CONTEXT_TIMESTAMP = 0x3a8 "CTX_TIMESTAMP";
    /// MI_PREDICATE_RESULT_2.
    PREDICATE_RESULT_2 = 0x3bc "MI_PREDICATE_RESULT_2";
    /// MI_PREDICATE_SRC0, 64 bits.
    PREDICATE_SRC0 = 0x400 "MI_PREDICATE_SRC0", 2 dwords;
    /// MI_PREDICATE_SRC1, 64 bits.
    PREDICATE_SRC1 = 0x408 "MI_PREDICATE_SRC1", 2 dwords;
    /// MI_PREDICATE_DATA, 64 bits.
    PREDICATE_DATA = 0x410 "MI_PREDICATE_DATA", 2 dwords;
    /// MI_PREDICATE_RESULT.
    PREDICATE_RESULT = 0x418 "MI_PREDICATE_RESULT";
    /// MI_PREDICATE_RESULT_1.
    PREDICATE_RESULT_1 = 0x41c "MI_PREDICATE_RESULT_1";
    /// GPGPU_DISPATCHDIMX; Y and Z follow.
    DISPATCH_DIM = 0x500 "GPGPU_DISPATCHDIM" * 3;
    /// EXECLIST_SQ_CONTENTS, from Gen11 on: eight elements of two dwords (ICL PRM vol 2c; i915
    /// `RING_EXECLIST_SQ_CONTENTS`).
    SUBMIT_QUEUE = 0x510 "EXECLIST_SQ_CONTENTS" * 8, 2 dwords on [Gen11..];
    /// EXECLIST_CONTROL: bit 0 loads the queue.
    EXECLIST_CONTROL = 0x550 "EXECLIST_CONTROL" on [Gen11..];
    /// CS_GPR: sixteen registers of 64 bits.
    GPR = 0x600 "GPR" * 16, 2 dwords;
}
