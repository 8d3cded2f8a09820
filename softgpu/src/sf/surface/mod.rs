//! Surfaces: what binding table entries and bindless offsets lead to.

mod fields;
mod state;

pub(super) use state::{Surface, SurfaceKind};
