//! Constant expressions and immediates.

use alloc::format;

use super::Span;
use super::cursor::{Cursor, Parse, Refusal};
use super::lexer::Token;
use crate::disasm::float;
use crate::model::{Type, TypeKind};

/// The value of a constant expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// An integer, modulo 2^64.
    Integer {
        value: i64,
        /// It was a single decimal literal or the result of a division: as the bits of a fraction
        /// this is a mistake.
        decimal: bool,
    },
    /// A fraction.
    Float(f64),
}

/// Nesting beyond this is refused.
const MAX_DEPTH: u32 = 64;

/// Whether an expression can begin at `token`.
#[inline]
pub fn begins(cursor: &Cursor<'_>) -> bool {
    if cursor.is_name() {
        // Nearly all names are registers.
        return !cursor.begins_with(b'r') && is_special(cursor.text());
    }
    cursor.is_number() || begins_with_sign(cursor)
}

/// Like [`begins`], for what begins with neither letter nor digit.
fn begins_with_sign(cursor: &Cursor<'_>) -> bool {
    match cursor.peek() {
        Some(Token::LeftParen) => true,
        Some(Token::Minus | Token::Plus | Token::Tilde) => {
            let mut behind = *cursor;
            behind.advance();
            match behind.peek() {
                Some(Token::Ident) => is_special(behind.text()),
                Some(Token::Abs) => false,
                _ => true,
            }
        }
        _ => false,
    }
}

fn is_special(name: &str) -> bool {
    matches!(name, "inf" | "qnan" | "snan" | "nan")
}

/// Parses a constant expression: `+ - * / % << >> & ^ |`, parentheses, literals.
pub fn expression(cursor: &mut Cursor<'_>) -> Parse<Value> {
    binary(cursor, 1, 0)
}

/// How tightly an operator binds; 0 if the token is not an operator.
const fn level(token: Token) -> u8 {
    match token {
        Token::Pipe => 1,
        Token::Caret => 2,
        Token::Ampersand => 3,
        Token::ShiftLeft | Token::ShiftRight => 4,
        Token::Plus | Token::Minus => 5,
        Token::Star | Token::Slash | Token::Percent => 6,
        _ => 0,
    }
}

/// Operators of level `least` and above.
fn binary(cursor: &mut Cursor<'_>, least: u8, depth: u32) -> Parse<Value> {
    let start = cursor.place();
    let mut left = unary(cursor, depth)?;
    while let Some(operator) = operator(cursor).filter(|token| level(*token) >= least) {
        cursor.advance();
        let right = binary(cursor, level(operator) + 1, depth)?;
        left = apply(operator, left, right)
            .ok_or_else(|| Refusal::new(cursor.since(start), "this has no value".into()))?;
    }
    Ok(left)
}

/// What comes next, if it may be an operator.
#[inline(always)]
fn operator(cursor: &Cursor<'_>) -> Option<Token> {
    match cursor.is_number() || cursor.is_name() {
        true => None,
        false => cursor.peek(),
    }
}

fn apply(operator: Token, left: Value, right: Value) -> Option<Value> {
    use Value::{Float, Integer};
    if let (Integer { value: a, .. }, Integer { value: b, .. }) = (left, right) {
        let value = match operator {
            Token::Pipe => a | b,
            Token::Caret => a ^ b,
            Token::Ampersand => a & b,
            Token::ShiftLeft => a.checked_shl(u32::try_from(b).ok()?)?,
            Token::ShiftRight => a.checked_shr(u32::try_from(b).ok()?)?,
            Token::Plus => a.wrapping_add(b),
            Token::Minus => a.wrapping_sub(b),
            Token::Star => a.wrapping_mul(b),
            Token::Slash => a.checked_div(b)?,
            Token::Percent => a.checked_rem(b)?,
            _ => return None,
        };
        return Some(Integer {
            value,
            decimal: operator == Token::Slash,
        });
    }
    let float = |value| match value {
        Integer { value, .. } => value as f64,
        Float(value) => value,
    };
    let (a, b) = (float(left), float(right));
    Some(Float(match operator {
        Token::Plus => a + b,
        Token::Minus => a - b,
        Token::Star => a * b,
        Token::Slash => a / b,
        _ => return None,
    }))
}

