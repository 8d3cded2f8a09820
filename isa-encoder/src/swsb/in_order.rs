//! Distances, while a program runs.

use alloc::vec::Vec;

use devinfo::Family;

use super::access::{self, Access, Bytes, Pieces, Space, View};
use super::pending::{Conflict, in_order_ordered};
use super::pipe::{self, PipeSet, Unit};
use crate::model::semantics::{Flow, Semantics};
use crate::model::{Instruction, Pipe};

/// The most general registers' accesses of an instruction: three sources and a destination.
const MOST: usize = 4;

/// What an instruction is to in-order pipes.
#[derive(Clone, Debug)]
pub struct Order {
    unit: Unit,
    waits: Option<(PipeSet, u8)>,
    /// Channels pass on to the next instruction.
    passes: bool,
    /// It in its pipe, with the general registers that the text names.
    entry: Entry,
}

impl Order {
    /// That of an instruction; `None` where hardware orders accesses (up to Gen11).
    pub fn of(family: Family, instruction: &Instruction) -> Option<Order> {
        if !pipe::has_scoreboard(family) {
            return None;
        }
        let unit = pipe::unit(family, View::Sure, instruction);
        let leaves = matches!(
            instruction.opcode.semantics(),
            Semantics::Flow(Flow::Goto | Flow::Cont | Flow::Halt | Flow::Break | Flow::Jump)
        );
        let mut entry = Entry {
            window: pipe::window(View::Sure, unit, instruction),
            long: matches!(unit, Unit::InOrder { long: true, .. }),
            ..Entry::default()
        };
        let accesses = access::accesses(family, View::Sure, instruction);
        let general = |(access, _): &(Access, Bytes)| access.space == Space::Grf;
        let general = accesses.iter().filter(general);
        for (slot, found) in entry.accesses.iter_mut().zip(general) {
            entry.uses.add(found.0);
            *slot = found;
            entry.count += 1;
        }
        Some(Order {
            unit,
            waits: pipe::distance(family, instruction),
            passes: !leaves || instruction.predicate.is_some(),
            entry,
        })
    }
}

/// General registers that an instruction accesses and the text does not name, in bytes from `r0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The first byte.
    pub start: u16,
    /// The byte after the last.
    pub end: u16,
    /// Whether it writes them.
    pub write: bool,
}

/// An access that nothing has ordered after an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overtaken {
    /// Where the earlier instruction is.
    pub at: u32,
    /// What the two do.
    pub conflict: Conflict,
    /// The first byte, from `r0`, that the earlier access and the later one may share.
    pub byte: u16,
}

/// How many instructions of a pipe can be under way.
const LONGEST: u32 = pipe::LONGEST_WINDOW as u32;

/// Sets that have the registers that are read and written, and perhaps others.
#[derive(Clone, Copy, Debug, Default)]
struct Uses {
    reads: Pieces,
    writes: Pieces,
}

impl Uses {
    fn add(&mut self, access: Access) {
        let set = if access.write {
            &mut self.writes
        } else {
            &mut self.reads
        };
        *set |= access.pieces();
    }

    fn join(&mut self, other: Uses) {
        self.reads |= other.reads;
        self.writes |= other.writes;
    }

    /// Whether what comes later, and writes `writes` that may overtake, may meet these.
    fn meet(self, later: Uses, writes: u64) -> bool {
        self.writes & (later.reads | writes) | self.reads & writes != 0
    }
}

const NOTHING: Access = Access {
    space: Space::Grf,
    write: false,
    start: 0,
    end: 0,
    strided: false,
};

/// An instruction in a pipe.
#[derive(Clone, Copy, Debug)]
struct Entry {
    at: u32,
    /// How many instructions of its pipe must follow until its result is there.
    window: u8,
    /// 64-bit types on Gen12LP.
    long: bool,
    uses: Uses,
    count: u8,
    accesses: [(Access, Bytes); MOST],
}

impl Default for Entry {
    fn default() -> Self {
        Entry {
            at: 0,
            window: 0,
            long: false,
            uses: Uses::default(),
            count: 0,
            accesses: [(NOTHING, 0); MOST],
        }
    }
}

impl Entry {
    fn accesses(&self) -> impl Iterator<Item = &(Access, Bytes)> {
        self.accesses.iter().take(self.count.into())
    }
}

/// The instructions that a pipe has begun.
#[derive(Clone, Debug, Default)]
struct Queue {
    /// How many.
    issued: u32,
    /// How many of them have certainly ended.
    ended: u32,
    /// At least what those use that have not ended.
    uses: Uses,
    /// Some of them take longer than others of the pipe.
    long: bool,
    /// The latest, by their number modulo [`LONGEST`], and what the text does not name of each.
    entries: Vec<(Entry, Vec<Access>)>,
}

impl Queue {
    fn slot(number: u32) -> usize {
        (number % LONGEST) as usize
    }

