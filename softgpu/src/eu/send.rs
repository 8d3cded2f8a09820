//! Sends: finds the payload, and hands it to the shared function.

use core::ops::Range;

use super::convergence::{self, Flow};
use super::op::{Immediate, Op, SendOp};
use super::regs::{GRF_BASE, Registers};
use super::state::State;
use crate::sf::{self, Effect, Message};
use crate::{Fault, GroupEnv};

/// The most registers of one payload or response: the fields have 5 bits.
const MAX_REGISTERS: usize = 32;

/// Executes a send.
///
/// # Errors
/// Those of the shared function, and [`Fault::IllegalInstruction`] for registers that do not
/// exist.
pub(super) fn execute(
    state: &mut State,
    op: &Op,
    send: &SendOp,
    env: &GroupEnv<'_>,
) -> Result<Effect, Fault> {
    let read = |value: Immediate| match value {
        Immediate::Value(value) => value,
        Immediate::Register(offset) => state.regs.dword(offset as usize),
    };
    let descriptor = read(send.descriptor);
    let extended_descriptor = read(send.extended);
    let mask = state.write_mask(op);
    // A message for nobody does nothing, except that the last one ends the thread anyway.
    if mask == 0 && !send.eot {
        return Ok(Effect::None);
    }

    let grf = state.rules.grf_bytes;
    let src0_len = (descriptor >> 25 & 0xf) as usize;
    let mut dst_len = (descriptor >> 20 & 0x1f) as usize;
    // The field cannot say 32; a two-dimensional block load that long says 31 and its function
    // finds the length itself.
    if dst_len == 31 {
        dst_len = dst_len.max(registers_left(state, send.dst).min(MAX_REGISTERS));
    }
    let src1_len = match send.src1_len {
        Some(length) => usize::from(length).min(MAX_REGISTERS),
        None => (extended_descriptor >> 6 & 0x1f) as usize,
    };

    let src0 = range(&state.regs, op, "source 0", send.src0, src0_len * grf)?;
    let src1 = range(&state.regs, op, "source 1", send.src1, src1_len * grf)?;
    let dst = range(&state.regs, op, "the response", send.dst, dst_len * grf)?;
    // A payload that the response overwrites is read whole before that.
    let (mut copy0, mut copy1) = (Vec::new(), Vec::new());
    for (src, copy) in [(&src0, &mut copy0), (&src1, &mut copy1)] {
        if src.start < dst.end && dst.start < src.end {
            copy.extend_from_slice(state.regs.bytes().get(src.clone()).unwrap_or_default());
        }
    }
    let flow = Flow::of(state);
    let (head, rest) = state.regs.bytes_mut().split_at_mut(dst.start);
    let (response, tail) = rest.split_at_mut(dst.len());
    let payload = |src: Range<usize>, copy| -> &[u8] {
        let part = if src.end <= dst.start {
            head.get(src)
        } else if src.start >= dst.end {
            tail.get(src.start - dst.end..src.end - dst.end)
        } else {
            None
        };
        part.unwrap_or(copy)
    };
    let message = Message {
        sfid: send.sfid.unwrap_or(extended_descriptor as u8 & 0xf),
        descriptor,
        extended_descriptor,
        extended_bindless_offset: send.ex_bso,
        extended_offset: send.extended_offset,
        exec_size: op.exec_size,
        mask,
        thread_slot: state.thread_slot,
        src0: payload(src0, &copy0),
        src1: payload(src1, &copy1),
        dst: response,
    };
    if let Some(checks) = env.checks {
        checks.set_ip(op.ip.into());
        if let Some(meaning) = &send.meaning {
            convergence::check(checks, &flow, op, meaning);
        }
    }
    let effect = match send.meaning {
        Some(meaning) => sf::perform(meaning, message, env),
        None => sf::execute(message, env),
    }?;
    if send.eot {
        return Ok(Effect::EndOfThread);
    }
    Ok(effect)
}

/// Registers from register file offset `at` to the last.
fn registers_left(state: &State, at: Option<u32>) -> usize {
    let end = GRF_BASE + state.regs.grf().len();
    at.map_or(0, |at| {
        end.saturating_sub(at as usize) / state.rules.grf_bytes
    })
}

/// Where `bytes` of general registers from register file offset `at` on are; nothing for null.
fn range(
    regs: &Registers,
    op: &Op,
    what: &str,
    at: Option<u32>,
    bytes: usize,
) -> Result<Range<usize>, Fault> {
    let Some(at) = at else {
        return Ok(0..0);
    };
    let at = at as usize;
    let range = at..at + bytes;
    if at < GRF_BASE || range.end > GRF_BASE + regs.grf().len() {
        return Err(Fault::IllegalInstruction {
            why: format!(
                "{} at {:#x}: {what} takes {bytes} bytes from register byte {} on, beyond the last \
                 register",
                op.opcode.mnemonic(),
                op.ip,
                at.saturating_sub(GRF_BASE)
            ),
        });
    }
    Ok(range)
}