fn unary(cursor: &mut Cursor<'_>, depth: u32) -> Parse<Value> {
    if cursor.is_number() {
        return literal(cursor);
    }
    if depth > MAX_DEPTH {
        return Err(Refusal::new(
            cursor.span(),
            format!("expressions nest at most {MAX_DEPTH} deep"),
        ));
    }
    let start = cursor.place();
    if cursor.eat(Token::Minus) {
        return Ok(match unary(cursor, depth + 1)? {
            Value::Integer { value, decimal } => Value::Integer {
                value: value.wrapping_neg(),
                decimal,
            },
            Value::Float(value) => Value::Float(-value),
        });
    }
    if cursor.eat(Token::Plus) {
        return unary(cursor, depth + 1);
    }
    if cursor.eat(Token::Tilde) {
        return match unary(cursor, depth + 1)? {
            Value::Integer { value, decimal } => Ok(Value::Integer {
                value: !value,
                decimal,
            }),
            Value::Float(_) => Err(Refusal::new(
                cursor.since(start),
                "`~` takes an integer".into(),
            )),
        };
    }
    if cursor.eat(Token::LeftParen) {
        let value = binary(cursor, 1, depth + 1)?;
        cursor.expect(Token::RightParen)?;
        return Ok(value);
    }
    literal(cursor)
}

fn literal(cursor: &mut Cursor<'_>) -> Parse<Value> {
    let token = cursor.peek();
    if !matches!(token, Some(Token::Float | Token::HexFloat)) && cursor.is_number() {
        let (token, value, _) = cursor.integer_of_kind("a number")?;
        return Ok(Value::Integer {
            value: value as i64,
            decimal: token == Token::Decimal,
        });
    }
    let span = cursor.span();
    let text = cursor.slice(span);
    match token {
        Some(Token::Float) => {
            cursor.advance();
            text.parse()
                .map(Value::Float)
                .map_err(|_| Refusal::new(span, format!("`{text}` is no number")))
        }
        Some(Token::HexFloat) => {
            cursor.advance();
            hex_float(text)
                .map(Value::Float)
                .ok_or_else(|| Refusal::new(span, format!("`{text}` is out of range")))
        }
        Some(Token::Ident) if is_special(text) => {
            cursor.advance();
            special(cursor, text, span)
        }
        _ => Err(cursor.expected("a number")),
    }
}

const EXPONENT: u64 = 0x7ff << 52;
const QUIET: u64 = 1 << 51;

fn special(cursor: &mut Cursor<'_>, name: &str, span: Span) -> Parse<Value> {
    if name == "inf" {
        return Ok(Value::Float(f64::INFINITY));
    }
    // iga64 deprecates it, and gives it a different value for each type, or none.
    if name == "nan" {
        return Err(Refusal::new(
            span,
            alloc::string::String::from("nan does not say which: qnan or snan"),
        ));
    }
    let quiet = name != "snan";
    let mut payload = u64::from(!quiet);
    if cursor.eat(Token::LeftParen) {
        payload = cursor.integer("the payload of the NaN")?.0;
        cursor.expect(Token::RightParen)?;
    }
    if payload >= QUIET || (payload == 0 && !quiet) {
        return Err(Refusal::new(
            cursor.since(span.start),
            format!("a NaN cannot have the payload {payload:#x}"),
        ));
    }
    let quiet_bit = if quiet { QUIET } else { 0 };
    Ok(Value::Float(f64::from_bits(EXPONENT | quiet_bit | payload)))
}

