//! Which ops the routines of [`eu_lanes`] execute, and how they are called.
//!
//! Other ops take the general path, with which the routines agree bit for bit.

use eu_lanes::{
    Accumulator, Condition, Element, Enabled, Input, Modes, Modifiers, Operation, Output, Place,
    Region, Request, Vector,
};
use isa_encoder::semantics::{Float, Integer, Number, Semantics};
use isa_encoder::{Attributes, CondMod, MathFunction, Specific, Type};

use super::family::Rules;
use super::op::{Class, Op, Pred};
use super::operand::{Kind, Source, Target};
use super::ops::softfloat::Rounding;
use super::ops::value::{FpMode, packed_element};
use super::state::State;
use super::{accumulator, general, regs};

/// An op's routine, and what each call needs to know about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fast {
    vector: Vector,
    /// The result depends on the floating-point modes.
    modal: bool,
    /// What else changes with the result.
    after: After,
    /// The predicate selects, and does not mask the channels.
    selects: bool,
}

/// What an op changes besides its destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    Nothing,
    /// The flags of its channels.
    Flags,
    /// The modes, which are in its destination.
    Control,
}

impl Fast {
    /// The routine that executes `op`, unless it needs the general path.
    pub fn new(op: &Op, rules: Rules) -> Option<Self> {
        Self::with(op, Vector::new(&request(op, rules)?)?)
    }

    /// Like [`Fast::new`], but compiled for the baseline.
    #[cfg(test)]
    pub fn baseline(op: &Op, rules: Rules) -> Option<Self> {
        Self::with(op, Vector::baseline(&request(op, rules)?)?)
    }

    fn with(op: &Op, vector: Vector) -> Option<Self> {
        Some(Self {
            vector,
            modal: matches!(op.class, Class::Float(_)) || op.dst.ty.is_float(),
            after: if op.writes_control {
                After::Control
            } else if sets_flags(op) {
                After::Flags
            } else {
                After::Nothing
            },
            selects: op.does == Semantics::Number(Number::Select) && op.cond.is_none(),
        })
    }

    /// Executes the op.
    #[inline(always)]
    pub fn run(&self, state: &mut State, op: &Op) {
        if self.modal && !state.usual_fp {
            return general(state, op);
        }
        let enabled = if self.selects {
            Enabled {
                mask: state.enabled(op),
                chosen: state.predicate(op),
            }
        } else {
            Enabled {
                mask: state.write_mask(op),
                chosen: 0,
            }
        };
        let holds = self
            .vector
            .run(state.regs.bytes_mut(), enabled, state.fp_modes);
        match self.after {
            After::Nothing => {}
            After::Flags => state.set_flags(op, enabled.mask, holds),
            After::Control => state.reload_control(),
        }
    }
}

/// Whether an op sets flags.
pub(super) fn sets_flags(op: &Op) -> bool {
    op.cond.is_some() && !op.opcode.has(Attributes::KEEPS_FLAG)
}

/// Runs the general path where routines do not support the floating-point mode.
#[cold]
fn general(state: &mut State, op: &Op) {
    // Only an indirect destination can fail, and such an op has no routine.
    let _ = general::execute(state, op);
}

/// Whether results round to nearest and conversions to integers truncate, as routines do.
pub(super) fn is_usual(mode: FpMode) -> bool {
    mode.rounding == Rounding::Nearest && mode.to_int == Rounding::Zero
}

/// Whether host code rounds and converts as the modes require.
pub(super) fn is_translated(mode: FpMode) -> bool {
    mode.to_int == Rounding::Zero
}

/// What routines need to know of the floating-point modes.
pub(super) fn modes(mode: FpMode) -> Modes {
    Modes::default()
        .with(Modes::FLUSH_HALF, !mode.keep16)
        .with(Modes::FLUSH_SINGLE, !mode.keep32)
        .with(Modes::FLUSH_DOUBLE, !mode.keep64)
}

