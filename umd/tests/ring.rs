//! Commands that the GPU reads from a ring, without a submission for each.
#![cfg(feature = "softgpu")]
#![cfg(test)]

mod counted;

use std::time::{Duration, Instant};

use devinfo::{Driver, PLATFORMS};
use umd::{
    Arg, Buffer, Device, DeviceError, Error, Event, EventStatus, NdRange, Program, Queue,
    QueueOptions,
};

use counted::Counted;

const FAULTS: &[u8] = include_bytes!("kernels/faults.tgllp.zebin");
const LONG: Duration = Duration::from_secs(60);
/// A ring is started anew if nothing comes for a while, which a busy host can be the cause of.
const ATTEMPTS: u32 = 20;

fn ring(device: &Device) -> Queue {
    let options = QueueOptions {
        ring: true,
        ..QueueOptions::default()
    };
    device.queue(options).unwrap()
}

fn fill(queue: &Queue, buffer: &Buffer, byte: u8) -> Event {
    let filled = queue.fill_buffer((buffer, 0), buffer.size(), &[byte], &[]);
    filled.unwrap()
}

fn first(buffer: &Buffer) -> u8 {
    let mut byte = [0];
    buffer.read(0, &mut byte).unwrap();
    byte[0]
}

/// A queue with a ring, whose commands are known to be short.
fn warm(device: &Device, buffer: &Buffer) -> Queue {
    let queue = ring(device);
    for byte in 0..3 {
        fill(&queue, buffer, byte).wait(LONG).unwrap();
    }
    queue
}

fn device_error(result: Result<(), Error>) -> DeviceError {
    match result.unwrap_err() {
        Error::Device(error) => error,
        other => panic!("{other}"),
    }
}

/// Each platform, with each kernel driver.
fn all() -> impl Iterator<Item = (&'static str, Driver)> {
    PLATFORMS.iter().flat_map(|platform| {
        let drivers = [Driver::I915, Driver::Xe].into_iter();
        let drivers = drivers.filter(|&driver| platform.has_driver(driver));
        drivers.map(|driver| (platform.name, driver))
    })
}

#[test]
fn each_platform_runs_commands_from_a_ring_in_order() {
    const COMMANDS: u64 = 300;
    let (mut submissions, mut commands) = (0, 0);
    for (platform, driver) in all() {
        let (node, device) = Counted::open(platform, driver, LONG);
        let buffers = [(); 3].map(|()| device.buffer(256).unwrap());
        let [one, other, third] = &buffers;
        let queue = warm(&device, one);
        let before = node.submissions();
        for number in 0..COMMANDS / 3 {
            fill(&queue, one, number as u8);
            let copied = queue.copy_buffer((one, 0), (other, 0), 256, &[]).unwrap();
            queue.copy_buffer((other, 0), (third, 0), 256, &[]).unwrap();
            if number % 10 == 9 {
                copied.wait(LONG).unwrap();
                assert_eq!(first(other), number as u8, "{platform}@{driver}");
            }
        }
        queue.finish(LONG).unwrap();
        for buffer in &buffers {
            assert_eq!(first(buffer), 99, "{platform}@{driver}");
        }
        submissions += node.submissions() - before;
        commands += COMMANDS;
    }
    assert!(submissions < commands / 3, "{submissions} of {commands}");
}

#[test]
fn while_the_ring_runs_commands_are_no_submissions() {
    for driver in [Driver::I915, Driver::Xe] {
        let (node, device) = Counted::open("tgl", driver, LONG);
        let buffer = device.buffer(64).unwrap();
        let queue = warm(&device, &buffer);
        let attempt = || {
            fill(&queue, &buffer, 1);
            let before = node.submissions();
            for number in 0..100 {
                fill(&queue, &buffer, number);
            }
            let none = node.submissions() == before;
            queue.finish(LONG).unwrap();
            assert_eq!(first(&buffer), 99);
            none
        };
        assert!((0..ATTEMPTS).any(|_| attempt()), "{driver}");
    }
}

#[test]
fn more_commands_than_slots_wrap_around() {
    let (_, device) = Counted::open("dg2", Driver::Xe, LONG);
    let buffer = device.buffer(64).unwrap();
    let queue = warm(&device, &buffer);
    for number in 0..3000u32 {
        fill(&queue, &buffer, number as u8);
    }
    queue.finish(LONG).unwrap();
    assert_eq!(first(&buffer), 2999u32 as u8);
}

#[test]
fn memory_that_is_bound_while_the_ring_runs_is_there() {
    for driver in [Driver::I915, Driver::Xe] {
        let (_, device) = Counted::open("tgl", driver, LONG);
        let buffer = device.buffer(64).unwrap();
        let queue = warm(&device, &buffer);
        let mut buffers = Vec::new();
        for byte in 0..50 {
            let buffer = device.buffer(64).unwrap();
            fill(&queue, &buffer, byte);
            buffers.push(buffer);
            // Their places are given to the next ones.
            if byte % 10 == 9 {
                queue.finish(LONG).unwrap();
                for (buffer, byte) in buffers.drain(..).zip(byte - 9..) {
                    assert_eq!(first(&buffer), byte, "{driver}");
                }
            }
        }
    }
}

#[test]
fn a_ring_that_nothing_comes_to_is_no_hang() {
    let limit = Duration::from_millis(300);
    for driver in [Driver::I915, Driver::Xe] {
        let (_, device) = Counted::open("tgl", driver, limit);
        let buffer = device.buffer(64).unwrap();
        let queue = warm(&device, &buffer);
        // Nothing but markers, with pauses too short to stop it, for longer than a hang takes.
        let begin = Instant::now();
        while begin.elapsed() < 3 * limit {
            queue.marker(&[]).unwrap();
            std::thread::sleep(Duration::from_micros(300));
        }
        queue.finish(LONG).unwrap();
        // And nothing at all.
        let last = fill(&queue, &buffer, 5);
        std::thread::sleep(2 * limit);
        assert_eq!(last.status(), EventStatus::Complete);
        fill(&queue, &buffer, 6).wait(LONG).unwrap();
        assert_eq!(first(&buffer), 6);
    }
}

