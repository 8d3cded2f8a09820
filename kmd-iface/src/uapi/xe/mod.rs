//! The xe uAPI (`xe_drm.h`), without observation streams.

pub mod exec;
pub mod gem;
pub mod query;
pub mod vm;

use super::{IoctlRow, Request, StructLayout, uapi_structs};

uapi_structs! {
    /// The link of an extension chain; what follows it depends on `name`.
    struct UserExtension = "struct drm_xe_user_extension" {
        /// User pointer to the next extension, 0 at the end.
        next_extension: u64,
        /// Which extension this is; the numbers depend on the ioctl.
        name: u32,
        /// Zero.
        pad: u32,
    }

    /// Sets a property.
    struct ExtSetProperty = "struct drm_xe_ext_set_property" {
        /// Chain.
        base: UserExtension,
        /// Which property.
        property: u32,
        /// Zero.
        pad: u32,
        /// Its value.
        value: u64,
        /// Zero.
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
        /// Zero.
        pad: u16,
    }
}

/// `DRM_XE_ENGINE_CLASS_*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u16)]
pub enum EngineClass {
    /// Render and compute.
    Render = 0,
    /// Blitter.
    Copy = 1,
    /// Video.
    VideoDecode = 2,
    /// Video enhancement.
    VideoEnhance = 3,
    /// Compute only.
    Compute = 4,
    /// Not an engine: a queue of ordered bindings.
    VmBind = 5,
}

impl EngineClass {
    /// The class with this number.
    pub fn from_raw(raw: u16) -> Option<Self> {
        Some(match raw {
            0 => Self::Render,
            1 => Self::Copy,
            2 => Self::VideoDecode,
            3 => Self::VideoEnhance,
            4 => Self::Compute,
            5 => Self::VmBind,
            _ => return None,
        })
    }
}

/// The xe ioctl number `command` on the wire.
const fn command(command: u8) -> u8 {
    Request::COMMAND_BASE + command
}

pub(super) fn structs() -> impl Iterator<Item = &'static StructLayout> {
    [
        STRUCTS,
        exec::STRUCTS,
        gem::STRUCTS,
        query::STRUCTS,
        vm::STRUCTS,
    ]
    .into_iter()
    .flatten()
}

pub(super) fn ioctls() -> impl Iterator<Item = &'static IoctlRow> {
    [exec::IOCTLS, gem::IOCTLS, query::IOCTLS, vm::IOCTLS]
        .into_iter()
        .flatten()
}
