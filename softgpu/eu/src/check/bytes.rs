//! The states of bytes of GPU memory: of buffers, and of what threads have for themselves.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

/// Bytes of a page of states.
const PAGE: u64 = 4096;
/// The pages that each kind of memory keeps. What is beyond counts as written.
const PAGES: usize = 1 << 14;

/// A byte that nothing has written.
pub(crate) const UNWRITTEN: u8 = 0;
/// A byte that something has written.
pub(crate) const WRITTEN: u8 = 1;
/// A byte of a number that is computed from pointers to two objects, as how far they are apart. With a pointer it
/// may be one to any object.
pub(crate) const MIXED: u8 = 2;
/// A byte of a pointer to the first object that is known. Larger states are of pointers to others.
pub(super) const POINTER: u8 = 3;

/// What is known of pages, by their numbers.
pub(super) type Pages<T> = HashMap<u64, T, BuildHasherDefault<PageHasher>>;

/// Hashes the numbers of pages, which come one after the other, and which nobody chooses to collide.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PageHasher(u64);

impl Hasher for PageHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64((*byte).into()));
    }

    fn write_u64(&mut self, number: u64) {
        // The golden ratio spreads them.
        self.0 = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0.rotate_left(32)
    }
}

/// Splits bytes at the ends of pages: calls `each` with the page, the place in it, and the place in
/// what is accessed.
fn by_page(address: u64, length: usize, mut each: impl FnMut(u64, usize, std::ops::Range<usize>)) {
    let mut done = 0;
    while done < length {
        let at = address.wrapping_add(done as u64);
        let inside = (at % PAGE) as usize;
        let run = (PAGE as usize - inside).min(length - done);
        each(at / PAGE, inside, done..done + run);
        done += run;
    }
}

/// A page that has bytes of different states.
#[derive(Clone, Debug)]
struct Page {
    /// How many are not [`WRITTEN`].
    others: usize,
    states: Box<[u8]>,
}

impl Page {
    fn new(state: u8) -> Self {
        Self {
            others: if state == WRITTEN { 0 } else { PAGE as usize },
            states: vec![state; PAGE as usize].into(),
        }
    }
}

/// The states of buffers' bytes.
#[derive(Debug, Default)]
pub(super) struct Bytes {
    pages: Pages<Page>,
    /// Pages of which nothing has written a byte: by the first, the one after the last.
    blank: BTreeMap<u64, u64>,
}

impl Bytes {
    /// Whether all bytes have been written, and none is a pointer's.
    fn is_plain(&self) -> bool {
        self.pages.is_empty() && self.blank.is_empty()
    }

    /// The states that bytes have which are not all alike, by state.
    pub fn states(&self) -> [bool; 256] {
        let mut has = [false; 256];
        let states = self.pages.values().flat_map(|page| page.states.iter());
        states.for_each(|state| has[usize::from(*state)] = true);
        has
    }

    fn is_blank(&self, page: u64) -> bool {
        let before = self.blank.range(..=page).next_back();
        before.is_some_and(|(_, end)| page < *end)
    }

    /// The states of the bytes at an address.
    pub fn load(&self, address: u64, out: &mut [u8]) {
        if self.is_plain() {
            return out.fill(WRITTEN);
        }
        by_page(address, out.len(), |page, at, part| {
            let Some(out) = out.get_mut(part) else {
                return;
            };
            match self.pages.get(&page) {
                Some(page) => {
                    let states = page.states.get(at..at + out.len());
                    out.copy_from_slice(states.unwrap_or(&vec![WRITTEN; out.len()]));
                }
                None if self.is_blank(page) => out.fill(UNWRITTEN),
                None => out.fill(WRITTEN),
            }
        });
    }

    /// Sets the states of the bytes at an address.
    pub fn store(&mut self, address: u64, states: &[u8]) {
        let all_written = states.iter().all(|state| *state == WRITTEN);
        if all_written && self.is_plain() {
            return;
        }
        by_page(address, states.len(), |number, at, part| {
            let states = states.get(part).unwrap_or_default();
            let Some(page) = self.page(number, all_written) else {
                return;
            };
            let Some(old) = page.states.get_mut(at..at + states.len()) else {
                return;
            };
            let others = |states: &[u8]| states.iter().filter(|state| **state != WRITTEN).count();
            page.others = page.others + others(states) - others(old);
            old.copy_from_slice(states);
            if page.others == 0 {
                self.pages.remove(&number);
            }
        });
    }

