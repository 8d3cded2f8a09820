//! Exec queues, submissions, user fences.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::{Duration, Instant};

use batchbuffer::Engine;
use devinfo::GpuAddress;
use kmd_iface::uapi::xe::exec::{
    EXEC_QUEUE_EXTENSION_SET_PROPERTY, EXEC_QUEUE_GET_PROPERTY_BAN,
    EXEC_QUEUE_SET_PROPERTY_PRIORITY, EXEC_QUEUE_SET_PROPERTY_TIMESLICE, Exec, ExecQueueCreate,
    ExecQueueDestroy, ExecQueueGetProperty, WaitFlags, WaitOp, WaitUserFence,
};
use kmd_iface::uapi::xe::{EngineClass, EngineClassInstance, ExtSetProperty};
use nix::errno::Errno;

use super::syncs::{Syncs, UserFences};
use super::{find_engine, for_each_extension, zero};
use crate::client::{File, Work, XeQueue};
use crate::refusal::{Answer, demand, ensure, refuse};
use crate::uapi::deadline_at;
use softgpu_device::{Commands, Fence, Job, Write, wait_until};
use softgpu_memory::user;

/// The most engines that a queue names (Linux, `XE_HW_ENGINE_MAX_INSTANCE`).
const INSTANCE_LIMIT: u32 = 9;

/// Bounds of a timeslice in microseconds (Linux, `DRM_XE_TIMESLICE_MIN` and `_MAX`).
const TIMESLICES: RangeInclusive<u64> = 1..=10_000_000;

/// Priorities of queues.
const NORMAL: i64 = 1;
const HIGH: u64 = 2;

/// Errors in the order of Linux `xe_exec_queue_create_ioctl`.
pub(super) fn queue_create(file: &File, args: &mut ExecQueueCreate) -> Answer {
    zero(&args.reserved.map(|r| ("reserved", r)))?;
    // Bit 0 is a hint for low latency.
    ensure!(
        args.flags & !1 == 0,
        EINVAL,
        "flags {:#x} is not known",
        args.flags
    );
    let count = u32::from(args.width) * u32::from(args.num_placements);
    ensure!(
        (1..=INSTANCE_LIMIT).contains(&count),
        EINVAL,
        "width {}, num_placements {}: from 1 to {INSTANCE_LIMIT} engines",
        args.width,
        args.num_placements
    );
    let placements: Vec<EngineClassInstance> = user::read_array(args.instances, count.into())?;
    let first = placements.first().ok_or(Errno::EINVAL)?;
    ensure!(first.gt_id == 0, EINVAL, "{first:?}: there is one GT");
    let queue = if first.engine_class == EngineClass::VmBind as u16 {
        ensure!(
            count == 1 && first.engine_instance == 0,
            EINVAL,
            "{count} engines, the first {first:?}: a queue for bindings has one, instance 0"
        );
        read_properties(file, args.extensions)?;
        XeQueue::bindings(file.device())
    } else {
        let engine = choose(file, &placements)?;
        // Parallel submission needs adjacent engines of a class; each class has one.
        ensure!(
            args.width == 1,
            EINVAL,
            "width {}: each class has one engine",
            args.width
        );
        let vm = file.xe_vm(args.vm_id)?;
        let priority = read_properties(file, args.extensions)?;
        XeQueue::batches(file.device(), engine, vm, priority)
    };
    args.exec_queue_id = file.xe_queues.insert(queue)?;
    Ok(())
}

/// The engine of a queue; the placements must exist and be of one class.
fn choose(file: &File, placements: &[EngineClassInstance]) -> Answer<Engine> {
    let mut chosen = None;
    for placement in placements {
        let engine = find_engine(file.device(), *placement);
        let engine = demand!(engine, EINVAL, "the device has no {placement:?}");
        ensure!(
            *chosen.get_or_insert(engine) == engine,
            EINVAL,
            "{placement:?}: the engines of a queue are of one class"
        );
    }
    Ok(chosen.ok_or(Errno::EINVAL)?)
}

/// The priority that a chain of properties gives a queue.
fn read_properties(file: &File, extensions: u64) -> Answer<i64> {
    let mut priority = NORMAL;
    for_each_extension(extensions, |name, address| {
        ensure!(
            name == EXEC_QUEUE_EXTENSION_SET_PROPERTY,
            EINVAL,
            "extension {name} is not known"
        );
        let extension: ExtSetProperty = user::read(address)?;
        zero(&[("pad of SET_PROPERTY", extension.pad.into())])?;
        match (extension.property, extension.value) {
            (EXEC_QUEUE_SET_PROPERTY_PRIORITY, value) if value > HIGH => {
                refuse!(EINVAL, "priority {value}: at most {HIGH}")
            }
            (EXEC_QUEUE_SET_PROPERTY_PRIORITY, HIGH) if !file.device().options.privileged => {
                refuse!(EPERM, "priority {HIGH} is for privileged clients")
            }
            (EXEC_QUEUE_SET_PROPERTY_PRIORITY, value) => {
                priority = value.cast_signed();
                Ok(())
            }
            // Timeslices have no effect here.
            (EXEC_QUEUE_SET_PROPERTY_TIMESLICE, value) if TIMESLICES.contains(&value) => Ok(()),
            (property, value) => refuse!(EINVAL, "property {property} with value {value}"),
        }
    })?;
    Ok(priority)
}

pub(super) fn queue_destroy(file: &File, args: &mut ExecQueueDestroy) -> Answer {
    zero(&[("pad", args.pad.into())])?;
    zero(&args.reserved.map(|r| ("reserved", r)))?;
    file.destroy_queue(args.exec_queue_id)
}