/// A hexadecimal fraction, rounded once to nearest even.
fn hex_float(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.get(2..)?.split_once(['p', 'P'])?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    // The value is `bits` (and a little more, if `sticky`) times two to the `exponent`.
    let mut exponent = i64::from(exponent.parse::<i32>().ok()?);
    exponent -= 4 * i64::try_from(fraction.len()).ok()?;
    let (mut bits, mut sticky) = (0u64, false);
    for digit in whole.chars().chain(fraction.chars()) {
        let digit = u64::from(digit.to_digit(16)?);
        if bits >> 60 == 0 {
            bits = bits << 4 | digit;
        } else {
            sticky |= digit != 0;
            exponent += 4;
        }
    }
    if bits == 0 {
        return Some(0.0);
    }
    let shift = bits.leading_zeros();
    bits <<= shift;
    exponent += 63 - i64::from(shift);
    if exponent > 1023 {
        return Some(f64::INFINITY);
    }
    // A double keeps 53 bits, a subnormal one fewer.
    let missing = (-1022 - exponent).clamp(0, 54) as u32;
    let drop = 11 + missing;
    let kept = bits.checked_shr(drop).unwrap_or(0);
    let rest = bits.unbounded_shl(64 - drop.min(64));
    // Beyond 64 bits nothing is left that could round up.
    let (half, sticky) = match drop {
        0..=64 => (rest >> 63 != 0, sticky || rest << 1 != 0),
        _ => (false, true),
    };
    let up = u64::from(half && (sticky || kept & 1 != 0));
    // A carry goes into the exponent, as it should.
    let biased = if missing == 0 { exponent + 1022 } else { 0 };
    Some(f64::from_bits(((biased as u64) << 52) + kept + up))
}

/// The bits of `value` as an immediate of type `ty`.
pub fn immediate(value: Value, ty: Type, span: Span) -> Parse<u64> {
    let bits = ty.bits();
    let mask = u64::MAX >> (64 - bits);
    match (value, ty.kind()) {
        (Value::Integer { value, .. }, TypeKind::Signed | TypeKind::Unsigned) => {
            // Either reading of the bits is fine: 0xFFFF:w, -1:uw.
            if bits < 64 && !(-(1i64 << (bits - 1))..1i64 << bits).contains(&value) {
                return Err(too_large(value, ty, span));
            }
            Ok(value as u64 & mask)
        }
        (Value::Integer { value, .. }, TypeKind::Packed) => {
            if value as u64 & !mask != 0 {
                return Err(too_large(value, ty, span));
            }
            Ok(value as u64)
        }
        (Value::Integer { value, decimal }, TypeKind::Float) => {
            if decimal && value != 0 {
                return Err(Refusal::new(
                    span,
                    format!("an integer as :{ty} gives the bits, and is hexadecimal"),
                )
                .with_help(format!(
                    "write a fraction, as `{value}.0:{ty}`, or `7.0/2:{ty}` for a division"
                )));
            }
            if value as u64 & !mask != 0 {
                return Err(too_large(value, ty, span));
            }
            Ok(value as u64)
        }
        (Value::Float(value), TypeKind::Float) => from_f64(value, ty)
            .ok_or_else(|| Refusal::new(span, format!("this is no value of type :{ty}"))),
        (Value::Float(_), _) => Err(Refusal::new(span, format!("type :{ty} takes an integer"))),
    }
}

fn too_large(value: i64, ty: Type, span: Span) -> Refusal {
    Refusal::new(
        span,
        format!("{value} does not fit the {} bits of :{ty}", ty.bits()),
    )
}

/// A double rounded to a type; NaNs keep sign, quiet bit and payload.
fn from_f64(value: f64, ty: Type) -> Option<u64> {
    if ty == Type::Df {
        return Some(value.to_bits());
    }
    if value.is_nan() {
        let bits = value.to_bits();
        let payload = bits & (QUIET - 1);
        let sign = bits >> 63;
        let quiet = bits >> 51 & 1;
        let (exponent, mantissa) = match ty {
            Type::F => (0xff, 23),
            Type::Hf => (0x1f, 10),
            _ => return None,
        };
        if payload >> (mantissa - 1) != 0 {
            return None;
        }
        let top = ty.bits() - 1;
        return Some(sign << top | exponent << mantissa | quiet << (mantissa - 1) | payload);
    }
    float::round(value, ty)
}
