//! Batches of commands, dword by dword.

use devinfo::Family;

use super::{BATCH, DATA, store};

/// A batch under construction, with the engine's register base.
pub struct Batch {
    pub dwords: Vec<u32>,
    /// The first register of the engine.
    pub base: u32,
}

impl Batch {
    pub fn new(family: Family) -> Self {
        // XeHPC has no render engine.
        let base = match family {
            Family::XeHpc => 0x1_a000,
            _ => 0x2000,
        };
        Self {
            dwords: Vec::new(),
            base,
        }
    }

    /// Appends a command.
    pub fn push(&mut self, dwords: &[u32]) {
        self.dwords.extend_from_slice(dwords);
    }

    /// MI_LOAD_REGISTER_IMM of an own register.
    pub fn load(&mut self, register: u32, value: u32) {
        self.push(&[0x1100_0001, self.base + register, value]);
    }

    pub fn load_gpr(&mut self, index: u32, value: u64) {
        self.load(0x600 + 8 * index, value as u32);
        self.load(0x604 + 8 * index, (value >> 32) as u32);
    }

    /// MI_STORE_REGISTER_MEM of an own register.
    pub fn save(&mut self, register: u32, offset: u64) {
        let [low, high] = address(offset);
        self.push(&[0x1200_0002, self.base + register, low, high]);
    }

    pub fn save_gpr(&mut self, index: u32, offset: u64) {
        self.save(0x600 + 8 * index, offset);
        self.save(0x604 + 8 * index, offset + 4);
    }

    /// MI_STORE_DATA_IMM of a dword of the data.
    pub fn store(&mut self, offset: u64, value: u32) {
        self.dwords.extend(store(DATA.offset(offset), value));
    }

    /// MI_SEMAPHORE_WAIT, polling, until the dword at `offset` of the data compares with `value` as
    /// the code says: 4 equal, 5 not equal. Not Xe2's form.
    pub fn wait(&mut self, code: u32, value: u32, offset: u64) {
        let [low, high] = address(offset);
        self.push(&[0x0e00_0002 | 1 << 15 | code << 12, value, low, high]);
    }

    /// The batch with its end.
    pub fn end(mut self) -> Vec<u32> {
        self.push(&[0x0500_0000, 0]);
        self.dwords
    }
}

/// A place in the data, as two dwords.
pub fn address(offset: u64) -> [u32; 2] {
    let address = DATA.offset(offset).get();
    [address as u32, (address >> 32) as u32]
}

/// MI_BATCH_BUFFER_START to a place in the batch buffer.
pub fn start(flags: u32, offset: u64) -> [u32; 3] {
    let target = BATCH.offset(offset).get();
    [0x1880_0101 | flags, target as u32, (target >> 32) as u32]
}
