//! The accumulators: their integer width, and the operations that read or write them implicitly.
//!
//! A dword channel of an accumulator holds a 64-bit product. The register bytes hold its low half
//! (what `mov` reads); the whole is kept beside, and counts only as long as the halves agree.
//! (`eu_lanes::Accumulator` is the same for vector routines.)

use isa_encoder::{Opcode, Type};

use super::general::{Outcome, channels};
use super::op::Op;
use super::operand::LANES;
use super::ops::softfloat::{self, Format, Rounding};
use super::ops::value::{format_of, int_of};
use super::regs;
use super::state::State;

/// The accumulator element of a channel for implicit accesses: the channel offset counts within
/// one register, so that an instruction on channels 8 to 15 uses acc0, as one on 0 to 7 does.
/// Sources: compiled code (`mul (8|M8) acc0` followed by `mach (8|M8)`), Mesa's horizontal offset
/// `group % acc_width`.
fn element(state: &State, op: &Op, lane: usize) -> usize {
    usize::from(op.channel_offset) % (state.rules.grf_bytes / 4) + lane
}

/// Dword channels whose whole is kept.
pub(super) const WIDE_CHANNELS: usize = LANES;

/// The offset in the register file of the whole of an accumulator element.
pub(super) const fn wide_at(element: usize) -> usize {
    regs::ACC_WIDE + 8 * element
}

/// The integer that a channel accumulates on.
pub(super) fn integer(state: &State, op: &Op, lane: usize) -> i128 {
    let element = element(state, op, lane);
    let low = state.regs.dword(regs::ACC + 4 * element);
    let wide = state.regs.element(wide_at(element), 8) as i64;
    match element {
        0..WIDE_CHANNELS if wide as u32 == low => wide.into(),
        _ => {
            let ty = if op.dst.ty.is_signed() {
                Type::D
            } else {
                Type::Ud
            };
            int_of(low.into(), ty)
        }
    }
}

/// The float that a channel accumulates on.
pub(super) fn float(state: &State, op: &Op, lane: usize, format: Format) -> u64 {
    let own = format_of(op.dst.ty).unwrap_or(format);
    let size = (own.exponent + own.fraction).div_ceil(8);
    let at = regs::ACC + element(state, op, lane) * size as usize;
    let bits = state.regs.element(at, size);
    softfloat::convert(own, format, Rounding::Nearest, bits)
}

/// Takes note of an explicit write of `mask` channels to accumulator bytes from offset `at` on.
pub(super) fn note_write(
    state: &mut State,
    op: &Op,
    at: usize,
    mask: u32,
    results: &[Outcome; LANES],
) {
    if op.dst.ty.is_float() {
        return;
    }
    for lane in channels(mask) {
        let offset = at + lane * usize::from(op.dst.stride) - regs::ACC;
        let wide = match op.dst.ty.bits() {
            32 => results[lane].wide,
            _ => int_of(results[lane].fitted.raw, op.dst.ty) as i64,
        };
        keep(state, offset / 4, wide);
    }
}

/// The implicit write of an instruction with AccWrEn, or of one that always updates the
/// accumulator.
pub(super) fn implicit_write(state: &mut State, op: &Op, mask: u32, results: &[Outcome; LANES]) {
    let size = op.dst.ty.bytes();
    for lane in channels(mask) {
        let element = element(state, op, lane);
        let outcome = &results[lane];
        match op.opcode {
            // What accumulates is the product, or the carry, not the result.
            Opcode::Mach | Opcode::Macl | Opcode::Addc | Opcode::Subb => {
                set_wide(state, element, outcome.wide);
            }
            _ if op.dst.ty.is_integer() && size == 4 && !op.saturate => {
                set_wide(state, element, outcome.wide);
            }
            _ => {
                let at = regs::ACC + element * size as usize;
                state.regs.set_element(at, size, outcome.fitted.raw);
            }
        }
    }
}

fn set_wide(state: &mut State, element: usize, wide: i64) {
    state.regs.set_dword(regs::ACC + 4 * element, wide as u32);
    keep(state, element, wide);
}

/// Keeps the whole of an element.
fn keep(state: &mut State, element: usize, wide: i64) {
    if element < WIDE_CHANNELS {
        state.regs.set_element(wide_at(element), 8, wide as u64);
    }
}
