//! The general execution path: any types, regions and modes, channel by channel.
//!
//! It is the reference for the vector routines of [`eu_lanes`], and runs everything that they do
//! not cover.

use eu_lanes::bits;
use isa_encoder::semantics::{Float, Integer, Number, Semantics};
use isa_encoder::{Attributes, CondMod, MathFunction, Opcode, Specific, Type};

use super::op::{Class, Op};
use super::operand::{Kind, LANES, Source, Target};
use super::ops::compare::{self, Relation};
use super::ops::softfloat::{self, Format, Rounding};
use super::ops::value::{Fitted, FpMode, fit_float, fit_int, format_of, int_of};
use super::ops::{dot, math};
use super::regs;
use super::state::State;
use super::{accumulator, special};
use crate::Fault;

/// The bits of up to three sources.
pub(super) type Operands = [[u64; LANES]; 3];

/// Refuses ops that the general path does not execute, with the reason.
pub(super) fn check(op: &Op) -> Result<(), String> {
    let integer = matches!(op.class, Class::Int(_));
    let need = |holds: bool, what: &str| {
        if holds {
            Ok(())
        } else {
            Err(format!("{what} (class {:?})", op.class))
        }
    };
    if !matches!(op.does, Semantics::Systolic { .. }) {
        check_types(op)?;
    }
    match op.does {
        Semantics::Integer(_) => need(integer, "integer sources are needed"),
        Semantics::Float(_) => need(!integer, "floating-point sources are needed"),
        Semantics::Math => match op.specific {
            Specific::Math(function) if function.is_integer() => {
                need(integer, "integer division of floats")
            }
            Specific::Math(_) => need(!integer, "extended math on integers"),
            _ => Err("no math function".into()),
        },
        Semantics::Number(_) | Semantics::Systolic { .. } => Ok(()),
        Semantics::Nop
        | Semantics::Illegal
        | Semantics::Sync
        | Semantics::Wait
        | Semantics::Send
        | Semantics::Flow(_) => Err("not executed by this interpreter".into()),
    }
}

/// Refuses the types that an operation other than `dpas` and `dpasw` does not take: `bf8` and `tf32` are there
/// to be converted to, and `bf8` from (IGC's `fcvt`).
fn check_types(op: &Op) -> Result<(), String> {
    let refuse = |ty: Type, what: &str| Err(format!("{what} of type {ty}, which is not executed"));
    for src in op.src.iter().filter(|src| src.kind != Kind::None) {
        match src.element {
            Type::Bf8 if op.opcode == Opcode::Mov => {}
            Type::Bf8 | Type::Tf32 => return refuse(src.element, "a source"),
            ty if is_special(ty) => return refuse(ty, "a source"),
            _ => {}
        }
    }
    match op.dst.ty {
        Type::Bf8 | Type::Tf32 if matches!(op.opcode, Opcode::Mov | Opcode::Srnd) => Ok(()),
        ty @ (Type::Bf8 | Type::Tf32) => refuse(ty, "a destination"),
        ty if is_special(ty) => refuse(ty, "a destination"),
        _ => Ok(()),
    }
}

/// Types of `dpas` alone, not of any operation here.
const fn is_special(ty: Type) -> bool {
    matches!(
        ty,
        Type::Nf | Type::Hf8 | Type::U1 | Type::U2 | Type::U4 | Type::S2 | Type::S4
    )
}

