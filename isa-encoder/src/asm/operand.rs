//! Operands.

use alloc::format;
use alloc::vec::Vec;

use super::Span;
use super::cursor::{Cursor, Parse, Refusal};
use super::lexer::Token;
use super::strides::{DST_HSTRIDES, HSTRIDES, Numbers, TERNARY_VSTRIDES, VSTRIDES, WIDTHS};
use super::{number, usual};
use crate::code::{FamilyTable, SendForm};
use crate::model::{
    ArfKind, Dst, Format, Instruction, Opcode, RegFile, Region, Register, Src, SrcMods, Type,
    VStride,
};

/// What operands depend on.
pub struct Context<'a> {
    pub family: &'static FamilyTable,
    pub instruction: &'a Instruction,
    pub is_macro: bool,
}

/// The register that a name means.
pub fn register_name(name: &str) -> Option<(RegFile, u8)> {
    let digits = name.bytes().position(|byte| byte.is_ascii_digit());
    let digits = digits.unwrap_or(name.len());
    let (stem, number) = name.split_at(digits);
    let number = match number {
        "" => None,
        number => Some(number.parse::<u8>().ok()?),
    };
    if stem == "r" {
        return Some((RegFile::Grf, number?));
    }
    let mut kinds = ArfKind::ALL.into_iter().chain([ArfKind::MathMacro]);
    let kind = kinds.find(|kind| kind.name() == stem)?;
    let number = match number {
        Some(number) => number,
        None if !kind.has_number() || kind == ArfKind::ChannelEnable => 0,
        None => return None,
    };
    (number <= MOST_NUMBERS).then_some((RegFile::Arf(kind), number))
}

/// The highest architecture register number that can be encoded.
const MOST_NUMBERS: u8 = 15;

/// `mme0` to `mme7`.
const MATH_MACROS: u8 = 8;

/// Whether a register or an indirect operand comes next.
pub fn begins(cursor: &Cursor<'_>) -> bool {
    cursor.is_name() && (register_name(cursor.text()).is_some() || is_indirect(cursor))
}

/// Whether `r[` comes next.
fn is_indirect(cursor: &Cursor<'_>) -> bool {
    let mut cursor = *cursor;
    cursor.eat_name("r") && cursor.is_next(Token::LeftBracket)
}

fn register(cursor: &mut Cursor<'_>, family: &FamilyTable) -> Parse<(RegFile, u8)> {
    if let Some(number) = cursor.eat_numbered(b'r', |_| true) {
        return Ok((RegFile::Grf, number));
    }
    let (name, span) = cursor.name("a register")?;
    let Some((file, number)) = register_name(name) else {
        return Err(
            Refusal::new(span, format!("`{name}` is no register")).with_help(
                "registers are r0 to r255, null, a0, acc0, f0.0, sr0, cr0 and so on".into(),
            ),
        );
    };
    if file == RegFile::Arf(ArfKind::MathMacro) && number < MATH_MACROS {
        let file = RegFile::Arf(ArfKind::Accumulator);
        return Ok((file, family.first_math_macro + number));
    }
    if let RegFile::Arf(kind) = file
        && number >= family.registers(kind)
    {
        let stem = kind.name();
        let help = match family.registers(kind) {
            0 => format!("it has no {stem} registers"),
            1 => format!("there is {stem}0 only"),
            count => format!("there are {stem}0 to {stem}{}", count - 1),
        };
        let error = format!("{} has no register `{name}`", family.family);
        return Err(Refusal::new(span, error).with_help(help));
    }
    Ok((file, number))
}

/// `.N`: the sub-register, in elements.
fn subregister(cursor: &mut Cursor<'_>) -> Parse<Option<(u64, Span)>> {
    let mut behind = *cursor;
    if behind.eat(Token::Dot) && behind.is_number() {
        *cursor = behind;
        return cursor.integer("a sub-register").map(Some);
    }
    Ok(None)
}

fn byte_of(context: &Context<'_>, file: RegFile, sub: Option<(u64, Span)>, ty: Type) -> Parse<u8> {
    let Some((sub, span)) = sub else {
        return Ok(0);
    };
    let limit = match file {
        RegFile::Grf => context.family.family.grf_bytes() as u64,
        RegFile::Arf(_) => 256,
    };
    let unit = context.family.subregister_bits(file, ty);
    let byte = sub.saturating_mul(u64::from(unit)) / 8;
    match u8::try_from(byte) {
        Ok(out) if byte < limit => Ok(out),
        _ => Err(Refusal::new(
            span,
            format!("sub-register {sub} of type :{ty} is beyond the register's {limit} bytes"),
        )),
    }
}

