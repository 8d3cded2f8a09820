//! Command streamer registers.

use std::collections::BTreeMap;

use batchbuffer::Engine;

use crate::device::Device;

/// A register of the engine's own block, as an offset from the engine's MMIO base.
///
/// Source: TGL PRM vol 2c; the offsets are those of the render engine less 0x2000.
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
    /// CS_GPR: sixteen registers of 64 bits.
    pub const GPR: u32 = 0x600;
}

/// The MMIO base of the first engine of a class, from Gen12LP on for compute.
fn base(engine: Engine) -> u32 {
    match engine {
        Engine::Render => 0x2000,
        Engine::Compute => 0x1_a000,
        Engine::Blitter => 0x2_2000,
        Engine::Video => 0x1c_0000,
        Engine::VideoEnhance => 0x1c_8000,
    }
}

/// The size of an engine's register block.
const BLOCK: u32 = 0x800;

/// How many registers outside of the streamer's own use keep what is written to them.
const STORED_LIMIT: usize = 2048;

/// A context's registers on one engine.
#[derive(Clone, Debug)]
pub struct Registers {
    base: u32,
    /// By offset; own registers are kept under the engine's absolute offset too.
    values: BTreeMap<u32, u32>,
}

impl Registers {
    /// The registers of a new context.
    pub fn new(engine: Engine) -> Self {
        Self {
            base: base(engine),
            values: BTreeMap::new(),
        }
    }

    /// The absolute offset that a command names. With `relative` ("Add CS MMIO Start Offset")
    /// the command gives an offset from the engine's base; with `remap` ("MMIO Remap Enable") a
    /// register of the render engine's block is this engine's register of the same name.
    pub fn resolve(&self, offset: u32, relative: bool, remap: bool) -> u32 {
        let render = base(Engine::Render);
        if relative {
            self.base.wrapping_add(offset)
        } else if remap && (render..render + BLOCK).contains(&offset) {
            self.base + (offset - render)
        } else {
            offset
        }
    }

    /// Reads the register at an absolute offset.
    pub fn read(&self, offset: u32, device: &Device) -> u32 {
        match offset.wrapping_sub(self.base) {
            own::TIMESTAMP => device.timestamp() as u32,
            high if high == own::TIMESTAMP + 4 => (device.timestamp() >> 32) as u32,
            own::CONTEXT_TIMESTAMP => device.timestamp() as u32,
            _ => self.values.get(&offset).copied().unwrap_or(0),
        }
    }

    /// Writes the register at an absolute offset. Registers beyond the stored ones take no value.
    pub fn write(&mut self, offset: u32, value: u32) {
        let kept = offset.wrapping_sub(self.base) < BLOCK
            || self.values.len() < STORED_LIMIT
            || self.values.contains_key(&offset);
        if kept {
            self.values.insert(offset, value);
        } else {
            tracing::debug!("softgpu: write to register {offset:#x} is not kept");
        }
    }

    /// Reads one of the engine's own registers.
    pub fn own(&self, register: u32) -> u32 {
        let offset = self.base.wrapping_add(register);
        self.values.get(&offset).copied().unwrap_or(0)
    }

    /// Writes one of the engine's own registers.
    pub fn set_own(&mut self, register: u32, value: u32) {
        self.values.insert(self.base.wrapping_add(register), value);
    }

    /// Reads one of the engine's own 64-bit registers.
    pub fn own64(&self, register: u32) -> u64 {
        u64::from(self.own(register)) | u64::from(self.own(register + 4)) << 32
    }

    /// Writes one of the engine's own 64-bit registers.
    pub fn set_own64(&mut self, register: u32, value: u64) {
        self.set_own(register, value as u32);
        self.set_own(register + 4, (value >> 32) as u32);
    }

    /// General purpose register `index` (0 to 15; others wrap).
    pub fn gpr(&self, index: u32) -> u64 {
        self.own64(own::GPR + 8 * (index & 15))
    }

    /// Writes general purpose register `index`.
    pub fn set_gpr(&mut self, index: u32, value: u64) {
        self.set_own64(own::GPR + 8 * (index & 15), value);
    }
}
