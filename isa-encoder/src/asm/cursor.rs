//! A walk over the tokens of a text, line by line.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;

use super::lexer::{Lexer, NO_VALUE, Token};
use super::{Diagnostic, Span};
use crate::model::names::Names;

/// A parse step's result: an error ends the line.
pub type Parse<T> = Result<T, Refusal>;

/// An error that ends a line. It is boxed, so that results fit into registers.
#[derive(Debug)]
pub struct Refusal(Box<Diagnostic>);

impl Refusal {
    #[cold]
    pub fn new(span: Span, message: String) -> Self {
        Self(Box::new(Diagnostic::error(span, message)))
    }

    /// The same with a help text.
    #[cold]
    pub fn with_help(mut self, help: String) -> Self {
        self.0.help = Some(help);
        self
    }
}

impl From<Diagnostic> for Refusal {
    #[cold]
    fn from(diagnostic: Diagnostic) -> Self {
        Self(Box::new(diagnostic))
    }
}

impl From<Refusal> for Diagnostic {
    fn from(refusal: Refusal) -> Self {
        *refusal.0
    }
}

/// What a line begins with.
#[derive(Clone, Copy, Debug)]
pub enum Line {
    /// `//.name …`; the cursor is past it.
    Directive(Span),
    /// `/*` without an end; the cursor is past it.
    OpenComment(Span),
    /// Something else, which comes next.
    Tokens,
}

/// The position of a walk: in front of a token, or of what ends the line. Only
/// [`Cursor::next_line`] passes line ends.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    lexer: Lexer<'a>,
    /// Where the next token begins.
    at: usize,
    /// Where the token just passed ends.
    passed: usize,
}

impl<'a> Cursor<'a> {
    /// A walk over `text` from the byte `at` on.
    pub fn new(text: &'a str, at: usize) -> Self {
        let lexer = Lexer { text };
        Self {
            lexer,
            at: lexer.skip_blanks(at),
            passed: at,
        }
    }

    /// Where the next token begins, or the line ends.
    #[inline(always)]
    pub const fn place(&self) -> usize {
        self.at
    }

    /// Passes a token that ends at `end`.
    #[inline(always)]
    fn pass(&mut self, end: usize) {
        self.passed = end;
        self.at = self.lexer.skip_blanks(end);
    }

    /// Passes line ends, up to the next thing in the text.
    pub fn next_line(&mut self) -> Option<Line> {
        loop {
            let start = self.place();
            let (token, end) = match self.lexer.byte(start) {
                b'\n' => (Token::Newline, start + 1),
                b'/' => self.lexer.token(start),
                _ if start >= self.lexer.text.len() => return None,
                _ => return Some(Line::Tokens),
            };
            if !token.ends_line() {
                return Some(Line::Tokens);
            }
            self.pass(end);
            let span = Span { start, end };
            match token {
                Token::Directive => return Some(Line::Directive(span)),
                Token::OpenComment => return Some(Line::OpenComment(span)),
                _ => {}
            }
        }
    }

    /// Passes the rest of the line.
    pub fn skip_line(&mut self) {
        while !self.is_done() {
            self.advance();
        }
    }

    /// Whether the line of the text ends after `place`.
    pub fn ends_behind(&self, place: usize) -> bool {
        self.at > place || self.lexer.end_of_line(self.place()) > place
    }

    /// Passes `name:` if it is next.
    #[inline]
    pub fn label(&mut self) -> Option<Span> {
        let start = self.place();
        if !self.lexer.is_name(start) {
            return None;
        }
        let end = self.lexer.end_of_word(start);
        let colon = self.lexer.skip_blanks(end);
        if self.lexer.byte(colon) != b':' {
            return None;
        }
        self.pass(colon + 1);
        Some(Span { start, end })
    }

    /// The token `ahead` of the next one.
    pub fn peek_at(&self, ahead: usize) -> Option<Token> {
        let mut ahead_of = *self;
        for _ in 0..ahead {
            ahead_of.advance();
        }
        ahead_of.peek()
    }

    /// The next token, if the line does not end.
    #[inline]
    pub fn peek(&self) -> Option<Token> {
        let token = self.lexer.kind(self.place());
        (!token.ends_line()).then_some(token)
    }

