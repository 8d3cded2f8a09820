//! What a kernel's text proves before it runs.
//!
//! [`audit`] walks the paths of a kernel and reports what no launch can make right: a path that
//! does not end the thread, a barrier that is waited for and never signalled, bindings that nothing
//! declares, registers that are read and that nothing has written, messages whose lengths do not
//! fit, fences that nothing waits for, and every rule of [`crate::validate`]. What it does not know
//! (an address in a register, a message in a register) it takes to be right.
//!
//! The scoreboard has a checker of its own, [`crate::swsb::check`]. What the same walk proves of addresses,
//! without judging it, is in [`pointers`].

mod addresses;
mod bindings;
mod lengths;
mod order;
mod paths;
mod written;

pub use addresses::{BlockAddress, Pointers, Start, Value, pointers};

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::disasm;
use crate::message::{Descriptors, Message};
use crate::model::{Instruction, Specific};
use crate::swsb::{Flow, Program, View};
use crate::validate::{Machine, Validator};

/// What is declared of a kernel. What is `None` is not known, and not judged.
#[derive(Clone, Debug)]
pub struct Declared {
    /// What the rules of hardware depend on.
    pub machine: Machine,
    /// The barriers of a group.
    pub barriers: Option<u32>,
    /// The bytes of general registers that a thread has at its first instruction, from r0 on.
    pub payload: Option<u32>,
    /// The indices of the binding table.
    pub surfaces: Option<Vec<u32>>,
    /// The indices of the sampler states.
    pub samplers: Option<Vec<u32>>,
}

impl Declared {
    /// Nothing is known but the machine.
    pub fn nothing(machine: impl Into<Machine>) -> Self {
        Self {
            machine: machine.into(),
            barriers: None,
            payload: None,
            surfaces: None,
            samplers: None,
        }
    }
}

/// What is wrong with an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Bytes from the start of the kernel.
    pub offset: usize,
    /// Where it comes from, as `FILE:LINE`, if somebody who knows the kernel's source has said so.
    pub source: Option<String>,
    /// The instruction in IGA syntax; empty for bytes that are none.
    pub text: String,
    /// A short name of what is wrong.
    pub rule: &'static str,
    /// What is wrong, with the limit.
    pub detail: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            offset,
            source,
            text,
            rule,
            detail,
        } = self;
        write!(f, "+{offset:#x}")?;
        if let Some(source) = source {
            write!(f, " ({source})")?;
        }
        write!(f, ": {rule}: {detail}")?;
        match text.is_empty() {
            true => Ok(()),
            false => write!(f, ": {text}"),
        }
    }
}

/// No more findings than this are reported.
const MOST: usize = 1000;

/// What is wrong with a kernel's `code`, in the order of its instructions.
pub fn audit(code: &[u8], declared: &Declared) -> Vec<Finding> {
    let program = Program::decode(declared.machine.family, code);
    let mut audit = Audit {
        flow: Flow::new(&program, View::Sure),
        reached: Vec::new(),
        program: &program,
        declared,
        found: Vec::new(),
    };
    let reached = audit.states((), |_, ()| (), |(), ()| false);
    audit.reached = reached.iter().map(Option::is_some).collect();
    audit.rules();
    audit.paths();
    audit.bindings();
    audit.lengths();
    audit.order();
    audit.written();
    let mut found = audit.found;
    let first = program.instructions().first();
    if !code.is_empty() && first.is_none_or(|first| first.offset > 0) {
        found.push(Finding {
            offset: 0,
            source: None,
            text: String::new(),
            rule: "no instruction",
            detail: String::from("the kernel's first bytes are not an instruction"),
        });
    }
    found.sort_by_key(|finding| finding.offset);
    found
}

/// An audit under way.
struct Audit<'a> {
    program: &'a Program,
    flow: Flow,
    /// By block, whether control reaches it from the kernel's first instruction.
    reached: Vec<bool>,
    declared: &'a Declared,
    found: Vec<Finding>,
}

impl Audit<'_> {
    /// Reports the instruction of this number.
    fn report(&mut self, index: usize, rule: &'static str, detail: String) {
        let Some(placed) = self.program.instructions().get(index) else {
            return;
        };
        if self.found.len() >= MOST {
            return;
        }
        let mut text = String::new();
        let distances = &disasm::print::Distances;
        disasm::print::instruction(
            &mut text,
            self.program.family(),
            &placed.instruction,
            distances,
        );
        self.found.push(Finding {
            offset: placed.offset,
            source: None,
            text: text.split_whitespace().collect::<Vec<_>>().join(" "),
            rule,
            detail,
        });
    }

    /// The instruction of this number.
    fn instruction(&self, index: usize) -> Option<&Instruction> {
        let placed = self.program.instructions().get(index)?;
        Some(&placed.instruction)
    }

    /// The numbers of the instructions that control may reach.
    fn live(&self) -> Vec<usize> {
        let blocks = self.flow.blocks.iter().zip(&self.reached);
        let live = blocks.filter(|(_, reached)| **reached);
        live.flat_map(|(block, _)| block.start..block.end).collect()
    }

    /// What is so at the start of each block; see [`states`].
    fn states<S: Clone>(
        &self,
        first: S,
        step: impl Fn(usize, &mut S),
        join: impl Fn(&mut S, &S) -> bool,
    ) -> Vec<Option<S>> {
        states(&self.flow, first, step, join)
    }

    /// The rules of hardware about each instruction.
    fn rules(&mut self) {
        let validator = Validator::new(self.declared.machine);
        for index in self.live() {
            let Some(instruction) = self.instruction(index) else {
                continue;
            };
            let broken: Vec<_> = validator.check(instruction).collect();
            for violation in broken {
                let detail = alloc::format!("{violation}");
                self.report(index, violation.rule.name, detail);
            }
        }
    }
}

/// What is so at the start of each block: `first` at the kernel's, and what the paths to others
/// make of it. `step` is an instruction's effect; `join` takes in what is so on another path, and
/// says whether that is news. `None` where control does not come.
fn states<S: Clone>(
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
fn message(program: &Program, instruction: &Instruction) -> Option<Message> {
    let Specific::Send(send) = &instruction.specific else {
        return None;
    };
    let descriptors = Descriptors::of(send)?;
    Message::decode(program.family(), send.sfid?, descriptors).ok()
}
