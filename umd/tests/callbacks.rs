//! Callbacks at the end of commands.
#![cfg(feature = "softgpu")]
#![cfg(test)]

use std::cell::Cell;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use umd::{
    Arg, Buffer, Device, DeviceSpec, Error, ErrorKind, Event, Kernel, NdRange, OpenOptions,
    Program, QueueOptions,
};

const FAULTS: &[u8] = include_bytes!("kernels/faults.tgllp.zebin");
const LONG: Duration = Duration::from_secs(60);

type End = Result<(), ErrorKind>;

/// What the callback of an event is called with; nobody asks the event.
fn end_of(event: &Event) -> Receiver<End> {
    let (send, receive) = channel();
    event
        .on_complete(move |outcome: Result<(), Error>| {
            send.send(outcome.map_err(|error| error.kind())).unwrap();
        })
        .unwrap();
    receive
}

/// What it was called with: once, because the sender goes with the callback.
fn once(calls: &Receiver<End>) -> End {
    let end = calls.recv_timeout(LONG).unwrap();
    assert!(calls.recv_timeout(LONG).is_err());
    end
}

fn both() -> [Device; 2] {
    ["soft:tgl@i915", "soft:tgl@xe"].map(|spec| {
        let options = OpenOptions {
            hang_timeout: Some(LONG),
            ..OpenOptions::default()
        };
        let spec: DeviceSpec = spec.parse().unwrap();
        Device::open_with(&spec, &options).unwrap()
    })
}

fn kernel(device: &Device, name: &str) -> (Kernel, Buffer) {
    let program = Program::load(device, FAULTS).unwrap();
    let mut kernel = program.kernel(name).unwrap();
    let buffer = device.buffer(8).unwrap();
    kernel.set_arg(0, Arg::Buffer(&buffer)).unwrap();
    (kernel, buffer)
}

#[test]
fn ends_are_noticed_when_nobody_asks() {
    let _busy = BUSY.lock().unwrap_or_else(PoisonError::into_inner);
    for device in both() {
        let queue = device.queue(QueueOptions::default()).unwrap();
        let buffer = device.buffer(64).unwrap();
        let fill = |wait: &[Event]| queue.fill_buffer((&buffer, 0), 64, &[1], wait).unwrap();
        assert_eq!(once(&end_of(&fill(&[]))), Ok(()));
        // Held back when the callback is registered.
        let gate = device.user_event();
        let held = end_of(&fill(&[gate.event().clone()]));
        let of_gate = end_of(gate.event());
        assert!(held.try_recv().is_err() && of_gate.try_recv().is_err());
        gate.complete();
        assert_eq!((once(&of_gate), once(&held)), (Ok(()), Ok(())));
        // Ended before.
        assert_eq!(once(&end_of(gate.event())), Ok(()));
        // One callback enqueues the next command.
        let (send, receive) = channel();
        let (again, target) = (Arc::new(queue), buffer.clone());
        let next = again.clone();
        let first = again.fill_buffer((&buffer, 0), 64, &[2], &[]).unwrap();
        first
            .on_complete(move |outcome| {
                outcome.unwrap();
                let second = next.fill_buffer((&target, 0), 64, &[3], &[]).unwrap();
                second
                    .on_complete(move |end| send.send(end.is_ok()).unwrap())
                    .unwrap();
            })
            .unwrap();
        assert!(receive.recv_timeout(LONG).unwrap());
        let mut bytes = [0; 64];
        buffer.read(0, &mut bytes).unwrap();
        assert_eq!(bytes, [3; 64]);
    }
}

