//! What only Gen8 to Gen11 syntax has.

use alloc::format;

use super::Span;
use super::cursor::{Parse, Refusal};
use crate::code::FamilyTable;
use crate::model::{Descriptor, Opcode, Send};

/// Takes the function, the end of thread and the second payload's length from an extended
/// descriptor.
pub fn send(
    family: &'static FamilyTable,
    send: &mut Send,
    opcode: Opcode,
    span: Span,
) -> Parse<()> {
    let two = matches!(opcode, Opcode::Sends | Opcode::Sendsc);
    let Descriptor::Immediate(exdesc) = send.exdesc else {
        return if two {
            Ok(())
        } else {
            Err(Refusal::new(
                span,
                format!("the extended descriptor of `{opcode}` is in the instruction"),
            ))
        };
    };
    let code = (exdesc & 15) as usize;
    send.sfid = family.sfids.get(code).copied().flatten();
    if send.sfid.is_none() {
        return Err(Refusal::new(
            span,
            format!("{code:#x} is no shared function of {}", family.family),
        ));
    }
    send.eot = exdesc & 0x20 != 0;
    send.exdesc = Descriptor::Immediate(exdesc & !0x3f);
    if two {
        send.src1_len = Some((exdesc >> 6 & 15) as u8);
    }
    Ok(())
}
