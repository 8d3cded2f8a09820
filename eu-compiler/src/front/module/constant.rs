//! Operations on constants, which specialization leaves in modules.

use half::f16;
use spirv::Op;

use super::super::opcode::{binary, integers};
use super::super::reader::Instruction;
use super::super::types::{Part, Shape};
use super::{Constant, Module, Scalar, Scalars};
use crate::error::Error;
use crate::ir::{Bin, Type};

impl Module<'_> {
    /// The scalars of an `OpSpecConstantOp`; none if an operand is no number, or if only
    /// code can compute it.
    pub(super) fn constant_operation(
        &self,
        op: Op,
        i: &Instruction<'_>,
    ) -> Result<Option<Scalars>, Error> {
        if let Some(made) = self.constant_composite(op, i)? {
            return Ok(Some(made));
        }
        if let Some(null) = self.constant_null(op, i)? {
            return Ok(Some(null));
        }
        let of_floats = matches!(op, Op::FDiv | Op::FRem | Op::FMod);
        let mut operands = Vec::new();
        for id in i.rest(3) {
            // An address is more than its scalar.
            let known = self.scalars(*id);
            let Some(scalars) = known.filter(|_| !self.addresses.contains_key(id)) else {
                return Ok(None);
            };
            operands.push(scalars);
        }
        let mut out = Scalars::new();
        for (index, Part { ty, .. }) in self.types.flatten(i.word(0)?, i)?.into_iter().enumerate() {
            let mut numbers = Vec::new();
            for list in &operands {
                match list.get(index).or(list.first()) {
                    Some((from, Some(bits))) if !from.is_float() || of_floats => {
                        numbers.push((*from, *bits));
                    }
                    _ => return Ok(None),
                }
            }
            match operate(op, ty, &numbers) {
                Some(bits) => out.push((ty, Some(bits & ty.mask()))),
                None => return Ok(None),
            }
        }
        Ok(Some(out))
    }
}

impl Module<'_> {
    /// A null pointer as another pointer or as a number, and zero as a pointer.
    fn constant_null(&self, op: Op, i: &Instruction<'_>) -> Result<Option<Scalars>, Error> {
        let is_cast = matches!(
            op,
            Op::Bitcast
                | Op::PtrCastToGeneric
                | Op::GenericCastToPtr
                | Op::ConvertPtrToU
                | Op::ConvertUToPtr
        );
        let from = i.word(3)?;
        let constant = self.constants.get(&from).filter(|_| is_cast);
        let (Some(Constant { ty, .. }), Some(scalars)) = (constant, self.scalars(from)) else {
            return Ok(None);
        };
        let is_pointer = |ty| matches!(self.types.get(ty), Some(Shape::Pointer(..)));
        let of_pointers = is_pointer(*ty) || is_pointer(i.word(0)?);
        if !of_pointers || self.addresses.contains_key(&from) {
            return Ok(None);
        }
        let null = |part: Part| (part.ty, Some(part.null()));
        let before = self.types.flatten(*ty, i)?;
        let is_null = before.into_iter().map(null).eq(scalars.iter().copied());
        let after = self.types.flatten(i.word(0)?, i)?;
        Ok(is_null.then(|| after.into_iter().map(null).collect()))
    }

    /// The scalars of an operation that takes constants apart and puts them together.
    fn constant_composite(&self, op: Op, i: &Instruction<'_>) -> Result<Option<Scalars>, Error> {
        let constant = |index| {
            let id = i.word(index).ok()?;
            // An address is more than its scalar.
            let known = self.constants.get(&id);
            let ty = known.filter(|_| !self.addresses.contains_key(&id))?.ty;
            Some((ty, self.scalars(id)?))
        };
        let Some((ty, first)) = constant(3) else {
            return Ok(None);
        };
        let count = || Ok::<_, Error>(self.types.flatten(i.word(0)?, i)?.len());
        let part = |scalars: &[Scalar], at: usize, count: usize| {
            let part = scalars.get(at..at.saturating_add(count));
            part.map(<[_]>::to_vec)
        };
        Ok(match op {
            Op::CompositeExtract => {
                let at = self.types.path(ty, i.rest(4), i)?;
                part(&first, at, count()?)
            }
            Op::CompositeInsert => {
                let Some((into, all)) = constant(4) else {
                    return Ok(None);
                };
                let at = self.types.path(into, i.rest(5), i)?;
                let mut all = all.into_owned();
                let part = all.get_mut(at..at.saturating_add(first.len()));
                part.map(|part| part.copy_from_slice(&first)).map(|()| all)
            }
            Op::VectorShuffle => {
                let Some((_, second)) = constant(4) else {
                    return Ok(None);
                };
                let all: Scalars = first.iter().chain(&*second).copied().collect();
                let component = all.first().map(|(ty, _)| *ty);
                let picked = i
                    .rest(5)
                    .iter()
                    .map(|index| match all.get(*index as usize) {
                        Some(scalar) => Some(*scalar),
                        None if *index == u32::MAX => Some((component?, None)),
                        None => None,
                    });
                picked.collect()
            }
            _ => None,
        })
    }
}

