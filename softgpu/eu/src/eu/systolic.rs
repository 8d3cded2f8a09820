//! The systolic array: `dpas`, a small matrix multiplication `dst = src0 + src2 * src1`.
//!
//! Source 1 holds a column of its matrix in each dword channel, source 2 the rows of its matrix
//! one after the other. `dpasw` runs on both EUs of a fused pair at once; each brings one half of
//! source 2, and both use the whole. Sources: vISA DPAS, DPASW.

use isa_encoder::{Dpas, Opcode, Specific, Type};

use super::general::channels;
use super::op::Op;
use super::operand::{Kind, Source, Target};
use super::ops::softfloat::{self, Format, Rounding};
use super::ops::value::{fit_float, fit_int, format_of, int_of};
use super::regs::GRF_BASE;
use super::state::State;
use crate::{Fault, GroupEnv};

/// Element `index` of this many bits; zero beyond the end.
fn element(bytes: &[u8], bits: u32, index: usize) -> u64 {
    let bit = index * bits as usize;
    let mut raw = [0; 8];
    let size = bits.div_ceil(8) as usize;
    if let (Some(from), Some(to)) = (bytes.get(bit / 8..bit / 8 + size), raw.get_mut(..size)) {
        to.copy_from_slice(from);
    }
    (u64::from_le_bytes(raw) >> (bit % 8)) & (u64::MAX >> (64 - bits))
}

/// The value of a floating-point element.
fn float(raw: u64, ty: Type) -> f64 {
    let (format, raw) = match ty {
        Type::Hf8 => return hf8(raw as u8),
        Type::Tf32 => (Format::TF32, raw >> 13),
        other => (format_of(other).unwrap_or(Format::F32), raw),
    };
    f64::from_bits(softfloat::convert(
        format,
        Format::F64,
        Rounding::Nearest,
        raw,
    ))
}

/// An 8-bit float 1.4.3: bias 7, no infinities, all ones is a NaN.
fn hf8(raw: u8) -> f64 {
    let magnitude = raw & 0x7f;
    let (exponent, fraction) = (i32::from(magnitude >> 3), f64::from(magnitude & 7));
    let value = match (exponent, magnitude) {
        (_, 0x7f) => f64::NAN,
        (0, _) => fraction * 2f64.powi(-9),
        _ => (1.0 + fraction / 8.0) * 2f64.powi(exponent - 7),
    };
    if raw & 0x80 != 0 { -value } else { value }
}

/// How large the matrices of an op are.
#[derive(Clone, Copy, Debug)]
struct Shape {
    depth: usize,
    repeat: usize,
    weight_bits: u32,
    activation_bits: u32,
    /// Products that a channel adds up in each step (OPS_PER_CHAN).
    operations: usize,
}

impl Shape {
    fn of(op: &Op) -> Result<Self, Fault> {
        let illegal = |what: &str| Fault::IllegalInstruction {
            why: format!("{} at {:#x}: {what}", op.opcode.mnemonic(), op.ip),
        };
        let Specific::Dpas(Dpas { depth, repeat }) = op.specific else {
            return Err(illegal("no depth and repeat count"));
        };
        let [_, weights, activations] = &op.src;
        if weights.kind != Kind::Direct || activations.kind != Kind::Direct {
            return Err(illegal("sources 1 and 2 must be registers"));
        }
        let (weight_bits, activation_bits) = (weights.ty.bits(), activations.ty.bits());
        Ok(Self {
            depth: depth.into(),
            repeat: repeat.into(),
            weight_bits,
            activation_bits,
            operations: match weight_bits.max(activation_bits) {
                32.. => 1,
                16..32 => 2,
                8..16 => 4,
                _ => 8,
            },
        })
    }

    /// Bytes of the whole source 2, whose rows have room for the deepest array.
    fn activation_bytes(self) -> usize {
        self.activation_bits as usize * self.operations * self.repeat
    }
}

/// Register bytes from the start of a source on.
fn bytes_of<'s>(state: &'s State, source: &Source) -> &'s [u8] {
    let bytes = state.regs.bytes();
    bytes.get(source.base as usize..).unwrap_or_default()
}

/// Refuses operands that leave the registers, which end at register file offset `end`.
pub(super) fn check(op: &Op, grf_bytes: usize, end: usize) -> Result<(), Fault> {
    let shape = Shape::of(op)?;
    let [accumulator, weights, activations] = &op.src;
    let rows = shape.repeat * op.lanes();
    let row = shape.activation_bits as usize * shape.operations;
    let whole = (shape.repeat.max(1) - 1) * row + (shape.depth * row).div_ceil(8);
    let steps = (32 / (shape.operations as u32 * shape.weight_bits)).max(1) as usize;
    let used = [
        (
            "the destination",
            (op.dst.target == Target::Direct).then_some(op.dst.base),
            rows * op.dst.ty.bytes() as usize,
        ),
        (
            "source 0",
            (accumulator.kind == Kind::Direct).then_some(accumulator.base),
            rows * accumulator.ty.bytes() as usize,
        ),
        (
            "source 1",
            Some(weights.base),
            shape.depth.div_ceil(steps) * op.lanes() * 4,
        ),
        (
            "source 2",
            Some(activations.base),
            match op.opcode {
                // The second thread of a pair has the smaller half.
                Opcode::Dpasw => whole.div_ceil(grf_bytes) / 2 * grf_bytes,
                _ => whole,
            },
        ),
    ];
    for (what, base, bytes) in used {
        let Some(base) = base else { continue };
        let base = base as usize;
        if base < GRF_BASE || base + bytes > end {
            return Err(Fault::IllegalInstruction {
                why: format!(
                    "{} at {:#x}: {what} takes {bytes} bytes from register byte {} on, and the \
                     registers have {}",
                    op.opcode.mnemonic(),
                    op.ip,
                    base.saturating_sub(GRF_BASE),
                    end.saturating_sub(GRF_BASE)
                ),
            });
        }
    }
    Ok(())
}

