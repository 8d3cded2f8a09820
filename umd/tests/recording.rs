//! Recordings: commands whose batch is made once, and submitted in one go each time.
#![cfg(feature = "softgpu")]
#![cfg(test)]

use std::time::Duration;

use batchbuffer::{Batch, PacketId};
use devinfo::{Driver, PLATFORMS};
use umd::{
    Arg, Buffer, Command, Device, DeviceError, DeviceSpec, Error, Event, NdRange, Program, Queue,
    QueueOptions,
};

const LONG: Duration = Duration::from_secs(60);
const VADD: &[u8] = include_bytes!("kernels/vadd.tgllp.zebin");
const PRINTF: &[u8] = include_bytes!("kernels/printf.tgllp.zebin");
const FAULTS: &[u8] = include_bytes!("kernels/faults.tgllp.zebin");

fn open(spec: &str) -> (Device, Queue) {
    let device = Device::open(&spec.parse::<DeviceSpec>().unwrap()).unwrap();
    let options = QueueOptions {
        keep_batches: true,
        ..QueueOptions::default()
    };
    let queue = device.queue(options).unwrap();
    (device, queue)
}

fn read(buffer: &Buffer) -> Vec<u8> {
    let mut bytes = vec![0; buffer.size() as usize];
    buffer.read(0, &mut bytes).unwrap();
    bytes
}

/// How many packets of a kind a command's batch has.
fn count(device: &Device, event: &Event, wanted: &[PacketId]) -> usize {
    let batch = event.batch().unwrap();
    let family = device.target().platform.family;
    let steps = Batch::new(family, batch.engine, batch.address, &batch.dwords);
    let packets = steps.map(|step| step.packet.unwrap());
    packets.filter(|packet| wanted.contains(&packet.id)).count()
}

const WALKERS: &[PacketId] = &[PacketId::GpgpuWalker, PacketId::ComputeWalker];

/// Each platform and kernel driver: the commands of a recording see what those before them wrote, each
/// run is one call of one batch, and other commands are right before, between and after.
#[test]
fn runs_are_one_batch() {
    for platform in PLATFORMS {
        for driver in [Driver::I915, Driver::Xe] {
            if !platform.has_driver(driver) {
                continue;
            }
            let spec = format!("soft:{}@{driver}", platform.name);
            let (device, queue) = open(&spec);
            let [a, b, c] = [(); 3].map(|()| device.buffer(256).unwrap());
            let copy = |from, to| Command::copy_buffer(&queue, (from, 0), (to, 0), 128);
            let recording = [
                Command::fill_buffer(&queue, (&a, 0), 128, &[5]).unwrap(),
                copy(&a, &b).unwrap(),
                Command::fill_buffer(&queue, (&a, 0), 64, &[9]).unwrap(),
                Command::copy_buffer(&queue, (&b, 0), (&c, 128), 128).unwrap(),
                copy(&a, &c).unwrap(),
            ];
            let recording = Command::recording(&device, &recording).unwrap();
            let expected = [[9; 64], [5; 64], [5; 64], [5; 64]].concat();
            for run in 0..3 {
                queue.fill_buffer((&c, 0), 256, &[run], &[]).unwrap();
                let event = queue.run(&recording, &[]).unwrap();
                event.wait(LONG).unwrap();
                assert_eq!(read(&c), expected, "{spec}, run {run}");
                let calls = count(&device, &event, &[PacketId::MiBatchBufferStart]);
                assert_eq!((calls, count(&device, &event, WALKERS)), (1, 0), "{spec}");
                let times = event.timestamps().unwrap();
                assert!(times.started < times.ended, "{spec}: {times:?}");
            }
            // On another queue, and as a part of another recording.
            let other = device.queue(QueueOptions::default()).unwrap();
            a.fill(0, 256, &[0]).unwrap();
            c.fill(0, 256, &[0]).unwrap();
            let both = [recording, copy(&c, &b).unwrap()];
            let both = Command::recording(&device, &both).unwrap();
            other.run(&both, &[]).unwrap().wait(LONG).unwrap();
            assert_eq!(read(&c), expected, "{spec}");
            assert_eq!(&read(&b)[..128], &expected[..128], "{spec}");
            other.fill_buffer((&c, 0), 256, &[3], &[]).unwrap();
            other.finish(LONG).unwrap();
            assert_eq!(read(&c), [3; 256], "{spec}");
        }
    }
}

