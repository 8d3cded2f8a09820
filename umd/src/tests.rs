//! What reaches the kernel driver, and what goes on while it holds a call back: on a software node
//! whose calls are watched.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panics")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::time::Duration;

use devinfo::{Driver, Target};
use kmd_iface::uapi::i915::exec::{EXECBUFFER2, ExecBuffer2};
use kmd_iface::uapi::xe;
use kmd_iface::{Diagnostics, MapSource, Node, RegionKind};
use nix::errno::Errno;
use softgpu::SoftNode;
use zerocopy::FromBytes;

use crate::launch::SlotMemory;
use crate::memory::Use;
use crate::{
    Arg, Buffer, Device, DeviceError, Error, Event, NdRange, OpenOptions, Program, Queue,
    QueueOptions,
};

const FAULTS: &[u8] = include_bytes!("../tests/kernels/faults.tgllp.zebin");
const LONG: Duration = Duration::from_secs(60);

/// A node that remembers the arguments of calls, and can hold submissions back.
#[derive(Debug)]
struct Watched {
    node: Arc<SoftNode>,
    submit: u32,
    calls: Mutex<Vec<(u32, Vec<u8>)>>,
    closed: Mutex<bool>,
    opened: Condvar,
    /// Whether a submission is being held back.
    waits: AtomicBool,
}

impl Watched {
    /// The arguments of all calls of `request` so far.
    fn calls<T: FromBytes>(&self, request: u32) -> Vec<T> {
        let calls = self.calls.lock().unwrap();
        let calls = calls.iter().filter(|call| call.0 == request);
        calls
            .map(|call| T::read_from_bytes(&call.1).unwrap())
            .collect()
    }

    fn close(&self, closed: bool) {
        *self.closed.lock().unwrap() = closed;
        self.opened.notify_all();
    }
}

impl Node for Watched {
    fn ioctl(&self, request: u32, argument: &mut [u8]) -> Result<i32, Errno> {
        if request == self.submit {
            let mut closed = self.closed.lock().unwrap();
            while *closed {
                self.waits.store(true, Ordering::Relaxed);
                closed = self.opened.wait(closed).unwrap();
            }
        }
        let answer = self.node.ioctl(request, argument);
        let kept = [
            self.submit,
            xe::vm::VM_CREATE.request(),
            xe::gem::GEM_CREATE.request(),
        ];
        if kept.contains(&request) {
            self.calls
                .lock()
                .unwrap()
                .push((request, argument.to_vec()));
        }
        answer
    }

    fn map_source(&self, fake_offset: u64) -> Result<MapSource, Errno> {
        self.node.map_source(fake_offset)
    }

    fn diagnostics(&self) -> Option<&dyn Diagnostics> {
        self.node.diagnostics()
    }
}

fn open(platform: &str, driver: Driver, options: &OpenOptions) -> (Device, Arc<Watched>) {
    let target = Target::parse(platform).unwrap();
    let soft = softgpu::Options {
        driver,
        hang_timeout: LONG,
        ..softgpu::Options::default()
    };
    let node = Arc::new(Watched {
        node: SoftNode::open(target, soft).unwrap(),
        submit: match driver {
            Driver::I915 => EXECBUFFER2.request(),
            Driver::Xe => xe::exec::EXEC.request(),
        },
        calls: Mutex::default(),
        closed: Mutex::default(),
        opened: Condvar::new(),
        waits: AtomicBool::new(false),
    });
    let device = Device::of_node(node.clone(), platform, options).unwrap();
    (device, node)
}

fn queue(device: &Device) -> Queue {
    device.queue(QueueOptions::default()).unwrap()
}

/// A kernel that runs until [`stop`] is called with the buffer.
fn endless(device: &Device, queue: &Queue) -> (Event, Buffer) {
    let program = Program::load(device, FAULTS).unwrap();
    let mut kernel = program.kernel("endless").unwrap();
    let flag = device.buffer(8).unwrap();
    kernel.set_arg(0, Arg::Buffer(&flag)).unwrap();
    let event = queue.enqueue(&kernel, &NdRange::new(&[1]).unwrap(), &[]);
    (event.unwrap(), flag)
}

fn stop(flag: &Buffer) {
    flag.write(0, &[1; 8]).unwrap();
}

