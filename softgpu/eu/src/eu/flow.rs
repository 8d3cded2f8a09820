//! Control flow: per-channel instruction pointers.
//!
//! Every channel has its own instruction pointer. Channels whose pointer is the thread's are
//! active; the others are parked at theirs, and wake when the thread gets there. Branches only say
//! where channels go and which pointer the thread follows. Sources: BDW, SKL and TGL PRM vol 2a
//! (the branch instructions), vISA FlowGraph.cpp for how compilers set JIP and UIP.

use isa_encoder::semantics::{Flow, Semantics};
use isa_encoder::{Opcode, Type};

use super::op::Op;
use super::operand::{Kind, LANES};
use super::state::State;
use crate::Fault;

/// Executes a branch: sets channel enables and the instruction pointer. Where channels may go, `settled::takes` says,
/// too.
///
/// # Errors
/// [`Fault::IllegalInstruction`] for an operand that the branch cannot have.
pub(super) fn execute(state: &mut State, op: &Op) -> Result<(), Fault> {
    if op.live {
        state.refresh(op);
    }
    let mask = state.write_mask(op);
    // Channels of the thread whose predicate holds, and those whose predicate does not.
    let all = op.size_mask() << op.channel_offset;
    let taken = (mask << op.channel_offset) & state.active;
    let rest = all & state.active & !taken;
    let next = op.next_ip;
    let Semantics::Flow(kind) = op.does else {
        return Err(illegal(op, "it is no branch"));
    };
    match kind {
        Flow::Jump => {
            if mask != 0 {
                let target = target(state, op)?;
                state.go_to(target);
            } else {
                state.go_to(next);
            }
        }
        Flow::If => {
            let jip = jip(op)?;
            state.park(rest, jip);
            follow(state, next, jip);
        }
        Flow::Else => {
            let jip = jip(op)?;
            state.park(taken, op.targets.uip);
            // The channels of the other branch wait after this instruction.
            follow(state, next, jip);
        }
        Flow::Endif | Flow::Join => {
            let jip = jip(op)?;
            follow(state, next, jip);
        }
        Flow::While => {
            let jip = jip(op)?;
            if taken == 0 {
                state.go_to(next);
            } else {
                state.park(rest, next);
                state.go_to(jip);
            }
        }
        Flow::Break | Flow::Cont | Flow::Halt => {
            let jip = jip(op)?;
            state.park(taken, op.targets.uip);
            follow(state, next, jip);
        }
        Flow::Goto => {
            let jip = jip(op)?;
            if op.targets.control {
                // Backward: channels that jump run first, the others wait after the branch.
                if taken == 0 {
                    state.go_to(next);
                } else {
                    state.park(rest, next);
                    state.go_to(op.targets.uip);
                }
            } else {
                let leaving = if state.rules.goto_takes_false {
                    rest
                } else {
                    taken
                };
                state.park(leaving, op.targets.uip);
                follow(state, next, jip);
            }
        }
        Flow::Brd | Flow::Brc => {
            let (jip, uip) = branch_targets(state, op)?;
            state.park(taken, uip);
            follow(state, next, jip);
        }
        Flow::Call { .. } => {
            if mask == 0 {
                state.go_to(next);
                return Ok(());
            }
            let target = target(state, op)?;
            link(state, op)?;
            if op.no_mask {
                // All channels that can execute follow.
                state.call_mask = state.active;
            } else {
                state.park(rest, next);
                state.call_mask = taken;
            }
            state.go_to(target);
        }
        Flow::Ret => {
            if mask == 0 {
                state.go_to(next);
                return Ok(());
            }
            let target = source_dword(state, op);
            if op.no_mask {
                state.call_mask = caller_mask(state, op);
                state.go_to(target);
                return Ok(());
            }
            state.park(taken, target);
            let inside = state.parked & state.call_mask;
            let still_inside =
                (0..LANES).any(|lane| inside >> lane & 1 != 0 && state.channel_ip[lane] != target);
            if state.active == 0 && !still_inside {
                state.call_mask = caller_mask(state, op);
                state.go_to(target);
            } else {
                state.go_to(next);
            }
        }
    }
    Ok(())
}

