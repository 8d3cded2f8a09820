//! Distances, while a program runs.

use alloc::boxed::Box;
use alloc::vec::Vec;

use devinfo::Family;

use super::access::{self, Access, Bytes, Space, View};
use super::pending::{Conflict, in_order_ordered};
use super::pipe::{self, PipeSet, Unit};
use crate::model::semantics::{Flow, Semantics};
use crate::model::{Instruction, Pipe};

/// What an instruction is to in-order pipes.
#[derive(Clone, Debug)]
pub struct Order {
    unit: Unit,
    /// How many instructions of its pipe must follow until its result is there.
    window: u8,
    waits: Option<(PipeSet, u8)>,
    /// The general registers that the text names.
    accesses: Box<[(Access, Bytes)]>,
    /// Channels pass on to the next instruction.
    passes: bool,
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
        let accesses = access::accesses(family, View::Sure, instruction);
        let general = |(access, _): &(Access, Bytes)| access.space == Space::Grf;
        Some(Order {
            unit,
            window: pipe::window(View::Sure, unit, instruction),
            waits: pipe::distance(family, instruction),
            accesses: accesses.iter().filter(general).collect(),
            passes: !leaves || instruction.predicate.is_some(),
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

/// No pipe takes longer than this many instructions.
const LONGEST: u32 = 20;

/// A set that has the registers of an access, and perhaps others: one bit for each number modulo 64.
fn registers(access: &Access) -> u64 {
    // Registers are 32 bytes or 64.
    let (first, last) = (access.start / 32, access.end.saturating_sub(1) / 32);
    match last.saturating_sub(first) {
        count @ 0..63 => (u64::MAX >> (63 - count)).rotate_left(u32::from(first % 64)),
        _ => u64::MAX,
    }
}

/// An instruction in a pipe.
#[derive(Clone, Debug)]
struct Entry {
    at: u32,
    window: u8,
    long: bool,
    reads: u64,
    writes: u64,
    accesses: Vec<(Access, Bytes)>,
}

/// The instructions that a pipe has begun.
#[derive(Clone, Debug, Default)]
struct Queue {
    /// How many.
    issued: u32,
    /// How many of them have certainly ended.
    ended: u32,
    /// The latest, by their number modulo [`LONGEST`].
    entries: Vec<Entry>,
}

impl Queue {
    fn slot(number: u32) -> usize {
        (number % LONGEST) as usize
    }

    /// Those that may not have ended, with the number of instructions that have followed each.
    fn under_way(&self) -> impl Iterator<Item = &Entry> {
        let first = self.ended.max(self.issued.saturating_sub(LONGEST));
        (first..self.issued).filter_map(move |number| {
            let entry = self.entries.get(Self::slot(number))?;
            (self.issued - 1 - number < u32::from(entry.window)).then_some(entry)
        })
    }

    fn begin(&mut self, entry: impl FnOnce(&mut Entry)) {
        if self.issued == u32::MAX {
            (self.issued, self.ended) = (0, 0);
        }
        let slot = Self::slot(self.issued);
        while self.entries.len() <= slot {
            self.entries.push(Entry {
                at: 0,
                window: 0,
                long: false,
                reads: 0,
                writes: 0,
                accesses: Vec::new(),
            });
        }
        if let Some(place) = self.entries.get_mut(slot) {
            entry(place);
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
    /// What the instruction that begins accesses.
    now: Vec<(Access, Bytes)>,
}

impl InOrder {
    /// Nothing is under way: a thread begins, or control has jumped.
    pub fn clear(&mut self) {
        for queue in &mut self.queues {
            queue.ended = queue.issued;
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
                    let ended = (queue.issued + 1).saturating_sub(distance.into());
                    queue.ended = queue.ended.max(ended);
                }
            }
        }
        if order.unit == Unit::None {
            return;
        }
        self.now.clear();
        self.now.extend_from_slice(&order.accesses);
        self.now.extend(named.iter().map(|range| {
            let access = Access {
                space: Space::Grf,
                write: range.write,
                start: range.start,
                end: range.end,
                strided: false,
            };
            (access, 0)
        }));
        let all = |write: bool| {
            let which = self.now.iter().filter(|(access, _)| access.write == write);
            which.fold(0, |all, (access, _)| all | registers(access))
        };
        let (reads, writes) = (all(false), all(true));
        for (earlier, queue) in Pipe::EACH.into_iter().zip(&self.queues) {
            let same = matches!(order.unit, Unit::InOrder { pipe, .. } if pipe == earlier);
            for entry in queue.under_way() {
                // In one pipe, only results that take longer can be overtaken by others.
                let others = if same && !entry.long { 0 } else { writes };
                let meets = entry.writes & (reads | others) | entry.reads & others;
                if meets != 0 {
                    meet(entry, earlier, order.unit, &self.now, &mut found);
                }
            }
        }
        let Unit::InOrder { pipe, long } = order.unit else {
            return;
        };
        if let Some(queue) = self.queues.get_mut(pipe as usize) {
            let now = &self.now;
            queue.begin(|entry| {
                (entry.at, entry.window, entry.long) = (at, order.window, long);
                (entry.reads, entry.writes) = (reads, writes);
                entry.accesses.clear();
                entry.accesses.extend_from_slice(now);
            });
        }
    }
}

/// Says whether an instruction with the accesses `now` overtakes one under way in `pipe`.
fn meet(
    entry: &Entry,
    pipe: Pipe,
    later: Unit,
    now: &[(Access, Bytes)],
    found: &mut impl FnMut(Overtaken),
) {
    let earlier = (pipe, entry.long);
    for (theirs, bytes) in &entry.accesses {
        for (access, pattern) in now {
            let Some(conflict) = Conflict::of(theirs.write, access.write) else {
                continue;
            };
            if theirs.overlaps(*bytes, access, *pattern)
                && !in_order_ordered(View::Sure, earlier, later, conflict, Space::Grf)
            {
                return found(Overtaken {
                    at: entry.at,
                    conflict,
                    byte: theirs.start.max(access.start),
                });
            }
        }
    }
}