    /// Whether the next token is `token`.
    #[inline(always)]
    pub fn is_next(&self, token: Token) -> bool {
        match token.byte() {
            Some(byte) => self.lexer.byte(self.at) == byte,
            None => self.peek() == Some(token),
        }
    }

    /// Whether the next token begins with `byte`.
    #[inline(always)]
    pub fn begins_with(&self, byte: u8) -> bool {
        self.lexer.byte(self.at) == byte
    }

    /// Whether the next token is a name.
    #[inline(always)]
    pub fn is_name(&self) -> bool {
        self.lexer.is_name(self.place())
    }

    /// Whether the next token is a number of any kind.
    #[inline(always)]
    pub fn is_number(&self) -> bool {
        self.lexer.is_number(self.place())
    }

    /// Whether the line is used up.
    #[inline]
    pub fn is_done(&self) -> bool {
        self.peek().is_none()
    }

    /// The place of the next token, or of the line end.
    pub fn span(&self) -> Span {
        let start = self.place();
        let (token, end) = self.lexer.token(start);
        Span {
            start,
            end: if token.ends_line() { start } else { end },
        }
    }

    /// From `start` to the end of the token just passed.
    #[inline(always)]
    pub const fn since(&self, start: usize) -> Span {
        let passed = self.passed;
        let end = if passed > start { passed } else { start };
        Span { start, end }
    }

