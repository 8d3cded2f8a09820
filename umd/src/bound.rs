//! Arguments that are set.

use crate::buffer::Buffer;
use crate::image::Image;
use crate::sampler::Sampler;

/// An argument that a kernel holds.
#[derive(Clone, Debug)]
pub(crate) enum Bound {
    Buffer(Buffer),
    Null,
    Value(Box<[u8]>),
    Local(u32),
    Image(Image),
    Sampler(Sampler),
}
