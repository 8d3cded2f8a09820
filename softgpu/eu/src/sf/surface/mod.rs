//! Surfaces: what binding table entries and bindless offsets refer to.

mod format;
mod state;
mod texel;

pub(super) use format::{Format, Numeric, Texel};
pub(super) use state::{Surface, SurfaceKind};
