//! Lines of words, which messages mostly access as one.

use super::cell::{Cell, Conflict, Touch, graver};
use super::mark::Mark;
use super::order::Relation;

/// Words of a line.
pub(crate) const LINE: usize = 16;

/// Consecutive words: messages mostly access whole lines of them.
#[derive(Clone, Debug, Default)]
pub(crate) enum Line {
    #[default]
    Blank,
    /// What all its words have in common, and what the last write stored in each.
    Whole(Cell, [u32; LINE]),
    Parts(Box<[Cell; LINE]>),
}

impl Line {
    /// One word of it.
    pub fn cell(&mut self, word: usize) -> &mut Cell {
        let cells = match self {
            Self::Parts(cells) => return &mut cells[word % LINE],
            Self::Whole(cell, values) => std::array::from_fn(|word| cell.of(word, values)),
            Self::Blank => [Cell::default(); LINE],
        };
        *self = Self::Parts(Box::new(cells));
        self.cell(word)
    }

    /// Records an access of all its words, as [`Cell::touch`]: `values` are what a write stores. Also
    /// says in which word a conflict is.
    pub fn touch(
        &mut self,
        touch: Touch,
        mark: Mark,
        values: &[u32; LINE],
        relation: impl Fn(&Mark, &Mark, bool) -> Relation,
    ) -> Option<(usize, Conflict)> {
        if let Self::Blank = self {
            *self = Self::Whole(Cell::default(), [0; LINE]);
        }
        match self {
            Self::Parts(cells) => {
                let mut worst = None;
                for (word, cell) in cells.iter_mut().enumerate() {
                    let found = cell.touch(touch, mark.of(word, values), &relation);
                    worst = graver(worst, found.map(|found| (word, found)));
                }
                worst
            }
            Self::Whole(cell, stored) => {
                // Its words differ in what is stored only.
                let mut pairs = values.iter().zip(stored.iter());
                let word = match touch {
                    Touch::Write => pairs.position(|(new, old)| new != old).unwrap_or(0),
                    Touch::Read | Touch::Sample | Touch::Atomic | Touch::AtomicRead => 0,
                };
                // But for the channels that accessed them: the first and the last are told apart.
                let write = &cell.write;
                let last = mark.apart && (write.row || mark.row) && write.thread != mark.thread;
                let words = [Some(word), last.then_some(LINE - 1)];
                let found = words.into_iter().flatten().find_map(|word| {
                    let mut one = cell.of(word, stored);
                    let found = one.touch(touch, mark.of(word, values), &relation);
                    found.map(|found| (word, found))
                });
                cell.touch(touch, mark, |_, _, _| Relation::Before);
                if matches!(touch, Touch::Write | Touch::Atomic) {
                    *stored = *values;
                }
                found
            }
            Self::Blank => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::cell::tests::{mark, racing};

    /// The same accesses of a line, and of its words.
    #[test]
    fn a_line_is_as_good_as_its_words() {
        let mut seed = 5u64;
        let mut below = |limit: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % limit
        };
        for _ in 0..2000 {
            let mut line = Line::default();
            let mut cells = [Cell::default(); LINE];
            for message in 1..8 {
                let touch = [Touch::Read, Touch::Write][below(2) as usize];
                let (thread, value) = (1 + below(3) as u32, below(2) as u32);
                let mark = Mark {
                    message,
                    row: below(2) == 0,
                    ..mark(thread, 0, 0)
                };
                let values: [u32; LINE] = std::array::from_fn(|word| value + (word as u32 & 1));
                let word = below(16) as usize;
                if below(4) == 0 {
                    let mark = mark.of(word, &values);
                    let found = line.cell(word).touch(touch, mark, racing);
                    let other = cells[word].touch(touch, mark, racing);
                    assert_eq!(found.is_some(), other.is_some());
                    continue;
                }
                let found = line.touch(touch, mark, &values, racing);
                let mut others = Vec::new();
                for (word, cell) in cells.iter_mut().enumerate() {
                    let found = cell.touch(touch, mark.of(word, &values), racing);
                    others.extend(found.map(|found| (word, found.earlier.lane())));
                }
                match found {
                    Some((word, found)) => assert!(others.contains(&(word, found.earlier.lane()))),
                    None => assert!(others.is_empty()),
                }
            }
        }
    }
}