/// An operation on numbers with their types.
fn operate(op: Op, ty: Type, numbers: &[(Type, u64)]) -> Option<u64> {
    let &(from, a) = numbers.first()?;
    let second = numbers.get(1).map(|number| number.1);
    if ty.is_float() {
        return of_float(ty, operate_floats(op, float(ty, a), float(ty, second?))?);
    }
    if let Some((cond, swap)) = integers(op) {
        let b = second?;
        let (a, b) = if swap { (b, a) } else { (a, b) };
        return Some(cond.evaluate(a, b, from).into());
    }
    let bin = match op {
        Op::ShiftLeftLogical => Some(Bin::Shl),
        Op::ShiftRightLogical => Some(Bin::LShr),
        Op::ShiftRightArithmetic => Some(Bin::AShr),
        _ => binary(op),
    };
    if let Some(bin) = bin {
        return bin.evaluate(a, second?, from);
    }
    Some(match op {
        Op::Not | Op::LogicalNot => !a,
        Op::SNegate => a.wrapping_neg(),
        Op::UConvert => a,
        Op::SConvert => from.signed(a) as u64,
        Op::Bitcast if from.bits() == ty.bits() => a,
        Op::SMod => {
            let (a, b) = (from.signed(a), from.signed(second?));
            let rest = a.checked_rem(b)?;
            match rest != 0 && (rest < 0) != (b < 0) {
                true => (rest + b) as u64,
                false => rest as u64,
            }
        }
        Op::Select => match a {
            0 => numbers.get(2)?.1,
            _ => second?,
        },
        _ => return None,
    })
}

/// The operations on floats that code has no single instruction for.
fn operate_floats(op: Op, a: Option<f64>, b: Option<f64>) -> Option<f64> {
    let (a, b) = (a?, b?);
    Some(match op {
        Op::FDiv => a / b,
        Op::FRem => a % b,
        Op::FMod => {
            let rest = a % b;
            match rest != 0.0 && (rest < 0.0) != (b < 0.0) {
                true => rest + b,
                false => rest,
            }
        }
        _ => return None,
    })
}

/// A float's value.
fn float(ty: Type, bits: u64) -> Option<f64> {
    Some(match ty {
        Type::F16 => f16::from_bits(bits as u16).to_f64(),
        Type::F32 => f32::from_bits(bits as u32).into(),
        Type::F64 => f64::from_bits(bits),
        _ => return None,
    })
}

/// The bits of the nearest float. Those of the smaller types have less than half the digits of `f64`, so
/// that rounding twice changes nothing.
fn of_float(ty: Type, value: f64) -> Option<u64> {
    Some(match ty {
        Type::F16 => f16::from_f64(value).to_bits().into(),
        Type::F32 => (value as f32).to_bits().into(),
        Type::F64 => value.to_bits(),
        _ => return None,
    })
}