    /// Those that may not have ended.
    fn under_way(&self) -> impl Iterator<Item = &(Entry, Vec<Access>)> {
        let first = self.ended.max(self.issued.saturating_sub(LONGEST));
        (first..self.issued).filter_map(move |number| {
            let entry = self.entries.get(Self::slot(number))?;
            (self.issued - 1 - number < u32::from(entry.0.window)).then_some(entry)
        })
    }

    /// The first `ended` have ended.
    fn end(&mut self, ended: u32) {
        if ended > self.ended {
            self.ended = ended.min(self.issued);
            self.collect();
        }
    }

    fn collect(&mut self) {
        let (mut uses, mut long) = (Uses::default(), false);
        for (entry, _) in self.under_way() {
            uses.join(entry.uses);
            long |= entry.long;
        }
        (self.uses, self.long) = (uses, long);
    }

    fn begin(&mut self, entry: &Entry, at: u32, named: &[Access]) {
        if self.issued == u32::MAX {
            (self.issued, self.ended) = (0, 0);
        }
        let slot = Self::slot(self.issued);
        if self.entries.len() <= slot {
            self.entries.resize_with(LONGEST as usize, Default::default);
        }
        if let Some((place, others)) = self.entries.get_mut(slot) {
            place.clone_from(entry);
            place.at = at;
            others.clear();
            for access in named {
                place.uses.add(*access);
                others.push(*access);
            }
            self.uses.join(place.uses);
            self.long |= place.long;
        }
        self.issued += 1;
    }
}

/// What the in-order pipes of one thread may have under way.
///
/// It judges like the checker: see [`crate::swsb`].
#[derive(Clone, Debug, Default)]
pub struct InOrder {
    queues: [Queue; Pipe::EACH.len()],
    /// Where the instruction after the last one is, if channels pass on to it.
    next: Option<u32>,
    /// What the instruction that begins accesses and its text does not name.
    named: Vec<Access>,
}

impl InOrder {
    /// Nothing is under way: a thread begins, or control has jumped.
    pub fn clear(&mut self) {
        for queue in &mut self.queues {
            queue.end(queue.issued);
        }
        self.next = None;
    }

    /// The instruction at `at` begins, and the one after it is at `next`. It accesses `named`, beside
    /// what its text names. Says what it overtakes.
    pub fn begin(
        &mut self,
        order: &Order,
        (at, next): (u32, u32),
        named: &[Range],
        mut found: impl FnMut(Overtaken),
    ) {
        if self.next != Some(at) {
            self.clear();
        }
        self.next = order.passes.then_some(next);
        if let Some((pipes, distance)) = order.waits {
            for (pipe, queue) in Pipe::EACH.into_iter().zip(&mut self.queues) {
                if pipes.has(pipe) {
                    queue.end((queue.issued + 1).saturating_sub(distance.into()));
                }
            }
        }
        if order.unit == Unit::None {
            return;
        }
        self.named.clear();
        let mut uses = order.entry.uses;
        for range in named {
            let access = Access {
                write: range.write,
                start: range.start,
                end: range.end,
                ..NOTHING
            };
            uses.add(access);
            self.named.push(access);
        }
        let own = match order.unit {
            Unit::InOrder { pipe, .. } => Some(pipe),
            _ => None,
        };
        for (pipe, queue) in Pipe::EACH.into_iter().zip(&mut self.queues) {
            if queue.ended == queue.issued {
                continue;
            }
            // In one pipe, only results that take longer can be overtaken by others.
            let same = own == Some(pipe) && !queue.long;
            let writes = if same { 0 } else { uses.writes };
            if !queue.uses.meet(uses, writes) {
                continue;
            }
            queue.collect();
            if queue.uses.meet(uses, writes) {
                for (entry, others) in queue.under_way() {
                    if entry.uses.meet(uses, uses.writes) {
                        let earlier = (pipe, entry, &others[..]);
                        meet(earlier, order, &self.named, &mut found);
                    }
                }
            }
        }
        if let Some(queue) = own.and_then(|pipe| self.queues.get_mut(pipe as usize)) {
            queue.begin(&order.entry, at, &self.named);
        }
    }
}

/// Says whether an instruction overtakes one under way in a pipe. Both access what their texts do not name,
/// too.
fn meet(
    (pipe, entry, others): (Pipe, &Entry, &[Access]),
    later: &Order,
    named: &[Access],
    found: &mut impl FnMut(Overtaken),
) {
    let plain = |access: &Access| (*access, 0);
    let theirs = entry.accesses().copied().chain(others.iter().map(plain));
    for (before, bytes) in theirs {
        let now = later.entry.accesses().copied();
        for (access, pattern) in now.chain(named.iter().map(plain)) {
            let Some(conflict) = Conflict::of(before.write, access.write) else {
                continue;
            };
            let earlier = (pipe, entry.long);
            if before.overlaps(bytes, &access, pattern)
                && !in_order_ordered(View::Sure, earlier, later.unit, conflict, Space::Grf)
            {
                return found(Overtaken {
                    at: entry.at,
                    conflict,
                    byte: before.start.max(access.start),
                });
            }
        }
    }
}
