//! EXECBUFFER2.

use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

use smallvec::SmallVec;

use crate::generic::owned_fd;
use crate::node_ext::{NodeExt, user_pointer};
use crate::uapi::i915::UserExtension;
use crate::uapi::i915::exec::{
    EXECBUFFER_EXT_TIMELINE_FENCES, EXECBUFFER2, EXECBUFFER2_WR, ExecBuffer2, ExecFence,
    ExecFenceFlags, ExecFlags, ExecObject, ExecTimelineFences,
};
use crate::{KmdResult, Node};

/// A point of a timeline sync object, to wait for or to signal.
#[derive(Clone, Copy, Debug)]
pub struct FencePoint {
    /// The sync object.
    pub handle: u32,
    /// The point; 0 for a binary object.
    pub point: u64,
    /// Wait, signal, or both.
    pub flags: ExecFenceFlags,
}

/// The sync objects of a submission: the kernel takes one kind or the other.
#[derive(Clone, Copy, Debug)]
pub enum ExecFences<'a> {
    /// None.
    None,
    /// Binary sync objects (`I915_EXEC_FENCE_ARRAY`).
    Binary(&'a [ExecFence]),
    /// Timeline sync objects (`drm_i915_gem_execbuffer_ext_timeline_fences`).
    Timeline(&'a [FencePoint]),
}

/// A submission.
#[derive(Clone, Copy, Debug)]
pub struct Execution<'a> {
    /// Every object that the batch sees, the batch last unless the flags say otherwise.
    pub objects: &'a [ExecObject],
    /// First byte of the batch in its object, 8-byte aligned.
    pub batch_start: u32,
    /// Bytes of the batch, a multiple of 8; 0 is the rest of the object.
    pub batch_length: u32,
    /// The context.
    pub context: u32,
    /// Engine and `BATCH_FIRST`, `NO_RELOC`; the flags for fences are added.
    pub flags: ExecFlags,
    /// Sync objects.
    pub fences: ExecFences<'a>,
    /// A sync file to wait for.
    pub in_fence: Option<BorrowedFd<'a>>,
    /// Whether to return a sync file for the completion.
    pub out_fence: bool,
}

/// GEM_EXECBUFFER2: submits a batch. Returns the sync file if one was asked for.
pub fn execbuffer2(node: &dyn Node, execution: &Execution<'_>) -> KmdResult<Option<OwnedFd>> {
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let mut argument = ExecBuffer2 {
        buffers_ptr: user_pointer(execution.objects),
        buffer_count: count(execution.objects.len()),
        batch_start_offset: execution.batch_start,
        batch_len: execution.batch_length,
        flags: execution.flags,
        rsvd1: u64::from(execution.context),
        ..Default::default()
    };

    // Both outlive the call: the argument points at them.
    let mut handles = SmallVec::<[ExecFence; 4]>::new();
    let mut values = SmallVec::<[u64; 4]>::new();
    let extension;
    match execution.fences {
        ExecFences::None => {}
        ExecFences::Binary(fences) => {
            argument.flags |= ExecFlags::FENCE_ARRAY;
            argument.num_cliprects = count(fences.len());
            argument.cliprects_ptr = user_pointer(fences);
        }
        ExecFences::Timeline(points) => {
            for point in points {
                handles.push(ExecFence {
                    handle: point.handle,
                    flags: point.flags,
                });
                values.push(point.point);
            }
            extension = ExecTimelineFences {
                base: UserExtension {
                    name: EXECBUFFER_EXT_TIMELINE_FENCES,
                    ..Default::default()
                },
                fence_count: points.len() as u64,
                handles_ptr: user_pointer(handles.as_slice()),
                values_ptr: user_pointer(values.as_slice()),
            };
            argument.flags |= ExecFlags::USE_EXTENSIONS;
            argument.cliprects_ptr = user_pointer(&extension);
        }
    }
    if let Some(fd) = execution.in_fence {
        argument.flags |= ExecFlags::FENCE_IN;
        argument.rsvd2 = u64::from(fd.as_raw_fd().cast_unsigned());
    }
    if execution.out_fence {
        argument.flags |= ExecFlags::FENCE_OUT;
        node.call(EXECBUFFER2_WR, &mut argument)?;
        let fd = ((argument.rsvd2 >> 32) as u32).cast_signed();
        return owned_fd(EXECBUFFER2_WR.name(), fd).map(Some);
    }
    node.call(EXECBUFFER2, &mut argument)?;
    Ok(None)
}
