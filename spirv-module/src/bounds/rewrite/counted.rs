//! Loops that count to a constant: what each of their rounds accesses is compared before them.
//!
//! A comparison and its branch in a short loop cost more than the loop does, and keep compilers from unrolling
//! it. Where an index is the counter and the others stay the same, the first and the last round say what all
//! do.

use std::collections::{HashMap, HashSet};

use spirv::Op;

use super::{Place, Rewriter, push_raw};
use crate::bounds::layout::Layout;
use crate::bounds::reach::Reach;
use crate::module::{Instruction, Module};

/// The most blocks of a loop that is looked at.
const BLOCKS: usize = 32;

/// Loops that count, by the block before them.
#[derive(Debug, Default)]
pub(super) struct Counted<'a> {
    before: HashMap<u32, Vec<Loop<'a>>>,
}

/// A loop.
#[derive(Debug)]
struct Loop<'a> {
    counter: u32,
    /// The counter in the first and in the last round.
    rounds: [i64; 2],
    /// What its blocks define.
    defines: HashMap<u32, Instruction<'a>>,
    /// Loads and stores of each round.
    accesses: Vec<(Instruction<'a>, Place)>,
}

/// A block of a function.
#[derive(Debug, Default)]
struct Block<'a> {
    instructions: Vec<(Instruction<'a>, Place)>,
    next: Vec<u32>,
    before: Vec<u32>,
}

impl<'a> Block<'a> {
    /// The instruction of this block with that id.
    fn find(&self, op: Op, id: u32) -> Option<&Instruction<'a>> {
        let mut all = self.instructions.iter().map(|(one, _)| one);
        all.find(|one| one.op() == Some(op) && one.word(1) == id)
    }
}

impl<'a> Counted<'a> {
    /// `scopes` is the set of instructions with debug information.
    pub fn of(module: &'a Module, layout: &Layout, scopes: u32) -> Self {
        let mut all = Self::default();
        let mut blocks: HashMap<u32, Block<'_>> = HashMap::new();
        let mut order = Vec::new();
        let mut place = Place::default();
        for one in module.instructions() {
            match one.op() {
                Some(Op::Label) => {
                    place = Place::default();
                    order.push(one.word(0));
                    blocks.entry(one.word(0)).or_default();
                }
                Some(Op::FunctionEnd) => {
                    all.function(&mut blocks, &order, layout);
                    blocks.clear();
                    order.clear();
                }
                _ => {}
            }
            place.follow(&one, scopes);
            if let Some(block) = order.last().and_then(|last| blocks.get_mut(last)) {
                block.instructions.push((one, place.clone()));
            }
        }
        all
    }

    fn function(
        &mut self,
        blocks: &mut HashMap<u32, Block<'a>>,
        order: &[u32],
        layout: &Layout,
    ) -> Option<()> {
        for label in order {
            let block = blocks.get_mut(label)?;
            let (last, _) = block.instructions.last()?;
            block.next = match last.op()? {
                Op::Branch => vec![last.word(0)],
                Op::BranchConditional => vec![last.word(1), last.word(2)],
                Op::Return | Op::ReturnValue | Op::Unreachable | Op::Kill => Vec::new(),
                // Nothing is known of what else there is.
                _ => return None,
            };
            for next in block.next.clone() {
                blocks.get_mut(&next)?.before.push(*label);
            }
        }
        for label in order {
            if let Some((before, found)) = counted(blocks, *label, layout) {
                self.before.entry(before).or_default().push(found);
            }
        }
        Some(())
    }
}

