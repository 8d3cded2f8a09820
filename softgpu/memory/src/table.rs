//! What translates GPU addresses.

use std::fmt;
use std::sync::Arc;

use devinfo::GpuAddress;

use crate::{Backing, PAGE_BYTES};

/// What translates the addresses of an address space.
///
/// Translations may change while views exist: each view uses the translations that were in force at
/// its last [`View::refresh`](crate::View::refresh).
pub trait PageTable: fmt::Debug + Send + Sync {
    /// A number that changes with the translations. It is read before [`PageTable::snapshot`].
    fn generation(&self) -> u64;

    /// The translations in force.
    fn snapshot(&self) -> Arc<dyn Translate>;

    /// The bound range that holds `address` or is nearest to it, for fault reports.
    fn nearest(&self, address: GpuAddress) -> Option<Region>;
}

/// The translations of an address space at one time, which a view consults when its cache misses.
///
/// They borrow the memory from the snapshot, so that it lives as long as a view of it.
pub trait Translate: fmt::Debug + Send + Sync {
    /// What the page that holds `address` translates to.
    fn translate(&self, address: GpuAddress) -> Page<'_>;

    /// The pages around `address` that are consecutive in its memory, if there is any: as many as
    /// the table knows without a search, at least that of `address`.
    fn stretch(&self, address: GpuAddress) -> Option<Stretch<'_>> {
        match self.translate(address) {
            Page::Bound {
                backing,
                number,
                writable,
            } => Some(Stretch {
                address: GpuAddress::new(address.get() & !(PAGE_BYTES - 1)),
                bytes: PAGE_BYTES,
                backing,
                number,
                writable,
            }),
            Page::Null | Page::Unbound => None,
        }
    }
}

/// Pages of one memory at consecutive addresses.
#[derive(Clone, Copy, Debug)]
pub struct Stretch<'a> {
    /// The first address.
    pub address: GpuAddress,
    /// The length in bytes.
    pub bytes: u64,
    /// The memory.
    pub backing: &'a Backing,
    /// The first page's number in it.
    pub number: u64,
    /// Whether the GPU may write; never for a read-only backing.
    pub writable: bool,
}

/// What a page translates to.
#[derive(Clone, Copy, Debug)]
pub enum Page<'a> {
    /// A page of memory.
    Bound {
        /// The memory.
        backing: &'a Backing,
        /// The page's number in it.
        number: u64,
        /// Whether the GPU may write it; never for a read-only backing.
        writable: bool,
    },
    /// Reads as zero and drops writes: a null binding or a scratch page.
    Null,
    /// Faults.
    Unbound,
}

/// The owner of a binding, for fault reports: a buffer object's handle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OwnerId(pub u32);

impl fmt::Display for OwnerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "handle {}", self.0)
    }
}

/// A bound range, as in fault reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// The first address.
    pub address: GpuAddress,
    /// The length in bytes.
    pub bytes: u64,
    /// The buffer object.
    pub owner: OwnerId,
}

impl Region {
    /// How far `address` is outside the region; 0 is inside.
    pub fn distance(&self, address: GpuAddress) -> u64 {
        let (start, end) = (self.address.get(), self.address.get() + self.bytes);
        if address.get() < start {
            start - address.get()
        } else {
            (address.get() + 1).saturating_sub(end)
        }
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = self.address.get() + self.bytes;
        write!(f, "{} at {}..{end:#014x}", self.owner, self.address)
    }
}
