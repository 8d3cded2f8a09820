//! An audit: what its parts share, and the order in which they run.

use alloc::string::String;
use alloc::vec::Vec;

use super::finding::{Declared, Finding};
use super::walk::states;
use crate::disasm;
use crate::model::Instruction;
use crate::swsb::{Flow, Program, View};
use crate::validate::Validator;

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
    audit.joins();
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
pub(super) struct Audit<'a> {
    pub(super) program: &'a Program,
    pub(super) flow: Flow,
    /// By block, whether control reaches it from the kernel's first instruction.
    pub(super) reached: Vec<bool>,
    pub(super) declared: &'a Declared,
    pub(super) found: Vec<Finding>,
}

impl Audit<'_> {
    /// Reports the instruction of this number.
    pub(super) fn report(&mut self, index: usize, rule: &'static str, detail: String) {
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
    pub(super) fn instruction(&self, index: usize) -> Option<&Instruction> {
        let placed = self.program.instructions().get(index)?;
        Some(&placed.instruction)
    }

    /// The numbers of the instructions that control may reach.
    pub(super) fn live(&self) -> Vec<usize> {
        let blocks = self.flow.blocks.iter().zip(&self.reached);
        let live = blocks.filter(|(_, reached)| **reached);
        live.flat_map(|(block, _)| block.start..block.end).collect()
    }

    /// What is so at the start of each block; see [`states`].
    pub(super) fn states<S: Clone>(
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
