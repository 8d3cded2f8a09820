//! What may be under way at a place: the state of the data-flow analysis.

use alloc::vec::Vec;

use devinfo::Family;

use super::access::{self, Access, Bytes, Pieces, Space, View};
use super::flow::{self, Carries};
use super::pipe::{self, OutOfOrder, PipeSet, Unit};
use super::program::Program;
use crate::code::traits;
use crate::model::{Format, Instruction, Opcode, Options, Pipe, TokenMode};

/// What the analysis knows about an instruction.
#[derive(Clone, Debug)]
pub struct Node {
    accesses: core::ops::Range<usize>,
    /// Where its accesses may be.
    pieces: Pieces,
    /// What executes it.
    pub unit: Unit,
    /// The token it takes.
    pub token: Option<u8>,
    counts: Option<Pipe>,
    window: u8,
    branch: bool,
    /// The last instruction of the `{Atomic}` run of `dpas` that contains it, or itself.
    pub chain: usize,
}

/// Every instruction's facts.
#[derive(Clone, Debug)]
pub struct Facts {
    view: View,
    nodes: Vec<Node>,
    accesses: Vec<Access>,
    /// The bytes of each access that is strided.
    patterns: Vec<Bytes>,
}

impl Facts {
    /// The facts of a program whose existing annotations apply.
    pub fn new(program: &Program, view: View) -> Facts {
        let family = program.family();
        let count = program.instructions().len();
        // Most have a result and two sources.
        let mut facts = Facts {
            view,
            nodes: Vec::with_capacity(count),
            accesses: Vec::with_capacity(3 * count),
            patterns: Vec::with_capacity(3 * count),
        };
        for (index, placed) in program.instructions().iter().enumerate() {
            let instruction = &placed.instruction;
            let first = facts.accesses.len();
            let found = access::accesses(family, view, instruction);
            let mut pieces = Pieces::default();
            for (access, pattern) in found.iter() {
                pieces |= access.pieces();
                facts.accesses.push(access);
                facts.patterns.push(pattern);
            }
            let unit = pipe::unit(family, view, instruction);
            facts.nodes.push(Node {
                accesses: first..facts.accesses.len(),
                pieces,
                unit,
                token: set_token(program, instruction),
                counts: pipe::counts(view, instruction, unit),
                window: pipe::window(view, unit, instruction),
                branch: instruction.opcode.is_branch(),
                chain: index,
            });
        }
        facts.join_chains(program);
        facts
    }

    /// Only the last `dpas` of an `{Atomic}` run has a token. A branch target ends a run: control
    /// that arrives by the branch has not issued the instructions before it.
    fn join_chains(&mut self, program: &Program) {
        let targets = flow::branch_targets(program);
        for index in (0..self.nodes.len()).rev() {
            let Some(placed) = program.instructions().get(index) else {
                continue;
            };
            let instruction = &placed.instruction;
            let atomic = instruction.options.contains(Options::ATOMIC);
            if !atomic || !is_dpas(instruction.opcode) {
                continue;
            }
            let next = program
                .next(index)
                .filter(|next| !targets.contains(next))
                .filter(|&next| is_dpas(program.instructions()[next].instruction.opcode));
            let last = next.and_then(|next| self.nodes.get(next)).cloned();
            if let (Some(last), Some(node)) = (last, self.nodes.get_mut(index)) {
                node.chain = last.chain;
                node.token = node.token.or(last.token);
            }
        }
    }

    /// The facts of an instruction.
    pub fn node(&self, index: usize) -> &Node {
        &self.nodes[index]
    }

    /// Gives an instruction a token.
    pub fn set_token(&mut self, index: usize, token: Option<u8>) {
        if let Some(node) = self.nodes.get_mut(index) {
            node.token = token;
        }
    }

    /// The accesses of an instruction.
    pub fn accesses(&self, index: usize) -> &[Access] {
        &self.accesses[self.nodes[index].accesses.clone()]
    }

