//! All rules of a machine, over an instruction.

use alloc::vec::Vec;

use devinfo::{Family, Platform};

use super::rule::{Rule, Violation};
use super::view::View;
use super::{control, dpas, float, opcode, region, send, types};
use crate::model::Instruction;

/// What the rules of a machine depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The family.
    pub family: Family,
    /// Double precision exists. Where a family has platforms with and without, a family alone
    /// allows it.
    pub fp64: bool,
    /// Systolic arrays exist, and `dpas` with them; as [`Machine::fp64`].
    pub systolic: bool,
    /// General registers of a thread, 128 or 256; if `None`, as many as can be named.
    pub registers: Option<u16>,
    /// The small cores of Gen9 (Apollo Lake, Gemini Lake), with restrictions on 64-bit data.
    pub small_core: bool,
}

impl From<Family> for Machine {
    fn from(family: Family) -> Self {
        Self {
            family,
            fp64: !matches!(family, Family::Gen11 | Family::Gen12Lp),
            systolic: family >= Family::XeHpg,
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
    /// The same with so many general registers a thread.
    pub fn with_registers(self, registers: u16) -> Self {
        Self {
            registers: Some(registers),
            ..self
        }
    }
}

/// The tables of rules, one a subject.
static TABLES: &[&[Rule]] = &[
    region::RULES,
    types::RULES,
    float::RULES,
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
    /// Those that hold for the machine.
    rules: Vec<&'static Rule>,
}

impl Validator {
    /// A validator for a family or a platform.
    pub fn new(machine: impl Into<Machine>) -> Self {
        let machine = machine.into();
        Self {
            machine,
            rules: rules().filter(|rule| rule.scope.covers(&machine)).collect(),
        }
    }

    /// The rules that `instruction` breaks; nothing if it is legal.
    pub fn check(&self, instruction: &Instruction) -> impl Iterator<Item = Violation> {
        let view = View::new(self.machine, instruction);
        self.rules.iter().filter_map(move |&rule| {
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
