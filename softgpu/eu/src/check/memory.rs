//! What is known of GPU memory: who touched a word, and which bytes nothing has written.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::bytes::{Bytes, Pages, Scratch};
use super::cell::{LINE, Line};
use super::heard::Known;

/// Lines that [`Memory`] keeps together: those of 1 KiB.
const LINES: usize = 16;
/// Pages of lines that are kept, of 16 MB of memory; what was first touched longest ago is forgotten. They
/// take 40 MB, and up to 400 MB if messages access parts of lines.
const PAGES: usize = 1 << 14;
/// Work-groups whose ids are kept: of those that ran last.
const GROUPS: usize = 1 << 16;
/// Places of atomics that are kept.
const PLACES: usize = 1 << 14;

/// What is known of memory. One for a device; it outlives launches.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// The number of the last thread.
    threads: u32,
    /// The work-groups that ran last, in order: their first thread, and their ids.
    groups: VecDeque<(u32, [u32; 3])>,
    pages: Pages<Box<[Line; LINES]>>,
    /// The pages, the oldest first.
    ages: VecDeque<u64>,
    /// The states of buffers' bytes.
    pub bytes: Bytes,
    /// Those of memory that threads have for themselves.
    pub scratch: Scratch,
    /// Each launch that runs has one.
    running: Arc<()>,
    /// By address, what the atomics there tell.
    told: HashMap<u64, Known>,
    /// More places had atomics than are kept.
    pub overflow: bool,
}

impl Memory {
    /// A work-group of so many threads begins: the number of its first thread.
    pub fn begin_group(&mut self, ids: [u32; 3], count: u32) -> u32 {
        if self.threads.checked_add(count).is_none() {
            // Numbers begin again: who had them is forgotten.
            self.threads = 0;
            self.groups.clear();
            self.pages.clear();
            self.ages.clear();
            self.scratch.clear();
        }
        let first = self.threads + 1;
        self.threads += count;
        if self.groups.len() >= GROUPS {
            self.groups.pop_front();
        }
        self.groups.push_back((first, ids));
        first
    }

    /// The ids of a thread's work-group, and which of its threads it is, if they are still known.
    pub fn group_of(&self, thread: u32) -> Option<([u32; 3], u32)> {
        let after = self.groups.partition_point(|(first, _)| *first <= thread);
        let (first, ids) = self.groups.get(after.checked_sub(1)?)?;
        Some((*ids, thread - first))
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

    /// The line that has the word at `address`.
    pub fn line(&mut self, address: u64) -> &mut Line {
        let (page, line) = (address >> 10, (address >> 2) as usize / LINE % LINES);
        if !self.pages.contains_key(&page) {
            if self.pages.len() >= PAGES
                && let Some(oldest) = self.ages.pop_front()
            {
                self.pages.remove(&oldest);
            }
            self.ages.push_back(page);
        }
        let lines = self.pages.entry(page);
        &mut lines.or_default()[line]
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
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::check::heard::Told;

    #[test]
    fn what_atomics_told_ends_with_the_launches() {
        let mut memory = Memory::default();
        let (_, first) = memory.begin();
        memory.tell(8, Known::new(BTreeMap::from([(1, Told::by_all([1; 5]))])));
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
    fn the_groups_that_ran_last_are_known() {
        let mut memory = Memory::default();
        for x in 0..=GROUPS as u32 {
            assert_eq!(memory.begin_group([x, 7, 9], 2), 2 * x + 1);
        }
        assert_eq!(memory.group_of(2), None, "forgotten");
        assert_eq!(memory.group_of(3), Some(([1, 7, 9], 0)));
        assert_eq!(memory.group_of(10), Some(([4, 7, 9], 1)));
    }

    #[test]
    fn old_pages_are_forgotten() {
        let mut memory = Memory::default();
        for page in 0..=PAGES as u64 {
            memory.line(page << 10);
        }
        assert_eq!(memory.pages.len(), PAGES);
        assert!(!memory.pages.contains_key(&0));
    }
}