    /// The bytes of each of the accesses of an instruction, for those that are strided.
    fn patterns(&self, index: usize) -> &[Bytes] {
        &self.patterns[self.nodes[index].accesses.clone()]
    }

    /// An access of an instruction that has just started.
    pub(super) fn issued(&self, index: usize, slot: u8) -> Option<Pending> {
        let node = self.nodes.get(index)?;
        Some(Pending {
            producer: index as u32,
            slot,
            age: 0,
            pipe: match node.unit {
                Unit::InOrder { pipe, .. } => Some(pipe),
                _ => None,
            },
            window: node.window,
            followed: 0,
            access: *self.accesses(index).get(usize::from(slot))?,
        })
    }

    /// The bytes of an access under way.
    fn pattern(&self, entry: &Pending) -> Bytes {
        if !entry.access.strided {
            return 0;
        }
        let patterns = self.patterns(entry.producer as usize);
        patterns.get(usize::from(entry.slot)).copied().unwrap_or(0)
    }
}

/// Whether an opcode is `dpas` or `dpasw`.
pub fn is_dpas(opcode: Opcode) -> bool {
    opcode.format() == Format::Dpas
}

fn set_token(program: &Program, instruction: &Instruction) -> Option<u8> {
    pipe::token(program.family(), instruction)
        .filter(|token| token.mode == TokenMode::Set)
        .map(|token| token.id)
}

/// An access that may not have happened yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending {
    /// The instruction.
    pub producer: u32,
    /// Which of its accesses.
    pub(super) slot: u8,
    /// The least number of instructions of its pipe that have followed.
    pub(super) age: u8,
    /// The pipe of an instruction that is in order, and how many may follow there while it is under way.
    pipe: Option<Pipe>,
    window: u8,
    /// Tokens that its own unit has taken after it, one bit each. A unit reads sources in order:
    /// waiting for one of these also waits for this read.
    pub(super) followed: u32,
    /// The registers.
    pub access: Access,
}

impl Pending {
    pub(super) fn key(&self) -> (u32, u8) {
        (self.producer, self.slot)
    }

    /// The distance by which an instruction here would name it.
    pub fn distance(&self) -> u8 {
        self.age + 1
    }
}

/// What an instruction waits for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Waits {
    /// The instruction this far back in these pipes, and all earlier ones.
    pub distance: Option<(PipeSet, u8)>,
    /// Tokens whose owners must have read their sources, one bit each.
    pub read: u32,
    /// Tokens whose owners must have finished.
    pub written: u32,
}

impl Waits {
    /// The waits of an instruction's annotation and, for `sync`, of the instruction itself.
    pub fn of(program: &Program, index: usize) -> Waits {
        let mut waits = Waits::default();
        let Some(placed) = program.instructions().get(index) else {
            return waits;
        };
        let instruction = &placed.instruction;
        waits.distance = pipe::distance(program.family(), instruction);
        if let Some(token) = pipe::token(program.family(), instruction) {
            let bit = 1u32.checked_shl(token.id.into()).unwrap_or(0);
            match token.mode {
                TokenMode::Src => waits.read |= bit,
                // Taking a token waits for its owner.
                TokenMode::Dst | TokenMode::Set => waits.written |= bit,
            }
        }
        match pipe::sync_mask(instruction) {
            Some((TokenMode::Src, mask)) => waits.read |= mask,
            Some((_, mask)) => waits.written |= mask,
            None => {}
        }
        waits
    }
}

/// The tokens of an instruction, one bit each: those that it takes, and those whose owners it waits
/// for to have read their sources, or to have finished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Taken.
    pub takes: u32,
    /// Read.
    pub read: u32,
    /// Finished.
    pub written: u32,
    /// It touches a register after a message and uses no value: no hazard, whatever is under way.
    pub touches: bool,
}

