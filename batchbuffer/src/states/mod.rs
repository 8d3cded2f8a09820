//! States that packets point to or hold. Their source is that of the
//! [`packets`](crate::packets).

mod dispatch;
mod format;
mod message;
mod sampler;
mod surface;
pub mod values;

pub use dispatch::*;
pub use format::{Channel, Numeric, SurfaceFormat, TexelLayout};
pub use message::*;
pub use sampler::*;
pub use surface::*;

use crate::layout::Layout;

/// Every state that is declared.
pub static ALL: &[&Layout] = &[
    &interface_descriptor_data::LAYOUT,
    &compute_walker_body::LAYOUT,
    &postsync_data::LAYOUT,
    &mi_math_alu_instruction::LAYOUT,
    &resource_barrier_body::LAYOUT,
    &render_surface_state::LAYOUT,
    &binding_table_state::LAYOUT,
    &sampler_state::LAYOUT,
    &sampler_border_color_state::LAYOUT,
    &sampler_indirect_state_border_color::LAYOUT,
    &execution_unit_extended_message_descriptor::LAYOUT,
    &memory_object_control_state::LAYOUT,
];
