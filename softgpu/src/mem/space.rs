//! GPU address spaces: which pages of which backing lie where.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use devinfo::GpuAddress;
use nix::errno::Errno;

use super::raw::HostPage;
use super::{Backing, PAGE_BYTES, View};

/// Who a binding belongs to, for fault reports: a buffer object's handle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OwnerId(pub u32);

impl fmt::Display for OwnerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "handle {}", self.0)
    }
}

/// One range of pages bound in an address space.
#[derive(Clone, Debug)]
pub struct Binding {
    /// The memory; `None` reads as zero and drops writes (a null or scratch binding).
    pub backing: Option<Arc<Backing>>,
    /// The offset of the first page in `backing`, a multiple of the page size.
    pub offset: u64,
    /// The length in bytes, a multiple of the page size.
    pub bytes: u64,
    /// Whether the GPU may write.
    pub writable: bool,
    /// Whom a fault report names.
    pub owner: OwnerId,
}

/// A bound range, as fault reports give it.
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
    /// How far `address` lies outside of the region; 0 is inside.
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

/// Why a binding was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BindError {
    /// Address, offset or length is not a multiple of 4 KiB, or the length is 0.
    #[error("binding at {address} is not made of whole 4 KiB pages")]
    Misaligned {
        /// Where.
        address: GpuAddress,
    },
    /// The range does not fit the address space or the backing.
    #[error("binding of {bytes:#x} bytes at {address} exceeds the address space or the buffer")]
    OutOfRange {
        /// Where.
        address: GpuAddress,
        /// The length.
        bytes: u64,
    },
}

/// A GPU address space of 48 bits in 4 KiB pages.
///
/// Binding and unbinding may happen while views exist: each view works on the table that was in
/// force when it last looked ([`View::refresh`]).
#[derive(Debug)]
pub struct AddressSpace {
    table: RwLock<Arc<Table>>,
    generation: AtomicU64,
    scratch_page: bool,
}

/// The bound ranges, by first address. Ranges do not overlap.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    ranges: BTreeMap<u64, Binding>,
}

/// What a page translates to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Page {
    Host { page: HostPage, writable: bool },
    Null,
    Unbound,
}

impl Default for AddressSpace {
    fn default() -> Self {
        Self::new(false)
    }
}

impl AddressSpace {
    /// An empty address space. With `scratch_page`, what is not bound reads as zero and drops
    /// writes, as i915's and xe's scratch page does; otherwise it faults.
    pub fn new(scratch_page: bool) -> Self {
        Self {
            table: RwLock::default(),
            generation: AtomicU64::new(0),
            scratch_page,
        }
    }

