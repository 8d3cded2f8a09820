//! GPU address spaces: which pages of which backing are where.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use devinfo::GpuAddress;
use nix::errno::Errno;

use crate::{Backing, OwnerId, PAGE_BYTES, Page, PageTable, Region, Stretch, Translate, View};

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
    /// The owner that a fault report names.
    pub owner: OwnerId,
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

/// A GPU address space of [`GpuAddress::BITS`] in 4 KiB pages, formed by a kernel driver's bindings.
///
/// Binding and unbinding may happen while views exist.
#[derive(Debug)]
pub struct AddressSpace {
    table: RwLock<Arc<Table>>,
    generation: AtomicU64,
}

/// The bound ranges, by first address. Ranges do not overlap.
#[derive(Clone, Debug, Default)]
struct Table {
    ranges: BTreeMap<u64, Binding>,
    /// Whether unbound pages read as zero and drop writes.
    scratch_page: bool,
}

impl Default for AddressSpace {
    fn default() -> Self {
        Self::new(false)
    }
}

impl AddressSpace {
    /// An empty address space. With `scratch_page`, unbound pages read as zero and drop writes,
    /// like i915's and xe's scratch page; otherwise they fault.
    pub fn new(scratch_page: bool) -> Self {
        Self {
            table: RwLock::new(Arc::new(Table {
                ranges: BTreeMap::new(),
                scratch_page,
            })),
            generation: AtomicU64::new(0),
        }
    }

    /// An address space with zeroed memory at the given places, for tests.
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

    /// Binds a range, and unbinds what was there before.
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

    /// Unbinds `bytes` from `address` on; parts of bindings outside the range stay.
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

    fn table(&self) -> Arc<Table> {
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

impl PageTable for AddressSpace {
    fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    fn snapshot(&self) -> Arc<dyn Translate> {
        self.table()
    }

    fn nearest(&self, address: GpuAddress) -> Option<Region> {
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
}

impl Translate for Table {
    fn translate(&self, address: GpuAddress) -> Page<'_> {
        let unbound = match self.scratch_page {
            true => Page::Null,
            false => Page::Unbound,
        };
        let below = self.ranges.range(..=address.get()).next_back();
        let Some((start, binding)) = below else {
            return unbound;
        };
        let offset = address.get() - start;
        if offset >= binding.bytes {
            return unbound;
        }
        match &binding.backing {
            Some(backing) => Page::Bound {
                backing,
                number: (binding.offset + offset) / PAGE_BYTES,
                writable: binding.writable,
            },
            None => Page::Null,
        }
    }

    fn stretch(&self, address: GpuAddress) -> Option<Stretch<'_>> {
        let (start, binding) = self.ranges.range(..=address.get()).next_back()?;
        let inside = address.get() - start < binding.bytes;
        let backing = binding.backing.as_ref().filter(|_| inside)?;
        Some(Stretch {
            address: GpuAddress::new(*start),
            bytes: binding.bytes,
            backing,
            number: binding.offset / PAGE_BYTES,
            writable: binding.writable,
        })
    }
}
