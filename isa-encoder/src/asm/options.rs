//! Instruction options.

use alloc::format;
use alloc::string::String;

use devinfo::Family;

use super::Span;
use super::cursor::{Cursor, Parse, Refusal};
use super::instruction::{Parser, bad};
use super::lexer::Token;
use crate::disasm::print::{OPTION_NAMES, pipe_prefix};
use crate::model::{Descriptor, Options, Pipe, Specific, Token as SwsbToken, TokenMode};

impl Parser<'_> {
    /// `{Compacted,@1,$2.dst}`.
    pub(super) fn options(&mut self, cursor: &mut Cursor<'_>) -> Parse<()> {
        if !cursor.eat(Token::LeftBrace) {
            return Ok(());
        }
        if cursor.eat(Token::RightBrace) {
            return Ok(());
        }
        loop {
            self.option(cursor)?;
            if !cursor.eat(Token::Comma) {
                break;
            }
        }
        cursor.expect(Token::RightBrace)
    }

    fn option(&mut self, cursor: &mut Cursor<'_>) -> Parse<()> {
        let start = cursor.place();
        if cursor.eat(Token::Dollar) {
            let id = cursor.small("the token", self.family.tokens(None).saturating_sub(1))?;
            let mut mode = TokenMode::Set;
            if cursor.eat(Token::Dot) {
                mode = match cursor.name("`src` or `dst`")? {
                    ("src", _) => TokenMode::Src,
                    ("dst", _) => TokenMode::Dst,
                    (name, _) => return Err(bad(cursor, name, "neither `src` nor `dst`")),
                };
            }
            if self.instruction.swsb.token.is_some() {
                return Err(Refusal::new(cursor.since(start), "a second token".into()));
            }
            self.instruction.swsb.token = Some(SwsbToken { id, mode });
            return Ok(());
        }
        let is_default = cursor.is_next(Token::At);
        if is_default || cursor.peek_at(1) == Some(Token::At) {
            let prefix = if is_default {
                ""
            } else {
                cursor.name("a pipe")?.0
            };
            cursor.expect(Token::At)?;
            let distance = cursor.small("the distance", Pipe::FARTHEST)?;
            let pipe = Pipe::EACH
                .into_iter()
                .find(|pipe| pipe_prefix(*pipe).strip_suffix('@') == Some(prefix));
            let Some(pipe) = pipe.filter(|_| distance != 0) else {
                return Err(Refusal::new(
                    cursor.since(start),
                    "this is no scoreboard distance".into(),
                )
                .with_help("@1 to @7, with A, F, I, L, M or S in front".into()));
            };
            if self.instruction.swsb.distance.is_some() {
                return Err(Refusal::new(
                    cursor.since(start),
                    "a second distance".into(),
                ));
            }
            self.instruction.swsb.distance = Some((pipe, distance));
            return Ok(());
        }
        let (name, span) = cursor.name("an option")?;
        if let Some((option, _)) = OPTION_NAMES.iter().find(|(_, text)| *text == name) {
            let has = self.family.options(self.instruction.opcode);
            if !has.contains(*option) {
                return Err(no_option(span, name, self.family.family)
                    .with_help(names(|option| has.contains(option))));
            }
            if self.instruction.options.contains(*option) {
                return Err(Refusal::new(span, format!("`{name}` is given twice")));
            }
            self.instruction.options |= *option;
            return Ok(());
        }
        match name {
            "NoAccSBSet" => {
                self.instruction.swsb.no_acc_set = true;
                return Ok(());
            }
            "Uncompacted" => {
                self.instruction.options |= Options::NO_COMPACT;
                return Ok(());
            }
            _ => {}
        }
        let family = self.family.family;
        let has = &self.family.send_options;
        let gathers = self.instruction.gathers();
        if let Specific::Send(send) = &mut self.instruction.specific {
            match name {
                "EOT" => send.eot = true,
                "ExBSO" if !has.ex_bso => return Err(no_option(span, name, family)),
                "ExBSO" if send.exdesc.immediate().is_some() => {
                    return Err(Refusal::new(
                        span,
                        "`ExBSO` is about an extended descriptor in a register".into(),
                    ));
                }
                "ExBSO" if !self.has_length && !gathers => {
                    return Err(Refusal::new(
                        span,
                        "with `ExBSO` the length stands behind source 1, as in `r10:4`".into(),
                    ));
                }
                // It is implied where every message has it.
                "ExBSO" if has.implied_ex_bso.is_some() && has.implied_ex_bso == send.sfid => {}
                "ExBSO" => send.ex_bso = true,
                "CPS" if !has.cps => return Err(no_option(span, name, family)),
                "CPS" => match &mut send.exdesc {
                    Descriptor::Immediate(exdesc) => *exdesc |= 1 << 11,
                    Descriptor::Register { .. } => send.cps = true,
                },
                _ => return Err(bad(cursor, name, "no option of a send")),
            }
            return Ok(());
        }
        Err(bad(cursor, name, "no option").with_help(names(|_| true)))
    }
}

fn no_option(span: Span, name: &str, family: Family) -> Refusal {
    Refusal::new(
        span,
        format!("this instruction does not have `{name}` on {family}"),
    )
}

/// The options that `has` selects, for a help text.
fn names(has: impl Fn(Options) -> bool) -> String {
    let mut help = String::from("options are");
    for (_, text) in OPTION_NAMES.iter().filter(|(option, _)| has(*option)) {
        help.push(' ');
        help.push_str(text);
    }
    help
}
