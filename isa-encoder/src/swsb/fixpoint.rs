//! The data-flow analysis over all blocks: until nothing changes, or once.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::flow::{Block, Carries, Flow};
use super::packed::Packed;
use super::pending::{Facts, State};

/// The analysis took more steps than a compiler's output nearly ever needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooComplex;

/// The average number of steps per instruction before the analysis gives up; compilers' output
/// takes about a hundred. A step examines one access under way.
const STEPS: u64 = 2_000;

/// Steps that any program may take.
const LEAST: u64 = 10_000_000;

/// Runs `transfer` over all blocks until nothing changes, and gives `settled` the state at the start of
/// each, in order. States only grow, so this ends. A state is kept until nothing behind the run of its block
/// leads back ([`Flow::runs`]), packed while nothing new has arrived: those of all blocks of a large program would
/// be more than a machine has room for.
pub fn fixpoint(
    flow: &Flow,
    facts: &Facts,
    mut transfer: impl FnMut(usize, &mut State),
    mut settled: impl FnMut(usize, State),
) -> Result<(), TooComplex> {
    let mut states: Vec<State> = flow.blocks.iter().map(|_| State::default()).collect();
    // Of blocks that are not to be looked at, instead of those.
    let mut packed: Vec<Option<Packed>> = flow.blocks.iter().map(|_| None).collect();
    let mut work: BTreeSet<usize> = (0..flow.blocks.len()).collect();
    // Of blocks to come, how much may be appended until it is merged.
    let mut limits = alloc::vec![APPENDED; flow.blocks.len()];
    let instructions = flow.blocks.last().map_or(0, |block| block.end) as u64;
    let mut budget = STEPS.saturating_mul(instructions).max(LEAST);
    let runs = flow.runs();
    let mut comes_back = alloc::vec![false; flow.blocks.len()];
    for run in runs.iter().filter(|run| run.len() > 1) {
        comes_back[run.clone()].fill(true);
    }
    let mut runs = runs.into_iter().peekable();
    let open = |states: &mut [State], packed: &mut [Option<Packed>], block: usize| {
        let state = core::mem::take(&mut states[block]);
        packed[block]
            .take()
            .map_or(state, |packed| packed.open(facts))
    };
    while let Some(number) = work.pop_first() {
        while let Some(run) = runs.next_if(|run| run.end <= number) {
            for block in run {
                settled(block, open(&mut states, &mut packed, block));
            }
        }
        let block = &flow.blocks[number];
        states[number].merge();
        let mut state = states[number].clone();
        if comes_back[number] {
            packed[number] = Some(Packed::of(&core::mem::take(&mut states[number])));
        }
        for index in block.start..block.end {
            let steps = state.len() as u64 + 1;
            budget = budget.checked_sub(steps).ok_or(TooComplex)?;
            transfer(index, &mut state);
        }
        for successor in &block.successors {
            budget = budget.checked_sub(state.len() as u64).ok_or(TooComplex)?;
            let carried;
            let arrives = match successor.carries {
                Carries {
                    in_order: true,
                    tokens: true,
                } => &state,
                carries => {
                    carried = state.carried(carries);
                    &carried
                }
            };
            if let Some(known) = &packed[successor.block] {
                if known.has(arrives, facts) {
                    continue;
                }
                states[successor.block] = open(&mut states, &mut packed, successor.block);
            }
            let known = &mut states[successor.block];
            if known.len() >= APPENDED && work.contains(&successor.block) {
                known.append(arrives);
                let limit = &mut limits[successor.block];
                if known.len() > *limit {
                    known.merge();
                    *limit = 2 * known.len();
                }
            } else if known.join(arrives) {
                work.insert(successor.block);
            }
        }
    }
    for block in runs.flatten() {
        settled(block, open(&mut states, &mut packed, block));
    }
    Ok(())
}

/// How many accesses are under way where further ones are not put into their places one by one: then many
/// paths meet.
const APPENDED: usize = 256;

/// The most accesses under way with which a block begins in a [`sweep`].
const MEETING: usize = 256;

/// What a block begins with in a [`sweep`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begins {
    /// What is known to be under way.
    Known,
    /// A wait for everything.
    Settled,
    /// Anything, known or not: the blocks behind it begin with the wait.
    Unknown,
}

/// Runs `transfer` once over each block, in order, however complex the program is: where control may
/// come back to a block, or too much is under way, the block begins with a wait for everything.
/// `transfer` is told at which instructions. Nothing can stand in front of a block that `gathers` channels by
/// its place: those behind it wait. What [`fixpoint`] finds needs fewer waits.
pub fn sweep(
    flow: &Flow,
    gathers: impl Fn(&Block) -> bool,
    mut transfer: impl FnMut(usize, Begins, &mut State),
) {
    let mut settles = alloc::vec![false; flow.blocks.len()];
    for (number, block) in flow.blocks.iter().enumerate() {
        for successor in block.successors.iter().filter(|to| to.block <= number) {
            settles[successor.block] = true;
        }
    }
    let mut states: Vec<State> = flow.blocks.iter().map(|_| State::default()).collect();
    for (number, block) in flow.blocks.iter().enumerate() {
        let mut state = core::mem::take(&mut states[number]);
        let passes_on = settles[number] && gathers(block);
        for index in block.start..block.end {
            let begins = match settles[number] {
                _ if passes_on => Begins::Unknown,
                true if index == block.start => Begins::Settled,
                _ => Begins::Known,
            };
            transfer(index, begins, &mut state);
        }
        for successor in &block.successors {
            if settles[successor.block] {
                continue;
            }
            let arrived = &mut states[successor.block];
            if !passes_on {
                arrived.join(&state);
            }
            // What leads back is settled already, so that this one is still to come.
            if passes_on || arrived.len() > MEETING {
                settles[successor.block] = true;
                arrived.clear();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;
    use core::cell::RefCell;

    use devinfo::Family;

    use super::fixpoint;
    use crate::swsb::access::View;
    use crate::swsb::flow::Flow;
    use crate::swsb::pending::Facts;
    use crate::swsb::program::Program;

    #[test]
    fn a_state_is_kept_until_nothing_leads_back() {
        let text = "mov (8|M0) r1.0<1>:d 1:w\nLOOP:\nmov (8|M0) r2.0<1>:d 2:w\n\
                    (f0.0) while (8|M0) LOOP\nmov (8|M0) r3.0<1>:d 3:w\n";
        let options = crate::AsmOptions::for_family(Family::Gen12Lp);
        let assembly = crate::assemble(text, &options).unwrap();
        let program = Program::decode(Family::Gen12Lp, &assembly.code);
        let facts = Facts::new(&program, View::Worst);
        let flow = Flow::new(&program, View::Worst);
        let order = RefCell::new(Vec::new());
        fixpoint(
            &flow,
            &facts,
            |index, state| {
                order.borrow_mut().push(('i', index));
                state.issue(&facts, index);
            },
            |block, state| {
                order
                    .borrow_mut()
                    .push((if state.len() > 0 { 's' } else { 'e' }, block))
            },
        )
        .unwrap();
        let want = [
            ('i', 0),
            ('e', 0),
            ('i', 1),
            ('i', 2),
            ('i', 1),
            ('i', 2),
            ('s', 1),
            ('i', 3),
            ('s', 2),
        ];
        assert_eq!(order.into_inner(), want);
    }
}
