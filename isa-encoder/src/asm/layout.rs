//! From parsed instructions to bytes: sizes, labels, kernels.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use devinfo::Family;

use super::check::Checker;
use super::instruction::{Parsed, Target};
use super::source::{Item, Kernel, Source};
use super::{AsmOptions, AssembledKernel, Assembly, Diagnostic, Severity, Span};
use super::{limits, prolog, scoreboard};
use crate::code::{EncodeError, encode, encode_shortest};
use crate::model::{Instruction, Options, Specific};

/// The alignment of a kernel's first instruction.
const KERNEL_ALIGNMENT: usize = 64;

/// Encodes a file.
pub fn assemble(
    text: &str,
    source: Source,
    options: &AsmOptions,
) -> Result<Assembly, Vec<Diagnostic>> {
    let Source {
        family,
        target,
        kernels,
        mut diagnostics,
    } = source;
    let is_error = |d: &Diagnostic| d.severity == Severity::Error;
    let Some(family) = family else {
        if diagnostics.is_empty() {
            diagnostics.push(
                Diagnostic::error(Span::default(), "the platform is not known".into())
                    .with_help("put `//.platform tgl` (or another) at the top".into()),
            );
        }
        return Err(diagnostics);
    };
    let mut assembly = Assembly {
        family,
        target,
        kernels: Vec::new(),
        code: Vec::new(),
        warnings: Vec::new(),
    };
    let mut checker = Checker::new(family, assembly.target.as_ref(), options.validation);
    for mut kernel in kernels {
        scoreboard::annotate(family, options, &mut kernel, &mut diagnostics);
        let entry_with_ids = prolog::prepend(family, &mut kernel, &mut diagnostics);
        let layout = Layout::new(family, options, &kernel, &mut diagnostics);
        let (code, lines) = layout.encode(&mut checker, &mut diagnostics);
        let mode = kernel.directives.swsb;
        let directives = &kernel.directives;
        limits::check_directives(
            family,
            assembly.target.as_ref(),
            directives,
            &mut diagnostics,
        );
        let validation = options.validation;
        limits::check_code(
            family,
            directives,
            &code,
            &lines,
            validation,
            &mut diagnostics,
        );
        scoreboard::check(family, mode, &code, &lines, text, &mut diagnostics);
        let offset = assembly.code.len().next_multiple_of(KERNEL_ALIGNMENT);
        assembly.code.resize(offset, 0);
        assembly.code.extend_from_slice(&code);
        assembly.kernels.push(AssembledKernel {
            directives: kernel.directives,
            code,
            offset,
            entry_with_ids,
            lines,
        });
    }
    diagnostics.sort_by_key(|d| d.span.start);
    if diagnostics.iter().any(is_error) {
        return Err(diagnostics);
    }
    assembly.warnings = diagnostics;
    Ok(assembly)
}

/// Something that takes up bytes.
enum Placed<'a> {
    Instruction(PlacedInstruction<'a>),
    Data(&'a [u8]),
}

/// An instruction and its place.
struct PlacedInstruction<'a> {
    parsed: &'a Parsed,
    offset: usize,
    compact: bool,
}

/// The instructions of a kernel in their places.
pub struct Layout<'a> {
    family: Family,
    placed: Vec<Placed<'a>>,
    labels: BTreeMap<&'a str, usize>,
    end: usize,
}

impl<'a> Layout<'a> {
    /// Places each instruction. Branches have their 16-byte form unless they ask for the other,
    /// so that sizes do not depend on distances.
    pub fn new(
        family: Family,
        options: &AsmOptions,
        kernel: &'a Kernel,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Self {
        let mut layout = Self {
            family,
            placed: Vec::with_capacity(kernel.items.len()),
            labels: BTreeMap::new(),
            end: 0,
        };
        for item in &kernel.items {
            match item {
                Item::Label(name, span) => {
                    if layout.labels.insert(name, layout.end).is_some() {
                        diagnostics.push(Diagnostic::error(
                            *span,
                            format!("the label `{name}` is defined twice"),
                        ));
                    }
                }
                Item::Instruction(parsed) => {
                    let instruction = &parsed.instruction;
                    let asked = instruction.options.contains(Options::COMPACTED);
                    let auto = options.auto_compact
                        && !instruction.options.contains(Options::NO_COMPACT)
                        && !instruction.opcode.is_branch()
                        && matches!(encode_shortest(family, instruction), Ok((_, 8)));
                    let compact = asked || auto;
                    layout.placed.push(Placed::Instruction(PlacedInstruction {
                        parsed,
                        offset: layout.end,
                        compact,
                    }));
                    layout.end += if compact { 8 } else { 16 };
                }
                Item::Data(bytes) => {
                    layout.placed.push(Placed::Data(bytes));
                    layout.end += bytes.len();
                }
            }
        }
        layout
    }

    /// The bytes, and each instruction's offset and place in the text.
    pub fn encode(
        &self,
        checker: &mut Checker,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> (Vec<u8>, Vec<(usize, Span)>) {
        let mut code = Vec::with_capacity(self.end);
        let mut lines = Vec::with_capacity(self.placed.len());
        for placed in &self.placed {
            let placed = match placed {
                Placed::Instruction(placed) => placed,
                Placed::Data(bytes) => {
                    code.extend_from_slice(bytes);
                    continue;
                }
            };
            lines.push((placed.offset, placed.parsed.span));
            let size = if placed.compact { 8 } else { 16 };
            match self.encode_one(placed) {
                Ok((instruction, bytes)) => {
                    checker.check(placed.parsed, &instruction, diagnostics);
                    code.extend_from_slice(&bytes[..size]);
                }
                Err(diagnostic) => {
                    diagnostics.push(diagnostic);
                    code.resize(code.len() + size, 0);
                }
            }
        }
        (code, lines)
    }

    fn encode_one(
        &self,
        placed: &PlacedInstruction<'_>,
    ) -> Result<(Instruction, [u8; 16]), Diagnostic> {
        let parsed = placed.parsed;
        let mut instruction = parsed.instruction;
        instruction.options.set(Options::COMPACTED, placed.compact);
        instruction.options.remove(Options::NO_COMPACT);
        if let Specific::Branch(branch) = &mut instruction.specific {
            let resolve = |target: &Option<Target>| match target {
                Some(target) => self.distance(target, placed.offset).map(Some),
                None => Ok(None),
            };
            branch.jip = resolve(&parsed.targets[0])?;
            branch.uip = resolve(&parsed.targets[1])?;
        }
        encode(self.family, &instruction)
            .map(|(bytes, _)| (instruction, bytes))
            .map_err(|error| diagnose(&error, parsed.span))
    }

    fn distance(&self, target: &Target, from: usize) -> Result<i32, Diagnostic> {
        let (name, span) = match target {
            Target::Distance(distance) => return Ok(*distance),
            Target::Label(name, span) => (name, *span),
        };
        let Some(&to) = self.labels.get(name.as_str()) else {
            return Err(Diagnostic::error(
                span,
                format!("the label `{name}` is not defined in this kernel"),
            ));
        };
        i32::try_from(to as i64 - from as i64)
            .map_err(|_| Diagnostic::error(span, format!("the label `{name}` is too far away")))
    }
}

fn diagnose(error: &EncodeError, span: Span) -> Diagnostic {
    let diagnostic = Diagnostic::error(span, format!("{error}"));
    match error {
        EncodeError::NotCompactable { .. } => diagnostic.with_help(String::from(
            "leave out {Compacted}; the assembler can compact by itself",
        )),
        _ => diagnostic,
    }
}
