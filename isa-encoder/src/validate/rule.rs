//! A restriction, and what violates it.

use core::fmt;

use devinfo::Span;

use super::machine::Machine;
use super::view::{Place, Traits, View};
use crate::code::FamilyTable;
use crate::message::DescriptorError;
use crate::model::{Attributes, Format, Opcode};

/// The machines that a rule holds for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scope {
    /// Those of consecutive families.
    Of(Span),
    /// Those whose hardware has a fault.
    Workaround(&'static [Span]),
    /// Those that have something, or lack it.
    Has(fn(&Machine) -> bool),
}

impl Scope {
    pub(super) fn covers(self, machine: &Machine) -> bool {
        match self {
            Self::Of(span) => span.contains(machine.family),
            Self::Workaround(spans) => spans.iter().any(|span| span.contains(machine.family)),
            Self::Has(has) => has(machine),
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
    /// The same and three-source arithmetic: operands with regions.
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
    /// Those that have all these attributes.
    Having(Attributes),
    /// Arithmetic that lacks one of these attributes.
    Without(Attributes),
    /// These.
    Only(&'static [Opcode]),
}

impl On {
    /// Whether a rule is about `opcode` in a family.
    pub(super) fn has(self, family: &FamilyTable, opcode: Opcode) -> bool {
        let format = opcode.format();
        let is_basic = matches!(format, Format::Unary | Format::Binary | Format::Math);
        let is_arithmetic = is_basic || format == Format::Ternary;
        match self {
            Self::All => true,
            Self::Basic => is_basic,
            Self::Arithmetic => is_arithmetic,
            Self::Ternary => format == Format::Ternary,
            Self::Math => format == Format::Math,
            Self::Branch => opcode.is_branch(),
            Self::Send => format == Format::Send,
            Self::Dpas => format == Format::Dpas,
            Self::Having(attributes) => family.has(opcode, attributes),
            Self::Without(attributes) => is_arithmetic && !family.has(opcode, attributes),
            Self::Only(opcodes) => opcodes.contains(&opcode),
        }
    }
}

/// One restriction.
///
/// [`rules`](super::rules) lists them all. The source is a manual's volume and chapter, or, where
/// Intel published none, the place in its assembler or compiler, or in Mesa's, that implements it.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// A short name, unique among the rules.
    pub name: &'static str,
    /// The restriction in a sentence.
    pub text: &'static str,
    /// Where it is documented.
    pub source: &'static str,
    pub(super) scope: Scope,
    pub(super) on: On,
    /// Any instruction that lacks one of these obeys the rule.
    pub(super) needs: Traits,
    /// The first offending part, if there is one.
    pub(super) check: fn(&View<'_>) -> Option<Place>,
}

/// Declares the rules of a module.
///
/// `name (scope) on, [needs]: text, source, check;` The scope is a span of families (`..` is all),
/// `workaround` and the families with a fault, or a closure over the machine.
macro_rules! rules {
    ($($name:tt ($($scope:tt)*) $on:expr, [$($need:ident)|*]:
        $text:expr, $source:expr, $check:expr;)*) => {
        pub(super) static RULES: &[$crate::validate::Rule] = &[$($crate::validate::Rule {
            name: $name,
            text: $text,
            source: $source,
            scope: $crate::validate::rule::scope!($($scope)*),
            on: $on,
            needs: $crate::validate::view::Traits::empty()
                $(.union($crate::validate::view::Traits::$need))*,
            check: $check,
        },)*];
    };
}

macro_rules! scope {
    (workaround $($family:ident),+) => {
        $crate::validate::rule::Scope::Workaround(&[$(devinfo::span!($family)),+])
    };
    (|$machine:ident| $has:expr) => {
        $crate::validate::rule::Scope::Has(|$machine| $has)
    };
    ($($span:tt)+) => {
        $crate::validate::rule::Scope::Of(devinfo::span!($($span)+))
    };
}

pub(super) use {rules, scope};

/// An instruction breaks a rule.
#[derive(Clone, Copy, Debug)]
pub struct Violation {
    /// The rule.
    pub rule: &'static Rule,
    /// The first part that breaks it.
    pub place: Place,
    /// What is wrong with the descriptors of a send; only for the rule `message`.
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
