//! Sends in the load/store syntax: `load.ugm.d32.a64 (32|M0) r8:2 [r12:4+0x40]`.

use alloc::format;
use alloc::string::String;

use super::cursor::{Cursor, Parse, Refusal};
use super::instruction::{Parser, bad};
use super::lexer::Token;
use super::number::{self, Value};
use crate::message::{
    AddressSize, Block2d, CacheControl, CachePolicy, DataSize, FenceScope, FlushOp, Lengths, Lsc,
    LscAddress, LscPort, Message, Operands, Operation, is_load_store,
};
use crate::model::{
    ArfKind, Descriptor, Dst, Opcode, RegFile, Region, Register, Send, Specific, Src, SrcMods, Type,
};

/// What the words after the operation say.
#[derive(Default)]
struct Words {
    data: Option<DataSize>,
    /// Elements, and the letters after them: `t`, `v`.
    elements: Option<u8>,
    transpose: bool,
    vnni: bool,
    components: u8,
    address_size: Option<AddressSize>,
    cache: CacheControl,
    flush: Option<FlushOp>,
    scope: Option<FenceScope>,
}

/// What addresses are relative to.
#[derive(Clone, Copy)]
struct Surface {
    /// As in the descriptor.
    kind: Kind,
    /// The extended descriptor's value or register.
    descriptor: Descriptor,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Flat,
    Bss,
    Ss,
    Bti,
}

/// A payload: a register and, if given, how many.
#[derive(Clone, Copy)]
struct Payload {
    reg: Register,
    length: Option<u8>,
}

const NULL: Payload = Payload {
    reg: Register {
        file: RegFile::Arf(ArfKind::Null),
        number: 0,
        byte: 0,
    },
    length: Some(0),
};

