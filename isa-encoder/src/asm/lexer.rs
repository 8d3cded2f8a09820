//! Tokens of IGA syntax.

use crate::model::names::Key;

/// A token, as long as possible. Blanks, `// …` and everything between `/*` and `*/` are skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// The end of a line, or of the text.
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
    /// Whether it is the last token of a line.
    pub const fn ends_line(self) -> bool {
        matches!(self, Token::Newline | Token::Directive | Token::OpenComment)
    }

    /// The byte of a token of one byte.
    #[inline(always)]
    pub fn byte(self) -> Option<u8> {
        let byte = BY_TOKEN[self as usize];
        (byte != 0).then_some(byte)
    }

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

/// What a byte may be part of.
const WORD: u8 = 1;
const DIGIT: u8 = 2;
const HEX: u8 = 4;
const BINARY: u8 = 8;
const BLANK: u8 = 16;
/// It may begin a comment, or a token of several bytes that is neither word nor number.
const COMPOUND: u8 = 32;
const SLASH: u8 = 64;
/// A number may continue with it after its first digits.
const NUMBER: u8 = 128;

/// The value of any number but decimal ones of at most nine digits, whose values are smaller.
pub const NO_VALUE: u32 = u32::MAX;

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
        if byte == b'/' {
            classes[i] |= SLASH;
        }
        if matches!(byte, b'x' | b'X' | b'b' | b'B' | b'.' | b'e' | b'E') {
            classes[i] |= NUMBER;
        }
        i += 1;
    }
    classes
};

/// The tokens of one byte. `<` and `(` also begin others.
const SINGLES: [(u8, Token); 25] = [
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

/// [`SINGLES`] by the byte.
const BY_BYTE: [Token; 256] = {
    let mut tokens = [Token::Unknown; 256];
    let mut i = 0;
    while i < SINGLES.len() {
        tokens[SINGLES[i].0 as usize] = SINGLES[i].1;
        i += 1;
    }
    tokens
};

/// [`SINGLES`] by the token; 0 for the others.
const BY_TOKEN: [u8; Token::OpenComment as usize + 1] = {
    let mut bytes = [0; Token::OpenComment as usize + 1];
    let mut i = 0;
    while i < SINGLES.len() {
        bytes[SINGLES[i].1 as usize] = SINGLES[i].0;
        i += 1;
    }
    bytes
};

/// A text as tokens; each is found by its start.
#[derive(Clone, Copy, Debug)]
pub struct Lexer<'a> {
    pub text: &'a str,
}