/// `.mmeN` or `.nomme`.
fn math_macro(cursor: &mut Cursor<'_>) -> Parse<Option<u8>> {
    cursor.expect(Token::Dot)?;
    let (name, span) = cursor.name("`mme0` to `mme7` or `nomme`")?;
    if name == "nomme" || name == "noacc" {
        return Ok(None);
    }
    let number = name
        .strip_prefix("mme")
        .and_then(|number| number.parse::<u8>().ok())
        .or_else(|| {
            let number = name.strip_prefix("acc")?.parse::<u8>().ok()?;
            number.checked_sub(2)
        });
    match number {
        Some(number @ 0..=7) => Ok(Some(number)),
        _ => Err(Refusal::new(
            span,
            format!("`{name}` is no math macro register"),
        )),
    }
}

/// `r[s0.N]`: the registers that the bytes of s0 name, from byte N on.
fn gathered(cursor: &mut Cursor<'_>) -> Parse<Src> {
    cursor.name("`r`")?;
    cursor.expect(Token::LeftBracket)?;
    if !cursor.eat_name("s0") {
        return Err(cursor.expected("`s0`"));
    }
    cursor.expect(Token::Dot)?;
    let byte = cursor.small("the byte of s0", 31)?;
    cursor.expect(Token::RightBracket)?;
    let reg = Register {
        file: RegFile::Arf(ArfKind::Scalar),
        number: 0,
        byte,
    };
    Ok(Src::Direct {
        reg,
        region: Region::PACKED,
        ty: Type::Ud,
        mods: SrcMods::NONE,
    })
}

/// `[a0.N]`, `[a0.N,OFFSET]`, `[a0.N + OFFSET]`.
fn address(cursor: &mut Cursor<'_>) -> Parse<(u8, i16)> {
    cursor.expect(Token::LeftBracket)?;
    if !cursor.eat_name("a0") {
        return Err(cursor.expected("`a0`"));
    }
    cursor.expect(Token::Dot)?;
    let subreg = cursor.small("the sub-register of a0", 15)?;
    let negative = if cursor.eat(Token::Comma) {
        Some(cursor.eat(Token::Minus))
    } else if cursor.eat(Token::Plus) {
        Some(false)
    } else if cursor.eat(Token::Minus) {
        Some(true)
    } else {
        None
    };
    let mut offset = 0;
    if let Some(negative) = negative {
        let (value, span) = cursor.integer("the offset")?;
        let signed = i64::try_from(value).unwrap_or(i64::MAX);
        let signed = if negative { -signed } else { signed };
        offset = i16::try_from(signed)
            .ok()
            .filter(|value| (-1024..1024).contains(value))
            .ok_or_else(|| Refusal::new(span, format!("the offset {signed} is out of range")))?;
    }
    cursor.expect(Token::RightBracket)?;
    Ok((subreg, offset))
}

/// Alternative type names.
fn type_alias(name: &str) -> Option<Type> {
    Some(match name {
        "u8" => Type::Ub,
        "s8" => Type::B,
        "u16" => Type::Uw,
        "s16" => Type::W,
        "u32" => Type::Ud,
        "s32" => Type::D,
        "u64" => Type::Uq,
        "s64" => Type::Q,
        "f16" => Type::Hf,
        "f32" => Type::F,
        "f64" => Type::Df,
        "bf16" => Type::Bf,
        _ => return None,
    })
}

/// `:type`.
fn ty(cursor: &mut Cursor<'_>) -> Parse<Option<Type>> {
    if !cursor.eat(Token::Colon) {
        return Ok(None);
    }
    if let Some(index) = cursor.eat_one_of(Type::NAMES) {
        return Ok(Type::ALL.get(index).copied());
    }
    let (name, span) = cursor.name("a type")?;
    type_alias(name).map(Some).ok_or_else(|| {
        Refusal::new(span, format!("`{name}` is no type")).with_help(
            "types are ub b uw w ud d uq q hf bf f df, and v uv vf for immediates".into(),
        )
    })
}

fn ty_or_error(cursor: &mut Cursor<'_>, default: Option<Type>) -> Parse<Type> {
    let found = ty(cursor)?.or(default);
    found.ok_or_else(|| cursor.expected("`:` and a type"))
}

