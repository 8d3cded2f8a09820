//! Which routine executes an op.

use isa_encoder::{CondMod, MathFunction, Opcode, Specific, Type};

use super::super::op::{Class, Fast, Op};
use super::super::operand::{Kind, Source, Target};
use super::super::ops::softfloat::Format;
use super::super::ops::value::int_of;
use super::super::regs;
use super::super::special::is_raw;
use super::level::{Routine, best};
use super::ops::*;
use super::routine::*;

/// How routines are compiled: [`best`], or the baseline for tests.
pub(super) trait Compiled {
    /// The routine's code.
    fn of<R: Routine>() -> Fast;
}

/// For the best level of this processor.
#[derive(Debug)]
struct Best;

impl Compiled for Best {
    fn of<R: Routine>() -> Fast {
        best::<R>()
    }
}

/// The routine that executes `op`, if it is one that needs no general path.
pub(in crate::eu) fn select(op: &Op) -> Option<Fast> {
    select_for::<Best>(op)
}

macro_rules! sized {
    ($compiled:ident, $op:ident, $routine:ident $(< $($parameter:ty),* >)?) => {
        match $op.exec_size {
            1 => $compiled::of::<$routine<$($($parameter,)*)? 1>>(),
            16 => $compiled::of::<$routine<$($($parameter,)*)? 16>>(),
            32 => $compiled::of::<$routine<$($($parameter,)*)? 32>>(),
            _ => $compiled::of::<$routine<$($($parameter,)*)? 8>>(),
        }
    };
}

macro_rules! sized_by {
    ($compiled:ident, $op:ident, $routine:ident, $code:expr) => {
        match $op.exec_size {
            1 => $compiled::of::<$routine<{ $code }, 1>>(),
            16 => $compiled::of::<$routine<{ $code }, 16>>(),
            32 => $compiled::of::<$routine<{ $code }, 32>>(),
            _ => $compiled::of::<$routine<{ $code }, 8>>(),
        }
    };
}

/// As [`select`], compiled as `C` says.
pub(super) fn select_for<C: Compiled>(op: &Op) -> Option<Fast> {
    let into_accumulator =
        op.dst.target == Target::Direct && (op.dst.base as usize) < regs::ADDRESS;
    if op.live
        || op.writes_control
        || op.write_acc
        || op.dst.target == Target::Indirect
        || into_accumulator && !op.dst.ty.is_float()
        || op
            .cond
            .is_some_and(|cond| matches!(cond, CondMod::Ov | CondMod::Eo))
    {
        return None;
    }
    let sources = op.src.iter().filter(|src| src.kind != Kind::None);
    if sources.clone().any(|src| src.element.bits() == 64) || op.dst.ty.bits() == 64 {
        return None;
    }
    match op.class {
        Class::Float(format) => {
            if format == Format::F32 && sources.clone().all(|src| src.element == Type::F) {
                floats::<C>(op)
            } else {
                raw::<C>(op)
            }
        }
        Class::Int(_) => {
            if op.saturate {
                None
            } else if op.dst.ty == Type::F {
                to_float::<C>(op)
            } else if op.dst.ty.is_integer() {
                integers::<C>(op)
            } else {
                None
            }
        }
    }
}

/// Copies and selections of elements of any type up to 32 bits.
fn raw<C: Compiled>(op: &Op) -> Option<Fast> {
    if op.saturate || op.cond.is_some() {
        return None;
    }
    match op.opcode {
        Opcode::Mov if is_raw(&op.src[0], op.dst.ty) => Some(sized!(C, op, Logic<Copy>)),
        Opcode::Sel if op.src[..2].iter().all(|src| is_raw(src, op.dst.ty)) => {
            Some(sized!(C, op, SelectBits))
        }
        _ => None,
    }
}

