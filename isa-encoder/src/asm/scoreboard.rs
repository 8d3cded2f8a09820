//! `//.swsb`: annotations that the assembler writes or checks.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use devinfo::Family;

use super::cursor::Parse;
use super::emit::Emitter;
use super::fragment::{Fragment, Line, Step};
use super::instruction::{Parsed, Target};
use super::source::{Kernel, reread};
use super::{Diagnostic, Span, SwsbMode};
use crate::code::traits;
use crate::model::Swsb;
use crate::swsb::{self, Program};

/// Something in a kernel, in a form that can be changed.
#[allow(
    clippy::large_enum_variant,
    reason = "nearly all entries are instructions"
)]
enum Entry {
    Label(Span),
    Data(Vec<u8>),
    Instruction(Parsed),
}

/// The entries of a fragment of `text`, without annotations.
fn entries(text: &str, family: Family, fragment: &Fragment) -> Parse<Vec<Entry>> {
    let entry = |step| {
        Ok(match step {
            Step::Label(span) => Entry::Label(span),
            Step::Data(range) => Entry::Data(fragment.code.get(range).unwrap_or_default().to_vec()),
            Step::Instruction(span) => {
                let mut parsed = reread(text, span, traits(family))?;
                parsed.instruction.swsb = Swsb::NONE;
                Entry::Instruction(parsed)
            }
        })
    };
    fragment.steps().into_iter().map(entry).collect()
}

fn emit(entries: &[Entry], emitter: &Emitter) -> Fragment {
    let mut fragment = Fragment::default();
    for entry in entries {
        match entry {
            Entry::Label(span) => fragment.label(*span),
            Entry::Data(bytes) => fragment.bytes(bytes),
            Entry::Instruction(parsed) => emitter.push(parsed, &mut fragment),
        }
    }
    fragment
}

/// Annotates the instructions of a kernel of `text` that requests it.
pub fn annotate(
    text: &str,
    emitter: &Emitter,
    kernel: &mut Kernel,
    diagnostics: &mut Vec<Diagnostic>,
) {
    if kernel.directives.swsb != SwsbMode::Auto {
        return;
    }
    match entries(text, emitter.family, &kernel.fragment) {
        Ok(entries) => {
            let registers = kernel.directives.registers();
            let entries = annotated(text, emitter, registers, entries, diagnostics);
            kernel.fragment = emit(&entries, emitter);
        }
        Err(refusal) => diagnostics.push(refusal.into()),
    }
}

/// The entries with annotations for threads of this many registers; after an error without
/// annotations.
fn annotated(
    text: &str,
    emitter: &Emitter,
    registers: u16,
    entries: Vec<Entry>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Entry> {
    let with_distance = entries.iter().find_map(|entry| match entry {
        Entry::Instruction(parsed) => {
            let is_distance = |target: &_| matches!(target, Some(Target::Distance(_)));
            parsed.targets.iter().any(is_distance).then_some(parsed)
        }
        _ => None,
    });
    if let Some(parsed) = with_distance {
        diagnostics.push(
            Diagnostic::error(
                parsed.span,
                "a distance in bytes beside `//.swsb auto`".into(),
            )
            .with_help("name a label: instructions may be put in between".into()),
        );
        return entries;
    }
    // Labels and encodings are settled first; the last pass reports what is wrong there.
    let unchecked = emitter.unchecked();
    let mut bare = emit(&entries, &unchecked);
    let mut wrong = Vec::new();
    bare.link(text, &unchecked, &mut wrong);
    if !wrong.is_empty() || !bare.findings.is_empty() {
        return entries;
    }
    let program = Program::decode(emitter.family, &bare.code).with_registers(registers);
    let annotations = swsb::annotations(&program);
    let mut offsets = bare.lines.iter().map(|line| line.offset());
    let mut changed = Vec::with_capacity(entries.len());
    for entry in entries {
        let Entry::Instruction(mut parsed) = entry else {
            changed.push(entry);
            continue;
        };
        let annotation = offsets
            .next()
            .and_then(|offset| program.at(offset))
            .and_then(|index| annotations.get(index));
        let Some(annotation) = annotation else {
            // Only after `.data` whose bytes hide the instruction.
            diagnostics.push(Diagnostic::error(
                parsed.span,
                "`//.swsb auto` cannot see this instruction behind the data".into(),
            ));
            changed.push(Entry::Instruction(parsed));
            continue;
        };
        for sync in &annotation.before {
            changed.push(Entry::Instruction(Parsed::implied(*sync, parsed.span)));
        }
        if !annotation.drop {
            parsed.instruction.swsb = annotation.swsb;
            changed.push(Entry::Instruction(parsed));
        }
    }
    changed
}

/// Reports the hazards of a kernel that requests it.
pub fn check(
    family: Family,
    mode: SwsbMode,
    code: &[u8],
    lines: &[Line],
    text: &str,
    diagnostics: &mut Vec<Diagnostic>,
) {
    if mode != SwsbMode::Check {
        return;
    }
    let report = swsb::check(family, code);
    let span_of = |offset: usize| {
        let found = lines.binary_search_by_key(&offset, |line| line.offset());
        found
            .ok()
            .and_then(|at| lines.get(at))
            .map(|line| line.span())
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
        let span = lines.first().map_or(Span::default(), |line| line.span());
        diagnostics.push(Diagnostic::error(
            span,
            "`//.swsb check`: the control flow is too complex to be judged".into(),
        ));
    }
}
