//! Queues and events: order within and across queues, user events, faults, deadlines.
#![cfg(feature = "softgpu")]
#![cfg(test)]

use std::sync::{Barrier, Mutex};
use std::time::{Duration, Instant};

use umd::{
    Arg, Buffer, Device, DeviceError, DeviceSpec, Error, ErrorClass, Event, EventStatus, Kernel,
    NdRange, OpenOptions, Program, Queue, QueueOptions,
};

const FAULTS: &[u8] = include_bytes!("kernels/faults.tgllp.zebin");
const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(20);

fn open() -> Device {
    Device::open(&DeviceSpec::soft("tgl")).unwrap()
}

fn queue(device: &Device, out_of_order: bool) -> Queue {
    device
        .queue(QueueOptions {
            out_of_order,
            ..QueueOptions::default()
        })
        .unwrap()
}

fn first(buffer: &Buffer) -> u8 {
    let mut byte = [0];
    buffer.read(0, &mut byte).unwrap();
    byte[0]
}

/// A command that sets a buffer's bytes.
fn set(queue: &Queue, buffer: &Buffer, byte: u8, wait_list: &[Event]) -> Event {
    let size = buffer.size();
    queue
        .fill_buffer((buffer, 0), size, &[byte], wait_list)
        .unwrap()
}

/// The same platform behind both kernel drivers.
fn both() -> [Device; 2] {
    ["soft:tgl", "soft:tgl@xe"].map(|spec| {
        let spec: DeviceSpec = spec.parse().unwrap();
        // Endless kernels are ended by the tests.
        let options = OpenOptions {
            hang_timeout: Some(LONG),
            ..OpenOptions::default()
        };
        Device::open_with(&spec, &options).unwrap()
    })
}

/// A kernel that writes where nothing is.
fn wild(device: &Device) -> Kernel {
    let program = Program::load(device, FAULTS).unwrap();
    let mut kernel = program.kernel("wild").unwrap();
    let out = device.buffer(4).unwrap();
    kernel.set_arg(0, Arg::Buffer(&out)).unwrap();
    let nowhere = 0x1234_5678_9000u64.to_le_bytes();
    kernel.set_arg(1, Arg::Value(&nowhere)).unwrap();
    kernel
}

/// A kernel that runs until [`stop`] is called with the buffer.
fn endless(device: &Device) -> (Kernel, Buffer) {
    let program = Program::load(device, FAULTS).unwrap();
    let mut kernel = program.kernel("endless").unwrap();
    let flag = device.buffer(8).unwrap();
    kernel.set_arg(0, Arg::Buffer(&flag)).unwrap();
    (kernel, flag)
}

fn stop(flag: &Buffer) {
    flag.write(0, &[1; 8]).unwrap();
}

fn device_error(result: Result<(), Error>) -> DeviceError {
    match result.unwrap_err() {
        Error::Device(error) => error,
        other => panic!("{other}"),
    }
}

#[test]
fn only_the_command_that_faults_is_blamed() {
    let one = NdRange::new(&[1]).unwrap();
    for device in both() {
        // Whoever is asked first, the answers are the same.
        for asked in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]] {
            let queue = queue(&device, false);
            let buffer = device.buffer(64).unwrap();
            let gate = device.user_event();
            let before = set(&queue, &buffer, 1, &[gate.event().clone()]);
            let fault = queue.enqueue(&wild(&device), &one, &[]).unwrap();
            let behind = set(&queue, &buffer, 3, &[]);
            gate.complete();
            // The queue is lost for sure when the last one has failed; nobody asked the others.
            let mut error = None;
            for index in asked {
                match index {
                    0 => before.wait(LONG).unwrap(),
                    1 => {
                        let found = device_error(fault.wait(LONG));
                        assert!(matches!(found, DeviceError::PageFault(_)), "{found}");
                        assert!(found.to_string().contains("in kernel wild"), "{found}");
                        error = Some(found.to_string());
                    }
                    _ => {
                        let lost = device_error(behind.wait(LONG));
                        assert!(matches!(lost, DeviceError::Lost(_)), "{lost}");
                        assert!(!lost.to_string().contains("in kernel"), "{lost}");
                    }
                }
            }
            assert_eq!(before.status(), EventStatus::Complete);
            assert!(before.timestamps().is_some());
            assert_eq!(first(&buffer), 1);
            let told = device_error(queue.finish(LONG)).to_string();
            assert_eq!(Some(told), error);
        }
    }
}

