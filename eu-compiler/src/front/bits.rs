//! Fields of bits, and products of packed integers: SPV_KHR_bit_instructions,
//! SPV_KHR_integer_dot_product.

use spirv::{Op as Spv, PackedVectorFormat};

use super::reader::Instruction;
use super::translate::Translator;
use super::value::Val;
use crate::error::Error;
use crate::ir::{Bin, Cond, Convert, Op, Type, Un, Value};

/// Which operands of an integer dot product are signed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signs {
    /// The first vector, and with it the sum.
    pub first: bool,
    /// The second vector.
    pub second: bool,
}

/// The signs of such an instruction, and whether it adds to an accumulator in its range.
fn dot(op: Spv) -> Option<(Signs, bool)> {
    let signs = |first, second| Signs { first, second };
    Some(match op {
        Spv::SDot => (signs(true, true), false),
        Spv::UDot => (signs(false, false), false),
        Spv::SUDot => (signs(true, false), false),
        Spv::SDotAccSat => (signs(true, true), true),
        Spv::UDotAccSat => (signs(false, false), true),
        Spv::SUDotAccSat => (signs(true, false), true),
        _ => return None,
    })
}

impl Translator<'_> {
    /// Fields of bits and dot products of integers; `false` if the instruction is none.
    pub(super) fn bits(&mut self, i: &Instruction<'_>) -> Result<bool, Error> {
        if let Some((signs, saturates)) = dot(i.op) {
            let ty = self.component(i.word(0)?, i)?;
            let (a, b) = (self.get(i.word(2)?, i)?, self.get(i.word(3)?, i)?);
            let accumulator = match saturates {
                true => Some(self.scalar(i.word(4)?, i)?),
                false => None,
            };
            if a.scalars.len() == 1 {
                let format = i.word(if saturates { 5 } else { 4 }).ok();
                let format = format.and_then(PackedVectorFormat::from_u32);
                format.ok_or_else(|| i.invalid("a scalar that is no packed vector"))?;
            }
            let value = self.integer_dot(&a, &b, signs, accumulator, ty, i)?;
            self.set(i.word(1)?, Val::one(value));
            return Ok(true);
        }
        match i.op {
            Spv::BitReverse => self.map1(i, Self::reversed)?,
            Spv::BitFieldSExtract | Spv::BitFieldUExtract => {
                let (offset, count) = (self.scalar(i.word(3)?, i)?, self.scalar(i.word(4)?, i)?);
                let signed = i.op == Spv::BitFieldSExtract;
                self.map1(i, |t, base| t.extracted(base, offset, count, signed))?;
            }
            Spv::BitFieldInsert => {
                let (offset, count) = (self.scalar(i.word(4)?, i)?, self.scalar(i.word(5)?, i)?);
                self.map2(i, |t, base, part| t.inserted(base, part, offset, count))?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The bits in reverse order.
    fn reversed(&mut self, value: Value) -> Value {
        let ty = self.function.ty(value);
        if ty == Type::I64 {
            let high = self.one(Op::High, &[value], Type::I32);
            let low = self.here().convert(Convert::Trunc, value, Type::I32);
            let halves = [high, low].map(|half| self.un(Un::Reverse, half));
            return self.one(Op::Pair, &halves, ty);
        }
        let wide = self.resize(value, Type::I32, false);
        let turned = self.un(Un::Reverse, wide);
        let by = self.constant(Type::I32, u64::from(32 - ty.bits()));
        let turned = self.here().bin(Bin::LShr, turned, by);
        self.resize(turned, ty, false)
    }

    /// So many ones at the low end: all for as many as there are bits.
    fn ones(&mut self, count: Value, ty: Type) -> Value {
        let (one, zero) = (self.constant(ty, 1), self.constant(ty, 0));
        let count = self.resize(count, ty, false);
        let bits = self.constant(ty, u64::from(ty.bits()));
        let power = self.shift(Bin::Shl, one, count);
        let fits = self.one(Op::Icmp(Cond::Ult), &[count, bits], Type::I1);
        let power = self.one(Op::Select, &[fits, power, zero], ty);
        self.here().bin(Bin::Sub, power, one)
    }

    fn extracted(&mut self, base: Value, offset: Value, count: Value, signed: bool) -> Value {
        let ty = self.function.ty(base);
        let ones = self.ones(count, ty);
        let moved = self.shift(Bin::LShr, base, offset);
        let field = self.here().bin(Bin::And, moved, ones);
        if !signed {
            return field;
        }
        // The highest bit of the field is all above it: none if there is no field.
        let one = self.constant(ty, 1);
        let below = self.here().bin(Bin::LShr, ones, one);
        let top = self.here().bin(Bin::Sub, ones, below);
        let flipped = self.here().bin(Bin::Xor, field, top);
        self.here().bin(Bin::Sub, flipped, top)
    }

    fn inserted(&mut self, base: Value, part: Value, offset: Value, count: Value) -> Value {
        let ty = self.function.ty(base);
        let ones = self.ones(count, ty);
        let mask = self.shift(Bin::Shl, ones, offset);
        let part = self.shift(Bin::Shl, part, offset);
        let part = self.here().bin(Bin::And, part, mask);
        let others = self.not(mask);
        let rest = self.here().bin(Bin::And, base, others);
        self.here().bin(Bin::Or, rest, part)
    }

    /// The sum of the products of two vectors of integers, or of four bytes each in a dword; with an
    /// accumulator that is kept in range.
    pub(super) fn integer_dot(
        &mut self,
        a: &Val,
        b: &Val,
        signs: Signs,
        accumulator: Option<Value>,
        ty: Type,
        i: &Instruction<'_>,
    ) -> Result<Value, Error> {
        if a.scalars.len() != b.scalars.len() {
            return Err(i.invalid("operands of different sizes"));
        }
        for value in a.scalars.iter().chain(&b.scalars) {
            let of = self.function.ty(*value);
            let fits = match a.scalars.len() {
                1 => of == Type::I32,
                _ => !of.is_float() && of.bits() <= ty.bits(),
            };
            if !fits {
                return Err(i.invalid(format!("operands of {of} for a sum of {ty}")));
            }
        }
        let a = self.components(a, signs.first, ty);
        let b = self.components(b, signs.second, ty);
        let mut sum = self.constant(ty, 0);
        for (a, b) in a.into_iter().zip(b) {
            let product = self.here().bin(Bin::Mul, a, b);
            sum = self.here().bin(Bin::Add, sum, product);
        }
        let Some(accumulator) = accumulator else {
            return Ok(sum);
        };
        if self.function.ty(accumulator) != ty {
            return Err(i.invalid("an accumulator of another type"));
        }
        let name = if signs.first {
            "s_add_sat"
        } else {
            "u_add_sat"
        };
        let kept = self.component_function(name, &[sum, accumulator], ty);
        kept.ok_or_else(|| i.unsupported(format!("a saturated sum of {ty}")))
    }

    /// The components of a vector, or the bytes of a dword, extended.
    fn components(&mut self, of: &Val, signed: bool, ty: Type) -> Vec<Value> {
        let scalars = match of.scalars[..] {
            [packed] => {
                let bytes = [0, 8, 16, 24].map(|by| {
                    let by = self.constant(Type::I32, by);
                    let moved = self.here().bin(Bin::LShr, packed, by);
                    self.here().convert(Convert::Trunc, moved, Type::I8)
                });
                bytes.to_vec()
            }
            _ => of.scalars.to_vec(),
        };
        let scalars = scalars.into_iter();
        scalars
            .map(|value| self.resize(value, ty, signed))
            .collect()
    }
}
