//! Addresses of registers (MMIO) that batches write and read, and by which work is submitted.

use crate::layout::Engine;

/// L3CNTLREG, up to Gen11: how the L3 is divided.
pub const L3_CONTROL: u32 = 0x7034;

/// Resets engines: each bit is a domain, and is clear when its reset is done (i915 `GEN6_GDRST`).
pub const RESET: u32 = 0x941c;

/// Makes writes to the global GTT visible to the GPU (i915 `GFX_FLSH_CNTL_GEN6`).
pub const GLOBAL_GTT_FLUSH: u32 = 0x10_1008;

/// The end of registers in the first BAR: its second half is the global GTT.
pub const END: u32 = 0x80_0000;

/// The entries of the global GTT: 4 GiB of pages.
pub const GLOBAL_GTT_ENTRIES: u32 = 1 << 20;

/// The bytes of an engine's own block of registers.
pub const BLOCK: u32 = 0x800;

/// Where the block of the first engine of a class begins; compute has one from Gen12LP on.
///
/// Source: TGL PRM vol 2c.
pub const fn base(engine: Engine) -> u32 {
    match engine {
        Engine::Render => 0x2000,
        Engine::Compute => 0x1_a000,
        Engine::Blitter => 0x2_2000,
        Engine::Video => 0x1c_0000,
        Engine::VideoEnhance => 0x1c_8000,
    }
}

/// Registers of an engine's own block, counted from its [`base`].
///
/// Source: TGL PRM vol 2c; the offsets are those of the render engine minus its base.
pub mod own {
    /// Where the ring continues.
    pub const RING_HEAD: u32 = 0x34;
    /// Its end.
    pub const RING_TAIL: u32 = 0x30;
    /// Its address in the global GTT.
    pub const RING_START: u32 = 0x38;
    /// Its length.
    pub const RING_CONTROL: u32 = 0x3c;
    /// The address of the current command, in two dwords that are not neighbours (i915 `RING_ACTHD`).
    pub const ACTIVE_HEAD: [u32; 2] = [0x74, 0x5c];
    /// The header of the last command that was parsed (i915 `RING_IPEHR`).
    pub const LAST_COMMAND: u32 = 0x68;
    /// The engine's status page in the global GTT (i915 `RING_HWS_PGA`).
    pub const STATUS_PAGE: u32 = 0x80;
    /// Which events are not written to the status page (i915 `RING_HWSTAM`).
    pub const STATUS_MASK: u32 = 0x98;
    /// RING_MI_MODE.
    pub const MI_MODE: u32 = 0x9c;
    /// Errors of the command streamer (i915 `RING_EIR`): bit 0 is an instruction that it does not know.
    pub const ERRORS: u32 = 0xb0;
    /// Asks for a reset and says whether the engine is ready for it (i915 `RING_RESET_CTL`).
    pub const RESET_CONTROL: u32 = 0xd0;
    /// Whether the engine takes execution lists (i915 `RING_MODE_GEN7`).
    pub const MODE: u32 = 0x29c;
    /// Context control (i915 `RING_CONTEXT_CONTROL`).
    pub const CONTEXT_CONTROL: u32 = 0x244;
    /// The highest level of the page table: PDP0.
    pub const PAGE_TABLE_HIGH: u32 = 0x274;
    /// Its low dword.
    pub const PAGE_TABLE_LOW: u32 = 0x270;
    /// GPGPU_THREADS_DISPATCHED, 64 bits.
    pub const THREADS_DISPATCHED: u32 = 0x290;
    /// The read and write indices of the status buffer (i915 `RING_CONTEXT_STATUS_PTR`).
    pub const STATUS_POINTERS: u32 = 0x3a0;
    /// Global timestamp, 64 bits.
    pub const TIMESTAMP: u32 = 0x358;
    /// The context's timestamp, 32 bits.
    pub const CONTEXT_TIMESTAMP: u32 = 0x3a8;
    /// MI_PREDICATE_RESULT_2.
    pub const PREDICATE_RESULT_2: u32 = 0x3bc;
    /// MI_PREDICATE_SRC0, 64 bits.
    pub const PREDICATE_SRC0: u32 = 0x400;
    /// MI_PREDICATE_SRC1, 64 bits.
    pub const PREDICATE_SRC1: u32 = 0x408;
    /// MI_PREDICATE_DATA, 64 bits.
    pub const PREDICATE_DATA: u32 = 0x410;
    /// MI_PREDICATE_RESULT.
    pub const PREDICATE_RESULT: u32 = 0x418;
    /// MI_PREDICATE_RESULT_1.
    pub const PREDICATE_RESULT_1: u32 = 0x41c;
    /// GPGPU_DISPATCHDIMX; Y and Z follow.
    pub const DISPATCH_DIM: [u32; 3] = [0x500, 0x504, 0x508];
    /// EXECLIST_SUBMITPORT, to Gen9 (BDW PRM vol 2c; i915 `RING_ELSP`).
    pub const SUBMIT_PORT: u32 = 0x230;
    /// EXECLIST_STATUS.
    pub const EXECLIST_STATUS: u32 = 0x234;
    /// EXECLIST_SQ_CONTENTS, from Gen11 on: eight elements of two dwords (ICL PRM vol 2c; i915
    /// `RING_EXECLIST_SQ_CONTENTS`).
    pub const SUBMIT_QUEUE: u32 = 0x510;
    /// EXECLIST_CONTROL: bit 0 loads the queue.
    pub const EXECLIST_CONTROL: u32 = 0x550;
    /// CS_GPR: sixteen registers of 64 bits.
    pub const GPR: u32 = 0x600;
}