impl Parser<'_> {
    /// Passes the name of an operation, if one is next.
    pub(super) fn load_store_operation(&self, cursor: &mut Cursor<'_>) -> Option<Operation> {
        let operation = Operation::named(cursor.text())?;
        let mut functions = self.family.sfids.iter().flatten();
        functions.find(|sfid| is_load_store(self.family.family, **sfid))?;
        cursor.advance();
        Some(operation)
    }

    /// What follows the name of an operation.
    pub(super) fn load_store(
        &mut self,
        cursor: &mut Cursor<'_>,
        operation: Operation,
    ) -> Parse<()> {
        let start = cursor.place();
        let family = self.family.family;
        let port = self.port(cursor)?;
        let words = Words::parse(cursor, operation)?;
        let what = cursor.since(start);
        self.instruction.opcode = Opcode::Send;
        self.exec_info(cursor)?;

        let operands = operation.operands();
        let mut dst = NULL;
        if operands != Operands::Store {
            dst = self.load_store_payload(cursor, 0)?;
        }
        let place = cursor.place();
        let surface = surface(cursor)?;
        let (address, offset) = self.addresses(cursor, operation)?;
        self.operands[1] = Some(cursor.since(place));
        let mut data = NULL;
        if operands != Operands::Load {
            data = self.load_store_payload(cursor, 2)?;
        }

        let refuse = |error: &str| Refusal::new(what, format!("{operation}: {error}"));
        let message = words
            .message(
                operation,
                port,
                surface,
                offset,
                dst.length.unwrap_or(0) != 0,
            )
            .map_err(|error| refuse(&error))?;
        let (function, descriptors) = Message::Lsc(message)
            .encode(family)
            .map_err(|error| refuse(&format!("{error}")))?;
        let mut desc = descriptors.descriptor;
        let length = |payload: Payload, what: &str| {
            payload.length.ok_or_else(|| {
                refuse(&format!("the {what} needs its number of registers"))
                    .with_help("a register and how many there are, as in `r10:2`".into())
            })
        };
        let cache = desc & 1 << 19;
        Lengths {
            message: length(address, "address")?,
            response: length(dst, "destination")?,
            header: false,
        }
        .encode(&mut desc)
        .map_err(|error| refuse(&format!("{error}")))?;
        // The header bit belongs to cache control here.
        desc |= cache;

        let mut send = Send::new(
            Some(function),
            Descriptor::Immediate(desc),
            surface.descriptor,
        );
        match surface.descriptor {
            Descriptor::Immediate(_) => {
                send.exdesc = Descriptor::Immediate(descriptors.extended);
                send.src1_len = Some(length(data, "second source")?);
            }
            Descriptor::Register { .. } => {
                send.exdesc_offset = descriptors.extended_offset.unwrap_or(0);
                // A length in the instruction implies ExBSO, except where the length is always
                // there.
                let implied = self.family.send_options.implied_ex_bso == Some(function);
                let given = data
                    .length
                    .filter(|_| operands != Operands::Load || implied);
                send.ex_bso = given.is_some() && !implied;
                send.src1_len = if implied {
                    Some(length(data, "second source")?)
                } else {
                    given
                };
            }
        }
        self.has_length = data.length.is_some();
        self.instruction.dst = Dst::Direct {
            reg: dst.reg,
            hstride: 1,
            ty: Type::Ud,
        };
        for (src, payload) in self.instruction.src.iter_mut().zip([address, data]) {
            *src = Src::Direct {
                reg: payload.reg,
                region: Region::PACKED,
                ty: Type::Ud,
                mods: SrcMods::NONE,
            };
        }
        self.instruction.specific = Specific::Send(send);
        self.options(cursor)?;
        // A load's text has no length of source 1.
        if let Specific::Send(send) = &mut self.instruction.specific
            && send.ex_bso
            && send.src1_len.is_none()
        {
            send.src1_len = Some(0);
        }
        Ok(())
    }

    /// `.ugm`
    fn port(&self, cursor: &mut Cursor<'_>) -> Parse<LscPort> {
        let function = self.sfid(cursor)?;
        let mut ports = LscPort::ALL.iter();
        let port = ports.find(|port| {
            port.function() == function && is_load_store(self.family.family, function)
        });
        port.copied()
            .ok_or_else(|| bad(cursor, function.mnemonic(), "no load/store unit"))
    }

    /// `r10:2`, `null`, `null:0`.
    fn load_store_payload(&mut self, cursor: &mut Cursor<'_>, operand: usize) -> Parse<Payload> {
        let start = cursor.place();
        let (src, length) = self.context().payload(cursor, 1)?;
        self.operands[operand] = Some(cursor.since(start));
        let Src::Direct { reg, .. } = src else {
            return Err(cursor.expected("a register"));
        };
        let implied = (reg.file != RegFile::Grf).then_some(0);
        Ok(Payload {
            reg,
            length: length.or(implied),
        })
    }

    /// `[r10:2+0x40]`; for blocks `[r10:1+(0x4,-0x2)]`.
    fn addresses(
        &mut self,
        cursor: &mut Cursor<'_>,
        operation: Operation,
    ) -> Parse<(Payload, [i32; 2])> {
        cursor.expect(Token::LeftBracket)?;
        let payload = self.load_store_payload(cursor, 1)?;
        let mut offset = [0; 2];
        if cursor.is_next(Token::Plus) || cursor.is_next(Token::Minus) {
            let mut behind = *cursor;
            behind.advance();
            if matches!(operation, Operation::Block2d(_)) && behind.eat(Token::LeftParen) {
                *cursor = behind;
                offset[0] = signed(cursor)?;
                cursor.expect(Token::Comma)?;
                offset[1] = signed(cursor)?;
                cursor.expect(Token::RightParen)?;
            } else {
                offset[0] = signed(cursor)?;
            }
        }
        cursor.expect(Token::RightBracket)?;
        Ok((payload, offset))
    }
}

/// A number with or without sign.
fn signed(cursor: &mut Cursor<'_>) -> Parse<i32> {
    let negative = cursor.eat(Token::Minus);
    if !negative {
        cursor.eat(Token::Plus);
    }
    let (value, span) = cursor.integer("an offset")?;
    let value = i32::try_from(value)
        .map_err(|_| Refusal::new(span, format!("the offset {value:#x} is out of range")))?;
    Ok(if negative { -value } else { value })
}

