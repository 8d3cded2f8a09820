//! Tokens of IGA syntax.

use super::Span;

/// A token. Blanks, `// …` and what is between `/*` and `*/` are skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// The end of a line.
    Newline,
    /// `//.name …`, to the end of the line.
    Directive,
    /// A name.
    Ident,
    /// A decimal number.
    Decimal,
    /// A hexadecimal number.
    Hex,
    /// A binary number.
    Binary,
    /// A decimal fraction, or a number with an exponent.
    Float,
    /// A hexadecimal fraction with an exponent.
    HexFloat,
    /// `(abs)`.
    Abs,
    /// `(sat)`.
    Sat,
    /// `<<`.
    ShiftLeft,
    /// `>>`.
    ShiftRight,
    /// `<`.
    Less,
    /// `>`.
    Greater,
    /// `[`.
    LeftBracket,
    /// `]`.
    RightBracket,
    /// `{`.
    LeftBrace,
    /// `}`.
    RightBrace,
    /// `(`.
    LeftParen,
    /// `)`.
    RightParen,
    /// `$`.
    Dollar,
    /// `.`.
    Dot,
    /// `,`.
    Comma,
    /// `;`.
    Semicolon,
    /// `:`.
    Colon,
    /// `~`.
    Tilde,
    /// `@`.
    At,
    /// `#`.
    Hash,
    /// `&`.
    Ampersand,
    /// `|`.
    Pipe,
    /// `^`.
    Caret,
    /// `+`.
    Plus,
    /// `-`.
    Minus,
    /// `*`.
    Star,
    /// `/`.
    Slash,
    /// `%`.
    Percent,
    /// A character that begins no token.
    Unknown,
    /// `/*` without `*/`, to the end of the text.
    OpenComment,
}

impl Token {
    /// The token in a sentence.
    pub const fn describe(self) -> &'static str {
        match self {
            Token::Newline => "the end of the line",
            Token::Directive => "a directive",
            Token::Unknown => "a character without a meaning",
            Token::OpenComment => "a comment without an end",
            Token::Ident => "a name",
            Token::Decimal | Token::Hex | Token::Binary => "a number",
            Token::Float | Token::HexFloat => "a fraction",
            Token::Abs => "`(abs)`",
            Token::Sat => "`(sat)`",
            Token::ShiftLeft => "`<<`",
            Token::ShiftRight => "`>>`",
            Token::Less => "`<`",
            Token::Greater => "`>`",
            Token::LeftBracket => "`[`",
            Token::RightBracket => "`]`",
            Token::LeftBrace => "`{`",
            Token::RightBrace => "`}`",
            Token::LeftParen => "`(`",
            Token::RightParen => "`)`",
            Token::Dollar => "`$`",
            Token::Dot => "`.`",
            Token::Comma => "`,`",
            Token::Semicolon => "`;`",
            Token::Colon => "`:`",
            Token::Tilde => "`~`",
            Token::At => "`@`",
            Token::Hash => "`#`",
            Token::Ampersand => "`&`",
            Token::Pipe => "`|`",
            Token::Caret => "`^`",
            Token::Plus => "`+`",
            Token::Minus => "`-`",
            Token::Star => "`*`",
            Token::Slash => "`/`",
            Token::Percent => "`%`",
        }
    }
}

/// A token in its place.
#[derive(Clone, Copy, Debug)]
pub struct Lexeme {
    pub token: Token,
    /// What a decimal number of at most nine digits is; else [`Lexeme::NO_VALUE`].
    pub value: u32,
    pub span: Span,
}

impl Lexeme {
    /// Nine digits are less.
    pub const NO_VALUE: u32 = u32::MAX;
}

