//! `//.swsb`: annotations that the assembler writes or judges.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use devinfo::Family;

use super::check::Checker;
use super::instruction::{Parsed, Target};
use super::layout::Layout;
use super::source::{Item, Kernel};
use super::{AsmOptions, Diagnostic, Severity, Span, SwsbMode, Validation};
use crate::model::Swsb;
use crate::swsb::{self, Program};

/// Annotates the instructions of a kernel that asks for it.
pub fn annotate(
    family: Family,
    options: &AsmOptions,
    kernel: &mut Kernel,
    diagnostics: &mut Vec<Diagnostic>,
) {
    if kernel.directives.swsb != SwsbMode::Auto {
        return;
    }
    for item in &mut kernel.items {
        if let Item::Instruction(parsed) = item {
            parsed.instruction.swsb = Swsb::NONE;
            if parsed
                .targets
                .iter()
                .any(|target| matches!(target, Some(Target::Distance(_))))
            {
                diagnostics.push(
                    Diagnostic::error(
                        parsed.span,
                        "a distance in bytes beside `//.swsb auto`".into(),
                    )
                    .with_help("name a label: instructions may be put in between".into()),
                );
                return;
            }
        }
    }
    // Labels and encodings are settled first; what is wrong there is reported by the last pass.
    let mut wrong = Vec::new();
    let layout = Layout::new(family, options, kernel, &mut wrong);
    let mut unchecked = Checker::new(family, None, Validation::Off);
    let (code, lines) = layout.encode(&mut unchecked, &mut wrong);
    if wrong.iter().any(|d| d.severity == Severity::Error) {
        return;
    }
    let program = Program::decode(family, &code).with_registers(kernel.directives.registers());
    let annotations = match swsb::annotations(&program) {
        Ok(annotations) => annotations,
        Err(error) => {
            let span = lines.first().map_or(Span::default(), |(_, span)| *span);
            diagnostics.push(Diagnostic::error(span, format!("`//.swsb auto`: {error}")));
            return;
        }
    };
    let mut offsets = lines.iter().map(|(offset, _)| *offset);
    let items = core::mem::take(&mut kernel.items);
    for item in items {
        let Item::Instruction(mut parsed) = item else {
            kernel.items.push(item);
            continue;
        };
        let annotation = offsets
            .next()
            .and_then(|offset| program.at(offset))
            .and_then(|index| annotations.get(index));
        let Some(annotation) = annotation else {
            // Only behind `.data` whose bytes hide the instruction.
            diagnostics.push(Diagnostic::error(
                parsed.span,
                "`//.swsb auto` cannot see this instruction behind the data".into(),
            ));
            kernel.items.push(Item::Instruction(parsed));
            continue;
        };
        for sync in &annotation.before {
            kernel.items.push(Item::Instruction(Parsed {
                instruction: *sync,
                targets: [None, None],
                span: parsed.span,
                operands: [None; 4],
            }));
        }
        if !annotation.drop {
            parsed.instruction.swsb = annotation.swsb;
            kernel.items.push(Item::Instruction(parsed));
        }
    }
}

/// Reports the hazards of a kernel that asks for it.
pub fn check(
    family: Family,
    mode: SwsbMode,
    code: &[u8],
    lines: &[(usize, Span)],
    text: &str,
    diagnostics: &mut Vec<Diagnostic>,
) {
    if mode != SwsbMode::Check {
        return;
    }
    let report = swsb::check(family, code);
    let span_of = |offset: usize| {
        let found = lines.binary_search_by_key(&offset, |(offset, _)| *offset);
        found
            .ok()
            .and_then(|at| lines.get(at))
            .map(|(_, span)| *span)
    };
    for hazard in &report.hazards {
        let Some(span) = span_of(hazard.later.offset) else {
            continue;
        };
        let message = format!("{} of {} without a wait", hazard.kind, hazard.register);
        let earlier = match span_of(hazard.earlier.offset) {
            Some(earlier) => format!("line {}", earlier.line_column(text).0),
            None => String::from("another instruction"),
        };
        diagnostics.push(Diagnostic::error(span, message).with_help(format!(
            "{earlier} may not be done by then: `{}`",
            hazard.earlier.text
        )));
    }
    if !report.complete {
        let span = lines.first().map_or(Span::default(), |(_, span)| *span);
        diagnostics.push(Diagnostic::error(
            span,
            "`//.swsb check`: the control flow is too complex to be judged".into(),
        ));
    }
}
