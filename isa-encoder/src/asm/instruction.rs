//! One instruction.

use alloc::format;
use alloc::string::String;

use super::Span;
use super::cursor::{Cursor, Parse, Refusal};
use super::directive_parse;
use super::lexer::Token;
use super::number::{self, Value};
use super::operand::{self, Context};
use crate::code::{FamilyTable, OddBits, SendForm};
use crate::disasm::print::cond_name;
use crate::message::Operation;
use crate::model::{
    ArfKind, Attributes, Branch, CondMod, Descriptor, Dpas, Dst, Flag, Format, Instruction, Opcode,
    PredControl, Predicate, RegFile, Region, Send, Sfid, Specific, Src, Type,
};
use crate::validate::Place;

/// Where a branch goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A label, by the place of its name.
    Label(Span),
    /// A distance in bytes.
    Distance(i32),
}

/// A parsed instruction; its JIP and UIP still have to be found.
#[derive(Clone, Copy, Debug)]
pub struct Parsed {
    pub instruction: Instruction,
    pub targets: [Option<Target>; 2],
    pub span: Span,
    /// The places of the operands: destination and sources. Operands missing in the text have the
    /// place of the instruction.
    pub operands: [Option<Span>; 4],
    /// Further bits that the bytes have.
    pub odd: OddBits,
}

impl Parsed {
    /// An instruction without operands that belongs to `span`.
    pub const fn implied(instruction: Instruction, span: Span) -> Self {
        Self {
            instruction,
            targets: [None; 2],
            span,
            operands: [None; 4],
            odd: OddBits::NONE,
        }
    }

    /// The place in the text of a part of the instruction.
    pub fn place(&self, place: Place) -> Span {
        let index = match place {
            Place::Instruction => return self.span,
            Place::Dst => 0,
            Place::Src(index) => index + 1,
        };
        self.operands
            .get(index)
            .copied()
            .flatten()
            .unwrap_or(self.span)
    }
}

/// Parses the instruction in the rest of the line, up to a `;` if there is one. After an error
/// `parsed` still holds parts of its old value.
pub fn parse(
    cursor: &mut Cursor<'_>,
    family: &'static FamilyTable,
    parsed: &mut Parsed,
) -> Parse<()> {
    let start = cursor.place();
    *parsed = Parsed::implied(Instruction::new(Opcode::Nop), Span::default());
    let mut parser = Parser {
        family,
        instruction: &mut parsed.instruction,
        targets: &mut parsed.targets,
        flag: None,
        has_length: false,
        operands: &mut parsed.operands,
    };
    parser.line(cursor)?;
    if !cursor.is_done() && !cursor.is_next(Token::Semicolon) {
        return Err(cursor.expected("the end of the instruction"));
    }
    parsed.span = cursor.since(start);
    if let Some(span) = cursor.eat_directive("bits") {
        parsed.odd = directive_parse::odd_bits(cursor.slice(span), span.start)?;
    }
    Ok(())
}

pub(super) struct Parser<'p> {
    pub(super) family: &'static FamilyTable,
    pub(super) instruction: &'p mut Instruction,
    targets: &'p mut [Option<Target>; 2],
    flag: Option<Flag>,
    /// The text gives the length of a send's second payload.
    pub(super) has_length: bool,
    pub(super) operands: &'p mut [Option<Span>; 4],
}

