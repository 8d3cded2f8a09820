//! What messages name is declared.

use alloc::string::String;
use alloc::vec::Vec;

use super::auditor::Audit;
use super::walk::message;
use crate::message::{Gateway, HdcSurface, LscAddress, Message, SamplerOp};
use crate::model::semantics::Semantics;
use crate::model::{Specific, SyncFunction};

/// Binding table indices from here on are not entries of the table.
const RESERVED: u8 = 240;

/// The binding table entry that a message names.
fn surface(message: &Message) -> Option<u8> {
    let index = match message {
        Message::Hdc(hdc) => match hdc.surface()? {
            HdcSurface::Bti(index) => index,
            _ => return None,
        },
        Message::Lsc(lsc) => match lsc.address()? {
            LscAddress::Bti { index, .. } => index,
            _ => return None,
        },
        Message::Sampler(sampler) if !is_flush(sampler.op) => sampler.surface,
        _ => return None,
    };
    (index < RESERVED).then_some(index)
}

/// Whether an operation is of the sampler's cache alone.
fn is_flush(op: SamplerOp) -> bool {
    matches!(op, SamplerOp::CacheFlush | SamplerOp::BlockFlush)
}

/// Whether an operation filters, by a sampler state.
fn samples(op: SamplerOp) -> bool {
    let name = op.mnemonic();
    !is_flush(op)
        && (name.starts_with("gather") || name.starts_with("sample") && op != SamplerOp::SampleInfo)
}

fn list(indices: &[u32]) -> String {
    match indices {
        [] => String::from("none"),
        _ => {
            let texts: Vec<String> = indices.iter().map(|i| alloc::format!("{i}")).collect();
            texts.join(", ")
        }
    }
}

impl Audit<'_> {
    /// Reports binding table entries, sampler states and barriers that nothing declares.
    pub(super) fn bindings(&mut self) {
        for index in self.live() {
            let Some(instruction) = self.instruction(index) else {
                continue;
            };
            let message = message(self.program, instruction);
            let bar = matches!(instruction.specific, Specific::Sync(SyncFunction::Bar));
            let waits = bar || instruction.opcode.semantics() == Semantics::Wait;
            let signals = matches!(message, Some(Message::Gateway(Gateway::Barrier)));
            if (waits || signals) && self.declared.barriers == Some(0) {
                let what = "the kernel declares no barrier (`//.barriers 1`)";
                self.report(index, "undeclared barrier", String::from(what));
            }
            let Some(message) = message else {
                continue;
            };
            if let (Some(entry), Some(known)) = (surface(&message), &self.declared.surfaces)
                && !known.contains(&entry.into())
            {
                let what = alloc::format!(
                    "nothing is bound to entry {entry} of the binding table; declared: {}",
                    list(known)
                );
                self.report(index, "undeclared binding", what);
            }
            if let (Message::Sampler(sampler), Some(known)) = (&message, &self.declared.samplers)
                && samples(sampler.op)
                && sampler.surface < RESERVED
                && !known.contains(&sampler.sampler.into())
            {
                let what = alloc::format!(
                    "there is no sampler state {}; declared: {}",
                    sampler.sampler,
                    list(known)
                );
                self.report(index, "undeclared sampler", what);
            }
        }
    }
}
