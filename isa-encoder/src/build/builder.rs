//! The emitter and what it produces.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, Ordering};

use devinfo::Family;

use super::error::BuildError;
use super::label::Block;
use super::op::Op;
use crate::code::{encode, traits};
use crate::disasm::{Disassembler, Format, print};
use crate::model::{Branch, Flag, Instruction, Options, Specific, Src};
use crate::swsb;
use crate::validate::{Machine, Validator};

/// Who writes the software scoreboard (Gen12LP on; earlier families have none).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scoreboard {
    /// [`swsb::annotate`], whatever the instructions say.
    #[default]
    Auto,
    /// The author: [`Op::swsb`] is kept.
    Keep,
}

/// The numbers of the labels that a branch goes to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Target {
    pub jip: Option<usize>,
    pub uip: Option<usize>,
}

/// Takes the instructions of a kernel one after the other.
#[derive(Debug)]
pub struct Builder {
    /// Tells its labels from those of other builders.
    pub(super) id: u32,
    validator: Arc<Validator>,
    scoreboard: Scoreboard,
    pub(super) items: Vec<(Instruction, Target)>,
    /// The index of the instruction that each label means.
    pub(super) labels: Vec<Option<usize>>,
    pub(super) blocks: Vec<Block>,
    /// The first mistake in the order of calls.
    error: Option<BuildError>,
}

/// A finished kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The family.
    pub family: Family,
    /// The instructions.
    pub code: Vec<u8>,
    /// Where each instruction that the builder took begins in the code, with the waits before it.
    pub starts: Vec<usize>,
}

impl Kernel {
    /// The instructions as text, which assembles to the same bytes.
    pub fn text(&self) -> String {
        Disassembler::new(self.family, Format::default()).print(&self.code)
    }
}

impl Builder {
    /// The flag register `f0.0`.
    pub const F0: Flag = Flag {
        register: 0,
        subregister: 0,
    };
    /// The flag register `f1.0`.
    pub const F1: Flag = Flag {
        register: 1,
        subregister: 0,
    };

    /// An empty kernel for a family, or for one of its platforms.
    pub fn new(machine: impl Into<Machine>) -> Builder {
        Builder::checked_by(Arc::new(Validator::new(machine)))
    }

    /// An empty kernel for a validator's machine: several builders can share one.
    pub fn checked_by(validator: Arc<Validator>) -> Builder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        Builder {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            validator,
            scoreboard: Scoreboard::Auto,
            items: Vec::new(),
            labels: Vec::new(),
            blocks: Vec::new(),
            error: None,
        }
    }

    /// Who writes the software scoreboard.
    pub fn scoreboard(mut self, scoreboard: Scoreboard) -> Builder {
        self.scoreboard = scoreboard;
        self
    }

    /// The family.
    pub fn family(&self) -> Family {
        self.validator.machine().family
    }

    /// How many instructions it has taken.
    pub fn count(&self) -> usize {
        self.items.len()
    }

    /// Makes room for so many more instructions.
    pub fn reserve(&mut self, instructions: usize) {
        self.items.reserve(instructions);
    }

    /// Appends an instruction; a branch only if its target is a register. [`Builder::finish`]
    /// reports what is wrong with it.
    pub fn emit(&mut self, op: Op) {
        self.count_sources(&op);
        let mut instruction = op.finish(self.family());
        if instruction.opcode.is_branch() {
            // Its target is a register, as for `ret`, or missing.
            instruction.specific = Specific::Branch(Branch::default());
        }
        self.push(instruction, Target::default());
    }

    pub(super) fn count_sources(&mut self, op: &Op) {
        if op.has_too_many_sources() {
            let index = self.items.len();
            let opcode = op.opcode();
            self.fail(BuildError::Sources { index, opcode });
        }
    }

    pub(super) fn push(&mut self, instruction: Instruction, target: Target) {
        self.items.push((instruction, target));
    }

    pub(super) fn fail(&mut self, error: BuildError) {
        self.error.get_or_insert(error);
    }

    /// Finds the branch targets, checks, encodes.
    ///
    /// # Errors
    /// The first mistake: in nesting or labels, an instruction without an encoding, or one that
    /// breaks a rule of the hardware.
    pub fn finish(mut self) -> Result<Kernel, BuildError> {
        if !self.blocks.is_empty() {
            self.nesting("a block is not closed");
        }
        if let Some(error) = self.error {
            return Err(error);
        }
        let Machine {
            family, registers, ..
        } = self.validator.machine();
        let mut items = Vec::with_capacity(self.items.len());
        for (index, (instruction, target)) in self.items.iter().enumerate() {
            let mut instruction = *instruction;
            instruction.options.remove(Options::COMPACTED);
            if instruction.opcode.format() == crate::Format::Ternary {
                for src in &mut instruction.src {
                    if let Src::Direct { region, .. } = src {
                        *region = traits(family).ternary_region(*region);
                    }
                }
            }
            if let Specific::Branch(branch) = &mut instruction.specific {
                branch.jip = self.distance(index, target.jip)?;
                branch.uip = self.distance(index, target.uip)?;
            }
            items.push(instruction);
            if let Some(violation) = self.validator.check(&instruction).next() {
                // Without an encoding, it is no instruction that could break a rule.
                encode_all(family, &items)?;
                let mut text = String::new();
                print::instruction(&mut text, family, &instruction, &print::Distances);
                return Err(BuildError::Rule {
                    index,
                    text: text.trim().to_string(),
                    violation: format!("{violation}, {}", violation.rule.source),
                });
            }
        }
        let (code, starts) = match self.scoreboard {
            Scoreboard::Auto => {
                let program = swsb::Program::new(family, &items);
                let program = match registers {
                    Some(registers) => program.with_registers(registers),
                    None => program,
                };
                let annotated = swsb::annotate_program(&program);
                annotated.or_else(|error| {
                    // Which instruction has no encoding.
                    encode_all(family, &items)?;
                    Err(BuildError::from(error))
                })?
            }
            Scoreboard::Keep => encode_all(family, &items)?,
        };
        Ok(Kernel {
            family,
            code,
            starts,
        })
    }

    /// The bytes from an instruction to a label; while building, every instruction has 16.
    fn distance(&self, from: usize, label: Option<usize>) -> Result<Option<i32>, BuildError> {
        let Some(label) = label else {
            return Ok(None);
        };
        let fail = |what| BuildError::Label { label, what };
        let to = self.labels.get(label).copied().flatten();
        let to = to.ok_or(fail("not bound"))?;
        i32::try_from((to as i64 - from as i64) * 16)
            .map(Some)
            .map_err(|_| fail("too far away"))
    }
}

/// The code of instructions, and where each begins in it.
fn encode_all(family: Family, items: &[Instruction]) -> Result<(Vec<u8>, Vec<usize>), BuildError> {
    let mut code = Vec::with_capacity(items.len() * 16);
    let mut starts = Vec::with_capacity(items.len());
    for (index, instruction) in items.iter().enumerate() {
        let (bytes, length) =
            encode(family, instruction).map_err(|error| BuildError::Encode { index, error })?;
        starts.push(code.len());
        code.extend_from_slice(bytes.get(..length).unwrap_or_default());
    }
    Ok((code, starts))
}