/// What a byte may be part of.
const WORD: u8 = 1;
const DIGIT: u8 = 2;
const HEX: u8 = 4;
const BINARY: u8 = 8;
const BLANK: u8 = 16;
/// It may begin a token of several bytes that is neither word nor number, or a comment.
const COMPOUND: u8 = 32;

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut i = 0;
    while i < classes.len() {
        let byte = i as u8;
        if byte.is_ascii_alphanumeric() || byte == b'_' {
            classes[i] |= WORD;
        }
        if byte.is_ascii_digit() {
            classes[i] |= DIGIT;
        }
        if byte.is_ascii_hexdigit() {
            classes[i] |= HEX;
        }
        if matches!(byte, b'0' | b'1') {
            classes[i] |= BINARY;
        }
        if matches!(byte, b' ' | b'\t' | b'\r') {
            classes[i] |= BLANK;
        }
        if matches!(byte, b'/' | b'(' | b'<' | b'>') || !byte.is_ascii() {
            classes[i] |= COMPOUND;
        }
        i += 1;
    }
    classes
};

/// The tokens of one byte.
const SINGLES: [Token; 256] = {
    let mut tokens = [Token::Unknown; 256];
    let singles = [
        (b'\n', Token::Newline),
        (b'<', Token::Less),
        (b'>', Token::Greater),
        (b'[', Token::LeftBracket),
        (b']', Token::RightBracket),
        (b'{', Token::LeftBrace),
        (b'}', Token::RightBrace),
        (b'(', Token::LeftParen),
        (b')', Token::RightParen),
        (b'$', Token::Dollar),
        (b'.', Token::Dot),
        (b',', Token::Comma),
        (b';', Token::Semicolon),
        (b':', Token::Colon),
        (b'~', Token::Tilde),
        (b'@', Token::At),
        (b'#', Token::Hash),
        (b'&', Token::Ampersand),
        (b'|', Token::Pipe),
        (b'^', Token::Caret),
        (b'+', Token::Plus),
        (b'-', Token::Minus),
        (b'*', Token::Star),
        (b'/', Token::Slash),
        (b'%', Token::Percent),
    ];
    let mut i = 0;
    while i < singles.len() {
        tokens[singles[i].0 as usize] = singles[i].1;
        i += 1;
    }
    tokens
};