#[test]
fn a_dependency_that_still_runs_has_not_ended() {
    for device in both() {
        let (slow, lost) = (queue(&device, false), queue(&device, false));
        let (kernel, flag) = endless(&device);
        let one = NdRange::new(&[1]).unwrap();
        let running = slow.enqueue(&kernel, &one, &[]).unwrap();
        let fault = lost.enqueue(&wild(&device), &one, &[]).unwrap();
        let waiting = lost.marker(std::slice::from_ref(&running)).unwrap();
        device_error(fault.wait(LONG));
        // Its queue is lost, whatever it waited for does.
        let error = device_error(waiting.wait(LONG));
        assert!(matches!(error, DeviceError::Lost(_)), "{error}");
        assert_eq!(running.status(), EventStatus::Submitted);
        // The memory of a command that runs is nobody else's.
        for byte in 0..20 {
            let other = device.buffer(64).unwrap();
            set(&queue(&device, false), &other, byte, &[])
                .wait(LONG)
                .unwrap();
        }
        assert_eq!(running.status(), EventStatus::Submitted);
        stop(&flag);
        running.wait(LONG).unwrap();
        slow.finish(LONG).unwrap();
    }
}

#[test]
fn nothing_slips_past_a_barrier() {
    let [device, xe] = both();
    for device in [device, xe] {
        let buffer = device.buffer(64).unwrap();
        for _ in 0..20 {
            let queue = queue(&device, false);
            let gate = device.user_event();
            let list = [gate.event().clone()];
            let together = Barrier::new(2);
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    together.wait();
                    for _ in 0..12 {
                        queue.marker(&list).unwrap();
                    }
                });
                together.wait();
                for _ in 0..12 {
                    queue.barrier(&[]).unwrap();
                }
            });
            // Behind commands that are held back, in any order of theirs.
            let last = set(&queue, &buffer, 1, &[]);
            assert_eq!(last.status(), EventStatus::Queued);
            gate.complete();
            last.wait(LONG).unwrap();
        }
    }
}

#[test]
fn markers_without_a_list_come_after_everything() {
    for device in both() {
        for out_of_order in [false, true] {
            let queue = queue(&device, out_of_order);
            let buffer = device.buffer(64).unwrap();
            let (early, late) = (device.user_event(), device.user_event());
            let one = set(&queue, &buffer, 1, &[early.event().clone()]);
            let marker = queue.marker(&[]).unwrap();
            let two = set(&queue, &buffer, 2, &[late.event().clone()]);
            let both = queue.marker(&[]).unwrap();
            let barrier = queue.barrier(&[]).unwrap();
            assert!(both.wait(SHORT).is_err() && barrier.wait(SHORT).is_err());
            early.complete();
            marker.wait(LONG).unwrap();
            assert_eq!(one.status(), EventStatus::Complete);
            assert_eq!(both.status(), EventStatus::Queued);
            // How what they come after has ended does not matter to them.
            late.fail("no data came");
            both.wait(LONG).unwrap();
            barrier.wait(LONG).unwrap();
            assert_eq!(two.status(), EventStatus::Failed);
            // A list is another matter.
            device_error(queue.marker(&[two]).unwrap().wait(LONG));
            assert!(queue.finish(LONG).is_err());
            queue.finish(LONG).unwrap();
        }
    }
}

#[test]
fn queues_may_go_while_others_wait_for_their_events() {
    for device in both() {
        let buffer = device.buffer(64).unwrap();
        let stays = queue(&device, false);
        let shared: Mutex<Option<Queue>> = Mutex::new(None);
        let rounds = 60;
        let together = Barrier::new(2);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..rounds {
                    together.wait();
                    drop(shared.lock().unwrap().take());
                    together.wait();
                }
            });
            for _ in 0..rounds {
                let goes = queue(&device, false);
                let event = set(&goes, &buffer, 1, &[]);
                *shared.lock().unwrap() = Some(goes);
                together.wait();
                let list = [event];
                let markers: Vec<_> = (0..20).map(|_| stays.marker(&list).unwrap()).collect();
                together.wait();
                for marker in markers {
                    marker.wait(LONG).unwrap();
                }
            }
        });
        stays.finish(LONG).unwrap();
    }
}