/// Executes `op`.
///
/// # Errors
/// [`Fault::Invalid`] for an indirect destination outside the registers.
pub(super) fn execute(state: &mut State, op: &Op) -> Result<(), Fault> {
    if op.live {
        state.refresh(op);
    }
    if op.does == (Semantics::Systolic { paired: false }) {
        return super::systolic::execute(state, op);
    }
    let mut sources: Operands = [[0; LANES]; 3];
    for (source, out) in op.src.iter().zip(&mut sources) {
        source.gather(&state.regs, op.lanes(), out);
    }
    let selects = op.does == Semantics::Number(Number::Select) && op.cond.is_none();
    let mask = if selects {
        state.enabled(op)
    } else {
        state.write_mask(op)
    };
    // Scattered move: source 1 predicates the channels (IGC's `createSmov` makes it from a move
    // whose predicate is an immediate).
    let mask = if op.does == Semantics::Number(Number::ScatteredMove) {
        mask & sources[1][0] as u32
    } else {
        mask
    };
    let results = compute(state, op, &sources, mask);

    if let Some(cond) = op.cond
        && !op.opcode.has(Attributes::KEEPS_FLAG)
    {
        let mut flags = 0;
        for lane in channels(mask) {
            let holds = match results[lane].relation {
                Some(relation) => compare::relation_meets(cond, relation),
                None => compare::result_meets(cond, results[lane].fitted),
            };
            flags |= u32::from(holds) << lane;
        }
        state.set_flags(op, mask, flags);
    }
    if op.cond == Some(CondMod::Eo)
        && matches!(
            op.specific,
            Specific::Math(MathFunction::Invm | MathFunction::Rsqtm)
        )
    {
        // The macros' early out: this model's first step already gives the rounded result, so
        // every channel skips the refinement.
        state.set_flags(op, mask, mask);
    }
    write(state, op, mask, &results)?;
    if op.writes_control {
        state.reload_control();
    }
    Ok(())
}

/// The set bits of `mask`.
pub(super) fn channels(mask: u32) -> impl Iterator<Item = usize> {
    (0..LANES).filter(move |lane| mask >> lane & 1 != 0)
}

/// The result of a channel.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Outcome {
    /// The result in the destination type.
    pub fitted: Fitted,
    /// For comparisons: the relation to test the condition on, instead of the result.
    pub relation: Option<Relation>,
    /// The integer result before it was fitted to the type.
    pub wide: i64,
}

fn write(state: &mut State, op: &Op, mask: u32, results: &[Outcome; LANES]) -> Result<(), Fault> {
    // Channels that write nothing may be beyond the registers: compilers use a mask to put one
    // element to an indirect place.
    let lanes = (u32::BITS - mask.leading_zeros()) as usize;
    let at = op
        .dst
        .resolve(&state.regs, lanes)
        .map_err(|address| Fault::Invalid {
            why: format!(
                "{} at {:#x}: the indirect destination {address:#x} is outside the {} bytes of \
             general registers",
                op.opcode.mnemonic(),
                op.ip,
                state.regs.grf().len()
            ),
        })?;
    let size = op.dst.ty.bytes();
    if let Some(at) = at {
        for lane in channels(mask) {
            let raw = results[lane].fitted.raw;
            state
                .regs
                .set_element(at + lane * usize::from(op.dst.stride), size, raw);
        }
        if op.dst.target == Target::Direct && at < regs::ADDRESS {
            accumulator::note_write(state, op, at, mask, results);
        }
    }
    if op.write_acc {
        accumulator::implicit_write(state, op, mask, results);
    }
    Ok(())
}

/// A source element as an integer, modifiers applied.
pub(super) fn int_source(source: &Source, raw: u64) -> i128 {
    let value = int_of(raw, source.element);
    let value = if source.abs { value.abs() } else { value };
    if source.neg { -value } else { value }
}

/// A source element of a bitwise operation, where the modifier is a complement.
fn logic_source(source: &Source, raw: u64) -> i128 {
    let value = int_of(raw, source.element);
    if source.neg { !value } else { value }
}

/// A source element as a float of `format`, modifiers applied, denormals flushed by `mode`.
pub(super) fn float_source(source: &Source, raw: u64, format: Format, mode: FpMode) -> u64 {
    let (own, bits) = match format_of(source.element) {
        Some(own) => (own, raw),
        None => {
            let value = int_source(source, raw);
            return softfloat::from_int(format, mode.rounding, value);
        }
    };
    let mut bits = mode.flush(own, bits);
    if source.abs {
        bits &= !own.sign_bit();
    }
    if source.neg {
        bits ^= own.sign_bit();
    }
    if own == format {
        bits
    } else {
        softfloat::convert(own, format, mode.rounding, bits)
    }
}