#[test]
fn the_command_of_a_ring_that_faults_is_blamed() {
    for driver in [Driver::I915, Driver::Xe] {
        let (_, device) = Counted::open("tgl", driver, LONG);
        let buffer = device.buffer(64).unwrap();
        let queue = warm(&device, &buffer);
        let program = Program::load(&device, FAULTS).unwrap();
        let mut wild = program.kernel("wild").unwrap();
        wild.set_arg(0, Arg::Buffer(&buffer)).unwrap();
        let nowhere = 0x1234_5678_9000u64.to_le_bytes();
        wild.set_arg(1, Arg::Value(&nowhere)).unwrap();
        let before = fill(&queue, &buffer, 7);
        let fault = queue
            .enqueue(&wild, &NdRange::new(&[1]).unwrap(), &[])
            .unwrap();
        let behind = queue.marker(&[]);
        let found = device_error(fault.wait(LONG));
        assert!(
            matches!(found, DeviceError::PageFault(_)),
            "{driver}: {found}"
        );
        before.wait(LONG).unwrap();
        assert_eq!(first(&buffer), 7);
        // It may have come too late.
        if let Ok(behind) = behind {
            let lost = device_error(behind.wait(LONG));
            assert!(matches!(lost, DeviceError::Lost(_)), "{driver}: {lost}");
        }
        // Another queue works.
        fill(&ring(&device), &buffer, 8).wait(LONG).unwrap();
        assert_eq!(first(&buffer), 8);
    }
}

#[test]
fn a_kernel_that_never_ends_is_a_hang_in_a_ring_too() {
    for driver in [Driver::I915, Driver::Xe] {
        let (_, device) = Counted::open("tgl", driver, Duration::from_millis(500));
        let buffer = device.buffer(64).unwrap();
        let queue = warm(&device, &buffer);
        let program = Program::load(&device, FAULTS).unwrap();
        let mut endless = program.kernel("endless").unwrap();
        let flag = device.buffer(8).unwrap();
        endless.set_arg(0, Arg::Buffer(&flag)).unwrap();
        let range = NdRange::new(&[1]).unwrap();
        fill(&queue, &buffer, 1);
        let hang = queue.enqueue(&endless, &range, &[]).unwrap();
        let late = device_error(hang.wait(Duration::from_millis(5)));
        assert!(
            matches!(late, DeviceError::Timeout { .. }),
            "{driver}: {late}"
        );
        let found = device_error(hang.wait(LONG));
        assert!(matches!(found, DeviceError::Hang(_)), "{driver}: {found}");
    }
}

#[test]
fn many_queues_with_rings_share_a_device() {
    for driver in [Driver::I915, Driver::Xe] {
        let (_, device) = Counted::open("tgl", driver, LONG);
        let buffers = [(); 6].map(|()| device.buffer(64).unwrap());
        let queues: Vec<_> = buffers.iter().map(|buffer| warm(&device, buffer)).collect();
        let mut last: Option<Event> = None;
        for number in 0..60u8 {
            for (queue, buffer) in queues.iter().zip(&buffers) {
                // Each waits for another queue's now and then.
                let wait: Vec<Event> = match number % 20 {
                    0 => last.iter().cloned().collect(),
                    _ => Vec::new(),
                };
                let filled = queue.fill_buffer((buffer, 0), 64, &[number], &wait);
                last = Some(filled.unwrap());
            }
        }
        for (queue, buffer) in queues.iter().zip(&buffers) {
            queue.finish(LONG).unwrap();
            assert_eq!(first(buffer), 59, "{driver}");
        }
        // Those that go with work in their rings finish it.
        for (queue, buffer) in queues.iter().zip(&buffers) {
            fill(queue, buffer, 77);
        }
        drop(queues);
        for buffer in &buffers {
            assert_eq!(first(buffer), 77, "{driver}");
        }
    }
}

#[test]
fn callbacks_come_from_a_ring() {
    for driver in [Driver::I915, Driver::Xe] {
        let (_, device) = Counted::open("tgl", driver, LONG);
        let buffer = device.buffer(64).unwrap();
        let queue = warm(&device, &buffer);
        let (send, calls) = std::sync::mpsc::channel();
        for number in 0..50 {
            let send = send.clone();
            let call = move |outcome: Result<(), Error>| {
                outcome.unwrap();
                send.send(number).unwrap();
            };
            fill(&queue, &buffer, number).on_complete(call).unwrap();
        }
        // This thread calls those that it finds ended, beside the one that waits: in no fixed order.
        let mut called: Vec<u8> = (0..50).map(|_| calls.recv_timeout(LONG).unwrap()).collect();
        called.sort_unstable();
        assert!(called.into_iter().eq(0..50), "{driver}");
    }
}

/// The ends of commands are known before the GPU reads on. The memory of the ring goes with the queue.
#[test]
fn a_queue_goes_when_the_gpu_has_left_its_ring() {
    for driver in [Driver::I915, Driver::Xe] {
        let (node, device) = Counted::open("tgl", driver, LONG);
        let buffer = device.buffer(64).unwrap();
        let queue = warm(&device, &buffer);
        queue.finish(LONG).unwrap();
        let before = node.waits();
        drop(queue);
        assert!(node.waits() > before, "{driver}");
    }
}
