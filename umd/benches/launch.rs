//! What the driver itself takes for a launch, without the GPU's work.
//!
//! Launches wait for an event that is not set, so that each is made ready and nothing runs. Once
//! it is set, all are submitted; a software GPU has then a group of one item each.
#![allow(clippy::unwrap_used, reason = "a benchmark stops by a panic")]

use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use umd::{Arg, Device, DeviceSpec, Kernel, NdRange, Program, Queue, QueueOptions};

const VADD: &[u8] = include_bytes!("../tests/kernels/vadd.tgllp.zebin");
const LONG: Duration = Duration::from_secs(60);
/// Launches that are in flight at once.
const BATCH: u64 = 64;

fn open() -> (Device, Queue, Kernel) {
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
    (device, queue, kernel)
}

/// How long `count` launches took to be made ready and, apart from that, to be submitted and run.
fn launches(count: u64, (device, queue, kernel): &(Device, Queue, Kernel)) -> (Duration, Duration) {
    let range = NdRange::new(&[1]).unwrap();
    let (mut ready, mut done) = (Duration::ZERO, Duration::ZERO);
    let mut left = count;
    while left > 0 {
        let gate = device.user_event();
        let gated = [gate.event().clone()];
        let started = Instant::now();
        for _ in 0..left.min(BATCH) {
            queue.enqueue(kernel, &range, &gated).unwrap();
        }
        ready += started.elapsed();
        let started = Instant::now();
        gate.complete();
        queue.finish(LONG).unwrap();
        done += started.elapsed();
        left -= left.min(BATCH);
    }
    (ready, done)
}

fn bench(c: &mut Criterion) {
    let opened = open();
    let mut group = c.benchmark_group("launch");
    group.throughput(Throughput::Elements(1));
    group.bench_function("made ready", |b| {
        b.iter_custom(|count| launches(count, &opened).0);
    });
    group.bench_function("submitted and run", |b| {
        b.iter_custom(|count| launches(count, &opened).1);
    });
}

criterion_group!(benches, bench);
criterion_main!(benches);
