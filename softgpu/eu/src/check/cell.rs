//! Who touched a word last.

use super::order::Relation;

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
    /// What a write stored, masked to its bytes.
    pub value: u32,
    /// The hardware slot of the thread.
    pub slot: u16,
    /// The channel.
    pub lane: u8,
    /// One bit for each byte of the word.
    pub bytes: u8,
    /// By an atomic operation.
    pub atomic: bool,
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    Read,
    Write,
    Atomic,
}

/// Two accesses of a word that nothing orders.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conflict {
    pub earlier: Mark,
    pub earlier_writes: bool,
    pub relation: Relation,
}

/// A word's last writer and two of its last readers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cell {
    write: Mark,
    reads: [Mark; 2],
}

impl Cell {
    /// Records an access, and finds an earlier one that it conflicts with. `relation` says how an
    /// access of another thread is related to this one; it is asked whether a fence must lie
    /// between.
    pub fn touch(
        &mut self,
        touch: Touch,
        mark: Mark,
        relation: impl Fn(&Mark, bool) -> Relation,
    ) -> Option<Conflict> {
        let meets = |other: &Mark| other.thread != 0 && other.bytes & mark.bytes != 0;
        let mut found = None;
        let write = self.write;
        // A plain read of what atomics change gets one of its values, whole: loops around a
        // compare-and-swap begin with one.
        if meets(&write) && !(touch != Touch::Write && write.atomic) {
            let same = write.value == mark.value && write.bytes == mark.bytes;
            let collides = write.message == mark.message && write.lane != mark.lane && !same;
            let how = match (write.thread == mark.thread, touch) {
                (true, Touch::Write) if collides => Relation::Racing,
                (true, _) => Relation::Before,
                // Who is last does not matter.
                (false, Touch::Write) if same => Relation::Before,
                (false, _) => relation(&write, true),
            };
            if how != Relation::Before {
                found = Some(Conflict {
                    earlier: write,
                    earlier_writes: true,
                    relation: how,
                });
            }
        }
        if touch == Touch::Write && found.is_none() {
            let others = self.reads.iter();
            let mut others = others.filter(|read| meets(read) && read.thread != mark.thread);
            found = others.find_map(|read| {
                let how = relation(read, false);
                (how != Relation::Before).then_some(Conflict {
                    earlier: *read,
                    earlier_writes: false,
                    relation: how,
                })
            });
        }
        match touch {
            Touch::Read => self.read(mark),
            Touch::Write | Touch::Atomic => {
                let together = write.thread == mark.thread && write.clock == mark.clock;
                let bytes = if together {
                    write.bytes | mark.bytes
                } else {
                    mark.bytes
                };
                self.write = Mark { bytes, ..mark };
            }
        }
        found
    }

    fn read(&mut self, mark: Mark) {
        let [first, second] = &mut self.reads;
        let own = |read: &Mark| read.thread == mark.thread || read.thread == 0;
        let slot = match (own(first), own(second)) {
            (true, _) => first,
            (_, true) => second,
            // The older one goes.
            _ if first.message < second.message => first,
            _ => second,
        };
        let bytes = if slot.thread == mark.thread {
            slot.bytes | mark.bytes
        } else {
            mark.bytes
        };
        *slot = Mark { bytes, ..mark };
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
            clock: 1,
            message: thread,
            ..Mark::default()
        }
    }

    fn racing(_: &Mark, _: bool) -> Relation {
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
        let low = Mark {
            bytes: 1,
            ..mark(4, 0, 1)
        };
        let high = Mark {
            bytes: 2,
            ..mark(5, 0, 2)
        };
        let mut cell = Cell::default();
        assert!(cell.touch(Touch::Write, low, racing).is_none());
        assert!(cell.touch(Touch::Write, high, racing).is_none());
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
        assert!(cell.touch(Touch::Read, mark(3, 0, 0), racing).is_none());
        assert!(cell.touch(Touch::Write, mark(4, 0, 0), racing).is_some());
    }
}
