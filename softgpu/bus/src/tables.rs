//! Page tables in memory: the global GTT, and a context's four levels.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use batchbuffer::paging;
use batchbuffer::registers::GLOBAL_GTT_ENTRIES;
use devinfo::GpuAddress;
use softgpu_memory::{PAGE_BYTES, Page, PageTable, Region, Translate};

use crate::memory::{self, Memory};
use crate::{Bank, BusError, Machine};

/// The two memories of a device, by [`Bank`].
#[derive(Debug)]
pub(crate) struct Banks {
    system: Memory,
    local: Memory,
}

impl Banks {
    pub fn new(limit: u64) -> Arc<Self> {
        Arc::new(Self {
            system: Memory::new(limit),
            local: Memory::new(limit),
        })
    }

    pub fn of(&self, bank: Bank) -> &Memory {
        match bank {
            Bank::System => &self.system,
            Bank::Local => &self.local,
        }
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            system: self.system.snapshot(),
            local: self.local.snapshot(),
        }
    }

    fn generation(&self) -> u64 {
        self.system.generation() + self.local.generation()
    }
}

/// What is where in both memories, at one time.
#[derive(Debug)]
struct Snapshot {
    system: Arc<dyn Translate>,
    local: Arc<dyn Translate>,
}

impl Snapshot {
    fn of(&self, bank: Bank) -> &dyn Translate {
        match bank {
            Bank::System => &*self.system,
            Bank::Local => &*self.local,
        }
    }

    /// The page that an entry names.
    fn page(&self, bank: Bank, address: u64, may_write: bool) -> Page<'_> {
        match self.of(bank).translate(GpuAddress::new(address)) {
            Page::Bound {
                backing,
                number,
                writable,
            } => Page::Bound {
                backing,
                number,
                writable: writable && may_write,
            },
            other => other,
        }
    }
}

/// The page table of rings, context images and status pages.
#[derive(Debug)]
pub(crate) struct Global {
    banks: Arc<Banks>,
    entries: RwLock<Arc<BTreeMap<u32, u64>>>,
    changes: AtomicU64,
}

impl Global {
    pub fn new(banks: Arc<Banks>) -> Arc<Self> {
        Arc::new(Self {
            banks,
            entries: RwLock::default(),
            changes: AtomicU64::new(0),
        })
    }

    /// Reads an entry.
    pub fn entry(&self, index: u32) -> Result<u64, BusError> {
        check(index)?;
        Ok(self.entries().get(&index).copied().unwrap_or(0))
    }

    /// Writes an entry.
    pub fn set_entry(&self, index: u32, value: u64) -> Result<(), BusError> {
        check(index)?;
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        Arc::make_mut(&mut entries).insert(index, value);
        self.changes.fetch_add(1, Ordering::Release);
        Ok(())
    }

