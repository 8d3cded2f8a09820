//! Who touched a word last.

use super::order::Relation;

/// In place of a channel: all that are there.
pub(crate) const ALL: u8 = u8::MAX;

/// An access of a word.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mark {
    /// The thread, counted from 1; 0 is nobody.
    pub thread: u32,
    /// Its clock.
    pub clock: u32,
    /// The instruction.
    pub ip: u32,
    /// The message: channels of one message that write a word differently collide.
    pub message: u32,
    /// What a write stored, where its bytes are in the word.
    pub value: u32,
    /// The hardware slot of the thread.
    pub slot: u16,
    /// The channel, or [`ALL`].
    pub lane: u8,
    /// One bit for each byte of the word.
    pub bytes: u8,
    /// Those that the message itself accessed: marks of a thread are joined.
    pub own: u8,
    /// By an atomic operation.
    pub atomic: bool,
    /// In a line, the channel is that of the first word; the next word is the next channel's.
    pub row: bool,
    /// It is a channel's, and barriers alone order the channels of its thread.
    pub apart: bool,
    /// By an atomic operation that is for its work-group alone.
    pub narrow: bool,
}

impl Mark {
    /// The same with what its thread did to other bytes since its last fence or barrier.
    fn joined(self, older: &Mark) -> Mark {
        let of = |mark: &Mark| (mark.thread, mark.clock, mark.atomic);
        if of(&self) != of(older) {
            return self;
        }
        let covers = older.bytes & !self.bytes == 0 && self.message != older.message;
        Mark {
            bytes: self.bytes | older.bytes,
            value: self.value | older.value & bits(older.bytes & !self.bytes),
            // Of bytes that several channels accessed it is not known which did what; but atomic operations of
            // several collide with what any one of them does otherwise.
            apart: self.apart && (self.lane == older.lane || covers || self.atomic),
            own: match self.message == older.message {
                true => self.own | older.own,
                false => self.own,
            },
            ..self
        }
    }

    /// Whether another access of its thread is another channel's, which a barrier must put in order. Atomic
    /// operations need none between them.
    fn is_beside(&self, other: &Mark) -> bool {
        let both = self.apart && other.apart && !(self.atomic && other.atomic);
        let lane = |mark: &Mark| (mark.lane, mark.row);
        both && self.thread == other.thread && lane(self) != lane(other)
    }

    /// Its channel, if it is one's.
    pub fn channel(&self) -> Option<u8> {
        Some(self.lane).filter(|lane| self.apart && *lane != ALL)
    }

    /// Whether a channel's atomic operation follows its own store, and no fence or barrier is between.
    fn precedes(&self, atomic: &Mark) -> bool {
        let of = |mark: &Mark| (mark.apart, mark.thread, mark.clock, mark.lane);
        !self.atomic && atomic.apart && of(self) == of(atomic)
    }

    /// Whether two writes store the same in the bytes that both write.
    fn agrees(&self, other: &Mark) -> bool {
        let both = bits(self.bytes & other.bytes);
        !self.atomic && !other.atomic && (self.value ^ other.value) & both == 0
    }
}

/// The bits of these bytes of a word.
fn bits(bytes: u8) -> u32 {
    (0..4)
        .filter(|byte| bytes >> byte & 1 != 0)
        .fold(0, |bits, byte| bits | 0xff << (8 * byte))
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    Read,
    /// A read by the sampler, whose cache does not see what even its own thread writes.
    Sample,
    Write,
    Atomic,
}

/// Two accesses of a word that nothing orders.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conflict {
    pub earlier: Mark,
    pub earlier_writes: bool,
    pub relation: Relation,
    /// One is a plain read, the other an atomic operation. A loop around a compare-and-swap begins with
    /// such a read, and is right.
    pub doubtful: bool,
}

/// The graver of two conflicts: the first that is sure.
pub(crate) fn graver<T>(
    one: Option<(T, Conflict)>,
    other: Option<(T, Conflict)>,
) -> Option<(T, Conflict)> {
    let sure = |found: &Option<(T, Conflict)>| found.as_ref().is_some_and(|(_, c)| !c.doubtful);
    match one.is_none() || !sure(&one) && sure(&other) {
        true => other,
        false => one,
    }
}

/// A word's last writer and two of its last readers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cell {
    write: Mark,
    reads: [Mark; 2],
}

