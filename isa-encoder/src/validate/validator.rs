//! Runs all rules of a machine on an instruction.

use alloc::vec::Vec;

use super::machine::Machine;
use super::rule::{Rule, Violation};
use super::view::{Traits, View};
use super::{bfloat, control, dpas, float, opcode, region, send, subdword, ternary, types};
use crate::model::{Instruction, Opcode};

/// The tables of rules, one per subject.
static TABLES: &[&[Rule]] = &[
    region::RULES,
    subdword::RULES,
    types::RULES,
    float::RULES,
    bfloat::RULES,
    ternary::RULES,
    control::RULES,
    opcode::RULES,
    send::RULES,
    dpas::RULES,
];

/// Every rule, of all machines.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    TABLES
        .iter()
        .flat_map(|table| table.iter())
        .chain([&send::MESSAGE])
}

/// Whether a rule is about the number of registers of a thread.
pub(crate) fn is_about_registers(rule: &Rule) -> bool {
    [region::REGISTER_NUMBER, send::PAYLOAD_REGISTERS].contains(&rule.name)
}

/// Checks instructions against the rules of a machine.
#[derive(Clone, Debug)]
pub struct Validator {
    machine: Machine,
    /// The rules of the machine about each opcode, one opcode after the other, each with its needs.
    rules: Vec<(Traits, &'static Rule)>,
    /// Where the rules about each opcode end.
    ends: [u16; Opcode::ALL.len()],
}

impl Validator {
    /// A validator for a family or a platform.
    pub fn new(machine: impl Into<Machine>) -> Self {
        let machine = machine.into();
        let of_machine: Vec<_> = rules().filter(|rule| rule.scope.covers(&machine)).collect();
        let mut validator = Self {
            machine,
            rules: Vec::with_capacity(2048),
            ends: [0; Opcode::ALL.len()],
        };
        for (opcode, end) in Opcode::ALL.iter().zip(&mut validator.ends) {
            let about = of_machine
                .iter()
                .filter(|rule| rule.on.has(machine.has(), *opcode));
            validator
                .rules
                .extend(about.map(|rule| (rule.needs, *rule)));
            *end = validator.rules.len() as u16;
        }
        validator
    }

    /// Whose rules these are.
    pub const fn machine(&self) -> Machine {
        self.machine
    }

    fn about(&self, opcode: Opcode) -> &[(Traits, &'static Rule)] {
        let index = opcode as usize;
        let end = self.ends.get(index).map_or(0, |end| usize::from(*end));
        let before = index.checked_sub(1).and_then(|index| self.ends.get(index));
        let start = before.map_or(0, |end| usize::from(*end));
        self.rules.get(start..end).unwrap_or_default()
    }

    /// The rules that `instruction` breaks; nothing if it is legal.
    pub fn check(&self, instruction: &Instruction) -> impl Iterator<Item = Violation> {
        let view = View::new(self.machine, instruction);
        let rules = self.about(instruction.opcode).iter();
        rules.filter_map(move |&(needs, rule)| {
            if !view.traits.contains(needs) {
                return None;
            }
            let place = (rule.check)(&view)?;
            let is_message = rule.name == send::MESSAGE.name;
            Some(Violation {
                rule,
                place,
                error: is_message.then(|| send::message_error(&view)).flatten(),
            })
        })
    }
}