impl Tokens {
    /// Those of an instruction. A `sync` of tokens that a register names waits for all.
    pub fn of(family: Family, instruction: &Instruction) -> Tokens {
        let mut tokens = Tokens {
            touches: access::is_touch(traits(family), instruction),
            ..Tokens::default()
        };
        if let Some(token) = pipe::token(family, instruction) {
            let bit = 1u32.checked_shl(token.id.into()).unwrap_or(0);
            match token.mode {
                TokenMode::Src => tokens.read |= bit,
                TokenMode::Dst => tokens.written |= bit,
                TokenMode::Set => {
                    tokens.takes |= bit;
                    tokens.written |= bit;
                }
            }
        }
        let all = |mask: u32| if mask == 0 { u32::MAX } else { mask };
        match pipe::sync_mask(instruction) {
            Some((TokenMode::Src, mask)) => tokens.read |= all(mask),
            Some((_, mask)) => tokens.written |= all(mask),
            None => {}
        }
        tokens
    }
}

/// Why two accesses must be ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Conflict {
    /// The later one reads what the earlier one writes.
    ReadAfterWrite,
    /// Both write.
    WriteAfterWrite,
    /// The later one writes what the earlier one reads.
    WriteAfterRead,
}

impl Conflict {
    /// What an earlier and a later access do, of which some write; `None` if both read.
    pub(super) fn of(earlier_writes: bool, later_writes: bool) -> Option<Conflict> {
        match (earlier_writes, later_writes) {
            (true, false) => Some(Conflict::ReadAfterWrite),
            (true, true) => Some(Conflict::WriteAfterWrite),
            (false, true) => Some(Conflict::WriteAfterRead),
            (false, false) => None,
        }
    }
}

/// What may be under way, sorted by instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    entries: Vec<Pending>,
}

impl State {
    /// The accesses, in their order.
    pub(super) fn of(entries: Vec<Pending>) -> State {
        State { entries }
    }

    /// The accesses, in their order.
    pub(super) fn entries(&self) -> &[Pending] {
        &self.entries
    }

    /// How much is under way.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Adds what may be under way on another path. Returns whether anything is new.
    pub fn join(&mut self, other: &State) -> bool {
        let mut changed = false;
        // Where the next one belongs, at the earliest. What is new is nearly always the latest.
        let mut from = 0;
        for theirs in &other.entries {
            let rest = &mut self.entries[from..];
            let place = match rest.first() {
                Some(next) if next.key() == theirs.key() => Ok(0),
                _ => rest.binary_search_by_key(&theirs.key(), Pending::key),
            };
            match place {
                Ok(at) => {
                    let ours = &mut rest[at];
                    changed |= theirs.age < ours.age || ours.followed & !theirs.followed != 0;
                    ours.age = ours.age.min(theirs.age);
                    ours.followed &= theirs.followed;
                    from += at + 1;
                }
                Err(at) => {
                    changed = true;
                    self.entries.insert(from + at, *theirs);
                    from += at + 1;
                }
            }
        }
        changed
    }

    /// Adds what may be under way on another path behind what there is. [`merge`](Self::merge) puts it where
    /// it belongs.
    pub(super) fn append(&mut self, other: &State) {
        self.entries.extend_from_slice(&other.entries);
    }

    /// Sorts what was appended, and joins what is there several times.
    pub(super) fn merge(&mut self) {
        if self.entries.is_sorted_by(|a, b| a.key() < b.key()) {
            return;
        }
        self.entries.sort_by_key(Pending::key);
        self.entries.dedup_by(|again, first| {
            let same = again.key() == first.key();
            if same {
                first.age = first.age.min(again.age);
                first.followed &= again.followed;
            }
            same
        });
    }