/// What routines are asked for; `None` if they cannot express it.
pub(super) fn request(op: &Op, rules: Rules) -> Option<Request> {
    // An op that sets both flags and modes takes the general path.
    let both = op.writes_control && op.cond.is_some();
    if op.live || both || op.dst.target == Target::Indirect {
        return None;
    }
    let output = Output {
        element: element(op.dst.ty)?,
        at: (op.dst.target == Target::Direct).then_some(op.dst.base),
        stride: op.dst.stride,
    };
    let mut sources = [None; 3];
    for (slot, source) in sources.iter_mut().zip(&op.src) {
        if source.kind != Kind::None {
            *slot = Some(input(source)?);
        }
    }
    let by_condition = op.does == Semantics::Number(Number::Select);
    Some(Request {
        operation: operation(op)?,
        lanes: op.exec_size,
        sources,
        output,
        condition: match op.cond {
            Some(cond) if !by_condition => Some(condition(cond)?),
            _ => None,
        },
        saturate: op.saturate,
        accumulator: accumulator(op, rules)?,
    })
}

/// The accumulator channels that `op` uses; `None` if routines cannot express them.
fn accumulator(op: &Op, rules: Rules) -> Option<Option<Accumulator>> {
    let implicit = op.opcode.has(Attributes::WRITES_ACC);
    let target = op.dst.target == Target::Direct && (op.dst.base as usize) < regs::ADDRESS;
    let explicit = target && !op.dst.ty.is_float();
    match (implicit, explicit) {
        (true, false) => {
            let first = accumulator::first_element(op, rules.grf_bytes);
            Some(Some(Accumulator {
                low: (regs::ACC + 4 * first) as u32,
                wide: accumulator::wide_at(first) as u32,
                writes: op.write_acc,
            }))
        }
        (false, true) if !op.write_acc => {
            let offset = op.dst.base as usize - regs::ACC;
            let bytes = op.dst.ty.bytes() as usize;
            let element = offset / bytes;
            // Of other types, and further on, no whole is kept.
            if !matches!(bytes, 2 | 4) || element >= accumulator::WIDE_CHANNELS {
                return Some(None);
            }
            let fits = usize::from(op.dst.stride) == bytes
                && offset.is_multiple_of(bytes)
                && element + op.lanes() <= accumulator::WIDE_CHANNELS;
            fits.then(|| {
                Some(Accumulator {
                    low: op.dst.base,
                    wide: accumulator::wide_at(element) as u32,
                    writes: true,
                })
            })
        }
        (false, false) if !op.write_acc => Some(None),
        _ => None,
    }
}

fn input(source: &Source) -> Option<Input> {
    let place = match source.kind {
        Kind::Immediate if source.ty == source.element => Place::Constant(source.value),
        Kind::Immediate => {
            let step = usize::from(source.hstride.max(1));
            let element = |lane: usize| packed_element(source.value, source.ty, lane * step);
            Place::Each(core::array::from_fn(|lane| element(lane) as u32))
        }
        Kind::Direct => Place::Registers(Region {
            at: source.base,
            width: source.width,
            vertical: source.vstride,
            horizontal: source.hstride,
        }),
        _ => return None,
    };
    Some(Input {
        element: element(source.element)?,
        place,
        modifiers: Modifiers {
            negate: source.neg,
            absolute: source.abs,
        },
    })
}

fn element(ty: Type) -> Option<Element> {
    Some(match ty {
        Type::Ub => Element::Ub,
        Type::B => Element::B,
        Type::Uw => Element::Uw,
        Type::W => Element::W,
        Type::Ud => Element::Ud,
        Type::D => Element::D,
        Type::Uq => Element::Uq,
        Type::Q => Element::Q,
        Type::Hf => Element::Hf,
        Type::F => Element::F,
        Type::Df => Element::Df,
        _ => return None,
    })
}

fn condition(cond: CondMod) -> Option<Condition> {
    Some(match cond {
        CondMod::Eq => Condition::Eq,
        CondMod::Ne => Condition::Ne,
        CondMod::Gt => Condition::Gt,
        CondMod::Ge => Condition::Ge,
        CondMod::Lt => Condition::Lt,
        CondMod::Le => Condition::Le,
        CondMod::Un => Condition::Un,
        CondMod::Ov | CondMod::Eo => return None,
    })
}

