//! Encoded instructions of a stretch of text, with labels and branches still to be linked, and what is
//! wrong with them.

use alloc::format;
use alloc::vec::Vec;
use core::ops::Range;

use super::instruction::Parsed;
use super::{Diagnostic, Severity, Span, Validation};
use crate::model::Opcode;
use crate::validate::Violation;

/// No more violations than this are reported.
const MAX_VIOLATIONS: usize = 100;

/// The longest text. Its offsets and those of its code have 32 bits, and four characters (`nop` and
/// the end of the line) make sixteen bytes of code.
pub const MAX_TEXT: usize = 512 << 20;

/// Where an instruction is, in code and text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    offset: u32,
    start: u32,
    end: u32,
}

impl Line {
    /// The instruction at `offset` of the code and at `span` of a text of at most [`MAX_TEXT`].
    pub(super) fn new(offset: usize, span: Span) -> Self {
        let short = |place| u32::try_from(place).unwrap_or(u32::MAX);
        Self {
            offset: short(offset),
            start: short(span.start),
            end: short(span.end),
        }
    }

    /// The offset in bytes from the start of the kernel's code.
    pub const fn offset(self) -> usize {
        self.offset as usize
    }

    /// The place in the text.
    pub const fn span(self) -> Span {
        Span {
            start: self.start as usize,
            end: self.end as usize,
        }
    }
}

/// Code as far as it is known without the rest of the text. All offsets are into `code`.
#[derive(Debug, Default)]
pub struct Fragment {
    pub code: Vec<u8>,
    /// The instructions.
    pub lines: Vec<Line>,
    /// Each label's offset, and the place of its name.
    pub labels: Vec<(usize, Span)>,
    /// Branches; the code has zeros in their place until they are settled.
    pub branches: Vec<(usize, Parsed)>,
    /// The ranges that `//.data` put there.
    pub data: Vec<Range<usize>>,
    /// What is wrong with the instructions at the offsets.
    pub findings: Vec<(usize, Finding)>,
}

/// What is wrong with a parsed instruction.
#[derive(Debug)]
pub enum Finding {
    /// It has no encoding.
    Error(Diagnostic),
    /// A branch to where no instruction begins.
    Target(Diagnostic),
    /// It breaks a rule of hardware.
    Violation {
        opcode: Opcode,
        span: Span,
        violation: Violation,
    },
}

/// Something in a fragment.
#[derive(Debug)]
pub enum Step {
    /// A label, by the place of its name.
    Label(Span),
    /// `//.data`.
    Data(Range<usize>),
    /// An instruction, by its place.
    Instruction(Span),
}

impl Fragment {
    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.code.is_empty() && self.labels.is_empty()
    }

    /// Appends a label whose name is at `span`.
    pub fn label(&mut self, span: Span) {
        self.labels.push((self.code.len(), span));
    }

    /// Appends bytes that are not instructions.
    pub fn bytes(&mut self, bytes: &[u8]) {
        let start = self.code.len();
        self.code.extend_from_slice(bytes);
        self.data.push(start..self.code.len());
    }

    /// Makes everything in it belong to `span`.
    pub fn place_at(&mut self, span: Span) {
        for line in &mut self.lines {
            *line = Line::new(line.offset(), span);
        }
        for (_, finding) in &mut self.findings {
            match finding {
                Finding::Error(diagnostic) | Finding::Target(diagnostic) => {
                    diagnostic.span = span;
                }
                Finding::Violation { span: place, .. } => *place = span,
            }
        }
    }

    /// The place of the first instruction.
    pub fn place(&self) -> Span {
        self.lines
            .first()
            .map_or(Span::default(), |line| line.span())
    }

    /// Appends another fragment.
    pub fn append(&mut self, mut other: Fragment) {
        if self.is_empty() {
            *self = other;
            return;
        }
        let base = self.code.len();
        self.code.append(&mut other.code);
        let moved = |(offset, span): &(usize, Span)| (base + offset, *span);
        let lines = other.lines.into_iter();
        self.lines
            .extend(lines.map(|line| Line::new(base + line.offset(), line.span())));
        self.labels.extend(other.labels.iter().map(moved));
        let branches = other.branches.into_iter();
        self.branches
            .extend(branches.map(|(offset, branch)| (base + offset, branch)));
        let data = other.data.into_iter();
        self.data
            .extend(data.map(|range| base + range.start..base + range.end));
        let findings = other.findings.into_iter();
        self.findings
            .extend(findings.map(|(offset, finding)| (base + offset, finding)));
    }

    /// What is in it, in order.
    pub fn steps(&self) -> Vec<Step> {
        let label = |(offset, span): &(usize, Span)| (*offset, 0, Step::Label(*span));
        let data = |range: &Range<usize>| (range.start, 1, Step::Data(range.clone()));
        let line = |line: &Line| (line.offset(), 1, Step::Instruction(line.span()));
        let labels = self.labels.iter().map(label);
        let lines = self.lines.iter().map(line);
        let mut all: Vec<_> = labels
            .chain(self.data.iter().map(data))
            .chain(lines)
            .collect();
        all.sort_by_key(|(offset, rank, _)| (*offset, *rank));
        all.into_iter().map(|(_, _, step)| step).collect()
    }

    /// Reports the findings, with at most `left` violations.
    pub fn report(
        &mut self,
        validation: Validation,
        left: &mut ViolationsLeft,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        for (_, finding) in self.findings.drain(..) {
            match finding {
                Finding::Error(diagnostic) => diagnostics.push(diagnostic),
                Finding::Target(diagnostic) => {
                    diagnostics.extend(left.count().map(|_| Diagnostic {
                        severity: severity(validation),
                        ..diagnostic
                    }));
                }
                Finding::Violation {
                    opcode,
                    span,
                    violation,
                } => diagnostics.extend(left.report(opcode, span, &violation, validation)),
            }
        }
    }
}

fn severity(validation: Validation) -> Severity {
    match validation {
        Validation::Deny => Severity::Error,
        Validation::Warn | Validation::Off => Severity::Warning,
    }
}

/// How many violations of a file may still be reported.
#[derive(Debug)]
pub struct ViolationsLeft(usize);

impl ViolationsLeft {
    /// The budget at the start of a file.
    pub const fn new() -> Self {
        Self(MAX_VIOLATIONS)
    }

    /// Counts one; `None` if none is left.
    fn count(&mut self) -> Option<()> {
        self.0 = self.0.checked_sub(1)?;
        Some(())
    }

    fn report(
        &mut self,
        opcode: Opcode,
        span: Span,
        violation: &Violation,
        validation: Validation,
    ) -> Option<Diagnostic> {
        self.count()?;
        let rule = violation.rule;
        let mut help = format!("rule `{}`, {}", rule.name, rule.source);
        if self.0 == 0 {
            help.push_str("; further violations are not reported");
        }
        Some(Diagnostic {
            severity: severity(validation),
            span,
            message: match violation.error {
                Some(error) => format!("{opcode}: {}: {error}", rule.text),
                None => format!("{opcode}: {}", rule.text),
            },
            help: Some(help),
        })
    }
}
