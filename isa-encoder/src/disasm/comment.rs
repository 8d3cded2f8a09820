//! What a send does, as a comment.

use alloc::string::String;
use core::fmt::Write;

use devinfo::Family;

use crate::message::{Descriptors, Lengths, Message, is_load_store};
use crate::model::{Instruction, Send};

/// Whether the payload begins with a header. Load/store messages have none: there the bit belongs
/// to cache control.
fn has_header(family: Family, send: &Send) -> bool {
    let load_store = send.sfid.is_some_and(|sfid| is_load_store(family, sfid));
    let descriptor = send.desc.immediate();
    !load_store && descriptor.is_some_and(|descriptor| Lengths::decode(descriptor).header)
}

/// Appends the lengths and the meaning of a send; nothing for other instructions.
pub fn send(out: &mut String, family: Family, instruction: &Instruction) {
    let Some(send) = instruction.send() else {
        return;
    };
    if let (Some(src0), Some(dst)) = (send.src0_len(), send.dst_len()) {
        let _ = write!(out, "wr:{src0}");
        if has_header(family, send) {
            out.push('h');
        }
        if let Some(src1) = send.src1_len {
            let _ = write!(out, "+{src1}");
        }
        let _ = write!(out, ", rd:{dst}");
    }
    let (Some(function), Some(descriptors)) = (send.sfid, Descriptors::of(send)) else {
        return;
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
