//! The systolic array: `dpas`.

use super::op::Op;
use super::state::State;
use crate::Fault;

/// Executes `dpas`.
pub(super) fn execute(state: &mut State, op: &Op) -> Result<(), Fault> {
    let _ = state;
    Err(Fault::IllegalInstruction {
        why: format!(
            "{} at {:#x} is not executed yet",
            op.opcode.mnemonic(),
            op.ip
        ),
    })
}
