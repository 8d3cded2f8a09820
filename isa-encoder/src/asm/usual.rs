//! General registers in the form that nearly all operands have, `r12.4<8;8,1>:ud`, read in one
//! go.
//!
//! This is only a shortcut: it reads what [`super::operand`] reads, with the same result, and
//! leaves to that module whatever looks different, errors included.

use super::cursor::Cursor;
use super::strides::{DST_HSTRIDES, HSTRIDES, Numbers, VSTRIDES, WIDTHS};
use crate::model::names::Key;
use crate::model::{Dst, RegFile, Region, Register, Src, SrcMods, Type, VStride};

/// No operand of this form is longer.
const WINDOW: usize = 32;

/// A destination, in registers of this many bytes.
#[inline]
pub fn dst(cursor: &mut Cursor<'_>, grf_bytes: u32) -> Option<Dst> {
    let mut reader = Reader::new(cursor)?;
    let (number, sub) = reader.register()?;
    let hstride = reader.number_of(DST_HSTRIDES)?;
    reader.eat(b'>')?;
    let (reg, ty) = reader.typed(number, sub, grf_bytes)?;
    cursor.pass_bytes(reader.at);
    Some(Dst::Direct { reg, hstride, ty })
}

/// A source without modifiers, in registers of this many bytes.
#[inline]
pub fn src(cursor: &mut Cursor<'_>, grf_bytes: u32) -> Option<Src> {
    let mut reader = Reader::new(cursor)?;
    let (number, sub) = reader.register()?;
    let vstride = reader.number_of(VSTRIDES)?;
    reader.eat(b';')?;
    let width = reader.number_of(WIDTHS)?;
    reader.eat(b',')?;
    let hstride = reader.number_of(HSTRIDES)?;
    reader.eat(b'>')?;
    let (reg, ty) = reader.typed(number, sub, grf_bytes)?;
    cursor.pass_bytes(reader.at);
    Some(Src::Direct {
        reg,
        region: Region {
            vstride: VStride::Elements(vstride),
            width,
            hstride,
        },
        ty,
        mods: SrcMods::NONE,
    })
}

/// The bytes from the next token on.
struct Reader<'a> {
    bytes: &'a [u8; WINDOW],
    at: usize,
}

impl<'a> Reader<'a> {
    #[inline(always)]
    fn new(cursor: &Cursor<'a>) -> Option<Self> {
        let bytes = cursor.bytes()?.first_chunk()?;
        Some(Self { bytes, at: 0 })
    }

    /// The next byte. Operands of this form end long before the bytes do.
    #[inline(always)]
    fn byte(&self) -> u8 {
        self.bytes[self.at % WINDOW]
    }

    #[inline(always)]
    fn eat(&mut self, byte: u8) -> Option<()> {
        let found = self.byte() == byte;
        self.at += 1;
        found.then_some(())
    }

    #[inline(always)]
    fn digit(&mut self) -> Option<u32> {
        let digit = self.byte().wrapping_sub(b'0');
        (digit <= 9).then(|| {
            self.at += 1;
            u32::from(digit)
        })
    }

    /// A number of one to three digits.
    #[inline(always)]
    fn number(&mut self) -> Option<u32> {
        let mut number = self.digit()?;
        for _ in 0..2 {
            match self.digit() {
                Some(digit) => number = number * 10 + digit,
                None => break,
            }
        }
        Some(number)
    }

    #[inline(always)]
    fn number_of(&mut self, allowed: Numbers) -> Option<u8> {
        let number = self.number()?;
        allowed.has(number.into()).then_some(number as u8)
    }

    /// `rN.S<`: the number, and the sub-register in elements.
    #[inline(always)]
    fn register(&mut self) -> Option<(u8, u32)> {
        self.eat(b'r')?;
        let number = u8::try_from(self.number()?).ok()?;
        self.eat(b'.')?;
        let sub = self.number()?;
        self.eat(b'<')?;
        Some((number, sub))
    }

    /// `:ty`, after the register with the number and sub-register.
    #[inline(always)]
    fn typed(&mut self, number: u8, sub: u32, grf_bytes: u32) -> Option<(Register, Type)> {
        self.eat(b':')?;
        let mut key = Key::EMPTY;
        while let letter @ b'a'..=b'z' = self.byte() {
            key = key.then(letter);
            self.at += 1;
            if self.at >= WINDOW {
                return None;
            }
        }
        let ends = !matches!(self.byte(), b'A'..=b'Z' | b'0'..=b'9' | b'_');
        let ty = Type::ALL
            .get(Type::NAMES.find_key(key).filter(|_| ends)?)
            .copied()?;
        let byte = sub * ty.bits() / 8;
        (byte < grf_bytes).then_some((
            Register {
                file: RegFile::Grf,
                number,
                byte: byte as u8,
            },
            ty,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::String;

    /// The text after an operand, so that enough bytes follow.
    const REST: &str = "  r1.0<8;8,1>:f  r2.0<8;8,1>:f {Compacted}";

    fn src_of(text: &str) -> Option<(Src, usize)> {
        let text = format!("{text}{REST}");
        let mut cursor = Cursor::new(&text, 0);
        src(&mut cursor, 32).map(|src| (src, cursor.since(0).end))
    }

    #[test]
    fn the_form_is_read_whole() {
        let text = "r127.2<16;8,2>:uw";
        let (src, end) = src_of(text).unwrap();
        assert_eq!(end, text.len());
        let Src::Direct {
            reg,
            region,
            ty,
            mods,
        } = src
        else {
            panic!("{src:?}");
        };
        assert_eq!(
            (reg, ty),
            (
                Register {
                    byte: 4,
                    ..Register::grf(127)
                },
                Type::Uw
            )
        );
        assert_eq!(region, Region::new(16, 8, 2));
        assert_eq!(mods, SrcMods::NONE);
    }

    #[test]
    fn everything_else_is_left_alone() {
        for text in [
            "r256.0<8;8,1>:f",
            "r1.8<8;8,1>:f",
            "r1<8;8,1>:f",
            "r1.0<8;8,1>",
            "r1.0<3;8,1>:f",
            "r1.0<8;32,1>:f",
            "r1.0<8;8,3>:f",
            "r1.0<8;8,1>:z",
            "r1.0<8;8,1>:f1",
            "r1.0<8;8,1>:f_",
            "r1.0<8;8,1>:uwx",
            "r1.0<8;8,1>:s32",
            "r1.0 <8;8,1>:f",
            "r1.0<1>:f",
            "-r1.0<8;8,1>:f",
            "acc0.0<8;8,1>:f",
            "r0x1.0<8;8,1>:f",
        ] {
            assert_eq!(src_of(text), None, "{text}");
        }
        let alone = String::from("r1.0<8;8,1>:f");
        assert_eq!(src(&mut Cursor::new(&alone, 0), 32), None);
    }
}
