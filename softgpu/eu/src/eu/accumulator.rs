//! The accumulators: their integer width, and the operations that read or write them implicitly.
//!
//! A dword channel of an accumulator holds a 64-bit product, a word channel 33 bits. The register
//! bytes hold the low part (which `mov` reads). The whole is kept beside it, and is valid only
//! while the low parts agree. (`eu_lanes::Accumulator` is the same for vector routines, for
//! dwords.) Source: SKL PRM vol 7 "Accumulator Registers", table "Accumulator Channel Precision".

use core::ops::Range;

use isa_encoder::semantics::Integer;
use isa_encoder::{Semantics, Type};

use super::general::{Outcome, channels};
use super::op::{Class, Op};
use super::operand::LANES;
use super::ops::softfloat::{self, Format, Rounding};
use super::ops::value::{format_of, int_of};
use super::regs;
use super::state::State;

/// The layout of an accumulator's channels for implicit accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Channels {
    /// Packed words, in acc0 alone.
    Words,
    /// Packed dwords, in acc0 alone.
    Dwords,
    /// Packed floats, in acc0 and acc1.
    Floats(Format),
}

impl Channels {
    /// What `op` accumulates on: its execution type, or its destination's if that is wider.
    fn of(op: &Op) -> Self {
        match op.class {
            Class::Float(format) => {
                let own = format_of(op.dst.ty).unwrap_or(format);
                Self::Floats(if float_bytes(own) > float_bytes(format) {
                    own
                } else {
                    format
                })
            }
            Class::Int(bits) => match format_of(op.dst.ty) {
                Some(format) => Self::Floats(format),
                None if bits.max(op.dst.ty.bits()) <= 16 => Self::Words,
                None => Self::Dwords,
            },
        }
    }

    const fn bytes(self) -> usize {
        match self {
            Self::Words => 2,
            Self::Dwords => 4,
            Self::Floats(format) => float_bytes(format) as usize,
        }
    }

    /// Channels after which the accumulators wrap around.
    const fn count(self, grf_bytes: usize) -> usize {
        let registers = match self {
            Self::Words | Self::Dwords => 1,
            Self::Floats(_) => 2,
        };
        registers * grf_bytes / self.bytes()
    }
}

const fn float_bytes(format: Format) -> u32 {
    (format.exponent + format.fraction).div_ceil(8)
}

/// The accumulator element of the first channel of `op` for implicit accesses: the channel offset
/// selects the place, which wraps around after as many channels as the type has. Dwords and words
/// have only acc0, so an instruction on dword channels 8 to 15 uses the same elements as one on 0
/// to 7; `f` wraps around after the 16 channels of acc0 and acc1, `hf` after 32.
///
/// Sources: Mesa brw_ir_performance.cpp (accum_reg_of_channel) and horizontal offset
/// `group % acc_width` of its lowered multiplications; IGC AccSubstitution.cpp (`hf` on channels 16
/// to 31 accumulates in acc1), G4_IR.cpp (computeLeftBoundForImplAcc: words and dwords use acc0
/// whatever the quarter).
pub(super) fn first_element(op: &Op, grf_bytes: usize) -> usize {
    usize::from(op.channel_offset) % Channels::of(op).count(grf_bytes)
}

/// Channels whose whole value is kept.
pub(super) const WIDE_CHANNELS: usize = LANES;

/// The offset in the register file of an accumulator element's whole value.
pub(super) const fn wide_at(element: usize) -> usize {
    regs::ACC_WIDE + 8 * element
}

/// The register bytes that so many elements may have, whatever their size, and those of their whole
/// values.
pub(super) fn elements(first: usize, count: usize) -> [Range<usize>; 2] {
    let end = first + count;
    let [wide, wide_end] = [first, end].map(|element| wide_at(element.min(WIDE_CHANNELS)));
    [regs::ACC..regs::ACC + 8 * end, wide..wide_end]
}

/// The register bytes that an implicit access by a channel may touch: those of an element, and those of one as
/// large as the result.
pub(super) fn touched(op: &Op, grf_bytes: usize, lane: usize) -> [Range<usize>; 2] {
    let element = first_element(op, grf_bytes) + lane;
    [Channels::of(op).bytes(), op.dst.ty.bytes() as usize].map(|size| {
        let at = regs::ACC + element * size;
        at..at + size
    })
}

