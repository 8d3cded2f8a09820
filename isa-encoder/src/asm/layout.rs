//! From parsed text to bytes: kernels one after the other.

use alloc::vec::Vec;

use super::emit::Emitter;
use super::fragment::ViolationsLeft;
use super::source::{self, Source};
use super::{AsmOptions, AssembledKernel, Assembly, Diagnostic, Severity, Span};
use super::{limits, prolog, scoreboard};

/// The alignment of a kernel's first instruction.
const KERNEL_ALIGNMENT: usize = 64;

/// Finishes a file.
pub fn assemble(
    text: &str,
    source: Source,
    emitter: Option<&Emitter>,
    options: &AsmOptions,
) -> Result<Assembly, Vec<Diagnostic>> {
    let mut diagnostics = source.diagnostics;
    let is_error = |d: &Diagnostic| d.severity == Severity::Error;
    let (Some(family), Some(emitter)) = (source.family, emitter) else {
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
        target: source.target,
        kernels: Vec::with_capacity(source.kernels.len()),
        code: Vec::new(),
        warnings: Vec::new(),
    };
    let mut left = ViolationsLeft::new();
    for mut kernel in source.kernels {
        scoreboard::annotate(text, emitter, &mut kernel, &mut diagnostics);
        let entry_with_ids = prolog::prepend(emitter, &mut kernel, &mut diagnostics);
        let mut fragment = kernel.fragment;
        fragment.link(text, emitter, &mut diagnostics);
        fragment.report(options.validation, &mut left, &mut diagnostics);
        let (code, lines) = (fragment.code, fragment.lines);
        let mode = kernel.directives.swsb;
        let directives = &kernel.directives;
        limits::check_directives(family, emitter.platform, directives, &mut diagnostics);
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
        let start = assembly.code.len().next_multiple_of(KERNEL_ALIGNMENT);
        let end = start + code.len();
        if start == 0 {
            assembly.code = code;
        } else {
            assembly.code.resize(start, 0);
            assembly.code.extend_from_slice(&code);
        }
        assembly.kernels.push(AssembledKernel {
            directives: kernel.directives,
            code: start..end,
            entry_with_ids,
            lines,
        });
    }
    diagnostics.sort_by_key(|d| d.span.start);
    source::limit(&mut diagnostics);
    if diagnostics.iter().any(is_error) {
        return Err(diagnostics);
    }
    assembly.warnings = diagnostics;
    Ok(assembly)
}