/// `bti[3]`, `ss[a0.2]`, `bss[0x1000]`, `flat`, or nothing.
fn surface(cursor: &mut Cursor<'_>) -> Parse<Surface> {
    let kinds = [
        ("flat", Kind::Flat),
        ("bss", Kind::Bss),
        ("ss", Kind::Ss),
        ("bti", Kind::Bti),
    ];
    let kind = kinds.into_iter().find(|(name, _)| cursor.eat_name(name));
    let kind = kind.map_or(Kind::Flat, |(_, kind)| kind);
    if kind == Kind::Flat {
        return Ok(Surface {
            kind,
            descriptor: Descriptor::Immediate(0),
        });
    }
    cursor.expect(Token::LeftBracket)?;
    let descriptor = if cursor.eat_name("a0") {
        cursor.expect(Token::Dot)?;
        Descriptor::Register {
            subreg: cursor.small("the sub-register of a0", 7)?,
        }
    } else {
        let start = cursor.place();
        if !number::begins(cursor) {
            return Err(cursor.expected("a surface, a number or a0.N"));
        }
        let value = match number::expression(cursor)? {
            Value::Integer { value, .. } => u32::try_from(value).ok(),
            Value::Float(_) => None,
        };
        Descriptor::Immediate(
            value
                .ok_or_else(|| Refusal::new(cursor.since(start), "a surface has 32 bits".into()))?,
        )
    };
    cursor.expect(Token::RightBracket)?;
    Ok(Surface { kind, descriptor })
}

/// The value of this name.
fn named<T: Copy>(all: &[T], name: &str, of: impl Fn(T) -> &'static str) -> Option<T> {
    all.iter().copied().find(|value| of(*value) == name)
}

impl Words {
    /// `.d32x4.a64.ca.uc`, in any order.
    fn parse(cursor: &mut Cursor<'_>, operation: Operation) -> Parse<Self> {
        let mut words = Self::default();
        let is_quad = matches!(
            operation,
            Operation::Quad(_) | Operation::StoreUncompressedQuad
        );
        while cursor.eat(Token::Dot) {
            let (name, span) = cursor.name("a word of the message")?;
            let twice = || {
                Err(Refusal::new(
                    span,
                    format!("`{name}` says it a second time"),
                ))
            };
            if operation == Operation::Fence {
                match (
                    named(FlushOp::ALL, name, FlushOp::name),
                    named(FenceScope::ALL, name, FenceScope::name),
                ) {
                    (Some(flush), _) => words.flush = Some(flush),
                    (None, Some(scope)) => words.scope = Some(scope),
                    (None, None) => {
                        return Err(bad(
                            cursor,
                            name,
                            "no flush operation and no scope of a fence",
                        ));
                    }
                }
            } else if let Some(size) = named(AddressSize::ALL, name, AddressSize::name) {
                if words.address_size.replace(size).is_some() {
                    return twice();
                }
            } else if let Some(l1) = named(CachePolicy::ALL, name, CachePolicy::name) {
                cursor.expect(Token::Dot)?;
                let (second, _) = cursor.name("the policy of the third level")?;
                let l3 = named(CachePolicy::ALL, second, CachePolicy::name);
                let l3 = l3.ok_or_else(|| bad(cursor, second, "no cache policy"))?;
                words.cache = CacheControl { l1, l3 };
            } else if is_quad && words.data.is_some() && words.components == 0 {
                for letter in name.bytes() {
                    match b"xyzw".iter().position(|component| *component == letter) {
                        Some(bit) if words.components >> bit & 1 == 0 => {
                            words.components |= 1 << bit
                        }
                        _ => return Err(bad(cursor, name, "no set of the components x, y, z, w")),
                    }
                }
            } else if words.data.is_some() {
                return Err(Refusal::new(
                    span,
                    format!("`{name}` has no meaning in a message"),
                ));
            } else {
                words.data(name).ok_or_else(|| {
                    Refusal::new(span, format!("`{name}` is no data size"))
                        .with_help("such as d32, d8u32, d16u32h, d64x4, d32x16t".into())
                })?;
            }
        }
        Ok(words)
    }

    /// `d32`, `d32x4`, `d64x8t`, `d16tv`.
    fn data(&mut self, name: &str) -> Option<()> {
        // The longest name that fits: `d16u32h` begins with `d16u32` and `d16`.
        let data = DataSize::ALL
            .iter()
            .filter(|size| name.starts_with(size.name()))
            .max_by_key(|size| size.name().len())?;
        self.data = Some(*data);
        let mut rest = name.strip_prefix(data.name())?;
        if let Some(elements) = rest.strip_prefix('x') {
            let digits = elements.bytes().take_while(u8::is_ascii_digit).count();
            let (number, letters) = elements.split_at_checked(digits)?;
            self.elements = Some(number.parse().ok()?);
            rest = letters;
        }
        for letter in rest.bytes() {
            let flag = match letter {
                b't' => &mut self.transpose,
                b'v' => &mut self.vnni,
                _ => return None,
            };
            if core::mem::replace(flag, true) {
                return None;
            }
        }
        Some(())
    }