#[test]
fn commands_in_flight_add_few_objects_to_a_submission() {
    let (device, node) = open("tgl", Driver::I915, &OpenOptions::default());
    let queue = queue(&device);
    let (event, flag) = endless(&device, &queue);
    for _ in 0..1500 {
        queue.marker(&[]).unwrap();
    }
    let submissions: Vec<ExecBuffer2> = node.calls(EXECBUFFER2.request());
    assert_eq!(submissions.len(), 1501);
    let (first, last) = (&submissions[0], &submissions[1500]);
    assert!(
        last.buffer_count <= first.buffer_count + 8,
        "{} objects, then {}",
        first.buffer_count,
        last.buffer_count
    );
    stop(&flag);
    event.wait(LONG).unwrap();
    queue.finish(LONG).unwrap();
}

#[test]
fn nothing_with_a_deadline_waits_for_a_submission() {
    for driver in [Driver::I915, Driver::Xe] {
        let (device, node) = open("tgl", driver, &OpenOptions::default());
        let (one, other) = (queue(&device), queue(&device));
        let (event, flag) = endless(&device, &one);
        let ended = other.marker(&[]).unwrap();
        ended.wait(LONG).unwrap();
        node.close(true);
        let (done, ends) = mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(|| one.marker(&[]).unwrap());
            scope.spawn(|| other.marker(&[]).unwrap());
            while !node.waits.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            scope.spawn(|| {
                let short = Duration::from_millis(1);
                let error = event.wait(short).unwrap_err();
                assert!(matches!(error, Error::Device(DeviceError::Timeout { .. })));
                assert!(one.finish(short).is_err());
                event.status();
                ended.wait(short).unwrap();
                // Nor does what has none.
                drop(device.buffer(4096).unwrap());
                drop(device.queue(QueueOptions::default()).unwrap());
                stop(&flag);
                event.wait(LONG).unwrap();
                done.send(()).unwrap();
            });
            let outcome = ends.recv_timeout(Duration::from_secs(30));
            node.close(false);
            outcome.expect("what does not submit waits for a submission");
        });
    }
}

#[test]
fn the_kernel_driver_is_asked_for_a_scratch_page() {
    for scratch_page in [false, true] {
        let options = OpenOptions {
            scratch_page,
            ..OpenOptions::default()
        };
        let (_device, node) = open("tgl", Driver::Xe, &options);
        let spaces: Vec<xe::vm::VmCreate> = node.calls(xe::vm::VM_CREATE.request());
        let flags = spaces.last().unwrap().flags;
        let scratch = flags.contains(xe::vm::VmCreateFlags::SCRATCH_PAGE);
        assert_eq!(scratch, scratch_page);
    }
}

#[test]
fn only_what_this_process_touches_is_where_it_can() {
    let (device, node) = open("dg2", Driver::Xe, &OpenOptions::default());
    let inner = device.inner();
    let mut slots = None;
    SlotMemory::grow(&mut slots, inner, 4096, Use::Private, "scratch memory").unwrap();
    let slots = slots.unwrap();
    let buffer = device.buffer(4096).unwrap();
    let made: Vec<xe::gem::GemCreate> = node.calls(xe::gem::GEM_CREATE.request());
    let [.., scratch, data] = made.as_slice() else {
        panic!("{} objects", made.len());
    };
    let visible = xe::gem::GemCreateFlags::NEEDS_VISIBLE_VRAM;
    let regions = |kind| {
        let regions = device.description().memory.iter();
        let regions = regions.filter(move |region| region.kind == kind);
        regions.fold(0, |mask, region| mask | 1u32 << region.instance)
    };
    let (near, far) = (regions(RegionKind::Device), regions(RegionKind::System));
    assert!(near != 0 && far != 0);
    assert!(!scratch.flags.contains(visible));
    assert_eq!(scratch.placement, near);
    // Small apertures fill up: then the kernel driver takes host memory.
    assert!(data.flags.contains(visible));
    assert_eq!(data.placement, near | far);
    assert!(!slots.bo.memory().write(0, &[0]));
    buffer.write(0, &[1]).unwrap();
}

#[test]
fn a_device_goes_with_its_last_user() {
    for driver in [Driver::I915, Driver::Xe] {
        for out_of_order in [false, true] {
            let gone = [(); 5].map(|()| {
                let (device, node) = open("tgl", driver, &OpenOptions::default());
                let options = QueueOptions {
                    out_of_order,
                    ..QueueOptions::default()
                };
                let queue = device.queue(options).unwrap();
                let events = [queue.marker(&[]).unwrap(), queue.barrier(&[]).unwrap()];
                queue.finish(LONG).unwrap();
                // Events may stay longer than the queue.
                drop((device, queue));
                assert!(events.iter().all(|event| event.wait(LONG).is_ok()));
                drop(events);
                Arc::downgrade(&node)
            });
            assert!(gone.iter().all(|node| node.upgrade().is_none()));
        }
    }
}
