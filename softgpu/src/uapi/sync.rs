//! The sync object ioctls.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kmd_iface::uapi::drm::{
    self, SyncobjArray, SyncobjCreate, SyncobjCreateFlags, SyncobjDestroy, SyncobjEventfd,
    SyncobjFdFlags, SyncobjHandle, SyncobjQueryFlags, SyncobjTimelineArray, SyncobjTimelineWait,
    SyncobjTransfer, SyncobjWait, SyncobjWaitFlags,
};
use nix::errno::Errno;

use super::{Call, deadline_at, route};
use crate::client::File;
use crate::refusal::{Answer, demand, ensure, refuse};
use crate::sync::{Syncobj, export, give_away, import};
use softgpu_device::{Fence, wait_for, wait_until};
use softgpu_memory::user;

/// Answers a sync object ioctl; `None` if it is a different one.
pub(super) fn answer(file: &File, call: &mut Call<'_>) -> Option<Result<i32, Errno>> {
    let first = drm::SYNCOBJ_CREATE.number();
    let last = drm::SYNCOBJ_EVENTFD.number();
    if !(first..=last).contains(&call.number()) {
        return None;
    }
    Some(route!(call, {
        drm::SYNCOBJ_CREATE => |c| create(file, c),
        drm::SYNCOBJ_DESTROY => |d| destroy(file, d),
        drm::SYNCOBJ_HANDLE_TO_FD => |h| handle_to_fd(file, h),
        drm::SYNCOBJ_FD_TO_HANDLE => |h| fd_to_handle(file, h),
        drm::SYNCOBJ_WAIT => |w| wait(file, w),
        drm::SYNCOBJ_RESET => |a| reset(file, a),
        drm::SYNCOBJ_SIGNAL => |a| signal(file, a),
        drm::SYNCOBJ_TIMELINE_WAIT => |w| timeline_wait(file, w),
        drm::SYNCOBJ_QUERY => |a| query(file, a),
        drm::SYNCOBJ_TRANSFER => |t| transfer(file, t),
        drm::SYNCOBJ_TIMELINE_SIGNAL => |a| timeline_signal(file, a),
        drm::SYNCOBJ_EVENTFD => |e| eventfd(file, e),
    }))
}

fn create(file: &File, create: &mut SyncobjCreate) -> Answer {
    let unknown = create.flags - SyncobjCreateFlags::SIGNALED;
    ensure!(
        unknown.is_empty(),
        EINVAL,
        "flags: {unknown:?} is not known"
    );
    let object = Syncobj::new();
    if create.flags.contains(SyncobjCreateFlags::SIGNALED) {
        object.replace(Some(Fence::signalled()));
    }
    create.handle = file.syncobjs.insert(object)?;
    Ok(())
}

fn destroy(file: &File, destroy: &mut SyncobjDestroy) -> Answer {
    let removed = file.syncobjs.remove(destroy.handle);
    demand!(
        removed,
        EINVAL,
        "there is no sync object {}",
        destroy.handle
    );
    Ok(())
}

/// A sync file of `fence`: a fd that becomes readable when the fence is signalled.
pub(super) fn sync_file(fence: &Arc<Fence>) -> Answer<OwnedFd> {
    let (fd, token) = export(Arc::clone(fence))?;
    fence.on_signal(Box::new(move || token.make_readable()));
    Ok(fd)
}

/// Whether a conversion is to or from a sync file; it may have no other flag.
fn of_sync_file(args: &SyncobjHandle) -> Answer<bool> {
    ensure!(
        args.pad == 0 && (args.flags - SyncobjFdFlags::SYNC_FILE).is_empty(),
        EINVAL,
        "flags {:?}, pad {}: only SYNC_FILE is known, pad must be zero",
        args.flags,
        args.pad
    );
    Ok(args.flags.contains(SyncobjFdFlags::SYNC_FILE))
}

fn handle_to_fd(file: &File, args: &mut SyncobjHandle) -> Answer {
    let of_sync_file = of_sync_file(args)?;
    let object = file.syncobj(args.handle)?;
    let fd = if of_sync_file {
        let fence = object.fence(0);
        sync_file(&demand!(
            fence,
            EINVAL,
            "sync object {} holds no fence",
            args.handle
        ))?
    } else {
        export(object)?.0
    };
    args.fd = give_away(fd);
    Ok(())
}

fn fd_to_handle(file: &File, args: &mut SyncobjHandle) -> Answer {
    if of_sync_file(args)? {
        let fence: Arc<Fence> = import(args.fd)?;
        file.syncobj(args.handle)?.replace(Some(fence));
    } else {
        args.handle = file.syncobjs.insert(import(args.fd)?)?;
    }
    Ok(())
}

/// The most handles of one call.
const ARRAY_LIMIT: u32 = 1 << 16;