#[test]
fn a_queue_that_is_released_abandons_what_does_not_end() {
    for device in both() {
        let queue_ = queue(&device, false);
        let (kernel, flag) = endless(&device);
        let other = device.buffer(64).unwrap();
        let range = NdRange::new(&[1]).unwrap();
        let ended = set(&queue_, &other, 5, &[]);
        let event = queue_.enqueue(&kernel, &range, &[]).unwrap();
        let behind = set(&queue_, &other, 6, &[]);
        let elsewhere = queue(&device, false);
        let waiting = elsewhere.marker(std::slice::from_ref(&event)).unwrap();
        let further = elsewhere.marker(std::slice::from_ref(&waiting)).unwrap();
        let begin = Instant::now();
        queue_.release(Duration::from_millis(100));
        assert!(begin.elapsed() < Duration::from_secs(20));
        for event in [&event, &behind] {
            assert_eq!(event.status(), EventStatus::Failed);
            let error = device_error(event.wait(Duration::ZERO));
            assert!(error.to_string().contains("released"), "{error}");
        }
        ended.wait(Duration::ZERO).unwrap();
        let error = device_error(waiting.wait(LONG));
        assert!(matches!(error, DeviceError::Dependency(_)), "{error}");
        // However many commands are between them, what went wrong first is the error.
        let of_further = device_error(further.wait(LONG));
        assert_eq!(of_further.to_string(), error.to_string());
        // All of it can go, and the device works.
        drop((flag, kernel));
        set(&elsewhere, &other, 7, &[]).wait(LONG).unwrap();
        assert_eq!(first(&other), 7);
    }
}

#[test]
fn a_dependency_is_of_the_class_of_its_error() {
    let device = open();
    let queue = queue(&device, false);
    let gate = device.user_event();
    let event = queue.marker(&[gate.event().clone()]).unwrap();
    gate.fail("no data came");
    let class = |event: &Event| event.wait(LONG).unwrap_err().class();
    assert_eq!(class(gate.event()), ErrorClass::Failed);
    assert_eq!(class(&event), ErrorClass::Failed);
    let fault = queue.enqueue(&wild(&device), &NdRange::new(&[1]).unwrap(), &[]);
    let other = device.queue(QueueOptions::default()).unwrap();
    let event = other.marker(&[fault.unwrap()]).unwrap();
    assert_eq!(class(&event), ErrorClass::Device);
}

#[test]
fn a_user_event_holds_its_queue_and_no_other() {
    let device = open();
    let (one, other) = (queue(&device, false), queue(&device, false));
    let (a, b) = (device.buffer(64).unwrap(), device.buffer(64).unwrap());
    let gate = device.user_event();
    let held = set(&one, &a, 1, &[gate.event().clone()]);
    // In order behind the held one, and across the queues.
    let next = set(&one, &a, 2, &[]);
    let across = other
        .copy_buffer((&a, 0), (&b, 0), 64, std::slice::from_ref(&next))
        .unwrap();
    let free = queue(&device, true);
    set(&free, &b, 9, &[]).wait(LONG).unwrap();
    let error = across.wait(SHORT).unwrap_err();
    assert!(matches!(error, Error::Device(DeviceError::Timeout { .. })));
    for event in [&held, &next, &across] {
        assert_eq!(event.status(), EventStatus::Queued);
        assert_eq!(event.timestamps(), None);
    }
    assert_eq!((first(&a), first(&b)), (0, 9));
    gate.complete();
    across.wait(LONG).unwrap();
    assert_eq!((first(&a), first(&b)), (2, 2));
    assert_eq!(gate.event().status(), EventStatus::Complete);
    let (held, next) = (held.timestamps().unwrap(), next.timestamps().unwrap());
    assert!(held.ended <= next.ended && held.queued <= next.queued);
}