impl Parser<'_> {
    fn line(&mut self, cursor: &mut Cursor<'_>) -> Parse<()> {
        let start = cursor.place();
        self.predication(cursor)?;
        let predication = cursor.since(start);
        if let Some(operation) = self.mnemonic(cursor)? {
            return self.load_store(cursor, operation);
        }
        let opcode = self.instruction.opcode;
        if self.instruction.predicate.is_some() && !opcode.has(Attributes::PREDICATE) {
            return Err(Refusal::new(
                predication,
                format!("`{opcode}` has no predicate"),
            ));
        }
        // A scalar jump always ignores the execution mask.
        if opcode == Opcode::Jmpi {
            self.instruction.no_mask = true;
        }
        let format = self.instruction.opcode.format();
        if format == Format::Nullary {
            if cursor.is_next(Token::LeftParen) {
                self.exec_info(cursor)?;
            }
            // As in IGA, channels and `(W)` mean nothing here.
            let bare = Instruction::new(opcode);
            self.instruction.no_mask = false;
            self.instruction.exec_size = bare.exec_size;
            self.instruction.channel_offset = bare.channel_offset;
            return self.options(cursor);
        }
        // `sync`, `wait` and `jmpi` may leave out the execution size.
        let optional = matches!(format, Format::Sync | Format::Wait)
            || self.instruction.opcode == Opcode::Jmpi;
        let given = cursor.is_next(Token::LeftParen) && !(optional && is_sync_set(cursor));
        if !optional || given {
            self.exec_info(cursor)?;
        }
        self.condition(cursor)?;
        match format {
            Format::Send => self.send(cursor)?,
            Format::Sync => self.sync(cursor)?,
            Format::JumpUnary
            | Format::JumpJip
            | Format::JumpJipUip
            | Format::JumpBrc
            | Format::Call
            | Format::Ret => self.jump(cursor)?,
            _ => self.operands(cursor)?,
        }
        self.options(cursor)
    }

    /// `(W)`, `(f0.0)`, `(W&~f0.1.any8h)`.
    fn predication(&mut self, cursor: &mut Cursor<'_>) -> Parse<()> {
        if !cursor.eat(Token::LeftParen) {
            return Ok(());
        }
        if cursor.eat_name("W") {
            self.instruction.no_mask = true;
            if !cursor.eat(Token::Ampersand) {
                return cursor.expect(Token::RightParen);
            }
        }
        let inverse = cursor.eat(Token::Tilde);
        let flag = self.flag(cursor)?;
        self.instruction.flag = flag;
        self.flag = Some(flag);
        let mut control = PredControl::Sequential;
        if cursor.eat(Token::Dot) {
            let (name, span) = cursor.name("a predicate control")?;
            control = pred_control(name).ok_or_else(|| {
                Refusal::new(span, format!("`{name}` is no predicate control"))
                    .with_help("any2h to any32h, all2h to all32h, anyv, allv, any, all".into())
            })?;
        }
        self.instruction.predicate = Some(Predicate { control, inverse });
        cursor.expect(Token::RightParen)
    }

    /// `fN.M`.
    fn flag(&self, cursor: &mut Cursor<'_>) -> Parse<Flag> {
        let limit = self.family.registers(ArfKind::Flag);
        let Some(register) = cursor.eat_numbered(b'f', |number| number < limit) else {
            let (name, span) = cursor.name("a flag register")?;
            return Err(Refusal::new(span, format!("`{name}` is no flag register"))
                .with_help(format!("flags are f0 to f{}", limit - 1)));
        };
        // A predicate control may follow at once.
        let mut behind = *cursor;
        let subregister = if behind.eat(Token::Dot) && !behind.is_name() {
            *cursor = behind;
            cursor.small("the flag's half", 1)?
        } else {
            0
        };
        Ok(Flag {
            register,
            subregister,
        })
    }

    /// The opcode with its suffixes; returns an operation of the load/store syntax.
    fn mnemonic(&mut self, cursor: &mut Cursor<'_>) -> Parse<Option<Operation>> {
        let mut behind = *cursor;
        let index = behind.eat_one_of(Opcode::NAMES);
        let opcode = index.and_then(|index| Opcode::ALL.get(index).copied());
        let Some(opcode) = opcode.filter(|opcode| self.family.code(*opcode).is_some()) else {
            if let Some(operation) = self.load_store_operation(cursor) {
                return Ok(Some(operation));
            }
            let (name, span) = cursor.name("an instruction")?;
            let family = self.family.family;
            return Err(Refusal::new(
                span,
                format!("`{name}` is no instruction of {family}"),
            ));
        };
        *cursor = behind;
        self.instruction.opcode = opcode;
        match opcode.format() {
            Format::Math => {
                let name = self.suffix(cursor, "a math function")?;
                let mut functions = self.family.math_functions.iter().flatten();
                let function = functions.find(|f| f.mnemonic() == name).copied();
                self.instruction.specific =
                    Specific::Math(function.ok_or_else(|| self.no_function(cursor, name))?);
            }
            Format::Sync => {
                let name = self.suffix(cursor, "a sync function")?;
                let mut functions = self.family.sync_functions.iter().flatten();
                let function = functions.find(|f| f.mnemonic() == name).copied();
                self.instruction.specific =
                    Specific::Sync(function.ok_or_else(|| self.no_function(cursor, name))?);
            }
            Format::Dpas => {
                let name = self.suffix(cursor, "a systolic shape such as `8x8`")?;
                let shape = name.split_once('x').and_then(|(depth, repeat)| {
                    Some(Dpas {
                        depth: depth.parse().ok()?,
                        repeat: repeat.parse().ok()?,
                    })
                });
                self.instruction.specific =
                    Specific::Dpas(shape.ok_or_else(|| bad(cursor, name, "no systolic shape"))?);
            }
            Format::Send => {
                let mut send = Send::new(None, Descriptor::Immediate(0), Descriptor::Immediate(0));
                if self.family.send != SendForm::Legacy {
                    send.sfid = Some(self.sfid(cursor)?);
                }
                self.instruction.specific = Specific::Send(send);
            }
            _ if opcode == Opcode::Bfn => {
                cursor.expect(Token::Dot)?;
                let table = super::bfn::table(cursor)?;
                self.instruction.specific = Specific::Bfn(table);
            }
            _ if opcode.is_branch() => {
                let mut branch = Branch::default();
                if cursor.eat(Token::Dot) {
                    if !cursor.eat_name("b") || !opcode.has(Attributes::BRANCH_CONTROL) {
                        return Err(cursor.expected("branch control `.b`"));
                    }
                    branch.control = true;
                }
                self.instruction.specific = Specific::Branch(branch);
            }
            _ => {}
        }
        Ok(None)
    }

    #[cold]
    fn no_function(&self, cursor: &Cursor<'_>, name: &str) -> Refusal {
        let (opcode, family) = (self.instruction.opcode, self.family.family);
        bad(
            cursor,
            name,
            &format!("no function of `{opcode}` on {family}"),
        )
    }

    fn suffix<'t>(&self, cursor: &mut Cursor<'t>, what: &str) -> Parse<&'t str> {
        cursor.expect(Token::Dot)?;
        cursor.name(what).map(|(name, _)| name)
    }

    pub(super) fn sfid(&self, cursor: &mut Cursor<'_>) -> Parse<Sfid> {
        cursor.expect(Token::Dot)?;
        let table = &self.family.sfids;
        if cursor.is_number() {
            let (code, span) = cursor.integer("a shared function")?;
            return usize::try_from(code)
                .ok()
                .and_then(|code| table.get(code).copied().flatten())
                .ok_or_else(|| Refusal::new(span, format!("{code:#x} is no shared function")));
        }
        let (name, span) = cursor.name("a shared function")?;
        table
            .iter()
            .flatten()
            .find(|sfid| sfid.mnemonic() == name)
            .copied()
            .ok_or_else(|| {
                let mut help = String::from("there are");
                for sfid in table.iter().flatten() {
                    help.push(' ');
                    help.push_str(sfid.mnemonic());
                }
                Refusal::new(
                    span,
                    format!("`{name}` is no shared function of {}", self.family.family),
                )
                .with_help(help)
            })
    }

    /// `(16|M0)`.
    pub(super) fn exec_info(&mut self, cursor: &mut Cursor<'_>) -> Parse<()> {
        if !cursor.eat(Token::LeftParen) {
            return Err(cursor.expected("the execution size, such as `(16|M0)`"));
        }
        self.instruction.exec_size = execution_size(cursor)?;
        if cursor.eat(Token::Pipe) {
            self.instruction.channel_offset = channel_offset(cursor)?;
        }
        cursor.expect(Token::RightParen)
    }

    /// `(lt)f0.0`.
    fn condition(&mut self, cursor: &mut Cursor<'_>) -> Parse<()> {
        if !cursor.is_next(Token::LeftParen)
            || cursor.peek_at(1) != Some(Token::Ident)
            || cursor.peek_at(2) != Some(Token::RightParen)
        {
            return Ok(());
        }
        let start = cursor.place();
        cursor.expect(Token::LeftParen)?;
        let (name, _) = cursor.name("a condition modifier")?;
        let Some(cond) = condition(name) else {
            return Err(bad(cursor, name, "no condition modifier")
                .with_help("eq, ne, gt, ge, lt, le, ov, un or eo".into()));
        };
        cursor.expect(Token::RightParen)?;
        let opcode = self.instruction.opcode;
        let implied = opcode == Opcode::Math && cond == CondMod::Eo;
        if !opcode.has(Attributes::CONDITION) && !implied {
            return Err(Refusal::new(
                cursor.since(start),
                format!("`{opcode}` has no condition modifier"),
            ));
        }
        let flag = self.flag(cursor)?;
        if self.flag.is_some_and(|predicate| predicate != flag) {
            return Err(Refusal::new(
                cursor.since(start),
                "predicate and condition modifier share one flag field".into(),
            )
            .with_help("use the same flag in both".into()));
        }
        self.instruction.flag = flag;
        self.instruction.cond = Some(cond);
        Ok(())
    }

    fn operands(&mut self, cursor: &mut Cursor<'_>) -> Parse<()> {
        let format = self.instruction.opcode.format();
        let start = cursor.place();
        self.instruction.saturate = cursor.eat(Token::Sat);
        if self.instruction.saturate && !self.instruction.opcode.has(Attributes::SATURATION) {
            return Err(Refusal::new(
                cursor.since(start),
                format!("`{}` does not saturate", self.instruction.opcode),
            ));
        }
        if format == Format::Wait {
            let src = self.context().src(cursor, 0)?;
            self.instruction.dst = self.family.wait_destination(&src);
            self.instruction.src[0] = src;
            return Ok(());
        }
        self.dst(cursor)?;
        let count = match (format, self.instruction.specific) {
            (Format::Unary, _) => 1,
            (Format::Math, Specific::Math(function)) => function.sources(),
            (Format::Ternary | Format::Dpas, _) => 3,
            _ if self.family.is_unary(self.instruction.opcode) => 1,
            _ => 2,
        };
        for index in 0..count {
            let start = cursor.place();
            self.instruction.src[index] = self.context().src(cursor, index)?;
            self.operands[index + 1] = Some(cursor.since(start));
        }
        Ok(())
    }

    /// What the operands depend on.
    pub(super) fn context(&self) -> Context<'_> {
        Context {
            family: self.family,
            instruction: self.instruction,
            is_macro: match self.instruction.specific {
                Specific::Math(function) => function.is_macro(),
                _ => self.instruction.opcode == Opcode::Madm,
            },
        }
    }

    pub(super) fn dst(&mut self, cursor: &mut Cursor<'_>) -> Parse<()> {
        let start = cursor.place();
        self.instruction.dst = self.context().dst(cursor)?;
        self.operands[0] = Some(cursor.since(start));
        Ok(())
    }

    fn sync(&mut self, cursor: &mut Cursor<'_>) -> Parse<()> {
        let of_tokens = matches!(self.instruction.specific, Specific::Sync(f) if f.takes_tokens());
        if of_tokens && is_sync_set(cursor) {
            let mut mask = 0u64;
            cursor.advance();
            loop {
                cursor.expect(Token::Dollar)?;
                mask |= 1 << cursor.small("the token", 31)?;
                if !cursor.eat(Token::Comma) {
                    break;
                }
            }
            cursor.expect(Token::RightParen)?;
            self.instruction.src[0] = Src::Immediate {
                value: mask,
                ty: Type::Ud,
            };
            return Ok(());
        }
        if cursor.eat_name("null") {
            if cursor.eat(Token::Less) {
                while !cursor.eat(Token::Greater) {
                    if cursor.is_done() {
                        return Err(cursor.expected("`>`"));
                    }
                    cursor.advance();
                }
            }
            if cursor.eat(Token::Colon) {
                cursor.name("a type")?;
            }
            return Ok(());
        }
        if cursor.is_done() || cursor.is_next(Token::LeftBrace) {
            return Ok(());
        }
        self.instruction.src[0] = self.context().src(cursor, 0)?;
        // As in IGA, a mask has the type that is implied.
        if let Src::Immediate { ty, .. } = &mut self.instruction.src[0] {
            *ty = Type::Ud;
        }
        Ok(())
    }

    fn jump(&mut self, cursor: &mut Cursor<'_>) -> Parse<()> {
        let format = self.instruction.opcode.format();
        // As in IGA, the registers of jumps have no type and region from Gen12LP on. Up to Gen11
        // IGA writes :d whatever the text says, but compilers write :ud; so there the text decides.
        let typeless = !self.family.legacy_jumps;
        // As in IGA, `jmpi` has no channels.
        if self.instruction.opcode == Opcode::Jmpi {
            self.instruction.channel_offset = 0;
        }
        if format == Format::Call {
            self.dst(cursor)?;
            if let Dst::Direct { ty, .. } = &mut self.instruction.dst
                && typeless
            {
                *ty = Type::Ud;
            }
        }
        let register_allowed = matches!(
            format,
            Format::Ret | Format::JumpUnary | Format::JumpBrc | Format::Call
        );
        if register_allowed && operand::begins(cursor) && !self.is_label(cursor) {
            self.instruction.src[0] = self.context().src(cursor, 0)?;
            if let Src::Direct { ty, region, .. } = &mut self.instruction.src[0]
                && typeless
            {
                *ty = Type::Ud;
                *region = Region::SCALAR;
            }
            if format == Format::JumpBrc && cursor.eat_name("null") && cursor.eat(Token::Colon) {
                cursor.name("a type")?;
            }
            return Ok(());
        }
        self.targets[0] = Some(self.target(cursor)?);
        if matches!(format, Format::JumpJipUip | Format::JumpBrc) {
            self.targets[1] = Some(self.target(cursor)?);
        }
        Ok(())
    }

    /// Whether a name that looks like a register (`r1`) is a label: no register part follows.
    fn is_label(&self, cursor: &Cursor<'_>) -> bool {
        let whole = operand::register_name(cursor.text());
        let is_whole = |file| matches!(file, RegFile::Arf(kind) if !kind.has_subregister());
        !whole.is_some_and(|(file, _)| is_whole(file))
            && !matches!(
                cursor.peek_at(1),
                Some(Token::Dot | Token::Less | Token::Colon | Token::LeftBracket)
            )
            && !self.instruction.opcode.format().eq(&Format::Ret)
            && !cursor.text().starts_with('r')
    }

    fn target(&self, cursor: &mut Cursor<'_>) -> Parse<Target> {
        if cursor.is_name() {
            let (_, span) = cursor.name("a label")?;
            self.skip_type(cursor)?;
            return Ok(Target::Label(span));
        }
        let start = cursor.place();
        if !number::begins(cursor) {
            return Err(cursor.expected("a label or a distance in bytes"));
        }
        let value = number::expression(cursor)?;
        self.skip_type(cursor)?;
        let distance = match value {
            Value::Integer { value, .. } => i32::try_from(value)
                .ok()
                .or_else(|| u32::try_from(value).ok().map(|value| value as i32)),
            Value::Float(_) => None,
        };
        distance.map(Target::Distance).ok_or_else(|| {
            Refusal::new(
                cursor.since(start),
                "a branch distance is a 32-bit integer".into(),
            )
        })
    }

    fn skip_type(&self, cursor: &mut Cursor<'_>) -> Parse<()> {
        if cursor.eat(Token::Colon) {
            cursor.name("a type")?;
        }
        Ok(())
    }
}