#[test]
fn an_empty_recording_is_a_marker() {
    let (device, queue) = open("soft:tgl");
    let empty = Command::recording(&device, &[]).unwrap();
    let event = queue.run(&empty, &[]).unwrap();
    event.wait(LONG).unwrap();
    assert_eq!(count(&device, &event, &[PacketId::MiBatchBufferStart]), 0);
    let (other, _queue) = open("soft:tgl");
    let error = Command::recording(&other, &[empty]).unwrap_err();
    assert!(error.to_string().contains("another device"), "{error}");
}

/// More binding tables than descriptors of one heap reach: the recording has several parts.
#[test]
fn long_recordings_have_several_parts() {
    let (device, queue) = open("soft:tgl");
    let mut kernel = Program::load(&device, VADD)
        .unwrap()
        .kernel("vadd")
        .unwrap();
    let (sum, one) = (device.buffer(64).unwrap(), device.buffer(64).unwrap());
    one.fill(0, 64, &1f32.to_le_bytes()).unwrap();
    for (index, buffer) in [&sum, &one, &sum].into_iter().enumerate() {
        kernel.set_arg(index, Arg::Buffer(buffer)).unwrap();
    }
    let range = NdRange::new(&[16]).unwrap();
    // A thousand launches, each of which adds to the sum; what they make of it is seen first.
    kernel.set_arg(3, Arg::Value(&0f32.to_le_bytes())).unwrap();
    kernel.set_arg(4, Arg::Value(&16i32.to_le_bytes())).unwrap();
    kernel.set_arg(5, Arg::Value(&[0; 16])).unwrap();
    kernel.set_arg(6, Arg::Value(&[0])).unwrap();
    let plain: Vec<u8> = {
        for _ in 0..1000 {
            queue.enqueue(&kernel, &range, &[]).unwrap();
        }
        queue.finish(LONG).unwrap();
        read(&sum)
    };
    assert_ne!(plain, [0; 64]);
    sum.fill(0, 64, &[0]).unwrap();
    let command = Command::kernel(&kernel, &range).unwrap();
    let recording = Command::recording(&device, &vec![command; 1000]).unwrap();
    let event = queue.run(&recording, &[]).unwrap();
    event.wait(LONG).unwrap();
    assert_eq!(read(&sum), plain);
    assert!(count(&device, &event, &[PacketId::MiBatchBufferStart]) > 1);
}

/// Each run prints its own text, also where several are on their way at once.
#[test]
fn each_run_prints() {
    let (device, queue) = open("soft:tgl");
    let mut kernel = Program::load(&device, PRINTF)
        .unwrap()
        .kernel("pf")
        .unwrap();
    let numbers = device.buffer(8).unwrap();
    numbers.write(0, &[2, 0, 0, 0, 5, 0, 0, 0]).unwrap();
    kernel.set_arg(0, Arg::Buffer(&numbers)).unwrap();
    kernel
        .set_arg(1, Arg::Value(&1.5f32.to_le_bytes()))
        .unwrap();
    let command = Command::kernel(&kernel, &NdRange::new(&[2]).unwrap()).unwrap();
    let seven = Command::fill_buffer(&queue, (&numbers, 4), 4, &7u32.to_le_bytes()).unwrap();
    let recording = [command.clone(), seven, command];
    let recording = Command::recording(&device, &recording).unwrap();
    let events = [(); 3].map(|()| queue.run(&recording, &[]).unwrap());
    queue.finish(LONG).unwrap();
    for (run, event) in events.iter().enumerate() {
        let text = String::from_utf8(event.printed()).unwrap();
        let has = |wanted: &str| text.lines().filter(|line| *line == wanted).count();
        let second = if run == 0 { [1, 1] } else { [0, 2] };
        assert_eq!(has("hello 2 1.500000"), 2, "{text}");
        assert_eq!(
            [has("hello 5 1.500000"), has("hello 7 1.500000")],
            second,
            "{text}"
        );
    }
}

