//! What a send does, as a comment.

use alloc::string::String;
use core::fmt::Write;

use devinfo::Family;

use crate::message::{Descriptors, Message};
use crate::model::{Descriptor, Instruction};

/// Appends the lengths and the meaning of a send; nothing for other instructions.
pub fn send(out: &mut String, family: Family, instruction: &Instruction) {
    let Some(send) = instruction.send() else {
        return;
    };
    if let (Some(src0), Some(dst)) = (send.src0_len(), send.dst_len()) {
        let _ = write!(out, "wr:{src0}");
        if let Some(src1) = send.src1_len {
            let _ = write!(out, "+{src1}");
        }
        let _ = write!(out, ", rd:{dst}");
    }
    let (Some(function), Some(descriptor)) = (send.sfid, send.desc.immediate()) else {
        return;
    };
    let descriptors = Descriptors {
        descriptor,
        extended: send.exdesc.immediate().unwrap_or(0),
        extended_bindless_offset: send.ex_bso,
        extended_offset: match send.exdesc {
            Descriptor::Register { .. } => Some(send.exdesc_offset),
            Descriptor::Immediate(_) => None,
        },
    };
    match Message::decode(family, function, descriptors) {
        Ok(message) => {
            let _ = write!(out, "; {message}");
        }
        Err(error) => {
            let _ = write!(out, "; {error}");
        }
    }
}