    /// Everything has been waited for.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// The part that is still under way in another place.
    pub(super) fn carried(&self, carries: Carries) -> State {
        let stays = |entry: &&Pending| match entry.pipe {
            Some(_) => carries.in_order,
            None => carries.tokens,
        };
        State {
            entries: self.entries.iter().filter(stays).copied().collect(),
        }
    }

    /// Drops what `waits` has waited for.
    pub fn wait(&mut self, facts: &Facts, waits: &Waits) {
        if waits.distance.is_none() && waits.read | waits.written == 0 {
            return;
        }
        self.entries.retain(|entry| match entry.pipe {
            Some(pipe) => !waits
                .distance
                .is_some_and(|(pipes, d)| pipes.has(pipe) && entry.distance() >= d),
            None => {
                let node = facts.node(entry.producer as usize);
                let bit = node
                    .token
                    .map_or(0, |id| 1u32.checked_shl(id.into()).unwrap_or(0));
                let any = waits.read | waits.written;
                waits.written & bit == 0
                    && (entry.access.write || any & (bit | entry.followed) == 0)
            }
        });
    }

    /// Calls `found` for each access under way that an access of `index` must not overtake, and
    /// drops it: either it is waited for, or it has been reported.
    pub fn meet(
        &mut self,
        facts: &Facts,
        index: usize,
        mut found: impl FnMut(&Pending, &Access, Conflict),
    ) {
        let node = facts.node(index);
        let accesses = facts.accesses(index);
        let patterns = facts.patterns(index);
        self.entries.retain(|entry| {
            if entry.access.space == Space::State && node.unit != Unit::None {
                found(entry, &entry.access, Conflict::ReadAfterWrite);
                return false;
            }
            // Most have nothing to do with each other.
            if entry.access.pieces() & node.pieces == 0 {
                return true;
            }
            let mut shadowed = false;
            let theirs = facts.pattern(entry);
            let earlier = || facts.node(entry.producer as usize);
            for (access, pattern) in accesses.iter().zip(patterns) {
                if !entry.access.overlaps(theirs, access, *pattern) {
                    continue;
                }
                match Conflict::of(entry.access.write, access.write) {
                    Some(conflict)
                        if !ordered(facts.view, earlier(), node, conflict, access.space) =>
                    {
                        found(entry, access, conflict);
                        return false;
                    }
                    // A later access in the same unit ends later, so it stands for both; but it
                    // must be certain that it touches these registers.
                    Some(Conflict::ReadAfterWrite) => {}
                    _ if facts.view == View::Worst => {}
                    _ => {
                        shadowed |= earlier().unit == node.unit
                            && access.covers(*pattern, &entry.access, theirs)
                    }
                }
            }
            !shadowed
        });
    }

    /// Adds the accesses of `index`, once it has started.
    pub fn issue(&mut self, facts: &Facts, index: usize) {
        let node = facts.node(index);
        if let Some(pipe) = node.counts {
            self.entries.retain_mut(|entry| {
                if entry.pipe != Some(pipe) {
                    return true;
                }
                entry.age = entry.age.saturating_add(1);
                entry.age < entry.window
            });
        }
        if node.branch || node.unit == Unit::None {
            return;
        }
        if let (Unit::OutOfOrder(_), Some(token), View::Sure) = (node.unit, node.token, facts.view)
        {
            let bit = 1u32.checked_shl(token.into()).unwrap_or(0);
            for entry in &mut self.entries {
                if facts.node(entry.producer as usize).unit == node.unit {
                    entry.followed |= bit;
                }
            }
        }
        let slots = 0..facts.accesses(index).len();
        for entry in slots.filter_map(|slot| facts.issued(index, slot as u8)) {
            match self
                .entries
                .binary_search_by_key(&entry.key(), Pending::key)
            {
                Ok(at) => self.entries[at] = entry,
                Err(at) => self.entries.insert(at, entry),
            }
        }
    }
}

