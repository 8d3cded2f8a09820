//! Sums, differences and products with the part that does not fit: a structure of two.

use spirv::Op as Spv;

use super::reader::Instruction;
use super::translate::Translator;
use super::value::Val;
use crate::error::Error;
use crate::ir::{Bin, Cond, Op, Type, Value};

impl Translator<'_> {
    /// Arithmetic that gives two results; `false` if the instruction is none.
    pub(super) fn carry(&mut self, i: &Instruction<'_>) -> Result<bool, Error> {
        let both: fn(&mut Self, Value, Value) -> [Value; 2] = match i.op {
            Spv::IAddCarry => |t, a, b| {
                let sum = t.here().bin(Bin::Add, a, b);
                [sum, t.one_if_less(sum, a)]
            },
            Spv::ISubBorrow => |t, a, b| {
                let difference = t.here().bin(Bin::Sub, a, b);
                [difference, t.one_if_less(a, b)]
            },
            Spv::UMulExtended => {
                |t, a, b| [Bin::Mul, Bin::UMulHigh].map(|half| t.here().bin(half, a, b))
            }
            Spv::SMulExtended => {
                |t, a, b| [Bin::Mul, Bin::SMulHigh].map(|half| t.here().bin(half, a, b))
            }
            _ => return Ok(false),
        };
        let (a, b) = (self.get(i.word(2)?, i)?, self.get(i.word(3)?, i)?);
        if a.scalars.len() != b.scalars.len() {
            return Err(i.invalid("operands of different sizes"));
        }
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for (a, b) in a.scalars.iter().zip(&b.scalars) {
            let ty = self.function.ty(*a);
            if ty.is_float() || ty == Type::I1 || self.function.ty(*b) != ty {
                return Err(i.invalid("operands that are no integers of one type"));
            }
            let [low, high] = both(self, *a, *b);
            first.push(low);
            second.push(high);
        }
        first.extend(second);
        self.set(i.word(1)?, Val::many(first));
        Ok(true)
    }

    /// One where a number is less than another, without signs; otherwise zero.
    fn one_if_less(&mut self, a: Value, b: Value) -> Value {
        let ty = self.function.ty(a);
        let less = self.one(Op::Icmp(Cond::Ult), &[a, b], Type::I1);
        let (one, zero) = (self.constant(ty, 1), self.constant(ty, 0));
        self.one(Op::Select, &[less, one, zero], ty)
    }
}
