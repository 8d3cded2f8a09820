//! The DRM uAPI: structures, flags and ioctl numbers, one module per family.
//!
//! Every structure is plain bytes, so the same declaration serves the client
//! that calls a kernel and the software GPU that answers in its place. Their
//! sizes, offsets and numbers are checked against the kernel's headers.

#![allow(
    missing_debug_implementations,
    reason = "zerocopy's derives make helper types without it; `Argument` demands it of ours"
)]

mod define;
pub mod drm;
pub mod i915;
pub mod xe;

pub use define::{
    Argument, ConstantRow, Direction, FieldLayout, Ioctl, IoctlRow, Request, StructLayout,
};
pub(crate) use define::{uapi_constants, uapi_enums, uapi_flags, uapi_ioctls, uapi_structs};

/// Every structure of the generic DRM, i915 and xe uAPIs that this crate knows.
pub fn structs() -> impl Iterator<Item = StructLayout> {
    [
        drm::STRUCTS,
        i915::STRUCTS,
        i915::context::STRUCTS,
        i915::exec::STRUCTS,
        i915::gem::STRUCTS,
        i915::getparam::STRUCTS,
        i915::query::STRUCTS,
        xe::STRUCTS,
        xe::exec::STRUCTS,
        xe::gem::STRUCTS,
        xe::query::STRUCTS,
        xe::vm::STRUCTS,
    ]
    .into_iter()
    .flatten()
    .copied()
}

/// Every ioctl that this crate knows.
pub fn ioctls() -> impl Iterator<Item = IoctlRow> {
    [
        drm::IOCTLS,
        i915::context::IOCTLS,
        i915::exec::IOCTLS,
        i915::gem::IOCTLS,
        i915::getparam::IOCTLS,
        i915::query::IOCTLS,
        xe::exec::IOCTLS,
        xe::gem::IOCTLS,
        xe::query::IOCTLS,
        xe::vm::IOCTLS,
    ]
    .into_iter()
    .flatten()
    .copied()
}

/// Every flag, enumerator and other constant that this crate knows.
pub fn constants() -> impl Iterator<Item = ConstantRow> {
    [
        drm::CONSTANTS,
        drm::FLAGS,
        i915::CONSTANTS,
        i915::ENUMS,
        i915::context::CONSTANTS,
        i915::context::ENUMS,
        i915::context::FLAGS,
        i915::exec::CONSTANTS,
        i915::exec::FLAGS,
        i915::gem::CONSTANTS,
        i915::gem::ENUMS,
        i915::gem::FLAGS,
        i915::getparam::CONSTANTS,
        i915::getparam::ENUMS,
        i915::getparam::FLAGS,
        i915::query::CONSTANTS,
        i915::query::ENUMS,
        i915::query::FLAGS,
        xe::ENUMS,
        xe::exec::CONSTANTS,
        xe::exec::ENUMS,
        xe::exec::FLAGS,
        xe::gem::CONSTANTS,
        xe::gem::FLAGS,
        xe::query::CONSTANTS,
        xe::query::ENUMS,
        xe::query::FLAGS,
        xe::vm::ENUMS,
        xe::vm::FLAGS,
    ]
    .into_iter()
    .flatten()
    .copied()
}
