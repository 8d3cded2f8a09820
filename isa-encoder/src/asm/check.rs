//! Violations of hardware's rules as diagnostics.

use alloc::format;
use alloc::vec::Vec;

use devinfo::Family;

use super::instruction::Parsed;
use super::{Diagnostic, Severity, Target, Validation};
use crate::model::Instruction;
use crate::validate::{Machine, Validator};

/// No more violations than this are reported.
const MAX_VIOLATIONS: usize = 100;

/// Checks the instructions of a file.
pub struct Checker {
    validator: Option<Validator>,
    severity: Severity,
    left: usize,
}

impl Checker {
    /// A checker for the platform, or if that is not known the family, of the file.
    pub fn new(family: Family, target: Option<&Target>, validation: Validation) -> Self {
        let machine = target
            .and_then(|target| devinfo::by_name(&target.platform))
            .map_or(Machine::from(family), Machine::from);
        Self {
            validator: (validation != Validation::Off).then(|| Validator::new(machine)),
            severity: match validation {
                Validation::Deny => Severity::Error,
                Validation::Warn | Validation::Off => Severity::Warning,
            },
            left: MAX_VIOLATIONS,
        }
    }

    /// Reports what `instruction`, the finished form of `parsed`, violates.
    pub fn check(
        &mut self,
        parsed: &Parsed,
        instruction: &Instruction,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let Some(validator) = &self.validator else {
            return;
        };
        for violation in validator.check(instruction).take(self.left) {
            self.left -= 1;
            let rule = violation.rule;
            let mut help = format!("rule `{}`, {}", rule.name, rule.source);
            if self.left == 0 {
                help.push_str("; further violations are not reported");
            }
            diagnostics.push(Diagnostic {
                severity: self.severity,
                span: parsed.place(violation.place),
                message: match violation.error {
                    Some(error) => format!("{}: {}: {error}", instruction.opcode, rule.text),
                    None => format!("{}: {}", instruction.opcode, rule.text),
                },
                help: Some(help),
            });
        }
    }
}
