//! Sync objects: the generic DRM calls, through the node like all others.

use std::os::fd::OwnedFd;
use std::time::Instant;

use nix::errno::Errno;
use nix::time::{ClockId, clock_gettime};

use super::owned_fd;
use smallvec::SmallVec;

use crate::node_ext::{NodeExt, user_pointer, user_pointer_mut};
use crate::uapi::drm::{self, SyncobjCreateFlags, SyncobjFdFlags, SyncobjWaitFlags};
use crate::{KmdError, KmdResult, Node};

/// SYNCOBJ_CREATE: a sync object. Returns its handle.
pub fn syncobj_create(node: &dyn Node, flags: SyncobjCreateFlags) -> KmdResult<u32> {
    let mut argument = drm::SyncobjCreate { handle: 0, flags };
    node.call(drm::SYNCOBJ_CREATE, &mut argument)?;
    Ok(argument.handle)
}

/// SYNCOBJ_DESTROY.
pub fn syncobj_destroy(node: &dyn Node, handle: u32) -> KmdResult<()> {
    node.call(
        drm::SYNCOBJ_DESTROY,
        &mut drm::SyncobjDestroy { handle, pad: 0 },
    )?;
    Ok(())
}

/// SYNCOBJ_TIMELINE_WAIT for all of `points` (handle, point). Returns whether they were reached
/// before `deadline`.
///
/// # Errors
/// What the kernel answers, except a timeout.
pub fn syncobj_timeline_wait(
    node: &dyn Node,
    points: &[(u32, u64)],
    flags: SyncobjWaitFlags,
    deadline: Instant,
) -> KmdResult<bool> {
    let handles: SmallVec<[u32; 4]> = points.iter().map(|p| p.0).collect();
    let values: SmallVec<[u64; 4]> = points.iter().map(|p| p.1).collect();
    let mut argument = drm::SyncobjTimelineWait {
        handles: user_pointer(handles.as_slice()),
        points: user_pointer(values.as_slice()),
        timeout_nsec: monotonic_nanoseconds(deadline)?,
        count_handles: u32::try_from(points.len()).unwrap_or(u32::MAX),
        flags: flags | SyncobjWaitFlags::WAIT_ALL,
        ..Default::default()
    };
    reached(
        drm::SYNCOBJ_TIMELINE_WAIT.name(),
        node.try_call(drm::SYNCOBJ_TIMELINE_WAIT, &mut argument),
    )
}

/// SYNCOBJ_WAIT for all of `handles`. Returns whether they were signalled before `deadline`.
///
/// # Errors
/// What the kernel answers, except a timeout.
pub fn syncobj_wait(
    node: &dyn Node,
    handles: &[u32],
    flags: SyncobjWaitFlags,
    deadline: Instant,
) -> KmdResult<bool> {
    let mut argument = drm::SyncobjWait {
        handles: user_pointer(handles),
        timeout_nsec: monotonic_nanoseconds(deadline)?,
        count_handles: u32::try_from(handles.len()).unwrap_or(u32::MAX),
        flags: flags | SyncobjWaitFlags::WAIT_ALL,
        ..Default::default()
    };
    reached(
        drm::SYNCOBJ_WAIT.name(),
        node.try_call(drm::SYNCOBJ_WAIT, &mut argument),
    )
}

fn reached(ioctl: &'static str, result: Result<i32, Errno>) -> KmdResult<bool> {
    match result {
        Ok(_) => Ok(true),
        Err(Errno::ETIME) => Ok(false),
        Err(errno) => Err(KmdError::from_errno(ioctl, errno)),
    }
}

/// SYNCOBJ_QUERY: the last signalled point of each handle.
pub fn syncobj_query(node: &dyn Node, handles: &[u32]) -> KmdResult<Vec<u64>> {
    let mut points = vec![0u64; handles.len()];
    let mut argument = drm::SyncobjTimelineArray {
        handles: user_pointer(handles),
        points: user_pointer_mut(points.as_mut_slice()),
        count_handles: u32::try_from(handles.len()).unwrap_or(u32::MAX),
        ..Default::default()
    };
    node.call(drm::SYNCOBJ_QUERY, &mut argument)?;
    Ok(points)
}

