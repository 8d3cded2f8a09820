//! A separate front end: a ring in global memory and batches behind a page walk, without a kernel
//! driver.

use std::sync::Arc;

use devinfo::GpuAddress;
use softgpu_device::{Commands, Failure, Ring};
use softgpu_memory::{Backing, Page, PageTable, Region, Translate};

use crate::Render;

/// Physical memory, and the page tables of one root in it: four levels of 512 entries, as on Gen8
/// and later. Bit 0 of an entry is "present", bit 1 "writable".
#[derive(Debug, Clone)]
struct Walk {
    memory: Arc<Backing>,
    root: u64,
}

impl Walk {
    fn entry(&self, table: u64, address: u64, level: u32) -> (u64, u64) {
        let place = table + 8 * (address >> (12 + 9 * level) & 0x1ff);
        let mut bytes = [0; 8];
        self.memory.read(place, &mut bytes).expect("inside");
        (place, u64::from_le_bytes(bytes))
    }

    /// Maps a page; tables are taken from `free` on.
    fn map(&self, address: u64, physical: u64, free: &mut u64) {
        let mut table = self.root;
        for level in [3, 2, 1] {
            let (place, mut entry) = self.entry(table, address, level);
            if entry == 0 {
                entry = *free | 3;
                *free += 0x1000;
                self.memory
                    .write(place, &entry.to_le_bytes())
                    .expect("inside");
            }
            table = entry & !0xfff;
        }
        let (place, _) = self.entry(table, address, 0);
        let entry = (physical | 3).to_le_bytes();
        self.memory.write(place, &entry).expect("inside");
    }
}

impl Translate for Walk {
    fn translate(&self, address: GpuAddress) -> Page<'_> {
        let mut entry = self.root;
        for level in [3, 2, 1, 0] {
            (_, entry) = self.entry(entry & !0xfff, address.get(), level);
            if entry & 1 == 0 {
                return Page::Unbound;
            }
        }
        Page::Bound {
            backing: &self.memory,
            number: entry >> 12,
            writable: entry & 2 != 0,
        }
    }
}

impl PageTable for Walk {
    fn generation(&self) -> u64 {
        0
    }

    fn snapshot(&self) -> Arc<dyn Translate> {
        Arc::new(self.clone())
    }

    fn nearest(&self, _: GpuAddress) -> Option<Region> {
        None
    }
}

const RING: u64 = 0x10_0000;
const BATCH: u64 = 0x7fff_0000_0000;
const DATA: u64 = 0x4000;
/// The addresses of these in physical memory.
const RING_AT: u64 = 0x1000;
const BATCH_AT: u64 = 0x2000;
const STATUS_AT: u64 = 0x3000;
const DATA_AT: u64 = 0x5000;

const END: u32 = 0x0500_0000;

fn store(address: u64, value: u32, global: bool) -> [u32; 4] {
    let header = 0x1000_0002 | u32::from(global) << 22;
    [header, address as u32, (address >> 32) as u32, value]
}

fn call(address: u64) -> [u32; 3] {
    [0x1880_0101, address as u32, (address >> 32) as u32]
}

struct Rig {
    memory: Arc<Backing>,
    context: Arc<Walk>,
    global: Arc<Walk>,
    render: Render,
}

impl Rig {
    fn new() -> Self {
        let memory = Backing::anonymous(0x10_0000).expect("memory");
        let walk = |root| {
            let memory = Arc::clone(&memory);
            Arc::new(Walk { memory, root })
        };
        let (context, global) = (walk(0x2_0000), walk(0x4_0000));
        let mut free = 0x6_0000;
        global.map(RING, RING_AT, &mut free);
        global.map(RING + 0x1000, STATUS_AT, &mut free);
        context.map(BATCH, BATCH_AT, &mut free);
        context.map(DATA, DATA_AT, &mut free);
        Self {
            memory,
            context,
            global,
            render: Render::new(),
        }
    }

    fn put(&self, place: u64, dwords: &[u32]) {
        for (index, dword) in (0..).zip(dwords) {
            let at = place + 4 * index;
            self.memory.write(at, &dword.to_le_bytes()).expect("inside");
        }
    }

    fn dword(&self, place: u64) -> u32 {
        let mut bytes = [0; 4];
        self.memory.read(place, &mut bytes).expect("inside");
        u32::from_le_bytes(bytes)
    }

    /// Submits the ring's content between head and tail, and waits. Returns the failure.
    fn submit(&self, head: u64, tail: u64) -> Option<Failure> {
        let ring = Ring {
            start: GpuAddress::new(RING),
            bytes: 0x1000,
            head,
            tail,
        };
        let global = Some(self.global.clone() as _);
        self.render
            .run(self.context.clone(), global, Commands::Ring(ring))
            .pop()
    }
}

#[test]
fn a_ring_calls_batches_behind_a_page_walk_and_wraps() {
    let rig = Rig::new();
    rig.put(BATCH_AT, &store(DATA + 4, 7, false));
    rig.put(BATCH_AT + 16, &[END]);
    // The last command wraps around the ring's end.
    rig.put(RING_AT + 0xfdc, &store(RING + 0x1000, 5, true));
    rig.put(RING_AT + 0xfec, &call(BATCH));
    let [header, low, high, value] = store(RING + 0x1004, 6, true);
    rig.put(RING_AT + 0xff8, &[header, low]);
    rig.put(RING_AT, &[high, value]);
    assert_eq!(rig.submit(0xfdc, 8), None);
    assert_eq!(rig.dword(STATUS_AT), 5);
    assert_eq!(rig.dword(DATA_AT + 4), 7);
    assert_eq!(rig.dword(STATUS_AT + 4), 6);
    assert_eq!(rig.submit(8, 8), None, "nothing new");
}

#[test]
fn failures_are_reported_to_who_submits() {
    let rig = Rig::new();
    rig.put(RING_AT, &call(BATCH));
    rig.put(BATCH_AT, &store(DATA + 0x1000, 7, false));
    let failure = rig.submit(0, 12).expect("it is not mapped");
    assert_eq!(failure.page_fault(), Some(GpuAddress::new(DATA + 0x1000)));
    rig.put(BATCH_AT, &store(RING, 7, true));
    let failure = rig.submit(0, 12).expect("batches are not privileged");
    assert!(failure.to_string().contains("privileged"), "{failure}");
    let failure = rig.submit(0, 0x1000).expect("the tail is outside");
    assert!(
        failure.to_string().contains("ring of 0x1000 bytes"),
        "{failure}"
    );
}
