//! One host thread's view of a GPU address space.

use std::cell::{Cell, RefCell};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use devinfo::GpuAddress;

use crate::raw::HostPage;
use crate::{Access, Fault, PAGE_BYTES, Page, PageTable, Translate};

/// A view of a page table with its own translation cache.
///
/// Not `Sync`: each host thread that runs EU threads makes one. All accesses are byte-exact and
/// tear-free up to a naturally aligned qword; none creates a reference to GPU memory.
#[derive(Debug)]
pub struct View<'a> {
    space: &'a dyn PageTable,
    /// Keeps alive what the cached pages point to.
    table: RefCell<Arc<dyn Translate>>,
    generation: Cell<u64>,
    epoch: Cell<u64>,
    cache: Cache,
}

/// The number of epochs so far, of all views.
static EPOCHS: AtomicU64 = AtomicU64::new(0);

fn next_epoch() -> u64 {
    EPOCHS.fetch_add(1, Ordering::Relaxed) + 1
}

/// Bound memory that is consecutive in the host, too.
///
/// As long as the view exists and its [`epoch`](View::epoch) stays, these bytes may be accessed as
/// those of other accesses are: others change them at any time.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// The first address.
    pub start: GpuAddress,
    /// The length in bytes.
    pub bytes: u64,
    /// Where the first byte is.
    pub host: NonNull<u8>,
}

/// Cached translations, direct mapped by page number.
///
/// Only entries of the current round count, so to forget them all is to begin another round. A view
/// that goes leaves its entries to the thread's next one: a small launch would spend most of its time
/// on making them.
#[derive(Debug)]
struct Cache {
    entries: Entries,
    /// Above the bits of page numbers; never zero.
    round: Cell<u64>,
}

type Entries = Box<[Cell<Entry>]>;

/// One cached translation.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The page number and the round.
    key: u64,
    writable: bool,
    page: Option<HostPage>,
}

const NO_PAGE: u64 = u64::MAX;
const CACHE_ENTRIES: usize = 1024;
const EMPTY: Entry = Entry {
    key: 0,
    writable: false,
    page: None,
};
/// The first round.
const ROUND: u64 = 1 << (GpuAddress::BITS - PAGE_BYTES.ilog2());
/// The most caches that a thread keeps for its next views.
const SPARE: usize = 4;

thread_local! {
    static SPARES: RefCell<Vec<(Entries, u64)>> = const { RefCell::new(Vec::new()) };
}

impl Cache {
    /// An empty cache.
    fn new() -> Self {
        // Without the list, which goes when the thread ends, a cache is made.
        let spare = SPARES.try_with(|spares| spares.try_borrow_mut().ok()?.pop());
        match spare.ok().flatten() {
            Some((entries, round)) => {
                let cache = Self {
                    entries,
                    round: Cell::new(round),
                };
                cache.forget();
                cache
            }
            None => Self {
                entries: vec![Cell::new(EMPTY); CACHE_ENTRIES].into(),
                round: Cell::new(ROUND),
            },
        }
    }

    /// Forgets all translations.
    fn forget(&self) {
        let next = self.round.get().checked_add(ROUND);
        if next.is_none() {
            for entry in &self.entries {
                entry.set(EMPTY);
            }
        }
        self.round.set(next.unwrap_or(ROUND));
    }

    /// What stands for a page in this round.
    #[inline(always)]
    fn key(&self, number: u64) -> u64 {
        number | self.round.get()
    }

    /// The entry that a page may have.
    #[inline(always)]
    fn entry(&self, number: u64) -> &Cell<Entry> {
        &self.entries[number as usize % CACHE_ENTRIES]
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        let (entries, round) = (std::mem::take(&mut self.entries), self.round.get());
        let _none_left = SPARES.try_with(|spares| {
            if let Ok(mut spares) = spares.try_borrow_mut()
                && spares.len() < SPARE
            {
                spares.push((entries, round));
            }
        });
    }
}

/// Where an access goes.
#[derive(Clone, Copy)]
enum Target {
    Page(HostPage),
    /// Reads as zero, drops writes.
    Nowhere,
}

