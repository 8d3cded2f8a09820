//! Commands that are handed to the kernel driver together, because the device was busy when they
//! came.
#![cfg(feature = "softgpu")]
#![cfg(test)]

mod counted;

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use devinfo::Driver;
use umd::{
    Arg, Buffer, Device, DeviceError, Error, Event, EventStatus, Kernel, NdRange, Program, Queue,
    QueueOptions,
};

use counted::Counted;

const FAULTS: &[u8] = include_bytes!("kernels/faults.tgllp.zebin");
const LONG: Duration = Duration::from_secs(60);
/// Commands are handed over one by one where kernels take long, which they also do on a busy host.
const ATTEMPTS: u32 = 100;

/// A device whose queue has two kernels that do not end.
struct Busy {
    node: Arc<Counted>,
    device: Device,
    queue: Queue,
    program: Program,
    flags: Vec<Buffer>,
    before: u64,
}

fn one() -> NdRange {
    NdRange::new(&[1]).unwrap()
}

impl Busy {
    fn new(driver: Driver) -> Self {
        let (node, device) = Counted::open("tgl", driver, LONG);
        let queue = device.queue(QueueOptions::default()).unwrap();
        let program = Program::load(&device, FAULTS).unwrap();
        let mut busy = Self {
            node,
            device,
            queue,
            program,
            flags: Vec::new(),
            before: 0,
        };
        // How long kernels take is not known before.
        let buffer = busy.device.buffer(64).unwrap();
        for _ in 0..3 {
            busy.set(&buffer, 0).wait(LONG).unwrap();
        }
        for _ in 0..2 {
            let (_running, flag) = busy.endless();
            busy.flags.push(flag);
        }
        busy.before = busy.submissions();
        busy
    }

    fn submissions(&self) -> u64 {
        self.node.submissions()
    }

    /// How many submissions there have been since the device was busy.
    fn since(&self) -> u64 {
        self.submissions() - self.before
    }

    fn kernel(&self, name: &str, arg: &Buffer) -> Kernel {
        let mut kernel = self.program.kernel(name).unwrap();
        kernel.set_arg(0, Arg::Buffer(arg)).unwrap();
        kernel
    }

    fn endless(&self) -> (Event, Buffer) {
        let flag = self.device.buffer(8).unwrap();
        let kernel = self.kernel("endless", &flag);
        (self.queue.enqueue(&kernel, &one(), &[]).unwrap(), flag)
    }

    fn wild(&self) -> Event {
        let mut kernel = self.kernel("wild", &self.device.buffer(4).unwrap());
        let nowhere = 0x1234_5678_9000u64.to_le_bytes();
        kernel.set_arg(1, Arg::Value(&nowhere)).unwrap();
        self.queue.enqueue(&kernel, &one(), &[]).unwrap()
    }

    fn set(&self, buffer: &Buffer, byte: u8) -> Event {
        let filled = self
            .queue
            .fill_buffer((buffer, 0), buffer.size(), &[byte], &[]);
        filled.unwrap()
    }

    fn release(&self) {
        for flag in &self.flags {
            stop(flag);
        }
    }
}

fn stop(flag: &Buffer) {
    flag.write(0, &[1; 8]).unwrap();
}

fn first(buffer: &Buffer) -> u8 {
    let mut byte = [0];
    buffer.read(0, &mut byte).unwrap();
    byte[0]
}

fn device_error(result: Result<(), Error>) -> DeviceError {
    match result.unwrap_err() {
        Error::Device(error) => error,
        other => panic!("{other}"),
    }
}

/// Runs `attempt` until it says that commands were handed over together.
fn eventually(attempt: impl Fn(Busy) -> bool) {
    for driver in [Driver::I915, Driver::Xe] {
        let together = (0..ATTEMPTS).any(|_| attempt(Busy::new(driver)));
        assert!(together, "{driver}: each command was handed over alone");
    }
}

#[test]
fn many_commands_take_few_submissions() {
    const COMMANDS: u64 = 100;
    eventually(|busy| {
        let buffers: Vec<_> = (0..COMMANDS)
            .map(|_| busy.device.buffer(64).unwrap())
            .collect();
        let all = busy.device.buffer(64).unwrap();
        for (buffer, byte) in buffers.iter().zip(1..) {
            busy.set(buffer, byte);
            busy.set(&all, byte);
        }
        busy.release();
        busy.queue.finish(LONG).unwrap();
        for (buffer, byte) in buffers.iter().zip(1..) {
            assert_eq!(first(buffer), byte);
        }
        assert_eq!(first(&all), COMMANDS as u8, "they ran in order");
        busy.since() < COMMANDS
    });
}