    /// The text of a place.
    #[inline(always)]
    pub fn slice(&self, span: Span) -> &'a str {
        span.of(self.lexer.text)
    }

    /// The next token's text.
    pub fn text(&self) -> &'a str {
        self.slice(self.span())
    }

    /// The text from the next token on.
    #[inline(always)]
    pub fn bytes(&self) -> Option<&'a [u8]> {
        self.lexer.text.as_bytes().get(self.at..)
    }

    /// Passes this many bytes, which are whole tokens.
    #[inline(always)]
    pub fn pass_bytes(&mut self, count: usize) {
        self.pass(self.at + count);
    }

    /// Passes the next token.
    pub fn advance(&mut self) {
        let (token, end) = self.lexer.token(self.place());
        if !token.ends_line() {
            self.pass(end);
        }
    }

    /// Passes the next token if it is `token`.
    #[inline(always)]
    pub fn eat(&mut self, token: Token) -> bool {
        if let Some(byte) = token.byte() {
            let found = self.begins_with(byte);
            if found {
                self.pass(self.at + 1);
            }
            return found;
        }
        let found = self.peek() == Some(token);
        if found {
            self.advance();
        }
        found
    }

    /// Passes the name `name` if it is next.
    #[inline(always)]
    pub fn eat_name(&mut self, name: &str) -> bool {
        let place = self.place();
        let rest = self.lexer.text.as_bytes().get(place..);
        let end = place + name.len();
        let found = rest.is_some_and(|rest| rest.starts_with(name.as_bytes()))
            && self.lexer.end_of_word(end) == end;
        if found {
            self.pass(end);
        }
        found
    }

    /// Passes the directive `name` if it ends the line, and returns its place.
    #[inline(always)]
    pub fn eat_directive(&mut self, name: &str) -> Option<Span> {
        if !self.begins_with(b'/') {
            return None;
        }
        let start = self.place();
        let (token, end) = self.lexer.token(start);
        let span = Span { start, end };
        let text = self.slice(span).strip_prefix("//.")?.strip_prefix(name)?;
        let is_whole = text.is_empty() || text.starts_with([' ', '\t', '\r']);
        if token != Token::Directive || !is_whole {
            return None;
        }
        self.pass(end);
        Some(span)
    }

    /// Passes `token`, which must be next.
    #[inline(always)]
    pub fn expect(&mut self, token: Token) -> Parse<()> {
        if self.eat(token) {
            Ok(())
        } else {
            Err(self.expected(token.describe()))
        }
    }

    /// Passes a name of `names` if it is next, and returns its index.
    #[inline]
    pub fn eat_one_of<const SLOTS: usize>(&mut self, names: &Names<SLOTS>) -> Option<usize> {
        let start = self.place();
        if !self.lexer.is_name(start) {
            return None;
        }
        let (key, end) = self.lexer.key(start);
        let index = names.find_key(key)?;
        self.pass(end);
        Some(index)
    }

    /// Passes a name that is `letter` and a decimal number for which `fits` holds, if it is next.
    #[inline(always)]
    pub fn eat_numbered(&mut self, letter: u8, fits: impl FnOnce(u8) -> bool) -> Option<u8> {
        if !self.begins_with(letter) {
            return None;
        }
        let (number, end) = self.lexer.digits(self.at + 1)?;
        let number = u8::try_from(number).ok()?;
        if !fits(number) || self.lexer.end_of_word(end) != end {
            return None;
        }
        self.pass(end);
        Some(number)
    }

    /// Passes a decimal number of at most four digits for which `fits` holds, if it is next.
    #[inline(always)]
    pub fn eat_decimal(&mut self, fits: impl FnOnce(u32) -> bool) -> Option<u32> {
        let (number, end) = self.lexer.digits(self.place())?;
        if self.lexer.number_goes_on(end) || !fits(number) {
            return None;
        }
        self.pass(end);
        Some(number)
    }

    /// A name, which must be next.
    #[inline]
    pub fn name(&mut self, what: &str) -> Parse<(&'a str, Span)> {
        let start = self.place();
        let end = if self.lexer.is_name(start) {
            self.lexer.end_of_word(start)
        } else {
            // A systolic shape begins with a digit.
            match self.lexer.token(start) {
                (Token::Ident, end) => end,
                _ => return Err(self.expected(what)),
            }
        };
        let span = Span { start, end };
        self.pass(end);
        Ok((self.slice(span), span))
    }

    /// A number, which must be next.
    #[inline]
    pub fn integer(&mut self, what: &str) -> Parse<(u64, Span)> {
        let (_, value, span) = self.integer_of_kind(what)?;
        Ok((value, span))
    }

    /// Like [`Cursor::integer`], but also returns the kind of the token.
    #[inline]
    pub fn integer_of_kind(&mut self, what: &str) -> Parse<(Token, u64, Span)> {
        let start = self.at;
        if !self.lexer.is_number(start) {
            return Err(self.expected(what));
        }
        let (token, end, value) = self.lexer.number(start);
        let span = Span { start, end };
        if value != NO_VALUE {
            self.pass(end);
            return Ok((token, value.into(), span));
        }
        let text = self.slice(span);
        let value = match token {
            Token::Decimal => number(text, 10),
            Token::Hex => number(text.get(2..).unwrap_or(""), 16),
            Token::Binary => number(text.get(2..).unwrap_or(""), 2),
            _ => return Err(self.expected(what)),
        };
        self.pass(end);
        match value {
            Some(value) => Ok((token, value, span)),
            None => Err(Refusal::new(span, format!("`{text}` does not fit 64 bits"))),
        }
    }

    /// A number of at most `max`.
    #[inline]
    pub fn small(&mut self, what: &str, max: u8) -> Parse<u8> {
        if let Some(value) = self.eat_decimal(|value| value <= max.into()) {
            return Ok(value as u8);
        }
        let (value, span) = self.integer(what)?;
        match u8::try_from(value) {
            Ok(value) if value <= max => Ok(value),
            _ => Err(Refusal::new(
                span,
                format!("{value} is out of range, {what} is at most {max}"),
            )),
        }
    }

    /// An error about the next token, where `what` should be.
    #[cold]
    #[inline(never)]
    pub fn expected(&self, what: &str) -> Refusal {
        let found = match self.peek() {
            None => String::from("the line ends"),
            Some(Token::Unknown) => {
                let character = self.text().escape_default();
                return Refusal::new(self.span(), format!("`{character}` has no meaning here"));
            }
            Some(Token::Ident | Token::Decimal | Token::Hex | Token::Binary | Token::Float) => {
                format!("found `{}`", self.text())
            }
            Some(token) => format!("found {}", token.describe()),
        };
        Refusal::new(self.span(), format!("expected {what}, {found}"))
    }
}

/// The value of digits, if 64 bits hold it.
#[inline(always)]
fn number(digits: &str, radix: u32) -> Option<u64> {
    // Fifteen digits of any base up to 16 cannot overflow.
    if digits.len() > 15 {
        return u64::from_str_radix(digits, radix).ok();
    }
    let mut value = 0;
    for byte in digits.bytes() {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            _ => (byte | 0x20).wrapping_sub(b'a').saturating_add(10),
        };
        if u32::from(digit) >= radix {
            return None;
        }
        value = value * u64::from(radix) + u64::from(digit);
    }
    Some(value)
}