/// Without haste callbacks come as well, and at once if somebody hurries, before or after the command
/// is handed over.
#[test]
fn unhurried_callbacks_come() {
    let _busy = BUSY.lock().unwrap_or_else(PoisonError::into_inner);
    for device in both() {
        let queue = device.queue(QueueOptions::default()).unwrap();
        let (endless, flag) = kernel(&device, "endless");
        let one = NdRange::new(&[1]).unwrap();
        let unhurried = |event: &Event| {
            let (send, receive) = channel();
            let call = move |outcome: Result<(), Error>| {
                send.send(outcome.map_err(|error| error.kind())).unwrap();
            };
            event.on_complete_unhurried(call).unwrap();
            receive
        };
        for hurries in [false, true] {
            flag.write(0, &[0; 8]).unwrap();
            let gate = device.user_event();
            let first = queue.enqueue(&endless, &one, &[]).unwrap();
            let held = queue.marker(&[gate.event().clone()]).unwrap();
            let calls = [&first, &held].map(unhurried);
            if hurries {
                first.hurry();
                held.hurry();
            }
            // The waiter has left it alone, and waits for it.
            std::thread::sleep(Duration::from_millis(20));
            assert!(calls.iter().all(|calls| calls.try_recv().is_err()));
            flag.write(0, &[1; 8]).unwrap();
            assert_eq!(once(&calls[0]), Ok(()));
            gate.complete();
            assert_eq!(once(&calls[1]), Ok(()));
        }
        // Many short ones.
        let calls: Vec<_> = (0..300)
            .map(|_| unhurried(&queue.enqueue(&endless, &one, &[]).unwrap()))
            .collect();
        assert!(calls.iter().all(|calls| once(calls) == Ok(())));
    }
}

#[test]
fn failures_call_back() {
    let _busy = BUSY.lock().unwrap_or_else(PoisonError::into_inner);
    let one = NdRange::new(&[1]).unwrap();
    for device in both() {
        let queue = device.queue(QueueOptions::default()).unwrap();
        let gate = device.user_event();
        let gated = [gate.event().clone()];
        let (mut wild, _out) = kernel(&device, "wild");
        let nowhere = 0x1234_5678_9000u64.to_le_bytes();
        wild.set_arg(1, Arg::Value(&nowhere)).unwrap();
        let fault = queue.enqueue(&wild, &one, &gated).unwrap();
        let behind = queue.marker(&[]).unwrap();
        let (fault, behind) = (end_of(&fault), end_of(&behind));
        gate.complete();
        assert_eq!(once(&fault), Err(ErrorKind::PageFault));
        assert_eq!(once(&behind), Err(ErrorKind::DeviceLost));
        // A user event that goes unset.
        let other = device.queue(QueueOptions::default()).unwrap();
        let gate = device.user_event();
        let waits = end_of(&other.marker(&[gate.event().clone()]).unwrap());
        drop(gate);
        assert_eq!(once(&waits), Err(ErrorKind::DependencyFailed));
        // A queue that goes.
        let (endless, flag) = kernel(&device, "endless");
        let event = other.enqueue(&endless, &one, &[]).unwrap();
        let calls = end_of(&event);
        other.release(Duration::ZERO);
        assert_eq!(once(&calls), Err(ErrorKind::DeviceLost));
        flag.write(0, &[1; 8]).unwrap();
    }
}

/// Clock ticks that the waiters of this process have run for.
fn ticks() -> u64 {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let stats = tasks.map(|task| std::fs::read_to_string(task.unwrap().path().join("stat")));
    stats
        .filter_map(Result::ok)
        .filter(|stat| stat.contains("(intel-gpu-waite"))
        .map(|stat| {
            let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
            fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
        })
        .sum()
}

/// Held by each test: one of them measures waiters, and the others keep some busy.
static BUSY: Mutex<()> = Mutex::new(());

#[test]
fn waiting_takes_no_processor_and_keeps_deadlines() {
    let _quiet = BUSY.lock().unwrap_or_else(PoisonError::into_inner);
    for device in both() {
        let queue = device.queue(QueueOptions::default()).unwrap();
        let (endless, flag) = kernel(&device, "endless");
        let event = queue
            .enqueue(&endless, &NdRange::new(&[1]).unwrap(), &[])
            .unwrap();
        let calls = end_of(&event);
        let before = ticks();
        let short = Duration::from_millis(500);
        let error = event.wait(short).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Timeout);
        // Half a second is 50 ticks.
        assert!(ticks() - before < 10, "{} ticks", ticks() - before);
        assert!(calls.try_recv().is_err());
        flag.write(0, &[1; 8]).unwrap();
        assert_eq!(once(&calls), Ok(()));
    }
}