#[test]
fn commands_out_of_order_overtake_those_that_wait() {
    let device = open();
    let queue = queue(&device, true);
    let buffer = device.buffer(64).unwrap();
    let (early, late) = (device.user_event(), device.user_event());
    let a = set(&queue, &buffer, 1, &[early.event().clone()]);
    let b = set(&queue, &buffer, 2, &[late.event().clone()]);
    // The one enqueued last goes first, then the second, then the first.
    set(&queue, &buffer, 3, &[]).wait(LONG).unwrap();
    assert_eq!(first(&buffer), 3);
    late.complete();
    b.wait(LONG).unwrap();
    assert_eq!((first(&buffer), a.status()), (2, EventStatus::Queued));
    early.complete();
    a.wait(LONG).unwrap();
    assert_eq!(first(&buffer), 1);
}

#[test]
fn barriers_and_markers_gather_what_came_before() {
    let device = open();
    let queue = queue(&device, true);
    let buffer = device.buffer(64).unwrap();
    let gate = device.user_event();
    let before = set(&queue, &buffer, 1, &[gate.event().clone()]);
    let marker = queue.marker(&[]).unwrap();
    let barrier = queue.barrier(&[]).unwrap();
    let after = set(&queue, &buffer, 2, &[]);
    assert!(after.wait(SHORT).is_err() && marker.wait(SHORT).is_err());
    gate.complete();
    after.wait(LONG).unwrap();
    let ended = |event: &Event| event.timestamps().unwrap().ended;
    marker.wait(LONG).unwrap();
    barrier.wait(LONG).unwrap();
    before.wait(LONG).unwrap();
    assert!(ended(&before) <= ended(&marker) && ended(&barrier) <= ended(&after));
    assert_eq!(first(&buffer), 2);
}

#[test]
fn what_waits_for_a_failed_event_fails_and_the_queue_goes_on() {
    let device = open();
    let queue = queue(&device, false);
    let buffer = device.buffer(64).unwrap();
    let gate = device.user_event();
    let doomed = set(&queue, &buffer, 1, &[gate.event().clone()]);
    let other = set(&queue, &buffer, 2, &[]);
    gate.fail("no data came");
    let error = doomed.wait(LONG).unwrap_err().to_string();
    assert!(error.contains("no data came"), "{error}");
    other.wait(LONG).unwrap();
    assert_eq!(first(&buffer), 2);
    let error = queue.finish(LONG).unwrap_err().to_string();
    assert!(error.contains("no data came"), "{error}");
    queue.finish(LONG).unwrap();

    let dropped = set(&queue, &buffer, 3, &[device.user_event().event().clone()]);
    let error = dropped.wait(LONG).unwrap_err().to_string();
    assert!(error.contains("dropped without being set"), "{error}");
}

#[test]
fn long_chains_take_no_stack() {
    let device = open();
    let (a, b) = (queue(&device, false), queue(&device, true));
    let buffer = device.buffer(4).unwrap();
    let gate = device.user_event();
    let mut last = gate.event().clone();
    for number in 0..400 {
        let queue = if number % 2 == 0 { &a } else { &b };
        last = queue.marker(&[last]).unwrap();
    }
    let end = set(&b, &buffer, 5, &[last]);
    gate.complete();
    end.wait(LONG).unwrap();
    assert_eq!(first(&buffer), 5);
}

#[test]
fn dropped_queues_end_their_work() {
    let device = open();
    let buffer = device.buffer(1 << 16).unwrap();
    let gate = device.user_event();
    let event = {
        let queue = queue(&device, false);
        set(&queue, &buffer, 1, &[]);
        set(&queue, &buffer, 2, &[gate.event().clone()])
    };
    assert_eq!(event.status(), EventStatus::Queued);
    gate.complete();
    event.wait(LONG).unwrap();
    assert_eq!(first(&buffer), 2);
}

