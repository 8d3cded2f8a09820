//! A trace of executed instructions, for debugging the interpreter and kernels.
//!
//! Enabled by the tracing target `softgpu::eu` at level trace; free when it is not.

use super::op::{Action, Op};
use super::operand::{LANES, Target};
use super::state::State;

const TARGET: &str = "softgpu::eu";

/// Whether instructions are traced.
pub(super) fn enabled() -> bool {
    tracing::enabled!(target: TARGET, tracing::Level::TRACE)
}

/// Before an instruction.
pub(super) fn before(state: &State, op: &Op) {
    tracing::trace!(
        target: TARGET,
        "{:#06x} {} ({}|M{}) active {:#010x} mask {:#010x}",
        op.ip,
        op.opcode.mnemonic(),
        op.exec_size,
        op.channel_offset,
        state.active,
        state.write_mask(op),
    );
}

/// After an instruction: the value of its destination.
pub(super) fn after(state: &State, op: &Op) {
    match op.action {
        Action::Flow => tracing::trace!(
            target: TARGET,
            "       -> {:#06x} active {:#010x}",
            state.ip,
            state.active
        ),
        Action::Fast(_) | Action::General if op.dst.target != Target::Null => {
            let Ok(Some(at)) = op.dst.resolve(&state.regs, op.lanes()) else {
                return;
            };
            let size = op.dst.ty.bytes();
            let values: Vec<String> = (0..op.lanes().min(LANES))
                .map(|lane| {
                    let raw = state
                        .regs
                        .element(at + lane * usize::from(op.dst.stride), size);
                    format!("{raw:0width$x}", width = 2 * size as usize)
                })
                .collect();
            tracing::trace!(target: TARGET, "       = {} {}", op.dst.ty, values.join(" "));
        }
        _ => {}
    }
}