macro_rules! word_access {
    ($read:ident, $write:ident, $load:ident, $store:ident, $word:ty, $name:literal) => {
        #[doc = concat!("Loads the ", $name, " at `address` (of any alignment).")]
        ///
        /// # Errors
        /// As [`View::read`].
        #[inline]
        pub fn $read(&self, address: GpuAddress) -> Result<$word, Fault> {
            const BYTES: usize = size_of::<$word>();
            let offset = page_offset(address);
            if offset.is_multiple_of(BYTES) {
                return Ok(match self.target(address, Access::Read)? {
                    Target::Page(page) => page.$load(offset),
                    Target::Nowhere => 0,
                });
            }
            let mut bytes = [0; BYTES];
            self.read(address, &mut bytes)?;
            Ok(<$word>::from_le_bytes(bytes))
        }

        #[doc = concat!("Stores a ", $name, " at `address` (of any alignment).")]
        ///
        /// # Errors
        /// As [`View::write`].
        #[inline]
        pub fn $write(&self, address: GpuAddress, value: $word) -> Result<(), Fault> {
            let offset = page_offset(address);
            if offset.is_multiple_of(size_of::<$word>()) {
                if let Target::Page(page) = self.target(address, Access::Write)? {
                    page.$store(offset, value);
                }
                return Ok(());
            }
            self.write(address, &value.to_le_bytes())
        }
    };
}

impl<'a> View<'a> {
    /// A view for the calling thread.
    pub fn new(space: &'a dyn PageTable) -> Self {
        let generation = space.generation();
        Self {
            space,
            table: RefCell::new(space.snapshot()),
            generation: Cell::new(generation),
            epoch: Cell::new(next_epoch()),
            cache: Cache::new(),
        }
    }

    /// Picks up changes of the address space since the view was made or last refreshed.
    pub fn refresh(&self) {
        let generation = self.space.generation();
        if generation == self.generation.get() {
            return;
        }
        self.cache.forget();
        self.table.replace(self.space.snapshot());
        self.generation.set(generation);
        self.epoch.set(next_epoch());
    }

    /// A number that no other view has, and that changes whenever windows end.
    pub fn epoch(&self) -> u64 {
        self.epoch.get()
    }

    /// The memory around `address`, if `access` is allowed there.
    pub fn window(&self, address: GpuAddress, access: Access) -> Option<Window> {
        let table = self.table.borrow();
        let stretch = table.stretch(address)?;
        let writable = stretch.writable && !stretch.backing.is_read_only();
        if !writable && !access.only_reads() {
            return None;
        }
        let last = stretch.number + stretch.bytes.div_ceil(PAGE_BYTES).checked_sub(1)?;
        stretch.backing.page(last)?;
        Some(Window {
            start: stretch.address,
            bytes: stretch.bytes,
            host: stretch.backing.page(stretch.number)?,
        })
    }

    word_access!(read_u8, write_u8, load_u8, store_u8, u8, "byte");
    word_access!(read_u16, write_u16, load_u16, store_u16, u16, "word");
    word_access!(read_u32, write_u32, load_u32, store_u32, u32, "dword");
    word_access!(read_u64, write_u64, load_u64, store_u64, u64, "qword");

    /// Loads the dword at each address, which are multiples of 4.
    ///
    /// # Errors
    /// As [`View::read`].
    #[inline(always)]
    pub fn gather_u32(
        &self,
        places: impl Iterator<Item = (usize, GpuAddress)>,
        mut put: impl FnMut(usize, u32),
    ) -> Result<(), Fault> {
        let mut last = (NO_PAGE, Target::Nowhere);
        for (lane, address) in places {
            let number = address.get() / PAGE_BYTES;
            if last.0 != number {
                last = (number, self.target(address, Access::Read)?);
            }
            let value = match last.1 {
                Target::Page(page) => page.load_u32(page_offset(address)),
                Target::Nowhere => 0,
            };
            put(lane, value);
        }
        Ok(())
    }

    /// Stores a dword at each address, which are multiples of 4.
    ///
    /// # Errors
    /// As [`View::write`].
    #[inline(always)]
    pub fn scatter_u32(
        &self,
        stores: impl Iterator<Item = (GpuAddress, u32)>,
    ) -> Result<(), Fault> {
        let mut last = (NO_PAGE, Target::Nowhere);
        for (address, value) in stores {
            let number = address.get() / PAGE_BYTES;
            if last.0 != number {
                last = (number, self.target(address, Access::Write)?);
            }
            if let Target::Page(page) = last.1 {
                page.store_u32(page_offset(address), value);
            }
        }
        Ok(())
    }

