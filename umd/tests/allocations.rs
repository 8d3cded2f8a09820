//! How often a launch asks the allocator for memory.
#![cfg(feature = "softgpu")]
#![allow(clippy::unwrap_used, reason = "tests fail by panics")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::Duration;

use umd::{Arg, Device, DeviceSpec, NdRange, Program, QueueOptions};

const VADD: &[u8] = include_bytes!("kernels/vadd.tgllp.zebin");

thread_local! {
    /// Those of this thread: the software GPU has its own.
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: it is the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // At a thread's end there is nothing to count with.
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Seven for what a launch keeps: its event with a name, what holds it back, the wait list, the memory
/// that the GPU uses. The rest is one for each packet and state, which are built on their own.
const MOST: u64 = 35;

#[test]
fn launches_allocate_little() {
    let device = Device::open(&DeviceSpec::soft("tgl")).unwrap();
    let queue = device.queue(QueueOptions::default()).unwrap();
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
    let range = NdRange::new(&[1]).unwrap();
    let mut counts = Vec::with_capacity(64);
    for _ in 0..8 {
        // Held, so that a launch is made ready here and nothing else happens.
        let gate = device.user_event();
        let gated = [gate.event().clone()];
        for _ in 0..8 {
            let before = COUNT.get();
            let event = queue.enqueue(&kernel, &range, &gated).unwrap();
            counts.push(COUNT.get() - before);
            drop(event);
        }
        gate.complete();
        queue.finish(Duration::from_secs(60)).unwrap();
    }
    // The first ones fill pools and lists.
    let settled = &counts[counts.len() / 2..];
    let most = settled.iter().max().unwrap();
    assert!(*most <= MOST, "{most}, not {MOST}: {counts:?}");
}
