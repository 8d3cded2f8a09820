//! The xe uAPI (`xe_drm.h`), without observation streams.

pub mod exec;
pub mod gem;
pub mod query;
pub mod vm;

use super::{Request, uapi_enums, uapi_structs};

uapi_structs! {
    /// The link of an extension chain; what follows it depends on `name`.
    struct UserExtension = "struct drm_xe_user_extension" {
        /// User pointer to the next extension, 0 at the end.
        next_extension: u64,
        /// Which extension this is; the numbers depend on the ioctl.
        name: u32,
        pad: u32,
    }

    /// Sets a property.
    struct ExtSetProperty = "struct drm_xe_ext_set_property" {
        /// Chain.
        base: UserExtension,
        /// Which property.
        property: u32,
        pad: u32,
        /// Its value.
        value: u64,
        reserved: [u64; 2],
    }

    /// One engine.
    struct EngineClassInstance = "struct drm_xe_engine_class_instance" {
        /// [`EngineClass`].
        engine_class: u16,
        /// Instance within the class and GT.
        engine_instance: u16,
        /// The GT.
        gt_id: u16,
        pad: u16,
    }
}

uapi_enums! {
    /// `DRM_XE_ENGINE_CLASS_*`.
    enum EngineClass: u16 = "DRM_XE_ENGINE_CLASS_" {
        /// Render and compute.
        Render = 0;
        /// Blitter.
        Copy = 1;
        /// Video.
        VideoDecode = 2;
        /// Video enhancement.
        VideoEnhance = 3;
        /// Compute only.
        Compute = 4;
        /// Not an engine: a queue of ordered bindings.
        VmBind = 5;
    }
}

/// The xe ioctl number `command` on the wire.
const fn command(command: u8) -> u8 {
    Request::COMMAND_BASE + command
}
