//! A source file as kernels of encoded instructions.
//!
//! What a line means depends on the family and on nothing else in front of it, so that parts of
//! the text can be read side by side. What directives say and how many errors there are is found
//! when the parts are put together, in order.

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::ops::Range;

use devinfo::Family;

use super::cursor::{Cursor, Parse};
use super::directive_parse::{self, Directive};
use super::emit::Emitter;
use super::fragment::Fragment;
use super::instruction::{self, Parsed};
use super::lexer::{Lexeme, Lexer, Token};
use super::{AsmOptions, Diagnostic, KernelDirectives, Span, Target};
use crate::code::{FamilyTable, traits};

/// No more errors than this are reported.
const MAX_ERRORS: usize = 100;

/// A kernel's text.
#[derive(Debug, Default)]
pub struct Kernel {
    pub directives: KernelDirectives,
    pub fragment: Fragment,
}

/// A file that was read.
#[derive(Debug)]
pub struct Source {
    pub family: Option<Family>,
    pub target: Option<Target>,
    pub kernels: Vec<Kernel>,
    pub diagnostics: Vec<Diagnostic>,
    /// A `//.kernel` was seen.
    named: bool,
    family_missing: bool,
}

/// What was read of a part of the text.
#[derive(Debug)]
pub struct Part {
    pub range: Range<usize>,
    /// The part ends within a comment: it must be read together with the next one.
    pub is_open: bool,
    pieces: Vec<Piece>,
}

/// Something in a part.
#[derive(Debug)]
enum Piece {
    /// Labels and instructions.
    Code(Fragment),
    /// `//.name …`.
    Directive(Span),
    /// Something that is no token, or a line that is no instruction.
    Error(Diagnostic),
    /// A line with an instruction, beginning at the place, in front of the platform. Of each part
    /// only the first.
    NoFamily(Span),
}

/// The platform of a file, as far as the text in front of the instructions says it; or if the
/// family is not given, as the first directive that says it; and where that is.
pub fn platform(text: &str, options: &AsmOptions) -> Option<(Target, Family, usize)> {
    let mut unused = KernelDirectives::default();
    for lexeme in Lexer::new(text, 0) {
        let span = lexeme.span;
        match lexeme.token {
            Token::Directive => {
                let directive = directive_parse::parse(span.of(text), span.start, &mut unused);
                if let Ok(Directive::Platform(target, family)) = directive {
                    return Some((target, family, span.start));
                }
            }
            Token::Newline => {}
            _ if options.family.is_some() => return None,
            _ => {}
        }
    }
    None
}

/// Cuts a text into at most `count` parts of about the same size, between lines.
pub fn parts(text: &str, count: usize) -> Vec<Range<usize>> {
    let size = text.len().div_ceil(count.max(1)).max(1);
    let mut parts = Vec::with_capacity(count);
    let mut start = 0;
    while start < text.len() {
        let rest = text.as_bytes().get(start + size..).unwrap_or_default();
        let newline = rest.iter().position(|byte| *byte == b'\n');
        let end = newline.map_or(text.len(), |at| start + size + at + 1);
        parts.push(start..end);
        start = end;
    }
    parts
}

/// Reads a part of a text. The family is known, if at all, for lines that end behind
/// `family_from`.
pub fn part(
    text: &str,
    range: Range<usize>,
    emitter: Option<&Emitter>,
    family_from: usize,
) -> Part {
    let mut reader = Reader {
        text,
        emitter: emitter.map(|emitter| (emitter, traits(emitter.family))),
        family_from,
        family_missing: false,
        pieces: Vec::new(),
        fragment: Fragment::default(),
        errors: 0,
    };
    // An instruction takes about 80 characters, a compacted one not many fewer.
    let expected = range.len() / 64;
    reader.fragment.lines.reserve(expected);
    reader.fragment.code.reserve(expected * 16);
    let mut line = Vec::new();
    let mut line_ok = true;
    let mut is_open = false;
    let part_text = text.get(..range.end).unwrap_or(text);
    for lexeme in Lexer::new(part_text, range.start) {
        let span = lexeme.span;
        match lexeme.token {
            Token::Newline => {
                reader.end_line(&line, line_ok, span.start);
                line.clear();
                line_ok = true;
            }
            Token::Directive => reader.put(Piece::Directive(span)),
            token @ (Token::Unknown | Token::OpenComment) => {
                if line_ok {
                    reader.put(Piece::Error(match token {
                        Token::OpenComment => open_comment(span),
                        _ => senseless(text, span),
                    }));
                }
                line_ok = false;
                is_open = token == Token::OpenComment;
            }
            _ => {
                line.push(lexeme);
                continue;
            }
        }
        if reader.errors >= MAX_ERRORS {
            break;
        }
    }
    reader.end_line(&line, line_ok, range.end);
    reader.flush();
    Part {
        range,
        is_open,
        pieces: reader.pieces,
    }
}

struct Reader<'a> {
    text: &'a str,
    emitter: Option<(&'a Emitter, &'static FamilyTable)>,
    family_from: usize,
    family_missing: bool,
    pieces: Vec<Piece>,
    /// The last piece.
    fragment: Fragment,
    errors: usize,
}

