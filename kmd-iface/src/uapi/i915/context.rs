//! Contexts and address spaces.

use super::{EngineClassInstance, UserExtension, command};
use crate::uapi::{uapi_constants, uapi_enums, uapi_flags, uapi_ioctls, uapi_structs};

uapi_enums! {
    /// A context parameter (`I915_CONTEXT_PARAM_*`).
    enum ContextParam: u64 = "I915_CONTEXT_PARAM_" {
        /// Obsolete.
        BanPeriod = 0x1;
        /// Obsolete.
        NoZeromap = 0x2;
        /// Bytes of the address space.
        GttSize = 0x3;
        /// Leave this context out of error captures.
        NoErrorCapture = 0x4;
        /// Whether repeated hangs ban it.
        Bannable = 0x5;
        /// Scheduling priority, -1023 to 1023.
        Priority = 0x6;
        /// Slice and EU configuration, [`ContextParamSseu`].
        Sseu = 0x7;
        /// Whether it is restored after a hang.
        Recoverable = 0x8;
        /// The address space id.
        Vm = 0x9;
        /// The engine map: a `u64` chain of extensions, then [`EngineClassInstance`]s.
        Engines = 0xa;
        /// Whether its work outlives the fd.
        Persistence = 0xb;
        /// Bytes of the ring.
        Ringsize = 0xc;
        /// Protected content.
        ProtectedContent = 0xd;
        /// Low latency hint.
        LowLatency = 0xe;
        /// Replaces the context image.
        ContextImage = 0xf;
    }
}

uapi_constants! {
    "I915_CONTEXT_" {
        /// The highest user priority (`I915_CONTEXT_MAX_USER_PRIORITY`).
        MAX_USER_PRIORITY: i64 = 1023;
        /// The lowest user priority (`I915_CONTEXT_MIN_USER_PRIORITY`).
        MIN_USER_PRIORITY: i64 = -1023;
    }

    "I915_" {
        /// Extension of CONTEXT_CREATE_EXT: [`ContextCreateExtSetparam`].
        CONTEXT_CREATE_EXT_SETPARAM: u32 = 0;
        /// Extension of the engine map: [`EnginesLoadBalance`].
        CONTEXT_ENGINES_EXT_LOAD_BALANCE: u32 = 0;
        /// Extension of the engine map: bonds.
        CONTEXT_ENGINES_EXT_BOND: u32 = 1;
        /// Extension of the engine map: parallel submission.
        CONTEXT_ENGINES_EXT_PARALLEL_SUBMIT: u32 = 2;
    }
}

uapi_flags! {
    /// `drm_i915_gem_context_create_ext.flags`.
    flags ContextCreateFlags: u32 = "I915_CONTEXT_CREATE_FLAGS_" {
        /// `extensions` is set.
        USE_EXTENSIONS = 1 << 0;
        /// All engines share one timeline.
        SINGLE_TIMELINE = 1 << 1;
    }

    /// `drm_i915_gem_context_param_sseu.flags`.
    flags SseuFlags: u32 = "I915_CONTEXT_SSEU_FLAG_" {
        /// `engine` is an index into the engine map.
        ENGINE_INDEX = 1 << 0;
    }
}

