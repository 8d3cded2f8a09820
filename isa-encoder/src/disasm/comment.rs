//! What a send does, as a comment.

use alloc::string::String;
use core::fmt::Write;

use devinfo::Family;

use crate::message::{Descriptors, Message};
use crate::model::Instruction;

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
