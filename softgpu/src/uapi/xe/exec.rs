//! Exec queues, submissions, user fences.

use std::sync::Arc;
use std::time::{Duration, Instant};

use devinfo::GpuAddress;
use kmd_iface::uapi::xe::exec::{
    EXEC_QUEUE_EXTENSION_SET_PROPERTY, EXEC_QUEUE_GET_PROPERTY_BAN,
    EXEC_QUEUE_SET_PROPERTY_PRIORITY, EXEC_QUEUE_SET_PROPERTY_TIMESLICE, Exec, ExecQueueCreate,
    ExecQueueDestroy, ExecQueueGetProperty, WaitFlags, WaitOp, WaitUserFence,
};
use kmd_iface::uapi::xe::{EngineClass, EngineClassInstance, ExtSetProperty};
use nix::errno::Errno;

use super::syncs::{FenceSpace, Syncs};
use super::{engines, for_each_extension, zero};
use crate::engine::{Fence, Job, Write, wait_until};
use crate::mem::user;
use crate::node::{File, Work, XeQueue};
use crate::uapi::deadline_at;

/// The most placements of a queue.
const PLACEMENT_LIMIT: u16 = 64;

pub(super) fn queue_create(file: &File, args: &mut ExecQueueCreate) -> Result<(), Errno> {
    zero(&[args.reserved[0], args.reserved[1]])?;
    // Bit 0 is a hint for low latency.
    if args.flags & !1 != 0 || args.width == 0 || args.num_placements == 0 {
        return Err(Errno::EINVAL);
    }
    if args.num_placements > PLACEMENT_LIMIT {
        return Err(Errno::EINVAL);
    }
    if args.width != 1 {
        // Parallel submission needs several engines of a class.
        return Err(Errno::EINVAL);
    }
    for_each_extension(args.extensions, |name, address| {
        if name != EXEC_QUEUE_EXTENSION_SET_PROPERTY {
            return Err(Errno::EINVAL);
        }
        set_property(&user::read(address)?)
    })?;
    let placements: Vec<EngineClassInstance> =
        user::read_array(args.instances, args.num_placements.into())?;
    let bind = EngineClass::VmBind as u16;
    let queue = if placements.iter().any(|p| p.engine_class == bind) {
        if args.num_placements != 1 {
            return Err(Errno::EINVAL);
        }
        XeQueue::bindings()
    } else {
        let known = engines(file.device());
        let mut chosen = None;
        for placement in &placements {
            let engine = known.iter().find(|(_, instance)| instance == placement);
            let (engine, instance) = engine.ok_or(Errno::EINVAL)?;
            match chosen {
                None => chosen = Some((*engine, instance.engine_class)),
                Some((_, class)) if class != instance.engine_class => return Err(Errno::EINVAL),
                Some(_) => {}
            }
        }
        let (engine, _) = chosen.ok_or(Errno::EINVAL)?;
        let vm = file.xe_vms.get(args.vm_id).ok_or(Errno::ENOENT)?;
        XeQueue::batches(file.device(), engine, vm)
    };
    args.exec_queue_id = file.xe_queues.insert(queue)?;
    Ok(())
}

fn set_property(extension: &ExtSetProperty) -> Result<(), Errno> {
    zero(&[
        extension.pad.into(),
        extension.reserved[0],
        extension.reserved[1],
    ])?;
    match extension.property {
        // Low and normal; high needs privileges.
        EXEC_QUEUE_SET_PROPERTY_PRIORITY => match extension.value {
            0 | 1 => Ok(()),
            2 => Err(Errno::EPERM),
            _ => Err(Errno::EINVAL),
        },
        // Timelines share the engine without slices of their own.
        EXEC_QUEUE_SET_PROPERTY_TIMESLICE => Ok(()),
        _ => Err(Errno::EINVAL),
    }
}