    fn message(
        &self,
        operation: Operation,
        port: LscPort,
        surface: Surface,
        offset: [i32; 2],
        returns: bool,
    ) -> Result<Lsc, String> {
        let Self {
            transpose,
            vnni,
            components,
            cache,
            ..
        } = *self;
        if operation == Operation::Fence {
            return match (self.flush, self.scope, surface.kind, offset) {
                (Some(flush), Some(scope), Kind::Flat, [0, 0]) => Ok(Lsc::Fence {
                    port,
                    scope,
                    flush,
                    to_lsc: false,
                }),
                _ => Err("a fence has a flush operation and a scope, as in `fence.ugm.none.gpu`, and no surface".into()),
            };
        }
        let data = self
            .data
            .ok_or("the data size is missing, such as `.d32`")?;
        let address_size = self
            .address_size
            .ok_or("the address size is missing, such as `.a64`")?;
        let is_block = matches!(operation, Operation::Block2d(_));
        let is_vector = matches!(
            operation,
            Operation::Vector { .. } | Operation::StoreUncompressed
        );
        if (self.elements.is_some() && !is_vector)
            || transpose && !is_vector && !is_block
            || vnni && !is_block
        {
            return Err("it has one element for each address".into());
        }
        let elements = self.elements.unwrap_or(1);
        let [x, y] = offset;
        let address = surface.address(if is_block { 0 } else { x })?;
        let message = match operation {
            Operation::Vector { direction, strided } => Lsc::Vector {
                port,
                direction,
                address,
                address_size,
                data,
                elements,
                transpose,
                strided,
                cache,
            },
            Operation::StoreUncompressed => Lsc::StoreUncompressed {
                port,
                address,
                address_size,
                data,
                elements,
                transpose,
                cache,
            },
            Operation::Quad(direction) => Lsc::Quad {
                port,
                direction,
                address,
                address_size,
                data,
                components,
                cache,
            },
            Operation::StoreUncompressedQuad => Lsc::StoreUncompressedQuad {
                port,
                address,
                address_size,
                data,
                components,
                cache,
            },
            Operation::Block2d(direction) => Lsc::Block2d {
                port,
                direction,
                address,
                data,
                layout: Block2d { transpose, vnni },
                offset: [block_offset(x)?, block_offset(y)?],
                cache,
            },
            Operation::Atomic(op) => Lsc::Atomic {
                port,
                op,
                address,
                address_size,
                data,
                returns,
                cache,
            },
            Operation::Append(op) => Lsc::AppendCounter {
                port,
                op,
                address,
                data,
                returns,
                cache,
            },
            Operation::Fence => return Err("a fence has no data".into()),
        };
        match Operation::address_size(&message) {
            Some(size) if size != address_size => Err(format!("its address size is {size}")),
            _ => Ok(message),
        }
    }
}

fn block_offset(offset: i32) -> Result<i16, String> {
    i16::try_from(offset).map_err(|_| format!("the offset {offset} exceeds 10 bits"))
}

impl Surface {
    /// As the message holds it; a surface in a register is zero there.
    fn address(self, offset: i32) -> Result<LscAddress, String> {
        let value = self.descriptor.immediate().unwrap_or(0);
        let state = || match value & 0xfff {
            0 => Ok(value >> 6),
            low => Err(format!("bits 11:0 of the surface, {low:#x}, must be 0")),
        };
        Ok(match self.kind {
            Kind::Flat => LscAddress::Flat { offset },
            Kind::Bss => LscAddress::Bss {
                state: state()?,
                offset,
            },
            Kind::Ss => LscAddress::Ss {
                state: state()?,
                offset,
            },
            Kind::Bti => LscAddress::Bti {
                index: u8::try_from(value)
                    .map_err(|_| format!("a binding table has 256 entries, not {value}"))?,
                offset,
            },
        })
    }
}