    /// A page that something is stored in; `None` if its bytes are written, and stay so.
    fn page(&mut self, number: u64, all_written: bool) -> Option<&mut Page> {
        if !self.pages.contains_key(&number) {
            let state = match self.is_blank(number) {
                true => UNWRITTEN,
                false if all_written => return None,
                false => WRITTEN,
            };
            self.cut(number, number + 1);
            if self.pages.len() >= PAGES {
                return None;
            }
            self.pages.insert(number, Page::new(state));
        }
        self.pages.get_mut(&number)
    }

    /// The pages are not blank any more.
    fn cut(&mut self, first: u64, end: u64) {
        let touched: Vec<(u64, u64)> = self
            .blank
            .range(..end)
            .rev()
            .take_while(|(_, until)| **until > first)
            .map(|(from, until)| (*from, *until))
            .collect();
        for (from, until) in touched {
            self.blank.remove(&from);
            if from < first {
                self.blank.insert(from, first);
            }
            if until > end {
                self.blank.insert(end, until);
            }
        }
    }

    /// Of `size` bytes, those that nothing has written are now [`WRITTEN`]: others keep what is known of them.
    pub fn settle(&mut self, address: u64, size: u64) {
        let mut states = vec![WRITTEN; size as usize];
        self.load(address, &mut states);
        let settled = states.iter().map(|state| match *state {
            UNWRITTEN => WRITTEN,
            known => known,
        });
        self.store(address, &settled.collect::<Vec<_>>());
    }

    /// Sets the states of `size` bytes to [`WRITTEN`] or [`UNWRITTEN`].
    pub fn fill(&mut self, address: u64, size: u64, state: u8) {
        let end = address.saturating_add(size);
        if size == 0 || state == WRITTEN && self.is_plain() {
            return;
        }
        let (first, last) = (address.div_ceil(PAGE), end / PAGE);
        if first >= last {
            return self.store(address, &vec![state; size as usize]);
        }
        self.cut(first, last);
        self.pages.retain(|page, _| !(first..last).contains(page));
        if state == UNWRITTEN {
            self.blank.insert(first, last);
        }
        let edge = |from: u64, until: u64| vec![state; (until - from) as usize];
        self.store(address, &edge(address, first * PAGE));
        self.store(last * PAGE, &edge(last * PAGE, end));
    }
}

/// A page of memory that threads have for themselves.
#[derive(Clone, Debug)]
struct Own {
    /// By word, the thread that wrote it last.
    threads: Box<[u32]>,
    states: Box<[u8]>,
}

/// The states of bytes that each belong to one thread at a time, such as scratch: what another thread
/// has left there is nothing.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pages: Pages<Own>,
    /// There are more pages than are kept.
    full: bool,
}

impl Scratch {
    /// The states that bytes have for a thread.
    pub fn load(&self, thread: u32, address: u64, out: &mut [u8]) {
        by_page(address, out.len(), |page, at, part| {
            let Some(out) = out.get_mut(part) else {
                return;
            };
            let Some(own) = self.pages.get(&page) else {
                return out.fill(if self.full { WRITTEN } else { UNWRITTEN });
            };
            for (at, out) in (at..).zip(out) {
                let mine = own.threads.get(at / 4) == Some(&thread);
                let state = own.states.get(at).copied().unwrap_or(WRITTEN);
                *out = if mine { state } else { UNWRITTEN };
            }
        });
    }

    /// A thread sets the states of bytes.
    pub fn store(&mut self, thread: u32, address: u64, states: &[u8]) {
        by_page(address, states.len(), |page, at, part| {
            if self.pages.len() >= PAGES && !self.pages.contains_key(&page) {
                self.full = true;
                return;
            }
            let own = self.pages.entry(page).or_insert_with(|| Own {
                threads: vec![0; PAGE as usize / 4].into(),
                states: vec![UNWRITTEN; PAGE as usize].into(),
            });
            for (at, state) in (at..).zip(states.get(part).unwrap_or_default()) {
                let word = at / 4 * 4;
                if let Some(owner) = own.threads.get_mut(at / 4)
                    && *owner != thread
                {
                    *owner = thread;
                    own.states
                        .get_mut(word..word + 4)
                        .unwrap_or_default()
                        .fill(UNWRITTEN);
                }
                if let Some(old) = own.states.get_mut(at) {
                    *old = *state;
                }
            }
        });
    }