/// The tokens of a text, each as long as it can be.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    /// The tokens of `text` from the byte `at` on.
    pub const fn new(text: &'a str, at: usize) -> Self {
        Self { text, at }
    }

    /// The byte `at`; 0, which is part of no token, behind the end.
    #[inline(always)]
    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    /// The end of the bytes of a class from `at` on.
    #[inline(always)]
    fn run(&self, mut at: usize, class: u8) -> usize {
        while CLASSES[usize::from(self.byte(at))] & class != 0 {
            at += 1;
        }
        at
    }

    /// The end of the comment whose `/*` ends at `at`.
    fn end_of_comment(&self, at: usize) -> Option<usize> {
        Some(at + self.text.get(at..)?.find("*/")? + 2)
    }

    fn end_of_line(&self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or("");
        at + rest.find('\n').unwrap_or(rest.len())
    }

    fn next_is(&self, at: usize, text: &str) -> bool {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        rest.starts_with(text.as_bytes())
    }

    /// A number, or a systolic shape such as `8x8`: its kind, its end, and what it is if it is
    /// decimal.
    #[inline(always)]
    fn number(&self, start: usize) -> (Token, usize, u32) {
        let mut digits = start;
        let mut value = 0u32;
        while let digit @ b'0'..=b'9' = self.byte(digits) {
            value = value.wrapping_mul(10).wrapping_add(u32::from(digit - b'0'));
            digits += 1;
        }
        if !matches!(
            self.byte(digits),
            b'x' | b'X' | b'b' | b'B' | b'.' | b'e' | b'E'
        ) {
            let is_short = digits - start <= 9;
            let value = if is_short { value } else { Lexeme::NO_VALUE };
            return (Token::Decimal, digits, value);
        }
        let (token, end) = self.number_with_letters(start, digits);
        let is_whole = token == Token::Decimal && end - start <= 9;
        let value = if is_whole { value } else { Lexeme::NO_VALUE };
        (token, end, value)
    }

    /// A number that may go on behind its first digits, which end at `digits`.
    fn number_with_letters(&self, start: usize, digits: usize) -> (Token, usize) {
        let prefixed = self.byte(start) == b'0' && digits == start + 1;
        let next = self.byte(digits);
        match next {
            b'x' | b'X' if prefixed => {
                let hex = self.run(digits + 1, HEX);
                let fraction = match self.byte(hex) {
                    b'.' => self.run(hex + 1, HEX),
                    _ => hex,
                };
                let is_float = matches!(self.byte(fraction), b'p' | b'P');
                if let Some(end) = self.exponent(fraction).filter(|_| is_float) {
                    return (Token::HexFloat, end);
                }
                if hex > digits + 1 {
                    return (Token::Hex, hex);
                }
            }
            b'b' | b'B' if prefixed => {
                let end = self.run(digits + 1, BINARY);
                if end > digits + 1 {
                    return (Token::Binary, end);
                }
            }
            b'x' if self.byte(start) != b'0' => {
                let end = self.run(digits + 1, DIGIT);
                if end > digits + 1 {
                    return (Token::Ident, end);
                }
            }
            b'.' => {
                let fraction = self.run(digits + 1, DIGIT);
                if fraction > digits + 1 {
                    let scaled = matches!(self.byte(fraction), b'e' | b'E');
                    let end = self.exponent(fraction).filter(|_| scaled);
                    return (Token::Float, end.unwrap_or(fraction));
                }
            }
            b'e' | b'E' => {
                if let Some(end) = self.exponent(digits) {
                    return (Token::Float, end);
                }
            }
            _ => {}
        }
        (Token::Decimal, digits)
    }

    /// What may have several bytes, and its end; no token if it is a comment.
    #[inline(always)]
    fn compound(&self, byte: u8, start: usize) -> (Option<Token>, usize) {
        let (token, end) = match (byte, self.byte(start + 1)) {
            (b'<', b'<') => (Token::ShiftLeft, start + 2),
            (b'>', b'>') => (Token::ShiftRight, start + 2),
            (b'(', b'a') if self.next_is(start, "(abs)") => (Token::Abs, start + 5),
            (b'(', b's') if self.next_is(start, "(sat)") => (Token::Sat, start + 5),
            (b'/', b'/') if self.byte(start + 2) == b'.' => {
                (Token::Directive, self.end_of_line(start))
            }
            (b'/', b'/') => return (None, self.end_of_line(start)),
            (b'/', b'*') => match self.end_of_comment(start + 2) {
                Some(end) => return (None, end),
                None => (Token::OpenComment, self.text.len()),
            },
            (0x80.., _) => {
                let rest = self.text.get(start..).unwrap_or("");
                let length = rest.chars().next().map_or(1, char::len_utf8);
                (Token::Unknown, start + length)
            }
            _ => (SINGLES[usize::from(byte)], start + 1),
        };
        (Some(token), end)
    }

    /// The end of the exponent whose letter is at `at`.
    fn exponent(&self, at: usize) -> Option<usize> {
        let sign = matches!(self.byte(at + 1), b'+' | b'-');
        let digits = at + 1 + usize::from(sign);
        let end = self.run(digits, DIGIT);
        (end > digits).then_some(end)
    }
}

impl Iterator for Lexer<'_> {
    type Item = Lexeme;

    #[inline(always)]
    fn next(&mut self) -> Option<Lexeme> {
        loop {
            let start = self.run(self.at, BLANK);
            let byte = self.text.as_bytes().get(start).copied()?;
            let class = CLASSES[usize::from(byte)];
            let mut value = Lexeme::NO_VALUE;
            let (token, end) = if class & (WORD | DIGIT) == WORD {
                (Token::Ident, self.run(start + 1, WORD))
            } else if class & DIGIT != 0 {
                let (token, end, decimal) = self.number(start);
                value = decimal;
                (token, end)
            } else if class & COMPOUND != 0 {
                match self.compound(byte, start) {
                    (Some(token), end) => (token, end),
                    (None, end) => {
                        self.at = end;
                        continue;
                    }
                }
            } else {
                (SINGLES[usize::from(byte)], start + 1)
            };
            self.at = end;
            return Some(Lexeme {
                token,
                value,
                span: Span { start, end },
            });
        }
    }
}
