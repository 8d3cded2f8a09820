//! Where control goes: basic blocks and their successors.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::ops::Range;

use super::access::View;
use super::program::Program;
use crate::model::semantics::{Flow as Kind, Semantics};
use crate::model::{Opcode, Specific};

/// A run of instructions that is only entered at its first.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The first instruction.
    pub start: usize,
    /// The one after the last.
    pub end: usize,
    /// The blocks that may follow.
    pub successors: Vec<Successor>,
}

/// A block that may follow another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Successor {
    /// Its number.
    pub block: usize,
    /// What may still be under way there.
    pub carries: Carries,
}

/// What may still be under way when control arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carries {
    /// What in-order pipes execute.
    pub in_order: bool,
    /// What has a token.
    pub tokens: bool,
}

/// How control gets from one instruction to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// To the next instruction.
    Next,
    /// To the next instruction, for other channels than those that came here.
    Others,
    /// By a jump.
    Taken,
}

impl Way {
    /// What is still under way after a branch. A branch that is not taken is an instruction like
    /// others. For one that is taken, the sources disagree about in-order pipes:
    ///
    /// | Source | Results of in-order pipes after a jump |
    /// |---|---|
    /// | Mesa, `propagate_block_scoreboards` | under way; distances count along the path |
    /// | IGC, `SWSB_G4IR.cpp`, `SBDDD` | available; distances count in the order of the text |
    /// | IGA, `SWSBSetter.cpp`, `run` | like IGC: the counters are at 0 by the time of the jump |
    ///
    /// A third of the kernels that IGC compiles have a reader that only the jump orders, so the
    /// checker accepts it, forward and backward. The annotator follows Mesa.
    fn carries(self, view: View) -> Carries {
        let (in_order, tokens) = match (view, self) {
            (View::Worst, _) | (View::Sure, Way::Next) => (true, true),
            (View::Sure, Way::Others) => (true, false),
            (View::Sure, Way::Taken) => (false, true),
        };
        Carries { in_order, tokens }
    }
}

/// The blocks of a program, in its order.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The blocks.
    pub blocks: Vec<Block>,
}

/// Where an instruction leads.
#[derive(Clone, Debug)]
enum Exits {
    /// Only to the instruction behind it. It ends no block by itself.
    On,
    /// To these, and it ends its block.
    Away(Vec<(usize, Way)>),
}

impl Exits {
    /// What may come behind the instruction `index`, whose exits these are.
    fn behind(&self, index: usize) -> impl Iterator<Item = (usize, Way)> {
        let (on, away) = match self {
            Exits::On => (Some((index + 1, Way::Next)), &[][..]),
            Exits::Away(to) => (None, to.as_slice()),
        };
        on.into_iter().chain(away.iter().copied())
    }
}

impl Flow {
    /// The flow of a program.
    ///
    /// For the checker these are the paths of a channel: one that takes a branch goes to UIP, the
    /// others continue, and code that runs only for other channels is not on its path. The
    /// annotator considers every place that the instruction pointer may go to.
    pub fn new(program: &Program, view: View) -> Flow {
        let returns = returns(program, view);
        let exits: Vec<Exits> = (0..program.instructions().len())
            .map(|index| exits(program, view, index, &returns))
            .collect();
        let mut leaders = BTreeSet::new();
        leaders.insert(0);
        for (index, exit) in exits.iter().enumerate() {
            if let Exits::Away(to) = exit {
                leaders.insert(index + 1);
                leaders.extend(to.iter().map(|(to, _)| *to));
            }
        }
        leaders.retain(|&leader| leader < exits.len());
        let starts: Vec<usize> = leaders.into_iter().collect();
        let block_of: BTreeMap<usize, usize> =
            starts.iter().enumerate().map(|(b, &s)| (s, b)).collect();
        let blocks = starts
            .iter()
            .enumerate()
            .map(|(number, &start)| {
                let end = starts.get(number + 1).copied().unwrap_or(exits.len());
                let last = end.checked_sub(1);
                let last = last.and_then(|last| Some((last, exits.get(last)?)));
                let mut successors: Vec<Successor> = Vec::new();
                for (to, way) in last.iter().flat_map(|(last, exit)| exit.behind(*last)) {
                    let Some(&block) = block_of.get(&to) else {
                        continue;
                    };
                    let carries = way.carries(view);
                    match successors.iter_mut().find(|known| known.block == block) {
                        Some(known) => {
                            known.carries.in_order |= carries.in_order;
                            known.carries.tokens |= carries.tokens;
                        }
                        None => successors.push(Successor { block, carries }),
                    }
                }
                Block {
                    start,
                    end,
                    successors,
                }
            })
            .collect();
        Flow { blocks }
    }

