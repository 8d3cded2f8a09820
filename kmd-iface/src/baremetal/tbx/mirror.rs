//! Memory that both sides have: pages of this process, and what the device's memory held when it was
//! written or read last. A word that differs from that was written on the side where it differs.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::UserMemory;

/// The bytes of a word.
const WORD: usize = 8;

/// Pages of this process.
#[derive(Debug)]
pub(super) struct Mirror {
    memory: UserMemory,
    /// What the device has; `None` before it was told.
    device: Option<Box<[u64]>>,
}

impl Mirror {
    pub(super) fn new(memory: &UserMemory) -> Self {
        Self {
            memory: memory.clone(),
            device: None,
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.memory.len() as u64
    }

    /// Whether the device has been told of it, and may have written to it.
    pub(super) fn may_have_changed(&self) -> bool {
        self.device.is_some() && self.memory.is_writable()
    }

    fn words(&self) -> &[AtomicU64] {
        let first: *const AtomicU64 = std::ptr::with_exposed_provenance(self.memory.address());
        // SAFETY: the memory consists of whole pages, which stay mapped and readable as long as its
        // owner lives, which `self` keeps. They are only stored to if they are writable, and no
        // reference to them exists that a write of the device would break.
        unsafe { std::slice::from_raw_parts(first, self.memory.len() / WORD) }
    }

    /// Gives `put` what the process has written: the offset, and bytes, at most `most` at a time.
    pub(super) fn send<E>(
        &mut self,
        most: usize,
        mut put: impl FnMut(u64, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let now: Vec<u64> = self
            .words()
            .iter()
            .map(|word| word.load(Ordering::Acquire))
            .collect();
        let mut run = Run {
            begin: 0,
            bytes: Vec::new(),
        };
        for (index, word) in now.iter().enumerate() {
            let known = self.device.as_ref().and_then(|device| device.get(index));
            let halves = word.to_le_bytes();
            let same = known.map(|word| word.to_le_bytes());
            let (halves, _) = halves.as_chunks::<4>();
            for (half, bytes) in halves.iter().enumerate() {
                let at = WORD * index + 4 * half;
                let is_new = same.is_none_or(|same| same[4 * half..4 * half + 4] != *bytes);
                if !is_new || run.bytes.len() >= most {
                    run.end(&mut put)?;
                }
                if is_new {
                    run.add(at, bytes);
                }
            }
        }
        run.end(&mut put)?;
        self.device = Some(now.into_boxed_slice());
        Ok(())
    }

    /// Takes what the device has at an offset, a multiple of 8: what it has written since it was read
    /// last. What the process has written meanwhile stays.
    pub(super) fn receive(&mut self, offset: u64, data: &[u8]) {
        let first = offset as usize / WORD;
        let mut device = self.device.take();
        let (found, _) = data.as_chunks::<WORD>();
        let known = device
            .iter_mut()
            .flat_map(|device| device.iter_mut().skip(first));
        let words = self.words().iter().skip(first);
        for ((known, found), word) in known.zip(found).zip(words) {
            let found = u64::from_le_bytes(*found);
            if *known != found {
                let written = changed(*known, found);
                let merge = |now| Some(now & !written | found & written);
                // The closure always gives a value.
                let _ = word.fetch_update(Ordering::Release, Ordering::Relaxed, merge);
                *known = found;
            }
        }
        self.device = device;
    }
}

/// The bytes that differ.
fn changed(a: u64, b: u64) -> u64 {
    let bytes = (a ^ b).to_le_bytes();
    u64::from_le_bytes(bytes.map(|byte| if byte == 0 { 0 } else { u8::MAX }))
}

/// Bytes that follow each other.
struct Run {
    begin: usize,
    bytes: Vec<u8>,
}

impl Run {
    fn add(&mut self, at: usize, bytes: &[u8]) {
        if self.bytes.is_empty() {
            self.begin = at;
        }
        self.bytes.extend(bytes);
    }

    fn end<E>(&mut self, put: &mut impl FnMut(u64, &[u8]) -> Result<(), E>) -> Result<(), E> {
        if self.bytes.is_empty() {
            return Ok(());
        }
        let put = put(self.begin as u64, &self.bytes);
        self.bytes.clear();
        put
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::Mapping;

    #[test]
    fn each_side_gets_what_the_other_has_written() {
        let mapping = Arc::new(Mapping::anonymous(4096).unwrap());
        let mut mirror = Mirror::new(&UserMemory::from_mapping(mapping));
        assert!(!mirror.may_have_changed());
        let sent = |mirror: &mut Mirror, most| {
            let mut sent = Vec::new();
            let done: Result<(), ()> = mirror.send(most, |at, bytes| {
                sent.push((at, bytes.to_vec()));
                Ok(())
            });
            done.unwrap();
            sent
        };
        // The device knows nothing yet, not even zeros.
        let all = sent(&mut mirror, 1024);
        assert_eq!(all.len(), 4);
        assert_eq!(all[1], (1024, vec![0; 1024]));
        assert!(mirror.may_have_changed());
        assert_eq!(sent(&mut mirror, 1024), []);

        let store = |mirror: &Mirror, word: usize, value: u64| {
            mirror.words()[word].store(value, Ordering::Relaxed);
        };
        let load = |mirror: &Mirror, word: usize| mirror.words()[word].load(Ordering::Relaxed);
        store(&mirror, 2, 0x0102_0304_0000_0000);
        store(&mirror, 3, 0x0000_0000_0506_0708);
        let both = vec![4, 3, 2, 1, 8, 7, 6, 5];
        assert_eq!(sent(&mut mirror, 1024), [(20, both)]);

        // The device has written one byte of a word, and the process another one meanwhile.
        store(&mirror, 2, 0x0102_0304_0000_0009);
        let found = [0x01ff_0304_0000_0000u64, 0x0506_0708, 7];
        let bytes: Vec<u8> = found.iter().flat_map(|word| word.to_le_bytes()).collect();
        mirror.receive(16, &bytes);
        assert_eq!(load(&mirror, 2), 0x01ff_0304_0000_0009);
        assert_eq!((load(&mirror, 3), load(&mirror, 4)), (0x0506_0708, 7));
        // Only the process's byte is new to the device.
        assert_eq!(sent(&mut mirror, 1024), [(16, vec![9, 0, 0, 0])]);
    }
}
