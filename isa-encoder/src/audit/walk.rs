//! What holds at the start of each block, and what sends mean.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::message::{Descriptors, Message};
use crate::model::{Instruction, Specific};
use crate::swsb::{Flow, Program};

/// What is so at the start of each block: `first` at the kernel's, and what the paths to others
/// make of it. `step` is an instruction's effect; `join` takes in what is so on another path, and
/// says whether that is news. `None` where control does not come.
pub(super) fn states<S: Clone>(
    flow: &Flow,
    first: S,
    step: impl Fn(usize, &mut S),
    join: impl Fn(&mut S, &S) -> bool,
) -> Vec<Option<S>> {
    let mut states = alloc::vec![None; flow.blocks.len()];
    if let Some(start) = states.first_mut() {
        *start = Some(first);
    }
    // In the order of the text, so that a block is seldom visited before what leads to it.
    let mut work = BTreeSet::from([0]);
    while let Some(number) = work.pop_first() {
        let (Some(block), Some(Some(state))) = (flow.blocks.get(number), states.get(number)) else {
            continue;
        };
        let mut state = state.clone();
        for index in block.start..block.end {
            step(index, &mut state);
        }
        for next in &block.successors {
            let is_news = match states.get_mut(next.block) {
                Some(Some(known)) => join(known, &state),
                Some(unknown) => {
                    *unknown = Some(state.clone());
                    true
                }
                None => false,
            };
            if is_news {
                work.insert(next.block);
            }
        }
    }
    states
}

/// The message of a send whose descriptors are in the instruction.
pub(super) fn message(program: &Program, instruction: &Instruction) -> Option<Message> {
    let Specific::Send(send) = &instruction.specific else {
        return None;
    };
    let descriptors = Descriptors::of(send)?;
    Message::decode(program.family(), send.sfid?, descriptors).ok()
}
