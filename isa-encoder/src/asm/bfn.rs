//! The function of `bfn`: `0xCA` or `(s0&s1|~s2)`.

use alloc::format;

use super::cursor::{Cursor, Parse, Refusal};
use super::lexer::Token;

/// The truth tables of the bare sources.
const SOURCES: [(&str, u8); 3] = [("s0", 0xaa), ("s1", 0xcc), ("s2", 0xf0)];

/// Nesting beyond this is refused.
const MAX_DEPTH: u32 = 64;

/// Parses a truth table.
pub fn table(cursor: &mut Cursor<'_>) -> Parse<u8> {
    if !cursor.is_next(Token::LeftParen) {
        let (value, span) = cursor.integer("a truth table or an expression in parentheses")?;
        return u8::try_from(value)
            .map_err(|_| Refusal::new(span, format!("{value:#x} is more than 8 bits")));
    }
    cursor.advance();
    let value = or(cursor, 0)?;
    cursor.expect(Token::RightParen)?;
    Ok(value)
}

fn or(cursor: &mut Cursor<'_>, depth: u32) -> Parse<u8> {
    let mut value = xor(cursor, depth)?;
    while cursor.eat(Token::Pipe) {
        value |= xor(cursor, depth)?;
    }
    Ok(value)
}

fn xor(cursor: &mut Cursor<'_>, depth: u32) -> Parse<u8> {
    let mut value = and(cursor, depth)?;
    while cursor.eat(Token::Caret) {
        value ^= and(cursor, depth)?;
    }
    Ok(value)
}

fn and(cursor: &mut Cursor<'_>, depth: u32) -> Parse<u8> {
    let mut value = unary(cursor, depth)?;
    while cursor.eat(Token::Ampersand) {
        value &= unary(cursor, depth)?;
    }
    Ok(value)
}

fn unary(cursor: &mut Cursor<'_>, depth: u32) -> Parse<u8> {
    if depth > MAX_DEPTH {
        return Err(Refusal::new(
            cursor.span(),
            format!("expressions nest at most {MAX_DEPTH} deep"),
        ));
    }
    if cursor.eat(Token::Tilde) {
        return Ok(!unary(cursor, depth + 1)?);
    }
    if cursor.eat(Token::LeftParen) {
        let value = or(cursor, depth + 1)?;
        cursor.expect(Token::RightParen)?;
        return Ok(value);
    }
    if cursor.is_number() {
        let (value, span) = cursor.integer("a source")?;
        return u8::try_from(value)
            .map_err(|_| Refusal::new(span, format!("{value:#x} is more than 8 bits")));
    }
    let (name, span) = cursor.name("s0, s1 or s2")?;
    SOURCES
        .iter()
        .find(|(source, _)| *source == name)
        .map(|(_, table)| *table)
        .ok_or_else(|| Refusal::new(span, format!("`{name}` is not s0, s1 or s2")))
}
