//! Turns parsed instructions into bytes, checked against the rules of the hardware.

use alloc::format;
use alloc::string::String;

use devinfo::{Family, Platform};

use super::fragment::{Finding, Fragment, Line};
use super::instruction::Parsed;
use super::{AsmOptions, Diagnostic, Target, Validation};
use crate::code::{EncodeError, encode, encode_shortest, encode_with};
use crate::model::{Instruction, Options};
use crate::validate::{Machine, Validator};

/// Encodes and checks instructions.
#[derive(Clone, Debug)]
pub struct Emitter {
    pub family: Family,
    /// `None` if it is not known.
    pub platform: Option<&'static Platform>,
    auto_compact: bool,
    /// `None` if nothing is checked.
    validator: Option<Validator>,
}

impl Emitter {
    /// An emitter for a file's platform or, if that is unknown, its family.
    pub fn new(family: Family, target: Option<&Target>, options: &AsmOptions) -> Self {
        let asked = options.platform.filter(|asked| asked.family == family);
        let platform = target
            .and_then(|target| devinfo::by_name(&target.platform))
            .or(asked);
        let machine = platform.map_or(Machine::from(family), Machine::from);
        Self {
            family,
            platform,
            auto_compact: options.auto_compact,
            validator: (options.validation != Validation::Off).then(|| Validator::new(machine)),
        }
    }

    /// The same emitter without checks.
    pub fn unchecked(&self) -> Self {
        Self {
            validator: None,
            ..*self
        }
    }

    /// Whether it checks more than encodings.
    pub const fn checks(&self) -> bool {
        self.validator.is_some()
    }

    /// The same emitter, which keeps the 16-byte form of instructions that do not ask for the
    /// 8-byte one.
    pub fn uncompacted(&self) -> Self {
        Self {
            auto_compact: false,
            ..self.clone()
        }
    }

    /// Appends an instruction. For branches to targets it only reserves space: they take the
    /// 16-byte form unless they ask for the other, so that sizes do not depend on distances.
    pub fn push(&self, parsed: &Parsed, out: &mut Fragment) {
        let offset = out.code.len();
        let options = parsed.instruction.options;
        let asked = options.contains(Options::COMPACTED);
        out.lines.push(Line::new(offset, parsed.span));
        if parsed.targets != [None, None] {
            out.branches.push((offset, *parsed));
            out.code.resize(offset + if asked { 8 } else { 16 }, 0);
            return;
        }
        let auto = self.auto_compact
            && !options.contains(Options::NO_COMPACT)
            && !parsed.instruction.opcode.is_branch();
        let mut instruction = parsed.instruction;
        instruction.options.remove(Options::NO_COMPACT);
        let encoded = match asked || !auto || !parsed.odd.is_none() {
            true => self.encode(parsed, &instruction),
            false => encode_shortest(self.family, &instruction),
        };
        match encoded {
            Ok((bytes, size)) => {
                // Copying all sixteen is faster than copying some.
                out.code.extend_from_slice(&bytes);
                out.code.truncate(offset + size);
                self.check(parsed, &instruction, offset, out);
            }
            Err(error) => {
                out.code.resize(offset + if asked { 8 } else { 16 }, 0);
                let error = Finding::Error(diagnose(&error, parsed));
                out.findings.push((offset, error));
            }
        }
    }

    /// Encodes the finished form of `parsed`.
    fn encode(
        &self,
        parsed: &Parsed,
        instruction: &Instruction,
    ) -> Result<([u8; 16], usize), EncodeError> {
        match parsed.odd.is_none() {
            true => encode(self.family, instruction),
            false => encode_with(self.family, instruction, &parsed.odd),
        }
    }

    /// Encodes a branch whose targets are known into its reserved space.
    pub fn settle(&self, parsed: &Parsed, branch: &Instruction, offset: usize, out: &mut Fragment) {
        match self.encode(parsed, branch) {
            Ok((bytes, size)) => {
                if let Some(place) = out.code.get_mut(offset..offset + size) {
                    place.copy_from_slice(bytes.get(..size).unwrap_or(&bytes));
                }
                self.check(parsed, branch, offset, out);
            }
            Err(error) => {
                let error = Finding::Error(diagnose(&error, parsed));
                out.findings.push((offset, error));
            }
        }
    }

    /// Records the rules that `instruction`, the finished form of `parsed`, violates.
    fn check(&self, parsed: &Parsed, instruction: &Instruction, offset: usize, out: &mut Fragment) {
        let Some(validator) = &self.validator else {
            return;
        };
        for violation in validator.check(instruction) {
            let finding = Finding::Violation {
                opcode: instruction.opcode,
                span: parsed.place(violation.place),
                violation,
            };
            out.findings.push((offset, finding));
        }
    }
}

fn diagnose(error: &EncodeError, parsed: &Parsed) -> Diagnostic {
    let diagnostic = Diagnostic::error(parsed.place(error.place()), format!("{error}"));
    match error {
        EncodeError::NotCompactable { .. } => diagnostic.with_help(String::from(
            "leave out {Compacted}; the assembler can compact by itself",
        )),
        _ => diagnostic,
    }
}
