//! An address space's page tables.

use std::collections::BTreeMap;
use std::sync::Arc;

use batchbuffer::paging::{ENTRIES, LEVELS, PAGE, PRESENT, WRITABLE, index};
use devinfo::GpuAddress;

use super::dma::{Dma, Link};
use crate::KmdResult;

/// How many tables are made at a time.
const AT_A_TIME: u64 = 32;

/// Page tables of four levels. Tables live as long as the address space.
#[derive(Debug)]
pub(super) struct Tables {
    pool: Pool,
    root: Table,
    /// What the entries of each level hold where nothing is bound: nothing, or what leads to a
    /// scratch page.
    empty: [u64; LEVELS as usize],
    /// The scratch page.
    _scratch: Option<Dma>,
}

/// A table, and those below it.
#[derive(Debug)]
struct Table {
    memory: Arc<Dma>,
    offset: u64,
    below: BTreeMap<usize, Table>,
}

impl Table {
    fn address(&self) -> u64 {
        self.memory.address() + self.offset
    }

    fn set(&self, index: usize, entry: u64) {
        self.memory
            .write_qword(self.offset + 8 * index as u64, entry);
    }
}

/// Where tables come from.
#[derive(Debug)]
struct Pool {
    link: Arc<Link>,
    current: Option<(Arc<Dma>, u64)>,
}

impl Pool {
    /// A table in which all entries are `entry`.
    fn table(&mut self, entry: u64) -> KmdResult<Table> {
        let (memory, offset) = match self.current.take() {
            Some(current) => current,
            None => (Arc::new(Dma::new(&self.link, AT_A_TIME * PAGE)?), 0),
        };
        let next = offset + PAGE;
        self.current = (next < memory.bytes()).then(|| (Arc::clone(&memory), next));
        let table = Table {
            memory,
            offset,
            below: BTreeMap::new(),
        };
        if entry != 0 {
            (0..ENTRIES).for_each(|index| table.set(index, entry));
        }
        Ok(table)
    }
}

impl Tables {
    /// An empty address space.
    pub(super) fn new(link: &Arc<Link>, scratch_page: bool) -> KmdResult<Self> {
        let mut pool = Pool {
            link: Arc::clone(link),
            current: None,
        };
        let mut empty = [0; LEVELS as usize];
        let mut scratch = None;
        if scratch_page {
            let page = Dma::new(link, PAGE)?;
            let mut entry = page.address() | PRESENT | WRITABLE;
            scratch = Some(page);
            for level in &mut empty {
                *level = entry;
                entry = pool.table(entry)?.address() | PRESENT | WRITABLE;
            }
        }
        Ok(Self {
            root: pool.table(empty[LEVELS as usize - 1])?,
            pool,
            empty,
            _scratch: scratch,
        })
    }

    /// The address of the highest level.
    pub(super) fn root(&self) -> GpuAddress {
        GpuAddress::new(self.root.address())
    }

    /// Binds `length` bytes of memory from `offset` on.
    pub(super) fn bind(
        &mut self,
        address: GpuAddress,
        memory: &Dma,
        offset: u64,
        length: u64,
    ) -> KmdResult<()> {
        let rights = match memory.is_writable() {
            true => PRESENT | WRITABLE,
            false => PRESENT,
        };
        let physical = memory.address() + offset;
        self.fill(address, length, |done| (physical + done) | rights)
    }

    /// Unbinds what is bound there.
    pub(super) fn unbind(&mut self, address: GpuAddress, length: u64) -> KmdResult<()> {
        let empty = self.empty[0];
        self.fill(address, length, |_| empty)
    }

    /// Writes the entry of each page.
    fn fill(
        &mut self,
        address: GpuAddress,
        length: u64,
        entry: impl Fn(u64) -> u64,
    ) -> KmdResult<()> {
        let mut done = 0;
        while done < length {
            let first = address.offset(done);
            let table = self.leaf(first)?;
            for place in index(first, 0)..ENTRIES {
                if done == length {
                    break;
                }
                table.set(place, entry(done));
                done += PAGE;
            }
        }
        Ok(())
    }

    /// The table of level 0 for an address.
    fn leaf(&mut self, address: GpuAddress) -> KmdResult<&Table> {
        let mut table = &mut self.root;
        for level in (1..LEVELS).rev() {
            let place = index(address, level);
            if !table.below.contains_key(&place) {
                let made = self.pool.table(self.empty[level as usize - 1])?;
                table.set(place, made.address() | PRESENT | WRITABLE);
                table.below.insert(place, made);
            }
            let below = table.below.get_mut(&place);
            table = below.ok_or(crate::KmdError::BareMetal(
                "a page table is gone".to_owned(),
            ))?;
        }
        Ok(table)
    }
}