/// The loop that begins with a block, and the block before it.
fn counted<'a>(
    blocks: &HashMap<u32, Block<'a>>,
    head: u32,
    layout: &Layout,
) -> Option<(u32, Loop<'a>)> {
    let begins = blocks.get(&head)?;
    let &[one, other] = begins.before.as_slice() else {
        return None;
    };
    let (before, last, inside) = [(one, other), (other, one)]
        .into_iter()
        .find_map(|(before, last)| Some((before, last, body(blocks, head, last, before)?)))?;
    // Whoever comes to the block before comes to the loop, and leaves it only from its head.
    let leaves = |label: &u32| {
        blocks
            .get(label)
            .is_none_or(|of| of.next.iter().any(|to| !inside.contains(to)))
    };
    let stays = inside
        .iter()
        .filter(|label| **label != head)
        .all(|label| !leaves(label));
    let ends = inside
        .iter()
        .any(|label| blocks.get(label).is_none_or(|of| of.next.is_empty()));
    if blocks.get(&before)?.next != [head] || !stays || ends {
        return None;
    }
    let (branch, _) = begins.instructions.last()?;
    if branch.op()? != Op::BranchConditional
        || !inside.contains(&branch.word(1))
        || inside.contains(&branch.word(2))
    {
        return None;
    }
    let comparison = begins.instructions.iter().map(|(one, _)| one);
    let comparison = comparison
        .into_iter()
        .find(|one| one.word(1) == branch.word(0) && one.operands.len() == 4)?;
    let counter = comparison.word(2);
    let phi = begins.find(Op::Phi, counter)?;
    let chosen = |from: u32| {
        let pairs = phi.operands.get(2..)?.as_chunks().0;
        pairs
            .iter()
            .find(|[_, block]| *block == from)
            .map(|[value, _]| *value)
    };
    let first = layout.constant(chosen(before)?)?;
    let next = chosen(last)?;
    let mut bodies = inside.iter().filter_map(|label| blocks.get(label));
    let sum = bodies.find_map(|block| block.find(Op::IAdd, next))?;
    let step = (sum.word(2) == counter).then(|| layout.constant(sum.word(3)))??;
    let bound = layout.constant(comparison.word(3))?;
    let end = last_round(comparison.op()?, first, step, bound)?;
    let mut found = Loop {
        counter,
        rounds: [first, end],
        defines: HashMap::new(),
        accesses: Vec::new(),
    };
    for label in inside
        .iter()
        .filter_map(|label| blocks.get_key_value(label))
    {
        let always = *label.0 != head && !reaches(blocks, &inside, head, last, *label.0);
        for (one, place) in &label.1.instructions {
            if layout.type_of(one.word(1)) == Some(one.word(0)) {
                found.defines.insert(one.word(1), *one);
            }
            if always && matches!(one.op(), Some(Op::Load | Op::Store)) {
                found.accesses.push((*one, place.clone()));
            }
        }
    }
    found.accesses.sort_by_key(|(one, _)| one.offset);
    Some((before, found))
}

/// The counter in the last round; `None` if there is none, or if it is not known.
fn last_round(op: Op, first: i64, step: i64, bound: i64) -> Option<i64> {
    // Comparisons without sign agree with these where nothing is negative.
    let unsigned = matches!(op, Op::ULessThan | Op::ULessThanEqual);
    if unsigned && (first < 0 || bound < 0) {
        return None;
    }
    let most = match op {
        Op::SLessThan | Op::ULessThan if step > 0 => bound.checked_sub(1)?,
        Op::SLessThanEqual | Op::ULessThanEqual if step > 0 => bound,
        Op::SGreaterThan if step < 0 => bound.checked_add(1)?,
        Op::SGreaterThanEqual if step < 0 => bound,
        _ => return None,
    };
    let rounds = most.checked_sub(first)?.checked_div(step)?;
    let runs = match step > 0 {
        true => first <= most,
        false => first >= most,
    };
    let last = first.checked_add(rounds.checked_mul(step)?)?;
    // So the sum behind it does not wrap.
    let fits = i32::try_from(last.checked_add(step)?).is_ok() && i32::try_from(first).is_ok();
    (runs && fits).then_some(last)
}

/// The blocks of the loop that goes back from `last` to `head`; `None` if it is entered elsewhere.
fn body(
    blocks: &HashMap<u32, Block<'_>>,
    head: u32,
    last: u32,
    before: u32,
) -> Option<HashSet<u32>> {
    let mut inside = HashSet::from([head]);
    let mut open = vec![last];
    while let Some(label) = open.pop() {
        if label == before || inside.len() > BLOCKS {
            return None;
        }
        if inside.insert(label) {
            let from = &blocks.get(&label)?.before;
            if from.is_empty() {
                return None;
            }
            open.extend(from);
        }
    }
    Some(inside)
}

