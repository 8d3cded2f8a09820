//! Memory that programs write without a word: shared virtual memory, and the like. Where a device looks for broken
//! rules, it begins with a pattern, and counts as without content as long as that is there.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::bo::Bo;

/// What is there at first: no number that programs would write all over.
const PATTERN: [u8; 8] = [0xd6, 0x3a, 0xe5, 0x97, 0x71, 0xc9, 0x5b, 0xb2];

/// Bytes that count together: one of them alone may look like the pattern by chance.
const LINE: usize = 64;

/// Bytes that are looked at together.
const BLOCK: usize = 64 * LINE;

/// The most bytes of an object that is watched: each launch looks at it.
const LARGEST: u64 = 16 << 20;

/// An object, and the bytes that nothing has been seen to write.
#[derive(Debug)]
struct Watch {
    bo: Weak<Bo>,
    left: Vec<Range<usize>>,
}

/// The objects of an address space that are watched.
#[derive(Debug, Default)]
pub(super) struct Watched(Mutex<Vec<Watch>>);

/// Of these bytes, the lines in which something else is than the pattern.
fn changed(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let lines = bytes.chunks(LINE).enumerate();
    let other = lines.filter(|(_, line)| {
        let mut parts = line.chunks(PATTERN.len());
        parts.any(|part| PATTERN.get(..part.len()) != Some(part))
    });
    other.map(|(index, _)| index * LINE)
}

impl Watch {
    /// Looks for what was written since; whether something is left.
    fn look(&mut self) -> bool {
        let Some(bo) = self.bo.upgrade() else {
            return false;
        };
        let mut block = [0; BLOCK];
        let mut left: Vec<Range<usize>> = Vec::new();
        for range in std::mem::take(&mut self.left) {
            for at in range.clone().step_by(BLOCK) {
                let end = range.end.min(at + BLOCK);
                let Some(bytes) = block.get_mut(..end - at) else {
                    continue;
                };
                if !bo.memory().read(at, bytes) {
                    continue;
                }
                let mut from = at;
                let mut keep = |unchanged: Range<usize>| match left.last_mut() {
                    _ if unchanged.is_empty() => {}
                    Some(last) if last.end == unchanged.start => last.end = unchanged.end,
                    _ => left.push(unchanged),
                };
                for line in changed(bytes) {
                    let (start, behind) = (at + line, end.min(at + line + LINE));
                    keep(from..start);
                    from = behind;
                    bo.filled(start as u64, (behind - start) as u64);
                }
                keep(from..end);
            }
        }
        self.left = left;
        !self.left.is_empty()
    }
}

impl Watched {
    /// Watches `size` bytes of an object from `start` on, which have no content yet.
    pub fn add(&self, bo: &Arc<Bo>, start: u64, size: u64) {
        let (Ok(first), Ok(bytes)) = (usize::try_from(start), usize::try_from(size)) else {
            return;
        };
        if size > LARGEST {
            return;
        }
        let pattern = PATTERN.repeat(bytes.div_ceil(PATTERN.len()));
        if let Some(pattern) = pattern.get(..bytes)
            && bo.memory().write(first, pattern)
        {
            bo.unwritten(start, size);
            let watch = Watch {
                bo: Arc::downgrade(bo),
                left: std::iter::once(first..first + bytes).collect(),
            };
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.push(watch);
        }
    }

    /// Tells what was written since the last time.
    pub fn look(&self) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain_mut(Watch::look);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_another_byte_are_changed() {
        let mut bytes = PATTERN.repeat(40);
        assert_eq!(changed(&bytes).count(), 0);
        bytes[70] = 0;
        bytes[319] ^= 1;
        assert_eq!(changed(&bytes).collect::<Vec<_>>(), [64, 256]);
        // The last line may be a part of one.
        assert_eq!(changed(&bytes[..259]).collect::<Vec<_>>(), [64]);
    }
}
