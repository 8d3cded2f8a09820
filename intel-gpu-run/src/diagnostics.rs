//! Diagnostics of the assembler, rendered with the lines of the source that they are about.

use std::io::{self, IsTerminal};

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use isa_encoder::asm::{Diagnostic, Severity};

/// Renders diagnostics about `text`, which came from the file `name`.
pub fn render(name: &str, text: &str, diagnostics: &[Diagnostic]) -> String {
    let renderer = if io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
        Renderer::styled()
    } else {
        Renderer::plain().decor_style(DecorStyle::Ascii)
    };
    render_with(&renderer, name, text, diagnostics)
}

fn render_with(renderer: &Renderer, name: &str, text: &str, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        // The renderer needs a span that lies in the text and splits no character.
        let start = floor_boundary(text, diagnostic.span.start);
        let end = floor_boundary(text, diagnostic.span.end).max(start);
        let snippet = Snippet::source(text)
            .path(name)
            .annotation(AnnotationKind::Primary.span(start..end));
        let mut group: Group<'_> = level.primary_title(&diagnostic.message).element(snippet);
        if let Some(help) = &diagnostic.help {
            group = group.element(Level::HELP.message(help));
        }
        out.push_str(&renderer.render(&[group]));
        out.push('\n');
    }
    out
}

fn floor_boundary(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use isa_encoder::asm::Span;

    #[test]
    fn shows_the_line_and_the_help() {
        let text = "nop\nmov (16|M0) r1 r2\n";
        let diagnostic = Diagnostic::error(Span { start: 16, end: 18 }, "no type".to_owned())
            .with_help("write :d".to_owned());
        let plain = Renderer::plain().decor_style(DecorStyle::Ascii);
        let out = render_with(&plain, "k.asm", text, &[diagnostic]);
        assert!(out.contains("error: no type"), "{out}");
        assert!(out.contains("k.asm:2:13"), "{out}");
        assert!(out.contains("mov (16|M0) r1 r2"), "{out}");
        assert!(out.contains("^^"), "{out}");
        assert!(out.contains("help: write :d"), "{out}");
    }

    #[test]
    fn spans_outside_of_the_text_do_no_harm() {
        let plain = Renderer::plain();
        for span in [
            Span { start: 99, end: 7 },
            Span { start: 1, end: 2 },
            Span { start: 0, end: 0 },
        ] {
            for text in ["", "\u{e9}\u{e9}", "nop"] {
                let out = render_with(&plain, "k", text, &[Diagnostic::warning(span, "w".into())]);
                assert!(out.contains("warning: w"), "{out}");
            }
        }
    }
}
