//! Runs all rules of a machine on an instruction.

use alloc::vec::Vec;

use devinfo::{Family, PLATFORMS, Platform};

use super::rule::{Rule, Violation};
use super::view::{Traits, View};
use super::{bfloat, control, dpas, float, opcode, region, send, subdword, ternary, types};
use crate::code::{FamilyTable, traits};
use crate::model::{Instruction, Opcode};

/// What the rules of a machine depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The family.
    pub family: Family,
    /// Double precision exists. If only some platforms of a family have it, the bare family allows
    /// it.
    pub fp64: bool,
    /// Systolic arrays exist, and with them `dpas`; for a bare family as in [`Machine::fp64`].
    pub systolic: bool,
    /// General registers of a thread; if `None`, any number that a thread can have.
    pub registers: Option<u16>,
    /// The small cores of Gen9 (Apollo Lake, Gemini Lake), with restrictions on 64-bit data.
    pub small_core: bool,
}

impl From<Family> for Machine {
    fn from(family: Family) -> Self {
        let platforms = PLATFORMS
            .iter()
            .filter(|platform| platform.family == family);
        Self {
            family,
            fp64: platforms.clone().any(|platform| platform.fp64),
            systolic: platforms.clone().any(|platform| platform.systolic),
            registers: None,
            small_core: false,
        }
    }
}

impl From<&Platform> for Machine {
    fn from(platform: &Platform) -> Self {
        Self {
            family: platform.family,
            fp64: platform.fp64,
            systolic: platform.systolic,
            registers: None,
            small_core: platform.small_core,
        }
    }
}

impl Machine {
    /// What its family has.
    pub(super) fn has(&self) -> &'static FamilyTable {
        traits(self.family)
    }

    /// The same with this many general registers per thread.
    pub fn with_registers(self, registers: u16) -> Self {
        Self {
            registers: Some(registers),
            ..self
        }
    }
}

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
