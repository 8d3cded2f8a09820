//! Arithmetic, comparisons, conversions: component by component.

use spirv::{Decoration, FPRoundingMode, Op as Spv};

use super::opcode::{binary, floats, integers};
use super::reader::Instruction;
use super::translate::Translator;
use super::value::Val;
use crate::error::Error;
use crate::ir::{Bin, Cond, Convert, Op, Type, Un, Value};

/// 2^-14: smaller halves are denormal.
const HALF_LEAST_NORMAL: f32 = 1.0 / 16384.0;

impl Translator<'_> {
    /// Arithmetic; `false` if the instruction is none.
    pub(super) fn arith(&mut self, i: &Instruction<'_>) -> Result<bool, Error> {
        if let Some(op) = binary(i.op) {
            self.map2(i, |t, a, b| match op {
                Bin::UDiv | Bin::SDiv | Bin::URem | Bin::SRem => t.divide_integers(op, a, b),
                _ => t.here().bin(op, a, b),
            })?;
            return Ok(true);
        }
        if let Some((cond, swap)) = integers(i.op) {
            self.map2(i, |t, a, b| {
                let args = if swap { [b, a] } else { [a, b] };
                t.one(Op::Icmp(cond), &args, Type::I1)
            })?;
            return Ok(true);
        }
        if let Some((cond, swap, not)) = floats(i.op) {
            self.map2(i, |t, a, b| {
                let args = if swap { [b, a] } else { [a, b] };
                let is = t.one(Op::Fcmp(cond), &args, Type::I1);
                if not { t.not(is) } else { is }
            })?;
            return Ok(true);
        }
        match i.op {
            Spv::FOrdNotEqual | Spv::LessOrGreater => self.map2(i, |t, a, b| {
                let less = t.one(Op::Fcmp(Cond::Slt), &[a, b], Type::I1);
                let more = t.one(Op::Fcmp(Cond::Slt), &[b, a], Type::I1);
                t.here().bin(Bin::Or, less, more)
            })?,
            Spv::FUnordEqual => self.map2(i, |t, a, b| {
                let less = t.one(Op::Fcmp(Cond::Slt), &[a, b], Type::I1);
                let more = t.one(Op::Fcmp(Cond::Slt), &[b, a], Type::I1);
                let differ = t.here().bin(Bin::Or, less, more);
                t.not(differ)
            })?,
            Spv::Ordered | Spv::Unordered => self.map2(i, |t, a, b| {
                let nan_a = t.one(Op::Fcmp(Cond::Une), &[a, a], Type::I1);
                let nan_b = t.one(Op::Fcmp(Cond::Une), &[b, b], Type::I1);
                let nan = t.here().bin(Bin::Or, nan_a, nan_b);
                if i.op == Spv::Ordered {
                    t.not(nan)
                } else {
                    nan
                }
            })?,
            Spv::ShiftLeftLogical | Spv::ShiftRightLogical | Spv::ShiftRightArithmetic => {
                let op = match i.op {
                    Spv::ShiftLeftLogical => Bin::Shl,
                    Spv::ShiftRightLogical => Bin::LShr,
                    _ => Bin::AShr,
                };
                self.map2(i, |t, a, b| t.shift(op, a, b))?;
            }
            Spv::FDiv => {
                let (a, b) = (self.get(i.word(2)?, i)?, self.get(i.word(3)?, i)?);
                let pairs = a.scalars.iter().zip(&b.scalars);
                let values = pairs.map(|(a, b)| self.divide(*a, *b, i));
                let values = values.collect::<Result<Vec<_>, _>>()?;
                self.set(i.word(1)?, Val::many(values));
            }
            Spv::SMod => self.map2(i, |t, a, b| {
                // The sign is that of the divisor.
                let rest = t.divide_integers(Bin::SRem, a, b);
                let ty = t.function.ty(a);
                let zero = t.constant(ty, 0);
                let signs = t.here().bin(Bin::Xor, rest, b);
                let differ = t.one(Op::Icmp(Cond::Slt), &[signs, zero], Type::I1);
                let some = t.one(Op::Icmp(Cond::Ne), &[rest, zero], Type::I1);
                let both = t.here().bin(Bin::And, differ, some);
                let moved = t.here().bin(Bin::Add, rest, b);
                t.one(Op::Select, &[both, moved, rest], ty)
            })?,
            Spv::FRem | Spv::FMod => self.remainder(i)?,
            Spv::SNegate => self.map1(i, |t, a| {
                let zero = t.constant(t.function.ty(a), 0);
                t.here().bin(Bin::Sub, zero, a)
            })?,
            Spv::FNegate => self.map1(i, |t, a| t.un(Un::FNeg, a))?,
            Spv::QuantizeToF16 => self.map1(i, |t, a| t.quantized(a))?,
            Spv::Not | Spv::LogicalNot => self.map1(i, |t, a| t.not(a))?,
            Spv::IsNan => self.map1(i, |t, a| t.one(Op::Fcmp(Cond::Une), &[a, a], Type::I1))?,
            Spv::IsInf | Spv::IsFinite | Spv::IsNormal | Spv::SignBitSet => self.class(i)?,
            Spv::BitCount => {
                let ty = self.component(i.word(0)?, i)?;
                self.map1(i, |t, a| {
                    let count = t.un(Un::CountOnes, a);
                    t.resize(count, ty, false)
                })?;
            }
            Spv::Select => self.select(i)?,
            Spv::VectorTimesScalar => {
                let vector = self.get(i.word(2)?, i)?;
                let scalar = self.scalar(i.word(3)?, i)?;
                let values: Vec<_> = vector
                    .scalars
                    .iter()
                    .map(|value| self.here().bin(Bin::FMul, *value, scalar))
                    .collect();
                self.set(i.word(1)?, Val::many(values));
            }
            Spv::Dot => {
                let (a, b) = (self.get(i.word(2)?, i)?, self.get(i.word(3)?, i)?);
                let mut types = a.scalars.iter().map(|value| self.function.ty(*value));
                if types.any(|ty| !ty.is_float()) {
                    let what = "a product of integers without their signs, as translators write `dot` of integers";
                    return Err(i.unsupported(what));
                }
                let value = self.dot(&a.scalars, &b.scalars);
                self.set(i.word(1)?, Val::one(value));
            }
            Spv::Any | Spv::All => {
                let op = if i.op == Spv::Any { Bin::Or } else { Bin::And };
                let all = self.get(i.word(2)?, i)?.scalars;
                let mut value = all
                    .first()
                    .copied()
                    .ok_or_else(|| i.invalid("no operand"))?;
                for next in all.iter().skip(1) {
                    value = self.here().bin(op, value, *next);
                }
                self.set(i.word(1)?, Val::one(value));
            }
            _ => return self.conversion(i),
        }
        Ok(true)
    }

    /// The remainder of floats, with the sign of the first or of the second operand.
    fn remainder(&mut self, i: &Instruction<'_>) -> Result<(), Error> {
        let (a, b) = (self.get(i.word(2)?, i)?, self.get(i.word(3)?, i)?);
        let mut values = Vec::new();
        for (a, b) in a.scalars.iter().zip(&b.scalars) {
            let ty = self.function.ty(*a);
            let rest = self.library("fmod", ty, &[*a, *b], i)?;
            let rest = rest.and_then(|all| all.first().copied());
            let mut rest = rest.ok_or_else(|| i.unsupported(format!("the remainder of {ty}")))?;
            if i.op == Spv::FMod {
                let zero = self.constant(ty, 0);
                let product = self.float_function("copysign", rest, Some(*b), None, ty);
                let turned = product.unwrap_or(rest);
                let differ = self.one(Op::Fcmp(Cond::Une), &[turned, rest], Type::I1);
                let some = self.one(Op::Fcmp(Cond::Une), &[rest, zero], Type::I1);
                let both = self.here().bin(Bin::And, differ, some);
                let moved = self.here().bin(Bin::FAdd, rest, *b);
                rest = self.one(Op::Select, &[both, moved, turned], ty);
            }
            values.push(rest);
        }
        self.set(i.word(1)?, Val::many(values));
        Ok(())
    }

    fn conversion(&mut self, i: &Instruction<'_>) -> Result<bool, Error> {
        let how = match i.op {
            Spv::UConvert => (Convert::ZExt, false),
            Spv::SConvert => (Convert::SExt, false),
            Spv::SatConvertSToU => (Convert::ZExt, true),
            Spv::SatConvertUToS => (Convert::SExt, true),
            Spv::FConvert => (Convert::FToF, false),
            Spv::ConvertFToU => (Convert::FToU, false),
            Spv::ConvertFToS => (Convert::FToS, false),
            Spv::ConvertUToF => (Convert::UToF, false),
            Spv::ConvertSToF => (Convert::SToF, false),
            _ => return Ok(false),
        };
        let result = i.word(1)?;
        let ty = self.component(i.word(0)?, i)?;
        let rounding = self.module.decoration(result, Decoration::FPRoundingMode);
        let rounding = rounding.and_then(|words| FPRoundingMode::from_u32(*words.first()?));
        let saturated = self
            .module
            .decoration(result, Decoration::SaturatedConversion);
        let saturated = saturated.is_some();
        self.map1(i, |t, a| {
            let from = t.function.ty(a);
            match how {
                (Convert::ZExt, true) => t.saturate_unsigned(a, ty),
                (Convert::SExt, true) => t.saturate_signed(a, ty),
                (Convert::SExt, _) if saturated && from.bits() > ty.bits() => t.clamp_signed(a, ty),
                (Convert::ZExt, _) if saturated && from.bits() > ty.bits() => {
                    let most = t.constant(from, ty.mask());
                    let value = t.here().bin(Bin::UMin, a, most);
                    t.here().convert(Convert::Trunc, value, ty)
                }
                (Convert::ZExt | Convert::SExt, _) if from.bits() > ty.bits() => {
                    t.here().convert(Convert::Trunc, a, ty)
                }
                (Convert::FToU | Convert::FToS, _) => {
                    let whole = match rounding {
                        Some(FPRoundingMode::RTE) => t.un(Un::RoundEven, a),
                        Some(FPRoundingMode::RTP) => t.un(Un::Ceil, a),
                        Some(FPRoundingMode::RTN) => t.un(Un::Floor, a),
                        _ => a,
                    };
                    t.float_to_int(how.0, whole, ty, saturated)
                }
                (Convert::FToF, _) => t.float_to_float(a, ty, rounding),
                (how, _) => {
                    let value = t.one(Op::Convert(how), &[a], ty);
                    let signed = how == Convert::SToF;
                    t.round_integer(value, a, signed, rounding)
                }
            }
        })?;
        Ok(true)
    }

    /// A float with the precision and the range of a half; zero of its sign where a half would be denormal.
    fn quantized(&mut self, value: Value) -> Value {
        let ty = self.function.ty(value);
        let half = self.here().convert(Convert::FToF, value, Type::F16);
        let rounded = self.here().convert(Convert::FToF, half, ty);
        let size = self.un(Un::FAbs, rounded);
        let least = self.constant(ty, u64::from(HALF_LEAST_NORMAL.to_bits()));
        let denormal = self.one(Op::Fcmp(Cond::Slt), &[size, least], Type::I1);
        let zero = self.constant(ty, 0);
        let zero = self.here().bin(Bin::FMul, rounded, zero);
        self.one(Op::Select, &[denormal, zero, rounded], ty)
    }

    /// A float of another size.
    pub(super) fn float_to_float(
        &mut self,
        value: Value,
        ty: Type,
        rounding: Option<FPRoundingMode>,
    ) -> Value {
        let from = self.function.ty(value);
        let nearest = self.here().convert(Convert::FToF, value, ty);
        if from.bits() <= ty.bits() {
            return nearest;
        }
        let back = self.here().convert(Convert::FToF, nearest, from);
        let above = self.one(Op::Fcmp(Cond::Slt), &[value, back], Type::I1);
        let below = self.one(Op::Fcmp(Cond::Slt), &[back, value], Type::I1);
        self.direct(nearest, above, below, rounding)
    }

    /// The float next to an integer in a direction; given is the nearest one.
    fn round_integer(
        &mut self,
        nearest: Value,
        value: Value,
        signed: bool,
        rounding: Option<FPRoundingMode>,
    ) -> Value {
        let (from, ty) = (self.function.ty(value), self.function.ty(nearest));
        let exact = match ty {
            Type::F16 => 11,
            Type::F32 => 24,
            _ => 53,
        };
        if from.bits() <= exact {
            return nearest;
        }
        let (back, less, limit) = match signed {
            true => (Convert::FToS, Cond::Slt, from.bits() - 1),
            false => (Convert::FToU, Cond::Ult, from.bits()),
        };
        let back = self.float_to_int(back, nearest, from, true);
        let above = self.one(Op::Icmp(less), &[value, back], Type::I1);
        let below = self.one(Op::Icmp(less), &[back, value], Type::I1);
        // What is beyond the integers comes back as the last of them.
        let limit = self.float_constant(ty, 2f64.powi(limit as i32));
        let beyond = self.one(Op::Fcmp(Cond::Sle), &[limit, nearest], Type::I1);
        let above = self.here().bin(Bin::Or, above, beyond);
        let lowest = self.float_constant(ty, f64::NEG_INFINITY);
        let infinite = self.one(Op::Fcmp(Cond::Eq), &[nearest, lowest], Type::I1);
        let below = self.here().bin(Bin::Or, below, infinite);
        self.direct(nearest, above, below, rounding)
    }

    /// The nearest float to a number, or its neighbour if the number is rounded in a direction and
    /// the nearest float is above or below it.
    fn direct(
        &mut self,
        nearest: Value,
        above: Value,
        below: Value,
        rounding: Option<FPRoundingMode>,
    ) -> Value {
        let ty = self.function.ty(nearest);
        let int = ty.integer();
        let bits = self.here().convert(Convert::Bitcast, nearest, int);
        let (zero, one) = (self.constant(int, 0), self.constant(int, 1));
        let minus_one = self.constant(int, int.mask());
        let negative = self.one(Op::Icmp(Cond::Slt), &[bits, zero], Type::I1);
        // Where the result is too far from zero, or too near to it.
        let (moves, toward) = match rounding {
            Some(FPRoundingMode::RTZ) => {
                let far = self.one(Op::Select, &[negative, below, above], Type::I1);
                (far, minus_one)
            }
            Some(FPRoundingMode::RTN) => (
                above,
                self.one(Op::Select, &[negative, one, minus_one], int),
            ),
            Some(FPRoundingMode::RTP) => (
                below,
                self.one(Op::Select, &[negative, minus_one, one], int),
            ),
            _ => return nearest,
        };
        let step = self.one(Op::Select, &[moves, toward, zero], int);
        let bits = self.here().bin(Bin::Add, bits, step);
        self.here().convert(Convert::Bitcast, bits, ty)
    }

    /// A float as an integer, of less than 32 bits by way of 32.
    fn float_to_int(&mut self, how: Convert, value: Value, ty: Type, saturated: bool) -> Value {
        if ty.bits() >= 32 {
            return self.one(Op::Convert(how), &[value], ty);
        }
        let wide = self.one(Op::Convert(how), &[value], Type::I32);
        match (saturated, how) {
            (false, _) => self.here().convert(Convert::Trunc, wide, ty),
            (true, Convert::FToU) => {
                let most = self.constant(Type::I32, ty.mask());
                let value = self.here().bin(Bin::UMin, wide, most);
                self.here().convert(Convert::Trunc, value, ty)
            }
            (true, _) => self.clamp_signed(wide, ty),
        }
    }

    /// A signed integer as unsigned, kept in range.
    fn saturate_unsigned(&mut self, value: Value, ty: Type) -> Value {
        let from = self.function.ty(value);
        let zero = self.constant(from, 0);
        let value = self.here().bin(Bin::SMax, value, zero);
        if ty.bits() < from.bits() {
            let most = self.constant(from, ty.mask());
            let value = self.here().bin(Bin::SMin, value, most);
            return self.here().convert(Convert::Trunc, value, ty);
        }
        self.here().convert(Convert::ZExt, value, ty)
    }

    /// An unsigned integer as signed, kept in range.
    fn saturate_signed(&mut self, value: Value, ty: Type) -> Value {
        let from = self.function.ty(value);
        if ty.bits() > from.bits() {
            return self.here().convert(Convert::ZExt, value, ty);
        }
        let most = self.constant(from, ty.mask() >> 1);
        let value = self.here().bin(Bin::UMin, value, most);
        self.here().convert(Convert::Trunc, value, ty)
    }

    fn clamp_signed(&mut self, value: Value, ty: Type) -> Value {
        let from = self.function.ty(value);
        let most = self.constant(from, ty.mask() >> 1);
        let least = self.constant(from, !(ty.mask() >> 1));
        let value = self.here().bin(Bin::SMin, value, most);
        let value = self.here().bin(Bin::SMax, value, least);
        self.here().convert(Convert::Trunc, value, ty)
    }

    /// Classes of floats, by their bits.
    fn class(&mut self, i: &Instruction<'_>) -> Result<(), Error> {
        self.map1(i, |t, a| {
            let ty = t.function.ty(a);
            let int = ty.integer();
            let bits = t.one(Op::Convert(Convert::Bitcast), &[a], int);
            if i.op == Spv::SignBitSet {
                let zero = t.constant(int, 0);
                return t.one(Op::Icmp(Cond::Slt), &[bits, zero], Type::I1);
            }
            let magnitude = t.constant(int, int.mask() >> 1);
            let bits = t.here().bin(Bin::And, bits, magnitude);
            let (infinity, least) = match ty {
                Type::F16 => (0x7c00, 0x400),
                Type::F64 => (0x7ff0 << 48, 1 << 52),
                _ => (0x7f80_0000, 0x80_0000),
            };
            let infinity = t.constant(int, infinity);
            match i.op {
                Spv::IsInf => t.one(Op::Icmp(Cond::Eq), &[bits, infinity], Type::I1),
                Spv::IsFinite => t.one(Op::Icmp(Cond::Ult), &[bits, infinity], Type::I1),
                _ => {
                    let least = t.constant(int, least);
                    let enough = t.one(Op::Icmp(Cond::Ule), &[least, bits], Type::I1);
                    let finite = t.one(Op::Icmp(Cond::Ult), &[bits, infinity], Type::I1);
                    t.here().bin(Bin::And, enough, finite)
                }
            }
        })
    }

    fn select(&mut self, i: &Instruction<'_>) -> Result<(), Error> {
        let condition = self.get(i.word(2)?, i)?.scalars;
        let (yes, no) = (self.get(i.word(3)?, i)?, self.get(i.word(4)?, i)?);
        if yes.scalars.len() != no.scalars.len() {
            return Err(i.invalid("operands of different sizes"));
        }
        let mut out = Val {
            space: self.pointer_space(i)?,
            ..Val::many(yes.scalars.iter().copied())
        };
        for (index, (a, b)) in yes.scalars.iter().zip(&no.scalars).enumerate() {
            let which = condition.get(index).or(condition.first()).copied();
            let which = which.ok_or_else(|| i.invalid("no condition"))?;
            let ty = self.function.ty(*a);
            if self.function.ty(*b) != ty {
                return Err(i.unsupported("pointers into different memories"));
            }
            out.scalars[index] = self.one(Op::Select, &[which, *a, *b], ty);
        }
        self.set(i.word(1)?, out);
        Ok(())
    }

    /// One operation for each component.
    pub(super) fn map1(
        &mut self,
        i: &Instruction<'_>,
        f: impl Fn(&mut Self, Value) -> Value,
    ) -> Result<(), Error> {
        let a = self.get(i.word(2)?, i)?;
        let values: Vec<_> = a.scalars.iter().map(|value| f(self, *value)).collect();
        self.set(i.word(1)?, Val::many(values));
        Ok(())
    }

    /// One operation for each pair of components.
    pub(super) fn map2(
        &mut self,
        i: &Instruction<'_>,
        f: impl Fn(&mut Self, Value, Value) -> Value,
    ) -> Result<(), Error> {
        let (a, b) = (self.get(i.word(2)?, i)?, self.get(i.word(3)?, i)?);
        if a.scalars.len() != b.scalars.len() {
            return Err(i.invalid("operands of different sizes"));
        }
        let mut values = Vec::new();
        for (a, b) in a.scalars.iter().zip(&b.scalars) {
            let shift = matches!(
                i.op,
                Spv::ShiftLeftLogical | Spv::ShiftRightLogical | Spv::ShiftRightArithmetic
            );
            if !shift && self.function.ty(*a) != self.function.ty(*b) {
                return Err(i.invalid("operands of different types"));
            }
            values.push(f(self, *a, *b));
        }
        self.set(i.word(1)?, Val::many(values));
        Ok(())
    }

    pub(super) fn un(&mut self, op: Un, value: Value) -> Value {
        let ty = self.function.ty(value);
        self.one(Op::Un(op), &[value], ty)
    }

    /// All bits inverted.
    pub(super) fn not(&mut self, value: Value) -> Value {
        let ty = self.function.ty(value);
        let ones = self.constant(ty, ty.mask());
        self.here().bin(Bin::Xor, value, ones)
    }

    /// A shift; the distance counts modulo the bits, as in OpenCL C.
    pub(super) fn shift(&mut self, op: Bin, value: Value, by: Value) -> Value {
        let ty = self.function.ty(value);
        let from = self.function.ty(by);
        let by = match from.bits().cmp(&ty.bits()) {
            std::cmp::Ordering::Less => self.here().convert(Convert::ZExt, by, ty),
            std::cmp::Ordering::Greater => self.here().convert(Convert::Trunc, by, ty),
            std::cmp::Ordering::Equal => by,
        };
        let by = match self.function.bits(by) {
            Some(bits) => self.constant(ty, bits % u64::from(ty.bits())),
            None => {
                let limit = self.constant(ty, u64::from(ty.bits() - 1));
                self.here().bin(Bin::And, by, limit)
            }
        };
        self.here().bin(op, value, by)
    }
}
