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

pub use define::{Argument, Direction, FieldLayout, Ioctl, IoctlRow, Request, StructLayout};
pub(crate) use define::{uapi_flags, uapi_ioctls, uapi_structs};

/// Every structure of the generic DRM, i915 and xe uAPIs that this crate knows.
pub fn structs() -> impl Iterator<Item = StructLayout> {
    drm::STRUCTS
        .iter()
        .chain(i915::structs())
        .chain(xe::structs())
        .copied()
}

/// Every ioctl that this crate knows.
pub fn ioctls() -> impl Iterator<Item = IoctlRow> {
    drm::IOCTLS
        .iter()
        .chain(i915::ioctls())
        .chain(xe::ioctls())
        .copied()
}
