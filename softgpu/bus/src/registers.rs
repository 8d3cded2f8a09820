//! Registers that hold what was written to them, and those that say how work failed.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use batchbuffer::Engine;
use batchbuffer::execlists::Execlists;
use batchbuffer::registers::{base, own};
use softgpu_device::Failure;

/// The value of each register that was written.
#[derive(Debug, Default)]
pub(crate) struct Registers(Mutex<BTreeMap<u32, u32>>);

impl Registers {
    pub fn read(&self, offset: u32) -> u32 {
        self.values().get(&offset).copied().unwrap_or(0)
    }

    pub fn write(&self, offset: u32, value: u32) {
        self.values().insert(offset, value);
    }

    /// Writes the lower half, where the upper half has ones.
    pub fn write_masked(&self, offset: u32, value: u32) {
        let mut values = self.values();
        let old = values.get(&offset).copied().unwrap_or(0);
        values.insert(offset, old & !(value >> 16) | value & value >> 16);
    }

    /// Clears the bits that are written.
    pub fn clear(&self, offset: u32, bits: u32) {
        let mut values = self.values();
        let old = values.get(&offset).copied().unwrap_or(0);
        values.insert(offset, old & !bits);
    }

    /// Says how work of an engine failed. An engine that hangs says nothing.
    pub fn tell(&self, engine: Engine, row: &Execlists, failure: &Failure) {
        match failure.page_fault() {
            Some(address) => {
                let address = address.get();
                self.write(row.faults.address_low, (address >> 12) as u32);
                self.write(row.faults.address_high, (address >> 44) as u32 & 0xf);
                self.write(row.faults.fault, number(engine) << 12 | 1);
            }
            None if failure.is_hang() => {}
            None => self.write(base(engine) + own::ERRORS, 1),
        }
    }

    fn values(&self) -> MutexGuard<'_, BTreeMap<u32, u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The number of an engine in the fault register (i915 `RCS0_HW` and the like).
const fn number(engine: Engine) -> u32 {
    match engine {
        Engine::Render => 0,
        Engine::Video => 1,
        Engine::Blitter => 2,
        Engine::VideoEnhance => 3,
        Engine::Compute => 4,
    }
}