    /// An address space with zeroed memory at the given places, for tests of what runs on it.
    ///
    /// # Errors
    /// `EINVAL` if a place is not page aligned or does not fit; the error of `mmap(2)`.
    pub fn with_anonymous(places: &[(GpuAddress, u64)]) -> Result<Self, Errno> {
        let space = Self::default();
        for (index, (address, bytes)) in places.iter().enumerate() {
            let backing = Backing::anonymous(*bytes)?;
            let binding = Binding {
                offset: 0,
                bytes: backing.bytes(),
                writable: true,
                owner: OwnerId(u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1)),
                backing: Some(backing),
            };
            space.bind(*address, binding).map_err(|_| Errno::EINVAL)?;
        }
        Ok(space)
    }

    /// Binds a range; what lay there before is unbound.
    ///
    /// # Errors
    /// See [`BindError`].
    pub fn bind(&self, address: GpuAddress, binding: Binding) -> Result<(), BindError> {
        self.bind_all([(address, binding)])
    }

    /// Binds several ranges at once, each as [`AddressSpace::bind`].
    ///
    /// # Errors
    /// See [`BindError`]; then nothing is bound.
    pub fn bind_all(
        &self,
        bindings: impl IntoIterator<Item = (GpuAddress, Binding)>,
    ) -> Result<(), BindError> {
        self.change(|table| {
            bindings
                .into_iter()
                .try_for_each(|(address, binding)| table.bind(address, binding))
        })
    }

    /// Unbinds `bytes` from `address` on; parts of bindings outside of the range stay.
    ///
    /// # Errors
    /// See [`BindError`].
    pub fn unbind(&self, address: GpuAddress, bytes: u64) -> Result<(), BindError> {
        self.change(|table| {
            let range = page_range(address, bytes)?;
            table.clear(range);
            Ok(())
        })
    }

    /// A view for the calling thread.
    pub fn view(&self) -> View<'_> {
        View::new(self)
    }

    /// Whether unbound pages read as zero and drop writes.
    pub fn has_scratch_page(&self) -> bool {
        self.scratch_page
    }

    /// The bound range that `address` lies in or is nearest to.
    pub fn nearest(&self, address: GpuAddress) -> Option<Region> {
        let table = self.table();
        let below = table.ranges.range(..=address.get()).next_back();
        let above = table.ranges.range(address.get()..).next();
        below
            .into_iter()
            .chain(above)
            .map(|(start, binding)| Region {
                address: GpuAddress::new(*start),
                bytes: binding.bytes,
                owner: binding.owner,
            })
            .min_by_key(|region| region.distance(address))
    }

    /// All bound ranges, by address.
    pub fn regions(&self) -> Vec<Region> {
        let table = self.table();
        let regions = table.ranges.iter().map(|(start, binding)| Region {
            address: GpuAddress::new(*start),
            bytes: binding.bytes,
            owner: binding.owner,
        });
        regions.collect()
    }

    /// All bindings, by address.
    pub fn bindings(&self) -> Vec<(GpuAddress, Binding)> {
        let table = self.table();
        let all = table.ranges.iter();
        all.map(|(start, binding)| (GpuAddress::new(*start), binding.clone()))
            .collect()
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    pub(super) fn table(&self) -> Arc<Table> {
        Arc::clone(&self.table.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn change(
        &self,
        change: impl FnOnce(&mut Table) -> Result<(), BindError>,
    ) -> Result<(), BindError> {
        let mut current = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let mut table = Table::clone(&current);
        change(&mut table)?;
        *current = Arc::new(table);
        self.generation.fetch_add(1, Ordering::Release);
        Ok(())
    }
}

/// The page-aligned, in-range form of a place in an address space.
fn page_range(address: GpuAddress, bytes: u64) -> Result<Range<u64>, BindError> {
    let start = address.get();
    if bytes == 0 || !bytes.is_multiple_of(PAGE_BYTES) || !start.is_multiple_of(PAGE_BYTES) {
        return Err(BindError::Misaligned { address });
    }
    match start.checked_add(bytes) {
        Some(end) if end <= 1 << GpuAddress::BITS => Ok(start..end),
        _ => Err(BindError::OutOfRange { address, bytes }),
    }
}

impl Table {
    fn bind(&mut self, address: GpuAddress, binding: Binding) -> Result<(), BindError> {
        let range = page_range(address, binding.bytes)?;
        let bytes = binding.bytes;
        if !binding.offset.is_multiple_of(PAGE_BYTES) {
            return Err(BindError::Misaligned { address });
        }
        let end = binding.offset.checked_add(bytes);
        if let Some(backing) = &binding.backing
            && end.is_none_or(|end| end > backing.bytes())
        {
            return Err(BindError::OutOfRange { address, bytes });
        }
        self.clear(range.clone());
        self.ranges.insert(range.start, binding);
        Ok(())
    }

    /// Unbinds `range`, splitting the bindings at its ends.
    fn clear(&mut self, range: Range<u64>) {
        let first = match self.ranges.range(..range.start).next_back() {
            Some((start, binding)) if start + binding.bytes > range.start => *start,
            _ => range.start,
        };
        let hit: Vec<u64> = self
            .ranges
            .range(first..range.end)
            .map(|(start, _)| *start)
            .collect();
        for start in hit {
            let Some(binding) = self.ranges.remove(&start) else {
                continue;
            };
            let end = start + binding.bytes;
            if start < range.start {
                let mut head = binding.clone();
                head.bytes = range.start - start;
                self.ranges.insert(start, head);
            }
            if end > range.end {
                let mut tail = binding;
                tail.offset += range.end - start;
                tail.bytes = end - range.end;
                self.ranges.insert(range.end, tail);
            }
        }
    }

    /// What the page that holds `address` translates to.
    pub(super) fn translate(&self, address: u64) -> Page {
        let Some((start, binding)) = self.ranges.range(..=address).next_back() else {
            return Page::Unbound;
        };
        let offset = address - start;
        if offset >= binding.bytes {
            return Page::Unbound;
        }
        let Some(backing) = &binding.backing else {
            return Page::Null;
        };
        match backing.page((binding.offset + offset) / PAGE_BYTES) {
            Some(base) => Page::Host {
                // SAFETY: the page belongs to `backing`, which the table keeps alive; views use
                // it only while they hold the table. Pages of the client's are probed before
                // each submission and stay by the client's promise (`Backing::user`).
                page: unsafe { HostPage::new(base) },
                writable: binding.writable && !backing.is_read_only(),
            },
            None => Page::Unbound,
        }
    }
}
