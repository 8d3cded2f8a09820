//! A small driver: one context with one ring.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use devinfo::Target;
use softgpu_bus::{Bank, BusError, Machine};
use softgpu_device::{Execution, Settings};

/// Where things lie in physical memory.
const IMAGE: u64 = 0x10_0000;
const RING: u64 = 0x20_0000;
const DATA: u64 = 0x30_0000;
const TABLES: u64 = 0x40_0000;
/// The context image in the global GTT, and the ring.
const IMAGE_AT: u32 = 0x6000;
const RING_AT: u32 = 0x2000;
/// The data in the context's own memory.
const DATA_AT: u64 = 0x8001_0000_0000;

/// A packet of an AUB file: sub-opcode, dwords, data.
pub fn packet(sub: u32, dwords: &[u32], data: &[u8]) -> Vec<u8> {
    let data: Vec<u8> = data.iter().copied().chain([0; 3]).collect();
    let (padded, _) = data.as_chunks::<4>();
    let length = (dwords.len() + padded.len()) as u32;
    let header = 0xe000_0000 | 0x2e << 23 | sub << 16 | length;
    let dwords = [header].into_iter().chain(dwords.iter().copied());
    let bytes = dwords.map(u32::to_le_bytes).chain(padded.iter().copied());
    bytes.flatten().collect()
}

/// A packet that writes memory (6) or compares it (4).
pub fn memory(sub: u32, space: u32, address: u64, data: &[u8]) -> Vec<u8> {
    let (low, high) = (address as u32, (address >> 32) as u32);
    packet(sub, &[low, high, space << 28, data.len() as u32], data)
}

/// The first packet.
pub fn version(device: u32) -> Vec<u8> {
    packet(0xe, &[0, device << 8, 0, 0], b"test\0")
}

pub fn machine(platform: &str, memory: u64) -> Result<Machine, BusError> {
    let settings = Settings {
        threads: 1,
        hang_timeout: Duration::from_secs(10),
        check: false,
        execution: Execution::default(),
    };
    let platform = Target::parse(platform).unwrap().platform;
    Machine::new(platform, settings, memory)
}

pub struct Client {
    pub machine: Machine,
    /// All that was written, as an AUB file.
    pub file: RefCell<Vec<u8>>,
    pub tail: u32,
    by_port: bool,
}

impl Client {
    pub fn new(platform: &str) -> Self {
        let machine = machine(platform, 1 << 26).unwrap();
        let client = Self {
            machine,
            file: RefCell::new(version(12)),
            tail: 0,
            by_port: ["bdw", "skl"].contains(&platform),
        };
        for page in 0..0x11 {
            client.map_global(IMAGE_AT / 0x1000 + page, IMAGE + u64::from(page) * 0x1000);
        }
        for page in 0..4 {
            client.map_global(RING_AT / 0x1000 + page, RING + u64::from(page) * 0x1000);
        }
        // One page of data behind four levels of tables.
        let mut table = TABLES;
        for level in [3, 2, 1, 0] {
            let next = match level {
                0 => DATA,
                _ => table + 0x1000,
            };
            let place = table + 8 * (DATA_AT >> (12 + 9 * level) & 0x1ff);
            client.write(place, &(next | 3).to_le_bytes());
            table = next;
        }
        let image = |place: u64, value: u32| client.write(IMAGE + place, &value.to_le_bytes());
        image(0x1024, RING_AT);
        image(0x102c, 0x3001);
        image(0x10c4, 0);
        image(0x10cc, TABLES as u32);
        client
    }

    fn map_global(&self, index: u32, physical: u64) {
        let entry = physical | 1;
        self.machine.set_global_entry(index, entry).unwrap();
        self.record(&memory(6, 4, u64::from(index) * 8, &entry.to_le_bytes()));
    }

    fn write(&self, address: u64, bytes: &[u8]) {
        self.machine.write(Bank::System, address, bytes).unwrap();
        self.record(&memory(6, 2, address, bytes));
    }

    fn record(&self, packet: &[u8]) {
        self.file.borrow_mut().extend(packet);
    }

    fn read(&self, address: u64) -> u32 {
        let mut bytes = [0; 4];
        self.machine
            .read(Bank::System, address, &mut bytes)
            .unwrap();
        u32::from_le_bytes(bytes)
    }

    /// MI_STORE_DATA_IMM to the context's data.
    pub fn store(&self, offset: u64, value: u32) -> [u32; 4] {
        let address = DATA_AT + offset;
        [0x1000_0002, address as u32, (address >> 32) as u32, value]
    }

    pub fn submit(&mut self, commands: &[u32]) {
        self.try_submit(commands).unwrap();
    }

    pub fn write_head(&self, head: u32) {
        self.write(IMAGE + 0x1014, &head.to_le_bytes());
    }

    pub fn write_dword(&self, offset: u64, value: u32) {
        self.write(DATA + offset, &value.to_le_bytes());
    }

    pub fn try_submit(&mut self, commands: &[u32]) -> Result<(), BusError> {
        for dword in commands {
            self.write(RING + u64::from(self.tail), &dword.to_le_bytes());
            self.tail += 4;
        }
        self.write(IMAGE + 0x101c, &self.tail.to_le_bytes());
        let descriptor = IMAGE_AT | 0x119;
        let writes = match self.by_port {
            true => [(0x2230, 0), (0x2230, 0), (0x2230, 0), (0x2230, descriptor)],
            false => [(0x2510, descriptor), (0x2514, 0), (0x2550, 1), (0x2550, 0)],
        };
        for (offset, value) in writes {
            self.machine.write_register(offset, value)?;
            self.record(&packet(3, &[offset, 0x2_0000, u32::MAX, 0, value], &[]));
        }
        Ok(())
    }

    pub fn idle(&self) {
        assert!(self.machine.idle(Instant::now() + Duration::from_secs(60)));
    }

    pub fn dword(&self, offset: u64) -> u32 {
        self.read(DATA + offset)
    }

    pub fn saved_head(&self) -> u32 {
        self.read(IMAGE + 0x1014)
    }
}