    /// The blocks as runs that control leaves only forwards: nothing behind one leads back to it.
    pub fn runs(&self) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for (number, block) in self.blocks.iter().enumerate() {
            let mut run = number..number + 1;
            for to in &block.successors {
                run.start = run.start.min(to.block);
            }
            // What leads back joins all that it passes.
            while let Some(before) = runs.pop_if(|before| run.start < before.end) {
                run.start = run.start.min(before.start);
            }
            runs.push(run);
        }
        runs
    }
}

fn exits(
    program: &Program,
    view: View,
    index: usize,
    returns: &BTreeMap<usize, Vec<usize>>,
) -> Exits {
    let Some(placed) = program.instructions().get(index) else {
        return Exits::Away(Vec::new());
    };
    let instruction = &placed.instruction;
    let next = program.next(index);
    let jip = jump(program, index, |branch| branch.jip);
    let uip = jump(program, index, |branch| branch.uip);
    let predicated = instruction.predicate.is_some();
    let falls = next.map(|next| (next, Way::Next));
    let others = next.map(|next| (next, Way::Others));
    // A jump to the next instruction is not a jump.
    let jumps = |to: Option<usize>| {
        let way = |to| {
            if Some(to) == next {
                Way::Next
            } else {
                Way::Taken
            }
        };
        to.map(|to| (to, way(to)))
    };
    let some = |stays: bool| falls.filter(|_| stays);
    // Channels that leave a loop arrive at its end and continue after it.
    let behind_loop = uip.map(|end| {
        let leaves = instruction.opcode == Opcode::Break && is(program, end, Opcode::While);
        program.next(end).filter(|_| leaves).unwrap_or(end)
    });
    let ends = instruction.send().is_some_and(|send| send.eot);
    let to: Vec<Option<(usize, Way)>> = match instruction.opcode.semantics() {
        Semantics::Illegal => Vec::new(),
        Semantics::Send if ends => Vec::new(),
        Semantics::Flow(flow) => match flow {
            Kind::Jump => alloc::vec![some(predicated), jumps(jip)],
            Kind::Call { absolute: false } if jip.is_some() => {
                alloc::vec![some(predicated), jumps(jip)]
            }
            // Goes elsewhere and returns; the callee orders its own accesses.
            Kind::Call { .. } => alloc::vec![next.map(|next| (next, Way::Taken))],
            Kind::Ret => {
                let mut to: Vec<Option<(usize, Way)>> = returns
                    .get(&index)
                    .into_iter()
                    .flatten()
                    .map(|&at| jumps(Some(at)))
                    .collect();
                // Channels that did not call continue.
                to.push(some(predicated));
                to
            }
            // The paths of the instruction pointer, for instructions without a mask. It is not
            // documented whether `while` counts for channels that leave the loop (Mesa does not
            // count it).
            _ if view == View::Worst => {
                alloc::vec![falls, jumps(jip), jumps(uip), jumps(behind_loop)]
            }
            Kind::Else => alloc::vec![others, jumps(uip)],
            Kind::Break => alloc::vec![some(predicated), jumps(behind_loop)],
            Kind::Goto | Kind::Cont | Kind::Halt => alloc::vec![some(predicated), jumps(uip)],
            Kind::Endif | Kind::Join => alloc::vec![falls],
            Kind::Brc => alloc::vec![falls, jumps(jip), jumps(uip)],
            Kind::If | Kind::While | Kind::Brd => alloc::vec![falls, jumps(jip)],
        },
        _ => {
            return match next == Some(index + 1) {
                true => Exits::On,
                false => Exits::Away(falls.into_iter().collect()),
            };
        }
    };
    Exits::Away(to.into_iter().flatten().collect())
}