pub(super) fn queue_destroy(file: &File, args: &mut ExecQueueDestroy) -> Result<(), Errno> {
    zero(&[args.pad.into(), args.reserved[0], args.reserved[1]])?;
    let queue = file
        .xe_queues
        .remove(args.exec_queue_id)
        .ok_or(Errno::ENOENT)?;
    // Its work ends with it.
    queue.kill();
    Ok(())
}

pub(super) fn queue_get_property(
    file: &File,
    args: &mut ExecQueueGetProperty,
) -> Result<(), Errno> {
    zero(&[args.extensions, args.reserved[0], args.reserved[1]])?;
    let queue = file
        .xe_queues
        .get(args.exec_queue_id)
        .ok_or(Errno::ENOENT)?;
    match args.property {
        EXEC_QUEUE_GET_PROPERTY_BAN => {
            args.value = queue.status.is_banned().into();
            Ok(())
        }
        _ => Err(Errno::EINVAL),
    }
}

pub(super) fn exec(file: &File, args: &mut Exec) -> Result<(), Errno> {
    zero(&[args.extensions, args.reserved[0], args.reserved[1]])?;
    if args.pad != [0; 3] {
        return Err(Errno::EINVAL);
    }
    let queue = file
        .xe_queues
        .get(args.exec_queue_id)
        .ok_or(Errno::ENOENT)?;
    let Work::Batches { vm, timeline } = &queue.work else {
        return Err(Errno::EINVAL);
    };
    if queue.status.is_banned() {
        return Err(Errno::ECANCELED);
    }
    // No batch at all only waits and signals.
    if args.num_batch_buffer > 1 {
        return Err(Errno::EINVAL);
    }
    let batch = GpuAddress::new(args.address);
    let long_running = vm.long_running;
    let syncs = Syncs::read(
        file,
        args.syncs,
        args.num_syncs,
        long_running,
        FenceSpace::Gpu,
    )?;
    vm.drop_stale_pages()?;
    let done = Fence::new();
    let signals = syncs.user_fence.map(|fence| Write {
        address: GpuAddress::new(fence.address),
        value: fence.value,
    });
    let mut waits = syncs.waits.clone();
    waits.extend(vm.pending_bind());
    timeline
        .submit(Job {
            space: Arc::clone(&vm.space),
            batch: (args.num_batch_buffer == 1).then_some(batch),
            waits,
            done: Arc::clone(&done),
            writes: signals.into_iter().collect(),
            endless: long_running,
        })
        .inspect_err(|errno| done.signal(Err(*errno)))?;
    syncs.attach(&done);
    Ok(())
}

/// How long a waiter for a user fence sleeps between two looks: other devices and the CPU write
/// them, too, and announce nothing.
const FENCE_POLL: Duration = Duration::from_millis(1);

pub(super) fn wait_user_fence(file: &File, args: &mut WaitUserFence) -> Result<(), Errno> {
    zero(&[
        args.extensions,
        args.pad.into(),
        args.pad2.into(),
        args.reserved[0],
        args.reserved[1],
    ])?;
    if !(args.flags - WaitFlags::ABSTIME).is_empty() || args.addr & 7 != 0 {
        return Err(Errno::EINVAL);
    }
    let op = WaitOp::from_raw(args.op).ok_or(Errno::EINVAL)?;
    let queue = match args.exec_queue_id {
        0 => None,
        id => Some(file.xe_queues.get(id).ok_or(Errno::ENOENT)?),
    };
    let started = Instant::now();
    let absolute = args.flags.contains(WaitFlags::ABSTIME);
    let deadline = if absolute {
        deadline_at(args.timeout)
    } else {
        // A negative time is for ever.
        let limit = u64::try_from(args.timeout).ok().map(Duration::from_nanos);
        limit.and_then(|limit| started.checked_add(limit))
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
    outcome
}

/// Compares the fence's value with the one that is waited for.
fn holds(args: &WaitUserFence, op: WaitOp) -> Result<bool, Errno> {
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