fn compute(state: &mut State, op: &Op, sources: &Operands, mask: u32) -> [Outcome; LANES] {
    let mut results = [Outcome::default(); LANES];
    if let Some(raw) = special::raw(state, op, sources) {
        for lane in channels(mask) {
            results[lane].fitted.raw = raw[lane];
            if op.src[0].element.is_integer() {
                // The accumulator's value, if that is the destination.
                results[lane].wide = int_of(raw[lane], op.src[0].element) as i64;
            }
        }
        return results;
    }
    match op.class {
        Class::Int(_) => integers(state, op, sources, mask, &mut results),
        Class::Float(format) => floats(state, op, format, sources, mask, &mut results),
    }
    results
}

fn integers(
    state: &mut State,
    op: &Op,
    sources: &Operands,
    mask: u32,
    results: &mut [Outcome; LANES],
) {
    let [first, second, third] = &op.src;
    let logic = op.opcode.has(Attributes::BITWISE);
    let wide_shift = op.dst.ty.bits() == 64 || first.element.bits() == 64;
    let count_mask = if wide_shift { 63 } else { 31 };
    let rotated = op.dst.ty.bits().min(first.element.bits());
    let chosen = special::chosen(state, op);
    for lane in channels(mask) {
        let get = |source: &Source, raw: u64| {
            if logic {
                logic_source(source, raw)
            } else {
                int_source(source, raw)
            }
        };
        let a = get(first, sources[0][lane]);
        let b = get(second, sources[1][lane]);
        let c = get(third, sources[2][lane]);
        let count = (b & count_mask) as u32;
        let value = match op.does {
            Semantics::Number(number) => match number {
                Number::Move | Number::ScatteredMove => a,
                Number::Add => a + b,
                Number::Multiply => a.wrapping_mul(b),
                Number::MultiplyAdd => b.wrapping_mul(c).wrapping_add(a),
                Number::Accumulate => {
                    let sum = accumulator::integer(state, op, lane);
                    a.wrapping_mul(b).wrapping_add(sum)
                }
                Number::Select => {
                    let first = match op.cond {
                        Some(_) => relation_holds(op.cond, Some(a.cmp(&b))),
                        None => chosen >> lane & 1 != 0,
                    };
                    if first { a } else { b }
                }
                Number::SelectByComparison => {
                    if relation_holds(op.cond, Some(c.cmp(&0))) {
                        a
                    } else {
                        b
                    }
                }
                Number::Compare | Number::CompareOrNan => {
                    results[lane] = comparison(op, Some(a.cmp(&b)));
                    continue;
                }
            },
            Semantics::Integer(integer) => match integer {
                Integer::Not => !a,
                Integer::And => a & b,
                Integer::Or => a | b,
                Integer::Xor => a ^ b,
                Integer::Add3 => a + b + c,
                Integer::Average => (a + b + 1) >> 1,
                Integer::ShiftLeft => a << count,
                Integer::ShiftRight => logical(first, a) >> count,
                Integer::ShiftRightSigned => a >> count,
                Integer::RotateLeft => bits::rotate_left(a as u64, b as u64, rotated).into(),
                Integer::RotateRight => bits::rotate_right(a as u64, b as u64, rotated).into(),
                Integer::ReverseBits => bits::bfrev(a as u32).into(),
                Integer::CountOnes => i128::from((logical(first, a) as u64).count_ones()),
                Integer::LeadingZeros => bits::lzd(a as u32).into(),
                Integer::LowestBit => bits::fbl(a as u32).into(),
                Integer::HighestBit if first.element.is_signed() => {
                    bits::fbh_signed(a as u32).into()
                }
                Integer::HighestBit => bits::fbh_unsigned(a as u32).into(),
                Integer::ExtractBits if op.dst.ty.is_signed() => {
                    i128::from(bits::bfe_signed(a as u32, b as u32, c as u32) as i32)
                }
                Integer::ExtractBits => bits::bfe_unsigned(a as u32, b as u32, c as u32).into(),
                Integer::BitMask => bits::bfi1(a as u32, b as u32).into(),
                Integer::InsertBits => bits::bfi2(a as u32, b as u32, c as u32).into(),
                Integer::TruthTable => {
                    let table = match op.specific {
                        Specific::Bfn(table) => table,
                        _ => 0,
                    };
                    i128::from(bits::bfn(table, a as u64, b as u64, c as u64))
                }
                Integer::DotBytes => {
                    let (x, y) = (b as u32, c as u32);
                    a + dot::dot4(x, second.element.is_signed(), y, third.element.is_signed())
                }
                Integer::AbsoluteDifferences { accumulate } => {
                    special::absolute_differences(op, sources, lane)
                        + if accumulate {
                            accumulator::integer(state, op, lane)
                        } else {
                            0
                        }
                }
                Integer::ProductHigh | Integer::ProductLow => {
                    let sum = accumulator::integer(state, op, lane);
                    // The preceding `mul` multiplied by the low half of source 1.
                    let product = a.wrapping_mul(b >> 16) << 16;
                    let wide = product.wrapping_add(sum) as i64;
                    results[lane].wide = wide;
                    let part = if integer == Integer::ProductHigh {
                        wide >> 32
                    } else {
                        i64::from(wide as i32)
                    };
                    results[lane].fitted = fit_int(part.into(), op.dst.ty, false, state.fp);
                    continue;
                }
                Integer::AddCarry | Integer::SubtractBorrow => {
                    let mask = i128::from(u64::MAX >> (64 - first.element.bits().max(32)));
                    let (x, y) = (a & mask, b & mask);
                    let (value, carry) = if integer == Integer::AddCarry {
                        (x + y, x + y > mask)
                    } else {
                        (x - y, x < y)
                    };
                    results[lane].fitted = fit_int(value & mask, op.dst.ty, false, state.fp);
                    results[lane].wide = i64::from(carry);
                    continue;
                }
            },
            Semantics::Math => {
                let (quotient, rest) = math::divide(a, b, op.dst.ty.is_signed());
                match op.specific {
                    Specific::Math(MathFunction::Irem) => rest,
                    _ => quotient,
                }
            }
            // Refused when it is lowered.
            _ => 0,
        };
        results[lane].wide = value as i64;
        results[lane].fitted = fit_int(value, op.dst.ty, op.saturate, state.fp);
    }
    if matches!(op.specific, Specific::Math(MathFunction::Idiv)) {
        special::store_remainders(state, op, sources, mask);
    }
}

