//! Arguments that are set.

use std::sync::{Arc, Weak};

use devinfo::GpuAddress;

use crate::buffer::Buffer;
use crate::image::Image;
use crate::memory::Bo;
use crate::sampler::Sampler;

/// An argument that a kernel holds.
#[derive(Clone, Debug)]
pub(crate) enum Bound {
    Buffer(Buffer),
    Null,
    Address(u64),
    Value(Box<[u8]>),
    Local(u32),
    Image(Image),
    Sampler(Sampler),
    /// A buffer or an image that the caller keeps.
    Lent {
        bo: Weak<Bo>,
        /// See [`Bound::buffer`].
        buffer: Option<(GpuAddress, u64)>,
        /// It is memory of this process that the driver does not keep.
        is_borrowed: bool,
    },
}

impl Bound {
    /// The memory that it is.
    pub(crate) fn memory(&self) -> Option<&Arc<Bo>> {
        match self {
            Self::Buffer(buffer) => Some(buffer.bo()),
            Self::Image(image) => Some(image.bo()),
            Self::Null
            | Self::Address(_)
            | Self::Value(_)
            | Self::Local(_)
            | Self::Sampler(_)
            | Self::Lent { .. } => None,
        }
    }

    /// If it is a buffer, where what the kernel may reach of it begins, and its bytes.
    pub(crate) fn buffer(&self) -> Option<(GpuAddress, u64)> {
        match self {
            Self::Buffer(buffer) => Some(buffer.reach()),
            Self::Lent { buffer, .. } => *buffer,
            Self::Null
            | Self::Address(_)
            | Self::Value(_)
            | Self::Local(_)
            | Self::Image(_)
            | Self::Sampler(_) => None,
        }
    }

    /// The same, of memory that the caller keeps.
    pub(crate) fn lent(self) -> Self {
        match self.memory() {
            None => self,
            Some(bo) => Self::Lent {
                bo: Arc::downgrade(bo),
                buffer: self.buffer(),
                is_borrowed: bo.memory().is_borrowed(),
            },
        }
    }

    /// Whether it is memory of this process that the driver does not keep.
    pub(crate) fn is_borrowed(&self) -> bool {
        match self {
            Self::Lent { is_borrowed, .. } => *is_borrowed,
            _ => self.memory().is_some_and(|bo| bo.memory().is_borrowed()),
        }
    }

    /// Whether it was memory that the caller has not kept.
    pub(crate) fn is_gone(&self) -> bool {
        matches!(self, Self::Lent { bo, .. } if bo.strong_count() == 0)
    }
}