fn stride(cursor: &mut Cursor<'_>, what: &str, allowed: Numbers) -> Parse<u8> {
    if let Some(value) = cursor.eat_decimal(|value| allowed.has(value.into())) {
        return Ok(value as u8);
    }
    let (value, span) = cursor.integer(what)?;
    if allowed.has(value) {
        return Ok(value as u8);
    }
    let possible: Vec<u64> = (0..64).filter(|value| allowed.has(*value)).collect();
    Err(Refusal::new(span, format!("{value} is no {what}"))
        .with_help(format!("possible are {possible:?}")))
}

impl Context<'_> {
    fn opcode(&self) -> Opcode {
        self.instruction.opcode
    }

    fn format(&self) -> Format {
        self.opcode().format()
    }

    /// Whether operands may be of the form of [`usual`].
    fn is_usual(&self) -> bool {
        let format = self.format();
        matches!(format, Format::Unary | Format::Binary | Format::Math) && !self.is_macro
    }

    /// The type of operands without one in text.
    fn implied_type(&self) -> Option<Type> {
        if self.opcode().is_branch() {
            return Some(if self.family.legacy_jumps {
                Type::D
            } else {
                Type::Ud
            });
        }
        (self.format() == Format::Send).then_some(Type::Ud)
    }

    /// A destination.
    pub fn dst(&self, cursor: &mut Cursor<'_>) -> Parse<Dst> {
        if self.is_usual()
            && let Some(dst) = usual::dst(cursor, self.family.family.grf_bytes() as u32)
        {
            return Ok(dst);
        }
        if cursor.eat_name("r") {
            let (subreg, offset) = address(cursor)?;
            let hstride = self.dst_stride(cursor)?;
            let given = ty_or_error(cursor, self.implied_type())?;
            // As in IGA, indirect responses have no type.
            let is_send = self.format() == Format::Send;
            return Ok(Dst::Indirect {
                subreg,
                offset,
                hstride,
                ty: if is_send { Type::Ud } else { given },
            });
        }
        let (file, number) = register(cursor, self.family)?;
        if self.is_macro {
            let mme = math_macro(cursor)?;
            return Ok(Dst::Macro {
                reg: Register {
                    file,
                    number,
                    byte: 0,
                },
                mme,
                hstride: match self.family.macro_stride(self.opcode()) {
                    0 => self.dst_stride(cursor).map(|_| 0)?,
                    _ => self.dst_stride(cursor)?,
                },
                ty: ty_or_error(cursor, None)?,
            });
        }
        let sub = subregister(cursor)?;
        let hstride = self.dst_stride(cursor)?;
        let ty = ty_or_error(cursor, self.implied_type())?;
        let byte = byte_of(self, file, sub, ty)?;
        Ok(Dst::Direct {
            reg: Register { file, number, byte },
            hstride,
            ty,
        })
    }

    fn dst_stride(&self, cursor: &mut Cursor<'_>) -> Parse<u8> {
        if !cursor.eat(Token::Less) {
            return Ok(1);
        }
        let value = stride(cursor, "destination stride", DST_HSTRIDES)?;
        cursor.expect(Token::Greater)?;
        Ok(value)
    }

    /// Source `index`.
    pub fn src(&self, cursor: &mut Cursor<'_>, index: usize) -> Parse<Src> {
        if self.is_usual()
            && let Some(src) = usual::src(cursor, self.family.family.grf_bytes() as u32)
        {
            return Ok(src);
        }
        if number::begins(cursor) {
            return self.immediate(cursor);
        }
        let mut mods = SrcMods::NONE;
        // As in IGA, any operation takes either sign: bitwise ones invert, others negate.
        mods.neg = cursor.eat(Token::Minus) || cursor.eat(Token::Tilde);
        mods.abs = cursor.eat(Token::Abs);
        if is_indirect(cursor) {
            cursor.advance();
            let (subreg, offset) = address(cursor)?;
            let region = match self.region(cursor, index, true)? {
                Some(region) => region,
                None => Region::PACKED,
            };
            return Ok(Src::Indirect {
                subreg,
                offset,
                region,
                ty: ty_or_error(cursor, self.implied_type())?,
                mods,
            });
        }
        let (file, number) = register(cursor, self.family)?;
        if self.is_macro {
            let mme = math_macro(cursor)?;
            let given = self.region(cursor, index, false)?;
            let ty = ty_or_error(cursor, None)?;
            let implied = self.family.macro_region(self.instruction, index, ty);
            // As in IGA, the region of `madm` is always the implied one.
            let fixed = self.opcode() == Opcode::Madm || self.family.align16;
            let region = given.filter(|_| !fixed).unwrap_or(implied);
            return Ok(Src::Macro {
                reg: Register {
                    file,
                    number,
                    byte: 0,
                },
                mme,
                region,
                ty,
                mods,
            });
        }
        let sub = subregister(cursor)?;
        let region = match self.region(cursor, index, false)? {
            Some(region) if self.format() == Format::Ternary => self.family.ternary_region(region),
            Some(region) => region,
            None => self.family.default_region(self.instruction, sub.is_some()),
        };
        let ty = ty_or_error(cursor, self.implied_type())?;
        let byte = byte_of(self, file, sub, ty)?;
        Ok(Src::Direct {
            reg: Register { file, number, byte },
            region,
            ty,
            mods,
        })
    }

    /// `<V;W,H>`, `<W,H>`, `<V;H>` or `<H>`, depending on the format.
    fn region(
        &self,
        cursor: &mut Cursor<'_>,
        index: usize,
        indirect: bool,
    ) -> Parse<Option<Region>> {
        if !cursor.eat(Token::Less) {
            return Ok(None);
        }
        let region = if self.format() == Format::Ternary {
            if index == 2 {
                let h = stride(cursor, "horizontal stride", HSTRIDES)?;
                Region::new(h, 1, 0)
            } else {
                let v = stride(cursor, "vertical stride", TERNARY_VSTRIDES)?;
                cursor.expect(Token::Semicolon)?;
                let h = stride(cursor, "horizontal stride", HSTRIDES)?;
                Region::ternary(v, h)
            }
        } else if indirect && cursor.peek_at(1) == Some(Token::Comma) {
            let width = stride(cursor, "width", WIDTHS)?;
            cursor.expect(Token::Comma)?;
            let h = stride(cursor, "horizontal stride", HSTRIDES)?;
            Region::per_row(width, h)
        } else {
            let v = stride(cursor, "vertical stride", VSTRIDES)?;
            cursor.expect(Token::Semicolon)?;
            let width = stride(cursor, "width", WIDTHS)?;
            cursor.expect(Token::Comma)?;
            let h = stride(cursor, "horizontal stride", HSTRIDES)?;
            Region {
                vstride: VStride::Elements(v),
                width,
                hstride: h,
            }
        };
        cursor.expect(Token::Greater)?;
        Ok(Some(region))
    }

    fn immediate(&self, cursor: &mut Cursor<'_>) -> Parse<Src> {
        let start = cursor.place();
        let value = number::expression(cursor)?;
        let implied = (self.format() == Format::Sync).then_some(Type::Ud);
        let ty = ty_or_error(cursor, implied)?;
        let span = cursor.since(start);
        let value = number::immediate(value, ty, span)?;
        Ok(Src::Immediate { value, ty })
    }

    /// A send payload, `rN`, `rN:LENGTH` or `null`; also returns its length.
    pub fn payload(&self, cursor: &mut Cursor<'_>, index: usize) -> Parse<(Src, Option<u8>)> {
        let typed = self.family.send == SendForm::Legacy;
        if typed && index == 0 {
            let mut src = self.src(cursor, index)?;
            match &mut src {
                Src::Direct { region, .. } if !self.family.send_regions => {
                    *region = Region::SCALAR;
                }
                Src::Direct { .. } => {}
                // As in IGA, indirect payloads have no type.
                Src::Indirect { ty, .. } => *ty = Type::Ud,
                _ => return Err(cursor.expected("a payload register")),
            }
            return Ok((src, None));
        }
        if index == 0 && self.family.registers(ArfKind::Scalar) != 0 && is_indirect(cursor) {
            return Ok((gathered(cursor)?, None));
        }
        let (file, number) = register(cursor, self.family)?;
        let mut length = None;
        let mut ty = Type::Ud;
        if typed {
            ty = ty_or_error(cursor, Some(Type::Ud))?;
        } else if index == 1 && (cursor.eat(Token::Colon) || cursor.eat(Token::Hash)) {
            length = Some(cursor.small("the length", 31)?);
        }
        let reg = Register {
            file,
            number,
            byte: 0,
        };
        let src = Src::Direct {
            reg,
            region: if typed {
                Region::SCALAR
            } else {
                Region::PACKED
            },
            ty,
            mods: SrcMods::NONE,
        };
        Ok((src, length))
    }
}
