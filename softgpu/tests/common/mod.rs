//! A client of the node, like a user-mode driver: batches in mapped buffers.

#![allow(dead_code, reason = "each test file uses a part")]

pub mod batch;
pub mod raw;
pub mod xe;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use devinfo::{Driver, Family, GpuAddress, Target};
use kmd_iface::{
    AddressSpaceId, BufferDesc, BufferHandle, EngineClass, Fence, Kmd, KmdResult, Mapping,
    Priority, QueueDesc, QueueId, Submission,
};
use softgpu::{Options, SoftNode};

/// A copy of a structure with other fields.
#[allow(unused_macros, reason = "each test file uses a part")]
macro_rules! with {
    ($base:expr, $($field:ident: $value:expr),*) => {{
        let mut changed = $base;
        $(changed.$field = $value;)*
        changed
    }};
}
#[allow(unused_imports, reason = "each test file uses a part")]
pub(crate) use with;

/// A queue with a batch buffer and a data buffer.
pub struct Client {
    pub node: Arc<SoftNode>,
    pub kmd: Arc<dyn Kmd>,
    pub space: AddressSpaceId,
    pub queue: QueueId,
    pub batch: Shared,
    pub data: Shared,
    pub family: Family,
}

/// A bound and mapped buffer.
pub struct Shared {
    pub buffer: BufferHandle,
    pub address: GpuAddress,
    pub map: Mapping,
}

pub const BATCH: GpuAddress = GpuAddress::new(0x10_0000);
pub const DATA: GpuAddress = GpuAddress::new(0x8001_4000_0000);
pub const BYTES: u64 = 0x1_0000;

impl Shared {
    fn new(kmd: &dyn Kmd, space: AddressSpaceId, address: GpuAddress, bytes: u64) -> Self {
        let buffer = kmd.create_buffer(&BufferDesc::system(bytes)).unwrap();
        kmd.bind(space, address, buffer, 0, kmd.buffer_size(buffer).unwrap())
            .unwrap();
        let map = kmd.map(buffer).unwrap();
        Self {
            buffer,
            address,
            map,
        }
    }

    pub fn dword(&self, index: usize) -> u32 {
        assert!(index * 4 < self.map.len());
        // SAFETY: in the mapping, aligned, and accessed atomically by both sides.
        let word = unsafe { AtomicU32::from_ptr(self.map.as_mut_ptr().cast::<u32>().add(index)) };
        word.load(Ordering::Acquire)
    }

    pub fn qword(&self, index: usize) -> u64 {
        assert!(index * 8 < self.map.len());
        // SAFETY: as above.
        let word = unsafe { AtomicU64::from_ptr(self.map.as_mut_ptr().cast::<u64>().add(index)) };
        word.load(Ordering::Acquire)
    }

    pub fn set_dword(&self, index: usize, value: u32) {
        assert!(index * 4 < self.map.len());
        // SAFETY: as above.
        let word = unsafe { AtomicU32::from_ptr(self.map.as_mut_ptr().cast::<u32>().add(index)) };
        word.store(value, Ordering::Release);
    }
}

impl Client {
    pub fn new(options: Options) -> Self {
        Self::on("tgl", options)
    }

    pub fn on(platform: &str, options: Options) -> Self {
        let target = Target::parse(platform).unwrap();
        let node = SoftNode::open(target, options).unwrap();
        let kmd = kmd_iface::open(Arc::clone(&node) as Arc<dyn kmd_iface::Node>).unwrap();
        let space = kmd.create_address_space().unwrap();
        let batch = Shared::new(&*kmd, space, BATCH, BYTES);
        let data = Shared::new(&*kmd, space, DATA, BYTES);
        let queue = Self::make_queue(&*kmd, space);
        Self {
            node,
            family: target.platform.family,
            space,
            queue,
            batch,
            data,
            kmd,
        }
    }

    fn make_queue(kmd: &dyn Kmd, address_space: AddressSpaceId) -> QueueId {
        kmd.create_queue(&QueueDesc {
            engine: kmd
                .description()
                .engines
                .iter()
                .map(|e| e.class)
                .find(|class| matches!(class, EngineClass::Render | EngineClass::Compute))
                .unwrap(),
            priority: Priority::Normal,
            address_space,
        })
        .unwrap()
    }

    /// A queue on another engine, in the same address space.
    pub fn queue_on(&self, engine: EngineClass) -> QueueId {
        self.kmd
            .create_queue(&QueueDesc {
                engine,
                priority: Priority::Normal,
                address_space: self.space,
            })
            .unwrap()
    }

    /// Another queue in the same address space.
    pub fn another_queue(&self) -> QueueId {
        Self::make_queue(&*self.kmd, self.space)
    }

    pub fn shared(&self, address: GpuAddress, bytes: u64) -> Shared {
        Shared::new(&*self.kmd, self.space, address, bytes)
    }

    /// Writes `dwords` into the batch buffer at `offset` bytes.
    pub fn write_batch(&self, offset: usize, dwords: &[u32]) {
        for (index, dword) in dwords.iter().enumerate() {
            self.batch.set_dword(offset / 4 + index, *dword);
        }
    }

    pub fn submit(&self, dwords: &[u32]) -> KmdResult<Fence> {
        self.write_batch(0, dwords);
        self.submit_at(self.queue, 0, &[])
    }

    pub fn submit_at(&self, queue: QueueId, offset: u64, wait: &[Fence]) -> KmdResult<Fence> {
        self.kmd.submit(
            queue,
            &Submission {
                batch: BATCH.offset(offset),
                length: BYTES - offset,
                wait,
            },
        )
    }

    pub fn wait(&self, fence: Fence) -> KmdResult<()> {
        self.kmd
            .wait(fence, Instant::now() + Duration::from_secs(30))
    }

    /// Runs a batch to its end.
    pub fn run(&self, dwords: &[u32]) -> KmdResult<()> {
        let fence = self.submit(dwords)?;
        self.wait(fence)
    }
}

/// A short hang timeout, for tests that hang on purpose.
pub fn impatient() -> Options {
    Options {
        hang_timeout: Duration::from_millis(300),
        ..Options::default()
    }
}

/// A platform of each family, with options for the kernel driver that drives it.
pub fn families() -> Vec<(&'static str, Options)> {
    let mut seen = Vec::new();
    let mut chosen = Vec::new();
    for platform in devinfo::PLATFORMS {
        if seen.contains(&platform.family) {
            continue;
        }
        seen.push(platform.family);
        let driver = match platform.has_driver(Driver::I915) {
            true => Driver::I915,
            false => Driver::Xe,
        };
        let options = Options {
            driver,
            ..impatient()
        };
        chosen.push((platform.name, options));
    }
    chosen
}

/// MI_STORE_DATA_IMM of a dword.
pub fn store(address: GpuAddress, value: u32) -> [u32; 4] {
    let address = address.get();
    [0x1000_0002, address as u32, (address >> 32) as u32, value]
}
