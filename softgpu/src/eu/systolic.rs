//! The systolic array: `dpas`, a small matrix multiplication `dst = src0 + src2 * src1`.
//!
//! Source 1 holds a column of its matrix in each dword channel, source 2 the rows of its matrix
//! one after the other. Source: vISA DPAS.

use isa_encoder::{Dpas, Specific, Type};

use super::general::channels;
use super::op::Op;
use super::operand::{Kind, Source, Target};
use super::ops::softfloat::{self, Format, Rounding};
use super::ops::value::{fit_float, fit_int, format_of, int_of};
use super::state::State;
use crate::Fault;

/// Element `index` of so many bits, from register file offset `base` on.
fn element(state: &State, base: usize, bits: u32, index: usize) -> u64 {
    let bit = index * bits as usize;
    let raw = state.regs.element(base + bit / 8, bits.div_ceil(8));
    (raw >> (bit % 8)) & (u64::MAX >> (64 - bits))
}

/// The value of a floating-point element.
fn float(raw: u64, ty: Type) -> f64 {
    let format = match ty {
        Type::Tf32 => return f64::from(f32::from_bits(raw as u32 & !0x1fff)),
        Type::Hf8 => return hf8(raw as u8),
        Type::Bf8 => Format::BF8,
        other => format_of(other).unwrap_or(Format::F32),
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

/// Executes `dpas`.
///
/// # Errors
/// [`Fault::IllegalInstruction`] for operands that the array does not take.
pub(super) fn execute(state: &mut State, op: &Op) -> Result<(), Fault> {
    let illegal = |what: &str| Fault::IllegalInstruction {
        why: format!("{} at {:#x}: {what}", op.opcode.mnemonic(), op.ip),
    };
    let Specific::Dpas(Dpas { depth, repeat }) = op.specific else {
        return Err(illegal("no depth and repeat count"));
    };
    let [accumulator, weights, activations] = &op.src;
    if weights.kind != Kind::Direct || activations.kind != Kind::Direct {
        return Err(illegal("sources 1 and 2 must be registers"));
    }
    let (depth, repeat) = (usize::from(depth), usize::from(repeat));
    let (weight_bits, activation_bits) = (weights.ty.bits(), activations.ty.bits());
    let operations: usize = match weight_bits.max(activation_bits) {
        32.. => 1,
        16..32 => 2,
        8..16 => 4,
        _ => 8,
    };
    let lanes = op.lanes();
    let mask = state.write_mask(op);
    // How many depths one dword of source 1 serves.
    let per_dword = (32 / (operations as u32 * weight_bits)).max(1) as usize;
    let mut rows = Vec::with_capacity(repeat * lanes);
    for row in 0..repeat {
        for lane in 0..lanes {
            let start = read_accumulator(state, accumulator, row * lanes + lane);
            let mut sum = start;
            for step in 0..depth {
                let dword = (step / per_dword) * lanes + lane;
                let base = weights.base as usize + 4 * dword;
                let first = step % per_dword * operations;
                let row_start = row * 8 * operations + step * operations;
                let terms = (0..operations).map(|i| {
                    (
                        element(state, base, weight_bits, first + i),
                        element(
                            state,
                            activations.base as usize,
                            activation_bits,
                            row_start + i,
                        ),
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
        return Ok(());
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
    Ok(())
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
