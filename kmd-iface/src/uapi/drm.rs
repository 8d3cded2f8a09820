//! The driver-independent DRM ioctls of `drm.h`: version, GEM close, PRIME, sync objects.

use super::{uapi_constants, uapi_flags, uapi_ioctls, uapi_structs};

uapi_constants! {
    "DRM_" {
        /// `drm_get_cap.capability`: binary sync objects.
        CAP_SYNCOBJ: u64 = 0x13;
        /// `drm_get_cap.capability`: timeline sync objects.
        CAP_SYNCOBJ_TIMELINE: u64 = 0x14;
        /// `drm_get_cap.capability`: PRIME; value bit 0 import, bit 1 export.
        CAP_PRIME: u64 = 0x5;
    }
}

uapi_flags! {
    /// `drm_syncobj_create.flags`.
    flags SyncobjCreateFlags: u32 = "DRM_SYNCOBJ_CREATE_" {
        /// Created in the signalled state.
        SIGNALED = 1 << 0;
    }

    /// Flags of the sync object waits.
    flags SyncobjWaitFlags: u32 = "DRM_SYNCOBJ_WAIT_FLAGS_" {
        /// Wait for all handles, not any.
        WAIT_ALL = 1 << 0;
        /// Also wait until a fence was submitted to the object.
        WAIT_FOR_SUBMIT = 1 << 1;
        /// Only wait until a fence is there (timeline wait).
        WAIT_AVAILABLE = 1 << 2;
        /// `deadline_nsec` is set.
        WAIT_DEADLINE = 1 << 3;
    }

    /// `drm_syncobj_handle.flags`, both directions.
    flags SyncobjFdFlags: u32 = "DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_" {
        /// The fd is a sync file, not the sync object itself.
        SYNC_FILE = 1 << 0;
    }

    /// `drm_syncobj_timeline_array.flags` of a query.
    flags SyncobjQueryFlags: u32 = "DRM_SYNCOBJ_QUERY_FLAGS_" {
        /// Query the last submitted point, not the last signalled one.
        LAST_SUBMITTED = 1 << 0;
    }

    /// `drm_prime_handle.flags`.
    flags PrimeFlags: u32 = "DRM_" {
        /// The new fd may be mapped writable.
        RDWR = 0o2;
        /// The new fd is closed on exec.
        CLOEXEC = 0o2_000_000;
    }
}

uapi_structs! {
    /// Name and version of the driver.
    struct Version = "struct drm_version" {
        /// Major version.
        version_major: i32,
        /// Minor version.
        version_minor: i32,
        /// Patch level.
        version_patchlevel: i32,
        /// Padding that C inserts.
        pad = "": u32,
        /// In: room at `name`; out: the name's length.
        name_len: u64,
        /// User pointer: driver name, without a terminating zero.
        name: u64,
        /// In: room at `date`; out: its length.
        date_len: u64,
        /// User pointer: driver date.
        date: u64,
        /// In: room at `desc`; out: its length.
        desc_len: u64,
        /// User pointer: description.
        desc: u64,
    }

    /// The bus id of the device.
    struct Unique = "struct drm_unique" {
        /// In: room at `unique`; out: its length.
        unique_len: u64,
        /// User pointer: the bus id.
        unique: u64,
    }

    /// Closes a handle; the buffer lives on while others hold it.
    struct GemClose = "struct drm_gem_close" {
        /// The handle.
        handle: u32,
        pad: u32,
    }

    /// Asks for a capability.
    struct GetCap = "struct drm_get_cap" {
        /// One of the `CAP_` constants.
        capability: u64,
        /// Out: its value.
        value: u64,
    }

    /// Turns a buffer handle into a dma-buf fd or back.
    struct PrimeHandle = "struct drm_prime_handle" {
        /// The buffer handle.
        handle: u32,
        /// For the way to a fd.
        flags: PrimeFlags,
        /// The dma-buf.
        fd: i32,
    }

    /// Creates a sync object.
    struct SyncobjCreate = "struct drm_syncobj_create" {
        /// Out: the sync object.
        handle: u32,
        /// Its first state.
        flags: SyncobjCreateFlags,
    }

    /// Destroys a sync object handle.
    struct SyncobjDestroy = "struct drm_syncobj_destroy" {
        /// The sync object.
        handle: u32,
        pad: u32,
    }

    /// Turns a sync object into a fd or back.
    struct SyncobjHandle = "struct drm_syncobj_handle" {
        /// The sync object.
        handle: u32,
        /// What the fd is.
        flags: SyncobjFdFlags,
        /// The fd.
        fd: i32,
        pad: u32,
    }

    /// Copies a fence from one point to another.
    struct SyncobjTransfer = "struct drm_syncobj_transfer" {
        /// The source object.
        src_handle: u32,
        /// The destination object.
        dst_handle: u32,
        /// The source point; 0 for a binary object.
        src_point: u64,
        /// The destination point; 0 for a binary object.
        dst_point: u64,
        /// `WAIT_FOR_SUBMIT` or nothing.
        flags: SyncobjWaitFlags,
        pad: u32,
    }

    /// Waits for binary sync objects.
    struct SyncobjWait = "struct drm_syncobj_wait" {
        /// User pointer to `u32` handles.
        handles: u64,
        /// Absolute `CLOCK_MONOTONIC` time in nanoseconds.
        timeout_nsec: i64,
        /// How many handles.
        count_handles: u32,
        /// How to wait.
        flags: SyncobjWaitFlags,
        /// Out, without `WAIT_ALL`: index of a signalled handle.
        first_signaled: u32,
        pad: u32,
        /// Deadline hint, with `WAIT_DEADLINE`.
        deadline_nsec: u64,
    }

    /// Waits for points of timeline sync objects.
    struct SyncobjTimelineWait = "struct drm_syncobj_timeline_wait" {
        /// User pointer to `u32` handles.
        handles: u64,
        /// User pointer to `u64` points.
        points: u64,
        /// Absolute `CLOCK_MONOTONIC` time in nanoseconds.
        timeout_nsec: i64,
        /// How many handles.
        count_handles: u32,
        /// How to wait.
        flags: SyncobjWaitFlags,
        /// Out, without `WAIT_ALL`: index of a signalled handle.
        first_signaled: u32,
        pad: u32,
        /// Deadline hint, with `WAIT_DEADLINE`.
        deadline_nsec: u64,
    }

    /// Signals an eventfd when a point is reached.
    struct SyncobjEventfd = "struct drm_syncobj_eventfd" {
        /// The sync object.
        handle: u32,
        /// `WAIT_AVAILABLE` or nothing.
        flags: SyncobjWaitFlags,
        /// The point; 0 for a binary object.
        point: u64,
        /// The eventfd.
        fd: i32,
        pad: u32,
    }

    /// Resets or signals binary sync objects.
    struct SyncobjArray = "struct drm_syncobj_array" {
        /// User pointer to `u32` handles.
        handles: u64,
        /// How many.
        count_handles: u32,
        pad: u32,
    }

    /// Signals or queries points of timeline sync objects.
    struct SyncobjTimelineArray = "struct drm_syncobj_timeline_array" {
        /// User pointer to `u32` handles.
        handles: u64,
        /// User pointer to `u64` points.
        points: u64,
        /// How many.
        count_handles: u32,
        /// For a query.
        flags: SyncobjQueryFlags,
    }
}