    /// Copies `out.len()` bytes at `address` to `out`.
    ///
    /// # Errors
    /// [`Fault::Page`] with the first unbound byte.
    pub fn read(&self, address: GpuAddress, out: &mut [u8]) -> Result<(), Fault> {
        let (mut address, mut rest) = (address, out);
        while !rest.is_empty() {
            let offset = page_offset(address);
            let count = rest.len().min(PAGE_BYTES as usize - offset);
            let (part, tail) = rest.split_at_mut(count);
            match self.target(address, Access::Read)? {
                Target::Page(page) => page.read(offset, part),
                Target::Nowhere => part.fill(0),
            }
            rest = tail;
            address = address.offset(count as u64);
        }
        Ok(())
    }

    /// Copies `data` to `address`.
    ///
    /// # Errors
    /// [`Fault::Page`] with the first unbound or read-only byte; bytes before it may be written.
    pub fn write(&self, address: GpuAddress, data: &[u8]) -> Result<(), Fault> {
        let (mut address, mut rest) = (address, data);
        while !rest.is_empty() {
            let offset = page_offset(address);
            let (part, tail) = rest.split_at(rest.len().min(PAGE_BYTES as usize - offset));
            if let Target::Page(page) = self.target(address, Access::Write)? {
                page.write(offset, part);
            }
            rest = tail;
            address = address.offset(part.len() as u64);
        }
        Ok(())
    }

    /// Replaces the naturally aligned dword at `address` by `update(old)`, atomically
    /// (`None` leaves it). Returns the old value.
    ///
    /// # Errors
    /// [`Fault::Page`] if unbound, [`Fault::Misaligned`] if misaligned.
    pub fn atomic_u32(
        &self,
        address: GpuAddress,
        update: &mut dyn FnMut(u32) -> Option<u32>,
    ) -> Result<u32, Fault> {
        match self.atomic_target(address, 4)? {
            Target::Page(page) => Ok(page.update_u32(page_offset(address), update)),
            Target::Nowhere => Ok(0),
        }
    }

    /// As [`View::atomic_u32`], for a naturally aligned qword.
    ///
    /// # Errors
    /// As [`View::atomic_u32`].
    pub fn atomic_u64(
        &self,
        address: GpuAddress,
        update: &mut dyn FnMut(u64) -> Option<u64>,
    ) -> Result<u64, Fault> {
        match self.atomic_target(address, 8)? {
            Target::Page(page) => Ok(page.update_u64(page_offset(address), update)),
            Target::Nowhere => Ok(0),
        }
    }

    /// Replaces the octword at `address`, which is a multiple of 16, by `new` if it is
    /// `expected`. Returns the old value.
    ///
    /// # Errors
    /// As [`atomic_u32`](Self::atomic_u32); also on hosts without such an instruction.
    pub fn compare_exchange_u128(
        &self,
        address: GpuAddress,
        expected: u128,
        new: u128,
    ) -> Result<u128, Fault> {
        match self.atomic_target(address, 16)? {
            Target::Page(page) => page
                .compare_exchange_u128(page_offset(address), expected, new)
                .ok_or(Fault::NoOctwordAtomics),
            Target::Nowhere => Ok(0),
        }
    }

    fn atomic_target(&self, address: GpuAddress, bytes: u64) -> Result<Target, Fault> {
        if !address.get().is_multiple_of(bytes) {
            return Err(Fault::Misaligned { address, bytes });
        }
        self.target(address, Access::Atomic)
    }

    /// Where the page of `address` is, if `access` is allowed there.
    #[inline(always)]
    fn target(&self, address: GpuAddress, access: Access) -> Result<Target, Fault> {
        let number = address.get() / PAGE_BYTES;
        let entry = self.cache.entry(number).get();
        if entry.key == self.cache.key(number)
            && let Some(page) = entry.page
            && (entry.writable || access.only_reads())
        {
            return Ok(Target::Page(page));
        }
        self.miss(address, access)
    }

