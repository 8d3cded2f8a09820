//! Queues.

use std::time::Duration;

use umd::{NdRange, QueueOptions};

use crate::device::Device;
use crate::event::Event;
use crate::kernel::Kernel;
use crate::pointers::{handle, handles};
use crate::status::{Failure, Status, call, make};

/// Runs commands on a device.
#[derive(Debug)]
pub struct Queue(pub(crate) umd::Queue);

/// What a kernel runs over.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// 1 to 3; what lies beyond is not looked at.
    pub dimensions: u32,
    /// Work-items.
    pub global: [u64; 3],
    /// Work-items of a group; all zero lets the driver choose.
    pub local: [u32; 3],
    /// The first work-item's ids.
    pub offset: [u64; 3],
}

impl Range {
    fn of(range: Option<&Self>) -> Result<NdRange, Failure> {
        let range = handle(range, "range")?;
        let dimensions = usize::try_from(range.dimensions).unwrap_or(usize::MAX);
        let wrong = || Failure::usage(format!("{dimensions} dimensions; 1 to 3 are possible"));
        let global = range.global.get(..dimensions).ok_or_else(wrong)?;
        let local = range.local.get(..dimensions).ok_or_else(wrong)?;
        let offset = range.offset.get(..dimensions).ok_or_else(wrong)?;
        let mut range = NdRange::new(global)?.with_offset(offset)?;
        if local.iter().any(|&size| size != 0) {
            range = range.with_local(local)?;
        }
        Ok(range)
    }
}

/// Runs an enqueueing call: with the events of the wait list; the event is written to `event`
/// unless that is null.
///
/// # Safety
/// See "Pointers" at the top of the header.
pub(crate) unsafe fn enqueue(
    queue: Option<&Queue>,
    (wait_count, wait_list): (usize, *const *const Event),
    event: Option<&mut *mut Event>,
    body: impl FnOnce(&umd::Queue, &[umd::Event]) -> Result<umd::Event, Failure>,
) -> Status {
    call(|| {
        // SAFETY: as the caller promises.
        let list =
            unsafe { handles(wait_list, wait_count, "wait list", "event of the wait list") }?;
        let list: Vec<_> = list.into_iter().map(|event| event.0.clone()).collect();
        let enqueued = body(&handle(queue, "queue")?.0, &list)?;
        if let Some(event) = event {
            *event = Box::into_raw(Box::new(Event(enqueued)));
        }
        Ok(())
    })
}

/// Makes a queue. Its commands run in order if `out_of_order` is zero; else only wait lists and
/// barriers order them.
#[unsafe(no_mangle)]
pub extern "C" fn ig_queue_create(
    device: Option<&Device>,
    out_of_order: u32,
    queue: Option<&mut *mut Queue>,
) -> Status {
    make(queue, || {
        let options = QueueOptions {
            out_of_order: out_of_order != 0,
            ..QueueOptions::default()
        };
        Ok(Queue(handle(device, "device")?.inner.queue(options)?))
    })
}

/// Releases a queue. Waits for the commands that the device has, sixty seconds at most: what has
/// not ended then is abandoned, and its events fail. To wait for another time, or to know how the
/// commands ended, finish the queue first. Commands that events hold back still go on when those
/// are set; the call that sets them waits in place of this one then.
#[unsafe(no_mangle)]
pub extern "C" fn ig_queue_release(queue: Option<Box<Queue>>) {
    drop(queue);
}

/// Waits for all commands that a queue has, at most `timeout` nanoseconds. Returns the
/// error of the first command that has failed since the last call.
#[unsafe(no_mangle)]
pub extern "C" fn ig_queue_finish(queue: Option<&Queue>, timeout: u64) -> Status {
    call(|| {
        Ok(handle(queue, "queue")?
            .0
            .finish(Duration::from_nanos(timeout))?)
    })
}

/// Runs a kernel over a range, with the arguments that are set now, after the events of the wait
/// list. `event` may be null.
///
/// # Safety
/// See "Pointers" at the top of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_enqueue_kernel(
    queue: Option<&Queue>,
    kernel: Option<&Kernel>,
    range: Option<&Range>,
    wait_count: usize,
    wait_list: *const *const Event,
    event: Option<&mut *mut Event>,
) -> Status {
    // SAFETY: as the caller promises.
    unsafe {
        enqueue(queue, (wait_count, wait_list), event, |queue, list| {
            let kernel = handle(kernel, "kernel")?.lock().clone();
            Ok(queue.enqueue(&kernel, &Range::of(range)?, list)?)
        })
    }
}

/// A command that ends once the events of the wait list have; with an empty list, once all
/// commands that the queue got before have.
///
/// # Safety
/// See "Pointers" at the top of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_enqueue_marker(
    queue: Option<&Queue>,
    wait_count: usize,
    wait_list: *const *const Event,
    event: Option<&mut *mut Event>,
) -> Status {
    // SAFETY: as the caller promises.
    unsafe {
        enqueue(queue, (wait_count, wait_list), event, |queue, list| {
            Ok(queue.marker(list)?)
        })
    }
}

/// A marker that all commands enqueued later come after.
///
/// # Safety
/// See "Pointers" at the top of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_enqueue_barrier(
    queue: Option<&Queue>,
    wait_count: usize,
    wait_list: *const *const Event,
    event: Option<&mut *mut Event>,
) -> Status {
    // SAFETY: as the caller promises.
    unsafe {
        enqueue(queue, (wait_count, wait_list), event, |queue, list| {
            Ok(queue.barrier(list)?)
        })
    }
}
