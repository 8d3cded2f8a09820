//! Tokens of IGA syntax.

use logos::{Lexer, Logos};

/// A token. Comments between `/*` and `*/` are skipped.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r]+")]
#[logos(skip r"/\*([^*]|\*+[^*/])*\*+/")]
pub enum Token {
    /// The end of a line.
    #[token("\n")]
    Newline,
    /// `//.name …`, to the end of the line.
    #[token("//.", rest_of_line)]
    Directive,
    /// `// …`, to the end of the line.
    #[token("//", rest_of_line)]
    Comment,
    /// A name.
    #[regex(r"[_a-zA-Z][_a-zA-Z0-9]*")]
    #[regex(r"[1-9][0-9]*x[0-9]+")]
    Ident,
    /// A decimal number.
    #[regex(r"[0-9]+")]
    Decimal,
    /// A hexadecimal number.
    #[regex(r"0[xX][0-9a-fA-F]+")]
    Hex,
    /// A binary number.
    #[regex(r"0[bB][01]+")]
    Binary,
    /// A decimal fraction, or a number with an exponent.
    #[regex(r"[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?")]
    #[regex(r"[0-9]+[eE][+-]?[0-9]+")]
    Float,
    /// A hexadecimal fraction with an exponent.
    #[regex(r"0[xX][0-9a-fA-F]*(\.[0-9a-fA-F]*)?[pP][+-]?[0-9]+")]
    HexFloat,
    /// `(abs)`.
    #[token("(abs)")]
    Abs,
    /// `(sat)`.
    #[token("(sat)")]
    Sat,
    /// `<<`.
    #[token("<<")]
    ShiftLeft,
    /// `>>`.
    #[token(">>")]
    ShiftRight,
    /// `<`.
    #[token("<")]
    Less,
    /// `>`.
    #[token(">")]
    Greater,
    /// `[`.
    #[token("[")]
    LeftBracket,
    /// `]`.
    #[token("]")]
    RightBracket,
    /// `{`.
    #[token("{")]
    LeftBrace,
    /// `}`.
    #[token("}")]
    RightBrace,
    /// `(`.
    #[token("(")]
    LeftParen,
    /// `)`.
    #[token(")")]
    RightParen,
    /// `$`.
    #[token("$")]
    Dollar,
    /// `.`.
    #[token(".")]
    Dot,
    /// `,`.
    #[token(",")]
    Comma,
    /// `;`.
    #[token(";")]
    Semicolon,
    /// `:`.
    #[token(":")]
    Colon,
    /// `~`.
    #[token("~")]
    Tilde,
    /// `@`.
    #[token("@")]
    At,
    /// `#`.
    #[token("#")]
    Hash,
    /// `&`.
    #[token("&")]
    Ampersand,
    /// `|`.
    #[token("|")]
    Pipe,
    /// `^`.
    #[token("^")]
    Caret,
    /// `+`.
    #[token("+")]
    Plus,
    /// `-`.
    #[token("-")]
    Minus,
    /// `*`.
    #[token("*")]
    Star,
    /// `/`.
    #[token("/")]
    Slash,
    /// `%`.
    #[token("%")]
    Percent,
}

/// Takes what is left of the line. A comment is half of a disassembly's text; this finds its end
/// many bytes at a time.
fn rest_of_line(lexer: &mut Lexer<'_, Token>) {
    let rest = lexer.remainder();
    lexer.bump(rest.find('\n').unwrap_or(rest.len()));
}

impl Token {
    /// The token in a sentence.
    pub const fn describe(self) -> &'static str {
        match self {
            Token::Newline => "the end of the line",
            Token::Directive => "a directive",
            Token::Comment => "a comment",
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
