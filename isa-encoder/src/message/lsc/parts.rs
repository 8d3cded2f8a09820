//! What several load/store messages have in common.

use super::cache::CacheControl;
use super::message::Lsc;
use super::types::{AddressSize, LscAddress, LscPort};
use crate::message::Direction;

impl Lsc {
    /// The unit that the message goes to.
    pub const fn port(&self) -> LscPort {
        match self {
            Self::Vector { port, .. }
            | Self::Quad { port, .. }
            | Self::Block2d { port, .. }
            | Self::Atomic { port, .. }
            | Self::AppendCounter { port, .. }
            | Self::StoreUncompressed { port, .. }
            | Self::StoreUncompressedQuad { port, .. }
            | Self::Compression { port, .. }
            | Self::Fence { port, .. }
            | Self::ReadState { port, .. }
            | Self::LoadStatus { port, .. } => *port,
        }
    }

    /// What its addresses are relative to; a fence has none.
    pub const fn address(&self) -> Option<&LscAddress> {
        match self {
            Self::Vector { address, .. }
            | Self::Quad { address, .. }
            | Self::Block2d { address, .. }
            | Self::Atomic { address, .. }
            | Self::AppendCounter { address, .. }
            | Self::StoreUncompressed { address, .. }
            | Self::StoreUncompressedQuad { address, .. }
            | Self::Compression { address, .. }
            | Self::ReadState { address, .. }
            | Self::LoadStatus { address, .. } => Some(address),
            Self::Fence { .. } => None,
        }
    }

    /// Whether its addresses are virtual addresses or offsets into shared local memory.
    pub const fn is_flat(&self) -> bool {
        matches!(self.address(), Some(LscAddress::Flat { .. }))
    }

    /// The size of its addresses, if its descriptor has one.
    pub const fn address_size(&self) -> Option<AddressSize> {
        match self {
            Self::Vector { address_size, .. }
            | Self::Quad { address_size, .. }
            | Self::Atomic { address_size, .. }
            | Self::StoreUncompressed { address_size, .. }
            | Self::StoreUncompressedQuad { address_size, .. }
            | Self::Compression { address_size, .. }
            | Self::LoadStatus { address_size, .. } => Some(*address_size),
            Self::Block2d { .. }
            | Self::AppendCounter { .. }
            | Self::Fence { .. }
            | Self::ReadState { .. } => None,
        }
    }

    /// Its cache control, if its descriptor has one.
    pub const fn cache(&self) -> Option<CacheControl> {
        match self {
            Self::Vector { cache, .. }
            | Self::Quad { cache, .. }
            | Self::Block2d { cache, .. }
            | Self::Atomic { cache, .. }
            | Self::AppendCounter { cache, .. }
            | Self::StoreUncompressed { cache, .. }
            | Self::StoreUncompressedQuad { cache, .. }
            | Self::LoadStatus { cache, .. } => Some(*cache),
            Self::Compression { .. } | Self::Fence { .. } | Self::ReadState { .. } => None,
        }
    }

    /// Whether it is a load, of which the cache has policies of their own.
    pub const fn is_load(&self) -> bool {
        match self {
            Self::Vector { direction, .. }
            | Self::Quad { direction, .. }
            | Self::Block2d { direction, .. } => matches!(direction, Direction::Read),
            Self::LoadStatus { .. } => true,
            _ => false,
        }
    }
}
