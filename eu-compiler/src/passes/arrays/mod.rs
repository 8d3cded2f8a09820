//! Small private variables that are indexed by values live in registers.
//!
//! Their bytes are cut into cells: a cell is what accesses read or write as a whole, and has a dword of
//! each lane. Cells of an array lie behind each other, so that an index is a distance between
//! registers. A read with an index is one instruction with an address of its own for each lane; a
//! write compares the index with that of each cell.

mod find;
mod layout;
mod pointers;
mod rewrite;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use crate::ir::{Function, Op};
use crate::target::Target;

/// The part of the registers that arrays may have.
const SHARE: u32 = 2;
/// Bytes of a cell of a lane.
const CELL: u32 = 4;

/// How many arrays have room depends on how many lanes they are for.
pub(super) fn knows_width(function: &Function) -> bool {
    let mut insts = function.listed();
    insts.any(|data| matches!(data.op, Op::Alloca { .. }))
}

pub(super) fn run(function: &mut Function, target: &Target) -> Result<(), String> {
    if !knows_width(function) {
        return Ok(());
    }
    // Pointers that were kept in variables may be plain by now.
    super::memory::run(function, target)?;
    super::simplify::run(function, target)?;
    if !target.arrays {
        return Ok(());
    }
    pointers::run(function);
    let mut left = target.registers * target.grf() / SHARE / (CELL * target.simd);
    let mut arrays = HashMap::new();
    for variable in find::find(function)? {
        let cells = variable.layout.as_ref().map_or(0, |layout| layout.cells);
        if cells <= left {
            left -= cells;
            arrays.insert(variable.alloca, variable);
        }
    }
    if arrays.is_empty() {
        return Ok(());
    }
    rewrite::Rewrite::new(function, target, arrays).run()?;
    super::simplify::sweep(function);
    Ok(())
}