thread_local! {
    /// The callbacks that this thread is in.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Goes into a callback, which no other one is to be around.
fn alone(callback: impl FnOnce()) -> u32 {
    let depth = DEPTH.get() + 1;
    DEPTH.set(depth);
    callback();
    DEPTH.set(depth - 1);
    depth
}

const MANY: usize = 3000;

#[test]
fn callbacks_that_enqueue_do_not_nest() {
    let _busy = BUSY.lock().unwrap_or_else(PoisonError::into_inner);
    for device in both() {
        let queue = Arc::new(device.queue(QueueOptions::default()).unwrap());
        let gate = device.user_event();
        let (send, calls) = channel();
        let mut wait = vec![gate.event().clone()];
        for _ in 0..MANY {
            let event = queue.marker(&wait).unwrap();
            wait.clear();
            let (queue, send) = (queue.clone(), send.clone());
            let enqueue = move |outcome: Result<(), Error>| {
                outcome.unwrap();
                let depth = alone(|| drop(queue.marker(&[]).unwrap()));
                send.send(depth).unwrap();
            };
            event.on_complete(enqueue).unwrap();
        }
        gate.complete();
        for _ in 0..MANY {
            assert_eq!(calls.recv_timeout(LONG).unwrap(), 1);
        }
        queue.finish(LONG).unwrap();
    }
}

#[test]
fn callbacks_that_set_events_do_not_nest() {
    let _busy = BUSY.lock().unwrap_or_else(PoisonError::into_inner);
    let [device, _] = both();
    let gates: Vec<_> = (0..MANY).map(|_| Arc::new(device.user_event())).collect();
    let (send, calls) = channel();
    for pair in gates.windows(2) {
        let (next, send) = (pair[1].clone(), send.clone());
        let set = move |_| send.send(alone(|| next.complete())).unwrap();
        pair[0].event().on_complete(set).unwrap();
    }
    let last = gates[MANY - 1].event().clone();
    // One that is registered within a callback, for what has ended.
    let (ended, inner) = (gates[0].event().clone(), send.clone());
    let register = move |_| {
        let depth = alone(|| {
            let call = move |_| inner.send(alone(|| {})).unwrap();
            ended.on_complete(call).unwrap();
        });
        send.send(depth).unwrap();
    };
    last.on_complete(register).unwrap();
    gates[0].complete();
    // All before the first one returns.
    assert_eq!(calls.try_iter().collect::<Vec<_>>(), [1; MANY + 1]);
}

#[test]
fn callbacks_that_panic_keep_no_other_from_its_call() {
    let _busy = BUSY.lock().unwrap_or_else(PoisonError::into_inner);
    for device in both() {
        let queue = device.queue(QueueOptions::default()).unwrap();
        let gate = device.user_event();
        let event = queue.marker(&[gate.event().clone()]).unwrap();
        event
            .on_complete(|_| resume_unwind(Box::new("as it should")))
            .unwrap();
        let (same, next) = (end_of(&event), queue.marker(&[]).unwrap());
        let next = end_of(&next);
        // Nobody but the waiter looks.
        gate.complete();
        assert_eq!((once(&same), once(&next)), (Ok(()), Ok(())));
        assert_eq!(once(&end_of(&queue.marker(&[]).unwrap())), Ok(()));
        // Within a call of this thread.
        let gate = device.user_event();
        gate.event()
            .on_complete(|_| resume_unwind(Box::new("as it should")))
            .unwrap();
        let after = end_of(gate.event());
        gate.complete();
        assert_eq!(after.try_recv(), Ok(Ok(())));
    }
}
