//! The operands of a send.

use alloc::format;

use super::cursor::{Cursor, Parse, Refusal};
use super::instruction::Parser;
use super::lexer::Token;
use super::number::{self, Value};
use crate::code::SendForm;
use crate::model::{Attributes, Descriptor, Dst, Specific, Src, Type};

impl Parser<'_> {
    /// Destination, payloads and both descriptors.
    pub(super) fn send(&mut self, cursor: &mut Cursor<'_>) -> Parse<()> {
        let Specific::Send(mut send) = self.instruction.specific else {
            return Err(cursor.expected("a send"));
        };
        self.dst(cursor)?;
        let start = cursor.place();
        let (src0, _) = self.context().payload(cursor, 0)?;
        self.instruction.src[0] = src0;
        self.operands[1] = Some(cursor.since(start));
        let form = self.family.send;
        let gathers = self.instruction.gathers();
        let two = !gathers
            && self
                .family
                .has(self.instruction.opcode, Attributes::TWO_PAYLOADS);
        let mut length = None;
        if two {
            let start = cursor.place();
            let (src1, len) = self.context().payload(cursor, 1)?;
            self.instruction.src[1] = src1;
            self.operands[2] = Some(cursor.since(start));
            length = len;
            self.has_length = len.is_some();
            // As in IGA, these payloads have no type.
            if let Src::Direct { ty, .. } = &mut self.instruction.src[0] {
                *ty = Type::Ud;
            }
            if form != SendForm::Legacy
                && let Dst::Direct { ty, .. } = &mut self.instruction.dst
            {
                *ty = Type::Ud;
            }
        }
        let start = cursor.place();
        let options = &self.family.send_options;
        let (exdesc, offset) = self.descriptor(cursor, options.exdesc_offset)?;
        let place = cursor.since(start);
        send.exdesc_offset = offset;
        send.exdesc = exdesc;
        let (desc, _) = self.descriptor(cursor, false)?;
        send.desc = desc;
        match (form, exdesc) {
            (SendForm::Legacy, _) => {
                super::legacy::send(self.family, &mut send, self.instruction.opcode, place)?;
            }
            (SendForm::LengthInDescriptor, Descriptor::Immediate(exdesc)) => {
                send.src1_len = Some((exdesc >> 6 & 31) as u8);
                send.eot = exdesc & 0x20 != 0;
                if exdesc & 0x1f != 0 {
                    return Err(Refusal::new(
                        place,
                        format!("bits 4:0 of the extended descriptor {exdesc:#x} must be 0"),
                    )
                    .with_help("the shared function is a suffix of `send`".into()));
                }
                send.exdesc = Descriptor::Immediate(exdesc & !0x3f);
            }
            (SendForm::LengthInDescriptor, Descriptor::Register { .. }) => {}
            (SendForm::LengthInInstruction, Descriptor::Immediate(exdesc)) => {
                let implied = (!gathers).then_some((exdesc >> 6 & 31) as u8);
                send.src1_len = length.or(implied);
                send.eot = exdesc & 0x20 != 0;
                send.exdesc = Descriptor::Immediate(exdesc & !0x7ff);
            }
            (SendForm::LengthInInstruction, Descriptor::Register { .. }) => {
                send.src1_len = length;
                // A length in the instruction implies ExBSO, except where the length is always
                // there.
                let implied = options.implied_ex_bso == send.sfid && send.sfid.is_some();
                send.ex_bso = length.is_some() && !implied;
                if implied && !gathers {
                    send.src1_len = Some(length.unwrap_or(0));
                }
            }
        }
        self.instruction.specific = Specific::Send(send);
        Ok(())
    }

    /// `0x1234`, `a0.2`, or (`offset` allowed) `0x1000:a0.2`.
    fn descriptor(&self, cursor: &mut Cursor<'_>, offset: bool) -> Parse<(Descriptor, u32)> {
        if cursor.eat_name("a0") {
            cursor.expect(Token::Dot)?;
            let subreg = cursor.small("the sub-register of a0", 7)?;
            return Ok((Descriptor::Register { subreg }, 0));
        }
        let start = cursor.place();
        if !number::begins(cursor) {
            return Err(cursor.expected("a descriptor, a number or a0.N"));
        }
        let value = number::expression(cursor)?;
        let value = match value {
            Value::Integer { value, .. } => u32::try_from(value)
                .ok()
                .or_else(|| i32::try_from(value).ok().map(|value| value as u32)),
            Value::Float(_) => None,
        };
        let value = value
            .ok_or_else(|| Refusal::new(cursor.since(start), "a descriptor has 32 bits".into()))?;
        if offset && cursor.eat(Token::Colon) {
            let (descriptor, _) = self.descriptor(cursor, false)?;
            return Ok((descriptor, value));
        }
        Ok((Descriptor::Immediate(value), 0))
    }
}