#[test]
fn a_fault_loses_its_queue_only() {
    let device = open();
    let (victim, healthy) = (queue(&device, false), queue(&device, false));
    let buffer = device.buffer(64).unwrap();
    set(&victim, &buffer, 7, &[]).wait(LONG).unwrap();
    let program = Program::load(&device, FAULTS).unwrap();
    let mut kernel = program.kernel("wild").unwrap();
    let out = device.buffer(4).unwrap();
    kernel.set_arg(0, Arg::Buffer(&out)).unwrap();
    let wild = 0x1234_5678_9000u64.to_le_bytes();
    kernel.set_arg(1, Arg::Value(&wild)).unwrap();
    let range = NdRange::new(&[1]).unwrap();
    let fault = victim.enqueue(&kernel, &range, &[]).unwrap();
    let behind = set(&victim, &buffer, 8, &[]);
    let across = set(&healthy, &buffer, 9, std::slice::from_ref(&fault));
    let error = fault.wait(LONG).unwrap_err();
    let Error::Device(DeviceError::PageFault(_)) = error else {
        panic!("{error}");
    };
    assert!(behind.wait(LONG).is_err());
    let error = across.wait(LONG).unwrap_err();
    let Error::Device(DeviceError::Dependency(_)) = error else {
        panic!("{error}");
    };
    // The data of before, or of the command that failed because of its dependency only.
    assert!(matches!(first(&buffer), 7 | 9));
    assert!(matches!(
        victim.marker(&[]),
        Err(Error::Device(DeviceError::Lost(_)))
    ));
    set(&healthy, &buffer, 10, &[]).wait(LONG).unwrap();
    set(&queue(&device, false), &buffer, 11, &[])
        .wait(LONG)
        .unwrap();
    assert_eq!(first(&buffer), 11);
}

#[test]
fn every_wait_has_a_deadline() {
    let device = Device::open_with(
        &DeviceSpec::soft("tgl"),
        &OpenOptions {
            hang_timeout: Some(Duration::from_millis(500)),
            ..OpenOptions::default()
        },
    );
    let device = device.unwrap();
    let queue = queue(&device, false);
    let program = Program::load(&device, FAULTS).unwrap();
    let mut kernel = program.kernel("endless").unwrap();
    let out = device.buffer(8).unwrap();
    kernel.set_arg(0, Arg::Buffer(&out)).unwrap();
    let range = NdRange::new(&[1]).unwrap();
    let event = queue.enqueue(&kernel, &range, &[]).unwrap();
    let timeout = |result: Result<(), Error>| {
        let error = result.unwrap_err();
        assert!(
            matches!(error, Error::Device(DeviceError::Timeout { .. })),
            "{error}"
        );
    };
    timeout(event.wait(Duration::ZERO));
    timeout(queue.finish(Duration::from_millis(1)));
    timeout(device.user_event().event().wait(Duration::from_millis(1)));
    let error = queue.finish(LONG).unwrap_err();
    assert!(
        matches!(error, Error::Device(DeviceError::Hang(_))),
        "{error}"
    );
    assert_eq!(event.status(), EventStatus::Failed);
}

#[test]
fn wait_lists_are_of_one_device() {
    let (one, other) = (open(), open());
    let buffer = one.buffer(64).unwrap();
    let foreign = other.user_event();
    let queue = queue(&one, false);
    let error = queue.fill_buffer((&buffer, 0), 64, &[1], &[foreign.event().clone()]);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("belongs to another device"), "{error}");
    let error = queue.copy_buffer((&other.buffer(64).unwrap(), 0), (&buffer, 0), 64, &[]);
    assert!(error.unwrap_err().to_string().contains("another device"));
}

#[test]
fn a_command_that_was_held_back_is_submitted_when_it_goes_on() {
    let device = open();
    let queue = queue(&device, false);
    let buffer = device.buffer(64).unwrap();
    let gate = device.user_event();
    let held = set(&queue, &buffer, 1, &[gate.event().clone()]);
    let behind = set(&queue, &buffer, 2, &[]);
    std::thread::sleep(SHORT);
    gate.complete();
    queue.finish(LONG).unwrap();
    assert_eq!(first(&buffer), 2);
    for event in [held, behind] {
        let times = event.timestamps().unwrap();
        assert!(times.submitted - times.queued >= SHORT, "{times:?}");
    }
    // Nothing is held back any more.
    let next = set(&queue, &buffer, 3, &[]);
    queue.finish(LONG).unwrap();
    let times = next.timestamps().unwrap();
    assert!(times.submitted - times.queued < SHORT, "{times:?}");
}