/// Whether the hardware orders two accesses of the same registers without an annotation.
///
/// Source: the table in IGC's `SWSB_G4IR.cpp` ("RAW … explicit dependence"), IGA's
/// `calculateDependence` and `checkAccFlagRAW`; hardware tracks results in flags (Mesa, and IGC
/// never waits for them). Where the sources disagree, the annotator waits and the checker reports
/// nothing.
fn ordered(view: View, earlier: &Node, later: &Node, conflict: Conflict, space: Space) -> bool {
    match earlier.unit {
        Unit::None => true,
        Unit::OutOfOrder(unit) => {
            // Flags and a0 are read when the instruction starts; IGC waits for s0.
            let waits = space == Space::Grf || space == Space::Scalar && view == View::Worst;
            let early = conflict == Conflict::WriteAfterRead && !waits;
            let same = later.unit == earlier.unit;
            let chain = unit == OutOfOrder::Dpas && earlier.chain == later.chain;
            chain || early || (same && conflict == Conflict::WriteAfterRead)
        }
        Unit::InOrder { pipe, long } => {
            in_order_ordered(view, (pipe, long), later.unit, conflict, space)
        }
    }
}

/// The same where the earlier access is of an in-order pipe, and whether it is of 64 bits there.
pub fn in_order_ordered(
    view: View,
    (pipe, long): (Pipe, bool),
    later: Unit,
    conflict: Conflict,
    space: Space,
) -> bool {
    let to = match later {
        Unit::InOrder { pipe, long } => Some((pipe, long)),
        _ => None,
    };
    let same = to.is_some_and(|(to, _)| to == pipe);
    match (space, conflict) {
        // Only across pipes (Mesa, Wa_22012725308); IGC requires no wait on Gen12LP.
        (Space::Accumulator, _) => same || pipe == Pipe::Default,
        (Space::Grf, Conflict::ReadAfterWrite) => false,
        // Gen12LP: a 64-bit instruction takes longer than one after it.
        (Space::Grf, Conflict::WriteAfterWrite) => {
            same && (!long || to.is_some_and(|(_, long)| long))
        }
        (Space::Grf, Conflict::WriteAfterRead) => same,
        (Space::Scalar, Conflict::ReadAfterWrite) => false,
        (Space::Scalar, _) => same || view == View::Sure,
        _ if view == View::Sure => true,
        // IGA and Mesa wait, IGC does not.
        (Space::Address, Conflict::ReadAfterWrite) => false,
        // IGC and IGA wait across pipes; Mesa only for a0.
        (Space::Address | Space::Flag, Conflict::WriteAfterWrite | Conflict::WriteAfterRead) => {
            same || pipe == Pipe::Default
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use devinfo::Family;

    use super::{Facts, State};
    use crate::swsb::access::View;
    use crate::swsb::program::Program;

    #[test]
    fn what_is_appended_and_merged_is_what_is_joined() {
        let text = (0..40).fold(alloc::string::String::new(), |text, number| {
            let (to, from) = (10 + number % 7, 20 + number);
            text + &alloc::format!("mov (8|M0) r{to}.0<1>:d r{from}.0<1;1,0>:d\n")
        });
        let options = crate::AsmOptions::for_family(Family::Gen12Lp);
        let assembly = crate::assemble(&text, &options).unwrap();
        let program = Program::decode(Family::Gen12Lp, &assembly.code);
        let facts = Facts::new(&program, View::Worst);
        // Paths through some of the instructions, so that ages differ, the last ones first.
        let paths: Vec<State> = (0..40)
            .rev()
            .map(|first| {
                let mut state = State::default();
                for index in (first..40).step_by(1 + first % 3).take(6) {
                    state.issue(&facts, index);
                }
                state
            })
            .collect();
        let (mut joined, mut appended) = (State::default(), State::default());
        for path in &paths {
            joined.join(path);
            appended.append(path);
        }
        assert!(appended.len() > joined.len());
        appended.merge();
        assert_eq!(appended, joined);
    }
}