uapi_structs! {
    /// Creates a context.
    struct ContextCreate = "struct drm_i915_gem_context_create" {
        /// Out.
        ctx_id: u32,
        pad: u32,
    }

    /// Creates a context with parameters.
    struct ContextCreateExt = "struct drm_i915_gem_context_create_ext" {
        /// Out.
        ctx_id: u32,
        /// How.
        flags: ContextCreateFlags,
        /// User pointer to a chain of extensions.
        extensions: u64,
    }

    /// Gets or sets a parameter.
    struct ContextParamArgs = "struct drm_i915_gem_context_param" {
        /// The context; 0 is the fd's default one.
        ctx_id: u32,
        /// Bytes at `value` if that is a pointer, otherwise 0.
        size: u32,
        /// [`ContextParam`].
        param: u64,
        /// The value, or a user pointer.
        value: u64,
    }

    /// A parameter given at creation.
    struct ContextCreateExtSetparam = "struct drm_i915_gem_context_create_ext_setparam" {
        /// Chain; name [`CONTEXT_CREATE_EXT_SETPARAM`].
        base: UserExtension,
        /// The parameter; `ctx_id` is 0.
        param: ContextParamArgs,
    }

    /// Destroys a context.
    struct ContextDestroy = "struct drm_i915_gem_context_destroy" {
        /// The context.
        ctx_id: u32,
        pad: u32,
    }

    /// Slice and EU configuration.
    struct ContextParamSseu = "struct drm_i915_gem_context_param_sseu" {
        /// The engine it is for.
        engine: EngineClassInstance,
        /// How to interpret `engine`.
        flags: SseuFlags,
        /// Slices to power.
        slice_mask: u64,
        /// Subslices of each.
        subslice_mask: u64,
        /// Least EUs of each.
        min_eus_per_subslice: u16,
        /// Most EUs of each.
        max_eus_per_subslice: u16,
        rsvd: u32,
    }

    /// A virtual engine over several; [`EngineClassInstance`]s follow.
    struct EnginesLoadBalance = "struct i915_context_engines_load_balance" {
        /// Chain; name [`CONTEXT_ENGINES_EXT_LOAD_BALANCE`].
        base: UserExtension,
        /// Index of the virtual engine in the map.
        engine_index: u16,
        /// How many engines follow.
        num_siblings: u16,
        flags: u32,
        mbz64: u64,
    }

    /// The head of an engine map; [`EngineClassInstance`]s follow.
    struct ContextParamEngines = "struct i915_context_param_engines" {
        /// User pointer to a chain of extensions.
        extensions: u64,
    }

    /// Creates or destroys an address space.
    struct VmControl = "struct drm_i915_gem_vm_control" {
        extensions: u64,
        flags: u32,
        /// Out of create, in of destroy.
        vm_id: u32,
    }

    /// How often a context was hit by resets.
    struct ResetStats = "struct drm_i915_reset_stats" {
        /// The context.
        ctx_id: u32,
        flags: u32,
        /// Resets in all, for privileged callers.
        reset_count: u32,
        /// Batches lost while running: this context was guilty.
        batch_active: u32,
        /// Batches lost while waiting: another was guilty.
        batch_pending: u32,
        pad: u32,
    }
}

uapi_ioctls! {
    /// Create a context.
    CONTEXT_CREATE = ReadWrite(command(0x2d), ContextCreate), "DRM_IOCTL_I915_GEM_CONTEXT_CREATE";
    /// Create a context with parameters: told apart from [`CONTEXT_CREATE`] by its size.
    CONTEXT_CREATE_EXT = ReadWrite(command(0x2d), ContextCreateExt), "DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT";
    /// Destroy a context.
    CONTEXT_DESTROY = Write(command(0x2e), ContextDestroy), "DRM_IOCTL_I915_GEM_CONTEXT_DESTROY";
    /// Resets that a context saw.
    GET_RESET_STATS = ReadWrite(command(0x32), ResetStats), "DRM_IOCTL_I915_GET_RESET_STATS";
    /// Get a parameter.
    CONTEXT_GETPARAM = ReadWrite(command(0x34), ContextParamArgs), "DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM";
    /// Set a parameter.
    CONTEXT_SETPARAM = ReadWrite(command(0x35), ContextParamArgs), "DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM";
    /// Create an address space.
    VM_CREATE = ReadWrite(command(0x3a), VmControl), "DRM_IOCTL_I915_GEM_VM_CREATE";
    /// Destroy an address space.
    VM_DESTROY = Write(command(0x3b), VmControl), "DRM_IOCTL_I915_GEM_VM_DESTROY";
}
