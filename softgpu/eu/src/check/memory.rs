//! What is known of GPU memory: who touched a word, and which bytes nothing has written.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::cell::Cell;
use super::order::Known;

/// Words of which [`Memory`] keeps the cells together.
const WORDS: usize = 256;
/// Pages of cells that are kept, of 16 MB of memory; what was first touched longest ago is forgotten. They
/// take some 350 MB.
const PAGES: usize = 1 << 14;
/// Bytes of a page of states.
const STATES: u64 = 4096;
/// Places of atomics that are kept.
const PLACES: usize = 1 << 14;

/// A byte that nothing has written.
pub(crate) const UNWRITTEN: u8 = 0;
/// A byte that something has written. Larger states are of pointers.
pub(crate) const WRITTEN: u8 = 1;

/// What is known of memory. One for a device; it outlives launches.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// The number of the last thread.
    threads: u32,
    pages: HashMap<u64, Box<[Cell; WORDS]>>,
    /// The pages, the oldest first.
    ages: VecDeque<u64>,
    /// Where it is not the usual [`WRITTEN`], the states of a page's bytes.
    states: HashMap<u64, Box<[u8]>>,
    /// Each launch that runs has one.
    running: Arc<()>,
    /// By address, what the atomics there tell.
    told: HashMap<u64, Known>,
    /// More places had atomics than are kept.
    pub overflow: bool,
}

impl Memory {
    /// The number of the next thread; `count` numbers are taken.
    pub fn take_threads(&mut self, count: u32) -> u32 {
        if self.threads.checked_add(count).is_none() {
            // Numbers begin again: who had them is forgotten.
            self.threads = 0;
            self.pages.clear();
            self.ages.clear();
        }
        let first = self.threads + 1;
        self.threads += count;
        first
    }

    /// A launch begins: unless others run, what atomics told is over. Returns the number of its first
    /// thread, and what it has while it runs.
    pub fn begin(&mut self) -> (u32, Arc<()>) {
        if Arc::strong_count(&self.running) == 1 {
            self.told.clear();
            self.overflow = false;
        }
        (self.threads + 1, self.running.clone())
    }

    /// The cell of the word at `address`.
    pub fn cell(&mut self, address: u64) -> &mut Cell {
        let (page, word) = (address >> 10, (address >> 2) as usize % WORDS);
        if !self.pages.contains_key(&page) {
            if self.pages.len() >= PAGES
                && let Some(oldest) = self.ages.pop_front()
            {
                self.pages.remove(&oldest);
            }
            self.ages.push_back(page);
        }
        let cells = self.pages.entry(page);
        &mut cells.or_insert_with(|| Box::new([Cell::default(); WORDS]))[word]
    }

    /// What the atomics at an address tell.
    pub fn told(&self, address: u64) -> Option<&Known> {
        self.told.get(&address)
    }

    /// An atomic at an address tells something.
    pub fn tell(&mut self, address: u64, known: Known) {
        if known.is_empty() {
            return;
        }
        if self.told.len() >= PLACES && !self.told.contains_key(&address) {
            self.overflow = true;
            return;
        }
        self.told.insert(address, known);
    }

    /// Something has written the `size` bytes at `address`.
    pub fn write(&mut self, address: u64, size: u64) {
        let end = address.saturating_add(size);
        let (first, last) = (address.next_multiple_of(STATES), end / STATES * STATES);
        if first >= last {
            return self.written(address, size);
        }
        self.written(address, first - address);
        self.written(last, end - last);
        self.states
            .retain(|page, _| !(first..last).contains(&(page * STATES)));
    }

    fn written(&mut self, address: u64, size: u64) {
        let end = address.saturating_add(size);
        let mut at = address;
        while at < end {
            let page = at / STATES;
            let until = end.min((page + 1) * STATES);
            if let Some(states) = self.states.get_mut(&page) {
                let range = (at % STATES) as usize..(at % STATES + (until - at)) as usize;
                states.get_mut(range).unwrap_or_default().fill(WRITTEN);
            }
            at = until;
        }
    }

    /// The states of a page; `None` if they all are `state` already.
    fn page(&mut self, page: u64, state: u8) -> Option<&mut [u8]> {
        if state == WRITTEN && !self.states.contains_key(&page) {
            return None;
        }
        let states = self.states.entry(page);
        Some(&mut **states.or_insert_with(|| vec![WRITTEN; STATES as usize].into()))
    }

    /// Whether all bytes have been written, and none is a pointer's.
    fn is_plain(&self) -> bool {
        self.states.is_empty()
    }

    /// The states of the bytes at an address.
    pub fn load(&self, address: u64, out: &mut [u8]) {
        if self.is_plain() {
            return out.fill(WRITTEN);
        }
        for (address, out) in (address..).zip(out) {
            let page = address / STATES;
            *out = match self.states.get(&page) {
                Some(states) => states
                    .get((address % STATES) as usize)
                    .copied()
                    .unwrap_or(WRITTEN),
                None => WRITTEN,
            };
        }
    }

    /// Sets the states of the bytes at an address.
    pub fn store(&mut self, address: u64, states: &[u8]) {
        if self.is_plain() && states.iter().all(|state| *state == WRITTEN) {
            return;
        }
        for (address, &state) in (address..).zip(states) {
            if let Some(page) = self.page(address / STATES, state)
                && let Some(old) = page.get_mut((address % STATES) as usize)
            {
                *old = state;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn states<const N: usize>(memory: &Memory, address: u64) -> [u8; N] {
        let mut out = [9; N];
        memory.load(address, &mut out);
        out
    }

    #[test]
    fn bytes_are_written_unless_somebody_says_otherwise() {
        let mut memory = Memory::default();
        assert_eq!(states(&memory, 0x1000), [WRITTEN; 4]);
        memory.store(0x0ffe, &[UNWRITTEN; 0x3000]);
        assert_eq!(states(&memory, 0x0ffc), [1, 1, 0, 0]);
        assert_eq!(states(&memory, 0x2000), [0; 4]);
        assert_eq!(states(&memory, 0x3ffc), [0, 0, 1, 1]);
        memory.write(0x1ffe, 0x1004);
        assert_eq!(states(&memory, 0x1ffc), [0, 0, 1, 1]);
        assert_eq!(states(&memory, 0x3000), [1, 1, 0, 0]);
        memory.store(0x1004, &[1, 0, 1, 5]);
        assert_eq!(states(&memory, 0x1003), [0, 1, 0, 1, 5, 0]);
    }

    #[test]
    fn what_atomics_told_ends_with_the_launches() {
        let mut memory = Memory::default();
        let (_, first) = memory.begin();
        memory.tell(8, Known::new(BTreeMap::from([(1, [1; 2])])));
        let (_, second) = memory.begin();
        drop(first);
        assert!(memory.told(8).is_some(), "the second launch runs");
        drop(memory.begin());
        assert!(memory.told(8).is_some(), "the second launch runs");
        drop(second);
        drop(memory.begin());
        assert!(memory.told(8).is_none());
    }

    #[test]
    fn old_pages_are_forgotten() {
        let mut memory = Memory::default();
        for page in 0..=PAGES as u64 {
            memory.cell(page << 10);
        }
        assert_eq!(memory.pages.len(), PAGES);
        assert!(!memory.pages.contains_key(&0));
    }
}
