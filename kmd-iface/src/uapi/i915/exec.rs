//! EXECBUFFER2: submission.

use super::{UserExtension, command};
use crate::uapi::{uapi_constants, uapi_flags, uapi_ioctls, uapi_structs};

uapi_constants! {
    "DRM_I915_GEM_" {
        /// Extension of EXECBUFFER2: [`ExecTimelineFences`].
        EXECBUFFER_EXT_TIMELINE_FENCES: u32 = 0;
    }

    "I915_EXEC_" {
        /// The bits of [`ExecFlags`] that name the engine.
        RING_MASK: u64 = 0x3f;
        /// Without an engine map: the default engine.
        DEFAULT: u64 = 0;
        /// Without an engine map: render.
        RENDER: u64 = 1;
        /// Without an engine map: video.
        BSD: u64 = 2;
        /// Without an engine map: copy.
        BLT: u64 = 3;
        /// Without an engine map: video enhancement.
        VEBOX: u64 = 4;
    }
}

uapi_flags! {
    /// `drm_i915_gem_exec_object2.flags`.
    flags ExecObjectFlags: u64 = "EXEC_OBJECT_" {
        /// Needs a fence register (not after Gen3).
        NEEDS_FENCE = 1 << 0;
        /// Needs a GGTT binding.
        NEEDS_GTT = 1 << 1;
        /// The GPU writes it: orders it against other users.
        WRITE = 1 << 2;
        /// The object may be above 4 GiB.
        SUPPORTS_48B_ADDRESS = 1 << 3;
        /// The object is at `offset`.
        PINNED = 1 << 4;
        /// `pad_to_size` is set.
        PAD_TO_SIZE = 1 << 5;
        /// No implicit ordering on this object.
        ASYNC = 1 << 6;
        /// Include it in an error capture.
        CAPTURE = 1 << 7;
    }

    /// `drm_i915_gem_exec_fence.flags`.
    flags ExecFenceFlags: u32 = "I915_EXEC_FENCE_" {
        /// Wait for it before the batch.
        WAIT = 1 << 0;
        /// Signal it after the batch.
        SIGNAL = 1 << 1;
    }

    /// `drm_i915_gem_execbuffer2.flags`; bits 5:0 name the engine, see [`ExecFlags::engine`].
    flags ExecFlags: u64 = "I915_EXEC_" {
        /// Resets streamout offsets (Gen7).
        GEN7_SOL_RESET = 1 << 8;
        /// A privileged batch.
        SECURE = 1 << 9;
        /// All objects are where they say.
        IS_PINNED = 1 << 10;
        /// The presumed offsets are right.
        NO_RELOC = 1 << 11;
        /// Relocations name objects by index.
        HANDLE_LUT = 1 << 12;
        /// First video engine.
        BSD_RING1 = 1 << 13;
        /// Second video engine.
        BSD_RING2 = 2 << 13;
        /// With the resource streamer.
        RESOURCE_STREAMER = 1 << 15;
        /// `rsvd2` 31:0 is a sync file to wait for.
        FENCE_IN = 1 << 16;
        /// `rsvd2` 63:32 receives a sync file.
        FENCE_OUT = 1 << 17;
        /// The batch is the first object, not the last.
        BATCH_FIRST = 1 << 18;
        /// `cliprects_ptr` and `num_cliprects` are an array of [`ExecFence`].
        FENCE_ARRAY = 1 << 19;
        /// Like `FENCE_IN`, but waits for submission only.
        FENCE_SUBMIT = 1 << 20;
        /// `cliprects_ptr` is a chain of extensions.
        USE_EXTENSIONS = 1 << 21;
    }
}

impl ExecFlags {
    /// The engine: an index into the context's engine map, or [`RENDER`] and its like without one.
    pub const fn engine(self) -> u64 {
        self.0 & RING_MASK
    }

    /// These flags for engine `engine`; bits above 5 are dropped.
    pub const fn with_engine(self, engine: u8) -> Self {
        Self(self.0 & !RING_MASK | engine as u64 & RING_MASK)
    }
}

uapi_structs! {
    /// One object of a submission.
    struct ExecObject = "struct drm_i915_gem_exec_object2" {
        /// The buffer.
        handle: u32,
        /// Relocations; this crate never makes any.
        relocation_count: u32,
        /// User pointer to them.
        relocs_ptr: u64,
        /// Alignment wanted where the kernel picks the address.
        alignment: u64,
        /// The GPU address, canonical: in with `PINNED`, out without.
        offset: u64,
        /// How.
        flags: ExecObjectFlags,
        /// With `PAD_TO_SIZE`.
        pad_to_size: u64,
        rsvd2: u64,
    }

    /// A binary sync object of a submission.
    struct ExecFence = "struct drm_i915_gem_exec_fence" {
        /// The sync object.
        handle: u32,
        /// Wait, signal, or both.
        flags: ExecFenceFlags,
    }

    /// Timeline sync objects of a submission.
    struct ExecTimelineFences = "struct drm_i915_gem_execbuffer_ext_timeline_fences" {
        /// Chain; name [`EXECBUFFER_EXT_TIMELINE_FENCES`].
        base: UserExtension,
        /// How many.
        fence_count: u64,
        /// User pointer to [`ExecFence`]s.
        handles_ptr: u64,
        /// User pointer to `u64` points.
        values_ptr: u64,
    }

    /// A submission.
    struct ExecBuffer2 = "struct drm_i915_gem_execbuffer2" {
        /// User pointer to [`ExecObject`]s.
        buffers_ptr: u64,
        /// How many.
        buffer_count: u32,
        /// First byte of the batch within its object, 8-byte aligned.
        batch_start_offset: u32,
        /// Bytes of the batch, a multiple of 8; 0 is the rest of the object.
        batch_len: u32,
        dr1 = "DR1": u32,
        dr4 = "DR4": u32,
        /// With `FENCE_ARRAY`: how many fences.
        num_cliprects: u32,
        /// With `FENCE_ARRAY` or `USE_EXTENSIONS`: a user pointer.
        cliprects_ptr: u64,
        /// How.
        flags: ExecFlags,
        /// Bits 31:0: the context.
        rsvd1: u64,
        /// Sync files, see `FENCE_IN` and `FENCE_OUT`.
        rsvd2: u64,
    }
}

uapi_ioctls! {
    /// Submit.
    EXECBUFFER2 = Write(command(0x29), ExecBuffer2), "DRM_IOCTL_I915_GEM_EXECBUFFER2";
    /// Submit, and let the kernel write back (needed for `FENCE_OUT`).
    EXECBUFFER2_WR = ReadWrite(command(0x29), ExecBuffer2), "DRM_IOCTL_I915_GEM_EXECBUFFER2_WR";
}