/// Continues at `next` if a channel is active there, otherwise at `otherwise`.
fn follow(state: &mut State, next: u32, otherwise: u32) {
    let waiting = |state: &State| {
        let here = state.parked & state.call_mask;
        (0..LANES).any(|lane| here >> lane & 1 != 0 && state.channel_ip[lane] == next)
    };
    if state.active != 0 || state.parked != 0 && waiting(state) {
        state.go_to(next);
    } else {
        state.go_to(otherwise);
    }
}

fn illegal(op: &Op, what: &str) -> Fault {
    Fault::IllegalInstruction {
        why: format!("{} at {:#x}: {what}", op.opcode.mnemonic(), op.ip),
    }
}

fn jip(op: &Op) -> Result<u32, Fault> {
    op.targets.jip.ok_or_else(|| illegal(op, "no jump target"))
}

/// The first dword of source 0.
fn source_dword(state: &State, op: &Op) -> u32 {
    let mut lanes = [0; LANES];
    op.src[0].gather(&state.regs, 1, &mut lanes);
    lanes[0] as u32
}

/// The target of a jump or call: the immediate, or source 0. A register holds an offset from the
/// instruction itself, and for `calla` an offset from the instruction base.
fn target(state: &State, op: &Op) -> Result<u32, Fault> {
    if let Some(jip) = op.targets.jip {
        return Ok(jip);
    }
    let source = op
        .src
        .iter()
        .find(|src| src.kind != Kind::None)
        .ok_or_else(|| illegal(op, "no jump target"))?;
    let mut lanes = [0; LANES];
    source.gather(&state.regs, 1, &mut lanes);
    let value = lanes[0] as u32;
    Ok(match op.opcode {
        Opcode::Calla => value,
        Opcode::Jmpi => state
            .rules
            .jump_origin(op.ip, op.next_ip)
            .wrapping_add(value),
        _ => op.ip.wrapping_add(value),
    })
}

/// JIP and UIP of `brd` and `brc`; a register holds one, or both in consecutive dwords.
fn branch_targets(state: &State, op: &Op) -> Result<(u32, u32), Fault> {
    if let Some(jip) = op.targets.jip {
        let uip = if op.opcode == Opcode::Brc {
            op.targets.uip
        } else {
            jip
        };
        return Ok((jip, uip));
    }
    let source = &op.src[0];
    if source.kind != Kind::Direct {
        return Err(illegal(op, "no jump target"));
    }
    let at = source.base as usize;
    let jip = op.ip.wrapping_add(state.regs.dword(at));
    let uip = op.ip.wrapping_add(state.regs.dword(at + 4));
    Ok(if op.opcode == Opcode::Brc {
        (jip, uip)
    } else {
        (jip, jip)
    })
}

/// The call mask that this function's call stored beside the return address.
fn caller_mask(state: &State, op: &Op) -> u32 {
    let link = &op.src[0];
    match link.kind {
        Kind::Direct => state
            .regs
            .dword((link.base + link.element.bytes()) as usize),
        _ => u32::MAX,
    }
}

/// Stores the return address and the caller's call mask.
fn link(state: &mut State, op: &Op) -> Result<(), Fault> {
    let at = op
        .dst
        .resolve(&state.regs, 1)
        .map_err(|_| illegal(op, "the link register is outside the registers"))?;
    if let Some(at) = at {
        let size = match op.dst.ty {
            Type::Uq | Type::Q => 8,
            _ => 4,
        };
        state.regs.set_element(at, size, op.next_ip.into());
        state.regs.set_dword(at + size as usize, state.call_mask);
    }
    Ok(())
}
