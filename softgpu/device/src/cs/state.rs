//! What an engine keeps for a context from batch to batch.

use batchbuffer::Engine;
use devinfo::GpuAddress;

use super::registers::Registers;
use softgpu_eu::StateBases;

/// The context image: base addresses, front end, descriptors, registers.
#[derive(Clone, Debug)]
pub struct State {
    /// STATE_BASE_ADDRESS.
    pub(super) bases: StateBases,
    /// The base of binding tables, if a pool was given.
    pub(super) binding_table_pool: Option<GpuAddress>,
    /// MEDIA_VFE_STATE or CFE_STATE.
    pub(super) front_end: FrontEnd,
    /// The interface descriptors that MEDIA_INTERFACE_DESCRIPTOR_LOAD loaded, eight dwords each.
    pub(super) descriptors: Vec<[u32; 8]>,
    /// The address and length from MEDIA_CURBE_LOAD.
    pub(super) curbe: (GpuAddress, u32),
    /// STATE_COMPUTE_MODE, "Large GRF Mode".
    pub(super) large_grf: bool,
    /// Whether the interface descriptor gives the number of registers per thread.
    pub(super) variable_registers: bool,
    pub(super) registers: Registers,
    /// MI_PREDICATE's and MI_SET_PREDICATE's effect.
    pub(super) predicate: Predicate,
}

/// The front end's settings.
#[derive(Clone, Copy, Debug, Default)]
pub struct FrontEnd {
    /// Scratch: before XeHPG an offset from the general state base, later the value for r0.5, a
    /// surface state's place in bits 31:10.
    pub scratch_base: u64,
    /// Scratch bytes per thread; before XeHPG.
    pub scratch_per_thread: u32,
}

/// Predication.
#[derive(Clone, Copy, Debug, Default)]
pub struct Predicate {
    /// Whether MI_SET_PREDICATE turns commands into no-operations.
    pub skip: bool,
}

impl State {
    /// The image of a new context.
    pub fn new(engine: Engine) -> Self {
        Self {
            bases: StateBases::default(),
            binding_table_pool: None,
            front_end: FrontEnd::default(),
            descriptors: Vec::new(),
            curbe: (GpuAddress::default(), 0),
            large_grf: false,
            variable_registers: false,
            registers: Registers::new(engine),
            predicate: Predicate::default(),
        }
    }

    /// The bases, with the binding tables' resolved.
    pub(super) fn bases(&self) -> StateBases {
        StateBases {
            binding_table_pool: self.binding_table_pool.unwrap_or(self.bases.surface),
            ..self.bases
        }
    }
}