    fn entries(&self) -> Arc<BTreeMap<u32, u64>> {
        Arc::clone(&self.entries.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Which memory holds the page at `address`, if one does.
    pub fn bank(&self, address: u64) -> Option<Bank> {
        let index = u32::try_from(address / PAGE_BYTES).ok()?;
        let entry = self.entries().get(&index).copied()?;
        (entry & paging::PRESENT != 0).then(|| global_bank(entry))
    }
}

fn check(index: u32) -> Result<(), BusError> {
    match index < GLOBAL_GTT_ENTRIES {
        true => Ok(()),
        false => Err(BusError::GlobalEntry {
            index,
            entries: GLOBAL_GTT_ENTRIES,
        }),
    }
}

fn global_bank(entry: u64) -> Bank {
    match entry & paging::GLOBAL_LOCAL {
        0 => Bank::System,
        _ => Bank::Local,
    }
}

impl PageTable for Global {
    fn generation(&self) -> u64 {
        self.changes.load(Ordering::Acquire) + self.banks.generation()
    }

    fn snapshot(&self) -> Arc<dyn Translate> {
        Arc::new(GlobalSnapshot {
            memory: self.banks.snapshot(),
            entries: self.entries(),
        })
    }

    fn nearest(&self, _: GpuAddress) -> Option<Region> {
        None
    }
}

#[derive(Debug)]
struct GlobalSnapshot {
    memory: Snapshot,
    entries: Arc<BTreeMap<u32, u64>>,
}

impl Translate for GlobalSnapshot {
    fn translate(&self, address: GpuAddress) -> Page<'_> {
        let entry = u32::try_from(address.get() / PAGE_BYTES)
            .ok()
            .and_then(|index| self.entries.get(&index));
        match entry {
            Some(entry) if entry & paging::PRESENT != 0 => {
                self.memory
                    .page(global_bank(*entry), entry & paging::ADDRESS, true)
            }
            _ => Page::Unbound,
        }
    }
}

/// A context's page table: four levels of 512 entries, with pages of 4 KiB and 2 MiB. Tables with
/// pages of 64 KiB, and pages of 1 GiB, count as absent. A batch that changes its own tables sees the
/// change at the next submission.
#[derive(Debug)]
pub(crate) struct Context {
    pub banks: Arc<Banks>,
    /// The address of the highest level.
    pub root: u64,
    /// The memory of the tables: the context image's.
    pub tables: Bank,
    /// Whether entries tell local memory from the host's.
    pub local_memory: bool,
    /// Counts the submissions, at each of which hardware forgets what it has translated.
    pub submissions: Arc<AtomicU64>,
}

impl PageTable for Context {
    fn generation(&self) -> u64 {
        self.submissions.load(Ordering::Acquire) + self.banks.generation()
    }

    fn snapshot(&self) -> Arc<dyn Translate> {
        Arc::new(Walk {
            memory: self.banks.snapshot(),
            root: self.root,
            tables: self.tables,
            local_memory: self.local_memory,
        })
    }

    fn nearest(&self, _: GpuAddress) -> Option<Region> {
        None
    }
}

#[derive(Debug)]
struct Walk {
    memory: Snapshot,
    root: u64,
    tables: Bank,
    local_memory: bool,
}

impl Walk {
    /// The entry of `table` for `address`, if it is present.
    fn entry(&self, table: u64, address: u64, level: u32) -> Option<u64> {
        let place = table + 8 * (address >> (12 + 9 * level) & 0x1ff);
        let mut bytes = [0; 8];
        memory::read(self.memory.of(self.tables), place, &mut bytes).ok()?;
        let entry = u64::from_le_bytes(bytes);
        (entry & paging::PRESENT != 0).then_some(entry)
    }

    /// The last entry of the walk to `address`, whether the GPU may write there, and the page's
    /// place in what the entry maps.
    fn leaf(&self, address: u64) -> Option<(u64, bool, u64)> {
        let mut table = self.root & paging::ADDRESS;
        let mut writable = true;
        for level in [3, 2, 1, 0] {
            let entry = self.entry(table, address, level)?;
            writable &= entry & paging::WRITABLE != 0;
            let inside = match level {
                1 if entry & paging::LARGE != 0 => address & 0x1f_f000,
                1 if entry & paging::TABLE_64K != 0 => return None,
                2 if entry & paging::LARGE != 0 => return None,
                0 => 0,
                _ => {
                    table = entry & paging::ADDRESS;
                    continue;
                }
            };
            return Some((entry, writable, inside));
        }
        None
    }
}

impl Translate for Walk {
    fn translate(&self, address: GpuAddress) -> Page<'_> {
        let Some((entry, writable, inside)) = self.leaf(address.get()) else {
            return Page::Unbound;
        };
        let bank = match self.local_memory && entry & paging::LOCAL != 0 {
            true => Bank::Local,
            false => Bank::System,
        };
        self.memory
            .page(bank, (entry & paging::ADDRESS) + inside, writable)
    }
}

impl Machine {
    /// The page table of the context whose highest level is at `root`.
    pub(crate) fn table(&self, root: u64, tables: Bank) -> Context {
        Context {
            banks: Arc::clone(&self.banks),
            root,
            tables,
            local_memory: self.device.platform.local_memory,
            submissions: Arc::clone(&self.submissions),
        }
    }
}
