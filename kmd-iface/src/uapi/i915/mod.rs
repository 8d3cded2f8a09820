//! The i915 uAPI (`i915_drm.h`), as far as compute and its checks need it.

pub mod context;
pub mod exec;
pub mod gem;
pub mod getparam;
pub mod query;

use super::{Request, uapi_constants, uapi_enums, uapi_structs};

uapi_structs! {
    /// The link of an extension chain; what follows it depends on `name`.
    struct UserExtension = "struct i915_user_extension" {
        /// User pointer to the next extension, 0 at the end.
        next_extension: u64,
        /// Which extension this is; the numbers depend on the ioctl.
        name: u32,
        flags: u32,
        rsvd: [u32; 4],
    }

    /// One engine of the device.
    struct EngineClassInstance = "struct i915_engine_class_instance" {
        /// [`EngineClass`].
        engine_class: u16,
        /// Instance within the class.
        engine_instance: u16,
    }
}

uapi_enums! {
    /// `enum drm_i915_gem_engine_class`.
    enum EngineClass: u16 = "I915_ENGINE_CLASS_" {
        /// Render and compute (`rcs`).
        Render = 0;
        /// Blitter (`bcs`).
        Copy = 1;
        /// Video (`vcs`).
        Video = 2;
        /// Video enhancement (`vecs`).
        VideoEnhance = 3;
        /// Compute only (`ccs`).
        Compute = 4;
    }
}

uapi_constants! {
    "(__u16)I915_" {
        /// An engine slot without an engine: both the class and the instance of a hole,
        /// or the class of a virtual engine (`I915_ENGINE_CLASS_INVALID`).
        ENGINE_CLASS_INVALID: u16 = u16::MAX;
    }
}

/// The i915 ioctl number `command` on the wire.
const fn command(command: u8) -> u8 {
    Request::COMMAND_BASE + command
}