/// The integer that a channel accumulates on.
pub(super) fn integer(state: &State, op: &Op, lane: usize) -> i128 {
    let element = first_element(op, state.rules.grf_bytes) + lane;
    let (unsigned, signed) = match Channels::of(op) {
        Channels::Words => (Type::Uw, Type::W),
        _ => (Type::Ud, Type::D),
    };
    let size = unsigned.bytes();
    let low = state
        .regs
        .element(regs::ACC + element * size as usize, size);
    if element < WIDE_CHANNELS {
        let wide = state.regs.element(wide_at(element), 8);
        if int_of(wide, unsigned) == i128::from(low) {
            return (wide as i64).into();
        }
    }
    let ty = if op.dst.ty.is_signed() {
        signed
    } else {
        unsigned
    };
    int_of(low, ty)
}

/// The float that a channel accumulates on.
pub(super) fn float(state: &State, op: &Op, lane: usize, format: Format) -> u64 {
    let Channels::Floats(own) = Channels::of(op) else {
        return format.quiet_nan();
    };
    let size = float_bytes(own);
    let element = first_element(op, state.rules.grf_bytes) + lane;
    let bits = state
        .regs
        .element(regs::ACC + element * size as usize, size);
    softfloat::convert(own, format, Rounding::Nearest, bits)
}

/// Records an explicit write of `mask` channels to accumulator bytes from offset `at` on.
pub(super) fn note_write(
    state: &mut State,
    op: &Op,
    at: usize,
    mask: u32,
    results: &[Outcome; LANES],
) {
    let ty = op.dst.ty;
    if !matches!(ty, Type::W | Type::Uw | Type::D | Type::Ud) {
        return;
    }
    let exact = matches!(op.class, Class::Int(_)) && !op.saturate;
    for lane in channels(mask) {
        let offset = at + lane * usize::from(op.dst.stride) - regs::ACC;
        let wide = if exact {
            results[lane].wide
        } else {
            int_of(results[lane].fitted.raw, ty) as i64
        };
        let wide = if ty.bits() == 16 { word(wide) } else { wide };
        keep(state, offset / ty.bytes() as usize, wide);
    }
}

/// The 33 bits of a word channel.
const fn word(value: i64) -> i64 {
    value << 31 >> 31
}

/// The implicit write of an instruction with AccWrEn, or of one that always updates the
/// accumulator.
pub(super) fn implicit_write(state: &mut State, op: &Op, mask: u32, results: &[Outcome; LANES]) {
    let layout = Channels::of(op);
    let first = first_element(op, state.rules.grf_bytes);
    let size = op.dst.ty.bytes();
    for lane in channels(mask) {
        let element = first + lane;
        let outcome = &results[lane];
        let raw = outcome.fitted.raw;
        match (op.does, layout) {
            // What accumulates is the product, or the carry, not the result.
            (
                Semantics::Integer(
                    Integer::ProductHigh
                    | Integer::ProductLow
                    | Integer::AddCarry
                    | Integer::SubtractBorrow,
                ),
                _,
            ) => {
                set_wide(state, element, outcome.wide);
            }
            (_, Channels::Dwords) if size == 4 && !op.saturate => {
                set_wide(state, element, outcome.wide);
            }
            (_, Channels::Words) if size == 2 => {
                let wide = if op.saturate {
                    int_of(raw, op.dst.ty) as i64
                } else {
                    word(outcome.wide)
                };
                state.regs.set_element(regs::ACC + 2 * element, 2, raw);
                keep(state, element, wide);
            }
            (_, Channels::Floats(own)) if op.dst.ty.is_float() => {
                let result = format_of(op.dst.ty).unwrap_or(own);
                let bits = softfloat::convert(result, own, Rounding::Nearest, raw);
                let size = float_bytes(own);
                let at = regs::ACC + element * size as usize;
                state.regs.set_element(at, size, bits);
            }
            _ => {
                let at = regs::ACC + element * size as usize;
                state.regs.set_element(at, size, raw);
            }
        }
    }
}

fn set_wide(state: &mut State, element: usize, wide: i64) {
    state.regs.set_dword(regs::ACC + 4 * element, wide as u32);
    keep(state, element, wide);
}

/// Keeps the whole value of an element.
fn keep(state: &mut State, element: usize, wide: i64) {
    if element < WIDE_CHANNELS {
        state.regs.set_element(wide_at(element), 8, wide as u64);
    }
}
