//! Who touched a word last.

use super::line::LINE;
use super::mark::Mark;
use super::order::Relation;

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    Read,
    /// A read by the sampler, whose cache does not see what even its own thread writes.
    Sample,
    Write,
    Atomic,
    /// An atomic operation that writes nothing.
    AtomicRead,
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
    pub(super) write: Mark,
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
        let write = self.write;
        // Atomic operations meet if one of them is not for the other's work-group.
        let narrow = mark.is_atomic() && (write.is_narrow() || mark.is_narrow());
        let judged = touch == Touch::Write || !write.is_atomic() || narrow;
        // A thread's own accesses are in order, but for those of a copy.
        let is_copied = |earlier: &Mark| {
            let of = |mark: &Mark| (mark.thread, mark.event());
            let may = earlier.event().is_some() && of(earlier) != of(&mark);
            may && relation(earlier, &mark, false) == Relation::Copying
        };
        let mut writes = write.parts(if judged { mark.bytes } else { 0 });
        let mut found = writes.find_map(|write| {
            let same = write.agrees(&mark);
            let rewrites = touch == Touch::Write && same;
            let own = write.own & mark.own & write.bytes;
            let together = write.message == mark.message && own != 0;
            let collides = together && write.lane() != mark.lane() && !same;
            let how = match (write.thread == mark.thread, touch) {
                _ if !rewrites && is_copied(&write) => Relation::Copying,
                (true, Touch::Write) if collides => Relation::Racing,
                (true, Touch::Write) if same => Relation::Before,
                (true, Touch::Sample) => relation(&write, &mark, true),
                (true, _) if !together && write.is_beside(&mark) => relation(&write, &mark, true),
                (true, _) => Relation::Before,
                // Who is last does not matter.
                (false, Touch::Write) if same => Relation::Before,
                (false, _) => relation(&write, &mark, true),
            };
            (how != Relation::Before).then_some(Conflict {
                earlier: write,
                earlier_writes: true,
                relation: how,
                doubtful: false,
            })
        });
        if matches!(touch, Touch::Write | Touch::Atomic) && found.is_none() {
            let others = self.reads.iter().flat_map(|read| read.parts(mark.bytes));
            let other = |read: &Mark| {
                read.thread != mark.thread || read.is_beside(&mark) || is_copied(read)
            };
            // Plain reads beside atomic operations are doubtful.
            let judged = |read: &Mark| {
                touch == Touch::Write || read.is_atomic() && (read.is_narrow() || mark.is_narrow())
            };
            let mut others = others.filter(|read| other(read) && judged(read));
            found = others.find_map(|read| {
                let how = relation(&read, &mark, false);
                (how != Relation::Before).then_some(Conflict {
                    earlier: read,
                    earlier_writes: false,
                    relation: how,
                    doubtful: false,
                })
            });
        }
        let found = found.or_else(|| self.doubt(touch, &mark, relation));
        match touch {
            Touch::Read | Touch::Sample | Touch::AtomicRead => self.read(mark),
            // Other channels of the message are still to be compared with what this one has stored.
            Touch::Atomic if write.precedes(&mark) => {}
            Touch::Write | Touch::Atomic => self.write = mark.joined(&write),
        }
        found
    }

    /// A plain read that nothing orders with the atomic operation of another thread, or of another channel, whichever
    /// came first.
    fn doubt(
        &self,
        touch: Touch,
        mark: &Mark,
        relation: impl Fn(&Mark, &Mark, bool) -> Relation,
    ) -> Option<Conflict> {
        let (others, writes): (&[Mark], bool) = match touch {
            Touch::Read if self.write.is_atomic() => (std::slice::from_ref(&self.write), true),
            Touch::Atomic => (&self.reads, false),
            _ => return None,
        };
        let others = others.iter().filter(|other| {
            let is_plain = writes || !other.is_atomic();
            let is_other = other.thread != mark.thread || other.is_beside(mark);
            let is_other = is_other && other.thread != 0;
            is_plain && is_other && other.bytes & mark.bytes != 0
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
            let same = (read.thread, read.clock) == (mark.thread, mark.clock);
            let channels = [read.channel(), mark.channel()];
            let is_other = channels.iter().all(Option::is_some) && read.is_beside(mark);
            let same = same && !is_other;
            same && !read.is_atomic() && read.bytes & mark.bytes != 0
        })?;
        Some(std::mem::take(read).ip)
    }

    fn read(&mut self, mark: Mark) {
        let [first, second] = &mut self.reads;
        // Where barriers alone order channels, each is a reader of its own.
        let own = |read: &Mark| {
            let same = (read.thread, read.event()) == (mark.thread, mark.event());
            same && !read.is_beside(&mark) || read.thread == 0
        };
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

impl Cell {
    /// That of a word of a line.
    pub(super) fn of(&self, word: usize, values: &[u32; LINE]) -> Self {
        Self {
            write: self.write.of(word, values),
            reads: self.reads.map(|read| read.of(word, values)),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::check::mark::By;

    pub fn mark(thread: u32, lane: u8, value: u32) -> Mark {
        Mark {
            thread,
            lanes: [lane; 4],
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

    pub fn racing(_: &Mark, _: &Mark, _: bool) -> Relation {
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
    fn atomic_reads_leave_the_last_writer() {
        let atomic = |thread, narrow| Mark {
            by: By::Atomic { narrow },
            ..mark(thread, 0, 0)
        };
        let (near, far) = (true, false);
        let mut cell = Cell::default();
        assert!(cell.touch(Touch::Atomic, atomic(1, near), racing).is_none());
        // Its own read, for all, does not hide that.
        assert!(
            cell.touch(Touch::AtomicRead, atomic(1, far), |_, _, _| {
                Relation::Before
            })
            .is_none()
        );
        let found = cell.touch(Touch::AtomicRead, atomic(2, far), racing);
        assert_eq!(found.map(|found| found.earlier_writes), Some(true));
        // A read for the group meets what another group changes, and what nobody may write beside it.
        let mut cell = Cell::default();
        assert!(
            cell.touch(Touch::AtomicRead, atomic(1, near), racing)
                .is_none()
        );
        assert!(cell.touch(Touch::Atomic, atomic(2, far), racing).is_some());
        let mut cell = Cell::default();
        assert!(
            cell.touch(Touch::AtomicRead, atomic(1, far), racing)
                .is_none()
        );
        assert!(cell.touch(Touch::Atomic, atomic(2, far), racing).is_none());
        assert!(cell.touch(Touch::Write, mark(3, 0, 0), racing).is_some());
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
            lanes: [lane; 4],
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
            by: By::Atomic { narrow: false },
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
    fn bytes_of_a_word_have_channels_of_their_own() {
        let by = |lane, bytes, message| Mark {
            apart: true,
            lanes: [lane; 4],
            message,
            ..part(1, bytes, 0)
        };
        let mut cell = Cell::default();
        for mark in [by(0, 1, 1), by(1, 2, 1)] {
            assert!(cell.touch(Touch::Write, mark, racing).is_none());
        }
        assert!(cell.touch(Touch::Read, by(0, 1, 2), racing).is_none());
        assert!(cell.touch(Touch::Read, by(1, 2, 2), racing).is_none());
        assert!(cell.touch(Touch::Read, by(1, 4, 2), racing).is_none());
        let found = cell.touch(Touch::Read, by(0, 0xf, 3), racing);
        assert_eq!(found.and_then(|found| found.earlier.lane()), Some(1));
        // Reads, too, of which each channel has its own.
        let mut cell = Cell::default();
        for mark in [by(0, 1, 1), by(1, 2, 1), by(2, 4, 1), by(3, 8, 1)] {
            assert!(cell.touch(Touch::Read, mark, racing).is_none());
        }
        let mut other = cell;
        assert!(cell.touch(Touch::Write, by(3, 8, 2), racing).is_none());
        assert!(other.touch(Touch::Write, by(3, 4, 2), racing).is_some());
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
            by: By::Atomic { narrow: false },
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
            by: By::Atomic { narrow: false },
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
}
