//! A software GPU that gives up soon, for hostile inputs.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::AnyDriven;
use devinfo::GpuAddress;
use kmd_iface::{
    AddressSpaceId, BufferDesc, EngineClass, Kmd, KmdResult, Mapping, Node, Priority, QueueDesc,
    Submission,
};
use softgpu::{Options, SoftNode};
use umd::{Device, DeviceSpec, OpenOptions};

/// When the device's own hang check ends a kernel.
pub const HANG: Duration = Duration::from_millis(50);

/// How long work that the hang check ends may take: generous, for a busy machine.
pub const DEADLINE: Duration = Duration::from_secs(20);

/// Options of a small node with a short timeout.
pub fn options() -> Options {
    Options {
        memory_limit: 64 << 20,
        hang_timeout: HANG,
        threads: 1,
        ..Options::default()
    }
}

thread_local! {
    static DEVICE: RefCell<Option<Device>> = const { RefCell::new(None) };
}

/// The driver's device on such a node, one for each thread: opening one takes longer than a
/// hostile kernel.
///
/// # Panics
/// If it cannot be opened.
pub fn device() -> Device {
    DEVICE.with_borrow_mut(|device| {
        device
            .get_or_insert_with(|| {
                let options = OpenOptions {
                    threads: Some(1),
                    hang_timeout: Some(HANG),
                    ..OpenOptions::default()
                };
                Device::open_with(&DeviceSpec::soft("tgl"), &options)
                    .unwrap_or_else(|error| panic!("soft:tgl: {error}"))
            })
            .clone()
    })
}

/// Where a [`Submitter`] binds its batches.
pub const BATCH: GpuAddress = GpuAddress::new(0x10_0000);
/// Where a [`Submitter`] binds memory that batches may name.
pub const DATA: GpuAddress = GpuAddress::new(0x1000_0000);
/// The size of both.
pub const SIZE: u64 = 0x1_0000;

/// An address space with a batch buffer and a data buffer.
#[derive(Debug)]
pub struct Submitter {
    kmd: Arc<dyn Kmd>,
    space: AddressSpaceId,
    engine: EngineClass,
    batch: Mapping,
    data: Mapping,
}

impl Submitter {
    /// Calls `work` with the submitter of a platform and driver, one for each thread.
    ///
    /// # Panics
    /// If the software GPU does not open.
    pub fn with(on: AnyDriven, work: impl FnOnce(&Submitter)) {
        thread_local! {
            static OPEN: RefCell<HashMap<String, Submitter>> = RefCell::default();
        }
        let name = format!("soft:{}@{}", on.platform, on.driver);
        OPEN.with_borrow_mut(|open| {
            let make = || Self::new(on).unwrap_or_else(|error| panic!("{name}: {error}"));
            work(open.entry(name.clone()).or_insert_with(make));
        });
    }

    fn new(on: AnyDriven) -> KmdResult<Self> {
        let options = Options {
            driver: on.driver,
            ..options()
        };
        let node =
            SoftNode::open(devinfo::Target::of(on.platform), options).expect("a software node");
        let kmd = kmd_iface::open(node as Arc<dyn Node>)?;
        let space = kmd.create_address_space()?;
        let bound = |address| {
            let buffer = kmd.create_buffer(&BufferDesc::system(SIZE))?;
            kmd.bind(space, address, buffer, 0, SIZE)?;
            kmd.map(buffer)
        };
        let (batch, data) = (bound(BATCH)?, bound(DATA)?);
        let classes = [EngineClass::Render, EngineClass::Compute];
        let here = |class: &EngineClass| kmd.description().engine(*class).is_some();
        let engine = classes.into_iter().find(here).expect("an engine");
        Ok(Self {
            engine,
            kmd,
            space,
            batch,
            data,
        })
    }

    /// Runs a batch on a new queue, with the data buffer all zero.
    ///
    /// # Errors
    /// What the kernel driver says about it.
    pub fn run(&self, dwords: &[u32]) -> KmdResult<()> {
        fill(&self.data, &[]);
        fill(&self.batch, dwords);
        let queue = self.kmd.create_queue(&QueueDesc {
            engine: self.engine,
            priority: Priority::Normal,
            address_space: self.space,
        })?;
        let submission = Submission {
            batch: BATCH,
            length: SIZE,
            wait: &[],
        };
        let fence = self.kmd.submit(queue, &submission);
        let done = fence.and_then(|fence| self.kmd.wait(fence, Instant::now() + DEADLINE));
        self.kmd.destroy_queue(queue)?;
        done
    }
}

/// Writes `dwords` and then zeroes.
fn fill(mapping: &Mapping, dwords: &[u32]) {
    let rest = std::iter::repeat(&0);
    for (index, value) in (0..mapping.len() / 4).zip(dwords.iter().chain(rest)) {
        let pointer = mapping.as_mut_ptr().cast::<u32>().wrapping_add(index);
        // SAFETY: within the page-aligned mapping, and every access is atomic.
        unsafe { AtomicU32::from_ptr(pointer) }.store(*value, Ordering::Relaxed);
    }
}
