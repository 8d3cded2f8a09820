//! A source file as kernels of encoded instructions.
//!
//! The meaning of a line depends only on the family, not on other text before it, so parts of the
//! text can be read in parallel. Directives are applied and errors are counted when the parts are
//! put together, in order.

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::ops::Range;

use devinfo::Family;

use super::cursor::{Cursor, Line, Parse};
use super::directive_parse::{self, Directive};
use super::emit::Emitter;
use super::fragment::Fragment;
use super::instruction::{self, Parsed};
use super::lexer::Token;
use super::{AsmOptions, Diagnostic, KernelDirectives, Severity, Span, Target};
use crate::code::{FamilyTable, traits};
use crate::model::{Instruction, Opcode};

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
    /// A `//.platform` was seen.
    has_platform: bool,
    /// A `//.kernel` was seen.
    named: bool,
    family_missing: bool,
}

/// What was read of a part of the text.
#[derive(Debug)]
pub struct Part {
    pub range: Range<usize>,
    /// The part ends inside a comment: it must be read together with the next one.
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
    /// Something that is not a token, or a line that is not an instruction.
    Error(Diagnostic),
    /// A line with an instruction before the platform, beginning at this place. Only the first of
    /// each part is kept.
    NoFamily(Span),
}

/// The platform of a file and where the text names it: in front of the instructions or, if the
/// family is not given, in the first directive that names one.
pub fn platform(text: &str, options: &AsmOptions) -> Option<(Option<Target>, Family, usize)> {
    let mut unused = KernelDirectives::default();
    let mut cursor = Cursor::new(text, 0);
    while let Some(line) = cursor.next_line() {
        match line {
            Line::Directive(span) => {
                let directive = directive_parse::parse(span.of(text), span.start, &mut unused);
                if let Ok(Directive::Platform(target, family)) = directive {
                    return Some((target, family, span.start));
                }
            }
            Line::OpenComment(_) => {}
            Line::Tokens if options.family.is_some() => return None,
            Line::Tokens => cursor.skip_line(),
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

/// Reads a part of a text. The family is known, if at all, for lines that end after `family_from`.
pub fn part(
    text: &str,
    range: Range<usize>,
    emitter: Option<&Emitter>,
    family_from: usize,
) -> Part {
    let mut reader = Reader {
        emitter: emitter.map(|emitter| (emitter, traits(emitter.family))),
        family_from,
        family_missing: false,
        pieces: Vec::new(),
        fragment: Fragment::default(),
        parsed: Parsed::implied(Instruction::new(Opcode::Nop), Span::default()),
        errors: 0,
    };
    // An instruction takes about 80 characters, a compacted one slightly fewer.
    let expected = range.len() / 64;
    reader.fragment.lines.reserve(expected);
    reader.fragment.code.reserve(expected * 16);
    let mut is_open = false;
    let mut cursor = Cursor::new(text.get(..range.end).unwrap_or(text), range.start);
    while reader.errors < MAX_ERRORS
        && let Some(line) = cursor.next_line()
    {
        match line {
            Line::Directive(span) => reader.put(Piece::Directive(span)),
            Line::OpenComment(span) => {
                is_open = true;
                reader.put(Piece::Error(open_comment(span)));
            }
            Line::Tokens => reader.line(&mut cursor),
        }
    }
    reader.flush();
    Part {
        range,
        is_open,
        pieces: reader.pieces,
    }
}

struct Reader<'a> {
    emitter: Option<(&'a Emitter, &'static FamilyTable)>,
    family_from: usize,
    family_missing: bool,
    pieces: Vec<Piece>,
    /// The last piece.
    fragment: Fragment,
    /// The last instruction.
    parsed: Parsed,
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

    /// Reads a line: labels and instructions, separated by `;`.
    fn line(&mut self, cursor: &mut Cursor<'_>) {
        while self.statement(cursor) && cursor.eat(Token::Semicolon) {}
    }

    /// Reads labels and at most one instruction. Returns whether the line may hold more.
    fn statement(&mut self, cursor: &mut Cursor<'_>) -> bool {
        while let Some(name) = cursor.label() {
            self.fragment.label(name);
        }
        if cursor.is_next(Token::Semicolon) {
            return true;
        }
        if cursor.is_done() {
            return false;
        }
        let known = |_: &_| cursor.ends_behind(self.family_from);
        let Some((emitter, family)) = self.emitter.filter(known) else {
            if !self.family_missing {
                self.family_missing = true;
                self.put(Piece::NoFamily(cursor.span()));
            }
            cursor.skip_line();
            return false;
        };
        match instruction::parse(cursor, family, &mut self.parsed) {
            Ok(()) => {
                emitter.push(&self.parsed, &mut self.fragment);
                true
            }
            Err(refusal) => {
                self.put(Piece::Error(refusal.into()));
                cursor.skip_line();
                false
            }
        }
    }
}

/// Drops errors beyond the reported maximum, and everything after them.
pub fn limit(diagnostics: &mut Vec<Diagnostic>) {
    let all = diagnostics.iter().enumerate();
    let mut errors = all.filter(|(_, d)| d.severity == Severity::Error);
    // The next error becomes a note that there are more.
    if let (Some((index, next)), Some(_)) = (errors.nth(MAX_ERRORS), errors.next()) {
        let message = format!("{MAX_ERRORS} errors; what follows is not reported");
        let last = Diagnostic::error(next.span, message);
        diagnostics.truncate(index);
        diagnostics.push(last);
    }
}

fn open_comment(span: Span) -> Diagnostic {
    let end = span.start + "/*".len();
    Diagnostic::error(Span { end, ..span }, "a comment without an end".into())
}

/// Reads an instruction again.
pub fn reread(text: &str, span: Span, family: &'static FamilyTable) -> Parse<Parsed> {
    let mut cursor = Cursor::new(text, span.start);
    let mut parsed = Parsed::implied(Instruction::new(Opcode::Nop), span);
    instruction::parse(&mut cursor, family, &mut parsed)?;
    Ok(parsed)
}

impl Source {
    /// Puts the parts of a text together. Errors are in [`Source::diagnostics`].
    pub fn join(text: &str, parts: Vec<Part>, options: &AsmOptions) -> Self {
        let mut source = Self {
            family: options.family,
            target: None,
            kernels: Vec::new(),
            diagnostics: Vec::new(),
            has_platform: false,
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

    fn platform(&mut self, target: Option<Target>, family: Family, span: Span) {
        if core::mem::replace(&mut self.has_platform, true) {
            self.error(Diagnostic::error(span, "a second platform".into()));
            return;
        }
        match self.family {
            Some(given) if given != family => {
                let name = match target {
                    Some(target) => format!("{} ({family})", target.platform),
                    None => format!("{family}"),
                };
                let message = format!("the file is for {name}, not for {given}");
                self.error(Diagnostic::error(span, message));
            }
            _ => {
                self.family = Some(family);
                self.target = target;
            }
        }
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