pub(super) fn queue_get_property(file: &File, args: &mut ExecQueueGetProperty) -> Answer {
    zero(&args.reserved.map(|r| ("reserved", r)))?;
    let queue = file.xe_queue(args.exec_queue_id)?;
    match args.property {
        EXEC_QUEUE_GET_PROPERTY_BAN => {
            args.value = queue.status.is_banned().into();
            Ok(())
        }
        property => refuse!(EINVAL, "property {property} is not known"),
    }
}

pub(super) fn exec(file: &File, args: &mut Exec) -> Answer {
    zero(&[("extensions", args.extensions)])?;
    zero(&args.reserved.map(|r| ("reserved", r)))?;
    zero(&args.pad.map(|pad| ("pad", pad.into())))?;
    let id = args.exec_queue_id;
    let queue = file.xe_queue(id)?;
    let Work::Batches { vm, timeline } = &queue.work else {
        refuse!(EINVAL, "exec_queue_id {id}: that queue is for bindings");
    };
    // No batch at all only waits and signals.
    ensure!(
        args.num_batch_buffer <= 1,
        EINVAL,
        "num_batch_buffer {}: the queue has one engine",
        args.num_batch_buffer
    );
    ensure!(
        !queue.status.is_banned(),
        ECANCELED,
        "queue {id} is banned: a batch of it failed"
    );
    let batch = (args.num_batch_buffer == 1).then(|| GpuAddress::new(args.address));
    let long_running = vm.mode.is_long_running();
    let syncs = Syncs::read(file, args.syncs, args.num_syncs, vm, UserFences::OfGpu)?;
    // Without dma-fences, an empty submission signals nothing.
    if batch.is_none() && long_running {
        return Ok(());
    }
    ensure!(
        !vm.is_closed(),
        ECANCELED,
        "the VM of queue {id} is destroyed"
    );
    vm.drop_stale_pages()?;
    let done = Fence::new();
    // User fences need a batch.
    let signals = syncs.user_fence.filter(|_| batch.is_some());
    let writes = signals.map(|fence| Write {
        address: GpuAddress::new(fence.address),
        value: fence.value,
    });
    let mut waits = syncs.waits.clone();
    waits.extend(vm.pending_bind());
    let job = Job {
        space: vm.space.clone(),
        global: None,
        commands: batch.map(Commands::Batch),
        waits,
        begins_after: None,
        priority: queue.priority,
        done: Arc::clone(&done),
        writes: writes.into_iter().collect(),
        endless: long_running,
    };
    crate::uapi::submit(timeline, job)?;
    syncs.attach(&done);
    Ok(())
}

/// How long a waiter for a user fence sleeps between checks: other devices and the CPU also write
/// fences, without notice.
const FENCE_POLL: Duration = Duration::from_millis(1);

pub(super) fn wait_user_fence(file: &File, args: &mut WaitUserFence) -> Answer {
    zero(&[
        ("extensions", args.extensions),
        ("pad", args.pad.into()),
        ("pad2", args.pad2.into()),
    ])?;
    zero(&args.reserved.map(|r| ("reserved", r)))?;
    let unknown = args.flags - WaitFlags::ABSTIME;
    ensure!(
        unknown.is_empty(),
        EINVAL,
        "flags: {unknown:?} is not known"
    );
    ensure!(
        args.addr & 7 == 0,
        EINVAL,
        "addr {:#x}: a multiple of 8",
        args.addr
    );
    let op = WaitOp::from_raw(args.op);
    let op = demand!(op, EINVAL, "op {:#x} is not known", args.op);
    let queue = match args.exec_queue_id {
        0 => None,
        id => Some(file.xe_queue(id)?),
    };
    let started = Instant::now();
    let absolute = args.flags.contains(WaitFlags::ABSTIME);
    let deadline = match u64::try_from(args.timeout) {
        // A negative time means for ever, absolute or not, and is returned as such.
        Err(_) => {
            args.timeout = i64::MAX;
            None
        }
        // A time of 0 does not wait, absolute or not.
        Ok(0) => Some(started),
        Ok(_) if absolute => deadline_at(args.timeout),
        Ok(limit) => started.checked_add(Duration::from_nanos(limit)),
    };
    let outcome = loop {
        if holds(args, op)? {
            break Ok(());
        }
        if queue.as_ref().is_some_and(|queue| queue.status.is_banned()) {
            break Err(Errno::EIO);
        }
        let now = Instant::now();
        if deadline.is_some_and(|deadline| now >= deadline) {
            break Err(Errno::ETIME);
        }
        let next = now + FENCE_POLL;
        let soon = deadline.map_or(next, |deadline| next.min(deadline));
        let _: Option<()> =
            wait_until(Some(soon), || holds(args, op).ok().filter(|h| *h).map(drop));
    };
    if !absolute && args.timeout > 0 {
        let spent = i64::try_from(started.elapsed().as_nanos()).unwrap_or(i64::MAX);
        args.timeout = args.timeout.saturating_sub(spent).max(0);
    }
    Ok(outcome?)
}

/// Compares the fence's value with the awaited one.
fn holds(args: &WaitUserFence, op: WaitOp) -> Answer<bool> {
    let value: u64 = user::read(args.addr)?;
    let (value, wanted) = (value & args.mask, args.value & args.mask);
    Ok(match op {
        WaitOp::Eq => value == wanted,
        WaitOp::Neq => value != wanted,
        WaitOp::Gt => value > wanted,
        WaitOp::Gte => value >= wanted,
        WaitOp::Lt => value < wanted,
        WaitOp::Lte => value <= wanted,
    })
}
