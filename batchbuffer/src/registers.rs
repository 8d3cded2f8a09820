//! Addresses of registers (MMIO) that batches write and read, and by which work is submitted.

use crate::layout::Engine;

/// L3CNTLREG, up to Gen11: how the L3 is divided.
pub const L3_CONTROL: u32 = 0x7034;

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