/// SYNCOBJ_TIMELINE_SIGNAL: signals a point from the CPU.
pub fn syncobj_timeline_signal(node: &dyn Node, handle: u32, point: u64) -> KmdResult<()> {
    let mut argument = drm::SyncobjTimelineArray {
        handles: user_pointer(&handle),
        points: user_pointer(&point),
        count_handles: 1,
        ..Default::default()
    };
    node.call(drm::SYNCOBJ_TIMELINE_SIGNAL, &mut argument)?;
    Ok(())
}

/// SYNCOBJ_SIGNAL: signals binary objects from the CPU.
pub fn syncobj_signal(node: &dyn Node, handles: &[u32]) -> KmdResult<()> {
    node.call(drm::SYNCOBJ_SIGNAL, &mut array(handles))?;
    Ok(())
}

/// SYNCOBJ_RESET: drops the fences of binary objects.
pub fn syncobj_reset(node: &dyn Node, handles: &[u32]) -> KmdResult<()> {
    node.call(drm::SYNCOBJ_RESET, &mut array(handles))?;
    Ok(())
}

fn array(handles: &[u32]) -> drm::SyncobjArray {
    drm::SyncobjArray {
        handles: user_pointer(handles),
        count_handles: u32::try_from(handles.len()).unwrap_or(u32::MAX),
        pad: 0,
    }
}

/// SYNCOBJ_TRANSFER: copies the fence of one (handle, point) to another.
pub fn syncobj_transfer(node: &dyn Node, from: (u32, u64), to: (u32, u64)) -> KmdResult<()> {
    let mut argument = drm::SyncobjTransfer {
        src_handle: from.0,
        dst_handle: to.0,
        src_point: from.1,
        dst_point: to.1,
        ..Default::default()
    };
    node.call(drm::SYNCOBJ_TRANSFER, &mut argument)?;
    Ok(())
}

/// SYNCOBJ_HANDLE_TO_FD: the fence of a binary object as a sync file.
pub fn syncobj_export_sync_file(node: &dyn Node, handle: u32) -> KmdResult<OwnedFd> {
    let mut argument = drm::SyncobjHandle {
        handle,
        flags: SyncobjFdFlags::SYNC_FILE,
        fd: -1,
        pad: 0,
    };
    node.call(drm::SYNCOBJ_HANDLE_TO_FD, &mut argument)?;
    owned_fd(drm::SYNCOBJ_HANDLE_TO_FD.name(), argument.fd)
}

/// `deadline` on the clock that the kernel measures sync object waits with, in nanoseconds.
///
/// `Instant` is that clock on Linux but hides its zero, so this goes through the time that is left.
pub(crate) fn monotonic_nanoseconds(deadline: Instant) -> KmdResult<i64> {
    let left = deadline.saturating_duration_since(Instant::now());
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC)
        .map_err(|errno| KmdError::from_errno("clock_gettime", errno))?;
    let now = std::time::Duration::from(now);
    Ok(now
        .checked_add(left)
        .and_then(|at| i64::try_from(at.as_nanos()).ok())
        .unwrap_or(i64::MAX))
}

/// The fence of a point as a sync file: only binary sync objects become sync files, so the point
/// is copied into one first.
pub fn syncobj_export_point(node: &dyn Node, timeline: u32, point: u64) -> KmdResult<OwnedFd> {
    let binary = syncobj_create(node, SyncobjCreateFlags::empty())?;
    let file = syncobj_transfer(node, (timeline, point), (binary, 0))
        .and_then(|()| syncobj_export_sync_file(node, binary));
    syncobj_destroy(node, binary)?;
    file
}
