//! A walk over the tokens of one line.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;

use super::lexer::{Lexeme, Token};
use super::{Diagnostic, Span};

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

impl From<Refusal> for Diagnostic {
    fn from(refusal: Refusal) -> Self {
        *refusal.0
    }
}

/// The tokens of one line, and where the walk is.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    pub text: &'a str,
    tokens: &'a [Lexeme],
    at: usize,
    end: Span,
}

impl<'a> Cursor<'a> {
    /// A walk over `tokens`, which are followed by the line end at `end`.
    pub const fn new(text: &'a str, tokens: &'a [Lexeme], end: Span) -> Self {
        Self {
            text,
            tokens,
            at: 0,
            end,
        }
    }

    /// The token `ahead` of the next one.
    pub fn peek_at(&self, ahead: usize) -> Option<Token> {
        self.tokens.get(self.at + ahead).map(|lexeme| lexeme.token)
    }

    /// The next token.
    pub fn peek(&self) -> Option<Token> {
        self.peek_at(0)
    }

    /// Whether the line is used up.
    pub fn is_done(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// The place of the next token, or of the line end.
    pub fn span(&self) -> Span {
        self.tokens
            .get(self.at)
            .map_or(self.end, |lexeme| lexeme.span)
    }

    /// The place of the token just passed.
    pub fn last_span(&self) -> Span {
        self.at
            .checked_sub(1)
            .and_then(|at| self.tokens.get(at))
            .map_or(self.end, |lexeme| lexeme.span)
    }

    /// From the start of `from` to the end of the token just passed.
    pub fn since(&self, from: Span) -> Span {
        Span {
            start: from.start,
            end: self.last_span().end.max(from.end),
        }
    }

    /// The text of a place.
    pub fn slice(&self, span: Span) -> &'a str {
        span.of(self.text)
    }

    /// The next token's text.
    pub fn text_at(&self, ahead: usize) -> &'a str {
        self.tokens
            .get(self.at + ahead)
            .map_or("", |lexeme| self.slice(lexeme.span))
    }

    /// Passes the next token.
    pub fn advance(&mut self) {
        self.at += 1;
    }

    /// Passes the next token if it is `token`.
    pub fn eat(&mut self, token: Token) -> bool {
        let found = self.peek() == Some(token);
        if found {
            self.at += 1;
        }
        found
    }

    /// Passes the name `name` if it is next.
    pub fn eat_name(&mut self, name: &str) -> bool {
        let found = self.peek() == Some(Token::Ident) && self.text_at(0) == name;
        if found {
            self.at += 1;
        }
        found
    }

    /// Passes `token`, which must be next.
    pub fn expect(&mut self, token: Token) -> Parse<()> {
        if self.eat(token) {
            Ok(())
        } else {
            Err(self.expected(token.describe()))
        }
    }

    /// A name, which must be next.
    pub fn name(&mut self, what: &str) -> Parse<(&'a str, Span)> {
        if self.peek() != Some(Token::Ident) {
            return Err(self.expected(what));
        }
        let span = self.span();
        self.advance();
        Ok((self.slice(span), span))
    }

    /// A number, which must be next.
    pub fn integer(&mut self, what: &str) -> Parse<(u64, Span)> {
        let Some(lexeme) = self.tokens.get(self.at) else {
            return Err(self.expected(what));
        };
        let span = lexeme.span;
        if lexeme.value != Lexeme::NO_VALUE {
            self.advance();
            return Ok((lexeme.value.into(), span));
        }
        let text = self.slice(span);
        let value = match self.peek() {
            Some(Token::Decimal) => number(text, 10),
            Some(Token::Hex) => number(text.get(2..).unwrap_or(""), 16),
            Some(Token::Binary) => number(text.get(2..).unwrap_or(""), 2),
            _ => return Err(self.expected(what)),
        };
        self.advance();
        match value {
            Some(value) => Ok((value, span)),
            None => Err(Refusal::new(span, format!("`{text}` does not fit 64 bits"))),
        }
    }

    /// A number of at most `max`.
    pub fn small(&mut self, what: &str, max: u8) -> Parse<u8> {
        let (value, span) = self.integer(what)?;
        match u8::try_from(value) {
            Ok(value) if value <= max => Ok(value),
            _ => Err(Refusal::new(
                span,
                format!("{value} is out of range, {what} is at most {max}"),
            )),
        }
    }

    /// An error about what is next, when `what` should be.
    pub fn expected(&self, what: &str) -> Refusal {
        let found = match self.peek() {
            None => String::from("the line ends"),
            Some(Token::Ident | Token::Decimal | Token::Hex | Token::Binary | Token::Float) => {
                format!("found `{}`", self.text_at(0))
            }
            Some(token) => format!("found {}", token.describe()),
        };
        Refusal::new(self.span(), format!("expected {what}, {found}"))
    }
}

/// The value of digits, if 64 bits hold it.
#[inline(always)]
fn number(digits: &str, radix: u32) -> Option<u64> {
    // Fifteen digits of any base up to 16 need no check of their sum.
    if digits.len() > 15 {
        return u64::from_str_radix(digits, radix).ok();
    }
    let mut value = 0;
    for byte in digits.bytes() {
        let digit = char::from(byte).to_digit(radix)?;
        value = value * u64::from(radix) + u64::from(digit);
    }
    Some(value)
}
