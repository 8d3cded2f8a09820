//! Queues, submission and user fences.

use super::command;
use crate::uapi::{uapi_constants, uapi_enums, uapi_flags, uapi_ioctls, uapi_structs};

uapi_constants! {
    "DRM_XE_" {
        /// Extension of EXEC_QUEUE_CREATE: `ExtSetProperty`.
        EXEC_QUEUE_EXTENSION_SET_PROPERTY: u32 = 0;
        /// Property of EXEC_QUEUE_CREATE: the priority.
        EXEC_QUEUE_SET_PROPERTY_PRIORITY: u32 = 0;
        /// Property of EXEC_QUEUE_CREATE: the timeslice in microseconds.
        EXEC_QUEUE_SET_PROPERTY_TIMESLICE: u32 = 1;
        /// Property of EXEC_QUEUE_GET_PROPERTY: whether the queue is banned.
        EXEC_QUEUE_GET_PROPERTY_BAN: u32 = 0;
        /// The most syncs of a submission (`DRM_XE_MAX_SYNCS`).
        MAX_SYNCS: u32 = 1024;
    }
}

uapi_enums! {
    /// What a [`Sync`] is (`DRM_XE_SYNC_TYPE_*`).
    enum SyncType: u32 = "DRM_XE_SYNC_TYPE_" {
        /// A binary sync object.
        Syncobj = 0;
        /// A point of a timeline sync object.
        TimelineSyncobj = 1;
        /// A memory location that receives a value.
        UserFence = 2;
    }

    /// How WAIT_USER_FENCE compares (`DRM_XE_UFENCE_WAIT_OP_*`): the masked memory with the value.
    enum WaitOp: u16 = "DRM_XE_UFENCE_WAIT_OP_" {
        /// Equal.
        Eq = 0;
        /// Not equal.
        Neq = 1;
        /// Greater.
        Gt = 2;
        /// Greater or equal.
        Gte = 3;
        /// Less.
        Lt = 4;
        /// Less or equal.
        Lte = 5;
    }
}

uapi_flags! {
    /// `drm_xe_sync.flags`.
    flags SyncFlags: u32 = "DRM_XE_SYNC_FLAG_" {
        /// Signal it; without, wait for it.
        SIGNAL = 1 << 0;
    }

    /// `drm_xe_wait_user_fence.flags`.
    flags WaitFlags: u16 = "DRM_XE_UFENCE_WAIT_FLAG_" {
        /// `timeout` is a point of `CLOCK_MONOTONIC`.
        ABSTIME = 1 << 0;
    }
}

uapi_structs! {
    /// Creates a queue.
    struct ExecQueueCreate = "struct drm_xe_exec_queue_create" {
        /// User pointer to a chain of `ExtSetProperty`s.
        extensions: u64,
        /// Batches of a submission that run in parallel; 1.
        width: u16,
        /// Engines that each may run on.
        num_placements: u16,
        /// The address space.
        vm_id: u32,
        flags: u32,
        /// Out.
        exec_queue_id: u32,
        /// User pointer to `width * num_placements` engines.
        instances: u64,
        reserved: [u64; 2],
    }

    /// Destroys a queue.
    struct ExecQueueDestroy = "struct drm_xe_exec_queue_destroy" {
        /// Which.
        exec_queue_id: u32,
        pad: u32,
        reserved: [u64; 2],
    }

    /// Reads a property of a queue.
    struct ExecQueueGetProperty = "struct drm_xe_exec_queue_get_property" {
        extensions: u64,
        /// Which queue.
        exec_queue_id: u32,
        /// Which property.
        property: u32,
        /// Out: its value.
        value: u64,
        reserved: [u64; 2],
    }

    /// Something to wait for or to signal.
    struct Sync = "struct drm_xe_sync" {
        extensions: u64,
        /// [`SyncType`].
        ty = "type": u32,
        /// Wait or signal.
        flags: SyncFlags,
        /// A sync object's handle, or a user fence's address: the GPU's for EXEC, the CPU's for
        /// VM_BIND.
        addr: u64,
        /// The point of a timeline, or the value of a user fence.
        timeline_value: u64,
        reserved: [u64; 2],
    }

    /// A submission.
    struct Exec = "struct drm_xe_exec" {
        extensions: u64,
        /// The queue.
        exec_queue_id: u32,
        /// How many syncs.
        num_syncs: u32,
        /// User pointer to [`Sync`]s.
        syncs: u64,
        /// GPU address of the batch, or a user pointer to addresses if there are several.
        address: u64,
        /// How many batches: the queue's width.
        num_batch_buffer: u16,
        pad: [u16; 3],
        reserved: [u64; 2],
    }

    /// Waits for a user fence.
    struct WaitUserFence = "struct drm_xe_wait_user_fence" {
        extensions: u64,
        /// User pointer to the location.
        addr: u64,
        /// [`WaitOp`].
        op: u16,
        /// How to interpret the time.
        flags: WaitFlags,
        pad: u32,
        /// What to compare with.
        value: u64,
        /// Which bits to compare.
        mask: u64,
        /// Nanoseconds; negative for ever; out, if relative: the time left.
        timeout: i64,
        /// The queue that signals it: its ban ends the wait.
        exec_queue_id: u32,
        pad2: u32,
        reserved: [u64; 2],
    }
}

uapi_ioctls! {
    /// Create a queue.
    EXEC_QUEUE_CREATE = ReadWrite(command(0x06), ExecQueueCreate), "DRM_IOCTL_XE_EXEC_QUEUE_CREATE";
    /// Destroy a queue.
    EXEC_QUEUE_DESTROY = Write(command(0x07), ExecQueueDestroy), "DRM_IOCTL_XE_EXEC_QUEUE_DESTROY";
    /// Read a property of a queue.
    EXEC_QUEUE_GET_PROPERTY = ReadWrite(command(0x08), ExecQueueGetProperty), "DRM_IOCTL_XE_EXEC_QUEUE_GET_PROPERTY";
    /// Submit.
    EXEC = Write(command(0x09), Exec), "DRM_IOCTL_XE_EXEC";
    /// Wait for a user fence.
    WAIT_USER_FENCE = ReadWrite(command(0x0a), WaitUserFence), "DRM_IOCTL_XE_WAIT_USER_FENCE";
}