impl Cell {
    /// Records an access, and finds an earlier one that it conflicts with. `relation` says how an
    /// access of another thread, or of another channel, is related to this one; it is asked whether a fence must
    /// lie between.
    pub fn touch(
        &mut self,
        touch: Touch,
        mark: Mark,
        relation: impl Fn(&Mark, &Mark, bool) -> Relation,
    ) -> Option<Conflict> {
        let meets = |other: &Mark| other.thread != 0 && other.bytes & mark.bytes != 0;
        let mut found = None;
        let write = self.write;
        // Atomic operations meet if one of them is not for the other's work-group.
        let narrow = touch == Touch::Atomic && (write.narrow || mark.narrow);
        if meets(&write) && (touch == Touch::Write || !write.atomic || narrow) {
            let same = write.agrees(&mark);
            let together = write.message == mark.message && write.own & mark.own != 0;
            let collides = together && write.lane != mark.lane && !same;
            let how = match (write.thread == mark.thread, touch) {
                (true, Touch::Write) if collides => Relation::Racing,
                (true, Touch::Write) if same => Relation::Before,
                (true, Touch::Sample) => relation(&write, &mark, true),
                (true, _) if !together && write.is_beside(&mark) => relation(&write, &mark, true),
                (true, _) => Relation::Before,
                // Who is last does not matter.
                (false, Touch::Write) if same => Relation::Before,
                (false, _) => relation(&write, &mark, true),
            };
            if how != Relation::Before {
                found = Some(Conflict {
                    earlier: write,
                    earlier_writes: true,
                    relation: how,
                    doubtful: false,
                });
            }
        }
        if touch == Touch::Write && found.is_none() {
            let others = self.reads.iter();
            let other = |read: &&Mark| read.thread != mark.thread || read.is_beside(&mark);
            let mut others = others.filter(|read| meets(read) && other(read));
            found = others.find_map(|read| {
                let how = relation(read, &mark, false);
                (how != Relation::Before).then_some(Conflict {
                    earlier: *read,
                    earlier_writes: false,
                    relation: how,
                    doubtful: false,
                })
            });
        }
        let found = found.or_else(|| self.doubt(touch, &mark, relation));
        match touch {
            Touch::Read | Touch::Sample => self.read(mark),
            // Other channels of the message are still to be compared with what this one has stored.
            Touch::Atomic if write.precedes(&mark) => {}
            Touch::Write | Touch::Atomic => self.write = mark.joined(&write),
        }
        found
    }

    /// A plain read that nothing orders with another thread's atomic operation, whichever came first.
    fn doubt(
        &self,
        touch: Touch,
        mark: &Mark,
        relation: impl Fn(&Mark, &Mark, bool) -> Relation,
    ) -> Option<Conflict> {
        let (others, writes): (&[Mark], bool) = match touch {
            Touch::Read if self.write.atomic => (std::slice::from_ref(&self.write), true),
            Touch::Atomic => (&self.reads, false),
            _ => return None,
        };
        let others = others.iter().filter(|other| {
            other.thread != 0 && other.thread != mark.thread && other.bytes & mark.bytes != 0
        });
        others
            .map(|other| Conflict {
                earlier: *other,
                earlier_writes: writes,
                relation: relation(other, mark, writes),
                doubtful: true,
            })
            .find(|conflict| conflict.relation == Relation::Racing)
    }

    /// An atomic operation of a thread that has read the word, and has not fenced since: the read is
    /// forgotten. Returns its instruction.
    pub fn peeked(&mut self, mark: &Mark) -> Option<u32> {
        let read = self.reads.iter_mut().find(|read| {
            (read.thread, read.clock) == (mark.thread, mark.clock) && read.bytes & mark.bytes != 0
        })?;
        Some(std::mem::take(read).ip)
    }

    fn read(&mut self, mark: Mark) {
        let [first, second] = &mut self.reads;
        // Where barriers alone order channels, each is a reader of its own.
        let own =
            |read: &Mark| read.thread == mark.thread && !read.is_beside(&mark) || read.thread == 0;
        let slot = match (own(first), own(second)) {
            (true, _) => first,
            (_, true) => second,
            // The older one goes.
            _ if first.message < second.message => first,
            _ => second,
        };
        *slot = mark.joined(slot);
    }
}

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
                    Touch::Read | Touch::Sample | Touch::Atomic => 0,
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

impl Mark {
    /// That of a word of a line.
    fn of(self, word: usize, values: &[u32; LINE]) -> Self {
        Self {
            lane: self.lane + if self.row { word as u8 } else { 0 },
            value: values[word],
            row: false,
            ..self
        }
    }
}