#[test]
fn a_command_is_handed_over_though_nobody_asks_for_it() {
    for driver in [Driver::I915, Driver::Xe] {
        let busy = Busy::new(driver);
        let buffer = busy.device.buffer(64).unwrap();
        busy.set(&buffer, 1);
        busy.set(&buffer, 7);
        busy.release();
        let begin = Instant::now();
        while first(&buffer) != 7 {
            assert!(begin.elapsed() < LONG, "{driver}");
            std::thread::sleep(Duration::from_millis(1));
        }
        // With callbacks, too.
        let busy = Busy::new(driver);
        let buffer = busy.device.buffer(64).unwrap();
        let (send, calls) = channel();
        for number in 0..3 {
            let send = send.clone();
            let call = move |outcome: Result<(), Error>| {
                outcome.unwrap();
                send.send(number).unwrap();
            };
            busy.set(&buffer, 8).on_complete(call).unwrap();
        }
        busy.release();
        let calls: Vec<i32> = (0..3).map(|_| calls.recv_timeout(LONG).unwrap()).collect();
        assert_eq!(calls, [0, 1, 2]);
    }
}

#[test]
fn who_waits_for_a_command_does_not_wait_for_those_behind_it() {
    eventually(|busy| {
        let buffer = busy.device.buffer(64).unwrap();
        let set = busy.set(&buffer, 5);
        let (send, calls) = channel();
        let call = move |_| send.send(()).unwrap();
        set.on_complete(call).unwrap();
        let (running, flag) = busy.endless();
        let last = busy.set(&buffer, 6);
        busy.queue.flush();
        let together = busy.since() < 3;
        busy.release();
        set.wait(LONG).unwrap();
        calls.recv_timeout(LONG).unwrap();
        assert_eq!(first(&buffer), 5);
        assert_eq!(running.status(), EventStatus::Submitted);
        let late = device_error(last.wait(Duration::from_millis(5)));
        assert!(matches!(late, DeviceError::Timeout { .. }), "{late}");
        stop(&flag);
        last.wait(LONG).unwrap();
        assert_eq!(running.status(), EventStatus::Complete);
        assert_eq!(first(&buffer), 6);
        together
    });
}

#[test]
fn other_queues_wait_for_commands_that_were_left_open() {
    eventually(|busy| {
        let buffer = busy.device.buffer(64).unwrap();
        let early = busy.set(&buffer, 1);
        let set = busy.set(&buffer, 2);
        let other = busy.device.queue(QueueOptions::default()).unwrap();
        let behind = other.fill_buffer((&buffer, 0), 64, &[3], &[set]).unwrap();
        let together = busy.since() < 3;
        // What waits for another queue holds up nothing before it.
        let (third, fourth) = (busy.device.buffer(64).unwrap(), behind.clone());
        let before = busy.set(&third, 4);
        let after = busy
            .queue
            .fill_buffer((&third, 0), 64, &[5], &[fourth])
            .unwrap();
        busy.release();
        before.wait(LONG).unwrap();
        after.wait(LONG).unwrap();
        behind.wait(LONG).unwrap();
        assert_eq!(early.status(), EventStatus::Complete);
        assert_eq!((first(&buffer), first(&third)), (3, 5));
        together
    });
}

#[test]
fn the_command_of_a_batch_that_faults_is_blamed() {
    eventually(|busy| {
        let buffer = busy.device.buffer(64).unwrap();
        let before = busy.set(&buffer, 1);
        let fault = busy.wild();
        let behind = busy.set(&buffer, 3);
        busy.queue.flush();
        let together = busy.since() < 3;
        busy.release();
        let lost = device_error(behind.wait(LONG));
        assert!(matches!(lost, DeviceError::Lost(_)), "{lost}");
        let found = device_error(fault.wait(LONG));
        assert!(matches!(found, DeviceError::PageFault(_)), "{found}");
        before.wait(LONG).unwrap();
        assert!(before.timestamps().is_some());
        assert_eq!(first(&buffer), 1);
        together
    });
}

#[test]
fn a_queue_that_goes_hands_over_what_it_has() {
    eventually(|busy| {
        let buffer = busy.device.buffer(64).unwrap();
        let events: Vec<_> = (1..5).map(|byte| busy.set(&buffer, byte)).collect();
        let together = busy.since() < 4;
        busy.release();
        drop(busy);
        assert_eq!(first(&buffer), 4);
        let ended = |event: &Event| event.status() == EventStatus::Complete;
        assert!(events.iter().all(ended));
        together
    });
}