fn floats<C: Compiled>(op: &Op) -> Option<Fast> {
    if let Some(routine) = raw::<C>(op) {
        return Some(routine);
    }
    // `cmp` writes all ones or zero, whatever the destination's type.
    if op.opcode == Opcode::Cmp {
        return (op.cond.is_some() && (op.dst.target == Target::Null || op.dst.ty.bits() <= 32))
            .then(|| sized_by!(C, op, Compare, FLOAT));
    }
    if op.dst.ty != Type::F {
        let convertible = op.opcode == Opcode::Mov && op.cond.is_none() && !op.saturate;
        return match op.dst.ty {
            Type::D if convertible => Some(sized!(C, op, FromFloat<FToSigned>)),
            Type::Ud if convertible => Some(sized!(C, op, FromFloat<FToUnsigned>)),
            _ => None,
        };
    }
    Some(match op.opcode {
        Opcode::Mov => sized!(C, op, Float<Copy>),
        Opcode::Add => sized!(C, op, Float<AddF>),
        Opcode::Mul => sized!(C, op, Float<MulF>),
        Opcode::Mad => sized!(C, op, Float<MadF>),
        Opcode::Rndd => sized!(C, op, Float<FloorF>),
        Opcode::Rndu => sized!(C, op, Float<CeilF>),
        Opcode::Rndz => sized!(C, op, Float<TruncF>),
        Opcode::Rnde => sized!(C, op, Float<EvenF>),
        Opcode::Math => match op.specific {
            Specific::Math(MathFunction::Inv) => sized!(C, op, Float<InvF>),
            Specific::Math(MathFunction::Sqt) => sized!(C, op, Float<SqrtF>),
            Specific::Math(MathFunction::Rsqt) => sized!(C, op, Float<RsqrtF>),
            Specific::Math(MathFunction::Log) => sized!(C, op, Float<LogF>),
            Specific::Math(MathFunction::Exp) => sized!(C, op, Float<ExpF>),
            Specific::Math(MathFunction::Sin) => sized!(C, op, Float<SinF>),
            Specific::Math(MathFunction::Cos) => sized!(C, op, Float<CosF>),
            _ => return None,
        },
        Opcode::Csel if op.cond.is_some() && !op.saturate => {
            sized_by!(C, op, SelectCompare, FLOAT)
        }
        Opcode::Sel => match op.cond {
            Some(CondMod::Lt) => sized!(C, op, ExtremumFloat<MinF>),
            Some(CondMod::Ge) => sized!(C, op, ExtremumFloat<MaxF>),
            _ => return None,
        },
        _ => return None,
    })
}

fn to_float<C: Compiled>(op: &Op) -> Option<Fast> {
    if op.opcode != Opcode::Mov || op.cond.is_some() {
        return None;
    }
    if fits_signed(&op.src[0]) {
        Some(sized!(C, op, ToFloat<SignedToF>))
    } else if fits_unsigned(&op.src[0]) {
        Some(sized!(C, op, ToFloat<UnsignedToF>))
    } else {
        None
    }
}

/// Whether the value of a source, modifiers applied, is always an `i32`.
fn fits_signed(source: &Source) -> bool {
    if source.kind == Kind::Immediate && source.element == source.ty {
        return i32::try_from(int_of(source.value, source.element)).is_ok();
    }
    source.element.bits() < 32 || source.element == Type::D && source.is_plain()
}

/// Whether the value of a source, modifiers applied, is always a `u32`.
fn fits_unsigned(source: &Source) -> bool {
    if source.kind == Kind::Immediate && source.element == source.ty {
        return u32::try_from(int_of(source.value, source.element)).is_ok();
    }
    !source.element.is_signed() && !source.neg
}

fn integers<C: Compiled>(op: &Op) -> Option<Fast> {
    // Flags are about the result in the destination's type: lanes have it in 32 bits only.
    let flags = op.cond.is_some();
    if flags && op.dst.ty.bits() != 32 && !matches!(op.opcode, Opcode::Cmp | Opcode::Csel) {
        return None;
    }
    let all = |fits: fn(&Source) -> bool, count: usize| op.src[..count].iter().all(fits);
    Some(match op.opcode {
        Opcode::Mov => sized!(C, op, Integer<Copy>),
        Opcode::Not => sized!(C, op, Logic<Not>),
        Opcode::And => sized!(C, op, Logic<And>),
        Opcode::Or => sized!(C, op, Logic<Or>),
        Opcode::Xor => sized!(C, op, Logic<Xor>),
        Opcode::Add => sized!(C, op, Integer<Add>),
        Opcode::Add3 => sized!(C, op, Integer<Add3>),
        Opcode::Mul => sized!(C, op, Integer<Mul>),
        Opcode::Mad => sized!(C, op, Integer<Mad>),
        Opcode::Shl => sized!(C, op, Integer<Shl>),
        Opcode::Shr if fits_unsigned(&op.src[0]) => sized!(C, op, Integer<Shr>),
        Opcode::Asr if fits_signed(&op.src[0]) => sized!(C, op, Integer<Asr>),
        Opcode::Cbit if fits_unsigned(&op.src[0]) => sized!(C, op, Integer<Cbit>),
        Opcode::Cmp if flags && all(fits_signed, 2) => sized_by!(C, op, Compare, SIGNED),
        Opcode::Cmp if flags && all(fits_unsigned, 2) => sized_by!(C, op, Compare, UNSIGNED),
        Opcode::Csel if flags && all(fits_signed, 3) => sized_by!(C, op, SelectCompare, SIGNED),
        Opcode::Sel => match op.cond {
            None => match raw::<C>(op) {
                Some(routine) => routine,
                None => sized!(C, op, SelectIntegers),
            },
            Some(CondMod::Lt) if all(fits_signed, 2) => sized!(C, op, Extremum<MinS>),
            Some(CondMod::Ge) if all(fits_signed, 2) => sized!(C, op, Extremum<MaxS>),
            Some(CondMod::Lt) if all(fits_unsigned, 2) => sized!(C, op, Extremum<MinU>),
            Some(CondMod::Ge) if all(fits_unsigned, 2) => sized!(C, op, Extremum<MaxU>),
            _ => return None,
        },
        _ => return None,
    })
}
