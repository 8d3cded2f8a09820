//! What the command streamer gets: a context is set up once, later launches hold their walkers only.
#![cfg(feature = "softgpu")]
#![cfg(test)]

use std::collections::BTreeSet;
use std::time::Duration;

use batchbuffer::packets::pipe_control;
use batchbuffer::{Batch, PacketId};
use devinfo::{Driver, PLATFORMS};
use umd::{Device, DeviceSpec, Event, QueueOptions};

const LONG: Duration = Duration::from_secs(60);

/// The packets of a command; pipe controls are only there for what they write.
fn packets(device: &Device, event: &Event, lean: bool) -> BTreeSet<String> {
    let batch = event.batch().unwrap();
    let family = device.target().platform.family;
    let steps = Batch::new(family, batch.engine, batch.address, &batch.dwords);
    steps
        .map(|step| step.packet.unwrap())
        .inspect(|packet| {
            let writes = packet.get(pipe_control::POST_SYNC_OPERATION) != 0;
            assert!(
                !lean || packet.id != PacketId::PipeControl || writes,
                "{family}"
            );
        })
        .map(|packet| format!("{:?}", packet.id))
        .collect()
}

#[test]
fn later_launches_hold_walker_and_writes_only() {
    let lean = [
        "MediaStateFlush",
        "MediaInterfaceDescriptorLoad",
        "GpgpuWalker",
        "ComputeWalker",
        "PipeControl",
        "MiBatchBufferEnd",
        "MiNoop",
    ]
    .map(String::from)
    .into_iter()
    .collect::<BTreeSet<_>>();
    let mut walkers = BTreeSet::new();
    for platform in PLATFORMS {
        for driver in [Driver::I915, Driver::Xe] {
            if !platform.has_driver(driver) {
                continue;
            }
            let spec: DeviceSpec = format!("soft:{}@{driver}", platform.name).parse().unwrap();
            let device = Device::open(&spec).unwrap();
            let queue = device
                .queue(QueueOptions {
                    keep_batches: true,
                    ..QueueOptions::default()
                })
                .unwrap();
            let (one, other) = (device.buffer(64).unwrap(), device.buffer(64).unwrap());
            let fill = |byte: u8| queue.fill_buffer((&one, 0), 64, &[byte], &[]).unwrap();
            let (first, second) = (fill(1), fill(2));
            // Another kernel, then the first one again.
            let copy = queue.copy_buffer((&one, 0), (&other, 0), 64, &[]).unwrap();
            let third = fill(3);
            queue.finish(LONG).unwrap();
            let set_up = packets(&device, &first, false);
            assert!(set_up.contains("StateBaseAddress"), "{spec}");
            for event in [&second, &copy, &third] {
                let found = packets(&device, event, true);
                assert!(found.is_subset(&lean), "{spec}: {found:?}");
                walkers.extend(found.into_iter().filter(|name| name.ends_with("Walker")));
            }
            let mut bytes = [0; 64];
            other.read(0, &mut bytes).unwrap();
            assert_eq!(bytes, [2; 64], "{spec}");
            one.read(0, &mut bytes).unwrap();
            assert_eq!(bytes, [3; 64], "{spec}");
        }
    }
    assert_eq!(
        walkers.into_iter().collect::<Vec<_>>(),
        ["ComputeWalker", "GpgpuWalker"]
    );
}

#[test]
fn a_heap_that_is_full_waits_for_the_oldest() {
    for spec in ["soft:tgl@i915", "soft:dg2@xe"] {
        let device = Device::open(&spec.parse().unwrap()).unwrap();
        let queues = [(); 2].map(|()| device.queue(QueueOptions::default()).unwrap());
        let buffers = [(); 8].map(|()| device.buffer(256).unwrap());
        // Far more than two heaps hold, on each of them from four threads at once.
        std::thread::scope(|scope| {
            for (buffer, queue) in buffers.iter().zip(queues.iter().cycle()) {
                scope.spawn(move || {
                    for value in 0..1500u32 {
                        let pattern = value.to_le_bytes();
                        queue.fill_buffer((buffer, 0), 256, &pattern, &[]).unwrap();
                    }
                });
            }
        });
        for queue in &queues {
            queue.finish(LONG).unwrap();
        }
        for buffer in &buffers {
            let mut bytes = [0; 256];
            buffer.read(0, &mut bytes).unwrap();
            assert_eq!(
                bytes.as_chunks::<4>().0,
                [1499u32.to_le_bytes(); 64],
                "{spec}"
            );
        }
    }
}
