//! GETPARAM and REG_READ: single values.

use super::command;
use crate::uapi::{uapi_constants, uapi_enums, uapi_flags, uapi_ioctls, uapi_structs};

uapi_enums! {
    /// A number that GETPARAM answers (`I915_PARAM_*`).
    enum Param: i32 = "I915_PARAM_" {
        /// PCI device id.
        ChipsetId = 4;
        /// GEM is there.
        HasGem = 5;
        /// EXECBUFFER2 is there.
        HasExecbuf2 = 9;
        /// A blitter is there.
        HasBlt = 11;
        /// Relaxed fencing.
        HasRelaxedFencing = 12;
        /// Coherent rings.
        HasCoherentRings = 13;
        /// Relocation constants.
        HasExecConstants = 14;
        /// Relaxed delta.
        HasRelaxedDelta = 15;
        /// The last-level cache is shared with the CPU.
        HasLlc = 17;
        /// `I915_GEM_PPGTT_*`: 2 is full.
        HasAliasingPpgtt = 18;
        /// GEM_WAIT has a timeout.
        HasWaitTimeout = 19;
        /// Semaphores between engines.
        HasSemaphores = 20;
        /// EXEC_NO_RELOC.
        HasExecNoReloc = 25;
        /// EXEC_HANDLE_LUT.
        HasExecHandleLut = 26;
        /// Write-through caching.
        HasWt = 27;
        /// Version of the command parser.
        CmdParserVersion = 28;
        /// Version of GEM_MMAP: 1 has `I915_MMAP_WC`.
        MmapVersion = 30;
        /// A second video engine.
        HasBsd2 = 31;
        /// PCI revision.
        Revision = 32;
        /// Subslices in all.
        SubsliceTotal = 33;
        /// EUs in all.
        EuTotal = 34;
        /// 1: GPU reset; 2: per engine.
        HasGpuReset = 35;
        /// EXEC_OBJECT_PINNED.
        HasExecSoftpin = 37;
        /// Pooled EUs.
        HasPooledEu = 38;
        /// Smallest EU pool.
        MinEuInPool = 39;
        /// Version of MMAP_GTT: 4 has MMAP_OFFSET.
        MmapGttVersion = 40;
        /// [`SchedulerCaps`].
        HasScheduler = 41;
        /// HuC firmware status.
        HucStatus = 42;
        /// EXEC_OBJECT_ASYNC.
        HasExecAsync = 43;
        /// Sync file fences.
        HasExecFence = 44;
        /// EXEC_OBJECT_CAPTURE.
        HasExecCapture = 45;
        /// Mask of slices.
        SliceMask = 46;
        /// Mask of subslices of slice 0.
        SubsliceMask = 47;
        /// EXEC_BATCH_FIRST.
        HasExecBatchFirst = 48;
        /// EXEC_FENCE_ARRAY.
        HasExecFenceArray = 49;
        /// Mask of engine classes whose contexts are isolated.
        HasContextIsolation = 50;
        /// Frequency of the command streamer's timestamp in hertz.
        CsTimestampFrequency = 51;
        /// MMAP_GTT mappings are coherent.
        MmapGttCoherent = 52;
        /// EXEC_FENCE_SUBMIT.
        HasExecSubmitFence = 53;
        /// Timeline fences in EXECBUFFER2.
        HasExecTimelineFences = 55;
        /// USERPTR_PROBE.
        HasUserptrProbe = 56;
        /// Frequency of the OA unit's timestamp in hertz.
        OaTimestampFrequency = 57;
        /// Protected content status.
        PxpStatus = 58;
        /// Context frequency hints.
        HasContextFreqHint = 59;
    }
}

uapi_constants! {
    "I915_GEM_" {
        /// Full per-process GTT: the value of [`Param::HasAliasingPpgtt`] on every device from Gen8 on.
        PPGTT_FULL: i32 = 2;
    }

    "I915_" {
        /// Flag in `offset`: read eight bytes as two halves.
        REG_READ_8B_WA: u64 = 1;
    }
}

/// The render command streamer's timestamp register, for REG_READ.
///
/// Source: `i915_drm.h`, "Known registers".
pub const RENDER_TIMESTAMP: u64 = 0x2358;

uapi_flags! {
    /// The value of [`Param::HasScheduler`].
    flags SchedulerCaps: u32 = "I915_SCHEDULER_CAP_" {
        /// There is a scheduler.
        ENABLED = 1 << 0;
        /// It honours priorities.
        PRIORITY = 1 << 1;
        /// It preempts.
        PREEMPTION = 1 << 2;
        /// It uses semaphores between engines.
        SEMAPHORES = 1 << 3;
        /// It reports busyness.
        ENGINE_BUSY_STATS = 1 << 4;
        /// Priorities map statically.
        STATIC_PRIORITY_MAP = 1 << 5;
    }
}

uapi_structs! {
    /// Reads one parameter.
    struct GetParam = "struct drm_i915_getparam" {
        /// Which: [`Param`].
        param: i32,
        /// Padding that C inserts.
        pad = "": u32,
        /// User pointer to the `i32` that receives it.
        value: u64,
    }

    /// Reads a register that the kernel allows.
    struct RegRead = "struct drm_i915_reg_read" {
        /// Register offset, with [`REG_READ_8B_WA`] in bit 0.
        offset: u64,
        /// Out: its value.
        val: u64,
    }
}

uapi_ioctls! {
    /// Read a parameter.
    GETPARAM = ReadWrite(command(0x06), GetParam), "DRM_IOCTL_I915_GETPARAM";
    /// Read a register.
    REG_READ = ReadWrite(command(0x31), RegRead), "DRM_IOCTL_I915_REG_READ";
}