    /// All is forgotten.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states<const N: usize>(bytes: &Bytes, address: u64) -> [u8; N] {
        let mut out = [9; N];
        bytes.load(address, &mut out);
        out
    }

    #[test]
    fn bytes_are_written_unless_somebody_says_otherwise() {
        let mut bytes = Bytes::default();
        assert_eq!(states(&bytes, 0x1000), [WRITTEN; 4]);
        bytes.store(0x0ffe, &[UNWRITTEN; 0x3000]);
        assert_eq!(states(&bytes, 0x0ffc), [1, 1, 0, 0]);
        assert_eq!(states(&bytes, 0x2000), [0; 4]);
        assert_eq!(states(&bytes, 0x3ffc), [0, 0, 1, 1]);
        bytes.fill(0x1ffe, 0x1004, WRITTEN);
        assert_eq!(states(&bytes, 0x1ffc), [0, 0, 1, 1]);
        assert_eq!(states(&bytes, 0x3000), [1, 1, 0, 0]);
        bytes.store(0x1004, &[1, 0, 1, 5]);
        assert_eq!(states(&bytes, 0x1003), [0, 1, 0, 1, 5, 0]);
    }

    /// Who finds content does not know whether a kernel has stored pointers there.
    #[test]
    fn what_is_settled_keeps_its_pointers() {
        let mut bytes = Bytes::default();
        bytes.fill(0x1000, 0x1000, UNWRITTEN);
        bytes.store(0x1004, &[POINTER, MIXED]);
        bytes.settle(0x1002, 6);
        assert_eq!(states(&bytes, 0x1000), [0, 0, 1, 1, POINTER, MIXED, 1, 1]);
        assert_eq!(states(&bytes, 0x1008), [0; 4]);
    }

    /// A random sequence of fills and stores beside a plain array.
    #[test]
    fn pages_are_as_good_as_an_array() {
        const SIZE: usize = 40_000;
        let mut seed = 7u64;
        let mut below = |limit: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as usize % limit
        };
        let mut bytes = Bytes::default();
        let mut plain = vec![WRITTEN; SIZE];
        for _ in 0..400 {
            let from = below(SIZE);
            let until = from + below(SIZE - from + 1);
            let state = [UNWRITTEN, WRITTEN, 3][below(3)];
            if state == 3 {
                let until = until.min(from + 300);
                bytes.store(from as u64, &vec![state; until - from]);
                plain[from..until].fill(state);
            } else {
                bytes.fill(from as u64, (until - from) as u64, state);
                plain[from..until].fill(state);
            }
            let mut all = vec![9; SIZE];
            bytes.load(0, &mut all);
            assert!(all == plain);
        }
        bytes.fill(0, SIZE as u64, WRITTEN);
        assert!(bytes.is_plain());
    }

    #[test]
    fn large_buffers_cost_nothing_until_they_are_written() {
        let mut bytes = Bytes::default();
        bytes.fill(0x1_0000_0800, 1 << 40, UNWRITTEN);
        assert_eq!(states(&bytes, 0x1_0000_07fe), [1, 1, 0, 0]);
        assert_eq!(states(&bytes, 0x55_0000_0000), [0; 8]);
        assert_eq!(bytes.pages.len(), 2, "the edges");
        let page = vec![WRITTEN; PAGE as usize];
        bytes.store(0x55_0000_0000, &page);
        assert_eq!(states(&bytes, 0x55_0000_0000), [1; 8]);
        assert_eq!(bytes.pages.len(), 2, "a whole page needs no states");
    }

    #[test]
    fn what_another_thread_has_left_is_nothing() {
        let mut scratch = Scratch::default();
        let load = |scratch: &Scratch, thread| {
            let mut out = [9; 8];
            scratch.load(thread, 0x1ffc, &mut out);
            out
        };
        assert_eq!(load(&scratch, 1), [0; 8]);
        scratch.store(1, 0x1ffd, &[1; 5]);
        assert_eq!(load(&scratch, 1), [0, 1, 1, 1, 1, 1, 0, 0]);
        assert_eq!(load(&scratch, 2), [0; 8]);
        scratch.store(2, 0x1ffd, &[4]);
        assert_eq!(load(&scratch, 2), [0, 4, 0, 0, 0, 0, 0, 0]);
        assert_eq!(load(&scratch, 1), [0, 0, 0, 0, 1, 1, 0, 0]);
    }
}
