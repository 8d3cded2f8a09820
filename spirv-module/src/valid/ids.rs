//! Ids: each has one definition.

use std::collections::HashMap;

use spirv::Op;

use super::Check;
use crate::module::Instruction;
use crate::types::{Types, is_type, speaks_of};

/// Where ids are defined: words before the instruction.
#[derive(Default)]
pub(super) struct Ids(HashMap<u32, usize>);

impl Check {
    /// "All `<id>` definitions … each result `<id>` must be unique within a module".
    pub(super) fn ids(&mut self, ids: &mut Ids, one: &Instruction<'_>) {
        let Some(id) = defines(&self.types, one) else {
            return;
        };
        match ids.0.get(&id).copied() {
            Some(first) => {
                let why = format!("%{id} is defined twice, first at word {first}");
                self.broken(one, why);
            }
            None => {
                ids.0.insert(id, one.offset);
            }
        }
    }
}

/// The id that an instruction defines.
pub(crate) fn defines(types: &Types, one: &Instruction<'_>) -> Option<u32> {
    let op = one.op()?;
    let first = is_type(op)
        || matches!(
            op,
            Op::Label | Op::String | Op::ExtInstImport | Op::DecorationGroup
        );
    if first {
        return one.operands.first().copied();
    }
    // The first operand of what makes a value is its type; nothing else has one there.
    let ty = *one.operands.first()?;
    let is_result = !speaks_of(op) && !is_about_the_module(op) && types.get(ty).is_some();
    one.operands.get(1).copied().filter(|_| is_result)
}

/// Whether an instruction's first operand is a number or a text, which may look like an id.
pub(super) fn is_about_the_module(op: Op) -> bool {
    matches!(
        op,
        Op::Nop
            | Op::Capability
            | Op::Extension
            | Op::MemoryModel
            | Op::EntryPoint
            | Op::ExecutionMode
            | Op::ExecutionModeId
            | Op::Source
            | Op::SourceContinued
            | Op::SourceExtension
            | Op::ModuleProcessed
    )
}