    #[cold]
    fn miss(&self, address: GpuAddress, access: Access) -> Result<Target, Fault> {
        let unbound = Err(Fault::Page { address, access });
        let table = self.table.borrow();
        let (backing, number, writable) = match table.translate(address) {
            Page::Bound {
                backing,
                number,
                writable,
            } => (backing, number, writable && !backing.is_read_only()),
            Page::Null => return Ok(Target::Nowhere),
            Page::Unbound => return unbound,
        };
        if !writable && !access.only_reads() {
            return unbound;
        }
        let Some(base) = backing.page(number) else {
            return unbound;
        };
        // SAFETY: the page belongs to `backing`, which the table keeps alive as long as it is
        // shared; the cache forgets it before the view gives the table up. The client's pages are
        // probed before each submission, and the client promises that they stay (`Backing::user`).
        let page = unsafe { HostPage::new(base) };
        let number = address.get() / PAGE_BYTES;
        self.cache.entry(number).set(Entry {
            key: self.cache.key(number),
            writable,
            page: Some(page),
        });
        Ok(Target::Page(page))
    }
}

/// The offset of `address` in its page.
#[inline(always)]
fn page_offset(address: GpuAddress) -> usize {
    (address.get() % PAGE_BYTES) as usize
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{AddressSpace, Backing, Binding, OwnerId};

    fn at(address: u64) -> GpuAddress {
        GpuAddress::new(address)
    }

    #[test]
    fn words_and_blocks_of_any_alignment_agree() {
        let space = AddressSpace::with_anonymous(&[(at(0x1_0000), 0x3000)]).unwrap();
        let view = space.view();
        let data: Vec<u8> = (0..0x3000u32).map(|i| (i * 7 + i / 256) as u8).collect();
        view.write(at(0x1_0000), &data).unwrap();
        for start in [0usize, 1, 2, 3, 4, 7, 8, 0xff9, 0xffe, 0xfff, 0x1ffd] {
            let address = at(0x1_0000 + start as u64);
            for length in [0usize, 1, 3, 4, 8, 9, 17, 64, 0x1001] {
                let mut out = vec![0; length];
                view.read(address, &mut out).unwrap();
                assert_eq!(out, data[start..start + length], "{start:#x}+{length:#x}");
            }
            let eight: [u8; 8] = data[start..start + 8].try_into().unwrap();
            let word = u64::from_le_bytes(eight);
            assert_eq!(view.read_u8(address).unwrap(), word as u8);
            assert_eq!(view.read_u16(address).unwrap(), word as u16);
            assert_eq!(view.read_u32(address).unwrap(), word as u32);
            assert_eq!(view.read_u64(address).unwrap(), word);
            view.write_u32(address, 0x0403_0201).unwrap();
            assert_eq!(view.read_u32(address).unwrap(), 0x0403_0201);
            view.write_u32(address, word as u32).unwrap();
        }
    }

    #[test]
    fn unbound_pages_fault_with_their_first_byte() {
        let space = AddressSpace::with_anonymous(&[(at(0x1000), 0x1000)]).unwrap();
        let view = space.view();
        let mut out = [0; 64];
        let fault = view.read(at(0x1fe0), &mut out).unwrap_err();
        let access = Access::Read;
        assert_eq!(
            fault,
            Fault::Page {
                address: at(0x2000),
                access
            }
        );
        let access = Access::Write;
        assert_eq!(
            view.write_u64(at(0xfff), 1),
            Err(Fault::Page {
                address: at(0xfff),
                access
            })
        );
        let nearest = space.nearest(at(0x5000)).unwrap();
        assert_eq!(
            (nearest.address, nearest.distance(at(0x5000))),
            (at(0x1000), 0x3001)
        );
        assert!(view.atomic_u32(at(0x1002), &mut |_| None).is_err());
        assert_eq!(view.atomic_u32(at(0x1004), &mut |v| Some(v + 5)), Ok(0));
        assert_eq!(view.read_u32(at(0x1004)), Ok(5));
    }

    #[test]
    fn windows_are_what_is_bound_and_end_when_it_changes() {
        let space = AddressSpace::with_anonymous(&[(at(0x1_0000), 0x3000)]).unwrap();
        let view = space.view();
        view.write_u32(at(0x1_1008), 77).unwrap();
        let window = view.window(at(0x1_1234), Access::Write).unwrap();
        assert_eq!((window.start, window.bytes), (at(0x1_0000), 0x3000));
        // SAFETY: inside the window, which is as old as the view.
        let value = unsafe { window.host.add(0x1008).cast::<u32>().read() };
        assert_eq!(value, 77);
        assert!(view.window(at(0x1_3000), Access::Read).is_none());
        assert!(view.window(at(0xffff), Access::Read).is_none());
        let epoch = view.epoch();
        assert_ne!(space.view().epoch(), epoch);
        let backing = Backing::anonymous(0x4000).unwrap();
        let binding = Binding {
            backing: Some(backing),
            offset: 0x2000,
            bytes: 0x1000,
            writable: false,
            owner: OwnerId(9),
        };
        space.bind(at(0x1_1000), binding).unwrap();
        assert_eq!(view.epoch(), epoch);
        view.refresh();
        assert_ne!(view.epoch(), epoch);
        let ranges = [0x1_0000, 0x1_1000, 0x1_2000].map(|address| {
            let window = view.window(at(address + 8), Access::Read).unwrap();
            (window.start.get(), window.bytes)
        });
        assert_eq!(
            ranges,
            [(0x1_0000, 0x1000), (0x1_1000, 0x1000), (0x1_2000, 0x1000)]
        );
        assert!(view.window(at(0x1_1000), Access::Write).is_none());
    }

    #[test]
    fn views_leave_no_translations_to_the_next_ones() {
        let first = AddressSpace::with_anonymous(&[(at(0x1000), 0x1000)]).unwrap();
        let second = AddressSpace::with_anonymous(&[(at(0x2000), 0x1000)]).unwrap();
        first.view().write_u32(at(0x1000), 5).unwrap();
        for _ in 0..3 {
            assert_eq!(first.view().read_u32(at(0x1000)), Ok(5));
            let view = second.view();
            assert!(view.read_u32(at(0x1000)).is_err());
            assert_eq!(view.read_u32(at(0x2000)), Ok(0));
        }
    }

    #[test]
    fn the_last_round_is_followed_by_the_first() {
        let cache = Cache::new();
        cache.round.set(u64::MAX - (ROUND - 1));
        let (last, number) = (cache.round.get(), 7);
        let page = Entry {
            key: cache.key(number),
            ..EMPTY
        };
        cache.entry(number).set(page);
        let first = Entry {
            key: number | ROUND,
            ..EMPTY
        };
        cache.entry(8).set(first);
        cache.forget();
        assert_eq!((last, cache.round.get()), (0u64.wrapping_sub(ROUND), ROUND));
        assert_eq!(
            cache.entry(8).get().key,
            0,
            "an entry of the first time round"
        );
    }

    #[test]
    fn scratch_page_reads_zero_and_drops_writes() {
        let space = AddressSpace::new(true);
        let view = space.view();
        view.write_u32(at(0x8000), 7).unwrap();
        assert_eq!(view.read_u32(at(0x8000)), Ok(0));
    }

    #[test]
    fn rebinding_splits_and_views_follow_on_refresh() {
        let space = AddressSpace::with_anonymous(&[(at(0x1_0000), 0x4000)]).unwrap();
        let view = space.view();
        for page in 0..4u64 {
            view.write_u32(at(0x1_0000 + page * 0x1000), page as u32 + 1)
                .unwrap();
        }
        space.unbind(at(0x1_1000), 0x1000).unwrap();
        assert_eq!(view.read_u32(at(0x1_1000)), Ok(2), "the view is a snapshot");
        view.refresh();
        assert!(view.read_u32(at(0x1_1000)).is_err());
        assert_eq!(view.read_u32(at(0x1_0000)), Ok(1));
        assert_eq!(view.read_u32(at(0x1_2000)), Ok(3));
        let backing = Backing::anonymous(0x2000).unwrap();
        let binding = Binding {
            backing: Some(Arc::clone(&backing)),
            offset: 0x1000,
            bytes: 0x1000,
            writable: false,
            owner: OwnerId(9),
        };
        space.bind(at(0x1_1000), binding).unwrap();
        view.refresh();
        assert_eq!(view.read_u32(at(0x1_1000)), Ok(0));
        assert!(view.write_u32(at(0x1_1000), 1).is_err());
        assert_eq!(space.regions().len(), 3);
    }
}