uapi_ioctls! {
    /// Driver name and version.
    VERSION = ReadWrite(0x00, Version), "DRM_IOCTL_VERSION";
    /// Bus id.
    GET_UNIQUE = ReadWrite(0x01, Unique), "DRM_IOCTL_GET_UNIQUE";
    /// Close a buffer handle.
    GEM_CLOSE = Write(0x09, GemClose), "DRM_IOCTL_GEM_CLOSE";
    /// Query a capability.
    GET_CAP = ReadWrite(0x0c, GetCap), "DRM_IOCTL_GET_CAP";
    /// Export a buffer.
    PRIME_HANDLE_TO_FD = ReadWrite(0x2d, PrimeHandle), "DRM_IOCTL_PRIME_HANDLE_TO_FD";
    /// Import a buffer.
    PRIME_FD_TO_HANDLE = ReadWrite(0x2e, PrimeHandle), "DRM_IOCTL_PRIME_FD_TO_HANDLE";
    /// Create a sync object.
    SYNCOBJ_CREATE = ReadWrite(0xbf, SyncobjCreate), "DRM_IOCTL_SYNCOBJ_CREATE";
    /// Destroy a sync object.
    SYNCOBJ_DESTROY = ReadWrite(0xc0, SyncobjDestroy), "DRM_IOCTL_SYNCOBJ_DESTROY";
    /// Export a sync object or its fence.
    SYNCOBJ_HANDLE_TO_FD = ReadWrite(0xc1, SyncobjHandle), "DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD";
    /// Import a sync object or a fence.
    SYNCOBJ_FD_TO_HANDLE = ReadWrite(0xc2, SyncobjHandle), "DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE";
    /// Wait for binary sync objects.
    SYNCOBJ_WAIT = ReadWrite(0xc3, SyncobjWait), "DRM_IOCTL_SYNCOBJ_WAIT";
    /// Drop the fences of binary sync objects.
    SYNCOBJ_RESET = ReadWrite(0xc4, SyncobjArray), "DRM_IOCTL_SYNCOBJ_RESET";
    /// Signal binary sync objects.
    SYNCOBJ_SIGNAL = ReadWrite(0xc5, SyncobjArray), "DRM_IOCTL_SYNCOBJ_SIGNAL";
    /// Wait for points.
    SYNCOBJ_TIMELINE_WAIT = ReadWrite(0xca, SyncobjTimelineWait), "DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT";
    /// Read the last points.
    SYNCOBJ_QUERY = ReadWrite(0xcb, SyncobjTimelineArray), "DRM_IOCTL_SYNCOBJ_QUERY";
    /// Copy a fence between points.
    SYNCOBJ_TRANSFER = ReadWrite(0xcc, SyncobjTransfer), "DRM_IOCTL_SYNCOBJ_TRANSFER";
    /// Signal points.
    SYNCOBJ_TIMELINE_SIGNAL = ReadWrite(0xcd, SyncobjTimelineArray), "DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL";
    /// Signal an eventfd at a point.
    SYNCOBJ_EVENTFD = ReadWrite(0xcf, SyncobjEventfd), "DRM_IOCTL_SYNCOBJ_EVENTFD";
}