/// A kernel in the middle that faults: its error names it, what comes after it does not run, and the
/// recording runs again on a new queue.
#[test]
fn a_fault_in_the_middle() {
    for is_bound in [false, true] {
        let (device, queue) = open("soft:tgl");
        let program = Program::load(&device, FAULTS).unwrap();
        let mut wild = program.kernel("wild").unwrap();
        let (out, seen) = (device.buffer(64).unwrap(), device.buffer(64).unwrap());
        let target = device.buffer(4096).unwrap();
        let address = match is_bound {
            true => target.address().get(),
            false => 0x1234_5678_9000,
        };
        wild.set_arg(0, Arg::Buffer(&out)).unwrap();
        wild.set_arg(1, Arg::Value(&address.to_le_bytes())).unwrap();
        let fill = |byte: u8| Command::fill_buffer(&queue, (&seen, 0), 64, &[byte]).unwrap();
        let wild = Command::kernel(&wild, &NdRange::new(&[1]).unwrap()).unwrap();
        let recording = Command::recording(&device, &[fill(1), wild, fill(2)]).unwrap();
        for queue in [queue, device.queue(QueueOptions::default()).unwrap()] {
            seen.fill(0, 64, &[0]).unwrap();
            let event = queue.run(&recording, &[]).unwrap();
            let ended = event.wait(LONG);
            if is_bound {
                ended.unwrap();
                assert_eq!(read(&seen), [2; 64]);
                continue;
            }
            let Err(Error::Device(DeviceError::PageFault(report))) = ended else {
                panic!("{ended:?}");
            };
            assert_eq!(report.kernel.as_deref(), Some("wild"));
            assert!(report.instruction.is_some(), "{report:?}");
            assert_eq!(read(&seen), [1; 64]);
        }
    }
}

/// A sequence is written to the queue's memory each time: what ran before it and what runs behind it are
/// right, and it takes no memory of its own.
#[test]
fn sequences_are_written_each_time() {
    for spec in ["soft:tgl", "soft:dg2@xe"] {
        let (device, queue) = open(spec);
        let [a, b] = [(); 2].map(|()| device.buffer(256).unwrap());
        let sequence = [
            Command::fill_buffer(&queue, (&a, 0), 128, &[5]).unwrap(),
            Command::copy_buffer(&queue, (&a, 0), (&b, 64), 128).unwrap(),
            Command::fill_buffer(&queue, (&a, 64), 64, &[9]).unwrap(),
        ];
        let sequence = Command::sequence(&device, &sequence).unwrap();
        for run in 0..3 {
            queue.fill_buffer((&b, 0), 256, &[run], &[]).unwrap();
            let event = queue.run(&sequence, &[]).unwrap();
            queue.finish(LONG).unwrap();
            let expected = [[run; 64], [5; 64], [5; 64], [run; 64]].concat();
            assert_eq!(read(&b), expected, "{spec}, run {run}");
            assert_eq!(read(&a)[..128], [[5; 64], [9; 64]].concat(), "{spec}");
            assert_eq!(count(&device, &event, WALKERS), 3, "{spec}");
            let times = event.timestamps().unwrap();
            assert!(times.started < times.ended, "{spec}: {times:?}");
        }
        // As a part of a recording, and of another sequence.
        let fill = Command::fill_buffer(&queue, (&b, 0), 256, &[7]).unwrap();
        let both = [fill, sequence];
        let recording = Command::recording(&device, &both).unwrap();
        let nested = Command::sequence(&device, &[both[1].clone(), recording]).unwrap();
        let event = queue.run(&nested, &[]).unwrap();
        event.wait(LONG).unwrap();
        assert_eq!(count(&device, &event, WALKERS), 7, "{spec}");
        let expected = [[7; 64], [5; 64], [5; 64], [7; 64]].concat();
        assert_eq!(read(&b), expected, "{spec}");
        let nothing = Command::sequence(&device, &[]).unwrap();
        queue.run(&nothing, &[]).unwrap().wait(LONG).unwrap();
        // More than there is memory for at once.
        let many = vec![nested; 4000];
        let error = Command::sequence(&device, &many).unwrap_err();
        assert!(matches!(error, Error::Argument(_)), "{error}");
    }
}
