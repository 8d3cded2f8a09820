//! A restriction, and what violates it.

use core::fmt;

use devinfo::Family;

use super::validator::Machine;
use super::view::{Traits, View};
use crate::message::DescriptorError;
use crate::model::{Format, Opcode};

/// The part of an instruction that a violation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// The instruction as a whole.
    Instruction,
    /// The destination.
    Dst,
    /// A source, counted from 0.
    Src(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Instruction => f.write_str("the instruction"),
            Self::Dst => f.write_str("the destination"),
            Self::Src(index) => write!(f, "source {index}"),
        }
    }
}

/// The machines that a rule holds for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scope {
    /// Every one.
    All,
    /// Those from a family on.
    From(Family),
    /// Those up to a family.
    UpTo(Family),
    /// Those from a family up to another.
    Between(Family, Family),
    /// Those that a property tells.
    Machine(fn(&Machine) -> bool),
}

impl Scope {
    pub(super) fn covers(self, machine: &Machine) -> bool {
        let family = machine.family as u8;
        match self {
            Self::All => true,
            Self::From(first) => family >= first as u8,
            Self::UpTo(last) => family <= last as u8,
            Self::Between(first, last) => (first as u8..=last as u8).contains(&family),
            Self::Machine(has) => has(machine),
        }
    }
}

/// The opcodes that a rule is about.
#[derive(Clone, Copy, Debug)]
pub(super) enum On {
    /// Every one.
    All,
    /// One- and two-source arithmetic and `math`.
    Basic,
    /// Those and three-source arithmetic: operands with regions.
    Arithmetic,
    /// Three-source arithmetic.
    Ternary,
    /// `math`.
    Math,
    /// Branches.
    Branch,
    /// Sends.
    Send,
    /// `dpas` and `dpasw`.
    Dpas,
    /// These.
    Only(&'static [Opcode]),
}

impl On {
    pub(super) fn has(self, opcode: Opcode) -> bool {
        let format = opcode.format();
        let is_basic = matches!(format, Format::Unary | Format::Binary | Format::Math);
        match self {
            Self::All => true,
            Self::Basic => is_basic,
            Self::Arithmetic => is_basic || format == Format::Ternary,
            Self::Ternary => format == Format::Ternary,
            Self::Math => format == Format::Math,
            Self::Branch => opcode.is_branch(),
            Self::Send => format == Format::Send,
            Self::Dpas => format == Format::Dpas,
            Self::Only(opcodes) => opcodes.contains(&opcode),
        }
    }
}

/// One restriction.
///
/// [`rules`](super::rules) lists them all. The source is a manual's volume and chapter, or, where
/// Intel published none, the place in its assembler or compiler, or in Mesa's, that knows it.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// A short name, unique among the rules.
    pub name: &'static str,
    /// The restriction in a sentence.
    pub text: &'static str,
    /// Where it is written.
    pub source: &'static str,
    pub(super) scope: Scope,
    pub(super) on: On,
    /// The rule holds for whatever lacks one of these.
    pub(super) needs: Traits,
    /// The first offending part, if there is one.
    pub(super) check: fn(&View<'_>) -> Option<Place>,
}

/// An instruction breaks a rule.
#[derive(Clone, Copy, Debug)]
pub struct Violation {
    /// The rule.
    pub rule: &'static Rule,
    /// The part that breaks it; of several, the first.
    pub place: Place,
    /// What is wrong with the descriptors of a send, of the rule `message` only.
    pub error: Option<DescriptorError>,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}]: {}", self.place, self.rule.name, self.rule.text)?;
        match self.error {
            Some(error) => write!(f, " ({error})"),
            None => Ok(()),
        }
    }
}