/// A value as the unsigned number of its source's bits.
fn logical(source: &Source, value: i128) -> i128 {
    value & i128::from(u64::MAX >> (64 - source.element.bits().max(32)))
}

fn relation_holds(cond: Option<CondMod>, relation: Relation) -> bool {
    cond.is_some_and(|cond| compare::relation_meets(cond, relation))
}

/// The outcome of `cmp`: all ones or zero, and the relation for the flag.
fn comparison(op: &Op, relation: Relation) -> Outcome {
    let holds = relation_holds(op.cond, relation);
    let ones = u64::MAX >> (64 - op.dst.ty.bits().max(1));
    Outcome {
        fitted: Fitted {
            raw: if holds { ones } else { 0 },
            ..Fitted::default()
        },
        relation: Some(relation),
        wide: -i64::from(holds),
    }
}

fn floats(
    state: &mut State,
    op: &Op,
    format: Format,
    sources: &Operands,
    mask: u32,
    results: &mut [Outcome; LANES],
) {
    let mode = state.fp;
    let near = mode.rounding;
    let chosen = special::chosen(state, op);
    let mut values: Operands = [[0; LANES]; 3];
    for ((source, raw), out) in op.src.iter().zip(sources).zip(&mut values) {
        if source.kind != Kind::None {
            for lane in 0..op.lanes() {
                out[lane] = float_source(source, raw[lane], format, mode);
            }
        }
    }
    for lane in channels(mask) {
        let [a, b, c] = [values[0][lane], values[1][lane], values[2][lane]];
        let negate = |bits: u64| bits ^ format.sign_bit();
        let bits = match op.does {
            Semantics::Number(number) => match number {
                Number::Move | Number::ScatteredMove => a,
                Number::Add => softfloat::add(format, near, a, b),
                Number::Multiply => softfloat::mul(format, near, a, b),
                Number::MultiplyAdd => softfloat::fma(format, near, b, c, a),
                Number::Accumulate => {
                    let sum = accumulator::float(state, op, lane, format);
                    softfloat::fma(format, near, a, b, sum)
                }
                Number::Select => {
                    let first = match op.cond {
                        Some(cond) => compare::float_sel_takes_first(cond, format, a, b),
                        None => chosen >> lane & 1 != 0,
                    };
                    if first { a } else { b }
                }
                Number::SelectByComparison => {
                    let relation = compare::compare_floats(format, c, 0);
                    if relation_holds(op.cond, relation) {
                        a
                    } else {
                        b
                    }
                }
                Number::Compare => {
                    results[lane] = comparison(op, compare::compare_floats(format, a, b));
                    continue;
                }
                Number::CompareOrNan => {
                    // A NaN in source 1 makes every condition hold.
                    let mut outcome = comparison(op, compare::compare_floats(format, a, b));
                    if let (true, Some(cond)) = (format.is_nan(b), op.cond) {
                        let order = match cond {
                            CondMod::Lt | CondMod::Le => core::cmp::Ordering::Less,
                            CondMod::Gt | CondMod::Ge => core::cmp::Ordering::Greater,
                            _ => core::cmp::Ordering::Equal,
                        };
                        outcome = comparison(op, Some(order));
                    }
                    results[lane] = outcome;
                    continue;
                }
            },
            Semantics::Float(float) => match float {
                Float::MultiplyAdd => softfloat::fma(format, near, b, c, a),
                Float::Interpolate => {
                    let rest = softfloat::add(format, near, format.one(), negate(a));
                    let second = softfloat::mul(format, near, rest, c);
                    softfloat::fma(format, near, a, b, second)
                }
                Float::Fraction => {
                    let floor = softfloat::round_to_integral(format, Rounding::Down, a);
                    // Truncated, so that the fraction stays below one.
                    softfloat::add(format, Rounding::Zero, a, negate(floor))
                }
                Float::RoundDown => softfloat::round_to_integral(format, Rounding::Down, a),
                Float::RoundUp => softfloat::round_to_integral(format, Rounding::Up, a),
                Float::RoundEven => softfloat::round_to_integral(format, Rounding::Nearest, a),
                Float::RoundToZero => softfloat::round_to_integral(format, Rounding::Zero, a),
                Float::RoundStochastic => {
                    let noise = sources[1][lane];
                    results[lane].fitted =
                        special::stochastic_round(format, a, noise, op.dst.ty, op.saturate, mode);
                    continue;
                }
                Float::Dot { terms, homogeneous } => {
                    special::dot_product((terms, homogeneous), format, near, &values, lane)
                }
                Float::Line | Float::Plane => special::plane(state, op, lane),
            },
            Semantics::Math => match op.specific {
                Specific::Math(function) => special::float_math(function, format, near, a, b),
                _ => format.quiet_nan(),
            },
            // Refused when it is lowered.
            _ => format.quiet_nan(),
        };
        results[lane].fitted = fit_float(bits, format, op.dst.ty, op.saturate, mode);
    }
}
