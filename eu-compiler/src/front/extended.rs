//! The functions of OpenCL.std. Source: "OpenCL Extended Instruction Set Specification", section 2.

use spirv::OpenclStd100Op;

use super::memory::Given;
use super::reader::Instruction;
use super::translate::Translator;
use super::value::Val;
use crate::error::Error;
use crate::ir::{Bin, Cond, Convert, Op, Type, Un, Value};

impl Translator<'_> {
    /// A function of an extended set.
    pub(super) fn extended(&mut self, i: &Instruction<'_>) -> Result<(), Error> {
        if self.module.comments.contains(&i.word(2)?) {
            return Ok(());
        }
        if Some(i.word(2)?) != self.module.opencl {
            return Err(i.unsupported("instructions of another set than OpenCL.std"));
        }
        let number = i.word(3)?;
        let function = OpenclStd100Op::from_u32(number)
            .ok_or_else(|| i.unsupported(format!("function {number} of OpenCL.std")))?;
        match function {
            OpenclStd100Op::prefetch => return Ok(()),
            OpenclStd100Op::shuffle | OpenclStd100Op::shuffle2 => {
                return self.shuffle_components(i);
            }
            OpenclStd100Op::length
            | OpenclStd100Op::fast_length
            | OpenclStd100Op::distance
            | OpenclStd100Op::fast_distance
            | OpenclStd100Op::normalize
            | OpenclStd100Op::fast_normalize
            | OpenclStd100Op::cross => return self.geometric(function, i),
            _ => {}
        }
        if self.vector_access(function, i)? {
            return Ok(());
        }
        let name = format!("{function:?}");
        let args = i.rest(4).iter().map(|id| Ok(self.get(*id, i)?.scalars));
        let mut args = args.collect::<Result<Vec<_>, Error>>()?;
        // A second result goes through a pointer.
        let pointer = match function {
            OpenclStd100Op::fract
            | OpenclStd100Op::modf
            | OpenclStd100Op::frexp
            | OpenclStd100Op::sincos
            | OpenclStd100Op::remquo
            | OpenclStd100Op::lgamma_r => args.pop().and(i.rest(4).last().copied()),
            _ => None,
        };
        let ty = self.component(i.word(0)?, i)?;
        let mut values = Vec::new();
        let mut seconds = Vec::new();
        let count = args.iter().map(|list| list.len()).max().unwrap_or(0);
        for index in 0..count {
            let mut operands = Vec::new();
            for list in &args {
                let value = list.get(index).or(list.first()).copied();
                operands.push(value.ok_or_else(|| i.invalid("an operand is missing"))?);
            }
            let none = || i.unsupported(format!("the function {name} of {ty}"));
            if let ("select", 1, &[a, b, c]) = (name.as_str(), count, operands.as_slice()) {
                values.push(self.select_by_value(a, b, c));
                continue;
            }
            if let Some(value) = self.component_function(&name, &operands, ty) {
                values.push(value);
                continue;
            }
            // `ilogb` and `nan` have operands of another type than their result.
            let first = operands.first().map(|value| self.function.ty(*value));
            let float = first.filter(|ty| ty.is_float()).unwrap_or(ty);
            let short = name.strip_prefix("half_").unwrap_or(&name);
            let results = self.library(short, float, &operands, i)?.ok_or_else(none)?;
            values.push(*results.first().ok_or_else(none)?);
            seconds.extend(results.get(1));
        }
        self.set(i.word(1)?, Val::many(values));
        if let Some(id) = pointer {
            let (pointer, ty) = (self.get(id, i)?, self.pointee(id, i)?);
            let component = self.component(ty, i)?;
            let (_, align) = self.module.types.size(ty, i)?;
            // An integer is in the low bits of the float.
            let seconds = seconds.into_iter().map(|value| match component {
                Type::I32 => {
                    let bits = self.function.ty(value).integer();
                    let bits = self.here().convert(Convert::Bitcast, value, bits);
                    self.here().convert(Convert::Trunc, bits, component)
                }
                _ => self.here().convert(Convert::FToF, value, component),
            });
            let seconds = Val::many(seconds.collect::<Vec<_>>());
            self.store(&pointer, &seconds, ty, Given::aligned(align), i)?;
        }
        Ok(())
    }

    /// A function of one component; `None` if there is none of this name and type.
    pub(super) fn component_function(
        &mut self,
        name: &str,
        args: &[Value],
        ty: Type,
    ) -> Option<Value> {
        let a = *args.first()?;
        let b = args.get(1).copied();
        let c = args.get(2).copied();
        if ty.is_float() {
            return self.float_function(name, a, b, c, ty);
        }
        let mut bin = |op: Bin| b.map(|b| self.here().bin(op, a, b));
        Some(match name {
            "s_max" => bin(Bin::SMax)?,
            "u_max" => bin(Bin::UMax)?,
            "s_min" => bin(Bin::SMin)?,
            "u_min" => bin(Bin::UMin)?,
            "s_mul_hi" => bin(Bin::SMulHigh)?,
            "u_mul_hi" => bin(Bin::UMulHigh)?,
            "s_mul24" | "u_mul24" => bin(Bin::Mul)?,
            "s_mad24" | "u_mad24" => {
                let product = bin(Bin::Mul)?;
                self.here().bin(Bin::Add, product, c?)
            }
            "s_mad_hi" => {
                let product = bin(Bin::SMulHigh)?;
                self.here().bin(Bin::Add, product, c?)
            }
            "u_mad_hi" => {
                let product = bin(Bin::UMulHigh)?;
                self.here().bin(Bin::Add, product, c?)
            }
            "s_clamp" => {
                let above = bin(Bin::SMax)?;
                self.here().bin(Bin::SMin, above, c?)
            }
            "u_clamp" => {
                let above = bin(Bin::UMax)?;
                self.here().bin(Bin::UMin, above, c?)
            }
            "s_abs" => {
                let zero = self.constant(ty, 0);
                let negated = self.here().bin(Bin::Sub, zero, a);
                self.here().bin(Bin::SMax, a, negated)
            }
            "u_abs" => a,
            "s_abs_diff" | "u_abs_diff" => {
                let (least, most) = match name {
                    "s_abs_diff" => (Bin::SMin, Bin::SMax),
                    _ => (Bin::UMin, Bin::UMax),
                };
                let (least, most) = (bin(least)?, self.here().bin(most, a, b?));
                self.here().bin(Bin::Sub, most, least)
            }
            "s_add_sat" | "u_add_sat" | "s_sub_sat" | "u_sub_sat" => {
                let op = Op::Saturated {
                    add: name.contains("add"),
                    signed: name.starts_with('s'),
                };
                self.one(op, &[a, b?], ty)
            }
            "s_hadd" | "u_hadd" | "s_rhadd" | "u_rhadd" => {
                // Half of the differing bits, and the bits that both have (or that either has).
                let round = name.contains("rhadd");
                let both = bin(if round { Bin::Or } else { Bin::And })?;
                let differ = self.here().bin(Bin::Xor, a, b?);
                let one = self.constant(ty, 1);
                let shift = if name.starts_with('s') {
                    Bin::AShr
                } else {
                    Bin::LShr
                };
                let half = self.here().bin(shift, differ, one);
                self.here()
                    .bin(if round { Bin::Sub } else { Bin::Add }, both, half)
            }
            "rotate" => {
                let left = self.shift(Bin::Shl, a, b?);
                let zero = self.constant(ty, 0);
                let back = self.here().bin(Bin::Sub, zero, b?);
                let right = self.shift(Bin::LShr, a, back);
                self.here().bin(Bin::Or, left, right)
            }
            "s_mad_sat" | "u_mad_sat" if ty != Type::I64 => {
                let (extend, signed) = match name {
                    "s_mad_sat" => (Convert::SExt, true),
                    _ => (Convert::ZExt, false),
                };
                let (b, c) = (b?, c?);
                let mut at = self.here();
                let [a, b, c] = [a, b, c].map(|value| at.convert(extend, value, Type::I64));
                let product = at.bin(Bin::Mul, a, b);
                let sum = at.bin(Bin::Add, product, c);
                let value = if signed {
                    let most = at.constant(Type::I64, ty.mask() >> 1);
                    let least = at.constant(Type::I64, !(ty.mask() >> 1));
                    let value = at.bin(Bin::SMin, sum, most);
                    at.bin(Bin::SMax, value, least)
                } else {
                    let most = at.constant(Type::I64, ty.mask());
                    at.bin(Bin::UMin, sum, most)
                };
                at.convert(Convert::Trunc, value, ty)
            }
            "s_mad_sat" | "u_mad_sat" => self.multiply_add_wide(a, b?, c?, name == "s_mad_sat"),
            "u_upsample" | "s_upsample" => {
                let from = self.function.ty(a);
                let mut at = self.here();
                let (high, low) = (
                    at.convert(Convert::ZExt, a, ty),
                    at.convert(Convert::ZExt, b?, ty),
                );
                let by = at.constant(ty, u64::from(from.bits()));
                let high = at.bin(Bin::Shl, high, by);
                at.bin(Bin::Or, high, low)
            }
            "popcount" => self.un(Un::CountOnes, a),
            "clz" => self.leading_zeros(a, ty),
            "ctz" => {
                let lowest = self.lowest_bit(a, ty);
                let bits = self.constant(ty, u64::from(ty.bits()));
                self.here().bin(Bin::UMin, lowest, bits)
            }
            "bitselect" => {
                let other = self.here().bin(Bin::And, b?, c?);
                let not = self.not(c?);
                let own = self.here().bin(Bin::And, a, not);
                self.here().bin(Bin::Or, own, other)
            }
            "select" => self.select_by_sign(a, b?, c?),
            _ => return None,
        })
    }

    /// `a * b + c` of 64 bits, kept in range: the product has 128.
    fn multiply_add_wide(&mut self, a: Value, b: Value, c: Value, signed: bool) -> Value {
        let ty = Type::I64;
        let (top, zero) = (self.constant(ty, 63), self.constant(ty, 0));
        let mut at = self.here();
        let product = at.bin(Bin::Mul, a, b);
        let high = at.bin(if signed { Bin::SMulHigh } else { Bin::UMulHigh }, a, b);
        let low = at.bin(Bin::Add, product, c);
        let carry = at.one(Op::Icmp(Cond::Ult), &[low, c], Type::I1);
        let carry = at.convert(Convert::ZExt, carry, ty);
        let high = at.bin(Bin::Add, high, carry);
        if !signed {
            let fits = at.one(Op::Icmp(Cond::Eq), &[high, zero], Type::I1);
            let most = at.constant(ty, ty.mask());
            return at.one(Op::Select, &[fits, low, most], ty);
        }
        let upper = at.bin(Bin::AShr, c, top);
        let high = at.bin(Bin::Add, high, upper);
        let sign = at.bin(Bin::AShr, low, top);
        let fits = at.one(Op::Icmp(Cond::Eq), &[high, sign], Type::I1);
        let side = at.bin(Bin::AShr, high, top);
        let most = at.constant(ty, ty.mask() >> 1);
        let limit = at.bin(Bin::Xor, side, most);
        at.one(Op::Select, &[fits, low, limit], ty)
    }

    /// The third chooses unless it is zero: `select` of scalars.
    fn select_by_value(&mut self, a: Value, b: Value, c: Value) -> Value {
        let from = self.function.ty(c);
        let zero = self.constant(from, 0);
        let is = self.one(Op::Icmp(Cond::Ne), &[c, zero], Type::I1);
        let ty = self.function.ty(a);
        self.one(Op::Select, &[is, b, a], ty)
    }

    /// The most significant bit of the third chooses: `select` of vectors.
    fn select_by_sign(&mut self, a: Value, b: Value, c: Value) -> Value {
        let from = self.function.ty(c);
        let zero = self.constant(from, 0);
        let is = self.one(Op::Icmp(Cond::Slt), &[c, zero], Type::I1);
        let ty = self.function.ty(a);
        self.one(Op::Select, &[is, b, a], ty)
    }

    fn leading_zeros(&mut self, value: Value, ty: Type) -> Value {
        if ty == Type::I64 {
            let by = self.constant(ty, 32);
            let high = self.here().bin(Bin::LShr, value, by);
            let high = self.here().convert(Convert::Trunc, high, Type::I32);
            let low = self.here().convert(Convert::Trunc, value, Type::I32);
            let (high_zeros, low_zeros) = (
                self.un(Un::LeadingZeros, high),
                self.un(Un::LeadingZeros, low),
            );
            let word = self.constant(Type::I32, 32);
            let more = self.here().bin(Bin::Add, low_zeros, word);
            let some = self.is_set(high);
            let zeros = self.one(Op::Select, &[some, high_zeros, more], Type::I32);
            return self.wide(zeros);
        }
        let wide = self.here().convert(Convert::ZExt, value, Type::I32);
        let zeros = self.un(Un::LeadingZeros, wide);
        let extra = self.constant(Type::I32, u64::from(32 - ty.bits()));
        let zeros = self.here().bin(Bin::Sub, zeros, extra);
        self.resize(zeros, ty, false)
    }

    /// The lowest one; all ones for zero.
    fn lowest_bit(&mut self, value: Value, ty: Type) -> Value {
        if ty == Type::I64 {
            let by = self.constant(ty, 32);
            let high = self.here().bin(Bin::LShr, value, by);
            let high = self.here().convert(Convert::Trunc, high, Type::I32);
            let low = self.here().convert(Convert::Trunc, value, Type::I32);
            let (high_bit, low_bit) = (self.un(Un::LowestBit, high), self.un(Un::LowestBit, low));
            let word = self.constant(Type::I32, 32);
            let none = self.constant(Type::I32, u64::from(u32::MAX));
            let above = self.here().bin(Bin::Add, high_bit, word);
            let any_high = self.is_set(high);
            let above = self.one(Op::Select, &[any_high, above, none], Type::I32);
            let any_low = self.is_set(low);
            let bit = self.one(Op::Select, &[any_low, low_bit, above], Type::I32);
            return self.here().convert(Convert::SExt, bit, ty);
        }
        let wide = self.here().convert(Convert::ZExt, value, Type::I32);
        let bit = self.un(Un::LowestBit, wide);
        self.resize(bit, ty, false)
    }
}