fn operation(op: &Op) -> Option<Operation> {
    match op.does {
        Semantics::Number(number) => number_operation(op, number),
        Semantics::Integer(integer) => integer_operation(op, integer),
        Semantics::Float(float) => Some(match float {
            Float::RoundDown => Operation::Floor,
            Float::RoundUp => Operation::Ceil,
            Float::RoundToZero => Operation::Trunc,
            Float::RoundEven => Operation::Even,
            Float::Fraction => Operation::Fraction,
            Float::MultiplyAdd
            | Float::RoundStochastic
            | Float::Interpolate
            | Float::Dot { .. }
            | Float::Line
            | Float::Plane => return None,
        }),
        Semantics::Math => match op.specific {
            Specific::Math(function) => math(function),
            _ => None,
        },
        _ => None,
    }
}

fn number_operation(op: &Op, number: Number) -> Option<Operation> {
    Some(match number {
        Number::Move => Operation::Mov,
        Number::Add => Operation::Add,
        Number::Multiply => Operation::Mul,
        Number::MultiplyAdd => Operation::Mad,
        Number::Select => match op.cond {
            None if op.pred == Pred::Always => return None,
            None => Operation::Select,
            Some(CondMod::Lt) => Operation::Min,
            Some(CondMod::Ge) => Operation::Max,
            Some(_) => return None,
        },
        Number::SelectByComparison if op.cond.is_some() => Operation::SelectCompare,
        Number::Compare if op.cond.is_some() => Operation::Compare,
        Number::SelectByComparison
        | Number::Compare
        | Number::CompareOrNan
        | Number::ScatteredMove
        | Number::Accumulate => return None,
    })
}

fn integer_operation(op: &Op, integer: Integer) -> Option<Operation> {
    Some(match integer {
        Integer::Not => Operation::Not,
        Integer::And => Operation::And,
        Integer::Or => Operation::Or,
        Integer::Xor => Operation::Xor,
        Integer::TruthTable => match op.specific {
            Specific::Bfn(table) => Operation::Bfn(table),
            _ => return None,
        },
        Integer::Add3 => Operation::Add3,
        Integer::Average => Operation::Avg,
        Integer::ShiftLeft => Operation::Shl,
        Integer::ShiftRight => Operation::Shr,
        Integer::ShiftRightSigned => Operation::Asr,
        Integer::RotateLeft => Operation::Rol,
        Integer::RotateRight => Operation::Ror,
        Integer::CountOnes => Operation::Cbit,
        Integer::LeadingZeros => Operation::Lzd,
        Integer::LowestBit => Operation::Fbl,
        Integer::HighestBit => Operation::Fbh,
        Integer::ReverseBits => Operation::Bfrev,
        Integer::ExtractBits => Operation::Bfe,
        Integer::BitMask => Operation::Bfi1,
        Integer::InsertBits => Operation::Bfi2,
        Integer::ProductHigh => Operation::Mach,
        Integer::ProductLow => Operation::Macl,
        Integer::AddCarry => Operation::Addc,
        Integer::SubtractBorrow => Operation::Subb,
        Integer::DotBytes => Operation::DotBytes,
        Integer::AbsoluteDifferences { .. } => return None,
    })
}

fn math(function: MathFunction) -> Option<Operation> {
    Some(match function {
        MathFunction::Inv => Operation::Inv,
        MathFunction::Fdiv => Operation::Divide,
        MathFunction::Sqt => Operation::Sqrt,
        MathFunction::Rsqt => Operation::Rsqrt,
        MathFunction::Log => Operation::Log,
        MathFunction::Exp => Operation::Exp,
        MathFunction::Sin => Operation::Sin,
        MathFunction::Cos => Operation::Cos,
        MathFunction::Iqot => Operation::Quotient,
        MathFunction::Irem => Operation::Remainder,
        _ => return None,
    })
}
