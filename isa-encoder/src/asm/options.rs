//! Instruction options.

use alloc::format;
use alloc::string::String;

use super::Diagnostic;
use super::cursor::{Cursor, Parse};
use super::instruction::{Parser, bad};
use super::lexer::Token;
use crate::code::SendForm;
use crate::disasm::print::{OPTION_NAMES, pipe_prefix};
use crate::model::{Options, Pipe, Sfid, Specific, Token as SwsbToken, TokenMode};

impl Parser {
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
        let start = cursor.span();
        if cursor.eat(Token::Dollar) {
            let id = cursor.small("the token", self.family.tokens().saturating_sub(1))?;
            let mut mode = TokenMode::Set;
            if cursor.eat(Token::Dot) {
                mode = match cursor.name("`src` or `dst`")? {
                    ("src", _) => TokenMode::Src,
                    ("dst", _) => TokenMode::Dst,
                    (name, _) => return Err(bad(cursor, name, "neither `src` nor `dst`")),
                };
            }
            if self.instruction.swsb.token.is_some() {
                return Err(Diagnostic::error(start, "a second token".into()));
            }
            self.instruction.swsb.token = Some(SwsbToken { id, mode });
            return Ok(());
        }
        let pipes = [
            Pipe::Default,
            Pipe::All,
            Pipe::Float,
            Pipe::Int,
            Pipe::Long,
            Pipe::Math,
        ];
        let is_distance = cursor.peek() == Some(Token::At) || cursor.peek_at(1) == Some(Token::At);
        if is_distance {
            let prefix = if cursor.peek() == Some(Token::At) {
                ""
            } else {
                cursor.name("a pipe")?.0
            };
            cursor.expect(Token::At)?;
            let distance = cursor.small("the distance", 7)?;
            let pipe = pipes
                .into_iter()
                .find(|pipe| pipe_prefix(*pipe).strip_suffix('@') == Some(prefix));
            let Some(pipe) = pipe.filter(|_| distance != 0) else {
                return Err(Diagnostic::error(
                    cursor.since(start),
                    "this is no scoreboard distance".into(),
                )
                .with_help("@1 to @7, with A, F, I, L or M in front".into()));
            };
            if self.instruction.swsb.distance.is_some() {
                return Err(Diagnostic::error(start, "a second distance".into()));
            }
            self.instruction.swsb.distance = Some((pipe, distance));
            return Ok(());
        }
        let (name, span) = cursor.name("an option")?;
        if let Some((option, _)) = OPTION_NAMES.iter().find(|(_, text)| *text == name) {
            if self.instruction.options.contains(*option) {
                return Err(Diagnostic::error(span, format!("`{name}` is given twice")));
            }
            self.instruction.options |= *option;
            return Ok(());
        }
        if let Specific::Send(send) = &mut self.instruction.specific {
            match name {
                "EOT" => send.eot = true,
                // It is implied where every message has it.
                "ExBSO" if self.family.send == SendForm::Xe2 && send.sfid == Some(Sfid::Ugm) => {}
                "ExBSO" => send.ex_bso = true,
                "CPS" => send.cps = true,
                _ => return Err(bad(cursor, name, "no option of a send")),
            }
            return Ok(());
        }
        match name {
            "NoAccSBSet" => self.instruction.swsb.no_acc_set = true,
            "Uncompacted" => self.instruction.options |= Options::NO_COMPACT,
            _ => {
                let mut help = String::from("options are");
                for (_, text) in OPTION_NAMES {
                    help.push(' ');
                    help.push_str(text);
                }
                return Err(bad(cursor, name, "no option").with_help(help));
            }
        }
        Ok(())
    }
}
