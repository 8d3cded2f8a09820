//! Surfaces: what binding table entries and bindless offsets refer to.

mod format;
mod packing;
mod state;
mod texel;

pub(super) use format::{Format, LANES, Numeric, Texel};
pub(super) use packing::Packing;
pub(super) use state::{Surface, SurfaceKind};
pub(super) use texel::Cursor;
