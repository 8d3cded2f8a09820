//! Sends: gathers the payload, and hands it to the shared function.

use isa_encoder::Opcode;

use super::op::{Immediate, Op, SendOp};
use super::regs::GRF_BASE;
use super::state::State;
use crate::sf::{self, Effect, Message};
use crate::{Fault, GroupEnv};

/// The most registers of one payload or response: the fields have 5 bits.
const MAX_REGISTERS: usize = 32;

/// Copies of a message's registers, kept from send to send.
#[derive(Clone, Debug, Default)]
pub(super) struct Buffers {
    src0: Vec<u8>,
    src1: Vec<u8>,
    dst: Vec<u8>,
}

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

    let mut buffers = core::mem::take(&mut state.buffers);
    let Buffers { src0, src1, dst } = &mut buffers;
    let src0 = slice(state, op, "source 0", send.src0, src0_len * grf, src0)?;
    let src1 = slice(state, op, "source 1", send.src1, src1_len * grf, src1)?;
    let dst = slice(state, op, "the response", send.dst, dst_len * grf, dst)?;
    let effect = sf::execute(
        Message {
            sfid: send.sfid.unwrap_or(extended_descriptor as u8 & 0xf),
            descriptor,
            extended_descriptor,
            extended_bindless_offset: send.ex_bso,
            extended_offset: send.extended_offset,
            exec_size: op.exec_size,
            mask,
            thread_slot: state.thread_slot,
            src0,
            src1,
            dst,
        },
        env,
    )?;
    if let Some(at) = send.dst {
        let at = at as usize - GRF_BASE.min(at as usize);
        if let Some(target) = state.regs.grf_mut().get_mut(at..at + dst.len()) {
            target.copy_from_slice(dst);
        }
    }
    state.buffers = buffers;
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

/// Copies `bytes` of registers from register file offset `at` on (null: nothing) to `buffer`.
fn slice<'a>(
    state: &State,
    op: &Op,
    what: &str,
    at: Option<u32>,
    bytes: usize,
    buffer: &'a mut Vec<u8>,
) -> Result<&'a mut [u8], Fault> {
    buffer.clear();
    let Some(at) = at else {
        return Ok(buffer);
    };
    let end = GRF_BASE + state.regs.grf().len();
    let at = at as usize;
    let Some(source) = state
        .regs
        .bytes()
        .get(at..at + bytes)
        .filter(|_| at + bytes <= end && at >= GRF_BASE)
    else {
        return Err(Fault::IllegalInstruction {
            why: format!(
                "{} at {:#x}: {what} takes {bytes} bytes from register byte {} on, beyond the last \
                 register",
                Opcode::mnemonic(op.opcode),
                op.ip,
                at.saturating_sub(GRF_BASE)
            ),
        });
    };
    buffer.extend_from_slice(source);
    Ok(buffer)
}