/// The objects of an array of handles.
fn objects(file: &File, address: u64, count: u32) -> Answer<Vec<Arc<Syncobj>>> {
    ensure!(
        (1..=ARRAY_LIMIT).contains(&count),
        EINVAL,
        "count_handles {count}: from 1 to {ARRAY_LIMIT}"
    );
    found(file, user::read_array(address, count.into())?)
}

/// The objects of these handles.
fn found(file: &File, handles: Vec<u32>) -> Answer<Vec<Arc<Syncobj>>> {
    handles.into_iter().map(|h| file.syncobj(h)).collect()
}

fn wait(file: &File, args: &mut SyncobjWait) -> Answer {
    let allowed = SyncobjWaitFlags::WAIT_ALL
        | SyncobjWaitFlags::WAIT_FOR_SUBMIT
        | SyncobjWaitFlags::WAIT_DEADLINE;
    let unknown = args.flags - allowed;
    ensure!(
        unknown.is_empty(),
        EINVAL,
        "flags: {unknown:?} is not known"
    );
    let objects = objects(file, args.handles, args.count_handles)?;
    let points = vec![0; objects.len()];
    args.first_signaled = wait_points(&objects, &points, args.flags, args.timeout_nsec)?;
    Ok(())
}

fn timeline_wait(file: &File, args: &mut SyncobjTimelineWait) -> Answer {
    let allowed = SyncobjWaitFlags::WAIT_ALL
        | SyncobjWaitFlags::WAIT_FOR_SUBMIT
        | SyncobjWaitFlags::WAIT_AVAILABLE
        | SyncobjWaitFlags::WAIT_DEADLINE;
    let unknown = args.flags - allowed;
    ensure!(
        unknown.is_empty(),
        EINVAL,
        "flags: {unknown:?} is not known"
    );
    let count = args.count_handles;
    // The usual case: both are there.
    let both = match (1..=ARRAY_LIMIT).contains(&count) && args.points != 0 {
        true => user::read_arrays((args.handles, args.points), count.into()),
        false => None,
    };
    let (objects, points) = match both {
        Some((handles, points)) => (found(file, handles)?, points),
        None => (
            objects(file, args.handles, count)?,
            points(args.points, count)?,
        ),
    };
    args.first_signaled = wait_points(&objects, &points, args.flags, args.timeout_nsec)?;
    Ok(())
}

/// The points of an array; no array means binary objects.
fn points(address: u64, count: u32) -> Answer<Vec<u64>> {
    match address {
        0 => Ok(vec![0; usize::try_from(count).map_err(|_| Errno::EINVAL)?]),
        address => Ok(user::read_array(address, count.into())?),
    }
}

/// Waits for points. Returns the index of one that was reached.
fn wait_points(
    objects: &[Arc<Syncobj>],
    points: &[u64],
    flags: SyncobjWaitFlags,
    timeout: i64,
) -> Answer<u32> {
    let all = flags.contains(SyncobjWaitFlags::WAIT_ALL);
    let available = flags.contains(SyncobjWaitFlags::WAIT_AVAILABLE);
    let for_submit = available || flags.contains(SyncobjWaitFlags::WAIT_FOR_SUBMIT);
    let pairs = objects.iter().zip(points);
    let mut awaited: Vec<_> = pairs.map(|(o, p)| Awaited::new(o, *p)).collect();
    let empty = awaited.iter().position(|one| one.open.is_none());
    if let Some(index) = empty.filter(|_| !for_submit) {
        refuse!(
            EINVAL,
            "the sync object at index {index} holds no fence, and WAIT_FOR_SUBMIT is not set"
        );
    }
    let look = || match all || awaited.len() == 1 {
        true => awaited
            .iter_mut()
            .try_for_each(|one| one.look(available))
            .map(|()| 0),
        // Whichever comes first.
        false => awaited
            .iter_mut()
            .position(|one| one.look(available).is_ok())
            .ok_or(None),
    };
    let index = wait_for(deadline_at(timeout), look).ok_or(Errno::ETIME)?;
    Ok(u32::try_from(index).map_err(|_| Errno::EINVAL)?)
}

/// A point that a thread waits for. It waits for the first fences that the point has: those that come
/// later, or nothing, do not take their place (Linux, `drm_syncobj_array_wait_timeout`).
struct Awaited<'a> {
    object: &'a Syncobj,
    point: u64,
    /// What has not happened of them, as far as it is known; `None` before the submission.
    open: Option<Vec<Arc<Fence>>>,
}

impl<'a> Awaited<'a> {
    fn new(object: &'a Syncobj, point: u64) -> Self {
        let open = object.open(point);
        Self {
            object,
            point,
            open,
        }
    }

    /// Whether the point is reached, or, if `available`, submitted; otherwise a fence on which that
    /// depends, if there is one.
    fn look(&mut self, available: bool) -> Result<(), Option<Arc<Fence>>> {
        if self.open.is_none() {
            self.open = self.object.open(self.point);
        }
        let open = self.open.as_mut().ok_or(None)?;
        if available {
            return Ok(());
        }
        // The last one first: the others are likely to happen before it.
        while open.pop_if(|fence| fence.is_signalled()).is_some() {}
        open.last()
            .map_or(Ok(()), |fence| Err(Some(Arc::clone(fence))))
    }
}