/// Whether a round comes from the head to the last block without a block.
fn reaches(
    blocks: &HashMap<u32, Block<'_>>,
    inside: &HashSet<u32>,
    head: u32,
    last: u32,
    without: u32,
) -> bool {
    let mut seen = HashSet::from([without]);
    let mut open = vec![head];
    while let Some(label) = open.pop() {
        if !inside.contains(&label) || !seen.insert(label) {
            continue;
        }
        if label == last {
            return true;
        }
        open.extend(blocks.get(&label).into_iter().flat_map(|block| &block.next));
    }
    false
}

impl Rewriter<'_> {
    /// A block ends, and a loop that counts follows.
    pub(super) fn look_ahead(&mut self) {
        for found in self.counted.before.remove(&self.block).unwrap_or_default() {
            let place = self.place.clone();
            for (one, of) in &found.accesses {
                self.place.clone_from(of);
                if self.rounds(&found, one).is_some() {
                    self.settled.insert(one.offset);
                }
            }
            self.place = place;
        }
    }

    /// Compares what the first and the last round access, if all between is between.
    fn rounds(&mut self, found: &Loop<'_>, one: &Instruction<'_>) -> Option<()> {
        let [(pointer, bytes, writes)] = *self.touched(one.op()?, one) else {
            return None;
        };
        let reach = self.reach_in(found, pointer)?;
        let outside = |id: u32| id == found.counter || !found.defines.contains_key(&id);
        if !reach.used().all(outside) {
            return None;
        }
        let (storage, _) = self.layout.pointee(pointer)?;
        let mut rounds = Vec::new();
        for round in found.rounds {
            let there = reach.clone().with(found.counter, round)?;
            if !rounds.contains(&there) {
                rounds.push(there);
            }
        }
        for there in rounds {
            self.doubt_of(there, storage, bytes, writes);
        }
        Some(())
    }

    /// Where a pointer is that the loop computes.
    fn reach_in(&mut self, found: &Loop<'_>, pointer: u32) -> Option<Reach> {
        if self.reaches.contains_key(&pointer) || self.flow.variables.contains_key(&pointer) {
            let known = self.reach(pointer);
            return (!known.is_endless()).then_some(known);
        }
        let one = *found.defines.get(&pointer)?;
        let chain = matches!(
            one.op()?,
            Op::AccessChain
                | Op::InBoundsAccessChain
                | Op::PtrAccessChain
                | Op::InBoundsPtrAccessChain
        );
        let plain = |id: &u32| {
            let ty = self.layout.type_of(*id)?;
            let known = self.narrow.contains_key(id) || self.layout.constant(*id).is_some();
            (known || matches!(self.layout.size(ty)?, 4 | 8)).then_some(())
        };
        if !chain || one.operands.get(3..)?.iter().any(|id| plain(id).is_none()) {
            return None;
        }
        let base = one.word(2);
        let of_base = self.reach_in(found, base)?;
        self.reaches.insert(base, of_base);
        let reach = self.chain(one.op()?, &one)?;
        (!reach.is_endless()).then_some(reach)
    }
}

impl Place {
    /// An instruction may say where the next ones are from.
    pub(super) fn follow(&mut self, one: &Instruction<'_>, scopes: u32) {
        use spirv::OpenclDebuginfo100Op as DebugOp;
        let whole = || {
            let mut words = Vec::new();
            push_raw(&mut words, one);
            words
        };
        match one.op() {
            Some(Op::Label) => *self = Self::default(),
            Some(Op::Line) => self.line = whole(),
            Some(Op::NoLine) => self.line.clear(),
            Some(Op::ExtInst) if one.word(2) == scopes => match one.word(3) {
                scope if scope == DebugOp::DebugScope as u32 => self.scope = whole(),
                scope if scope == DebugOp::DebugNoScope as u32 => self.scope.clear(),
                _ => {}
            },
            _ => {}
        }
    }
}
