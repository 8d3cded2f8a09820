//! How often a launch asks the allocator for memory, and the node for what it knows, and what launches leave
//! behind.
#![cfg(feature = "softgpu")]
#![cfg(test)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use devinfo::{Driver, Target};
use kmd_iface::{Diagnostics, MapSource, Node};
use nix::errno::Errno;
use softgpu::SoftNode;
use umd::{Arg, Device, EventStatus, Kernel, NdRange, OpenOptions, Program, Queue, QueueOptions};

const VADD: &[u8] = include_bytes!("kernels/vadd.tgllp.zebin");
const LONG: Duration = Duration::from_secs(60);

thread_local! {
    /// Those of this thread, outside of the kernel driver.
    static COUNT: Cell<u64> = const { Cell::new(0) };
    static IS_KERNEL: Cell<bool> = const { Cell::new(false) };
    /// How often the node was asked for what it finds out: a software GPU makes a system call then.
    static ASKED: Cell<u64> = const { Cell::new(0) };
}

/// The bytes that all threads have.
static LIVE: AtomicI64 = AtomicI64::new(0);

struct Counting;

// SAFETY: it is the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // At a thread's end there is nothing to count with.
        if !IS_KERNEL.try_with(Cell::get).unwrap_or(true) {
            let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        }
        LIVE.fetch_add(layout.size() as i64, Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size() as i64, Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The software GPU, whose own allocations a kernel would make.
#[derive(Debug)]
struct Uncounted(Arc<SoftNode>);

impl Node for Uncounted {
    fn ioctl(&self, request: u32, argument: &mut [u8]) -> Result<i32, Errno> {
        IS_KERNEL.set(true);
        let answer = self.0.ioctl(request, argument);
        IS_KERNEL.set(false);
        answer
    }

    fn map_source(&self, fake_offset: u64) -> Result<MapSource, Errno> {
        self.0.map_source(fake_offset)
    }

    fn diagnostics(&self) -> Option<&dyn Diagnostics> {
        ASKED.set(ASKED.get() + 1);
        self.0.diagnostics()
    }
}

/// The tests share their counters.
static TURN: Mutex<()> = Mutex::new(());

fn vadd(driver: Driver) -> (Queue, Kernel) {
    let (device, kernel) = vadd_on(driver);
    (device.queue(QueueOptions::default()).unwrap(), kernel)
}

fn vadd_on(driver: Driver) -> (Device, Kernel) {
    let soft = softgpu::Options {
        driver,
        threads: 1,
        ..softgpu::Options::default()
    };
    let node = SoftNode::open(Target::parse("tgl").unwrap(), soft).unwrap();
    let options = OpenOptions::default();
    let device = Device::of_node(Arc::new(Uncounted(node)), "tgl", &options).unwrap();
    let program = Program::load(&device, VADD).unwrap();
    let mut kernel = program.kernel("vadd").unwrap();
    let buffer = device.buffer(4096).unwrap();
    for index in 0..3 {
        kernel.set_arg(index, Arg::Buffer(&buffer)).unwrap();
    }
    kernel.set_arg(3, Arg::Value(&[0; 4])).unwrap();
    kernel.set_arg(4, Arg::Value(&1i32.to_le_bytes())).unwrap();
    kernel.set_arg(5, Arg::Value(&[0; 16])).unwrap();
    kernel.set_arg(6, Arg::Value(&[0])).unwrap();
    (device, kernel)
}

/// The event, what it keeps while the kernel driver has the command, and one to spare.
const MOST: u64 = 3;

#[test]
fn launches_allocate_little() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    for driver in [Driver::I915, Driver::Xe] {
        let (queue, kernel) = vadd(driver);
        let range = NdRange::new(&[1]).unwrap();
        let mut counts = Vec::with_capacity(64);
        for _ in 0..counts.capacity() {
            let before = COUNT.get();
            let event = queue.enqueue(&kernel, &range, &[]).unwrap();
            event.wait(LONG).unwrap();
            counts.push(COUNT.get() - before);
        }
        // The first ones make lists.
        let settled = &counts[counts.len() / 2..];
        let most = settled.iter().max().unwrap();
        assert!(*most <= MOST, "{driver}: {most}, not {MOST}: {counts:?}");
    }
}

#[test]
fn launches_ask_nothing() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    for driver in [Driver::I915, Driver::Xe] {
        let (queue, kernel) = vadd(driver);
        let range = NdRange::new(&[1]).unwrap();
        // The first one loads the kernel's memory.
        for launch in 0..20 {
            let before = ASKED.get();
            queue.enqueue(&kernel, &range, &[]).unwrap();
            let asked = ASKED.get() - before;
            assert!(asked == 0 || launch == 0, "{driver}: {asked}");
        }
        queue.finish(LONG).unwrap();
    }
}

#[test]
fn events_that_nobody_has_leave_nothing_behind() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    for (driver, ring) in [
        (Driver::I915, false),
        (Driver::I915, true),
        (Driver::Xe, true),
    ] {
        let (device, kernel) = vadd_on(driver);
        let options = QueueOptions {
            ring,
            ..QueueOptions::default()
        };
        let queue = device.queue(options).unwrap();
        let range = NdRange::new(&[1]).unwrap();
        let mut most = 0;
        let mut live = |launches: u32| {
            for launch in 0..launches {
                let event = queue.enqueue(&kernel, &range, &[]).unwrap();
                // So many are in flight at most. To look notices this command's end alone.
                if launch % 100 == 99 {
                    let begin = Instant::now();
                    while event.status() != EventStatus::Complete {
                        assert!(begin.elapsed() < LONG);
                        std::thread::yield_now();
                    }
                    most = most.max(LIVE.load(Ordering::Relaxed));
                }
            }
            queue.finish(LONG).unwrap();
            LIVE.load(Ordering::Relaxed)
        };
        let before = live(500);
        let after = live(3000);
        // Less than a tenth of what 3000 commands take: lists may have grown.
        assert!(
            after - before < 200_000,
            "{driver}: {before} bytes, then {after}"
        );
        assert!(most - before < 500_000, "{driver}: {before}, then {most}");
    }
}

#[test]
fn launches_leave_nothing_behind() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    for driver in [Driver::I915, Driver::Xe] {
        let (queue, kernel) = vadd(driver);
        let range = NdRange::new(&[1]).unwrap();
        let live = |launches: u32| {
            for _ in 0..launches {
                let event = queue.enqueue(&kernel, &range, &[]).unwrap();
                event.wait(LONG).unwrap();
            }
            queue.finish(LONG).unwrap();
            LIVE.load(Ordering::Relaxed)
        };
        let before = live(500);
        let after = live(2000);
        // Not a byte a launch: lists may have grown, and threads may be about to free something.
        assert!(
            after - before < 2000,
            "{driver}: {before} bytes, then {after}"
        );
    }
}