impl Reader<'_> {
    fn flush(&mut self) {
        if !self.fragment.is_empty() {
            let fragment = core::mem::take(&mut self.fragment);
            self.pieces.push(Piece::Code(fragment));
        }
    }

    fn put(&mut self, piece: Piece) {
        self.errors += usize::from(matches!(piece, Piece::Error(_)));
        self.flush();
        self.pieces.push(piece);
    }

    fn end_line(&mut self, tokens: &[Lexeme], line_ok: bool, end: usize) {
        let mut rest = tokens;
        while let [name, colon, more @ ..] = rest
            && (name.token, colon.token) == (Token::Ident, Token::Colon)
        {
            self.fragment.label(name.span);
            rest = more;
        }
        let Some(Lexeme { span: first, .. }) = rest.first().filter(|_| line_ok) else {
            return;
        };
        let Some((emitter, family)) = self.emitter.filter(|_| end > self.family_from) else {
            if !self.family_missing {
                self.family_missing = true;
                self.put(Piece::NoFamily(*first));
            }
            return;
        };
        let end = Span { start: end, end };
        let mut cursor = Cursor::new(self.text, rest, end);
        match instruction::parse(&mut cursor, family) {
            Ok(parsed) => emitter.push(&parsed, &mut self.fragment),
            Err(refusal) => self.put(Piece::Error(refusal.into())),
        }
    }
}

fn open_comment(span: Span) -> Diagnostic {
    let end = span.start + "/*".len();
    Diagnostic::error(Span { end, ..span }, "a comment without an end".into())
}

fn senseless(text: &str, span: Span) -> Diagnostic {
    let character = span.of(text).escape_default();
    Diagnostic::error(span, format!("`{character}` has no meaning here"))
}

/// Reads an instruction again.
pub fn reread(text: &str, span: Span, family: &'static FamilyTable) -> Parse<Parsed> {
    let tokens: Vec<_> = Lexer::new(text.get(..span.end).unwrap_or(text), span.start).collect();
    let end = Span {
        start: span.end,
        end: span.end,
    };
    instruction::parse(&mut Cursor::new(text, &tokens, end), family)
}

impl Source {
    /// Puts the parts of a text together. Errors are in [`Source::diagnostics`].
    pub fn join(text: &str, parts: impl IntoIterator<Item = Part>, options: &AsmOptions) -> Self {
        let mut source = Self {
            family: options.family,
            target: None,
            kernels: Vec::new(),
            diagnostics: Vec::new(),
            named: false,
            family_missing: false,
        };
        source.kernels.push(Kernel::default());
        for piece in parts.into_iter().flat_map(|part| part.pieces) {
            source.apply(text, piece);
            if source.diagnostics.len() >= MAX_ERRORS {
                let last = source
                    .diagnostics
                    .last()
                    .map_or(Span::default(), |d| d.span);
                let message = format!("{MAX_ERRORS} errors; what follows was not looked at");
                source.error(Diagnostic::error(last, message));
                break;
            }
        }
        source
    }

    fn apply(&mut self, text: &str, piece: Piece) {
        match piece {
            Piece::Directive(span) => self.directive(text, span),
            Piece::Error(diagnostic) => self.error(diagnostic),
            Piece::NoFamily(first) => {
                if !self.family_missing {
                    self.family_missing = true;
                    self.error(
                        Diagnostic::error(first, "the platform is not known".into())
                            .with_help("put `//.platform tgl` (or another) at the top".into()),
                    );
                }
            }
            Piece::Code(fragment) => {
                if let Some(kernel) = self.kernels.last_mut() {
                    kernel.fragment.append(fragment);
                }
            }
        }
    }

    fn error(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn directive(&mut self, text: &str, span: Span) {
        let Some(kernel) = self.kernels.last_mut() else {
            return;
        };
        match directive_parse::parse(span.of(text), span.start, &mut kernel.directives) {
            Ok(Directive::Applied) => {}
            Ok(Directive::Platform(target, family)) => self.platform(target, family, span),
            Ok(Directive::Kernel(name)) => self.kernel(&name, span),
            Ok(Directive::Data(bytes)) => kernel.fragment.bytes(&bytes),
            Err(diagnostic) => self.error(diagnostic),
        }
    }

    fn platform(&mut self, target: Target, family: Family, span: Span) {
        if self.target.is_some() {
            self.error(Diagnostic::error(span, "a second platform".into()));
            return;
        }
        match self.family {
            Some(given) if given != family => {
                let message = format!(
                    "the file is for {} ({family}), not for {given}",
                    target.platform
                );
                self.error(Diagnostic::error(span, message));
            }
            _ => self.family = Some(family),
        }
        self.target = Some(target);
    }

    fn kernel(&mut self, name: &str, span: Span) {
        let exists = |kernel: &Kernel| kernel.directives.name == name;
        if self.named && self.kernels.iter().any(exists) {
            self.error(Diagnostic::error(
                span,
                format!("a second kernel of the name `{name}`"),
            ));
        }
        let first_is_empty = match self.kernels.as_slice() {
            [first] => first.fragment.is_empty() && !self.named,
            _ => false,
        };
        if first_is_empty && let Some(first) = self.kernels.first_mut() {
            first.directives.name = name.to_string();
        } else {
            let mut kernel = Kernel::default();
            kernel.directives.name = name.to_string();
            self.kernels.push(kernel);
        }
        self.named = true;
    }
}