fn reset(file: &File, args: &mut SyncobjArray) -> Answer {
    ensure!(args.pad == 0, EINVAL, "pad {}: must be zero", args.pad);
    for object in objects(file, args.handles, args.count_handles)? {
        object.replace(None);
    }
    Ok(())
}

fn signal(file: &File, args: &mut SyncobjArray) -> Answer {
    ensure!(args.pad == 0, EINVAL, "pad {}: must be zero", args.pad);
    for object in objects(file, args.handles, args.count_handles)? {
        object.replace(Some(Fence::signalled()));
    }
    Ok(())
}

fn timeline_signal(file: &File, args: &mut SyncobjTimelineArray) -> Answer {
    ensure!(
        args.flags.is_empty(),
        EINVAL,
        "flags {:?}: must be zero",
        args.flags
    );
    let objects = objects(file, args.handles, args.count_handles)?;
    let points = points(args.points, args.count_handles)?;
    for (object, point) in objects.iter().zip(points) {
        object.add_point(point, Fence::signalled());
    }
    Ok(())
}

fn query(file: &File, args: &mut SyncobjTimelineArray) -> Answer {
    let unknown = args.flags - SyncobjQueryFlags::LAST_SUBMITTED;
    ensure!(
        unknown.is_empty(),
        EINVAL,
        "flags: {unknown:?} is not known"
    );
    let submitted = args.flags.contains(SyncobjQueryFlags::LAST_SUBMITTED);
    let objects = objects(file, args.handles, args.count_handles)?;
    for (index, object) in (0u64..).zip(&objects) {
        let point = match submitted {
            true => object.submitted(),
            false => object.reached(),
        };
        let address = args.points.checked_add(8 * index).ok_or(Errno::EFAULT)?;
        user::write(address, &point)?;
    }
    Ok(())
}

/// How long a transfer waits for the submission of its source, as in the kernel.
const TRANSFER_DEADLINE: Duration = Duration::from_secs(5);

fn transfer(file: &File, args: &mut SyncobjTransfer) -> Answer {
    let wait = SyncobjWaitFlags::WAIT_FOR_SUBMIT;
    ensure!(
        args.pad == 0 && (args.flags - wait).is_empty(),
        EINVAL,
        "flags {:?}, pad {}: only {wait:?} is known, pad must be zero",
        args.flags,
        args.pad
    );
    let source = file.syncobj(args.src_handle)?;
    let target = file.syncobj(args.dst_handle)?;
    if args.flags.contains(wait) {
        let submitted = || source.has_happened(args.src_point);
        wait_until(Some(Instant::now() + TRANSFER_DEADLINE), submitted).ok_or(Errno::ETIME)?;
    }
    Ok(target.transfer(args.dst_point, &source, args.src_point)?)
}

fn eventfd(file: &File, args: &mut SyncobjEventfd) -> Answer {
    let available = SyncobjWaitFlags::WAIT_AVAILABLE;
    ensure!(
        args.pad == 0 && (args.flags - available).is_empty(),
        EINVAL,
        "flags {:?}, pad {}: only {available:?} is known, pad must be zero",
        args.flags,
        args.pad
    );
    let object = file.syncobj(args.handle)?;
    // Our own duplicate: the client may close its fd before the point is reached.
    let target = user::duplicate_eventfd(args.fd)?;
    let available = args.flags.contains(available);
    object.on_point(args.point, available, Box::new(move || raise(&target)));
    Ok(())
}

fn raise(target: &OwnedFd) {
    if let Err(error) = nix::unistd::write(target, &1u64.to_ne_bytes()) {
        tracing::debug!(%error, "softgpu: an eventfd did not take its event");
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn who_waits_for_a_fence_is_told_when_its_object_has_another() {
        for next in [None, Some(Fence::new())] {
            let fence = Fence::new();
            let object = Syncobj::new();
            object.replace(Some(Arc::clone(&fence)));
            let kept = Arc::strong_count(&fence);
            thread::scope(|scope| {
                let flags = SyncobjWaitFlags::empty();
                let objects = [Arc::clone(&object)];
                let waits = scope.spawn(move || {
                    let soon = Duration::from_secs(20).as_nanos() as i64;
                    let now = nix::time::clock_gettime(nix::time::ClockId::CLOCK_MONOTONIC);
                    let now = Duration::from(now.unwrap()).as_nanos() as i64;
                    wait_points(&objects, &[0], flags, now + soon)
                });
                // It has the fence, and with that all that it needs from the object.
                while Arc::strong_count(&fence) == kept {
                    thread::yield_now();
                }
                object.replace(next);
                fence.signal();
                assert_eq!(waits.join().unwrap().ok(), Some(0));
            });
        }
    }
}