impl Cell {
    /// That of a word of a line.
    fn of(&self, word: usize, values: &[u32; LINE]) -> Self {
        Self {
            write: self.write.of(word, values),
            reads: self.reads.map(|read| read.of(word, values)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(thread: u32, lane: u8, value: u32) -> Mark {
        Mark {
            thread,
            lane,
            value,
            bytes: 0xf,
            own: 0xf,
            clock: 1,
            message: thread,
            ..Mark::default()
        }
    }

    fn part(thread: u32, bytes: u8, value: u32) -> Mark {
        Mark {
            bytes,
            own: bytes,
            ..mark(thread, 0, value)
        }
    }

    fn racing(_: &Mark, _: &Mark, _: bool) -> Relation {
        Relation::Racing
    }

    #[test]
    fn writes_of_different_values_race() {
        let mut cell = Cell::default();
        assert!(cell.touch(Touch::Write, mark(1, 0, 5), racing).is_none());
        assert!(
            cell.touch(Touch::Write, mark(2, 0, 5), racing).is_none(),
            "the same value"
        );
        let conflict = cell.touch(Touch::Write, mark(3, 0, 6), racing);
        assert_eq!(conflict.map(|found| found.earlier.thread), Some(2));
    }

    #[test]
    fn channels_of_one_message_collide_if_they_differ() {
        let mut cell = Cell::default();
        assert!(cell.touch(Touch::Write, mark(1, 0, 5), racing).is_none());
        assert!(cell.touch(Touch::Write, mark(1, 1, 5), racing).is_none());
        assert!(cell.touch(Touch::Write, mark(1, 2, 6), racing).is_some());
    }

    #[test]
    fn reads_are_remembered_and_bytes_told_apart() {
        let mut cell = Cell::default();
        assert!(cell.touch(Touch::Read, mark(1, 0, 0), racing).is_none());
        assert!(cell.touch(Touch::Read, mark(2, 0, 0), racing).is_none());
        // The second reader is another thread, the first the writer itself.
        assert!(cell.touch(Touch::Write, mark(1, 0, 9), racing).is_some());
        let low = part(4, 1, 1);
        let high = part(5, 2, 0x200);
        let mut cell = Cell::default();
        assert!(cell.touch(Touch::Write, low, racing).is_none());
        assert!(cell.touch(Touch::Write, high, racing).is_none());
    }

    #[test]
    fn parts_of_a_word_hold_their_own_values() {
        let mut cell = Cell::default();
        for thread in [1, 2] {
            for part in [part(thread, 1, 7), part(thread, 2, 0x800)] {
                assert!(cell.touch(Touch::Write, part, racing).is_none());
            }
        }
        let whole = |value| mark(3, 0, value);
        let mut other = cell;
        assert!(cell.touch(Touch::Write, whole(0x0807), racing).is_none());
        assert!(other.touch(Touch::Write, whole(0x0907), racing).is_some());
    }

    #[test]
    fn channels_collide_in_what_their_message_writes() {
        let mut cell = Cell::default();
        let write = |message, lane, bytes, value| Mark {
            message,
            lane,
            ..part(1, bytes, value)
        };
        for mark in [write(1, 0, 1, 5), write(2, 1, 2, 0x600), write(2, 2, 1, 7)] {
            assert!(cell.touch(Touch::Write, mark, racing).is_none());
        }
        let third = write(2, 3, 1, 8);
        assert!(cell.touch(Touch::Write, third, racing).is_some());
    }

    #[test]
    fn channels_of_a_thread_race_where_no_lockstep_is_promised() {
        let by = |lane, message| Mark {
            apart: true,
            message,
            ..mark(1, lane, message)
        };
        let touched = |first: (Touch, Mark), second: (Touch, Mark)| {
            let mut cell = Cell::default();
            assert!(cell.touch(first.0, first.1, racing).is_none());
            cell.touch(second.0, second.1, racing).is_some()
        };
        use Touch::{Read, Write};
        assert!(touched((Write, by(1, 1)), (Read, by(2, 2))));
        assert!(touched((Write, by(1, 1)), (Write, by(2, 2))));
        assert!(touched((Read, by(1, 1)), (Write, by(2, 2))));
        assert!(!touched((Write, by(1, 1)), (Read, by(1, 2))), "its own");
        // A read of its own does not hide that of another channel.
        let mut cell = Cell::default();
        for mark in [by(1, 1), by(2, 2)] {
            assert!(cell.touch(Read, mark, racing).is_none());
        }
        assert!(cell.touch(Write, by(2, 3), racing).is_some());
        let atomic = |lane, message| Mark {
            atomic: true,
            ..by(lane, message)
        };
        assert!(touched((Touch::Atomic, atomic(1, 1)), (Write, by(2, 2))));
        assert!(touched((Write, by(1, 1)), (Touch::Atomic, atomic(2, 2))));
        assert!(!touched(
            (Touch::Atomic, atomic(1, 1)),
            (Touch::Atomic, atomic(2, 2))
        ));
        let mut cell = Cell::default();
        for mark in [atomic(1, 1), atomic(2, 1)] {
            assert!(cell.touch(Touch::Atomic, mark, racing).is_none());
        }
        assert!(cell.touch(Write, by(3, 2), racing).is_some());
        let mut cell = Cell::default();
        assert!(cell.touch(Write, by(1, 1), racing).is_none());
        assert!(cell.touch(Touch::Atomic, atomic(1, 2), racing).is_none());
        assert!(cell.touch(Touch::Atomic, atomic(2, 2), racing).is_some());
        let lockstep = Mark {
            apart: false,
            ..by(2, 2)
        };
        assert!(!touched((Write, by(1, 1)), (Read, lockstep)));
        let joined = |_: &Mark, _: &Mark, _: bool| Relation::Before;
        let mut cell = Cell::default();
        assert!(cell.touch(Write, by(1, 1), racing).is_none());
        assert!(cell.touch(Read, by(2, 2), joined).is_none(), "a barrier");
    }

    #[test]
    fn bytes_of_several_channels_are_nobodys() {
        let by = |lane, bytes, message| Mark {
            apart: true,
            lane,
            message,
            ..part(1, bytes, 0)
        };
        let mut cell = Cell::default();
        for mark in [by(0, 1, 1), by(1, 2, 1)] {
            assert!(cell.touch(Touch::Write, mark, racing).is_none());
        }
        assert!(cell.touch(Touch::Read, by(0, 1, 2), racing).is_none());
        // All of them have stored the same.
        let mut cell = Cell::default();
        for mark in [by(0, 0xf, 1), by(1, 0xf, 1)] {
            assert!(cell.touch(Touch::Write, mark, racing).is_none());
        }
        assert!(cell.touch(Touch::Read, by(0, 0xf, 2), racing).is_none());
    }

    #[test]
    fn what_was_read_before_a_barrier_stays_before_it() {
        let mut cell = Cell::default();
        let later = Mark {
            clock: 2,
            ..part(1, 2, 0)
        };
        assert!(cell.touch(Touch::Read, part(1, 1, 0), racing).is_none());
        assert!(cell.touch(Touch::Read, later, racing).is_none());
        let since = |earlier: &Mark, _: &Mark, _: bool| match earlier.clock {
            1 => Relation::Before,
            _ => Relation::Racing,
        };
        let mut other = cell;
        let first = part(2, 1, 9);
        assert!(cell.touch(Touch::Write, first, since).is_none());
        let second = part(2, 2, 0x900);
        assert!(other.touch(Touch::Write, second, since).is_some());
    }

    #[test]
    fn atomics_do_not_race_with_each_other() {
        let mut cell = Cell::default();
        let atomic = |thread| Mark {
            atomic: true,
            ..mark(thread, 0, thread)
        };
        assert!(cell.touch(Touch::Atomic, atomic(1), racing).is_none());
        assert!(cell.touch(Touch::Atomic, atomic(2), racing).is_none());
        let read = cell.touch(Touch::Read, mark(3, 0, 0), racing);
        assert!(read.is_some_and(|found| found.doubtful));
        let write = cell.touch(Touch::Write, mark(4, 0, 2), racing);
        assert!(write.is_some_and(|found| !found.doubtful));
    }

    #[test]
    fn a_read_before_an_own_atomic_is_forgotten() {
        let mut cell = Cell::default();
        let atomic = |thread| Mark {
            atomic: true,
            ..mark(thread, 0, thread)
        };
        assert!(cell.touch(Touch::Read, mark(1, 0, 0), racing).is_none());
        let mut other = cell;
        let found = cell.touch(Touch::Atomic, atomic(2), racing);
        assert!(found.is_some_and(|found| found.doubtful && !found.earlier_writes));
        assert_eq!(other.peeked(&atomic(2)), None, "another's");
        assert_eq!(other.peeked(&atomic(1)), Some(0));
        assert!(other.touch(Touch::Atomic, atomic(1), racing).is_none());
        assert!(other.touch(Touch::Atomic, atomic(2), racing).is_none());
    }

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
                    others.extend(found.map(|found| (word, found.earlier.lane)));
                }
                match found {
                    Some((word, found)) => assert!(others.contains(&(word, found.earlier.lane))),
                    None => assert!(others.is_empty()),
                }
            }
        }
    }
}
