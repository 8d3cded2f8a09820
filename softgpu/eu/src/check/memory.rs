//! What is known of GPU memory: who touched a word, and which bytes nothing has written.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use super::bytes::{Bytes, Pages, Scratch};
use super::heard::{Known, Word, merge};
use super::line::{LINE, Line};
use super::pointers::Pointers;

/// Lines that [`Memory`] keeps together: those of 1 KiB.
const LINES: usize = 16;
/// Pages of lines that are kept, of 16 MB of memory; what was first touched longest ago is forgotten. They
/// take 40 MB, and up to 400 MB if messages access parts of lines.
const PAGES: usize = 1 << 14;
/// Work-groups whose ids are kept: of those that ran last.
const GROUPS: usize = 1 << 16;
/// Places of atomics that are kept.
const PLACES: usize = 1 << 14;

/// What the atomics at an address tell.
#[derive(Debug, Default)]
struct Place {
    /// All threads.
    wide: Known,
    /// The threads of a group, by its first one.
    near: BTreeMap<u32, Known>,
    /// The thread that told the first of it, and whether none has told more.
    by: u32,
    alone: bool,
}

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
    /// What those of pointers name.
    pub pointers: Pointers,
    /// Each launch that runs has one.
    running: Arc<()>,
    /// By address, what the atomics there tell.
    told: HashMap<u64, Place>,
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
        let first = self.next_thread();
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

    /// The number of the thread that begins next.
    pub fn next_thread(&self) -> u32 {
        self.threads + 1
    }

    /// A launch begins, beside those of the threads from `since` on: unless others run, what atomics told is over, and
    /// states of pointers that nobody has are free. Returns the number of the first thread that is not over, and
    /// what the launch has while it runs.
    pub fn begin(&mut self, since: Option<u32>) -> (u32, Arc<()>) {
        if Arc::strong_count(&self.running) == 1 && since.is_none() {
            self.told.clear();
            self.overflow = false;
            self.pointers.sweep(&self.bytes);
        }
        let first = since.unwrap_or(self.next_thread());
        (first, self.running.clone())
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

    /// What the atomics at an address tell the group whose first thread this is.
    pub fn told(&self, address: u64, group: u32) -> Option<Word> {
        let place = self.told.get(&address)?;
        Some(Word {
            wide: place.wide.clone(),
            near: place.near.get(&group).cloned().unwrap_or_default(),
        })
    }

    /// A thread of the group whose first thread is `group` tells something by an atomic at an address.
    pub fn tell(&mut self, address: u64, (thread, group): (u32, u32), word: &Word) {
        if word.is_empty() {
            return;
        }
        if self.told.len() >= PLACES && !self.told.contains_key(&address) {
            self.overflow = true;
            return;
        }
        let place = self.told.entry(address).or_insert_with(|| Place {
            by: thread,
            alone: true,
            ..Place::default()
        });
        place.alone &= place.by == thread;
        merge(&mut place.wide, &word.wide);
        if !word.near.is_empty() {
            merge(place.near.entry(group).or_default(), &word.near);
        }
    }

    /// Whether one other thread has told all that the atomics at an address tell.
    pub fn is_told_by_another(&self, address: u64, thread: u32) -> bool {
        let place = self.told.get(&address);
        place.is_some_and(|place| place.alone && place.by != thread)
    }

    /// The atomics at an address tell nothing more.
    pub fn forget(&mut self, address: u64) {
        self.told.remove(&address);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::heard::Told;

    /// What a thread tells of itself.
    fn word(thread: u32) -> Word {
        Word {
            wide: Known::new(BTreeMap::from([(thread, Told::by_all([1; 5]))])),
            near: Known::default(),
        }
    }

    #[test]
    fn what_is_told_one_group_others_do_not_hear() {
        let mut memory = Memory::default();
        let near = Word {
            near: word(5).wide,
            wide: word(1).wide,
        };
        memory.tell(8, (5, 4), &near);
        let heard = |group| memory.told(8, group).map(|word| [word.wide, word.near]);
        let counts = |group| heard(group).map(|all| all.map(|known| known.len()));
        assert_eq!([counts(4), counts(0)], [Some([1, 1]), Some([1, 0])]);
    }

    #[test]
    fn who_has_told_all_is_known() {
        let mut memory = Memory::default();
        assert!(!memory.is_told_by_another(8, 1));
        memory.tell(8, (1, 1), &word(1));
        assert!(memory.is_told_by_another(8, 2) && !memory.is_told_by_another(8, 1));
        memory.tell(8, (2, 1), &word(2));
        assert!(
            !memory.is_told_by_another(8, 3),
            "of several it is not known"
        );
        memory.forget(8);
        assert!(memory.told(8, 1).is_none());
    }

    #[test]
    fn what_atomics_told_ends_with_the_launches() {
        let mut memory = Memory::default();
        let (_, first) = memory.begin(None);
        memory.tell(8, (1, 1), &word(1));
        let (_, second) = memory.begin(None);
        drop(first);
        assert!(memory.told(8, 1).is_some(), "the second launch runs");
        drop(memory.begin(None));
        assert!(memory.told(8, 1).is_some(), "the second launch runs");
        drop(second);
        drop(memory.begin(None));
        assert!(memory.told(8, 1).is_none());
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
