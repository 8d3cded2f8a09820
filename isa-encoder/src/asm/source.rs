//! A source file as kernels of parsed instructions.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use devinfo::Family;
use logos::Logos;

use super::cursor::Cursor;
use super::directive_parse::{self, Directive};
use super::instruction::{self, Parsed};
use super::lexer::Token;
use super::{AsmOptions, Diagnostic, KernelDirectives, Span, Target};
use crate::code::{self, FamilyTable};

/// What a kernel's text holds, in order.
#[derive(Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "nearly all items are instructions"
)]
pub enum Item {
    /// `name:`.
    Label(String, Span),
    /// An instruction.
    Instruction(Parsed),
    /// `//.data`, as the disassembler prints what is no instruction.
    Data(Vec<u8>),
}

/// A kernel's text.
#[derive(Debug, Default)]
pub struct Kernel {
    pub directives: KernelDirectives,
    pub items: Vec<Item>,
}

/// A parsed file.
#[derive(Debug)]
pub struct Source {
    pub family: Option<Family>,
    pub target: Option<Target>,
    pub kernels: Vec<Kernel>,
    pub diagnostics: Vec<Diagnostic>,
}

/// No more errors than this are reported.
const MAX_ERRORS: usize = 100;

/// Parses a file. Errors are in [`Source::diagnostics`].
pub fn parse(text: &str, options: &AsmOptions) -> Source {
    let mut parser = Parser {
        text,
        source: Source {
            family: options.family,
            target: None,
            kernels: Vec::new(),
            diagnostics: Vec::new(),
        },
        named: false,
        family_missing: false,
    };
    parser.source.kernels.push(Kernel::default());
    let mut line = Vec::new();
    let mut line_ok = true;
    for (token, range) in Token::lexer(text).spanned() {
        let span = Span {
            start: range.start,
            end: range.end,
        };
        match token {
            Ok(Token::Newline) => {
                parser.end_line(&line, line_ok, span);
                line.clear();
                line_ok = true;
            }
            Ok(Token::Comment) => {}
            Ok(Token::Directive) => parser.directive(span),
            Ok(token) => line.push((token, span)),
            Err(()) => {
                if line_ok {
                    let character = text.get(span.start..).and_then(|rest| rest.chars().next());
                    let message = match character {
                        Some('/') => String::from("a comment without an end"),
                        Some(c) => format!("`{}` has no meaning here", c.escape_default()),
                        None => String::from("this has no meaning here"),
                    };
                    parser.error(Diagnostic::error(span, message));
                }
                line_ok = false;
            }
        }
        if parser.source.diagnostics.len() >= MAX_ERRORS {
            let message = format!("{MAX_ERRORS} errors; what follows was not looked at");
            parser.error(Diagnostic::error(span, message));
            return parser.source;
        }
    }
    let end = Span {
        start: text.len(),
        end: text.len(),
    };
    parser.end_line(&line, line_ok, end);
    parser.source
}

/// Whether a text has a `//.platform` directive.
pub fn states_platform(text: &str) -> bool {
    let platform = |range: core::ops::Range<usize>| {
        let directive = text.get(range.clone()).unwrap_or("");
        let mut directives = KernelDirectives::default();
        matches!(
            directive_parse::parse(directive, range.start, &mut directives),
            Ok(Directive::Platform(..))
        )
    };
    Token::lexer(text)
        .spanned()
        .any(|(token, range)| token == Ok(Token::Directive) && platform(range))
}

struct Parser<'a> {
    text: &'a str,
    source: Source,
    /// A `//.kernel` was seen.
    named: bool,
    family_missing: bool,
}

impl Parser<'_> {
    fn error(&mut self, diagnostic: Diagnostic) {
        self.source.diagnostics.push(diagnostic);
    }

    fn directive(&mut self, span: Span) {
        let text = self.text.get(span.start..span.end).unwrap_or("");
        let Some(kernel) = self.source.kernels.last_mut() else {
            return;
        };
        match directive_parse::parse(text, span.start, &mut kernel.directives) {
            Ok(Directive::Applied) => {}
            Ok(Directive::Platform(target, family)) => self.platform(target, family, span),
            Ok(Directive::Kernel(name)) => self.kernel(&name, span),
            Ok(Directive::Data(bytes)) => self.push(Item::Data(bytes)),
            Err(diagnostic) => self.error(diagnostic),
        }
    }

    fn platform(&mut self, target: Target, family: Family, span: Span) {
        if self.source.target.is_some() {
            self.error(Diagnostic::error(span, "a second platform".into()));
            return;
        }
        match self.source.family {
            Some(given) if given != family => {
                let message = format!(
                    "the file is for {} ({family}), not for {given}",
                    target.platform
                );
                self.error(Diagnostic::error(span, message));
            }
            _ => self.source.family = Some(family),
        }
        self.source.target = Some(target);
    }

    fn kernel(&mut self, name: &str, span: Span) {
        let exists = |kernel: &Kernel| kernel.directives.name == name;
        if self.named && self.source.kernels.iter().any(exists) {
            self.error(Diagnostic::error(
                span,
                format!("a second kernel of the name `{name}`"),
            ));
        }
        let first_is_empty = match self.source.kernels.as_slice() {
            [first] => first.items.is_empty() && !self.named,
            _ => false,
        };
        if first_is_empty && let Some(first) = self.source.kernels.first_mut() {
            first.directives.name = name.to_string();
        } else {
            let mut kernel = Kernel::default();
            kernel.directives.name = name.to_string();
            self.source.kernels.push(kernel);
        }
        self.named = true;
    }

    fn end_line(&mut self, tokens: &[(Token, Span)], line_ok: bool, end: Span) {
        let mut rest = tokens;
        while let [(Token::Ident, name), (Token::Colon, _), more @ ..] = rest {
            let text = self.text.get(name.start..name.end).unwrap_or("");
            self.push(Item::Label(text.to_string(), *name));
            rest = more;
        }
        if rest.is_empty() || !line_ok {
            return;
        }
        let Some(family) = self.family(rest[0].1) else {
            return;
        };
        let end = Span {
            start: end.start,
            end: end.start,
        };
        let mut cursor = Cursor::new(self.text, rest, end);
        match instruction::parse(&mut cursor, family) {
            Ok(parsed) => self.push(Item::Instruction(parsed)),
            Err(diagnostic) => self.error(diagnostic),
        }
    }

    fn family(&mut self, span: Span) -> Option<&'static FamilyTable> {
        match self.source.family {
            Some(family) => Some(code::traits(family)),
            None => {
                if !self.family_missing {
                    self.family_missing = true;
                    self.error(
                        Diagnostic::error(span, "the platform is not known".into())
                            .with_help("put `//.platform tgl` (or another) at the top".into()),
                    );
                }
                None
            }
        }
    }

    fn push(&mut self, item: Item) {
        if let Some(kernel) = self.source.kernels.last_mut() {
            kernel.items.push(item);
        }
    }
}
