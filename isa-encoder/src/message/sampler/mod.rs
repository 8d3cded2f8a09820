//! Sampler messages.
//!
//! Sources: Skylake and Tiger Lake PRM vol 7 "Message Descriptor" and "Payload Parameter
//! Definition" of the 3D sampler, IGA's sampler decoder, Mesa's `brw_sampler_desc`.

mod message;
mod table;

pub use message::Sampler;
pub(super) use message::TYPE;
pub use table::{Parameter, SamplerOp};