impl Lexer<'_> {
    /// The byte `at`; after the end 0, which is part of no token.
    #[inline(always)]
    pub fn byte(self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    #[inline(always)]
    fn is(self, at: usize, class: u8) -> bool {
        CLASSES[usize::from(self.byte(at))] & class != 0
    }

    /// The end of the bytes of a class from `at` on.
    #[inline(always)]
    fn run(self, mut at: usize, class: u8) -> usize {
        while self.is(at, class) {
            at += 1;
        }
        at
    }

    /// The end of the letters, digits and `_` from `at` on.
    #[inline(always)]
    pub fn end_of_word(self, at: usize) -> usize {
        self.run(at, WORD)
    }

    /// The letters, digits and `_` from `at` on as a key, and their end.
    #[inline(always)]
    pub fn key(self, at: usize) -> (Key, usize) {
        let mut key = Key::EMPTY;
        let mut end = at;
        while self.is(end, WORD) {
            key = key.then(self.byte(end));
            end += 1;
        }
        (key, end)
    }

    /// The number made of one to four digits from `at` on, and their end.
    #[inline(always)]
    pub fn digits(self, at: usize) -> Option<(u32, usize)> {
        let digit = |at| match self.byte(at).wrapping_sub(b'0') {
            digit @ 0..=9 => Some(u32::from(digit)),
            _ => None,
        };
        let mut value = digit(at)?;
        let mut end = at + 1;
        while let Some(digit) = digit(end) {
            value = value * 10 + digit;
            end += 1;
            if end > at + 4 {
                return None;
            }
        }
        Some((value, end))
    }

    /// Whether a number may continue at `at`, after its first digits.
    #[inline(always)]
    pub fn number_goes_on(self, at: usize) -> bool {
        self.is(at, NUMBER) && (self.byte(at) != b'.' || self.is_number(at + 1))
    }

    /// Whether a name begins at `at`.
    #[inline(always)]
    pub fn is_name(self, at: usize) -> bool {
        CLASSES[usize::from(self.byte(at))] & (WORD | DIGIT) == WORD
    }

    /// Whether a number begins at `at`.
    #[inline(always)]
    pub fn is_number(self, at: usize) -> bool {
        self.is(at, DIGIT)
    }

    /// Where the next token or the end of the line is, from `at` on.
    #[inline(always)]
    pub fn skip_blanks(self, at: usize) -> usize {
        match self.is(at, BLANK | SLASH) {
            true => self.skip_more_blanks(at),
            false => at,
        }
    }

    fn skip_more_blanks(self, mut at: usize) -> usize {
        const BLANKS: u64 = u64::from_le_bytes([b' '; 8]);
        let bytes = self.text.as_bytes();
        loop {
            // Columns are far apart.
            while let Some(next) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
                let others = u64::from_le_bytes(*next) ^ BLANKS;
                at += others.trailing_zeros() as usize / 8;
                if others != 0 {
                    break;
                }
            }
            if !self.is(at, BLANK | SLASH) {
                return at;
            }
            if self.byte(at) != b'/' {
                at += 1;
            } else if let Some(end) = self.end_of_comment(at) {
                at = end;
            } else {
                return at;
            }
        }
    }

    /// The end of the comment that begins at `at`, if there is one and it has an end.
    #[inline(never)]
    fn end_of_comment(self, at: usize) -> Option<usize> {
        match self.compound(b'/', at) {
            (None, end) => Some(end),
            (Some(_), _) => None,
        }
    }

    /// What begins at `at`, where there is neither blank nor comment.
    #[inline(always)]
    pub fn kind(self, at: usize) -> Token {
        let byte = self.byte(at);
        let class = CLASSES[usize::from(byte)];
        if class & (DIGIT | COMPOUND) != 0 {
            return self.token(at).0;
        }
        if class & WORD != 0 {
            return Token::Ident;
        }
        match BY_BYTE[usize::from(byte)] {
            Token::Unknown if at >= self.text.len() => Token::Newline,
            token => token,
        }
    }

    /// The token that begins at `at`, where there is neither blank nor comment, and its end.
    pub fn token(self, at: usize) -> (Token, usize) {
        let byte = self.byte(at);
        let class = CLASSES[usize::from(byte)];
        if class & DIGIT != 0 {
            let (token, end, _) = self.number(at);
            return (token, end);
        }
        if class & WORD != 0 {
            return (Token::Ident, self.end_of_word(at));
        }
        if at >= self.text.len() {
            return (Token::Newline, at);
        }
        match self.compound(byte, at) {
            (Some(token), end) => (token, end),
            (None, end) => (Token::Slash, end),
        }
    }

    /// The end of the line that `at` is in.
    pub fn end_of_line(self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or("");
        at + rest.find('\n').unwrap_or(rest.len())
    }

    fn next_is(self, at: usize, text: &str) -> bool {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        rest.starts_with(text.as_bytes())
    }

    /// A number, or a systolic shape such as `8x8`: its kind, its end and its value; the value is
    /// [`NO_VALUE`] unless the number is decimal and of at most nine digits.
    #[inline(always)]
    pub fn number(self, start: usize) -> (Token, usize, u32) {
        let mut digits = start;
        let mut value = 0u32;
        while let digit @ b'0'..=b'9' = self.byte(digits) {
            value = value.wrapping_mul(10).wrapping_add(u32::from(digit - b'0'));
            digits += 1;
        }
        if !self.number_goes_on(digits) {
            let is_short = digits - start <= 9;
            let value = if is_short { value } else { NO_VALUE };
            return (Token::Decimal, digits, value);
        }
        let (token, end) = self.number_with_letters(start, digits);
        let is_whole = token == Token::Decimal && end - start <= 9;
        let value = if is_whole { value } else { NO_VALUE };
        (token, end, value)
    }

    /// A number that may continue after its first digits, which end at `digits`.
    fn number_with_letters(self, start: usize, digits: usize) -> (Token, usize) {
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

    /// A token that is neither name nor number, and its end; no token if it is a comment.
    fn compound(self, byte: u8, start: usize) -> (Option<Token>, usize) {
        let (token, end) = match (byte, self.byte(start + 1)) {
            (b'<', b'<') => (Token::ShiftLeft, start + 2),
            (b'>', b'>') => (Token::ShiftRight, start + 2),
            (b'(', b'a') if self.next_is(start, "(abs)") => (Token::Abs, start + 5),
            (b'(', b's') if self.next_is(start, "(sat)") => (Token::Sat, start + 5),
            (b'/', b'/') if self.byte(start + 2) == b'.' => {
                (Token::Directive, self.end_of_line(start))
            }
            (b'/', b'/') => return (None, self.end_of_line(start)),
            (b'/', b'*') => match self.text.get(start + 2..).and_then(|rest| rest.find("*/")) {
                Some(length) => return (None, start + 2 + length + 2),
                None => (Token::OpenComment, self.text.len()),
            },
            (0x80.., _) => {
                let rest = self.text.get(start..).unwrap_or("");
                let length = rest.chars().next().map_or(1, char::len_utf8);
                (Token::Unknown, start + length)
            }
            _ => (BY_BYTE[usize::from(byte)], start + 1),
        };
        (Some(token), end)
    }

    /// The end of the exponent whose letter is at `at`.
    fn exponent(self, at: usize) -> Option<usize> {
        let sign = matches!(self.byte(at + 1), b'+' | b'-');
        let digits = at + 1 + usize::from(sign);
        let end = self.run(digits, DIGIT);
        (end > digits).then_some(end)
    }
}