fn is(program: &Program, index: usize, opcode: Opcode) -> bool {
    let placed = program.instructions().get(index);
    placed.is_some_and(|placed| placed.instruction.opcode == opcode)
}

/// The instructions that branches lead to.
pub fn branch_targets(program: &Program) -> BTreeSet<usize> {
    (0..program.instructions().len())
        .flat_map(|index| {
            [
                jump(program, index, |branch| branch.jip),
                jump(program, index, |branch| branch.uip),
            ]
        })
        .flatten()
        .collect()
}

fn jump(
    program: &Program,
    index: usize,
    which: impl Fn(&crate::model::Branch) -> Option<i32>,
) -> Option<usize> {
    let placed = program.instructions().get(index)?;
    let Specific::Branch(branch) = &placed.instruction.specific else {
        return None;
    };
    if placed.instruction.opcode == Opcode::Calla {
        return program.at(usize::try_from(branch.jip?).ok()?);
    }
    program.target(index, which(branch)?)
}

/// For each `ret`, the instructions after the calls of the functions that it ends.
fn returns(program: &Program, view: View) -> BTreeMap<usize, Vec<usize>> {
    let mut callers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, placed) in program.instructions().iter().enumerate() {
        if placed.instruction.opcode == Opcode::Call
            && let Some(entry) = jump(program, index, |branch| branch.jip)
            && let Some(after) = program.next(index)
        {
            callers.entry(entry).or_default().push(after);
        }
    }
    let mut returns: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    // A function's body: what its entry reaches, stepping over calls. Many functions that share
    // long bodies would make this quadratic; such a program is not checked past its returns.
    let mut budget = 16 * program.instructions().len() + 1024;
    for (entry, after) in &callers {
        let mut seen = BTreeSet::new();
        let mut work = alloc::vec![*entry];
        while let Some(index) = work.pop() {
            if budget == 0 || !seen.insert(index) {
                continue;
            }
            budget -= 1;
            let Some(placed) = program.instructions().get(index) else {
                continue;
            };
            match placed.instruction.opcode.semantics() {
                Semantics::Flow(Kind::Ret) => {
                    budget = budget.saturating_sub(after.len());
                    returns.entry(index).or_default().extend(after);
                    if placed.instruction.predicate.is_some() {
                        work.extend(program.next(index));
                    }
                }
                Semantics::Flow(Kind::Call { .. }) => work.extend(program.next(index)),
                _ => {
                    let exits = exits(program, view, index, &BTreeMap::new());
                    work.extend(exits.behind(index).map(|(to, _)| to));
                }
            }
        }
    }
    returns
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;
    use core::ops::Range;

    use super::{Block, Carries, Flow, Successor};

    /// What the runs of blocks with these successors are.
    fn runs(successors: &[&[usize]]) -> Vec<Range<usize>> {
        let carries = Carries {
            in_order: true,
            tokens: true,
        };
        let block = |to: &&[usize]| Block {
            successors: to
                .iter()
                .map(|&block| Successor { block, carries })
                .collect(),
            ..Block::default()
        };
        let blocks = successors.iter().map(block).collect();
        Flow { blocks }.runs()
    }

    #[test]
    fn what_leads_back_joins_what_it_passes() {
        assert_eq!(runs(&[&[1, 2], &[2], &[]]), [0..1, 1..2, 2..3]);
        // A loop among others, and one in another.
        assert_eq!(
            runs(&[&[1], &[1, 2], &[3], &[2, 4], &[]]),
            [0..1, 1..2, 2..4, 4..5]
        );
        assert_eq!(
            runs(&[&[1], &[2], &[2, 3], &[1, 4], &[]]),
            [0..1, 1..4, 4..5]
        );
        // Two that overlap.
        assert_eq!(
            runs(&[&[1], &[2], &[3], &[1, 4], &[2, 5], &[]]),
            [0..1, 1..5, 5..6]
        );
        assert_eq!(runs(&[&[1], &[2], &[0, 3], &[]]), [0..3, 3..4]);
    }
}
