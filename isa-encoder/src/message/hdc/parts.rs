//! What several data port messages have in common.

use super::message::{Hdc, HdcAddress, HdcSurface};

impl Hdc {
    /// The surface that the message names; `None` for 64-bit addresses, scratch space, fences and
    /// scaled messages.
    pub const fn surface(&self) -> Option<HdcSurface> {
        match self {
            Self::OwordBlock { address, .. }
            | Self::OwordDualBlock { address, .. }
            | Self::HwordBlock { address, .. }
            | Self::Byte { address, .. }
            | Self::ByteStatus { address, .. }
            | Self::Scattered { address, .. }
            | Self::Untyped { address, .. }
            | Self::Atomic { address, .. }
            | Self::UncompressedWrite { address, .. }
            | Self::SectorControl { address, .. }
            | Self::PageControl { address, .. } => match address {
                HdcAddress::A32(surface) => Some(*surface),
                HdcAddress::A64 { .. } => None,
            },
            Self::Typed { surface, .. }
            | Self::TypedStatus { surface, .. }
            | Self::TypedAtomic { surface, .. }
            | Self::CounterAtomic { surface, .. }
            | Self::MediaBlock { surface, .. }
            | Self::TypedUncompressedWrite { surface, .. }
            | Self::TypedSectorControl { surface, .. } => Some(*surface),
            Self::ScratchBlock { .. }
            | Self::ScaledUntyped { .. }
            | Self::ScaledByte { .. }
            | Self::Fence { .. } => None,
        }
    }
}