/// Executes `dpas`.
///
/// # Errors
/// [`Fault::IllegalInstruction`] for operands that the array does not take.
pub(super) fn execute(state: &mut State, op: &Op) -> Result<(), Fault> {
    let shape = Shape::of(op)?;
    let all = bytes_of(state, &op.src[2]);
    let activations = all.get(..shape.activation_bytes()).unwrap_or(all).to_vec();
    multiply(state, op, shape, &activations);
    Ok(())
}

/// Executes `dpasw` if the other thread of the pair has reached it; returns whether it has.
///
/// # Errors
/// As [`execute`], and the faults of [`Pairs::meet`](crate::Pairs::meet).
pub(super) fn execute_paired(
    state: &mut State,
    op: &Op,
    env: &GroupEnv<'_>,
) -> Result<bool, Fault> {
    let shape = Shape::of(op)?;
    let grf = state.rules.grf_bytes;
    // The first thread of the pair has the larger half.
    let registers = shape.activation_bytes().div_ceil(grf);
    let first = registers.div_ceil(2) * grf;
    let second = registers * grf - first;
    let is_first = state.number.is_multiple_of(2);
    let all = bytes_of(state, &op.src[2]);
    let own = all.get(..if is_first { first } else { second });
    let own = own.unwrap_or(all);
    let Some(other) = env.pairs.meet(state.number, op.ip, own)? else {
        return Ok(false);
    };
    let activations = if is_first {
        [own, &other].concat()
    } else {
        [&other, own].concat()
    };
    multiply(state, op, shape, &activations);
    Ok(true)
}

fn multiply(state: &mut State, op: &Op, shape: Shape, activation_rows: &[u8]) {
    let Shape {
        depth,
        repeat,
        weight_bits,
        activation_bits,
        operations,
    } = shape;
    let [accumulator, weights, activations] = &op.src;
    let columns = bytes_of(state, weights);
    let lanes = op.lanes();
    let mask = state.write_mask(op);
    // The number of depth steps in one dword of source 1.
    let per_dword = (32 / (operations as u32 * weight_bits)).max(1) as usize;
    let mut rows = Vec::with_capacity(repeat * lanes);
    for row in 0..repeat {
        for lane in 0..lanes {
            let start = read_accumulator(state, accumulator, row * lanes + lane);
            let mut sum = start;
            for step in 0..depth {
                let dword = (step / per_dword) * lanes + lane;
                let column = columns.get(4 * dword..).unwrap_or_default();
                let first = step % per_dword * operations;
                let row_start = row * 8 * operations + step * operations;
                let terms = (0..operations).map(|i| {
                    (
                        element(column, weight_bits, first + i),
                        element(activation_rows, activation_bits, row_start + i),
                    )
                });
                sum = match sum {
                    Sum::Int(value) => Sum::Int(
                        terms
                            .map(|(w, a)| int_of(w, weights.ty) * int_of(a, activations.ty))
                            .fold(value, |sum, term| sum + term),
                    ),
                    Sum::Float(value) => {
                        let exact = terms
                            .map(|(w, a)| float(w, weights.ty) * float(a, activations.ty))
                            .fold(f64::from(value), |sum, term| sum + term);
                        Sum::Float(exact as f32)
                    }
                };
            }
            rows.push(sum);
        }
    }
    if op.dst.target != Target::Direct {
        return;
    }
    let size = op.dst.ty.bytes();
    for row in 0..repeat {
        for lane in channels(mask) {
            let index = row * lanes + lane;
            let fitted = match rows[index] {
                Sum::Int(value) => fit_int(value, op.dst.ty, op.saturate, state.fp),
                Sum::Float(value) => fit_float(
                    value.to_bits().into(),
                    Format::F32,
                    op.dst.ty,
                    op.saturate,
                    state.fp,
                ),
            };
            let at = op.dst.base as usize + index * size as usize;
            state.regs.set_element(at, size, fitted.raw);
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Sum {
    Int(i128),
    Float(f32),
}

/// Element `index` of source 0; null is zero of the operation's kind.
fn read_accumulator(state: &State, source: &Source, index: usize) -> Sum {
    let raw = match source.kind {
        Kind::Direct => {
            let size = source.ty.bytes();
            state
                .regs
                .element(source.base as usize + index * size as usize, size)
        }
        _ => 0,
    };
    if source.ty.is_float() {
        Sum::Float(float(raw, source.ty) as f32)
    } else {
        Sum::Int(int_of(raw, source.ty))
    }
}
