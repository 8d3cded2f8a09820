//! Diagnostics of the assembler, rendered with their source lines.

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
    // The number of the line that begins at this place: diagnostics come in the text's order.
    let (mut counted_to, mut line) = (0, 1);
    for diagnostic in diagnostics {
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        // The renderer needs a span that lies in the text and splits no character.
        let start = floor_boundary(text, diagnostic.span.start);
        let end = floor_boundary(text, diagnostic.span.end).max(start);
        // The renderer scans all of its text: pass only the lines needed.
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[end..].find('\n').map_or(text.len(), |at| end + at);
        if line_start < counted_to {
            (counted_to, line) = (0, 1);
        }
        line += count_lines(&text[counted_to..line_start]);
        counted_to = line_start;
        let snippet = Snippet::source(&text[line_start..line_end])
            .line_start(line)
            .path(name)
            .annotation(AnnotationKind::Primary.span(start - line_start..end - line_start));
        let mut group: Group<'_> = level.primary_title(&diagnostic.message).element(snippet);
        if let Some(help) = &diagnostic.help {
            group = group.element(Level::HELP.message(help));
        }
        out.push_str(&renderer.render(&[group]));
        out.push('\n');
    }
    out
}

fn count_lines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
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
    fn lines_are_numbered_in_any_order() {
        let text = "a\n\nbc\nd";
        let plain = Renderer::plain().decor_style(DecorStyle::Ascii);
        let at = |start| {
            Diagnostic::warning(
                Span {
                    start,
                    end: start + 1,
                },
                "w".into(),
            )
        };
        let out = render_with(&plain, "k", text, &[at(4), at(6), at(0), at(3)]);
        let places: Vec<&str> = out
            .lines()
            .filter_map(|line| line.split("k:").nth(1))
            .collect();
        assert_eq!(places, ["3:2", "4:1", "1:1", "3:1"], "{out}");
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
