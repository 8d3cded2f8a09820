//! Command streamer registers.

use std::collections::BTreeMap;

use batchbuffer::Engine;
use batchbuffer::registers::{BLOCK, base, own};

use super::family::traits;
use crate::device::Device;

/// How many registers that the streamer itself does not use are stored.
const STORED_LIMIT: usize = 2048;

/// The registers of `Traits::aux_invalidation`, for render, video, enhancement, blitter and compute.
/// They clear themselves when the engine is done, and clients wait for that.
const AUX_INVALIDATIONS: [u32; 7] = [0x4208, 0x4218, 0x4228, 0x4238, 0x4248, 0x4298, 0x42c8];

/// A register of render state.
const GT_MODE: u32 = 0x7008;

/// A context's registers on one engine.
#[derive(Clone, Debug)]
pub struct Registers {
    base: u32,
    /// By offset; the engine's own registers are also stored under absolute offsets.
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
            _ if AUX_INVALIDATIONS.contains(&offset)
                && traits(device.platform.family).aux_invalidation =>
            {
                0
            }
            _ => self.values.get(&offset).copied().unwrap_or(0),
        }
    }

    /// Writes the register at an absolute offset. Once the store is full, writes to further
    /// registers are dropped.
    pub fn write(&mut self, offset: u32, value: u32) {
        let kept = offset.wrapping_sub(self.base) < BLOCK
            || self.values.len() < STORED_LIMIT
            || self.values.contains_key(&offset);
        if kept {
            // The upper half of this one says which bits of the lower half are written.
            let value = match offset {
                GT_MODE => {
                    let old = self.values.get(&offset).copied().unwrap_or(0);
                    old & !(value >> 16) | value & value >> 16
                }
                _ => value,
            };
            self.values.insert(offset, value);
        } else {
            tracing::debug!("softgpu: write to register {offset:#x} is not kept");
        }
    }

    /// How far the pointers to binding tables are shifted left: with GT_MODE's "Binding Table
    /// Alignment" their bits 15:5 are bits 18:8 of the address.
    pub fn binding_table_shift(&self, device: &Device) -> u32 {
        let aligned = traits(device.platform.family).binding_table_alignment
            && self
                .values
                .get(&GT_MODE)
                .is_some_and(|mode| mode & 1 << 10 != 0);
        if aligned { 3 } else { 0 }
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use devinfo::Target;
    use softgpu_eu::Execution;

    use super::*;
    use crate::Settings;

    #[test]
    fn registers_of_some_families_are_storage_on_the_others() {
        for (name, invalidates, shift) in [
            ("skl", false, 0),
            ("icl", false, 3),
            ("tgl", true, 3),
            ("dg2", true, 0),
            ("lnl", true, 0),
        ] {
            let target = Target::parse(name).expect("known");
            let settings = Settings {
                threads: 1,
                hang_timeout: Duration::from_secs(1),
                check: false,
                execution: Execution::default(),
            };
            let device = Device::new(target.platform, settings);
            let mut registers = Registers::new(Engine::Render);
            for register in AUX_INVALIDATIONS {
                registers.write(register, 1);
                let kept = u32::from(!invalidates);
                assert_eq!(registers.read(register, &device), kept, "{name}");
            }
            assert_eq!(registers.binding_table_shift(&device), 0, "{name}");
            registers.write(GT_MODE, 1 << 26 | 1 << 10);
            assert_eq!(registers.binding_table_shift(&device), shift, "{name}");
        }
    }
}
