//! Diagnostics of the assembler.

use alloc::string::String;

/// A range of bytes of the source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl Span {
    /// The text of the place.
    pub(super) fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or("")
    }

    /// The line and the column of the start, both from 1; columns count characters.
    pub fn line_column(self, text: &str) -> (usize, usize) {
        let mut at = self.start.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let before = text.get(..at).unwrap_or("");
        let line = before.bytes().filter(|&b| b == b'\n').count() + 1;
        let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
        (line, column)
    }
}

/// How bad a [`Diagnostic`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Nothing is assembled.
    Error,
    /// The code is assembled.
    Warning,
}

/// A message about a place in the source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Where.
    pub span: Span,
    /// What is wrong.
    pub message: String,
    /// What was expected, or the source of the violated rule.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error.
    pub fn error(span: Span, message: String) -> Self {
        Self {
            severity: Severity::Error,
            span,
            message,
            help: None,
        }
    }

    /// A warning.
    pub fn warning(span: Span, message: String) -> Self {
        Self {
            severity: Severity::Warning,
            span,
            message,
            help: None,
        }
    }

    /// The same with a help text.
    pub fn with_help(mut self, help: String) -> Self {
        self.help = Some(help);
        self
    }
}