/// Whether `($0,$1)` comes next.
fn is_sync_set(cursor: &Cursor<'_>) -> bool {
    let mut behind = *cursor;
    behind.eat(Token::LeftParen) && behind.is_next(Token::Dollar)
}

fn execution_size(cursor: &mut Cursor<'_>) -> Parse<u8> {
    let is_size = |size| matches!(size, 1 | 2 | 4 | 8 | 16 | 32);
    if let Some(size) = cursor.eat_decimal(is_size) {
        return Ok(size as u8);
    }
    let (size, span) = cursor.integer("the execution size")?;
    Err(Refusal::new(span, format!("{size} is no execution size"))
        .with_help("possible are 1, 2, 4, 8, 16 and 32".into()))
}

/// `M16`.
fn channel_offset(cursor: &mut Cursor<'_>) -> Parse<u8> {
    let is_offset = |offset: u8| offset.is_multiple_of(4) && offset < 32;
    if let Some(offset) = cursor.eat_numbered(b'M', is_offset) {
        return Ok(offset);
    }
    let (name, span) = cursor.name("the channel offset, such as `M0`")?;
    Err(Refusal::new(span, format!("`{name}` is no channel offset"))
        .with_help("possible are M0, M4, M8 … M28".into()))
}

/// An error about the name just passed.
pub(super) fn bad(cursor: &Cursor<'_>, name: &str, what: &str) -> Refusal {
    let end = cursor.since(0).end;
    let start = end.saturating_sub(name.len());
    Refusal::new(Span { start, end }, format!("`{name}` is {what}"))
}

fn condition(name: &str) -> Option<CondMod> {
    use CondMod::{Eo, Eq, Ge, Gt, Le, Lt, Ne, Ov, Un};
    let all = [Eq, Ne, Gt, Ge, Lt, Le, Ov, Un, Eo];
    match name {
        "z" | "ze" | "e" => Some(Eq),
        "nz" => Some(Ne),
        "g" => Some(Gt),
        "l" => Some(Lt),
        "o" => Some(Ov),
        "u" => Some(Un),
        _ => all.into_iter().find(|cond| cond_name(*cond) == name),
    }
}

fn pred_control(name: &str) -> Option<PredControl> {
    Some(match name {
        "any" => PredControl::Any,
        "all" => PredControl::All,
        "anyv" => PredControl::AnyV,
        "allv" => PredControl::AllV,
        _ => {
            let group = |text: &str| {
                let n: u8 = text.strip_suffix('h')?.parse().ok()?;
                matches!(n, 2 | 4 | 8 | 16 | 32).then_some(n)
            };
            if let Some(rest) = name.strip_prefix("any") {
                PredControl::AnyH(group(rest)?)
            } else {
                PredControl::AllH(group(name.strip_prefix("all")?)?)
            }
        }
    })
}
